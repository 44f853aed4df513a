//! Thresholds between two classes: chosen on graphs left out, kept in the file, obeyed in prediction.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{Model, ModelError, PredictedTargets};
use hodgelet::settings::{Settings, ThresholdRule};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random graphs, one in four of them of a class that is a little denser.
fn rare(n: usize, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut complexes, mut labels) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (label, density) = if i % 4 == 0 { (1, 0.5) } else { (0, 0.38) };
        let size = rng.random_range(7..12u32);
        let pairs = (0..size).flat_map(|a| (a + 1..size).map(move |b| [a, b]));
        let edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random::<f64>() < density).collect();
        complexes.push(Complex::graph(size as usize, &edges).unwrap());
        labels.push(label);
    }
    let names = vec!["common".to_owned(), "rare".to_owned()];
    Dataset::new("rare", complexes, vec![], Targets::Classes { names, labels }).unwrap()
}

fn fit(rule: Option<ThresholdRule>, data: &Dataset) -> Model {
    let settings = Settings { threshold: rule, ..Settings::default().most_probable() };
    settings.fit(data, &(0..data.len()).collect::<Vec<_>>()).unwrap()
}

fn predicted(model: &Model, data: &Dataset) -> (Vec<u32>, Vec<f64>) {
    let PredictedTargets::Classes { probabilities, labels } = model.predict(data).unwrap().targets else {
        panic!("classes went in")
    };
    (labels, (0..data.len()).map(|i| probabilities[(i, 1)]).collect())
}

#[test]
fn a_share_of_the_rare_class_is_found_and_nothing_else_changes() {
    let (train, test) = (rare(160, 1), rare(400, 2));
    let Targets::Classes { labels: truth, .. } = test.targets() else { panic!("classes went in") };
    let recall = |labels: &[u32]| {
        let found = truth.iter().zip(labels).filter(|(t, p)| **t == 1 && **p == 1).count();
        found as f64 / truth.iter().filter(|t| **t == 1).count() as f64
    };
    let plain = fit(None, &train);
    let careful = fit(Some(ThresholdRule::Recall(0.9)), &train);
    let ((by_class, p), (decided, again)) = (predicted(&plain, &test), predicted(&careful, &test));
    assert_eq!(p, again, "probabilities are those of the model");
    let threshold = careful.threshold().unwrap();
    println!("recall {:.2} by class, {:.2} from {threshold:.3} on", recall(&by_class), recall(&decided));
    assert!(recall(&by_class) < 0.6 && recall(&decided) > 0.8);
    assert!(decided.iter().zip(&p).all(|(label, p)| (*label == 1) == (*p >= threshold)));
    let loaded = Model::from_bytes(&careful.to_bytes().unwrap()).unwrap();
    assert_eq!(predicted(&loaded, &test).0, decided);

    let left_out = careful.leave_one_out().unwrap().probabilities;
    let Targets::Classes { labels, .. } = train.targets() else { panic!("classes went in") };
    let rare = || labels.iter().enumerate().filter(|(_, label)| **label == 1);
    let found = rare().filter(|(i, _)| left_out[(*i, 1)] >= threshold).count() as f64;
    assert!(found >= 0.9 * rare().count() as f64, "the rule holds on the graphs it was chosen on");
    let often = fit(Some(ThresholdRule::Prevalence), &train);
    let share = predicted(&often, &test).0.iter().sum::<u32>() as f64 / 400.0;
    assert!((share - 0.25).abs() < 0.1, "{share}");
}

#[test]
fn rules_are_for_two_classes() {
    let data = rare(20, 3);
    let settings =
        Settings { threshold: Some(ThresholdRule::Cost(5.0)), ..Settings::default().most_probable() };
    let numbers = data.clone().with_targets(Targets::Real((0..20).map(f64::from).collect())).unwrap();
    let error = settings.fit(&numbers, &(0..20).collect::<Vec<_>>()).unwrap_err();
    assert_eq!(error, ModelError::Threshold { reason: "targets are numbers".to_owned() });
}

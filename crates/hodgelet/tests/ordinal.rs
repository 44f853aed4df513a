//! Classes in an order: one latent function, trained thresholds.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::likelihood::{Likelihood, LikelihoodParams};
use hodgelet::model::{Model, PredictedTargets};
use hodgelet::settings::{ClassLikelihood, Settings};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Trees with up to five more edges; the grade is low for none, high for many, and most are in the middle.
fn graded(n: usize, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut complexes, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let size = rng.random_range(8..14u32);
        let mut edges: Vec<[u32; 2]> = (1..size).map(|v| [rng.random_range(0..v), v]).collect();
        let extra = rng.random_range(0..6usize);
        for _ in 0..100 {
            let [a, b] = [rng.random_range(0..size), rng.random_range(0..size)];
            let is_new = a < b && !edges.iter().any(|e| *e == [a, b] || *e == [b, a]);
            if is_new && edges.len() < (size - 1) as usize + extra {
                edges.push([a, b]);
            }
        }
        labels.push([0, 1, 1, 1, 1, 2][extra]);
        complexes.push(Complex::graph(size as usize, &edges).unwrap());
    }
    let names = ["low", "middle", "high"].map(str::to_owned).to_vec();
    Dataset::new("graded", complexes, vec![], Targets::Classes { names, labels }).unwrap()
}

fn score(model: &Model, test: &Dataset) -> (f64, f64) {
    let PredictedTargets::Classes { probabilities, labels } = model.predict(test).unwrap().targets else {
        panic!("classes went in")
    };
    let Targets::Classes { labels: truth, .. } = test.targets() else { panic!("classes went in") };
    let n = truth.len() as f64;
    let nll = truth.iter().enumerate().map(|(i, &c)| -probabilities[(i, c as usize)].ln()).sum::<f64>() / n;
    for i in 0..truth.len() {
        assert!((probabilities.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    (nll, labels.iter().zip(truth).filter(|(a, b)| a == b).count() as f64 / n)
}

#[test]
fn grades_are_learned_with_one_latent_function_and_wider_middle() {
    let (train, test) = (graded(120, 1), graded(200, 2));
    let all: Vec<usize> = (0..train.len()).collect();
    let base = Settings::default().most_probable();
    let ordinal = Settings { likelihood: Some(ClassLikelihood::Ordinal), ..base.clone() };
    let model = ordinal.fit(&train, &all).unwrap();
    let Likelihood::Ordinal(learned) = model.likelihood() else { panic!("ordinal was asked for") };
    let start = LikelihoodParams::ORDINAL.check(3).unwrap().hyperparameters()[0].1;
    assert!(learned.thresholds()[1] - learned.thresholds()[0] > start, "{:?}", learned.thresholds());
    let (nll, accuracy) = score(&model, &test);
    let (other_nll, _) = score(&base.fit(&train, &all).unwrap(), &test);
    println!("ordinal {nll:.3} nats, {accuracy:.3}; labels {other_nll:.3} nats");
    assert!(accuracy > 0.8 && nll < 1.1 * other_nll, "{nll}, {other_nll}, {accuracy}");
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(score(&again, &test), (nll, accuracy));
}

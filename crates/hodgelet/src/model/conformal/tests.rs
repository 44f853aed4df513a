use super::super::testing::{dataset, small_settings};
use super::super::{Basis, RegionTargets, Regions};
use super::*;

fn go_on(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn conformal(choice: ConformalChoice) -> Settings {
    Settings { conformal: Some(choice), iterations: 3, ..small_settings() }
}

fn fit_all(settings: &Settings, data: &Dataset) -> Model {
    settings.fit(data, &(0..data.len()).collect::<Vec<_>>()).unwrap()
}

fn regions(model: &Model, data: &Dataset, coverage: f64) -> Regions {
    let predicted = model.predict_calibrated(data, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(predicted.prediction, model.predict(data).unwrap());
    predicted.regions(coverage).unwrap()
}

#[test]
fn a_model_without_a_guarantee_says_so() {
    let (train, test) = (dataset(16, 3, 1), dataset(9, 3, 2));
    let model = fit_all(&small_settings(), &train);
    let found = regions(&model, &test, 0.8);
    assert_eq!((found.basis, found.guaranteed, found.n_calibration), (Basis::Model, None, 0));
    assert_eq!(found.statement(), "the model's own probabilities, without a guarantee");
    let RegionTargets::Classes(sets) = &found.targets else { panic!("classes are predicted") };
    let predicted = model.predict(&test).unwrap().targets;
    let probabilities = predicted.probabilities().unwrap();
    for (i, set) in sets.iter().enumerate() {
        let mass: f64 = set.iter().map(|&c| probabilities[(i, c as usize)]).sum();
        let least = set.iter().map(|&c| probabilities[(i, c as usize)]).fold(1.0, f64::min);
        assert!(mass >= 0.8 && mass - least < 0.8, "{set:?}");
    }
    let (train, test) = (dataset(16, 0, 1), dataset(3, 0, 2));
    let model = fit_all(&small_settings(), &train);
    let RegionTargets::Real(intervals) = regions(&model, &test, 0.9).targets else { panic!("numbers") };
    let predicted = model.predict(&test).unwrap().targets;
    assert_eq!(intervals[1], predicted.densities().unwrap()[1].interval(0.9));
}

/// On forty graphs and more, a coverage of 0.8 is held on new graphs of the same kind, and the same bits come back from a
/// file.
#[test]
fn both_kinds_cover_new_graphs_and_come_back_from_a_file() {
    for n_classes in [0, 3] {
        let (train, test) = (dataset(60, n_classes, 5), dataset(60, n_classes, 6));
        for choice in [ConformalChoice::Split, ConformalChoice::CvPlus] {
            let settings = Settings { conformal_folds: 4, ..conformal(choice) };
            let model = fit_all(&settings, &train);
            assert_eq!(model.settings(), &settings);
            let (n_train, n_held) = (model.summary().n_train, model.n_calibration());
            assert_eq!((n_train, n_held), if choice == ConformalChoice::Split { (45, 15) } else { (60, 60) });
            let found = regions(&model, &test, 0.8);
            let share = found.targets.share_held(test.targets()).unwrap();
            // Four standard errors of sixty new graphs and the spread of fifteen held-out ones.
            assert!(
                share > 0.8 - 4.0 * (0.16f64 / 60.0 + 0.16 / 16.0).sqrt(),
                "{n_classes}, {choice:?}: {share}"
            );
            assert!(found.notes.is_empty() && found.guaranteed.unwrap() <= 0.8);
            let bytes = model.to_bytes().unwrap();
            let loaded = Model::from_bytes(&bytes).unwrap();
            assert_eq!(loaded.to_bytes().unwrap(), bytes);
            for coverage in [0.5, 0.8, 0.99] {
                assert_eq!(regions(&loaded, &test, coverage), regions(&model, &test, coverage));
            }
        }
    }
}

#[test]
fn more_coverage_never_takes_anything_away() {
    for n_classes in [0, 3] {
        let (train, test) = (dataset(40, n_classes, 7), dataset(10, n_classes, 8));
        for choice in [ConformalChoice::Split, ConformalChoice::CvPlus] {
            let model = fit_all(&conformal(choice), &train);
            match (regions(&model, &test, 0.6).targets, regions(&model, &test, 0.85).targets) {
                (RegionTargets::Classes(small), RegionTargets::Classes(large)) => {
                    assert!(small.iter().zip(&large).all(|(s, l)| s.iter().all(|c| l.contains(c))));
                }
                (RegionTargets::Real(small), RegionTargets::Real(large)) => {
                    assert!(small.iter().zip(&large).all(|(s, l)| l.0 <= s.0 && s.1 <= l.1));
                }
                _ => panic!("one model predicts targets of one kind"),
            }
        }
    }
}

#[test]
fn too_few_calibration_graphs_give_everything_and_say_so() {
    let (train, test) = (dataset(20, 0, 3), dataset(4, 0, 4));
    let model = fit_all(&conformal(ConformalChoice::Split), &train);
    let found = regions(&model, &test, 0.9);
    assert_eq!(found.targets, RegionTargets::Real(vec![(f64::NEG_INFINITY, f64::INFINITY); 4]));
    assert_eq!(
        found.notes,
        ["5 calibration graphs, but a coverage of 0.9 needs 9: every interval is infinite"]
    );
    let (train, test) = (dataset(20, 3, 3), dataset(4, 3, 4));
    let model = fit_all(&conformal(ConformalChoice::Split), &train);
    let found = regions(&model, &test, 0.9);
    assert_eq!(found.targets, RegionTargets::Classes(vec![vec![0, 1, 2]; 4]));
    assert_eq!(
        found.notes,
        ["5 calibration graphs, but a coverage of 0.9 needs 9: every class is in every set"]
    );
    let settings = Settings { conformal_classes: true, ..conformal(ConformalChoice::CvPlus) };
    let found = regions(&fit_all(&settings, &train), &test, 0.9);
    assert_eq!(found.notes.len(), 3, "seven graphs of a class, or six");
    assert_eq!(
        found.notes[2],
        "class `class 2` has 6 calibration graphs, but a coverage of 0.9 needs 9: it is in every set"
    );
    assert_eq!(found.targets, RegionTargets::Classes(vec![vec![0, 1, 2]; 4]));
    assert!(found.statement().contains(", within each class"), "{}", found.statement());
}

#[test]
fn a_coverage_that_is_none_is_named() {
    let data = dataset(12, 0, 3);
    let model = fit_all(&conformal(ConformalChoice::Split), &data);
    let predicted = model.predict_calibrated(&data, |_| ControlFlow::Continue(())).unwrap();
    for coverage in [0.0, 1.0, -0.5, 1.5, f64::INFINITY] {
        assert_eq!(predicted.regions(coverage), Err(ModelError::Coverage { found: coverage }));
    }
    assert!(predicted.regions(f64::NAN).unwrap_err().to_string().starts_with("coverage is NaN, expected "));
    assert_eq!(
        predicted.regions(2.0).unwrap_err().to_string(),
        "coverage is 2, expected a number between 0 and 1, both excluded"
    );
}

/// Given the parts, the order of the graphs leaves nothing but rounding: the scores of held-out ones are the same bits.
#[test]
fn the_order_of_graphs_matters_to_the_draw_alone() {
    let data = dataset(24, 0, 9);
    let settings = conformal(ConformalChoice::Split);
    let order: Vec<usize> = (0..16).chain((16..24).rev()).collect();
    let held = |data: &Dataset| {
        let parts = vec![(16..24).collect()];
        let model = fit_parts(&settings, ConformalChoice::Split, data, parts, go_on).unwrap();
        model.conformal.unwrap().held
    };
    assert_eq!(held(&data), held(&data.select(&order)));
    let reversed: Vec<usize> = (0..16).rev().chain(16..24).collect();
    let (first, second) = (held(&data), held(&data.select(&reversed)));
    let near = |(a, b): (&Held, &Held)| (a.score - b.score).abs() < 0.02 * (1.0 + a.score);
    assert!(first.iter().zip(&second).all(near), "{first:?} {second:?}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (train, test) = (dataset(20, 2, 1), dataset(5, 2, 2));
    let settings = conformal(ConformalChoice::CvPlus);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = fit_all(&settings, &train);
            (regions(&model, &test, 0.8), model.conformal.unwrap().held)
        })
    };
    assert_eq!(with(1), with(3));
}

/// Graphs that occur many times are graphs all the same, in whichever part they fall.
#[test]
fn equal_graphs_break_nothing() {
    let data = dataset(6, 2, 1);
    let twelve: Vec<usize> = (0..6).cycle().take(36).collect();
    for choice in [ConformalChoice::Split, ConformalChoice::CvPlus] {
        let model = conformal(choice).fit(&data, &twelve).unwrap();
        assert!(model.summary().n_distinct <= 6);
        let found = regions(&model, &data, 0.7);
        assert!(found.notes.is_empty());
        let RegionTargets::Classes(sets) = &found.targets else { panic!("classes are predicted") };
        assert!(sets.iter().all(|set| !set.is_empty()));
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(regions(&again, &data, 0.7), found);
    }
}

#[test]
fn as_many_parts_as_graphs_are_the_jackknife_plus() {
    let (train, test) = (dataset(12, 0, 1), dataset(3, 0, 2));
    let settings = Settings { conformal_folds: 1000, iterations: 1, ..conformal(ConformalChoice::CvPlus) };
    let model = fit_all(&settings, &train);
    assert_eq!(model.conformal.as_ref().unwrap().models.len(), 12);
    let found = regions(&model, &test, 0.9);
    assert!((found.guaranteed.unwrap() - 0.8).abs() < 1e-12);
    assert_eq!(
        found.statement(),
        "by cross-validation+ on 12 graphs: 80% is guaranteed for exchangeable graphs, about 90% is usual"
    );
}

#[test]
fn what_cannot_be_held_out_is_an_error() {
    let data = dataset(8, 2, 1);
    let error = |data: &Dataset, settings: &Settings| {
        settings.fit(data, &(0..data.len()).collect::<Vec<_>>()).unwrap_err().to_string()
    };
    let two = data.select(&[0, 1]);
    assert_eq!(
        error(&two, &conformal(ConformalChoice::Split)),
        "a conformal guarantee cannot be given: 1 of 2 graphs are left when 1 are held out, expected at least 2"
    );
    let three = data.select(&[0, 1, 2]);
    let message = error(&three, &Settings { conformal_folds: 3, ..conformal(ConformalChoice::CvPlus) });
    assert_eq!(
        message,
        "a conformal guarantee cannot be given: without 1 held-out graphs, all 2 training complexes are of class `class 0`, \
         expected at least two classes"
    );
    let settings = conformal(ConformalChoice::Split);
    let measurer = Measurer::fit(&settings, &data, &[0, 1, 2, 3]).unwrap();
    let measured = measurer.measure(&data, |_| ControlFlow::Continue(())).unwrap();
    let found = settings.fit_measured(&measurer, &measured, data.targets(), &[0, 1, 2, 3], go_on);
    assert!(matches!(found, Err(ModelError::Conformal { .. })));
    let stopped = settings.fit_with(&data, &[0, 1, 2, 3, 4, 5], |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(ModelError::Cancelled)));
}

//! Training data that is too little, too large, too equal or contradicts itself.

use super::data::{classes, graph, graphs, reals, with_signals};
use super::{fit, fit_averaged, fit_with, refused, small_settings};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::VertexSignal;
use hodgelet::model::{FittedTargets, ModelError, PredictedTargets};
use hodgelet::settings::{BlockKind, ClassLikelihood, InferenceChoice, Settings};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[test]
fn one_class_is_refused_by_name() {
    assert_eq!(
        refused(fit(&classes(graphs(5, 1.0, 1), 2, |_| 1))),
        "all 5 training complexes are of class `c1`, expected at least two classes"
    );
}

#[test]
fn no_graph_and_one_graph_are_too_few() {
    for n in [0, 1] {
        let message = format!("{n} training complexes, expected at least 2");
        assert_eq!(refused(fit(&classes(graphs(n, 1.0, 1), 2, |i| i))), message);
        assert_eq!(refused(fit(&reals(graphs(n, 1.0, 1), |i| i as f64))), message);
    }
}

#[test]
fn two_graphs_are_enough() {
    for seed in 0..3 {
        fit(&classes(graphs(2, 1.0, seed), 2, |i| i)).unwrap();
        fit(&reals(graphs(2, 1.0, seed), |i| i as f64)).unwrap();
    }
}

#[test]
fn hyperparameters_are_averaged_over_wherever_the_mode_is_found() {
    fit_averaged(&classes(graphs(2, 1.0, 1), 2, |i| i)).unwrap();
    fit_averaged(&reals(graphs(2, 1.0, 2), |i| i as f64)).unwrap();
    fit_averaged(&reals(graphs(6, 1.0, 3), |_| 3.5)).unwrap();
    fit_averaged(&classes(graphs(7, 1.0, 4), 7, |i| i)).unwrap();
    let copies = graphs(2, 1.0, 7).select(&[0, 0, 0, 0, 1, 1, 1, 1]);
    fit_averaged(&classes(copies.clone(), 2, |i| i % 2)).unwrap();
    fit_averaged(&reals(copies, |i| i as f64)).unwrap();
    for scale in [1e30, 1e-8] {
        fit_averaged(&classes(graphs(8, scale, 5), 2, |i| i % 2)).unwrap();
        fit_averaged(&reals(graphs(8, scale, 5), |i| scale * i as f64)).unwrap();
    }
    // One number stands far out.
    fit_averaged(&reals(graphs(8, 1.0, 6), |i| if i == 3 { 1e12 } else { i as f64 })).unwrap();
}

#[test]
fn identical_graphs_have_nothing_to_learn_from() {
    let one = graphs(1, 1.0, 1);
    let same = one.select(&[0; 6]);
    assert_eq!(
        refused(fit(&classes(same.clone(), 2, |i| i % 2))),
        "no feature varies over the 6 training complexes"
    );
    assert!(matches!(fit(&reals(same, |i| i as f64)), Err(ModelError::Constant { n: 6 })));
}

#[test]
fn graphs_without_cells_have_nothing_to_learn_from() {
    for n_vertices in [0, 1, 4] {
        let empty = vec![Complex::graph(n_vertices, &[]).unwrap(); 4];
        let zeros = with_signals(empty, 0.0, 1);
        assert!(matches!(
            fit(&classes(zeros.clone(), 2, |i| i % 2)),
            Err(ModelError::Constant { .. } | ModelError::Encode(_))
        ));
        let bare = zeros.with_columns(vec![]).unwrap();
        assert!(matches!(
            fit(&classes(bare, 2, |i| i % 2)),
            Err(ModelError::Constant { .. } | ModelError::Encode(_))
        ));
    }
}

#[test]
fn graphs_without_vertices_or_edges_may_stand_among_others() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut complexes: Vec<Complex> = (0..8).map(|i| graph(4 + i % 3, &mut rng)).collect();
    complexes.insert(0, Complex::graph(0, &[]).unwrap());
    complexes.insert(4, Complex::graph(3, &[]).unwrap());
    complexes.push(Complex::graph(1, &[]).unwrap());
    complexes.push(Complex::graph(2, &[[0, 1]]).unwrap());
    fit(&classes(with_signals(complexes.clone(), 1.0, 4), 2, |i| i % 2)).unwrap();
    fit(&classes(with_signals(complexes.clone(), 1.0, 4), 3, |i| i % 3)).unwrap();
    fit(&reals(with_signals(complexes, 1.0, 4), |i| i as f64)).unwrap();
}

#[test]
fn signals_of_any_ordinary_scale_are_learned_from() {
    for scale in [1e8, 1e-8, 1e30, 1e-5] {
        fit(&classes(graphs(10, scale, 5), 2, |i| i % 2)).unwrap();
        fit(&classes(graphs(10, scale, 5), 3, |i| i % 3)).unwrap();
        fit(&reals(graphs(10, scale, 5), |i| i as f64)).unwrap();
    }
}

/// The degrees remain where the attributes are lost in the floor of the features.
#[test]
fn signals_whose_squares_leave_the_range_of_numbers_are_an_error_or_ignored() {
    for scale in [1e160, 1e300, 1e-160, 1e-300] {
        for result in [
            fit(&classes(graphs(8, scale, 6), 2, |i| i % 2)),
            fit(&reals(graphs(8, scale, 6), |i| (i % 3) as f64)),
        ] {
            if let Err(error) = result {
                assert!(!error.to_string().is_empty() && scale > 1.0, "{scale}: {error}");
            }
        }
    }
}

#[test]
fn duplicates_may_contradict_each_other() {
    let pair = graphs(2, 1.0, 7);
    let copies = pair.select(&[0, 0, 0, 0, 1, 1, 1, 1]);
    let model = fit(&classes(copies.clone(), 2, |i| i % 2)).unwrap();
    assert_eq!((model.summary().n_train, model.summary().n_distinct), (8, 2));
    let prediction = model.predict(&pair).unwrap();
    let PredictedTargets::Classes { probabilities, .. } = prediction.targets else { panic!("classes") };
    assert!((probabilities[(0, 0)] - 0.5).abs() < 1e-6, "as many of each class: {probabilities:?}");
    fit(&classes(copies.clone(), 4, |i| i % 4)).unwrap();
    fit(&reals(copies, |i| i as f64)).unwrap();
}

#[test]
fn a_class_may_have_one_member_or_none() {
    fit(&classes(graphs(12, 1.0, 8), 3, |i| if i == 5 { 2 } else { i % 2 })).unwrap();
    for n_classes in [3, 4, 7] {
        fit(&classes(graphs(12, 1.0, 8), n_classes, |i| i % 2)).unwrap();
        let softmax = Settings { likelihood: Some(ClassLikelihood::Softmax), ..small_settings() };
        fit_with(&softmax, &classes(graphs(12, 1.0, 8), n_classes, |i| i % 2)).unwrap();
    }
    fit(&classes(graphs(12, 1.0, 8), 2, |i| usize::from(i == 5))).unwrap();
}

#[test]
fn three_hundred_classes_are_learned() {
    let data = classes(graphs(30, 1.0, 9), 300, |i| 10 * i);
    let few = Settings { iterations: 1, ..small_settings() };
    for likelihood in [ClassLikelihood::Auto, ClassLikelihood::Softmax] {
        let model = fit_with(&Settings { likelihood: Some(likelihood), ..few.clone() }, &data).unwrap();
        let prediction = model.predict(&data).unwrap();
        super::assert_sound(&model, &prediction);
    }
}

#[test]
fn real_targets_may_be_constant_or_of_any_ordinary_scale() {
    let model = fit(&reals(graphs(8, 1.0, 10), |_| 3.5)).unwrap();
    let prediction = model.predict(&graphs(3, 1.0, 11)).unwrap();
    let PredictedTargets::Real { densities } = prediction.targets else { panic!("real targets went in") };
    assert!(densities.iter().all(|d| (d.mean() - 3.5).abs() < 1e-9), "{densities:?}");
    // The mean of ten times 0.1 is another number.
    let rounded = fit(&reals(graphs(10, 1.0, 10), |_| 0.1)).unwrap();
    assert!(matches!(rounded.targets(), FittedTargets::Real { deviation: 1.0, .. }));
    for scale in [1e8, 1e-8, 1e100, 1e-100] {
        fit(&reals(graphs(8, 1.0, 10), |i| scale * i as f64)).unwrap();
    }
}

#[test]
fn real_targets_whose_squares_leave_the_range_of_numbers_are_an_error() {
    for scale in [1e160, 1e307, 1e-160, 1e-307] {
        let error = refused(fit(&reals(graphs(8, 1.0, 10), |i| scale * i as f64)));
        assert!(error.contains("expected magnitudes from 1e-152 to 1e152"), "{scale:e}: {error}");
    }
    for scale in [1e150, 1e-150] {
        fit(&reals(graphs(8, 1.0, 10), |i| scale * i as f64)).unwrap();
    }
}

#[test]
fn laplace_is_for_two_classes_without_a_floor() {
    let laplace = Settings { inference: InferenceChoice::Laplace, ..small_settings() };
    let fit = |settings: &Settings, n| fit_with(settings, &classes(graphs(10, 1.0, 12), n, |i| i % n));
    let model = fit(&laplace, 2).unwrap();
    let variational = fit(&small_settings(), 2).unwrap();
    let data = graphs(4, 1.0, 13);
    let found = model.predict(&data).unwrap();
    super::assert_sound(&model, &found);
    assert_ne!(found.latent_mean, variational.predict(&data).unwrap().latent_mean);
    assert_eq!(refused(fit(&laplace, 3)), "binary Laplace does not apply to regression on labels");
    let floored = Settings { likelihood: Some(ClassLikelihood::Gpflow), ..laplace.clone() };
    assert_eq!(refused(fit(&floored, 2)), "binary Laplace does not apply to a probit with a floor");
    let data = reals(graphs(10, 1.0, 12), |i| i as f64);
    assert_eq!(refused(fit_with(&laplace, &data)), "binary Laplace does not apply to a Gaussian likelihood");
}

/// Paths, cycles and complete graphs of several sizes have degrees that no vertex of another kind has.
#[test]
fn graphs_whose_degrees_are_all_alike_are_learned_from() {
    let ring = |n: u32| (0..n).map(|v| [v, (v + 1) % n]).collect::<Vec<_>>();
    let path = |n: u32| (1..n).map(|v| [v - 1, v]).collect::<Vec<_>>();
    let all = |n: u32| (0..n).flat_map(|v| (0..v).map(move |u| [u, v])).collect::<Vec<_>>();
    for edges in [&ring as &dyn Fn(u32) -> Vec<[u32; 2]>, &path, &all] {
        let graph = |i: u32| Complex::graph(4 + i as usize, &edges(4 + i)).unwrap();
        let graphs: Vec<Complex> = (0..6).map(graph).collect();
        let targets = Targets::Real((0..6).map(f64::from).collect());
        let dataset = Dataset::new("alike", graphs, Vec::new(), targets).unwrap();
        fit(&dataset).unwrap();
        let vertices = Some(VertexSignal::Reference);
        let published = Settings { vertices, blocks: Some(vec![BlockKind::Energies]), ..small_settings() };
        let refused = fit_with(&published, &dataset).is_err();
        assert_eq!(refused, edges(5).len() <= 5, "the published encoding sees complete graphs alone");
    }
}

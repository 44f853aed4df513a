//! Gram matrices that are given, as blocks: agreement with a kernel that is known, splits, files, and what is refused.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, GramError, Targets, WHOLE};
use hodgelet::likelihood::Mixture;
use hodgelet::model::{Model, ModelError, PredictedTargets, Prediction, UpdateParams};
use hodgelet::settings::{BlockKind, ConformalChoice, HyperparameterChoice, PosteriorChoice, Settings};
use hodgelet::signal::Orientation;
use std::ops::ControlFlow;

/// Which of five tags graph `i` has.
fn tags(i: usize) -> Vec<u32> {
    (0..5).filter(|t| !(i * (t + 3) + i / 4).is_multiple_of(3)).map(|t| t as u32).chain([5]).collect()
}

/// Tanimoto's kernel of the tags of two graphs.
fn tanimoto(i: usize, j: usize) -> f64 {
    let (a, b) = (tags(i), tags(j));
    let common = a.iter().filter(|tag| b.contains(tag)).count() as f64;
    common / (a.len() as f64 + b.len() as f64 - common)
}

/// The matrix of `kernel` between graphs `rows` and graphs `columns`, row by row.
fn matrix(rows: &[usize], columns: &[usize], kernel: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    rows.iter().flat_map(|&i| columns.iter().map(move |&j| (i, j))).map(|(i, j)| kernel(i, j)).collect()
}

/// Paths with tags, whose targets follow the tags.
fn paths(items: &[usize], n_classes: usize) -> Dataset {
    let graph = |i: &usize| {
        let m = 3 + i % 3;
        Complex::graph(m, &(1..m as u32).map(|v| [v - 1, v]).collect::<Vec<_>>()).unwrap()
    };
    let (mut codes, mut starts) = (Vec::new(), vec![0]);
    for &i in items {
        codes.extend(tags(i));
        starts.push(codes.len());
    }
    let categories = (0..6).map(|t| format!("tag {t}")).collect();
    let column = Column {
        name: "tags".to_owned(),
        dim: WHOLE,
        orientation: Orientation::Unoriented,
        starts,
        values: ColumnValues::Labels { categories, codes },
    };
    let score =
        |i: &usize| tags(*i).iter().map(|&t| f64::from(t) - 1.5).sum::<f64>() + 0.1 * (*i as f64).sin();
    let targets = match n_classes {
        0 => Targets::Real(items.iter().map(score).collect()),
        n => Targets::Classes {
            names: (0..n).map(|c| format!("class {c}")).collect(),
            labels: items.iter().map(|i| (score(i).abs() * 0.7) as u32 % n as u32).collect(),
        },
    };
    Dataset::new("paths", items.iter().map(graph).collect(), vec![column], targets).unwrap()
}

fn training(n: usize, n_classes: usize) -> Dataset {
    let all: Vec<usize> = (0..n).collect();
    let gram = Column::gram(None, (n, n), &matrix(&all, &all, tanimoto)).unwrap();
    paths(&all, n_classes).with_column(gram).unwrap()
}

fn settings(kinds: &[BlockKind]) -> Settings {
    let blocks = Some(kinds.to_vec());
    Settings { n_filters: 2, n_bands: 1, iterations: 8, blocks, ..Settings::default().most_probable() }
}

fn fitted(settings: &Settings, data: &Dataset, n: usize) -> Model {
    settings.fit(data, &(0..n).collect::<Vec<_>>()).unwrap()
}

fn assert_splits(prediction: &Prediction) {
    for i in 0..prediction.latent_mean.nrows() {
        for c in 0..prediction.latent_mean.ncols() {
            let shares: f64 = prediction.blocks.iter().map(|(_, share)| share[(i, c)]).sum();
            let whole = shares + prediction.constant.as_ref().map_or(0.0, |share| share[(i, c)]);
            assert!((whole - prediction.latent_mean[(i, c)]).abs() < 1e-10);
        }
    }
}

/// The block of tags is Tanimoto's kernel: with its matrix in place of the tags everything is the same.
#[test]
fn a_given_matrix_is_the_kernel_that_it_came_from() {
    for (n_classes, hyperparameters) in
        [(0, HyperparameterChoice::Map), (2, HyperparameterChoice::Nuts), (3, HyperparameterChoice::Map)]
    {
        let data = training(30, n_classes);
        let of = |kind| Settings { hyperparameters, ..settings(&[BlockKind::Energies, kind]) };
        let known = fitted(&of(BlockKind::Fingerprints), &data, 22).predict(&data).unwrap();
        let model = fitted(&of(BlockKind::Grams), &data, 22);
        let names: Vec<String> = model.blocks().iter().map(|b| b.block.to_string()).collect();
        assert_eq!(names.last().map(String::as_str), Some("graph gram"));
        let found = model.predict(&data).unwrap();
        assert_splits(&found);
        let apart = (&found.latent_mean - &known.latent_mean).norm_max();
        assert!(apart < 1e-8, "{n_classes} {hyperparameters:?}: {apart:e}");
        assert!((&found.latent_variance - &known.latent_variance).norm_max() < 1e-8);
        let share = |p: &Prediction| p.blocks.last().unwrap().1.clone();
        assert!((&share(&found) - &share(&known)).norm_max() < 1e-8);
        assert!(share(&found).norm_max() > 1e-3, "the block says something");
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.predict(&data).unwrap(), found);
        assert_eq!(again.to_bytes().unwrap(), model.to_bytes().unwrap());
    }
}

/// New graphs come with their products with the graphs of the matrix, in any company, with the same result.
#[test]
fn rows_of_new_graphs_predict_as_those_of_the_matrix() {
    let (all, new): (Vec<usize>, Vec<usize>) = ((0..24).collect(), (24..33).collect());
    let model = fitted(&settings(&[BlockKind::Energies, BlockKind::Grams]), &training(24, 2), 24);
    assert_eq!(model.space().measurer().grams(), [("gram", 24)]);
    let expected = {
        let model = fitted(&settings(&[BlockKind::Energies, BlockKind::Grams]), &training(33, 2), 24);
        model.predict(&training(33, 2).select(&new)).unwrap()
    };
    let rows = matrix(&new, &all, tanimoto);
    let alone = paths(&new, 2).with_column(Column::gram_rows(None, (9, 24), &rows, 24).unwrap()).unwrap();
    let found = model.predict(&alone).unwrap();
    assert_splits(&found);
    assert!((&found.latent_mean - &expected.latent_mean).norm_max() < 1e-10);
    assert!((&found.latent_variance - &expected.latent_variance).norm_max() < 1e-10);
    assert_eq!(model.predict(&alone.select(&[4])).unwrap().latent_mean[(0, 0)], found.latent_mean[(4, 0)]);
    assert_eq!(model.explain_cells(&alone, 0).unwrap().len(), 0); // energies and a matrix have no cells
    // With the product of each graph with itself, which is 1.
    let with_own: Vec<f64> = rows.chunks(24).flat_map(|row| row.iter().copied().chain([1.0])).collect();
    let column = Column::gram_rows(None, (9, 25), &with_own, 24).unwrap();
    assert_eq!(model.predict(&paths(&new, 2).with_column(column).unwrap()).unwrap(), found);
}

#[test]
fn several_matrices_are_several_blocks() {
    let all: Vec<usize> = (0..24).collect();
    let other =
        Column::gram(Some("phase"), (24, 24), &matrix(&all, &all, |i, j| (i as f64 - j as f64).cos()));
    let data = training(24, 0).with_column(other.unwrap()).unwrap();
    let model = fitted(&settings(&[BlockKind::Grams]), &data, 20);
    let names: Vec<String> = model.blocks().iter().map(|b| b.block.to_string()).collect();
    assert_eq!(names, ["graph gram", "graph gram 2"]);
    let found = model.predict(&data).unwrap();
    assert_splits(&found);
    let without =
        Settings { exclude: vec!["graph gram 2".parse().unwrap()], ..settings(&[BlockKind::Grams]) };
    assert_eq!(fitted(&without, &data, 20).blocks().len(), 1);
    // The unit of a matrix does not matter.
    let scaled = matrix(&all, &all, |i, j| 1e90 * tanimoto(i, j));
    let scaled = paths(&all, 0).with_column(Column::gram(None, (24, 24), &scaled).unwrap()).unwrap();
    let plain = fitted(&settings(&[BlockKind::Grams]), &training(24, 0), 20).predict(&data).unwrap();
    let scaled = fitted(&settings(&[BlockKind::Grams]), &scaled, 20).predict(&scaled).unwrap();
    assert!((&plain.latent_mean - &scaled.latent_mean).norm_max() < 1e-8);
}

/// Inducing graphs, leaves and training on all see the matrix as they see the kernel that it came from.
#[test]
fn a_sparse_posterior_has_the_matrix_of_its_kernel() {
    let data = training(30, 2);
    let of = |kind, train_on_all| Settings {
        posterior: PosteriorChoice::Sparse,
        inducing: Some(8),
        sample: Some(14),
        train_on_all,
        ..settings(&[BlockKind::Energies, kind])
    };
    for train_on_all in [false, true] {
        let known = fitted(&of(BlockKind::Fingerprints, train_on_all), &data, 24).predict(&data).unwrap();
        let model = fitted(&of(BlockKind::Grams, train_on_all), &data, 24);
        let found = model.predict(&data).unwrap();
        assert_splits(&found);
        let apart = (&found.latent_mean - &known.latent_mean).norm_max();
        assert!(apart < 1e-8, "{train_on_all}: {apart:e}");
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.predict(&data).unwrap(), found);
    }
}

/// The bound and what is predicted of targets. Of the 24 graphs 8 are distinct, and inducing ones are chosen until nothing is
/// left. Latent values of classes are known less exactly: where they are large the bound is nearly flat.
#[test]
fn with_every_graph_inducing_a_matrix_gives_the_full_posterior() {
    for kinds in [&[BlockKind::Energies, BlockKind::Grams][..], &[BlockKind::Grams]] {
        for (n_classes, collapse) in [(0, true), (0, false), (2, true), (2, false)] {
            let full = Settings { inner_tol: 1e-15, collapse, ..settings(kinds) };
            let (inducing, sample) = (Some(24), Some(24));
            let sparse = Settings { posterior: PosteriorChoice::Sparse, inducing, sample, ..full.clone() };
            let data = training(33, n_classes);
            let [a, b] = [full, sparse].map(|settings| fitted(&settings, &data, 24));
            let what = format!("{kinds:?}, {n_classes} classes, collapse {collapse}");
            let (expected, found) = (a.summary().elbo, b.summary().elbo);
            assert!(
                (found - expected).abs() < 1e-7 * (1.0 + expected.abs()),
                "{what}: {found} but {expected}"
            );
            let apart = match [&a, &b].map(|model| model.predict(&data).unwrap().targets) {
                [
                    PredictedTargets::Classes { probabilities: a, .. },
                    PredictedTargets::Classes { probabilities: b, .. },
                ] => (a - b).norm_max(),
                [PredictedTargets::Real { densities: a }, PredictedTargets::Real { densities: b }] => {
                    let apart = |(a, b): (&Mixture, &Mixture)| {
                        (a.mean() - b.mean()).abs().max((a.variance() - b.variance()).abs())
                    };
                    a.iter().zip(&b).map(apart).fold(0.0, f64::max)
                }
                _ => panic!("targets of one kind went in"),
            };
            assert!(apart < 1e-6, "{what}: {apart:e}");
        }
    }
}

#[test]
fn a_guarantee_is_given_with_a_matrix() {
    let data = training(40, 0);
    for choice in [ConformalChoice::Split, ConformalChoice::CvPlus] {
        let settings = Settings { conformal: Some(choice), ..settings(&[BlockKind::Grams]) };
        let model = fitted(&settings, &data, 32);
        let found = model.predict_calibrated(&data, |_| ControlFlow::Continue(())).unwrap();
        assert!(found.regions(0.8).unwrap().guaranteed.is_some());
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.predict(&data).unwrap(), found.prediction);
    }
}

#[test]
fn what_a_matrix_cannot_do_is_refused() {
    let data = training(24, 2);
    let model = fitted(&settings(&[BlockKind::Energies, BlockKind::Grams]), &data, 20);
    let update = model.update(&data, UpdateParams::default(), |_| ControlFlow::Continue(()));
    assert_eq!(update.unwrap_err(), ModelError::GramOnly { what: "an update" });
    let new: Vec<usize> = (30..40).collect();
    let rows = matrix(&new, &(0..24).collect::<Vec<_>>(), tanimoto);
    let alone = paths(&new, 2).with_column(Column::gram_rows(None, (10, 24), &rows, 24).unwrap()).unwrap();
    let drift = model.drift(&alone).unwrap_err();
    assert!(drift.to_string().contains("is not given") && drift.hint().is_some(), "{drift}");
    assert!(model.predict_joint(&alone).is_err());
    let narrow: Vec<f64> = matrix(&new, &(0..23).collect::<Vec<_>>(), tanimoto);
    let narrow = paths(&new, 2).with_column(Column::gram_rows(None, (10, 23), &narrow, 23).unwrap()).unwrap();
    let error = model.predict(&narrow).unwrap_err().to_string();
    assert!(error.contains("products with 24 graphs") && error.contains("products with 23"), "{error}");
    let bare = model.predict(&paths(&new, 2)).unwrap_err().to_string();
    assert_eq!(bare, "the dataset has no column `gram` of the graphs as a whole");
    let large: Vec<f64> = rows.iter().map(|x| 3.0 * x).collect();
    let large = paths(&new, 2).with_column(Column::gram_rows(None, (10, 24), &large, 24).unwrap()).unwrap();
    assert!(matches!(model.predict(&large), Err(ModelError::GramRow { row: 0, .. })));
    // A column that was not made by `Column::gram` is examined when it is learned from.
    let indefinite: Vec<f64> = [[0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 1.0]].concat();
    let rows = Column::gram(None, (2, 2), &[1.0, 0.0, 0.0, 1.0]).unwrap();
    let ColumnValues::Real { channels, .. } = rows.values else { unreachable!() };
    let column = Column { values: ColumnValues::Real { channels, values: indefinite }, ..rows };
    let two = paths(&[0, 1], 0).with_column(column).unwrap();
    let error = settings(&[BlockKind::Grams]).fit(&two, &[0, 1]).unwrap_err();
    assert!(
        matches!(error, ModelError::Gram(GramError::Indefinite { eigenvalue, .. }) if (eigenvalue + 1.0).abs() < 1e-9)
    );
}

//! Blocks of refined labels and of distributions of values: their laws, and a model with them end to end.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::hodge::HodgeComponent;
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Measurer, Model, Prediction, UpdateParams};
use hodgelet::settings::{BlockKind, ConformalChoice, HyperparameterChoice, PosteriorChoice, Settings};
use hodgelet::signal::Orientation;
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::sync::LazyLock;

/// A graph with labels on vertices and bonds.
#[derive(Clone)]
struct Labelled {
    n: usize,
    edges: Vec<[u32; 2]>,
    vertices: Vec<u32>,
    bonds: Vec<u32>,
}

impl Labelled {
    /// A random graph, whose class decides how often vertex labels repeat along edges.
    fn random(i: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(1000 * i as u64));
        let n = 6 + i % 5;
        let pairs = (0..n as u32).flat_map(|a| (a + 1..n as u32).map(move |b| [a, b]));
        let edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random::<f64>() < 0.35).collect();
        let vertices: Vec<u32> =
            (0..n as u32).map(|v| if i.is_multiple_of(2) { v % 2 } else { rng.random_range(0..3) }).collect();
        let bonds = edges.iter().map(|_| rng.random_range(0..2)).collect();
        Self { n, edges, vertices, bonds }
    }

    /// The same in another order of vertices and edges, every other edge turned round.
    fn scrambled(&self, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut to: Vec<u32> = (0..self.n as u32).collect();
        to.shuffle(&mut rng);
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        order.shuffle(&mut rng);
        let edge = |&e: &usize| {
            let [a, b] = self.edges[e].map(|v| to[v as usize]);
            if e.is_multiple_of(2) { [a, b] } else { [b, a] }
        };
        let mut vertices = vec![0; self.n];
        to.iter().zip(&self.vertices).for_each(|(&to, &label)| vertices[to as usize] = label);
        Self {
            n: self.n,
            edges: order.iter().map(edge).collect(),
            vertices,
            bonds: order.iter().map(|&e| self.bonds[e]).collect(),
        }
    }
}

fn dataset(graphs: &[Labelled], names: &[&str]) -> Dataset {
    let complexes = graphs.iter().map(|g| Complex::graph(g.n, &g.edges).unwrap()).collect();
    let labels = (0..graphs.len()).map(|i| (i % 2) as u32).collect();
    let targets = Targets::Classes { names: vec!["even".into(), "odd".into()], labels };
    let dataset = Dataset::new("labelled", complexes, vec![], targets).unwrap();
    let column = |name: &str, dim: usize, codes: Vec<u32>| Column {
        name: name.to_owned(),
        dim,
        orientation: Orientation::Unoriented,
        starts: dataset.cell_starts(dim),
        values: ColumnValues::Labels { categories: names.iter().map(|&n| n.to_owned()).collect(), codes },
    };
    let columns = vec![
        column("atom", 0, graphs.iter().flat_map(|g| g.vertices.clone()).collect()),
        column("bond", 1, graphs.iter().flat_map(|g| g.bonds.clone()).collect()),
    ];
    dataset.with_columns(columns).unwrap()
}

fn graphs(n: usize, seed: u64) -> Vec<Labelled> {
    (0..n).map(|i| Labelled::random(i, seed)).collect()
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn settings() -> Settings {
    let labels = [BlockKind::EdgeLabels, BlockKind::VertexLabels];
    let values = [BlockKind::Values, BlockKind::SmoothedValues];
    let blocks = Some([&[BlockKind::Energies][..], &labels, &values].concat());
    Settings { n_filters: 2, n_bands: 1, iterations: 8, blocks, ..Settings::default().most_probable() }
}

fn go_on(_: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn measured(data: &Dataset) -> Vec<ComplexMeasures> {
    let all: Vec<usize> = (0..data.len()).collect();
    Measurer::fit(&settings(), data, &all).unwrap().measure(data, go_on).unwrap().measures
}

/// All masses of labels of a complex.
fn masses(measures: &ComplexMeasures) -> Vec<(u64, f64)> {
    let labels = measures.labels().unwrap();
    let parts = labels.edges.iter().chain(&labels.vertices);
    parts.flat_map(|part| (0..part.n_depths()).flat_map(|t| part.depth(t).collect::<Vec<_>>())).collect()
}

#[test]
fn masses_do_not_depend_on_order_and_orientation() {
    let first = graphs(20, 1);
    let moved: Vec<Labelled> = first.iter().enumerate().map(|(i, g)| g.scrambled(i as u64)).collect();
    let pairs = measured(&dataset(&first, &NAMES)).into_iter().zip(measured(&dataset(&moved, &NAMES)));
    for (i, (a, b)) in pairs.enumerate() {
        let (a, b) = (masses(&a), masses(&b));
        assert_eq!(a.len(), b.len(), "graph {i}");
        for ((id, mass), (other, moved)) in a.iter().zip(&b) {
            assert_eq!(id, other);
            assert!((mass - moved).abs() < 1e-12, "graph {i}: {mass} {moved}");
        }
    }
}

/// A model of all kinds of blocks: energies, labels of edges and vertices, values and smoothed values.
static MODEL: LazyLock<Model> = LazyLock::new(|| fitted(&settings(), 24).0);

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// One model sees one graph, however it is written, and splits what it says in the same way.
    #[test]
    fn shares_of_every_block_do_not_depend_on_order_and_orientation(i in 0usize..40, seed: u64, order: u64) {
        let graph = Labelled::random(i, seed);
        let told = |graph: Labelled| MODEL.predict(&dataset(&[graph], &NAMES)).unwrap();
        let (a, b) = (told(graph.clone()), told(graph.scrambled(order)));
        prop_assert!(a.blocks.len() >= 6);
        for ((block, share), (_, moved)) in a.blocks.iter().zip(&b.blocks) {
            let (share, moved) = (share[(0, 0)], moved[(0, 0)]);
            prop_assert!((share - moved).abs() < 1e-9, "{block}: {share} {moved}");
        }
        let shares: f64 = a.blocks.iter().map(|(_, share)| share[(0, 0)]).sum();
        let whole = shares + a.constant.as_ref().map_or(0.0, |share| share[(0, 0)]);
        prop_assert!((whole - a.latent_mean[(0, 0)]).abs() < 1e-9);
    }
}

/// Labels are names: the order in which a dataset lists its categories does not matter.
#[test]
fn masses_do_not_depend_on_the_codes_of_labels() {
    let first = graphs(6, 2);
    let turned = |codes: &[u32]| codes.iter().map(|c| 2 - c).collect();
    let recoded: Vec<Labelled> = first
        .iter()
        .map(|g| Labelled { vertices: turned(&g.vertices), bonds: turned(&g.bonds), ..g.clone() })
        .collect();
    let [a, b] = [measured(&dataset(&first, &NAMES)), measured(&dataset(&recoded, &["c", "b", "a"]))];
    assert!(a.iter().zip(&b).all(|(a, b)| masses(a) == masses(b)));
}

/// Over the components the shares of an edge add up to 1, and so the masses to the number of edges.
#[test]
fn masses_of_the_components_add_up_to_the_edges() {
    let first = graphs(20, 3);
    for (graph, measures) in first.iter().zip(measured(&dataset(&first, &NAMES))) {
        let labels = measures.labels().unwrap();
        for t in 0..3 {
            let total: f64 =
                HodgeComponent::ALL.iter().map(|&c| labels.component(1, c).unwrap().total(t)).sum();
            assert!((total - graph.edges.len() as f64).abs() < 1e-9);
        }
    }
}

fn assert_same(a: &Prediction, b: &Prediction) {
    assert_eq!(a.latent_mean, b.latent_mean);
    assert_eq!(a.latent_variance, b.latent_variance);
    assert_eq!(a.targets, b.targets);
    assert_eq!(a.blocks, b.blocks);
}

fn assert_splits(prediction: &Prediction) {
    for i in 0..prediction.latent_mean.nrows() {
        let shares: f64 = prediction.blocks.iter().map(|(_, share)| share[(i, 0)]).sum();
        let whole = shares + prediction.constant.as_ref().map_or(0.0, |share| share[(i, 0)]);
        assert!((whole - prediction.latent_mean[(i, 0)]).abs() < 1e-10);
    }
}

fn fitted(settings: &Settings, n: usize) -> (Model, Dataset) {
    let data = dataset(&graphs(n, 4), &NAMES);
    (settings.fit(&data, &(0..n).collect::<Vec<_>>()).unwrap(), dataset(&graphs(9, 5), &NAMES))
}

#[test]
fn a_model_with_labels_splits_its_predictions_and_comes_back_from_its_file() {
    for hyperparameters in [HyperparameterChoice::Map, HyperparameterChoice::Nuts] {
        let (model, new) = fitted(&Settings { hyperparameters, ..settings() }, 24);
        let names: Vec<String> = model.blocks().iter().map(|block| block.block.to_string()).collect();
        for name in ["edge exact labels", "edge harmonic labels", "vertex labels", "vertex smoothed values"] {
            assert!(names.iter().any(|found| found == name), "{names:?}");
        }
        let prediction = model.predict(&new).unwrap();
        assert_splits(&prediction);
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_same(&back.predict(&new).unwrap(), &prediction);
        assert_eq!(back.to_bytes().unwrap(), model.to_bytes().unwrap());
        assert_eq!(back.drift(&new).unwrap(), model.drift(&new).unwrap());
    }
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (model, new) = fitted(&settings(), 24);
            (model.to_bytes().map(|bytes| bytes.len()).unwrap(), model.predict(&new).unwrap())
        })
    };
    let [one, three] = [run(1), run(3)];
    assert_same(&one.1, &three.1);
}

#[test]
fn a_sparse_model_with_labels_is_the_full_one_with_every_graph_inducing() {
    let settings = Settings { inner_tol: 1e-13, collapse: false, ..settings() };
    let (full, new) = fitted(&settings, 24);
    let (inducing, sample) = (Some(24), Some(24));
    let sparse = Settings { posterior: PosteriorChoice::Sparse, inducing, sample, ..settings };
    let (sparse, _) = fitted(&sparse, 24);
    let [a, b] = [&full, &sparse].map(|model| model.predict(&new).unwrap());
    assert_splits(&b);
    for i in 0..9 {
        assert!((a.latent_mean[(i, 0)] - b.latent_mean[(i, 0)]).abs() < 1e-5, "{i}");
    }
    let back = Model::from_bytes(&sparse.to_bytes().unwrap()).unwrap();
    assert_same(&back.predict(&new).unwrap(), &b);
}

#[test]
fn a_sparse_model_with_labels_trains_on_all() {
    let settings = Settings {
        posterior: PosteriorChoice::Sparse,
        inducing: Some(8),
        sample: Some(12),
        train_on_all: true,
        ..settings()
    };
    let (model, new) = fitted(&settings, 30);
    assert_splits(&model.predict(&new).unwrap());
}

#[test]
fn an_update_sees_the_labels_of_new_graphs() {
    for hyperparameters in [HyperparameterChoice::Map, HyperparameterChoice::Nuts] {
        let (model, new) = fitted(&Settings { hyperparameters, ..settings() }, 24);
        let updated = model.update(&new, UpdateParams::default(), |_| ControlFlow::Continue(())).unwrap();
        let prediction = updated.predict(&new).unwrap();
        assert_splits(&prediction);
        assert!(prediction.novelty.iter().all(|novelty| novelty.distance < 1e-9));
        let back = Model::from_bytes(&updated.to_bytes().unwrap()).unwrap();
        assert_same(&back.predict(&new).unwrap(), &prediction);
    }
}

/// A label that no training graph has needs no column: it makes a graph far.
#[test]
fn a_label_that_was_never_seen_makes_a_graph_new() {
    let (model, new) = fitted(&settings(), 24);
    let strange = dataset(&graphs(9, 5), &["x", "y", "z"]);
    let vertex = model.blocks().iter().position(|b| b.block.to_string() == "vertex labels").unwrap();
    let [known, unknown] = [&new, &strange].map(|data| model.predict(data).unwrap());
    assert_splits(&unknown);
    for (a, b) in known.novelty.iter().zip(&unknown.novelty) {
        assert!(a.block_distances[vertex] < b.block_distances[vertex]);
    }
}

/// Held-out graphs are measured and scored with their labels, by models that have not seen them.
#[test]
fn a_guarantee_holds_with_labels() {
    for choice in [ConformalChoice::Split, ConformalChoice::CvPlus] {
        let settings = Settings { conformal: Some(choice), conformal_folds: 4, iterations: 3, ..settings() };
        let (model, _) = fitted(&settings, 48);
        let names: Vec<String> = model.blocks().iter().map(|block| block.block.to_string()).collect();
        assert!(names.contains(&"edge exact labels".to_owned()), "{names:?}");
        let n_held = if choice == ConformalChoice::Split { 12 } else { 48 };
        assert_eq!(model.n_calibration(), n_held);
        let new = dataset(&graphs(60, 9), &NAMES);
        let found = model.predict_calibrated(&new, |_| ControlFlow::Continue(())).unwrap();
        assert_same(&found.prediction, &model.predict(&new).unwrap());
        let regions = found.regions(0.8).unwrap();
        assert!(regions.guaranteed.is_some());
        // Four standard errors of sixty new graphs and of twelve held-out ones together.
        let share = regions.targets.share_held(new.targets()).unwrap();
        assert!(share > 0.8 - 4.0 * (0.16f64 / 60.0 + 0.16 / 14.0).sqrt(), "{choice:?}: {share}");
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        let again = back.predict_calibrated(&new, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(again.regions(0.8).unwrap(), regions);
    }
}

#[test]
fn labels_stand_alone_and_blocks_are_excluded() {
    let labels = Some(vec![BlockKind::EdgeLabels]);
    let exclude = vec!["edge harmonic labels".parse().unwrap()];
    let (model, new) = fitted(&Settings { blocks: labels, exclude, ..settings() }, 24);
    let names: Vec<String> = model.blocks().iter().map(|block| block.block.to_string()).collect();
    assert_eq!(names, ["edge exact labels", "edge co-exact labels"]);
    assert_splits(&model.predict(&new).unwrap());
}

//! The pipeline on complexes of dimension 2 and 3: every block, any subset of dimensions, files, signed features,
//! metric weights, hypergraphs.

use hodgelet::complex::{Complex, Expansion, Hypergraph, Lift};
use hodgelet::dataset::{Column, ColumnValues, Dataset, HypergraphDataset, POSITIONS, Targets};
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::feature::{Block, Component, SignedError, SignedParams};
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Measurer, Model, ModelError, PredictedTargets};
use hodgelet::settings::{Laplacian, Settings};
use hodgelet::signal::Orientation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

fn quick() -> Settings {
    Settings { n_filters: 2, n_bands: 1, iterations: 8, ..Settings::default().most_probable() }
}

fn classes(complexes: Vec<Complex>) -> Dataset {
    let labels = (0..complexes.len()).map(|i| (i % 2) as u32).collect();
    let targets = Targets::Classes { names: vec!["even".to_owned(), "odd".to_owned()], labels };
    Dataset::new("generated", complexes, vec![], targets).unwrap()
}

/// Random clique complexes of dimension 3; odd ones are denser.
fn solids(n: usize) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let one = |i: usize| {
        let mut edges = Vec::new();
        for a in 0..9u32 {
            let density = if i.is_multiple_of(2) { 0.5 } else { 0.75 };
            edges.extend((a + 1..9).filter(|_| rng.random::<f64>() < density).map(|b| [a, b]));
        }
        Complex::graph(9, &edges).unwrap().clique_complex(3).unwrap()
    };
    classes((0..n).map(one).collect())
}

fn column(dataset: &Dataset, name: &str, dim: usize, channels: &[&str], values: Vec<f64>) -> Column {
    let channels = channels.iter().map(|&c| c.to_owned()).collect();
    Column {
        name: name.to_owned(),
        dim,
        orientation: if dim == 0 { Orientation::Unoriented } else { Orientation::Oriented },
        starts: dataset.cell_starts(dim),
        values: ColumnValues::Real { channels, values },
    }
}

fn fit(settings: &Settings, dataset: &Dataset) -> Model {
    settings.fit(dataset, &(0..dataset.len()).collect::<Vec<_>>()).unwrap()
}

/// The measures of a dataset, whose signals are fitted on all of it.
fn measures(settings: &Settings, dataset: &Dataset) -> Result<Vec<ComplexMeasures>, ModelError> {
    let all: Vec<usize> = (0..dataset.len()).collect();
    let measurer = Measurer::fit(settings, dataset, &all)?;
    Ok(measurer.measure(dataset, |_| ControlFlow::Continue(()))?.measures)
}

fn labels(model: &Model, dataset: &Dataset) -> Vec<u32> {
    match model.predict(dataset).unwrap().targets {
        PredictedTargets::Classes { labels, .. } => labels,
        PredictedTargets::Real { .. } => panic!("classes were trained"),
    }
}

/// A saved model predicts the same bits.
fn assert_survives_a_file(model: &Model, dataset: &Dataset) {
    let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.predict(dataset).unwrap(), model.predict(dataset).unwrap());
}

#[test]
fn all_blocks_up_to_dimension_three_train_and_survive_a_file() {
    let dataset = solids(16);
    let (vertices, cells) = (Some(VertexSignal::Structure), CellSignal::Structure);
    for laplacian in [Laplacian::Combinatorial, Laplacian::NormalizedHodge, Laplacian::RandomWalk] {
        let signals = Settings { vertices, edges: cells, higher: cells, ..quick() };
        let model = fit(&Settings { laplacian: Some(laplacian), ..signals }, &dataset);
        let blocks: Vec<Block> = model.blocks().iter().map(|space| space.block).collect();
        for dim in 0..=3 {
            assert!(blocks.iter().any(|block| block.dim == dim), "{laplacian:?}: {blocks:?}");
        }
        // tetrahedra have nothing above them
        assert!(!blocks.contains(&Block { dim: 3, component: Component::Coexact }));
        assert_survives_a_file(&model, &dataset);
    }
}

#[test]
fn signals_on_any_subset_of_dimensions_will_do() {
    let dataset = solids(12);
    for (dim, edges, higher) in
        [(1, CellSignal::Degree, CellSignal::None), (2, CellSignal::None, CellSignal::Curvature)]
    {
        let (vertices, dims) = (Some(VertexSignal::None), Some(vec![dim]));
        let model = fit(&Settings { vertices, edges, higher, dims, ..quick() }, &dataset);
        assert!(model.blocks().iter().all(|space| space.block.dim == dim));
        assert_survives_a_file(&model, &dataset);
    }
}

#[test]
fn structure_of_cells_that_a_lift_adds_is_seen() {
    let graph = |c: &Complex| Complex::graph(c.n_cells(0), &c.edges().collect::<Vec<_>>()).unwrap();
    let graphs = classes(solids(12).complexes().iter().map(graph).collect());
    let (vertices, edges) = (Some(VertexSignal::Curvature), CellSignal::Degree);
    let (higher, lift) = (CellSignal::Constant, Some(Lift::Cliques(3)));
    let settings = Settings { vertices, edges, higher, lift, ..quick() };
    assert_eq!(measures(&settings, &graphs).unwrap(), measures(&settings, &solids(12)).unwrap());
    assert_survives_a_file(&fit(&settings, &graphs), &graphs);
}

/// Flows on a ring with two chords: even items go round one way, odd ones the other, with noise.
fn flows(n: usize, edges: &[[u32; 2]]) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let complex = Complex::graph(8, edges).unwrap();
    let dataset = classes(vec![complex; n]);
    let mut values = Vec::new();
    for i in 0..n {
        let way = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        for (e, &[tail, head]) in edges.iter().enumerate() {
            let round = if e < 8 { if (tail + 1) % 8 == head { way } else { -way } } else { 0.0 };
            values.push(round + 0.5 * (rng.random::<f64>() - 0.5));
        }
    }
    let flow = column(&dataset, "flow", 1, &["flow"], values);
    dataset.with_column(flow).unwrap()
}

fn ring() -> Vec<[u32; 2]> {
    (0..8)
        .map(|i| if i % 3 == 0 { [(i + 1) % 8, i] } else { [i, (i + 1) % 8] })
        .chain([[0, 4], [2, 6]])
        .collect()
}

#[test]
fn signed_features_tell_a_flow_from_its_reverse_and_energies_do_not() {
    let (train, test) = (flows(24, &ring()), flows(40, &ring()));
    let right = |model: &Model| {
        let found = labels(model, &test);
        found.iter().enumerate().filter(|(i, label)| **label as usize == i % 2).count()
    };
    let mut settings = Settings { vertices: Some(VertexSignal::None), ..quick() };
    let energies = fit(&settings, &train);
    assert!(right(&energies) < 30, "{} of 40 without a sign", right(&energies));
    let cycle = SignedParams::Cycles(vec![(0..8).collect()]);
    for signed in [SignedParams::HARMONIC, SignedParams::Harmonic { dim: 1, exact: 2, coexact: 0 }, cycle] {
        settings.signed = Some(signed.clone());
        let model = fit(&settings, &train);
        assert_eq!(right(&model), 40, "{signed:?}");
        assert!(model.blocks().iter().any(|space| space.block.component == Component::Signed));
        assert_survives_a_file(&model, &test);
        settings.exclude = [Component::Exact, Component::Coexact, Component::Harmonic]
            .map(|component| Block { dim: 1, component })
            .to_vec();
        let alone = fit(&settings, &train);
        assert_eq!((alone.blocks().len(), right(&alone)), (1, 40));
        settings.exclude.clear();
    }
}

#[test]
fn signed_features_refuse_another_complex() {
    let mut settings = Settings { vertices: Some(VertexSignal::None), ..quick() };
    settings.signed = Some(SignedParams::HARMONIC);
    let model = fit(&settings, &flows(12, &ring()));
    let mut turned = ring();
    turned[1] = [turned[1][1], turned[1][0]];
    let error = model.predict(&flows(4, &turned)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "complex 0 is not the one that signed features belong to: 10 cells of dimension 1 in an order of their own, \
         expected 10 in that of the training complexes"
    );
    assert!(error.hint().is_some());
    let (name, mut complexes, columns, targets) = flows(4, &ring()).into_parts();
    complexes[2] = Complex::graph(8, &turned).unwrap();
    let mixed = Dataset::new(name, complexes, columns, targets).unwrap();
    let error = settings.fit(&mixed, &[0, 1, 2, 3]).unwrap_err();
    assert!(matches!(error, ModelError::Signed(SignedError::NotShared { index: 2, .. })), "{error}");
    let mut columns = flows(4, &ring()).columns().to_vec();
    columns[0].orientation = Orientation::Unoriented;
    let plain = flows(4, &ring()).with_columns(columns).unwrap();
    let error = settings.fit(&plain, &[0, 1]).unwrap_err();
    assert_eq!(error.to_string(), "signed features on cells of dimension 1, but no oriented signal is there");
}

#[test]
fn metric_weights_come_from_positions() {
    let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [0, 3], [0, 2]]).unwrap();
    let square = square.with_triangles(&[[0, 1, 2], [0, 2, 3]]).unwrap();
    let bare = classes(vec![square.clone(), square]);
    let positions = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 3.0, 1.0, 0.0, 1.0];
    let flow = [1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let positions = column(&bare, POSITIONS, 0, &["x", "y"], positions.to_vec());
    let flow = column(&bare, "flow", 1, &["flow"], flow.to_vec());
    let dataset = bare.with_columns(vec![positions, flow.clone()]).unwrap();
    let mut settings = Settings { vertices: Some(VertexSignal::None), ..quick() };
    let plain = measures(&settings, &dataset).unwrap();
    assert_eq!(plain[0], plain[1]);
    settings.laplacian = Some(Laplacian::Dec);
    let metric = measures(&settings, &dataset).unwrap();
    assert_ne!(metric[0], metric[1]);
    assert_survives_a_file(&fit(&settings, &dataset), &dataset);
    let without = dataset.with_columns(vec![flow]).unwrap();
    let error = measures(&settings, &without).unwrap_err();
    assert_eq!(
        error.to_string(),
        "complex 0: the dataset has no column `position` of 2 or 3 numbers on its vertices, which metric weights need"
    );
}

#[test]
fn values_of_vertices_and_hyperedges_reach_features_in_every_expansion() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let hypergraphs: Vec<Hypergraph> = (0..10)
        .map(|_| Hypergraph::new(6, &[vec![0, 1, 2], vec![2, 3, 4, 5], vec![0, 5]], None).unwrap())
        .collect();
    let draw = |rng: &mut ChaCha8Rng, n: usize| (0..n).map(|_| rng.random::<f64>()).collect::<Vec<f64>>();
    let column = |dim: usize, per_item: usize, values| Column {
        name: "x".to_owned(),
        dim,
        orientation: Orientation::Unoriented,
        starts: (0..=10).map(|i| i * per_item).collect(),
        values: ColumnValues::Real { channels: vec!["x".to_owned()], values },
    };
    let labels = (0..10).map(|i| (i % 2) as u32).collect();
    let targets = Targets::Classes { names: vec!["a".to_owned(), "b".to_owned()], labels };
    let data = |vertices: Vec<f64>, hyperedges: Vec<f64>| HypergraphDataset {
        name: "values".to_owned(),
        hypergraphs: hypergraphs.clone(),
        columns: vec![column(0, 6, vertices), column(1, 3, hyperedges)],
        targets: targets.clone(),
    };
    let (vertices, hyperedges) = (draw(&mut rng, 60), draw(&mut rng, 30));
    let base = data(vertices.clone(), hyperedges.clone());
    let other_vertices = data(draw(&mut rng, 60), hyperedges);
    let other_hyperedges = data(vertices, draw(&mut rng, 30));
    for name in Expansion::NAMES {
        let expansion: Expansion = name.parse().unwrap();
        let settings = Settings { vertices: Some(VertexSignal::Attributes), ..quick() };
        let of = |data: &HypergraphDataset| measures(&settings, &data.expand(expansion).unwrap()).unwrap();
        let found = of(&base);
        assert_ne!(found, of(&other_vertices), "{name}");
        assert_ne!(found, of(&other_hyperedges), "{name}");
        let dataset = base.expand(expansion).unwrap();
        assert_survives_a_file(&fit(&settings, &dataset), &dataset);
    }
}

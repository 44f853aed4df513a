//! Labels of triangles and values of edges as blocks: their laws, and a model with them end to end.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::hodge::HodgeComponent;
use hodgelet::linalg::SparseMat;
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Measurer, Model};
use hodgelet::settings::{BlockKind, HyperparameterChoice, Settings};
use hodgelet::signal::Orientation;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// A complex of triangles with labels on them, and on each edge a flow, a number and a label.
#[derive(Clone)]
struct Cells {
    complex: Complex,
    triangles: Vec<u32>,
    flows: Vec<f64>,
    numbers: Vec<f64>,
    bonds: Vec<u32>,
}

impl Cells {
    /// Some of the triangles on a few vertices; flows are stronger in every other complex.
    fn random(i: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(77 * i as u64));
        let n = 5 + (i % 3) as u32;
        let mut simplices: Vec<Vec<u32>> = Vec::new();
        for a in 0..n {
            for b in a + 1..n {
                if rng.random::<f64>() < 0.4 {
                    simplices.push(vec![a, b]);
                }
                simplices.extend((b + 1..n).filter(|_| rng.random::<f64>() < 0.25).map(|c| vec![a, b, c]));
            }
        }
        let complex = Complex::from_simplices(n as usize, &simplices).unwrap().0.with_room_for(2);
        let (n_edges, n_triangles) = (complex.n_cells(1), complex.n_cells(2));
        let strength = 1.0 + (i % 2) as f64;
        Self {
            triangles: (0..n_triangles).map(|_| rng.random_range(0..2)).collect(),
            flows: (0..n_edges).map(|_| strength * (rng.random::<f64>() - 0.5)).collect(),
            numbers: (0..n_edges).map(|_| rng.random::<f64>() + strength).collect(),
            bonds: (0..n_edges).map(|_| rng.random_range(0..2)).collect(),
            complex,
        }
    }

    /// The same in another order of all cells, some of them turned round; flows turn with their edges.
    fn scrambled(&self, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut place = |n: usize| {
            let mut order: Vec<usize> = (0..n).collect();
            order.shuffle(&mut rng);
            order
        };
        let orders = [0, 1, 2].map(|dim| place(self.complex.n_cells(dim)));
        let mut turned =
            |n: usize| (0..n).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
        let signs = [vec![1.0; orders[0].len()], turned(orders[1].len()), turned(orders[2].len())];
        let boundary = |dim: usize| {
            let old = self.complex.boundary(dim).unwrap();
            let mut to = vec![0u32; orders[dim - 1].len()];
            orders[dim - 1].iter().zip(0..).for_each(|(&from, place)| to[from] = place);
            let mut new = SparseMat::with_rows(old.n_rows());
            for (place, &from) in orders[dim].iter().enumerate() {
                let sign = signs[dim][place];
                let mut entries: Vec<(u32, f64)> = old
                    .entries(from)
                    .map(|(face, x)| (to[face], x * sign * signs[dim - 1][to[face] as usize]))
                    .collect();
                entries.sort_unstable_by_key(|entry| entry.0);
                new.push_column(entries);
            }
            new
        };
        let edges = &orders[1];
        Self {
            complex: Complex::from_boundaries(orders[0].len(), vec![boundary(1), boundary(2)]).unwrap(),
            triangles: orders[2].iter().map(|&t| self.triangles[t]).collect(),
            flows: edges.iter().zip(&signs[1]).map(|(&e, sign)| sign * self.flows[e]).collect(),
            numbers: edges.iter().map(|&e| self.numbers[e]).collect(),
            bonds: edges.iter().map(|&e| self.bonds[e]).collect(),
        }
    }
}

fn cells(n: usize, seed: u64) -> Vec<Cells> {
    (0..n).map(|i| Cells::random(i, seed)).collect()
}

fn dataset(all: &[Cells]) -> Dataset {
    let labels = (0..all.len()).map(|i| (i % 2) as u32).collect();
    let targets = Targets::Classes { names: vec!["even".into(), "odd".into()], labels };
    let complexes = all.iter().map(|own| own.complex.clone()).collect();
    let dataset = Dataset::new("cells", complexes, vec![], targets).unwrap();
    let column = |name: &str, dim: usize, orientation, values| Column {
        name: name.to_owned(),
        dim,
        orientation,
        starts: dataset.cell_starts(dim),
        values,
    };
    let labels = |codes: Vec<u32>| ColumnValues::Labels { categories: vec!["a".into(), "b".into()], codes };
    let numbers = |values: Vec<f64>| ColumnValues::Real { channels: vec!["0".into()], values };
    let plain = Orientation::Unoriented;
    let columns = vec![
        column("kind", 2, plain, labels(all.iter().flat_map(|c| c.triangles.clone()).collect())),
        column("flow", 1, Orientation::Oriented, numbers(all.iter().flat_map(|c| c.flows.clone()).collect())),
        column("weight", 1, plain, numbers(all.iter().flat_map(|c| c.numbers.clone()).collect())),
        column("bond", 1, plain, labels(all.iter().flat_map(|c| c.bonds.clone()).collect())),
    ];
    dataset.with_columns(columns).unwrap()
}

const KINDS: [BlockKind; 3] = [BlockKind::CellLabels, BlockKind::EdgeValues, BlockKind::SmoothedEdgeValues];

fn settings() -> Settings {
    let blocks = Some(KINDS.to_vec());
    Settings { n_filters: 2, n_bands: 1, iterations: 8, blocks, ..Settings::default().most_probable() }
}

fn measured(data: &Dataset) -> Vec<ComplexMeasures> {
    let all: Vec<usize> = (0..data.len()).collect();
    let measurer = Measurer::fit(&settings(), data, &all).unwrap();
    measurer.measure(data, |_| ControlFlow::Continue(())).unwrap().measures
}

/// Masses of labels of triangles in all components.
fn masses(measures: &ComplexMeasures) -> Vec<(u64, f64)> {
    let parts = measures.labels().unwrap().higher.concat();
    parts
        .iter()
        .flat_map(|part| (0..part.n_depths()).flat_map(|t| part.depth(t).collect::<Vec<_>>()))
        .collect()
}

#[test]
fn nothing_depends_on_order_and_orientation() {
    let (first, new) = (cells(24, 1), cells(8, 2));
    let moved =
        |all: &[Cells]| all.iter().zip(0..).map(|(own, seed)| own.scrambled(seed)).collect::<Vec<_>>();
    let pairs = measured(&dataset(&first)).into_iter().zip(measured(&dataset(&moved(&first))));
    for (i, (a, b)) in pairs.enumerate() {
        let (a, b) = (masses(&a), masses(&b));
        assert_eq!(a.len(), b.len(), "complex {i}");
        for ((id, mass), (other, moved)) in a.iter().zip(&b) {
            assert_eq!(id, other);
            assert!((mass - moved).abs() < 1e-12, "complex {i}: {mass} {moved}");
        }
    }
    let predict = |train: &[Cells], new: &[Cells]| {
        let model = settings().fit(&dataset(train), &(0..24).collect::<Vec<_>>()).unwrap();
        model.predict(&dataset(new)).unwrap().latent_mean
    };
    let (a, b) = (predict(&first, &new), predict(&moved(&first), &moved(&new)));
    assert!((&a - &b).norm_max() < 1e-6 * a.norm_max(), "{a:?} {b:?}");
}

/// Over the components the shares of a triangle add up to 1, and so the masses to the number of triangles.
#[test]
fn masses_of_the_components_add_up_to_the_triangles() {
    let all = cells(12, 3);
    for (own, measures) in all.iter().zip(measured(&dataset(&all))) {
        let labels = measures.labels().unwrap();
        for t in 0..3 {
            let of = |&c: &HodgeComponent| labels.component(2, c).unwrap().total(t);
            let total: f64 = HodgeComponent::ALL.iter().map(of).sum();
            assert!((total - own.triangles.len() as f64).abs() < 1e-9);
        }
    }
}

#[test]
fn a_model_of_triangles_and_edges_splits_its_predictions_and_comes_back() {
    let (train, new) = (dataset(&cells(24, 4)), dataset(&cells(7, 5)));
    for hyperparameters in [HyperparameterChoice::Map, HyperparameterChoice::Nuts] {
        let settings = Settings { hyperparameters, ..settings() };
        let model = settings.fit(&train, &(0..24).collect::<Vec<_>>()).unwrap();
        let names: Vec<String> = model.blocks().iter().map(|block| block.block.to_string()).collect();
        let expected =
            ["triangle exact labels", "triangle harmonic labels", "edge values", "edge smoothed values"];
        assert_eq!(names, expected);
        let prediction = model.predict(&new).unwrap();
        for i in 0..7 {
            let shares: f64 = prediction.blocks.iter().map(|(_, share)| share[(i, 0)]).sum();
            let whole = shares + prediction.constant.as_ref().map_or(0.0, |share| share[(i, 0)]);
            assert!((whole - prediction.latent_mean[(i, 0)]).abs() < 1e-10);
            // The shares of triangles and edges add up to those of their blocks.
            for cells in model.explain_cells(&new, i).unwrap() {
                let (_, share) = prediction.blocks.iter().find(|(block, _)| *block == cells.block).unwrap();
                let of_cells: f64 = (0..cells.cells.nrows()).map(|cell| cells.cells[(cell, 0)]).sum();
                assert_eq!(cells.cells.nrows(), new.complexes()[i].n_cells(cells.block.dim));
                assert!((cells.origin[0] + of_cells - share[(i, 0)]).abs() < 1e-9, "{}", cells.block);
            }
        }
        assert_eq!(model.explain_cells(&new, 0).unwrap().len(), 4);
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back.predict(&new).unwrap(), prediction);
    }
}

/// The rings of molecules have labels through their bonds, though nobody has named them.
#[test]
fn cells_that_a_lift_adds_are_named_by_their_faces() {
    let ring = |n: u32, tail: u32| -> Vec<[u32; 2]> {
        (0..n)
            .map(|v| [v.min((v + 1) % n), v.max((v + 1) % n)])
            .chain((n..n + tail).map(|v| [v - 1, v]))
            .collect()
    };
    let graphs: Vec<Complex> = (0..12)
        .map(|i| (5 + i % 2, 1 + i / 4))
        .map(|(n, tail)| Complex::graph((n + tail) as usize, &ring(n, tail)).unwrap())
        .collect();
    let labels = (0..12).map(|i| i % 2).collect();
    let targets = Targets::Classes { names: vec!["five".into(), "six".into()], labels };
    let data = Dataset::new("rings", graphs, vec![], targets).unwrap();
    let blocks = Some(vec![BlockKind::CellLabels]);
    let settings = Settings { blocks, lift: Some("rings:6".parse().unwrap()), ..settings() };
    let model = settings.fit(&data, &(0..12).collect::<Vec<_>>()).unwrap();
    assert_eq!(model.blocks()[0].block.to_string(), "triangle exact labels");
    let probabilities = model.predict(&data).unwrap().targets.probabilities().unwrap().clone();
    assert!((0..12).all(|i| probabilities[(i, i % 2)] > 0.6), "{probabilities:?}");
}

/// Of flows alone nothing but cosines is left: turning all flows round changes no bit.
#[test]
fn the_sign_of_a_flow_means_nothing_where_orientations_do_not() {
    let all = cells(16, 6);
    let turned: Vec<Cells> = all
        .iter()
        .map(|own| Cells { flows: own.flows.iter().map(|x| -x).collect(), ..own.clone() })
        .collect();
    let blocks = Some(vec![BlockKind::EdgeValues]);
    let model = Settings { blocks, ..settings() }.fit(&dataset(&all), &(0..16).collect::<Vec<_>>()).unwrap();
    assert_eq!(model.predict(&dataset(&all)).unwrap(), model.predict(&dataset(&turned)).unwrap());
}

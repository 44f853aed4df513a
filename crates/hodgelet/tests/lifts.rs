//! Lifts inside a model: rings and chordless cycles as 2-cells, and the line graph.

use faer::Mat;
use hodgelet::complex::{Complex, Lift};
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::feature::{Block, Component};
use hodgelet::model::{FeatureSpace, Measured, Measurer, Model, ModelError};
use hodgelet::settings::{Method, Settings};
use hodgelet::signal::Orientation;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

fn go_on(_: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A graph with an attribute and a label on each vertex, and a flow and a label on each edge.
#[derive(Clone)]
struct Item {
    n_vertices: usize,
    edges: Vec<[u32; 2]>,
    charges: Vec<f64>,
    atoms: Vec<u32>,
    flows: Vec<f64>,
    bonds: Vec<u32>,
}

/// Rings of these lengths, each with one edge in common with the one before, and a chain at the end.
fn molecule(lengths: &[u32], chain: u32, rng: &mut ChaCha8Rng) -> Item {
    let (mut edges, mut next, mut shared) = (vec![[0, 1]], 2, [0, 1]);
    for &length in lengths {
        let [first, last] = shared;
        let path: Vec<u32> =
            std::iter::once(first).chain(next..next + length - 2).chain(std::iter::once(last)).collect();
        edges.extend(path.windows(2).map(|step| [step[0], step[1]]));
        next += length - 2;
        let middle = path.len() / 2;
        shared = [path[middle - 1], path[middle]];
    }
    edges.extend((0..chain).map(|i| if i == 0 { [0, next] } else { [next + i - 1, next + i] }));
    let n_vertices = (next + chain) as usize;
    Item {
        n_vertices,
        charges: (0..n_vertices).map(|_| rng.random::<f64>() - 0.5).collect(),
        atoms: (0..n_vertices).map(|_| rng.random_range(0..3)).collect(),
        flows: edges.iter().map(|_| rng.random::<f64>() - 0.5).collect(),
        bonds: edges.iter().map(|_| rng.random_range(0..2)).collect(),
        edges,
    }
}

/// Hexagons, pairs of rings and triples of them, with chains of several lengths.
fn molecules() -> Vec<Item> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let systems: [&[u32]; 4] = [&[6], &[6, 6], &[6, 5], &[6, 6, 6]];
    (0..12).map(|i| molecule(systems[i % 4], (i / 4) as u32, &mut rng)).collect()
}

/// The same graph with vertices renamed, edges in another order and some of them turned.
fn relabelled(item: &Item, rng: &mut ChaCha8Rng) -> Item {
    let mut names: Vec<u32> = (0..item.n_vertices as u32).collect();
    names.shuffle(rng);
    let mut order: Vec<usize> = (0..item.edges.len()).collect();
    order.shuffle(rng);
    let mut out = item.clone();
    for (v, &name) in names.iter().enumerate() {
        (out.charges[name as usize], out.atoms[name as usize]) = (item.charges[v], item.atoms[v]);
    }
    for (e, &old) in order.iter().enumerate() {
        let [a, b] = item.edges[old].map(|v| names[v as usize]);
        let turned = rng.random::<bool>();
        out.edges[e] = if turned { [b, a] } else { [a, b] };
        out.flows[e] = if turned { -item.flows[old] } else { item.flows[old] };
        out.bonds[e] = item.bonds[old];
    }
    out
}

fn dataset(items: &[Item]) -> Dataset {
    let complexes = items.iter().map(|item| Complex::graph(item.n_vertices, &item.edges).unwrap()).collect();
    let labels = (0..items.len()).map(|i| (i % 2) as u32).collect();
    let targets = Targets::Classes { names: vec!["even".to_owned(), "odd".to_owned()], labels };
    let bare = Dataset::new("molecules", complexes, vec![], targets).unwrap();
    let real = |of: fn(&Item) -> &[f64]| ColumnValues::Real {
        channels: vec!["0".to_owned()],
        values: items.iter().flat_map(of).copied().collect(),
    };
    let labels = |categories: &[&str], of: fn(&Item) -> &[u32]| ColumnValues::Labels {
        categories: categories.iter().map(|&name| name.to_owned()).collect(),
        codes: items.iter().flat_map(of).copied().collect(),
    };
    let columns = [
        ("charge", 0, Orientation::Unoriented, real(|item| &item.charges)),
        ("atom", 0, Orientation::Unoriented, labels(&["C", "N", "O"], |item| &item.atoms)),
        ("flow", 1, Orientation::Oriented, real(|item| &item.flows)),
        ("bond", 1, Orientation::Unoriented, labels(&["single", "double"], |item| &item.bonds)),
    ];
    let column = |(name, dim, orientation, values): (&str, usize, Orientation, ColumnValues)| {
        let starts = bare.cell_starts(dim);
        Column { name: name.to_owned(), dim, orientation, starts, values }
    };
    let columns = columns.into_iter().map(column).collect();
    bare.with_columns(columns).unwrap()
}

/// Settings with small banks and this lift, whose 2-cells carry their structure.
fn with_lift(lift: Lift) -> Settings {
    let small = Settings { n_filters: 3, n_bands: 2, iterations: 5, ..Settings::default().most_probable() };
    Settings { lift: Some(lift), higher: CellSignal::Structure, ..small }
}

fn all(dataset: &Dataset) -> Vec<usize> {
    (0..dataset.len()).collect()
}

fn raw_features(space: &FeatureSpace, measured: &Measured) -> Vec<Mat<f64>> {
    space.features(&measured.measures.iter().collect::<Vec<_>>(), false).unwrap()
}

/// Names of the columns, and the features of `dataset` in the space fitted on it.
fn features(settings: &Settings, dataset: &Dataset) -> (Vec<String>, Vec<Mat<f64>>) {
    let (space, measured) = FeatureSpace::fit(settings, dataset, &all(dataset), go_on).unwrap();
    (space.column_names(), raw_features(&space, &measured))
}

#[test]
fn rings_are_blocks_of_2_cells() {
    let data = dataset(&molecules());
    let blocks = |lift| Measurer::fit(&with_lift(lift), &data, &all(&data)).unwrap().blocks().unwrap();
    assert!(blocks(Lift::None).iter().all(|block| block.dim < 2));
    for lift in [Lift::Rings(8), Lift::Cycles(8)] {
        let found = blocks(lift);
        for block in Block::split(2) {
            assert!(found.contains(&block), "{lift}: {block} is not in {found:?}");
        }
        let model = with_lift(lift).fit(&data, &all(&data)).unwrap();
        let on_rings = model.blocks().iter().filter(|space| space.block.dim == 2);
        assert!(on_rings.count() > 0, "{lift}: {:?}", model.blocks());
        let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.settings().lift(), lift);
        assert_eq!(loaded.predict(&data).unwrap(), model.predict(&data).unwrap(), "{lift}");
    }
}

#[test]
fn a_ring_that_is_filled_is_no_hole() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let data = dataset(&[molecule(&[6], 1, &mut rng), molecule(&[6, 6], 0, &mut rng)]);
    let holes = |lift| {
        let measurer = Measurer::fit(&with_lift(lift), &data, &[0, 1]).unwrap();
        let measures = measurer.measure(&data, go_on).unwrap().measures;
        [0, 1].map(|i| measures[i].of_dim(1).unwrap().betti())
    };
    for (lift, expected) in [
        (Lift::None, [1, 2]),
        (Lift::Cliques(2), [1, 2]),
        (Lift::Rings(5), [1, 2]),
        (Lift::Rings(6), [0, 0]),
        (Lift::Cycles(6), [0, 0]),
    ] {
        assert_eq!(holes(lift), expected, "{lift}");
    }
    // Energy of the flow moves with the holes: nothing of it is harmonic where the rings are cells.
    let energy = |lift| {
        let (space, measured) = FeatureSpace::fit(&with_lift(lift), &data, &[0, 1], go_on).unwrap();
        let harmonic = Block { dim: 1, component: Component::Harmonic };
        let at = space.blocks().iter().position(|block| block.block == harmonic).unwrap();
        raw_features(&space, &measured)[at].norm_max()
    };
    let (open, filled) = (energy(Lift::None), energy(Lift::Rings(6)));
    assert!(open > 0.1 && filled < 1e-5, "{open} then {filled}");
}

#[test]
fn a_lift_in_the_model_is_one_that_was_made_before() {
    let graphs = dataset(&molecules());
    type Cycles = fn(&Complex) -> Vec<Vec<u32>>;
    let lifts: [(Lift, Cycles); 2] = [
        (Lift::Rings(8), |graph| graph.relevant_cycles(8).unwrap()),
        (Lift::Cycles(8), |graph| graph.chordless_cycles(8).unwrap()),
    ];
    for (lift, cycles) in lifts {
        let fill = |graph: &Complex| graph.with_polygons(&cycles(graph)).unwrap();
        let (name, complexes, columns, targets) = graphs.clone().into_parts();
        let filled = Dataset::new(name, complexes.iter().map(fill).collect(), columns, targets).unwrap();
        let expected = features(&with_lift(Lift::None), &filled);
        assert_eq!(features(&with_lift(lift), &graphs), expected, "{lift}");
        // and there is nothing left to add
        assert_eq!(features(&with_lift(lift), &filled), expected, "{lift}");
    }
}

#[test]
fn features_of_rings_do_not_depend_on_names_order_or_orientation() {
    let items = molecules();
    let data = dataset(&items);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for lift in [Lift::Rings(8), Lift::Cycles(8)] {
        let (space, measured) = FeatureSpace::fit(&with_lift(lift), &data, &all(&data), go_on).unwrap();
        let expected = raw_features(&space, &measured);
        assert!(space.blocks().iter().any(|block| block.block.dim == 2));
        for _ in 0..3 {
            let moved = dataset(&items.iter().map(|item| relabelled(item, &mut rng)).collect::<Vec<_>>());
            assert_ne!(moved.complexes(), data.complexes());
            let found = raw_features(&space, &space.measurer().measure(&moved, go_on).unwrap());
            for ((space, a), b) in space.blocks().iter().zip(&expected).zip(&found) {
                let error = (a - b).norm_max();
                assert!(error < 1e-9 * (1.0 + a.norm_max()), "{lift}, {}: {error:e}", space.block);
            }
        }
    }
}

#[test]
fn rings_too_short_to_be_any_are_refused() {
    let data = dataset(&molecules());
    for lift in [Lift::Rings(2), Lift::Cycles(0)] {
        let error = with_lift(lift).fit(&data, &all(&data)).unwrap_err();
        assert!(matches!(error, ModelError::Complex(_) | ModelError::Lift { .. }), "{lift}: {error}");
    }
}

#[test]
fn the_line_graph_model_is_wt_on_the_dataset_of_line_graphs() {
    let data = dataset(&molecules());
    let lines = data.line_graph().unwrap();
    let small = Settings { n_filters: 3, n_bands: 2, iterations: 5, ..Settings::default().most_probable() };
    let of_edges = Settings { method: Method::LineGraph, ..small.clone() };
    let vertices = Some(VertexSignal::Attributes);
    let of_lines = Settings { method: Method::Wt, vertices, ..small };
    let ((names, found), (line_names, expected)) = (features(&of_edges, &data), features(&of_lines, &lines));
    assert_eq!(found, expected);
    assert!(found[0].ncols() == 9 && found[0].norm_max() > 0.1, "three channels of three filters");
    let without_prefix: Vec<&str> = names.iter().map(|name| name.trim_start_matches("line-graph ")).collect();
    assert_eq!(without_prefix, line_names);
    assert!(names.iter().all(|name| name.starts_with("line-graph ")), "{names:?}");

    let (train, new) = (all(&data), data.select(&[1, 3, 4]));
    let a = of_edges.fit(&data, &train).unwrap();
    let b = of_lines.fit(&lines, &train).unwrap();
    assert_eq!(a.predict(&new).unwrap(), b.predict(&new.line_graph().unwrap()).unwrap());
    let loaded = Model::from_bytes(&a.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.predict(&new).unwrap(), a.predict(&new).unwrap());
}

#[test]
fn the_vertex_signal_of_a_line_graph_can_be_its_own_degree() {
    let data = dataset(&molecules());
    let vertices = Some(VertexSignal::Degree);
    let on = |method, data: &Dataset| {
        features(&Settings { vertices, ..Settings::of(method).most_probable() }, data).1
    };
    assert_eq!(on(Method::LineGraph, &data), on(Method::Wt, &data.line_graph().unwrap()));
    assert_ne!(on(Method::LineGraph, &data), on(Method::Wt, &data));
}

use super::*;
use crate::hodge::{Operators, Weighting, betti_numbers};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

fn random_graph(rng: &mut ChaCha8Rng, n: u32, density: f64) -> Complex {
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
    let mut edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random::<f64>() < density).collect();
    edges.shuffle(rng);
    Complex::graph(n as usize, &edges).unwrap()
}

/// All cycles without a repeated vertex, canonical, by trying every path.
fn all_cycles(graph: &Complex) -> Vec<Vec<u32>> {
    fn extend(index: &EdgeIndex, path: &mut Vec<u32>, found: &mut BTreeSet<Vec<u32>>) {
        let last = path[path.len() - 1];
        for &(w, _, _) in index.at(last) {
            if w == path[0] && path.len() > 2 {
                found.insert(canonical(path.clone()));
            } else if w > path[0] && !path.contains(&w) {
                path.push(w);
                extend(index, path, found);
                path.pop();
            }
        }
    }
    let (index, mut found) = (EdgeIndex::new(graph), BTreeSet::new());
    (0..graph.n_cells(0) as u32).for_each(|v| extend(&index, &mut vec![v], &mut found));
    let mut cycles: Vec<Vec<u32>> = found.into_iter().collect();
    sort(&mut cycles);
    cycles
}

/// The edges of a cycle as bits.
fn bits(graph: &Complex, cycle: &[u32]) -> u128 {
    let index = EdgeIndex::new(graph);
    let edge = |i: usize| index.find(cycle[i], cycle[(i + 1) % cycle.len()]).unwrap().0;
    (0..cycle.len()).fold(0, |bits, i| bits ^ (1 << edge(i)))
}

/// Remainder of a vector modulo rows with distinct highest bits.
fn remainder(rows: &[u128], mut vector: u128) -> u128 {
    for row in rows {
        vector = vector.min(vector ^ row);
    }
    vector
}

fn insert(rows: &mut Vec<u128>, vector: u128) -> bool {
    let rest = remainder(rows, vector);
    rows.push(rest);
    rows.sort_unstable_by(|a, b| b.cmp(a));
    rows.retain(|&row| row != 0);
    rest != 0
}

/// Relevant cycles and the lengths of a minimum basis, from all cycles.
fn by_definition(graph: &Complex) -> (Vec<Vec<u32>>, Vec<usize>) {
    let all = all_cycles(graph);
    let (mut rows, mut relevant, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for class in all.chunk_by(|a, b| a.len() == b.len()) {
        let shorter = rows.clone();
        for cycle in class {
            if remainder(&shorter, bits(graph, cycle)) != 0 {
                relevant.push(cycle.clone());
            }
            if insert(&mut rows, bits(graph, cycle)) {
                lengths.push(cycle.len());
            }
        }
    }
    (relevant, lengths)
}

fn has_chord(index: &EdgeIndex, cycle: &[u32]) -> bool {
    let n = cycle.len();
    let joined = |i: usize, j: usize| index.find(cycle[i], cycle[j]).is_some();
    (0..n).any(|i| (i + 2..n).any(|j| (i, j) != (0, n - 1) && joined(i, j)))
}

fn cycle_rank(graph: &Complex) -> usize {
    graph.n_cells(1) + graph.connected_components().1 - graph.n_cells(0)
}

#[test]
fn cycles_of_random_graphs_are_those_found_by_definition() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for round in 0..300 {
        let n = rng.random_range(3..9);
        let density = [0.25, 0.4, 0.6, 0.85][round % 4];
        let graph = random_graph(&mut rng, n, density);
        let (relevant, lengths) = by_definition(&graph);
        assert_eq!(graph.relevant_cycles(usize::MAX).unwrap(), relevant, "{graph:?}");
        let short: Vec<_> = relevant.iter().filter(|cycle| cycle.len() <= 4).cloned().collect();
        assert_eq!(graph.relevant_cycles(4).unwrap(), short);
        let basis = graph.minimum_cycle_basis();
        assert_eq!(basis.iter().map(Vec::len).collect::<Vec<_>>(), lengths, "{graph:?}");
        let mut rows = Vec::new();
        assert!(basis.iter().all(|cycle| insert(&mut rows, bits(&graph, cycle))), "independent");
        let index = EdgeIndex::new(&graph);
        for max_length in [3, 4, 5, 20] {
            let mut chordless = all_cycles(&graph);
            chordless.retain(|cycle| cycle.len() <= max_length && !has_chord(&index, cycle));
            assert_eq!(graph.chordless_cycles(max_length).unwrap(), chordless, "{graph:?}");
        }
    }
}

#[test]
fn filling_a_basis_or_the_relevant_cycles_leaves_no_hole() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..40 {
        let n = rng.random_range(3..16);
        let graph = random_graph(&mut rng, n, 0.3);
        let basis = graph.minimum_cycle_basis();
        assert_eq!(basis.len(), cycle_rank(&graph));
        let betti =
            |complex: Complex| betti_numbers(&Operators::new(&complex, Weighting::Combinatorial)).unwrap();
        assert_eq!(betti(graph.with_polygons(&basis).unwrap())[1..], [0, 0]);
        let relevant = graph.relevant_cycles(usize::MAX).unwrap();
        let cavities = relevant.len() - basis.len();
        assert_eq!(betti(graph.with_polygons(&relevant).unwrap())[1..], [0, cavities]);
    }
}

#[test]
fn relevant_and_chordless_cycles_do_not_depend_on_the_order_of_vertices() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..40 {
        let graph = random_graph(&mut rng, 12, 0.3);
        let mut to: Vec<u32> = (0..12).collect();
        to.shuffle(&mut rng);
        let edges: Vec<[u32; 2]> = graph.edges().map(|ends| ends.map(|v| to[v as usize])).collect();
        let image = Complex::graph(12, &edges).unwrap();
        for find in [Complex::relevant_cycles, Complex::chordless_cycles] {
            let rename = |cycle: Vec<u32>| canonical(cycle.into_iter().map(|v| to[v as usize]).collect());
            let mut renamed: Vec<Vec<u32>> = find(&graph, 9).unwrap().into_iter().map(rename).collect();
            sort(&mut renamed);
            assert_eq!(renamed, find(&image, 9).unwrap());
        }
    }
}

#[test]
fn naphthalene_has_two_rings_and_cubane_six() {
    let naphthalene: Vec<[u32; 2]> = (0..10).map(|i| [i, (i + 1) % 10]).chain([[0, 5]]).collect();
    let graph = Complex::graph(10, &naphthalene).unwrap();
    let lengths = |cycles: Vec<Vec<u32>>| cycles.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(graph.relevant_cycles(8).unwrap()), [6, 6]);
    assert_eq!(lengths(graph.chordless_cycles(10).unwrap()), [6, 6]);
    let cube: Vec<[u32; 2]> =
        (0..8u32).flat_map(|i| (0..3).map(move |b| [i, i ^ (1 << b)])).filter(|[a, b]| a < b).collect();
    let cubane = Complex::graph(8, &cube).unwrap();
    assert_eq!(lengths(cubane.relevant_cycles(8).unwrap()), [4; 6]);
    assert_eq!(lengths(cubane.minimum_cycle_basis()), [4; 5]);
    assert_eq!(lengths(cubane.chordless_cycles(6).unwrap()), [4, 4, 4, 4, 4, 4, 6, 6, 6, 6]);
}

#[test]
fn lengths_and_numbers_have_limits() {
    let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [3, 0]]).unwrap();
    assert_eq!(square.chordless_cycles(3).unwrap(), Vec::<Vec<u32>>::new());
    assert_eq!(
        square.relevant_cycles(2).unwrap_err().to_string(),
        "cycles of up to 2 vertices, expected at least 3"
    );
    // 24 diamonds in a ring: 2^24 shortest cycles around it
    let diamonds: Vec<[u32; 2]> = (0..24u32)
        .flat_map(|i| {
            let (a, b) = (3 * i, 3 * ((i + 1) % 24));
            [[a, a + 1], [a, a + 2], [a + 1, b], [a + 2, b]]
        })
        .collect();
    let necklace = Complex::graph(72, &diamonds).unwrap();
    assert_eq!(necklace.minimum_cycle_basis().len(), 25);
    assert_eq!(necklace.relevant_cycles(47).unwrap().len(), 24);
    // 1035² squares
    let bipartite: Vec<[u32; 2]> = (0..46).flat_map(|a| (46..92).map(move |b| [a, b])).collect();
    let squares = Complex::graph(92, &bipartite).unwrap().chordless_cycles(4);
    for result in [necklace.relevant_cycles(usize::MAX), squares] {
        let error = result.unwrap_err();
        assert_eq!(error.to_string(), "more than 1048576 cycles");
        assert_eq!(error.hint(), Some("ask for shorter cycles, or for a cycle basis"));
    }
}

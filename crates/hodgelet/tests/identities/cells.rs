//! The laws on random simplicial complexes of up to dimension 4 and on random cell complexes.

use crate::complexes::{check_boundaries, check_components};
use crate::energies::check_routes;
use crate::families::rng;
use crate::invariance::check as check_invariance;
use hodgelet::complex::Complex;
use hodgelet::hodge::{HodgeComponent, Operators, Weighting, betti_numbers, spectrum};
use hodgelet::linalg::SparseMat;
use proptest::prelude::*;
use rand::{RngExt, seq::SliceRandom};

/// Some simplices of random dimensions on few vertices.
fn random_simplices() -> impl Strategy<Value = (usize, Vec<Vec<u32>>)> {
    (2usize..10, 0usize..10, any::<u64>()).prop_map(|(n, count, seed)| {
        let mut rng = rng(seed);
        let simplex = |_| {
            let mut vertices: Vec<u32> = (0..n as u32).collect();
            let size = rng.random_range(1..=n.min(5));
            vertices.partial_shuffle(&mut rng, size).0.to_vec()
        };
        (n, (0..count).map(simplex).collect())
    })
}

/// A random graph with some of its cycles, chordless or not, filled, and a solid in some cavity of two equal cells.
fn random_cell_complex() -> impl Strategy<Value = Complex> {
    (3usize..12, 0.2f64..0.6, 0.0f64..1.0, any::<u64>()).prop_map(|(n, density, filled, seed)| {
        let mut rng = rng(seed);
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for a in 0..n as u32 {
            edges.extend((a + 1..n as u32).filter(|_| rng.random::<f64>() < density).map(|b| [a, b]));
        }
        edges.shuffle(&mut rng);
        edges.iter_mut().filter(|_| rng.random()).for_each(|edge| edge.reverse());
        let graph = Complex::graph(n, &edges).unwrap();
        let mut cycles = graph.chordless_cycles(7).unwrap();
        cycles.retain(|_| rng.random::<f64>() < filled);
        cycles.truncate(30);
        for cycle in &mut cycles {
            let turn = rng.random_range(0..cycle.len());
            cycle.rotate_left(turn);
            if rng.random() {
                cycle.reverse();
            }
        }
        if cycles.is_empty() {
            return graph.with_polygons(&cycles).unwrap();
        }
        cycles.push(cycles[0].clone());
        let shell = graph.with_polygons(&cycles).unwrap();
        let mut solid = SparseMat::with_rows(cycles.len());
        solid.push_column([(0, 1.0), (cycles.len() as u32 - 1, -1.0)]);
        let boundaries = vec![shell.boundary(1).unwrap().clone(), shell.boundary(2).unwrap().clone(), solid];
        Complex::from_boundaries(n, boundaries).unwrap()
    })
}

fn check_euler(complex: &Complex) {
    let betti = betti_numbers(&Operators::new(complex, Weighting::Combinatorial)).unwrap();
    let sign = |k: usize| if k.is_multiple_of(2) { 1 } else { -1 };
    let sum: i64 = betti.iter().enumerate().map(|(k, &b)| sign(k) * b as i64).sum();
    assert_eq!(sum, complex.euler_characteristic());
}

fn check_all(complex: &Complex, seed: u64) {
    check_boundaries(complex);
    check_components(complex);
    check_euler(complex);
    check_routes(complex, seed, "energies");
    check_invariance(complex, seed, "invariance");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn laws_hold_on_simplicial_complexes((n, simplices) in random_simplices(), seed in any::<u64>()) {
        let (complex, table) = Complex::from_simplices(n, &simplices).unwrap();
        check_all(&complex, seed);
        prop_assert_eq!(complex.simplices().unwrap(), table);
    }

    #[test]
    fn laws_hold_on_cell_complexes(complex in random_cell_complex(), seed in any::<u64>()) {
        check_all(&complex, seed);
    }

    /// A complex built again from renamed vertices has other orders and orientations, and the same spectra.
    #[test]
    fn renaming_vertices_leaves_all_spectra((n, simplices) in random_simplices(), seed in any::<u64>()) {
        let mut names: Vec<u32> = (0..n as u32).collect();
        names.shuffle(&mut rng(seed));
        let renamed: Vec<Vec<u32>> =
            simplices.iter().rev().map(|s| s.iter().map(|&v| names[v as usize]).collect()).collect();
        let [a, b] = [&simplices, &renamed].map(|list| Complex::from_simplices(n, list).unwrap().0);
        for k in 0..=a.dim() {
            prop_assert_eq!(a.n_cells(k), b.n_cells(k));
            for component in HodgeComponent::ALL {
                let values = |complex: &Complex| {
                    let operators = Operators::new(complex, Weighting::Combinatorial);
                    spectrum(&operators, k, component).unwrap().eigenvalues().to_vec()
                };
                let (x, y) = (values(&a), values(&b));
                prop_assert_eq!(x.len(), y.len());
                prop_assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-9));
            }
        }
    }

    #[test]
    fn maximal_simplices_give_the_complex_back((n, simplices) in random_simplices()) {
        let (complex, table) = Complex::from_simplices(n, &simplices).unwrap();
        let maximal = table.maximal();
        prop_assert_eq!(Complex::from_simplices(n, &maximal).unwrap().0.n_cells(1), complex.n_cells(1));
        prop_assert_eq!(Complex::from_simplices(n, &maximal).unwrap(), (complex, table));
    }
}

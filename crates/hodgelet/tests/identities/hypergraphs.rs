//! Laws of hypergraphs: every expansion is a complex, with weights or without, and energies keep their laws on it.

use crate::energies::check_routes;
use crate::families::*;
use crate::invariance;
use hodgelet::complex::{Complex, Expansion, Hypergraph};
use hodgelet::dataset::{HypergraphDataset, Targets};
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::hodge::{HodgeComponent, Operators, Term, laplacian, spectrum};
use hodgelet::model::Measurer;
use hodgelet::settings::Settings;
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::ops::ControlFlow;

fn expansions() -> impl Iterator<Item = Expansion> {
    Expansion::NAMES.into_iter().map(|name| name.parse().unwrap())
}

/// Hyperedges of any size, empty ones and repetitions included, with random weights in half of the cases.
fn random_hypergraph() -> impl Strategy<Value = Hypergraph> {
    (0usize..14, 0usize..12, any::<bool>(), any::<u64>()).prop_map(|(n, m, weighted, seed)| {
        let mut rng = rng(seed);
        let mut vertices: Vec<u32> = (0..n as u32).collect();
        let hyperedges: Vec<Vec<u32>> = (0..m)
            .map(|_| {
                vertices.shuffle(&mut rng);
                vertices[..rng.random_range(0..=n.min(6))].to_vec()
            })
            .collect();
        let weights = weighted.then(|| (0..m).map(|_| rng.random_range(0.1..4.0)).collect());
        Hypergraph::new(n, &hyperedges, weights).unwrap()
    })
}

/// The same hypergraph with vertices renamed and hyperedges in another order.
fn relabelled(hypergraph: &Hypergraph, seed: u64) -> Hypergraph {
    let mut rng = rng(seed);
    let mut names: Vec<u32> = (0..hypergraph.n_vertices() as u32).collect();
    names.shuffle(&mut rng);
    let mut order: Vec<usize> = (0..hypergraph.n_hyperedges()).collect();
    order.shuffle(&mut rng);
    let edges: Vec<Vec<u32>> =
        order.iter().map(|&e| hypergraph.hyperedge(e).iter().map(|&v| names[v as usize]).collect()).collect();
    let weights = order.iter().map(|&e| hypergraph.weight(e)).collect();
    Hypergraph::new(names.len(), &edges, Some(weights)).unwrap()
}

/// Energies of structural signals on both dimensions, through a dataset.
fn energies(hypergraph: Hypergraph, expansion: Expansion) -> Vec<f64> {
    let (name, targets) = ("one".to_owned(), Targets::None);
    let dataset = HypergraphDataset { name, hypergraphs: vec![hypergraph], columns: vec![], targets };
    let dataset = dataset.expand(expansion).unwrap();
    let (vertices, edges) = (Some(VertexSignal::Structure), CellSignal::Structure);
    let settings = Settings { vertices, edges, ..Settings::default().most_probable() };
    let measurer = Measurer::fit(&settings, &dataset, &[0]).unwrap();
    let measured = measurer.measure(&dataset, |_| ControlFlow::Continue(())).unwrap();
    probe(&measured.measures[0], 2)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn energies_keep_their_laws_on_every_expansion(hypergraph in random_hypergraph(), seed in any::<u64>()) {
        for expansion in expansions() {
            let complex = hypergraph.expand(expansion).complex;
            let boundaries = (1..=complex.dim()).map(|k| complex.boundary(k).unwrap().clone()).collect();
            prop_assert_eq!(&Complex::from_boundaries(complex.n_cells(0), boundaries).unwrap(), &complex);
            check_routes(&complex, seed, &expansion.to_string());
            invariance::check(&complex, seed, &expansion.to_string());
        }
    }

    /// `xᵀ L x` of Zhou's Laplacian is the sum over hyperedges and pairs that \[Zhou06\] starts from, and its spectrum is
    /// in [0, 1].
    #[test]
    fn zhous_laplacian_is_the_published_quadratic_form(hypergraph in random_hypergraph(), seed in any::<u64>()) {
        let expanded = hypergraph.expand(Expansion::Zhou);
        let operators = Operators::weighted(&expanded.complex, expanded.weights.as_ref().unwrap()).unwrap();
        let mut rng = rng(seed);
        let x: Vec<f64> = (0..hypergraph.n_vertices()).map(|_| rng.random_range(-1.0..1.0)).collect();
        let l = laplacian(&operators, 0, Term::Both);
        let quadratic: f64 =
            (0..x.len()).flat_map(|i| (0..x.len()).map(move |j| (i, j))).map(|(i, j)| x[i] * l[(i, j)] * x[j]).sum();
        let degrees = hypergraph.degrees();
        let mut published = 0.0;
        for e in 0..hypergraph.n_hyperedges() {
            let members = hypergraph.hyperedge(e);
            for &u in members {
                for &v in members {
                    let [a, b] = [u, v].map(|w| x[w as usize] / degrees[w as usize].sqrt());
                    published += 0.5 * hypergraph.weight(e) / members.len() as f64 * (a - b).powi(2);
                }
            }
        }
        prop_assert!((quadratic - published).abs() < 1e-10 * (1.0 + published));
        let found = spectrum(&operators, 0, HodgeComponent::Coexact).unwrap();
        prop_assert!(found.eigenvalues().iter().all(|&value| value < 1.0 + 1e-10));
    }

    #[test]
    fn names_and_order_do_not_matter(hypergraph in random_hypergraph(), seed in any::<u64>()) {
        for expansion in expansions() {
            let found = energies(hypergraph.clone(), expansion);
            assert_close(&found, &energies(relabelled(&hypergraph, seed), expansion), 1e-9, &expansion.to_string());
        }
    }
}

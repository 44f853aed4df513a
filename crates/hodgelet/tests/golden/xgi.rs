//! Incidence, clique expansion and Zhou's Laplacian against XGI.

use super::{assert_close, testdata};
use hodgelet::complex::{Expanded, Expansion, Hypergraph};
use hodgelet::hodge::{Operators, Term, laplacian};
use serde::Deserialize;
use std::collections::BTreeMap;

type Matrix = Vec<Vec<f64>>;

#[derive(Deserialize)]
struct File {
    cases: BTreeMap<String, Case>,
}

#[derive(Deserialize)]
struct Case {
    n_vertices: usize,
    hyperedges: Vec<Vec<u32>>,
    weights: Option<Vec<f64>>,
    incidence: Matrix,
    adjacency: Option<Matrix>,
    zhou: Option<Matrix>,
}

fn laplacian_of(expanded: &Expanded, k: usize) -> Matrix {
    let weights = expanded.weights.clone().unwrap_or_default();
    let operators = Operators::weighted(&expanded.complex, &weights).unwrap();
    let l = laplacian(&operators, k, Term::Both);
    (0..l.nrows()).map(|i| (0..l.ncols()).map(|j| l[(i, j)]).collect()).collect()
}

#[test]
fn operators_of_hypergraphs_agree() {
    let file: File = testdata("xgi/hypergraphs.json");
    assert!(file.cases.len() >= 10);
    for (name, case) in &file.cases {
        let hypergraph = Hypergraph::new(case.n_vertices, &case.hyperedges, case.weights.clone()).unwrap();
        let incidence = hypergraph.incidence().to_dense();
        for (v, row) in case.incidence.iter().enumerate() {
            let found: Vec<f64> = (0..row.len()).map(|e| incidence[(v, e)]).collect();
            assert_eq!(&found, row, "{name}");
        }
        if let Some(zhou) = &case.zhou {
            let found = laplacian_of(&hypergraph.expand(Expansion::Zhou), 0).concat();
            assert_close(name, &found, &zhou.concat(), 1e-13);
        }
        if let Some(adjacency) = &case.adjacency {
            // L = D − A, with the degrees of the clique expansion on the diagonal
            let found = laplacian_of(&hypergraph.expand("clique".parse().unwrap()), 0);
            for (i, row) in adjacency.iter().enumerate() {
                let degree: f64 = row.iter().sum();
                let expected: Vec<f64> =
                    (0..row.len()).map(|j| if i == j { degree } else { -row[j] }).collect();
                assert_close(name, &found[i], &expected, 1e-13);
            }
        }
    }
}

//! Boundary operators, Hodge Laplacians and Betti numbers of cell complexes against TopoNetX.

use super::testdata;
use hodgelet::complex::Complex;
use hodgelet::hodge::{Operators, Term, Weighting, betti_numbers, laplacian};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    complexes: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    n: usize,
    edges: Vec<[u32; 2]>,
    polygons: Vec<Vec<u32>>,
    boundaries: Vec<Vec<(usize, usize, f64)>>, // triplets, by column then row
    laplacians: Vec<Vec<Vec<f64>>>,
    betti: Vec<usize>,
}

#[test]
fn cell_complexes_have_the_operators_laplacians_and_betti_numbers_of_toponetx() {
    let cases = testdata::<File>("toponetx/cells.json").complexes;
    assert_eq!(cases.len(), 8, "the file has lost complexes");
    for case in cases {
        let graph = Complex::graph(case.n, &case.edges).unwrap();
        let complex = graph.with_polygons(&case.polygons).unwrap();
        for k in 1..=2 {
            let b = complex.boundary(k).unwrap();
            let triplets: Vec<(usize, usize, f64)> =
                (0..b.n_cols()).flat_map(|j| b.entries(j).map(move |(i, v)| (i, j, v))).collect();
            assert_eq!(triplets, case.boundaries[k - 1], "{}, B_{k}", case.name);
        }
        let operators = Operators::new(&complex, Weighting::Combinatorial);
        for (k, expected) in case.laplacians.iter().enumerate() {
            let l = laplacian(&operators, k, Term::Both);
            let n = complex.n_cells(k);
            let found: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| l[(i, j)]).collect()).collect();
            assert_eq!(&found, expected, "{}, L_{k}", case.name);
        }
        assert_eq!(betti_numbers(&operators).unwrap(), case.betti, "{}", case.name);
    }
}

//! Boundary operators, Hodge Laplacians, spectra and Betti numbers against TopoNetX.

use super::{assert_close, signal, testdata};
use hodgelet::complex::Complex;
use hodgelet::hodge::{HodgeComponent, Operators, Term, Weighting, betti_numbers, laplacian, spectrum};
use hodgelet::measure::{ComplexMeasures, MeasureError, Sample, measure, measure_all};
use serde::Deserialize;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Of eigenvalues and moments; two dense solvers differ by some `n ε λ_max`, below 1e-13 here.
const TOLERANCE: f64 = 1e-10;

type Matrix = Vec<Vec<f64>>;

#[derive(Deserialize)]
struct File {
    complexes: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    clique: bool,
    max_dim: usize,
    n: usize,
    simplices: Vec<Vec<Vec<u32>>>,
    boundaries: Vec<Vec<(usize, usize, f64)>>, // triplets, by column then row
    laplacians: Vec<Laplacian>,
    betti: Vec<usize>,
}

#[derive(Deserialize)]
struct Laplacian {
    hodge: Matrix,
    down: Option<Matrix>,
    up: Option<Matrix>,
    exact_eigenvalues: Vec<f64>,
    coexact_eigenvalues: Vec<f64>,
}

impl Case {
    fn complex(&self) -> Complex {
        let edges: Vec<[u32; 2]> = self.simplices[1].iter().map(|e| [e[0], e[1]]).collect();
        let graph = Complex::graph(self.n, &edges).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let complex = if self.clique {
            graph.clique_complex(self.max_dim)
        } else {
            let triangles: Vec<[u32; 3]> = self.simplices[2].iter().map(|t| [t[0], t[1], t[2]]).collect();
            graph.with_triangles(&triangles)
        };
        complex.unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// A signal without symmetry on the cells of every dimension.
    fn values(&self, k: usize) -> Vec<Vec<f64>> {
        (0..self.simplices[k].len()).map(|i| vec![((3 * i + 5 * k + 1) as f64).sin() + 0.1]).collect()
    }

    fn sample(&self) -> Sample<'static> {
        let signals = (0..=self.max_dim).map(|k| Some(signal(1, &self.values(k)))).collect();
        Sample { complex: Cow::Owned(self.complex()), signals, weights: None }
    }
}

fn cases() -> Vec<Case> {
    let cases = testdata::<File>("toponetx/complexes.json").complexes;
    assert_eq!(cases.len(), 18, "the file has lost complexes");
    cases
}

#[test]
fn boundary_operators_are_those_of_toponetx() {
    for case in cases() {
        let complex = case.complex();
        assert_eq!(complex.dim(), case.max_dim, "{}", case.name);
        for k in 1..=case.max_dim {
            let b = complex.boundary(k).expect("the complex has that dimension");
            let sizes = (case.simplices[k - 1].len(), case.simplices[k].len());
            assert_eq!((b.n_rows(), b.n_cols()), sizes, "{}, B_{k}", case.name);
            let triplets: Vec<(usize, usize, f64)> =
                (0..b.n_cols()).flat_map(|j| b.entries(j).map(move |(i, v)| (i, j, v))).collect();
            assert_eq!(triplets, case.boundaries[k - 1], "{}, B_{k}", case.name);
        }
    }
}

#[test]
fn closures_of_simplices_are_the_complexes_of_toponetx() {
    for case in cases() {
        let (closure, table) = Complex::from_simplices(case.n, &case.simplices.concat()).unwrap();
        assert_eq!(closure.with_room_for(case.max_dim), case.complex(), "{}", case.name);
        for (k, simplices) in case.simplices.iter().enumerate() {
            assert!(table.of_dim(k).eq(simplices.iter().map(Vec::as_slice)), "{}", case.name);
        }
    }
}

#[test]
fn laplacians_and_their_terms_are_those_of_toponetx() {
    for case in cases() {
        let complex = case.complex();
        let operators = Operators::new(&complex, Weighting::Combinatorial);
        for (k, golden) in case.laplacians.iter().enumerate() {
            let n = complex.n_cells(k);
            let zero = vec![vec![0.0; n]; n];
            let terms = [
                (Term::Both, &golden.hodge),
                (Term::Down, golden.down.as_ref().unwrap_or(&zero)),
                (Term::Up, golden.up.as_ref().unwrap_or(&zero)),
            ];
            for (term, expected) in terms {
                let l = laplacian(&operators, k, term);
                let found: Matrix = (0..n).map(|i| (0..n).map(|j| l[(i, j)]).collect()).collect();
                assert_eq!(&found, expected, "{}, {term:?} term of L_{k}", case.name);
            }
        }
    }
}

#[test]
fn spectra_are_the_non_zero_eigenvalues_of_the_terms() {
    for case in cases() {
        let complex = case.complex();
        let operators = Operators::new(&complex, Weighting::Combinatorial);
        for (k, golden) in case.laplacians.iter().enumerate() {
            let expected =
                [&golden.exact_eigenvalues, &golden.coexact_eigenvalues, &vec![0.0; case.betti[k]]];
            for (component, expected) in HodgeComponent::ALL.into_iter().zip(expected) {
                let found = spectrum(&operators, k, component).expect("small matrices converge");
                let what = format!("{}, {component} spectrum of L_{k}", case.name);
                assert_close(&what, found.eigenvalues(), expected, TOLERANCE);
            }
        }
    }
}

/// The eigenvalues without repetition: distinct ones here are more than 1e-6 apart.
fn distinct(eigenvalues: &[f64]) -> Vec<f64> {
    let mut distinct = eigenvalues.to_vec();
    distinct.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
    distinct
}

/// `xᵀ L x`.
fn quadratic(matrix: Option<&Matrix>, x: &[Vec<f64>]) -> f64 {
    let row = |r: &Vec<f64>| r.iter().zip(x).map(|(l, x)| l * x[0]).sum::<f64>();
    matrix.map_or(0.0, |m| m.iter().zip(x).map(|(r, x)| x[0] * row(r)).sum())
}

/// Eigenvalues of the exact and co-exact measures, their first moments `Σ λ E = xᵀ L x` and the Betti numbers.
fn check_measures(case: &Case, measures: &ComplexMeasures) {
    for (k, golden) in case.laplacians.iter().enumerate() {
        let found = measures.of_dim(k).expect("every dimension has a signal");
        assert_eq!(found.betti(), case.betti[k], "{}, β_{k}", case.name);
        let components = [
            (HodgeComponent::Exact, &golden.exact_eigenvalues, golden.down.as_ref()),
            (HodgeComponent::Coexact, &golden.coexact_eigenvalues, golden.up.as_ref()),
        ];
        for (component, eigenvalues, term) in components {
            let measure = found.component(component);
            let what = format!("{}, {component} measure of dimension {k}", case.name);
            assert_close(&what, measure.eigenvalues(), &distinct(eigenvalues), TOLERANCE);
            let masses = if measure.live().is_empty() { &[][..] } else { measure.energies(0) };
            let moment = measure.eigenvalues().iter().zip(masses).map(|(l, e)| l * e).sum::<f64>();
            let expected = quadratic(term, &case.values(k));
            assert_close(&format!("first moment of {what}"), &[moment], &[expected], TOLERANCE);
        }
    }
}

#[test]
fn measures_of_one_complex_have_the_eigenvalues_and_moments_of_the_terms() {
    for case in cases() {
        let found = measure(&case.sample(), Weighting::Combinatorial).expect("the complex can be measured");
        check_measures(&case, &found);
    }
}

#[test]
fn measures_of_all_complexes_have_the_eigenvalues_and_moments_of_the_terms() {
    let cases = cases();
    let sample = |i: usize| Ok::<_, MeasureError>(cases[i].sample());
    let go_on = |_| ControlFlow::Continue(());
    let found = measure_all(cases.len(), sample, Weighting::Combinatorial, go_on)
        .expect("every complex can be measured");
    cases.iter().zip(&found).for_each(|(case, measures)| check_measures(case, measures));
}

#[test]
fn betti_numbers_are_those_of_exact_arithmetic() {
    for case in cases() {
        let complex = case.complex();
        for weighting in [Weighting::Combinatorial, Weighting::SymmetricNormalized] {
            let found = betti_numbers(&Operators::new(&complex, weighting)).expect("small matrices converge");
            assert_eq!(found, case.betti, "{}, {weighting:?}", case.name);
        }
    }
}

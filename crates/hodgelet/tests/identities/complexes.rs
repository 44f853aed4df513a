//! Laws of complexes: boundaries of boundaries, names of components, Betti numbers, cliques.

use crate::families::*;
use faer::Mat;
use hodgelet::complex::Complex;
use hodgelet::hodge::{HodgeComponent, Operators, Weighting, betti_numbers, spectrum};
use proptest::prelude::*;

fn largest(m: &Mat<f64>) -> f64 {
    m.col_iter().flat_map(|c| c.iter()).fold(0.0, |a, x| a.max(x.abs()))
}

fn all_operators(complex: &Complex) -> Vec<Operators<'_>> {
    vec![
        Operators::new(complex, Weighting::Combinatorial),
        Operators::new(complex, Weighting::SymmetricNormalized),
        Operators::weighted(complex, &random_weights(complex, 3)).unwrap(),
    ]
}

pub fn check_boundaries(complex: &Complex) {
    for operators in all_operators(complex) {
        for k in 1..complex.dim() {
            let (b, c) = (operators.boundary(k).unwrap(), operators.boundary(k + 1).unwrap());
            assert!(largest(&(b.to_dense() * c.to_dense())) < 1e-12);
        }
    }
}

/// Guards the names: exact is annihilated by `B_{k+1}ᵀ`, co-exact by `B_k`, harmonic by both.
pub fn check_components(complex: &Complex) {
    for operators in all_operators(complex) {
        for k in 0..=complex.dim() {
            let [exact, coexact, harmonic] = HodgeComponent::ALL.map(|c| spectrum(&operators, k, c).unwrap());
            let up = operators.boundary(k + 1).map(|b| b.to_dense().transpose().to_owned());
            let down = operators.boundary(k).map(|b| b.to_dense());
            for u in [&exact, &harmonic] {
                assert!(up.iter().all(|up| largest(&(up * u.eigenvectors())) < 1e-9));
            }
            for u in [&coexact, &harmonic] {
                assert!(down.iter().all(|down| largest(&(down * u.eigenvectors())) < 1e-9));
            }
            assert_eq!(exact.len() + coexact.len() + harmonic.len(), complex.n_cells(k));
            for u in [&exact, &coexact, &harmonic] {
                let gram = u.eigenvectors().transpose() * u.eigenvectors();
                assert!(largest(&(gram - Mat::<f64>::identity(u.len(), u.len()))) < 1e-9);
            }
            if k == 0 {
                assert!(exact.is_empty(), "vertices have no exact part");
            }
        }
    }
}

#[test]
fn boundaries_of_boundaries_vanish_on_degenerate_families() {
    degenerate().iter().for_each(|(_, complex)| check_boundaries(complex));
}

#[test]
fn components_are_named_by_the_operators_that_annihilate_them_on_degenerate_families() {
    degenerate().iter().for_each(|(_, complex)| check_components(complex));
}

#[test]
fn two_filled_triangles_with_an_open_square_have_the_dimensions_counted_by_hand() {
    let edges = [[0, 1], [1, 2], [0, 2], [1, 3], [2, 3], [3, 4], [4, 5], [5, 2], [5, 6]];
    let complex = Complex::graph(7, &edges).unwrap().with_triangles(&[[0, 1, 2], [1, 3, 2]]).unwrap();
    let operators = Operators::new(&complex, Weighting::Combinatorial);
    let sizes = HodgeComponent::ALL.map(|c| spectrum(&operators, 1, c).unwrap().len());
    assert_eq!(sizes, [6, 2, 1]);
}

#[test]
fn betti_numbers_of_closed_surfaces_are_right() {
    let expected: [(Complex, [usize; 3]); 4] = [
        (sphere(), [1, 0, 1]),
        (torus(), [1, 2, 1]),
        (klein_bottle(), [1, 1, 0]),
        (projective_plane(), [1, 0, 0]),
    ];
    for (complex, betti) in expected {
        for operators in all_operators(&complex) {
            assert_eq!(betti_numbers(&operators).unwrap(), betti);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn boundaries_of_boundaries_vanish(complex in random_complex()) {
        check_boundaries(&complex);
    }

    #[test]
    fn components_are_named_by_the_operators_that_annihilate_them(complex in random_complex()) {
        check_components(&complex);
    }

    #[test]
    fn triangles_by_degree_are_those_found_by_trying_all_triples(complex in random_complex()) {
        let cliques = complex.clique_complex(2).unwrap();
        prop_assert_eq!(cliques.n_cells(2), triangles(&complex).len());
        let boundaries = vec![cliques.boundary(1).unwrap().clone(), cliques.boundary(2).unwrap().clone()];
        prop_assert_eq!(Complex::from_boundaries(cliques.n_cells(0), boundaries).unwrap(), cliques);
    }

    #[test]
    fn the_euler_characteristic_is_the_alternating_sum_of_betti_numbers(complex in random_complex()) {
        let betti = betti_numbers(&Operators::new(&complex, Weighting::Combinatorial)).unwrap();
        let sum: i64 = betti.iter().enumerate().map(|(k, &b)| if k % 2 == 0 { b as i64 } else { -(b as i64) }).sum();
        prop_assert_eq!(sum, complex.euler_characteristic());
    }
}

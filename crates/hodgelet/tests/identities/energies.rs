//! Laws of energies: they add up, and every route gives the same ones.

use crate::families::*;
use faer::Mat;
use hodgelet::complex::Complex;
use hodgelet::hodge::{HodgeComponent, Operators, Term, Weighting, decompose, laplacian, spectrum};
use hodgelet::linalg::eigen::eigenpairs;
use hodgelet::measure::{MeasureError, Sample, measure, measure_all};
use hodgelet::signal::{Orientation, Signal};
use proptest::prelude::*;
use std::ops::ControlFlow;

pub const WEIGHTINGS: [Weighting; 4] = [
    Weighting::Combinatorial,
    Weighting::SymmetricNormalized,
    Weighting::NormalizedHodge,
    Weighting::RandomWalk,
];

fn is_averaged(dim: usize, signal: &Signal, d: usize) -> bool {
    dim > 0 && signal.channels().orientation(d) == Orientation::Unoriented
}

fn check_sums(sample: &Sample<'_>, weighting: Weighting) {
    let measures = measure(sample, weighting).unwrap();
    let operators = match &sample.weights {
        Some(weights) => Operators::weighted(&sample.complex, weights).unwrap(),
        None => Operators::new(&sample.complex, weighting),
    };
    for (dim, signal) in sample.signals.iter().enumerate() {
        let (Some(signal), Some(found)) = (signal, measures.of_dim(dim)) else { continue };
        for d in 0..signal.n_channels() {
            let norm: f64 =
                signal.values().entries(d).map(|(i, v)| (v * operators.signal_root(dim, i)).powi(2)).sum();
            let sum: f64 = HodgeComponent::ALL.iter().map(|&c| found.component(c).total(d)).sum();
            assert!(
                (sum - norm).abs() <= 1e-10 * norm.max(1.0),
                "dimension {dim}, channel {d}: {sum} {norm}"
            );
        }
    }
}

/// Energies from dense eigenpairs of the full Laplacian terms, as `families::probe` lists them.
pub fn probe_by_full_laplacians(sample: &Sample<'_>, operators: &Operators<'_>) -> Vec<f64> {
    let mut out = Vec::new();
    for (dim, signal) in sample.signals.iter().enumerate() {
        let Some(signal) = signal else { continue };
        let n = signal.n_cells();
        let terms = [Term::Down, Term::Up, Term::Both].map(|t| laplacian(operators, dim, t));
        for (component, term) in HodgeComponent::ALL.into_iter().zip(terms) {
            let pairs = eigenpairs(term.as_ref()).unwrap();
            let largest = pairs.values.last().copied().unwrap_or(0.0);
            let harmonic = component == HodgeComponent::Harmonic;
            let keep = |k: &usize| (pairs.values[*k] <= 1e-10 * largest.max(1e-3)) == harmonic;
            for d in 0..signal.n_channels() {
                let x: Vec<(usize, f64)> =
                    signal.values().entries(d).map(|(i, v)| (i, v * operators.signal_root(dim, i))).collect();
                let energy = |k: usize| -> f64 {
                    let u = pairs.vector(k);
                    if is_averaged(dim, signal, d) {
                        x.iter().map(|&(i, v)| (u[i] * v).powi(2)).sum()
                    } else {
                        x.iter().map(|&(i, v)| u[i] * v).sum::<f64>().powi(2)
                    }
                };
                for f in PROBES {
                    let at = |k: usize| if harmonic { 0.0 } else { pairs.values[k] };
                    out.push((0..n).filter(keep).map(|k| f(at(k)) * energy(k)).sum());
                }
            }
        }
    }
    out
}

pub fn check_routes(complex: &Complex, seed: u64, what: &str) {
    // Channels of both kinds need eigenvectors; one oriented channel goes without.
    check_sample(complex, random_sample(complex, seed), seed, what);
    check_sample(complex, oriented_sample(complex, seed), seed, what);
}

fn check_sample(complex: &Complex, sample: Sample<'_>, seed: u64, what: &str) {
    let n_dims = complex.dim() + 1;
    for weighting in WEIGHTINGS {
        check_sums(&sample, weighting);
        let alone = probe(&measure(&sample, weighting).unwrap(), n_dims);
        let full = probe_by_full_laplacians(&sample, &Operators::new(complex, weighting));
        assert_close(&alone, &full, 1e-9, what);
        let copy = |_| Ok::<_, MeasureError>(sample.clone());
        let batch = measure_all(6, copy, weighting, |_| ControlFlow::Continue(())).unwrap();
        for measures in &batch {
            assert_eq!(probe(measures, n_dims), alone, "{what}: alone and in a batch");
        }
    }
    let weights = random_weights(complex, seed);
    let weighted = Sample { weights: Some(weights.clone()), ..sample };
    check_sums(&weighted, Weighting::Combinatorial);
    let found = probe(&measure(&weighted, Weighting::Combinatorial).unwrap(), n_dims);
    let full = probe_by_full_laplacians(&weighted, &Operators::weighted(complex, &weights).unwrap());
    assert_close(&found, &full, 1e-9, what);
}

#[test]
fn energies_add_up_and_all_routes_agree_on_degenerate_families() {
    for (name, complex) in degenerate() {
        check_routes(&complex, 7, name);
    }
}

/// A strip of triangles with a hole: large enough for the routes beyond the lanes, with a harmonic part.
fn large_strip() -> Complex {
    let n = 140u32;
    let edges: Vec<[u32; 2]> = (0..n)
        .flat_map(|i| [[i, (i + 1) % n], [i, n + i], [i, n + (i + 1) % n], [n + i, n + (i + 1) % n]])
        .collect();
    Complex::graph(2 * n as usize, &edges).unwrap().clique_complex(2).unwrap()
}

#[test]
fn large_complexes_agree_with_and_without_eigenvectors() {
    let complex = large_strip();
    check_routes(&complex, 5, "strip");
    // Oriented channels alone take the route without eigenvectors.
    for dims in [vec![0], vec![1], vec![0, 1, 2]] {
        let mut sample = random_sample(&complex, 11);
        for (dim, signal) in sample.signals.iter_mut().enumerate() {
            let values: Vec<f64> = (0..complex.n_cells(dim)).map(|i| ((i * 7) as f64).sin()).collect();
            *signal = dims
                .contains(&dim)
                .then(|| Signal::from_row_major(values.len(), 1, &values, Orientation::Oriented).unwrap());
        }
        check_sums(&sample, Weighting::Combinatorial);
        let found = probe(&measure(&sample, Weighting::Combinatorial).unwrap(), 3);
        let full = probe_by_full_laplacians(&sample, &Operators::new(&complex, Weighting::Combinatorial));
        assert_close(&found, &full, 1e-9, "strip, oriented");
    }
}

#[test]
fn a_bridge_is_exact_and_a_bond_in_a_ring_is_partly_harmonic() {
    // A ring of five with a tail: unoriented energy of single edges.
    let complex = Complex::graph(6, &[[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [0, 5]]).unwrap();
    let values: Vec<f64> = (0..36).map(|i| f64::from(i % 7 == 0)).collect(); // the identity
    let signal = Signal::from_row_major(6, 6, &values, Orientation::Unoriented).unwrap();
    let sample = Sample { signals: vec![None, Some(signal)], ..random_sample(&complex, 0) };
    let found = measure(&sample, Weighting::Combinatorial).unwrap();
    let edges = found.of_dim(1).unwrap();
    for d in 0..6 {
        let expected = if d == 5 { [1.0, 0.0, 0.0] } else { [0.8, 0.0, 0.2] }; // effective resistance 4/5
        let shares = HodgeComponent::ALL.map(|c| edges.component(c).total(d));
        assert_close(&shares, &expected, 1e-12, "shares");
    }
}

#[test]
fn the_harmonic_part_of_an_exact_flow_is_zero_to_the_last_bits() {
    let complex = large_strip();
    let potential: Vec<f64> = (0..complex.n_cells(0)).map(|i| 1e3 * (i as f64).sin()).collect();
    let mut flow = vec![0.0; complex.n_cells(1)];
    complex.boundary(1).unwrap().mul_transpose(&potential, &mut flow);
    let norm: f64 = flow.iter().map(|x| x * x).sum();
    for channels in [1, 300] {
        // One channel goes without eigenvectors, many with them.
        let values: Vec<f64> = flow.iter().flat_map(|&x| std::iter::repeat_n(x, channels)).collect();
        let signal = Signal::from_row_major(flow.len(), channels, &values, Orientation::Oriented).unwrap();
        let sample = Sample { signals: vec![None, Some(signal)], ..random_sample(&complex, 0) };
        let found = measure(&sample, Weighting::Combinatorial).unwrap();
        let edges = found.of_dim(1).unwrap();
        assert_eq!(edges.betti(), 1);
        assert!(edges.component(HodgeComponent::Harmonic).total(0) < 1e-24 * norm);
        assert!(edges.component(HodgeComponent::Coexact).total(0) < 1e-24 * norm);
    }
}

fn check_decomposition(complex: &Complex, seed: u64) {
    let operators = [
        Operators::new(complex, Weighting::Combinatorial),
        Operators::weighted(complex, &random_weights(complex, seed)).unwrap(),
    ];
    for operators in operators {
        for dim in 0..=complex.dim() {
            let n = complex.n_cells(dim);
            let values: Vec<f64> = (0..2 * n).map(|i| ((i * i) as f64).sin()).collect();
            let signal = Signal::from_row_major(n, 2, &values, Orientation::Oriented).unwrap();
            let parts = decompose(&operators, dim, &signal).unwrap();
            let spectra = HodgeComponent::ALL.map(|c| spectrum(&operators, dim, c).unwrap());
            for (part, spectrum) in [&parts.exact, &parts.coexact, &parts.harmonic].into_iter().zip(spectra) {
                let u = spectrum.eigenvectors();
                let x = Mat::from_fn(n, 2, |i, d| values[i * 2 + d] * operators.signal_root(dim, i));
                let expected = u * (u.transpose() * x);
                for d in 0..2 {
                    for i in 0..n {
                        let found = part[(i, d)] * operators.signal_root(dim, i);
                        assert!((found - expected[(i, d)]).abs() < 1e-9, "dimension {dim}: {found}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_components_of_a_signal_are_its_projections_on_degenerate_families() {
    degenerate().iter().for_each(|(_, complex)| check_decomposition(complex, 2));
}

#[test]
fn an_unoriented_channel_has_no_components_as_a_signal() {
    let complex = sphere();
    let signal = Signal::from_row_major(6, 1, &[1.0; 6], Orientation::Unoriented).unwrap();
    let error = decompose(&Operators::new(&complex, Weighting::Combinatorial), 1, &signal).unwrap_err();
    assert_eq!(
        error.to_string(),
        "channel 0 on cells of dimension 1 is unoriented and has no Hodge components as a signal"
    );
    assert!(error.hint().is_some());
}

#[test]
fn a_signal_on_another_number_of_cells_is_refused_and_names_its_complex() {
    let complex = sphere();
    let sample = |i: usize| {
        let n = if i == 3 { 5 } else { 4 };
        let signal = Signal::from_row_major(n, 1, &vec![1.0; n], Orientation::Oriented).unwrap();
        Ok::<_, MeasureError>(Sample { signals: vec![Some(signal)], ..random_sample(&complex, 0) })
    };
    let error = measure_all(6, sample, Weighting::Combinatorial, |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.to_string(), "complex 3: signal has 5 rows, but the complex has 4 cells of dimension 0");
}

/// Values whose squares over- or underflow are divided by a power of two first, which changes no digit.
#[test]
fn values_too_large_or_too_small_to_square_are_measured_in_a_scale_of_their_own() {
    let complex = sphere();
    let measures = |unit: f64| {
        let values = [unit, -0.5 * unit, 0.0, 0.75 * unit];
        let signal = Signal::from_row_major(4, 1, &values, Orientation::Oriented).unwrap();
        let sample = Sample { signals: vec![Some(signal)], ..random_sample(&complex, 0) };
        measure(&sample, Weighting::Combinatorial).unwrap()
    };
    let (expected, unit) = (measures(1.0), 2f64.powi(700));
    for (found, factor) in [(measures(unit), unit), (measures(1.0 / unit), 1.0 / unit)] {
        for component in [HodgeComponent::Coexact, HodgeComponent::Harmonic] {
            let [a, b] = [&expected, &found].map(|m| m.of_dim(0).unwrap().component(component));
            // The scale takes the largest value, 1, to 1/2.
            assert_eq!((a.scale(0), b.scale(0)), (1.0, 2.0 * factor));
            let quarter: Vec<f64> = a.energies(0).iter().map(|e| e / 4.0).collect();
            assert_eq!(b.energies(0), quarter);
        }
    }
}

#[test]
fn work_stops_when_asked_to() {
    let complex = sphere();
    let error = measure_all(
        5000,
        |i| Ok::<_, MeasureError>(random_sample(&complex, i as u64)),
        Weighting::Combinatorial,
        |_| ControlFlow::Break(()),
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "cancelled after 2048 complexes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn energies_add_up_and_all_routes_agree(complex in random_complex(), seed in any::<u64>()) {
        check_routes(&complex, seed, "random");
    }

    #[test]
    fn the_components_of_a_signal_are_its_projections(complex in random_complex(), seed in any::<u64>()) {
        check_decomposition(&complex, seed);
    }
}

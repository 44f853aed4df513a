//! Laws of quadrature: it stays within the error that it reports, whatever the order, the orientation and the threads.

use crate::energies::WEIGHTINGS;
use crate::families::*;
use hodgelet::complex::Complex;
use hodgelet::hodge::{HodgeComponent, Operators, Weighting, betti_numbers};
use hodgelet::measure::{
    ComplexMeasures, EnergyMeasure, MeasureError, MeasureParams, Sample, Spectra, measure, measure_all,
};
use hodgelet::signal::{Orientation, Signal};
use rand::RngExt;
use std::borrow::Cow;
use std::ops::ControlFlow;

fn by(spectra: Spectra, weighting: Weighting) -> MeasureParams {
    MeasureParams { weighting, spectra }
}

/// Paths, grids, random and small-world graphs and their cliques, with holes and without, each of some hundred cells.
fn families() -> Vec<(&'static str, Complex)> {
    let path: Vec<[u32; 2]> = (1..400).map(|i| [i - 1, i]).collect();
    let at = |x: u32, y: u32| x * 15 + y;
    let steps = |x: u32, y: u32| [[at(x, y), at(x + 1, y)], [at(x, y), at(x, y + 1)]];
    let grid: Vec<[u32; 2]> = (0..15)
        .flat_map(|x| (0..15).flat_map(move |y| steps(x, y)))
        .filter(|[a, b]| *b < 225 && (b % 15 != 0 || b - a == 15))
        .collect();
    let mut rng = rng(3);
    let mut drawn = |n: u32, m: usize| -> Vec<[u32; 2]> {
        (0..m).map(|_| [rng.random_range(0..n), rng.random_range(0..n)]).collect()
    };
    let (sparse, dense, shortcuts) = (drawn(200, 420), drawn(60, 500), drawn(200, 60));
    let ring = |step: u32| (0..200u32).map(move |i| [i, (i + step) % 200]);
    let small_world: Vec<[u32; 2]> = ring(1).chain(ring(2)).chain(shortcuts).collect();
    let cliques =
        |n: usize, edges: &[[u32; 2]]| Complex::graph_cleaned(n, edges).unwrap().0.clique_complex(2).unwrap();
    vec![
        ("path", cliques(400, &path)),
        ("grid", cliques(225, &grid)),
        ("mesh", mesh(14, |_, _| true)),
        ("mesh with two holes", mesh(14, |x, y| !((3..6).contains(&x) && (y % 8 == 3)))),
        ("random", cliques(200, &sparse)),
        ("cliques without holes", cliques(60, &dense)),
        ("small world", cliques(200, &small_world)),
    ]
}

/// Squares that are cut in two triangles, where `filled` says so.
fn mesh(n: u32, filled: impl Fn(u32, u32) -> bool) -> Complex {
    let at = |x: u32, y: u32| x * (n + 1) + y;
    let mut triangles = Vec::new();
    for (x, y) in (0..n).flat_map(|x| (0..n).map(move |y| (x, y))).filter(|&(x, y)| filled(x, y)) {
        triangles.push([at(x, y), at(x + 1, y), at(x + 1, y + 1)]);
        triangles.push([at(x, y), at(x + 1, y + 1), at(x, y + 1)]);
    }
    surface(((n + 1) * (n + 1)) as usize, &triangles)
}

/// Squares of filters: low-pass and band-pass ones at scales of the reference bank, and a constant.
fn integrals(measure: &EnergyMeasure, position: usize) -> Vec<f64> {
    let mut out = Vec::new();
    for scale in [0.0, 0.03, 0.1, 0.3, 1.0, 3.0, 6.0] {
        let low = |x: f64| (1.0 + scale * x).powi(-2);
        let band = |x: f64| 1.5045 * (scale * x).powi(4) * (-(scale * x).powi(2)).exp();
        for f in [&low as &dyn Fn(f64) -> f64, &band] {
            let atoms = measure.eigenvalues().iter().zip(measure.energies(position));
            out.push(atoms.map(|(&x, e)| f(x) * e).sum());
        }
    }
    out
}

/// Energy of a channel over all components.
fn whole(measures: &ComplexMeasures, dim: usize, d: usize) -> f64 {
    let found = measures.of_dim(dim).unwrap();
    HodgeComponent::ALL.iter().map(|&c| found.component(c).total(d)).sum()
}

/// Rounding of a sum of some hundred terms, relative to the whole.
const ROUNDING: f64 = 1e-11;

/// Asserts that two measures of one complex differ by no more than the errors that they report. Returns the largest error.
#[track_caller]
fn assert_within_errors(a: &ComplexMeasures, b: &ComplexMeasures, n_dims: usize, what: &str) -> f64 {
    let mut largest = 0.0f64;
    for dim in 0..n_dims {
        let (Some(x), Some(y)) = (a.of_dim(dim), b.of_dim(dim)) else { continue };
        assert_eq!(x.betti(), y.betti(), "{what}: Betti number {dim}");
        for component in HodgeComponent::ALL {
            let (p, q) = (x.component(component), y.component(component));
            for position in 0..p.live().len().min(q.live().len()) {
                let energy = whole(a, dim, p.live()[position] as usize);
                let error = p.error(position) + q.error(position);
                if p.n_atoms() == 0 || q.n_atoms() == 0 {
                    assert!(p.total(position) + q.total(position) <= (error + ROUNDING) * energy, "{what}");
                    continue;
                }
                for (f, (u, v)) in integrals(p, position).into_iter().zip(integrals(q, position)).enumerate()
                {
                    let off = (u - v).abs() / energy;
                    assert!(
                        off <= error + ROUNDING,
                        "{what}: dimension {dim}, {component}, channel {position}, function {f}: off by {off:e}, \
                         reported {error:e}"
                    );
                }
                largest = largest.max(error);
            }
        }
    }
    largest
}

#[test]
fn quadrature_is_within_the_error_it_reports_on_all_families() {
    for (name, complex) in families() {
        for weighting in WEIGHTINGS {
            let sample = oriented_sample(&complex, 5);
            let [dense, lanczos] =
                [Spectra::Dense, Spectra::Lanczos].map(|s| measure(&sample, by(s, weighting)).unwrap());
            let largest = assert_within_errors(&dense, &lanczos, 3, name);
            assert!(largest < 1e-6, "{name} {weighting:?}: {largest:e}");
        }
        let sample = Sample { weights: Some(random_weights(&complex, 2)), ..oriented_sample(&complex, 6) };
        let [dense, lanczos] = [Spectra::Dense, Spectra::Lanczos]
            .map(|s| measure(&sample, by(s, Weighting::Combinatorial)).unwrap());
        assert_within_errors(&dense, &lanczos, 3, name);
    }
}

/// The test would not see an error that is reported too large, nor quadrature that is never used.
#[test]
fn quadrature_reports_an_error_that_is_small_and_not_zero() {
    let (_, complex) = families().swap_remove(4);
    let sample = oriented_sample(&complex, 5);
    let found = measure(&sample, by(Spectra::Lanczos, Weighting::Combinatorial)).unwrap();
    let exact = found.of_dim(1).unwrap().component(HodgeComponent::Exact);
    assert!(exact.error(0) > 0.0 && exact.error(0) < 1e-8, "{:e}", exact.error(0));
    let dense = measure(&sample, by(Spectra::Dense, Weighting::Combinatorial)).unwrap();
    assert_eq!(dense.of_dim(1).unwrap().component(HodgeComponent::Exact).error(0), 0.0);
    assert!(exact.n_atoms() < dense.of_dim(1).unwrap().component(HodgeComponent::Exact).n_atoms());
}

/// Unoriented channels are averaged over sixteen random orientations, and the error says how far off that is.
#[test]
fn averages_over_orientations_are_within_the_error_they_report() {
    for (name, complex) in families().into_iter().skip(3) {
        let sample = random_sample(&complex, 8);
        let [dense, lanczos] = [Spectra::Dense, Spectra::Lanczos]
            .map(|s| measure(&sample, by(s, Weighting::Combinatorial)).unwrap());
        let largest = assert_within_errors(&dense, &lanczos, 3, name);
        assert!(largest < 0.5, "{name}: {largest}");
    }
}

#[test]
fn energies_of_quadrature_add_up() {
    for (name, complex) in families().into_iter().chain(degenerate()) {
        let sample = oriented_sample(&complex, 11);
        let found = measure(&sample, by(Spectra::Lanczos, Weighting::Combinatorial)).unwrap();
        for (dim, signal) in sample.signals.iter().enumerate() {
            let norm: f64 = signal.as_ref().unwrap().values().values().iter().map(|v| v * v).sum();
            let sum = if norm == 0.0 { 0.0 } else { whole(&found, dim, 0) };
            assert!((sum - norm).abs() <= 1e-9 * norm, "{name}, dimension {dim}: {sum} {norm}");
        }
    }
}

/// K_n, stars, disjoint parts, isolated vertices, nothing at all: eigenvalues repeat, spaces end early.
#[test]
fn quadrature_agrees_with_eigenpairs_on_degenerate_families() {
    for (name, complex) in degenerate() {
        for weighting in WEIGHTINGS {
            let sample = oriented_sample(&complex, 4);
            let [dense, lanczos] =
                [Spectra::Dense, Spectra::Lanczos].map(|s| measure(&sample, by(s, weighting)).unwrap());
            assert_within_errors(&dense, &lanczos, complex.dim() + 1, name);
        }
    }
}

#[test]
fn order_and_orientation_change_nothing_beyond_the_error() {
    for (name, complex) in families() {
        let sample = oriented_sample(&complex, 9);
        let (changed, signals) = crate::invariance::changed(&complex, &sample.signals, 9);
        let image = Sample { complex: Cow::Borrowed(&changed), signals, weights: None };
        let [a, b] =
            [&sample, &image].map(|s| measure(s, by(Spectra::Lanczos, Weighting::Combinatorial)).unwrap());
        assert_within_errors(&a, &b, 3, name);
    }
}

/// A path of 700 vertices with leaves on some, two rings and a star: blocks, twins, quadrature and eigenpairs in one.
fn mixed() -> Complex {
    let mut edges: Vec<[u32; 2]> = (1..700).map(|i| [i - 1, i]).collect();
    edges.extend((700..760).map(|leaf| [leaf % 7, leaf]));
    edges.extend((760..800).map(|i| [i, if i == 799 { 760 } else { i + 1 }]));
    edges.extend((801..1000).map(|leaf| [800, leaf]));
    edges.extend([[0, 2], [4, 6]]);
    Complex::graph(1002, &edges).unwrap().clique_complex(2).unwrap()
}

#[test]
fn blocks_and_twins_give_the_energies_of_the_whole() {
    let complex = mixed();
    let sample = random_sample(&complex, 1);
    for weighting in WEIGHTINGS {
        let auto = measure(&sample, by(Spectra::Auto, weighting)).unwrap();
        let dense = measure(&sample, by(Spectra::Dense, weighting)).unwrap();
        assert_within_errors(&auto, &dense, 3, "mixed");
        // Below the size of blocks, a complex is solved whole; here by its full Laplacians.
        let full = crate::energies::probe_by_full_laplacians(&sample, &Operators::new(&complex, weighting));
        assert_close(&probe(&dense, 3), &full, 1e-8, "mixed");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit_of_quadrature() {
    let complexes: Vec<Complex> = families().into_iter().skip(4).map(|(_, c)| c).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let sample = |i: usize| Ok::<_, MeasureError>(random_sample(&complexes[i], i as u64));
        let params = [Spectra::Auto, Spectra::Lanczos].map(|s| by(s, Weighting::Combinatorial));
        let go_on = |_| ControlFlow::Continue(());
        pool.install(|| {
            params.map(|p| measure_all::<MeasureError>(complexes.len(), sample, p, go_on).unwrap())
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn huge_tiny_and_zero_signals_are_measured() {
    let (_, complex) = families().swap_remove(3);
    let n = complex.n_cells(1);
    for size in [0.0, 1e-300, 1e-160, 1.0, 1e160, 1e300] {
        let values: Vec<f64> = (0..n).map(|i| size * ((i * i) as f64).sin()).collect();
        let signal = Signal::from_row_major(n, 1, &values, Orientation::Oriented).unwrap();
        let sample =
            Sample { complex: Cow::Borrowed(&complex), signals: vec![None, Some(signal)], weights: None };
        let found = measure(&sample, by(Spectra::Lanczos, Weighting::Combinatorial)).unwrap();
        let edges = found.of_dim(1).unwrap();
        for component in HodgeComponent::ALL {
            let part = edges.component(component);
            assert_eq!(part.live().len(), usize::from(size != 0.0));
            if size != 0.0 {
                assert!(part.energies(0).iter().all(|e| e.is_finite() && *e >= 0.0), "{size:e} {component}");
            }
        }
        assert_eq!(edges.betti(), 2);
    }
}

/// Purely exact, co-exact and harmonic signals are found where they belong.
#[test]
fn pure_signals_stay_in_their_component() {
    let (_, complex) = families().swap_remove(3);
    let (n, mut gradient, mut curl) = (complex.n_cells(1), vec![0.0; complex.n_cells(1)], vec![]);
    curl.resize(n, 0.0);
    let wave = |n: usize| (0..n).map(|i| ((i * i) as f64).cos()).collect::<Vec<f64>>();
    complex.boundary(1).unwrap().mul_transpose(&wave(complex.n_cells(0)), &mut gradient);
    complex.boundary(2).unwrap().mul(&wave(complex.n_cells(2)), &mut curl);
    let space = hodgelet::hodge::spectrum(
        &Operators::new(&complex, Weighting::Combinatorial),
        1,
        HodgeComponent::Harmonic,
    )
    .unwrap();
    let harmonic: Vec<f64> = (0..n).map(|i| space.eigenvectors()[(i, 0)]).collect();
    for (own, values) in HodgeComponent::ALL.into_iter().zip([gradient, curl, harmonic]) {
        let signal = Signal::from_row_major(n, 1, &values, Orientation::Oriented).unwrap();
        let sample =
            Sample { complex: Cow::Borrowed(&complex), signals: vec![None, Some(signal)], weights: None };
        let found = measure(&sample, by(Spectra::Lanczos, Weighting::Combinatorial)).unwrap();
        let norm: f64 = values.iter().map(|v| v * v).sum();
        for component in HodgeComponent::ALL {
            let share = found.of_dim(1).unwrap().component(component).total(0) / norm;
            let expected = f64::from(u8::from(component == own));
            assert!((share - expected).abs() < 1e-9, "{own}, {component}: {share}");
        }
    }
}

#[test]
fn betti_numbers_of_large_surfaces_need_no_eigenvalues() {
    let betti =
        |complex: &Complex| betti_numbers(&Operators::new(complex, Weighting::Combinatorial)).unwrap();
    let open = mesh(100, |x, y| !(x % 10 == 5 && y % 10 == 5));
    assert_eq!(betti(&open), [1, 100, 0]);
    // A closed surface does not collapse: a torus of 2 · 60² triangles.
    const N: u32 = 60;
    let at = |x: u32, y: u32| (x % N) * N + y % N;
    let triangles: Vec<[u32; 3]> = (0..N)
        .flat_map(|x| (0..N).map(move |y| (x, y)))
        .flat_map(|(x, y)| {
            [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]]
        })
        .collect();
    assert_eq!(betti(&surface((N * N) as usize, &triangles)), [1, 2, 1]);
}

/// Averaged over orientations, values of one size give every unit vector the energy of their square.
#[test]
fn values_of_one_size_have_one_energy_whatever_their_signs() {
    let families = families();
    for (name, complex) in families.iter().filter(|(_, complex)| complex.n_cells(1) > 200) {
        let n = complex.n_cells(1);
        for values in [vec![3.0; n], (0..n).map(|i| if i % 3 == 0 { -3.0 } else { 3.0 }).collect()] {
            let signal = Signal::from_row_major(n, 1, &values, Orientation::Unoriented).unwrap();
            let sample =
                Sample { complex: Cow::Borrowed(complex), signals: vec![None, Some(signal)], weights: None };
            let found = measure(&sample, by(Spectra::Auto, Weighting::Combinatorial)).unwrap();
            let edges = found.of_dim(1).unwrap();
            let operators = Operators::new(complex, Weighting::Combinatorial);
            for component in HodgeComponent::ALL {
                let dimension = hodgelet::hodge::spectrum(&operators, 1, component).unwrap().len() as f64;
                let part = edges.component(component);
                let energy = if part.live().is_empty() { 0.0 } else { part.total(0) };
                assert!((energy - 9.0 * dimension).abs() < 1e-8 * n as f64, "{name}, {component}: {energy}");
            }
        }
    }
}

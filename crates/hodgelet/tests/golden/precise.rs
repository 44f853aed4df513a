//! Energies on adversarial spectra and posteriors of nearly singular kernels, against 60 digits.
//!
//! What double precision can give is bounded: an eigenvalue is off by rounding of the largest one, and a solution by rounding
//! times the condition of what is solved. The bounds below are of that form.

use super::{signal, testdata};
use faer::Mat;
use hodgelet::complex::{CellWeights, Complex};
use hodgelet::feature::{Block, BlockMeasures, Component};
use hodgelet::gp::{Workspace, exact};
use hodgelet::hodge::Weighting;
use hodgelet::likelihood::{Likelihood, Observations};
use hodgelet::measure::{Sample, measure};
use serde::Deserialize;
use std::borrow::Cow;

/// Rounding of one operation, times the square of the largest matrix here: the usual bound on what accumulates.
const ROUNDING: f64 = 28.0 * 28.0 * f64::EPSILON;

#[derive(Deserialize)]
struct File {
    times: Vec<f64>,
    spectra: Vec<Spectrum>,
    posteriors: Vec<Regression>,
}

#[derive(Deserialize)]
struct Spectrum {
    name: String,
    n: usize,
    edges: Vec<[u32; 2]>,
    weights: Option<Vec<f64>>,
    vertex_signal: Vec<f64>,
    vertex_norm: f64,
    vertex_coexact: Vec<f64>,
    vertex_harmonic: f64,
    edge_signal: Option<Vec<f64>>,
    edge_norm: Option<f64>,
    edge_exact: Option<Vec<f64>>,
    edge_coexact: Option<Vec<f64>>,
    edge_harmonic: Option<f64>,
}

#[derive(Deserialize)]
struct Regression {
    name: String,
    noise: f64,
    condition: f64,
    largest: f64,
    gram: Vec<Vec<f64>>,
    cross: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
    y: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    evidence: f64,
}

fn file() -> File {
    let file: File = testdata("mpmath/precise.json");
    assert_eq!((file.spectra.len(), file.posteriors.len()), (9, 5), "the file has lost cases");
    file
}

/// `Σ exp(−2 t λ) E` over the atoms of a block.
fn heat(measures: &BlockMeasures, time: f64) -> f64 {
    let values = &measures.eigenvalues()[measures.atoms(0)];
    let of =
        |energies: &[f64]| values.iter().zip(energies).map(|(v, e)| (-2.0 * time * v).exp() * e).sum::<f64>();
    measures.channels(0).map(|(_, energies)| of(energies)).sum()
}

fn check(what: &str, found: f64, expected: f64, bound: f64) {
    assert!(
        (found - expected).abs() <= bound,
        "{what}: found {found:e}, expected {expected:e}, bound {bound:e}"
    );
}

#[test]
fn energies_are_right_to_rounding_of_the_largest_eigenvalue() {
    let File { times, spectra, .. } = file();
    for case in spectra {
        let graph = Complex::graph(case.n, &case.edges).unwrap();
        let weights = case.weights.as_ref().map(|w| CellWeights::new(vec![None, Some(w.clone())]).unwrap());
        let rows = |values: &[f64]| values.iter().map(|&x| vec![x]).collect::<Vec<_>>();
        let signals = vec![Some(signal(1, &rows(&case.vertex_signal)))];
        let sample = Sample { complex: Cow::Borrowed(&graph), signals, weights };
        let found = measure(&sample, Weighting::Combinatorial).unwrap();
        let energy: f64 = case.vertex_signal.iter().map(|x| x * x).sum();
        let block = |dim, component| BlockMeasures::new(Block { dim, component }, [&found]);
        let harmonic = heat(&block(0, Component::Harmonic), 0.0);
        check(&format!("{}, harmonic", case.name), harmonic, case.vertex_harmonic, ROUNDING * energy);
        let coexact = block(0, Component::Coexact);
        for (&time, &expected) in times.iter().zip(&case.vertex_coexact) {
            let bound = ROUNDING * energy * (1.0 + time * case.vertex_norm);
            check(&format!("{}, time {time}", case.name), heat(&coexact, time), expected, bound);
        }
        let (Some(flow), Some(norm)) = (&case.edge_signal, case.edge_norm) else { continue };
        let cliques = graph.clique_complex(2).unwrap();
        let signals = vec![None, Some(signal(1, &rows(flow)))];
        let sample = Sample { complex: Cow::Borrowed(&cliques), signals, weights: None };
        let found = measure(&sample, Weighting::Combinatorial).unwrap();
        let block = |component| BlockMeasures::new(Block { dim: 1, component }, [&found]);
        let energy: f64 = flow.iter().map(|x| x * x).sum();
        let harmonic = heat(&block(Component::Harmonic), 0.0);
        check(
            &format!("{}, harmonic flow", case.name),
            harmonic,
            case.edge_harmonic.unwrap(),
            ROUNDING * energy,
        );
        for (component, expected) in [
            (Component::Exact, case.edge_exact.as_ref().unwrap()),
            (Component::Coexact, case.edge_coexact.as_ref().unwrap()),
        ] {
            let measures = block(component);
            for (&time, &expected) in times.iter().zip(expected) {
                let bound = ROUNDING * energy * (1.0 + time * norm);
                let what = format!("{}, {component:?}, time {time}", case.name);
                check(&what, heat(&measures, time), expected, bound);
            }
        }
    }
}

#[test]
fn posteriors_are_right_to_rounding_times_the_condition() {
    for case in file().posteriors {
        let n = case.y.len();
        let matrix = |rows: &[Vec<f64>]| Mat::from_fn(rows.len(), n, |i, j| rows[i][j]);
        let (gram, cross) = (matrix(&case.gram), matrix(&case.cross));
        let likelihood = Likelihood::gaussian(case.noise).unwrap();
        let observations = Observations::reals(&case.y).unwrap();
        let posterior =
            exact::fit(gram.as_ref(), &likelihood, &observations, &mut Workspace::default()).unwrap();
        let found = posterior.predict(cross.as_ref(), &case.diagonal).unwrap();
        // What is solved is the kernel with the noise on its diagonal, whatever the condition of the kernel itself.
        let condition = (case.largest + case.noise) / case.noise;
        let size: f64 = case.y.iter().map(|y| y * y).sum::<f64>().sqrt();
        let name = format!("{}, condition {:.0e}, of the system {condition:.0e}", case.name, case.condition);
        for i in 0..case.mean.len() {
            // ‖(K + σ²)⁻¹ y‖ is at most ‖y‖ / σ².
            let bound = ROUNDING * condition * size * case.largest / case.noise;
            check(&format!("{name}, mean {i}"), found.mean[(i, 0)], case.mean[i], bound.min(1e-3));
            let bound = ROUNDING * condition * case.diagonal[i];
            check(
                &format!("{name}, variance {i}"),
                found.variance[(i, 0)],
                case.variance[i],
                bound.min(1e-3),
            );
        }
        let bound = ROUNDING * condition * (case.evidence.abs() + n as f64);
        check(&format!("{name}, evidence"), posterior.objective(), case.evidence, bound);
    }
}

//! Graph Laplacians, filters and norms of filtered signals against PyGSP.
//!
//! PyGSP's families are ours up to a factor and the name of the scale: its ab-spline low-pass filter is `e^{−t⁴}`
//! with `t = αλ`, ours `γ e^{−(t/0.6)⁴}`; its Mexican hat is `t e^{−t}`, our heat band over `e`.

mod file;

use super::assert_close;
use file::{Banks, Family, Graph, Mother, file, weighting};
use hodgelet::feature::{Block, BlockMeasures, Component, ENERGY_FLOOR, wavelet_features};
use hodgelet::hodge::{HodgeComponent, Term, laplacian, spectrum};
use hodgelet::measure::measure;
use hodgelet::wavelet::{BandPass, Bank, BankParams, LowPass};
use std::f64::consts::E;

/// Entries of Laplacians: a quotient of roots against the root of a quotient.
const ENTRY: f64 = 1e-15;
/// Eigenvalues and norms: two dense solvers differ by some `n ε λ_max`, and filters are steep.
const TOLERANCE: f64 = 1e-12;
/// Filters: PyGSP finds the peak of its ab-spline by search, to 1e-14.
const FILTER: f64 = 1e-13;
/// Where our ab-spline low-pass filter has fallen to 1/e.
const KNEE: f64 = 0.6;

const KINDS: [&str; 2] = ["combinatorial", "normalized"];
const FAMILIES: [&str; 5] = ["heat", "meyer", "abspline", "itersine", "mexican_hat"];

/// PyGSP's filter `index` is `factor` times the only filter of `bank`.
struct Comparison {
    index: usize,
    bank: Bank,
    factor: f64,
}

fn low(index: usize, family: LowPass, scale: f64, factor: f64) -> Comparison {
    let params = BankParams { n_filters: 1, n_bands: 0, low_pass: Some(family), ..Default::default() };
    let bank = params.check().and_then(|p| p.with_scales(&[scale], &[])).expect("scales of PyGSP are valid");
    Comparison { index, bank, factor }
}

fn band(index: usize, family: BandPass, scale: f64, factor: f64) -> Comparison {
    let params =
        BankParams { n_filters: 1, n_bands: 1, low_pass: None, band_pass: family, ..Default::default() };
    let bank = params.check().and_then(|p| p.with_scales(&[], &[scale])).expect("scales of PyGSP are valid");
    Comparison { index, bank, factor }
}

/// `γ = 1 + 2/(3√3)`, the value of our ab-spline low-pass filter at 0.
fn peak() -> f64 {
    1.0 + 2.0 / 27.0f64.sqrt()
}

/// The filters of a family that are dilates of one of ours.
fn comparisons(name: &str, g: &Family) -> Vec<Comparison> {
    let bands = |family: BandPass, factor: f64| {
        g.betas.iter().zip(1..).map(move |(&beta, l)| band(l, family, beta, factor))
    };
    match name {
        "heat" => (0..).zip(&g.alphas).map(|(i, &alpha)| low(i, LowPass::Heat, alpha, 1.0)).collect(),
        "meyer" => {
            let first = low(0, LowPass::Meyer, g.alpha, g.a_factor);
            [first].into_iter().chain(bands(BandPass::Meyer, 1.0)).collect()
        }
        "abspline" => {
            let first = low(0, LowPass::AbSpline, KNEE * g.alpha, g.a_factor / peak());
            [first].into_iter().chain(bands(BandPass::AbSpline, 1.0)).collect()
        }
        "itersine" => vec![band(1, BandPass::Itersine, 1.0 / g.scale, 1.0)],
        "mexican_hat" => {
            let first = low(0, LowPass::AbSpline, KNEE * g.alpha, g.a_factor / peak());
            [first].into_iter().chain(bands(BandPass::Heat, 1.0 / E)).collect()
        }
        _ => panic!("no family {name}"),
    }
}

/// Every graph under both Laplacians, with a name for messages.
fn each_case(check: impl Fn(&Graph, &str, &str)) {
    for graph in file().graphs {
        KINDS.iter().for_each(|kind| check(&graph, kind, &format!("{}, {kind}", graph.name)));
    }
}

#[test]
fn laplacians_of_vertices_are_those_of_pygsp() {
    each_case(|graph, kind, case| {
        let complex = graph.complex();
        let l = laplacian(&graph.operators(&complex, kind), 0, Term::Both);
        for (i, expected) in graph.laplacians[kind].matrix.iter().enumerate() {
            let row: Vec<f64> = (0..graph.n).map(|j| l[(i, j)]).collect();
            assert_close(&format!("{case}, row {i}"), &row, expected, ENTRY);
        }
    });
}

#[test]
fn harmonic_and_coexact_spectra_together_are_the_spectrum_of_pygsp() {
    each_case(|graph, kind, case| {
        let complex = graph.complex();
        let operators = graph.operators(&complex, kind);
        let [harmonic, coexact] = [HodgeComponent::Harmonic, HodgeComponent::Coexact]
            .map(|c| spectrum(&operators, 0, c).expect("small matrices converge"));
        let found = [harmonic.eigenvalues(), coexact.eigenvalues()].concat();
        assert_close(case, &found, &graph.laplacians[kind].eigenvalues, TOLERANCE);
    });
}

#[test]
fn mother_functions_are_those_of_pygsp() {
    let Mother { t, families } = file().mother;
    let check = |name: &str, f: &dyn Fn(f64) -> f64, expected: &[f64]| {
        let found: Vec<f64> = t.iter().map(|&t| f(t)).collect();
        assert_close(name, &found, expected, FILTER);
    };
    let b = |name: &str| families[name].b.as_deref().expect("the family has a band-pass filter");
    let spline = |t| LowPass::AbSpline.value(KNEE, t) / peak();
    check("heat, a", &|t| LowPass::Heat.value(1.0, t), &families["heat"].a);
    check("meyer, a", &|t| LowPass::Meyer.value(1.0, t), &families["meyer"].a);
    check("meyer, b", &|t| BandPass::Meyer.value(1.0, t), b("meyer"));
    check("abspline, a", &spline, &families["abspline"].a);
    check("abspline, b", &|t| BandPass::AbSpline.value(1.0, t), b("abspline"));
    check("itersine, a", &|t| BandPass::Itersine.value(1.0, t + 0.5), &families["itersine"].a);
    check("itersine, b", &|t| BandPass::Itersine.value(1.0, t), b("itersine"));
    check("mexican_hat, a", &spline, &families["mexican_hat"].a);
    check("mexican_hat, b", &|t| BandPass::Heat.value(1.0, t) / E, b("mexican_hat"));
}

#[test]
fn banks_have_the_values_of_pygsp() {
    each_case(|graph, kind, case| {
        let Banks { lambda, families } = &graph.banks[kind];
        for name in FAMILIES {
            for Comparison { index, bank, factor } in comparisons(name, &families[name]) {
                let mut found = vec![0.0; lambda.len()];
                bank.evaluate(lambda, &mut found).expect("eigenvalues are finite");
                found.iter_mut().for_each(|w| *w *= factor);
                let what = format!("{case}, {name}, filter {index}");
                assert_close(&what, &found, &families[name].values[index], FILTER);
            }
        }
    });
}

#[test]
fn itersine_filters_of_pygsp_are_translates_of_ours() {
    each_case(|graph, kind, case| {
        let Banks { lambda, families } = &graph.banks[kind];
        let golden = &families["itersine"];
        for (i, expected) in golden.values.iter().enumerate() {
            // Left of its support the filter is 0, as at its left end.
            let t = |x: f64| (x / golden.scale - (i as f64 - 1.0) / 2.0).max(0.0);
            let found: Vec<f64> = lambda.iter().map(|&x| BandPass::Itersine.value(1.0, t(x))).collect();
            assert_close(&format!("{case}, filter {i}"), &found, expected, FILTER);
        }
    });
}

#[test]
fn features_without_split_are_the_norms_of_signals_filtered_by_pygsp() {
    each_case(|graph, kind, case| {
        let measures = measure(&graph.sample(kind), weighting(kind)).expect("the graph can be measured");
        let measures = BlockMeasures::new(Block { dim: 0, component: Component::Whole }, [&measures]);
        for name in FAMILIES {
            let golden = &graph.banks[kind].families[name];
            for Comparison { index, bank, factor } in comparisons(name, golden) {
                let features = wavelet_features(&measures, &bank).expect("eigenvalues are finite");
                let norm = |s: f64| factor * (s * s - ENERGY_FLOOR).max(0.0).sqrt();
                let found: Vec<f64> = features.row(0).iter().map(|&s| norm(s)).collect();
                let what = format!("{case}, {name}, norms of filter {index}");
                assert_close(&what, &found, &golden.norms[index], TOLERANCE);
            }
        }
    });
}

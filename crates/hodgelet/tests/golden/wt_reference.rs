//! Features of molecules and proteins against the reference implementation of [Opolka23] and [Alain24].
//!
//! The reference lists features filter by filter, column `s D + d`; ours are channel by channel, `d W + j`.

use super::{assert_close, golden, signal};
use faer::{Mat, MatRef};
use hodgelet::complex::Complex;
use hodgelet::feature::{Block, BlockMeasures, Component, Standardizer, harmonic_features, wavelet_features};
use hodgelet::hodge::{HodgeComponent, Operators, Weighting, betti_numbers, spectrum};
use hodgelet::measure::{MeasureError, Sample, measure_all};
use hodgelet::wavelet::{Bank, BankParams};
use serde::Deserialize;
use std::borrow::Cow;
use std::ops::ControlFlow;

const FILES: [&str; 3] =
    ["wt_mutag12_normalized.json", "wt_mutag12_combinatorial.json", "wt_enzymes15_normalized.json"];

/// Eigenvalues: two dense solvers differ by some `n ε λ_max`.
const EIGENVALUE: f64 = 1e-12;
/// Features: filters are steep, and the reference adds up products with dense eigenvectors.
const FEATURE: f64 = 1e-11;
/// Standardized features: errors grow by the reciprocal of the standard deviation.
const STANDARDIZED: f64 = 1e-9;

#[derive(Deserialize)]
struct File {
    laplacian: String,
    graph_indices_train: Vec<usize>,
    scales: Vec<Vec<f64>>,     // [W, L]
    low_scales: Vec<Vec<f64>>, // [W, 1]
    graphs: Vec<Graph>,        // training graphs, then test graphs
    wt: Features,
    hodge: Hodge,
}

#[derive(Deserialize)]
struct Graph {
    num_nodes: usize,
    edges: Vec<[u32; 2]>, // in both directions
    signal: Vec<Vec<f64>>,
    laplacian_eigenvalues: Vec<f64>,
}

#[derive(Deserialize)]
struct Features {
    features_raw_train: Vec<Vec<f64>>,
    features_raw_test: Vec<Vec<f64>>,
    #[serde(default)]
    features_std_train_reference: Vec<Vec<f64>>,
    #[serde(default)]
    features_std_test_reference: Vec<Vec<f64>>,
    #[serde(default)]
    constant_columns: Vec<usize>,
    #[serde(default)]
    dims: Vec<usize>, // of the harmonic space of each graph
}

impl Features {
    /// Training rows, then test rows.
    fn raw(&self) -> Vec<Vec<f64>> {
        [&self.features_raw_train[..], &self.features_raw_test].concat()
    }
}

#[derive(Deserialize)]
struct Hodge {
    coexact: Features,
    harmonic: Features,
}

/// A golden file with what is needed to recompute it.
pub(super) struct Case {
    pub(super) name: &'static str,
    file: File,
    complexes: Vec<Complex>,
    weighting: Weighting,
}

impl Case {
    fn new(name: &'static str) -> Option<Self> {
        let file: File = serde_json::from_value(golden(name)?).unwrap_or_else(|e| panic!("{name}: {e}"));
        let weighting = match file.laplacian.as_str() {
            "combinatorial" => Weighting::Combinatorial,
            "normalized" => Weighting::SymmetricNormalized,
            other => panic!("{name}: Laplacian {other}"),
        };
        let complexes = file.graphs.iter().map(|graph| complex(name, graph)).collect();
        Some(Self { name, file, complexes, weighting })
    }

    fn n_channels(&self) -> usize {
        self.file.graphs[0].signal[0].len()
    }

    pub(super) fn measures(&self, component: Component) -> BlockMeasures {
        let sample = |i: usize| {
            let complex = Cow::Borrowed(&self.complexes[i]);
            let signals = vec![Some(signal(self.n_channels(), &self.file.graphs[i].signal))];
            Ok::<_, MeasureError>(Sample { complex, signals, weights: None })
        };
        let go_on = |_| ControlFlow::Continue(());
        let measures = measure_all(self.complexes.len(), sample, self.weighting, go_on)
            .unwrap_or_else(|e| panic!("{}: {e}", self.name));
        BlockMeasures::new(Block { dim: 0, component }, &measures)
    }

    /// The bank of the reference: `1/(1+t)` and Mexican hats, the defaults.
    pub(super) fn bank(&self) -> Bank {
        let File { scales, low_scales, .. } = &self.file;
        let params =
            BankParams { n_filters: scales.len(), n_bands: scales[0].len(), ..BankParams::default() };
        let bank = params.check().and_then(|p| p.with_scales(&low_scales.concat(), &scales.concat()));
        bank.unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn features(&self, component: Component) -> Mat<f64> {
        wavelet_features(&self.measures(component), &self.bank())
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// Our column for column `c` of the reference.
    fn column(&self, c: usize) -> usize {
        let (s, d) = (c / self.n_channels(), c % self.n_channels());
        d * self.file.scales.len() + s
    }

    fn assert_rows(&self, what: &str, found: MatRef<'_, f64>, expected: &[Vec<f64>]) {
        assert_eq!(found.nrows(), expected.len(), "{}, {what}", self.name);
        for (i, expected) in expected.iter().enumerate() {
            assert_eq!(found.ncols(), expected.len(), "{}, {what}", self.name);
            let row: Vec<f64> = (0..expected.len()).map(|c| found[(i, self.column(c))]).collect();
            assert_close(&format!("{}, {what}, graph {i}", self.name), &row, expected, FEATURE);
        }
    }
}

fn complex(name: &str, graph: &Graph) -> Complex {
    let (complex, report) =
        Complex::graph_cleaned(graph.num_nodes, &graph.edges).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(
        (report.self_loops, 2 * report.duplicates),
        (0, graph.edges.len()),
        "{name}: edges appear twice"
    );
    complex
}

pub(super) fn cases() -> impl Iterator<Item = Case> {
    FILES.into_iter().filter_map(Case::new)
}

#[test]
fn harmonic_and_coexact_spectra_together_are_the_eigenvalues_of_the_reference() {
    for case in cases() {
        for (i, (graph, complex)) in case.file.graphs.iter().zip(&case.complexes).enumerate() {
            let operators = Operators::new(complex, case.weighting);
            let [harmonic, coexact] = [HodgeComponent::Harmonic, HodgeComponent::Coexact]
                .map(|c| spectrum(&operators, 0, c).expect("small matrices converge"));
            let found = [harmonic.eigenvalues(), coexact.eigenvalues()].concat();
            let what = format!("{}, graph {i}", case.name);
            assert_close(&what, &found, &graph.laplacian_eigenvalues, EIGENVALUE);
            let betti = betti_numbers(&operators).expect("small matrices converge")[0];
            assert_eq!(betti, case.file.hodge.harmonic.dims[i], "{what}");
        }
    }
}

#[test]
fn features_without_split_are_those_of_the_reference() {
    for case in cases() {
        case.assert_rows("whole", case.features(Component::Whole).as_ref(), &case.file.wt.raw());
    }
}

#[test]
fn coexact_features_are_those_of_the_reference() {
    for case in cases() {
        case.assert_rows(
            "co-exact",
            case.features(Component::Coexact).as_ref(),
            &case.file.hodge.coexact.raw(),
        );
    }
}

/// Every filter of the reference is 1 at 0, so that the bank repeats the one column per channel that is kept.
#[test]
fn harmonic_features_are_those_of_the_reference() {
    for case in cases() {
        let expected = case.file.hodge.harmonic.raw();
        let found = harmonic_features(&case.measures(Component::Harmonic));
        let repeated: Vec<Vec<f64>> = expected.iter().map(|row| row.repeat(case.file.scales.len())).collect();
        case.assert_rows("harmonic by the bank", case.features(Component::Harmonic).as_ref(), &repeated);
        assert_eq!((found.nrows(), found.ncols()), (expected.len(), case.n_channels()), "{}", case.name);
        for (i, expected) in expected.iter().enumerate() {
            let row: Vec<f64> = found.row(i).iter().copied().collect();
            assert_close(&format!("{}, harmonic, graph {i}", case.name), &row, expected, FEATURE);
        }
    }
}

/// The reference divides columns that are constant over the training graphs by a standard deviation of rounding size; ours
/// become 0 there, so these columns are compared by name only.
#[test]
fn standardized_features_are_those_of_the_reference_where_columns_vary() {
    for case in cases() {
        let features = case.features(Component::Whole);
        let standardizer = Standardizer::fit(features.subrows(0, case.file.graph_indices_train.len()), None);
        let z = standardizer.applied(features.as_ref());
        let wt = &case.file.wt;
        let (live, constant): (Vec<usize>, Vec<usize>) =
            (0..z.ncols()).partition(|&c| standardizer.is_live(case.column(c)));
        assert_eq!(constant, wt.constant_columns, "{}", case.name);
        let expected = [&wt.features_std_train_reference[..], &wt.features_std_test_reference].concat();
        assert_eq!(z.nrows(), expected.len(), "{}", case.name);
        for (i, expected) in expected.iter().enumerate() {
            let row: Vec<f64> = live.iter().map(|&c| z[(i, case.column(c))]).collect();
            let expected: Vec<f64> = live.iter().map(|&c| expected[c]).collect();
            let what = format!("{}, standardized, graph {i}", case.name);
            assert_close(&what, &row, &expected, STANDARDIZED);
            assert!(constant.iter().all(|&c| z[(i, case.column(c))] == 0.0), "{what}: constant columns");
        }
    }
}

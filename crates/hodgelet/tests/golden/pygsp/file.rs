//! The golden file of PyGSP, and its graphs as complexes.

use crate::{signal, testdata};
use hodgelet::complex::{CellWeights, Complex};
use hodgelet::hodge::{Operators, Weighting};
use hodgelet::measure::Sample;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Deserialize)]
pub struct File {
    pub mother: Mother,
    pub graphs: Vec<Graph>,
}

#[derive(Deserialize)]
pub struct Mother {
    pub t: Vec<f64>,
    #[serde(flatten)]
    pub families: BTreeMap<String, Pair>,
}

#[derive(Deserialize)]
pub struct Pair {
    pub a: Vec<f64>,
    pub b: Option<Vec<f64>>,
}

#[derive(Deserialize)]
pub struct Graph {
    pub name: String,
    pub n: usize,
    pub edges: Vec<[u32; 2]>,
    pub weights: Option<Vec<f64>>,
    pub signal: Vec<Vec<f64>>, // [n, 2]
    pub laplacians: BTreeMap<String, Laplacian>,
    pub banks: BTreeMap<String, Banks>,
}

#[derive(Deserialize)]
pub struct Laplacian {
    pub matrix: Vec<Vec<f64>>,
    pub eigenvalues: Vec<f64>,
}

#[derive(Deserialize)]
pub struct Banks {
    pub lambda: Vec<f64>,
    #[serde(flatten)]
    pub families: BTreeMap<String, Family>,
}

#[derive(Deserialize)]
pub struct Family {
    #[serde(default)]
    pub alphas: Vec<f64>,
    #[serde(default)]
    pub alpha: f64,
    #[serde(default)]
    pub betas: Vec<f64>,
    #[serde(default)]
    pub a_factor: f64,
    #[serde(default)]
    pub scale: f64,
    pub values: Vec<Vec<f64>>, // [n_filters, lambda]
    pub norms: Vec<Vec<f64>>,  // [n_filters, n_channels]
}

impl Graph {
    pub fn complex(&self) -> Complex {
        Complex::graph(self.n, &self.edges).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// Weights of the edges, `M_1 = W`, and for the normalized Laplacian those of the vertices, `M_0 = D`.
    pub fn weights(&self, kind: &str) -> Option<CellWeights> {
        let weights = self.weights.as_ref()?;
        let strength =
            |v| self.edges.iter().zip(weights).filter(|(e, _)| e.contains(&v)).map(|(_, w)| w).sum();
        let strengths = (kind == "normalized").then(|| (0..self.n as u32).map(strength).collect());
        Some(CellWeights::new(vec![strengths, Some(weights.clone())]).expect("weights are positive"))
    }

    pub fn operators<'a>(&self, complex: &'a Complex, kind: &str) -> Operators<'a> {
        match self.weights(kind) {
            Some(weights) => Operators::weighted(complex, &weights).expect("weights fit"),
            None => Operators::new(complex, weighting(kind)),
        }
    }

    /// The graph with its signal. With weights, signals become `M_0^{1/2} x`; PyGSP filters `x` itself.
    pub fn sample(&self, kind: &str) -> Sample<'static> {
        let weights = self.weights(kind);
        let mut rows = self.signal.clone();
        if let Some(strengths) = weights.as_ref().and_then(|w| w.of_dim(0)) {
            rows.iter_mut().zip(strengths).for_each(|(row, m)| row.iter_mut().for_each(|x| *x /= m.sqrt()));
        }
        Sample { complex: Cow::Owned(self.complex()), signals: vec![Some(signal(2, &rows))], weights }
    }
}

pub fn weighting(kind: &str) -> Weighting {
    match kind {
        "combinatorial" => Weighting::Combinatorial,
        _ => Weighting::SymmetricNormalized,
    }
}

pub fn file() -> File {
    let file: File = testdata("pygsp/filters.json");
    assert_eq!(file.graphs.len(), 6, "the file has lost graphs");
    file
}

//! Signed features: inner products of signals with vectors of one complex that all items share.
//!
//! Energies are even: they cannot tell a flow from its reverse. Where all items live on one complex, with one labelling
//! and one orientation of its cells, the sign has a meaning, and inner products with fixed vectors keep it. The vectors
//! are those of a harmonic basis, with the lowest exact and co-exact eigenvectors if asked for, or given cycles, whose
//! inner product with a flow is its circulation.
//!
//! The basis is made once and kept in the model. A kernel of distances does not depend on which orthonormal basis of an
//! eigenspace it is, as long as the whole eigenspace is in it: the harmonic space always is; a number of eigenvectors
//! that ends inside an eigenspace takes a part of it, always the same one. The numbers depend on the orientation of cells
//! and are of no use on any other complex, which is therefore refused.

use crate::complex::Complex;
use crate::feature::BlockMeasures;
use crate::hodge::{HodgeComponent, HodgeError, Operators, Spectrum, spectrum};
use crate::measure::SignedMeasure;
use crate::signal::{Orientation, Signal};
use faer::Mat;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Most numbers in a basis: cells times vectors.
const MAX_NUMBERS: usize = 1 << 24;

/// Which vectors signals are multiplied with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SignedParams {
    /// A basis of the harmonic space of dimension `dim`, and this many of the lowest exact and co-exact eigenvectors.
    Harmonic {
        /// Dimension of the cells.
        dim: usize,
        /// Exact eigenvectors.
        exact: usize,
        /// Co-exact eigenvectors.
        coexact: usize,
    },
    /// Closed walks along edges, each by its vertices in order; the first may be repeated at the end. The feature of a
    /// flow is its circulation, the sum of its values along the walk.
    Cycles(Vec<Vec<u32>>),
}

impl SignedParams {
    /// The harmonic basis on edges alone.
    pub const HARMONIC: Self = Self::Harmonic { dim: 1, exact: 0, coexact: 0 };

    /// Dimension of the cells.
    #[must_use]
    pub fn dim(&self) -> usize {
        match self {
            Self::Harmonic { dim, .. } => *dim,
            Self::Cycles(_) => 1,
        }
    }

    /// The basis of the complex of `operators`, which all items must share.
    ///
    /// # Errors
    ///
    /// [`SignedError`] when there is no vector, a cycle is none, or the spectrum does not converge.
    pub fn fit(&self, operators: &Operators<'_>) -> Result<SignedBasis, SignedError> {
        let complex = operators.complex();
        let (eigenvalues, vectors) = match self {
            Self::Harmonic { dim, exact, coexact } => eigenbasis(operators, *dim, *exact, *coexact)?,
            Self::Cycles(cycles) => {
                let vectors = cycles.iter().enumerate().map(|(i, cycle)| circulation(complex, i, cycle));
                (vec![0.0; cycles.len()], vectors.collect::<Result<Vec<_>, _>>()?)
            }
        };
        let dim = self.dim();
        if vectors.is_empty() {
            return Err(SignedError::Empty { dim });
        }
        let basis = Basis {
            dim,
            n_cells: complex.n_cells(dim),
            fingerprint: fingerprint(complex),
            eigenvalues,
            vectors,
        };
        SignedBasis::try_from(basis)
    }
}

/// Eigenvalues, and vectors whose inner product with a raw signal is the coefficient of the weighted one.
fn eigenbasis(
    operators: &Operators<'_>,
    dim: usize,
    exact: usize,
    coexact: usize,
) -> Result<(Vec<f64>, Vec<Vec<f64>>), SignedError> {
    let (mut eigenvalues, mut vectors) = (Vec::new(), Vec::new());
    let mut take = |found: &Spectrum, count: usize| {
        for n in 0..count.min(found.len()) {
            eigenvalues.push(found.eigenvalues()[n]);
            let u = found.eigenvectors().col(n);
            vectors.push(u.iter().enumerate().map(|(i, u)| u * operators.signal_root(dim, i)).collect());
        }
    };
    take(&spectrum(operators, dim, HodgeComponent::Harmonic)?, usize::MAX);
    if exact > 0 {
        take(&spectrum(operators, dim, HodgeComponent::Exact)?, exact);
    }
    if coexact > 0 {
        take(&spectrum(operators, dim, HodgeComponent::Coexact)?, coexact);
    }
    Ok((eigenvalues, vectors))
}

/// The signed number of times a closed walk passes each edge.
fn circulation(complex: &Complex, cycle: usize, walk: &[u32]) -> Result<Vec<f64>, SignedError> {
    let mut passes = vec![0.0; complex.n_cells(1)];
    let open = match walk {
        [first, .., last] if first == last => &walk[..walk.len() - 1],
        _ => walk,
    };
    if open.len() < 3 {
        return Err(SignedError::Short { cycle, found: open.len() });
    }
    let sides: std::collections::HashMap<[u32; 2], (usize, f64)> = (0..complex.n_cells(1))
        .filter_map(|e| complex.edge(e).map(|ends| (e, ends)))
        .flat_map(|(e, [tail, head])| [([tail, head], (e, 1.0)), ([head, tail], (e, -1.0))])
        .collect();
    for (i, &tail) in open.iter().enumerate() {
        let head = open[(i + 1) % open.len()];
        let (edge, sign) = sides.get(&[tail, head]).ok_or(SignedError::NoEdge { cycle, tail, head })?;
        passes[*edge] += sign;
    }
    Ok(passes)
}

/// A digest of the cells and boundary operators of a complex, in their order and orientation.
#[must_use]
pub fn fingerprint(complex: &Complex) -> String {
    let mut digest = Sha256::new();
    for k in 0..=complex.dim() {
        digest.update((complex.n_cells(k) as u64).to_le_bytes());
        let Some(boundary) = complex.boundary(k) else { continue };
        for cell in 0..boundary.n_cols() {
            let (faces, values) = boundary.column(cell);
            digest.update((faces.len() as u64).to_le_bytes());
            for (face, value) in faces.iter().zip(values) {
                digest.update(face.to_le_bytes());
                digest.update(value.to_bits().to_le_bytes());
            }
        }
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A [`SignedBasis`] as it is written to files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Basis {
    dim: usize,
    n_cells: usize,
    fingerprint: String,
    eigenvalues: Vec<f64>,
    vectors: Vec<Vec<f64>>,
}

/// Vectors on the cells of one dimension of a shared complex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Basis", into = "Basis")]
pub struct SignedBasis(Basis);

impl From<SignedBasis> for Basis {
    fn from(basis: SignedBasis) -> Self {
        basis.0
    }
}

impl TryFrom<Basis> for SignedBasis {
    type Error = SignedError;

    fn try_from(basis: Basis) -> Result<Self, SignedError> {
        let found = basis.vectors.len().saturating_mul(basis.n_cells);
        if found > MAX_NUMBERS {
            return Err(SignedError::TooLarge { found, most: MAX_NUMBERS });
        }
        let sound = |v: &Vec<f64>| v.len() == basis.n_cells && v.iter().all(|x| x.is_finite());
        let one_each = !basis.vectors.is_empty() && basis.eigenvalues.len() == basis.vectors.len();
        if !one_each || !basis.eigenvalues.iter().all(|x| x.is_finite()) || !basis.vectors.iter().all(sound) {
            return Err(SignedError::Unsound { n_cells: basis.n_cells });
        }
        Ok(Self(basis))
    }
}

impl SignedBasis {
    /// Dimension of the cells.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.0.dim
    }

    /// Number of vectors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.vectors.len()
    }

    /// Whether there is none, which does not occur.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.vectors.is_empty()
    }

    /// Number of cells that the vectors have numbers for.
    #[must_use]
    pub fn n_cells(&self) -> usize {
        self.0.n_cells
    }

    /// Vector `n`, a number a cell.
    #[must_use]
    pub fn vector(&self, n: usize) -> &[f64] {
        &self.0.vectors[n]
    }

    /// Eigenvalue of each vector; 0 for cycles.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.0.eigenvalues
    }

    /// Whether `complex` is the one the basis belongs to, with the same order and orientation of its cells.
    #[must_use]
    pub fn belongs_to(&self, complex: &Complex) -> bool {
        complex.n_cells(self.0.dim) == self.0.n_cells && fingerprint(complex) == self.0.fingerprint
    }

    /// The inner products of every oriented channel of `signal` (on vertices, of every channel) with the vectors.
    ///
    /// # Errors
    ///
    /// [`HodgeError::Rows`] when the signal lives on another number of cells, [`HodgeError::Overflow`] when an inner
    /// product is not finite.
    pub fn measure(&self, signal: &Signal) -> Result<SignedMeasure, HodgeError> {
        let Basis { dim, n_cells, eigenvalues, vectors, .. } = &self.0;
        if signal.n_cells() != *n_cells {
            return Err(HodgeError::Rows { dim: *dim, expected: *n_cells, found: signal.n_cells() });
        }
        let channels = signal.channels();
        let has_sign = |d: &usize| *dim == 0 || channels.orientation(*d) == Orientation::Oriented;
        let live: Vec<usize> = (0..signal.n_channels()).filter(has_sign).collect();
        let mut products = Vec::with_capacity(live.len() * vectors.len());
        for &d in &live {
            let product = |v: &Vec<f64>| signal.values().entries(d).map(|(i, x)| v[i] * x).sum::<f64>();
            products.extend(vectors.iter().map(product));
        }
        if products.iter().any(|c| !c.is_finite()) {
            return Err(HodgeError::Overflow { dim: *dim });
        }
        let live = live.into_iter().map(|d| d as u32).collect();
        Ok(SignedMeasure::new(*dim, signal.n_channels(), eigenvalues.clone(), live, products))
    }
}

/// Signed features of all complexes, `[n, n_channels * count]`, channel `d` and vector `j` in column `d * count + j`;
/// zero where a complex has none.
#[must_use]
pub fn signed_features(measures: &BlockMeasures, count: usize) -> Mat<f64> {
    let mut features = Mat::zeros(measures.len(), measures.n_channels() * count);
    for i in 0..measures.len() {
        for (d, products) in measures.channels(i) {
            for (j, &product) in products.iter().take(count).enumerate() {
                features[(i, d * count + j)] = product;
            }
        }
    }
    features
}

/// What can be wrong with signed features.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SignedError {
    /// Nothing to multiply with.
    #[error(
        "no vector for signed features on cells of dimension {dim}: the complex has no hole there, or no cycle is given"
    )]
    Empty {
        /// Dimension of the cells.
        dim: usize,
    },
    /// A cycle of too few vertices.
    #[error("cycle {cycle} has {found} distinct steps, expected at least 3")]
    Short {
        /// Index of the cycle.
        cycle: usize,
        /// Its vertices.
        found: usize,
    },
    /// A step of a cycle that is no edge.
    #[error("cycle {cycle} goes from vertex {tail} to vertex {head}, between which there is no edge")]
    NoEdge {
        /// Index of the cycle.
        cycle: usize,
        /// Start of the step.
        tail: u32,
        /// Its end.
        head: u32,
    },
    /// A complex that is not the shared one.
    #[error("complex {index} is not the one that signed features belong to: {found}, expected {expected}")]
    NotShared {
        /// Index of the complex.
        index: usize,
        /// What it is.
        found: String,
        /// What the shared one is.
        expected: String,
    },
    /// A line graph has cells of its own.
    #[error("signed features on the line graph, whose edges have no orientation to keep")]
    LineGraph,
    /// No channel follows the orientation of its cells.
    #[error("signed features on cells of dimension {dim}, but no oriented signal is there")]
    NoFlow {
        /// Dimension of the cells.
        dim: usize,
    },
    /// A basis that would not fit in a model.
    #[error("a basis of {found} numbers, expected at most {most}")]
    TooLarge {
        /// Numbers found.
        found: usize,
        /// Numbers allowed.
        most: usize,
    },
    /// A basis in a file that is none.
    #[error(
        "the basis of signed features does not have vectors of {n_cells} finite numbers with an eigenvalue each"
    )]
    Unsound {
        /// Number of cells.
        n_cells: usize,
    },
    /// From the spectra.
    #[error(transparent)]
    Hodge(#[from] HodgeError),
}

impl SignedError {
    /// A way out, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Empty { .. } => {
                Some("ask for the lowest exact or co-exact eigenvectors too, or give cycles")
            }
            Self::NotShared { .. } => Some(
                "signed features need one complex for all items, its cells in the same order and orientation",
            ),
            Self::NoFlow { .. } => Some("declare the column oriented, or use another dimension"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hodge::Weighting;

    /// A ring of six vertices with a chord.
    fn ring() -> Complex {
        Complex::graph(6, &[[0, 1], [1, 2], [2, 3], [4, 3], [4, 5], [5, 0], [1, 4]]).unwrap()
    }

    fn flow(values: &[f64]) -> Signal {
        Signal::from_row_major(values.len(), 1, values, Orientation::Oriented).unwrap()
    }

    fn products(basis: &SignedBasis, values: &[f64]) -> Vec<f64> {
        basis.measure(&flow(values)).unwrap().products(0).to_vec()
    }

    #[test]
    fn a_reversed_flow_has_the_opposite_features() {
        let complex = ring();
        let operators = Operators::new(&complex, Weighting::Combinatorial);
        let params = SignedParams::Harmonic { dim: 1, exact: 2, coexact: 3 };
        let basis = params.fit(&operators).unwrap();
        assert_eq!(basis.len(), 4); // two holes and two gradients; a graph has no curls
        let values = [1.0, -2.0, 0.5, 3.0, 1.5, 0.0, -1.0];
        let there = products(&basis, &values);
        let back = products(&basis, &values.map(|x| -x));
        assert!(there.iter().zip(&back).all(|(a, b)| a == &-b));
        assert!(there.iter().any(|c| c.abs() > 0.1));
    }

    #[test]
    fn circulations_follow_the_walk() {
        let complex = ring();
        let operators = Operators::new(&complex, Weighting::Combinatorial);
        let params =
            SignedParams::Cycles(vec![vec![0, 1, 2, 3, 4, 5], vec![1, 2, 3, 4, 1], vec![1, 4, 3, 2]]);
        let basis = params.fit(&operators).unwrap();
        let found = products(&basis, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        assert_eq!(found, [47.0, -66.0, 66.0]); // edge 3 points against the ring, the chord from 1 to 4
    }

    #[test]
    fn gradients_have_no_harmonic_features() {
        let complex = ring();
        let basis = SignedParams::HARMONIC.fit(&Operators::new(&complex, Weighting::Combinatorial)).unwrap();
        let mut gradient = vec![0.0; 7];
        complex.boundary(1).unwrap().mul_transpose(&[3.0, -1.0, 4.0, 1.0, -5.0, 9.0], &mut gradient);
        assert!(products(&basis, &gradient).iter().all(|c| c.abs() < 1e-12));
    }

    #[test]
    fn only_the_same_cells_in_the_same_orientation_belong() {
        let basis = SignedParams::HARMONIC.fit(&Operators::new(&ring(), Weighting::Combinatorial)).unwrap();
        assert!(basis.belongs_to(&ring()));
        let turned = Complex::graph(6, &[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [1, 4]]).unwrap();
        assert!(!basis.belongs_to(&turned));
        let json = serde_json::to_string(&basis).unwrap();
        assert_eq!(serde_json::from_str::<SignedBasis>(&json).unwrap(), basis);
        let shorter = json.replacen("\"n_cells\":7", "\"n_cells\":6", 1);
        assert!(serde_json::from_str::<SignedBasis>(&shorter).is_err());
        let empty = r#"{"dim":1,"n_cells":7,"fingerprint":"","eigenvalues":[],"vectors":[]}"#;
        assert!(serde_json::from_str::<SignedBasis>(empty).is_err());
    }

    #[test]
    fn what_is_no_basis_is_named() {
        let path = Complex::graph(3, &[[0, 1], [1, 2]]).unwrap();
        let message = |params: SignedParams| {
            params.fit(&Operators::new(&path, Weighting::Combinatorial)).unwrap_err().to_string()
        };
        assert_eq!(
            message(SignedParams::HARMONIC),
            "no vector for signed features on cells of dimension 1: the complex has no hole there, or no cycle is given"
        );
        assert_eq!(
            message(SignedParams::Cycles(vec![vec![0, 1, 2]])),
            "cycle 0 goes from vertex 2 to vertex 0, between which there is no edge"
        );
        assert_eq!(
            message(SignedParams::Cycles(vec![vec![0, 1, 0]])),
            "cycle 0 has 2 distinct steps, expected at least 3"
        );
    }
}

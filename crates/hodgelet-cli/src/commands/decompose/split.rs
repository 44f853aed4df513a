//! Energies, shares and component signals on the cells of one dimension.

use crate::error::CommandError;
use faer::Mat;
use hodgelet::complex::Complex;
use hodgelet::hodge::{BoundarySpectrum, HodgeComponent, Operators, decompose};
use hodgelet::linalg::SparseMat;
use hodgelet::measure::DimMeasures;
use hodgelet::signal::{Channels, Orientation, Signal};
use serde::Serialize;

/// What is known of the signals on the cells of one dimension.
#[derive(Debug, Serialize)]
pub struct DimSplit {
    pub dim: usize,
    /// End vertices of edges, tail first; indices of other cells.
    pub cells: Vec<CellName>,
    pub channels: Vec<ChannelSplit>,
    pub spectrum: SpectrumSplit,
}

/// How a cell is named.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum CellName {
    Edge([u32; 2]),
    Index(usize),
}

/// One channel.
#[derive(Debug, Serialize)]
pub struct ChannelSplit {
    pub name: String,
    pub oriented: bool,
    pub norm_squared: f64,
    pub energies: Shares,
    /// Energies over their sum; none for a channel without any.
    pub shares: Option<Shares>,
    /// Values cell by cell; none for an unoriented channel.
    pub components: Option<Components>,
    pub signal: Vec<f64>,
}

/// A number for each component.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Shares {
    pub exact: f64,
    pub coexact: f64,
    pub harmonic: f64,
}

/// Three signals that add up to the channel.
#[derive(Debug, Serialize)]
pub struct Components {
    pub exact: Vec<f64>,
    pub coexact: Vec<f64>,
    pub harmonic: Vec<f64>,
}

/// The spectra next to a dimension.
#[derive(Debug, Serialize)]
pub struct SpectrumSplit {
    pub exact: SpectrumSummary,
    pub coexact: SpectrumSummary,
    /// Dimension of the harmonic part, the Betti number.
    pub harmonic: usize,
}

/// The non-zero eigenvalues of one component, counted with multiplicity.
#[derive(Debug, Serialize)]
pub struct SpectrumSummary {
    pub count: usize,
    pub smallest: Option<f64>,
    pub largest: Option<f64>,
}

/// Splits the signal on cells of dimension `dim`.
///
/// # Errors
///
/// [`CommandError::Hodge`] when eigenvalues do not converge.
pub fn split(
    operators: &Operators<'_>,
    dim: usize,
    signal: &Signal,
    measures: &DimMeasures,
) -> Result<DimSplit, CommandError> {
    let names = signal.channels();
    let oriented: Vec<usize> = (0..signal.n_channels())
        .filter(|&d| dim == 0 || names.orientation(d) == Orientation::Oriented)
        .collect();
    let parts = decompose(operators, dim, &selected(signal, &oriented))?;
    let channels = (0..signal.n_channels()).map(|d| {
        // Empty sums are -0.
        let energy = |component| measures.component(component).total(d) + 0.0;
        let [exact, coexact, harmonic] = HodgeComponent::ALL.map(energy);
        let total = exact + coexact + harmonic;
        let components = oriented.iter().position(|&o| o == d).map(|at| Components {
            exact: column(&parts.exact, at),
            coexact: column(&parts.coexact, at),
            harmonic: column(&parts.harmonic, at),
        });
        ChannelSplit {
            name: names.name(d).to_owned(),
            oriented: dim > 0 && names.orientation(d) == Orientation::Oriented,
            norm_squared: signal.values().entries(d).map(|(_, x)| x * x).sum::<f64>() + 0.0,
            energies: Shares { exact, coexact, harmonic },
            shares: (total > 0.0).then(|| Shares {
                exact: exact / total,
                coexact: coexact / total,
                harmonic: harmonic / total,
            }),
            components,
            signal: dense(signal, d),
        }
    });
    let (exact, coexact) = (summary(operators, dim)?, summary(operators, dim + 1)?);
    let spectrum = SpectrumSplit { exact, coexact, harmonic: measures.betti() };
    Ok(DimSplit { dim, cells: cell_names(operators.complex(), dim), channels: channels.collect(), spectrum })
}

/// The channels `which` of a signal, all oriented.
fn selected(signal: &Signal, which: &[usize]) -> Signal {
    let mut values = SparseMat::with_rows(signal.n_cells());
    for &d in which {
        values.push_column(signal.values().entries(d).map(|(i, x)| (i as u32, x)));
    }
    let names = which.iter().map(|&d| (signal.channels().name(d).to_owned(), Orientation::Oriented));
    Signal::new(values, Channels::new(names)).expect("a part of a finite signal is finite")
}

fn column(matrix: &Mat<f64>, d: usize) -> Vec<f64> {
    (0..matrix.nrows()).map(|i| matrix[(i, d)]).collect()
}

fn dense(signal: &Signal, d: usize) -> Vec<f64> {
    let mut values = vec![0.0; signal.n_cells()];
    signal.values().entries(d).for_each(|(i, x)| values[i] = x);
    values
}

fn cell_names(complex: &Complex, dim: usize) -> Vec<CellName> {
    let edge = |cell: usize| if dim == 1 { complex.edge(cell).map(CellName::Edge) } else { None };
    (0..complex.n_cells(dim)).map(|cell| edge(cell).unwrap_or(CellName::Index(cell))).collect()
}

/// The spectrum of `B̃_k`.
fn summary(operators: &Operators<'_>, k: usize) -> Result<SpectrumSummary, CommandError> {
    if operators.boundary(k).is_none_or(|b| b.n_rows() == 0 || b.n_cols() == 0) {
        return Ok(SpectrumSummary { count: 0, smallest: None, largest: None });
    }
    let found = BoundarySpectrum::new(operators, k)?;
    let values = found.eigenvalues();
    Ok(SpectrumSummary {
        count: found.rank(),
        smallest: values.first().copied(),
        largest: values.last().copied(),
    })
}

//! Operators and the decomposition of one complex, for inspection.

use crate::arrays;
use crate::batch::Arrays;
use crate::error::Fault;
use crate::run::run;
use crate::settings::{self, lift};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::hodge::{self, CellWeights, HodgeError, Operators, Term, Weighting};
use hodgelet::model::SpaceParams;
use hodgelet::signal::{Orientation, Signal};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

type Array<'py> = Bound<'py, PyArray2<f64>>;

/// Betti numbers of every complex, over the reals.
#[pyfunction]
pub fn betti_numbers(py: Python<'_>, batch: &Bound<'_, PyAny>, cliques: usize) -> PyResult<Vec<Vec<usize>>> {
    let (_, complexes) = complexes(py, batch, cliques)?;
    run(py, None, None, |_| {
        let betti =
            |complex: &Complex| hodge::betti_numbers(&Operators::new(complex, Weighting::Combinatorial));
        Ok(complexes.iter().map(betti).collect::<Result<_, _>>()?)
    })
}

/// The signed boundary operator `B_k` of the only complex of a batch, dense.
#[pyfunction]
pub fn boundary<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    dim: usize,
    cliques: usize,
) -> PyResult<Array<'py>> {
    let (_, complexes) = complexes(py, batch, cliques)?;
    let complex = only(complexes)?;
    match complex.boundary(dim) {
        Some(boundary) => arrays::matrix(py, &boundary.to_dense()),
        None => {
            let below = dim.checked_sub(1).map_or(0, |dim| complex.n_cells(dim));
            arrays::rows(py, Vec::new(), below, 0)
        }
    }
}

/// The Hodge Laplacian `L_k` of the only complex of a batch, or one of its terms, dense.
#[pyfunction]
pub fn laplacian<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    dim: usize,
    term: &str,
    laplacian: &str,
    cliques: usize,
) -> PyResult<Array<'py>> {
    let one = One::new(py, batch, laplacian, cliques)?;
    let term = match term {
        "both" => Term::Both,
        "down" => Term::Down,
        "up" => Term::Up,
        _ => return Err(Fault::input(format!("term is `{term}`, expected both, down or up")).into()),
    };
    arrays::matrix(py, &hodge::laplacian(&one.operators()?, dim, term))
}

/// Exact, co-exact and harmonic parts of an oriented signal on the cells of the only complex of a batch.
#[pyfunction]
pub fn decompose<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    dim: usize,
    signal: PyReadonlyArray2<'py, f64>,
    laplacian: &str,
    cliques: usize,
) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
    let one = One::new(py, batch, laplacian, cliques)?;
    let values = signal.as_array();
    let (n, width) = values.dim();
    let rows: Vec<f64> = values.iter().copied().collect();
    let signal = Signal::from_row_major(n, width, &rows, Orientation::Oriented).map_err(Fault::input)?;
    let out = run(py, None, None, |_| Ok(hodge::decompose(&one.operators()?, dim, &signal)?))?;
    Ok((
        arrays::matrix(py, &out.exact)?,
        arrays::matrix(py, &out.coexact)?,
        arrays::matrix(py, &out.harmonic)?,
    ))
}

/// The only complex of a batch, with the weights of its cells.
struct One {
    complex: Complex,
    weighting: Weighting,
    weights: Option<CellWeights>,
}

impl One {
    fn new(py: Python<'_>, batch: &Bound<'_, PyAny>, laplacian: &str, cliques: usize) -> PyResult<Self> {
        let chosen = settings::laplacian(laplacian)?;
        let (dataset, complexes) = complexes(py, batch, cliques)?;
        let complex = only(complexes)?;
        let weighting = chosen.weighting;
        let space =
            SpaceParams { lift: lift(cliques), weighting, metric: chosen.metric, ..SpaceParams::default() };
        let weights = space.weights(&dataset, 0, &complex).map_err(Fault::from)?;
        Ok(Self { complex, weighting, weights })
    }

    fn operators(&self) -> Result<Operators<'_>, Fault> {
        match &self.weights {
            Some(weights) => Ok(Operators::weighted(&self.complex, weights).map_err(HodgeError::from)?),
            None => Ok(Operators::new(&self.complex, self.weighting)),
        }
    }
}

/// The dataset of a batch, and its complexes with the cliques of graphs filled.
fn complexes(py: Python<'_>, batch: &Bound<'_, PyAny>, cliques: usize) -> PyResult<(Dataset, Vec<Complex>)> {
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    run(py, None, None, |_| {
        let dataset = view.dataset(Targets::None)?;
        let lifted = |complex: &Complex| match complex.dim() <= 1 && cliques > 1 {
            true => complex.clique_complex(cliques).map_err(Fault::input),
            false => Ok(complex.clone()),
        };
        let complexes = dataset.complexes().iter().map(lifted).collect::<Result<_, _>>()?;
        Ok((dataset, complexes))
    })
}

fn only(complexes: Vec<Complex>) -> Result<Complex, Fault> {
    let found = complexes.len();
    match <[Complex; 1]>::try_from(complexes) {
        Ok([complex]) => Ok(complex),
        Err(_) => Err(Fault::input(format!("{found} graphs, expected one"))),
    }
}

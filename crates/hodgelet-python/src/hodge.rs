//! Operators and the decomposition of one complex, for inspection.

use crate::arrays;
use crate::batch::Arrays;
use crate::error::Fault;
use crate::run::run;
use hodgelet::choice::Choice;
use hodgelet::complex::{Complex, Lift};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::hodge::{self, HodgeError, Operators, Term, Weighting};
use hodgelet::measure::Sample;
use hodgelet::model::Measurer;
use hodgelet::settings::{Laplacian, Settings};
use hodgelet::signal::{Orientation, Signal};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

type Array<'py> = Bound<'py, PyArray2<f64>>;

/// Betti numbers of every complex, over the reals.
#[pyfunction]
pub fn betti_numbers(py: Python<'_>, batch: &Bound<'_, PyAny>, cliques: usize) -> PyResult<Vec<Vec<usize>>> {
    let complexes = complexes(py, batch, cliques)?;
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
    let complex = only(complexes(py, batch, cliques)?)?;
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
    sample: Sample<'static>,
    weighting: Weighting,
}

impl One {
    fn new(py: Python<'_>, batch: &Bound<'_, PyAny>, laplacian: &str, cliques: usize) -> PyResult<Self> {
        let names = || Laplacian::ALL.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(", ");
        let fault = || Fault::input(format!("laplacian is `{laplacian}`, expected {}", names()));
        let laplacian = Laplacian::named(laplacian).ok_or_else(fault)?;
        let dataset = dataset(py, batch)?;
        if dataset.len() != 1 {
            return Err(Fault::input(format!("{} graphs, expected one", dataset.len())).into());
        }
        let settings = Settings {
            vertices: Some(VertexSignal::Constant),
            edges: CellSignal::None,
            higher: CellSignal::None,
            lift: Some(lift(cliques)),
            laplacian: Some(laplacian),
            ..Settings::default()
        };
        let measurer = Measurer::fit(&settings, &dataset, &[0]).map_err(Fault::from)?;
        let sample = measurer.sample(&dataset, 0).map_err(Fault::from)?;
        Ok(Self { sample, weighting: laplacian.weighting() })
    }

    fn operators(&self) -> Result<Operators<'_>, Fault> {
        match &self.sample.weights {
            Some(weights) => {
                Ok(Operators::weighted(&self.sample.complex, weights).map_err(HodgeError::from)?)
            }
            None => Ok(Operators::new(&self.sample.complex, self.weighting)),
        }
    }
}

/// What cliques up to a dimension make of a graph: edges are there already.
fn lift(cliques: usize) -> Lift {
    if cliques <= 1 { Lift::None } else { Lift::Cliques(cliques) }
}

fn dataset(py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Dataset> {
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    run(py, None, None, |_| view.dataset(Targets::None))
}

/// The complexes of a batch, with the cliques of graphs filled.
fn complexes(py: Python<'_>, batch: &Bound<'_, PyAny>, cliques: usize) -> PyResult<Vec<Complex>> {
    let dataset = dataset(py, batch)?;
    let filled =
        |complex: &Complex| lift(cliques).filled(complex).map(|c| c.into_owned()).map_err(Fault::input);
    Ok(dataset.complexes().iter().map(filled).collect::<Result<_, _>>()?)
}

fn only(complexes: Vec<Complex>) -> Result<Complex, Fault> {
    let found = complexes.len();
    match <[Complex; 1]>::try_from(complexes) {
        Ok([complex]) => Ok(complex),
        Err(_) => Err(Fault::input(format!("{found} graphs, expected one"))),
    }
}

//! Molecules of a column of SMILES, by the reader of the command.

use crate::batch::Arrays;
use crate::error::Fault;
use crate::export::graphs;
use crate::run::run;
use hodgelet::dataset::Targets;
use hodgelet_data::smiles::{Attributes, Molecule, SmilesFault};
use hodgelet_data::table::dataset;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

/// The arrays of a batch, the rows they come from, and the rows at fault with the reason.
type Perceived<'py> = (Bound<'py, PyDict>, Vec<usize>, Vec<(usize, String)>);

/// The molecules of some strings as the arrays of a batch, the places of those that could be read, and for each of the
/// others its place and what is wrong with it. Attributes are those that are taken where none is named; `all` takes every one
/// that a model may have been trained on, and `mass` the masses of atoms, too.
#[pyfunction]
#[pyo3(signature = (texts, all, mass, threads=None))]
pub fn read_smiles<'py>(
    py: Python<'py>,
    texts: Vec<Option<String>>,
    all: bool,
    mass: bool,
    threads: Option<usize>,
) -> PyResult<Perceived<'py>> {
    let attributes = if all { Attributes::all(mass) } else { Attributes::default() };
    let (dataset, kept, faults) = run(py, threads, None, |_| {
        let read = |text: &Option<String>| -> Result<Molecule, SmilesFault> {
            let molecule = Molecule::parse(text.as_deref().unwrap_or_default())?;
            attributes.check(&molecule)?;
            Ok(molecule)
        };
        let parsed: Vec<Result<Molecule, SmilesFault>> = texts.par_iter().map(read).collect();
        let (mut kept, mut found, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for (place, molecule) in parsed.into_iter().enumerate() {
            match molecule {
                Ok(molecule) => {
                    kept.push(place);
                    found.push(molecule);
                }
                Err(fault) => faults.push((place, fault.to_string())),
            }
        }
        let dataset = dataset("molecules", &found, Targets::None, &attributes).map_err(Fault::input)?;
        Ok((dataset, kept, faults))
    })?;
    Ok((graphs(py, &dataset)?, kept, faults))
}

/// Whether the arrays of a batch are those of graphs that can be measured: an error that names the first that is not.
#[pyfunction]
#[pyo3(signature = (batch, threads=None))]
pub fn check_graphs(py: Python<'_>, batch: &Bound<'_, PyAny>, threads: Option<usize>) -> PyResult<()> {
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    run(py, threads, None, |_| view.dataset(Targets::None).map(|_| ()))
}

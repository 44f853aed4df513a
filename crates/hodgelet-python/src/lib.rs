//! The native half of the `hodgelet` package for Python: flat arrays in, flat arrays out.
//!
//! Arrays arrive as a `GraphBatch` and become a dataset in parallel; results leave as NumPy arrays. Names, defaults
//! and objects that users see are written in Python (`python/hodgelet`); nothing here is meant to be called directly.

mod arrays;
mod arrow;
mod batch;
mod command;
mod dicts;
mod error;
mod export;
mod hodge;
mod model;
mod report;
mod run;
mod several;
mod shape;
mod smiles;
mod space;
mod workers;

use pyo3::prelude::*;

/// The module `hodgelet._native`.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::arrow::{ArrowBatch, ArrowColumn, arrow_export, arrow_import};
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::export::read_dataset;
    #[pymodule_export]
    use super::hodge::{betti_numbers, boundary, decompose, laplacian};
    #[pymodule_export]
    use super::model::{Model, model_from_bytes};
    #[pymodule_export]
    use super::report::{layout, report};
    #[pymodule_export]
    use super::several::Models;
    #[pymodule_export]
    use super::shape::{expand, lift};
    #[pymodule_export]
    use super::smiles::{check_graphs, read_smiles};
    #[pymodule_export]
    use super::space::{FeatureSpace, space_from_bytes};
    #[pymodule_export]
    use super::workers::{Shard, combine_answers, fit_measurer, fit_on_workers, outline};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("LEAF_SIZE", workers::LEAF_SIZE)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

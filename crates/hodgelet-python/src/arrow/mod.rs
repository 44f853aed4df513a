//! Tables of other engines, through the Arrow PyCapsule interface, and back.
//!
//! [`import`] turns the columns of any table into flat NumPy arrays with offsets, [`export`] makes a record batch of
//! such arrays. What the columns mean is written in `python/hodgelet/arrow.py`.

mod export;
mod import;

pub use export::arrow_export;
pub use import::arrow_import;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{ArrowError, Field, FieldRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};
use std::sync::Arc;

/// One column, kept as it came.
#[pyclass(frozen, module = "hodgelet._native")]
pub struct ArrowColumn {
    field: FieldRef,
    array: ArrayRef,
}

/// A record batch that any engine can take: `pyarrow.record_batch(batch)`, `polars.DataFrame(batch)`.
#[pyclass(frozen, module = "hodgelet._native")]
pub struct ArrowBatch {
    batch: RecordBatch,
}

impl ArrowBatch {
    fn parts(&self) -> (FieldRef, ArrayRef) {
        let fields = self.batch.schema_ref().fields().clone();
        let array: ArrayRef = Arc::new(StructArray::from(self.batch.clone()));
        let metadata = self.batch.schema_ref().metadata().clone();
        (Arc::new(Field::new_struct("", fields, false).with_metadata(metadata)), array)
    }
}

#[pymethods]
impl ArrowBatch {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (field, array) = self.parts();
        Ok(to_array_pycapsules(py, field, &array, requested_schema)?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let (field, array) = self.parts();
        let once = vec![Ok::<_, ArrowError>(array)];
        Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new(once, field)), requested_schema)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.batch.schema_ref().as_ref())?)
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        let fields = self.batch.schema_ref().fields().iter();
        let columns: Vec<String> = fields.map(|f| format!("  {}: {}", f.name(), f.data_type())).collect();
        format!("ArrowBatch of {} rows\n{}", self.batch.num_rows(), columns.join("\n"))
    }
}

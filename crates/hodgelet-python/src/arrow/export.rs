//! From flat arrays to a record batch.

use super::{ArrowBatch, ArrowColumn};
use crate::error::Fault;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float64Array, Int64Array, LargeListArray, LargeStringArray,
    RecordBatch, RecordBatchOptions, StructArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{Field, FieldRef, Schema};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use std::sync::Arc;

/// A record batch of `n_rows` rows from one dict per column.
///
/// A column has a `name` and, as it may be, `column` (as it came), `fields` (of a struct), or `values` (numbers or
/// strings), which `width` or `inner` offsets gather into lists and `offsets` into lists again; `metadata` are strings.
#[pyfunction]
pub fn arrow_export(n_rows: usize, columns: Vec<Bound<'_, PyDict>>) -> PyResult<ArrowBatch> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut arrays = Vec::with_capacity(columns.len());
    for column in &columns {
        let (field, array) = build(column)?;
        fields.push(field);
        arrays.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new_with_options(schema, arrays, &options).map_err(Fault::input)?;
    Ok(ArrowBatch { batch })
}

fn build(column: &Bound<'_, PyDict>) -> PyResult<(FieldRef, ArrayRef)> {
    let name: String = need(column, "name")?.extract()?;
    if let Some(kept) = column.get_item("column")? {
        let kept = kept.cast::<ArrowColumn>().map_err(|e| Fault::input(e.to_string()))?.get();
        return Ok((Arc::clone(&kept.field), Arc::clone(&kept.array)));
    }
    let array: ArrayRef = match column.get_item("fields")? {
        Some(fields) => {
            let fields: Vec<Bound<'_, PyDict>> = fields.extract()?;
            let built = fields.iter().map(build).collect::<PyResult<Vec<_>>>()?;
            let (fields, arrays): (Vec<FieldRef>, Vec<ArrayRef>) = built.into_iter().unzip();
            Arc::new(StructArray::try_new(fields.into(), arrays, None).map_err(Fault::input)?)
        }
        None => gathered(column, values(column)?)?,
    };
    let mut field = Field::new(name, array.data_type().clone(), false);
    if let Some(metadata) = column.get_item("metadata")? {
        field = field.with_metadata(metadata.extract::<HashMap<String, String>>()?);
    }
    Ok((Arc::new(field), array))
}

fn need<'py>(column: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    let found = column.get_item(key)?;
    Ok(found.ok_or_else(|| Fault::input(format!("a column without `{key}`")))?)
}

fn values(column: &Bound<'_, PyDict>) -> PyResult<ArrayRef> {
    let values = need(column, "values")?;
    if let Ok(floats) = values.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(Arc::new(Float64Array::from(floats.as_array().to_vec())));
    }
    if let Ok(ints) = values.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(Arc::new(Int64Array::from(ints.as_array().to_vec())));
    }
    Ok(Arc::new(LargeStringArray::from(values.extract::<Vec<String>>()?)))
}

/// Values gathered into lists, and these into lists again.
fn gathered(column: &Bound<'_, PyDict>, values: ArrayRef) -> PyResult<ArrayRef> {
    let mut array = values;
    if let Some(width) = column.get_item("width")? {
        let width: i32 = width.extract()?;
        let item = Arc::new(Field::new_list_field(array.data_type().clone(), false));
        let rows = if width > 0 { array.len() / width as usize } else { 0 };
        array = Arc::new(
            FixedSizeListArray::try_new_with_length(item, width, array, None, rows).map_err(Fault::input)?,
        );
    }
    for key in ["inner", "offsets"] {
        if let Some(offsets) = column.get_item(key)? {
            array = Arc::new(list(&offsets.extract::<PyReadonlyArray1<'_, i64>>()?, array)?);
        }
    }
    Ok(array)
}

fn list(offsets: &PyReadonlyArray1<'_, i64>, values: ArrayRef) -> Result<LargeListArray, Fault> {
    let offsets = offsets.as_array().to_vec();
    let valid = offsets.first() == Some(&0) && offsets.windows(2).all(|pair| pair[0] <= pair[1]);
    if !valid || offsets.last().copied() != Some(values.len() as i64) {
        return Err(Fault::input(format!("offsets of lists must rise from 0 to {}", values.len())));
    }
    let item = Arc::new(Field::new_list_field(values.data_type().clone(), false));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    LargeListArray::try_new(item, offsets, values, None).map_err(Fault::input)
}

//! From a table of any engine to flat arrays.

use super::ArrowColumn;
use crate::error::Fault;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::input::AnyRecordBatch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The columns of a table, one dict each.
///
/// `kind` is `"floats"`, `"ints"`, `"labels"` (codes in `values` into `categories`) or `"other"`; a column of lists has
/// `offsets`, and one of lists of lists has `inner` offsets too. `column` is the column as it came.
#[pyfunction]
pub fn arrow_import<'py>(
    py: Python<'py>,
    table: AnyRecordBatch,
) -> PyResult<(usize, Vec<Bound<'py, PyDict>>)> {
    let batch = whole(table)?;
    let fields = batch.schema_ref().fields().iter().zip(batch.columns());
    let columns = fields.map(|(field, array)| {
        let dict = PyDict::new(py);
        dict.set_item("name", field.name())?;
        dict.set_item("type", field.data_type().to_string())?;
        dict.set_item("metadata", field.metadata().clone())?;
        fill(&dict, field.name(), array)?;
        let column = ArrowColumn { field: Arc::clone(field), array: Arc::clone(array) };
        dict.set_item("column", Py::new(py, column)?)?;
        Ok(dict)
    });
    Ok((batch.num_rows(), columns.collect::<PyResult<_>>()?))
}

/// All batches of a stream as one.
fn whole(table: AnyRecordBatch) -> PyResult<RecordBatch> {
    let reader = table.into_reader()?;
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().map_err(Fault::input)?;
    Ok(concat_batches(&schema, &batches).map_err(Fault::input)?)
}

fn fill(dict: &Bound<'_, PyDict>, name: &str, array: &ArrayRef) -> PyResult<()> {
    let Some((offsets, values)) = lists(array) else {
        return leaf(dict, name, array);
    };
    let py = dict.py();
    no_null(name, array)?;
    dict.set_item("offsets", PyArray1::from_vec(py, offsets))?;
    match lists(&values) {
        Some((inner, values)) => {
            dict.set_item("inner", PyArray1::from_vec(py, inner))?;
            leaf(dict, name, &values)
        }
        None => leaf(dict, name, &values),
    }
}

/// Offsets and values of a column of lists, offsets from 0; `None` for other columns.
fn lists(array: &ArrayRef) -> Option<(Vec<i64>, ArrayRef)> {
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            Some(rebased(list.offsets().iter().map(|&o| i64::from(o)).collect(), list.values()))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            Some(rebased(list.offsets().to_vec(), list.values()))
        }
        DataType::FixedSizeList(_, width) => {
            let list = array.as_fixed_size_list();
            let offsets = (0..=list.len() as i64).map(|i| i * i64::from(*width)).collect();
            Some(rebased(offsets, list.values()))
        }
        DataType::ListView(child) | DataType::LargeListView(child) => {
            lists(&cast(array, &DataType::LargeList(Arc::clone(child))).ok()?)
        }
        _ => None,
    }
}

/// A slice of a longer array starts anywhere; its offsets and values from there on.
fn rebased(mut offsets: Vec<i64>, values: &ArrayRef) -> (Vec<i64>, ArrayRef) {
    let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
    offsets.iter_mut().for_each(|offset| *offset -= first);
    (offsets, values.slice(first as usize, (last - first) as usize))
}

/// The numbers or labels at the bottom of a column.
fn leaf(dict: &Bound<'_, PyDict>, name: &str, array: &ArrayRef) -> PyResult<()> {
    let py = dict.py();
    let strings = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let kind = array.data_type();
    let target = match kind {
        DataType::Dictionary(_, value) if strings(value) => DataType::LargeUtf8,
        DataType::Boolean => DataType::Boolean,
        kind if strings(kind) => DataType::LargeUtf8,
        kind if kind.is_integer() => DataType::Int64,
        kind if kind.is_floating() || kind.is_decimal() => DataType::Float64,
        _ => return dict.set_item("kind", "other"),
    };
    let cast = cast(array, &target).map_err(|error| Fault::input(format!("column `{name}`: {error}")))?;
    dict.set_item("nulls", array.logical_null_count())?;
    if array.logical_null_count() > 0 {
        return dict.set_item("kind", "other");
    }
    match target {
        DataType::Int64 => {
            no_null(name, &cast)?; // a number beyond 64 bits becomes null
            dict.set_item("kind", "ints")?;
            dict.set_item("values", PyArray1::from_slice(py, cast.as_primitive::<Int64Type>().values()))
        }
        DataType::Float64 => {
            dict.set_item("kind", "floats")?;
            dict.set_item("values", PyArray1::from_slice(py, cast.as_primitive::<Float64Type>().values()))
        }
        DataType::Boolean => {
            let codes = cast.as_boolean().iter().map(|value| i64::from(value == Some(true))).collect();
            labels(dict, codes, &["False", "True"])
        }
        _ => {
            let strings = cast.as_string::<i64>();
            let mut code: BTreeMap<&str, i64> = strings.iter().flatten().map(|s| (s, 0)).collect();
            code.values_mut().zip(0..).for_each(|(value, position)| *value = position);
            let codes = strings.iter().flatten().map(|s| code[s]).collect();
            labels(dict, codes, &code.keys().copied().collect::<Vec<_>>())
        }
    }
}

fn labels(dict: &Bound<'_, PyDict>, codes: Vec<i64>, categories: &[&str]) -> PyResult<()> {
    dict.set_item("kind", "labels")?;
    dict.set_item("categories", categories)?;
    dict.set_item("values", PyArray1::from_vec(dict.py(), codes))
}

fn no_null(name: &str, array: &ArrayRef) -> Result<(), Fault> {
    match (0..array.len()).find(|&row| array.is_null(row)) {
        Some(row) => Err(Fault::input(format!("column `{name}` has no value in row {row}"))),
        None => Ok(()),
    }
}

//! Datasets on disk and built-in ones, as the arrays of a `GraphBatch`.

use crate::arrays;
use crate::error::Fault;
use crate::run::run;
use hodgelet::complex::Expansion;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets, WHOLE};
use hodgelet::signal::Orientation;
use hodgelet_cli::network::NetworkArgs;
use hodgelet_cli::source::{DataDirArgs, DatasetArgs};
use hodgelet_cli::table::TableArgs;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Reads a dataset by name or path, or draws a built-in one, as the command does; a dict of arrays.
#[pyfunction]
pub fn read_dataset(
    py: Python<'_>,
    name: String,
    settings: Vec<String>,
    seed: u64,
    data_dir: Option<PathBuf>,
    hypergraph: Option<String>,
) -> PyResult<Bound<'_, PyDict>> {
    let hypergraph = hypergraph.map(|name| name.parse::<Expansion>()).transpose().map_err(Fault::input)?;
    let data_dir = DataDirArgs { data_dir };
    let (columns, fingerprints, homology) = (None, None, Vec::new());
    let (table, network) = (TableArgs::default(), NetworkArgs::default());
    let source = DatasetArgs {
        dataset: name,
        settings,
        seed,
        hypergraph,
        homology,
        columns,
        fingerprints,
        grams: Vec::new(),
        gram_sizes: None,
        data_dir,
        table,
        network,
    };
    let read = run(py, None, None, |_| Ok(source.read_silently()?))?;
    let dataset = &read.dataset;
    let dict = graphs(py, dataset)?;
    dict.set_item("name", dataset.name())?;
    dict.set_item("ids", &read.ids)?;
    dict.set_item("report", read.report.to_string())?;
    match dataset.targets() {
        Targets::None => {}
        Targets::Classes { names, labels } => {
            dict.set_item("classes", names)?;
            dict.set_item("labels", ints(py, labels.iter().map(|&label| i64::from(label))))?;
        }
        Targets::Real(values) => dict.set_item("values", PyArray1::from_slice(py, values))?,
    }
    Ok(dict)
}

/// The graphs of a dataset as the arrays of a `GraphBatch`.
pub fn graphs<'py>(py: Python<'py>, dataset: &Dataset) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    complexes(&dict, dataset)?;
    let signals = dataset.columns().iter().filter(|column| !column.is_weights());
    dict.set_item("columns", signals.map(|c| column(py, c)).collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("weights", weights(py, dataset)?)?;
    Ok(dict)
}

fn ints(py: Python<'_>, values: impl Iterator<Item = i64>) -> Bound<'_, PyArray1<i64>> {
    PyArray1::from_vec(py, values.collect())
}

fn starts<'py>(py: Python<'py>, dataset: &Dataset, dim: usize) -> Bound<'py, PyArray1<i64>> {
    ints(py, dataset.cell_starts(dim).into_iter().map(|start| start as i64))
}

fn complexes(dict: &Bound<'_, PyDict>, dataset: &Dataset) -> PyResult<()> {
    let py = dict.py();
    dict.set_item("vertices", ints(py, dataset.complexes().iter().map(|c| c.n_cells(0) as i64)))?;
    let all = dataset.complexes();
    let ends = all.iter().flat_map(|complex| (0..complex.n_cells(1)).map(|e| complex.edge(e)));
    let ends: Option<Vec<[u32; 2]>> = ends.collect();
    // Cells that do not join two vertices, such as hyperedges, are told by their boundaries.
    let first = if ends.is_some() { 2 } else { 1 };
    let offsets = match &ends {
        Some(_) => starts(py, dataset, 1),
        None => ints(py, std::iter::repeat_n(0, all.len() + 1)),
    };
    dict.set_item("edge_offsets", offsets)?;
    let edges: Vec<i64> = ends.unwrap_or_default().into_iter().flatten().map(i64::from).collect();
    let n_edges = edges.len() / 2;
    dict.set_item("edges", PyArray1::from_vec(py, edges).reshape([n_edges, 2])?)?;
    let highest = all.iter().map(|complex| complex.dim()).max().unwrap_or(1);
    let boundaries = (first..=highest).map(|dim| boundary(py, dataset, dim)).collect::<PyResult<Vec<_>>>()?;
    dict.set_item("boundaries", boundaries)
}

fn boundary<'py>(py: Python<'py>, dataset: &Dataset, dim: usize) -> PyResult<Bound<'py, PyDict>> {
    let (mut face_starts, mut faces, mut coefficients) = (vec![0], Vec::new(), Vec::new());
    for operator in dataset.complexes().iter().filter_map(|complex| complex.boundary(dim)) {
        for cell in 0..operator.n_cols() {
            let (rows, values) = operator.column(cell);
            faces.extend(rows.iter().map(|&row| i64::from(row)));
            coefficients.extend_from_slice(values);
            face_starts.push(faces.len() as i64);
        }
    }
    let dict = PyDict::new(py);
    dict.set_item("dim", dim)?;
    dict.set_item("cell_offsets", starts(py, dataset, dim))?;
    dict.set_item("face_offsets", PyArray1::from_vec(py, face_starts))?;
    dict.set_item("faces", PyArray1::from_vec(py, faces))?;
    dict.set_item("coefficients", PyArray1::from_vec(py, coefficients))?;
    Ok(dict)
}

/// Weights of cells by dimension.
fn weights<'py>(py: Python<'py>, dataset: &Dataset) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for column in dataset.columns().iter().filter(|column| column.is_weights()) {
        if let ColumnValues::Real { values, .. } = &column.values {
            dict.set_item(column.dim, PyArray1::from_slice(py, values))?;
        }
    }
    Ok(dict)
}

fn column<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", &column.name)?;
    dict.set_item("dim", column.dim)?;
    dict.set_item("oriented", column.orientation == Orientation::Oriented)?;
    match &column.values {
        ColumnValues::Labels { categories, codes } => {
            dict.set_item("kind", "labels")?;
            dict.set_item("categories", categories)?;
            dict.set_item("values", ints(py, codes.iter().map(|&code| i64::from(code))))?;
            if column.dim == WHOLE {
                dict.set_item("offsets", ints(py, column.starts.iter().map(|&start| start as i64)))?;
            }
        }
        ColumnValues::Real { channels, values } => {
            let n = column.starts.last().copied().unwrap_or(0);
            dict.set_item("kind", "real")?;
            dict.set_item("channels", channels)?;
            dict.set_item("values", arrays::rows(py, values.clone(), n, channels.len())?)?;
        }
    }
    Ok(dict)
}

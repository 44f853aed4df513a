//! Matrices and lists as NumPy arrays.

use faer::Mat;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// A matrix as an array `[n_rows, n_cols]`.
pub fn matrix<'py>(py: Python<'py>, matrix: &Mat<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (n, width) = matrix.shape();
    let mut values = Vec::with_capacity(n * width);
    for i in 0..n {
        values.extend((0..width).map(|j| matrix[(i, j)]));
    }
    rows(py, values, n, width)
}

/// Numbers row by row as an array `[n, width]`.
pub fn rows<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    n: usize,
    width: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, values).reshape([n, width])
}

/// Matrices side by side, `[n, width]`, as the columns of one array.
pub fn beside<'py>(py: Python<'py>, n: usize, parts: &[Mat<f64>]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let width = parts.iter().map(Mat::ncols).sum();
    let mut values = Vec::with_capacity(n * width);
    for i in 0..n {
        for part in parts {
            values.extend((0..part.ncols()).map(|j| part[(i, j)]));
        }
    }
    rows(py, values, n, width)
}

/// Matrices `[n, width]` as one array `[n, n_parts, width]`.
pub fn stacked<'py>(
    py: Python<'py>,
    n: usize,
    width: usize,
    parts: &[&Mat<f64>],
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let mut values = Vec::with_capacity(n * width * parts.len());
    for i in 0..n {
        for part in parts {
            values.extend((0..width).map(|j| part[(i, j)]));
        }
    }
    PyArray1::from_vec(py, values).reshape([n, parts.len(), width])
}

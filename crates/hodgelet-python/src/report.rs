//! The report of a model as a page of HTML, and the layout of its drawings.

use crate::arrays;
use crate::batch::Arrays;
use crate::error::Fault;
use crate::model::{Model, targets};
use crate::run::run;
use faer::Mat;
use hodgelet::dataset::Targets;
use hodgelet::model::{FileError, ModelError};
use hodgelet::output::{Kind, Output};
use hodgelet_report::card::Fields;
use hodgelet_report::content::{Content, ContentError, Origin};
use hodgelet_report::page::html;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Writes the report of `model` on the graphs of `batch` to `path`, and returns its verdict.
#[pyfunction]
#[pyo3(signature = (
    model, batch, path, *, names, title, made, classes=None, labels=None, values=None, force=false, threads=None, callback=None
))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn report(
    py: Python<'_>,
    model: &Model,
    batch: &Bound<'_, PyAny>,
    path: PathBuf,
    names: Vec<String>,
    title: String,
    made: String,
    classes: Option<Vec<String>>,
    labels: Option<PyReadonlyArray1<'_, u32>>,
    values: Option<PyReadonlyArray1<'_, f64>>,
    force: bool,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let known = labels.is_some() || values.is_some();
    let targets = if known { targets(classes, labels, values)? } else { Targets::None };
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    let content = run(py, threads, callback.as_ref(), |watch| {
        let dataset = view.dataset(targets)?.with_name(title);
        let n = dataset.len();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let origin =
            Origin { command: "model.report(...) in Python".to_owned(), version, commit: None, made };
        let about = (origin, Fields { name: dataset.name().to_owned(), ..Fields::default() });
        let found = Content::of_model(model.inner(), &dataset, &names, about, |done| {
            watch.note("measuring", done, n, None)
        });
        match found {
            Ok(content) => Ok(Ok(content)),
            Err(ContentError::Model(error)) => Err(error.into()),
            Err(error) => Ok(Err(error.to_string())),
        }
    })?;
    let content = content.map_err(PyValueError::new_err)?;
    let text = html(&content);
    let output = Output::new(&path, Kind::PAGE).forced(force);
    output
        .write(|out| out.write_all(text.as_bytes()))
        .map_err(|error| Fault::from(FileError::from(error)))?;
    Ok(content.verdict)
}

/// Where the vertices of graph `index` of `batch` are drawn, `[n, 2]`: a layout of the graph alone.
#[pyfunction]
pub fn layout<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    index: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    let places = run(py, None, None, |_| {
        let dataset = view.dataset(Targets::None)?;
        let complex = dataset.complexes().get(index);
        let complex = complex.ok_or(ModelError::Index { index, len: dataset.len() })?;
        Ok(hodgelet_report::layout::places(complex))
    })?;
    let rows = Mat::from_fn(places.len(), 2, |i, k| places[i][k]);
    arrays::matrix(py, &rows)
}

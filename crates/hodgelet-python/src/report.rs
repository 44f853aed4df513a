//! The report of a model as a page of HTML, and the layout of its drawings.

use crate::arrays;
use crate::batch::Arrays;
use crate::error::Fault;
use crate::model::{Model, targets};
use crate::run::run;
use faer::Mat;
use hodgelet::dataset::Targets;
use hodgelet::model::{FileError, Goal, ModelError, Models};
use hodgelet::output::{Kind, Output};
use hodgelet_report::card::Fields;
use hodgelet_report::content::{Content, ContentError, Origin, of_models};
use hodgelet_report::numbers::{json, json_of_targets};
use hodgelet_report::page::{html, html_of_targets};
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Where a report goes and what is said of it.
#[derive(FromPyObject)]
pub struct Asked {
    /// The page.
    path: PathBuf,
    /// Whether the numbers go beside it, to the same name with `.json`.
    json: bool,
    /// Names of the graphs; none for their numbers.
    names: Vec<String>,
    /// Name of the dataset.
    title: String,
    /// When it was made.
    made: String,
    /// Whether anything is replaced.
    force: bool,
}

impl Asked {
    fn about(&self, name: String) -> (Origin, Fields) {
        let (version, command) = (env!("CARGO_PKG_VERSION"), "model.report(...) in Python");
        let origin = Origin {
            command: command.to_owned(),
            version: version.to_owned(),
            commit: None,
            made: self.made.clone(),
        };
        (origin, Fields { name, ..Fields::default() })
    }

    /// Writes the page, and the numbers beside it if they are wanted.
    fn write(&self, page: &str, numbers: impl FnOnce() -> String) -> PyResult<()> {
        let write = |path: &Path, kind, text: &str| {
            let output = Output::new(path, kind).forced(self.force);
            let written = output.write(|out| out.write_all(text.as_bytes()));
            written.map_err(|error| PyErr::from(Fault::from(FileError::from(error))))
        };
        write(&self.path, Kind::PAGE, page)?;
        if self.json {
            let mut beside = self.path.clone().into_os_string();
            beside.push(".json");
            write(Path::new(&beside), Kind::REPORT, &numbers())?;
        }
        Ok(())
    }
}

/// Tells faults of the model, which have a class of their own in Python, from others.
fn told<T>(found: Result<T, ContentError>) -> Result<Result<T, String>, Fault> {
    match found {
        Ok(content) => Ok(Ok(content)),
        Err(ContentError::Model(error)) => Err(error.into()),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// Writes the report of `model` on the graphs of `batch`, and returns its verdict.
#[pyfunction]
#[pyo3(signature = (model, batch, asked, *, classes=None, labels=None, values=None, threads=None, callback=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn report(
    py: Python<'_>,
    model: &Model,
    batch: &Bound<'_, PyAny>,
    asked: Asked,
    classes: Option<Vec<String>>,
    labels: Option<PyReadonlyArray1<'_, u32>>,
    values: Option<PyReadonlyArray1<'_, f64>>,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let known = labels.is_some() || values.is_some();
    let targets = if known { targets(classes, labels, values)? } else { Targets::None };
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    let content = run(py, threads, callback.as_ref(), |watch| {
        let dataset = view.dataset(targets)?.with_name(asked.title.clone());
        let n = dataset.len();
        let about = asked.about(asked.title.clone());
        told(Content::of_model(model.inner(), &dataset, &asked.names, about, |done| {
            watch.note("measuring", done, n, None)
        }))
    })?;
    let content = content.map_err(PyValueError::new_err)?;
    asked.write(&html(&content), || json(&content))?;
    Ok(content.verdict)
}

/// Writes the report of several targets on the graphs of `batch`, and returns the verdict of each.
pub fn report_targets(
    py: Python<'_>,
    models: &Models,
    batch: &Bound<'_, PyAny>,
    (asked, goals): (&Asked, &[Goal]),
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Vec<(String, String)>> {
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    let found = run(py, threads, callback.as_ref(), |watch| {
        let dataset = view.dataset(Targets::None)?.with_name(asked.title.clone());
        let n = dataset.len();
        let measured = models.measurer().measure(&dataset, |done| watch.note("measuring", done, n, None))?;
        let about = |name: &str| asked.about(format!("{}: {name}", asked.title));
        told(of_models(models, (&dataset, &asked.names), &measured.measures, goals, about))
    })?;
    let found = found.map_err(PyValueError::new_err)?;
    asked.write(&html_of_targets(&found), || json_of_targets(&found))?;
    Ok(found.into_iter().map(|(name, content)| (name, content.verdict)).collect())
}

/// Where the vertices of graph `index` of `batch` are drawn, `[n, 2]`: at their positions, or where a layout puts them.
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
        if index >= dataset.len() {
            return Err(ModelError::Index { index, len: dataset.len() }.into());
        }
        Ok(hodgelet_report::layout::places_of(&dataset, index))
    })?;
    let rows = Mat::from_fn(places.len(), 2, |i, k| places[i][k]);
    arrays::matrix(py, &rows)
}

//! Models of several targets with the same filters and kernels.

use crate::batch::Arrays;
use crate::error::Fault;
use crate::model::{Model, note, targets};
use crate::report::{Asked, report_targets};
use crate::run::run;
use crate::space::settings;
use hodgelet::dataset::Targets;
use hodgelet::model::{Goal, Measurer};
use hodgelet::output::{Kind, Output};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Models of several targets.
#[pyclass(frozen, module = "hodgelet._native")]
pub struct Models {
    models: hodgelet::model::Models,
}

/// A target: its name, the graphs where it is known, and classes by name and number, or numbers.
type Wanted<'py> = (
    String,
    Vec<usize>,
    Option<Vec<String>>,
    Option<PyReadonlyArray1<'py, u32>>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// Targets as the library takes them.
fn known(goals: Vec<Wanted<'_>>) -> PyResult<Vec<Goal>> {
    let goal = |(name, complexes, classes, labels, values): Wanted<'_>| {
        Ok(Goal { name, targets: targets(classes, labels, values)?, complexes })
    };
    goals.into_iter().map(goal).collect()
}

#[pymethods]
impl Models {
    /// Trains models of all targets together.
    #[staticmethod]
    #[pyo3(signature = (batch, settings, goals, reading, threads=None, callback=None))]
    fn fit(
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        settings: &str,
        goals: Vec<Wanted<'_>>,
        reading: BTreeMap<String, String>,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let goals = known(goals)?;
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let settings = self::settings(settings)?;
        run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(Targets::None)?;
            let all: Vec<usize> = (0..dataset.len()).collect();
            let measurer = Measurer::fit(&settings, &dataset, &all)?;
            let measured =
                measurer.measure(&dataset, |done| watch.note("measuring", done, dataset.len(), None))?;
            let steps = settings.iterations;
            let total = steps.saturating_mul(settings.restarts);
            let callback = |stage| note(watch, stage, steps, 0, total);
            let models = settings.fit_several(&measurer, &measured, &goals, callback)?;
            Ok(Self { models: models.with_reading(&reading) })
        })
    }

    /// The names of the targets.
    fn names(&self) -> Vec<String> {
        self.models.names().to_vec()
    }

    /// The model of target `k`, as a file gives it back.
    fn model(&self, py: Python<'_>, k: usize) -> PyResult<Model> {
        run(py, None, None, |_| {
            let model = self.models.models().get(k).ok_or_else(|| Fault::input("there is no such target"))?;
            let bytes = model.to_bytes()?;
            Ok(Model::new(hodgelet::model::Model::from_bytes(&bytes)?))
        })
    }

    /// Writes the report of all targets on the graphs of `batch`, and returns the verdict of each.
    #[pyo3(signature = (batch, asked, goals, threads=None, callback=None))]
    fn report(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        asked: Asked,
        goals: Vec<Wanted<'_>>,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Vec<(String, String)>> {
        report_targets(py, &self.models, batch, (&asked, &known(goals)?), threads, callback)
    }

    /// Writes all models to one file; only with `force` in place of something else than a model.
    #[pyo3(signature = (path, force = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        let output = Output::new(&path, Kind::MODEL).forced(force);
        Ok(py.detach(|| self.models.save_to(&output)).map_err(Fault::from)?)
    }

    /// Reads a file of several models.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let models = run(py, None, None, |_| {
            hodgelet::model::Models::load(&path).map_err(|error| match Fault::from(error) {
                Fault::File(None, message) => Fault::File(None, format!("{}: {message}", path.display())),
                fault => fault,
            })
        })?;
        Ok(Self { models })
    }
}

//! A trained model, behind the classifier and the regressor.

use crate::arrays;
use crate::batch::Arrays;
use crate::error::Fault;
use crate::run::{Watch, run};
use crate::space::{SpaceView, settings};
use hodgelet::dataset::Targets;
use hodgelet::model::{FittedTargets, ModelError, Stage, UpdateParams};
use hodgelet::output::{Kind, Output};
use hodgelet_eval::search::{SearchParams, Trial};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A trained model.
#[pyclass(frozen, module = "hodgelet._native")]
pub struct Model {
    pub(crate) model: hodgelet::model::Model,
    trials: Vec<Trial>,
}

impl Model {
    pub(crate) fn new(model: hodgelet::model::Model) -> Self {
        Self { model, trials: Vec::new() }
    }

    /// The model itself.
    pub(crate) fn inner(&self) -> &hodgelet::model::Model {
        &self.model
    }

    fn space(&self) -> SpaceView<'_> {
        SpaceView(self.model.space())
    }
}

#[pymethods]
impl Model {
    /// Trains on all graphs of `batch`: classes by name and number, or real targets.
    #[staticmethod]
    #[pyo3(signature = (
        batch, settings, *, classes=None, labels=None, values=None, auto=false, reading=BTreeMap::new(),
        threads=None, callback=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn fit(
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        settings: &str,
        classes: Option<Vec<String>>,
        labels: Option<PyReadonlyArray1<'_, u32>>,
        values: Option<PyReadonlyArray1<'_, f64>>,
        auto: bool,
        reading: BTreeMap<String, String>,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let targets = targets(classes, labels, values)?;
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let settings = self::settings(settings)?;
        run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(targets)?;
            let all: Vec<usize> = (0..dataset.len()).collect();
            let steps = settings.iterations;
            let total = steps.saturating_mul(settings.restarts);
            if auto {
                let search = SearchParams::standard(settings, &dataset);
                let every = total.saturating_mul(search.n_fits());
                let found = search.fit(&dataset, &all, |fit, stage| {
                    note(watch, stage, steps, fit.saturating_mul(total), every)
                })?;
                return Ok(Self { model: found.model.with_reading(reading), trials: found.trials });
            }
            let model = settings.fit_with(&dataset, &all, |stage| note(watch, stage, steps, 0, total))?;
            Ok(Self { model: model.with_reading(reading), trials: Vec::new() })
        })
    }

    /// The model with the graphs of `batch` added; `old` are those it was trained on, if they are given again.
    #[pyo3(signature = (
        batch, *, classes=None, labels=None, values=None, threads=None, callback=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn update(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        classes: Option<Vec<String>>,
        labels: Option<PyReadonlyArray1<'_, u32>>,
        values: Option<PyReadonlyArray1<'_, f64>>,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let targets = targets(classes, labels, values)?;
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(targets)?;
            let model =
                self.model.update(&dataset, UpdateParams::default(), |stage| note(watch, stage, 1, 0, 1))?;
            Ok(Self { model, trials: Vec::new() })
        })
    }

    /// Predictions as arrays.
    #[pyo3(signature = (batch, threads=None, callback=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let (prediction, training) = run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(Targets::None)?;
            let n = dataset.len();
            let prediction =
                self.model.predict_with(&dataset, |done| watch.note("measuring", done, n, None))?;
            Ok((prediction, self.model.training_distances()?))
        })?;
        let dict = self.prediction(py, &prediction)?;
        dict.set_item("novelty", self.novelty(py, &prediction.novelty, training)?)?;
        Ok(dict)
    }

    /// The kernel between graphs, or between those of two batches.
    #[pyo3(signature = (batch, other=None, threads=None))]
    fn gram<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        other: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (left, right) = (Arrays::of(batch)?, other.map(Arrays::of).transpose()?);
        let (left, right) = (left.view()?, right.as_ref().map(Arrays::view).transpose()?);
        let found = run(py, threads, None, |_| {
            let left = left.dataset(Targets::None)?;
            let right = right.as_ref().map(|view| view.dataset(Targets::None)).transpose()?;
            Ok(self.model.gram(&left, right.as_ref())?)
        })?;
        Ok(arrays::matrix(py, &found)?.into_any())
    }

    /// The covariance of new observations of graphs, `[n_graphs, n_graphs]`.
    #[pyo3(signature = (batch, threads=None))]
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let found =
            run(py, threads, None, |_| Ok(self.model.predict_covariance(&view.dataset(Targets::None)?)?))?;
        Ok(arrays::matrix(py, &found)?.into_any())
    }

    /// Labels of cells that are new to the model: dimension, column, label and number of cells.
    fn new_labels(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<(usize, String, String, usize)>> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let found = run(py, None, None, |_| {
            let dataset = view.dataset(Targets::None)?;
            Ok(self.model.space().measurer().encoding().new_labels(&dataset).map_err(ModelError::from)?)
        })?;
        Ok(found.into_iter().map(|new| (new.dim, new.column, new.label, new.cells)).collect())
    }

    /// Shares of the cells of graph `index` in the latent means, block by block, and the vertices of its edges.
    #[pyo3(signature = (batch, index, threads=None))]
    fn explain_cells<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        index: usize,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let (found, edges) = run(py, threads, None, |_| {
            let dataset = view.dataset(Targets::None)?;
            let found = self.model.explain_cells(&dataset, index)?;
            let complex = &dataset.complexes()[index];
            let edges: Vec<Option<[u32; 2]>> = (0..complex.n_cells(1)).map(|e| complex.edge(e)).collect();
            Ok((found, edges))
        })?;
        let blocks = PyList::empty(py);
        for cells in &found {
            let dict = PyDict::new(py);
            dict.set_item("block", self.model.space().block_name(cells.block))?;
            dict.set_item("dim", cells.block.dim)?;
            dict.set_item("origin", PyArray1::from_slice(py, &cells.origin))?;
            dict.set_item("cells", arrays::matrix(py, &cells.cells)?)?;
            let labels = cells.labels.iter().map(|l| (l.depth, l.cells.clone(), l.share.clone()));
            dict.set_item("labels", labels.collect::<Vec<_>>())?;
            blocks.append(dict)?;
        }
        let dict = PyDict::new(py);
        dict.set_item("blocks", blocks)?;
        dict.set_item("edges", edges.into_iter().flatten().collect::<Vec<_>>())?;
        Ok(dict)
    }

    /// How graphs compare with the training graphs as a whole.
    #[pyo3(signature = (batch, threads=None, callback=None))]
    fn drift<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let found = run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(Targets::None)?;
            let n = dataset.len();
            Ok(self.model.drift_with(&dataset, |done| watch.note("measuring", done, n, None))?)
        })?;
        let dict = PyDict::new(py);
        dict.set_item("statistic", found.statistic)?;
        dict.set_item("p_value", found.p_value)?;
        dict.set_item("n_new", found.n_new)?;
        dict.set_item("n_training", found.n_training)?;
        dict.set_item("compared_new", found.compared_new)?;
        dict.set_item("compared_training", found.compared_training)?;
        dict.set_item("permutations", found.permutations)?;
        Ok(dict)
    }

    /// Sets of classes, `[n_graphs, n_classes]`, or both ends of intervals, and what they rest on.
    #[pyo3(signature = (batch, coverage, threads=None, callback=None))]
    fn regions<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        coverage: f64,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        if !(coverage > 0.0 && coverage < 1.0) {
            return Err(Fault::from(ModelError::Coverage { found: coverage }).into());
        }
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let (regions, unknown) = run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(Targets::None)?;
            let n = dataset.len();
            let note = |done| watch.note("measuring", done, n, None);
            let predicted = self.model.predict_calibrated(&dataset, note)?;
            Ok((predicted.regions(coverage)?, predicted.prediction.unknown))
        })?;
        let dict = self.regions_dict(py, &regions)?;
        dict.set_item("unknown", unknown)?;
        Ok(dict)
    }

    /// Leave-one-out predictions of the training graphs.
    fn leave_one_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = run(py, None, None, |_| Ok(self.model.leave_one_out()?))?;
        let dict = PyDict::new(py);
        dict.set_item("latent_mean", arrays::matrix(py, &out.latents.mean)?)?;
        dict.set_item("latent_variance", arrays::matrix(py, &out.latents.variance)?)?;
        dict.set_item("log_density", PyArray1::from_vec(py, out.log_densities))?;
        dict.set_item("probabilities", arrays::matrix(py, &out.probabilities)?)?;
        Ok(dict)
    }

    /// Features of every graph under the learned filters, and the number of labels that are unknown.
    #[pyo3(signature = (batch, standardize, threads=None, callback=None))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        standardize: bool,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        self.space().features(py, batch, standardize, threads, callback.as_ref())
    }

    /// Energy measures of every graph, a dict for each block, and the number of labels that are unknown.
    #[pyo3(signature = (batch, threads=None, callback=None))]
    fn measures<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        self.space().measures(py, batch, threads, callback.as_ref())
    }

    /// Names of the channels of signals on the cells of a dimension.
    fn channels(&self, dim: usize) -> Vec<String> {
        self.space().channels(dim)
    }

    /// Names of the columns of `features`.
    fn names(&self) -> Vec<String> {
        self.model.space().column_names()
    }

    /// The blocks with their filters and kernels.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let blocks = self.space().blocks(py)?;
        for (dict, kernel) in blocks.iter().zip(self.model.kernel().blocks()) {
            dict.set_item("variance", kernel.variance)?;
            let lengthscales = kernel.base.lengthscales.values.clone();
            dict.set_item("lengthscales", PyArray1::from_vec(py, lengthscales))?;
            dict.set_item("kernel", json(&kernel.base.family)?)?;
        }
        Ok(blocks)
    }

    /// Filters of a block on a grid of eigenvalues, `[n_filters, n_eigenvalues]`.
    fn filter_curves<'py>(
        &self,
        py: Python<'py>,
        block: usize,
        grid: Vec<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.space().filter_curves(py, block, &grid)
    }

    /// Columns of Gram matrices, and how many graphs each is of.
    fn grams(&self) -> Vec<(String, usize)> {
        let grams = self.model.space().measurer().grams();
        grams.into_iter().map(|(name, n)| (name.to_owned(), n)).collect()
    }

    /// Names of the classes; none for real targets.
    fn class_names(&self) -> Option<Vec<String>> {
        match self.model.targets() {
            FittedTargets::Classes { names } => Some(names.clone()),
            FittedTargets::Real { .. } => None,
        }
    }

    /// Targets, settings, likelihood and how training went, as JSON.
    fn description(&self) -> PyResult<String> {
        let model = &self.model;
        let mut likelihood = serde_json::json!(model.likelihood_params());
        for (name, value) in model.likelihood().hyperparameters() {
            likelihood[name.replace(' ', "_")] = value.into();
        }
        Ok(json(&serde_json::json!({
            "targets": model.targets(),
            "settings": model.settings(),
            "likelihood": likelihood,
            "hyperparameters": model.hyperparameters(),
            "constant": model.kernel().constant(),
            "training": model.summary(),
            "basis": model.basis(),
            "calibration_graphs": model.n_calibration(),
        }))?)
    }

    /// The fits of a search for settings, as JSON; none without a search.
    fn trials(&self) -> PyResult<String> {
        Ok(json(&self.trials)?)
    }

    /// Writes the model file; only with `force` in place of something else than a model.
    #[pyo3(signature = (path, force = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        let output = Output::new(&path, Kind::MODEL).forced(force);
        Ok(py.detach(|| self.model.save_to(&output)).map_err(Fault::from)?)
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = run(py, None, None, |_| {
            hodgelet::model::Model::load(&path).map_err(|error| match Fault::from(error) {
                Fault::File(None, message) => Fault::File(None, format!("{}: {message}", path.display())),
                fault => fault,
            })
        })?;
        Ok(Self { model, trials: Vec::new() })
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes().map_err(Fault::from)?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.import("hodgelet._native")?.getattr("model_from_bytes")?, (self.to_bytes(py)?,)))
    }
}

/// The model of the bytes of a model file.
#[pyfunction]
pub fn model_from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Model> {
    let model = run(py, None, None, |_| Ok(hodgelet::model::Model::from_bytes(bytes)?))?;
    Ok(Model { model, trials: Vec::new() })
}

/// Classes by name and number, or numbers.
pub(crate) fn targets(
    classes: Option<Vec<String>>,
    labels: Option<PyReadonlyArray1<'_, u32>>,
    values: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Targets> {
    match (classes, labels, values) {
        (Some(names), Some(labels), None) => {
            Ok(Targets::Classes { names, labels: labels.as_array().to_vec() })
        }
        (None, None, Some(values)) => Ok(Targets::Real(values.as_array().to_vec())),
        _ => Err(Fault::input("expected classes and labels, or values").into()),
    }
}

/// Reports a stage of training: `steps` per start, `before` of the `total` steps done in earlier fits.
pub(crate) fn note(
    watch: &Watch,
    stage: Stage,
    steps: usize,
    before: usize,
    total: usize,
) -> std::ops::ControlFlow<()> {
    match stage {
        Stage::Measuring { done, total } => watch.note("measuring", done, total, None),
        Stage::Averaging { done, total } => watch.note("averaging", done, total, None),
        Stage::Training { start, step, objective } => {
            let done = start.saturating_mul(steps).saturating_add(step).saturating_add(before);
            watch.note("training", done, total, Some(objective))
        }
        Stage::Passing { pass } => watch.note("passing", pass, 0, None),
        _ => watch.go_on(),
    }
}

pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|e| Fault::input(format!("settings: {e}")))
}

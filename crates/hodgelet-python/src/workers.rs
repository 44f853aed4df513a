//! Training on other processes: shards that they hold, and a driver that asks them through Python.

use crate::batch::Arrays;
use crate::error::Fault;
use crate::model::{Model, note, targets};
use crate::run::run;
use crate::space::settings;
use hodgelet::dataset::Targets;
use hodgelet::encode::Outline;
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{self, MeasureSource, Measured, Measurer, ModelError, Workers};
use hodgelet::store::{measures_from_bytes, measures_to_bytes};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// Complexes in a leaf.
pub const LEAF_SIZE: usize = model::Shard::LEAF;

fn packed(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    rmp_serde::to_vec_named(value).map_err(|error| Fault::input(format!("a message to workers: {error}")))
}

fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    rmp_serde::from_slice(bytes).map_err(|error| Fault::input(format!("a message between workers: {error}")))
}

/// What an encoding needs to know of the graphs of a batch.
#[pyfunction]
#[pyo3(signature = (batch, settings, threads=None))]
pub fn outline<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    settings: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let settings = self::settings(settings)?;
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    let bytes = run(py, threads, None, |_| {
        let dataset = view.dataset(Targets::None)?;
        let all: Vec<usize> = (0..dataset.len()).collect();
        packed(&settings.outline(&dataset, &all)?)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// What turns graphs into measures, from the outlines of all parts of a dataset in their order, and the graphs of one part.
#[pyfunction]
pub fn fit_measurer<'py>(
    py: Python<'py>,
    outlines: Vec<Vec<u8>>,
    batch: &Bound<'py, PyAny>,
    settings: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let settings = self::settings(settings)?;
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    let bytes = run(py, None, None, |_| {
        let mut all: Option<Outline> = None;
        for bytes in &outlines {
            let own: Outline = unpacked(bytes)?;
            all = Some(match all {
                Some(all) => all.join(own).map_err(ModelError::from)?,
                None => own,
            });
        }
        let all = all.ok_or_else(|| Fault::input("no part of a dataset, expected at least one"))?;
        let part = view.dataset(Targets::None)?;
        let places: Vec<usize> = (0..part.len()).collect();
        packed(&Measurer::fit_outline(&settings, &all, &part, &places)?)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Consecutive leaves of training graphs, measured and held by a worker.
#[pyclass(frozen, module = "hodgelet._native")]
pub struct Shard {
    shard: Mutex<model::Shard>,
}

#[pymethods]
impl Shard {
    /// Measures the graphs of `batch`, the first of which is the first of leaf `first`; or takes what `leaves` gave of them.
    #[new]
    #[pyo3(signature = (measurer, first, batch, *, classes=None, labels=None, values=None, leaves=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        measurer: &[u8],
        first: usize,
        batch: &Bound<'_, PyAny>,
        classes: Option<Vec<String>>,
        labels: Option<PyReadonlyArray1<'_, u32>>,
        values: Option<PyReadonlyArray1<'_, f64>>,
        leaves: Option<Vec<Vec<u8>>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let targets = targets(classes, labels, values)?;
        let measurer: Measurer = unpacked(measurer)?;
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let (measured, targets) = run(py, threads, None, |watch| {
            let dataset = view.dataset(targets)?;
            let measured = match leaves {
                None => measurer.measure(&dataset, |_| watch.go_on())?,
                Some(leaves) => {
                    let weights = dataset.sample_weights().map(<[f64]>::to_vec);
                    Measured { measures: measures(leaves)?, unknown: 0, weights }
                }
            };
            if measured.measures.len() != dataset.len() {
                let (found, expected) = (measured.measures.len(), dataset.len());
                return Err(Fault::input(format!("{found} measures of {expected} graphs")));
            }
            Ok((measured, dataset.targets().clone()))
        })?;
        Ok(Self { shard: Mutex::new(model::Shard::new(first, Box::new(measured), targets)) })
    }

    /// The measures of each leaf, as the bytes of a Parquet file.
    fn leaves<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let n = self.__len__();
        let leaf = |start: usize| self.load(py, (start..n.min(start + LEAF_SIZE)).collect());
        (0..n).step_by(LEAF_SIZE).map(leaf).collect()
    }

    /// Takes what later questions are about, unless it is there already.
    #[pyo3(signature = (id, view, threads=None))]
    fn show(&self, py: Python<'_>, id: &str, view: &[u8], threads: Option<usize>) -> PyResult<()> {
        run(py, threads, None, |_| {
            let mut shard = self.shard.lock().unwrap_or_else(PoisonError::into_inner);
            if !shard.has_seen(id) {
                shard.show(id, view)?;
            }
            Ok(())
        })
    }

    /// What the leaves here add to the sum that a question asks for.
    #[pyo3(signature = (question, threads=None))]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        question: &[u8],
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let shard = || self.shard.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = run(py, threads, None, |_| Ok(shard().answer(question)?))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The measures of the graphs at these places, as bytes.
    fn load<'py>(&self, py: Python<'py>, places: Vec<usize>) -> PyResult<Bound<'py, PyBytes>> {
        let shard = || self.shard.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = run(py, None, None, |_| {
            let shard = shard();
            let loaded = shard.source().load(&places)?;
            measures_to_bytes(loaded.into_iter().map(Cow::into_owned).collect()).map_err(Fault::input)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __len__(&self) -> usize {
        self.shard.lock().unwrap_or_else(PoisonError::into_inner).source().len()
    }
}

/// The answers of consecutive shards to one question as one.
#[pyfunction]
pub fn combine_answers<'py>(py: Python<'py>, answers: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = run(py, Some(1), None, |_| Ok(model::Shard::combine(&answers)?))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The measures of leaves, one after the other.
fn measures(leaves: Vec<Vec<u8>>) -> Result<Vec<ComplexMeasures>, Fault> {
    let read = leaves.into_iter().map(|leaf| measures_from_bytes(leaf).map_err(Fault::input));
    Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Workers behind functions of Python.
struct Remote {
    len: usize,
    weights: Option<Vec<f64>>,
    /// An object with the methods `show`, `ask`, `load`, `recall` and `remember`.
    driver: Py<PyAny>,
    /// The exception that ended the work, if one did.
    raised: Mutex<Option<PyErr>>,
}

impl Remote {
    /// The answer of a method; an exception ends the work and is kept.
    fn call<T>(&self, ask: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, ModelError> {
        Python::attach(ask).map_err(|error| {
            let fault = error.to_string();
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            ModelError::Store { fault }
        })
    }
}

impl Workers for Remote {
    fn show(&self, id: &str, view: Vec<u8>) -> Result<(), ModelError> {
        self.call(|py| {
            self.driver.call_method1(py, "show", (id, PyBytes::new(py, &view)))?;
            Ok(())
        })
    }

    fn ask(&self, question: Vec<u8>) -> Result<Vec<Vec<u8>>, ModelError> {
        self.call(|py| self.driver.call_method1(py, "ask", (PyBytes::new(py, &question),))?.extract(py))
    }

    fn recall(&self, name: &str) -> Option<Vec<u8>> {
        self.call(|py| self.driver.call_method1(py, "recall", (name,))?.extract(py)).ok()?
    }

    fn remember(&self, name: &str, bytes: &[u8]) {
        // A disk that is full ends no training; the next run has to do more.
        let _ =
            Python::attach(|py| self.driver.call_method1(py, "remember", (name, PyBytes::new(py, bytes))));
    }
}

impl MeasureSource for Remote {
    fn len(&self) -> usize {
        self.len
    }

    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError> {
        let parts: Vec<Vec<u8>> =
            self.call(|py| self.driver.call_method1(py, "load", (indices.to_vec(),))?.extract(py))?;
        let mut all = Vec::with_capacity(indices.len());
        for part in parts {
            let own =
                measures_from_bytes(part).map_err(|error| ModelError::Store { fault: error.to_string() })?;
            all.extend(own.into_iter().map(Cow::Owned));
        }
        match all.len() == indices.len() {
            true => Ok(all),
            false => {
                let fault = format!("workers gave {} measures, expected {}", all.len(), indices.len());
                Err(ModelError::Store { fault })
            }
        }
    }

    fn sample_weights(&self) -> Option<Cow<'_, [f64]>> {
        self.weights.as_deref().map(Cow::Borrowed)
    }

    fn workers(&self) -> Option<&dyn Workers> {
        Some(self)
    }
}

/// Trains on the shards that `driver` reaches: the model that training on all graphs in this process would give.
#[pyfunction]
#[pyo3(signature = (
    driver, measurer, settings, *, classes=None, labels=None, values=None, weights=None, threads=None, callback=None
))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn fit_on_workers(
    py: Python<'_>,
    driver: Py<PyAny>,
    measurer: &[u8],
    settings: &str,
    classes: Option<Vec<String>>,
    labels: Option<PyReadonlyArray1<'_, u32>>,
    values: Option<PyReadonlyArray1<'_, f64>>,
    weights: Option<Vec<f64>>,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let targets = targets(classes, labels, values)?;
    let measurer: Measurer = unpacked(measurer)?;
    let settings = self::settings(settings)?;
    let len = match &targets {
        Targets::Classes { labels, .. } => labels.len(),
        Targets::Real(values) => values.len(),
        Targets::None => 0,
    };
    let remote = Remote { len, weights, driver, raised: Mutex::new(None) };
    let all: Vec<usize> = (0..len).collect();
    let (steps, restarts) = (settings.iterations, settings.restarts);
    let model = run(py, threads, callback.as_ref(), |watch| {
        let total = steps.saturating_mul(restarts);
        let model = settings
            .fit_measured(&measurer, &remote, &targets, &all, |stage| note(watch, stage, steps, 0, total))?;
        Ok(Model::new(model))
    });
    let raised = remote.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (model, raised) {
        (Err(_), Some(raised)) => Err(raised),
        (model, _) => model,
    }
}

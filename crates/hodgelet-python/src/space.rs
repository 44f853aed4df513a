//! Features and energy measures: of a trained model, or of filters that are drawn and not trained.

use crate::arrays;
use crate::batch::Arrays;
use crate::error::Fault;
use crate::run::run;
use hodgelet::choice::Choice;
use hodgelet::dataset::Targets;
use hodgelet::feature::BlockMeasures;
use hodgelet::model::{self, BlockSpace, FeatureMap, ModelError};
use hodgelet::settings::Settings;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

/// A fitted encoding with filters that were drawn: features without a target.
#[pyclass(frozen, module = "hodgelet._native")]
pub struct FeatureSpace {
    space: model::FeatureSpace,
}

/// The settings in a JSON object.
pub fn settings(json: &str) -> Result<Settings, Fault> {
    serde_json::from_str(json)
        .map_err(|e| Fault::input(e.to_string().split(" at line ").next().unwrap_or_default()))
}

#[pymethods]
impl FeatureSpace {
    /// Fits signals, points and standardization on all graphs; filters are drawn from the seed.
    #[staticmethod]
    #[pyo3(signature = (batch, settings, threads=None, callback=None))]
    fn fit(
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        settings: &str,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        let settings = self::settings(settings)?;
        let space = run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(Targets::None)?;
            let all: Vec<usize> = (0..dataset.len()).collect();
            let note = |done| watch.note("measuring", done, all.len(), None);
            Ok(model::FeatureSpace::fit(&settings, &dataset, &all, note)?.0)
        })?;
        Ok(Self { space })
    }

    /// Features of every graph, `[n_graphs, n_columns]`, and the number of labels that are unknown.
    #[pyo3(signature = (batch, standardize, threads=None, callback=None))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        standardize: bool,
        threads: Option<usize>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        SpaceView(&self.space).features(py, batch, standardize, threads, callback.as_ref())
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
        SpaceView(&self.space).measures(py, batch, threads, callback.as_ref())
    }

    /// Names of the columns of `features`.
    fn names(&self) -> Vec<String> {
        self.space.column_names()
    }

    /// Names of the channels of signals on the cells of a dimension.
    fn channels(&self, dim: usize) -> Vec<String> {
        SpaceView(&self.space).channels(dim)
    }

    /// The blocks with their filters.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        SpaceView(&self.space).blocks(py)
    }

    /// Filters of a block on a grid of eigenvalues, `[n_filters, n_eigenvalues]`.
    fn filter_curves<'py>(
        &self,
        py: Python<'py>,
        block: usize,
        grid: Vec<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        SpaceView(&self.space).filter_curves(py, block, &grid)
    }

    /// Everything, as bytes of JSON.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let json = serde_json::to_vec(&self.space);
        Ok(PyBytes::new(py, &json.map_err(|e| Fault::input(format!("settings: {e}")))?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.import("hodgelet._native")?.getattr("space_from_bytes")?, (self.to_bytes(py)?,)))
    }
}

/// The feature space of bytes that `FeatureSpace.to_bytes` gave.
#[pyfunction]
pub fn space_from_bytes(bytes: &[u8]) -> PyResult<FeatureSpace> {
    let space = serde_json::from_slice(bytes);
    let space = space.map_err(|e| Fault::File(None, format!("not a feature space: {e}")))?;
    Ok(FeatureSpace { space })
}

/// What turns graphs into features: a model's feature space or an untrained one.
#[derive(Clone, Copy)]
pub struct SpaceView<'a>(pub &'a model::FeatureSpace);

impl SpaceView<'_> {
    fn measured(
        self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        threads: Option<usize>,
        callback: Option<&Py<PyAny>>,
    ) -> PyResult<model::Measured> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        run(py, threads, callback, |watch| {
            let dataset = view.dataset(Targets::None)?;
            let note = |done| watch.note("measuring", done, dataset.len(), None);
            Ok(self.0.measurer().measure(&dataset, note)?)
        })
    }

    /// Features of every graph, block after block.
    pub fn features<'py>(
        self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        standardize: bool,
        threads: Option<usize>,
        callback: Option<&Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        let measured = self.measured(py, batch, threads, callback)?;
        let parts = run(py, threads, None, |_| {
            Ok(self.0.features(&measured.measures.iter().collect::<Vec<_>>(), standardize)?)
        })?;
        Ok((arrays::beside(py, measured.measures.len(), &parts)?.into_any(), measured.unknown))
    }

    /// Energy measures, a dict for each block.
    pub fn measures<'py>(
        self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        threads: Option<usize>,
        callback: Option<&Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        let measured = self.measured(py, batch, threads, callback)?;
        let measures = self.0.block_measures(&measured.measures.iter().collect::<Vec<_>>());
        let out = PyList::empty(py);
        for (block, measures) in self.0.blocks().iter().zip(&measures) {
            let dict = PyDict::new(py);
            dict.set_item("block", self.0.block_name(block.block))?;
            dict.set_item("channels", self.0.channel_names(block.block))?;
            let starts = (0..measures.len()).map(|i| measures.atoms(i).start as i64);
            let offsets: Vec<i64> = starts.chain([measures.eigenvalues().len() as i64]).collect();
            dict.set_item("offsets", PyArray1::from_vec(py, offsets))?;
            dict.set_item("eigenvalues", PyArray1::from_slice(py, measures.eigenvalues()))?;
            let (n, width) = (measures.eigenvalues().len(), measures.n_channels());
            dict.set_item("energies", arrays::rows(py, energies(measures), n, width)?)?;
            out.append(dict)?;
        }
        Ok((out, measured.unknown))
    }

    /// Names of the channels of signals on the cells of a dimension.
    pub fn channels(self, dim: usize) -> Vec<String> {
        let channels = self.0.measurer().encoding().channels(dim);
        channels.map_or_else(Vec::new, |own| (0..own.len()).map(|d| own.name(d).to_owned()).collect())
    }

    /// The blocks as dicts.
    pub fn blocks<'py>(self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.0.blocks().iter().map(|block| self.block(py, block)).collect()
    }

    fn block<'py>(self, py: Python<'py>, space: &BlockSpace) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let name = self.0.block_name(space.block);
        let component = space.block.to_string();
        dict.set_item("name", &name)?;
        dict.set_item("dim", space.block.dim)?;
        dict.set_item("component", component.split_once(' ').map_or("", |(_, component)| component))?;
        dict.set_item("channels", self.0.channel_names(space.block))?;
        dict.set_item("n_columns", space.standardizer.n_columns())?;
        dict.set_item("n_varying", space.standardizer.n_live())?;
        dict.set_item(
            "points",
            match &space.map {
                FeatureMap::Fourier(points) => Some(PyArray1::from_slice(py, points.points())),
                _ => None,
            },
        )?;
        if let Some(bank) = space.map.bank() {
            let (n, width) = (bank.n_filters(), bank.scales_per_filter());
            let params = bank.params().get();
            dict.set_item("scales", arrays::rows(py, bank.scales().to_vec(), n, width)?)?;
            dict.set_item("low_pass", params.low_pass.map(Choice::name))?;
            dict.set_item("band_pass", params.band_pass.name())?;
        }
        Ok(dict)
    }

    /// Filters of block number `block` on a grid of eigenvalues.
    pub fn filter_curves<'py>(
        self,
        py: Python<'py>,
        block: usize,
        grid: &[f64],
    ) -> PyResult<Bound<'py, PyAny>> {
        let blocks = self.0.blocks();
        let space = blocks
            .get(block)
            .ok_or_else(|| Fault::input(format!("block {block}, but there are {}", blocks.len())))?;
        let bank = space.map.bank().ok_or_else(|| {
            Fault::input(format!("the block `{}` has no filters", self.0.block_name(space.block)))
        })?;
        let mut values = vec![0.0; bank.n_filters() * grid.len()];
        bank.evaluate(grid, &mut values).map_err(|e| Fault::from(ModelError::from(e)))?;
        Ok(arrays::rows(py, values, bank.n_filters(), grid.len())?.into_any())
    }
}

/// Energies of all atoms in all channels, row by row.
fn energies(measures: &BlockMeasures) -> Vec<f64> {
    let width = measures.n_channels();
    let mut out = vec![0.0; measures.eigenvalues().len() * width];
    for i in 0..measures.len() {
        let atoms = measures.atoms(i);
        for (channel, energies) in measures.channels(i) {
            for (atom, &energy) in atoms.clone().zip(energies) {
                out[atom * width + channel] = energy;
            }
        }
    }
    out
}

//! Features and energy measures: of a trained model, or of filters that are drawn and not trained.

use crate::arrays;
use crate::batch::Arrays;
use crate::error::Fault;
use crate::run::{Watch, run};
use crate::settings::Settings;
use faer::Mat;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::Encoding;
use hodgelet::feature::{Block, BlockMeasures, SignedBasis, Standardizer};
use hodgelet::model::{
    BlockSpace, FeatureMap, FeatureTransform, Lift, ModelError, SpaceParams, measure_dataset,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde::{Deserialize, Serialize};

/// Most numbers in a table: 8 GiB of them.
const MAX_NUMBERS: usize = 1 << 30;

/// A fitted encoding with filters that were drawn: features without a target.
#[pyclass(frozen, module = "hodgelet._native")]
pub struct FeatureSpace {
    fitted: Fitted,
}

#[derive(Serialize, Deserialize)]
struct Fitted {
    space: SpaceParams,
    encoding: Encoding,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signed: Option<SignedBasis>, // which a serialized encoding leaves out
    blocks: Vec<BlockSpace>,
}

impl Fitted {
    fn view(&self) -> SpaceView<'_> {
        SpaceView { space: &self.space, encoding: &self.encoding, blocks: &self.blocks }
    }
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
        let settings = Settings::parse(settings)?;
        let fitted = run(py, threads, callback.as_ref(), |watch| {
            let dataset = view.dataset(Targets::None)?;
            let params = settings.params(&dataset)?;
            fit_space(&dataset, params.space, params.seed, watch)
        })?;
        Ok(Self { fitted })
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
        self.fitted.view().features(py, batch, standardize, threads, callback.as_ref())
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
        self.fitted.view().measures(py, batch, threads, callback.as_ref())
    }

    /// Names of the columns of `features`.
    fn names(&self) -> Vec<String> {
        self.fitted.view().names()
    }

    /// The blocks with their filters.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.fitted.view().blocks(py)
    }

    /// Filters of a block on a grid of eigenvalues, `[n_filters, n_eigenvalues]`.
    fn filter_curves<'py>(
        &self,
        py: Python<'py>,
        block: usize,
        grid: Vec<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.fitted.view().filter_curves(py, block, &grid)
    }

    /// Everything, as bytes of JSON.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let json = serde_json::to_vec(&self.fitted);
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
    let read = serde_json::from_slice(bytes);
    let mut fitted: Fitted = read.map_err(|e| Fault::File(None, format!("not a feature space: {e}")))?;
    fitted.encoding = fitted.encoding.with_signed(fitted.signed.clone());
    Ok(FeatureSpace { fitted })
}

fn fit_space(dataset: &Dataset, space: SpaceParams, seed: u64, watch: &Watch) -> Result<Fitted, Fault> {
    if let FeatureTransform::Wavelets(bank) = &space.transform {
        bank.clone().check().map_err(ModelError::from)?; // before the long part
    }
    let all: Vec<usize> = (0..dataset.len()).collect();
    let encoding = space.fit_encoding(dataset, &all)?;
    let n = dataset.len();
    let measured =
        measure_dataset(dataset, &encoding, &space, |done| watch.note("measuring", done, n, None))?;
    let mut blocks = Vec::new();
    for (index, block) in space.blocks(&encoding)?.into_iter().enumerate() {
        let measures = BlockMeasures::new(block, &measured.measures);
        let own = if space.shared_bank { 0 } else { index as u64 };
        let map = FeatureMap::initial(&space, block, &measures, seed.wrapping_add(own))?;
        let features = map.features(&measures)?;
        let standardizer = Standardizer::fit(features.as_ref(), None);
        blocks.push(BlockSpace { block, n_channels: measures.n_channels(), map, standardizer });
    }
    let signed = encoding.signed().cloned();
    Ok(Fitted { space, encoding, signed, blocks })
}

/// What turns graphs into features, whoever holds it.
#[derive(Clone, Copy)]
pub struct SpaceView<'a> {
    /// Settings.
    pub space: &'a SpaceParams,
    /// Signals.
    pub encoding: &'a Encoding,
    /// Filters and standardization.
    pub blocks: &'a [BlockSpace],
}

impl SpaceView<'_> {
    fn measured(
        self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        threads: Option<usize>,
        callback: Option<&Py<PyAny>>,
    ) -> PyResult<(Vec<BlockMeasures>, usize)> {
        let arrays = Arrays::of(batch)?;
        let view = arrays.view()?;
        run(py, threads, callback, |watch| {
            let dataset = view.dataset(Targets::None)?;
            let n = dataset.len();
            let note = |done| watch.note("measuring", done, n, None);
            let measured = measure_dataset(&dataset, self.encoding, self.space, note)?;
            let of_block = |space: &BlockSpace| {
                BlockMeasures::new(space.block, &measured.measures).with_channels(space.n_channels)
            };
            Ok((self.blocks.iter().map(of_block).collect(), measured.unknown))
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
        let n = batch.len()?;
        let columns: usize = self.blocks.iter().map(|space| space.standardizer.n_columns()).sum();
        if n.saturating_mul(columns) > MAX_NUMBERS {
            let message = format!("{columns} features of {n} graphs, expected at most {MAX_NUMBERS} numbers");
            return Err(Fault::input(message).into());
        }
        let (measures, unknown) = self.measured(py, batch, threads, callback)?;
        let parts = run(py, threads, None, |_| {
            let one = |(space, measures): (&BlockSpace, &BlockMeasures)| match standardize {
                true => space.inputs(measures),
                false => space.map.features(measures),
            };
            Ok(self.blocks.iter().zip(&measures).map(one).collect::<Result<Vec<Mat<f64>>, _>>()?)
        })?;
        Ok((arrays::beside(py, n, &parts)?.into_any(), unknown))
    }

    /// Energy measures, a dict for each block.
    pub fn measures<'py>(
        self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        threads: Option<usize>,
        callback: Option<&Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        let (measures, unknown) = self.measured(py, batch, threads, callback)?;
        let out = PyList::empty(py);
        for (space, measures) in self.blocks.iter().zip(&measures) {
            let dict = PyDict::new(py);
            dict.set_item("block", self.block_name(space))?;
            dict.set_item("channels", self.channel_names(space))?;
            let starts = (0..measures.len()).map(|i| measures.atoms(i).start as i64);
            let offsets: Vec<i64> = starts.chain([measures.eigenvalues().len() as i64]).collect();
            dict.set_item("offsets", PyArray1::from_vec(py, offsets))?;
            dict.set_item("eigenvalues", PyArray1::from_slice(py, measures.eigenvalues()))?;
            let (n, width) = (measures.eigenvalues().len(), measures.n_channels());
            dict.set_item("energies", arrays::rows(py, energies(measures), n, width)?)?;
            out.append(dict)?;
        }
        Ok((out, unknown))
    }

    /// Name of a block, as the command shows it.
    pub fn block_name(self, space: &BlockSpace) -> String {
        let block = space.block;
        if self.space.lift == Lift::LineGraph { format!("line-graph {block}") } else { block.to_string() }
    }

    /// Names of the channels of a block.
    pub fn channel_names(self, space: &BlockSpace) -> Vec<String> {
        let dim = if self.space.lift == Lift::LineGraph { 1 } else { space.block.dim };
        let channels = self.encoding.channels(dim);
        channels.map(|c| (0..c.len()).map(|d| c.name(d).to_owned()).collect()).unwrap_or_default()
    }

    /// Names of the columns: `edge exact | label=1 | filter 3`, filters counted from 1.
    pub fn names(self) -> Vec<String> {
        let mut names = Vec::new();
        for space in self.blocks {
            let (block, width) = (self.block_name(space), space.map.per_channel());
            for channel in self.channel_names(space) {
                match &space.map {
                    FeatureMap::Harmonic => names.push(format!("{block} | {channel}")),
                    FeatureMap::Wavelets(_) => {
                        names.extend((1..=width).map(|j| format!("{block} | {channel} | filter {j}")));
                    }
                    FeatureMap::Signed(_) => {
                        names.extend((1..=width).map(|j| format!("{block} | {channel} | vector {j}")));
                    }
                    FeatureMap::Fourier(_) => {
                        names.extend((1..=width).map(|j| format!("{block} | {channel} | point {j}")));
                    }
                }
            }
        }
        names
    }

    /// The blocks as dicts.
    pub fn blocks<'py>(self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.blocks.iter().map(|space| self.block(py, space)).collect()
    }

    fn block<'py>(self, py: Python<'py>, space: &BlockSpace) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("name", self.block_name(space))?;
        dict.set_item("dim", space.block.dim)?;
        dict.set_item("component", component_name(space.block))?;
        dict.set_item("channels", self.channel_names(space))?;
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
            dict.set_item("low_pass", params.low_pass.map(|family| name_of(&family)))?;
            dict.set_item("band_pass", name_of(&params.band_pass))?;
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
        let space = self
            .blocks
            .get(block)
            .ok_or_else(|| Fault::input(format!("block {block}, but there are {}", self.blocks.len())))?;
        let bank = space
            .map
            .bank()
            .ok_or_else(|| Fault::input(format!("the block `{}` has no filters", self.block_name(space))))?;
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

/// The second word of a block's name.
fn component_name(block: Block) -> String {
    let name = block.to_string();
    name.split_once(' ').map_or(name.clone(), |(_, component)| component.to_owned())
}

/// The name of a choice without fields.
fn name_of(choice: &impl Serialize) -> Option<String> {
    serde_json::to_value(choice).ok()?.as_str().map(str::to_owned)
}

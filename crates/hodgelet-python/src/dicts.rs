//! What a model says, as dictionaries of arrays.

use crate::arrays;
use crate::model::{Model, json};
use faer::Mat;
use hodgelet::likelihood::Mixture;
use hodgelet::model::{Novelty, PredictedTargets, Prediction, RegionTargets, Regions, TrainingDistances};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

impl Model {
    pub(crate) fn regions_dict<'py>(
        &self,
        py: Python<'py>,
        regions: &Regions,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        match &regions.targets {
            RegionTargets::Classes(sets) => {
                let n_classes = self.model.targets().n_classes();
                let member = |i: usize, c: usize| f64::from(sets[i].contains(&(c as u32)));
                let members = Mat::from_fn(sets.len(), n_classes, member);
                dict.set_item("members", arrays::matrix(py, &members)?)?;
            }
            RegionTargets::Real(intervals) => {
                let (lower, upper): (Vec<f64>, Vec<f64>) = intervals.iter().copied().unzip();
                dict.set_item("lower", PyArray1::from_vec(py, lower))?;
                dict.set_item("upper", PyArray1::from_vec(py, upper))?;
            }
        }
        dict.set_item("basis", json(&regions.basis)?.trim_matches('"'))?;
        dict.set_item("guaranteed", regions.guaranteed)?;
        dict.set_item("statement", regions.statement())?;
        dict.set_item("notes", &regions.notes)?;
        Ok(dict)
    }

    pub(crate) fn prediction<'py>(&self, py: Python<'py>, out: &Prediction) -> PyResult<Bound<'py, PyDict>> {
        let (n, n_latents) = out.latent_mean.shape();
        let dict = PyDict::new(py);
        dict.set_item("latent_mean", arrays::matrix(py, &out.latent_mean)?)?;
        dict.set_item("latent_variance", arrays::matrix(py, &out.latent_variance)?)?;
        let space = self.model.space();
        let names = space.blocks().iter().map(|b| space.block_name(b.block));
        let names: Vec<String> = names.chain(out.constant.iter().map(|_| "constant".to_owned())).collect();
        dict.set_item("blocks", names)?;
        let shares: Vec<&Mat<f64>> = out.blocks.iter().map(|(_, share)| share).chain(&out.constant).collect();
        dict.set_item("attributions", arrays::stacked(py, n, n_latents, &shares)?)?;
        dict.set_item("unknown", out.unknown)?;
        match &out.targets {
            PredictedTargets::Classes { probabilities, labels } => {
                dict.set_item("probabilities", arrays::matrix(py, probabilities)?)?;
                let labels = labels.iter().map(|&label| i64::from(label));
                dict.set_item("labels", PyArray1::from_iter(py, labels))?;
            }
            PredictedTargets::Real { densities } => {
                dict.set_item("mean", PyArray1::from_iter(py, densities.iter().map(Mixture::mean)))?;
                dict.set_item("variance", PyArray1::from_iter(py, densities.iter().map(Mixture::variance)))?;
            }
        }
        Ok(dict)
    }

    pub(crate) fn novelty<'py>(
        &self,
        py: Python<'py>,
        found: &[Novelty],
        training: &TrainingDistances,
    ) -> PyResult<Bound<'py, PyDict>> {
        let space = self.model.space();
        let blocks = Mat::from_fn(found.len(), space.blocks().len(), |i, b| found[i].block_distances[b]);
        let names: Vec<String> = found.iter().map(|novelty| space.block_name(novelty.far_block)).collect();
        let dict = PyDict::new(py);
        let ratios = found.iter().map(|novelty| novelty.variance_ratio);
        dict.set_item("variance_ratio", PyArray1::from_iter(py, ratios))?;
        dict.set_item("distance", PyArray1::from_iter(py, found.iter().map(|novelty| novelty.distance)))?;
        dict.set_item(
            "nearest",
            PyArray1::from_iter(py, found.iter().map(|novelty| novelty.nearest as i64)),
        )?;
        dict.set_item("block_distances", arrays::matrix(py, &blocks)?)?;
        dict.set_item("far_block", names)?;
        dict.set_item("is_far", PyArray1::from_iter(py, found.iter().map(|novelty| novelty.is_far)))?;
        dict.set_item("threshold", training.threshold)?;
        dict.set_item("block_thresholds", PyArray1::from_slice(py, &training.block_thresholds))?;
        Ok(dict)
    }
}

//! The part of a model file that holds states drawn from the posterior of the hyperparameters.
//!
//! A state is its trained values and its sites; its features follow from the measures of the distinct training complexes,
//! which all states share.

use super::container::{Container, Tensor, fault};
use super::{FileError, ModelError, check};
use crate::feature::{BlockMeasures, MeasureParts};
use crate::gp::{Inference, Workspace};
use crate::kernel::Inputs;
use crate::likelihood::Observations;
use crate::model::features::{BlockSpace, TrainingFeatures};
use crate::model::fitted::{Averaged, Model, Trained};
use crate::model::parameters::{Parameters, State};
use faer::Par;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Tensors of the measures of each block.
const MEASURES: [&str; 5] = ["atoms", "eigenvalues", "channels", "live", "energies"];

/// Most states that a file may hold.
const MAX_STATES: usize = 1 << 12;

/// Adds the tensors of the states of a model.
pub(super) fn write(
    model: &Model,
    averaged: &Averaged,
    tensors: &mut BTreeMap<String, Tensor<'static>>,
) -> Result<(), FileError> {
    for (b, measures) in averaged.measures.iter().enumerate() {
        let MeasureParts { n_atoms, eigenvalues, n_live, live, energies } = measures.parts();
        let reals = |values: Vec<f64>| Tensor::reals(&[values.len()], values.into_iter());
        let all = [
            Tensor::wholes(n_atoms.into_iter()),
            reals(eigenvalues),
            Tensor::wholes(n_live.into_iter()),
            Tensor::wholes(live.into_iter()),
            reals(energies),
        ];
        tensors
            .extend(MEASURES.iter().zip(all).map(|(name, tensor)| (format!("measures.{b}.{name}"), tensor)));
    }
    let (n_states, n_values) = (averaged.thetas.len(), averaged.thetas.first().map_or(0, Vec::len));
    let thetas = averaged.thetas.iter().flatten().copied();
    tensors.insert("states.parameters".to_owned(), Tensor::reals(&[n_states, n_values], thetas));
    let inference = model.settings().final_inference(&model.mode.likelihood)?;
    let stored = inference.stored(model.observations.n_points(), &model.mode.likelihood);
    let each: Vec<Vec<Vec<f64>>> = averaged.states.iter().map(|state| state.posterior.tensors()).collect();
    for (t, (name, shape)) in stored.into_iter().enumerate() {
        let shape: Vec<usize> = std::iter::once(n_states).chain(shape).collect();
        let values = each.iter().flat_map(|state| state[t].iter().copied());
        tensors.insert(format!("states.{name}"), Tensor::reals(&shape, values));
    }
    Ok(())
}

/// What states are restored around: the parts of a model that all of them share.
pub(super) struct Shared<'a> {
    pub shared_bank: bool,
    pub blocks: &'a [BlockSpace],
    pub mode: &'a State,
    /// What the kernel sees of the training complexes at the mode.
    pub inputs: &'a [Inputs],
    pub observations: &'a Observations,
    pub inference: &'a Inference,
}

/// The states of a file and the number of their tensors.
pub(super) fn read(
    file: &Container<'_>,
    n_states: usize,
    shared: &Shared<'_>,
) -> Result<(Averaged, usize), FileError> {
    if !(1..=MAX_STATES).contains(&n_states) {
        return Err(FileError::Inconsistent {
            fault: format!("{n_states} states, expected 1 to {MAX_STATES}"),
        });
    }
    let n_points = shared.observations.n_points();
    let measures = shared.blocks.iter().enumerate().map(|(b, block)| {
        let name = |part: &str| format!("measures.{b}.{part}");
        let [atoms, eigenvalues, channels, live, energies] = MEASURES.map(name);
        let parts = MeasureParts {
            n_atoms: file.wholes(&atoms, &[n_points])?,
            eigenvalues: file.reals(&eigenvalues, &[file.tensor(&eigenvalues)?.len()])?,
            n_live: file.wholes(&channels, &[n_points])?,
            live: file.wholes(&live, &[file.tensor(&live)?.len()])?,
            energies: file.reals(&energies, &[file.tensor(&energies)?.len()])?,
        };
        BlockMeasures::from_parts(block.n_channels, parts)
            .ok_or_else(|| fault(&energies, "does not fit its counts"))
    });
    let measures = measures.collect::<Result<Vec<_>, FileError>>()?;
    let names: Vec<_> = shared.blocks.iter().map(|block| block.block).collect();
    let list = Parameters::without_priors(shared.shared_bank, &names, shared.mode);
    let thetas = file.reals("states.parameters", &[n_states, list.len()])?;
    let thetas: Vec<Vec<f64>> = thetas.chunks(list.len().max(1)).map(<[f64]>::to_vec).collect();
    let places = shared.inference.stored(n_points, &shared.mode.likelihood);
    let stored = places.iter().map(|(name, shape)| {
        let shape: Vec<usize> = std::iter::once(n_states).chain(shape.iter().copied()).collect();
        file.reals(&format!("states.{name}"), &shape)
    });
    let stored = stored.collect::<Result<Vec<Vec<f64>>, _>>()?;
    check::sites(&shared.mode.likelihood, &places, &stored)?;
    let n_tensors = MEASURES.len() * shared.blocks.len() + 1 + stored.len();
    let weights = weights(shared.observations);
    let one = |s: usize| {
        let sites = stored.iter().map(|all| all.chunks(all.len() / n_states).nth(s).unwrap_or(&[]).to_vec());
        restored(shared, &list, &thetas[s], &measures, weights.as_deref(), sites.collect())
    };
    let states = (0..n_states).into_par_iter().map(one).collect::<Vec<_>>();
    let states = states.into_iter().collect::<Result<Vec<Trained>, ModelError>>()?;
    Ok((Averaged { thetas, states, measures }, n_tensors))
}

fn restored(
    shared: &Shared<'_>,
    list: &Parameters,
    theta: &[f64],
    measures: &[BlockMeasures],
    weights: Option<&[f64]>,
    sites: Vec<Vec<f64>>,
) -> Result<Trained, ModelError> {
    let mut state = shared.mode.clone();
    list.set(theta, &mut state)?;
    let (mut blocks, mut inputs) = (shared.blocks.to_vec(), Vec::new());
    for (b, ((block, map), measures)) in blocks.iter_mut().zip(state.maps).zip(measures).enumerate() {
        if let Inputs::Fixed(_) = &shared.inputs[b] {
            // What is not trained is the same in every state.
            inputs.push(shared.inputs[b].clone());
            continue;
        }
        let features = TrainingFeatures::new(&map, measures, weights)?;
        (block.map, block.standardizer) = (map, features.standardizer);
        inputs.push(features.inputs);
    }
    let gram = state.kernel.gram(&Inputs::views(&inputs), Par::Seq)?;
    let workspace = &mut Workspace::new(Par::Seq);
    let (likelihood, observations) = (state.likelihood, shared.observations);
    let posterior = shared.inference.restore(sites, gram.as_ref(), &likelihood, observations, workspace)?;
    Ok(Trained::new(blocks, (state.kernel, likelihood), inputs, posterior, observations)?)
}

/// How many training complexes each distinct one stands for; none if all are distinct.
fn weights(observations: &Observations) -> Option<Vec<f64>> {
    let mut counts = vec![0.0; observations.n_points()];
    observations.points().iter().for_each(|&point| counts[point] += 1.0);
    (observations.points().len() > counts.len()).then_some(counts)
}

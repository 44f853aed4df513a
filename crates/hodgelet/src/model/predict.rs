//! Predictions: latent values, their split by block, and what follows for the targets.
//!
//! Where a model has several states, probabilities and densities are averages over them, and so are latent means and their
//! shares; latent variances hold the spread of the means over the states.

use super::features::BlockSpace;
use super::fitted::{Model, Trained};
use super::novelty::{Nearest, Novelty};
use super::{FittedTargets, ModelError, Shape};
use crate::dataset::Dataset;
use crate::feature::{Block, BlockMeasures};
use crate::gp::{GpError, Latents};
use crate::kernel::Inputs;
use crate::likelihood::{Component, Likelihood, Mixture, Poisson};
use crate::linalg::dense::times;
use crate::measure::ComplexMeasures;
use faer::{Mat, Par};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Complexes predicted together, always as many. Products of matrices add in an order that depends on the sizes of the matrices;
/// with one size a complex has the same bits alone and in any company. It fills the vectors of any machine.
const CHUNK: usize = 64;

/// What a model says of new complexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Latent means, `[n, n_latents]`: one function for two classes or real targets, one for each class otherwise.
    pub latent_mean: Mat<f64>,
    /// Latent variances, `[n, n_latents]`.
    pub latent_variance: Mat<f64>,
    /// For each block, its share of the latent means, `[n, n_latents]`.
    pub blocks: Vec<(Block, Mat<f64>)>,
    /// The share of the constant, if the model has one; with those of the blocks it adds up to `latent_mean`.
    pub constant: Option<Mat<f64>>,
    /// What follows for the targets.
    pub targets: PredictedTargets,
    /// How far each complex is from what the model has seen, `[n]`.
    pub novelty: Vec<Novelty>,
    /// Labels of cells that the model has never seen and left out.
    pub unknown: usize,
}

/// Predicted targets.
#[derive(Clone, Debug, PartialEq)]
pub enum PredictedTargets {
    /// Classes.
    Classes {
        /// Probabilities, `[n, n_classes]`.
        probabilities: Mat<f64>,
        /// The most probable class of each complex.
        labels: Vec<u32>,
    },
    /// Real numbers, in their own units.
    Real {
        /// The distribution of a new observation of each complex, noise included.
        densities: Vec<Mixture>,
    },
}

impl PredictedTargets {
    /// The probabilities of classes, if classes are predicted.
    #[must_use]
    pub fn probabilities(&self) -> Option<&Mat<f64>> {
        if let Self::Classes { probabilities, .. } = self { Some(probabilities) } else { None }
    }

    /// The distributions of numbers, if numbers are predicted.
    #[must_use]
    pub fn densities(&self) -> Option<&[Mixture]> {
        if let Self::Real { densities } = self { Some(densities) } else { None }
    }
}

/// Latent values under one state.
struct StateLatents {
    latents: Latents,
    shares: Vec<Mat<f64>>,
    constant: Option<Mat<f64>>,
    nearest: Nearest,
}

impl Model {
    /// Predicts every complex of `dataset`.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the dataset lacks a column that the model was trained with, or a complex cannot be
    /// measured.
    pub fn predict(&self, dataset: &Dataset) -> Result<Prediction, ModelError> {
        self.predict_with(dataset, |_| ControlFlow::Continue(()))
    }

    /// As [`predict`](Self::predict); `progress` is told how many complexes are measured, and may stop the work.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict), and [`ModelError::Cancelled`].
    pub fn predict_with(
        &self,
        dataset: &Dataset,
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Prediction, ModelError> {
        let measured = self.space.measurer.measure(dataset, progress)?;
        let mut prediction = self.predict_measured(&measured.measures.iter().collect::<Vec<_>>())?;
        prediction.unknown = measured.unknown;
        Ok(prediction)
    }

    /// Predicts complexes that were measured before with the model's encoding.
    ///
    /// # Errors
    ///
    /// [`ModelError::Channels`] when they were measured with another.
    pub fn predict_measured(&self, measures: &[&ComplexMeasures]) -> Result<Prediction, ModelError> {
        let one = |chunk: &[&ComplexMeasures]| match chunk {
            [first, ..] if chunk.len() < CHUNK => {
                let filler = std::iter::repeat_n(*first, CHUNK - chunk.len());
                let padded: Vec<&ComplexMeasures> = chunk.iter().copied().chain(filler).collect();
                Ok(first_rows(self.predict_chunk(&padded)?, chunk.len()))
            }
            _ => self.predict_chunk(chunk),
        };
        let rows: Vec<Result<Prediction, ModelError>> = measures.par_chunks(CHUNK).map(one).collect();
        let mut rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
        if rows.is_empty() {
            rows.push(self.predict_chunk(&[])?);
        }
        stack(rows)
    }

    fn predict_chunk(&self, measures: &[&ComplexMeasures]) -> Result<Prediction, ModelError> {
        let blocks = self.space.measures_in_units(measures);
        // In the order of the states, whatever the number of threads.
        let fixed = self.fixed_inputs(&blocks)?;
        let states: Vec<_> =
            self.all_states().par_iter().map(|state| state.latents(&blocks, &fixed)).collect();
        self.average(&states.into_iter().collect::<Result<Vec<_>, _>>()?, &blocks)
    }

    /// What the kernel sees of complexes in blocks that are not trained, and so in every state; none in the others.
    fn fixed_inputs(&self, measures: &[BlockMeasures]) -> Result<Vec<Option<Inputs>>, ModelError> {
        let of_block = |(block, own): (&BlockSpace, &BlockMeasures)| match block.map.is_fixed() {
            true => block.inputs(own).map(Some),
            false => Ok(None),
        };
        self.space.blocks.iter().zip(measures).map(of_block).collect()
    }

    /// The states that predictions are averaged over.
    pub(super) fn all_states(&self) -> &[Trained] {
        self.averaged.as_ref().map_or(std::slice::from_ref(&self.mode), |averaged| &averaged.states)
    }

    fn average(&self, states: &[StateLatents], blocks: &[BlockMeasures]) -> Result<Prediction, ModelError> {
        let targets = self.targets_of(states, blocks)?;
        let weight = 1.0 / states.len() as f64;
        let mean_of = |part: &dyn Fn(&StateLatents) -> &Mat<f64>| match states {
            [one] => part(one).clone(),
            many => {
                let first = part(&many[0]);
                let sum = |i, j| many.iter().map(|state| part(state)[(i, j)]).sum::<f64>();
                Mat::from_fn(first.nrows(), first.ncols(), |i, j| weight * sum(i, j))
            }
        };
        let latent_mean = mean_of(&|state| &state.latents.mean);
        let mut latent_variance = mean_of(&|state| &state.latents.variance);
        if states.len() > 1 {
            let spread = |i, j| {
                states.iter().map(|s| (s.latents.mean[(i, j)] - latent_mean[(i, j)]).powi(2)).sum::<f64>()
            };
            latent_variance +=
                Mat::from_fn(latent_mean.nrows(), latent_mean.ncols(), |i, j| weight * spread(i, j));
        }
        let share = |(b, space): (usize, &BlockSpace)| (space.block, mean_of(&|state| &state.shares[b]));
        let blocks = self.space.blocks.iter().enumerate().map(share).collect();
        let constant = |state: &StateLatents| state.constant.is_some();
        let constant =
            states.iter().all(constant).then(|| mean_of(&|state| state.constant.as_ref().expect("seen")));
        let seen: Vec<_> = states.iter().map(|state| (&state.nearest, &state.latents.variance)).collect();
        let novelty = self.novelty(&seen)?;
        Ok(Prediction { latent_mean, latent_variance, blocks, constant, targets, novelty, unknown: 0 })
    }

    fn targets_of(
        &self,
        states: &[StateLatents],
        blocks: &[BlockMeasures],
    ) -> Result<PredictedTargets, ModelError> {
        let each = || self.all_states().iter().zip(states);
        let n = states[0].latents.mean.nrows();
        let weight = 1.0 / states.len() as f64;
        if let FittedTargets::Real { mean: center, deviation } = &self.targets {
            let covariates: Vec<Vec<f64>> = match &self.covariates {
                Some(own) => own.of(blocks).row_iter().map(|row| row.iter().copied().collect()).collect(),
                None => vec![Vec::new(); n],
            };
            if let Likelihood::Poisson(poisson) = &self.mode.likelihood {
                return counts(each().map(|(_, state)| &state.latents), *poisson);
            }
            let of = |i: usize| -> Result<Vec<Component>, ModelError> {
                let mut components = Vec::new();
                for (trained, state) in each() {
                    let (m, v) = (state.latents.mean[(i, 0)], state.latents.variance[(i, 0)]);
                    let mut add = |share: f64, variance: f64| {
                        let (mean, variance) = (center + deviation * m, deviation * deviation * variance);
                        components.push(Component { weight: weight * share, mean, variance });
                    };
                    let noise = trained.likelihood.noise(&covariates[i])?;
                    let own = self.shape.as_ref().map_or(1.0, Shape::own);
                    noise.iter().for_each(|part| add(own * part.weight, v + part.variance));
                    let total = v + noise.iter().map(|part| part.weight * part.variance).sum::<f64>();
                    let scaled = self.shape.as_ref().map_or(&[][..], Shape::scaled);
                    scaled.iter().for_each(|&(factor, share)| add(share, factor * total));
                }
                Ok(components)
            };
            let densities = (0..n).map(of).collect::<Result<Vec<Vec<Component>>, _>>()?;
            let numbers = densities.iter().flatten().flat_map(|c| [c.mean, c.variance]);
            return match numbers.into_iter().find(|x| !x.is_finite()) {
                Some(value) => Err(GpError::Overflow { quantity: "predicted target", value }.into()),
                None => Ok(PredictedTargets::Real {
                    densities: densities.into_iter().map(Mixture::new).collect(),
                }),
            };
        }
        let mut probabilities = Mat::zeros(n, self.targets.n_classes());
        for (trained, state) in each() {
            let Latents { mean, variance } = &state.latents;
            let own = trained.likelihood.probabilities(mean.as_ref(), variance.as_ref())?;
            match states.len() {
                1 => probabilities = own,
                _ => probabilities += faer::Scale(weight) * own,
            }
        }
        let best = |i: usize| {
            if let Some(threshold) = self.threshold {
                return u32::from(probabilities[(i, 1)] >= threshold);
            }
            let row = (0..probabilities.ncols()).map(|c| probabilities[(i, c)]);
            // The first of equals, so that a tie does not depend on rounding elsewhere.
            row.enumerate().fold((0, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a }).0 as u32
        };
        let labels = (0..n).map(best).collect();
        Ok(PredictedTargets::Classes { probabilities, labels })
    }
}

/// The distributions of counts whose logarithms have these moments, averaged over the states.
fn counts<'a>(
    states: impl ExactSizeIterator<Item = &'a Latents> + Clone,
    poisson: Poisson,
) -> Result<PredictedTargets, ModelError> {
    let (n, weight) = (states.clone().next().map_or(0, |own| own.mean.nrows()), 1.0 / states.len() as f64);
    let of = |i: usize| {
        let component =
            |own: &Latents| Component { weight, mean: own.mean[(i, 0)], variance: own.variance[(i, 0)] };
        Mixture::counts(states.clone().map(component).collect(), poisson)
    };
    let densities: Vec<Mixture> = (0..n).map(of).collect();
    match densities.iter().flat_map(|density| [density.mean(), density.variance()]).find(|x| !x.is_finite()) {
        Some(value) => Err(GpError::Overflow { quantity: "predicted count", value }.into()),
        None => Ok(PredictedTargets::Real { densities }),
    }
}

impl Trained {
    /// Latent values of complexes with these measures, one for each block, in its units, and these inputs of blocks that are
    /// not trained.
    fn latents(
        &self,
        measures: &[BlockMeasures],
        fixed: &[Option<Inputs>],
    ) -> Result<StateLatents, ModelError> {
        let inputs = self.blocks.iter().zip(measures).zip(fixed).map(|((block, own), fixed)| match fixed {
            Some(inputs) => Ok(inputs.clone()),
            None => block.inputs(own),
        });
        let inputs = inputs.collect::<Result<Vec<Inputs>, _>>()?;
        let (rows, alpha) = (inputs[0].nrows(), self.posterior.alpha());
        let mut cross = Mat::zeros(rows, alpha.nrows());
        let mut shares = Vec::new();
        let mut nearest = Nearest::new(self, &inputs, None)?;
        for (b, inputs) in inputs.iter().enumerate() {
            let part = self.kernel.cross_block(b, inputs, &self.inputs[b], Par::Seq)?;
            // f_b(G*) = σ_b² k_b(z*_b, Z_b) α
            shares.push(times(part.as_ref(), alpha));
            nearest.add_block(b, &part);
            cross += part;
        }
        nearest.finish(&cross);
        let constant = self.kernel.constant().map(|variance| {
            let part = Mat::full(rows, alpha.nrows(), variance);
            let share = times(part.as_ref(), alpha);
            cross += part;
            share
        });
        let diagonal = self.kernel.diagonal(&Inputs::views(&inputs))?;
        let latents = self.posterior.predict(cross.as_ref(), &diagonal)?;
        Ok(StateLatents { latents, shares, constant, nearest })
    }
}

/// The predictions of the first `n` complexes.
fn first_rows(prediction: Prediction, n: usize) -> Prediction {
    let first = |values: Mat<f64>| values.get(..n, ..).to_owned();
    let Prediction { latent_mean, latent_variance, blocks, constant, targets, mut novelty, unknown } =
        prediction;
    novelty.truncate(n);
    let targets = match targets {
        PredictedTargets::Classes { probabilities, mut labels } => {
            labels.truncate(n);
            PredictedTargets::Classes { probabilities: first(probabilities), labels }
        }
        PredictedTargets::Real { mut densities } => {
            densities.truncate(n);
            PredictedTargets::Real { densities }
        }
    };
    Prediction {
        latent_mean: first(latent_mean),
        latent_variance: first(latent_variance),
        blocks: blocks.into_iter().map(|(block, share)| (block, first(share))).collect(),
        constant: constant.map(first),
        targets,
        novelty,
        unknown,
    }
}

/// Predictions of one part of the complexes after another.
fn stack(parts: Vec<Prediction>) -> Result<Prediction, ModelError> {
    let mut parts = parts.into_iter();
    let mut all = parts.next().expect("there is a part, if an empty one");
    for part in parts {
        all.latent_mean = below(&all.latent_mean, &part.latent_mean);
        all.latent_variance = below(&all.latent_variance, &part.latent_variance);
        for ((_, share), (_, more)) in all.blocks.iter_mut().zip(&part.blocks) {
            *share = below(share, more);
        }
        if let (Some(share), Some(more)) = (&mut all.constant, &part.constant) {
            *share = below(share, more);
        }
        all.novelty.extend(part.novelty);
        match (&mut all.targets, part.targets) {
            (
                PredictedTargets::Classes { probabilities, labels },
                PredictedTargets::Classes { probabilities: more, labels: more_labels },
            ) => {
                *probabilities = below(probabilities, &more);
                labels.extend(more_labels);
            }
            (PredictedTargets::Real { densities }, PredictedTargets::Real { densities: more }) => {
                densities.extend(more);
            }
            _ => unreachable!("one model predicts targets of one kind"),
        }
    }
    Ok(all)
}

fn below(top: &Mat<f64>, bottom: &Mat<f64>) -> Mat<f64> {
    let n = top.nrows();
    let entry = |i, j| if i < n { top[(i, j)] } else { bottom[(i - n, j)] };
    Mat::from_fn(n + bottom.nrows(), top.ncols(), entry)
}

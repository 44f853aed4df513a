//! The sparse bound of all training complexes as a function of the trained values, with its gradient.
//!
//! Columns are standardized by means and deviations that are held fixed, so that a leaf needs nothing of the others.

use super::super::parameters::{Parameters, State};
use super::super::{FeatureSpace, ModelError};
use super::leaves::Data;
use super::message::Kind;
use super::seen::{At, OfLeaf, Pass, Seen};
use crate::feature::{BlockMeasures, WaveletTape};
use crate::gp::Sparse;
use crate::gp::sparse::{InducingPrior, Leaf, Natural, Term};
use crate::kernel::{CrossGradient, Input, Inputs};
use faer::{Mat, Par};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// The objective with what one evaluation leaves for the next.
pub(super) struct SparseObjective<'a> {
    pub data: &'a Data<'a>,
    pub space: FeatureSpace,
    pub parameters: Parameters,
    pub state: State,
    pub inducing: &'a [usize],
    /// The last Gaussian, with its prior.
    pub held: Option<(Natural, InducingPrior)>,
    pub inference: Sparse,
}

/// The gradient at a fixed Gaussian.
pub(super) struct Gradient;

/// What a leaf adds to the gradient.
#[derive(Serialize, Deserialize)]
pub(super) struct LeafTerm {
    params: Vec<f64>,
    banks: Vec<Vec<f64>>,
    #[serde(with = "crate::linalg::serial::matrices")]
    inducing: Vec<Mat<f64>>,
    /// The lower triangle of `G Vᵀ`, `[M, M]`.
    #[serde(with = "crate::linalg::serial::matrix")]
    products: Mat<f64>,
}

impl Term for LeafTerm {
    fn add(&mut self, other: &Self) {
        add(&mut self.params, &other.params);
        self.banks.iter_mut().zip(&other.banks).for_each(|(a, b)| add(a, b));
        self.inducing.iter_mut().zip(&other.inducing).for_each(|(a, b)| *a += b);
        self.products += &other.products;
    }
}

fn add(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
}

/// Features of one block, ready for reverse mode.
struct Recorded {
    raw: Mat<f64>,
    inputs: Inputs,
    tape: Option<WaveletTape>,
}

impl SparseObjective<'_> {
    /// Minus the bound and the log priors, and minus their gradient; `progress` is called before each pass.
    pub fn evaluate(
        &mut self,
        theta: &[f64],
        gradient: &mut [f64],
        mut progress: impl FnMut() -> ControlFlow<()>,
    ) -> Result<f64, ModelError> {
        self.parameters.set(theta, &mut self.state)?;
        for (block, map) in self.space.blocks.iter_mut().zip(&self.state.maps) {
            block.map.clone_from(map);
        }
        let (kernel, likelihood) = (&self.state.kernel, &self.state.likelihood);
        let seen = Seen::new(self.data, &self.space, kernel, self.inducing)?;
        let zeros = || Natural::zeros(self.inducing.len(), likelihood.n_latents(), likelihood.n_factors());
        let start = match self.held.take() {
            Some((natural, before)) => natural.carried(&before, &seen.prior, 1.0, Par::Seq),
            None => zeros(),
        };
        let fit = self.inference.iterate(start, None, likelihood, Par::Seq, |moments| {
            match progress().is_break() {
                true => Err(ModelError::Cancelled),
                false => seen.sum::<Pass>(self.data, moments, likelihood),
            }
        })?;
        let m = self.inducing.len();
        let mut sum = seen.sum::<Gradient>(self.data, &fit.moments, likelihood)?;

        // What the inducing complexes themselves add.
        let measures = self.data.measures(&self.space, self.inducing)?;
        let mut recorded = record(&self.space, &measures)?;
        let among = seen.prior.gram_gradient(seen.inverse().as_ref(), sum.products.as_ref(), Par::Seq);
        let own = Inputs::views(&seen.view.inputs);
        let has_bank = |b: usize| has_bank(&self.space, b);
        let part = kernel.cross_backward(&own, &own, among.as_ref(), &vec![0.0; m], has_bank)?;
        add(&mut sum.params, &part.params);
        for b in (0..sum.inducing.len()).filter(|&b| has_bank(b)) {
            let mut upstream = &sum.inducing[b] + &part.left[b] + &part.right[b];
            let found = bank_gradient(&self.space, b, &measures[b], &mut recorded[b], &mut upstream)?;
            add(&mut sum.banks[b], &found);
        }

        gradient.fill(0.0);
        for (b, found) in sum.banks.iter().enumerate() {
            add(self.parameters.bank(gradient, b), found);
        }
        self.parameters.kernel(gradient).copy_from_slice(&sum.params);
        self.parameters.likelihood(gradient).copy_from_slice(&fit.statistics.likelihood_gradient);
        let value = fit.elbo + self.parameters.add_log_prior(theta, gradient);
        gradient.iter_mut().for_each(|g| *g = -*g);
        self.held = Some((fit.natural, seen.prior));
        Ok(-value)
    }
}

impl OfLeaf for Gradient {
    const KIND: Kind = Kind::Gradient;
    type Sum = LeafTerm;

    fn of_leaf(at: &At<'_>, leaf: &Leaf, k: usize) -> Result<LeafTerm, ModelError> {
        let (space, kernel, inducing) = (&at.seen.view.space, &at.seen.view.kernel, &at.seen.view.inputs);
        let m = at.seen.prior.len();
        let measures = at.data.measures(space, &at.data.leaf(k))?;
        let mut recorded = record(space, &measures)?;
        let own = leaf.gradient(at.moments, at.likelihood)?;
        let mut products = Mat::zeros(m, m);
        leaf.add_projected_product(own.projected.as_ref(), &mut products);
        let cross = at.seen.prior.cross_gradient(at.seen.inverse().as_ref(), own.projected.as_ref());
        let inputs: Vec<Input<'_>> = recorded.iter().map(|block| block.inputs.view()).collect();
        let others = Inputs::views(inducing);
        let wanted = |b| has_bank(space, b);
        let CrossGradient { params, mut left, right } =
            kernel.cross_backward(&inputs, &others, cross.as_ref(), &own.diagonal, wanted)?;
        let mut banks = Vec::new();
        for (b, upstream) in left.iter_mut().enumerate() {
            banks.push(bank_gradient(space, b, &measures[b], &mut recorded[b], upstream)?);
        }
        Ok(LeafTerm { params, banks, inducing: right, products })
    }
}

fn has_bank(space: &FeatureSpace, b: usize) -> bool {
    space.blocks[b].map.bank().is_some()
}

fn record(space: &FeatureSpace, measures: &[BlockMeasures]) -> Result<Vec<Recorded>, ModelError> {
    let one = |(block, own): (&super::super::BlockSpace, &BlockMeasures)| {
        let (raw, tape) = match block.map.bank() {
            Some(bank) => {
                let mut tape = WaveletTape::default();
                (tape.record(own, bank)?, Some(tape))
            }
            None => (block.map.features(own)?, None),
        };
        let inputs = match block.map.fixed(own) {
            Some(fixed) => fixed,
            None => Inputs::Columns(block.standardizer.applied(raw.as_ref())),
        };
        Ok(Recorded { inputs, raw, tape })
    };
    space.blocks.iter().zip(measures).map(one).collect()
}

/// The gradient in the parameters of the bank of block `b`, from that in the kernel inputs, which is overwritten.
fn bank_gradient(
    space: &FeatureSpace,
    b: usize,
    measures: &BlockMeasures,
    recorded: &mut Recorded,
    upstream: &mut Mat<f64>,
) -> Result<Vec<f64>, ModelError> {
    let block = &space.blocks[b];
    let (Some(bank), Some(tape)) = (block.map.bank(), &mut recorded.tape) else {
        return Ok(Vec::new());
    };
    block.standardizer.vjp_fixed(upstream.as_mut());
    Ok(tape.vjp(measures, bank, recorded.raw.as_ref(), upstream.as_ref())?)
}

//! Leaves as the inducing complexes see them, and what is summed over them: here, or by the workers that hold them.

use super::super::features::BlockSpace;
use super::super::source::Workers;
use super::super::{FeatureSpace, ModelError};
use super::leaves::Data;
use super::message::{Kind, Question, View, joined, packed, unpacked};
use super::moments::ColumnMoments;
use crate::feature::BlockMeasures;
use crate::gp::Latents;
use crate::gp::sparse::{InducingPrior, Leaf, LeafFile, Moments, Statistics, Term, TreeSum, sum_leaves};
use crate::kernel::{Inputs, SumKernel};
use crate::likelihood::Likelihood;
use faer::{Mat, Par};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// Leaves that are made side by side before they are written.
pub(in crate::model) const MADE_TOGETHER: usize = 32;

/// The inducing complexes under one kernel and one set of filters, and the leaves as they see them.
pub(super) struct Seen {
    pub view: View,
    pub prior: InducingPrior,
    kept: Kept,
    inverse: OnceLock<Mat<f64>>,
    /// The name of the view, where workers have it.
    id: String,
}

/// Where leaves are from pass to pass.
enum Kept {
    /// Nowhere: each pass makes them again, here or elsewhere.
    Nowhere,
    Memory(Vec<Leaf>),
    Disk(LeafFile),
}

/// What a leaf adds to one of the sums over all leaves.
pub(super) trait OfLeaf {
    /// Which sum.
    const KIND: Kind;
    type Sum: Term + Send + Serialize + DeserializeOwned;

    /// What leaf `k` adds.
    fn of_leaf(at: &At<'_>, leaf: &Leaf, k: usize) -> Result<Self::Sum, ModelError>;
}

/// Where a sum is taken: the leaves, and the Gaussian and the likelihood that all of them are told.
pub(super) struct At<'a> {
    pub seen: &'a Seen,
    pub data: &'a Data<'a>,
    pub moments: &'a Moments,
    pub likelihood: &'a Likelihood,
}

/// One pass over all leaves.
pub(super) struct Pass;

impl OfLeaf for Pass {
    const KIND: Kind = Kind::Pass;
    type Sum = Statistics;

    fn of_leaf(at: &At<'_>, leaf: &Leaf, _: usize) -> Result<Statistics, ModelError> {
        Ok(leaf.pass(at.moments, at.likelihood)?)
    }
}

/// Means and variances at all complexes without their own targets, leaf by leaf.
pub(super) struct LeftOut;

/// Latent values of consecutive leaves.
#[derive(Serialize, Deserialize)]
pub(super) struct Row(pub Vec<Latents>);

impl Term for Row {
    fn add(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

impl OfLeaf for LeftOut {
    const KIND: Kind = Kind::LeftOut;
    type Sum = Row;

    fn of_leaf(at: &At<'_>, leaf: &Leaf, _: usize) -> Result<Row, ModelError> {
        Ok(Row(vec![leaf.left_out(at.moments, at.likelihood)?]))
    }
}

impl Seen {
    /// `inducing` are the places of the inducing complexes.
    pub fn new(
        data: &Data<'_>,
        space: &FeatureSpace,
        kernel: &SumKernel,
        inducing: &[usize],
    ) -> Result<Self, ModelError> {
        Self::with_inputs(data, space, kernel, data.inputs(space, inducing)?)
    }

    /// `inputs` are the kernel inputs of the inducing complexes.
    pub fn with_inputs(
        data: &Data<'_>,
        space: &FeatureSpace,
        kernel: &SumKernel,
        inputs: Vec<Inputs>,
    ) -> Result<Self, ModelError> {
        let view = View {
            space: space.clone(),
            kernel: kernel.clone(),
            inputs,
            fitted: data.fitted.clone(),
            covariates: data.covariates.cloned(),
            likelihood: data.likelihood,
            factors: data.factors.clone(),
        };
        Self::of_view(data, view, String::new())
    }

    /// The leaves of `data` under a view, or those of the workers, which are shown it.
    pub fn of_view(data: &Data<'_>, view: View, id: String) -> Result<Self, ModelError> {
        Self::of_view_within(data, view, id, data.settings.most_kept())
    }

    /// As [`of_view`](Self::of_view), with at most `most` numbers in memory.
    pub(super) fn of_view_within(
        data: &Data<'_>,
        view: View,
        mut id: String,
        most: usize,
    ) -> Result<Self, ModelError> {
        let gram = view.kernel.gram(&Inputs::views(&view.inputs), Par::Seq)?; // as a file gives it back
        let prior = InducingPrior::new(gram.as_ref(), Par::Seq)?;
        if let Some(workers) = data.source.workers() {
            let all = data.train.iter().enumerate().all(|(place, &i)| place == i);
            if !all || data.train.len() != data.source.len() {
                let fault = "workers hold all complexes, but some are trained on, or in another order";
                return Err(ModelError::Store { fault: fault.to_owned() });
            }
            let bytes = packed(&view)?;
            id = digest(&[&bytes]);
            workers.show(&id, bytes)?;
        }
        let mut seen = Self { view, prior, kept: Kept::Nowhere, inverse: OnceLock::new(), id };
        if data.source.workers().is_none() {
            seen.kept = match data.train.len().saturating_mul(seen.prior.len()) <= most {
                true => Kept::Memory(seen.made_together(data, data.leaves())?),
                false => seen.written(data)?,
            };
        }
        Ok(seen)
    }

    /// Some leaves, made side by side.
    fn made_together(&self, data: &Data<'_>, leaves: Range<usize>) -> Result<Vec<Leaf>, ModelError> {
        let made: Vec<Result<Leaf, ModelError>> =
            leaves.into_par_iter().map(|k| self.made(data, k)).collect();
        made.into_iter().collect()
    }

    /// All leaves on disk; nowhere, where there is no folder for them or no room in it.
    fn written(&self, data: &Data<'_>) -> Result<Kept, ModelError> {
        let Some(Ok(mut file)) = data.source.scratch().map(LeafFile::new) else { return Ok(Kept::Nowhere) };
        let Range { start, end } = data.leaves();
        for first in (start..end).step_by(MADE_TOGETHER) {
            for leaf in self.made_together(data, first..end.min(first + MADE_TOGETHER))? {
                if file.push(leaf).is_err() {
                    return Ok(Kept::Nowhere);
                }
            }
        }
        Ok(Kept::Disk(file))
    }

    /// The leaf `k`, from where it is kept.
    fn leaf(&self, data: &Data<'_>, k: usize) -> Result<Cow<'_, Leaf>, ModelError> {
        let place = k - data.first;
        let fault = |error| ModelError::Store { fault: format!("covariances that were written: {error}") };
        let kept = match &self.kept {
            Kept::Nowhere => None,
            Kept::Memory(leaves) => leaves.get(place).map(Cow::Borrowed),
            Kept::Disk(file) => file.get(place).map_err(fault)?.map(Cow::Owned),
        };
        kept.map_or_else(|| Ok(Cow::Owned(self.made(data, k)?)), Ok)
    }

    /// The name of the view.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where leaves are from pass to pass.
    #[cfg(test)]
    pub fn kept_in(&self) -> &'static str {
        match self.kept {
            Kept::Nowhere => "nowhere",
            Kept::Memory(_) => "memory",
            Kept::Disk(_) => "disk",
        }
    }

    /// `L⁻¹` of the inducing complexes.
    pub fn inverse(&self) -> &Mat<f64> {
        self.inverse.get_or_init(|| self.prior.inverse(Par::Seq))
    }

    fn made(&self, data: &Data<'_>, k: usize) -> Result<Leaf, ModelError> {
        let View { space, kernel, inputs: inducing, .. } = &self.view;
        let places = data.leaf(k);
        let measures = data.measures(space, &places)?;
        let inputs = space.blocks.iter().zip(&measures).map(|(block, own)| block.inputs(own));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let (views, others) = (Inputs::views(&inputs), Inputs::views(inducing));
        let cross = kernel.cross(&views, &others, Par::Seq)?;
        let diagonal = kernel.diagonal(&views)?;
        let observations = data.observations(&places, &measures)?;
        Ok(Leaf::new(self.prior.project(cross.as_ref()), &diagonal, observations)?)
    }

    /// What the leaves of `data` add to a sum: the shard function, whoever has the shard.
    pub fn part<K: OfLeaf>(
        &self,
        data: &Data<'_>,
        moments: &Moments,
        likelihood: &Likelihood,
    ) -> Result<TreeSum<K::Sum>, ModelError> {
        let at = At { seen: self, data, moments, likelihood };
        sum_leaves(data.leaves(), |k| K::of_leaf(&at, &*self.leaf(data, k)?, k))
    }

    /// The sum over all leaves.
    pub fn sum<K: OfLeaf>(
        &self,
        data: &Data<'_>,
        moments: &Moments,
        likelihood: &Likelihood,
    ) -> Result<K::Sum, ModelError> {
        let Some(workers) = data.source.workers() else {
            return whole(self.part::<K>(data, moments, likelihood)?);
        };
        let learned = likelihood.hyperparameters().into_iter().map(|(_, value)| value).collect();
        let question = Question::Sum { kind: K::KIND, moments: moments.clone(), learned };
        asked(workers, &self.id, &question)
    }
}

/// Moments of the columns of the leaves of `data`: the part of a shard.
pub(super) fn column_part(
    data: &Data<'_>,
    space: &FeatureSpace,
) -> Result<TreeSum<ColumnMoments>, ModelError> {
    sum_leaves(data.leaves(), |k| {
        let measures = data.measures(space, &data.leaf(k))?;
        let features = |(block, own): (&BlockSpace, &BlockMeasures)| block.map.features(own);
        let features = space.blocks.iter().zip(&measures).map(features);
        Ok::<_, ModelError>(ColumnMoments::of(&features.collect::<Result<Vec<_>, _>>()?))
    })
}

/// Moments of all columns.
pub(super) fn column_moments(data: &Data<'_>, space: &FeatureSpace) -> Result<ColumnMoments, ModelError> {
    match data.source.workers() {
        None => whole(column_part(data, space)?),
        Some(workers) => asked(workers, "", &Question::Columns(Box::new(space.clone()))),
    }
}

fn whole<T: Term>(sum: TreeSum<T>) -> Result<T, ModelError> {
    sum.total()
        .ok_or_else(|| ModelError::Store { fault: "a leaf of the training complexes is missing".to_owned() })
}

/// The answers of all workers, added along the tree; or what a run before this one had of them.
fn asked<T: Term + Serialize + DeserializeOwned>(
    workers: &dyn Workers,
    view: &str,
    question: &Question,
) -> Result<T, ModelError> {
    let question = packed(question)?;
    let name = digest(&[view.as_bytes(), &question]);
    if let Some(total) = workers.recall(&name).and_then(|bytes| unpacked(&bytes).ok()) {
        return Ok(total);
    }
    let total: T = whole(joined(&workers.ask(question)?)?)?;
    workers.remember(&name, &packed(&total)?);
    Ok(total)
}

fn digest(parts: &[&[u8]]) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

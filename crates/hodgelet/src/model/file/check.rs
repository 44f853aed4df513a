//! What the settings of a file must satisfy before anything is computed from them.

use super::{FileError, Settings};
use crate::feature::{Component, SignedBasis};
use crate::likelihood::LikelihoodParams;
use crate::model::features::{BlockSpace, FeatureMap};
use crate::model::fitted::FittedTargets;
use crate::model::{Lift, ModelError};

/// Most numbers that the Gram matrix and the factors of a posterior may take: 16 GiB.
const MAX_NUMBERS: u64 = 1 << 31;

/// Most numbers in the rule by which a softmax is integrated.
const MAX_RULE: u64 = 1 << 26;

/// Number of classes; none for real targets.
pub(super) fn n_classes(targets: &FittedTargets) -> Option<usize> {
    match targets {
        FittedTargets::Classes { names } => Some(names.len()),
        FittedTargets::Real { .. } => None,
    }
}

/// Number of latent functions.
pub(super) fn n_latents(settings: &Settings) -> usize {
    match (&settings.likelihood, n_classes(&settings.targets)) {
        (LikelihoodParams::RobustMax { .. } | LikelihoodParams::Softmax { .. }, Some(n_classes)) => n_classes,
        _ => 1,
    }
}

/// Whether a posterior of this many distinct complexes and latent functions is one that files hold.
pub(super) fn size(n_points: usize, n_latents: usize) -> Result<(), FileError> {
    let (n, c) = (n_points as u64, n_latents as u64);
    let found = n.saturating_mul(n).saturating_mul(c.saturating_mul(2).saturating_add(1));
    within("the posterior", found, MAX_NUMBERS)
}

fn within(what: &'static str, found: u64, limit: u64) -> Result<(), FileError> {
    if found <= limit { Ok(()) } else { Err(FileError::TooLarge { what, unit: "numbers", found, limit }) }
}

/// Whether the settings agree with each other.
pub(super) fn settings(settings: &Settings) -> Result<(), FileError> {
    let fault = |fault: String| Err(FileError::Inconsistent { fault });
    let (kernels, blocks) = (settings.kernel.blocks().len(), settings.blocks.len());
    if kernels != blocks {
        return fault(format!("{kernels} kernels for {blocks} blocks of features"));
    }
    let allowed = settings.params.space.blocks(&settings.encoding).map_err(FileError::Model)?;
    for (b, space) in settings.blocks.iter().enumerate() {
        let name = space.block;
        if !allowed.contains(&name) {
            return fault(format!("block {name} is not one of the settings"));
        }
        if settings.blocks[..b].iter().any(|other| other.block == name) {
            return fault(format!("block {name} stands twice"));
        }
        block(settings, space)?;
    }
    targets(settings)
}

fn block(settings: &Settings, space: &BlockSpace) -> Result<(), FileError> {
    let dim = if settings.params.space.lift == Lift::LineGraph { 1 } else { space.block.dim };
    let expected = settings.encoding.channels(dim).map_or(0, |channels| channels.len());
    let found = space.n_channels;
    if expected != found {
        let block = space.block.to_string();
        return Err(ModelError::Channels { block, expected, found }.into());
    }
    let fault = |fault: String| Err(FileError::Inconsistent { fault: format!("{} {fault}", space.block) });
    let vectors = settings.signed.as_ref().map_or(0, SignedBasis::len);
    let fits = match (space.block.component, &space.map) {
        (Component::Harmonic, map) => *map == FeatureMap::Harmonic,
        (Component::Signed, map) => *map == FeatureMap::Signed(vectors),
        (_, map) => !matches!(map, FeatureMap::Harmonic | FeatureMap::Signed(_)),
    };
    if !fits {
        return fault("has features of another kind of block".to_owned());
    }
    let expected = found.saturating_mul(space.map.per_channel());
    if space.standardizer.n_columns() != expected || !space.standardizer.is_sound() {
        return fault(format!("does not have a sound standardizer of {expected} columns"));
    }
    Ok(())
}

fn targets(settings: &Settings) -> Result<(), FileError> {
    let fault = |fault: &str| Err(FileError::Inconsistent { fault: fault.to_owned() });
    let classes = !matches!(settings.likelihood, LikelihoodParams::Gaussian { .. });
    match (&settings.targets, &settings.likelihood) {
        (FittedTargets::Classes { .. }, _) if !classes => fault("classes with a likelihood of real targets"),
        (FittedTargets::Real { .. }, _) if classes => fault("real targets with a likelihood of classes"),
        (FittedTargets::Real { deviation, .. }, _) if *deviation <= 0.0 => {
            fault("real targets without a deviation")
        }
        (FittedTargets::Classes { names }, LikelihoodParams::Softmax { points, prediction_points, .. }) => {
            let points = (*points).max(*prediction_points) as u64;
            within("the softmax", points.saturating_mul(names.len() as u64), MAX_RULE)
        }
        _ => Ok(()),
    }
}

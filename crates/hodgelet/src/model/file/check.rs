//! What the description in a file must satisfy before anything is computed from it.

use super::{Description, FileError};
use crate::likelihood::{Likelihood, LikelihoodParams};
use crate::model::FittedTargets;

/// Most numbers that the Gram matrix and the factors of a posterior may take: 16 GiB.
const MAX_NUMBERS: u64 = 1 << 31;

/// Most numbers in the rule by which a softmax is integrated.
const MAX_RULE: u64 = 1 << 26;

/// Whether the posteriors of this many distinct complexes, at the mode and in `n_states` states, are such as files hold.
pub(super) fn size(n_points: usize, likelihood: &Likelihood, n_states: usize) -> Result<(), FileError> {
    // The latent functions of labels as numbers share one factor.
    let shared = matches!(likelihood, Likelihood::LabelRegression(_));
    let (n, factors) = (n_points as u64, if shared { 1 } else { likelihood.n_latents() as u64 });
    let each = n.saturating_mul(n).saturating_mul(factors.saturating_mul(2).saturating_add(1));
    within("the posterior", each.saturating_mul((n_states as u64).saturating_add(1)), MAX_NUMBERS)
}

fn within(what: &'static str, found: u64, limit: u64) -> Result<(), FileError> {
    if found <= limit { Ok(()) } else { Err(FileError::TooLarge { what, unit: "numbers", found, limit }) }
}

/// Whether the parts of a description agree with each other; those of its feature space were checked when it was read.
pub(super) fn description(description: &Description) -> Result<(), FileError> {
    let fault = |fault: String| Err(FileError::Inconsistent { fault });
    let (kernels, blocks) = (description.kernel.blocks().len(), description.space.blocks.len());
    if kernels != blocks {
        return fault(format!("{kernels} kernels for {blocks} blocks of features"));
    }
    let learned = description.likelihood.n_learned(description.targets.n_classes());
    if description.learned.len() != learned {
        return fault(format!("{} learned values of a likelihood with {learned}", description.learned.len()));
    }
    targets(description)
}

/// Whether precisions of sites are such as a likelihood has: those of a log-concave one are not negative.
pub(super) fn sites(
    likelihood: &Likelihood,
    stored: &[(&str, Vec<usize>)],
    tensors: &[Vec<f64>],
) -> Result<(), FileError> {
    if !likelihood.is_log_concave() {
        return Ok(());
    }
    let found = stored.iter().zip(tensors).filter(|((name, _), _)| name.ends_with("sites.precision"));
    match found.flat_map(|(_, values)| values).find(|value| **value < 0.0) {
        Some(value) => {
            let fault = format!("a site of precision {value}, which a log-concave likelihood does not have");
            Err(FileError::Inconsistent { fault })
        }
        None => Ok(()),
    }
}

fn targets(description: &Description) -> Result<(), FileError> {
    let fault = |fault: &str| Err(FileError::Inconsistent { fault: fault.to_owned() });
    if let FittedTargets::Classes { names } = &description.targets {
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return fault(&format!("two classes are called `{}`", twice[0].escape_debug()));
        }
    }
    if let Some(threshold) = description.threshold
        && !(description.targets.n_classes() == 2 && (0.0..=1.0).contains(&threshold))
    {
        return fault("a threshold that is no probability of two classes");
    }
    let classes = !description.likelihood.is_real();
    if description.shape.as_ref().is_some_and(|shape| classes || !shape.is_valid()) {
        return fault("a shape of predicted numbers whose shares do not add up, or of classes");
    }
    if let Some(link) = description.link
        && !(description.likelihood == LikelihoodParams::LabelRegression
            && description.summary.exploration.is_some()
            && link.is_sound())
    {
        return fault("a link of all states that is out of range, or without states or regression on labels");
    }
    match (&description.targets, &description.likelihood) {
        (FittedTargets::Classes { .. }, _) if !classes => fault("classes with a likelihood of real targets"),
        (FittedTargets::Real { .. }, _) if classes => fault("real targets with a likelihood of classes"),
        (FittedTargets::Real { deviation, .. }, _) if *deviation <= 0.0 => {
            fault("real targets without a standard deviation")
        }
        (FittedTargets::Classes { names }, LikelihoodParams::Softmax { points, .. }) => {
            within("the softmax", (*points as u64).saturating_mul(names.len() as u64), MAX_RULE)
        }
        _ => Ok(()),
    }
}

//! Draws from a density, by the No-U-Turn sampler of the crate nuts-rs.

use nuts_rs::{
    Chain as _, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, HasDims, LogpError, Settings as _,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Settings of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NutsParams {
    /// Draws that tune the step and the metric, and are thrown away.
    pub warmup: usize,
    /// Draws that are kept.
    pub draws: usize,
    /// A draw takes fewer than two to this power steps.
    pub max_depth: u64,
    /// Share of proposals that the step is tuned to accept, between 0 and 1.
    pub acceptance: f64,
}

impl NutsParams {
    /// Evaluations of the density for one draw, at most: nearly all draws take as many.
    #[must_use]
    pub fn most_steps(&self) -> usize {
        (1 << self.max_depth.min(32)) - 1
    }
}

impl Default for NutsParams {
    fn default() -> Self {
        Self { warmup: 40, draws: 48, max_depth: 4, acceptance: 0.65 }
    }
}

/// The draws of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The points, in order.
    pub draws: Vec<Vec<f64>>,
    /// Draws after the warm-up whose path left the region where the density can be followed.
    pub divergences: usize,
    /// Evaluations of the density, warm-up included.
    pub evaluations: usize,
    /// The step that was tuned.
    pub step: f64,
}

/// Why a chain ended before its time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
    /// The sampler failed, at its start as a rule.
    #[error("the sampler failed: {reason}")]
    Failed {
        /// Why.
        reason: String,
    },
}

/// A chain from `start`. `density` gives the logarithm of the density and writes its gradient, or refuses a point that is
/// too far out; `progress` is called after each draw with their number, warm-up included, and may stop the chain.
///
/// # Errors
///
/// [`SampleError`] when the density refuses `start`, or `progress` stops the chain.
pub fn sample<E: std::error::Error>(
    params: &NutsParams,
    start: &[f64],
    seed: u64,
    density: impl FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
    mut progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Chain, SampleError> {
    // A backtrace may follow the first line.
    let failed = |error: &dyn std::fmt::Display| SampleError::Failed {
        reason: error.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    let mut settings = DiagNutsSettings {
        num_tune: params.warmup as u64,
        num_draws: params.draws as u64,
        maxdepth: params.max_depth,
        ..DiagNutsSettings::default()
    };
    settings.adapt_options.step_size_settings.target_accept = params.acceptance;
    let density = Density { density, dim: start.len() };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let chain = settings.new_chain(0, CpuMath::new(density), &mut rng);
    let mut chain = chain.map_err(|e| failed(&e))?;
    chain.set_position(start).map_err(|e| failed(&e))?;
    let mut out = Chain { draws: Vec::new(), divergences: 0, evaluations: 0, step: 0.0 };
    for draw in 0..params.warmup + params.draws {
        let (point, info) = chain.draw().map_err(|e| failed(&e))?;
        if draw >= params.warmup {
            out.draws.push(point.into_vec());
            out.divergences += usize::from(info.diverging);
            out.step = info.step_size;
        }
        out.evaluations += info.num_gradients as usize;
        if progress(draw + 1).is_break() {
            return Err(SampleError::Stopped);
        }
    }
    Ok(out)
}

/// A closure as nuts-rs wants it.
struct Density<F> {
    density: F,
    dim: usize,
}

/// The density has no value here: the path ends.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(String);

impl LogpError for Refused {
    fn is_recoverable(&self) -> bool {
        true
    }
}

impl<F> HasDims for Density<F> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        let dim = self.dim as u64;
        HashMap::from([("unconstrained_parameter".to_owned(), dim), ("dim".to_owned(), dim)])
    }
}

impl<E: std::error::Error, F: FnMut(&[f64], &mut [f64]) -> Result<f64, E>> CpuLogpFunc for Density<F> {
    type LogpError = Refused;
    type FlowParameters = ();
    type ExpandedVector = ();

    fn dim(&self) -> usize {
        self.dim
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, Refused> {
        let value = (self.density)(position, gradient).map_err(|e| Refused(e.to_string()))?;
        // The sampler divides by the slopes where it starts, and refuses those of 0.
        gradient.iter_mut().filter(|slope| **slope == 0.0).for_each(|slope| *slope = f64::EPSILON);
        if value.is_finite() && gradient.iter().all(|g| g.is_finite()) {
            Ok(value)
        } else {
            Err(Refused(format!("log density {value}")))
        }
    }

    fn expand_vector<R: rand::Rng + ?Sized>(&mut self, _: &mut R, _: &[f64]) -> Result<(), CpuMathError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// A normal distribution whose coordinates have very different widths.
    fn bowl(x: &[f64], gradient: &mut [f64]) -> Result<f64, Infallible> {
        let widths = [1.0, 0.1, 3.0];
        let mut value = 0.0;
        for ((x, g), w) in x.iter().zip(gradient).zip(widths) {
            *g = -(x - 1.0) / (w * w);
            value -= 0.5 * ((x - 1.0) / w).powi(2);
        }
        Ok(value)
    }

    #[test]
    fn moments_of_a_normal_distribution_come_out() {
        let params = NutsParams { warmup: 300, draws: 4000, max_depth: 6, ..NutsParams::default() };
        let chain = sample(&params, &[0.0; 3], 1, bowl, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(chain.draws.len(), 4000);
        assert_eq!(chain.divergences, 0);
        for (d, width) in [1.0, 0.1, 3.0].into_iter().enumerate() {
            let mean = chain.draws.iter().map(|x| x[d]).sum::<f64>() / 4000.0;
            let variance = chain.draws.iter().map(|x| (x[d] - mean).powi(2)).sum::<f64>() / 4000.0;
            assert!((mean - 1.0).abs() < 0.1 * width, "mean {mean} of coordinate {d}");
            assert!((variance.sqrt() / width - 1.0).abs() < 0.06, "deviation {} of {width}", variance.sqrt());
        }
    }

    #[test]
    fn a_chain_may_start_where_the_density_is_flat() {
        let found = sample(&NutsParams::default(), &[1.0; 3], 1, bowl, |_| ControlFlow::Continue(()));
        let draws = found.unwrap().draws;
        assert!(draws.iter().any(|x| (x[2] - 1.0).abs() > 1.0), "{draws:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_another_gives_others() {
        let run = |seed| sample(&NutsParams::default(), &[0.0; 3], seed, bowl, |_| ControlFlow::Continue(()));
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
    }

    #[test]
    fn a_density_that_refuses_its_start_is_an_error_and_a_caller_may_stop() {
        #[derive(Debug, thiserror::Error)]
        #[error("too far")]
        struct Far;
        let refuse = |_: &[f64], _: &mut [f64]| Err::<f64, _>(Far);
        let params = NutsParams::default();
        let found = sample(&params, &[0.0], 0, refuse, |_| ControlFlow::Continue(()));
        assert!(
            matches!(&found, Err(SampleError::Failed { reason }) if reason.contains("too far")),
            "{found:?}"
        );
        let stopped = sample(&params, &[0.0; 3], 0, bowl, |_| ControlFlow::Break(()));
        assert_eq!(stopped, Err(SampleError::Stopped));
    }
}

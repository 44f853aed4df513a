//! The shape of predicted numbers, learned from training complexes left out.
//!
//! A latent variance is normal, and only the noise beside it has tails. Where targets have tails that graphs do not explain,
//! blocks in which graphs have little in common take them for variance of their own: predictions then have the right variance
//! and the wrong shape, so that intervals of 50 and 90% hold too much. Graphs left out show it, hyperparameters and all.
//!
//! Beside the predictive density as it is, `own`, stand members of a family that have the same means and `c` times the
//! variances, normal or Student-t as a whole. Each has a share by how probable it makes every training complex given the others,
//!
//! ```text
//! share ∝ prior · Π_i p(y_i | y_−i),   p(y_i | y_−i) = Σ_s w_s p(y_i | y_−i, θ_s)
//! ```
//!
//! and what is predicted is the sum. The prior gives one half to `own`: without evidence little changes. All members are normal
//! mixtures on one grid of variance factors, so that the sum is such a mixture, too.

use super::fitted::{Model, Trained};
use super::left_out::smoothed;
use crate::gp::GpError;
use crate::gp::leave_one_out::cavities;
use crate::likelihood::{Likelihood, Mixture, NoiseComponent, Observations, Reals, StudentT, log_sum_exp};
use crate::settings::NoiseChoice;
use serde::{Deserialize, Serialize};

/// Distance of the factors of variances, in logarithms, and the first and the last of them in such steps.
const STEP: f64 = 0.4;
const FACTORS: (i32, i32) = (-13, 22);

/// Degrees of freedom above 2 of the members, besides the normal ones.
const EXCESS: [f64; 6] = [0.3, 0.6, 1.2, 2.4, 4.8, 9.6];

/// Largest change of the variance, in steps, and the deviation of the prior of its logarithm.
const MOST_STEPS: i32 = 2;
const DEVIATION: f64 = 0.3;

/// Prior probability of the density as it is.
const OWN: f64 = 0.5;

/// Factors with a smaller share are left out.
const LEAST_SHARE: f64 = 1e-9;

/// How the predictive density of a number differs from what latent values and noise give: a mixture of that density, and of
/// normal ones with the same mean and a multiple of its variance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Share of the density as latent values and noise give it.
    own: f64,
    /// Factors of the variance with their shares.
    scaled: Vec<(f64, f64)>,
}

impl Shape {
    /// Share of the density as latent values and noise give it; 1 where graphs left out show no other shape.
    #[must_use]
    pub fn own(&self) -> f64 {
        self.own
    }

    /// Factors of the variance with their shares, which add up to what [`own`](Self::own) leaves.
    #[must_use]
    pub fn scaled(&self) -> &[(f64, f64)] {
        &self.scaled
    }

    /// What the variance of a prediction is multiplied by.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.own + self.scaled.iter().map(|(factor, share)| factor * share).sum::<f64>()
    }

    /// How much wider the interval that holds the share `level` of a normal prediction becomes, for `0 < level < 1`.
    #[must_use]
    pub fn widening(&self, level: f64) -> f64 {
        let all = self.scaled.iter().copied().chain([(1.0, self.own)]);
        let end = |mixture: Mixture| mixture.quantile(0.5 * (1.0 + level));
        end(Mixture::of_variances(all)) / end(Mixture::normal(0.0, 1.0))
    }

    /// Whether shares and factors are such as [`Model`] learns.
    pub(super) fn is_valid(&self) -> bool {
        let share = |w: f64| (0.0..=1.0).contains(&w);
        let factor = |f: f64| f > 0.0 && f.is_finite();
        let sum = self.own + self.scaled.iter().map(|(_, w)| w).sum::<f64>();
        share(self.own) && self.scaled.iter().all(|&(f, w)| factor(f) && share(w)) && (sum - 1.0).abs() < 1e-9
    }
}

impl Model {
    /// The shape of predicted numbers that complexes left out have shown; none where it is that of latent values and noise:
    /// for classes and counts, at the mode, and where the noise was chosen.
    #[must_use]
    pub fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }

    /// The shape that the training complexes show.
    pub(super) fn learned_shape(&self) -> Option<Shape> {
        let (NoiseChoice::Auto, Some(averaged)) = (self.settings().noise, &self.averaged) else {
            return None;
        };
        let Observations::Reals(reals) = &self.observations else { return None };
        let is_student = |state: &Trained| matches!(state.likelihood, Likelihood::StudentT(_));
        if !averaged.states.iter().all(is_student) {
            return None;
        }
        // A point whose cavity has no variance says nothing about shapes, and the posterior stands without it.
        let states: Result<Vec<Left>, GpError> = averaged.states.iter().map(Left::new).collect();
        learned(&states.ok()?, &self.observations, reals)
    }
}

/// What one state says of each point from all others.
struct Left {
    mean: Vec<f64>,
    variance: Vec<f64>,
    noise: Vec<NoiseComponent>,
}

impl Left {
    fn new(state: &Trained) -> Result<Self, GpError> {
        let cavity = cavities(&state.posterior)?;
        let column = |values: &faer::Mat<f64>| values.col(0).iter().copied().collect();
        let noise = state.likelihood.noise(&[])?;
        Ok(Self { mean: column(&cavity.mean), variance: column(&cavity.variance), noise })
    }

    fn own_log_density(&self, i: usize, value: f64) -> f64 {
        let one =
            |c: &NoiseComponent| c.weight.ln() + normal(value - self.mean[i], self.variance[i] + c.variance);
        log_sum_exp(self.noise.iter().map(one))
    }

    fn total_variance(&self, i: usize) -> f64 {
        self.variance[i] + self.noise.iter().map(|c| c.weight * c.variance).sum::<f64>()
    }
}

fn normal(error: f64, variance: f64) -> f64 {
    Mixture::normal(0.0, variance).log_density(error)
}

fn learned(states: &[Left], observations: &Observations, reals: &Reals) -> Option<Shape> {
    let members = members();
    let mut scores = vec![0.0; members.len()];
    let mut own_score = 0.0;
    for i in 0..observations.n_points() {
        let values = reals.at(i);
        // The states have seen what is left out, all of it.
        let seen = |state: &Left| values.iter().map(|&(y, w)| w * state.own_log_density(i, y)).sum::<f64>();
        let (weights, _) = smoothed(&states.iter().map(|state| -seen(state)).collect::<Vec<f64>>());
        for &(value, count) in values {
            let average = |log: &dyn Fn(&Left) -> f64| {
                log_sum_exp(weights.iter().zip(states).map(|(w, state)| w.ln() + log(state)))
            };
            own_score += count * average(&|state| state.own_log_density(i, value));
            let at = |f: f64| average(&|state| normal(value - state.mean[i], f * state.total_variance(i)));
            let scaled: Vec<f64> = factors().map(at).collect();
            for (score, member) in scores.iter_mut().zip(&members) {
                let terms = member.shares.iter().zip(&scaled).filter(|(share, _)| **share > 0.0);
                *score += count * log_sum_exp(terms.map(|(share, log)| share.ln() + log));
            }
        }
    }
    let logs: Vec<f64> = std::iter::once(OWN.ln() + own_score)
        .chain(members.iter().zip(&scores).map(|(member, score)| member.log_prior + score))
        .collect();
    let total = log_sum_exp(logs.iter().copied());
    if !total.is_finite() {
        return None;
    }
    let shares: Vec<f64> = logs.iter().map(|log| (log - total).exp()).collect();
    let share = |j: usize| -> f64 { shares[1..].iter().zip(&members).map(|(w, m)| w * m.shares[j]).sum() };
    let mut scaled: Vec<(f64, f64)> = factors().enumerate().map(|(j, f)| (f, share(j))).collect();
    scaled.retain(|(_, share)| *share > LEAST_SHARE);
    let sum = shares[0] + scaled.iter().map(|(_, w)| w).sum::<f64>();
    scaled.iter_mut().for_each(|(_, w)| *w /= sum);
    let shape = Shape { own: shares[0] / sum, scaled };
    shape.is_valid().then_some(shape)
}

/// The factors of variances.
fn factors() -> impl Iterator<Item = f64> {
    (FACTORS.0..=FACTORS.1).map(|k| (STEP * f64::from(k)).exp())
}

/// A density of the family.
struct Member {
    log_prior: f64,
    /// The share of each of the [`factors`].
    shares: Vec<f64>,
}

fn members() -> Vec<Member> {
    let bend = |c: i32| (-0.5 * (STEP * f64::from(c) / DEVIATION).powi(2)).exp();
    let total: f64 = (-MOST_STEPS..=MOST_STEPS).map(bend).sum::<f64>() * (EXCESS.len() + 1) as f64;
    let mut members = Vec::new();
    for c in -MOST_STEPS..=MOST_STEPS {
        let log_prior = ((1.0 - OWN) * bend(c) / total).ln();
        let alone = (FACTORS.0..=FACTORS.1).map(|k| if k == c { 1.0 } else { 0.0 }).collect();
        members.push(Member { log_prior, shares: alone });
        for excess in EXCESS {
            let density = |k: i32| StudentT::log_variance_density(excess, STEP * f64::from(k - c)).exp();
            let shares: Vec<f64> = (FACTORS.0..=FACTORS.1).map(density).collect();
            let sum: f64 = shares.iter().sum();
            members.push(Member { log_prior, shares: shares.iter().map(|share| share / sum).collect() });
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{dataset, small_settings};
    use crate::model::{PredictedTargets, UpdateParams};
    use crate::settings::{HyperparameterChoice, Settings};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal, StudentT as Draws};
    use std::ops::ControlFlow;

    /// One state that predicts 0 with variance 1, a hundredth of it noise, and what it learns from `values`.
    fn shape_of(values: &[f64]) -> Shape {
        let n = values.len();
        let noise = vec![NoiseComponent { weight: 1.0, variance: 0.01 }];
        let state = Left { mean: vec![0.0; n], variance: vec![0.99; n], noise };
        let observations = Observations::reals(values).unwrap();
        let Observations::Reals(reals) = &observations else { unreachable!("numbers went in") };
        learned(&[state], &observations, reals).unwrap()
    }

    fn drawn(n: usize, seed: u64, one: impl Fn(&mut ChaCha8Rng) -> f64) -> Vec<f64> {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        (0..n).map(|_| one(random)).collect()
    }

    #[test]
    fn members_are_what_they_are_called() {
        let members = members();
        assert_eq!(members.len(), (EXCESS.len() + 1) * (2 * MOST_STEPS as usize + 1));
        let prior: f64 = members.iter().map(|member| member.log_prior.exp()).sum();
        assert!((prior + OWN - 1.0).abs() < 1e-12);
        let middle = &members[MOST_STEPS as usize * (EXCESS.len() + 1)..];
        for (member, excess) in middle[1..].iter().zip(EXCESS) {
            let found = Mixture::of_variances(factors().zip(member.shares.iter().copied()));
            let scale = (excess / (2.0 + excess)).sqrt();
            let t = Likelihood::student_t(scale, excess).unwrap().noise(&[]).unwrap();
            let expected = Mixture::of_variances(t.iter().map(|part| (part.variance, part.weight)));
            for y in [0.1, 0.5, 1.0, 2.0, 5.0] {
                let off = (found.cdf(y) - expected.cdf(y)).abs();
                assert!(off < 1e-4, "excess {excess} at {y}: off by {off}");
            }
        }
    }

    #[test]
    fn tails_are_found_where_they_are_and_not_elsewhere() {
        let normal = |random: &mut ChaCha8Rng| StandardNormal.sample(random);
        // Of variance 1.
        let tailed = |random: &mut ChaCha8Rng| {
            let t: f64 = Draws::new(3.0).unwrap().sample(random);
            t / 3f64.sqrt()
        };
        for seed in 0..5 {
            let right = shape_of(&drawn(200, seed, normal));
            assert!(right.own() > 0.5, "{}", right.own());
            for level in [0.5, 0.9, 0.95] {
                assert!((right.widening(level) - 1.0).abs() < 0.1, "{level}: {}", right.widening(level));
            }
            let tails = shape_of(&drawn(400, seed, tailed));
            // Exact: 0.7649 / √3 / 0.6745 = 0.655 and 2.3534 / √3 / 1.6449 = 0.826.
            assert!(tails.own() < 0.01, "{}", tails.own());
            assert!((tails.widening(0.5) - 0.655).abs() < 0.08, "{}", tails.widening(0.5));
            assert!((tails.widening(0.9) - 0.826).abs() < 0.08, "{}", tails.widening(0.9));
            for deviation in [(-0.2f64).exp(), 0.2f64.exp()] {
                let other = shape_of(&drawn(400, seed, |random| deviation * normal(random)));
                assert!(
                    (other.widening(0.9) - deviation).abs() < 0.1,
                    "{deviation}: {}",
                    other.widening(0.9)
                );
            }
        }
    }

    #[test]
    fn without_evidence_little_changes_and_order_and_sign_do_not_matter() {
        let one = shape_of(&[0.6]);
        assert!((one.own() - OWN).abs() < 0.05 && (one.widening(0.9) - 1.0).abs() < 0.1, "{one:?}");
        let values = drawn(60, 9, |random| 2.0 * f64::powi(StandardNormal.sample(random), 3));
        let (shape, flipped) = (shape_of(&values), values.iter().rev().map(|y| -y).collect::<Vec<_>>());
        let other = shape_of(&flipped);
        assert!((shape.own() - other.own()).abs() < 1e-12);
        for (a, b) in shape.scaled().iter().zip(other.scaled()) {
            assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-12);
        }
    }

    #[test]
    fn gross_errors_leave_shares_that_add_up() {
        for values in [vec![1e150; 3], vec![1e-300; 40], vec![0.0, 1e8, -1e8, 0.1]] {
            assert!(shape_of(&values).is_valid(), "{values:?}");
        }
    }

    #[test]
    fn a_model_learns_it_keeps_it_and_leaves_its_means_alone() {
        let (data, more) = (dataset(24, 0, 9), dataset(6, 0, 10));
        let train: Vec<usize> = (0..24).collect();
        let settings =
            Settings { hyperparameters: HyperparameterChoice::Nuts, iterations: 4, ..small_settings() };
        let model = settings.fit(&data, &train).unwrap();
        let shape = model.shape().unwrap();
        assert!(shape.is_valid());
        let densities = |model: &Model| match model.predict(&more).unwrap().targets {
            PredictedTargets::Real { densities } => densities,
            PredictedTargets::Classes { .. } => panic!("numbers went in"),
        };
        let own = densities(&model);
        let total: f64 = own[0].components().iter().map(|c| c.weight).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
        // What was chosen stays as it is, with the same means.
        let chosen = Settings { noise: NoiseChoice::StudentT, ..settings.clone() };
        let plain = chosen.fit(&data, &train).unwrap();
        assert!(plain.shape().is_none());
        // Variances and covariances within states are multiplied by one factor.
        let joint = |model: &Model| model.predict_covariance(&more).unwrap();
        let (latents, whole, covariance) =
            (plain.predict_joint(&more).unwrap(), joint(&plain), joint(&model));
        let means = |factor: f64| plain.joint_scaled(&more, factor).unwrap().covariance.remove(0);
        let (between, unit) = (means(0.0), whole[(0, 1)] / latents.covariance[0][(0, 1)]);
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
            let scaled = |whole: f64, between: f64| shape.factor() * (whole - between) + between;
            let expected = scaled(whole[(i, j)], unit * between[(i, j)]);
            assert!((covariance[(i, j)] - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
        for (a, b) in own.iter().zip(densities(&plain)) {
            assert!((a.mean() - b.mean()).abs() < 1e-9 * (1.0 + b.mean().abs()));
        }
        let mode = Settings { hyperparameters: HyperparameterChoice::Map, ..settings };
        assert!(mode.fit(&data, &train).unwrap().shape().is_none());
        // A file gives it back, and more graphs show another.
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!((again.shape(), densities(&again)), (model.shape(), own));
        let updated = model.update(&more, UpdateParams::default(), |_| ControlFlow::Continue(())).unwrap();
        assert!(updated.shape().is_some_and(|shape| shape.is_valid()));
        assert_ne!(updated.shape(), model.shape());
    }
}

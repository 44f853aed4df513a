//! Noise of real targets: its hyperparameters, and its distribution as a mixture of normal ones.

use super::expected_log::{ExpectedLog, expected_logs};
use super::observations::{RealGroup, Reals};
use super::student_t::StudentT;
use super::{Gaussian, Likelihood, LikelihoodError, Moments, Observations};
use faer::MatRef;

/// One normal distribution, centered on 0, of a mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseComponent {
    /// Its share.
    pub weight: f64,
    /// Its variance.
    pub variance: f64,
}

impl Likelihood {
    /// The noise of a real target as a mixture of normal distributions whose weights sum to 1; empty for classes and counts. Given a
    /// latent mean `m` and variance `v` the target has the density `Σ_k weight_k N(y; m, v + variance_k)`.
    ///
    /// `covariates` are those of the point; none where the noise does not depend on any.
    ///
    /// One component for Gaussian noise. For Student-t noise some 15 to 30, with the variance of the noise and a
    /// distribution function good to 1e-5; what has less weight than 1e-6 is one component.
    ///
    /// # Errors
    ///
    /// [`LikelihoodError::Covariates`] for another number of covariates than the noise depends on, and
    /// [`LikelihoodError::Range`] when they are so far out that the variance is no positive number.
    pub fn noise(&self, covariates: &[f64]) -> Result<Vec<NoiseComponent>, LikelihoodError> {
        Ok(match self {
            Self::Gaussian(gaussian) => {
                check_covariates(gaussian, covariates)?;
                vec![NoiseComponent { weight: 1.0, variance: gaussian.at(covariates).noise_variance() }]
            }
            Self::StudentT(student_t) => student_t.mixture(),
            _ => Vec::new(),
        })
    }

    /// Derivatives of the expected log likelihood in the logarithms of the
    /// [`hyperparameters`](Self::hyperparameters), in their order; empty where nothing is learned.
    ///
    /// # Errors
    ///
    /// As [`Likelihood::expectations`].
    pub fn hyperparameter_gradient(
        &self,
        observations: &Observations,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Result<Vec<f64>, LikelihoodError> {
        self.gradient_after(&NoiseSums::default(), observations, mean, variance)
    }

    /// The same with what [expectations](Self::expectations) at these moments have found already.
    pub(crate) fn gradient_after(
        &self,
        sums: &NoiseSums,
        observations: &Observations,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Result<Vec<f64>, LikelihoodError> {
        self.check_observations(observations)?;
        self.check_moments(observations.n_points(), mean, variance)?;
        if let (Self::LabelRegression(regression), Observations::Classes(labels)) = (self, observations) {
            return Ok(vec![regression.noise_gradient(labels, |i, c| (mean[(i, c)], variance[(i, c)]))]);
        }
        if let (Self::Ordinal(ordinal), Observations::Classes(labels)) = (self, observations) {
            return Ok(ordinal.gradient(labels, |i| (mean[(i, 0)], variance[(i, 0)])));
        }
        let Observations::Reals(reals) = observations else { return Ok(Vec::new()) };
        let moments = |i: usize| (mean[(i, 0)], variance[(i, 0)]);
        Ok(match self {
            Self::Gaussian(gaussian) => {
                // Derivatives in the variance of each point; those in the logarithms follow by the chain rule.
                let slope = |(i, group): (usize, &RealGroup)| {
                    let own = gaussian.at(reals.covariates(i));
                    let factor = gaussian.log_factor(reals.covariates(i)).exp();
                    own.noise_gradient(group, moments(i).0, moments(i).1) * factor
                };
                let slopes: Vec<f64> = reals.groups().iter().enumerate().map(slope).collect();
                let along = |b: usize| -> f64 {
                    slopes.iter().enumerate().map(|(i, slope)| slope * reals.covariates(i)[b]).sum()
                };
                let sums =
                    std::iter::once(slopes.iter().sum()).chain((0..gaussian.factors().len()).map(along));
                sums.map(|sum: f64| sum * gaussian.noise_variance()).collect()
            }
            Self::StudentT(student_t) => {
                let each = reals.points().iter().zip(reals.values());
                let pairs = each.map(|(&i, &value)| student_t.pair(value, moments(i).0, moments(i).1));
                let pairs: Vec<(f64, f64)> = pairs.collect();
                let logs = match sums.of(student_t, reals) {
                    Some(known) => reals.places().map(|place| known[place]).collect(),
                    None => expected_logs(&pairs),
                };
                let mut sum = vec![0.0; 2];
                for (o, (pair, log)) in pairs.into_iter().zip(logs).enumerate() {
                    let weight = observations.weight(o);
                    sum.iter_mut().zip(student_t.gradient(pair, log)).for_each(|(s, g)| *s += weight * g);
                }
                sum
            }
            _ => Vec::new(),
        })
    }

    /// Expected log likelihood of the real values at point `i`.
    pub(super) fn real_terms(&self, reals: &Reals, i: usize, m: f64, v: f64) -> Moments {
        match self {
            Self::Gaussian(gaussian) => {
                gaussian.at(reals.covariates(i)).expectation(&reals.groups()[i], m, v)
            }
            Self::StudentT(_) | Self::Poisson(_) => {
                let mut sum = Moments::default();
                for &(value, weight) in reals.at(i) {
                    let one = self.real_term(value, m, v);
                    sum.value += weight * one.value;
                    sum.d_mean += weight * one.d_mean;
                    sum.d_variance += weight * one.d_variance;
                }
                sum
            }
            _ => unreachable!("kinds were checked"),
        }
    }

    /// Expected log likelihood of one real value.
    fn real_term(&self, value: f64, m: f64, v: f64) -> Moments {
        match self {
            Self::StudentT(student_t) => student_t.expectation(value, m, v),
            Self::Poisson(poisson) => poisson.expectation(value, m, v),
            _ => unreachable!("kinds were checked"),
        }
    }

    /// The site `(w, λ)` that real value `o` asks for under latent moments of its point.
    pub(crate) fn real_site(&self, reals: &Reals, o: usize, m: f64, v: f64) -> (f64, f64) {
        let weight = reals.weight(o);
        match self {
            Self::Gaussian(gaussian) => {
                let w = weight / gaussian.at(reals.covariates(reals.points()[o])).noise_variance();
                (w, w * reals.values()[o])
            }
            Self::StudentT(_) | Self::Poisson(_) => {
                let one = self.real_term(reals.values()[o], m, v);
                let w = -2.0 * weight * one.d_variance;
                (w, weight * one.d_mean + w * m)
            }
            _ => unreachable!("kinds were checked"),
        }
    }
}

/// What expectations under Student-t noise and their derivatives in its learned values have in common, for each real value,
/// point after point; nothing for other likelihoods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NoiseSums {
    noise: Option<StudentT>,
    logs: Vec<ExpectedLog>,
}

impl NoiseSums {
    pub(super) fn new(noise: StudentT, logs: Vec<ExpectedLog>) -> Self {
        Self { noise: Some(noise), logs }
    }

    /// The sums, if they are of this noise and these values.
    fn of(&self, noise: &StudentT, reals: &Reals) -> Option<&[ExpectedLog]> {
        let fits = self.noise.as_ref() == Some(noise) && self.logs.len() == reals.values().len();
        fits.then_some(&self.logs)
    }
}

/// Whether the noise at a point with these covariates has a variance.
pub(super) fn check_covariates(gaussian: &Gaussian, covariates: &[f64]) -> Result<(), LikelihoodError> {
    let (expected, found) = (gaussian.factors().len(), covariates.len());
    if expected != found {
        return Err(LikelihoodError::Covariates { expected, found });
    }
    let value = gaussian.at(covariates).noise_variance();
    super::check_range("noise variance of a point", value, 0.0 < value, f64::INFINITY)
}

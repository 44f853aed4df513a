//! Likelihoods over many points: expectations in training, probabilities and log densities in prediction.
//!
//! Points are worked on in fixed chunks in parallel and summed in order, so the number of threads does not
//! change a bit.

use super::expected_log::{ExpectedLog, expected_logs};
use super::noise::{NoiseSums, check_covariates};
use super::student_t::StudentT;
use super::{Likelihood, LikelihoodError, Moments, Observations, Reals};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Points of one parallel task.
const CHUNK: usize = 16;

/// Problems of at most this many points stay on the calling thread: they take microseconds.
const SMALL: usize = 256;

/// Expected log likelihood of all observations, with its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectations {
    /// `Σ E_q[log p(y | f)]`.
    pub value: f64,
    /// Derivative in each mean, `[n_points, n_latents]`.
    pub d_mean: Mat<f64>,
    /// Derivative in each variance, `[n_points, n_latents]`.
    pub d_variance: Mat<f64>,
    pub(crate) noise_sums: NoiseSums,
}

/// Results of one chunk, point after point.
struct Chunk {
    value: f64,
    d_mean: Vec<f64>,
    d_variance: Vec<f64>,
    /// For Student-t noise.
    logs: Vec<ExpectedLog>,
}

impl Chunk {
    /// Expectations of real values under Student-t noise, all of these points side by side.
    fn add_values(
        &mut self,
        noise: &StudentT,
        reals: &Reals,
        points: std::ops::Range<usize>,
        moments: impl Fn(usize) -> (f64, f64),
    ) {
        let pairs = points.clone().flat_map(|i| {
            let (m, v) = moments(i);
            reals.at(i).iter().map(move |&(value, _)| noise.pair(value, m, v))
        });
        self.logs = expected_logs(&pairs.collect::<Vec<_>>());
        let mut logs = self.logs.iter();
        for (k, i) in points.enumerate() {
            let mut sum = Moments::default();
            for (&(_, weight), &log) in reals.at(i).iter().zip(logs.by_ref()) {
                let one = noise.moments(log);
                sum.value += weight * one.value;
                sum.d_mean += weight * one.d_mean;
                sum.d_variance += weight * one.d_variance;
            }
            self.value += sum.value;
            (self.d_mean[k], self.d_variance[k]) = (sum.d_mean, sum.d_variance);
        }
    }
}

impl Likelihood {
    /// Expected log likelihood under independent marginals `N(mean, variance)`, both `[n_points, n_latents]`.
    ///
    /// # Errors
    ///
    /// [`LikelihoodError`] when observations are of another kind or shapes differ, or a moment is invalid.
    pub fn expectations(
        &self,
        observations: &Observations,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Result<Expectations, LikelihoodError> {
        self.check_observations(observations)?;
        self.check_moments(observations.n_points(), mean, variance)?;
        let (n, n_latents) = mean.shape();
        let chunk = |k: usize| self.chunk(observations, k * CHUNK..n.min((k + 1) * CHUNK), mean, variance);
        let chunks: Vec<Chunk> = match n {
            ..=SMALL => (0..n.div_ceil(CHUNK)).map(chunk).collect(),
            _ => (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).collect(),
        };
        let entry = |values: &dyn Fn(&Chunk) -> &[f64], i: usize, c: usize| {
            values(&chunks[i / CHUNK])[(i % CHUNK) * n_latents + c]
        };
        let noise_sums = match self {
            Self::StudentT(noise) => {
                NoiseSums::new(*noise, chunks.iter().flat_map(|chunk| chunk.logs.iter().copied()).collect())
            }
            _ => NoiseSums::default(),
        };
        Ok(Expectations {
            noise_sums,
            value: chunks.iter().map(|chunk| chunk.value).sum(),
            d_mean: Mat::from_fn(n, n_latents, |i, c| entry(&|chunk| &chunk.d_mean, i, c)),
            d_variance: Mat::from_fn(n, n_latents, |i, c| entry(&|chunk| &chunk.d_variance, i, c)),
        })
    }

    fn chunk(
        &self,
        observations: &Observations,
        points: std::ops::Range<usize>,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Chunk {
        let n_latents = mean.ncols();
        let size = points.len() * n_latents;
        let (d_mean, d_variance) = (vec![0.0; size], vec![0.0; size]);
        let mut chunk = Chunk { value: 0.0, d_mean, d_variance, logs: Vec::new() };
        if let (Self::StudentT(noise), Observations::Reals(reals)) = (self, observations) {
            chunk.add_values(noise, reals, points, |i| (mean[(i, 0)], variance[(i, 0)]));
            return chunk;
        }
        if let (Self::Bernoulli(bernoulli), Observations::Classes(labels)) = (self, observations) {
            let counts = points.clone().map(|i| labels.counts(i));
            let moments = |of: MatRef<'_, f64>| points.clone().map(|i| of[(i, 0)]).collect::<Vec<_>>();
            let (m, v) = (moments(mean), moments(variance));
            let together = bernoulli.expectations(counts, &m, &v, &mut chunk.d_mean, &mut chunk.d_variance);
            if let Some(value) = together {
                return Chunk { value, ..chunk };
            }
        }
        let (mut m, mut v) = (vec![0.0; n_latents], vec![0.0; n_latents]);
        for (k, i) in points.enumerate() {
            gather(mean, i, &mut m);
            gather(variance, i, &mut v);
            let at = k * n_latents..(k + 1) * n_latents;
            let (d_mean, d_variance) = (&mut chunk.d_mean[at.clone()], &mut chunk.d_variance[at]);
            chunk.value += self.expectation(observations, i, &m, &v, d_mean, d_variance);
        }
        chunk
    }

    /// Expected log likelihood of the observations at one point.
    fn expectation(
        &self,
        observations: &Observations,
        i: usize,
        m: &[f64],
        v: &[f64],
        d_mean: &mut [f64],
        d_variance: &mut [f64],
    ) -> f64 {
        match observations {
            Observations::Classes(labels) => self.class_terms(labels.counts(i), m, v, d_mean, d_variance),
            Observations::Reals(reals) => {
                let moments = self.real_terms(reals, i, m[0], v[0]);
                (d_mean[0], d_variance[0]) = (moments.d_mean, moments.d_variance);
                moments.value
            }
        }
    }

    /// Expected log likelihood of counted labels at one point.
    pub(crate) fn class_terms(
        &self,
        counts: &[(usize, f64)],
        m: &[f64],
        v: &[f64],
        d_mean: &mut [f64],
        d_variance: &mut [f64],
    ) -> f64 {
        match self {
            Self::Bernoulli(bernoulli) => {
                let moments = bernoulli.expectation(counts, m[0], v[0]);
                (d_mean[0], d_variance[0]) = (moments.d_mean, moments.d_variance);
                moments.value
            }
            Self::RobustMax(robust_max, _) => robust_max.expectation(counts, m, v, d_mean, d_variance),
            Self::Softmax(softmax, _) => softmax.expectation(counts, m, v, d_mean, d_variance),
            Self::LabelRegression(labels) => labels.expectation(counts, m, v, d_mean, d_variance),
            Self::Ordinal(ordinal) => {
                let moments = ordinal.expectation(counts, m[0], v[0]);
                (d_mean[0], d_variance[0]) = (moments.d_mean, moments.d_variance);
                moments.value
            }
            Self::Gaussian(_) | Self::StudentT(_) | Self::Poisson(_) => unreachable!("kinds were checked"),
        }
    }

    /// Predictive probabilities `[n_points, n_classes]` from latent moments `[n_points, n_latents]`.
    ///
    /// # Errors
    ///
    /// [`LikelihoodError::Kind`] for real targets; otherwise as [`Likelihood::expectations`].
    pub fn probabilities(
        &self,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, LikelihoodError> {
        let Some(n_classes) = self.n_classes() else {
            return Err(LikelihoodError::Kind { expected: "real values", found: "classes" });
        };
        self.check_moments(mean.nrows(), mean, variance)?;
        let rows: Vec<Vec<f64>> = (0..mean.nrows())
            .into_par_iter()
            .map(|i| {
                let (mut m, mut v) = (vec![0.0; mean.ncols()], vec![0.0; mean.ncols()]);
                gather(mean, i, &mut m);
                gather(variance, i, &mut v);
                self.point_probabilities(&m, &v)
            })
            .collect();
        Ok(Mat::from_fn(mean.nrows(), n_classes, |i, c| rows[i][c]))
    }

    /// Predictive probabilities of one point; empty for real targets.
    pub(crate) fn point_probabilities(&self, m: &[f64], v: &[f64]) -> Vec<f64> {
        let mut p = vec![0.0; self.n_classes().unwrap_or(0)];
        match self {
            Self::Bernoulli(bernoulli) => {
                (0..2).for_each(|class| p[class] = bernoulli.log_probability(class, m[0], v[0]).exp());
            }
            Self::RobustMax(robust_max, _) => robust_max.probabilities(m, v, &mut p),
            Self::Softmax(softmax, _) => {
                softmax.log_probabilities(m, v).iter().zip(&mut p).for_each(|(log, p)| *p = log.exp());
            }
            Self::LabelRegression(labels) => {
                labels.log_probabilities(m, v).iter().zip(&mut p).for_each(|(log, p)| *p = log.exp());
            }
            Self::Ordinal(ordinal) => {
                p.iter_mut().enumerate().for_each(|(c, p)| *p = ordinal.log_probability(c, m[0], v[0]).exp());
            }
            Self::Gaussian(_) | Self::StudentT(_) | Self::Poisson(_) => {}
        }
        p
    }

    /// `log p(y)` of one label under latent moments of one point.
    pub(crate) fn class_log_density(&self, class: usize, m: &[f64], v: &[f64]) -> f64 {
        match self {
            Self::Bernoulli(bernoulli) => bernoulli.log_probability(class, m[0], v[0]),
            Self::RobustMax(..) => self.point_probabilities(m, v)[class].ln(),
            Self::Softmax(softmax, _) => softmax.log_probabilities(m, v)[class],
            Self::LabelRegression(labels) => labels.log_probabilities(m, v)[class],
            Self::Ordinal(ordinal) => ordinal.log_probability(class, m[0], v[0]),
            Self::Gaussian(_) | Self::StudentT(_) | Self::Poisson(_) => unreachable!("kinds were checked"),
        }
    }

    /// Predictive log density of each observation, `[n_observations]`, given the latent moments of its point.
    ///
    /// # Errors
    ///
    /// As [`Likelihood::expectations`].
    pub fn log_densities(
        &self,
        observations: &Observations,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Result<Vec<f64>, LikelihoodError> {
        self.check_observations(observations)?;
        self.check_moments(observations.n_points(), mean, variance)?;
        let density = |(o, &i): (usize, &usize)| {
            let (mut m, mut v) = (vec![0.0; mean.ncols()], vec![0.0; mean.ncols()]);
            gather(mean, i, &mut m);
            gather(variance, i, &mut v);
            self.observation_log_density(observations, o, &m, &v)
        };
        Ok(observations.points().par_iter().enumerate().map(density).collect())
    }

    /// `log p(y_o)` of observation `o` under latent moments of one point.
    pub(crate) fn observation_log_density(&self, all: &Observations, o: usize, m: &[f64], v: &[f64]) -> f64 {
        match (self, all) {
            (Self::Gaussian(gaussian), Observations::Reals(reals)) => {
                let own = gaussian.at(reals.covariates(reals.points()[o]));
                own.log_density(reals.values()[o], m[0], v[0])
            }
            (Self::StudentT(student_t), Observations::Reals(reals)) => {
                student_t.log_density(reals.values()[o], m[0], v[0])
            }
            (Self::Poisson(poisson), Observations::Reals(reals)) => {
                poisson.log_density(reals.values()[o], m[0], v[0])
            }
            (_, Observations::Classes(labels)) => self.class_log_density(labels.labels()[o] as usize, m, v),
            _ => unreachable!("kinds were checked"),
        }
    }

    /// Whether observations are of the kind this likelihood is about.
    pub(crate) fn check_observations(&self, observations: &Observations) -> Result<(), LikelihoodError> {
        match (self.n_classes(), observations) {
            (None, Observations::Reals(reals)) => match self {
                Self::Gaussian(gaussian) => (0..reals.groups().len())
                    .try_for_each(|i| check_covariates(gaussian, reals.covariates(i))),
                _ => Ok(()),
            },
            (None, _) => Err(LikelihoodError::Kind { expected: "real values", found: "classes" }),
            (Some(_), Observations::Reals(_)) => {
                Err(LikelihoodError::Kind { expected: "classes", found: "real values" })
            }
            (Some(expected), Observations::Classes(labels)) if labels.n_classes() != expected => {
                Err(LikelihoodError::Classes { expected, found: labels.n_classes() })
            }
            (Some(_), Observations::Classes(_)) => Ok(()),
        }
    }

    pub(super) fn check_moments(
        &self,
        n_points: usize,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Result<(), LikelihoodError> {
        let expected = (n_points, self.n_latents());
        for moments in [mean, variance] {
            if moments.shape() != expected {
                let (rows, columns) = moments.shape();
                let (expected_rows, expected_columns) = expected;
                return Err(LikelihoodError::Shape { rows, columns, expected_rows, expected_columns });
            }
        }
        for latent in 0..expected.1 {
            for point in 0..n_points {
                let (m, v) = (mean[(point, latent)], variance[(point, latent)]);
                if !m.is_finite() {
                    return Err(LikelihoodError::Moment { point, latent, value: m });
                }
                if !(v >= 0.0 && v.is_finite()) {
                    return Err(LikelihoodError::Moment { point, latent, value: v });
                }
            }
        }
        Ok(())
    }
}

fn gather(matrix: MatRef<'_, f64>, i: usize, row: &mut [f64]) {
    row.iter_mut().enumerate().for_each(|(c, slot)| *slot = matrix[(i, c)]);
}

//! What a fit will take, before it runs.
//!
//! Memory is that of the largest matrices, which decide whether a fit is possible at all. Time is a count of multiplications
//! and additions over what this machine does in a second, measured in a few milliseconds: good to a factor of two or three,
//! since the number of steps is not known before.

use super::problem::check_indices;
use super::sparse::most_inducing;
use super::targets::Observed;
use super::{Measurer, ModelError};
use crate::dataset::{Dataset, Targets};
use crate::linalg::check_memory;
use crate::settings::Settings;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use serde::Serialize;
use std::time::Instant;

/// Evaluations of the objective for each step of the optimizer, and factorizations for each evaluation.
const EVALUATIONS: f64 = 1.3;
const FACTORIZATIONS: f64 = 4.0;

/// Passes of a sparse posterior, and factorizations of a full one that is found once.
const PASSES: f64 = 10.0;
const FINAL_FACTORIZATIONS: f64 = 10.0;

/// Share of the memory that is free which a fit may take.
const FREE_SHARE: f64 = 0.8;

/// What a fit will take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Training complexes.
    pub n_train: usize,
    /// Those that hyperparameters are trained on.
    pub n_sample: usize,
    /// Inducing complexes, at most; none of a full posterior.
    pub n_inducing: Option<usize>,
    /// Bytes of the matrices, besides the spectra.
    pub bytes: usize,
    /// Bytes that may be taken.
    pub budget: usize,
    /// Multiplications and additions of training and posterior, besides the spectra.
    pub operations: f64,
}

impl Plan {
    /// The plan for `n` training complexes with `n_columns` features, `n_fixed` blocks whose distances never change, and a
    /// likelihood whose posterior has `n_factors` factors.
    #[must_use]
    pub fn new(settings: &Settings, n: usize, n_columns: usize, n_fixed: usize, n_factors: usize) -> Self {
        let n_sample = settings.sample_size(n);
        let n_inducing = settings.is_sparse(n, n_factors).then(|| most_inducing(settings, n));
        let (all, s, d, f) = (n as f64, n_sample as f64, n_columns as f64, n_factors as f64);
        let starts = settings.restarts.max(1) as f64;
        let evaluations = EVALUATIONS * settings.iterations as f64 * starts;
        // Gram matrix and its derivative, factors and their use.
        let fixed = n_fixed as f64;
        let evaluation = 3.0 * s * s * (d + fixed) + FACTORIZATIONS * f * s * s * s;
        let gram = |n: f64| n * n * (2.0 * f + 3.0);
        let (numbers, posterior) = match n_inducing {
            Some(m) => {
                let m = m as f64;
                let kept = (all * m).min(1e9 / 8.0);
                let candidates = all.min(4096.0);
                (kept + candidates * (candidates + m) + 8.0 * f * m * m, all * m * (d + PASSES * 1.5 * f * m))
            }
            None if n_sample < n => (gram(all), all * all * d + FINAL_FACTORIZATIONS * f * all * all * all),
            None => (0.0, 0.0),
        };
        // Starts run side by side, as far as there are processors.
        let side = starts.min(rayon::current_num_threads() as f64);
        let training = side * gram(s) + (10.0 + fixed) * s * s;
        Self {
            n_train: n,
            n_sample,
            n_inducing,
            bytes: (8.0 * training.max(numbers)).min(usize::MAX as f64) as usize,
            budget: settings.memory.map_or_else(free_memory, |mb| mb.saturating_mul(1_000_000)),
            operations: evaluations * evaluation + posterior,
        }
    }

    /// Seconds that the plan takes here, besides the spectra.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.operations / rate()
    }

    /// Whether it fits in memory.
    ///
    /// # Errors
    ///
    /// [`ModelError::Memory`] beyond the budget, [`ModelError::NoMemory`] when the system does not give it.
    pub fn check(&self) -> Result<(), ModelError> {
        match self.bytes <= self.budget {
            true => Ok(check_memory(self.bytes / 8)?),
            false => Err(ModelError::Memory {
                n: self.n_train,
                needed_mb: self.bytes / 1_000_000,
                budget_mb: self.budget / 1_000_000,
            }),
        }
    }
}

impl Settings {
    /// What a fit of the complexes `train` of `dataset` will take.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when targets are missing or the dataset does not have what the settings ask for.
    pub fn plan(&self, dataset: &Dataset, train: &[usize]) -> Result<Plan, ModelError> {
        check_indices(train, dataset.len())?;
        let measurer = Measurer::fit(self, dataset, train)?;
        self.plan_measured(&measurer, dataset.targets(), dataset.len(), train)
    }

    /// What a fit of the complexes `train` of `n` that `measurer` measured will take.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when targets are missing.
    pub fn plan_measured(
        &self,
        measurer: &Measurer,
        targets: &Targets,
        n: usize,
        train: &[usize],
    ) -> Result<Plan, ModelError> {
        check_indices(train, n)?;
        let (_, observed) = Observed::new(self, targets, n, train)?;
        let (_, likelihood) = observed.likelihood(self, 1)?;
        let n_fixed = measurer.blocks()?.iter().filter(|block| !block.component.is_of_signal()).count();
        Ok(Plan::new(self, train.len(), measurer.n_columns()?, n_fixed, likelihood.n_factors()))
    }
}

/// Bytes that a fit may take: a share of what the system says is free, or no limit where it does not say.
fn free_memory() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = available.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kilobytes.map_or(usize::MAX, |kb| (FREE_SHARE * 1024.0 * kb) as usize)
}

/// Multiplications and additions in a second on all threads, of large products.
fn rate() -> f64 {
    let n = 384;
    let a = Mat::from_fn(n, n, |i, j| (i + j) as f64);
    let mut out = Mat::zeros(n, n);
    let began = Instant::now();
    for _ in 0..3 {
        matmul(out.as_mut(), Accum::Replace, a.as_ref(), a.as_ref(), 1.0, Par::Seq);
    }
    crate::linalg::clear_upper_registers();
    let seconds = began.elapsed().as_secs_f64().max(1e-6);
    3.0 * (n * n * n) as f64 / seconds * rayon::current_num_threads() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::dataset;
    use crate::settings::PosteriorChoice;

    #[test]
    fn a_full_posterior_grows_with_the_square_and_a_sparse_one_does_not() {
        let full = Settings { posterior: PosteriorChoice::Full, ..Settings::default() };
        let bytes = |settings: &Settings, n| Plan::new(settings, n, 700, 0, 1).bytes as f64;
        assert!((bytes(&full, 40_000) / bytes(&full, 20_000) - 4.0).abs() < 0.1);
        let auto = Settings::default();
        assert!(bytes(&auto, 1_000_000) < 3e9, "{}", bytes(&auto, 1_000_000));
        assert_eq!(Plan::new(&auto, 1_000_000, 700, 0, 1).n_sample, 1000);
        assert!(Plan::new(&auto, 100, 700, 0, 1).n_inducing.is_none());
        assert!(Plan::new(&auto, 100, 700, 0, 1).seconds() > 0.0);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let data = dataset(40, 2, 1);
        let train: Vec<usize> = (0..40).collect();
        let settings = Settings { memory: Some(0), ..Settings::default().most_probable() };
        let error = settings.fit(&data, &train).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("40 training graphs") && message.contains("0 MB"), "{message}");
        assert!(error.hint().unwrap().contains("sparse"));
    }
}

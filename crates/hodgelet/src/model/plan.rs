//! What a fit will take, before it runs.
//!
//! Memory is that of the largest matrices, which decide whether a fit is possible at all. Time is a count of multiplications
//! and additions over what this machine does in a second, measured in a few milliseconds: good to a factor of two or three,
//! since the number of steps is not known before.

use super::problem::{KNOWN_TO, Problem, check_indices};
use super::sparse::{MADE_TOGETHER, most_inducing};
use super::targets::Observed;
use super::{Measurer, ModelError};
use crate::dataset::{Dataset, Targets};
use crate::feature::{Block, Component, ValueEmbedding};
use crate::gp::sparse::LEAF;
use crate::kernel::Inputs;
use crate::linalg::check_memory;
use crate::settings::{ConformalChoice, Settings};
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

/// What an evaluation of a sampler takes, in multiplications and additions of large products: for each number of the features,
/// for each number of the Gram matrix of each column, and for each step of a factor. Fitted to times of `hodgelet fit` on
/// MUTAG, PTC_MR and ENZYMES, less those with `--hyperparameters map`.
const SAMPLED_FEATURE: f64 = 200.0;
const SAMPLED_PRODUCT: f64 = 4.0;
const SAMPLED_FACTOR: f64 = 2.0;

/// Share of the memory that is free which a fit may take.
const FREE_SHARE: f64 = 0.8;

/// What a plan needs to know of the blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlannedBlocks {
    /// Columns of features.
    pub columns: usize,
    /// Blocks whose features are trained.
    pub trained: usize,
    /// Blocks whose rows never change: labels, values, what is known of complexes as a whole.
    pub fixed: usize,
    /// Bytes of these rows of one complex, all blocks together.
    pub row_bytes: f64,
}

impl PlannedBlocks {
    /// From a problem whose rows are known.
    pub(super) fn of(problem: &Problem) -> Self {
        let rows: Vec<&Inputs> = problem.fixed.iter().flatten().map(|own| &own.inputs).collect();
        let bytes: usize = rows.iter().map(|rows| rows.bytes()).sum();
        Self {
            columns: problem.drawn.iter().map(|block| block.standardizer.n_columns()).sum(),
            trained: problem.drawn.len() - rows.len(),
            fixed: rows.len(),
            row_bytes: bytes as f64 / problem.n_points().max(1) as f64,
        }
    }

    /// From blocks of `n` training complexes that are not measured yet. How many labels they have is not known; a row of values
    /// has a known width, one of a Gram matrix a number for each complex.
    pub(super) fn expected(blocks: &[Block], columns: usize, n: usize) -> Self {
        let fixed = blocks.iter().filter(|block| !block.component.is_of_signal());
        let bytes = |block: &Block| match block.component {
            component if component.is_values() => 8.0 * ValueEmbedding::WIDTH as f64,
            Component::Gram(_) => 8.0 * n as f64,
            _ => 0.0,
        };
        let row_bytes = fixed.clone().map(bytes).sum();
        let fixed = fixed.count();
        Self { columns, trained: blocks.len() - fixed, fixed, row_bytes }
    }
}

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
    /// Bytes of a file for covariances with the inducing complexes, where memory does not hold them; it stands beside the
    /// measures of a store while the model is fitted, and is gone afterwards.
    pub disk_bytes: usize,
    /// Bytes that may be taken.
    pub budget: usize,
    /// Multiplications and additions of training and posterior at the most probable values, besides the spectra.
    pub operations: f64,
    /// The same of averaging over hyperparameters, which one thread for each chain works on; 0 where nothing is averaged.
    pub averaging_operations: f64,
    /// Chains of it.
    pub chains: usize,
}

impl Plan {
    /// The plan for `n` training complexes with these blocks and a likelihood whose posterior has `n_factors` factors.
    #[must_use]
    pub fn new(settings: &Settings, n: usize, blocks: PlannedBlocks, n_factors: usize) -> Self {
        let n_sample = settings.sample_size(n);
        let n_inducing = settings.is_sparse(n, n_factors).then(|| most_inducing(settings, n));
        let covariances = n.saturating_mul(n_inducing.unwrap_or(0));
        let (all, s, d, f) = (n as f64, n_sample as f64, blocks.columns as f64, n_factors as f64);
        let rows = |n: f64| n * (blocks.row_bytes / 8.0 + d);
        let starts = settings.restarts.max(1) as f64;
        let evaluations = EVALUATIONS * settings.iterations as f64 * starts;
        // Gram matrix and its derivative, factors and their use.
        let fixed = blocks.fixed as f64;
        let evaluation = 3.0 * s * s * (d + fixed) + FACTORIZATIONS * f * s * s * s;
        let gram = |n: f64| n * n * (2.0 * f + 3.0);
        let (numbers, posterior) = match n_inducing {
            Some(m) => {
                let m = m as f64;
                let kept = match covariances <= settings.most_kept() {
                    true => all * m,
                    false => (MADE_TOGETHER * LEAF) as f64 * m,
                };
                let candidates = all.min(4096.0);
                let numbers = kept + candidates * (candidates + m) + 8.0 * f * m * m + rows(candidates + m);
                (numbers, all * m * (d + PASSES * 1.5 * f * m))
            }
            None if n_sample < n => {
                (gram(all) + rows(all), all * all * d + FINAL_FACTORIZATIONS * f * all * all * all)
            }
            None => (0.0, 0.0),
        };
        // Starts run side by side, as far as there are processors.
        let side = starts.min(rayon::current_num_threads() as f64);
        // Two matrices of each block for its derivatives and one for all, and distances that are kept.
        let derivatives = (2.0 * (blocks.trained as f64 + fixed) + 1.0) * s * s;
        let distances = if n_sample <= KNOWN_TO { fixed * s * s } else { 0.0 };
        let training = side * (gram(s) + derivatives) + distances + rows(s);
        let numbers_of_bank = bank_size(settings) * blocks.trained;
        let dim = numbers_of_bank + 2 * (blocks.trained + blocks.fixed) + 3;
        let (sampled, chains) = settings.averaging_evaluations(n, dim);
        let sampled_evaluation =
            s * (SAMPLED_FEATURE * d + SAMPLED_PRODUCT * s * (d + fixed) + SAMPLED_FACTOR * f * s * s);
        // With a guarantee by refits, a model for each part and one of all.
        let models = match settings.conformal {
            Some(ConformalChoice::CvPlus) => 1.0 + settings.conformal_folds.min(n) as f64,
            _ => 1.0,
        };
        Self {
            n_train: n,
            n_sample,
            n_inducing,
            bytes: (8.0 * training.max(numbers)).min(usize::MAX as f64) as usize,
            disk_bytes: if covariances > settings.most_kept() { covariances.saturating_mul(8) } else { 0 },
            budget: settings.budget(),
            operations: models * (evaluations * evaluation + posterior),
            averaging_operations: models * sampled as f64 * sampled_evaluation,
            chains,
        }
    }

    /// Seconds that the plan takes here, besides the spectra: to the most probable values, and to average over hyperparameters.
    #[must_use]
    pub fn seconds(&self) -> [f64; 2] {
        let (rate, threads) = (rate(), rayon::current_num_threads());
        let side = self.chains.min(threads) as f64;
        [self.operations / (rate * threads as f64), self.averaging_operations / (rate * side)]
    }

    /// Seconds that `n` such fits take here side by side, besides the spectra.
    #[must_use]
    pub fn seconds_of_folds(&self, n: usize) -> f64 {
        let each = (self.operations + self.averaging_operations) / rate();
        each * n.div_ceil(rayon::current_num_threads()) as f64
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

/// Most numbers of covariances with inducing complexes that are kept in memory from pass to pass: 1 GiB.
const MOST_KEPT: usize = 1 << 27;

impl Settings {
    /// Bytes that a fit may take.
    fn budget(&self) -> usize {
        self.memory.map_or_else(free_memory, |mb| mb.saturating_mul(1_000_000))
    }

    /// Numbers of covariances with inducing complexes that memory holds from pass to pass: at most a quarter of the budget. It
    /// changes times, and no bit.
    pub(super) fn most_kept(&self) -> usize {
        MOST_KEPT.min(self.budget() / 32)
    }

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
        let blocks = PlannedBlocks::expected(&measurer.blocks()?, measurer.n_columns()?, train.len());
        Ok(Plan::new(self, train.len(), blocks, likelihood.n_factors()))
    }
}

/// Bytes that a fit may take: a share of what the system says is free, or no limit where it does not say.
fn free_memory() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = available.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kilobytes.map_or(usize::MAX, |kb| (FREE_SHARE * 1024.0 * kb) as usize)
}

/// Trained values of one bank.
fn bank_size(settings: &Settings) -> usize {
    settings.n_filters.saturating_mul(1 + settings.n_bands)
}

/// Multiplications and additions in a second on one thread, of large products.
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
    3.0 * (n * n * n) as f64 / seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::dataset;
    use crate::settings::{BlockKind, PosteriorChoice};

    #[test]
    fn a_full_posterior_grows_with_the_square_and_a_sparse_one_does_not() {
        let full = Settings { posterior: PosteriorChoice::Full, ..Settings::default() };
        let energies = PlannedBlocks { columns: 700, trained: 5, ..PlannedBlocks::default() };
        let bytes = |settings: &Settings, n| Plan::new(settings, n, energies, 1).bytes as f64;
        assert!((bytes(&full, 40_000) / bytes(&full, 20_000) - 4.0).abs() < 0.1);
        let auto = Settings::default();
        assert!(bytes(&auto, 1_000_000) < 3e9, "{}", bytes(&auto, 1_000_000));
        assert_eq!(Plan::new(&auto, 1_000_000, energies, 1).n_sample, 1000);
        assert!(Plan::new(&auto, 100, energies, 1).n_inducing.is_none());
        assert!(Plan::new(&auto, 100, energies, 1).seconds().iter().all(|seconds| *seconds > 0.0));
        assert!(Plan::new(&auto, 100, energies, 1).seconds_of_folds(10) > 0.0);
        let roomy = Settings { memory: Some(16_000), ..auto.clone() };
        let disk = |n| Plan::new(&roomy, n, energies, 1).disk_bytes;
        assert_eq!((disk(100), disk(40_000), disk(1_000_000)), (0, 0, 6_400_000_000));
        // What goes to disk needs no memory: a small budget is kept by a file.
        let tight = Settings { memory: Some(600), ..auto };
        let plan = Plan::new(&tight, 40_000, energies, 1);
        assert_eq!(plan.disk_bytes, 256_000_000);
        assert!(plan.bytes <= plan.budget, "{} of {}", plan.bytes, plan.budget);
    }

    #[test]
    fn averaging_is_counted_where_it_is_done() {
        let energies = PlannedBlocks { columns: 150, trained: 4, ..PlannedBlocks::default() };
        let auto = Settings::default();
        let averaging = |settings: &Settings, n| Plan::new(settings, n, energies, 1).averaging_operations;
        assert!(averaging(&auto, 200) > averaging(&auto, 100) && averaging(&auto, 100) > 0.0);
        assert_eq!(averaging(&auto, 601), 0.0);
        assert_eq!(averaging(&auto.clone().most_probable(), 100), 0.0);
        let gaussian =
            Settings { hyperparameters: crate::settings::HyperparameterChoice::Gaussian, ..auto.clone() };
        assert!(averaging(&gaussian, 100) > 0.0 && averaging(&gaussian, 100) < averaging(&auto, 100));
        let guaranteed =
            Settings { conformal: Some(ConformalChoice::CvPlus), conformal_folds: 4, ..auto.clone() };
        let ratio = averaging(&guaranteed, 100) / averaging(&auto, 100);
        assert!((ratio - 5.0).abs() < 1e-12, "{ratio}");
    }

    /// A block of labels takes as much as one of energies, its distances and its rows.
    #[test]
    fn blocks_that_are_not_trained_are_counted() {
        let settings = Settings::default();
        let bytes = |blocks| Plan::new(&settings, 1000, blocks, 1).bytes as f64;
        let energies = PlannedBlocks { columns: 700, trained: 5, ..PlannedBlocks::default() };
        let matrix = 8e6;
        let more = bytes(PlannedBlocks { trained: 6, ..energies }) - bytes(energies);
        assert!((more - 2.0 * matrix).abs() < 1.0, "{more}");
        let more = bytes(PlannedBlocks { fixed: 1, row_bytes: 500.0, ..energies }) - bytes(energies);
        assert!((more - 3.0 * matrix - 5e5).abs() < 1.0, "{more}");
        // The rows of a problem are what they take: at least a number and a label for each of their entries.
        let data = dataset(20, 2, 1);
        let all: Vec<usize> = (0..20).collect();
        let blocks =
            vec![BlockKind::Energies, BlockKind::EdgeLabels, BlockKind::Values, BlockKind::SmoothedValues];
        let settings = Settings { blocks: Some(blocks), ..Settings::default().most_probable() };
        let measurer = Measurer::fit(&settings, &data, &all).unwrap();
        let measured = measurer.measure(&data, |_| std::ops::ControlFlow::Continue(())).unwrap();
        let problem = Problem::new(&settings, &measurer, &measured, data.targets(), &all).unwrap();
        let found = PlannedBlocks::of(&problem);
        let expected = PlannedBlocks::expected(&problem.block_names(), found.columns, 20);
        assert_eq!((found.trained, found.fixed), (expected.trained, expected.fixed));
        assert!(found.fixed >= 2 && found.row_bytes > expected.row_bytes && expected.row_bytes >= 9600.0);
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

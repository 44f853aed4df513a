//! Graphs with targets drawn from a Gaussian process of known hyperparameters.
//!
//! The hyperparameters are drawn too, from distributions that are not the priors of the model: one that learns them must
//! pay for not knowing them, and one that is given them, the oracle, need not.

use faer::{Mat, Par};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::gp::{Inference, VariationalParams, Workspace};
use hodgelet::kernel::{BaseKernel, BlockKernel, Family, Lengthscales, SumKernel};
use hodgelet::likelihood::{Likelihood, LikelihoodParams, Observations};
use hodgelet::model::{FeatureSpace, ModelError};
use hodgelet::settings::Settings;
use hodgelet::signal::Orientation;
use hodgelet_cli::error::CommandError;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Standard deviation of the noise on numbers.
const NOISE: f64 = 0.3;

/// How much larger the variances are for classes, so that there is something to learn.
const CLASS_FACTOR: f64 = 6.0;

/// Added to the diagonal of the Gram matrix, relative to it, so that it has a factor.
const JITTER: f64 = 1e-10;

/// Graphs with targets, and what is known of the process that they were drawn from.
pub struct Simulated {
    pub dataset: Dataset,
    gram: Mat<f64>,
    is_classes: bool,
}

/// What the oracle predicts: means and variances of numbers, or probabilities of class 1.
pub enum Oracle {
    Real { mean: Vec<f64>, variance: Vec<f64> },
    Classes { probabilities: Vec<f64> },
}

impl Simulated {
    /// `n` graphs: G(m, p) with m from 8 to 19 and p from 0.15 to 0.45, two normal channels on vertices and a normal flow on
    /// edges, each in a scale of its own per graph.
    pub fn draw(n: usize, is_classes: bool, seed: u64) -> Result<Self, CommandError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graphs = graphs(n, &mut rng)?;
        let all: Vec<usize> = (0..n).collect();
        let settings = Settings { seed: seed.wrapping_add(1 << 32), ..Settings::default() };
        let (space, measured) = FeatureSpace::fit(&settings, &graphs, &all, |_| ControlFlow::Continue(()))?;
        let inputs = space.features(&measured.measures.iter().collect::<Vec<_>>(), true)?;
        let varying = |b: &usize| space.blocks()[*b].standardizer.n_live() > 0;
        let blocks: Vec<usize> = (0..inputs.len()).filter(varying).collect();
        let factor = if is_classes { CLASS_FACTOR } else { 1.0 };
        let kernels = blocks.iter().map(|&b| {
            let columns = space.blocks()[b].standardizer.n_live() as f64;
            let lengthscale = columns.sqrt() * (0.5 * normal(&mut rng)).exp();
            let variance = factor * (0.7 * normal(&mut rng)).exp() / blocks.len() as f64;
            let base = BaseKernel::new(Family::SquaredExponential, Lengthscales::isotropic(lengthscale));
            BlockKernel::new(variance, base)
        });
        let kernel = SumKernel::new(kernels.collect()).map_err(ModelError::from)?;
        let views: Vec<_> = blocks.iter().map(|&b| inputs[b].as_ref()).collect();
        let gram = kernel.gram(&views, Par::Seq).map_err(ModelError::from)?;
        let latent = draw_latent(&gram, &mut rng)?;
        let targets = match is_classes {
            false => Targets::Real(latent.iter().map(|f| f + NOISE * normal(&mut rng)).collect()),
            true => {
                // A threshold with normal noise is the probit.
                let labels = latent.iter().map(|f| u32::from(f + normal(&mut rng) > 0.0)).collect();
                Targets::Classes { names: vec!["no".to_owned(), "yes".to_owned()], labels }
            }
        };
        let dataset = graphs.with_targets(targets)?;
        Ok(Self { dataset, gram, is_classes })
    }

    /// Predictions of the items `test` from the targets of `train`, with the kernel and the noise that they were drawn with.
    pub fn oracle(&self, train: &[usize], test: &[usize]) -> Result<Oracle, CommandError> {
        let pick = |rows: &[usize], columns: &[usize]| {
            Mat::from_fn(rows.len(), columns.len(), |i, j| self.gram[(rows[i], columns[j])])
        };
        let (gram, cross) = (pick(train, train), pick(test, train));
        let diagonal: Vec<f64> = test.iter().map(|&i| self.gram[(i, i)]).collect();
        let failed = |error: hodgelet::gp::GpError| CommandError::from(ModelError::from(error));
        let (likelihood, observations, inference) = match self.dataset.targets().select(train) {
            Targets::Classes { labels, .. } => {
                let likelihood = LikelihoodParams::PROBIT.check(2).map_err(ModelError::from)?;
                let inference = Inference::Variational(VariationalParams::default().check().map_err(failed)?);
                (likelihood, Observations::classes(2, &labels).map_err(ModelError::from)?, inference)
            }
            Targets::Real(values) => {
                let likelihood = Likelihood::gaussian(NOISE * NOISE).map_err(ModelError::from)?;
                (likelihood, Observations::reals(&values).map_err(ModelError::from)?, Inference::Exact)
            }
            Targets::None => unreachable!("targets were drawn"),
        };
        let workspace = &mut Workspace::new(Par::Seq);
        let posterior =
            inference.fit(gram.as_ref(), &likelihood, &observations, None, workspace).map_err(failed)?;
        let latents = posterior.predict(cross.as_ref(), &diagonal).map_err(failed)?;
        if self.is_classes {
            let found = likelihood.probabilities(latents.mean.as_ref(), latents.variance.as_ref());
            let found = found.map_err(ModelError::from)?;
            return Ok(Oracle::Classes { probabilities: (0..test.len()).map(|i| found[(i, 1)]).collect() });
        }
        let variance = latents.variance.col(0).iter().map(|v| v + NOISE * NOISE).collect();
        Ok(Oracle::Real { mean: latents.mean.col(0).iter().copied().collect(), variance })
    }
}

fn graphs(n: usize, rng: &mut ChaCha8Rng) -> Result<Dataset, CommandError> {
    let (mut complexes, mut vertices, mut flows) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let (m, p) = (rng.random_range(8..=19u32), rng.random_range(0.15..0.45));
        let pairs = (0..m).flat_map(|a| (a + 1..m).map(move |b| [a, b]));
        let edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random::<f64>() < p).collect();
        let scales: [f64; 3] = std::array::from_fn(|_| rng.random_range(0.5..2.0));
        (0..m).for_each(|_| vertices.extend([scales[0] * normal(rng), scales[1] * normal(rng)]));
        flows.extend(edges.iter().map(|_| scales[2] * normal(rng)));
        complexes.push(Complex::graph(m as usize, &edges).map_err(ModelError::from)?);
    }
    let bare = Dataset::new("simulated", complexes, vec![], Targets::None);
    let bare = bare?;
    let column = |name: &str, dim: usize, orientation, channels: &[&str], values| Column {
        name: name.to_owned(),
        dim,
        orientation,
        starts: bare.cell_starts(dim),
        values: ColumnValues::Real { channels: channels.iter().map(|&c| c.to_owned()).collect(), values },
    };
    let columns = vec![
        column("x", 0, Orientation::Unoriented, &["0", "1"], vertices),
        column("flow", 1, Orientation::Oriented, &["0"], flows),
    ];
    Ok(bare.with_columns(columns)?)
}

/// `f ~ N(0, K)`, by the Cholesky factor of `K` with a little on its diagonal.
fn draw_latent(gram: &Mat<f64>, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, CommandError> {
    let n = gram.nrows();
    let jittered = Mat::from_fn(n, n, |i, j| gram[(i, j)] * if i == j { 1.0 + JITTER } else { 1.0 });
    let failed =
        |_| CommandError::from(ModelError::Training { reason: "the prior has no factor".to_owned() });
    let factor = jittered.llt(faer::Side::Lower).map_err(failed)?;
    let z = Mat::from_fn(n, 1, |_, _| normal(rng));
    let f = factor.L() * &z;
    Ok(f.col(0).iter().copied().collect())
}

/// A normal number, by Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

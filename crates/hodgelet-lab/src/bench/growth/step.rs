//! The steps that are timed.

use super::{Axis, Point};
use crate::bench::large::random_complex;
use crate::bench::sparse::{Inputs, posterior};
use faer::{Mat, Par};
use hodgelet::gp::{SparseParams, VariationalParams, Workspace};
use hodgelet::hodge::Weighting;
use hodgelet::kernel::{BaseKernel, BlockKernel, Family, Lengthscales, SumKernel};
use hodgelet::likelihood::Observations;
use hodgelet::measure::{MeasureParams, Sample, Spectra, measure as energies};
use hodgelet::model::{Measurer, ModelError};
use hodgelet::settings::{BlockKind, ClassLikelihood, Settings};
use hodgelet::signal::{Orientation, Signal};
use hodgelet_cli::error::CommandError;
use hodgelet_data::generate::MoleculesParams;
use hodgelet_eval::report::peak_memory_mb;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::borrow::Cow;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

/// Columns of the features that posteriors are found from.
const COLUMNS: usize = 20;
/// Inducing points where graphs grow, and graphs where inducing points do.
const INDUCING: usize = 256;
const GRAPHS: usize = 16_384;
/// Graphs where classes grow.
const FEW_GRAPHS: usize = 800;
/// Passes over the leaves.
const PASSES: usize = 4;
/// Edges where channels grow.
const EDGES: usize = 40_000;
/// Mean degree of a large complex.
const DEGREE: u32 = 10;

/// Time and memory of one step at one size. Nothing but what the axis names depends on the size.
pub fn measure(axis: Axis, size: usize, repeats: u32) -> Result<Point, CommandError> {
    let before = peak_memory_mb();
    let mut seconds = f64::INFINITY;
    for _ in 0..repeats {
        seconds = seconds.min(match axis {
            Axis::GraphsEnergies => molecules(size)?,
            Axis::GraphsFull => full(size, 2)?,
            Axis::GraphsSparse => sparse(size, INDUCING)?,
            Axis::Inducing => sparse(GRAPHS, size)?,
            Axis::Classes => full(FEW_GRAPHS, size)?,
            Axis::Cells => complex(size, 1)?,
            Axis::Channels => complex(EDGES, size)?,
        });
    }
    let memory_mb = before.zip(peak_memory_mb()).map(|(before, peak)| peak - before);
    Ok(Point { size, seconds, memory_mb })
}

/// Energies of drawn molecules.
fn molecules(n_graphs: usize) -> Result<f64, CommandError> {
    let data = MoleculesParams { n_graphs, ..MoleculesParams::default() }.check()?.generate(0);
    let all: Vec<usize> = (0..data.len()).collect();
    let measurer = Measurer::fit(
        &Settings { blocks: Some(vec![BlockKind::Energies]), ..Settings::default() },
        &data,
        &all,
    )?;
    let start = Instant::now();
    black_box(measurer.measure(&data, |_| ControlFlow::Continue(()))?);
    Ok(start.elapsed().as_secs_f64())
}

/// One iteration of the full posterior of as many points, averaged over the iterations to the optimum.
fn full(n: usize, n_classes: usize) -> Result<f64, ModelError> {
    let (features, labels) = table(n, n_classes);
    let gram = kernel()?.gram(&[features.as_ref()], Par::rayon(0))?;
    let choice = if n_classes == 2 { ClassLikelihood::Auto } else { ClassLikelihood::Softmax };
    let likelihood = choice.of(n_classes).check(n_classes)?;
    let observations = Observations::classes(n_classes, &labels)?;
    let inference = VariationalParams { tolerance: 1e-6, ..VariationalParams::default() }.check()?;
    let mut workspace = Workspace::new(Par::rayon(0));
    let start = Instant::now();
    let posterior = inference.fit(gram.as_ref(), &likelihood, &observations, None, &mut workspace)?;
    Ok(start.elapsed().as_secs_f64() / posterior.iterations().max(1) as f64)
}

/// Covariances and some passes of a sparse posterior.
fn sparse(n: usize, n_inducing: usize) -> Result<f64, ModelError> {
    let (features, labels) = table(n, 2);
    let likelihood = ClassLikelihood::Auto.of(2).check(2)?;
    let inducing: Vec<usize> = (0..n_inducing).collect();
    // A tolerance that no pass meets, so that their number is the same at all sizes.
    let inference = SparseParams { tolerance: f64::MIN_POSITIVE, max_passes: PASSES }.check()?;
    let features = [features];
    let kernel = kernel()?;
    let inputs = Inputs { kernel: &kernel, likelihood: &likelihood, features: &features, labels: &labels };
    let start = Instant::now();
    black_box(posterior(&inputs, &inducing, inference)?);
    Ok(start.elapsed().as_secs_f64())
}

/// Energies of oriented channels on the edges of a random clique complex.
fn complex(n_edges: usize, n_channels: usize) -> Result<f64, CommandError> {
    let complex = random_complex(n_edges as u32, DEGREE, 0)?;
    let n = complex.n_cells(1);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let values: Vec<f64> = (0..n * n_channels).map(|_| rng.random_range(-1.0..1.0)).collect();
    let signal =
        Signal::from_row_major(n, n_channels, &values, Orientation::Oriented).expect("finite values fit");
    let sample = Sample { complex: Cow::Owned(complex), signals: vec![None, Some(signal)], weights: None };
    let params = MeasureParams { weighting: Weighting::Combinatorial, spectra: Spectra::Auto };
    let start = Instant::now();
    black_box(energies(&sample, params)?);
    Ok(start.elapsed().as_secs_f64())
}

/// Uniform features, and classes that depend on the first of them.
fn table(n: usize, n_classes: usize) -> (Mat<f64>, Vec<u32>) {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let features = Mat::from_fn(n, COLUMNS, |_, _| rng.random_range(-1.7..1.7));
    let class = |i: usize| {
        let place = 0.5 + features[(i, 0)] / 3.4 + rng.random_range(-0.2..0.2);
        ((place * n_classes as f64).max(0.0) as u32).min(n_classes as u32 - 1)
    };
    let labels = (0..n).map(class).collect();
    (features, labels)
}

/// A squared exponential.
fn kernel() -> Result<SumKernel, ModelError> {
    let lengthscales = Lengthscales::isotropic((COLUMNS as f64).sqrt());
    Ok(SumKernel::new(vec![BlockKernel::new(
        1.0,
        BaseKernel::new(Family::SquaredExponential, lengthscales),
    )])?)
}

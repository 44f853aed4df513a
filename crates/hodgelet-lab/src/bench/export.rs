//! A training problem as `bench/gpflow_peer.py` reads it: measures, labels and the values training starts from.

use hodgelet::dataset::Targets;
use hodgelet::kernel::Family;
use hodgelet::model::{self, FeatureMap, StartBlock};
use hodgelet::output::{Kind, Output};
use hodgelet::settings::{LengthscaleChoice, Settings};
use hodgelet::wavelet::{BandPass, LowPass};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::write_atomic;
use serde::Serialize;
use std::path::Path;

/// The file.
#[derive(Debug, Serialize)]
struct Problem {
    labels: Vec<u32>,
    train: Vec<usize>,
    n_classes: usize,
    blocks: Vec<Block>,
}

/// One block; atoms of all graphs one after the other.
#[derive(Debug, Serialize)]
struct Block {
    name: String,
    eigenvalues: Vec<f64>,
    energies: Vec<Vec<f64>>, // [n_atoms, n_channels]
    starts: Vec<usize>,
    alphas: Vec<f64>,
    betas: Vec<Vec<f64>>, // [W, L]
    lengthscale: f64,
    variance: f64,
}

/// Writes the problem of the graphs `train`; all graphs in the file are trained on.
///
/// # Errors
///
/// [`CommandError::Usage`] when the peer does not have such a model, [`CommandError::Write`].
pub fn write(
    path: &Path,
    settings: &Settings,
    problem: &model::Problem,
    targets: &Targets,
    train: &[usize],
) -> Result<(), CommandError> {
    let Targets::Classes { names, labels } = targets.select(train) else {
        return Err(unknown("classes"));
    };
    if settings.kernel != Family::SquaredExponential || settings.lengthscales != LengthscaleChoice::Isotropic
    {
        return Err(unknown("squared exponential kernels with one lengthscale per block"));
    }
    if settings.shared_bank {
        return Err(unknown("a bank for each block"));
    }
    let blocks = problem.blocks()?.into_iter().map(block).collect::<Result<_, _>>()?;
    let file = Problem { train: (0..labels.len()).collect(), labels, n_classes: names.len(), blocks };
    write_atomic(Output::new(path, Kind::ANY), |out| Ok(serde_json::to_writer(out, &file)?))
}

fn unknown(expected: &str) -> CommandError {
    CommandError::usage(format!("the peer has only {expected}"), None)
}

fn block(start: StartBlock<'_>) -> Result<Block, CommandError> {
    let measures = start.measures;
    let n_atoms = measures.eigenvalues().len();
    let mut energies = vec![vec![0.0; measures.n_channels()]; n_atoms];
    let mut starts = vec![0];
    for i in 0..measures.len() {
        for (d, masses) in measures.channels(i) {
            energies[measures.atoms(i)].iter_mut().zip(masses).for_each(|(row, e)| row[d] = *e);
        }
        starts.push(measures.atoms(i).end);
    }
    let (alphas, betas) = scales(&start.map)?;
    Ok(Block {
        name: start.block.to_string(),
        eigenvalues: measures.eigenvalues().to_vec(),
        energies,
        starts,
        alphas,
        betas,
        lengthscale: start.kernel.base.lengthscales.values[0],
        variance: start.kernel.variance,
    })
}

/// Scales of the low-pass and of the band-pass terms.
fn scales(map: &FeatureMap) -> Result<(Vec<f64>, Vec<Vec<f64>>), CommandError> {
    match map {
        FeatureMap::Harmonic => Ok((vec![], vec![])),
        FeatureMap::Wavelets(bank)
            if bank.params().get().low_pass == Some(LowPass::Rational)
                && bank.params().get().band_pass == BandPass::MexicanHat =>
        {
            let filters = bank.scales().chunks_exact(bank.scales_per_filter());
            Ok(filters.map(|filter| (filter[0], filter[1..].to_vec())).unzip())
        }
        _ => Err(unknown("the filters of the reference")),
    }
}

//! What a trained model holds, for `hodgelet info MODEL` and `hodgelet fit`.

use crate::error::CommandError;
use crate::output::{Report, facts, number, table};
use hodgelet::kernel::BlockKernel;
use hodgelet::likelihood::LikelihoodParams;
use hodgelet::model::{BlockSpace, FeatureMap, FittedTargets, Lift, Model, ModelParams, Summary};
use serde::Serialize;
use std::path::Path;

/// Loads a model.
///
/// # Errors
///
/// [`CommandError::ModelFile`] names the file and what is wrong with it.
pub fn load(path: &Path) -> Result<Model, CommandError> {
    Model::load(path).map_err(|source| CommandError::ModelFile { path: path.to_owned(), source })
}

/// A model, described.
#[derive(Debug, Serialize)]
pub struct ModelInfo {
    targets: FittedTargets,
    blocks: Vec<BlockInfo>,
    likelihood: LikelihoodParams,
    training: Summary,
    /// Mean leave-one-out log probability (or density) of the training targets.
    leave_one_out: Option<f64>,
    settings: ModelParams,
}

#[derive(Debug, Serialize)]
struct BlockInfo {
    block: String,
    channels: Vec<String>,
    columns: usize,
    varying: usize,
    variance: f64,
    lengthscales: Vec<f64>,
    /// Learned scales, filter by filter: the low-pass one, then the band-pass ones.
    scales: Vec<Vec<f64>>,
}

/// Describes a model.
#[must_use]
pub fn describe_model(model: &Model) -> ModelInfo {
    let kernels = model.kernel().blocks();
    let blocks =
        model.blocks().iter().zip(kernels).map(|(space, kernel)| describe_block(model, space, kernel));
    let densities = model.leave_one_out().ok().map(|loo| loo.log_densities);
    ModelInfo {
        targets: model.targets().clone(),
        blocks: blocks.collect(),
        likelihood: *model.likelihood(),
        training: model.summary().clone(),
        leave_one_out: densities.map(|d| d.iter().sum::<f64>() / d.len().max(1) as f64),
        settings: model.params().clone(),
    }
}

fn describe_block(model: &Model, space: &BlockSpace, kernel: &BlockKernel) -> BlockInfo {
    // Vertices of a line graph are edges of the graph, and carry their signal.
    let dim = if model.space().lift == Lift::LineGraph { 1 } else { space.block.dim };
    let channels = model.encoding().channels(dim);
    let names = channels.map(|c| (0..c.len()).map(|d| c.name(d).to_owned()).collect());
    let scales = match &space.map {
        FeatureMap::Wavelets(bank) => {
            bank.scales().chunks(bank.scales_per_filter().max(1)).map(<[f64]>::to_vec).collect()
        }
        _ => Vec::new(),
    };
    BlockInfo {
        block: space.block.to_string(),
        channels: names.unwrap_or_default(),
        columns: space.standardizer.n_columns(),
        varying: space.standardizer.n_live(),
        variance: kernel.variance,
        lengthscales: kernel.base.lengthscales.values.clone(),
        scales,
    }
}

impl Report for ModelInfo {
    fn text(&self) -> String {
        let targets = match &self.targets {
            FittedTargets::Classes { names } => format!("classes {}", names.join(", ")),
            FittedTargets::Real { mean, deviation } => {
                format!("numbers around {} ± {}", number(*mean), number(*deviation))
            }
        };
        let training = &self.training;
        let mut rows = vec![
            ("predicts", targets),
            ("trained on", format!("{} graphs, {} of them distinct", training.n_train, training.n_distinct)),
            (
                "training",
                format!(
                    "{} steps, {:.2} s, ended by: {}",
                    training.iterations, training.seconds, training.stop
                ),
            ),
            ("ELBO or evidence", format!("{:.3}", training.elbo)),
        ];
        if let Some(leave_one_out) = self.leave_one_out {
            rows.push(("leave-one-out", format!("{leave_one_out:.4} nats a graph")));
        }
        if let LikelihoodParams::Gaussian { noise_variance } = self.likelihood {
            rows.push(("noise", format!("{} of the deviation", number(noise_variance.sqrt()))));
        }
        let row = |block: &BlockInfo| {
            let (low, high) = range(&block.lengthscales);
            let scales =
                if low == high { number(low) } else { format!("{} to {}", number(low), number(high)) };
            vec![
                block.block.clone(),
                block.channels.len().to_string(),
                block.varying.to_string(),
                number(block.variance),
                scales,
            ]
        };
        let header = ["block", "channels", "varying columns", "variance", "lengthscale"];
        let blocks = table(&header, &[1, 2, 3, 4], self.blocks.iter().map(row));
        format!("{}\n\n{blocks}", facts(&rows))
    }
}

fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    if low.is_finite() { (low, values.iter().copied().fold(low, f64::max)) } else { (1.0, 1.0) }
}

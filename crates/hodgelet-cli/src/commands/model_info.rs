//! What a trained model holds, for `hodgelet info MODEL` and `hodgelet fit`.

use super::several;
use crate::error::CommandError;
use crate::output::{Report, facts, number, table};
use crate::spark;
use hodgelet::kernel::BlockKernel;
use hodgelet::likelihood::{LabelLink, LikelihoodParams};
use hodgelet::model::{
    Basis, BlockSpace, Exploration, FileError, FittedTargets, Hyperparameter, Model, Shape, Summary,
};
use hodgelet::settings::Settings;
use hodgelet::wavelet::Bank;
use hodgelet_data::counted;
use serde::Serialize;
use std::io::Read as _;
use std::path::Path;

/// Loads a model.
///
/// # Errors
///
/// [`CommandError::ModelFile`] names the file and what is wrong with it.
pub fn load(path: &Path) -> Result<Model, CommandError> {
    if let Some(models) = several::load(path)? {
        let (file, names) = (path.display(), models.names().join(", "));
        let message = format!("{file}: holds models of several targets ({names}), expected a model of one");
        let hint = "`hodgelet predict`, `info` and `report` take such a file; `fit --target NAME` makes a model of one target";
        return Err(CommandError::usage(message, Some(hint)));
    }
    Model::load(path).map_err(|source| match source {
        FileError::Truncated { .. } | FileError::NotAModel { .. } if !begins_as_model(path) => {
            let hint = "models are written by `hodgelet fit`; where a command takes both, MODEL comes before DATASET";
            CommandError::usage(format!("{}: not a model file", path.display()), Some(hint))
        }
        source => CommandError::ModelFile { path: path.to_owned(), source },
    })
}

/// Whether a file begins as a safetensors file does, with the length of a JSON object that fits in the file, and that object.
#[must_use]
pub fn begins_as_model(path: &Path) -> bool {
    let begins = || -> std::io::Result<bool> {
        let mut file = std::fs::File::open(path)?;
        let mut start = [0; 9];
        file.read_exact(&mut start)?;
        let [length @ .., brace] = start;
        Ok(brace == b'{' && u64::from_le_bytes(length).saturating_add(8) <= file.metadata()?.len())
    };
    path.is_file() && begins().unwrap_or(false)
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
    /// The shape of predicted numbers that graphs left out have shown; none where it is that of latent values and noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Shape>,
    /// How probabilities of classes follow latent values, where graphs left out have shown it of the mean over states.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<LabelLink>,
    /// The probability from which on the second of two classes is predicted; none for the more probable one.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    /// All trained values, with their priors and where they ended.
    hyperparameters: Vec<Hyperparameter>,
    /// What the guarantee of sets and intervals rests on, and on how many held-out graphs.
    basis: Basis,
    calibration_graphs: usize,
    settings: Settings,
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
        likelihood: *model.likelihood_params(),
        training: model.summary().clone(),
        leave_one_out: densities.map(|d| d.iter().sum::<f64>() / d.len().max(1) as f64),
        shape: model.shape().cloned(),
        link: model.link(),
        threshold: model.threshold(),
        hyperparameters: model.hyperparameters(),
        basis: model.basis(),
        calibration_graphs: model.n_calibration(),
        settings: model.settings().clone(),
    }
}

fn describe_block(model: &Model, space: &BlockSpace, kernel: &BlockKernel) -> BlockInfo {
    let rows =
        |bank: &Bank| bank.scales().chunks(bank.scales_per_filter().max(1)).map(<[f64]>::to_vec).collect();
    BlockInfo {
        block: space.block.to_string(),
        channels: model.space().channel_names(space.block),
        columns: space.standardizer.n_columns(),
        varying: space.standardizer.n_live(),
        variance: kernel.variance,
        lengthscales: kernel.base.lengthscales.values.clone(),
        scales: space.map.bank().map(rows).unwrap_or_default(),
    }
}

impl ModelInfo {
    /// What is predicted.
    #[must_use]
    pub fn targets(&self) -> &FittedTargets {
        &self.targets
    }

    /// How training went.
    #[must_use]
    pub fn training(&self) -> &Summary {
        &self.training
    }

    /// Mean leave-one-out log probability (or density) of the training targets.
    #[must_use]
    pub fn leave_one_out(&self) -> Option<f64> {
        self.leave_one_out
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
            (
                "trained on",
                match &training.sparse {
                    Some(_) => format!("{} graphs", training.n_train),
                    None => format!("{} graphs, {} of them distinct", training.n_train, training.n_distinct),
                },
            ),
            ("posterior", posterior(training)),
            (
                "training",
                format!(
                    "{}, {:.2} s, ended because {}",
                    counted(training.iterations, "step"),
                    training.seconds,
                    reason(&training.stop)
                ),
            ),
            ("ELBO or evidence", format!("{:.3}", training.elbo)),
        ];
        if let Some(found) = &training.exploration {
            rows.push(("averaged over", averaging(found)));
        }
        if let Some(shape) = &self.shape {
            let [half, most] = [0.5, 0.95].map(|level| shape.widening(level));
            let own = 100.0 * shape.own();
            let words = format!(
                "50% intervals × {half:.2}, 95% × {most:.2}; {own:.0}% as latent values and noise have it"
            );
            rows.push(("shape", words));
        }
        if let Some(link) = &self.link {
            rows.push(("link", format!("sharpness {:.3}, bend {:.3}", link.sharpness(), link.bend())));
        }
        if let Some(threshold) = self.threshold {
            rows.push(("second class from", format!("probability {threshold:.4} on")));
        }
        if let Some(leave_one_out) = self.leave_one_out {
            rows.push(("leave-one-out", format!("{leave_one_out:.4} nats per graph")));
        }
        if !training.reading.is_empty() {
            let choices = training.reading.iter().map(|(name, choice)| format!("{name} {choice}"));
            rows.push(("data read with", choices.collect::<Vec<_>>().join(", ")));
        }
        let n = self.calibration_graphs;
        match self.basis {
            Basis::Split => rows.push(("guarantee", format!("split conformal, {n} graphs held out"))),
            Basis::CvPlus => rows.push(("guarantee", format!("cross-validation+ on {n} graphs"))),
            _ => {}
        }
        let most = self.blocks.iter().map(|block| block.variance).fold(0.0, f64::max);
        let watched = spark::is_watched();
        let row = |block: &BlockInfo| {
            let mut row = vec![
                block.block.clone(),
                block.channels.len().to_string(),
                block.varying.to_string(),
                number(block.variance),
                spread(&block.lengthscales),
            ];
            row.extend(watched.then(|| spark::bar(block.variance / most, 12)));
            row
        };
        let header = ["block", "channels", "varying columns", "variance", "lengthscale", "variance as a bar"];
        let header = &header[..if watched { 6 } else { 5 }];
        let blocks = table(header, &[1, 2, 3, 4], self.blocks.iter().map(row));
        let header = ["hyperparameter", "count", "trained to", "prior median ×/÷ width", "moved, in widths"];
        let trained = table(&header, &[1, 2, 3, 4], groups(&self.hyperparameters).iter().map(Vec::clone));
        format!("{}\n\n{blocks}\n\n{trained}", facts(&rows))
    }
}

/// Why training ended, in words.
fn reason(stop: &str) -> &str {
    match stop {
        "Gradient" => "the gradient was small",
        "Objective" => "the objective no longer rose",
        "Iterations" => "no more steps were allowed",
        "Time" => "no more time was allowed",
        "NoDecrease" => "no step raised the objective, to rounding",
        "Cancelled" => "it was interrupted",
        other => other,
    }
}

/// What the posterior is over, and what hyperparameters were trained on.
fn posterior(training: &Summary) -> String {
    let sampled = match training.n_sample {
        Some(n) => format!("; hyperparameters from a sample of {n}"),
        None => String::new(),
    };
    let Some(sparse) = &training.sparse else { return format!("full{sampled}") };
    let further = match sparse.steps {
        0 => String::new(),
        steps => format!(", then {steps} steps on all"),
    };
    let ended = if sparse.converged { "" } else { ", not converged" };
    format!(
        "sparse: {} inducing graphs leave {:.1}% of the prior variance, {} passes{ended}{sampled}{further}",
        sparse.inducing.len(),
        100.0 * sparse.residual,
        sparse.passes,
    )
}

/// How the states of a model were found.
fn averaging(found: &Exploration) -> String {
    let method = format!("{:?}", found.method).to_lowercase();
    let mut text = format!("{} states of the hyperparameters ({method})", found.states);
    if found.chains > 0 {
        text += &format!(", {} chains of {} draws", found.chains, found.draws);
    }
    if let Some(r_hat) = found.r_hat {
        text += &format!(", R-hat {r_hat:.2}");
    }
    if let Some(size) = found.effective_size {
        text += &format!(", effective size {size:.0}");
    }
    if found.divergences > 0 {
        text += &format!(", {} divergences", found.divergences);
    }
    text
}

/// Rows of the table of hyperparameters: one per kind and block, where scales and lengthscales are many.
fn groups(all: &[Hyperparameter]) -> Vec<Vec<String>> {
    let kind = |entry: &Hyperparameter| match entry.name.split_once(": ") {
        Some((block, what)) if what.starts_with("filter ") => format!("{block}: scales"),
        Some((block, what)) if what.starts_with("lengthscale") => format!("{block}: lengthscale"),
        _ => entry.name.clone(),
    };
    let row = |group: &[Hyperparameter]| {
        let values: Vec<f64> = group.iter().map(|entry| entry.value).collect();
        let centers: Vec<f64> = group.iter().filter_map(|e| Some(e.prior?.center())).collect();
        let widths = |e: &Hyperparameter| Some((e.value / e.prior?.center()).ln() / e.prior?.deviation());
        let moved: Vec<f64> = group.iter().filter_map(widths).collect();
        let width =
            group[0].prior.map_or_else(String::new, |prior| format!(" ×/÷ e^{}", number(prior.deviation())));
        let prior = if centers.is_empty() { "none".to_owned() } else { spread(&centers) + &width };
        let moved = if moved.is_empty() { String::new() } else { spread(&moved) };
        vec![kind(&group[0]), group.len().to_string(), spread(&values), prior, moved]
    };
    all.chunk_by(|a, b| kind(a) == kind(b)).map(row).collect()
}

/// Smallest and largest of some values.
fn spread(values: &[f64]) -> String {
    let (low, high) = range(values);
    if low == high { number(low) } else { format!("{} to {}", number(low), number(high)) }
}

fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    if low.is_finite() { (low, values.iter().copied().fold(low, f64::max)) } else { (1.0, 1.0) }
}

//! `hodgelet card`: a model card in Markdown, from what a model file holds.

use super::model_info::load;
use crate::error::CommandError;
use crate::output::{self, ForceArgs, number};
use crate::progress::Terminal;
use clap::Args;
use hodgelet::model::{Basis, FittedTargets, Model};
use hodgelet::output::{Kind, Output};
use std::path::PathBuf;

/// Flags of `hodgelet card`.
#[derive(Args, Debug)]
#[command(
    after_help = "The card says what the model file knows: what is predicted, what it was trained on, leave-one-out scores with
their standard errors, what its uncertainty rests on, and when a graph is called far. What only its
makers know (purpose, data, licence, citation) are fields marked TODO, or flags.

Example:
  hodgelet card model.hodgelet --purpose 'Ranks compounds for a first assay' --out CARD.md"
)]
pub struct CardArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The card; - is standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// What the model is for
    #[arg(long, value_name = "TEXT")]
    purpose: Option<String>,
    /// What the training data are and where they come from
    #[arg(long, value_name = "TEXT")]
    data: Option<String>,
    /// Licence of the model
    #[arg(long, value_name = "TEXT")]
    license: Option<String>,
    /// How to cite the model
    #[arg(long, value_name = "TEXT")]
    citation: Option<String>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Writes the card of a model.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &CardArgs, _: Terminal) -> Result<(), CommandError> {
    let output = Output::new(&args.out, Kind::CARD).forced(args.force.force);
    output::check_out(output, std::slice::from_ref(&args.model))?;
    let model = load(&args.model)?;
    let text = card(args, &model);
    output::write_atomic(output, |out| out.write_all(text.as_bytes()))
}

/// A field that its makers fill in.
fn field(given: Option<&String>, todo: &str) -> String {
    given.map_or_else(|| format!("TODO: {todo}"), |text| plain(text))
}

/// Text that Markdown takes as it is.
fn plain(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '<' => safe += "&lt;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' => safe.extend(['\\', c]),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

fn card(args: &CardArgs, model: &Model) -> String {
    let (settings, summary) = (model.settings(), model.summary());
    let name = args.model.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let predicts = match model.targets() {
        FittedTargets::Classes { names } => {
            format!(
                "one of {} classes: {}",
                names.len(),
                names.iter().map(|n| plain(n)).collect::<Vec<_>>().join(", ")
            )
        }
        FittedTargets::Real { mean, deviation } => {
            format!(
                "a number; those trained on have mean {} and deviation {}",
                number(*mean),
                number(*deviation)
            )
        }
    };
    let blocks: Vec<String> =
        model.blocks().iter().map(|space| model.space().block_name(space.block)).collect();
    let averaged = match &summary.exploration {
        Some(found) => format!("averaged over {} states of their posterior", found.states),
        None => "the most probable values alone: their uncertainty is left out".to_owned(),
    };
    let sections = [
        format!("<!-- hodgelet model card -->\n# Model card: {}", plain(&name)),
        format!(
            "## Purpose\n\n{}",
            field(args.purpose.as_ref(), "what decisions it supports, and which it must not")
        ),
        format!("## What it predicts\n\nOf a graph with values on its cells: {predicts}."),
        format!(
            "## Data\n\n{}\n\nTrained on {} graphs, {} of them distinct.",
            field(args.data.as_ref(), "where the graphs and targets come from, and who may use them"),
            summary.n_train,
            summary.n_distinct
        ),
        format!(
            "## Method\n\n- {} (Gaussian process on Hodge-decomposed spectral wavelet features), hodgelet {}\n- blocks: {}\n\
             - hyperparameters: {averaged}\n- seed {}; training ended after {} steps: {}",
            settings.method.title(),
            env!("CARGO_PKG_VERSION"),
            plain(&blocks.join(", ")),
            settings.seed,
            summary.iterations,
            plain(&summary.stop)
        ),
        scores(model),
        uncertainty(model),
        limits(model),
        format!("## Licence\n\n{}", field(args.license.as_ref(), "of the model file")),
        format!(
            "## Citation\n\n{}\n\nMethod: Alain, Takao, Rieck, Dong and Noutahi, *Graph Classification Gaussian Processes via \
             Hodgelet Spectral Features* (2024).",
            field(args.citation.as_ref(), "of the model")
        ),
    ];
    sections.join("\n\n") + "\n"
}

fn scores(model: &Model) -> String {
    let Ok(left_out) = model.leave_one_out() else {
        return "## Scores\n\nThe file holds none. `hodgelet evaluate` takes them by folds.".to_owned();
    };
    let values = &left_out.log_densities;
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let what = match model.targets() {
        FittedTargets::Classes { names } => {
            format!(
                "log probability of the true class: {mean:.4} ± {:.4} (guessing evenly has {:.4})",
                (variance / n).sqrt(),
                -(names.len() as f64).ln()
            )
        }
        FittedTargets::Real { .. } => {
            format!("log density of the target: {mean:.4} ± {:.4}", (variance / n).sqrt())
        }
    };
    format!(
        "## Scores\n\nLeave-one-out over the {} training graphs, in nats, ± standard error, hyperparameters kept: {what}. They are a little \
         optimistic, since hyperparameters saw all targets; `hodgelet evaluate` trains anew for every fold.",
        values.len()
    )
}

fn uncertainty(model: &Model) -> String {
    let n = model.n_calibration();
    let basis = match model.basis() {
        Basis::Split => format!("Sets and intervals are guaranteed by split conformal prediction on {n} graphs held out, for graphs like those."),
        Basis::CvPlus => format!("Sets and intervals are guaranteed by cross-validation+ on {n} graphs, for graphs like those."),
        _ => "Probabilities and intervals are those of the model; no guarantee is stored. `hodgelet fit --conformal` adds one.".to_owned(),
    };
    format!(
        "## Calibration\n\n{basis} `hodgelet report MODEL DATASET` draws its reliability on graphs with known targets."
    )
}

fn limits(model: &Model) -> String {
    let rule = match model.training_distances() {
        Ok(found) => format!(
            "A graph is called far from the training graphs when its distance to the nearest of them exceeds {:.4}, or that of one \
             block its own threshold (0 is equal features, 1 is nothing in common); about 1 in 100 graphs like those trained on is. \
             Predictions of far graphs return to the base rate and should not be relied on.",
            found.threshold
        ),
        Err(_) => "Distances to the training graphs are not known.".to_owned(),
    };
    let unseen = match &model.summary().constant_channels[..] {
        [] => String::new(),
        names => format!(
            "\n\nIt cannot see these channels, which do not vary over the training graphs: {}.",
            plain(&names.join(", "))
        ),
    };
    let twins = model.summary().n_train.saturating_sub(model.summary().n_distinct);
    let twins = match twins {
        0 => String::new(),
        n => format!(
            "\n\n{n} training graphs have the features of another one: the model cannot tell them apart."
        ),
    };
    format!("## Limits\n\n{rule}{unseen}{twins}")
}

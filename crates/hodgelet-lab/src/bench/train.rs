//! `hodgelet-lab bench train`: how long one fold takes to train, and how near that is to the speed of its matrix
//! routines.

use super::export;
use super::floor::{self, Floor};
use super::sizes::{self, Sizes};
use clap::Args;
use hodgelet::dataset::Targets;
use hodgelet::model::{Measurer, ModelError, Problem, Stage, Summary};
use hodgelet::settings::{BlockKind, Settings};
use hodgelet_cli::commands::evaluate::{Items, k_fold};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::model_args::ModelArgs;
use hodgelet_cli::output::{Format, Report, facts, number};
use hodgelet_cli::progress::{Bar, Terminal, check_interrupt};
use hodgelet_cli::source::DatasetArgs;
use hodgelet_eval::report::peak_memory_mb;
use hodgelet_eval::splits::KFoldParams;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// Flags of `hodgelet-lab bench train`.
#[derive(Args, Debug)]
#[command(
    after_help = "The time of training begins with energies in memory. With --until it ends when the ELBO is reached, which
needs --prior-deviation none (or --faithful), for then the objective is the ELBO; steps that gain little do not end it.

Examples:
  hodgelet-lab bench train sbm
  hodgelet-lab bench train sbm --set n_graphs=200 --sizes 50,100,150,200 --evaluations 20 --threads 1
  hodgelet-lab bench train MUTAG --faithful --export mutag.json --until -60 --format json"
)]
pub struct TrainArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Number of folds
    #[arg(long, default_value_t = 10)]
    folds: usize,
    /// The fold whose training part is used, from 0
    #[arg(long, default_value_t = 0)]
    fold: usize,
    /// Write the problem and the start for `bench/gpflow_peer.py`
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Stop as soon as the ELBO is this high
    #[arg(long, value_name = "ELBO", allow_negative_numbers = true)]
    until: Option<f64>,
    /// Warm evaluations that are timed against their matrix routines; 0 for none
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(0..=1000))]
    evaluations: u16,
    /// Instead of training, time evaluations at these numbers of graphs, for two classes and for regression: those of training,
    /// and those of samplers of the hyperparameters
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = parse_size, conflicts_with_all = ["export", "until"])]
    pub sizes: Vec<usize>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

fn parse_size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(size @ 2..=100_000) => Ok(size),
        _ => Err("expected a number of graphs from 2 to 100000".to_owned()),
    }
}

/// Times evaluations at several sizes.
///
/// # Errors
///
/// [`CommandError`].
pub fn run_sizes(args: &TrainArgs, terminal: Terminal) -> Result<Sizes, CommandError> {
    let dataset = args.source.read(terminal)?.dataset;
    sizes::run(&dataset, &settings(args)?, &args.sizes, usize::from(args.evaluations), terminal)
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Trained {
    dataset: String,
    model: &'static str,
    fold: usize,
    graphs: usize,
    distinct: usize,
    classes: usize,
    blocks: Vec<String>,
    parameters: usize,
    threads: usize,
    spectra_seconds: f64,
    train_seconds: f64,
    /// Objective when training ended: the ELBO plus log priors.
    objective: Option<f64>,
    /// How training went; none when it was stopped on reaching `until`.
    summary: Option<Summary>,
    /// Average over the training, with all that surrounds an evaluation.
    evaluation_seconds: Option<f64>,
    until: Option<f64>,
    /// When `until` was reached.
    reached_seconds: Option<f64>,
    /// Seconds and objective at every accepted step.
    trace: Vec<(f64, f64)>,
    floor: Option<Floor>,
    peak_memory_mb: Option<f64>,
}

/// Trains one fold.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &TrainArgs, terminal: Terminal) -> Result<Trained, CommandError> {
    let dataset = args.source.read(terminal)?.dataset;
    let settings = settings(args)?;
    let folds = KFoldParams { folds: args.folds, seed: args.source.seed, ..KFoldParams::default() };
    let splits = k_fold(Items::of(&dataset), folds)?;
    let Some(split) = splits.get(args.fold) else {
        let message = format!("--fold {}, expected less than {} folds", args.fold, splits.len());
        return Err(CommandError::usage(message, None));
    };
    let bar = terminal.bar("training", Some(settings.iterations as u64));
    let measurer = Measurer::fit(&settings, &dataset, &split.train)?;
    let chosen = dataset.select(&split.train);
    let began = Instant::now();
    let measured = measurer.measure(&chosen, |_| bar.still())?;
    let spectra_seconds = began.elapsed().as_secs_f64();
    let all: Vec<usize> = (0..chosen.len()).collect();
    let problem = Problem::new(&settings, &measurer, &measured, chosen.targets(), &all)?;
    if let Some(path) = &args.export {
        export::write(path, &settings, &problem, chosen.targets(), &all)?;
    }

    let mut clock = Clock { began: Instant::now(), until: args.until, trace: Vec::new(), bar };
    let note = |stage| clock.note(stage);
    let fitted = settings.fit_measured(&measurer, &measured, chosen.targets(), &all, note);
    let total = clock.began.elapsed().as_secs_f64();
    let model = match fitted {
        Ok(model) => Some(model),
        Err(ModelError::Cancelled) if clock.reached().is_some() => None,
        Err(error) => return Err(error.into()),
    };
    check_interrupt()?;
    let summary = model.as_ref().map(|model| model.summary().clone());
    let parameters = match &model {
        Some(model) => problem.parameters_of(model)?,
        None => problem.start()?,
    };
    let floor = match args.evaluations {
        0 => None,
        count => Some(floor::measure(&problem, problem.objective()?, &parameters, usize::from(count))?),
    };
    Ok(Trained {
        dataset: dataset.name().to_owned(),
        model: settings.method.title(),
        fold: args.fold,
        graphs: chosen.len(),
        distinct: problem.n_points(),
        classes: match chosen.targets() {
            Targets::Classes { names, .. } => names.len(),
            _ => 0,
        },
        blocks: problem.blocks()?.iter().map(|start| start.block.to_string()).collect(),
        parameters: parameters.len(),
        threads: rayon::current_num_threads(),
        spectra_seconds,
        train_seconds: clock.reached().unwrap_or(total),
        objective: clock.trace.last().map(|&(_, objective)| objective),
        evaluation_seconds: summary.as_ref().map(|s| s.seconds / s.evaluations.max(1) as f64),
        summary,
        until: args.until,
        reached_seconds: clock.reached(),
        trace: clock.trace,
        floor,
        peak_memory_mb: peak_memory_mb(),
    })
}

/// The settings of the flags. Before a given ELBO is reached, small gains do not stop the training.
fn settings(args: &TrainArgs) -> Result<Settings, CommandError> {
    let mut settings = args.model.given_settings(args.source.seed)?;
    // Peers and floors are of energies.
    settings.blocks.get_or_insert_with(|| vec![BlockKind::Energies]);
    if args.until.is_some() {
        if settings.prior_deviation().is_some() {
            let hint = Some("add --prior-deviation none");
            return Err(CommandError::usage(
                "--until is an ELBO, but priors are part of the objective",
                hint,
            ));
        }
        settings.tol = 0.0;
    }
    Ok(settings)
}

/// The objective over time.
struct Clock {
    began: Instant,
    until: Option<f64>,
    trace: Vec<(f64, f64)>,
    bar: Bar,
}

impl Clock {
    fn note(&mut self, stage: Stage) -> ControlFlow<()> {
        if let Stage::Training { step, objective, .. } = stage {
            self.trace.push((self.began.elapsed().as_secs_f64(), objective));
            if self.reached().is_some() {
                return ControlFlow::Break(());
            }
            return self.bar.at(step as u64);
        }
        self.bar.still()
    }

    /// When the ELBO that was asked for was reached.
    fn reached(&self) -> Option<f64> {
        let until = self.until?;
        self.trace.iter().find(|(_, objective)| *objective >= until).map(|&(seconds, _)| seconds)
    }
}

impl Report for Trained {
    fn text(&self) -> String {
        let of = format!("{} graphs, {} distinct, {} classes", self.graphs, self.distinct, self.classes);
        let mut rows = vec![
            ("dataset", format!("{}, fold {}", self.dataset, self.fold)),
            ("model", self.model.to_owned()),
            ("trained on", of),
            ("blocks", self.blocks.join(", ")),
            ("parameters", self.parameters.to_string()),
            ("threads", self.threads.to_string()),
            ("spectra", format!("{:.4} s", self.spectra_seconds)),
            ("training", format!("{:.4} s", self.train_seconds)),
        ];
        if let Some(objective) = self.objective {
            rows.push(("objective", format!("{objective:.4}")));
        }
        if let Some(summary) = &self.summary {
            rows.push(("ELBO", format!("{:.4}", summary.elbo)));
            let counts = format!("{}, {} inner iterations", summary.evaluations, summary.inner_iterations);
            rows.push(("evaluations", counts));
            rows.push(("stopped by", summary.stop.clone()));
        }
        if let Some(seconds) = self.evaluation_seconds {
            rows.push(("one evaluation", format!("{:.3} ms, average", 1e3 * seconds)));
        }
        if let Some(until) = self.until {
            let seconds = self.reached_seconds.map_or("never".to_owned(), |s| format!("{s:.4} s"));
            rows.push(("reached", format!("ELBO {until}: {seconds}")));
        }
        if let Some(floor) = &self.floor {
            let inner = number(floor.inner_iterations);
            rows.push((
                "warm evaluation",
                format!("{:.3} ms, {inner} inner iterations", 1e3 * floor.evaluation_seconds),
            ));
            rows.push((
                "its matrix routines",
                format!(
                    "{:.3} ms: factors {:.3}, products {:.3}",
                    1e3 * floor.floor_seconds,
                    1e3 * floor.factor_seconds,
                    1e3 * floor.product_seconds
                ),
            ));
            rows.push(("ratio", format!("{:.2}", floor.ratio)));
        }
        if let Some(memory) = self.peak_memory_mb {
            rows.push(("peak memory", format!("{} MB", number(memory))));
        }
        facts(&rows)
    }
}

//! `hodgelet measure`: energy measures of a dataset, to a store on disk.

use super::model_info::load;
use super::predict::warn_unknown;
use crate::error::CommandError;
use crate::output::{self, Format, Report, facts};
use crate::progress::{Terminal, check_interrupt, interrupted};
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::encode::Outline;
use hodgelet::measure::Compression;
use hodgelet::model::{Measurer, ModelError};
use hodgelet::settings::{MeasureSettings, Settings};
use hodgelet::store::{LEAF_SIZE, Store, StoreError, StoreHeader, StoreWriter, TargetKind};
use hodgelet_data::{Parts, Read};
use rayon::prelude::*;
use serde::Serialize;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Flags of `hodgelet measure`.
#[derive(Args, Debug)]
#[command(
    after_help = "A store is a folder that `fit`, `evaluate` and `predict` take in place of a dataset: spectra are taken
once, and neither graphs nor measures need be in memory. It holds a Parquet file for each 1,024 graphs,
whose name ends in the SHA-256 of its bytes. Stopped and run again, the command goes on where it was.

A JSONL file is read in parts, three times: names and degrees first, because they decide which signals
there are. --for MODEL takes the signals of a model instead, for graphs that it is to predict.

Examples:
  hodgelet measure HIV --out hiv.store
  hodgelet fit hiv.store --out hiv.hodgelet
  hodgelet measure new.jsonl --for hiv.hodgelet --out new.store
  hodgelet predict hiv.hodgelet new.store --format jsonl --out predictions.jsonl"
)]
pub struct MeasureArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    settings: MeasureSettings,
    /// Measure as this model does
    #[arg(long = "for", value_name = "MODEL", help_heading = "Model")]
    model: Option<PathBuf>,
    /// Replace atoms by fewer, so that the energy that passes a filter changes by at most this share of that of its channel
    ///
    /// Eigenvalues of all graphs are then taken to points that they share, where a graph has more of them than points. It
    /// pays for graphs of hundreds of vertices; molecules stay as they are. Training starts from other scales then, because
    /// these follow the eigenvalues.
    #[arg(long, value_name = "SHARE", help_heading = "Output")]
    tolerance: Option<f64>,
    /// Folder of the store
    #[arg(long, value_name = "STORE", help_heading = "Output")]
    out: PathBuf,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// Measures a dataset.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &MeasureArgs, terminal: Terminal) -> Result<(), CommandError> {
    let model = args.model.as_deref().map(load).transpose()?;
    let source = model.as_ref().map_or_else(|| args.source.clone(), |model| args.source.for_update(model));
    let parts = source.parts(terminal)?;
    let first = parts.read(0..LEAF_SIZE)?;
    if first.dataset.sample_weights().is_some() {
        return Err(StoreError::Weights { path: args.out.clone() }.into());
    }
    let measurer = match &model {
        Some(model) => {
            let given = Settings::default();
            if args.settings.0 != given {
                let message = "--for MODEL and settings of signals, expected one or the other";
                return Err(CommandError::usage(message, Some("the model has its own")));
            }
            model.space().measurer().clone()
        }
        None => {
            let settings = Settings { seed: args.source.seed, ..args.settings.0.clone() };
            let outline = outline(&settings, &parts, terminal)?;
            let all: Vec<usize> = (0..first.dataset.len()).collect();
            Measurer::fit_outline(&settings, &outline, &first.dataset, &all)?
        }
    };
    let compression = args.tolerance.map(|tolerance| compression(&measurer, tolerance)).transpose()?;
    let header = StoreHeader {
        name: first.dataset.name().to_owned(),
        source: format!("sha256:{}", parts.digest()),
        complexes: parts.len(),
        targets: TargetKind::of(first.dataset.targets()),
        tolerance: args.tolerance,
        measurer,
    };
    drop(first);
    let writer = StoreWriter::create(&args.out, header.clone())?;
    let wanted: Vec<usize> = (0..writer.n_leaves()).filter(|&k| !writer.is_done(k)).collect();
    let there = writer.n_leaves() - wanted.len();
    let range = |k: usize| k * LEAF_SIZE..parts.len().min((k + 1) * LEAF_SIZE);
    let total: usize = wanted.iter().map(|&k| range(k).len()).sum();
    let began = Instant::now();
    let unknown =
        write_leaves(&parts, (&header.measurer, compression.as_ref()), &writer, &wanted, range, terminal)?;
    let seconds = began.elapsed().as_secs_f64();
    warn_unknown(unknown, terminal);
    let store = writer.finish()?;
    let report = StoreInfo {
        measured: Some(Work { graphs: total, leaves_there: there, seconds }),
        ..describe(&store)
    };
    output::print(&report, args.format)
}

/// How measures are compressed for the filters of a model.
fn compression(measurer: &Measurer, tolerance: f64) -> Result<Compression, CommandError> {
    let Some(bank) = measurer.settings().bank() else {
        let message = "--tolerance, but the method fourier has no filters";
        return Err(CommandError::usage(message, Some("measures without a tolerance are exact")));
    };
    Compression::new(&bank, tolerance)
        .map_err(|error| CommandError::usage(format!("--tolerance: {error}"), None))
}

/// Names and degrees of all parts.
fn outline(settings: &Settings, parts: &Parts, terminal: Terminal) -> Result<Outline, CommandError> {
    let of = |read: &Read| {
        let all: Vec<usize> = (0..read.dataset.len()).collect();
        settings.outline(&read.dataset, &all)
    };
    if let Parts::Whole(read) = parts {
        return Ok(of(read)?);
    }
    let bar = terminal.bar("names and degrees", Some(parts.len() as u64));
    let mut found: Option<Outline> = None;
    for start in (0..parts.len().max(1)).step_by(LEAF_SIZE) {
        if bar.at(start as u64).is_break() {
            return Err(CommandError::Interrupted);
        }
        let own = of(&parts.read(start..start + LEAF_SIZE)?)?;
        found = Some(match found {
            Some(found) => found.join(own).map_err(ModelError::from)?,
            None => own,
        });
    }
    found.ok_or(CommandError::Program("a dataset has no part"))
}

/// Measures and writes the leaves `wanted`, some at a time; returns the number of unknown labels in them.
fn write_leaves(
    parts: &Parts,
    (measurer, compression): (&Measurer, Option<&Compression>),
    writer: &StoreWriter,
    wanted: &[usize],
    range: impl Fn(usize) -> Range<usize> + Sync,
    terminal: Terminal,
) -> Result<usize, CommandError> {
    let total: usize = wanted.iter().map(|&k| range(k).len()).sum();
    let bar = terminal.bar("graphs", Some(total as u64));
    let (done, unknown) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let one = |&k: &usize| {
        let Read { dataset, ids, .. } = parts.read(range(k))?;
        let watch = |_| if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let mut measured = measurer.measure(&dataset, watch)?;
        if let Some(compression) = compression {
            let compressed = measured.measures.into_iter().map(|measures| compression.apply(measures));
            measured.measures = compressed.collect();
        }
        unknown.fetch_add(measured.unknown, Ordering::Relaxed);
        writer.write(k, measured, dataset.targets(), &ids)?;
        let now = done.fetch_add(dataset.len(), Ordering::Relaxed) + dataset.len();
        let _ = bar.at(now as u64);
        Ok::<(), CommandError>(())
    };
    // A few leaves for each thread: what is in memory does not grow with the dataset.
    for some in wanted.chunks(4 * rayon::current_num_threads()) {
        let results: Vec<Result<(), CommandError>> = some.par_iter().with_max_len(1).map(one).collect();
        results.into_iter().collect::<Result<(), _>>()?;
        check_interrupt()?;
    }
    Ok(unknown.into_inner())
}

/// What a store holds.
#[derive(Debug, Serialize)]
pub struct StoreInfo {
    store: PathBuf,
    dataset: String,
    graphs: usize,
    targets: TargetKind,
    leaves: usize,
    bytes: u64,
    /// Largest change of the energy that passes a filter, relative to that of its channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Work>,
}

/// What a run did.
#[derive(Debug, Serialize)]
struct Work {
    graphs: usize,
    leaves_there: usize,
    seconds: f64,
}

/// Describes a store.
#[must_use]
pub fn describe(store: &Store) -> StoreInfo {
    let header = store.header();
    StoreInfo {
        store: store.path().to_owned(),
        dataset: header.name.clone(),
        graphs: header.complexes,
        targets: header.targets.clone(),
        leaves: store.n_leaves(),
        bytes: store.bytes(),
        tolerance: header.tolerance,
        measured: None,
    }
}

impl Report for StoreInfo {
    fn text(&self) -> String {
        let targets = match &self.targets {
            TargetKind::None => "none".to_owned(),
            TargetKind::Classes(names) => format!("{} classes", names.len()),
            TargetKind::Real => "numbers".to_owned(),
        };
        let each = self.bytes as f64 / self.graphs.max(1) as f64;
        let mut lines = vec![
            ("dataset", self.dataset.clone()),
            ("graphs", self.graphs.to_string()),
            ("targets", targets),
            ("leaves", self.leaves.to_string()),
            ("size", format!("{:.1} MB, {each:.0} bytes a graph", self.bytes as f64 / 1e6)),
        ];
        if let Some(tolerance) = self.tolerance {
            lines.push(("tolerance", format!("{tolerance:e} of the energy of a channel")));
        }
        if let Some(Work { graphs, leaves_there, seconds }) = &self.measured {
            let rate = *graphs as f64 / seconds.max(1e-9);
            let there = match leaves_there {
                0 => String::new(),
                n => format!("; {n} leaves were there"),
            };
            lines.push(("measured", format!("{graphs} graphs in {seconds:.1} s, {rate:.0} a second{there}")));
        }
        let text = facts(&lines);
        match &self.measured {
            Some(_) => format!("{text}\n\nwritten to  {}", self.store.display()),
            None => text,
        }
    }
}

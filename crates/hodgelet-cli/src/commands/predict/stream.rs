//! Predictions as they come: graphs in, lines out, memory that does not grow.

use super::resume::{Begun, Lines};
use super::rows::{Predictions, SCHEMA};
use super::tally::Tally;
use super::{Found, PredictArgs, compared, warn_unknown};
use crate::error::CommandError;
use crate::output::{self, Format, Report, facts, number};
use crate::progress::{Terminal, interrupted};
use hodgelet::dataset::Targets;
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Drift, Goal, Measured, Model};
use hodgelet::store::{LEAF_SIZE, Store};
use hodgelet_data::{Parts, Read};
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// Graphs that stand for all in the comparison with the training graphs.
const COMPARED: usize = 1000;

/// Where graphs come from.
enum Input {
    Store(Box<Store>),
    Parts(Parts),
}

/// Some consecutive graphs, predicted.
struct Batch {
    lines: Vec<u8>,
    tally: Tally,
    /// Measures of some of them, for the comparison.
    sample: Vec<ComplexMeasures>,
    unknown: usize,
    notes: Vec<String>,
}

impl Input {
    fn len(&self) -> usize {
        match self {
            Self::Store(store) => store.header().complexes,
            Self::Parts(parts) => parts.len(),
        }
    }

    fn source(&self) -> String {
        match self {
            Self::Store(store) => store.header().source.clone(),
            Self::Parts(parts) => format!("sha256:{}", parts.digest()),
        }
    }

    fn name(&self) -> Result<String, CommandError> {
        match self {
            Self::Store(store) => Ok(store.header().name.clone()),
            Self::Parts(parts) => Ok(parts.read(0..0)?.dataset.name().to_owned()),
        }
    }

    /// The graphs of leaf `k`, predicted.
    fn batch(&self, k: usize, model: &Model, coverage: Option<f64>) -> Result<Batch, CommandError> {
        let go_on = |_| if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let measurer = model.space().measurer();
        let (found, measured, targets, ids, goals) = match self {
            Self::Store(store) => {
                let (measured, targets, ids) = store.leaf(k)?;
                let found = Found::of_measured_part(model, &measured, coverage)?;
                (found, measured, targets, ids, Vec::new())
            }
            Self::Parts(parts) => {
                let Read { dataset, ids, goals, .. } = parts.read(k * LEAF_SIZE..(k + 1) * LEAF_SIZE)?;
                let measured = measurer.measure(&dataset, go_on)?;
                let found = match coverage {
                    None => Found::of_measured_part(model, &measured, None)?,
                    Some(coverage) => {
                        // Models without a part of the training graphs may see other signals.
                        let predicted = model.predict_calibrated(&dataset, go_on)?;
                        let regions = Some(predicted.regions(coverage)?);
                        Found { prediction: predicted.prediction, regions, drift: None }
                    }
                };
                (found, measured, dataset.targets().clone(), ids, goals)
            }
        };
        self.lines(k, model, (found, measured), (&targets, &goals), ids)
    }

    fn lines(
        &self,
        k: usize,
        model: &Model,
        (found, measured): (Found, Measured),
        (targets, goals): (&Targets, &[Goal]),
        ids: Vec<String>,
    ) -> Result<Batch, CommandError> {
        let (first, n) = (k * LEAF_SIZE, measured.measures.len());
        let ids = if ids.is_empty() { (first..first + n).map(|i| i.to_string()).collect() } else { ids };
        let rows = Predictions::new(model, "", targets, &ids, &found.prediction)?
            .with_known(goals)
            .with_regions(model, found.regions.as_ref());
        let mut lines = Vec::new();
        rows.write_lines(&mut lines).map_err(CommandError::Stdout)?;
        let each = self.len().div_ceil(COMPARED).max(1);
        let is_chosen = |i: &usize| (first + i).is_multiple_of(each);
        let sample = (0..n).filter(is_chosen).map(|i| measured.measures[i].clone()).collect();
        let notes = found.regions.map(|regions| regions.notes).unwrap_or_default();
        Ok(Batch { lines, tally: rows.tally(), sample, unknown: measured.unknown, notes })
    }
}

/// The first line: what all others rest on. The same model, graphs and coverage have the same one.
#[derive(Serialize)]
struct Head {
    hodgelet_predictions: u64,
    model: String,
    source: String,
    dataset: String,
    graphs: usize,
    coverage: Option<f64>,
    threshold: f64,
}

/// What became of all graphs.
#[derive(Debug, Serialize)]
struct Streamed {
    dataset: String,
    graphs: usize,
    /// Graphs that an earlier run had predicted.
    resumed: usize,
    #[serde(flatten)]
    tally: Tally,
    /// None after an earlier run was continued: its graphs are no longer at hand.
    drift: Option<Drift>,
    seconds: f64,
    graphs_per_second: f64,
    out: Option<PathBuf>,
}

/// Predicts a dataset line by line.
///
/// # Errors
///
/// [`CommandError`].
pub(super) fn run(
    args: &PredictArgs,
    model: &Model,
    store: Option<Store>,
    terminal: Terminal,
) -> Result<(), CommandError> {
    let input = match store {
        Some(store) => Input::Store(Box::new(store)),
        None => Input::Parts(args.source.for_model(model).parts(terminal)?),
    };
    let bytes = std::fs::read(&args.model)
        .map_err(|source| CommandError::Write { path: args.model.clone(), source })?;
    let head = Head {
        hodgelet_predictions: SCHEMA,
        model: Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        source: input.source(),
        dataset: input.name()?,
        graphs: input.len(),
        coverage: args.coverage,
        threshold: model.training_distances()?.threshold,
    };
    let line = serde_json::to_string(&head).map_err(|error| CommandError::Stdout(error.into()))?;
    let (mut out, begun) = Lines::begin(args.output(), &line, LEAF_SIZE)?;
    let Begun { rows: resumed, mut tally } = begun;
    let (total, began) = (input.len(), Instant::now());
    let bar = terminal.bar("graphs", Some(total as u64));
    let (mut done, mut unknown, mut sample, mut notes) = (resumed, 0, Vec::new(), Vec::new());
    let leaves: Vec<usize> = (resumed / LEAF_SIZE..total.div_ceil(LEAF_SIZE)).collect();
    let leaves = if resumed >= total { Vec::new() } else { leaves };
    for some in leaves.chunks(2 * rayon::current_num_threads()) {
        let one = |&k: &usize| input.batch(k, model, args.coverage);
        let batches: Vec<Result<Batch, CommandError>> = some.par_iter().with_max_len(1).map(one).collect();
        for batch in batches {
            let batch = batch?;
            out.write(&batch.lines)?;
            done += batch.tally.graphs;
            unknown += batch.unknown;
            tally.add(&batch.tally);
            sample.extend(batch.sample);
            notes.extend(batch.notes);
        }
        if bar.at(done as u64).is_break() {
            return Err(CommandError::Interrupted);
        }
    }
    drop(bar);
    out.finish()?;
    let seconds = began.elapsed().as_secs_f64();
    notes.dedup();
    notes.iter().for_each(|note| terminal.warn(note));
    warn_unknown(unknown, terminal);
    let drift = match resumed {
        0 => compared(model.drift_measured(&sample.iter().collect::<Vec<_>>()))?,
        _ => None,
    };
    let report = Streamed {
        dataset: head.dataset,
        graphs: total,
        resumed,
        tally,
        drift: drift.map(|drift| Drift { n_new: total, ..drift }),
        seconds,
        graphs_per_second: (total - resumed) as f64 / seconds.max(1e-9),
        out: args.out.clone(),
    };
    match args.output() {
        Some(_) => output::print(&report, Format::Table),
        None => {
            // Standard output holds the lines.
            terminal.note(&report.text());
            Ok(())
        }
    }
}

impl Report for Streamed {
    fn text(&self) -> String {
        let mut lines = vec![("dataset", self.dataset.clone()), ("graphs", self.graphs.to_string())];
        if self.resumed > 0 {
            lines.push(("resumed", format!("{} graphs were predicted before", self.resumed)));
        }
        lines.extend(self.tally.facts());
        if let Some(Drift { statistic, p_value, compared_new, .. }) = &self.drift {
            let text = format!("MMD² {statistic:.4}, p = {p_value:.3}, from {compared_new} of the graphs");
            lines.push(("drift", text));
        }
        let rate = number(self.graphs_per_second.round());
        lines.push(("time", format!("{:.1} s, {rate} graphs a second", self.seconds)));
        let text = facts(&lines);
        match &self.out {
            Some(out) => format!("{text}\n\nwritten to  {}", out.display()),
            None => text,
        }
    }
}

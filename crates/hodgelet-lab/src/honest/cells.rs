//! Runs the repeats of a row that are missing in its file.

use super::HonestArgs;
use super::plan::{CONFORMAL_TEST, Kind, LEAST_LEFT, Task};
use super::seeds::{self, SeedRun};
use crate::coverage::repeat::{self, MAX_TEST, Repeat};
use hodgelet::dataset::Dataset;
use hodgelet::output::{Kind as FileKind, Output};
use hodgelet::settings::Settings;
use hodgelet_cli::LAB_COMMAND;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{json, write_atomic};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_cli::provenance::Provenance;
use hodgelet_cli::source::DatasetArgs;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// Repeats between two writes of a row's file.
const BATCH: usize = 8;

/// What was found for one row: its repeats, or its seeds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// What was run; a cell of something else is not taken.
    identity: Value,
    /// When, and by which program.
    pub provenance: Provenance,
    pub repeats: Vec<Repeat>,
    pub seeds: Vec<SeedRun>,
}

/// The row `task` with all repeats asked for; none when its data are not there or too few.
pub fn run(args: &HonestArgs, task: &Task, terminal: Terminal) -> Result<Option<Cell>, CommandError> {
    let dataset = match task.dataset() {
        None => None,
        Some(name) => match source(args, name).read(terminal) {
            Ok(read) => Some(read.dataset),
            Err(CommandError::UnknownDataset { .. }) => {
                terminal.warn(&format!("{name}: not found, left out"));
                return Ok(None);
            }
            Err(error) => return Err(error),
        },
    };
    let left = match (&task.kind, &dataset) {
        (Kind::Real { .. }, Some(dataset)) => dataset.len().saturating_sub(task.train),
        (Kind::Conformal { .. }, _) => CONFORMAL_TEST,
        _ => MAX_TEST,
    };
    if matches!(task.kind, Kind::Real { .. }) && left < LEAST_LEFT {
        return Ok(None);
    }
    let settings = task.settings(&args.model.given_settings(args.seed)?, args.quick);
    let whole = task.repeats(left.min(MAX_TEST));
    let wanted = ((args.effort() * whole as f64).round() as usize).clamp(2, whole);
    let identity = json!({ "format": 1, "task": task, "settings": settings });
    let path = args.out.join(format!("{}.json", task.name()));
    let empty = || Cell { identity: identity.clone(), provenance: now(), repeats: vec![], seeds: vec![] };
    let mut cell = read(&path, &identity).unwrap_or_else(empty);
    while cell.len() < wanted {
        check_interrupt()?;
        let batch = cell.len()..wanted.min(cell.len() + BATCH);
        cell.add(task, &settings, dataset.as_ref(), batch)?;
        cell.provenance = now();
        let text = json(&cell)?;
        write_atomic(Output::new(&path, FileKind::ANY), |out| out.write_all(text.as_bytes()))?;
    }
    // More than was asked for now may have been run before.
    Ok(Some(cell))
}

impl Cell {
    fn len(&self) -> usize {
        self.repeats.len().max(self.seeds.len())
    }

    /// Runs the repeats `batch` side by side.
    fn add(
        &mut self,
        task: &Task,
        settings: &Settings,
        dataset: Option<&Dataset>,
        batch: std::ops::Range<usize>,
    ) -> Result<(), CommandError> {
        let of = |r: usize| Settings { seed: settings.seed.wrapping_add(1 + r as u64), ..settings.clone() };
        if let (Kind::Seeds { .. }, Some(dataset)) = (&task.kind, dataset) {
            let runs = batch.into_par_iter().map(|r| seeds::run(&of(r), dataset));
            self.seeds.extend(runs.collect::<Result<Vec<_>, _>>()?);
            return Ok(());
        }
        let one = |r: usize| match (&task.kind, dataset) {
            (Kind::Simulated { classes }, _) => repeat::simulated(&of(r), task.train, MAX_TEST, *classes),
            (Kind::Conformal { classes }, _) => {
                repeat::simulated(&of(r), task.train, CONFORMAL_TEST, *classes)
            }
            (_, Some(dataset)) => repeat::real_beside_mode(&of(r), dataset, task.train),
            (_, None) => unreachable!("the dataset of the row was read"),
        };
        self.repeats.extend(batch.into_par_iter().map(one).collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }
}

fn now() -> Provenance {
    Provenance::of(LAB_COMMAND)
}

fn source(args: &HonestArgs, name: &str) -> DatasetArgs {
    DatasetArgs::named(name.to_owned(), args.seed, args.data_dir.clone())
}

/// A row that was run before, if it is of the same thing; a file that cannot be read counts as none.
fn read(path: &Path, identity: &Value) -> Option<Cell> {
    let cell: Cell = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
    (cell.identity == *identity).then_some(cell)
}

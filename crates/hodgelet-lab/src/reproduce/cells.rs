//! Cells: one row, one model, one repeat; each in a separate file, so that an interrupted run can continue.

use super::RunArgs;
use super::contender::Contender;
use super::experiment::{Experiment, Row};
use super::outcome::{ModelOutcome, Outcome, Protocol, RowOutcome};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::output::{Kind, Output};
use hodgelet::settings::Settings;
use hodgelet_cli::LAB_COMMAND;
use hodgelet_cli::commands::evaluate::{Items, evaluation_of, k_fold};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::memory;
use hodgelet_cli::output::{json, write_atomic};
use hodgelet_cli::progress::{Bar, Terminal, check_interrupt};
use hodgelet_cli::provenance::Provenance;
use hodgelet_eval::cross_validate::{Event, MEMORY_BUDGET, cross_validate, cross_validate_search};
use hodgelet_eval::report::{Evaluation, FoldRun};
use hodgelet_eval::search::SearchParams;
use hodgelet_eval::splits::KFoldParams;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One row, one model, one repeat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// What was run; a cell of something else is not taken.
    identity: Value,
    /// When, and by which program.
    pub provenance: Provenance,
    /// Wall-clock time, spectra included.
    pub seconds: f64,
    /// How it went.
    pub evaluation: Evaluation,
}

/// Runs what is missing of an experiment and puts all of it together.
///
/// # Errors
///
/// [`CommandError`]; cells that are finished are kept.
pub fn run(plan: &Experiment, args: &RunArgs, terminal: Terminal) -> Result<Outcome, CommandError> {
    let folder = args.out.join("cells");
    std::fs::create_dir_all(&folder)
        .map_err(|source| CommandError::Write { path: folder.clone(), source })?;
    let total = plan.rows.len() * plan.models.len() * args.repeats * args.folds();
    let bar = terminal.bar("folds", Some(total as u64));
    let mut runner = Runner { plan, args, folder, bar, done: 0, terminal };
    let mut rows = Vec::new();
    for row in &plan.rows {
        rows.extend(runner.row(row)?);
    }
    if rows.is_empty() {
        let message = format!("none of the datasets of {} was found", plan.name);
        let hint =
            "--data-dir or HODGELET_DATA says where datasets are, `hodgelet datasets get` downloads them";
        return Err(CommandError::usage(message, Some(hint)));
    }
    Ok(Outcome {
        experiment: plan.name.to_owned(),
        title: plan.title.to_owned(),
        row_name: plan.row_name.to_owned(),
        provenance: Provenance::of(LAB_COMMAND),
        protocol: Protocol {
            quick: args.quick,
            folds: args.folds(),
            repeats: args.repeats,
            seed: args.seed,
            iterations: args.iterations(),
            train_on_validation: args.train_on_validation,
        },
        seconds: rows.iter().flat_map(|row| &row.results).map(|result| result.seconds).sum(),
        rows,
    })
}

struct Runner<'a> {
    plan: &'a Experiment,
    args: &'a RunArgs,
    folder: PathBuf,
    bar: Bar,
    done: usize,
    terminal: Terminal,
}

impl Runner<'_> {
    /// All cells of a row; none when its data are not there and need not be.
    fn row(&mut self, row: &Row) -> Result<Option<RowOutcome>, CommandError> {
        let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); self.plan.models.len()];
        let mut kept: Option<Dataset> = None;
        for repeat in 0..self.args.repeats {
            if row.data.is_drawn() {
                kept = None;
            }
            for (m, &model) in self.plan.models.iter().enumerate() {
                match self.cell(row, model, repeat, &mut kept) {
                    Ok(cell) => cells[m].push(cell),
                    Err(CommandError::UnknownDataset { .. }) if row.optional => {
                        self.terminal.warn(&format!("{}: not found, left out", row.label));
                        return Ok(None);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let outcome = |(&model, cells): (&Contender, Vec<Cell>)| ModelOutcome::of(row, model, cells);
        let results = self.plan.models.iter().zip(cells).map(outcome).collect::<Result<Vec<_>, _>>();
        let results = results.map_err(|error| CommandError::usage(error.to_string(), None))?;
        RowOutcome::of(row, results, &self.plan.pairs)
            .map(Some)
            .map_err(|error| CommandError::usage(error.to_string(), None))
    }

    /// A cell from its file, or run now; `data` keeps the dataset for the cells that follow.
    fn cell(
        &mut self,
        row: &Row,
        model: Contender,
        repeat: usize,
        data: &mut Option<Dataset>,
    ) -> Result<Cell, CommandError> {
        check_interrupt()?;
        let seed = self.args.seed.wrapping_add(repeat as u64);
        let settings = model.settings(self.plan.flows, seed, self.args.iterations());
        if model == Contender::Auto && data.is_none() {
            *data = Some(row.data.load(seed, &self.args.data_dir)?); // its questions depend on the data
        }
        let search = data.as_ref().and_then(|dataset| model.search(&settings, dataset));
        let identity = json!({
            "format": 1,
            "data": row.data.identity(),
            "model": model,
            "seed": seed,
            "folds": self.args.folds(),
            "train_on_validation": self.args.train_on_validation,
            "settings": settings,
            "search": search,
        });
        let path = self.folder.join(file_name(self.plan.name, &row.label, model, repeat));
        let cell = match read(&path, &identity) {
            Some(cell) => cell,
            None => {
                if data.is_none() {
                    *data = Some(row.data.load(seed, &self.args.data_dir)?);
                }
                data.as_ref().map_or(Ok(()), expect_classes)?;
                let dataset = model.prepared(data.as_ref().expect("loaded just now"))?;
                let began = Instant::now();
                let evaluation = self.evaluate(&dataset, model, &settings, search, repeat)?;
                let seconds = began.elapsed().as_secs_f64();
                let cell = Cell { identity, provenance: Provenance::of(LAB_COMMAND), seconds, evaluation };
                let text = json(&cell)?;
                write_atomic(Output::new(&path, Kind::ANY), |out| out.write_all(text.as_bytes()))?;
                cell
            }
        };
        self.done += self.args.folds();
        let _ = self.bar.at(self.done as u64); // an interrupt is seen before the next cell
        Ok(cell)
    }

    fn evaluate(
        &self,
        dataset: &Dataset,
        model: Contender,
        settings: &Settings,
        search: Option<SearchParams>,
        repeat: usize,
    ) -> Result<Evaluation, CommandError> {
        let (folds, train_on_validation) = (self.args.folds(), self.args.train_on_validation);
        let splits = k_fold(
            Items::of(dataset),
            KFoldParams { folds, repeats: 1, seed: settings.seed, train_on_validation },
        )?;
        let memory = memory::asked().map_or(MEMORY_BUDGET, |mb| mb.saturating_mul(1_000_000));
        let progress = |event: Event| match event {
            Event::Done { done, .. } => self.bar.at((self.done + done) as u64),
            _ => self.bar.still(),
        };
        let runs: Vec<FoldRun> = match search {
            Some(search) => {
                let found = cross_validate_search(dataset, &search, &splits, memory, progress)?;
                found.into_iter().map(|(run, _)| run).collect()
            }
            None => cross_validate(dataset, settings, &splits, memory, progress)?,
        };
        let mut evaluation = evaluation_of(Items::of(dataset), model.name(), settings, &runs)?;
        evaluation.folds.iter_mut().for_each(|fold| fold.repeat = repeat);
        Ok(evaluation)
    }
}

/// The experiments are of classification.
fn expect_classes(dataset: &Dataset) -> Result<(), CommandError> {
    let found = match dataset.targets() {
        Targets::Classes { .. } => return Ok(()),
        Targets::Real(_) => "real targets",
        Targets::None => "no targets",
    };
    let message = format!("{}: found {found}, expected classes", dataset.name());
    Err(CommandError::usage(message, Some("`hodgelet evaluate` scores predictions of numbers")))
}

/// A cell that was run before, if it is of the same thing; a file that cannot be read counts as none.
fn read(path: &Path, identity: &Value) -> Option<Cell> {
    let cell: Cell = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
    (cell.identity == *identity).then_some(cell)
}

/// A name that every file system takes.
fn file_name(experiment: &str, row: &str, model: Contender, repeat: usize) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let row: String = row.chars().map(safe).collect();
    format!("{experiment}-{row}-{}-{repeat}.json", model.key())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_hold_no_separator() {
        assert_eq!(file_name("table1", "a/../b c", Contender::Own, 2), "table1-a_.._b_c-hodgelet-2.json");
    }
}

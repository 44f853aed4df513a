//! `hodgelet-lab reproduce mantra`: the tasks of the MANTRA benchmark, with its refinements.

mod data;
mod published;
mod sheets;
mod trial;

use super::page::Sheets;
use clap::Args;
use data::Data;
use hodgelet::output::{Kind, Output};
use hodgelet_cli::LAB_COMMAND;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{self, Format, Report, json, table, write_atomic};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_cli::provenance::Provenance;
use hodgelet_data::mantra::ManifoldTarget;
use hodgelet_eval::report::peak_memory_mb;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use trial::{Model, Score, Trial};

/// The tasks of the benchmark; that a connected surface has one component is no task.
const TASKS: [ManifoldTarget; 4] =
    [ManifoldTarget::Type, ManifoldTarget::Orientable, ManifoldTarget::Betti1, ManifoldTarget::Betti2];
/// A type with fewer members is left out of what is said of types.
const LEAST_MEMBERS: usize = 20;

/// Flags of `hodgelet-lab reproduce mantra`.
#[derive(Args, Debug)]
#[command(
    after_help = "Surfaces are enumerated, or read from a MANTRA file (--from). Models are trained on at most --cap of each type and
at most half of it, and tested on all others and on refinements of --refined of these: barycentric,
stellar and graded subdivisions, and a hundredth of them subdivided twice.

Examples:
  hodgelet-lab reproduce mantra
  hodgelet-lab reproduce mantra --quick
  hodgelet-lab reproduce mantra --from mantra-2d.json.gz --sizes ,"
)]
pub struct MantraArgs {
    /// A small version: surfaces with up to 8 vertices, 12 refined ones
    #[arg(long)]
    quick: bool,
    /// A MANTRA file of surfaces in place of the enumeration
    #[arg(long, value_name = "FILE", conflicts_with = "max_vertices")]
    from: Option<PathBuf>,
    /// Largest number of vertices of the surfaces that are enumerated [default: 10; quick: 8]
    #[arg(long, value_name = "N")]
    max_vertices: Option<usize>,
    /// Most training surfaces of a type; never more than half of them
    #[arg(long, value_name = "N", default_value_t = 30)]
    cap: usize,
    /// Other caps, for the table of training sizes; 0 is none [default: 9,100,300,1000,0; quick: none]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    sizes: Option<Vec<String>>,
    /// Number of surfaces that are refined [default: 2000; quick: 12]
    #[arg(long, value_name = "N")]
    refined: Option<usize>,
    /// Seed of what is drawn
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Folder for mantra.json
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl MantraArgs {
    fn caps(&self) -> Result<Vec<usize>, CommandError> {
        let default = || if self.quick { Vec::new() } else { vec![9, 100, 300, 1000, 0] };
        let number = |text: &String| {
            text.trim().parse().map_err(|_| {
                CommandError::usage(
                    format!("--sizes: `{text}`, expected whole numbers"),
                    Some("such as 10,100,0"),
                )
            })
        };
        match &self.sizes {
            None => Ok(default()),
            Some(list) => list.iter().filter(|text| !text.trim().is_empty()).map(number).collect(),
        }
    }
}

/// What was found.
#[derive(Debug, Serialize)]
struct Outcome {
    provenance: Provenance,
    seconds: f64,
    /// How many surfaces there are of each type, and how many of them were trained on.
    types: Vec<TypeCount>,
    /// Scores of the main trial.
    scores: Vec<Score>,
    /// Scores by training size.
    sizes: Vec<Score>,
    /// What could not be trained at some size, and why.
    failed: Vec<String>,
    /// What must hold, and whether it does.
    claims: Vec<Claim>,
    times: Times,
    #[serde(flatten)]
    sheets: Sheets,
}

#[derive(Debug, Serialize)]
struct TypeCount {
    name: String,
    surfaces: usize,
    trained: usize,
}

#[derive(Debug, Serialize)]
struct Claim {
    what: String,
    holds: bool,
}

/// Seconds of wall-clock time.
#[derive(Debug, Default, Serialize)]
struct Times {
    enumerate: f64,
    refine: f64,
    measure: f64,
    measure_refined: f64,
    /// All fits of the main trial with harmonic blocks.
    fit: f64,
    /// All predictions of these.
    predict: f64,
    /// From the surfaces to the scores of the four tasks on all held-out surfaces, without refinements.
    held_out: f64,
    peak_memory_mb: Option<f64>,
}

/// Runs the experiment.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &MantraArgs, terminal: Terminal) -> Result<(), CommandError> {
    let began = Instant::now();
    let caps = args.caps()?;
    let mut times = Times::default();
    let data = Data::new(args, &mut times)?;
    check_interrupt()?;
    let train = data.sample(args.cap, args.seed);
    if train.is_empty() {
        return Err(CommandError::usage(
            "no surface to train on",
            Some("--max-vertices 7 has types of two and more"),
        ));
    }
    let types = data.types(&train);
    let mut trial = Trial::new(args, &data, &train, terminal, &mut times)?;
    let scores = trial.scores(&Model::ALL, &train, &mut times)?;
    let (mut sizes, mut failed) = (Vec::new(), Vec::new());
    for &cap in &caps {
        let train = data.sample(if cap == 0 { usize::MAX } else { cap }, args.seed);
        for model in [Model::Harmonic, Model::Cells] {
            match trial.scores(&[model], &train, &mut Times::default()) {
                Ok(found) => sizes.extend(found),
                // That a model cannot be trained is a result, too; an interrupt is not.
                Err(CommandError::Model(error)) => {
                    failed.push(format!(
                        "`{}` of {} surfaces was not trained: {error}.",
                        model.key(),
                        train.len()
                    ));
                }
                Err(error) => return Err(error),
            }
        }
    }
    times.peak_memory_mb = peak_memory_mb();
    let claims = claims(&scores);
    let provenance = Provenance::of(LAB_COMMAND);
    let mut outcome = Outcome {
        provenance,
        seconds: began.elapsed().as_secs_f64(),
        types,
        scores,
        sizes,
        failed,
        claims,
        times,
        sheets: Sheets { sheets: Vec::new() },
    };
    outcome.sheets = sheets::sheets(&outcome);
    let path = args.out.join("mantra.json");
    std::fs::create_dir_all(&args.out)
        .map_err(|source| CommandError::Write { path: args.out.clone(), source })?;
    let text = json(&outcome)?;
    write_atomic(Output::new(&path, Kind::ANY), |out| out.write_all(text.as_bytes()))?;
    output::print(&outcome, args.format)
}

/// What the model of harmonic blocks must reach.
fn claims(scores: &[Score]) -> Vec<Claim> {
    let of = |task: &str| -> Vec<&Score> {
        scores.iter().filter(|score| score.model == Model::Harmonic.key() && score.task == task).collect()
    };
    let mut claims = Vec::new();
    for task in ["orientable", "betti-1", "betti-2"] {
        for score in of(task) {
            claims.push(Claim { what: format!("{task}, {}: 100%", score.test), holds: score.wrong == 0 });
        }
    }
    for score in of("type") {
        let what =
            format!("type, {}: at least 99.9% over types with {LEAST_MEMBERS} or more members", score.test);
        claims.push(Claim { what, holds: score.accuracy_common >= Some(0.999) });
    }
    claims
}

impl Report for Outcome {
    fn text(&self) -> String {
        let sheet = |sheet: &super::page::Sheet| {
            let header: Vec<&str> = sheet.header.iter().map(String::as_str).collect();
            let numbers: Vec<usize> = (3..header.len()).collect();
            let notes = sheet.notes.iter().map(|note| format!("\n\n{note}")).collect::<String>();
            format!("{}\n\n{}{notes}", sheet.title, table(&header, &numbers, sheet.rows.iter().cloned()))
        };
        let mut sections: Vec<String> = self.sheets.sheets.iter().map(sheet).collect();
        let failed: Vec<&str> =
            self.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.what.as_str()).collect();
        sections.push(match failed.as_slice() {
            [] => format!("all {} claims hold", self.claims.len()),
            failed => format!("does not hold: {}", failed.join("; ")),
        });
        sections.join("\n\n")
    }
}

//! `hodgelet-lab bench labels`: refining and counting labels, and distances between sparse rows.

use clap::Args;
use faer::Par;
use hodgelet::feature::{Block, BlockMeasures, LabelWeights};
use hodgelet::kernel::FixedRows;
use hodgelet::model::Measurer;
use hodgelet::settings::{BlockKind, Settings};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{Format, Report, facts, number};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_cli::source::DatasetArgs;
use hodgelet_eval::report::peak_memory_mb;
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// Flags of `hodgelet-lab bench labels`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hodgelet-lab bench labels ./HIV.zip
  hodgelet-lab bench labels NCI1 --data-dir DATA --graphs 2000")]
pub struct LabelsArgs {
    #[command(flatten)]
    source: DatasetArgs,
    /// Graphs whose distances are taken, from the first on
    #[arg(long, value_name = "COUNT", default_value_t = 5000)]
    graphs: usize,
    /// Runs, of which the fastest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What was measured; times are those of the fastest run.
#[derive(Debug, Serialize)]
pub struct LabelTimes {
    dataset: String,
    graphs: usize,
    threads: usize,
    /// Edge labels at three depths with their shares, and vertex labels, of all graphs.
    refine_seconds: f64,
    distance_graphs: usize,
    /// Labels of edges in the exact component.
    distance_entries: usize,
    distance_seconds: f64,
    peak_memory_mb: Option<f64>,
}

/// Times labels.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &LabelsArgs, terminal: Terminal) -> Result<LabelTimes, CommandError> {
    let dataset = args.source.read(terminal)?.dataset;
    let settings = Settings {
        blocks: Some(vec![BlockKind::EdgeLabels, BlockKind::VertexLabels]),
        ..Settings::default()
    };
    let all: Vec<usize> = (0..dataset.len()).collect();
    let measurer = Measurer::fit(&settings, &dataset, &all)?;
    let (mut refine_seconds, mut distance_seconds) = (f64::INFINITY, f64::INFINITY);
    let mut measured = measurer.measure(&dataset.select(&[]), |_| ControlFlow::Continue(()))?;
    for _ in 0..args.repeats {
        let began = Instant::now();
        measured = measurer.measure(&dataset, |_| ControlFlow::Continue(()))?;
        refine_seconds = refine_seconds.min(began.elapsed().as_secs_f64());
        check_interrupt()?;
    }
    let some: Vec<_> = measured.measures.iter().take(args.graphs).collect();
    let block = BlockMeasures::new(Block::EDGE_LABELS[0], some.iter().copied());
    let rows = LabelWeights::fit(&block).rows(&block);
    let distance_entries = rows.n_entries();
    for _ in 0..args.repeats {
        let began = Instant::now();
        let rows = FixedRows::Sparse(rows.clone());
        let found = rows.squared_distances(Par::rayon(0)).map_err(hodgelet::model::ModelError::from)?;
        distance_seconds = distance_seconds.min(began.elapsed().as_secs_f64());
        assert_eq!(found.nrows(), some.len(), "there is a row for each graph");
        check_interrupt()?;
    }
    Ok(LabelTimes {
        dataset: dataset.name().to_owned(),
        graphs: dataset.len(),
        threads: rayon::current_num_threads(),
        refine_seconds,
        distance_graphs: some.len(),
        distance_entries,
        distance_seconds,
        peak_memory_mb: peak_memory_mb(),
    })
}

impl Report for LabelTimes {
    fn text(&self) -> String {
        let mut rows = vec![
            ("dataset", format!("{}, {} graphs", self.dataset, self.graphs)),
            ("threads", self.threads.to_string()),
            ("refining and counting", format!("{} s", number(self.refine_seconds))),
            (
                "distances",
                format!(
                    "{} s, of {} graphs with {} labels",
                    number(self.distance_seconds),
                    self.distance_graphs,
                    self.distance_entries
                ),
            ),
        ];
        rows.extend(self.peak_memory_mb.map(|mb| ("peak memory", format!("{} MB", number(mb)))));
        facts(&rows)
    }
}

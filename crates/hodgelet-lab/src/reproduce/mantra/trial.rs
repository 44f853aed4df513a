//! Models of surfaces, trained on some and tested on others and on refinements of these.

use super::data::{Data, classes};
use super::{LEAST_MEMBERS, MantraArgs, TASKS, Times};
use faer::Mat;
use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::feature::{Block, Component};
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Measured, Measurer};
use hodgelet::settings::{BlockKind, Settings};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_data::generate::Refinement;
use hodgelet_data::mantra::ManifoldTarget;
use hodgelet_eval::metrics::{Confusion, MetricError, N_BINS, calibration, nll, predicted_classes};
use rayon::prelude::*;
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// One of so many refined surfaces is subdivided twice: that is six times six triangles for each.
const TWICE: usize = 100;

/// A model in the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Constants on edges and triangles, harmonic components alone.
    Harmonic,
    /// Constants on vertices, edges and triangles, all Hodge components.
    Cells,
    /// The same without harmonic components.
    WithoutHarmonic,
    /// Degrees on vertices, the graph alone.
    Graph,
}

impl Model {
    /// Every model.
    pub const ALL: [Self; 4] = [Self::Harmonic, Self::Cells, Self::WithoutHarmonic, Self::Graph];

    /// Name in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Harmonic => "harmonic",
            Self::Cells => "all-blocks",
            Self::WithoutHarmonic => "without-harmonic",
            Self::Graph => "graph",
        }
    }

    /// Its settings: the most probable hyperparameters, energies alone.
    fn settings(self, seed: u64) -> Settings {
        let constants = Settings {
            vertices: Some(VertexSignal::Constant),
            edges: CellSignal::Constant,
            higher: CellSignal::Constant,
            blocks: Some(vec![BlockKind::Energies]),
            seed,
            ..Settings::default().most_probable()
        };
        match self {
            Self::Cells => constants,
            Self::Harmonic => {
                let others =
                    (0..3).flat_map(Block::split).filter(|block| block.component != Component::Harmonic);
                Settings { exclude: others.collect(), ..constants }
            }
            Self::WithoutHarmonic => {
                let harmonic = |dim| Block { dim, component: Component::Harmonic };
                Settings { exclude: (0..3).map(harmonic).collect(), ..constants }
            }
            Self::Graph => Settings {
                vertices: Some(VertexSignal::Auto),
                edges: CellSignal::None,
                higher: CellSignal::None,
                ..constants
            },
        }
    }

    /// Models that measure alike have the same number.
    fn encoding(self) -> usize {
        usize::from(self == Self::Graph)
    }
}

/// Surfaces a model is tested on.
struct TestSet {
    name: &'static str,
    origin: Vec<usize>,                  // the surface that each is a refinement of
    measured: Vec<Vec<ComplexMeasures>>, // by encoding
}

/// What can be scored.
pub struct Trial<'a> {
    data: &'a Data,
    seed: u64,
    measured: Vec<Measured>, // all surfaces, by encoding
    refined: Vec<TestSet>,
}

/// The score of a model in a task on a test set.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// The model.
    pub model: String,
    /// The task, as the dataset calls it.
    pub task: String,
    /// The test set.
    pub test: String,
    /// Number of training surfaces.
    pub train: usize,
    /// Number of test surfaces.
    pub n: usize,
    /// How many were taken for something else.
    pub wrong: usize,
    /// Share of the others.
    pub accuracy: f64,
    /// The same among surfaces of common types.
    pub accuracy_common: Option<f64>,
    /// Mean over classes of the share that is right.
    pub balanced_accuracy: f64,
    /// Matthews' correlation coefficient.
    pub mcc: f64,
    /// Mean negative log probability.
    pub nll: f64,
    /// Expected calibration error.
    pub ece: f64,
    /// Seconds of training.
    pub fit_seconds: f64,
}

fn go(_: impl Sized) -> ControlFlow<()> {
    match check_interrupt() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

impl<'a> Trial<'a> {
    /// Measures all surfaces and the refinements of some that are not in `train`.
    pub fn new(
        args: &MantraArgs,
        data: &'a Data,
        train: &[usize],
        terminal: Terminal,
        times: &mut Times,
    ) -> Result<Self, CommandError> {
        let encodings = [Model::Cells, Model::Graph];
        let measurers = encodings
            .iter()
            .map(|model| Measurer::fit(&model.settings(args.seed), &data.surfaces, train))
            .collect::<Result<Vec<_>, _>>()?;
        let mut measured = Vec::new();
        for (m, measurer) in measurers.iter().enumerate() {
            let began = Instant::now();
            measured.push(measurer.measure(&data.surfaces, go)?);
            if m == 0 {
                times.measure = began.elapsed().as_secs_f64();
                times.held_out = times.measure;
            }
        }
        let n_refined = args.refined.unwrap_or(if args.quick { 12 } else { 2000 });
        let origin = data.others(train, n_refined, args.seed);
        let bar = terminal.bar("refinements", Some(4));
        let mut refined = Vec::new();
        for refinement in Refinement::ALL {
            let began = Instant::now();
            let complexes = refine(data, &origin, |complex, i| refinement.refined(complex, args.seed, i))?;
            times.refine += began.elapsed().as_secs_f64();
            let name = match refinement {
                Refinement::Barycentric => "barycentric",
                Refinement::Stellar => "stellar",
                Refinement::Graded => "graded",
            };
            refined.push(TestSet::new(name, origin.clone(), complexes, &measurers, times)?);
            let _ = bar.at(refined.len() as u64);
        }
        let few: Vec<usize> = origin.iter().copied().step_by(TWICE.min(origin.len().max(1))).collect();
        let twice = |complex: &Complex, _| complex.barycentric_subdivision()?.barycentric_subdivision();
        let complexes = refine(data, &few, twice)?;
        refined.push(TestSet::new("barycentric, twice", few, complexes, &measurers, times)?);
        Ok(Self { data, seed: args.seed, measured, refined })
    }

    /// The scores of some models that are trained on `train`, in all tasks and on all test sets.
    pub fn scores(
        &mut self,
        models: &[Model],
        train: &[usize],
        times: &mut Times,
    ) -> Result<Vec<Score>, CommandError> {
        let mut scores = Vec::new();
        for &model in models {
            for task in TASKS {
                check_interrupt()?;
                scores.extend(self.task(model, task, train, times)?);
            }
        }
        Ok(scores)
    }

    fn task(
        &self,
        model: Model,
        task: ManifoldTarget,
        train: &[usize],
        times: &mut Times,
    ) -> Result<Vec<Score>, CommandError> {
        let settings = model.settings(self.seed);
        let (data, encoding) = (self.data, model.encoding());
        let targets = data.targets(task);
        let measurer = Measurer::fit(&settings, &data.surfaces, train)?;
        let began = Instant::now();
        let fitted = settings.fit_measured(&measurer, &self.measured[encoding], targets, train, go)?;
        let fit_seconds = began.elapsed().as_secs_f64();
        let held_out = data.held_out(train);
        let all = &self.measured[encoding].measures;
        let mut tests: Vec<(&str, Vec<usize>, Vec<&ComplexMeasures>)> =
            vec![("held out", held_out.clone(), held_out.iter().map(|&i| &all[i]).collect())];
        for set in &self.refined {
            // Refinements of what was trained on are no test.
            let kept = (0..set.origin.len()).filter(|&at| train.binary_search(&set.origin[at]).is_err());
            let kept: Vec<usize> = kept.collect();
            let origin = kept.iter().map(|&at| set.origin[at]).collect();
            tests.push((set.name, origin, kept.iter().map(|&at| &set.measured[encoding][at]).collect()));
        }
        let mut scores = Vec::new();
        for (test, origin, measures) in tests {
            if origin.is_empty() {
                continue;
            }
            let began = Instant::now();
            let prediction = fitted.predict_measured(&measures)?;
            let seconds = began.elapsed().as_secs_f64();
            let Some(probabilities) = prediction.targets.probabilities() else {
                return Err(CommandError::Program("classes were not predicted"));
            };
            let mut score = self.score(targets, &origin, probabilities)?;
            (score.model, score.task, score.test) = (model.key().to_owned(), name_of(task), test.to_owned());
            (score.train, score.fit_seconds) = (train.len(), fit_seconds);
            scores.push(score);
            if model == Model::Harmonic {
                times.predict += seconds;
                if test == "held out" {
                    times.held_out += fit_seconds + seconds;
                }
            }
        }
        if model == Model::Harmonic {
            times.fit += fit_seconds;
        }
        Ok(scores)
    }

    fn score(
        &self,
        targets: &Targets,
        origin: &[usize],
        probabilities: &Mat<f64>,
    ) -> Result<Score, CommandError> {
        let (names, labels) = classes(targets);
        let truth: Vec<u32> = origin.iter().map(|&i| labels[i]).collect();
        let rows: Vec<f64> = (0..probabilities.nrows())
            .flat_map(|i| (0..probabilities.ncols()).map(move |c| probabilities[(i, c)]))
            .collect();
        let n_classes = names.len();
        let (types, members) = (self.data.labels().1, self.data.members());
        let scored = || -> Result<Score, MetricError> {
            let predicted = predicted_classes(&rows, n_classes)?;
            let is_right = |at: usize| predicted[at] == truth[at];
            let wrong = (0..truth.len()).filter(|&at| !is_right(at)).count();
            let common: Vec<usize> =
                (0..truth.len()).filter(|&at| members[types[origin[at]] as usize] >= LEAST_MEMBERS).collect();
            let right = common.iter().filter(|&&at| is_right(at)).count();
            let confusion = Confusion::of(&predicted, &truth, n_classes)?;
            Ok(Score {
                model: String::new(),
                task: String::new(),
                test: String::new(),
                train: 0,
                n: truth.len(),
                wrong,
                accuracy: 1.0 - wrong as f64 / truth.len() as f64,
                accuracy_common: (!common.is_empty()).then(|| right as f64 / common.len() as f64),
                balanced_accuracy: confusion.balanced_accuracy(),
                mcc: confusion.mcc(),
                nll: nll(&rows, n_classes, &truth)?,
                ece: calibration(&rows, n_classes, &truth, N_BINS)?.ece,
                fit_seconds: 0.0,
            })
        };
        scored().map_err(|error| CommandError::usage(error.to_string(), None))
    }
}

impl TestSet {
    fn new(
        name: &'static str,
        origin: Vec<usize>,
        complexes: Vec<Complex>,
        measurers: &[Measurer],
        times: &mut Times,
    ) -> Result<Self, CommandError> {
        let dataset = Dataset::new(name, complexes, Vec::new(), Targets::None)?;
        let mut measured = Vec::new();
        for (m, measurer) in measurers.iter().enumerate() {
            let began = Instant::now();
            measured.push(measurer.measure(&dataset, go)?.measures);
            if m == 0 {
                times.measure_refined += began.elapsed().as_secs_f64();
            }
        }
        Ok(Self { name, origin, measured })
    }
}

/// What the dataset calls a task.
fn name_of(task: ManifoldTarget) -> String {
    match serde_json::to_value(task) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// Refinements of some surfaces.
fn refine<E: std::error::Error + Send>(
    data: &Data,
    origin: &[usize],
    refined: impl Fn(&Complex, usize) -> Result<Complex, E> + Sync,
) -> Result<Vec<Complex>, CommandError> {
    let one = |&i: &usize| refined(&data.surfaces.complexes()[i], i);
    let all: Vec<Result<Complex, E>> = origin.par_iter().map(one).collect();
    all.into_iter().collect::<Result<_, E>>().map_err(|error| CommandError::usage(error.to_string(), None))
}

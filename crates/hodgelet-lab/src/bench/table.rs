//! `hodgelet-lab bench table`: classification of plain features, without graphs, trained over all classes together.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use faer::{Mat, MatRef, Par};
use hodgelet::choice::Choice;
use hodgelet::gp::{Posterior, Sites, Variational, VariationalParams, Workspace};
use hodgelet::kernel::{
    BaseKernel, BlockKernel, Family, GramWorkspace, KernelGradient, Lengthscales, SumKernel,
};
use hodgelet::likelihood::{Likelihood, Observations};
use hodgelet::model::ModelError;
use hodgelet::settings::ClassLikelihood;
use hodgelet::train::{LbfgsParams, MinimizeError, minimize};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{Format, Report, facts};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How closely inference is done in training, relative to the ELBO, as in models of graphs.
const INNER_TOLERANCE: f64 = 1e-6;

/// Flags of `hodgelet-lab bench table`.
#[derive(Args, Debug)]
#[command(
    after_help = "FILE is a JSON object with `features`, one list of numbers per row, and `labels`, classes from 0.
`bench/sklearn_peer.py --export FILE` writes one."
)]
pub struct TableArgs {
    /// Features and labels
    #[arg(value_name = "FILE")]
    table: PathBuf,
    /// auto: probit or softmax; softmax: logit or softmax; gpflow: probit with a floor or robust-max
    #[arg(long, value_name = "LIKELIHOOD", default_value = "softmax", value_parser = likelihood())]
    likelihood: ClassLikelihood,
    /// Largest number of steps of the optimizer
    #[arg(long, value_name = "N", default_value_t = 200)]
    iterations: usize,
    /// Steps end when one gains less than this share of the ELBO
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6)]
    tolerance: f64,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

fn likelihood() -> impl TypedValueParser<Value = ClassLikelihood> {
    let names = ClassLikelihood::ALL.iter().map(|choice| choice.name());
    PossibleValuesParser::new(names)
        .map(|name| ClassLikelihood::named(&name).expect("only the names listed are accepted"))
}

/// A table of features.
#[derive(Debug, Deserialize)]
struct Table {
    features: Vec<Vec<f64>>,
    labels: Vec<u32>,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Learned {
    rows: usize,
    features: usize,
    classes: usize,
    threads: usize,
    fit_seconds: f64,
    elbo: f64,
    iterations: usize,
    evaluations: usize,
    inner_iterations: usize,
    stop: String,
    variance: f64,
    lengthscale: f64,
    training_accuracy: f64,
}

/// Trains variance and lengthscale of a squared exponential from 1 and the root of the number of features.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &TableArgs) -> Result<Learned, CommandError> {
    let (features, labels) = read(&args.table)?;
    let n_classes = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let start = Instant::now();
    let mut problem = Problem::new(features.as_ref(), &labels, n_classes, args.likelihood)?;
    let optimizer = LbfgsParams {
        max_iterations: args.iterations,
        objective_tolerance: args.tolerance,
        ..LbfgsParams::default()
    };
    let optimizer = optimizer.check().map_err(ModelError::from)?;
    let begin = problem.kernel.params();
    let end = minimize(
        &optimizer,
        &begin,
        |theta, gradient| problem.evaluate(theta, gradient),
        |_| ControlFlow::Continue(()),
    )
    .map_err(|error| match error {
        MinimizeError::Start(error) => error,
        other => ModelError::Training { reason: other.to_string() },
    })?;
    let posterior = problem.infer(&end.point)?;
    let fit_seconds = start.elapsed().as_secs_f64();
    let training_accuracy = accuracy(&problem.likelihood, &posterior, &labels)?;
    Ok(Learned {
        rows: features.nrows(),
        features: features.ncols(),
        classes: n_classes,
        threads: rayon::current_num_threads(),
        fit_seconds,
        elbo: posterior.objective(),
        iterations: end.iterations,
        evaluations: end.evaluations,
        inner_iterations: problem.inner_iterations,
        stop: format!("{:?}", end.stop),
        variance: end.point[0].exp(),
        lengthscale: end.point[1].exp(),
        training_accuracy,
    })
}

/// Features `[n, n_features]` and classes.
fn read(path: &Path) -> Result<(Mat<f64>, Vec<u32>), CommandError> {
    let wrong = |what: String| CommandError::usage(format!("{}: {what}", path.display()), None);
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let Table { features, labels } =
        serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    let (n, width) = (features.len(), features.first().map_or(0, Vec::len));
    if n < 2 || width == 0 || labels.len() != n {
        let found = format!("{n} rows of {width} features with {} labels", labels.len());
        return Err(wrong(format!("{found}, expected at least 2 rows of at least 1 with one label each")));
    }
    if let Some(row) = features.iter().position(|row| row.len() != width) {
        let found = features[row].len();
        return Err(wrong(format!("row {row} has {found} features, but row 0 has {width}")));
    }
    match labels.iter().find(|&&label| label as usize >= n) {
        Some(label) => Err(wrong(format!("class {label}, expected classes from 0 and fewer than rows"))),
        None => Ok((Mat::from_fn(n, width, |i, j| features[i][j]), labels)),
    }
}

/// The profiled ELBO of a table as a function of the kernel's hyperparameters.
struct Problem<'a> {
    features: MatRef<'a, f64>,
    observations: Observations,
    likelihood: Likelihood,
    inference: Variational,
    kernel: SumKernel,
    gram: Mat<f64>,
    gram_workspace: GramWorkspace,
    workspace: Workspace,
    sites: Option<Sites>,
    gram_gradient: Mat<f64>,
    kernel_gradient: KernelGradient,
    inner_iterations: usize,
}

impl<'a> Problem<'a> {
    fn new(
        features: MatRef<'a, f64>,
        labels: &[u32],
        n_classes: usize,
        likelihood: ClassLikelihood,
    ) -> Result<Self, ModelError> {
        let lengthscales = Lengthscales::isotropic((features.ncols() as f64).sqrt());
        let block = BlockKernel::new(1.0, BaseKernel::new(Family::SquaredExponential, lengthscales));
        let inference = VariationalParams { tolerance: INNER_TOLERANCE, ..VariationalParams::default() };
        Ok(Self {
            features,
            observations: Observations::classes(n_classes, labels)?,
            likelihood: likelihood.of(n_classes).check(n_classes)?,
            inference: inference.check()?,
            kernel: SumKernel::new(vec![block])?,
            gram: Mat::new(),
            gram_workspace: GramWorkspace::new(),
            workspace: Workspace::new(Par::Seq),
            sites: None,
            gram_gradient: Mat::new(),
            kernel_gradient: KernelGradient::default(),
            inner_iterations: 0,
        })
    }

    /// The posterior at the logarithms of variance and lengthscale.
    fn infer(&mut self, theta: &[f64]) -> Result<Posterior, ModelError> {
        self.kernel.set_params(theta)?;
        self.kernel.gram_lower(&[self.features], &mut self.gram_workspace, &mut self.gram, Par::rayon(0))?;
        let (gram, start) = (self.gram.as_ref(), self.sites.as_ref());
        let posterior =
            self.inference.fit(gram, &self.likelihood, &self.observations, start, &mut self.workspace)?;
        self.inner_iterations += posterior.iterations();
        Ok(posterior)
    }

    /// Minus the ELBO and its gradient.
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, ModelError> {
        let posterior = self.infer(theta)?;
        posterior.gram_gradient(&mut self.gram_gradient, Par::Seq);
        let (sensitivities, out) = (self.gram_gradient.as_ref(), &mut self.kernel_gradient);
        self.kernel.backward(&mut self.gram_workspace, sensitivities, false, out, Par::rayon(0))?;
        gradient.iter_mut().zip(&out.params).for_each(|(g, slope)| *g = -slope);
        self.sites = Some(posterior.sites().clone());
        let elbo = posterior.objective();
        self.workspace.recycle(posterior);
        Ok(-elbo)
    }
}

/// Share of the rows whose most probable class is their own.
fn accuracy(likelihood: &Likelihood, posterior: &Posterior, labels: &[u32]) -> Result<f64, CommandError> {
    let latents = posterior.latents();
    let probabilities = likelihood
        .probabilities(latents.mean.as_ref(), latents.variance.as_ref())
        .map_err(ModelError::from)?;
    let right = |(i, &label): (usize, &u32)| {
        let own = probabilities[(i, label as usize)];
        (0..probabilities.ncols()).all(|c| probabilities[(i, c)] <= own)
    };
    Ok(labels.iter().enumerate().filter(|&row| right(row)).count() as f64 / labels.len() as f64)
}

impl Report for Learned {
    fn text(&self) -> String {
        facts(&[
            ("table", format!("{} rows, {} features, {} classes", self.rows, self.features, self.classes)),
            ("threads", self.threads.to_string()),
            ("training", format!("{:.4} s", self.fit_seconds)),
            ("ELBO", format!("{:.4}", self.elbo)),
            ("evaluations", format!("{}, {} inner iterations", self.evaluations, self.inner_iterations)),
            ("stopped by", self.stop.clone()),
            ("kernel", format!("variance {:.4}, lengthscale {:.4}", self.variance, self.lengthscale)),
            ("training accuracy", format!("{:.4}", self.training_accuracy)),
        ])
    }
}

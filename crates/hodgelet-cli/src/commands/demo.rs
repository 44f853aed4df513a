//! `hodgelet demo`: the main job on built-in data, in under a minute, explained to newcomers.

use super::evaluate::{Items, evaluate, k_fold};
use super::fit::{save, train};
use super::model_info::load;
use super::predict::Predictions;
use crate::error::CommandError;
use crate::output::{Report, print_text, table};
use crate::progress::Terminal;
use clap::Args;
use hodgelet::dataset::Dataset;
use hodgelet::model::{FittedTargets, Model, PredictedTargets, Prediction};
use hodgelet::output::{Kind, Output};
use hodgelet::settings::{Method, Settings};
use hodgelet_data::generate::builtin;
use hodgelet_eval::cross_validate::MEMORY_BUDGET;
use hodgelet_eval::report::{Evaluation, Results};
use hodgelet_eval::splits::KFoldParams;

/// Flags of `hodgelet demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// Seed of the vector fields and of the initial filters
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Vertices of each mesh
    #[arg(long, value_name = "N", default_value_t = 100)]
    vertices: usize,
}

/// Fields that are held out to be predicted.
const HELD_OUT: usize = 20;

const NLL_EXPLAINED: &str = "
Guessing gives 50%. The line graph loses the direction of edges; the Hodge split keeps it and separates
gradients (exact) from curls (co-exact). A third component, flows around holes (harmonic), is missing here
because a mesh of the square has no holes. NLL, the negative log-likelihood, scores the probabilities: lower is better,
and guessing gives ln 2 = 0.693.
";

const NEXT: &str = "
Next: hodgelet evaluate vector-fields --set n_vertices=200
      hodgelet fit sbm --out sbm.hodgelet, then hodgelet predict sbm.hodgelet sbm --seed 1
      hodgelet info surfaces";

/// Runs the demonstration.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &DemoArgs, terminal: Terminal) -> Result<(), CommandError> {
    let fields = fields(args)?;
    print_text(&format!(
        "Hodgelet: Gaussian processes that classify graphs by the Hodge parts of their signals.

The task: {} noisy vector fields in the plane, each seen only as flows along the edges of a random mesh
of {} vertices. Is a field mostly curl-free (it flows downhill) or mostly divergence-free (it swirls)?
",
        fields.len(),
        args.vertices
    ))?;
    print_text("1. Two models, ten-fold cross-validation\n")?;
    compare(&fields, args.seed, terminal)?;

    print_text("2. Train, save, load, predict\n")?;
    let n_known = fields.len().saturating_sub(HELD_OUT);
    let (known, new): (Vec<usize>, Vec<usize>) = (0..fields.len()).partition(|&i| i < n_known);
    let trained = train(&fields, &Settings { seed: args.seed, ..Settings::default() }, &known, terminal)?;
    let held_out = fields.select(&new);
    let (model, prediction) = save_load_predict(&trained, &held_out, terminal)?;
    let ids: Vec<String> = new.iter().map(ToString::to_string).collect();
    print_text(&Predictions::new(&model, held_out.name(), held_out.targets(), &ids, &prediction)?.text())?;

    print_text("\n3. Why? The surest prediction, block by block\n")?;
    print_text(&explain(&model, &prediction, &ids))?;
    print_text(NEXT)
}

fn fields(args: &DemoArgs) -> Result<Dataset, CommandError> {
    let mut recipe = builtin("vector-fields").expect("the name of a built-in dataset");
    recipe.set(&format!("n_vertices={}", args.vertices))?;
    Ok(recipe.generate(args.seed)?)
}

/// Cross-validates the line graph and the Hodge split.
fn compare(fields: &Dataset, seed: u64, terminal: Terminal) -> Result<(), CommandError> {
    let splits = k_fold(Items::of(fields), KFoldParams { seed, ..KFoldParams::default() })?;
    let mut rows = Vec::new();
    for method in [Method::LineGraph, Method::Hodge] {
        // Models are compared at their most probable hyperparameters, which is faster.
        let settings = Settings { seed, ..Settings::of(method).most_probable() };
        let evaluation = evaluate(fields, method.title(), &settings, &splits, MEMORY_BUDGET, terminal)?;
        rows.push(row(method, &evaluation));
    }
    print_text(&table(
        &["model", "what it sees", "accuracy, %", "NLL", "seconds per fold"],
        &[2, 3, 4],
        rows,
    ))?;
    print_text(NLL_EXPLAINED)
}

fn row(method: Method, evaluation: &Evaluation) -> Vec<String> {
    let sees = match method {
        Method::LineGraph => "the flow on the line graph, not split",
        _ => "the flow, split into its Hodge components",
    };
    let (accuracy, nll) = match &evaluation.results {
        Results::Classes(scores) => (
            format!("{:.1} ± {:.1}", 100.0 * scores.accuracy.mean, 100.0 * scores.accuracy.std),
            format!("{:.3}", scores.nll.mean),
        ),
        Results::Real(_) => unreachable!("vector fields have classes"),
    };
    let seconds = format!("{:.2}", evaluation.fit_seconds.mean);
    vec![method.title().to_owned(), sees.to_owned(), accuracy, nll, seconds]
}

/// Saves a model, loads it again and predicts with it.
fn save_load_predict(
    trained: &Model,
    held_out: &Dataset,
    terminal: Terminal,
) -> Result<(Model, Prediction), CommandError> {
    let no_folder = |source| CommandError::Write { path: std::env::temp_dir(), source };
    let folder = tempfile::tempdir().map_err(no_folder)?;
    let path = folder.path().join("fields.hodgelet");
    save(trained, Output::new(&path, Kind::MODEL))?;
    let size = std::fs::metadata(&path).map_err(no_folder)?.len();
    let model = load(&path)?;
    let bar = terminal.bar("predicting", None);
    let prediction = model.predict_with(held_out, |_| bar.still())?;
    if trained.predict_with(held_out, |_| bar.still())? != prediction {
        return Err(CommandError::Program("the loaded model predicts other numbers than the trained one"));
    }
    drop(bar);
    let summary = model.summary();
    print_text(&format!(
        "Trained on {} fields in {:.1} s ({} steps, ELBO {:.1}). Saved ({size} bytes) and loaded again: the
loaded model gives the same bits. Below it predicts the {} fields held out. The latent mean is above 0 for
`{}`, and the standard deviation says how sure the model is of it; the last columns are what each
Hodge block adds, exactly.
",
        summary.n_train,
        summary.seconds,
        summary.iterations,
        summary.elbo,
        held_out.len(),
        class_name(&model, 1),
    ))?;
    Ok((model, prediction))
}

fn class_name(model: &Model, class: usize) -> String {
    match model.targets() {
        FittedTargets::Classes { names } => names.get(class).cloned().unwrap_or_default(),
        FittedTargets::Real { .. } => String::new(),
    }
}

/// Bars for the blocks of the prediction whose class is most probable.
fn explain(model: &Model, prediction: &Prediction, ids: &[String]) -> String {
    let PredictedTargets::Classes { probabilities, labels } = &prediction.targets else {
        unreachable!("vector fields have classes")
    };
    let probability = |i: usize| probabilities[(i, labels[i] as usize)];
    let surest = |&i: &usize, &j: &usize| probability(i).total_cmp(&probability(j)).then(j.cmp(&i));
    let Some(field) = (0..labels.len()).max_by(surest) else { return String::new() };
    let class = class_name(model, labels[field] as usize);
    let mut lines =
        vec![format!("Field {}: `{class}` with probability {:.3}", ids[field], probability(field))];
    let blocks = prediction.blocks.iter().map(|(block, means)| (block.to_string(), means));
    let constant = prediction.constant.iter().map(|means| ("constant".to_owned(), means));
    let shares: Vec<(String, f64)> =
        blocks.chain(constant).map(|(name, means)| (name, means[(field, 0)])).collect();
    let largest = shares.iter().map(|(_, share)| share.abs()).fold(1e-300, f64::max);
    for (block, share) in shares {
        let bar = "█".repeat((30.0 * share.abs() / largest).round() as usize);
        let toward = class_name(model, usize::from(share > 0.0));
        lines.push(format!("  {block:14} {share:+8.3}  {bar:30}  toward {toward}"));
    }
    let sum = prediction.latent_mean[(field, 0)];
    lines.push(format!("  {:14} {sum:+8.3}  (the sum, exactly)", "latent mean"));
    lines.join("\n")
}

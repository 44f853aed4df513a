//! `hodgelet demo`: the main job on built-in data, in under a minute, in words a newcomer understands.

use super::evaluate::{evaluate, k_fold};
use super::fit::train;
use super::predict::Predictions;
use crate::error::CommandError;
use crate::output::{Report, print_text, table};
use crate::progress::Terminal;
use clap::Args;
use hodgelet::dataset::Dataset;
use hodgelet::encode::VertexSignal;
use hodgelet::model::{FittedTargets, Method, Model, ModelParams, PredictedTargets, Prediction};
use hodgelet_data::generate::builtin;
use hodgelet_eval::cross_validate::MEMORY_BUDGET;
use hodgelet_eval::report::{Evaluation, Results};

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

/// Runs the demonstration.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &DemoArgs, terminal: Terminal) -> Result<(), CommandError> {
    let fields = fields(args)?;
    say(&format!(
        "Hodgelet: Gaussian processes that classify graphs by the Hodge parts of their signals.

The task: {} noisy vector fields in the plane, each seen only as flows along the edges of a random mesh
of {} vertices. Is a field mostly curl-free (it flows downhill) or mostly divergence-free (it swirls)?

1. Two models, ten-fold cross-validation
",
        fields.len(),
        args.vertices
    ))?;
    let splits = k_fold(&fields, 10, 1, args.seed)?;
    let mut rows = Vec::new();
    for method in [Method::LineGraph, Method::Hodge] {
        let evaluation =
            evaluate(&fields, method.name(), &params(method, args.seed), &splits, MEMORY_BUDGET, terminal)?;
        rows.push(row(method, &evaluation));
    }
    say(&table(&["model", "what it sees", "accuracy, %", "NLL", "seconds a fold"], &[2, 3, 4], rows))?;
    say("
Guessing gives 50%. The line graph forgets which way an edge points; the Hodge split keeps it, and tells
gradients (exact) from curls (co-exact) and flows around holes (harmonic). NLL is the price of the stated
probabilities: lower is better, ln 2 = 0.693 is a coin.

2. Train, save, load, predict
")?;
    let n = fields.len();
    let (known, new): (Vec<usize>, Vec<usize>) = ((0..n - HELD_OUT).collect(), (n - HELD_OUT..n).collect());
    let model = train(&fields, &params(Method::Hodge, args.seed), &known, terminal)?;
    let folder = tempfile::tempdir().map_err(CommandError::Stdout)?;
    let path = folder.path().join("fields.hodgelet");
    model.save(&path)?;
    let size = std::fs::metadata(&path).map(|file| file.len()).unwrap_or(0);
    let loaded = Model::load(&path)?;
    let held_out = fields.select(&new);
    let prediction = loaded.predict(&held_out, |_| std::ops::ControlFlow::Continue(()))?;
    let same = model.predict(&held_out, |_| std::ops::ControlFlow::Continue(()))? == prediction;
    say(&format!(
        "Trained on {} fields in {:.1} s ({} steps, ELBO {:.1}), saved ({size} bytes), loaded again; {} the loaded model
predicts the {HELD_OUT} fields held out. The latent mean is above 0 for `{}`, and the deviation says how sure
the model is of it; the last columns are what each Hodge block adds, exactly.
",
        known.len(),
        loaded.summary().seconds,
        loaded.summary().iterations,
        loaded.summary().elbo,
        if same { "to the last bit," } else { "NOT to the last bit," },
        class_name(&loaded, 1),
    ))?;
    let ids: Vec<String> = new.iter().map(ToString::to_string).collect();
    say(&Predictions::new(&loaded, &held_out, &ids, &prediction).text())?;
    say("\n3. Why? The surest prediction, block by block\n")?;
    say(&explain(&loaded, &prediction, &ids))?;
    say("
Next: hodgelet evaluate vector-fields --set n_vertices=200
      hodgelet fit sbm --out sbm.hodgelet, then hodgelet predict sbm.hodgelet sbm --seed 1
      hodgelet info surfaces")
}

fn say(text: &str) -> Result<(), CommandError> {
    print_text(text)
}

fn fields(args: &DemoArgs) -> Result<Dataset, CommandError> {
    let mut recipe = builtin("vector-fields").expect("the name of a built-in dataset");
    recipe.set(&format!("n_vertices={}", args.vertices))?;
    Ok(recipe.generate(args.seed)?)
}

/// The method on the flow alone, which is what the paper compares.
fn params(method: Method, seed: u64) -> ModelParams {
    let mut params = ModelParams { seed, ..method.params() };
    params.space.encoding.vertices = VertexSignal::None;
    params
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
    vec![method.name().to_owned(), sees.to_owned(), accuracy, nll, seconds]
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
        return String::new();
    };
    let surest = (0..labels.len())
        .max_by(|&i, &j| {
            let p = |i: usize| probabilities[(i, labels[i] as usize)];
            p(i).total_cmp(&p(j)).then(j.cmp(&i))
        })
        .unwrap_or(0);
    let class = labels[surest] as usize;
    let largest = prediction.blocks.iter().map(|(_, m)| m[(surest, 0)].abs()).fold(1e-300, f64::max);
    let mut lines = vec![format!(
        "Field {}: `{}` with probability {:.3}",
        ids[surest],
        class_name(model, class),
        probabilities[(surest, class)]
    )];
    for (block, means) in &prediction.blocks {
        let share = means[(surest, 0)];
        let width = (30.0 * share.abs() / largest).round() as usize;
        let toward = class_name(model, usize::from(share > 0.0));
        lines.push(format!(
            "  {:14} {share:+8.3}  {:30}  toward {toward}",
            block.to_string(),
            "█".repeat(width)
        ));
    }
    lines.push(format!(
        "  {:14} {:+8.3}  (the sum, exactly)",
        "latent mean",
        prediction.latent_mean[(surest, 0)]
    ));
    lines.join("\n")
}

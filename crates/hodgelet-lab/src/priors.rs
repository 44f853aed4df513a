//! `hodgelet-lab priors`: what the priors of a model imply before it has seen a target.

use clap::Args;
use hodgelet::likelihood::Mixture;
use hodgelet::model::Hyperparameter;
use hodgelet::settings::Settings;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::model_args::ModelArgs;
use hodgelet_cli::output::{self, Format, Report, table};
use hodgelet_cli::progress::Terminal;
use hodgelet_cli::source::DatasetArgs;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// Shares of draws below the values that are printed.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// Graphs that are measured, at most: priors hang on their features, not on their number.
const MAX_GRAPHS: usize = 200;

/// Flags of `hodgelet-lab priors`.
#[derive(Args, Debug)]
#[command(
    after_help = "Variances and noise are drawn from their priors. The share explained is that of the blocks in the
variance of a target: blocks / (blocks + noise), the constant left out. The probability is that of a
class for one graph, with the latent value drawn too.

Examples:
  hodgelet-lab priors FreeSolv --data-dir DATA
  hodgelet-lab priors sbm --prior-deviation 0.5"
)]
pub struct PriorsArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Draws from the priors
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    draws: usize,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// What the priors imply.
#[derive(Debug, Serialize)]
struct Implied {
    dataset: String,
    draws: usize,
    blocks: usize,
    levels: [f64; 5],
    /// Names and quantiles of what was drawn.
    quantities: Vec<(String, Vec<f64>)>,
    /// Share of draws in which a class has a probability below 0.05 or above 0.95; for two classes.
    certain: Option<f64>,
}

/// Draws from the priors of a model of the dataset.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &PriorsArgs, terminal: Terminal) -> Result<(), CommandError> {
    let dataset = args.source.read(terminal)?.dataset;
    let settings = args.model.given_settings(args.source.seed)?;
    // One step: priors are centered on where training starts.
    let settings = Settings { iterations: 1, restarts: 1, ..settings.most_probable() };
    let n = dataset.len().min(MAX_GRAPHS);
    let chosen: Vec<usize> = (0..n).map(|i| i * dataset.len() / n).collect();
    let values = settings.fit(&dataset, &chosen)?.hyperparameters();
    output::print(&implied(dataset.name(), &values, args.draws, args.source.seed)?, args.format)
}

fn implied(
    dataset: &str,
    values: &[Hyperparameter],
    draws: usize,
    seed: u64,
) -> Result<Implied, CommandError> {
    let is_constant = |value: &Hyperparameter| value.name.starts_with("constant");
    let is_variance = |value: &Hyperparameter| value.name.ends_with(": variance") && !is_constant(value);
    let is_noise = |value: &Hyperparameter| value.name == "noise variance";
    if draws == 0 || values.iter().any(|value| value.prior.is_none()) {
        return Err(CommandError::usage(
            "there is no prior to draw from",
            Some("--prior-deviation sets one"),
        ));
    }
    let has_noise = values.iter().any(|value| value.name.starts_with("noise"));
    let standard = Mixture::normal(0.0, 1.0);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let blocks = values.iter().filter(|value| is_variance(value)).count();
    let (mut explained, mut largest, mut noises, mut totals, mut constants, mut probabilities) =
        (vec![], vec![], vec![], vec![], vec![], vec![]);
    for _ in 0..draws {
        let mut draw = |is_one: &dyn Fn(&Hyperparameter) -> bool| -> Vec<f64> {
            let priors = values.iter().filter(|v| is_one(v)).filter_map(|v| v.prior);
            priors.map(|p| p.center() * (p.deviation() * normal(&mut rng)).exp()).collect()
        };
        let (own, constant, noise) = (draw(&is_variance), draw(&is_constant), draw(&is_noise));
        let total: f64 = own.iter().sum();
        largest.push(own.iter().copied().fold(0.0, f64::max) / total);
        totals.push(total);
        constants.extend(&constant);
        match noise.first() {
            Some(noise) => {
                noises.push(*noise);
                explained.push(total / (total + noise));
            }
            None if !has_noise => {
                let latent = (total + constant.iter().sum::<f64>()).sqrt() * normal(&mut rng);
                probabilities.push(standard.cdf(latent));
            }
            None => {} // the scale of another kind of noise is no variance
        }
    }
    let certain = probabilities.iter().filter(|p| !(0.05..=0.95).contains(*p)).count() as f64;
    let certain = (!probabilities.is_empty()).then(|| certain / draws as f64);
    let all = [
        ("share of the largest block", largest),
        ("variance of the blocks", totals),
        ("variance of the constant", constants),
        ("variance of the noise", noises),
        ("share explained", explained),
        ("probability of a class", probabilities),
    ];
    let drawn = all.into_iter().filter(|(_, drawn)| !drawn.is_empty());
    let quantities = drawn.map(|(name, drawn)| (name.to_owned(), quantiles(drawn))).collect();
    Ok(Implied { dataset: dataset.to_owned(), draws, blocks, levels: QUANTILES, quantities, certain })
}

fn quantiles(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let at = |q: f64| values[((q * values.len() as f64) as usize).min(values.len() - 1)];
    QUANTILES.map(at).to_vec()
}

/// A normal number, by Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

impl Report for Implied {
    fn text(&self) -> String {
        let header: Vec<String> = QUANTILES.iter().map(|q| format!("{:.0}%", 100.0 * q)).collect();
        let header: Vec<&str> =
            std::iter::once("under the priors").chain(header.iter().map(String::as_str)).collect();
        let row = |(name, values): &(String, Vec<f64>)| {
            std::iter::once(name.clone()).chain(values.iter().map(|v| output::number(*v))).collect()
        };
        let title = format!("{}, {} blocks, {} draws", self.dataset, self.blocks, self.draws);
        let certain = self.certain.map_or_else(String::new, |share| {
            format!("\nA class is below 0.05 or above 0.95 in {:.0}% of the draws.", 100.0 * share)
        });
        format!("{title}\n\n{}{certain}", table(&header, &[1, 2, 3, 4, 5], self.quantities.iter().map(row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::param::LogNormal;

    fn value(name: &str, center: f64, deviation: f64) -> Hyperparameter {
        let prior = LogNormal::new(center, deviation).ok();
        Hyperparameter { name: name.to_owned(), value: center, prior, range: (0.0, f64::MAX) }
    }

    /// With priors that are nearly points, the share explained is what their centers give.
    #[test]
    fn narrow_priors_imply_what_their_centers_do() {
        let values = [
            value("vertex co-exact: variance", 2.0, 1e-6),
            value("edge exact: variance", 1.0, 1e-6),
            value("constant: variance", 5.0, 1e-6),
            value("noise variance", 1.0, 1e-6),
        ];
        let found = implied("d", &values, 100, 0).unwrap();
        let median = |name: &str| found.quantities.iter().find(|(n, _)| n == name).unwrap().1[2];
        assert!((median("share explained") - 0.75).abs() < 1e-4);
        assert!((median("share of the largest block") - 2.0 / 3.0).abs() < 1e-4);
        assert_eq!((found.blocks, found.certain), (2, None));
    }

    /// A latent value of variance 1 is uniform after the probit; one of a large variance is at an end.
    #[test]
    fn wide_latent_values_imply_certain_classes() {
        let of = |variance: f64| implied("d", &[value("a: variance", variance, 1e-6)], 20_000, 1).unwrap();
        let (unit, large) = (of(1.0), of(400.0));
        assert!((unit.certain.unwrap() - 0.1).abs() < 0.01, "{:?}", unit.certain);
        assert!(large.certain.unwrap() > 0.9, "{:?}", large.certain);
        let without = Hyperparameter { prior: None, ..value("a: variance", 1.0, 1.0) };
        assert!(implied("d", &[without], 10, 0).is_err());
    }
}

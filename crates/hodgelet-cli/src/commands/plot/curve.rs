//! `hodgelet plot learning-curve`: scores against the number of training graphs.

use super::PictureArgs;
use crate::commands::evaluate::{Items, evaluate, k_fold};
use crate::error::CommandError;
use crate::model_args::{ModelArgs, check_read};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::dataset::Targets;
use hodgelet_eval::cross_validate::MEMORY_BUDGET;
use hodgelet_eval::report::Results;
use hodgelet_eval::splits::{KFoldParams, Split};
use hodgelet_report::chart::{Curve, lines};

/// Shares of the training graphs that are trained on.
const SHARES: [f64; 5] = [0.1, 0.2, 0.4, 0.7, 1.0];

/// Flags of `hodgelet plot learning-curve`.
#[derive(Args, Debug)]
#[command(
    after_help = "Every fold is tested by models of 10, 20, 40, 70 and 100% of its training graphs of each class; each set holds the
smaller ones. Bars are standard errors over folds.

Example:
  hodgelet plot learning-curve sbm --folds 5 --out curve.svg"
)]
pub struct CurveArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Number of folds
    #[arg(long, default_value_t = 5)]
    folds: usize,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Draws a learning curve.
pub fn run(args: &CurveArgs, terminal: Terminal) -> Result<(), CommandError> {
    args.picture.check(&args.source.inputs())?;
    let read = args.source.read(terminal)?;
    let dataset = &read.dataset;
    let settings = args.model.given_settings(args.source.seed)?;
    check_read(&settings, &read)?;
    let params =
        KFoldParams { folds: args.folds, repeats: 1, seed: settings.seed, train_on_validation: true };
    let splits = k_fold(Items::of(dataset), params)?;
    let (mut points, mut errors, mut name) = (Vec::new(), Vec::new(), "accuracy");
    for share in SHARES {
        let part: Vec<Split> =
            splits.iter().map(|split| shortened(split, share, dataset.targets())).collect();
        let found = evaluate(dataset, settings.method.title(), &settings, &part, MEMORY_BUDGET, terminal)?;
        let summary = match &found.results {
            Results::Classes(results) => results.accuracy,
            Results::Real(results) => {
                name = "RMSE";
                results.rmse
            }
        };
        let size =
            part.iter().map(|split| split.train.len()).sum::<usize>() as f64 / part.len().max(1) as f64;
        points.push((size, summary.mean));
        errors.push(summary.standard_error.unwrap_or(0.0));
    }
    let curve = Curve { name: settings.method.title().to_owned(), points, errors };
    let title = format!("{}: {name} by number of training graphs", dataset.name());
    args.picture.write(&lines(&title, "training graphs", name, &[curve]))
}

/// The same split with a share of the training graphs of every class, at least one of each. Smaller shares are parts of
/// larger ones.
fn shortened(split: &Split, share: f64, targets: &Targets) -> Split {
    let class = |graph: usize| match targets {
        Targets::Classes { labels, .. } => labels[graph],
        _ => 0,
    };
    // A fixed scrambled order, class by class.
    let scrambled = |place: usize| (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut order: Vec<usize> = (0..split.train.len()).collect();
    order.sort_by_key(|&place| (class(split.train[place]), scrambled(place)));
    let of_class = order.chunk_by(|&a, &b| class(split.train[a]) == class(split.train[b]));
    let kept = of_class
        .flat_map(|part| &part[..((share * part.len() as f64).round() as usize).clamp(1, part.len())]);
    let mut train: Vec<usize> = kept.map(|&place| split.train[place]).collect();
    train.sort_unstable();
    Split { train, ..split.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_training_sets_are_parts_of_larger_ones() {
        let split = Split { train: (0..50).collect(), test: vec![50], ..Split::default() };
        let labels = (0..51).map(|i| u32::from(i % 5 == 0)).collect();
        let targets = Targets::Classes { names: vec!["a".to_owned(), "b".to_owned()], labels };
        let (small, large) = (shortened(&split, 0.2, &targets), shortened(&split, 0.7, &targets));
        assert_eq!((small.train.len(), large.train.len()), (10, 35));
        assert!(small.train.iter().all(|i| large.train.contains(i)));
        assert_eq!(shortened(&split, 1.0, &targets).train, split.train);
        let least = shortened(&split, 0.01, &targets).train;
        assert!(least.len() == 2 && least.iter().any(|i| i % 5 == 0), "one of each class: {least:?}");
    }
}

//! Scores with their uncertainty, the verdict, and what a reader should know of leakage and drift.

use super::{Case, Protocol, Sources};
use crate::chart::ReliabilityPoint;
use crate::markup::number;
use hodgelet::dataset::Targets;
use hodgelet_eval::metrics::{N_BINS, Summary, average_precision, roc_auc};
use hodgelet_eval::report::{Evaluation, Results, Scores};
use serde::Serialize;

/// 95% of a normal distribution.
const WIDE: f64 = 1.959_964;
/// Points of the curve of risk against coverage.
const POINTS: usize = 100;
/// Features nearer than this are equal but for rounding.
const EQUAL: f64 = 1e-9;

/// A score with a 95% interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// Its name.
    pub name: String,
    /// Its value, over folds in the mean.
    pub value: f64,
    /// 95% interval over graphs; none where none is known.
    pub interval: Option<(f64, f64)>,
    /// Standard deviation over folds, where there are several.
    pub folds: Option<f64>,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

/// A reliability diagram in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reliability {
    /// The bins in use.
    pub points: Vec<ReliabilityPoint>,
    /// Expected calibration error.
    pub ece: f64,
    /// What it would be on average, were every probability right.
    pub floor: f64,
}

/// All of it.
pub(super) struct Found {
    pub verdict: String,
    pub run: Vec<(String, String)>,
    pub scores: Vec<Score>,
    pub folds: (Vec<String>, Vec<Vec<String>>),
    pub reliability: Option<Reliability>,
    pub risk: Vec<(f64, f64)>,
    pub risk_name: String,
    pub confusion: Option<Vec<Vec<usize>>>,
    pub leakage: Vec<(String, String)>,
    pub drift: Vec<(String, String)>,
}

impl Found {
    pub fn of(protocol: &Protocol<'_>, cases: &[Case], classes: &[String], sources: &Sources<'_>) -> Self {
        let evaluation = match protocol {
            Protocol::Folds { evaluation, .. } => Some(*evaluation),
            Protocol::Model { evaluation, .. } => *evaluation,
        };
        let known: Vec<&Case> = cases.iter().filter(|case| case.truth.is_some()).collect();
        let reliability = (!classes.is_empty() && !known.is_empty()).then(|| reliability(&known));
        let scores = scores(&known, classes, evaluation);
        let seen = sources.prediction.novelty.iter().filter(|n| n.distance <= EQUAL).count();
        let verdict =
            verdict(protocol, &known, classes, &scores, reliability.as_ref(), (seen, sources.dataset.len()));
        Self {
            verdict,
            run: run(sources),
            folds: evaluation.map_or_else(Default::default, folds),
            risk: risk(&known),
            risk_name: if classes.is_empty() { "root mean squared error" } else { "share of wrong classes" }
                .to_owned(),
            confusion: (!classes.is_empty() && !known.is_empty()).then(|| confusion(&known, classes.len())),
            leakage: leakage(protocol, sources, &known, seen),
            drift: drift(protocol, sources),
            scores,
            reliability,
        }
    }
}

/// 95% interval of a share, by Wilson's score.
#[must_use]
pub fn wilson(hits: usize, n: usize) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (n, p, z2) = (n as f64, hits as f64 / n as f64, WIDE * WIDE);
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = WIDE / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// Bins of equal width of the probability of the predicted class.
pub(super) fn reliability(known: &[&Case]) -> Reliability {
    let mut bins = vec![(0usize, 0usize, 0.0, 0.0); N_BINS];
    for case in known {
        let p = case.confidence().unwrap_or(0.0);
        let bin = &mut bins[((p * N_BINS as f64) as usize).min(N_BINS - 1)];
        bin.0 += 1;
        bin.1 += usize::from(!case.is_wrong());
        bin.2 += p;
        bin.3 += p * (1.0 - p);
    }
    let n = known.len().max(1) as f64;
    let (mut ece, mut floor, mut points) = (0.0, 0.0, Vec::new());
    for (count, right, sum, variance) in bins.into_iter().filter(|bin| bin.0 > 0) {
        let of = count as f64;
        ece += (right as f64 - sum).abs() / n;
        // The mean size of a centered normal variable of this variance.
        floor += (2.0 * variance / std::f64::consts::PI).sqrt() / n;
        let interval = wilson(right, count);
        points.push(ReliabilityPoint { confidence: sum / of, accuracy: right as f64 / of, interval, count });
    }
    Reliability { points, ece, floor }
}

/// Error of the surest predictions, at up to a hundred shares.
fn risk(known: &[&Case]) -> Vec<(f64, f64)> {
    let mut order: Vec<&&Case> = known.iter().collect();
    order.sort_by(|a, b| a.doubt().total_cmp(&b.doubt()));
    let n = order.len();
    let (mut sum, mut found) = (0.0, Vec::new());
    for (i, case) in order.iter().enumerate() {
        let numbers = case.probabilities.is_empty();
        let error = case.truth.unwrap_or(0.0) - case.predicted;
        sum += if numbers { error * error } else { f64::from(u8::from(case.is_wrong())) };
        // The first few say little: one error of one prediction is an error of 100%.
        let due = (i + 1) * POINTS / n > i * POINTS / n && (i + 1) * 20 >= n;
        let tied = order.get(i + 1).is_some_and(|next| next.doubt() == case.doubt());
        if due && !tied || i + 1 == n {
            let mean = sum / (i + 1) as f64;
            found.push(((i + 1) as f64 / n as f64, if numbers { mean.sqrt() } else { mean }));
        }
    }
    found
}

fn confusion(known: &[&Case], n: usize) -> Vec<Vec<usize>> {
    let mut counts = vec![vec![0; n]; n];
    for case in known {
        if let Some(truth) = case.truth {
            counts[truth as usize][case.predicted as usize] += 1;
        }
    }
    counts
}

/// Mean and half the width of its 95% interval.
pub(super) fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, WIDE * (variance / n).sqrt())
}

fn scores(known: &[&Case], classes: &[String], evaluation: Option<&Evaluation>) -> Vec<Score> {
    if known.is_empty() {
        return Vec::new();
    }
    let spread = |summary: &Summary| (summary.n > 1).then_some(summary.std);
    let score = |name: &str,
                 meaning,
                 (value, interval): (f64, Option<(f64, f64)>),
                 summary: Option<&Summary>| Score {
        name: name.to_owned(),
        value: summary.map_or(value, |s| s.mean),
        interval,
        folds: summary.and_then(spread),
        meaning,
    };
    let around = |values: &[f64]| {
        let (mean, half) = mean(values);
        (mean, (values.len() > 1).then_some((mean - half, mean + half)))
    };
    let results = evaluation.map(|evaluation| &evaluation.results);
    if classes.is_empty() {
        let errors: Vec<f64> = known.iter().filter_map(|case| Some(case.truth? - case.predicted)).collect();
        let squares: Vec<f64> = errors.iter().map(|e| e * e).collect();
        let (square, half) = mean(&squares);
        let rmse = (
            square.sqrt(),
            (squares.len() > 1).then(|| ((square - half).max(0.0).sqrt(), (square + half).sqrt())),
        );
        let sizes: Vec<f64> = errors.iter().map(|e| e.abs()).collect();
        let held = known
            .iter()
            .filter(|c| c.spread.zip(c.truth).is_some_and(|((_, low, high), y)| low <= y && y <= high));
        let held = held.count();
        let real = match results {
            Some(Results::Real(real)) => Some(real),
            _ => None,
        };
        let share = (held as f64 / known.len() as f64, Some(wilson(held, known.len())));
        return vec![
            score("RMSE", "typical error, in units of the target", rmse, real.map(|r| &r.rmse)),
            score("MAE", "mean size of the error", around(&sizes), real.map(|r| &r.mae)),
            score("within 95% intervals", "share of truths that the 95% intervals hold", share, None),
        ];
    }
    let right = known.iter().filter(|case| !case.is_wrong()).count();
    let truth = |case: &&Case| case.truth.map(|t| t as usize);
    let p_true = |case: &&Case| truth(case).map(|t| case.probabilities[t]);
    let logs: Vec<f64> = known.iter().filter_map(p_true).map(|p| -p.max(1e-300).ln()).collect();
    let brier = |case: &&Case| {
        let t = truth(case)?;
        Some(
            case.probabilities
                .iter()
                .enumerate()
                .map(|(c, p)| (p - f64::from(u8::from(c == t))).powi(2))
                .sum(),
        )
    };
    let briers: Vec<f64> = known.iter().filter_map(brier).collect();
    let found = match results {
        Some(Results::Classes(found)) => Some(found),
        _ => None,
    };
    let share = (right as f64 / known.len() as f64, Some(wilson(right, known.len())));
    let mut all = vec![
        score("accuracy", "share of right classes", share, found.map(|r| &r.accuracy)),
        score(
            "negative log likelihood",
            "0 is certain and right; lower is better",
            around(&logs),
            found.map(|r| &r.nll),
        ),
        score(
            "Brier score",
            "squared distance from the truth; lower is better",
            around(&briers),
            found.map(|r| &r.brier),
        ),
    ];
    if classes.len() == 2 {
        let scores: Vec<f64> = known.iter().map(|case| case.probabilities[1]).collect();
        let labels: Vec<u32> = known.iter().filter_map(truth).map(|t| t as u32).collect();
        let pooled = |value: Option<f64>| value.map(|value| (value, None));
        let auc = pooled(roc_auc(&scores, &labels).ok().flatten());
        let precision = pooled(average_precision(&scores, &labels).ok().flatten());
        let auc = auc.map(|v| {
            score("ROC AUC", "0.5 is chance, 1 is perfect ranking", v, found.and_then(|r| r.roc_auc.as_ref()))
        });
        let meaning = "mean precision over recalls of the second class";
        let precision = precision.map(|v| {
            score("average precision", meaning, v, found.and_then(|r| r.average_precision.as_ref()))
        });
        all.extend(auc.into_iter().chain(precision));
    }
    all
}

fn folds(evaluation: &Evaluation) -> (Vec<String>, Vec<Vec<String>>) {
    let head = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let optional = |value: Option<f64>| value.map_or("–".to_owned(), |v| format!("{v:.3}"));
    let rows = evaluation.folds.iter().map(|row| {
        let mut cells = vec![
            row.repeat.to_string(),
            row.fold.to_string(),
            row.n_train.to_string(),
            row.n_test.to_string(),
        ];
        cells.extend(match &row.scores {
            Scores::Classes(s) => vec![
                format!("{:.3}", s.accuracy),
                format!("{:.3}", s.nll),
                format!("{:.3}", s.brier),
                optional(s.roc_auc),
            ],
            Scores::Real(s) => vec![number(s.rmse), number(s.mae), optional(s.r2), number(s.nll)],
        });
        cells
    });
    let names = match evaluation.results {
        Results::Classes(_) => ["accuracy", "NLL", "Brier", "ROC AUC"],
        Results::Real(_) => ["RMSE", "MAE", "R²", "NLL"],
    };
    (head(&[&["repeat", "fold", "trained on", "tested on"], &names[..]].concat()), rows.collect())
}

fn verdict(
    protocol: &Protocol<'_>,
    known: &[&Case],
    classes: &[String],
    scores: &[Score],
    reliability: Option<&Reliability>,
    (seen, graphs): (usize, usize),
) -> String {
    let how = match protocol {
        Protocol::Folds { splits, .. } => {
            format!("Over {} folds, on graphs that it was not trained on,", splits.len())
        }
        Protocol::Model { .. } if 2 * seen > graphs => {
            format!("On {graphs} graphs, {seen} of which have the same features as one it was trained on,")
        }
        Protocol::Model { .. } => format!("On {graphs} graphs"),
    };
    let Some(first) = scores.first() else {
        return format!(
            "{how} the model gave its predictions, and no truth is known to compare them with. \
             The graphs it is least sure of come first below."
        );
    };
    let interval = first.interval.map_or(String::new(), |(low, high)| match classes.is_empty() {
        true => format!("; 95% interval {} to {}", number(low), number(high)),
        false => format!(" (95% interval {:.1} to {:.1}%)", 100.0 * low, 100.0 * high),
    });
    if classes.is_empty() {
        let truths: Vec<f64> = known.iter().filter_map(|case| case.truth).collect();
        let center = truths.iter().sum::<f64>() / truths.len().max(1) as f64;
        let base =
            (truths.iter().map(|y| (y - center).powi(2)).sum::<f64>() / truths.len().max(1) as f64).sqrt();
        let held = scores.iter().find(|s| s.name.starts_with("within")).map_or(0.0, |s| s.value);
        return format!(
            "{how} the model errs by {} (RMSE{interval}); always saying the mean would err by {}. \
             Its 95% intervals hold {:.1}% of the truths.",
            number(first.value),
            number(base),
            100.0 * held
        );
    }
    let mut counts = vec![0usize; classes.len()];
    known.iter().filter_map(|case| case.truth).for_each(|t| counts[t as usize] += 1);
    let base = counts.iter().copied().max().unwrap_or(0) as f64 / known.len().max(1) as f64;
    let calibrated = reliability.map_or(String::new(), |r| {
        let words = if r.ece <= 1.5 * r.floor + 0.01 {
            "which cannot be told from perfect calibration with this many graphs"
        } else if r.points.iter().map(|p| (p.confidence - p.accuracy) * p.count as f64).sum::<f64>() > 0.0 {
            "so its probabilities are too high"
        } else {
            "so its probabilities are too low"
        };
        format!(
            " Its calibration error is {:.3}, where a perfect model would show {:.3}: {words}.",
            r.ece, r.floor
        )
    });
    format!(
        "{how} the model is right in {:.1}% of cases{interval}; always saying the most frequent class would be right in \
         {:.1}%.{}",
        100.0 * first.value,
        100.0 * base,
        calibrated.replace(": which", ", which").replace(": so", ", so")
    )
}

fn run(sources: &Sources<'_>) -> Vec<(String, String)> {
    let (model, dataset) = (sources.model, sources.dataset);
    let settings = model.settings();
    let sizes = |k: usize| {
        let counts: Vec<usize> =
            dataset.complexes().iter().map(|c| if k <= c.dim() { c.n_cells(k) } else { 0 }).collect();
        let total: usize = counts.iter().sum();
        let mean = total as f64 / counts.len().max(1) as f64;
        let ends = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
        format!("{} in the mean, {} to {}", number((10.0 * mean).round() / 10.0), ends.0, ends.1)
    };
    let targets = match dataset.targets() {
        Targets::None => "unknown".to_owned(),
        Targets::Real(values) => {
            let (low, high) =
                values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |a, &v| (a.0.min(v), a.1.max(v)));
            format!("numbers from {} to {}", number(low), number(high))
        }
        Targets::Classes { names, labels } => {
            let count = |c: usize| labels.iter().filter(|&&l| l as usize == c).count();
            let each: Vec<String> =
                names.iter().enumerate().map(|(c, name)| format!("{name} ({})", count(c))).collect();
            each.join(", ")
        }
    };
    let version = match &sources.origin.commit {
        Some(commit) => format!("hodgelet {} ({commit})", sources.origin.version),
        None => format!("hodgelet {}", sources.origin.version),
    };
    let summary = model.summary();
    [
        ("command", sources.origin.command.clone()),
        ("version", version),
        ("seed", settings.seed.to_string()),
        ("method", settings.method.title().to_owned()),
        ("dataset", format!("{}, {} graphs", dataset.name(), dataset.len())),
        ("vertices", sizes(0)),
        ("edges", sizes(1)),
        ("targets", targets),
        ("model trained on", format!("{} graphs, {} of them distinct", summary.n_train, summary.n_distinct)),
        ("training ended", format!("after {} steps: {}", summary.iterations, ended(&summary.stop))),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

/// Why training ended, in words.
pub(crate) fn ended(stop: &str) -> String {
    match stop {
        "Iterations" => "the most that were allowed".to_owned(),
        "Objective" => "the objective no longer rose".to_owned(),
        "Gradient" => "the gradient was small".to_owned(),
        other => other.to_owned(),
    }
}

fn leakage(
    protocol: &Protocol<'_>,
    sources: &Sources<'_>,
    known: &[&Case],
    seen: usize,
) -> Vec<(String, String)> {
    let n = sources.dataset.len();
    let percent = |count: usize| format!("{count} of {n} ({:.1}%)", 100.0 * count as f64 / n.max(1) as f64);
    let alike = n.saturating_sub(sources.duplicates.distinct);
    let mut rows = vec![
        ("graphs that repeat another one".to_owned(), percent(alike)),
        ("graphs with a twin of another target".to_owned(), percent(sources.duplicates.contradicting)),
    ];
    match protocol {
        Protocol::Folds { audit: Some(audit), .. } => {
            let score = |s: &Summary| format!("{:.3} ± {:.3}", s.mean, s.std);
            let name = if audit.score.name() == "rmse" { "RMSE" } else { audit.score.name() };
            rows.push((
                "test graphs that look like one in training".to_owned(),
                format!("{:.1}%", 100.0 * audit.seen_share),
            ));
            rows.push((format!("{name} on all test graphs"), score(&audit.all)));
            let without = audit.without.as_ref().map_or("no graph is left".to_owned(), score);
            rows.push((format!("{name} without those seen"), without));
        }
        Protocol::Folds { .. } => {}
        Protocol::Model { .. } => {
            // Of a sparse posterior the file holds the inducing graphs alone.
            let which = match sources.model.summary().sparse {
                Some(_) => "graphs with the features of an inducing one",
                None => "graphs with the features of one trained on",
            };
            rows.push((which.to_owned(), percent(seen)));
            let novelty = &sources.prediction.novelty;
            let unseen: Vec<&&Case> =
                known.iter().filter(|case| novelty[case.graph].distance > EQUAL).collect();
            let classes = unseen.first().is_some_and(|case| !case.probabilities.is_empty());
            if seen > 0 && classes {
                let right = unseen.iter().filter(|case| !case.is_wrong()).count();
                let (low, high) = wilson(right, unseen.len());
                let share = right as f64 / unseen.len().max(1) as f64;
                rows.push((
                    "accuracy on the others".to_owned(),
                    format!("{share:.3} ({low:.3} to {high:.3})"),
                ));
            }
        }
    }
    rows
}

fn drift(protocol: &Protocol<'_>, sources: &Sources<'_>) -> Vec<(String, String)> {
    let Protocol::Model { drift: Some(drift), .. } = protocol else { return Vec::new() };
    let words = match drift.p_value {
        p if p <= 0.01 => "these graphs are not like those trained on",
        p if p <= 0.05 => "these graphs may differ from those trained on",
        _ => "no difference from the training graphs is seen",
    };
    vec![
        ("answer".to_owned(), words.to_owned()),
        ("p-value".to_owned(), format!("{:.3}", drift.p_value)),
        ("squared maximum mean discrepancy".to_owned(), format!("{:.4} prior variances", drift.statistic)),
        (
            "compared".to_owned(),
            format!("{} new and {} training graphs", drift.compared_new, drift.compared_training),
        ),
        ("graphs far from all training graphs".to_owned(), far(sources)),
    ]
}

/// How many graphs are far, and in which blocks.
fn far(sources: &Sources<'_>) -> String {
    let novelty = &sources.prediction.novelty;
    let mut blocks: Vec<(String, usize)> = Vec::new();
    for found in novelty.iter().filter(|found| found.is_far) {
        let name = sources.model.space().block_name(found.far_block);
        match blocks.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 += 1,
            None => blocks.push((name, 1)),
        }
    }
    blocks.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let count: usize = blocks.iter().map(|(_, n)| n).sum();
    let each: Vec<String> = blocks.iter().take(4).map(|(name, n)| format!("{n} in {name}")).collect();
    let where_ = if each.is_empty() { String::new() } else { format!(", most of all {}", each.join(", ")) };
    format!("{count} of {}{where_}; about 1 in 100 is expected", novelty.len())
}

#[cfg(test)]
mod tests;

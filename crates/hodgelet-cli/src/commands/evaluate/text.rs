//! An evaluation for people.

use super::{Evaluated, FoldSearch};
use crate::output::{Report, facts, number, table};
use crate::spark;
use hodgelet_eval::metrics::{ClassRow, Kept, ReliabilityBin, Summary};
use hodgelet_eval::report::{
    ClassResults, Coverage, Evaluation, FoldRow, IntervalScore, RealResults, Results, Scores,
};

/// `mean ± std (standard error)`.
fn spread(summary: &Summary, scale: f64, digits: usize) -> String {
    let (mean, std) = (scale * summary.mean, scale * summary.std);
    let error = summary.standard_error.map(|e| format!("  (standard error {:.digits$})", scale * e));
    format!("{mean:.digits$} ± {std:.digits$}{}", error.unwrap_or_default())
}

impl Report for Evaluated {
    fn text(&self) -> String {
        let Evaluation { subject, results, elbo, fit_seconds, folds, .. } = &self.evaluation;
        let (scores, score, bound) = match results {
            Results::Classes(scores) => (class_facts(scores), "accuracy, %", "ELBO"),
            Results::Real(scores) => (real_facts(scores), "RMSE", "evidence"),
        };
        let mut rows = vec![
            fact("dataset", subject.dataset.clone()),
            fact("model", subject.model.clone()),
            fact("graphs", subject.graphs.to_string()),
            fact("posterior", self.evaluation.posterior.text()),
        ];
        rows.extend(scores);
        rows.push(fact(bound, spread(elbo, 1.0, 2)));
        rows.push(fact("seconds per fold", spread(fit_seconds, 1.0, 2)));
        if spark::is_watched() {
            let of_fold = |row: &FoldRow| match &row.scores {
                Scores::Classes(scores) => scores.accuracy,
                Scores::Real(scores) => scores.rmse,
            };
            let found = spark::sparkline(&folds.iter().map(of_fold).collect::<Vec<_>>());
            rows.extend(found.map(|line| fact(&format!("{score} by fold"), line)));
        }
        rows.extend(
            self.evaluation.peak_memory_mb.map(|memory| fact("peak memory, MB", format!("{memory:.0}"))),
        );
        let header = ["repeat", "fold", "train", "test", score, "NLL", bound, "steps", "s"];
        let numbers: Vec<usize> = (0..header.len()).collect();
        let (facts, folds) = (facts(&rows), table(&header, &numbers, folds.iter().map(fold_cells)));
        let mut text = format!("{facts}\n\n{folds}\n\n{}", kept_table(results));
        if let Results::Classes(scores) = results {
            text = format!("{text}\n\n{}", class_table(scores, &subject.class_names));
            if spark::is_watched() {
                text = format!("{text}\n\n{}", reliability_table(&scores.reliability));
            }
        }
        if !self.search.is_empty() {
            let header = ["repeat", "fold", "trials", "log probability", "settings chosen"];
            let chosen = table(&header, &[0, 1, 2, 3], self.search.iter().map(FoldSearch::cells));
            text = format!("{text}\n\n{chosen}");
        }
        text
    }
}

type Fact = (String, String);

fn fact(what: &str, value: String) -> Fact {
    (what.to_owned(), value)
}

fn class_facts(scores: &ClassResults) -> Vec<Fact> {
    let mut rows = vec![
        fact("classes", scores.classes.to_string()),
        fact("accuracy, %", spread(&scores.accuracy, 100.0, 2)),
        fact("macro F1, %", spread(&scores.macro_f1, 100.0, 2)),
        fact("NLL", spread(&scores.nll, 1.0, 4)),
        fact("Brier", spread(&scores.brier, 1.0, 4)),
        fact("ECE, pooled", format!("{:.4}", scores.ece)),
    ];
    rows.extend(scores.balanced_accuracy.as_ref().map(|b| fact("balanced accuracy, %", spread(b, 100.0, 2))));
    rows.extend(scores.mcc.as_ref().map(|mcc| fact("MCC", spread(mcc, 1.0, 4))));
    rows.extend(scores.roc_auc.as_ref().map(|auc| fact("ROC AUC", spread(auc, 1.0, 4))));
    rows.extend(scores.average_precision.as_ref().map(|ap| fact("average precision", spread(ap, 1.0, 4))));
    rows
}

fn real_facts(scores: &RealResults) -> Vec<Fact> {
    let mut rows = vec![fact("RMSE", spread(&scores.rmse, 1.0, 4)), fact("MAE", spread(&scores.mae, 1.0, 4))];
    rows.extend(scores.r2.as_ref().map(|r2| fact("R²", spread(r2, 1.0, 4))));
    rows.push(fact("NLL", spread(&scores.nll, 1.0, 4)));
    rows.extend(scores.coverage.iter().map(|Coverage { level, share }| {
        let interval = format!("{:.0}% interval holds", 100.0 * level);
        (interval, format!("{:.1}% of targets", 100.0 * share))
    }));
    rows.extend(scores.interval_score.iter().map(|IntervalScore { level, score }| {
        (format!("{:.0}% interval score", 100.0 * level), number(*score))
    }));
    rows
}

/// What each class is taken for, in all folds together; counts of few classes only.
fn class_table(scores: &ClassResults, names: &[String]) -> String {
    /// Classes of which all pairs fit in a terminal.
    const MOST: usize = 8;
    let counts = scores.confusion.as_ref().map_or(&[][..], |confusion| confusion.counts());
    let with_counts = names.len() <= MOST;
    let taken = names.iter().filter(|_| with_counts).map(|name| format!("as {name}"));
    let header: Vec<String> = ["class", "graphs", "precision, %", "recall, %"]
        .map(str::to_owned)
        .into_iter()
        .chain(taken)
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let percent =
        |share: Option<f64>| share.map_or_else(String::new, |share| format!("{:.2}", 100.0 * share));
    let cells = |((name, row), counts): ((&String, &ClassRow), &Vec<usize>)| {
        let shown = counts.iter().filter(|_| with_counts).map(ToString::to_string);
        let first = [name.clone(), row.items.to_string(), percent(row.precision), percent(row.recall)];
        first.into_iter().chain(shown).collect()
    };
    let numbers: Vec<usize> = (1..header.len()).collect();
    table(&header, &numbers, names.iter().zip(&scores.per_class).zip(counts).map(cells))
}

/// How often predictions are right, by how sure they are.
fn reliability_table(bins: &[ReliabilityBin]) -> String {
    let cells = |bin: &ReliabilityBin| {
        let (sure, right) = (bin.confidence?, bin.accuracy?);
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let title = format!("{:.2} to {:.2}", bin.low, bin.high);
        Some(vec![title, bin.count.to_string(), percent(sure), percent(right), spark::bar(right, BAR)])
    };
    let header = ["probability", "graphs", "mean, %", "right, %", ""];
    table(&header, &[1, 2, 3], bins.iter().filter_map(cells))
}

/// Letters of a bar.
const BAR: usize = 16;

/// Errors of the most confident predictions.
fn kept_table(results: &Results) -> String {
    let (header, kept, scale) = match results {
        Results::Classes(scores) => {
            (["most confident", "graphs", "error, %", "probability from"], &scores.risk_coverage, 100.0)
        }
        Results::Real(scores) => {
            (["most confident", "graphs", "RMSE", "std. dev. up to"], &scores.risk_coverage, 1.0)
        }
    };
    let most = kept.iter().map(|kept| kept.risk).fold(0.0, f64::max);
    let watched = spark::is_watched();
    let cells = |kept: &Kept| {
        let share = format!("{:.0}%", 100.0 * kept.share);
        let mut row = vec![share, kept.kept.to_string(), number(scale * kept.risk), number(kept.threshold)];
        row.extend(watched.then(|| spark::bar(kept.risk / most, BAR)));
        row
    };
    let header: Vec<&str> = header.into_iter().chain(watched.then_some("")).collect();
    table(&header, &[0, 1, 2, 3], kept.iter().map(cells))
}

fn fold_cells(row: &FoldRow) -> Vec<String> {
    let (score, nll) = match &row.scores {
        Scores::Classes(scores) => (format!("{:.2}", 100.0 * scores.accuracy), scores.nll),
        Scores::Real(scores) => (format!("{:.4}", scores.rmse), scores.nll),
    };
    let counts = [row.repeat, row.fold, row.n_train, row.n_test].map(|n| n.to_string());
    let (nll, elbo) = (format!("{nll:.4}"), format!("{:.2}", row.elbo));
    let rest = [score, nll, elbo, row.iterations.to_string(), format!("{:.2}", row.fit_seconds)];
    counts.into_iter().chain(rest).collect()
}

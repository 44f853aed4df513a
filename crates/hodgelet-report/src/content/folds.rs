//! Scores of each fold with their intervals over its graphs.

use super::scores::mean;
use super::{Case, Protocol, wilson};
use crate::chart::Dot;

/// A score of some graphs, and the ends of its interval.
type Score<'a> = dyn Fn(&[&Case]) -> (f64, (f64, f64)) + 'a;

/// A score of each fold of the first repeat: title, unit, value of all folds, folds.
pub(super) fn scores(
    protocol: &Protocol<'_>,
    cases: &[Case],
    classes: &[String],
) -> Vec<(String, String, f64, Vec<Dot>)> {
    let Protocol::Folds { .. } = protocol else { return Vec::new() };
    let mut numbers: Vec<usize> = cases.iter().filter_map(|case| case.fold).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let groups: Vec<(usize, Vec<&Case>)> = numbers
        .into_iter()
        .map(|fold| {
            (fold, cases.iter().filter(|case| case.fold == Some(fold) && case.truth.is_some()).collect())
        })
        .collect();
    let all: Vec<&Case> = cases.iter().filter(|case| case.fold.is_some() && case.truth.is_some()).collect();
    if groups.len() < 2 || all.is_empty() {
        return Vec::new();
    }
    let chart = |title: &str, unit: &str, score: &Score<'_>| {
        let dot = |(fold, cases): &(usize, Vec<&Case>)| {
            let (value, interval) = score(cases);
            Dot { name: format!("fold {fold}, {} graphs", cases.len()), value, interval }
        };
        let filled = groups.iter().filter(|(_, cases)| !cases.is_empty());
        (title.to_owned(), unit.to_owned(), score(&all).0, filled.map(dot).collect())
    };
    if classes.is_empty() {
        return vec![
            chart("Typical error by fold", "RMSE", &rmse),
            chart("Truths inside their 95% interval, by fold", "share", &held),
        ];
    }
    vec![chart("Accuracy by fold", "accuracy", &accuracy), chart("Log loss by fold", "NLL, in nats", &nll)]
}

fn accuracy(cases: &[&Case]) -> (f64, (f64, f64)) {
    let right = cases.iter().filter(|case| !case.is_wrong()).count();
    (right as f64 / cases.len().max(1) as f64, wilson(right, cases.len()))
}

fn nll(cases: &[&Case]) -> (f64, (f64, f64)) {
    let loss = |case: &&Case| {
        let p = case.truth.and_then(|truth| case.probabilities.get(truth as usize)).copied().unwrap_or(0.0);
        -p.max(1e-300).ln()
    };
    let (value, half) = mean(&cases.iter().map(loss).collect::<Vec<f64>>());
    (value, ((value - half).max(0.0), value + half))
}

fn rmse(cases: &[&Case]) -> (f64, (f64, f64)) {
    let square = |case: &&Case| (case.truth.unwrap_or(case.predicted) - case.predicted).powi(2);
    let (value, half) = mean(&cases.iter().map(square).collect::<Vec<f64>>());
    (value.sqrt(), ((value - half).max(0.0).sqrt(), (value + half).sqrt()))
}

fn held(cases: &[&Case]) -> (f64, (f64, f64)) {
    let inside =
        |case: &&&Case| case.spread.zip(case.truth).is_some_and(|((_, low, high), y)| low <= y && y <= high);
    let count = cases.iter().filter(inside).count();
    (count as f64 / cases.len().max(1) as f64, wilson(count, cases.len()))
}

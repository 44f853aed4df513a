//! Several targets in one page: what each scores, and below it the report of the one that is chosen.

use super::limits::Limits;
use super::sections::{Part, table_of};
use super::{TITLE, document};
use crate::content::Content;
use crate::markup::{cut, el, number};

/// Letters of the name of a target.
const NAME: usize = 60;
/// Targets that are listed.
const LISTED: usize = 1000;

/// The page of several reports.
pub fn page(targets: &[(String, Content)], limits: Limits) -> String {
    let dataset = targets.first().map_or("", |(_, content)| content.dataset.as_str());
    let title = format!("{}: report on {} targets", cut(dataset, TITLE), targets.len());
    let shown = &targets[..targets.len().min(limits.targets)];
    let mut main = el("main").at("id", "main").with(el("h1").text(title.clone()));
    for words in summary(targets) {
        main.push(el("p").at("class", "verdict").text(words));
    }
    if let Some((_, content)) = targets.first() {
        main.push(el("p").at("class", "made").text(content.origin.made.clone()));
    }
    main.push(scores(targets));
    let options = shown
        .iter()
        .enumerate()
        .map(|(k, (name, _))| el("option").at("value", k.to_string()).text(cut(name, NAME)));
    let choice = el("label").text("Target ").with(el("select").at("id", "target").with_all(options));
    main.push(el("div").at("class", "controls").with(choice));
    if shown.len() < targets.len() {
        let words = format!("The first {} of {} targets have a report below.", shown.len(), targets.len());
        main.push(el("p").at("class", "note").text(words));
    }
    for (k, (name, content)) in shown.iter().enumerate() {
        let prefix = format!("t{k}-");
        let name = cut(name, NAME);
        let part = Part::new(content, prefix.clone(), 3, limits);
        let article = el("article").at("class", "target").at("id", format!("{prefix}target"));
        let article = article.at("data-prefix", prefix).at("aria-label", format!("Target {name}"));
        let heading = el("h2").text(format!("Target {name}"));
        let navigation = part.navigation(&format!("Sections of {name}"));
        main.push(article.with(heading).with(navigation).with_all(part.sections()));
    }
    document(&title, &[main])
}

/// What can be said of all targets together.
fn summary(targets: &[(String, Content)]) -> Vec<String> {
    let scored: Vec<(&str, f64, bool)> = targets
        .iter()
        .filter_map(|(name, content)| {
            let classes = !content.classes.is_empty();
            let wanted = if classes { "ROC AUC" } else { "RMSE" };
            let score = content.scores.iter().find(|score| score.name == wanted)?;
            Some((name.as_str(), score.value, classes))
        })
        .collect();
    let (ranked, n) = (scored.iter().filter(|(.., classes)| *classes), targets.len());
    let mut order: Vec<&(&str, f64, bool)> = ranked.collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let graphs: usize = targets.iter().map(|(_, content)| content.graphs).sum();
    let first = format!("{n} targets were trained together, with {graphs} known values in all.");
    match (order.first(), order.last()) {
        (Some(best), Some(worst)) if order.len() > 1 => {
            let mean = order.iter().map(|entry| entry.1).sum::<f64>() / order.len() as f64;
            let (best_name, worst_name) = (cut(best.0, NAME), cut(worst.0, NAME));
            vec![format!(
                "{first} ROC AUC is {mean:.3} in the mean, from {:.3} ({worst_name}) to {:.3} ({best_name}).",
                worst.1, best.1
            )]
        }
        _ => vec![first],
    }
}

/// A row for each target.
fn scores(targets: &[(String, Content)]) -> crate::markup::Element {
    let wanted = ["accuracy", "ROC AUC", "average precision", "negative log likelihood", "RMSE"];
    let used: Vec<&str> = wanted
        .into_iter()
        .filter(|name| targets.iter().any(|(_, content)| content.scores.iter().any(|s| s.name == *name)))
        .collect();
    let head: Vec<String> =
        ["target", "known", "positive"].into_iter().chain(used.iter().copied()).map(str::to_owned).collect();
    let row = |(name, content): &(String, Content)| {
        let positive = content.confusion.as_ref().filter(|counts| counts.len() == 2);
        let positive =
            positive.map_or("–".to_owned(), |counts| counts[1].iter().sum::<usize>().to_string());
        let mut cells = vec![cut(name, NAME), content.graphs.to_string(), positive];
        cells.extend(used.iter().map(|wanted| {
            let found = content.scores.iter().find(|score| score.name == *wanted);
            found.map_or("–".to_owned(), |score| match (score.interval, score.folds) {
                (Some((low, high)), _) => {
                    format!("{} ({} to {})", number(score.value), number(low), number(high))
                }
                (None, Some(deviation)) => format!("{} ± {}", number(score.value), number(deviation)),
                (None, None) => number(score.value),
            })
        }));
        cells
    };
    let rows: Vec<Vec<String>> = targets.iter().take(LISTED).map(row).collect();
    let caption = "Scores of each target, with 95% intervals over graphs or ± over folds";
    table_of(caption, &head, &rows)
}

//! All numbers of a report as JSON, for the file beside the page.

use crate::content::Content;
use serde::Serialize;

/// The dataset comes first, by which the file is told from others.
#[derive(Serialize)]
struct Beside<'a, R> {
    dataset: &'a str,
    report: R,
}

#[derive(Serialize)]
struct OfTarget<'a> {
    target: &'a str,
    #[serde(flatten)]
    report: &'a Content,
}

/// The numbers of one report.
#[must_use]
pub fn json(content: &Content) -> String {
    text(&Beside { dataset: &content.dataset, report: content })
}

/// The numbers of the reports of several targets.
#[must_use]
pub fn json_of_targets(targets: &[(String, Content)]) -> String {
    let dataset = targets.first().map_or("", |(_, content)| content.dataset.as_str());
    let report: Vec<_> = targets.iter().map(|(target, report)| OfTarget { target, report }).collect();
    text(&Beside { dataset, report })
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("a report is made of plain structs, text and numbers") + "\n"
}

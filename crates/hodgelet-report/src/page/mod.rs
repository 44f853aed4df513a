//! The report as one page of HTML: no library, no request, a few kilobytes of script.
//!
//! The page is the same for the same content. What is drawn and listed is bounded, so that it opens whatever the number of
//! graphs, classes, folds and targets: [`MAX_BYTES`] is the most that it takes, and it is the finished page that is measured.

mod graphs;
mod limits;
mod overview;
mod rows;
mod sections;

use crate::content::Content;
use crate::markup::{Element, cut, el, json_in_page};
use crate::palette;
use limits::Limits;
use sections::Part;

/// The most that a page takes.
pub const MAX_BYTES: usize = 2_000_000;

/// How a page begins, by which it is told from other files.
const HEAD: &str = "<!doctype html>\n<!-- hodgelet report -->\n<html lang=\"en\">\n";
/// Letters of a title.
const TITLE: usize = 120;

/// The page of a report.
#[must_use]
pub fn html(content: &Content) -> String {
    fitting(|limits| single(content, limits))
}

/// The page of several reports, one for each target: an overview, and below it the report of the target that is chosen.
#[must_use]
pub fn html_of_targets(targets: &[(String, Content)]) -> String {
    match targets {
        [(_, content)] => html(content),
        _ => fitting(|limits| overview::page(targets, limits.shared_by(targets.len()))),
    }
}

/// The first page that is not too large, from generous limits to the least.
fn fitting(page: impl Fn(Limits) -> String) -> String {
    let mut limits = Limits::default();
    loop {
        let text = page(limits);
        let Some(less) = limits.tightened().filter(|_| text.len() > MAX_BYTES) else { return text };
        limits = less;
    }
}

fn single(content: &Content, limits: Limits) -> String {
    let part = Part::new(content, String::new(), 2, limits);
    let title = format!("{}: report", cut(&content.dataset, TITLE));
    let main = el("main").at("id", "main").at("data-prefix", "").with(el("h1").text(title.clone()));
    document(&title, &[part.navigation("Sections"), main.with_all(part.sections())])
}

/// A page around its content.
fn document(title: &str, content: &[Element]) -> String {
    let style = format!(
        "{}\n{}\n@media (prefers-color-scheme:dark){{@media not print{{{}}}}}",
        include_str!("style.css"),
        palette::style(false),
        palette::style(true)
    );
    let head = el("head")
        .with(el("meta").at("charset", "utf-8"))
        .with(el("meta").at("name", "viewport").at("content", "width=device-width, initial-scale=1"))
        // Nothing is loaded from anywhere; what the page needs is in it.
        .with(el("meta").at("http-equiv", "Content-Security-Policy").at(
            "content",
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:",
        ))
        .with(el("title").text(title))
        .with(el("style").raw(style));
    let body = el("body")
        .with(el("a").at("class", "skip").at("href", "#main").text("Skip to the report"))
        .with_all(content.iter().cloned())
        .with(el("footer").with(el("p").text("Made by hodgelet. This file is complete: it loads nothing.")))
        .with(el("script").raw(include_str!("script.js")));
    format!("{HEAD}{}\n{}\n</html>\n", head.render(), body.render())
}

/// The rows of a table as an element that the script reads.
fn data(prefix: &str, table: &rows::Table) -> Element {
    let text =
        json_in_page(&serde_json::to_string(table).expect("rows are plain structs of text and numbers"));
    el("script").at("type", "application/json").at("id", format!("{prefix}rows")).raw(text)
}

#[cfg(test)]
mod tests;

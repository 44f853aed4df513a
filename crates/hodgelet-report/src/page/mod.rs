//! The report as one page of HTML: no library, no request, a few kilobytes of script.
//!
//! The page is the same for the same content. What is drawn and listed is bounded, so that it opens whatever the number of
//! graphs: [`MAX_BYTES`] is the most that it takes.

mod rows;
mod sections;

use crate::content::Content;
use crate::markup::{el, json_in_page};
use crate::palette;

/// The most that a page takes.
pub const MAX_BYTES: usize = 2_000_000;

/// How a page begins, by which it is told from other files.
const HEAD: &str = "<!doctype html>\n<!-- hodgelet report -->\n<html lang=\"en\">\n";

/// The page of a report.
#[must_use]
pub fn html(content: &Content) -> String {
    let table = rows::table(content);
    let title = format!("{}: report", content.dataset);
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
        .with(el("title").text(title.clone()))
        .with(el("style").raw(style));
    let main =
        el("main").at("id", "main").with(el("h1").text(title)).with_all(sections::sections(content, &table));
    let data =
        json_in_page(&serde_json::to_string(&table).expect("rows are plain structs of text and numbers"));
    let body = el("body")
        .with(el("a").at("class", "skip").at("href", "#main").text("Skip to the report"))
        .with(sections::navigation(content))
        .with(main)
        .with(el("footer").with(el("p").text("Made by hodgelet. This file is complete: it loads nothing.")))
        .with(el("script").at("type", "application/json").at("id", "rows").raw(data))
        .with(el("script").raw(include_str!("script.js")));
    format!("{HEAD}{}\n{}\n</html>\n", head.render(), body.render())
}

//! The table of graphs, and the drawings of the one that is chosen.

use super::sections::{Part, facts, figure, note};
use crate::content::GraphView;
use crate::markup::{Element, cut, el, number};

/// Rows that are there without script.
const ROWS: usize = 25;

/// The table of graphs with what filters it.
pub(super) fn listed(part: &Part<'_>, section: Element) -> Element {
    let (content, table) = (part.content, &part.table);
    let shown = match table.graph.len() < table.of {
        true => format!(
            "The table has the first {} of {} graphs: the most confident errors, then the least sure. ",
            table.graph.len(),
            table.of
        ),
        false => format!("The table has all {} graphs, the most confident errors first. ", table.of),
    };
    let drawn = format!("{} of them are drawn: choose one to see it.", part.views.len());
    let body = el("tbody")
        .at("id", part.id("table-body"))
        .with_all((0..table.graph.len().min(ROWS)).map(|k| row(part, k)));
    let caption = el("caption").text("Graphs; a column is sorted by its button");
    let sure = if content.classes.is_empty() { "deviation" } else { "probability" };
    let surprise = if content.classes.is_empty() { "error in deviations" } else { "surprise" };
    let heads = [
        ("name", "graph"),
        ("truth", "true"),
        ("predicted", "predicted"),
        ("sure", sure),
        ("surprise", surprise),
        ("distance", "distance"),
        ("fold", "fold"),
    ];
    let head = heads.iter().filter(|(key, _)| *key != "fold" || content.seen).map(|(key, text)| {
        el("th").at("scope", "col").at("data-key", *key).with(el("button").at("type", "button").text(*text))
    });
    let list = el("table").at("id", part.id("table"));
    let list = list.with(caption).with(el("thead").with(el("tr").with_all(head))).with(body);
    let button = |id: &str, text: &str| el("button").at("type", "button").at("id", part.id(id)).text(text);
    let pages = el("div")
        .at("class", "controls")
        .with(button("previous", "Previous"))
        .with(el("span").at("id", part.id("status")).at("role", "status").text(""))
        .with(button("next", "Next"));
    let scroll = el("div").at("class", "scroll").at("tabindex", "0").at("role", "region");
    let scroll = scroll.at("aria-label", "Table of graphs").with(list);
    section.with(el("p").text(shown + &drawn)).with(controls(part)).with(scroll).with(pages)
}

fn controls(part: &Part<'_>) -> Element {
    let kinds: &[(&str, &str)] = match part.content.classes.is_empty() {
        false => &[
            ("all", "all"),
            ("wrong", "wrong"),
            ("unsure", "probability below 0.6"),
            ("far", "far from training"),
            ("drawn", "drawn"),
        ],
        true => &[
            ("all", "all"),
            ("wrong", "outside 95% (2 deviations)"),
            ("far", "far from training"),
            ("drawn", "drawn"),
        ],
    };
    let options = kinds.iter().map(|(value, text)| el("option").at("value", *value).text(*text));
    let search = el("input").at("id", part.id("search")).at("type", "search").at("autocomplete", "off");
    let kind = el("select").at("id", part.id("kind")).with_all(options);
    el("div")
        .at("class", "controls")
        .with(el("label").text("Search ").with(search))
        .with(el("label").text("Show ").with(kind))
}

fn row(part: &Part<'_>, k: usize) -> Element {
    let table = &part.table;
    let name = |value: f64| match table.classes.get(&(value as usize)) {
        Some(class) if !table.numbers => class.clone(),
        _ => number(value),
    };
    let certain = |value: f64| match (table.numbers, value == 0.0) {
        (true, _) => number(value),
        (false, true) => "–".to_owned(), // no surprise
        (false, false) => format!("{value:.3}"),
    };
    let mut cells = vec![
        if table.name[k].is_empty() { table.graph[k].to_string() } else { table.name[k].clone() },
        table.truth[k].map_or("–".to_owned(), name),
        name(table.predicted[k]),
        certain(table.sure[k]),
        certain(table.surprise[k]),
        number(table.distance[k]),
    ];
    if part.content.seen {
        cells.push(table.fold[k].map_or("–".to_owned(), |fold| fold.to_string()));
    }
    el("tr").with_all(cells.into_iter().map(|cell| el("td").text(cell)))
}

/// The graph that is chosen.
pub(super) fn chosen(part: &Part<'_>, section: Element) -> Element {
    let content = part.content;
    let seen = match content.seen {
        true => {
            "The pictures are of a model that was trained on all graphs for this report, so it has seen this one; the prediction is of a model that had not."
        }
        false => "Shares of blocks add up to the latent mean exactly.",
    };
    let options = part.views.iter().map(|(view, _)| {
        let name = cut(&content.names[view.graph], 40);
        let case = content.cases.iter().find(|case| case.graph == view.graph);
        let wrong = if case.is_some_and(|case| case.is_wrong()) { " (wrong)" } else { "" };
        el("option").at("value", view.graph).text(format!("{name}{wrong}"))
    });
    let select = el("select").at("id", part.id("choice")).with_all(options);
    let choice = el("div").at("class", "controls").with(el("label").text("Graph ").with(select));
    let missing = el("p").at("id", part.id("not-drawn")).at("class", "note").at("role", "status").text("");
    let views = part.views.iter().map(|(_, element)| element.clone());
    section.with(note(seen)).with(choice).with(missing).with_all(views)
}

/// What is shown of one graph.
pub(super) fn view_of(view: &GraphView, prefix: &str, hidden: bool, letters: usize) -> Element {
    let mut article = el("article").at("class", "view").at("id", format!("{prefix}view-{}", view.graph));
    article = article.at("tabindex", "-1");
    if hidden {
        article = article.at("hidden", "");
    }
    let label =
        view.facts.first().map_or_else(String::new, |(_, name)| format!("Graph {}", cut(name, letters)));
    let notes = view.notes.iter().map(|words| note(words));
    let pictures = el("div").at("class", "pictures").with_all(view.pictures.iter().cloned().map(figure));
    article.at("aria-label", label).with(facts(&view.facts, letters)).with_all(notes).with(pictures)
}

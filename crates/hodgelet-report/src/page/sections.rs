//! The sections of a page, in reading order.

use super::rows::Table;
use crate::chart;
use crate::content::{Content, GraphView};
use crate::markup::{Element, el, number};

/// Names and titles of the sections.
const SECTIONS: [(&str, &str); 8] = [
    ("run", "What was run"),
    ("scores", "Scores"),
    ("trust", "Can its probabilities be trusted?"),
    ("learned", "What the model learned"),
    ("graphs", "Who is unsure and who is wrong"),
    ("graph", "One graph"),
    ("leakage", "Leakage and duplicates"),
    ("drift", "Drift"),
];

/// Links to the sections.
pub fn navigation(content: &Content) -> Element {
    let items = SECTIONS.iter().filter(|(id, _)| is_shown(content, id));
    let link = |&(id, title): &(&'static str, &'static str)| {
        el("li").with(el("a").at("href", format!("#{id}")).text(title))
    };
    el("nav").at("aria-label", "Sections").with(el("ul").with_all(items.map(link)))
}

fn is_shown(content: &Content, id: &str) -> bool {
    match id {
        "scores" => !content.scores.is_empty(),
        "trust" => !content.risk.is_empty(),
        "graph" => !content.views.is_empty(),
        _ => true,
    }
}

/// All sections that have something to show.
pub fn sections(content: &Content, table: &Table) -> Vec<Element> {
    let mut all = vec![
        el("p").at("class", "verdict").text(content.verdict.clone()),
        el("p").at("class", "made").text(content.origin.made.clone()),
    ];
    for (id, title) in SECTIONS.iter().filter(|(id, _)| is_shown(content, id)) {
        let heading = format!("{id}-title");
        let section = el("section").at("id", *id).at("aria-labelledby", heading.clone());
        let section = section.with(el("h2").at("id", heading).text(*title));
        all.push(match *id {
            "run" => section.with(facts(&content.run)),
            "scores" => scores(section, content),
            "trust" => trust(section, content),
            "learned" => learned(section, content),
            "graphs" => graphs(section, content, table),
            "graph" => single(section, content),
            "leakage" => section.with(facts(&content.leakage)),
            _ => drift(section, content),
        });
    }
    all
}

/// Names and values.
fn facts(rows: &[(String, String)]) -> Element {
    let mut list = el("dl").at("class", "facts");
    for (name, value) in rows {
        list.push(el("dt").text(name.clone()));
        list.push(el("dd").text(value.clone()));
    }
    list
}

fn table_of(caption: &str, head: &[String], rows: &[Vec<String>]) -> Element {
    let cell = |text: &String| el("td").text(text.clone());
    let row = |row: &Vec<String>| el("tr").with_all(row.iter().map(cell));
    let head = el("tr").with_all(head.iter().map(|name| el("th").at("scope", "col").text(name.clone())));
    let table = el("table").with(el("caption").text(caption)).with(el("thead").with(head));
    // What is wider than the page scrolls, by the keyboard too.
    let scroll =
        el("div").at("class", "scroll").at("tabindex", "0").at("role", "region").at("aria-label", caption);
    scroll.with(table.with(el("tbody").with_all(rows.iter().map(row))))
}

fn figure(picture: Element) -> Element {
    el("figure").with(picture)
}

fn scores(section: Element, content: &Content) -> Element {
    let head = ["score", "value", "95% interval", "± over folds", "what it means"].map(str::to_owned);
    let row = |score: &crate::content::Score| {
        let interval = score
            .interval
            .map_or("–".to_owned(), |(low, high)| format!("{} to {}", number(low), number(high)));
        let folds = score.folds.map_or("–".to_owned(), number);
        vec![score.name.clone(), number(score.value), interval, folds, score.meaning.to_owned()]
    };
    let rows: Vec<Vec<String>> = content.scores.iter().map(row).collect();
    let mut section = section.with(table_of("Scores with their uncertainty", &head, &rows)).with(el("p").at("class", "note").text(
        "Intervals are over graphs, taken as independent; the deviation over folds also has the variation of training.",
    ));
    if content.folds.1.len() > 1 {
        let details = el("details").with(el("summary").text(format!("All {} folds", content.folds.1.len())));
        section.push(details.with(table_of("Scores of each fold", &content.folds.0, &content.folds.1)));
    }
    section
}

fn trust(section: Element, content: &Content) -> Element {
    let mut pictures = el("div").at("class", "pictures");
    if let Some(found) = &content.reliability {
        pictures.push(figure(chart::reliability(&found.points, found.ece, found.floor)));
    }
    pictures.push(figure(chart::risk_coverage(&content.risk, &content.risk_name)));
    match &content.confusion {
        Some(counts) => pictures.push(figure(chart::confusion(&content.classes, counts))),
        None => pictures.push(figure(predicted(content))),
    }
    section.with(pictures)
}

/// Numbers beside the truth; of many, some at equal steps.
fn predicted(content: &Content) -> Element {
    const MOST: usize = 800;
    let known: Vec<chart::Predicted> = content
        .cases
        .iter()
        .filter_map(|case| {
            let (_, low, high) = case.spread?;
            Some(chart::Predicted { truth: case.truth?, mean: case.predicted, interval: (low, high) })
        })
        .collect();
    let step = known.len().div_ceil(MOST).max(1);
    let drawn: Vec<chart::Predicted> = known.iter().copied().step_by(step).collect();
    chart::predicted(&drawn, known.len())
}

fn learned(section: Element, content: &Content) -> Element {
    let learned = &content.learned;
    let states = match learned.states {
        0 => "The hyperparameters are the most probable ones; their uncertainty was not explored.".to_owned(),
        n => format!("Predictions are averages over {n} states of the hyperparameters."),
    };
    let energy = format!("Energies are those of {} graphs, each counted the same.", learned.graphs);
    let mut pictures = el("div").at("class", "pictures");
    if !learned.amplitudes.is_empty() {
        let title = "How much each block may say: its prior variance";
        pictures.push(figure(chart::intervals(title, "variance", &learned.amplitudes)));
    }
    if !learned.others.is_empty() {
        pictures.push(figure(chart::intervals(
            "Other hyperparameters beside their priors",
            "value",
            &learned.others,
        )));
    }
    for (name, curves, density) in &learned.filters {
        pictures.push(figure(chart::filters(name, curves, density.as_ref())));
    }
    section.with(el("p").text(format!("{states} {energy}"))).with(pictures)
}

fn graphs(section: Element, content: &Content, table: &Table) -> Element {
    let shown = match table.graph.len() < table.of {
        true => format!(
            "The table has the first {} of {} graphs: the most confident errors, then the least sure. ",
            table.graph.len(),
            table.of
        ),
        false => format!("The table has all {} graphs, the most confident errors first. ", table.of),
    };
    let drawn = format!("{} of them are drawn: choose one to see it.", content.views.len());
    let kinds: &[(&str, &str)] = match content.classes.is_empty() {
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
    let search = el("label")
        .text("Search ")
        .with(el("input").at("id", "search").at("type", "search").at("autocomplete", "off"));
    let kind = el("label").text("Show ").with(el("select").at("id", "kind").with_all(options));
    let controls = el("div").at("class", "controls").with(search).with(kind);
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
    let name = |value: f64| match content.classes.get(value as usize) {
        Some(class) if !content.classes.is_empty() => class.clone(),
        _ => number(value),
    };
    let row = |k: usize| {
        let mut cells = vec![
            if table.name[k].is_empty() { table.graph[k].to_string() } else { table.name[k].clone() },
            table.truth[k].map_or("–".to_owned(), name),
            name(table.predicted[k]),
            number(table.sure[k]),
            number(table.surprise[k]),
            number(table.distance[k]),
        ];
        if content.seen {
            cells.push(table.fold[k].map_or("–".to_owned(), |fold| fold.to_string()));
        }
        el("tr").with_all(cells.into_iter().map(|cell| el("td").text(cell)))
    };
    // Without script the first rows are there.
    let rows = (0..table.graph.len().min(25)).map(row);
    let body = el("tbody").at("id", "table-body").with_all(rows);
    let caption = el("caption").text("Graphs; a column is sorted by its button");
    let list = el("table")
        .at("id", "table")
        .with(caption)
        .with(el("thead").with(el("tr").with_all(head)))
        .with(body);
    let pages = el("div")
        .at("class", "controls")
        .with(el("button").at("type", "button").at("id", "previous").text("Previous"))
        .with(el("span").at("id", "status").at("role", "status").text(""))
        .with(el("button").at("type", "button").at("id", "next").text("Next"));
    let scroll = el("div")
        .at("class", "scroll")
        .at("tabindex", "0")
        .at("role", "region")
        .at("aria-label", "Table of graphs");
    section.with(el("p").text(shown + &drawn)).with(controls).with(scroll.with(list)).with(pages)
}

fn single(section: Element, content: &Content) -> Element {
    let seen = match content.seen {
        true => {
            "The pictures are of a model that was trained on all graphs for this report, so it has seen this one; the prediction is of a model that had not."
        }
        false => "Shares of blocks add up to the latent mean exactly.",
    };
    let options = content.views.iter().map(|view| {
        let name = crate::markup::cut(&content.names[view.graph], 40);
        let case = content.cases.iter().find(|case| case.graph == view.graph);
        let wrong = if case.is_some_and(|case| case.is_wrong()) { " (wrong)" } else { "" };
        el("option").at("value", view.graph).text(format!("{name}{wrong}"))
    });
    let choice = el("label").text("Graph ").with(el("select").at("id", "choice").with_all(options));
    let views = content.views.iter().enumerate().map(|(k, view)| view_of(view, k > 0));
    let missing = el("p").at("id", "not-drawn").at("class", "note").at("role", "status").text("");
    section
        .with(el("p").at("class", "note").text(seen))
        .with(el("div").at("class", "controls").with(choice))
        .with(missing)
        .with_all(views)
}

fn view_of(view: &GraphView, hidden: bool) -> Element {
    let mut article =
        el("article").at("class", "view").at("id", format!("view-{}", view.graph)).at("tabindex", "-1");
    if hidden {
        article = article.at("hidden", "");
    }
    let label = view.facts.first().map_or_else(String::new, |(_, name)| format!("Graph {name}"));
    let notes = view.notes.iter().map(|note| el("p").at("class", "note").text(note.clone()));
    let pictures = el("div").at("class", "pictures").with_all(view.pictures.iter().cloned().map(figure));
    article.at("aria-label", label).with(facts(&view.facts)).with_all(notes).with(pictures)
}

fn drift(section: Element, content: &Content) -> Element {
    if content.drift.is_empty() {
        let words = match content.seen {
            true => {
                "The graphs are those that were trained on: there are no new ones to compare. `hodgelet report MODEL DATASET` compares new graphs with those of a model."
            }
            false => "There are too few graphs to compare with those trained on.",
        };
        return section.with(el("p").text(words));
    }
    section.with(facts(&content.drift))
}

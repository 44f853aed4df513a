//! The sections of a report, in reading order.

use super::graphs;
use super::limits::Limits;
use super::rows::{Table, table};
use crate::chart;
use crate::content::{Content, GraphView, Score};
use crate::markup::{Element, cut, el, number};

/// Names and titles of the sections.
const SECTIONS: [(&str, &str); 9] = [
    ("run", "What was run"),
    ("scores", "Scores"),
    ("trust", "Can its probabilities be trusted?"),
    ("learned", "What the model learned"),
    ("graphs", "Who is unsure and who is wrong"),
    ("graph", "One graph"),
    ("leakage", "Leakage and duplicates"),
    ("drift", "Drift"),
    ("card", "Model card"),
];

/// Headings of sections and of what is inside them, by depth.
const HEADINGS: [&str; 5] = ["h1", "h1", "h2", "h3", "h4"];

/// One report of a page.
pub(super) struct Part<'a> {
    pub content: &'a Content,
    /// What its ids begin with.
    pub prefix: String,
    /// Depth of its headings.
    pub depth: usize,
    pub limits: Limits,
    pub table: Table,
    /// Graphs that are drawn.
    pub views: Vec<(&'a GraphView, Element)>,
}

impl<'a> Part<'a> {
    /// As much of a report as there is room for.
    pub fn new(content: &'a Content, prefix: String, depth: usize, limits: Limits) -> Self {
        let (mut views, mut bytes) = (Vec::new(), 0);
        for view in &content.views {
            let element = graphs::view_of(view, &prefix, !views.is_empty(), limits.letters);
            bytes += element.render().len();
            if bytes > limits.drawings {
                break;
            }
            views.push((view, element));
        }
        let drawn = views.iter().map(|(view, _)| view.graph).collect();
        let table = table(content, drawn, limits.rows);
        Self { content, prefix, depth, limits, table, views }
    }

    /// An id of this report.
    pub fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Links to the sections.
    pub fn navigation(&self, label: &str) -> Element {
        let items = SECTIONS.iter().filter(|(id, _)| self.is_shown(id));
        let link = |&(id, title): &(&'static str, &'static str)| {
            el("li").with(el("a").at("href", format!("#{}", self.id(id))).text(self.title(id, title)))
        };
        el("nav").at("aria-label", label).with(el("ul").with_all(items.map(link)))
    }

    /// The title of a section: numbers have intervals where classes have probabilities.
    fn title(&self, id: &str, title: &'static str) -> &'static str {
        if id == "trust" && self.content.classes.is_empty() { "Can its intervals be trusted?" } else { title }
    }

    fn is_shown(&self, id: &str) -> bool {
        match id {
            "scores" => !self.content.scores.is_empty(),
            "trust" => !self.content.risk.is_empty(),
            "graph" => !self.views.is_empty(),
            _ => true,
        }
    }

    /// All sections that have something to show.
    pub fn sections(&self) -> Vec<Element> {
        let content = self.content;
        let mut all = vec![el("p").at("class", "verdict").text(content.verdict.clone())];
        if self.prefix.is_empty() {
            all.push(el("p").at("class", "made").text(content.origin.made.clone()));
        }
        for (id, title) in SECTIONS.iter().filter(|(id, _)| self.is_shown(id)) {
            let heading = self.id(&format!("{id}-title"));
            let section = el("section").at("id", self.id(id)).at("aria-labelledby", heading.clone());
            let section =
                section.with(el(HEADINGS[self.depth]).at("id", heading).text(self.title(id, title)));
            all.push(match *id {
                "run" => section.with(facts(&content.run, self.limits.letters)),
                "scores" => self.scores(section),
                "trust" => trust(section, content),
                "learned" => self.learned(section),
                "graphs" => graphs::listed(self, section),
                "graph" => graphs::chosen(self, section),
                "leakage" => section.with(facts(&content.leakage, self.limits.letters)),
                "drift" => self.drift(section),
                _ => self.card(section),
            });
        }
        all.push(super::data(&self.prefix, &self.table));
        all
    }

    fn scores(&self, section: Element) -> Element {
        let content = self.content;
        let head = ["score", "value", "95% interval", "± over folds", "what it means"].map(str::to_owned);
        let row = |score: &Score| {
            let interval = score
                .interval
                .map_or("–".to_owned(), |(low, high)| format!("{} to {}", number(low), number(high)));
            let folds = score.folds.map_or("–".to_owned(), number);
            vec![score.name.clone(), number(score.value), interval, folds, score.meaning.to_owned()]
        };
        let rows: Vec<Vec<String>> = content.scores.iter().map(row).collect();
        let mut section = section
            .with(table_of("Scores with their uncertainty", &head, &rows))
            .with(note(
                "Intervals are over graphs, taken as independent; the deviation over folds also has the variation of training.",
            ));
        if !content.fold_scores.is_empty() {
            let charts = content.fold_scores.iter().map(|(title, unit, whole, rows)| {
                figure(chart::dots(title, unit, *whole, &rows[..rows.len().min(self.limits.folds)]))
            });
            section.push(el("div").at("class", "pictures").with_all(charts));
        }
        let (head, rows) = (&content.folds.0, &content.folds.1);
        if rows.len() > 1 {
            let shown = &rows[..rows.len().min(self.limits.folds)];
            let words = match shown.len() < rows.len() {
                true => format!("The first {} of {} folds", shown.len(), rows.len()),
                false => format!("All {} folds", rows.len()),
            };
            let details = el("details").with(el("summary").text(words));
            section.push(details.with(table_of("Scores of each fold", head, shown)));
        }
        section
    }

    fn learned(&self, section: Element) -> Element {
        let learned = &self.content.learned;
        let states = match learned.states {
            0 => "The hyperparameters are the most probable ones; their uncertainty was not explored."
                .to_owned(),
            n => format!("Predictions are averages over {n} states of the hyperparameters."),
        };
        let energy = format!("Energies are those of {} graphs, each counted the same.", learned.graphs);
        let most = self.limits.entries;
        let mut left_out = Vec::new();
        let mut first = |n: usize, what: &str| {
            if n > most {
                left_out.push(format!("{} of {n} {what}", n - most));
            }
            n.min(most)
        };
        let mut pictures = el("div").at("class", "pictures");
        for (title, unit, what, rows) in [
            ("How much each block may say: its prior variance", "variance", "blocks", &learned.amplitudes),
            ("Other hyperparameters beside their priors", "value", "hyperparameters", &learned.others),
        ] {
            if !rows.is_empty() {
                let rows = &rows[..first(rows.len(), what)];
                pictures.push(figure(chart::intervals(title, unit, rows)));
            }
        }
        let blocks = &learned.filters[..first(learned.filters.len(), "blocks with filters")];
        for (name, curves, density) in blocks {
            let curves = &curves[..first(curves.len(), "filters of a block")];
            pictures.push(figure(chart::filters(name, curves, density.as_ref())));
        }
        let mut section = section.with(el("p").text(format!("{states} {energy}")));
        if !left_out.is_empty() {
            left_out.dedup();
            section.push(note(&format!("Left out, for want of room: {}.", left_out.join("; "))));
        }
        section.with(pictures)
    }

    fn drift(&self, section: Element) -> Element {
        let content = self.content;
        let mut section = match content.drift.is_empty() {
            true => {
                let words = match content.seen {
                    true => {
                        "The graphs are those that were trained on: there are no new ones to compare. `hodgelet report MODEL DATASET` compares new graphs with those of a model."
                    }
                    false => "There are too few graphs to compare with those trained on.",
                };
                section.with(prose(el("p"), words))
            }
            false => section.with(facts(&content.drift, self.limits.letters)),
        };
        if !content.nearness.is_empty() {
            let title = "How far is the nearest training graph?";
            let chart =
                chart::shares(title, "distance (0: equal features, 1: nothing in common)", &content.nearness);
            section.push(el("div").at("class", "pictures").with(figure(chart)));
        }
        section
    }

    fn card(&self, section: Element) -> Element {
        let summary = el("summary").text("What to keep beside the model file, from what it holds");
        let parts = self.content.card.elements(HEADINGS[self.depth + 1], self.limits.letters);
        let words = "Fields marked TODO are for those who made it: `hodgelet card MODEL --purpose … --out CARD.md` writes the card with them.";
        section.with(el("details").at("class", "card").with(summary).with_all(parts).with(note(words)))
    }
}

/// A remark.
pub(super) fn note(words: &str) -> Element {
    prose(el("p").at("class", "note"), words)
}

/// Words of our own in an element; what stands between backticks is code.
pub(super) fn prose(element: Element, words: &str) -> Element {
    let parts = words.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    parts.fold(element, |element, (k, part)| match k % 2 {
        0 => element.text(part),
        _ => element.with(el("code").text(part)),
    })
}

/// Names and values.
pub(super) fn facts(rows: &[(String, String)], letters: usize) -> Element {
    let mut list = el("dl").at("class", "facts");
    for (name, value) in rows {
        list.push(el("dt").text(cut(name, letters)));
        list.push(el("dd").text(cut(value, letters)));
    }
    list
}

pub(super) fn table_of(caption: &str, head: &[String], rows: &[Vec<String>]) -> Element {
    let cell = |text: &String| el("td").text(text.clone());
    let row = |row: &Vec<String>| el("tr").with_all(row.iter().map(cell));
    let head = el("tr").with_all(head.iter().map(|name| el("th").at("scope", "col").text(name.clone())));
    let table = el("table").with(el("caption").text(caption)).with(el("thead").with(head));
    // What is wider than the page scrolls, by the keyboard too.
    let scroll =
        el("div").at("class", "scroll").at("tabindex", "0").at("role", "region").at("aria-label", caption);
    scroll.with(table.with(el("tbody").with_all(rows.iter().map(row))))
}

/// Pictures that are wider than this scroll on a phone, by the keyboard too, and take the whole width of paper.
const WIDE: f64 = 480.0;

pub(super) fn figure(picture: Element) -> Element {
    let figure = el("figure");
    if picture.size().0 <= WIDE {
        return figure.with(picture);
    }
    let title = picture.title().unwrap_or("picture").to_owned();
    let figure = figure.at("class", "wide").at("tabindex", "0").at("role", "group");
    figure.at("aria-label", title).with(picture)
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

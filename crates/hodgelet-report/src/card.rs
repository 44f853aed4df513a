//! A model card, from what a model file holds: as Markdown, and as a part of a report.
//!
//! Text of the data and of its makers is escaped where the card is written; [`Piece`]s keep it apart from the card's own.

use crate::content::ended;
use crate::markup::{Element, cut, el, number};
use hodgelet::model::{Basis, FittedTargets, Model};
use serde::Serialize;

/// Letters of a text from the model file.
const LETTERS: usize = 2000;

/// What only the makers of a model know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    /// Name of the model.
    pub name: String,
    /// What it is for.
    pub purpose: Option<String>,
    /// What the training data are and where they come from.
    pub data: Option<String>,
    /// Its licence.
    pub license: Option<String>,
    /// How it is cited.
    pub citation: Option<String>,
}

/// A piece of a paragraph.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// Text, wherever it comes from.
    Text(String),
    /// A command.
    Code(&'static str),
    /// A title.
    Title(&'static str),
}

/// A section of a card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CardSection {
    /// Its heading.
    pub title: &'static str,
    /// Its paragraphs.
    pub paragraphs: Vec<Vec<Piece>>,
    /// What is listed below them.
    pub list: Vec<String>,
}

/// A model card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Card {
    /// Name of the model.
    pub name: String,
    /// Its sections, in reading order.
    pub sections: Vec<CardSection>,
}

fn text(text: impl Into<String>) -> Piece {
    Piece::Text(text.into())
}

fn section(title: &'static str, paragraphs: Vec<Vec<Piece>>) -> CardSection {
    CardSection { title, paragraphs, list: Vec::new() }
}

/// A field that its makers fill in.
fn field(given: Option<&String>, todo: &str) -> Vec<Piece> {
    vec![text(given.cloned().unwrap_or_else(|| format!("TODO: {todo}")))]
}

impl Card {
    /// The card of a model.
    #[must_use]
    pub fn of(model: &Model, fields: &Fields) -> Self {
        let (settings, summary) = (model.settings(), model.summary());
        let purpose = field(fields.purpose.as_ref(), "what decisions it supports, and which it must not");
        let data =
            field(fields.data.as_ref(), "where the graphs and targets come from, and who may use them");
        let trained =
            format!("Trained on {} graphs, {} of them distinct.", summary.n_train, summary.n_distinct);
        let blocks: Vec<String> =
            model.blocks().iter().map(|space| model.space().block_name(space.block)).collect();
        let averaged = match &summary.exploration {
            Some(found) => format!("averaged over {} states of their posterior", found.states),
            None => "the most probable values alone: their uncertainty is left out".to_owned(),
        };
        let method = vec![
            format!(
                "{} (Gaussian process on Hodge-decomposed spectral wavelet features), hodgelet {}",
                settings.method.title(),
                env!("CARGO_PKG_VERSION")
            ),
            format!("blocks: {}", cut(&blocks.join(", "), LETTERS)),
            format!("hyperparameters: {averaged}"),
            format!(
                "seed {}; training ended after {} steps: {}",
                settings.seed,
                summary.iterations,
                ended(&summary.stop)
            ),
        ];
        let paper = vec![
            text("Method: Alain, Takao, Rieck, Dong and Noutahi, "),
            Piece::Title("Graph Classification Gaussian Processes via Hodgelet Spectral Features"),
            text(" (2024)."),
        ];
        let sections = vec![
            section("Purpose", vec![purpose]),
            section("What it predicts", vec![vec![text(predicts(model))]]),
            section("Data", vec![data, vec![text(trained)]]),
            CardSection { title: "Method", paragraphs: Vec::new(), list: method },
            section("Scores", vec![scores(model)]),
            section("Calibration", vec![uncertainty(model)]),
            section("Limits", limits(model)),
            section("Licence", vec![field(fields.license.as_ref(), "of the model file")]),
            section("Citation", vec![field(fields.citation.as_ref(), "of the model"), paper]),
        ];
        Self { name: fields.name.clone(), sections }
    }

    /// The card with a paragraph at the beginning of a section, as a report has of its scores.
    #[must_use]
    pub fn with_first(mut self, title: &str, words: &str) -> Self {
        if let Some(section) = self.sections.iter_mut().find(|section| section.title == title) {
            section.paragraphs.insert(0, vec![text(words)]);
        }
        self
    }

    /// The card as a file of Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => plain(text),
            Piece::Code(code) => format!("`{code}`"),
            Piece::Title(title) => format!("*{title}*"),
        };
        let mut all = vec![format!("<!-- hodgelet model card -->\n# Model card: {}", plain(&self.name))];
        for section in &self.sections {
            all.push(format!("## {}", section.title));
            all.extend(section.paragraphs.iter().map(|pieces| pieces.iter().map(piece).collect::<String>()));
            let items: Vec<String> = section.list.iter().map(|item| format!("- {}", plain(item))).collect();
            if !items.is_empty() {
                all.push(items.join("\n"));
            }
        }
        all.join("\n\n") + "\n"
    }

    /// The sections as elements of a page, with headings of a level; texts are cut to so many letters.
    #[must_use]
    pub(crate) fn elements(&self, heading: &'static str, letters: usize) -> Vec<Element> {
        let piece = |paragraph: Element, piece: &Piece| match piece {
            Piece::Text(text) => paragraph.text(cut(text, letters)),
            Piece::Code(code) => paragraph.with(el("code").text(*code)),
            Piece::Title(title) => paragraph.with(el("cite").text(*title)),
        };
        let mut all = Vec::new();
        for section in &self.sections {
            all.push(el(heading).text(section.title));
            all.extend(section.paragraphs.iter().map(|pieces| pieces.iter().fold(el("p"), piece)));
            if !section.list.is_empty() {
                let items = section.list.iter().map(|item| el("li").text(cut(item, letters)));
                all.push(el("ul").with_all(items));
            }
        }
        all
    }
}

/// Text that Markdown takes as it is.
fn plain(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '<' => safe += "&lt;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' => safe.extend(['\\', c]),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

fn predicts(model: &Model) -> String {
    let what = match model.targets() {
        FittedTargets::Classes { names } => {
            let classes = format!("one of {} classes: {}", names.len(), cut(&names.join(", "), LETTERS));
            match (model.threshold(), &names[..]) {
                (Some(threshold), [.., second]) => {
                    let (second, threshold) = (cut(second, LETTERS), number(threshold));
                    format!("{classes}; {second} is predicted from a probability of {threshold} on")
                }
                _ => classes,
            }
        }
        FittedTargets::Real { mean, deviation } => {
            let (mean, deviation) = (number(*mean), number(*deviation));
            format!("a number; those trained on have mean {mean} and deviation {deviation}")
        }
    };
    format!("Of a graph with values on its cells: {what}.")
}

fn scores(model: &Model) -> Vec<Piece> {
    let Ok(left_out) = model.leave_one_out() else {
        return vec![
            text("The model file holds none. "),
            Piece::Code("hodgelet evaluate"),
            text(" takes them by folds."),
        ];
    };
    let values = &left_out.log_densities;
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let found = format!("{mean:.4} ± {:.4}", (variance / n).sqrt());
    let what = match model.targets() {
        FittedTargets::Classes { names } => {
            let even = -(names.len() as f64).ln();
            format!("log probability of the true class: {found} (guessing evenly has {even:.4})")
        }
        FittedTargets::Real { .. } => format!("log density of the target: {found}"),
    };
    vec![
        text(format!(
            "Leave-one-out over the {} training graphs, in nats, ± standard error, hyperparameters kept: {what}. They are a \
             little optimistic, since hyperparameters saw all targets; ",
            values.len()
        )),
        Piece::Code("hodgelet evaluate"),
        text(" trains anew for every fold."),
    ]
}

fn uncertainty(model: &Model) -> Vec<Piece> {
    let n = model.n_calibration();
    let mut pieces = match model.basis() {
        Basis::Split => vec![text(format!(
            "Sets and intervals are guaranteed by split conformal prediction on {n} graphs held out, for graphs like those. "
        ))],
        Basis::CvPlus => vec![text(format!(
            "Sets and intervals are guaranteed by cross-validation+ on {n} graphs, for graphs like those. "
        ))],
        _ => vec![
            text("Probabilities and intervals are those of the model; no guarantee is stored. "),
            Piece::Code("hodgelet fit --conformal"),
            text(" adds one. "),
        ],
    };
    if let Some(shape) = model.shape() {
        let [half, most] = [0.5, 0.95].map(|level| shape.widening(level));
        pieces.push(text(format!(
            "The shape of predicted numbers was learned from training graphs left out: next to normal ones, 50% intervals are \
             {half:.2} times and 95% intervals {most:.2} times as wide. "
        )));
    }
    if let Some(link) = model.link() {
        pieces.push(text(format!(
            "How probabilities follow latent values was learned from training graphs left out (sharpness {:.2}, bend {:.2}). ",
            link.sharpness(),
            link.bend()
        )));
    }
    pieces.push(Piece::Code("hodgelet report MODEL DATASET"));
    pieces.push(text(" draws its reliability on graphs with known targets."));
    pieces
}

fn limits(model: &Model) -> Vec<Vec<Piece>> {
    let rule = match model.training_distances() {
        Ok(found) => format!(
            "A graph is called far from the training graphs when its distance to the nearest of them exceeds {:.4}, or that of one \
             block its own threshold (0 is equal features, 1 is nothing in common); about 1 in 100 graphs like those trained on is. \
             Predictions of far graphs return to the base rate and should not be relied on.",
            found.threshold
        ),
        Err(_) => "Distances to the training graphs are not known.".to_owned(),
    };
    let mut all = vec![rule];
    let names = &model.summary().constant_channels;
    if !names.is_empty() {
        let names = cut(&names.join(", "), LETTERS);
        all.push(format!(
            "It cannot see these channels, which do not vary over the training graphs: {names}."
        ));
    }
    let twins = model.summary().n_train.saturating_sub(model.summary().n_distinct);
    if twins > 0 {
        all.push(format!(
            "{twins} training graphs have the features of another one: the model cannot tell them apart."
        ));
    }
    all.into_iter().map(|words| vec![text(words)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Card {
        let words = "a *bold* <b>claim</b> `x`";
        let pieces = vec![text(words), Piece::Code("hodgelet card")];
        let sections = vec![
            section("Purpose", vec![pieces]),
            CardSection { title: "Method", paragraphs: vec![], list: vec!["one | two".to_owned()] },
        ];
        Card { name: "m_1".to_owned(), sections }
    }

    #[test]
    fn markdown_of_the_data_is_text() {
        assert_eq!(
            card().markdown(),
            "<!-- hodgelet model card -->\n# Model card: m\\_1\n\n## Purpose\n\na \\*bold\\* &lt;b>claim&lt;/b> \
             \\`x\\``hodgelet card`\n\n## Method\n\n- one \\| two\n"
        );
    }

    #[test]
    fn a_page_has_the_same_sections() {
        let found = el("div").with_all(card().with_first("Purpose", "First.").elements("h3", 12)).render();
        assert!(found.contains("<h3>Purpose</h3>\n<p>First.</p>"), "{found}");
        assert!(found.contains("a *bold* &lt;b…<code>hodgelet card</code>"), "{found}");
        assert!(found.contains("<li>one | two</li>"), "{found}");
    }
}

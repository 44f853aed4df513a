//! Scores of folds: a dot for each with its interval, beside that of all.

use super::bars::{ROW, names_width};
use super::{Axis, Frame, canvas, dot_sign, heading, label, legend, line, line_sign};
use crate::markup::{Element, cut, el, number};

/// Letters of a name.
const NAME: usize = 24;

/// A named value with its 95% interval.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Dot {
    /// What it is of.
    pub name: String,
    /// The value.
    pub value: f64,
    /// 95% interval.
    pub interval: (f64, f64),
}

/// Values with intervals, one row each, and a line at the value of all together.
#[must_use]
pub fn dots(title: &str, unit: &str, whole: f64, rows: &[Dot]) -> Element {
    let left = names_width(rows.iter().map(|row| row.name.as_str()), NAME);
    let (width, high) = (left + 340.0, ROW * rows.len() as f64);
    let height = high + 100.0;
    let ends = || rows.iter().flat_map(|row| [row.interval.0, row.interval.1, row.value]).chain([whole]);
    let low = ends().fold(f64::INFINITY, f64::min);
    let x = Axis::around(low, ends().fold(f64::NEG_INFINITY, f64::max), 4);
    let y = Axis { low: 0.0, high: 1.0, ticks: vec![] };
    let frame = Frame { left, top: 54.0, width: 260.0, height: high, x, y };
    let signs = [
        ("fold, 95% interval".to_owned(), dot_sign("f0")),
        ("all folds".to_owned(), line_sign("l1").at("stroke-dasharray", "4 3")),
    ];
    let mut svg = canvas(width, height, title).with(heading(width, title));
    svg.push(legend(8.0, 36.0, width - 16.0, &signs).0);
    svg.push(frame.axes(unit, ""));
    let middle = frame.px(whole);
    svg.push(line((middle, frame.top), (middle, frame.top + high), "l1").at("stroke-dasharray", "4 3"));
    for (i, row) in rows.iter().enumerate() {
        let y = frame.top + ROW * (i as f64 + 0.5);
        let (from, to) = (frame.px(row.interval.0), frame.px(row.interval.1));
        let words = format!(
            "{}: {} ({} to {})",
            row.name,
            number(row.value),
            number(row.interval.0),
            number(row.interval.1)
        );
        let bar = line((from, y), (to, y), "l0").at("stroke-width", "1.5");
        let dot = el("circle").at("class", "f0").num("cx", frame.px(row.value)).num("cy", y).num("r", 4.0);
        svg.push(el("g").with(el("title").text(words)).with(bar).with(dot));
        svg.push(label(left - 8.0, y + 4.0, "end", cut(&row.name, NAME)));
        svg.push(label(left + 268.0, y + 4.0, "start", number(row.value)).at("class", "soft"));
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::super::tests::clashes;
    use super::*;

    #[test]
    fn every_fold_has_a_dot_an_interval_and_its_number() {
        let row =
            |k: usize| Dot { name: format!("fold {k}"), value: 0.8 + 0.01 * k as f64, interval: (0.6, 0.95) };
        let rows: Vec<Dot> = (0..10).map(row).collect();
        let svg = dots("Accuracy by fold", "accuracy", 0.84, &rows);
        let text = svg.render();
        assert_eq!(text.matches("<circle").count(), 11, "ten folds and the legend");
        assert!(text.contains("fold 3: 0.830 (0.600 to 0.950)"));
        assert_eq!(clashes(&svg, 1e3, 1e3), Vec::<String>::new());
        assert!(!dots("none", "score", 0.0, &[]).render().contains("NaN"));
    }
}

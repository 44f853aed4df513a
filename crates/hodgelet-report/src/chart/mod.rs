//! Charts as SVG elements: axes with few round ticks, a title, and a legend where colours mean something.

mod bars;
mod calibration;
mod dots;
mod lines;
mod matrix;
mod table;

pub use bars::{Bar, Interval, bars, intervals, waterfall};
pub use calibration::{ReliabilityPoint, reliability, risk_coverage};
pub use dots::{Dot, dots};
pub use lines::{Curve, Density, filters, lines, shares, spectrum};
pub use matrix::matrix;
pub use table::{Predicted, confusion, predicted};

use crate::markup::{Element, el, number, short};

/// Width of letters of size 1, in the mean.
const LETTER: f64 = 0.56;
/// Size of letters.
pub(crate) const FONT: f64 = 11.0;

/// An SVG element of this size, with a title that screen readers say.
#[must_use]
pub fn canvas(width: f64, height: f64, title: &str) -> Element {
    el("svg")
        .at("viewBox", format!("0 0 {} {}", short(width), short(height)))
        .num("width", width)
        .num("height", height)
        .at("role", "img")
        .at("font-family", "system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif")
        .at("font-size", "11")
        .with(el("title").text(crate::markup::cut(title, 200)))
}

/// Text at a place.
pub(crate) fn label(x: f64, y: f64, anchor: &str, text: impl Into<String>) -> Element {
    el("text").num("x", x).num("y", y).at("text-anchor", anchor).text(text)
}

/// The title of a chart, cut to its width.
pub(crate) fn heading(width: f64, text: &str) -> Element {
    let limit = ((width - 16.0) / (1.1 * FONT * LETTER)) as usize;
    label(8.0, 16.0, "start", crate::markup::cut(text, limit)).at("font-size", "12").at("font-weight", "600")
}

/// How wide some text will be.
pub(crate) fn text_width(text: &str) -> f64 {
    FONT * LETTER * text.chars().count() as f64
}

/// A tick without the zeros at its end.
pub(crate) fn tick_text(value: f64) -> String {
    let text = number(value);
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// A range of values with round ticks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
}

impl Axis {
    /// Around `low` and `high`, with about `count` ticks.
    pub fn around(low: f64, high: f64, count: usize) -> Self {
        let (low, high) = match (low.is_finite(), high.is_finite()) {
            (true, true) if low < high => (low, high),
            (true, true) => (low - 0.5 * low.abs().max(1.0), low + 0.5 * low.abs().max(1.0)),
            _ => (0.0, 1.0),
        };
        let step = round_step((high - low) / count.max(1) as f64);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let ticks: Vec<f64> = (0..=(last - first) as usize).map(|k| (first + k as f64) * step).collect();
        Self { low: first * step, high: last * step, ticks }
    }

    /// From 0 to 1.
    pub fn unit() -> Self {
        Self { low: 0.0, high: 1.0, ticks: vec![0.0, 0.25, 0.5, 0.75, 1.0] }
    }

    /// The share of the way from low to high.
    pub fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(-0.02, 1.02)
    }
}

/// 1, 2 or 5 times a power of ten, at least as large as given.
fn round_step(rough: f64) -> f64 {
    if !(rough.is_finite() && rough > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(rough.log10().floor());
    let digit = rough / power;
    let digit = [1.0, 2.0, 5.0].into_iter().find(|d| digit <= d * (1.0 + 1e-9)).unwrap_or(10.0);
    digit * power
}

/// Where things are drawn, between axes at the left and the bottom.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub x: Axis,
    pub y: Axis,
}

impl Frame {
    pub fn px(&self, value: f64) -> f64 {
        self.left + self.width * self.x.share(value)
    }

    pub fn py(&self, value: f64) -> f64 {
        self.top + self.height * (1.0 - self.y.share(value))
    }

    /// Axes with ticks and names.
    pub fn axes(&self, x_name: &str, y_name: &str) -> Element {
        let (bottom, right) = (self.top + self.height, self.left + self.width);
        let mut group = el("g");
        for &tick in &self.y.ticks {
            let y = self.py(tick);
            group.push(line((self.left, y), (right, y), "grid"));
            group.push(label(self.left - 5.0, y + 4.0, "end", tick_text(tick)).at("class", "soft"));
        }
        for &tick in &self.x.ticks {
            let x = self.px(tick);
            group.push(line((x, bottom), (x, bottom + 4.0), "axis"));
            group.push(label(x, bottom + 16.0, "middle", tick_text(tick)).at("class", "soft"));
        }
        group.push(line((self.left, bottom), (right, bottom), "axis"));
        group.push(label(self.left + 0.5 * self.width, bottom + 32.0, "middle", x_name));
        let (x, y) = (13.0, self.top + 0.5 * self.height);
        group.push(
            label(x, y, "middle", y_name).at("transform", format!("rotate(-90 {} {})", short(x), short(y))),
        );
        group
    }

    /// A line through points.
    pub fn curve(&self, points: &[(f64, f64)], class: &str) -> Element {
        let d: Vec<String> = points
            .iter()
            .enumerate()
            .map(|(i, &(x, y))| {
                format!("{}{} {}", if i == 0 { "M" } else { "L" }, short(self.px(x)), short(self.py(y)))
            })
            .collect();
        el("path").at("class", class).at("d", d.join(""))
    }
}

pub(crate) fn line(from: (f64, f64), to: (f64, f64), class: &str) -> Element {
    el("line").at("class", class).num("x1", from.0).num("y1", from.1).num("x2", to.0).num("y2", to.1)
}

/// Names beside their colours, in rows of `width`; returns the group and its height.
pub(crate) fn legend(x: f64, y: f64, width: f64, entries: &[(String, Element)]) -> (Element, f64) {
    let mut group = el("g");
    let (mut at, mut row) = (0.0, 0.0);
    for (name, sign) in entries {
        let wide = 22.0 + text_width(name) + 12.0;
        if at > 0.0 && at + wide > width {
            (at, row) = (0.0, row + 16.0);
        }
        let place = format!("translate({} {})", short(x + at), short(y + row));
        group.push(el("g").at("transform", place).with(sign.clone()));
        group.push(label(x + at + 20.0, y + row + 4.0, "start", name.as_str()));
        at += wide;
    }
    (group, row + 16.0)
}

/// Signs of a legend: a line, a patch, a dot.
pub(crate) fn line_sign(class: &str) -> Element {
    line((0.0, 0.0), (16.0, 0.0), class).at("stroke-width", "2")
}

pub(crate) fn patch_sign(class: &str) -> Element {
    el("rect").at("class", class).num("x", 2.0).num("y", -5.0).num("width", 12.0).num("height", 10.0)
}

pub(crate) fn dot_sign(class: &str) -> Element {
    el("circle").at("class", class).num("cx", 8.0).num("cy", 0.0).num("r", 4.0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_the_range() {
        let axis = Axis::around(0.13, 0.87, 4);
        assert_eq!((axis.low, axis.high), (0.0, 1.0));
        let axis = Axis::around(3.0, 3.0, 4);
        assert!(axis.low < 3.0 && 3.0 < axis.high, "{axis:?}");
        for (low, high) in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e-300, 1e-300), (-1e12, 3e12)] {
            let axis = Axis::around(low, high, 5);
            assert!(axis.low.is_finite() && axis.high > axis.low && axis.ticks.len() < 20, "{axis:?}");
        }
    }

    #[test]
    fn ticks_are_short() {
        assert_eq!(
            [0.25, 0.5, 0.0, 1e-4, 1000.0, -0.5].map(tick_text),
            ["0.25", "0.5", "0", "1.00e-4", "1000", "-0.5"]
        );
    }

    #[test]
    fn legends_wrap() {
        let entries: Vec<_> = (0..8).map(|i| (format!("block number {i}"), line_sign("l0"))).collect();
        let (_, height) = legend(0.0, 0.0, 200.0, &entries);
        assert!(height > 100.0, "{height}");
    }

    /// Texts of a chart whose boxes overlap, or that leave the canvas; turned text is left out.
    pub fn clashes(svg: &Element, width: f64, height: f64) -> Vec<String> {
        let text = svg.render();
        let mut boxes: Vec<([f64; 4], String)> = Vec::new();
        for part in text.split("<text ").skip(1) {
            let tag = part.split('>').next().unwrap_or("");
            let words = part.split('>').nth(1).and_then(|rest| rest.split('<').next()).unwrap_or("");
            let words = words.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            let value = |name: &str| {
                tag.split(&format!("{name}=\""))
                    .nth(1)
                    .and_then(|rest| rest.split('"').next())
                    .map(str::to_owned)
            };
            if tag.contains("rotate") || words.is_empty() {
                continue;
            }
            let (x, y): (f64, f64) =
                (value("x").unwrap().parse().unwrap(), value("y").unwrap().parse().unwrap());
            let wide = text_width(&words);
            let left = match value("text-anchor").as_deref() {
                Some("end") => x - wide,
                Some("middle") => x - 0.5 * wide,
                _ => x,
            };
            boxes.push(([left, y - 9.0, left + wide, y + 1.0], words));
        }
        let mut found = Vec::new();
        for (i, (a, first)) in boxes.iter().enumerate() {
            if a[0] < -1.0 || a[2] > width + 1.0 || a[1] < -1.0 || a[3] > height + 1.0 {
                found.push(format!("`{first}` leaves the canvas: {a:?}"));
            }
            for (b, second) in &boxes[..i] {
                if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
                    found.push(format!("`{first}` over `{second}`"));
                }
            }
        }
        found
    }
}

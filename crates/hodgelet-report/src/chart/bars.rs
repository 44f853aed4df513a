//! Bars, intervals and waterfalls: one row for each name.

use super::{Axis, Frame, canvas, dot_sign, heading, label, legend, line, line_sign, text_width};
use crate::markup::{Element, cut, el, number};

/// Height of a row.
pub(super) const ROW: f64 = 24.0;
/// Letters of a name before it is cut.
const NAME: usize = 48;

/// A named value.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// The value.
    pub value: f64,
}

/// A named value with the interval that it was expected in and the one it was found in.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// What it is of.
    pub name: String,
    /// The value.
    pub value: f64,
    /// 95% interval of the posterior, if it was explored.
    pub found: Option<(f64, f64)>,
    /// 95% interval of the prior, if there is one.
    pub prior: Option<(f64, f64)>,
}

/// Room for the names at the left.
pub(super) fn names_width<'a>(names: impl Iterator<Item = &'a str>, letters: usize) -> f64 {
    names.map(|name| text_width(&cut(name, letters))).fold(40.0, f64::max) + 14.0
}

/// Horizontal bars from 0, signed by colour.
#[must_use]
pub fn bars(title: &str, unit: &str, bars: &[Bar]) -> Element {
    let left = names_width(bars.iter().map(|bar| bar.name.as_str()), NAME);
    let (width, high) = (left + 330.0, ROW * bars.len() as f64);
    let height = high + 84.0;
    let low = bars.iter().map(|bar| bar.value).fold(0.0, f64::min);
    let top = bars.iter().map(|bar| bar.value).fold(low.max(0.0), f64::max);
    let x = Axis::around(low, top.max(low + 1e-12), 4);
    let frame = Frame {
        left,
        top: 34.0,
        width: 250.0,
        height: high,
        x,
        y: Axis { low: 0.0, high: 1.0, ticks: vec![] },
    };
    let mut svg = canvas(width, height, title).with(heading(width, title)).with(frame.axes(unit, ""));
    for (i, bar) in bars.iter().enumerate() {
        let y = frame.top + ROW * i as f64;
        let (from, to) = (frame.px(0.0), frame.px(bar.value));
        let class = if bar.value < 0.0 { "f0" } else { "f1" };
        svg.push(label(left - 8.0, y + 16.0, "end", cut(&bar.name, NAME)));
        let rect = el("rect").at("class", class).num("x", from.min(to)).num("y", y + 4.0);
        svg.push(rect.num("width", (to - from).abs().max(0.5)).num("height", ROW - 8.0));
        svg.push(label(left + 256.0, y + 16.0, "start", number(bar.value)).at("class", "soft"));
    }
    svg.push(line((frame.px(0.0), frame.top), (frame.px(0.0), frame.top + high), "axis"));
    svg
}

/// Values on a logarithmic axis, with the intervals of prior and posterior.
#[must_use]
pub fn intervals(title: &str, unit: &str, rows: &[Interval]) -> Element {
    let left = names_width(rows.iter().map(|row| row.name.as_str()), NAME);
    let (width, high) = (left + 340.0, ROW * rows.len() as f64);
    let height = high + 102.0;
    let logs = |(a, b): (f64, f64)| [a.log10(), b.log10()];
    let ends = |row: &Interval| {
        let parts = [Some((row.value, row.value)), row.found, row.prior];
        parts.into_iter().flatten().flat_map(logs).filter(|x| x.is_finite()).collect::<Vec<_>>()
    };
    let all: Vec<f64> = rows.iter().flat_map(ends).collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let axis = decades(low, all.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let frame = Frame { left, top: 54.0, width: 260.0, height: high, x: axis, y: Axis::unit() };
    let mut svg = canvas(width, height, title).with(heading(width, title));
    // What is not drawn needs no explanation.
    let prior = rows.iter().any(|row| row.prior.is_some());
    let prior = prior.then(|| line((0.0, 0.0), (16.0, 0.0), "grid").at("stroke-width", "8"));
    let found = rows.iter().any(|row| row.found.is_some()).then(|| line_sign("l0"));
    let signs: Vec<(String, Element)> =
        [("prior, 95%", prior), ("posterior, 95%", found), ("mode", Some(dot_sign("f1")))]
            .into_iter()
            .filter_map(|(name, sign)| Some((name.to_owned(), sign?)))
            .collect();
    svg.push(legend(8.0, 36.0, width - 16.0, &signs).0);
    let bottom = frame.top + high;
    for &tick in &frame.x.ticks {
        svg.push(line((frame.px(tick), frame.top), (frame.px(tick), bottom), "grid"));
        svg.push(label(frame.px(tick), bottom + 16.0, "middle", power_text(tick as i32)).at("class", "soft"));
    }
    svg.push(label(left + 130.0, bottom + 34.0, "middle", format!("{unit}, logarithmic")));
    for (i, row) in rows.iter().enumerate() {
        let y = frame.top + ROW * (i as f64 + 0.5);
        let span = |(a, b): (f64, f64), class: &str, thick: &str| {
            line((frame.px(a.log10()), y), (frame.px(b.log10()), y), class).at("stroke-width", thick)
        };
        svg.push(label(left - 8.0, y + 4.0, "end", cut(&row.name, NAME)));
        row.prior.into_iter().for_each(|prior| svg.push(span(prior, "grid", "10")));
        row.found.into_iter().for_each(|found| svg.push(span(found, "l0", "3")));
        svg.push(
            el("circle").at("class", "f1").num("cx", frame.px(row.value.log10())).num("cy", y).num("r", 4.0),
        );
        svg.push(label(left + 268.0, y + 4.0, "start", number(row.value)).at("class", "soft"));
    }
    svg
}

/// An axis of powers of ten around exponents `low` and `high`, with a tick at some of them.
fn decades(low: f64, high: f64) -> Axis {
    let (low, high) = if low <= high { (low.floor(), high.ceil()) } else { (0.0, 1.0) };
    let step = ((high - low) / 5.0).ceil().max(1.0);
    let steps = ((high - low) / step).ceil().max(1.0);
    let ticks: Vec<f64> = (0..=steps as usize).map(|k| low + step * k as f64).collect();
    Axis { low, high: low + step * steps, ticks }
}

/// A power of ten, as short as it can be read.
fn power_text(exponent: i32) -> String {
    match exponent {
        0..=4 => 10u32.pow(exponent as u32).to_string(),
        -3..0 => format!("{:.*}", -exponent as usize, 10f64.powi(exponent)),
        _ => format!("1e{exponent}"),
    }
}

/// How parts add up to a sum, step by step. A positive sum speaks for `toward`.
#[must_use]
pub fn waterfall(title: &str, parts: &[Bar], total: f64, toward: Option<&str>) -> Element {
    let left = names_width(parts.iter().map(|part| part.name.as_str()).chain(["latent mean"]), NAME);
    let rows = parts.len() + 1;
    let (width, high) = (left + 330.0, ROW * rows as f64);
    let height = high + 100.0;
    let mut sums = vec![0.0];
    for part in parts {
        sums.push(sums[sums.len() - 1] + part.value);
    }
    let all = || sums.iter().copied().chain([total]);
    let axis = Axis::around(all().fold(0.0, f64::min), all().fold(1e-12, f64::max), 4);
    let frame = Frame {
        left,
        top: 52.0,
        width: 250.0,
        height: high,
        x: axis,
        y: Axis { low: 0.0, high: 1.0, ticks: vec![] },
    };
    let about = toward.map_or_else(
        || "each step is what a block adds".to_owned(),
        |class| format!("to the right speaks for {}", cut(class, 30)),
    );
    let mut svg = canvas(width, height, title)
        .with(heading(width, title))
        .with(label(8.0, 34.0, "start", about).at("class", "soft"))
        .with(frame.axes("latent value", ""));
    for (i, part) in parts.iter().enumerate() {
        let (from, to) = (frame.px(sums[i]), frame.px(sums[i + 1]));
        svg.push(step_row(
            &frame,
            i,
            &part.name,
            (from, to),
            part.value,
            if part.value < 0.0 { "f0" } else { "f1" },
        ));
        let y = frame.top + ROW * (i as f64 + 1.0);
        svg.push(line((to, y - 4.0), (to, y + 4.0), "axis"));
    }
    svg.push(step_row(&frame, parts.len(), "latent mean", (frame.px(0.0), frame.px(total)), total, "f5"));
    svg.push(line((frame.px(0.0), frame.top), (frame.px(0.0), frame.top + high), "axis"));
    svg
}

fn step_row(
    frame: &Frame,
    row: usize,
    name: &str,
    (from, to): (f64, f64),
    value: f64,
    class: &str,
) -> Element {
    let y = frame.top + ROW * row as f64;
    let rect = el("rect").at("class", class).num("x", from.min(to)).num("y", y + 4.0);
    el("g")
        .with(label(frame.left - 8.0, y + 16.0, "end", cut(name, NAME)))
        .with(rect.num("width", (to - from).abs().max(0.5)).num("height", ROW - 8.0))
        .with(
            label(frame.left + frame.width + 8.0, y + 16.0, "start", format!("{value:+.3}"))
                .at("class", "soft"),
        )
}

#[cfg(test)]
mod tests {
    use super::super::tests::clashes;
    use super::*;

    fn bar(name: &str, value: f64) -> Bar {
        Bar { name: name.to_owned(), value }
    }

    #[test]
    fn a_waterfall_ends_where_its_parts_add_up_to() {
        let parts = [bar("vertex co-exact", 1.5), bar("edge <exact>", -2.0), bar("constant", 0.25)];
        let svg = waterfall("Graph 3", &parts, -0.25, Some("mutagenic"));
        let text = svg.render();
        assert_eq!(text.matches("<rect").count(), 4);
        assert!(text.contains("to the right speaks for mutagenic") && text.contains("edge &lt;exact&gt;"));
        assert_eq!(clashes(&svg, 1e3, 1e3), Vec::<String>::new());
    }

    #[test]
    fn intervals_lie_on_a_logarithmic_axis() {
        let row = Interval {
            name: "variance".to_owned(),
            value: 1.0,
            found: Some((0.1, 10.0)),
            prior: Some((0.01, 100.0)),
        };
        let svg = intervals("Amplitudes", "variance", &[row]);
        let text = svg.render();
        // The axis goes from 10⁻² to 10², and the value is in its middle.
        let left = names_width(["variance"].into_iter(), NAME);
        assert!(text.contains(&format!("cx=\"{}\"", crate::markup::short(left + 130.0))), "{text}");
        assert_eq!(clashes(&svg, 1e3, 1e3), Vec::<String>::new());
        assert!(text.contains("posterior, 95%") && text.contains(">0.01<") && text.contains(">10<"));
        let row = Interval { name: "scale".to_owned(), value: 3e-7, found: None, prior: None };
        let text = intervals("Scales", "scale", &[row]).render();
        assert!(!text.contains("posterior") && !text.contains("prior") && text.contains(">1e-7<"), "{text}");
    }

    #[test]
    fn nothing_to_draw_is_no_reason_to_fail() {
        for svg in [bars("t", "u", &[]), intervals("t", "u", &[]), waterfall("t", &[], 0.0, None)] {
            assert!(!svg.render().contains("NaN"));
        }
        let svg = bars("t", "u", &[bar("a", -1.0), bar("b", 2.0), bar("c", 0.0)]);
        assert_eq!(clashes(&svg, 1e3, 1e3), Vec::<String>::new());
    }
}

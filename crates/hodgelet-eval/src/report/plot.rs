//! Small pictures of an evaluation as SVG text.

use super::{Evaluation, Results, Scores};
use crate::metrics::ReliabilityBin;
use std::fmt::Write;

pub(super) const INK: &str = "#334155";
const BAR: &str = "#3b82f6";
const LIGHT: &str = "#cbd5e1";

/// With more bars than this their numbers would touch.
const LABELED_BARS: usize = 25;

/// A reliability diagram: a bar per bin as high as its accuracy, a line at its confidence, and the diagonal
/// that calibrated predictions follow. Bars are as strong as their bins are full.
#[must_use]
pub fn reliability_svg(bins: &[ReliabilityBin], ece: f64) -> String {
    let frame = Frame { width: 320.0, height: 320.0, top: Frame::TOP, high: 1.0 };
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1) as f64;
    let mut body = String::new();
    for bin in bins {
        let (Some(accuracy), Some(confidence)) = (bin.accuracy, bin.confidence) else { continue };
        let (x, width) = (frame.x(bin.low), frame.x(bin.high) - frame.x(bin.low));
        let strength = 0.25 + 0.75 * bin.count as f64 / most;
        let title = format!("{} predictions, confidence {confidence:.3}, accuracy {accuracy:.3}", bin.count);
        body += &frame.bar(x, width, accuracy, strength, &title);
        body += &line((x, frame.y(confidence)), (x + width, frame.y(confidence)), INK, "");
    }
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        frame.label(&mut body, frame.x(share), &format!("{share:.2}"));
    }
    body += &line((frame.x(0.0), frame.y(0.0)), (frame.x(1.0), frame.y(1.0)), INK, " stroke-dasharray='4 3'");
    frame.picture(&format!("reliability, ECE {ece:.3}"), "confidence", "accuracy", &body)
}

/// A bar per fold: accuracy of a classification, RMSE of a regression; the line is their mean.
#[must_use]
pub fn scores_svg(evaluation: &Evaluation) -> String {
    let (name, mean) = match &evaluation.results {
        Results::Classes(results) => ("accuracy", results.accuracy.mean),
        Results::Real(results) => ("RMSE", results.rmse.mean),
    };
    let score = |scores: &Scores| match scores {
        Scores::Classes(scores) => scores.accuracy,
        Scores::Real(scores) => scores.rmse,
    };
    let scores: Vec<f64> = evaluation.folds.iter().map(|row| score(&row.scores)).collect();
    let largest = scores.iter().copied().fold(mean, f64::max);
    let high = if name == "accuracy" || largest <= 0.0 { 1.0 } else { largest };
    let frame = Frame { width: 480.0, height: 240.0, top: Frame::TOP, high };
    let step = (frame.width - Frame::SIDES) / scores.len().max(1) as f64;
    let mut body = String::new();
    for (i, (row, &score)) in evaluation.folds.iter().zip(&scores).enumerate() {
        let title = format!("repeat {}, fold {}: {score:.4}", row.repeat, row.fold);
        body += &frame.bar(Frame::LEFT + (i as f64 + 0.1) * step, 0.8 * step, score, 1.0, &title);
        if scores.len() <= LABELED_BARS {
            frame.label(&mut body, Frame::LEFT + (i as f64 + 0.5) * step, &row.fold.to_string());
        }
    }
    let y = frame.y(mean);
    body += &line((Frame::LEFT, y), (frame.width - Frame::RIGHT, y), INK, " stroke-dasharray='4 3'");
    let subject = &evaluation.subject;
    let title = format!("{} by fold, {} on {}, mean {mean:.4}", name, subject.model, subject.dataset);
    frame.picture(&title, "fold", name, &body)
}

/// A picture with axes at the left and the bottom; values from 0 to `high` go up.
pub(super) struct Frame {
    pub width: f64,
    pub height: f64,
    /// Height of what is above the drawing.
    pub top: f64,
    pub high: f64,
}

impl Frame {
    pub const LEFT: f64 = 62.0;
    pub const RIGHT: f64 = 12.0;
    pub const SIDES: f64 = Self::LEFT + Self::RIGHT;
    pub const TOP: f64 = 28.0;
    const BOTTOM: f64 = 40.0;

    /// Place of a share of the width.
    pub fn x(&self, share: f64) -> f64 {
        Self::LEFT + share * (self.width - Self::SIDES)
    }

    /// Place of a value.
    pub fn y(&self, value: f64) -> f64 {
        let share = value / self.high;
        self.height - Self::BOTTOM - share * (self.height - self.top - Self::BOTTOM)
    }

    fn bar(&self, x: f64, width: f64, value: f64, strength: f64, title: &str) -> String {
        let (y, height) = (self.y(value), self.y(0.0) - self.y(value));
        format!(
            "<rect x='{x:.1}' y='{y:.1}' width='{width:.1}' height='{height:.1}' fill='{BAR}' \
             fill-opacity='{strength:.2}'><title>{}</title></rect>\n",
            escape(title)
        )
    }

    /// A label below the axis.
    pub fn label(&self, svg: &mut String, x: f64, text: &str) {
        write_text(svg, x, self.height - Self::BOTTOM + 13.0, "middle", "", text);
    }

    /// The whole picture around `body`.
    pub fn picture(&self, title: &str, x_label: &str, y_label: &str, body: &str) -> String {
        let Self { width, height, high, .. } = *self;
        let (middle, title) = (0.5 * height, escape(title));
        let mut svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' \
             height='{height}' font-family='sans-serif' font-size='11' fill='{INK}' \
             style='background:#fff'>\n<title>{title}</title>\n\
             <text x='{}' y='16' font-size='12'>{title}</text>\n",
            Self::LEFT
        );
        for tick in 0..=4 {
            let value = high * f64::from(tick) / 4.0;
            let y = self.y(value);
            svg += &line((Self::LEFT, y), (width - Self::RIGHT, y), LIGHT, "");
            write_text(&mut svg, Self::LEFT - 4.0, y + 4.0, "end", "", &format!("{value:.3}"));
        }
        svg += body;
        write_text(&mut svg, self.x(0.5), height - 8.0, "middle", "", x_label);
        let turned = format!(" transform='rotate(-90 12 {middle})'");
        write_text(&mut svg, 12.0, middle, "middle", &turned, y_label);
        svg + "</svg>\n"
    }
}

pub(super) fn line(from: (f64, f64), to: (f64, f64), color: &str, style: &str) -> String {
    let ((x1, y1), (x2, y2)) = (from, to);
    format!("<line x1='{x1:.1}' y1='{y1:.1}' x2='{x2:.1}' y2='{y2:.1}' stroke='{color}'{style}/>\n")
}

pub(super) fn write_text(svg: &mut String, x: f64, y: f64, anchor: &str, style: &str, text: &str) {
    writeln!(svg, "<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}'{style}>{}</text>", escape(text))
        .expect("writing to a string cannot fail");
}

/// Text safe inside an element and inside quotes; characters XML does not allow become spaces.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '\'' => safe += "&#39;",
            '"' => safe += "&quot;",
            '\u{fffe}' | '\u{ffff}' => safe.push(' '),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(low: f64, high: f64, count: usize, confidence: f64, accuracy: f64) -> ReliabilityBin {
        let some = |value| (count > 0).then_some(value);
        ReliabilityBin { low, high, count, confidence: some(confidence), accuracy: some(accuracy) }
    }

    #[test]
    fn a_reliability_diagram_has_a_bar_for_each_bin_in_use() {
        let svg = reliability_svg(&[bin(0.0, 0.5, 0, 0.0, 0.0), bin(0.5, 1.0, 4, 0.75, 0.5)], 0.25);
        assert_eq!(svg.matches("<rect").count(), 1);
        assert!(svg.contains("<title>4 predictions, confidence 0.750, accuracy 0.500</title>"));
        // the right half of the axis, from 62 to 308, and half of the height between 280 and 28
        assert!(svg.contains("<rect x='185.0' y='154.0' width='123.0' height='126.0'"), "{svg}");
        assert!(svg.contains("reliability, ECE 0.250"));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn no_bins_draw_an_empty_frame() {
        let svg = reliability_svg(&[], 0.0);
        assert_eq!(svg.matches("<rect").count(), 0);
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn text_is_made_safe_for_xml() {
        assert_eq!(escape("a<b> & 'c' \"d\"\u{1}"), "a&lt;b&gt; &amp; &#39;c&#39; &quot;d&quot; ");
    }
}

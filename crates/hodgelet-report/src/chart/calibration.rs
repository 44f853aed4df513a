//! Are probabilities right, and what is gained by keeping the sure predictions?

use super::{Axis, Frame, canvas, dot_sign, heading, label, legend, line, line_sign, patch_sign};
use crate::markup::{Element, el};

/// One bin of a reliability diagram.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ReliabilityPoint {
    /// Mean predicted probability.
    pub confidence: f64,
    /// Share that is right.
    pub accuracy: f64,
    /// 95% interval of that share.
    pub interval: (f64, f64),
    /// Graphs in it.
    pub count: usize,
}

/// A reliability diagram: the share that is right against the probability, with intervals and counts.
#[must_use]
pub fn reliability(points: &[ReliabilityPoint], ece: f64, floor: f64) -> Element {
    let (width, height) = (420.0, 400.0);
    let mut svg =
        canvas(width, height, &format!("Reliability diagram: calibration error {ece:.3}, floor {floor:.3}"))
            .with(heading(width, "Reliability: is a probability of 80% right in 80% of cases?"))
            .with(
                label(
                    8.0,
                    32.0,
                    "start",
                    format!("calibration error {ece:.3}; a perfect model would show {floor:.3}"),
                )
                .at("class", "soft"),
            );
    let lowest = points.iter().map(|p| p.confidence.min(p.interval.0)).fold(1.0, f64::min);
    let from = (lowest * 10.0).floor() / 10.0;
    let unit = Axis::around(from.clamp(0.0, 0.9), 1.0, 5);
    let frame = Frame { left: 46.0, top: 62.0, width: 352.0, height: 220.0, x: unit.clone(), y: unit };
    let signs = [
        ("perfect".to_owned(), line_sign("axis").at("stroke-dasharray", "4 3")),
        ("right, 95% interval".to_owned(), dot_sign("f0")),
        ("graphs".to_owned(), patch_sign("f5")),
    ];
    svg.push(legend(46.0, 50.0, 360.0, &signs).0);
    svg.push(frame.axes("", "share that is right"));
    svg.push(frame.curve(&[(frame.x.low, frame.x.low), (1.0, 1.0)], "axis").at("stroke-dasharray", "4 3"));
    let line_points: Vec<(f64, f64)> = points.iter().map(|p| (p.confidence, p.accuracy)).collect();
    svg.push(frame.curve(&line_points, "l0").at("stroke-width", "1.5"));
    for point in points {
        let x = frame.px(point.confidence);
        let words = format!(
            "{} graphs: mean probability {:.3}, right {:.3} ({:.3} to {:.3})",
            point.count, point.confidence, point.accuracy, point.interval.0, point.interval.1
        );
        let bar = line((x, frame.py(point.interval.0)), (x, frame.py(point.interval.1)), "l0")
            .at("stroke-width", "1.5");
        let dot =
            el("circle").at("class", "f0").num("cx", x).num("cy", frame.py(point.accuracy)).num("r", 4.0);
        svg.push(el("g").with(el("title").text(words)).with(bar).with(dot));
    }
    let counts = Frame {
        top: 316.0,
        height: 40.0,
        y: Axis {
            low: 0.0,
            high: points.iter().map(|p| p.count).max().unwrap_or(1).max(1) as f64,
            ticks: vec![],
        },
        x: Axis { ticks: vec![], ..frame.x.clone() },
        ..frame.clone()
    };
    let most = counts.y.high;
    for point in points {
        let (x, y) = (counts.px(point.confidence), counts.py(point.count as f64));
        let wide = 14.0;
        let bar = el("rect").at("class", "f5").num("x", x - 0.5 * wide).num("y", y).num("width", wide);
        svg.push(
            bar.num("height", counts.top + counts.height - y)
                .with(el("title").text(format!("{} graphs", point.count))),
        );
    }
    svg.push(counts.axes("predicted probability of the predicted class", "graphs"));
    // Inside the axis, and on the side where the tallest bar is not: however large the number, it meets nothing.
    let tallest = points.iter().max_by_key(|point| point.count).map_or(1.0, |point| point.confidence);
    let words = format!("up to {}", crate::markup::number(most));
    let at_left = counts.x.share(tallest) > 0.5;
    let (x, anchor) =
        if at_left { (counts.left + 5.0, "start") } else { (counts.left + counts.width, "end") };
    svg.push(label(x, counts.top + 8.0, anchor, words).at("class", "soft"));
    svg
}

/// Error of the predictions that are kept, the surest first.
#[must_use]
pub fn risk_coverage(curve: &[(f64, f64)], risk: &str) -> Element {
    let (width, height) = (420.0, 300.0);
    let high = curve.iter().map(|p| p.1).fold(0.0, f64::max);
    let frame = Frame {
        left: 52.0,
        top: 44.0,
        width: 348.0,
        height: 206.0,
        x: Axis::unit(),
        y: Axis::around(0.0, if high > 0.0 { high } else { 1.0 }, 4),
    };
    let mut svg =
        canvas(width, height, &format!("Risk against coverage: {risk} of the surest share of predictions"))
            .with(heading(width, "Keep only the sure ones: what error is left?"))
            .with(frame.axes("share of graphs kept, the surest first", risk))
            .with(frame.curve(curve, "l0").at("stroke-width", "2"));
    if let Some(&(share, all)) = curve.last() {
        svg.push(
            el("circle").at("class", "f0").num("cx", frame.px(share)).num("cy", frame.py(all)).num("r", 4.0),
        );
        svg.push(
            label(width - 20.0, 34.0, "end", format!("all kept: {}", crate::markup::number(all)))
                .at("class", "soft"),
        );
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::super::tests::clashes;
    use super::*;

    #[test]
    fn a_reliability_diagram_has_a_dot_and_an_interval_for_each_bin() {
        let point = |confidence, accuracy, count| ReliabilityPoint {
            confidence,
            accuracy,
            interval: (accuracy - 0.1, 1.0),
            count,
        };
        let svg = reliability(&[point(0.55, 0.5, 12), point(0.95, 0.9, 100)], 0.05, 0.03);
        let text = svg.render();
        assert_eq!(text.matches("<circle").count(), 3, "two bins and the legend");
        assert!(text.contains("12 graphs: mean probability 0.550, right 0.500 (0.400 to 1.000)"));
        assert!(text.contains("calibration error 0.050; a perfect model would show 0.030"));
        assert!(text.contains("up to 100"));
        assert_eq!(clashes(&svg, 420.0, 400.0), Vec::<String>::new());
    }

    #[test]
    fn empty_charts_have_no_nan() {
        for svg in
            [reliability(&[], 0.0, 0.0), risk_coverage(&[], "error"), risk_coverage(&[(1.0, 0.0)], "error")]
        {
            assert!(!svg.render().contains("NaN"));
        }
    }

    #[test]
    fn risk_ends_at_the_error_of_all() {
        let svg = risk_coverage(&[(0.5, 0.01), (1.0, 0.2)], "error");
        assert!(svg.render().contains("all kept: 0.200"));
        assert_eq!(clashes(&svg, 420.0, 300.0), Vec::<String>::new());
    }
}

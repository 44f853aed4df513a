//! What was predicted beside what is true: counts of classes, and numbers with their intervals.

use super::{Axis, Frame, canvas, dot_sign, heading, label, legend, line, line_sign, text_width};
use crate::markup::{Element, cut, el, number};

/// Classes of a confusion matrix that still fit.
const MOST_CLASSES: usize = 12;
/// Letters of a class.
const NAME: usize = 40;

/// A confusion matrix: rows are true classes, columns predicted ones. Shades are shares of the row.
#[must_use]
pub fn confusion(names: &[String], counts: &[Vec<usize>]) -> Element {
    let n = names.len().min(MOST_CLASSES);
    // Columns of few classes are as wide as their names.
    let longest = names[..n].iter().map(|name| text_width(&cut(name, 18))).fold(0.0, f64::max);
    let cell: f64 = if n <= 4 { (longest + 10.0).max(76.0) } else { 50.0 };
    let letters = if n <= 4 { 18 } else { 7 };
    let left = 118.0;
    let tall = cell.min(76.0);
    let (width, height) = ((left + cell * n as f64 + 12.0).max(330.0), 92.0 + tall * n as f64);
    let mut svg = canvas(width, height, "Confusion matrix: rows are true classes, columns predicted ones")
        .with(heading(width, "Which class is taken for which?"))
        .with(label(left + 0.5 * cell * n as f64, 36.0, "middle", "predicted").at("class", "soft"))
        .with(label(8.0, 66.0, "start", "true").at("class", "soft"));
    for j in 0..n {
        let x = left + cell * (j as f64 + 0.5);
        svg.push(
            label(x, 54.0, "middle", cut(&names[j], letters)).with(el("title").text(cut(&names[j], NAME))),
        );
    }
    for i in 0..n {
        let total: usize = counts[i].iter().sum();
        let y = 62.0 + tall * i as f64;
        svg.push(label(left - 8.0, y + 0.5 * tall + 4.0, "end", cut(&names[i], 15)));
        for j in 0..n {
            let count = counts[i][j];
            let share = count as f64 / total.max(1) as f64;
            let class = if i == j { "f0" } else { "f1" };
            let x = left + cell * j as f64;
            let (truth, said) = (cut(&names[i], NAME), cut(&names[j], NAME));
            let words = format!("{count} of {total} graphs of {truth} predicted as {said}");
            let rect = el("rect")
                .num("x", x + 1.0)
                .num("y", y + 1.0)
                .num("width", cell - 2.0)
                .num("height", tall - 2.0);
            // Never so dark that the number on it cannot be read.
            let rect = rect.at("class", class).at("fill-opacity", format!("{:.2}", 0.04 + 0.36 * share));
            svg.push(el("g").with(el("title").text(words)).with(rect));
            svg.push(
                label(x + 0.5 * cell, y + 0.5 * tall + 1.0, "middle", count.to_string())
                    .at("font-weight", "600"),
            );
            if cell > 60.0 {
                let percent = format!("{:.0}%", 100.0 * share);
                svg.push(label(x + 0.5 * cell, y + 0.5 * tall + 16.0, "middle", percent).at("class", "soft"));
            }
        }
    }
    if names.len() > n {
        let words = format!("the first {n} of {} classes", names.len());
        svg.push(label(8.0, height - 8.0, "start", words).at("class", "soft"));
    }
    svg
}

/// A number that was predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// What it was.
    pub truth: f64,
    /// What was predicted.
    pub mean: f64,
    /// 95% interval.
    pub interval: (f64, f64),
}

/// Numbers that were predicted, against the truth, with 95% intervals.
#[must_use]
pub fn predicted(points: &[Predicted], of: usize) -> Element {
    let (width, height) = (420.0, 420.0);
    let ends = points.iter().flat_map(|p| [p.truth, p.mean]);
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |a, x| (a.0.min(x), a.1.max(x)));
    let axis = Axis::around(low, high, 5);
    let frame = Frame { left: 56.0, top: 56.0, width: 344.0, height: 318.0, x: axis.clone(), y: axis };
    let shown = if points.len() < of { format!(", {} of {of} drawn", points.len()) } else { String::new() };
    let mut svg = canvas(width, height, &format!("Predicted against true values with 95% intervals{shown}"))
        .with(heading(width, &format!("Predicted against true{shown}")));
    let signs = [
        ("predicted".to_owned(), dot_sign("f0")),
        ("truth outside the 95% interval".to_owned(), dot_sign("f1")),
        ("equal".to_owned(), line_sign("axis").at("stroke-dasharray", "4 3")),
    ];
    svg.push(legend(8.0, 38.0, width - 16.0, &signs).0);
    svg.push(frame.axes("true value", "predicted value"));
    svg.push(
        frame
            .curve(&[(frame.x.low, frame.x.low), (frame.x.high, frame.x.high)], "axis")
            .at("stroke-dasharray", "4 3"),
    );
    for point in points {
        let inside = (point.interval.0..=point.interval.1).contains(&point.truth);
        let k = usize::from(!inside);
        let x = frame.px(point.truth);
        let ends = [point.interval.0, point.interval.1].map(|v| frame.py(v.clamp(frame.y.low, frame.y.high)));
        let words = format!(
            "true {}, predicted {} ({} to {})",
            number(point.truth),
            number(point.mean),
            number(point.interval.0),
            number(point.interval.1)
        );
        let bar = line((x, ends[0]), (x, ends[1]), &format!("l{k}")).at("stroke-opacity", "0.35");
        let dot = el("circle")
            .at("class", format!("f{k}"))
            .num("cx", x)
            .num("cy", frame.py(point.mean))
            .num("r", 2.6);
        svg.push(el("g").with(el("title").text(words)).with(bar).with(dot));
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::super::tests::clashes;
    use super::*;

    #[test]
    fn counts_are_beside_their_classes() {
        let names = ["inactive".to_owned(), "<active>".to_owned()];
        let svg = confusion(&names, &[vec![40, 3], vec![7, 50]]);
        let text = svg.render();
        assert!(text.contains("7 of 57 graphs of &lt;active&gt; predicted as inactive"));
        assert_eq!(clashes(&svg, 330.0, 300.0), Vec::<String>::new());
        let names = ["curl-free".to_owned(), "divergence-free".to_owned()];
        let svg = confusion(&names, &[vec![40, 3], vec![7, 50]]);
        assert_eq!(svg.render().matches(">divergence-free<").count(), 3, "both ends and a title, none cut");
        assert_eq!(clashes(&svg, 1e3, 300.0), Vec::<String>::new());
    }

    #[test]
    fn many_classes_are_cut_and_it_is_said() {
        let names: Vec<String> = (0..40).map(|i| format!("a class with a long name {i}")).collect();
        let counts = vec![vec![1; 40]; 40];
        let svg = confusion(&names, &counts);
        assert!(svg.render().contains("the first 12 of 40 classes"));
        assert_eq!(clashes(&svg, 1e3, 1e3), Vec::<String>::new());
    }

    #[test]
    fn truths_outside_their_interval_have_another_colour() {
        let point = |truth| Predicted { truth, mean: 1.0, interval: (0.5, 1.5) };
        let svg = predicted(&[point(1.2), point(9.0)], 100);
        let text = svg.render();
        assert!(text.contains("2 of 100 drawn"));
        // One of each in the legend, and one of each in the chart.
        assert_eq!((text.matches("class=\"f0\"").count(), text.matches("class=\"f1\"").count()), (2, 2));
        assert_eq!(clashes(&svg, 420.0, 420.0), Vec::<String>::new());
    }
}

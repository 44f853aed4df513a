//! How much graphs have in common, pair by pair.

use super::{canvas, heading, label, text_width};
use crate::markup::{Element, cut, el, short};
use crate::palette::STEPS;

/// Side of the square of all pairs.
const SIDE: f64 = 300.0;
/// Letters of a group.
const NAME: usize = 16;

/// Values from 0 to 1 of all pairs of items, which come in groups: one colour for each step, lines between the groups.
#[must_use]
pub fn matrix(title: &str, unit: &str, groups: &[(String, usize)], values: &[Vec<f64>]) -> Element {
    let n = values.len().max(1);
    let cell = SIDE / n as f64;
    let left = groups.iter().map(|(name, _)| text_width(&cut(name, NAME))).fold(40.0, f64::max) + 16.0;
    let (width, height) = ((left + SIDE + 12.0).max(360.0), SIDE + 80.0);
    let mut svg = canvas(width, height, title).with(heading(width, title));
    let (first, top) = (STEPS / 2, 28.0);
    let mut paths = vec![String::new(); STEPS - first];
    for (i, row) in values.iter().enumerate() {
        for (j, &value) in row.iter().enumerate() {
            let step = (value.clamp(0.0, 1.0) * (STEPS - 1 - first) as f64).round() as usize;
            let (x, y) = (left + cell * j as f64, top + cell * i as f64);
            paths[step] += &format!("M{} {}h{c}v{c}h-{c}z", short(x), short(y), c = short(cell));
        }
    }
    for (step, path) in paths.into_iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        svg.push(el("path").at("class", format!("d{}", first + step)).at("d", path));
    }
    let mut at = 0;
    for (name, count) in groups {
        let (from, to) = (top + cell * at as f64, top + cell * (at + count) as f64);
        svg.push(label(left - 8.0, 0.5 * (from + to) + 4.0, "end", cut(name, NAME)));
        if at > 0 {
            let x = left + cell * at as f64;
            let d = format!(
                "M{} {}h{}M{} {}v{}",
                short(left),
                short(from),
                short(SIDE),
                short(x),
                short(top),
                short(SIDE)
            );
            svg.push(el("path").at("class", "inkline").at("stroke-width", "1").at("d", d));
        }
        at += count;
    }
    let y = top + SIDE + 14.0;
    svg.push(label(left, y + 9.0, "start", "0"));
    for step in first..STEPS {
        let x = left + 14.0 + 14.0 * (step - first) as f64;
        let rect = el("rect").at("class", format!("d{step}")).num("x", x).num("y", y);
        svg.push(rect.num("width", 14.0).num("height", 11.0));
    }
    let end = left + 20.0 + 14.0 * (STEPS - first) as f64;
    svg.push(label(end, y + 9.0, "start", "1"));
    svg.push(label(left, y + 27.0, "start", unit));
    svg
}

#[cfg(test)]
mod tests {
    use super::super::tests::clashes;
    use super::*;

    #[test]
    fn pairs_of_one_colour_are_one_path() {
        let values = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
        let groups = [("downhill".to_owned(), 1), ("<swirl>".to_owned(), 1)];
        let svg = matrix("What has what in common", "prior correlation", &groups, &values);
        let text = svg.render();
        let cells = |class: &str| {
            text.split(&format!("class=\"{class}\" d=\""))
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .matches('M')
                .count()
        };
        assert_eq!((cells("d10"), cells("d5")), (2, 2));
        assert!(text.contains("&lt;swirl&gt;"));
        assert_eq!(clashes(&svg, 1e3, 1e3), Vec::<String>::new());
        assert!(!matrix("none", "", &[], &[]).render().contains("NaN"));
    }
}

//! Curves: filters over the density of eigenvalues, learning curves, spectra.

use super::{Axis, Frame, canvas, heading, legend, line, line_sign, patch_sign};
use crate::markup::{Element, el, number, short};
use crate::palette::N_SERIES;

/// A named curve.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Standard error of each point; empty for none.
    pub errors: Vec<f64>,
}

/// How much energy lies where: shares of equal bins from 0 to `end`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Density {
    /// Where the last bin ends.
    pub end: f64,
    /// Shares, which add up to 1.
    pub shares: Vec<f64>,
}

/// Filters of one block over the spectral density of the data.
#[must_use]
pub fn filters(title: &str, curves: &[Curve], density: Option<&Density>) -> Element {
    let width = 420.0;
    let last = |curve: &Curve| curve.points.last().map_or(0.0, |p| p.0);
    let end = density.map_or(0.0, |d| d.end).max(curves.iter().map(last).fold(0.0, f64::max));
    let high = curves.iter().flat_map(|c| &c.points).map(|p| p.1).fold(0.0, f64::max);
    let mut signs: Vec<(String, Element)> =
        curves.iter().enumerate().map(|(i, curve)| (curve.name.clone(), sign(i))).collect();
    if density.is_some() {
        signs.push(("energy of the data".to_owned(), patch_sign("f5").at("fill-opacity", "0.35")));
    }
    let (legend, deep) = legend(8.0, 36.0, width - 16.0, &signs);
    let frame = Frame {
        left: 46.0,
        top: 40.0 + deep,
        width: 354.0,
        height: 190.0,
        x: Axis { high: end.max(1e-9), ..Axis::around(0.0, end.max(1e-9), 6) },
        y: Axis::around(0.0, high.max(1e-9), 4),
    };
    let mut frame = frame;
    frame.x.ticks.retain(|&tick| tick <= frame.x.high * (1.0 + 1e-9));
    let height = frame.top + frame.height + 42.0;
    let mut svg = canvas(width, height, &format!("{title}: filters and energy by eigenvalue"))
        .with(heading(width, title));
    svg.push(legend);
    if let Some(density) = density {
        let most = density.shares.iter().copied().fold(0.0, f64::max).max(1e-300);
        let bins = density.shares.len().max(1) as f64;
        for (i, share) in density.shares.iter().enumerate() {
            let x = frame.px(density.end * i as f64 / bins);
            let wide = frame.width * (density.end / frame.x.high) / bins;
            let high = 0.9 * frame.height * share / most;
            let bar = el("rect").at("class", "f5").at("fill-opacity", "0.35").num("x", x);
            svg.push(
                bar.num("y", frame.top + frame.height - high)
                    .num("width", (wide - 0.5).max(0.3))
                    .num("height", high),
            );
        }
    }
    svg.push(frame.axes("eigenvalue", "filter"));
    for (i, curve) in curves.iter().enumerate() {
        svg.push(dashed(frame.curve(&curve.points, &class(i)), i).with(el("title").text(curve.name.clone())));
    }
    svg
}

fn class(i: usize) -> String {
    format!("l{}", i % N_SERIES)
}

/// Beyond the colours that can be told apart, lines are dashed.
fn dashed(element: Element, i: usize) -> Element {
    let element = element.at("stroke-width", "1.7");
    match i / N_SERIES {
        0 => element,
        1 => element.at("stroke-dasharray", "6 3"),
        _ => element.at("stroke-dasharray", "2 3"),
    }
}

fn sign(i: usize) -> Element {
    let sign = line((0.0, 0.0), (16.0, 0.0), &class(i));
    dashed(sign, i)
}

/// Curves with standard errors.
#[must_use]
pub fn lines(title: &str, x_name: &str, y_name: &str, curves: &[Curve]) -> Element {
    let width = 480.0;
    let signs: Vec<_> =
        curves.iter().enumerate().map(|(i, curve)| (curve.name.clone(), line_sign(&class(i)))).collect();
    let (legend, deep) = legend(8.0, 36.0, width - 16.0, &signs);
    let all = || {
        curves.iter().flat_map(|curve| {
            let error = |i: usize| curve.errors.get(i).copied().unwrap_or(0.0);
            curve.points.iter().enumerate().map(move |(i, p)| (p.0, p.1 - error(i), p.1 + error(i)))
        })
    };
    let (x0, x1) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |a, p| (a.0.min(p.0), a.1.max(p.0)));
    let (y0, y1) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |a, p| (a.0.min(p.1), a.1.max(p.2)));
    let frame = Frame {
        left: 56.0,
        top: 40.0 + deep,
        width: width - 80.0,
        height: 210.0,
        x: Axis::around(x0, x1, 6),
        y: Axis::around(y0, y1, 5),
    };
    let height = frame.top + frame.height + 42.0;
    let mut svg = canvas(width, height, title).with(heading(width, title)).with(legend);
    svg.push(frame.axes(x_name, y_name));
    for (i, curve) in curves.iter().enumerate() {
        svg.push(frame.curve(&curve.points, &class(i)).at("stroke-width", "2"));
        for (k, &(x, y)) in curve.points.iter().enumerate() {
            if let Some(error) = curve.errors.get(k) {
                let (px, low, high) = (frame.px(x), frame.py(y - error), frame.py(y + error));
                svg.push(line((px, low), (px, high), &class(i)).at("stroke-width", "1.2"));
            }
            let words = format!("{}: {} at {}", curve.name, number(y), number(x));
            let dot = el("circle")
                .at("class", format!("f{}", i % N_SERIES))
                .num("cx", frame.px(x))
                .num("cy", frame.py(y));
            svg.push(dot.num("r", 3.5).with(el("title").text(words)));
        }
    }
    svg
}

/// How much of each set lies at or below a value, from 0 to 1: the points of a curve are its steps.
#[must_use]
pub fn shares(title: &str, x_name: &str, curves: &[Curve]) -> Element {
    let width = 480.0;
    let signs: Vec<_> = curves.iter().enumerate().map(|(i, curve)| (curve.name.clone(), sign(i))).collect();
    let (legend, deep) = legend(8.0, 36.0, width - 16.0, &signs);
    let end = curves.iter().flat_map(|c| &c.points).map(|p| p.0).fold(0.0, f64::max);
    let frame = Frame {
        left: 52.0,
        top: 40.0 + deep,
        width: width - 76.0,
        height: 170.0,
        x: Axis::around(0.0, end.max(1e-9), 5),
        y: Axis::unit(),
    };
    let height = frame.top + frame.height + 42.0;
    let mut svg = canvas(width, height, title).with(heading(width, title)).with(legend);
    svg.push(frame.axes(x_name, "share of graphs"));
    for (i, curve) in curves.iter().enumerate() {
        let mut steps = vec![(0.0, 0.0)];
        for &(x, share) in &curve.points {
            let before = steps[steps.len() - 1].1;
            steps.extend([(x, before), (x, share)]);
        }
        steps.extend(steps.last().map(|last| (frame.x.high, last.1)));
        svg.push(dashed(frame.curve(&steps, &class(i)), i).with(el("title").text(curve.name.clone())));
    }
    svg
}

/// Energies of one signal at the eigenvalues of each component.
#[must_use]
pub fn spectrum(title: &str, parts: &[(&str, Vec<(f64, f64)>)]) -> Element {
    let width = 420.0;
    let signs: Vec<_> =
        parts.iter().enumerate().map(|(i, (name, _))| ((*name).to_owned(), sign(i))).collect();
    let (legend, deep) = legend(8.0, 36.0, width - 16.0, &signs);
    let all = || parts.iter().flat_map(|(_, atoms)| atoms);
    let high = all().map(|a| a.1).fold(0.0, f64::max);
    let end = all().map(|a| a.0).fold(0.0, f64::max);
    let frame = Frame {
        left: 52.0,
        top: 40.0 + deep,
        width: 348.0,
        height: 150.0,
        x: Axis::around(0.0, end.max(1e-9), 6),
        y: Axis::around(0.0, high.max(1e-9), 4),
    };
    let height = frame.top + frame.height + 42.0;
    let mut svg = canvas(width, height, title).with(heading(width, title)).with(legend);
    svg.push(frame.axes("eigenvalue", "energy"));
    for (i, (_, atoms)) in parts.iter().enumerate() {
        let stems: Vec<String> = atoms
            .iter()
            .map(|&(x, y)| format!("M{} {}V{}", short(frame.px(x)), short(frame.py(0.0)), short(frame.py(y))))
            .collect();
        if !stems.is_empty() {
            svg.push(el("path").at("class", class(i)).at("stroke-width", "2.2").at("d", stems.concat()));
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::super::tests::clashes;
    use super::*;

    fn curve(name: &str) -> Curve {
        Curve {
            name: name.to_owned(),
            points: vec![(0.0, 1.0), (1.0, 0.5), (2.0, 0.1)],
            errors: vec![0.1; 3],
        }
    }

    #[test]
    fn every_filter_has_its_own_sign_and_name() {
        let curves: Vec<Curve> = (1..=10).map(|i| curve(&format!("filter {i}"))).collect();
        let density = Density { end: 2.0, shares: vec![0.5, 0.25, 0.25] };
        let svg = filters("edge exact", &curves, Some(&density));
        let text = svg.render();
        (1..=10).for_each(|i| assert!(text.contains(&format!("filter {i}</text>")), "filter {i}"));
        assert!(text.contains("energy of the data"));
        assert_eq!(text.matches("stroke-dasharray").count(), 6, "three dashed filters and their signs");
        assert_eq!(clashes(&svg, 420.0, 1e3), Vec::<String>::new());
    }

    #[test]
    fn learning_curves_have_error_bars() {
        let svg = lines("accuracy", "training graphs", "accuracy", &[curve("WT-GP"), curve("baseline")]);
        assert_eq!(svg.render().matches("<circle").count(), 6);
        assert_eq!(clashes(&svg, 480.0, 1e3), Vec::<String>::new());
    }

    #[test]
    fn shares_climb_to_one() {
        let steps = |name: &str| Curve {
            name: name.to_owned(),
            points: vec![(0.1, 0.5), (0.4, 1.0)],
            errors: vec![],
        };
        let svg = shares("How far?", "distance", &[steps("new graphs"), steps("training graphs")]);
        // Up to the top of the frame, and along it to the right end.
        assert!(svg.render().contains("56L456 56"), "{}", svg.render());
        assert_eq!(clashes(&svg, 480.0, 1e3), Vec::<String>::new());
        assert!(!shares("none", "distance", &[]).render().contains("NaN"));
    }

    #[test]
    fn empty_and_flat_spectra_are_drawn() {
        for parts in [vec![], vec![("exact", vec![])], vec![("harmonic", vec![(0.0, 0.0)])]] {
            assert!(!spectrum("s", &parts).render().contains("NaN"));
        }
        let svg = spectrum("s", &[("exact", vec![(1.0, 2.0), (3.0, 1.0)]), ("harmonic", vec![(0.0, 0.5)])]);
        assert_eq!(clashes(&svg, 420.0, 1e3), Vec::<String>::new());
    }
}

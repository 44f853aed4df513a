//! Drawings side by side, with titles and a scale.

use super::{Marks, Placed, drawing};
use crate::chart::{canvas, heading, label, text_width};
use crate::layout::Point;
use crate::markup::{Element, cut, el, number, short};
use crate::palette::STEPS;
use hodgelet::complex::Complex;

/// One drawing among several.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// What it shows.
    pub title: String,
    /// On the cells.
    pub marks: Marks<'a>,
}

/// What the values of the panels are, for the scale below them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Colors,
    Arrows,
    None,
}

/// Drawings of one graph in a row, at most `columns` of them, then the next row; one scale for all.
#[must_use]
pub fn panels(
    title: &str,
    complex: &Complex,
    places: &[Point],
    panels: &[Panel<'_>],
    columns: usize,
    side: f64,
) -> Element {
    let columns = columns.clamp(1, panels.len().max(1));
    let rows = panels.len().div_ceil(columns);
    let width = (side * columns as f64).max(260.0);
    let scale = panels.first().map_or(Scale::None, |panel| match &panel.marks {
        Marks { flow: Some(_), .. } => Scale::Arrows,
        Marks { vertices: None, edges: None, faces: None, .. } => Scale::None,
        _ => Scale::Colors,
    });
    let foot = if scale == Scale::None { 6.0 } else { 34.0 };
    let height = 26.0 + (side + 18.0) * rows as f64 + foot;
    let placed = Placed::new(complex, places, [side, side]);
    let mut svg = canvas(width, height, title).with(heading(width, title));
    for (i, panel) in panels.iter().enumerate() {
        let x = side * (i % columns) as f64;
        let y = 26.0 + (side + 18.0) * (i / columns) as f64;
        let letters = (side / 6.4) as usize;
        svg.push(label(x + 0.5 * side, y + 13.0, "middle", cut(&panel.title, letters)));
        let place = format!("translate({} {})", short(x), short(y + 18.0));
        svg.push(drawing(complex, &placed, &panel.marks).at("transform", place));
    }
    let most = panels.first().map_or(0.0, |panel| panel.marks.scale);
    match scale {
        Scale::Colors => svg.push(colors(12.0, height - 22.0, most, panels.iter().any(is_signed))),
        Scale::Arrows => svg.push(arrow(12.0, height - 16.0, most)),
        Scale::None => {}
    }
    svg
}

/// A small drawing of a graph, without values.
#[derive(Clone, Debug)]
pub struct Thumbnail<'a> {
    /// What it shows.
    pub title: String,
    /// The graph.
    pub complex: &'a Complex,
    /// Where its vertices are.
    pub places: Vec<Point>,
    /// Short names of its vertices; empty for none.
    pub names: Vec<String>,
}

/// Drawings of several graphs in a row.
#[must_use]
pub fn thumbnails(title: &str, items: &[Thumbnail<'_>], side: f64) -> Element {
    let width = (side * items.len() as f64).max(300.0);
    let mut svg = canvas(width, side + 52.0, title).with(heading(width, title));
    for (i, item) in items.iter().enumerate() {
        let x = side * i as f64;
        svg.push(label(x + 0.5 * side, 38.0, "middle", cut(&item.title, (side / 6.4) as usize)));
        let placed = Placed::new(item.complex, &item.places, [side, side]);
        let marks = Marks { names: &item.names, ..Marks::default() };
        let place = format!("translate({} 44)", short(x));
        svg.push(drawing(item.complex, &placed, &marks).at("transform", place));
    }
    svg
}

/// Whether a panel has values below 0.
fn is_signed(panel: &Panel<'_>) -> bool {
    let Marks { vertices, edges, faces, .. } = &panel.marks;
    [vertices, edges, faces].into_iter().flatten().any(|values| values.iter().any(|&value| value < 0.0))
}

/// A bar of the colours from `-most`, or 0 where nothing is below it, to `most`.
fn colors(x: f64, y: f64, most: f64, signed: bool) -> Element {
    let (low, first) = if signed { (number(-most), 0) } else { ("0".to_owned(), STEPS / 2) };
    let left = x + text_width(&low) + 6.0;
    let mut group = el("g").with(label(x, y + 9.0, "start", low));
    for i in first..STEPS {
        let rect =
            el("rect").at("class", format!("d{i}")).num("x", left + 12.0 * (i - first) as f64).num("y", y);
        group.push(rect.num("width", 12.0).num("height", 11.0));
    }
    group.with(label(left + 12.0 * (STEPS - first) as f64 + 6.0, y + 9.0, "start", number(most)))
}

/// The strongest flow.
fn arrow(x: f64, y: f64, most: f64) -> Element {
    let line = el("path")
        .at("class", "l0")
        .at("stroke-width", "3")
        .at("d", format!("M{} {}h36", short(x), short(y)));
    let tip = format!("M{} {}l-9 -4v8Z", short(x + 23.0), short(y));
    let words = format!("strongest flow: {}; width is strength", number(most));
    el("g").with(line).with(el("path").at("class", "f1").at("d", tip)).with(label(
        x + 44.0,
        y + 4.0,
        "start",
        words,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbnails_stand_side_by_side() {
        let complex = Complex::graph(3, &[[0, 1], [1, 2]]).unwrap();
        let item = |title: &str| Thumbnail {
            title: title.to_owned(),
            complex: &complex,
            places: vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]],
            names: vec!["N".to_owned(), String::new(), "<O>".to_owned()],
        };
        let svg = thumbnails("Nearest", &[item("active, 0.010 away"), item("0.020 away")], 150.0);
        let text = svg.render();
        assert!(text.contains("translate(150 44)") && text.contains("&lt;O&gt;"), "{text}");
    }

    #[test]
    fn panels_have_titles_and_one_scale() {
        let complex = Complex::graph(3, &[[0, 1], [1, 2], [0, 2]]).unwrap();
        let places = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
        let (flow, values) = ([1.0, -2.0, 0.5], [1.0, 0.0, -1.0]);
        let of = |title: &str, marks| Panel { title: title.to_owned(), marks };
        let marks = Marks { flow: Some(&flow), scale: 2.0, ..Marks::default() };
        let four: Vec<Panel<'_>> =
            ["signal", "exact", "co-exact", "harmonic"].map(|t| of(t, marks.clone())).to_vec();
        let svg = panels("Graph 0", &complex, &places, &four, 4, 200.0).render();
        assert!(svg.contains("strongest flow: 2") && svg.contains("co-exact"));
        assert!(svg.contains("viewBox=\"0 0 800 278\""), "{svg}");
        let marks = Marks { vertices: Some(&values), scale: 1.0, ..Marks::default() };
        let svg = panels("Graph 0", &complex, &places, &[of("shares", marks)], 4, 200.0).render();
        assert_eq!(svg.matches("<rect").count(), STEPS);
    }
}

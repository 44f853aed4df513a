//! Drawings of graphs: values on vertices, flows along edges, shares of a prediction on both.

mod panel;

pub use panel::{Panel, Thumbnail, panels, thumbnails};

use crate::layout::{Point, distance};
use crate::markup::{Element, el, number, short};
use crate::palette::step;
use hodgelet::complex::Complex;

/// Cells up to this many have a title of their own, which is shown under the pointer.
const TITLED: usize = 90;

/// What is drawn on the cells of a graph.
#[derive(Clone, Debug, Default)]
pub struct Marks<'a> {
    /// Values of the vertices, which become colours.
    pub vertices: Option<&'a [f64]>,
    /// Values of the edges that have a direction: arrows.
    pub flow: Option<&'a [f64]>,
    /// Values of the edges without one: colours and widths.
    pub edges: Option<&'a [f64]>,
    /// Values of the 2-cells, which become colours.
    pub faces: Option<&'a [f64]>,
    /// The largest size of a value, which gets the strongest colour and the widest line.
    pub scale: f64,
    /// Short names of the vertices; empty for none.
    pub names: &'a [String],
}

/// Places in pixels.
pub(crate) struct Placed {
    points: Vec<Point>,
    /// Typical length of an edge.
    edge: f64,
}

impl Placed {
    /// Places that fill a box of this size, with a margin; y goes down.
    pub fn new(complex: &Complex, places: &[Point], [width, height]: [f64; 2]) -> Self {
        let margin = 14.0;
        let range = |k: usize| {
            let values = places.iter().map(|p| p[k]);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |a, x| (a.0.min(x), a.1.max(x)))
        };
        let (xs, ys) = (range(0), range(1));
        let room = [width - 2.0 * margin, height - 2.0 * margin];
        let fit = (room[0] / (xs.1 - xs.0).max(1e-12)).min(room[1] / (ys.1 - ys.0).max(1e-12));
        // A graph of few vertices is not blown up.
        let lengths = |scale: f64| {
            let of = |[a, b]: [u32; 2]| scale * distance(places[a as usize], places[b as usize]);
            let mut all: Vec<f64> = complex.edges().map(of).collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied()
        };
        let scale = match lengths(1.0) {
            Some(edge) if edge > 0.0 => fit.min(46.0 / edge),
            _ => fit.min(40.0),
        };
        let middle = [0.5 * (xs.0 + xs.1), 0.5 * (ys.0 + ys.1)];
        let place =
            |p: &Point| [0.5 * width + scale * (p[0] - middle[0]), 0.5 * height - scale * (p[1] - middle[1])];
        Self { points: places.iter().map(place).collect(), edge: lengths(scale).unwrap_or(30.0) }
    }

    fn radius(&self) -> f64 {
        (0.17 * self.edge).clamp(1.0, 6.0)
    }

    fn ends(&self, [a, b]: [u32; 2]) -> (Point, Point) {
        (self.points[a as usize], self.points[b as usize])
    }
}

/// A graph with its marks, in a box whose upper left corner is the origin.
pub(crate) fn drawing(complex: &Complex, placed: &Placed, marks: &Marks<'_>) -> Element {
    let mut group = el("g");
    faces(&mut group, complex, placed, marks);
    match (marks.flow, marks.edges) {
        (Some(flow), _) => arrows(&mut group, complex, placed, flow, marks.scale),
        (None, Some(values)) => weighted(&mut group, complex, placed, values, marks.scale),
        (None, None) => group.push(bonds(complex, placed)),
    }
    vertices(&mut group, placed, marks);
    group
}

fn faces(group: &mut Element, complex: &Complex, placed: &Placed, marks: &Marks<'_>) {
    if complex.dim() < 2 {
        return;
    }
    for face in 0..complex.n_cells(2) {
        let corners = complex.polygon(face).unwrap_or_else(|| complex.cell_vertices(2, face));
        if corners.len() < 3 {
            continue;
        }
        let class = match marks.faces.and_then(|values| values.get(face)) {
            Some(&value) => format!("d{}", step(value, marks.scale)),
            None => "face".to_owned(),
        };
        let points: Vec<String> = corners
            .iter()
            .map(|&v| placed.points[v as usize])
            .map(|p| format!("{},{}", short(p[0]), short(p[1])))
            .collect();
        let polygon = el("polygon").at("class", class).at("points", points.join(" "));
        group.push(match marks.faces.and_then(|values| values.get(face)) {
            Some(&value) if complex.n_cells(2) <= TITLED => {
                polygon.with(el("title").text(format!("2-cell {face}: {}", number(value))))
            }
            _ => polygon,
        });
    }
}

/// All edges in one path.
fn bonds(complex: &Complex, placed: &Placed) -> Element {
    let d: String = complex.edges().map(|edge| segment(placed.ends(edge))).collect();
    el("path").at("class", "bond").at("stroke-width", short((0.06 * placed.edge).clamp(0.5, 1.6))).at("d", d)
}

fn segment((p, q): (Point, Point)) -> String {
    format!("M{} {}L{} {}", short(p[0]), short(p[1]), short(q[0]), short(q[1]))
}

/// Edges as wide and as strong as their values.
fn weighted(group: &mut Element, complex: &Complex, placed: &Placed, values: &[f64], scale: f64) {
    group.push(bonds(complex, placed));
    let widest = (0.3 * placed.edge).clamp(1.2, 11.0);
    for (e, edge) in complex.edges().enumerate() {
        let value = values.get(e).copied().unwrap_or(0.0);
        let share = if scale > 0.0 { (value.abs() / scale).min(1.0) } else { 0.0 };
        if share < 0.02 {
            continue;
        }
        let path = el("path")
            .at("class", format!("e{}", step(value, scale)))
            .at("stroke-width", short(widest * share.sqrt()))
            .at("stroke-linecap", "round")
            .at("d", segment(placed.ends(edge)));
        group.push(match complex.n_cells(1) <= TITLED {
            true => path.with(el("title").text(format!("edge {}–{}: {}", edge[0], edge[1], number(value)))),
            false => path,
        });
    }
}

/// Flows: lines as wide as the flow is strong, with heads that fit on the edge.
///
/// Edges of one strength are one path, and so are their heads: a mesh of hundreds of edges stays small.
fn arrows(group: &mut Element, complex: &Complex, placed: &Placed, flow: &[f64], scale: f64) {
    const LEVELS: usize = 6;
    let widest = (0.13 * placed.edge).clamp(0.8, 3.4);
    let mut paths = vec![(String::new(), String::new()); LEVELS + 1];
    let titled = complex.n_cells(1) <= TITLED;
    let mut titles = el("g");
    for (e, edge) in complex.edges().enumerate() {
        let value = flow.get(e).copied().unwrap_or(0.0);
        let share = if scale > 0.0 { (value.abs() / scale).min(1.0) } else { 0.0 };
        // Rounding leaves a little flow everywhere.
        let level = if share < 1e-6 { 0 } else { (share * LEVELS as f64).ceil() as usize };
        let (p, q) = placed.ends(edge);
        paths[level].0 += &segment((p, q));
        if share >= 0.03 {
            let (from, to) = if value >= 0.0 { (p, q) } else { (q, p) };
            paths[level].1 += &head(from, to, share, placed.edge).unwrap_or_default();
        }
        if titled && value != 0.0 {
            let [a, b] = if value >= 0.0 { edge } else { [edge[1], edge[0]] };
            let line =
                el("path").at("d", segment((p, q))).at("stroke", "transparent").at("stroke-width", "8");
            titles.push(line.with(el("title").text(format!("{} from {a} to {b}", number(value.abs())))));
        }
    }
    for (level, (lines, heads)) in paths.into_iter().enumerate() {
        let share = level as f64 / LEVELS as f64;
        if !lines.is_empty() {
            let class = if level == 0 { "grid" } else { "l0" };
            let path = el("path").at("class", class).at("stroke-width", short(0.5 + widest * share));
            group.push(path.at("stroke-opacity", format!("{:.2}", 0.35 + 0.65 * share)).at("d", lines));
        }
        if !heads.is_empty() {
            group.push(el("path").at("class", "f1").at("d", heads));
        }
    }
    if titled {
        group.push(titles);
    }
}

/// The head of an arrow in the middle of an edge; none where it would be too small to see.
fn head(from: Point, to: Point, share: f64, edge: f64) -> Option<String> {
    let length = distance(from, to);
    let size = (0.5 * length).min(0.42 * edge).min(10.0) * (0.45 + 0.55 * share.sqrt());
    if size < 1.6 {
        return None;
    }
    let way = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
    let at = |along: f64, aside: f64| {
        let x = middle[0] + size * (along * way[0] - aside * way[1]);
        let y = middle[1] + size * (along * way[1] + aside * way[0]);
        format!("{} {}", short(x), short(y))
    };
    Some(format!("M{}L{}L{}Z", at(0.5, 0.0), at(-0.5, 0.38), at(-0.5, -0.38)))
}

fn vertices(group: &mut Element, placed: &Placed, marks: &Marks<'_>) {
    let radius = placed.radius();
    let named = |v: usize| marks.names.get(v).filter(|name| !name.is_empty());
    let titled = placed.points.len() <= TITLED;
    let plain = marks.vertices.is_none() && !titled;
    if plain {
        // A line of no length with a round end is a dot.
        let d: String = placed.points.iter().map(|p| format!("M{} {}h0", short(p[0]), short(p[1]))).collect();
        let dots = el("path").at("class", "inkline").at("stroke-linecap", "round").at("d", d);
        group.push(dots.at("stroke-width", short(1.2 * radius)));
        return;
    }
    for (v, p) in placed.points.iter().enumerate() {
        let value = marks.vertices.and_then(|values| values.get(v)).copied();
        let class = value.map_or("ink".to_owned(), |value| format!("d{}", step(value, marks.scale)));
        let size = match value {
            Some(_) => 1.35 * radius,
            None if marks.flow.is_some() => 0.45 * radius,
            None => 0.7 * radius,
        };
        let dot =
            el("circle").at("class", class).num("cx", p[0]).num("cy", p[1]).at("r", format!("{size:.1}"));
        let dot = if value.is_some() { dot.at("stroke", "#64748b").at("stroke-width", "0.6") } else { dot };
        let name = named(v).map_or(String::new(), |name| format!(" ({name})"));
        let words = match value {
            Some(value) => format!("vertex {v}{name}: {}", number(value)),
            None => format!("vertex {v}{name}"),
        };
        group.push(if titled { dot.with(el("title").text(words)) } else { dot });
        if let Some(name) = named(v).filter(|_| radius >= 3.0) {
            let text = el("text")
                .at("class", "halo")
                .num("x", p[0])
                .num("y", p[1] + 3.5)
                .at("text-anchor", "middle");
            group.push(text.at("font-size", "10").text(crate::markup::cut(name, 4)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> (Complex, Vec<Point>) {
        let complex = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [0, 3]]).unwrap();
        (complex, vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    }

    #[test]
    fn arrows_point_along_the_flow() {
        let (complex, places) = square();
        let placed = Placed::new(&complex, &places, [120.0, 120.0]);
        let flow = [1.0, 0.0, 0.0, -1.0];
        let group = drawing(&complex, &placed, &Marks { flow: Some(&flow), scale: 1.0, ..Marks::default() });
        let text = group.render();
        assert!(text.contains("1 from 0 to 1") && text.contains("1 from 3 to 0"), "{text}");
        // Heads of the two edges that flow, in one path.
        let heads = text.split("class=\"f1\"").nth(1).unwrap();
        assert_eq!(heads.split('"').nth(1).unwrap().matches('Z').count(), 2);
    }

    #[test]
    fn heads_fit_on_their_edge() {
        for length in [3.0, 12.0, 300.0] {
            let Some(path) = head([0.0, 0.0], [length, 0.0], 1.0, length) else { continue };
            let xs: Vec<f64> = path[1..path.len() - 1]
                .split('L')
                .map(|p| p.split(' ').next().unwrap().parse().unwrap())
                .collect();
            assert!(xs.iter().all(|x| (0.2 * length..=0.8 * length).contains(x)), "{length}: {xs:?}");
            assert!(xs[0] - xs[1] <= 10.0);
        }
        assert_eq!(head([0.0, 0.0], [2.0, 0.0], 1.0, 2.0), None, "too small to see");
    }

    #[test]
    fn everything_lies_in_its_box() {
        let (complex, places) = square();
        let placed = Placed::new(&complex, &places, [200.0, 90.0]);
        assert!(placed.points.iter().all(|p| (0.0..=200.0).contains(&p[0]) && (0.0..=90.0).contains(&p[1])));
        let lone = Complex::graph(1, &[]).unwrap();
        let placed = Placed::new(&lone, &[[5.0, 5.0]], [50.0, 50.0]);
        assert_eq!(placed.points, [[25.0, 25.0]]);
    }

    #[test]
    fn names_are_escaped() {
        let (complex, places) = square();
        let placed = Placed::new(&complex, &places, [200.0, 200.0]);
        let names = ["<b>".to_owned(), String::new(), "N".to_owned(), "C".to_owned()];
        let text = drawing(&complex, &placed, &Marks { names: &names, ..Marks::default() }).render();
        assert!(text.contains("vertex 0 (&lt;b&gt;)") && !text.contains("<b>"));
    }
}

//! Several models side by side as SVG text: bars by category, lines over a number, both with error bars.

use super::plot::{Frame, INK, escape, line, write_text};

/// Colors of the series in turn: told apart by people who do not see red and green as different.
const COLORS: [&str; 8] =
    ["#3b82f6", "#f59e0b", "#10b981", "#a855f7", "#ef4444", "#64748b", "#78350f", "#111827"];
/// Height of a line of the legend.
const LEGEND_LINE: f64 = 16.0;
/// Widest text of the legend, in pixels per character.
const CHARACTER: f64 = 6.6;

/// One value and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The value.
    pub value: f64,
    /// Half the height of its error bar.
    pub error: Option<f64>,
}

/// The values of one model, one for each category or place; absent ones are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// The values.
    pub points: Vec<Option<Point>>,
    /// Which color: series of one color belong together.
    pub color: usize,
    /// Numbers of others, drawn hollow or dashed.
    pub published: bool,
}

/// Bars in a group for each category, with error bars; the axis begins at 0.
#[must_use]
pub fn bars_svg(title: &str, y_label: &str, categories: &[String], series: &[Series]) -> String {
    let groups = categories.len().max(1);
    let per_group = series.len().max(1);
    let width = Frame::SIDES + (groups * per_group) as f64 * 22.0 + groups as f64 * 24.0;
    let frame = frame(width.max(420.0), series);
    let step = (frame.width - Frame::SIDES) / groups as f64;
    let bar = 0.8 * step / per_group as f64;
    let mut body = legend(&frame, series);
    for (g, category) in categories.iter().enumerate() {
        let left = Frame::LEFT + g as f64 * step;
        frame.label(&mut body, left + 0.5 * step, category);
        for (s, one) in series.iter().enumerate() {
            let Some(point) = drawable(one, g) else { continue };
            let x = left + 0.1 * step + s as f64 * bar;
            body += &column(&frame, x, bar, point, one, category);
        }
    }
    frame.picture(title, "", y_label, &body)
}

/// Lines over a number, with error bars; the axis of values begins at 0. `places` are finite and ascend.
#[must_use]
pub fn lines_svg(title: &str, x_label: &str, y_label: &str, places: &[f64], series: &[Series]) -> String {
    let frame = frame(560.0, series);
    let (first, last) = (places.first().copied().unwrap_or(0.0), places.last().copied().unwrap_or(1.0));
    let span = if last > first { last - first } else { 1.0 };
    let x = |place: f64| frame.x(0.03 + 0.94 * (place - first) / span);
    let mut body = legend(&frame, series);
    places.iter().for_each(|&place| frame.label(&mut body, x(place), &format!("{place}")));
    for one in series {
        let points = places.iter().enumerate().filter_map(|(i, &place)| Some((x(place), drawable(one, i)?)));
        body += &path(&frame, &points.collect::<Vec<_>>(), one);
    }
    frame.picture(title, x_label, y_label, &body)
}

/// A frame with room for the legend, high enough for every value and its error.
fn frame(width: f64, series: &[Series]) -> Frame {
    let points = || series.iter().flat_map(|one| (0..one.points.len()).filter_map(|i| drawable(one, i)));
    let value = points().map(|p| p.value).fold(0.0, f64::max);
    let highest = points().map(|p| p.value + p.error.unwrap_or(0.0)).fold(0.0, f64::max);
    let top = Frame::TOP + LEGEND_LINE * legend_rows(width, series).len() as f64;
    // Shares have an axis up to 1 though an error bar reaches beyond.
    let high = if value <= 1.0 && highest <= 1.2 { 1.0 } else { end_of_axis(highest) };
    Frame { width, height: 260.0 + top, top, high }
}

/// The smallest number from `highest` on whose quarters are round.
fn end_of_axis(highest: f64) -> f64 {
    let rough = highest / 4.0;
    let unit = 10f64.powf(rough.log10().floor());
    let round = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].map(|step| 4.0 * step * unit);
    round.into_iter().find(|end| *end >= highest).unwrap_or(highest)
}

/// A point that can be drawn: finite, and not below the axis.
fn drawable(series: &Series, i: usize) -> Option<Point> {
    let point = series.points.get(i).copied().flatten()?;
    let error = point.error.filter(|e| e.is_finite() && *e >= 0.0);
    (point.value.is_finite() && point.value >= 0.0).then_some(Point { value: point.value, error })
}

fn color(series: &Series) -> &'static str {
    COLORS[series.color % COLORS.len()]
}

fn column(frame: &Frame, x: f64, width: f64, point: Point, series: &Series, category: &str) -> String {
    let (y, color) = (frame.y(point.value), color(series));
    let height = frame.y(0.0) - y;
    let opacity = if series.published { 0.15 } else { 0.9 };
    let title = escape(&format!("{category}, {}: {}", series.name, described(point)));
    let rect = format!(
        "<rect x='{x:.1}' y='{y:.1}' width='{:.1}' height='{height:.1}' fill='{color}' \
         fill-opacity='{opacity}' stroke='{color}'><title>{title}</title></rect>\n",
        0.9 * width
    );
    rect + &whisker(frame, x + 0.45 * width, point)
}

fn path(frame: &Frame, points: &[(f64, Point)], series: &Series) -> String {
    let (color, dashed) = (color(series), if series.published { " stroke-dasharray='5 4'" } else { "" });
    let corners: Vec<String> =
        points.iter().map(|(x, p)| format!("{x:.1},{:.1}", frame.y(p.value))).collect();
    let mut svg = format!(
        "<polyline points='{}' fill='none' stroke='{color}' stroke-width='1.8'{dashed}/>\n",
        corners.join(" ")
    );
    for &(x, point) in points {
        let title = escape(&format!("{}: {}", series.name, described(point)));
        let y = frame.y(point.value);
        svg += &format!(
            "<circle cx='{x:.1}' cy='{y:.1}' r='3' fill='{color}'><title>{title}</title></circle>\n"
        );
        svg += &whisker(frame, x, point);
    }
    svg
}

fn described(point: Point) -> String {
    let error = point.error.map(|e| format!(" ± {e:.4}")).unwrap_or_default();
    format!("{:.4}{error}", point.value)
}

/// A vertical line through the value, as high as its error.
fn whisker(frame: &Frame, x: f64, point: Point) -> String {
    let Some(error) = point.error else { return String::new() };
    let ends = [point.value - error, point.value + error].map(|v| frame.y(v.clamp(0.0, frame.high)));
    line((x, ends[0]), (x, ends[1]), INK, "")
        + &line((x - 3.0, ends[0]), (x + 3.0, ends[0]), INK, "")
        + &line((x - 3.0, ends[1]), (x + 3.0, ends[1]), INK, "")
}

/// Which series are in which line of the legend.
fn legend_rows(width: f64, series: &[Series]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = f64::INFINITY;
    for (s, one) in series.iter().enumerate() {
        let wide = entry_width(one);
        if used + wide > width - Frame::SIDES {
            rows.push(Vec::new());
            used = 0.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push(s);
        }
        used += wide;
    }
    rows
}

fn entry_width(series: &Series) -> f64 {
    26.0 + CHARACTER * series.name.chars().count() as f64
}

fn legend(frame: &Frame, series: &[Series]) -> String {
    let mut svg = String::new();
    for (r, row) in legend_rows(frame.width, series).into_iter().enumerate() {
        let (mut x, y) = (Frame::LEFT, Frame::TOP + LEGEND_LINE * r as f64);
        for s in row {
            let (color, opacity) = (color(&series[s]), if series[s].published { 0.15 } else { 0.9 });
            svg += &format!(
                "<rect x='{x:.1}' y='{:.1}' width='10' height='10' fill='{color}' fill-opacity='{opacity}' \
                 stroke='{color}' class='legend'/>\n",
                y - 6.0
            );
            write_text(&mut svg, x + 15.0, y + 3.0, "start", "", &series[s].name);
            x += entry_width(&series[s]);
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, values: &[Option<f64>]) -> Series {
        let points = values.iter().map(|v| v.map(|value| Point { value, error: Some(0.1) })).collect();
        Series { name: name.to_owned(), points, color: 0, published: false }
    }

    #[test]
    fn axes_end_where_their_quarters_are_round() {
        let ends = [(1.3, 1.6), (4.0, 4.0), (343.0, 400.0), (403.0, 600.0), (9.7, 10.0)];
        for (highest, end) in ends {
            assert!((end_of_axis(highest) / end - 1.0).abs() < 1e-12, "{highest}: {}", end_of_axis(highest));
        }
        assert!(end_of_axis(1e300).is_finite() && end_of_axis(f64::MAX) >= f64::MAX);
        let share = lines_svg("t", "N", "", &[1.0], &[series("a", &[Some(0.95)])]);
        assert!(share.contains(">0.750<") && share.contains(">1.000<"), "{share}");
    }

    fn categories(names: &[&str]) -> Vec<String> {
        names.iter().map(|&n| n.to_owned()).collect()
    }

    #[test]
    fn every_value_has_a_bar_and_absent_ones_none() {
        let all = [series("a", &[Some(0.5), None]), series("b", &[Some(0.7), Some(1.0)])];
        let svg = bars_svg("title", "accuracy", &categories(&["X", "Y"]), &all);
        assert_eq!(svg.matches("<rect").count(), 3 + 2, "three bars, two entries of the legend");
        assert_eq!(svg.matches("X, a: 0.5000 ± 0.1000").count(), 1);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn a_bar_is_as_high_as_its_value() {
        let svg = bars_svg("", "", &categories(&["X"]), &[series("a", &[Some(0.5)])]);
        // one line of legend: 304 high with 44 above and 40 below, so that 1 is 220 pixels
        assert!(svg.contains("height='110.0'"), "{svg}");
    }

    #[test]
    fn lines_go_through_their_points_in_order() {
        let svg = lines_svg("t", "N", "accuracy", &[25.0, 50.0, 100.0], &[series("a", &[Some(0.5); 3])]);
        assert_eq!(svg.matches("<circle").count(), 3);
        let points = svg.split("points='").nth(1).unwrap().split('\'').next().unwrap();
        let places: Vec<f64> =
            points.split(' ').map(|p| p.split(',').next().unwrap().parse().unwrap()).collect();
        assert!(places[0] < places[1] && places[1] < places[2], "{places:?}");
        assert!((places[2] - places[1]) / (places[1] - places[0]) > 1.9, "places are to scale");
    }

    #[test]
    fn nothing_to_draw_and_numbers_that_cannot_be_drawn_leave_a_frame() {
        let odd = Series { published: true, ..series("a<b", &[Some(f64::NAN), Some(-1.0)]) };
        for svg in [
            bars_svg("", "", &[], &[]),
            lines_svg("", "", "", &[], &[]),
            bars_svg("", "", &categories(&["X", "Y"]), std::slice::from_ref(&odd)),
            lines_svg("", "", "", &[1.0], std::slice::from_ref(&odd)),
        ] {
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("a<b"), "{svg}");
        }
    }
}

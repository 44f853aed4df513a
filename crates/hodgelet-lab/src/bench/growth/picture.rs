//! Curves of growth: doublings of time or memory over doublings of size, so that the slope is the exponent.

use super::{Curve, Point};
use hodgelet_eval::report::{self, Series, lines_svg};

/// Doublings of time.
pub fn time(curves: &[Curve]) -> String {
    svg(curves, "Time", &|point| Some(point.seconds), &|curve| curve.time_theory)
}

/// Doublings of memory.
pub fn memory(curves: &[Curve]) -> String {
    svg(curves, "Memory", &|point| point.memory_mb, &|curve| curve.memory_theory)
}

fn svg(
    curves: &[Curve],
    what: &str,
    value: &dyn Fn(&Point) -> Option<f64>,
    theory: &dyn Fn(&Curve) -> f64,
) -> String {
    let longest = curves.iter().map(|curve| curve.points.len()).max().unwrap_or(0);
    let places: Vec<f64> = (0..longest).map(|i| i as f64).collect();
    let drawn = |value: f64| Some(report::Point { value, error: None });
    let mut series = Vec::new();
    for (color, curve) in curves.iter().enumerate() {
        let first = curve.points.first().and_then(value);
        let doublings = |point: &Point| drawn((value(point)? / first?).log2());
        series.push(Series {
            name: format!("{}: {}", curve.grows, curve.step),
            points: curve.points.iter().map(doublings).collect(),
            color,
            published: false,
        });
    }
    let mut slopes: Vec<f64> = curves.iter().map(theory).collect();
    slopes.sort_by(f64::total_cmp);
    slopes.dedup();
    for slope in slopes {
        let points = places.iter().map(|place| drawn(slope * place)).collect();
        series.push(Series {
            name: format!("exponent {slope}"),
            points,
            color: curves.len(),
            published: true,
        });
    }
    lines_svg(
        &format!("{what} against size"),
        "doublings of size",
        &format!("doublings of {}", what.to_lowercase()),
        &places,
        &series,
    )
}

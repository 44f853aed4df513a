//! Coverage and slope against the number of training graphs.

use super::check::Checked;
use crate::coverage::LEVELS;
use hodgelet_eval::report::{Point, Series, lines_svg};

/// Lines over the training sizes of the simulated rows: shares of targets in intervals, their nominal values dashed, and the
/// calibration slope.
pub fn svg(rows: &[Checked]) -> String {
    let simulated: Vec<&Checked> = rows.iter().filter(|row| row.subject.starts_with("simulated")).collect();
    let mut places: Vec<usize> = simulated.iter().map(|row| row.train).collect();
    places.sort_unstable();
    places.dedup();
    let points = |of: &dyn Fn(&Checked) -> Option<Point>| -> Vec<Option<Point>> {
        let at = |&train: &usize| simulated.iter().filter(|row| row.train == train).find_map(|row| of(row));
        places.iter().map(at).collect()
    };
    let mut series = Vec::new();
    for (l, level) in LEVELS.into_iter().enumerate() {
        let name = format!("{:.0}% intervals", 100.0 * level);
        let nominal = places.iter().map(|_| Some(Point { value: level, error: None })).collect();
        series.push(Series { name: format!("{name}, nominal"), points: nominal, color: l, published: true });
        let share = |row: &Checked| {
            let found = row.row.as_ref()?.coverage.get(l)?;
            Some(Point { value: found.mean, error: found.standard_error })
        };
        series.push(Series { name, points: points(&share), color: l, published: false });
    }
    let slope = |row: &Checked| {
        let row = row.row.as_ref()?;
        Some(Point { value: row.slope?, error: row.slope_error })
    };
    let found = points(&slope);
    series.push(Series {
        name: "slope of two classes".to_owned(),
        points: found,
        color: 3,
        published: false,
    });
    let places: Vec<f64> = places.into_iter().map(|train| train as f64).collect();
    lines_svg("Simulated targets", "training graphs", "share of targets, slope", &places, &series)
}

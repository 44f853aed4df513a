//! An experiment on disk: JSON for programs, CSV for spreadsheets, SVG for eyes.

use super::outcome::{ModelOutcome, Outcome};
use hodgelet::output::{Kind, Output};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{json, write_atomic};
use hodgelet_eval::report::{Point, Series, bars_svg, lines_svg};
use std::path::Path;

/// Writes `NAME.json`, `NAME.csv`, `NAME-folds.csv` and `NAME.svg` into a folder.
///
/// # Errors
///
/// [`CommandError::Write`].
pub fn write(outcome: &Outcome, folder: &Path) -> Result<(), CommandError> {
    let name = &outcome.experiment;
    let file = |end: &str, text: String| {
        let path = folder.join(format!("{name}{end}"));
        write_atomic(Output::new(&path, Kind::ANY), |out| out.write_all(text.as_bytes()))
    };
    file(".json", json(outcome)?)?;
    file(".csv", outcome.csv())?;
    file("-folds.csv", outcome.fold_csv())?;
    file(".svg", picture(outcome))
}

/// Bars by dataset, or lines where rows have a place on an axis; whiskers are standard errors.
fn picture(outcome: &Outcome) -> String {
    let series = series(outcome);
    let places: Option<Vec<f64>> = outcome.rows.iter().map(|row| row.place).collect();
    match places {
        Some(places) => lines_svg(&outcome.title, &outcome.row_name, "accuracy", &places, &series),
        None => {
            let labels: Vec<String> = outcome.rows.iter().map(|row| row.label.clone()).collect();
            bars_svg(&outcome.title, "accuracy", &labels, &series)
        }
    }
}

/// What was found for each model, and what the paper printed of it.
fn series(outcome: &Outcome) -> Vec<Series> {
    let models = outcome.rows.first().map(|row| row.results.len()).unwrap_or(0);
    let mut all = Vec::new();
    for m in 0..models {
        let points = |of: fn(&ModelOutcome) -> Option<Point>| -> Vec<Option<Point>> {
            outcome.rows.iter().map(|row| row.results.get(m).and_then(of)).collect()
        };
        let name = outcome.rows[0].results[m].name.clone();
        let published = points(|r| {
            let p = r.published?;
            Some(Point { value: p.mean, error: Some(p.standard_error()) })
        });
        if published.iter().any(Option::is_some) {
            let name = format!("{name}, paper");
            all.push(Series { name, points: published, color: m, published: true });
        }
        let found = points(|r| Some(Point { value: r.accuracy.mean, error: r.accuracy.standard_error }));
        all.push(Series { name, points: found, color: m, published: false });
    }
    all
}

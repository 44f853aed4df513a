//! An experiment as tables for people and for spreadsheets.

use super::outcome::{ModelOutcome, Outcome, Protocol, TestOutcome};
use hodgelet_cli::output::{Report, facts, table};
use std::fmt::Write;

impl Report for Outcome {
    fn text(&self) -> String {
        let header = self.header();
        let rows = self.rows.iter().flat_map(|row| row.results.iter().map(|r| result_cells(&row.label, r)));
        let results = table(&header, &[2, 3, 4, 5, 6, 7, 8], rows);
        let tests = self.rows.iter().flat_map(|row| row.tests.iter().map(|t| test_cells(&row.label, t)));
        let tests: Vec<Vec<String>> = tests.collect();
        let mut text = format!("{}\n\n{results}\n", self.title);
        if !tests.is_empty() {
            let tests = table(&self.test_header(), &[2, 3, 4, 5, 6], tests);
            write!(text, "\nSecond model against first, on the same folds\n\n{tests}\n").expect("a string");
        }
        write!(text, "\n{}", facts(&self.facts())).expect("a string");
        text
    }
}

impl Outcome {
    /// Names of the columns of results.
    pub fn header(&self) -> [&str; 9] {
        [&self.row_name, "model", "paper, %", "here, %", "std. error", "apart", "NLL", "ECE", "s per fold"]
    }

    /// Names of the columns of tests.
    pub fn test_header(&self) -> [&str; 7] {
        [&self.row_name, "models", "points", "better/same/worse", "p, corrected t", "p, Wilcoxon", "p, sign"]
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("protocol", protocol(&self.protocol)),
            (
                "here",
                "mean ± standard deviation over folds and repeats; its standard error beside it".to_owned(),
            ),
            ("apart", "standard errors between the paper and here".to_owned()),
            ("time", format!("{:.0} s for all cells", self.seconds)),
        ]
    }

    /// A line for each row and model, as CSV.
    pub fn csv(&self) -> String {
        let mut csv = format!(
            "{},model,published_mean,published_std,accuracy_mean,accuracy_std,accuracy_error,nll,ece,\
             fit_seconds,seconds,n\n",
            self.row_name
        );
        for row in &self.rows {
            for r in &row.results {
                let published = r.published.map(|p| format!("{},{}", p.mean, p.std));
                let a = &r.accuracy;
                let error = a.standard_error.map(|e| e.to_string()).unwrap_or_default();
                let name = r.model.key();
                writeln!(
                    csv,
                    "{},{name},{},{},{},{error},{},{},{},{},{}",
                    field(&row.label),
                    published.unwrap_or_else(|| ",".to_owned()),
                    a.mean,
                    a.std,
                    r.nll.mean,
                    r.ece,
                    r.fit_seconds.mean,
                    r.seconds,
                    a.n
                )
                .expect("a string");
            }
        }
        csv
    }

    /// A line for each row, model, repeat and fold, as CSV.
    pub fn fold_csv(&self) -> String {
        let mut csv = format!(
            "{},model,repeat,fold,n_train,n_test,accuracy,macro_f1,nll,brier,elbo,iterations,fit_seconds\n",
            self.row_name
        );
        for row in &self.rows {
            for (result, fold) in row.results.iter().flat_map(|r| r.folds.iter().map(move |f| (r, f))) {
                let Some(s) = fold.scores.classes() else { continue };
                let counts = [fold.repeat, fold.fold, fold.n_train, fold.n_test].map(|n| n.to_string());
                let scores = [s.accuracy, s.macro_f1, s.nll, s.brier, fold.elbo].map(|x| x.to_string());
                let (label, model) = (field(&row.label), result.model.key());
                let (counts, scores) = (counts.join(","), scores.join(","));
                writeln!(csv, "{label},{model},{counts},{scores},{},{}", fold.iterations, fold.fit_seconds)
                    .expect("a string");
            }
        }
        csv
    }
}

/// A field of a CSV file.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// One line about folds and training.
pub fn protocol(protocol: &Protocol) -> String {
    let Protocol { quick, folds, repeats, seed, iterations, train_on_validation } = protocol;
    let shuffles = if *repeats == 1 { "once".to_owned() } else { format!("{repeats} times") };
    let aside = match train_on_validation {
        true => "trained on all others",
        false => "one of the others set aside",
    };
    let quick = if *quick { ", quick version" } else { "" };
    format!("{folds} folds {shuffles}, {aside}, at most {iterations} steps, seed {seed}{quick}")
}

/// One row and model.
pub fn result_cells(label: &str, result: &ModelOutcome) -> Vec<String> {
    let spread = |mean: f64, std: f64| format!("{:.2} ± {:.2}", 100.0 * mean, 100.0 * std);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let accuracy = &result.accuracy;
    vec![
        label.to_owned(),
        result.name.clone(),
        or_dash(result.published.map(|p| spread(p.mean, p.std))),
        spread(accuracy.mean, accuracy.std),
        or_dash(accuracy.standard_error.map(|e| format!("{:.2}", 100.0 * e))),
        or_dash(result.apart().map(|z| format!("{z:+.1}"))),
        format!("{:.3}", result.nll.mean),
        format!("{:.3}", result.ece),
        format!("{:.2}", result.fit_seconds.mean),
    ]
}

/// One test.
pub fn test_cells(label: &str, test: &TestOutcome) -> Vec<String> {
    let c = &test.comparison;
    vec![
        label.to_owned(),
        format!("{} → {}", test.first, test.second),
        format!("{:+.2}", 100.0 * c.difference),
        format!("{}/{}/{}", c.better, c.equal, c.worse),
        c.corrected_t.map_or_else(|| "–".to_owned(), |t| format!("{:.3}", t.p)),
        format!("{:.3}", c.wilcoxon_p),
        format!("{:.3}", c.sign_p),
    ]
}

//! `hodgelet-lab reproduce page`: every result of a folder as one Markdown page, each beside the command that printed it.

use super::outcome::{Outcome, RowOutcome};
use super::text::{protocol, result_cells, test_cells};
use clap::Args;
use hodgelet_cli::LAB_COMMAND;
use hodgelet_cli::commands::audit::AuditReport;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::print_text;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Flags of `hodgelet-lab reproduce page`.
#[derive(Args, Debug)]
#[command(
    after_help = "Takes table1.json, table2.json and figure1.json of `hodgelet-lab reproduce`, audit-*.json of `hodgelet audit`,
mantra.json of `reproduce mantra`, and peers.json, regression.json and shapes.json of the scripts in bench/; what is not there is left out.

Examples:
  hodgelet-lab reproduce page --from results > docs/results.md
  hodgelet-lab reproduce page --from results results/best > docs/results.md"
)]
pub struct PageArgs {
    /// Folders with the results, in the order of the page
    #[arg(long, value_name = "DIR", num_args = 1.., default_value = "results")]
    from: Vec<PathBuf>,
    /// Where the page finds the pictures, such as `results`; without it there are none
    #[arg(long, value_name = "PATH")]
    pictures: Option<String>,
}

const INTRODUCTION: &str = "# Results

Written by `cargo run --release -p hodgelet-lab -- reproduce page` from the results of the commands below: each number was
printed by the command above its table. Accuracies are in percent, `mean ± standard deviation` over test folds as
published tables have it, with the standard error of the mean beside it. Folds share training graphs, so that the true
uncertainty is larger; the corrected resampled t-test of Nadeau and Bengio allows for it, the Wilcoxon and sign tests do not.
Before `hodgelet-lab` existed, `reproduce` was a command of `hodgelet` itself.

**What is faithful.** WT-GP, WT-GP-LG and WT-GP-Hodge run with the settings of the published code where it is known and
of the paper elsewhere: one-hot degrees beside labels and attributes on vertices, ten filters of three bands, the
normalized Laplacian without the split and the combinatorial one with it, squared exponentials with lengthscales from 1, no
priors, GPflow's likelihoods (probit with a floor; robust-max for more than two classes), stratified folds as
scikit-learn draws them, one of the other nine folds set aside.

**What differs.** Training maximizes the same bound over the hyperparameters with the best Gaussian for each, instead of
some hundred thousand variational parameters at once; the gradient passes through the standardization, which the published
code stops; initial scales come from other random numbers; `sbm` and `ring-vs-clique` are drawn once for each repeat, where
the published code draws `sbm` again for every fold. The column `hodgelet` is this program with its own settings, but with
energies alone (other blocks are compared in `docs/blocks.md`): weak priors, softmax, initial scales spread over the spectrum
of the training graphs, edge labels and distances as signals. `hodgelet, auto`
chooses among others, fold by fold: likelihood, Laplacian, signals, blocks, kernel, lengthscales, filters and starts, by
the log probability of training graphs under models of the other training graphs (three folds inside the training part; an
answer is kept when it gains one standard error). The spread of scales, the width of priors and that standard error were
chosen with knowledge of ten-fold results on these and other sets (the first of the repeats), so neither column is free
of selection bias.

**Which difference matters.** WT-GP and WT-GP-Hodge differ in the Laplacian as well as in the split:
`--models wt-combinatorial` gives WT-GP the Laplacian of WT-GP-Hodge. Lengthscales from 1 make the Gram matrix of some
hundred standardized columns start as the identity, and without priors training may not recover from that:
`--models hodge-scaled` starts them at the root of the number of columns. Neither the lengthscale of the vector fields nor
their noise is published; with the defaults here, 0.1 and 1, small meshes are easier than in the paper. A hundred fields leave
much to chance; a thousand (`--set n_fields=1000`) come within about two points of the published accuracies from 75
vertices on. With half the noise (`--set noise=0.5`) a hundred reach them at nearly every size.
`de Rham` and `mesh metric` see the same noisy flows times the lengths of their edges: this makes gradients exact, and the
noise, which is the same on every edge before, larger on long ones. With `white` edges weigh one over the square of their
length, which keeps both: exact gradients and the same noise everywhere. The mesh metric weighs edges by dual lengths along
the medians of triangles; with cotangents, which are unbounded, slivers at the border would carry most of the noise.
";

/// A table made by a script, or by an experiment without folds.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sheet {
    /// What it is.
    pub title: String,
    /// The command that printed it.
    pub command: String,
    /// When.
    pub date: String,
    /// At which commit.
    pub commit: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Paragraphs below.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Several tables.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sheets {
    /// In the order of the page.
    pub sheets: Vec<Sheet>,
}

/// Prints the page.
///
/// # Errors
///
/// [`CommandError`] when a file cannot be understood, or there is none.
pub fn run(args: &PageArgs) -> Result<(), CommandError> {
    let mut page = INTRODUCTION.to_owned();
    let mut found = false;
    let files = |name: &'static str| args.from.iter().map(move |folder| folder.join(format!("{name}.json")));
    for path in ["table1", "table2", "figure1"].into_iter().flat_map(files) {
        if let Some(outcome) = read::<Outcome>(&path)? {
            page += &experiment(&outcome, args.pictures.as_deref());
            found = true;
        }
    }
    for path in ["peers", "regression", "mantra", "shapes"].into_iter().flat_map(files) {
        if let Some(Sheets { sheets }) = read(&path)? {
            sheets.iter().for_each(|one| page += &sheet(one));
            found = true;
        }
    }
    let audits: Vec<AuditReport> =
        args.from.iter().map(|folder| audits(folder)).collect::<Result<Vec<_>, _>>()?.concat();
    if !audits.is_empty() {
        page += &leakage(&audits);
        found = true;
    }
    if !found {
        let folders =
            args.from.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
        let message = format!("{folders}: no results");
        return Err(CommandError::usage(message, Some("`hodgelet-lab reproduce table1` makes some")));
    }
    print_text(page.trim_end())
}

/// A JSON file; nothing where there is none.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, CommandError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CommandError::usage(format!("{}: {error}", path.display()), None)),
    };
    let wrong = |error| CommandError::usage(format!("{}: {error}", path.display()), None);
    serde_json::from_str(&text).map(Some).map_err(wrong)
}

/// The audits of a folder, in the order of their names.
fn audits(folder: &Path) -> Result<Vec<AuditReport>, CommandError> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_audit = |name: &str| name.starts_with("audit-") && name.ends_with(".json");
    let mut paths: Vec<PathBuf> =
        entries.filter(|e| e.file_name().to_str().is_some_and(is_audit)).map(|e| e.path()).collect();
    paths.sort_unstable();
    let read = paths.iter().map(|path| read::<AuditReport>(path));
    Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The facts above a table.
fn heading(title: &str, command: &str, date: &str, commit: Option<&str>, seconds: f64) -> String {
    let commit = commit.map(|c| format!(", commit `{c}`")).unwrap_or_default();
    format!("\n## {title}\n\n```sh\n{command}\n```\n\n{date}{commit}, {}.\n\n", duration(seconds))
}

fn duration(seconds: f64) -> String {
    if seconds < 120.0 { format!("{seconds:.0} s") } else { format!("{:.1} min", seconds / 60.0) }
}

fn markdown(header: &[impl AsRef<str>], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let safe = |cell: &str| cell.replace('|', "\\|");
    let line =
        |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    let mut text = line(&mut header.iter().map(|name| safe(name.as_ref())));
    text += &line(&mut header.iter().map(|_| "---".to_owned()));
    for row in rows {
        text += &line(&mut row.iter().map(|cell| safe(cell)));
    }
    text
}

fn experiment(outcome: &Outcome, pictures: Option<&str>) -> String {
    let (p, repeats) = (&outcome.provenance, outcome.protocol.repeats);
    let times = if repeats > 1 { format!(", {repeats} times over") } else { String::new() };
    let title = format!("{}{times}", outcome.title);
    // Results from before this crate name a subcommand of the `hodgelet` command.
    let command = match p.command.strip_prefix("hodgelet reproduce") {
        Some(flags) => format!("{LAB_COMMAND} reproduce{flags}"),
        None => p.command.clone(),
    };
    let mut text = heading(&title, &command, &p.date, p.commit.as_deref(), outcome.seconds);
    text += &format!(
        "Protocol: {}, {} threads.{}\n\n",
        protocol(&outcome.protocol),
        p.threads,
        other_commits(outcome)
    );
    let rows = outcome.rows.iter().flat_map(|row| row.results.iter().map(|r| result_cells(&row.label, r)));
    text += &markdown(&outcome.header(), rows);
    let tests = outcome.rows.iter().flat_map(|row| row.tests.iter().map(|t| test_cells(&row.label, t)));
    let tests: Vec<Vec<String>> = tests.collect();
    if !tests.is_empty() {
        text += "\nSecond model against first, on the same folds:\n\n";
        text += &markdown(&outcome.test_header(), tests);
    }
    text += &format!("\n{}\n", findings(&outcome.rows));
    if let Some(folder) = pictures {
        text += &format!("\n![{}]({folder}/{}.svg)\n", outcome.title, outcome.experiment);
    }
    text
}

/// Which other commits cells were run at.
fn other_commits(outcome: &Outcome) -> String {
    let results = outcome.rows.iter().flat_map(|row| &row.results);
    let mut commits: Vec<&str> = results.flat_map(|r| r.commits.iter().map(String::as_str)).collect();
    commits.sort_unstable();
    commits.dedup();
    commits.retain(|commit| Some(*commit) != outcome.provenance.commit.as_deref());
    match commits.as_slice() {
        [] => String::new(),
        commits => format!(" Cells run at other commits: `{}`.", commits.join("`, `")),
    }
}

/// What the numbers say, in words that follow from them.
fn findings(rows: &[RowOutcome]) -> String {
    let apart: Vec<f64> =
        rows.iter().flat_map(|row| &row.results).filter_map(|result| result.apart()).collect();
    let mut sentences = Vec::new();
    if !apart.is_empty() {
        let near = apart.iter().filter(|z| z.abs() <= 2.0).count();
        sentences.push(format!(
            "{near} of {} published numbers lie within two standard errors of what was found here.",
            apart.len()
        ));
    }
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for test in rows.iter().flat_map(|row| &row.tests) {
        if !pairs.contains(&(&test.first, &test.second)) {
            pairs.push((&test.first, &test.second));
        }
    }
    sentences.extend(pairs.into_iter().map(|(first, second)| compared(rows, first, second)));
    sentences.join(" ")
}

/// How often one model is above another, and where a test agrees.
fn compared(rows: &[RowOutcome], first: &str, second: &str) -> String {
    let tests: Vec<(&str, _)> = rows
        .iter()
        .flat_map(|row| row.tests.iter().map(|test| (row.label.as_str(), test)))
        .filter(|(_, test)| test.first == first && test.second == second)
        .collect();
    let above = tests.iter().filter(|(_, test)| test.comparison.difference > 0.0).count();
    let significant = |sign: f64| -> Vec<&str> {
        let at = |c: &hodgelet_eval::compare::Comparison| {
            c.difference * sign > 0.0 && c.corrected_t.is_some_and(|t| t.p < 0.05)
        };
        tests.iter().filter(|(_, test)| at(&test.comparison)).map(|(label, _)| *label).collect()
    };
    let listed = |labels: &[&str]| match labels {
        [] => "nowhere".to_owned(),
        labels => format!("on {}", labels.join(", ")),
    };
    format!(
        "{second} is above {first} on {above} of {}; at the 5% level the corrected test finds it better {} and worse {}.",
        tests.len(),
        listed(&significant(1.0)),
        listed(&significant(-1.0))
    )
}

fn sheet(sheet: &Sheet) -> String {
    let mut text = heading(&sheet.title, &sheet.command, &sheet.date, sheet.commit.as_deref(), sheet.seconds);
    text += &markdown(&sheet.header, sheet.rows.iter().cloned());
    sheet.notes.iter().for_each(|note| text += &format!("\n{note}\n"));
    text
}

const LEAKAGE: &str = "
## Leakage: graphs seen before

Test graphs whose fingerprint (all Hodgelet features of the full encoding) equals that of a training graph of their fold.
Equal features do not prove isomorphism, but isomorphic graphs always have equal features. `without` is the score on the
other test graphs; `ceiling` is the highest accuracy of a model that sees only the fingerprint, because some graphs that
look alike have different targets.
";

fn leakage(audits: &[AuditReport]) -> String {
    let header = [
        "dataset",
        "graphs",
        "distinct",
        "test graphs seen, %",
        "contradicted, %",
        "ceiling",
        "score",
        "all",
        "without",
    ];
    let commands: Vec<&str> = audits.iter().map(|audit| audit.provenance.command.as_str()).collect();
    let seconds = audits.iter().map(|audit| audit.seconds).sum();
    let mut dates: Vec<&str> = audits.iter().map(|audit| audit.provenance.date.as_str()).collect();
    dates.sort_unstable();
    let commit = audits.iter().find_map(|audit| audit.provenance.commit.as_deref());
    let facts = heading("", &commands.join("\n"), dates.last().unwrap_or(&""), commit, seconds);
    let facts = facts.trim_start_matches("\n## \n");
    format!("{LEAKAGE}{facts}{}", markdown(&header, audits.iter().map(AuditReport::line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_keeps_bars_inside_their_cells() {
        let text = markdown(&["a", "b"], [vec!["x|y".to_owned(), "1".to_owned()]]);
        assert_eq!(text, "| a | b |\n| --- | --- |\n| x\\|y | 1 |\n");
    }

    #[test]
    fn short_times_are_in_seconds() {
        assert_eq!([90.0, 600.0].map(duration), ["90 s", "10.0 min"]);
    }
}

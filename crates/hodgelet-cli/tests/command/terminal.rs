//! What people see in a terminal: `script` gives the command one of any width.

use crate::{PROGRAM, run_in};
use std::path::Path;
use std::process::Command;

/// What a terminal of so many columns gets from standard output, or from standard error.
fn seen(folder: &Path, columns: usize, variables: &[(&str, &str)], args: &str, errors: bool) -> String {
    let other = if errors { ">/dev/null" } else { "2>/dev/null" };
    let line = format!("stty cols {columns} rows 50; exec '{PROGRAM}' {args} {other}");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(folder);
    script.env_remove("NO_COLOR").env("TERM", "xterm").envs(variables.iter().copied());
    let out = script.stdin(std::process::Stdio::null()).output().expect("`script` of util-linux runs");
    String::from_utf8(out.stdout).unwrap()
}

/// Standard output, as lines.
fn lines(folder: &Path, columns: usize, args: &str) -> Vec<String> {
    let text = seen(folder, columns, &[("NO_COLOR", "1")], args, false);
    text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
}

/// A folder with a model of a few graphs.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["-q", "fit", "sbm", "--set", "n_graphs=24", "--hyperparameters", "map", "--iterations", "3"];
    run_in(folder.path(), &[&fit[..], &["--out", "m.hodgelet"]].concat());
    folder
}

#[test]
fn results_fit_a_narrow_terminal_and_numbers_stay_whole() {
    let folder = folder();
    let commands = [
        "info sbm --set n_graphs=24",
        "info m.hodgelet",
        "predict m.hodgelet sbm --set n_graphs=4",
        "explain m.hodgelet sbm --set n_graphs=4 --graph 1",
        "evaluate sbm --set n_graphs=24 --folds 3 --hyperparameters map --iterations 3",
        "decompose sbm --set n_graphs=4 --graph 1",
        "datasets list",
    ];
    for args in commands {
        for columns in [60, 100] {
            let found = lines(folder.path(), columns, args);
            assert!(found.len() > 3, "{args}: {found:?}");
            let wide = found.iter().max_by_key(|line| line.chars().count()).unwrap();
            assert!(wide.chars().count() <= columns, "{args} in {columns} columns: {wide}");
        }
    }
    // The same numbers as in a file, none of them broken between lines.
    let args = ["predict", "m.hodgelet", "sbm", "--set", "n_graphs=4"];
    let whole = run_in(folder.path(), &args).result();
    let narrow = lines(folder.path(), 60, &args.join(" ")).join("\n");
    for number in whole.split_whitespace().filter(|word| word.parse::<f64>().is_ok()) {
        assert!(narrow.split_whitespace().any(|word| word == number), "{number} in\n{narrow}");
    }
}

#[test]
fn bars_are_for_people_and_colours_can_be_turned_off() {
    let folder = folder();
    let explain = "explain m.hodgelet sbm --set n_graphs=4 --graph 1";
    let colorful = seen(folder.path(), 100, &[], explain, false);
    assert!(colorful.contains('█') && colorful.contains("\u{1b}[3"), "{colorful}");
    for variables in [[("NO_COLOR", "1")], [("TERM", "dumb")]] {
        let plain = seen(folder.path(), 100, &variables, explain, false);
        assert!(plain.contains('█') && !plain.contains('\u{1b}'), "{plain}");
    }
    let words: Vec<&str> = explain.split(' ').collect();
    let file = run_in(folder.path(), &words).result();
    assert!(!file.contains('█') && !file.contains('\u{1b}'), "{file}");
    let evaluate = "evaluate sbm --set n_graphs=24 --folds 3 --hyperparameters map --iterations 3";
    let found = lines(folder.path(), 100, evaluate);
    assert!(found.iter().any(|line| line.starts_with("accuracy, % by fold")), "{found:?}");
    assert!(
        found.iter().any(|line| line.starts_with("probability") && line.contains("right, %")),
        "{found:?}"
    );
}

#[test]
fn errors_have_a_colour_and_progress_says_what_is_left() {
    let folder = folder();
    let failed = "predict nothing.hodgelet sbm";
    let error = seen(folder.path(), 80, &[], failed, true);
    assert!(error.contains("\u{1b}[1;31merror:\u{1b}[0m"), "{error}");
    assert!(!seen(folder.path(), 80, &[("NO_COLOR", "1")], failed, true).contains('\u{1b}'));
    let evaluate = "evaluate sbm --set n_graphs=24 --folds 3 --hyperparameters map --iterations 3";
    let bar = seen(folder.path(), 80, &[], evaluate, true);
    assert!(bar.contains("folds") && bar.contains("s left"), "{bar}");
}

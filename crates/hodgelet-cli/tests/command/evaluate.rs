use crate::{command, listing, run, run_in};
use serde_json::{Value, json};
use std::path::Path;

/// A quick evaluation of a few small graphs.
const QUICK: [&str; 8] = ["evaluate", "sbm", "--set", "n_graphs=24", "--folds", "3", "--iterations", "5"];

fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&QUICK[..], more].concat()
}

/// Everything that is the same in every run.
fn without_times(mut evaluation: Value) -> Value {
    let fields = evaluation.as_object_mut().unwrap();
    for key in ["fit_seconds", "predict_seconds", "peak_memory_mb"] {
        assert!(fields.remove(key).is_some(), "{key}");
    }
    for fold in fields["folds"].as_array_mut().unwrap() {
        let fold = fold.as_object_mut().unwrap();
        assert!(fold.remove("fit_seconds").is_some() && fold.remove("predict_seconds").is_some());
    }
    evaluation
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn the_json_holds_scores_and_folds() {
    let found = run(&quick(&["--format", "json"])).json();
    assert_eq!(found["dataset"], "sbm");
    assert_eq!(found["model"], "WT-GP-Hodge");
    assert_eq!((&found["graphs"], &found["classes"]), (&json!(24), &json!(2)));
    for score in ["accuracy", "macro_f1"] {
        assert!((0.0..=1.0).contains(&number(&found[score]["mean"])), "{score}");
    }
    for score in ["accuracy", "nll", "brier", "fit_seconds"] {
        assert!(number(&found[score]["mean"]) >= 0.0 && number(&found[score]["std"]) >= 0.0, "{score}");
    }
    assert!((0.0..=1.0).contains(&number(&found["ece"])));
    let folds = found["folds"].as_array().unwrap();
    let parts: Vec<_> = folds.iter().map(|f| [&f["fold"], &f["n_train"], &f["n_test"]]).collect();
    assert_eq!(json!(parts), json!([[0, 8, 8], [1, 8, 8], [2, 8, 8]]));
    for score in ["accuracy", "nll", "brier", "elbo", "fit_seconds"] {
        let mean = folds.iter().map(|fold| number(&fold[score])).sum::<f64>() / 3.0;
        let reported = number(&found[score]["mean"]);
        assert!((reported - mean).abs() <= 1e-12 * mean.abs(), "{score}: {reported}, {mean}");
    }
    assert!(number(&found["elbo"]["mean"]) < 0.0, "a bound of the log probability of classes");
}

#[test]
fn threads_and_memory_change_nothing_but_times() {
    let json = |more: &[&str]| {
        let mut found = without_times(run(&quick(&[&["--format", "json"], more].concat())).json());
        found["settings"].as_object_mut().unwrap().remove("memory");
        found
    };
    let alone = json(&["--threads", "1", "--memory", "300"]);
    assert_eq!(json(&["--threads", "3"]), alone);
    assert_ne!(json(&["--seed", "1"]), alone);
}

#[test]
fn the_table_has_the_scores_and_a_line_for_each_fold() {
    let text = run(&quick(&["--repeats", "2"])).result();
    for start in [
        "dataset               sbm",
        "model                 WT-GP-Hodge",
        "accuracy, %           ",
        "balanced accuracy, %  ",
        "MCC                   ",
        "average precision     ",
    ] {
        assert!(text.lines().any(|line| line.starts_with(start)), "{start}: {text}");
    }
    let folds = text.split("\n\n").nth(1).unwrap();
    let rows: Vec<Vec<&str>> = folds.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..4], ["repeat", "fold", "train", "test"]);
    let named: Vec<&[&str]> = rows[1..].iter().map(|row| &row[..2]).collect();
    assert_eq!(named, [["0", "0"], ["0", "1"], ["0", "2"], ["1", "0"], ["1", "1"], ["1", "2"]]);
}

#[test]
fn a_folder_receives_the_result_and_its_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let printed = run_in(folder.path(), &quick(&["--format", "json", "--out", "a/b"])).json();
    let out = folder.path().join("a/b");
    assert_eq!(listing(&out), ["evaluation.json", "folds.svg", "reliability.svg", "splits.json"]);
    let written = std::fs::read_to_string(out.join("evaluation.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), printed);
    for picture in ["folds.svg", "reliability.svg"] {
        let svg = std::fs::read_to_string(out.join(picture)).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{picture}: {svg}");
    }
}

#[test]
fn all_four_models_run() {
    for (model, name) in
        [("hodge", "WT-GP-Hodge"), ("wt", "WT-GP"), ("line-graph", "WT-GP-LG"), ("fourier", "FT-GP")]
    {
        let found = run(&quick(&["--method", model, "--vertices", "constant", "--format", "json"])).json();
        assert_eq!(found["model"], name);
        assert!(number(&found["nll"]["mean"]).is_finite(), "{model}");
    }
}

#[test]
fn given_splits_take_the_place_of_folds() {
    let folder = tempfile::tempdir().unwrap();
    let run = |splits: Value, more: &[&str]| {
        std::fs::write(folder.path().join("splits.json"), splits.to_string()).unwrap();
        let args =
            ["evaluate", "sbm", "--set", "n_graphs=24", "--iterations", "5", "--splits", "splits.json"];
        run_in(folder.path(), &[&args[..], more].concat())
    };
    let all: Vec<usize> = (0..24).collect();
    let splits = json!([
        {"train": all[..12], "validation": all[12..18], "test": all[18..]},
        {"train": all[8..], "test": all[..8]},
    ]);
    let quiet = |splits: Value, more: &[&str]| run(splits, &[more, &["--quiet"]].concat());
    let parts = |found: Value| {
        let folds = found["folds"].as_array().unwrap().clone();
        json!(folds.iter().map(|f| [&f["n_train"], &f["n_validation"], &f["n_test"]]).collect::<Vec<_>>())
    };
    let json = ["--format", "json"];
    assert_eq!(parts(quiet(splits.clone(), &json).json()), json!([[12, 6, 6], [16, 0, 8]]));
    let joined = quiet(splits.clone(), &["--format", "json", "--train-on-validation"]);
    assert_eq!(parts(joined.json()), json!([[18, 0, 6], [16, 0, 8]]));
    assert_eq!(
        run(json!([{"train": [0, 1], "test": [24]}]), &[]).failure(1),
        "error: splits.json: fold 0, test: index 24, but the dataset has 24 items\n"
    );
    let error = run(splits, &["--folds", "3"]).failure(1);
    assert!(error.contains("'--splits <FILE>' cannot be used with '--folds <FOLDS>'"), "{error}");
}

/// Graphs with a number to predict, the mean degree, as `degrees.jsonl`.
pub fn write_mean_degrees(folder: &Path) {
    run_in(folder, &["generate", "sbm", "--set", "n_graphs=24", "--out", "classes.jsonl"]).result();
    let classes = std::fs::read_to_string(folder.join("classes.jsonl")).unwrap();
    std::fs::remove_file(folder.join("classes.jsonl")).unwrap();
    let mut lines =
        vec![json!({"hodgelet": 1, "name": "degrees", "target": "real", "columns": []}).to_string()];
    for line in classes.lines().skip(1) {
        let mut graph: Value = serde_json::from_str(line).unwrap();
        let edges = graph["edges"].as_array().unwrap().len() as f64;
        graph["target"] = json!(2.0 * edges / graph["vertices"].as_f64().unwrap());
        lines.push(graph.to_string());
    }
    std::fs::write(folder.join("degrees.jsonl"), lines.join("\n") + "\n").unwrap();
}

#[test]
fn numbers_are_evaluated_as_numbers() {
    let folder = tempfile::tempdir().unwrap();
    write_mean_degrees(folder.path());
    let args = ["evaluate", "degrees.jsonl", "--folds", "3", "--iterations", "5", "--out", "."];
    let text = run_in(folder.path(), &args).result();
    for start in ["RMSE", "R²", "90% interval holds", "evidence"] {
        assert!(text.lines().any(|line| line.starts_with(start)), "{start}: {text}");
    }
    assert_eq!(listing(folder.path()), ["degrees.jsonl", "evaluation.json", "folds.svg", "splits.json"]);
    let found = run_in(folder.path(), &[&args[..6], &["--format", "json"]].concat()).json();
    assert_eq!(found["dataset"], "degrees");
    assert!(number(&found["rmse"]["mean"]) > 0.0 && number(&found["r2"]["mean"]) <= 1.0);
    assert!(found.get("accuracy").is_none());
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let error = |args: &[&str]| run(args).failure(1);
    let unknown = error(&["evaluate", "sbm", "--method", "hodg"]);
    assert!(unknown.contains("[possible values: hodge, wt, line-graph, fourier]"), "{unknown}");
    let none = error(&["evaluate", "sbm", "--restarts", "0"]);
    assert!(none.contains("invalid value '0' for '--restarts <N>'"), "{none}");
    assert_eq!(
        error(&["evaluate", "sbm", "--folds", "1"]),
        "error: found 1 folds, expected at least 3\nhint: --train-on-validation needs 2 folds only\n"
    );
    assert_eq!(
        error(&["evaluate", "sbm", "--set", "n_graphs=12"]),
        "error: the largest class has 6 members, expected at least one for each of 10 folds\n\
         hint: use at most 6 folds\n"
    );
    let negative = error(&["evaluate", "sbm", "--time-limit=-1"]);
    assert!(
        negative.contains("invalid value '-1' for '--time-limit <SECONDS>': expected a number from 0"),
        "{negative}"
    );
    assert_eq!(
        error(&quick(&["--method", "line-graph"])).lines().next(),
        Some("error: repeat 0, fold 0: cells of dimension 1 carry no signal")
    );
}

#[test]
fn two_folds_are_enough_when_none_is_set_aside() {
    let args = ["evaluate", "sbm", "--set", "n_graphs=24", "--folds", "2", "--iterations", "2"];
    let found = run(&[&args[..], &["--train-on-validation", "--format", "json"]].concat()).json();
    assert_eq!(found["folds"].as_array().unwrap().len(), 2);
    assert!(run(&args).failure(1).starts_with("error: found 2 folds, expected at least 3\n"));
}

#[test]
fn an_evaluation_that_was_killed_goes_on_with_the_folds_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["evaluate", "sbm", "--set", "n_graphs=60", "--folds", "12", "--format", "json", "--out", "r"];
    let whole =
        without_times(run_in(folder.path(), &[&args[..args.len() - 2], &["--out", "whole"]].concat()).json());
    let kept = folder.path().join("r/unfinished");
    let n_kept = || {
        std::fs::read_dir(&kept).map_or(0, |entries| {
            let is_fold = |name: std::ffi::OsString| name.to_string_lossy().ends_with(".json");
            entries.filter(|entry| entry.as_ref().is_ok_and(|entry| is_fold(entry.file_name()))).count()
        })
    };
    let mut child = command(folder.path(), &args).stdout(std::process::Stdio::null()).spawn().unwrap();
    while n_kept() < 2 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let finished = n_kept();
    let again = run_in(folder.path(), &args);
    assert_eq!(again.status, 0, "{}", again.stderr);
    if finished > 0 {
        assert!(
            again.stderr.contains(&format!("{finished} of 12 folds were finished before")),
            "{}",
            again.stderr
        );
    }
    let mut resumed = without_times(serde_json::from_str(&again.stdout).unwrap());
    let mut whole = whole;
    for evaluation in [&mut resumed, &mut whole] {
        evaluation.as_object_mut().unwrap().remove("settings");
    }
    assert_eq!(resumed, whole);
    assert!(!kept.exists(), "what is finished is not kept");

    // Folds of other settings are not taken for these.
    let other = run_in(folder.path(), &[&args[..], &["--n-filters", "3"]].concat());
    assert!(other.status == 0 && !other.stderr.contains("finished before"), "{}", other.stderr);
}

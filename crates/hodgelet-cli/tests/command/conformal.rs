use crate::evaluate::write_mean_degrees;
use crate::run_in;
use serde_json::Value;
use std::path::Path;

fn fit(folder: &Path, dataset: &[&str], more: &[&str]) -> String {
    let fast = ["--iterations", "3", "--hyperparameters", "map", "--out", "m.hodgelet"];
    run_in(folder, &[&["fit"], dataset, &fast[..], more].concat()).result()
}

fn predict(folder: &Path, dataset: &[&str], coverage: &str) -> Value {
    let flags = ["--coverage", coverage, "--format", "json"];
    run_in(folder, &[&["predict", "m.hodgelet"], dataset, &flags[..]].concat()).json()
}

const GRAPHS: [&str; 3] = ["sbm", "--set", "n_graphs=60"];
const NEW: [&str; 5] = ["sbm", "--set", "n_graphs=40", "--seed", "1"];

#[test]
fn sets_say_what_they_rest_on() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, basis, guaranteed) in [
        (&[][..], "model", None),
        (&["--conformal", "split"], "split", Some(0.8)),
        (&["--conformal", "cv-plus", "--conformal-folds", "3", "--conformal-classes"], "cv-plus", Some(0.5)),
    ] {
        let text = fit(folder.path(), &GRAPHS, flags);
        assert_eq!(text.contains("guarantee "), guaranteed.is_some(), "{text}");
        let found = predict(folder.path(), &NEW, "0.8");
        let coverage = &found["coverage"];
        assert_eq!((coverage["basis"].as_str(), coverage["level"].as_f64()), (Some(basis), Some(0.8)));
        let proven = coverage["guaranteed"].as_f64();
        assert_eq!(proven.is_some(), guaranteed.is_some());
        assert!(
            proven.is_none_or(|proven| proven >= guaranteed.unwrap() - 1e-9 && proven <= 0.8),
            "{coverage}"
        );
        let rows = found["predictions"].as_array().unwrap();
        let held = |row: &&Value| row["set"].as_array().unwrap().contains(&row["truth"]);
        let share = rows.iter().filter(held).count() as f64 / rows.len() as f64;
        assert_eq!(coverage["share_held"].as_f64(), Some(share));
        assert!(share > 0.5, "{share}");
        let table = [&["predict", "m.hodgelet"], &NEW[..], &["--coverage", "0.8"]].concat();
        let table = run_in(folder.path(), &table).result();
        let last = table.lines().last().unwrap();
        assert!(table.lines().next().unwrap().contains("80% set"), "{table}");
        assert_eq!(last.contains("without a guarantee"), guaranteed.is_none(), "{last}");
    }
}

#[test]
fn too_few_calibration_graphs_are_told_and_intervals_have_no_ends() {
    let folder = tempfile::tempdir().unwrap();
    write_mean_degrees(folder.path());
    fit(folder.path(), &["degrees.jsonl"], &["--conformal", "split"]);
    let args = ["predict", "m.hodgelet", "degrees.jsonl", "--coverage", "0.9"];
    let run = run_in(folder.path(), &[&args[..], &["--format", "json"]].concat());
    let note = "6 calibration graphs, but a coverage of 0.9 needs 9: every interval is infinite";
    assert_eq!((run.status, run.stderr.clone()), (0, format!("warning: {note}\n")));
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["coverage"]["notes"][0], note);
    assert_eq!(found["predictions"][0]["interval"], serde_json::json!([null, null]));
    assert!(run_in(folder.path(), &args).stdout.contains("-∞ to ∞"));
    let found = predict(folder.path(), &["degrees.jsonl"], "0.8");
    let ends = found["predictions"][0]["interval"].as_array().unwrap();
    assert!(ends[0].as_f64().unwrap() < ends[1].as_f64().unwrap());
}

#[test]
fn a_coverage_and_a_command_that_have_no_regions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), &GRAPHS, &[]);
    for (coverage, shown) in [("1", "1"), ("0", "0"), ("NaN", "NaN"), ("1.5", "1.5")] {
        assert_eq!(
            run_in(folder.path(), &["predict", "m.hodgelet", "sbm", "--coverage", coverage]).failure(1),
            format!("error: coverage is {shown}, expected a number between 0 and 1, both excluded\n")
        );
    }
    let message = run_in(folder.path(), &["evaluate", "sbm", "--conformal", "split"]).failure(1);
    assert!(
        message.starts_with("error: --conformal, but cross-validation predicts no regions\n"),
        "{message}"
    );
    let auto =
        ["fit", "sbm", "--set", "n_graphs=20", "--auto", "--conformal", "split", "--out", "n.hodgelet"];
    let message = run_in(folder.path(), &auto).failure(1);
    assert!(
        message.starts_with("error: a conformal guarantee cannot be given: a search for settings"),
        "{message}"
    );
}

#[test]
fn errors_of_the_most_confident_share_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["evaluate", "sbm", "--set", "n_graphs=30", "--folds", "3", "--iterations", "3"];
    let args = [&args[..], &["--hyperparameters", "map"]].concat();
    let found = run_in(folder.path(), &[&args[..], &["--format", "json"]].concat()).json();
    let kept = found["risk_coverage"].as_array().unwrap();
    assert_eq!(kept.len(), 4);
    let error = 1.0 - found["accuracy"]["mean"].as_f64().unwrap();
    assert!((kept[0]["risk"].as_f64().unwrap() - error).abs() < 1e-9 && kept[0]["kept"] == 30);
    assert!(kept.windows(2).all(|pair| pair[1]["threshold"].as_f64() >= pair[0]["threshold"].as_f64()));
    assert_eq!(found["abstention"][1]["target_error"], 0.05);
    assert!(run_in(folder.path(), &args).result().contains("most confident  graphs  error, %"));
}

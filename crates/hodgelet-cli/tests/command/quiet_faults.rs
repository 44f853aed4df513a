//! Faults that used to pass in silence, or to be blamed on the program.

use super::{run_in, tiny, tu_file};
use std::fs;

#[test]
fn names_do_not_reach_the_terminal_as_control_sequences() {
    let folder = tempfile::tempdir().unwrap();
    let header = r#"{"hodgelet": 1, "name": "evil\u001b[2Jname\r", "target": "class", "columns": [{"name": "c\u001b]0;x\u0007", "dim": 0, "kind": "labels"}]}"#;
    let line = |class: &str, kind: &str| {
        format!(
            "{{\"vertices\": 3, \"edges\": [[0, 1], [1, 2]], \"signals\": {{\"0\": {{\"c\\u001b]0;x\\u0007\": [\"{kind}\", \"b\", \"b\"]}}}}, \"target\": \"{class}\\u009b\"}}"
        )
    };
    let lines = [line("x", "a"), line("y", "b"), line("x", "a"), line("y", "b")].join("\n");
    fs::write(folder.path().join("d.jsonl"), format!("{header}\n{lines}\n")).unwrap();
    let commands: [&[&str]; 4] = [
        &["info", "d.jsonl"],
        &["fit", "d.jsonl", "--iterations", "2", "--out", "m.hodgelet"],
        &["predict", "m.hodgelet", "d.jsonl"],
        &["features", "d.jsonl", "--out", "\u{1b}[2J.txt"],
    ];
    for args in commands {
        let run = run_in(folder.path(), args);
        let printed = format!("{}{}", run.stdout, run.stderr);
        assert!(!printed.is_empty());
        assert!(printed.chars().all(|c| c == '\n' || !c.is_control()), "{printed:?}");
    }
    let info = run_in(folder.path(), &["info", "d.jsonl"]).result();
    assert!(info.contains(r"evil\u{1b}[2Jname\r"), "{info}");
}

#[test]
fn coefficients_that_cannot_be_squared_are_the_fault_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for coefficient in ["1e300", "1e-320"] {
        let text = format!(
            "{{\"hodgelet\": 1}}\n{{\"vertices\": 2, \"edges\": [[0, 1]], \"boundaries\": {{\"2\": [[[0, {coefficient}]]]}}}}\n\
             {{\"vertices\": 2, \"boundaries\": {{\"1\": [[[0, {coefficient}], [1, -1]]]}}}}\n"
        );
        fs::write(folder.path().join("d.jsonl"), text).unwrap();
        let error = run_in(folder.path(), &["features", "d.jsonl", "--edges", "constant", "--out", "f.csv"])
            .failure(1);
        assert!(error.starts_with("error: d.jsonl, line "), "{error}");
    }
    let text = "{\"hodgelet\": 1}\n{\"vertices\": 2, \"boundaries\": {\"1\": [[[0, 1e300], [1, -1]]]}}\n";
    fs::write(folder.path().join("d.jsonl"), text).unwrap();
    let error =
        run_in(folder.path(), &["features", "d.jsonl", "--edges", "constant", "--out", "f.csv"]).failure(1);
    assert!(error.contains("has the coefficient 1e300, expected magnitudes from 1e-70 to 1e70"), "{error}");
}

#[test]
fn targets_in_any_unit_train_or_are_refused_before() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &["generate", "sbm", "--set", "n_graphs=12", "--out", "d.jsonl"]).result();
    let text = fs::read_to_string(folder.path().join("d.jsonl")).unwrap();
    for (unit, is_number) in
        [("1e-300", false), ("1e300", false), ("1e150", true), ("1e-150", true), ("1", true)]
    {
        let with_numbers: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(i, line)| {
                let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
                if i == 0 {
                    line["target"] = "real".into();
                    line.as_object_mut().unwrap().remove("classes");
                } else {
                    let target = unit.parse::<f64>().unwrap() * (i % 5) as f64;
                    line["target"] = target.into();
                }
                line.to_string()
            })
            .collect();
        fs::write(folder.path().join("r.jsonl"), with_numbers.join("\n")).unwrap();
        let fit = run_in(folder.path(), &["fit", "r.jsonl", "--iterations", "5", "--out", "m.hodgelet"]);
        if !is_number {
            let error = fit.failure(1);
            assert!(error.contains("expected magnitudes from 1e-152 to 1e152"), "{error}");
            continue;
        }
        fit.result();
        let found = run_in(folder.path(), &["predict", "m.hodgelet", "r.jsonl", "--format", "json"]).json();
        let rmse = found["rmse"].as_f64().unwrap() / unit.parse::<f64>().unwrap();
        assert!(rmse > 1e-6 && rmse < 3.0, "{unit}: {rmse}");
    }
}

#[test]
fn splits_that_leave_graphs_out_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &["generate", "sbm", "--set", "n_graphs=12", "--out", "d.jsonl"]).result();
    let splits = r#"[{"train": [0, 1, 2, 3, 4], "test": [5, 6]}, {"train": [5, 6, 7, 8], "test": [0, 1]}]"#;
    fs::write(folder.path().join("s.json"), splits).unwrap();
    let args = ["evaluate", "d.jsonl", "--iterations", "2", "--splits", "s.json"];
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, 0);
    let expected =
        "warning: s.json: 6 of 12 graphs are in no part of fold 1, 8 of 12 graphs are in no test part\n";
    assert_eq!(run.stderr, expected);
    fs::write(folder.path().join("s.json"), splits.replace("\"test\": [5", "\"train\": [3], \"test\": [5"))
        .unwrap();
    let error = run_in(folder.path(), &args).failure(1);
    assert!(error.contains("key `train` a second time"), "{error}");
}

#[test]
fn a_file_of_arcs_that_was_cut_off_is_reported() {
    let folder = tiny();
    let arcs = fs::read_to_string(tu_file(folder.path(), "A")).unwrap();
    for name in ["edge_labels", "A"] {
        fs::write(tu_file(folder.path(), name), "").unwrap();
    }
    let run = run_in(folder.path(), &["features", "TINY", "--edges", "none", "--out", "f.csv"]);
    assert!(
        run.stderr.contains("2 graphs at the end without an edge; the file of arcs may have been cut off"),
        "{}",
        run.stderr
    );
    let cut: String = arcs.lines().take(9).map(|line| format!("{line}\n")).collect();
    fs::write(tu_file(folder.path(), "A"), cut).unwrap();
    fs::remove_file(tu_file(folder.path(), "edge_labels")).unwrap();
    let run = run_in(folder.path(), &["features", "TINY", "--edges", "none", "--out", "f.csv"]);
    assert!(run.stderr.contains("1 edge listed in one direction only"), "{}", run.stderr);
}

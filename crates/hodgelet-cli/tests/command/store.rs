use crate::{command, listing, run_in};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const SMALL: [&str; 4] = ["--set", "n_graphs=1100", "--set", "n_atoms=6..9"];
const QUICK: [&str; 8] = ["--posterior", "sparse", "--inducing", "20", "--sample", "60", "--iterations", "3"];

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

/// All files of a folder with their bytes.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    listing(folder).into_iter().map(|name| (name.clone(), bytes(folder, &name))).collect()
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = String::from_utf8(bytes(folder, name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What a store was not measured with would have no effect.
#[test]
fn flags_of_the_data_are_refused_with_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--set", "n_graphs=30", "--set", "n_atoms=6..9"];
    run_in(folder.path(), &[&["measure", "molecules", "--out", "s"], &small[..]].concat()).result();
    for flags in [&["--columns", "missing.csv"][..], &["--target", "x"], &["--smiles", "x"], &small[..2]] {
        let args = [&["fit", "s", "--out", "m.hodgelet"], flags].concat();
        let error = run_in(folder.path(), &args).failure(1);
        let flag = flags[0];
        assert!(error.contains(&format!("{flag}, but `s` is a store")), "{error}");
        assert!(error.contains(&format!("give {flag} to `hodgelet measure`")), "{error}");
    }
    assert!(!folder.path().join("m.hodgelet").exists());
    for args in [
        &["features", "s", "--out", "f.csv"][..],
        &["audit", "s"],
        &["measure", "s", "--out", "t"],
        &["decompose", "s", "--graph", "0"],
    ] {
        let error = run_in(folder.path(), args).failure(1);
        assert!(error.contains("`s` is a store of measures, which no longer has the graphs"), "{error}");
    }
}

#[test]
fn a_store_takes_the_place_of_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&[&str]]| run_in(folder.path(), &args.concat());
    let text = run(&[&["measure", "molecules", "--out", "s"], &SMALL]).result();
    assert!(text.contains("leaves    2") && text.contains("graphs    1100"), "{text}");
    let info = run(&[&["info", "s", "--format", "json"]]).json();
    assert_eq!((&info["graphs"], &info["targets"]["classes"][1]), (&1100.into(), &"reactive".into()));

    // The same bits from a store, from memory, and from the lines of a file.
    run(&[&["fit", "s", "--out", "a.hodgelet"], &QUICK]).result();
    run(&[&["fit", "molecules", "--out", "b.hodgelet"], &SMALL, &QUICK]).result();
    run(&[&["generate", "molecules", "--out", "m.jsonl"], &SMALL]).result();
    run(&[&["measure", "m.jsonl", "--out", "s2"]]).result();
    run(&[&["fit", "s2", "--out", "c.hodgelet"], &QUICK]).result();
    let leaves = |store: &str| {
        let all = contents(&folder.path().join(store));
        all.into_iter()
            .filter(|(name, _)| name.starts_with("leaf"))
            .map(|(_, bytes)| bytes.len())
            .collect::<Vec<_>>()
    };
    assert_eq!(leaves("s").len(), leaves("s2").len());
    let predict = |model: &str, data: &[&str]| {
        let args = ["predict", model, "--format", "jsonl", "--out", "p.jsonl"];
        run(&[&args, data]).result();
        lines(folder.path(), "p.jsonl").split_off(1)
    };
    let expected = predict("b.hodgelet", &["m.jsonl"]);
    assert_eq!(expected.len(), 1100);
    assert_eq!(predict("a.hodgelet", &["m.jsonl"]), expected);
    assert_eq!(predict("c.hodgelet", &["s2"]), expected);

    let plan = run(&[&["fit", "s", "--dry-run", "--posterior", "sparse"]]).result();
    assert!(plan.contains("1100") && plan.contains("sparse"), "{plan}");
    let found = run(&[&["evaluate", "s", "--folds", "3", "--format", "json"], &QUICK]);
    assert_eq!(found.status, 0, "{}", found.stderr);
    assert!(found.stderr.contains("labels and degrees of all graphs"), "{}", found.stderr);
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["graphs"], 1100);
}

#[test]
fn lines_say_what_the_table_says() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&[&str]]| run_in(folder.path(), &args.concat());
    let sbm = ["sbm", "--set", "n_graphs=24"];
    run(&[&["fit"], &sbm, &["--iterations", "4", "--out", "m.hodgelet", "--conformal", "split"]]).result();
    let predict = |rest: &[&str]| run(&[&["predict", "m.hodgelet"], &sbm, &["--seed", "1"], rest]);
    let json = predict(&["--format", "json", "--coverage", "0.5"]).json();
    let streamed = predict(&["--format", "jsonl", "--coverage", "0.5"]);
    let mut rows = streamed.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = rows.next().unwrap();
    assert_eq!((&head["graphs"], &head["coverage"]), (&24.into(), &0.5.into()));
    assert_eq!(Value::from(rows.collect::<Vec<_>>()), json["predictions"]);
    let accuracy = format!("accuracy  {:.2}%", 100.0 * json["accuracy"].as_f64().unwrap());
    assert!(
        streamed.stderr.contains(&accuracy) && streamed.stderr.contains("graphs a second"),
        "{}",
        streamed.stderr
    );
    let summary = predict(&["--format", "jsonl", "--coverage", "0.5", "--out", "p.jsonl"]).result();
    assert!(summary.contains(&accuracy) && summary.ends_with("written to  p.jsonl\n"), "{summary}");
    assert_eq!(listing(folder.path()), ["m.hodgelet", "p.jsonl"]);
}

#[test]
fn what_was_killed_is_continued_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let many = ["--set", "n_graphs=9000", "--set", "n_atoms=6..9"];
    let run = |args: &[&[&str]]| run_in(folder.path(), &args.concat());
    // Kills a run again and again after a time of its own, until one ends by itself.
    let until_done = |args: &[&[&str]]| {
        for wait in (15..).step_by(35) {
            let mut child = command(folder.path(), &args.concat()).stdout(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            let ended = child.try_wait().unwrap();
            let _ = child.kill();
            child.wait().unwrap();
            if let Some(status) = ended {
                assert!(status.success());
                break;
            }
        }
    };
    run(&[&["measure", "molecules", "--out", "whole"], &many]).result();
    until_done(&[&["--quiet", "measure", "molecules", "--out", "broken"], &many]);
    assert_eq!(contents(&folder.path().join("broken")), contents(&folder.path().join("whole")));
    run(&[&["fit", "whole", "--out", "m.hodgelet"], &QUICK]).result();
    let predict = ["predict", "m.hodgelet", "whole", "--format", "jsonl", "--out"];
    run(&[&predict, &["whole.jsonl"]]).result();
    until_done(&[&["--quiet"], &predict, &["broken.jsonl"]]);
    assert_eq!(bytes(folder.path(), "broken.jsonl"), bytes(folder.path(), "whole.jsonl"));
}

#[test]
fn a_compressed_store_is_smaller_and_nearly_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&[&str]]| run_in(folder.path(), &args.concat());
    let data = ["molecules", "--set", "n_graphs=40", "--set", "n_atoms=120..160"];
    run(&[&["measure", "--out", "exact"], &data]).result();
    let text = run(&[&["measure", "--out", "small", "--tolerance", "1e-8"], &data]).result();
    assert!(text.contains("tolerance  1e-8"), "{text}");
    let size = |store: &str| run(&[&["info", store, "--format", "json"]]).json()["bytes"].as_f64().unwrap();
    assert!(size("small") < 0.8 * size("exact"), "{} {}", size("small"), size("exact"));
    run(&[&["fit", "exact", "--iterations", "3", "--out", "m.hodgelet"]]).result();
    let probabilities = |store: &str| {
        let found = run(&[&["predict", "m.hodgelet", store, "--format", "json"]]).json();
        let rows = found["predictions"].as_array().unwrap().iter();
        let first = |row: &Value| row["probabilities"].as_object().unwrap().values().next().cloned();
        rows.map(|row| first(row).unwrap().as_f64().unwrap()).collect::<Vec<_>>()
    };
    for (a, b) in probabilities("exact").iter().zip(probabilities("small")) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    run(&[&["fit", "small", "--iterations", "3", "--out", "m2.hodgelet"]]).result();
    let error = run(&[&["fit", "small", "--n-bands", "2", "--out", "m.hodgelet"]]).failure(1);
    assert!(error.contains("compressed for n_bands 3, expected 2"), "{error}");
    let error = run(&[&["measure", "--out", "x", "--tolerance", "0"], &data]).failure(1);
    assert!(error.contains("--tolerance: "), "{error}");
}

#[test]
fn what_does_not_fit_a_store_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&[&str]]| run_in(folder.path(), &args.concat());
    let few = ["--set", "n_graphs=30", "--set", "n_atoms=6..9"];
    run(&[&["measure", "molecules", "--out", "s"], &few]).result();
    let error = run(&[&["measure", "molecules", "--out", "s", "--seed", "1"], &few]).failure(1);
    assert!(error.contains("s: the store has complexes from sha256:"), "{error}");
    let error = run(&[&["measure", "molecules", "--out", "s", "--edges", "structure"], &few]).failure(1);
    assert!(
        error.contains("s: the store has edges auto, expected structure") && error.contains("hint"),
        "{error}"
    );
    let error = run(&[&["fit", "s", "--out", "m.hodgelet", "--laplacian", "normalized"]]).failure(1);
    assert!(error.contains("laplacian none, expected normalized"), "{error}");
    let error = run(&[&["fit", "s", "--out", "m.hodgelet", "--auto"]]).failure(1);
    assert!(error.contains("--auto"), "{error}");

    run(&[&["fit", "molecules", "--iterations", "3", "--edges", "none", "--out", "m.hodgelet"], &few])
        .result();
    let error = run(&[&["predict", "m.hodgelet", "s"]]).failure(1);
    assert!(error.contains("those of the model") && error.contains("measure --for"), "{error}");
    run(&[&["measure", "molecules", "--for", "m.hodgelet", "--out", "s2"], &few]).result();
    let from_store = run(&[&["predict", "m.hodgelet", "s2", "--format", "json"]]).json();
    let from_memory = run(&[&["predict", "m.hodgelet", "molecules", "--format", "json"], &few]).json();
    assert_eq!(from_store, from_memory);
    let error =
        run(&[&["measure", "molecules", "--for", "m.hodgelet", "--edges", "none", "--out", "s3"], &few])
            .failure(1);
    assert!(error.contains("one or the other"), "{error}");

    let leaf = listing(&folder.path().join("s")).into_iter().find(|name| name.starts_with("leaf")).unwrap();
    let path = folder.path().join("s").join(&leaf);
    let mut damaged = std::fs::read(&path).unwrap();
    damaged[100] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let error = run(&[&["fit", "s", "--out", "x.hodgelet"]]).failure(1);
    assert!(error.contains(&leaf) && error.contains("checksum"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let error = run(&[&["fit", "s", "--out", "x.hodgelet"]]).failure(1);
    assert!(
        error.contains("0 of 1 leaves, the first missing is 0") && error.contains("measure again"),
        "{error}"
    );
    run(&[&["measure", "molecules", "--out", "s"], &few]).result();
    run(&[&["fit", "s", "--iterations", "3", "--out", "x.hodgelet"]]).result();
}

#[test]
fn weights_of_graphs_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..20).map(|i| format!("{}\n", 1 + i % 2)).collect();
    std::fs::write(folder.path().join("c.csv"), format!("sample_weight\n{rows}")).unwrap();
    let data = ["sbm", "--set", "n_graphs=20", "--columns", "c.csv"];
    let error = run_in(folder.path(), &[&["measure"], &data[..], &["--out", "s"]].concat()).failure(1);
    assert!(
        error.contains("`sample_weight`, which a store does not keep") && error.contains("hint"),
        "{error}"
    );
    assert_eq!(listing(folder.path()), ["c.csv"]);
}

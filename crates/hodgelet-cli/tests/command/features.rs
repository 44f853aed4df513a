use crate::{listing, run_in, tiny};
use serde_json::Value;
use std::path::Path;

/// A CSV file as header and rows; no field of these tests is quoted.
fn csv(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    (rows.next().unwrap(), rows.collect())
}

/// The numbers between id and target.
fn numbers(rows: &[Vec<String>]) -> Vec<Vec<f64>> {
    let row = |row: &Vec<String>| row[1..row.len() - 1].iter().map(|field| field.parse().unwrap()).collect();
    rows.iter().map(row).collect()
}

fn json_file(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_three_formats_hold_the_same_numbers_names_and_targets() {
    let folder = tiny();
    let at = |name: &str| folder.path().join(name);
    for name in ["f.csv", "n.npy", "n.jsonl"] {
        let args = ["features", "./TINY", "--out", name, "--n-filters", "2", "--format", "json"];
        let summary = run_in(folder.path(), &args).json();
        assert_eq!((summary["graphs"].as_u64(), summary["out"].as_str()), (Some(2), Some(name)));
        assert!(summary["seconds"].as_f64().unwrap() >= 0.0);
    }
    assert_eq!(
        listing(folder.path()),
        ["TINY", "f.csv", "n.jsonl", "n.jsonl.columns.json", "n.npy", "n.npy.columns.json"]
    );

    let (header, rows) = csv(&at("f.csv"));
    let names = &header[1..header.len() - 1];
    assert_eq!((header[0].as_str(), header[header.len() - 1].as_str()), ("id", "target"));
    assert!(names.contains(&"edge exact | label=1 | filter 2".to_owned()), "{names:?}");
    assert!(names.contains(&"edge harmonic | label=0".to_owned()));
    assert_eq!(rows.iter().map(|row| row[row.len() - 1].as_str()).collect::<Vec<_>>(), ["1", "-1"]);
    let expected = numbers(&rows);

    let bytes = std::fs::read(at("n.npy")).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0);
    let head = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    let shape = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': (2, {}), }}", names.len());
    assert_eq!(head.trim_end(), shape);
    assert!(head.ends_with('\n'));
    let values: Vec<f64> =
        bytes[10 + length..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(values, expected.concat());

    let lines = std::fs::read_to_string(at("n.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (line, row) in lines.iter().zip(&expected) {
        let found: Vec<f64> = serde_json::from_value(line["features"].clone()).unwrap();
        // The reader of these tests may err in the last place.
        assert!(found.iter().zip(row).all(|(a, b)| (a - b).abs() <= 1e-15 * b.abs()));
        assert_eq!(found.len(), row.len());
    }
    assert_eq!(lines.iter().map(|line| line["target"].as_str().unwrap()).collect::<Vec<_>>(), ["1", "-1"]);

    for name in ["n.npy.columns.json", "n.jsonl.columns.json"] {
        let columns = json_file(&at(name));
        assert_eq!(columns["columns"], serde_json::json!(names));
        assert_eq!(columns["targets"], serde_json::json!(["1", "-1"]));
        assert_eq!(columns["blocks"][0]["scales"].as_array().unwrap().len(), 8);
    }
}

#[test]
fn features_do_not_depend_on_threads_and_do_on_the_seed() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, more: &[&str]| {
        let args = ["features", "sbm", "--set", "n_graphs=20", "--vertices", "degree", "--out", name];
        run_in(folder.path(), &[&args[..], more].concat()).result();
        std::fs::read(folder.path().join(name)).unwrap()
    };
    let one = file("one.npy", &["--threads", "1"]);
    assert_eq!(one, file("two.npy", &["--threads", "2"]));
    assert_ne!(one, file("seed.npy", &["--seed", "1"]));
}

#[test]
fn standardized_columns_have_mean_zero_and_deviation_one_or_are_zero() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["features", "sbm", "--set", "n_graphs=30", "--standardize", "--out", "s.csv"];
    run_in(folder.path(), &args).result();
    let rows = numbers(&csv(&folder.path().join("s.csv")).1);
    let mut live = 0;
    for j in 0..rows[0].len() {
        let mean = |of: &dyn Fn(f64) -> f64| rows.iter().map(|row| of(row[j])).sum::<f64>() / 30.0;
        let (first, second) = (mean(&|x| x), mean(&|x| x * x));
        assert!(first.abs() < 1e-9 && (second == 0.0 || (second - 1.0).abs() < 1e-9), "{first} {second}");
        live += usize::from(second > 0.0);
    }
    assert!(live > 0);
}

#[test]
fn flags_choose_blocks_and_columns() {
    let folder = tiny();
    let columns = |more: &[&str]| -> Vec<String> {
        run_in(folder.path(), &[&["features", "TINY", "--out", "f.csv"], more].concat()).result();
        let mut header = csv(&folder.path().join("f.csv")).0;
        header.pop();
        header.split_off(1)
    };
    assert_eq!(
        columns(&[
            "--method",
            "fourier",
            "--dims",
            "1",
            "--vertices",
            "none",
            "--edges",
            "constant",
            "--n-points",
            "2"
        ]),
        ["edge whole | constant | point 1", "edge whole | constant | point 2"]
    );
    assert_eq!(
        columns(&["--method", "line-graph", "--split", "--vertices", "constant", "--n-filters", "1"]),
        ["line-graph vertex co-exact | constant | filter 1", "line-graph vertex harmonic | constant"]
    );
    assert_eq!(
        columns(&["--vertices", "constant", "--method", "fourier", "--split"]).len(),
        30 + 1,
        "30 points, and one number on the harmonic part"
    );
    assert_eq!(
        columns(&[
            "--vertices",
            "degree",
            "--edges",
            "none",
            "--n-filters",
            "1",
            "--n-bands",
            "0",
            "--low-pass",
            "heat"
        ]),
        ["vertex co-exact | degree | filter 1", "vertex harmonic | degree"]
    );
}

/// The square carries ones on four edges and no triangle: its signal is its own harmonic part but for orientations,
/// whose mean share is one quarter per edge.
#[test]
fn a_harmonic_feature_is_the_one_computed_by_hand() {
    let folder = tiny();
    let args = ["features", "TINY", "--vertices", "none", "--edges", "constant", "--out", "f.csv"];
    run_in(folder.path(), &args).result();
    let (header, rows) = csv(&folder.path().join("f.csv"));
    let column = header.iter().position(|name| name == "edge harmonic | constant").unwrap();
    let values: Vec<f64> = rows.iter().map(|row| row[column].parse().unwrap()).collect();
    // None in the filled triangle but for the floor, 1e-6 of the root of the mean energy, which is 4 on four edges;
    // 4 · 1/4 = 1 in the square.
    assert!((values[0] - 2e-6).abs() < 1e-12 && (values[1] - 1.0).abs() < 1e-9, "{values:?}");
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing() {
    let folder = tiny();
    for out in ["missing/f.csv", "missing/f.npy"] {
        let error = run_in(folder.path(), &["features", "TINY", "--out", out]).failure(1);
        let expected =
            format!("error: {out}: no such directory\nhint: the directory of the file must exist\n");
        assert_eq!(error, expected);
    }
    assert_eq!(listing(folder.path()), ["TINY"]);
    let error = run_in(folder.path(), &["features", "TINY", "--out", "f.txt"]).failure(1);
    assert_eq!(error, "error: --out f.txt, expected a name that ends in .csv, .npy or .jsonl\n");
}

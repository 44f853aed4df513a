use crate::{run, run_in};
use std::fmt::Write;

/// Flags of a quick run.
const QUICK: [&str; 6] = ["--folds", "3", "--iterations", "8", "--format", "json"];

fn accuracy(args: &[&str]) -> f64 {
    run(&[args, &QUICK[..]].concat()).json()["accuracy"]["mean"].as_f64().unwrap()
}

#[test]
fn surfaces_are_told_apart_by_constants() {
    let args = ["evaluate", "surfaces", "--set", "n_graphs=36", "--vertices", "none"];
    let found = accuracy(&[&args[..], &["--edges", "constant", "--higher", "constant"]].concat());
    assert!(found > 0.9, "{found}");
}

#[test]
fn hypergraphs_are_expanded_as_the_flag_says() {
    let args =
        ["evaluate", "hypergraphs", "--set", "n_graphs=36", "--vertices", "constant", "--edges", "constant"];
    let found = accuracy(&[&args[..], &["--hypergraph", "incidence"]].concat());
    assert!(found > 0.8, "{found}");
    let info = |expansion| {
        let args =
            ["info", "hypergraphs", "--set", "n_graphs=4", "--hypergraph", expansion, "--format", "json"];
        run(&args).json()["cells"][0]["total"].as_f64().unwrap()
    };
    assert!(info("star") > info("zhou"));
    let error = run(&["info", "sbm", "--hypergraph", "star"]).failure(1);
    assert!(error.starts_with("error: sbm has no parameter `expansion`"), "{error}");
    assert!(run(&["info", "sbm", "--hypergraph", "cliques"]).failure(1).contains("clique-unit"));
}

#[test]
fn a_hif_file_is_described() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/xgi/sample.hif.json");
    let found = run(&["info", path, "--hypergraph", "incidence", "--format", "json"]).json();
    assert_eq!((found["graphs"].as_u64(), found["cells"][1]["total"].as_f64()), (Some(1), Some(2.0)));
}

#[test]
fn every_laplacian_gives_features_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let fields = ["vector-fields", "--set", "n_fields=4", "--set", "n_vertices=20", "--vertices", "none"];
    let mut seen = Vec::new();
    for name in [
        "combinatorial",
        "normalized",
        "normalized-hodge",
        "random-walk",
        "dec",
        "dec-circumcentric",
        "dec-median",
    ] {
        let args = [&["features"], &fields[..], &["--laplacian", name, "--out", "f.csv"]].concat();
        run_in(folder.path(), &args).result();
        let table = std::fs::read_to_string(folder.path().join("f.csv")).unwrap();
        assert!(!seen.contains(&table), "{name}");
        seen.push(table);
        let args = [&["decompose"], &fields[..], &["--graph", "1", "--laplacian", name, "--format", "json"]]
            .concat();
        assert_eq!(run(&args).json()["laplacian"], name);
    }
    let error = run(&["evaluate", "surfaces", "--laplacian", "dec"]).failure(1);
    assert!(error.contains("complex 0: the dataset has no column `position`"), "{error}");
    assert!(error.contains("hint: give every vertex a position"), "{error}");
}

/// Flows round a square, one way or the other, in a file.
fn flows() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let column = r#"{"name":"flow","dim":1,"kind":"real","channels":["flow"],"oriented":true}"#;
    let mut text = format!("{{\"hodgelet\":1,\"target\":\"class\",\"columns\":[{column}]}}\n");
    for i in 0..24 {
        let (way, noise) = (if i % 2 == 0 { 1.0 } else { -1.0 }, 0.01 * f64::from(i * 7 % 11));
        let flow = [way + noise, way, way - noise, -way + 0.5 * noise];
        let class = if i % 2 == 0 { "left" } else { "right" };
        let line = r#"{"vertices":4,"edges":[[0,1],[1,2],[2,3],[0,3]],"signals":{"1":{"flow":"#;
        writeln!(text, "{line}{flow:?}}}}},\"target\":\"{class}\"}}").unwrap();
    }
    std::fs::write(folder.path().join("flows.jsonl"), text).unwrap();
    std::fs::write(folder.path().join("cycles.txt"), "0 1 2 3\n").unwrap();
    folder
}

#[test]
fn signed_features_learn_a_direction_and_survive_a_file() {
    let folder = flows();
    for signed in ["harmonic", "harmonic:1,0", "cycles=cycles.txt"] {
        let fit = ["fit", "flows.jsonl", "--iterations", "8", "--out", "m.hodgelet", "--signed", signed];
        run_in(folder.path(), &[&fit[..], &["--signed-only"]].concat()).result();
        let predict = ["predict", "m.hodgelet", "flows.jsonl", "--format", "json"];
        assert_eq!(run_in(folder.path(), &predict).json()["accuracy"], 1.0, "{signed}");
        let info = run_in(folder.path(), &["info", "m.hodgelet"]).result();
        assert!(info.contains("edge signed"), "{info}");
    }
    let args = ["features", "flows.jsonl", "--signed", "harmonic", "--out", "f.csv"];
    run_in(folder.path(), &args).result();
    let table = std::fs::read_to_string(folder.path().join("f.csv")).unwrap();
    assert!(table.lines().next().unwrap().contains("edge signed | flow | vector 1"), "{table}");
    let error = run_in(folder.path(), &["evaluate", "flows.jsonl", "--signed", "cycles=none.txt"]).failure(1);
    assert!(error.contains("none.txt"), "{error}");
    let error = run(&[
        "evaluate",
        "vector-fields",
        "--set",
        "n_fields=6",
        "--folds",
        "3",
        "--signed",
        "harmonic:1,0",
    ])
    .failure(1);
    assert!(error.contains("is not the one that signed features belong to"), "{error}");
}

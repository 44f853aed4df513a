//! Small files that ask for very much.

use super::run_in;
use std::fs;
use std::time::{Duration, Instant};

const HEADER: &str = "{\"hodgelet\": 1, \"name\": \"d\", \"target\": \"none\", \"columns\": []}";

#[test]
fn one_large_hyperedge_and_many_close_points_are_counted_before_they_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<u32> = (0..1000).collect();
    let line = format!("{{\"vertices\": 1000, \"hyperedges\": [{all:?}]}}");
    fs::write(folder.path().join("h.jsonl"), format!("{HEADER}\n{line}\n")).unwrap();
    let points: Vec<[f64; 2]> = (0..600).map(|i| [f64::from(i), 0.0]).collect();
    let line = format!("{{\"vertices\": 600, \"edges\": [], \"positions\": {points:?}}}");
    fs::write(folder.path().join("p.jsonl"), format!("{HEADER}\n{line}\n")).unwrap();
    let rips = ["lift", "p.jsonl", "--to", "rips", "--radius", "1e9", "--out", "r.jsonl"];
    let commands: [&[&str]; 4] = [
        &["info", "h.jsonl"],
        &["lift", "h.jsonl", "--to", "cliques", "--out", "c.jsonl"],
        &["features", "h.jsonl", "--edges", "constant", "--out", "f.csv"],
        &rips,
    ];
    for args in commands {
        let began = Instant::now();
        let error = run_in(folder.path(), args).failure(1);
        assert!(
            error.contains("more than 10000000 cells of dimension 2, expected at most 10000000"),
            "{error}"
        );
        assert!(error.contains("--max-cells raises the limit"), "{error}");
        // 14 seconds and an abort, once; the limit is for a build without optimization on a busy machine.
        assert!(began.elapsed() < Duration::from_secs(60), "{args:?}: {:?}", began.elapsed());
    }
    let error = run_in(folder.path(), &[&rips[..], &["--max-cells", "1000"]].concat()).failure(1);
    assert!(error.contains("more than 1000 cells of dimension 1"), "{error}");
    // The incidences themselves are few.
    run_in(folder.path(), &["info", "h.jsonl", "--hypergraph", "incidence"]).result();
    let few = ["lift", "p.jsonl", "--to", "rips", "--radius", "2", "--max-cells", "1197", "--out", "r.jsonl"];
    run_in(folder.path(), &few).result();
}

#[test]
fn edges_that_meet_are_counted_before_a_line_graph_lists_their_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let column = "{\"name\": \"length\", \"dim\": 1, \"kind\": \"real\", \"channels\": [\"0\"]}";
    let header =
        format!("{{\"hodgelet\": 1, \"name\": \"d\", \"target\": \"class\", \"columns\": [{column}]}}");
    let star = |n: u32, class: &str| {
        let edges: Vec<[u32; 2]> = (1..=n).map(|v| [0, v]).collect();
        let lengths: Vec<u32> = (1..=n).collect();
        let signals = format!("{{\"1\": {{\"length\": {lengths:?}}}}}");
        let n = n + 1;
        format!(
            "{{\"vertices\": {n}, \"edges\": {edges:?}, \"signals\": {signals}, \"target\": \"{class}\"}}"
        )
    };
    let write = |name: &str, large: u32| {
        let text = format!("{header}\n{}\n{}\n", star(3, "a"), star(large, "b"));
        fs::write(folder.path().join(name), text).unwrap();
    };
    write("large.jsonl", 5000);
    write("small.jsonl", 50);
    let line_graph = ["--method", "line-graph"];
    for command in
        [["features", "large.jsonl", "--out", "f.csv"], ["fit", "large.jsonl", "--out", "m.hodgelet"]]
    {
        let error = run_in(folder.path(), &[&command[..], &line_graph].concat()).failure(1);
        assert!(error.contains("complex 1: more than 10000000 cells of dimension 1"), "{error}");
        assert!(error.contains("--max-cells raises the limit"), "{error}");
    }
    // 50 edges at a vertex have 1,225 pairs.
    let features = |most: &str| {
        let command = ["features", "small.jsonl", "--out", "f.csv", "--max-cells", most];
        run_in(folder.path(), &[&command[..], &line_graph].concat())
    };
    assert!(features("1224").failure(1).contains("more than 1224 cells of dimension 1"));
    features("1225").result();
}

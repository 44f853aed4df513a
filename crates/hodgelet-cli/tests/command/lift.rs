use crate::{listing, run_in, tiny};

/// Two point clouds: a hollow square and a triangle.
const POINTS: &str = r#"{"hodgelet":1,"name":"points","target":"class"}
{"vertices":4,"positions":[[0,0],[1,0],[1,1],[0,1]],"target":"square"}
{"vertices":3,"positions":[[0,0],[1,0],[0.5,0.8]],"target":"triangle"}
"#;

#[test]
fn cliques_and_rings_of_graphs_keep_their_columns() {
    let folder = tiny();
    let lift = |args: &[&str]| {
        let run = run_in(
            folder.path(),
            &[&["lift", "./TINY", "--format", "json", "--out", "l.jsonl"], args].concat(),
        );
        let found = run.json();
        (found["cells"].clone(), run_in(folder.path(), &["info", "l.jsonl", "--format", "json"]).json())
    };
    let (cells, info) = lift(&["--to", "cliques"]);
    assert_eq!(cells, serde_json::json!([9, 8, 1]));
    assert_eq!(info["betti"], serde_json::json!([1.5, 0.5, 0.0]));
    assert_eq!(info["columns"].as_array().unwrap().len(), 2);
    let (cells, info) = lift(&["--to", "rings"]);
    assert_eq!((cells, &info["betti"]), (serde_json::json!([9, 8, 2]), &serde_json::json!([1.5, 0.0, 0.0])));
    let (cells, info) = lift(&["--to", "rings", "--max-length", "3"]);
    assert_eq!((cells, &info["betti"]), (serde_json::json!([9, 8, 1]), &serde_json::json!([1.5, 0.5, 0.0])));
    assert_eq!(lift(&["--to", "cycles", "--max-length", "4"]).0, serde_json::json!([9, 8, 2]));
    assert_eq!(lift(&["--to", "cycle-basis"]).0, serde_json::json!([9, 8, 2]));
    assert_eq!(listing(folder.path()), ["TINY", "l.jsonl"]);
}

#[test]
fn points_become_complexes_that_can_be_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.jsonl"), POINTS).unwrap();
    let lift = |args: &[&str]| {
        run_in(
            folder.path(),
            &[&["lift", "p.jsonl", "--out", "out.jsonl", "--format", "json"], args].concat(),
        )
    };
    let cells = |args: &[&str]| lift(args).json()["cells"].clone();
    assert_eq!(cells(&["--to", "rips", "--radius", "1"]), serde_json::json!([7, 7, 1]));
    assert_eq!(cells(&["--to", "rips", "--radius", "1.5", "--dim", "3"]), serde_json::json!([7, 9, 5, 1]));
    assert_eq!(cells(&["--to", "alpha", "--radius", "0.6"]), serde_json::json!([7, 7, 1]));
    let info = run_in(folder.path(), &["info", "out.jsonl", "--format", "json"]).json();
    assert_eq!(info["betti"], serde_json::json!([1.0, 0.5, 0.0]));
    let text =
        run_in(folder.path(), &["lift", "p.jsonl", "--to", "alpha", "--radius", "1", "--out", "a.jsonl"])
            .result();
    assert!(text.contains("\ncells by dimension  7, 8, 3\n"), "{text}");
}

#[test]
fn flags_that_do_not_fit_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.jsonl"), POINTS).unwrap();
    let error = |args: &[&str]| {
        run_in(folder.path(), &[&["lift", "p.jsonl", "--out", "out.jsonl"], args].concat()).failure(1)
    };
    assert_eq!(error(&["--to", "rips"]), "error: --to rips needs --radius\n");
    assert_eq!(
        error(&["--to", "rings", "--dim", "2"]),
        "error: --dim does not apply to --to rings\nhint: `hodgelet lift --help` says what each takes\n"
    );
    assert_eq!(
        error(&["--to", "alpha", "--radius", "1", "--points", "xy"]),
        "error: no column `xy` of real numbers on vertices\nhint: --points takes one of position\n"
    );
    assert_eq!(
        error(&["--to", "rips", "--radius", "-1"]),
        "error: complex 0: a radius of -1, expected a number that is not negative\n"
    );
    assert_eq!(
        error(&["--to", "cliques", "--dim", "99"]),
        "error: complex 0: cliques up to dimension 99, expected 1 to 15\n"
    );
    assert_eq!(
        error(&["--to", "cycles"]),
        "error: --to cycles needs --max-length\nhint: a graph may have very many long cycles; --max-length 6 is a start\n"
    );
    assert_eq!(listing(folder.path()), ["p.jsonl"]);
}

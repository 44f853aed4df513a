use crate::server::{Reply, Server};
use crate::{listing, run, run_in};
use serde_json::{Value, json};
use std::io::Write;

/// A sphere, a projective plane and a torus as MANTRA has them.
const THREE: &str = r#"[
{"id": "a", "triangulation": [[1,2,3],[1,2,4],[1,3,4],[2,3,4]], "dimension": 2, "n_vertices": 4,
 "betti_numbers": [1,0,1], "torsion_coefficients": ["","",""], "name": "S^2", "genus": 0, "orientable": true},
{"id": "b", "triangulation": [[1,2,3],[1,2,4],[1,3,5],[1,4,6],[1,5,6],[2,3,6],[2,4,5],[2,5,6],[3,4,5],[3,4,6]],
 "name": "RP^2", "orientable": false},
{"id": "c", "triangulation": [[1,2,4],[2,3,5],[3,4,6],[4,5,7],[5,6,1],[6,7,2],[7,1,3],[1,3,4],[2,4,5],[3,5,6],[4,6,7],[5,7,1],
 [6,1,2],[7,2,3]], "name": "T^2"}]"#;

fn classes(info: &Value) -> Vec<(String, u64)> {
    let list = info["target"]["classes"].as_array().unwrap();
    list.iter().map(|c| (c["name"].as_str().unwrap().to_owned(), c["graphs"].as_u64().unwrap())).collect()
}

#[test]
fn triangulations_are_enumerated_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["generate", "triangulations", "--set", "max_vertices=7", "--out", "t.jsonl", "--format", "json"];
    assert_eq!(run_in(folder.path(), &args).json()["graphs"], 14);
    let info = run_in(folder.path(), &["info", "t.jsonl", "--homology", "2", "--format", "json"]).json();
    let expected = [("S^2", 9), ("T^2", 1), ("RP^2", 4)].map(|(name, n)| (name.to_owned(), n));
    assert_eq!(classes(&info), expected);
    let homology = info["homology"].as_array().unwrap();
    assert!(homology.contains(&json!({"groups": ["Z", "Z/2", "0"], "graphs": 4})), "{homology:?}");
    let columns: Vec<&str> =
        info["columns"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(columns, ["betti_0 mod 2", "betti_1 mod 2", "betti_2 mod 2"]);
    let text =
        run(&["info", "triangulations", "--set", "max_vertices=6", "--homology", "0,torsion"]).result();
    assert!(text.contains("Z, Z/2, 0"), "{text}");
    let solid = ["info", "triangulations", "--set", "dim=3", "--set", "max_vertices=7", "--format", "json"];
    assert_eq!(classes(&run(&solid).json()), [("S^3".to_owned(), 8)]);
    let error = run(&["info", "triangulations", "--set", "max_vertices=11"]).failure(1);
    assert!(error.contains("max_vertices is 11, expected 4 to 10"), "{error}");
    let error = run(&["info", "triangulations", "--homology", "4"]).failure(1);
    assert!(
        error.contains("graph 0: homology modulo 4, expected a prime") && error.contains("\nhint: "),
        "{error}"
    );
}

#[test]
fn refinements_are_liftings() {
    let folder = tempfile::tempdir().unwrap();
    let lift = |args: &[&str]| {
        let base =
            ["lift", "triangulations", "--set", "max_vertices=4", "--out", "f.jsonl", "--format", "json"];
        run_in(folder.path(), &[&base, args].concat())
    };
    assert_eq!(lift(&["--to", "barycentric"]).json()["cells"], json!([14, 36, 24]));
    assert_eq!(lift(&["--to", "stellar"]).json()["cells"], json!([8, 18, 12]));
    assert_eq!(lift(&["--to", "graded", "--share", "0"]).json()["cells"], json!([4, 6, 4]));
    let some = lift(&["--to", "graded", "--seed", "3"]).json()["cells"][2].as_u64().unwrap();
    assert!((4..=12).contains(&some) && some % 2 == 0);
    let info = run_in(folder.path(), &["info", "f.jsonl", "--format", "json"]).json();
    assert_eq!(info["betti"], json!([1.0, 0.0, 1.0]));
    assert!(lift(&["--to", "graded", "--share", "2"]).failure(1).contains("--share 2, expected 0 to 1"));
    assert!(lift(&["--to", "stellar", "--share", "0.5"]).failure(1).contains("--share does not apply"));
}

#[test]
fn lists_of_manifolds_are_read_with_the_target_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.json"), THREE).unwrap();
    let info =
        |args: &[&str]| run_in(folder.path(), &[&["info", "m.json", "--format", "json"], args].concat());
    let names =
        |args: &[&str]| -> Vec<String> { classes(&info(args).json()).into_iter().map(|c| c.0).collect() };
    assert_eq!(names(&[]), ["S^2", "T^2", "RP^2"]);
    assert_eq!(names(&["--target", "orientable"]), ["yes", "no"]);
    assert_eq!(names(&["--target", "betti-1"]), ["0", "2"]);
    let error = info(&["--target", "genus"]).failure(1);
    assert!(error.contains("--target genus") && error.contains("orientable"), "{error}");
    std::fs::write(folder.path().join("m.json"), "[{\"triangulation\": 3}]").unwrap();
    let error = info(&[]).failure(1);
    assert!(error.contains("m.json, manifold 0, from line 1: found `3` as `triangulation`"), "{error}");
    assert!(error.contains("\nhint: "), "{error}");
}

#[test]
fn a_release_of_mantra_is_downloaded_and_found_by_name() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(THREE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let server = Server::start(move |request, _| match request.path.as_str() {
        "/sets/2_manifolds.json.gz" => Reply::ranged(request, &packed, "\"tag\""),
        _ => Reply::new(404, b"no"),
    });
    let folder = tempfile::tempdir().unwrap();
    let url = server.url();
    let get = ["datasets", "get", "mantra-2d", "--data-dir", "sets", "--url", &url, "--format", "json"];
    assert_eq!(run_in(folder.path(), &get).json()["was_there"], false);
    assert_eq!(listing(&folder.path().join("sets")), ["mantra-2d.json.gz", "mantra-2d.json.gz.sha256"]);
    let info = ["info", "mantra-2d", "--data-dir", "sets", "--format", "json"];
    assert_eq!(run_in(folder.path(), &info).json()["graphs"], 3);
}

#[test]
fn torsion_tells_a_torus_from_a_klein_bottle_where_betti_numbers_modulo_2_do_not() {
    let accuracy = |homology: &str| {
        let data = ["surfaces", "--set", "n_graphs=40", "--homology", homology, "--blocks", "columns"];
        let rest = ["--hyperparameters", "map", "--folds", "4", "-q", "--format", "json"];
        let found = run(&[&["evaluate"], &data[..], &rest[..]].concat()).json();
        found["accuracy"]["mean"].as_f64().unwrap()
    };
    let (modulo, torsion) = (accuracy("2"), accuracy("2,torsion"));
    // Both have 1, 2, 1 over Z/2, so that half of the surfaces are guessed.
    assert!(modulo <= 0.85 && torsion == 1.0, "{modulo}, {torsion}");
}

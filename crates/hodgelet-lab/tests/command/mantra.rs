use crate::{listing, run_in};
use serde_json::Value;

fn wrong(found: &Value, model: &str, test: &str) -> Vec<u64> {
    let scores = found["scores"].as_array().unwrap();
    let of = scores.iter().filter(|score| score["model"] == model && score["test"] == test);
    of.map(|score| score["wrong"].as_u64().unwrap()).collect()
}

#[test]
fn betti_numbers_orientability_and_type_are_right_held_out_and_refined() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["reproduce", "mantra", "--quick", "--out", "out", "--format", "json"];
    let found = run_in(folder.path(), &args).json();
    // Four tasks, on those held out, three refinements, and some subdivided twice.
    let claims = found["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 20);
    assert!(claims.iter().all(|claim| claim["holds"] == true), "{claims:?}");
    for test in ["held out", "barycentric", "stellar", "graded", "barycentric, twice"] {
        assert_eq!(wrong(&found, "harmonic", test), [0; 4], "{test}");
    }
    // Without harmonic blocks nothing tells what a refined surface is.
    assert!(wrong(&found, "without-harmonic", "barycentric").iter().sum::<u64>() > 0);
    let types = found["types"].as_array().unwrap();
    let counts: Vec<[u64; 2]> =
        types.iter().map(|t| ["surfaces", "trained"].map(|key| t[key].as_u64().unwrap())).collect();
    assert_eq!(counts, [[23, 11], [8, 4], [20, 10], [6, 3]]);
    assert_eq!(listing(&folder.path().join("out")), ["mantra.json"]);
    let page = run_in(folder.path(), &["reproduce", "page", "--from", "out"]).result();
    assert!(page.contains("## Topology of surfaces: held out and refined"), "{page}");
    assert!(page.contains("by construction"), "{page}");
}

#[test]
fn a_file_of_manifolds_takes_the_place_of_the_enumeration() {
    let folder = tempfile::tempdir().unwrap();
    let sphere = r#"{"triangulation": [[1,2,3],[1,2,4],[1,3,4],[2,3,4]], "name": "S^2"}"#;
    std::fs::write(folder.path().join("m.json"), format!("[{sphere}]")).unwrap();
    let args = ["reproduce", "mantra", "--quick", "--from", "m.json"];
    let error = run_in(folder.path(), &args).failure(1);
    assert!(error.contains("no surface to train on"), "{error}");
    let open = r#"[{"triangulation": [[1,2,3]], "name": "disk"}]"#;
    std::fs::write(folder.path().join("m.json"), open).unwrap();
    let error = run_in(folder.path(), &args).failure(1);
    assert!(error.contains("a triangulation is not a closed surface"), "{error}");
}

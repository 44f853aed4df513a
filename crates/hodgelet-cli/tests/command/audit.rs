use crate::{run, run_in, tiny};
use serde_json::Value;

#[test]
fn an_audit_counts_twins_and_scores_without_them() {
    let folder = tiny();
    // Six triangles and six squares, one of the squares with the label of the triangles.
    let mut lines = vec![
        r#"{"hodgelet":1,"name":"copies","target":"class","classes":["a","b"],"columns":[]}"#.to_owned(),
    ];
    for i in 0..6 {
        lines.push(r#"{"vertices":3,"edges":[[0,1],[1,2],[0,2]],"target":"a"}"#.to_owned());
        let class = if i == 0 { "a" } else { "b" };
        lines.push(format!(r#"{{"vertices":4,"edges":[[0,1],[1,2],[2,3],[0,3]],"target":"{class}"}}"#));
    }
    std::fs::write(folder.path().join("copies.jsonl"), lines.join("\n") + "\n").unwrap();
    let args = ["audit", "copies.jsonl", "--folds", "3", "--iterations", "5", "--vertices", "degree"];
    let json = run_in(folder.path(), &[&args[..], &["--format", "json", "--out", "found"]].concat()).json();
    assert_eq!(json["fingerprints"]["distinct"], 2);
    assert_eq!(json["fingerprints"]["contradicting"], 6);
    assert_eq!((json["seen_share"].as_f64(), &json["without"]), (Some(1.0), &Value::Null));
    assert!((json["fingerprints"]["ceiling"].as_f64().unwrap() - 11.0 / 12.0).abs() < 1e-12);
    let written = std::fs::read_to_string(folder.path().join("found/audit-copies.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), json);
    let text = run_in(folder.path(), &args).result();
    assert!(text.contains("accuracy, %, unseen only          no such graph"), "{text}");
    let unseen = run(&["audit", "sbm", "--set", "n_graphs=24", "--folds", "3", "--iterations", "2"]).result();
    assert!(unseen.contains("test graphs seen in training      0.0%"), "{unseen}");
}

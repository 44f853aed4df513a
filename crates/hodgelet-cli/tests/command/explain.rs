use crate::run_in;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn sum<'a>(values: impl IntoIterator<Item = &'a Value>, key: &str) -> f64 {
    values.into_iter().map(|value| number(&value[key])).sum()
}

#[test]
fn shares_of_blocks_and_cells_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "molecules", "--set", "n_graphs=40", "--iterations", "5", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let explain =
        ["explain", "m.hodgelet", "molecules", "--set", "n_graphs=5", "--seed", "3", "--graph", "2"];
    let json = [&explain[..], &["--format", "json", "--out", "e.json"]].concat();
    let text = run_in(folder.path(), &json).result();
    assert_eq!(std::fs::read_to_string(folder.path().join("e.json")).unwrap(), text);
    let found: Value = serde_json::from_str(&text).unwrap();
    let blocks = found["blocks"].as_array().unwrap();
    let whole = sum(blocks, "share") + number(&found["constant"]);
    assert!((whole - number(&found["latent_mean"])).abs() < 1e-9, "{whole}");
    let mut shared_out = 0;
    for block in blocks.iter().filter(|block| !block["empty_graph"].is_null()) {
        let cells = sum(block["cells"].as_array().unwrap(), "share");
        let share = number(&block["share"]);
        assert!(
            (number(&block["empty_graph"]) + cells - share).abs() < 1e-9 * (1.0 + share.abs()),
            "{block}"
        );
        shared_out += 1;
    }
    assert!(shared_out >= 3, "labels of edges and vertices are shared out");

    let table = run_in(folder.path(), &explain).result();
    for part in ["predicted", "positive is toward", "edge exact labels", "Cells with the largest shares"] {
        assert!(table.contains(part), "no {part} in\n{table}");
    }
}

#[test]
fn what_cannot_be_explained_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "sbm", "--set", "n_graphs=20", "--iterations", "2", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let explain = |more: &[&str]| {
        let base = ["explain", "m.hodgelet", "sbm", "--set", "n_graphs=5"];
        run_in(folder.path(), &[&base[..], more].concat()).failure(1)
    };
    assert!(explain(&["--graph", "5"]).contains("complex 5, but the dataset has 5"));
    let error = explain(&["--graph", "0", "--class", "blue"]);
    assert!(error.contains("no class `blue`") && error.contains("classes are"), "{error}");
}

use crate::{run_in, tiny};
use serde_json::{Value, json};
use std::path::Path;

/// Two triangles on an edge, one of them filled, with a flow that goes once around the outside.
///
/// ```text
/// 0 → 1 → 2 → 3 → 0 around, 2 → 0 across; 0 1 2 is filled, 0 2 3 is not
/// ```
const TWO_TRIANGLES: &str = r#"{"hodgelet":1,"name":"hand","target":"none","columns":[{"name":"flow","dim":1,"kind":"real","channels":["flow"],"oriented":true},{"name":"length","dim":1,"kind":"real","channels":["length"]}]}
{"id":"pair","vertices":4,"edges":[[0,1],[1,2],[2,3],[3,0],[2,0]],"triangles":[[0,1,2]],"signals":{"1":{"flow":[1,1,1,1,0],"length":[1,1,1,1,2]}}}
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hand.jsonl"), TWO_TRIANGLES).unwrap();
    folder
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

fn near(found: &Value, expected: &[f64]) {
    let found = numbers(found);
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {expected:?}");
}

fn decompose(folder: &Path, more: &[&str]) -> Value {
    run_in(folder, &[&["decompose", "hand.jsonl", "--graph", "0", "--format", "json"], more].concat()).json()
}

/// By hand: the flow has no divergence, so no exact part. Its curl over the filled triangle is 2, so the co-exact
/// part is 2/3 of the boundary (1, 1, 0, 0, 1) of the triangle; the rest, orthogonal to it, is harmonic.
#[test]
fn a_flow_is_split_as_by_hand() {
    let folder = folder();
    let found = decompose(folder.path(), &["--dim", "1"]);
    assert_eq!(
        (&found["id"], &found["betti"], &found["cells"]),
        (&json!("pair"), &json!([1, 1, 0]), &json!([4, 5, 1]))
    );
    assert_eq!(found["dims"].as_array().unwrap().len(), 1);
    let edges = &found["dims"][0];
    assert_eq!(edges["cells"], json!([[0, 1], [1, 2], [2, 3], [3, 0], [2, 0]]));
    let flow = &edges["channels"][0];
    let (a, b) = (2.0 / 3.0, 1.0 / 3.0);
    near(&flow["components"]["exact"], &[0.0; 5]);
    near(&flow["components"]["coexact"], &[a, a, 0.0, 0.0, a]);
    near(&flow["components"]["harmonic"], &[b, b, 1.0, 1.0, -a]);
    near(
        &json!([flow["norm_squared"], flow["energies"]["coexact"], flow["energies"]["harmonic"]]),
        &[4.0, 4.0 / 3.0, 8.0 / 3.0],
    );
    assert_eq!(edges["spectrum"]["harmonic"], 1);
    assert_eq!(
        (&edges["spectrum"]["exact"]["count"], &edges["spectrum"]["coexact"]["count"]),
        (&json!(3), &json!(1))
    );
    near(&json!([edges["spectrum"]["coexact"]["largest"]]), &[3.0]);
}

/// The exact share of an edge is its effective resistance: 5/8 on the outside, 1/2 across, where unit resistors
/// 1, 2 and 2 are parallel. The co-exact share is 1/3 on the sides of the filled triangle.
#[test]
fn an_unoriented_channel_has_shares_but_no_components() {
    let folder = folder();
    let found = decompose(folder.path(), &[]);
    let length = &found["dims"][1]["channels"][1];
    assert_eq!((&length["oriented"], &length["components"]), (&json!(false), &Value::Null));
    let exact = 4.0 * 5.0 / 8.0 + 4.0 * 0.5;
    let energies = &length["energies"];
    near(&json!([length["norm_squared"], energies["exact"], energies["coexact"]]), &[8.0, exact, 6.0 / 3.0]);
    near(&json!([length["shares"]["exact"], length["shares"]["harmonic"]]), &[exact / 8.0, 1.5 / 8.0]);
}

#[test]
fn the_table_has_percentages_and_the_file_the_json() {
    let folder = folder();
    let args = ["decompose", "hand.jsonl", "--graph", "0", "--dim", "1", "--out", "split.json"];
    let expected = "\
dataset             hand
graph               0
id                  pair
Laplacian           combinatorial
cells by dimension  4, 5, 1
Betti numbers       1, 1, 0

channel on edges  norm²  exact %  co-exact %  harmonic %
flow                  4     0.00       33.33       66.67
length                8    56.25       25.00       18.75  unoriented, mean shares

spectrum on edges  eigenvalues  smallest  largest
exact                        3         2        4
co-exact                     1         3        3
harmonic                     1         0        0
";
    let text = run_in(folder.path(), &args).result();
    assert_eq!(text, expected);
    let file = std::fs::read_to_string(folder.path().join("split.json")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(file, decompose(folder.path(), &["--dim", "1"]));
}

#[test]
fn vertices_of_a_graph_without_columns_carry_their_degree() {
    let folder = folder();
    let found = decompose(folder.path(), &["--dim", "0"]);
    let degree = &found["dims"][0]["channels"][0];
    assert_eq!(degree["name"], "degree");
    near(&degree["components"]["harmonic"], &[2.5; 4]);
    near(&degree["components"]["coexact"], &[0.5, -0.5, 0.5, -0.5]);
}

#[test]
fn a_graph_or_dimension_that_is_not_there_is_refused() {
    let folder = tiny();
    let error = |args: &[&str]| run_in(folder.path(), args).failure(1);
    assert_eq!(error(&["decompose", "TINY", "--graph", "2"]), "error: complex 2, but the dataset has 2\n");
    assert_eq!(
        error(&["decompose", "TINY", "--graph", "0", "--dim", "2"]),
        "error: cells of dimension 2 carry no signal\n\
         hint: the dataset has no values on these cells; use other dimensions or a constant signal\n"
    );
}

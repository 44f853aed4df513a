//! Hypergraphs from HIF and JSONL files: what is read, and what is refused.

use hodgelet::complex::Expansion;
use hodgelet::dataset::{ColumnValues, Dataset, Targets};
use hodgelet_data::{OpenOptions, hif, jsonl, open, open_with};
use std::path::Path;

fn sample() -> std::path::PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/xgi/sample.hif.json")).to_owned()
}

fn column<'a>(dataset: &'a Dataset, name: &str, dim: usize) -> &'a ColumnValues {
    &dataset.column(dim, name).unwrap().values
}

/// A file that XGI wrote.
#[test]
fn a_file_of_xgi_is_read() {
    let read = hif::read_file(&sample()).unwrap();
    assert!(read.report.is_clean(), "{}", read.report);
    assert_eq!(read.ids, ["sample"]);
    let hypergraph = &read.dataset.hypergraphs[0];
    assert_eq!((hypergraph.hyperedge(0), hypergraph.hyperedge(1)), (&[0, 1, 2][..], &[2, 3][..]));
    assert_eq!((hypergraph.weight(0), hypergraph.weight(1)), (2.0, 0.5));
    let names: Vec<(&str, usize)> = read.dataset.columns.iter().map(|c| (c.name.as_str(), c.dim)).collect();
    assert_eq!(names, [("kind", 0), ("size", 0), ("year", 1)]);
    let Targets::Classes { names, .. } = &read.dataset.targets else { panic!("a class") };
    assert_eq!(names, &["ring"]);
}

#[test]
fn a_file_is_opened_with_the_expansion_asked_for() {
    let path = sample();
    let name = path.to_str().unwrap();
    let cells = |options| {
        let dataset = open_with(name, None, options).unwrap().dataset;
        (dataset.complexes()[0].n_cells(0), dataset.complexes()[0].n_cells(1))
    };
    assert_eq!(cells(OpenOptions::default()), (4, 4)); // Zhou: pairs
    assert_eq!(cells(OpenOptions { hypergraph: Some(Expansion::Star), ..Default::default() }), (6, 5));
    assert_eq!(cells(OpenOptions { hypergraph: Some(Expansion::Incidence), ..Default::default() }), (4, 2));
}

#[test]
fn a_folder_of_files_is_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let file = |extra: &str| {
        format!(
            r#"{{"nodes":[{{"node":"a","attrs":{{"x":1,"y":2}}}},{{"node":1,"attrs":{{"x":"one"}}}}],{extra}
            "incidences":[{{"edge":7,"node":"a"}},{{"edge":7,"node":1}},{{"edge":7,"node":1}},{{"edge":8,"node":"1"}}]}}"#
        )
    };
    write("b.hif.json", &file(""));
    write(
        "a.json",
        &file(r#""network-type":"directed","#).replacen(
            r#""node":"a"}"#,
            r#""node":"a","direction":"head"}"#,
            1,
        ),
    );
    write("targets.csv", "file,target\na.json,0.5\nb,2\n");
    let read = open(folder.path().to_str().unwrap(), None).unwrap();
    assert_eq!(read.ids, ["a", "b"]);
    assert_eq!(read.dataset.targets(), &Targets::Real(vec![0.5, 2.0]));
    // the name 1 is not the name "1": three nodes, of which the last has no attributes
    assert_eq!(read.dataset.complexes()[0].n_cells(0), 3);
    assert_eq!(read.report.repeated, 2);
    assert_eq!(
        read.report.ignored,
        ["`direction` of incidences", "attribute `x` of nodes", "attribute `y` of nodes"]
    );
}

#[test]
fn what_is_no_hypergraph_is_named() {
    let message = |text: &str| hif::parse("f.json", text.as_bytes()).unwrap_err().to_string();
    assert_eq!(message("{}"), "f.json, incidences: found nothing, expected a list");
    assert_eq!(message("[]"), "f.json, the file: found a list of 0, expected an object with `incidences`");
    assert_eq!(
        message(r#"{"incidences":[{"edge":1,"node":2},{"edge":1}]}"#),
        "f.json, incidences[1].node: found nothing, expected a string or an integer"
    );
    assert_eq!(
        message(r#"{"incidences":[{"edge":1.5,"node":2}]}"#),
        "f.json, incidences[0].edge: found 1.5, expected a string or an integer"
    );
    assert_eq!(
        message(r#"{"network-type":"tree","incidences":[]}"#),
        "f.json, network-type: found \"tree\", expected `undirected`, `directed` or `asc`"
    );
    assert_eq!(
        message(r#"{"incidences":[],"nodes":[{"node":1},{"node":1}]}"#),
        "f.json, nodes[1].node: found 1, expected a name that is not repeated"
    );
    assert_eq!(
        message(r#"{"incidences":[{"edge":1,"node":2,"color":3}]}"#),
        "f.json, incidences[0]: found a field `color`, expected only edge, node, weight, direction, attrs"
    );
    assert_eq!(
        message(r#"{"incidences":[],"edges":[{"edge":1,"weight":-2}]}"#),
        "f.json: weight of hyperedge 0 is -2, expected a positive finite number"
    );
    assert!(message("{").starts_with("f.json: EOF while parsing"));
}

const JSONL: &str = r#"{"hodgelet":1,"target":"class","hypergraph":"incidence","columns":[{"name":"x","dim":1,"kind":"real","channels":["x"]}]}
{"vertices":4,"hyperedges":[[0,1,2],[2,3]],"hyperedge_weights":[1,2.5],"signals":{"1":{"x":[3,4]}},"target":"a"}
{"vertices":2,"hyperedges":[],"target":"b"}
"#;

#[test]
fn lines_of_hyperedges_are_expanded_as_the_header_or_the_caller_says() {
    let read = jsonl::parse("f.jsonl", JSONL.as_bytes()).unwrap().dataset;
    assert_eq!(read.complexes()[0].n_cells(1), 2);
    assert_eq!(read.weights(0).unwrap().of_dim(1), Some(&[1.0, 2.5][..]));
    let star = jsonl::parse_with("f.jsonl", JSONL.as_bytes(), Some(Expansion::Star)).unwrap().dataset;
    assert_eq!((star.complexes()[0].n_cells(0), star.complexes()[1].n_cells(0)), (6, 2));
    let ColumnValues::Real { values, .. } = column(&star, "hyperedge.x", 0) else { panic!("numbers") };
    assert_eq!(values, &[0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0]);
    // What is written is the complex, and reads back the same.
    let mut bytes = Vec::new();
    jsonl::write_to(&mut bytes, &star, &[]).unwrap();
    assert_eq!(jsonl::parse("f", &bytes).unwrap().dataset, star);
}

#[test]
fn faults_of_hyperedges_name_line_and_field() {
    let message = |from: &str, to: &str| {
        jsonl::parse("f.jsonl", JSONL.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(
        message("[2,3]", "[2,4]"),
        "f.jsonl, line 2: hyperedge 1 names vertex 4, but the hypergraph has 4 vertices"
    );
    assert_eq!(message("[2,3]", "[3,3]"), "f.jsonl, line 2: vertex 3 appears twice in hyperedge 1");
    assert_eq!(
        message("[2,3]", "[2,null]"),
        "f.jsonl, line 2, hyperedges[1][1]: found null, expected a whole number up to 16777216"
    );
    assert_eq!(message("[1,2.5]", "[1]"), "f.jsonl, line 2, hyperedge_weights: found 1 weights, expected 2");
    assert_eq!(
        message(r#""hyperedges":[],"#, r#""edges":[],"#),
        "f.jsonl, line 3, hyperedges: found nothing, expected hyperedges, as in other lines"
    );
    assert_eq!(
        message(r#""vertices":4,"#, r#""vertices":4,"edges":[],"#),
        "f.jsonl, line 2, edges: found `edges`, expected nothing, as the line has `hyperedges`"
    );
    assert_eq!(
        message("\"incidence\"", "\"cliques\""),
        "f.jsonl, line 1, hypergraph: found `cliques`, expected one of zhou, clique, clique-normalized, clique-unit, \
         star, incidence"
    );
}

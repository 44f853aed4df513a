//! JSONL: what is written is read back exactly, and what is wrong is refused with which message.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::linalg::SparseMat;
use hodgelet::signal::Orientation;
use hodgelet_data::jsonl;
use proptest::prelude::*;

const HEADER: &str = r#"{"hodgelet":1,"target":"class","columns":[{"name":"label","dim":0,"kind":"labels"},{"name":"flow","dim":1,"kind":"real","channels":["x"],"oriented":true}]}"#;
const PATH: &str = r#"{"id":"path","vertices":3,"edges":[[0,1],[2,1]],"signals":{"0":{"label":["C",7,"C"]},"1":{"flow":[1,-2.5]}},"target":"b"}"#;

fn parse(lines: &[&str]) -> Result<hodgelet_data::Read, jsonl::JsonlError> {
    jsonl::parse("f.jsonl", lines.join("\n").as_bytes())
}

fn message(lines: &[&str]) -> String {
    parse(lines).unwrap_err().to_string()
}

fn round_trip(dataset: &Dataset, ids: &[String]) -> hodgelet_data::Read {
    let mut bytes = Vec::new();
    jsonl::write_to(&mut bytes, dataset, ids).unwrap();
    jsonl::parse("f.jsonl", &bytes).unwrap()
}

#[test]
fn a_file_by_hand_is_read() {
    let point = r#"{"vertices":1,"signals":{"0":{"label":["N"]}},"target":"a"}"#;
    let read = parse(&[HEADER, "", PATH, point]).unwrap();
    let dataset = &read.dataset;
    assert_eq!((dataset.name(), read.ids), ("f", vec!["path".to_owned(), String::new()]));
    assert_eq!(dataset.complexes()[0].edges().collect::<Vec<_>>(), [[0, 1], [2, 1]]);
    let names = ["a", "b"].map(String::from).to_vec();
    assert_eq!(dataset.targets(), &Targets::Classes { names, labels: vec![1, 0] });
    let categories = ["7", "C", "N"].map(String::from).to_vec();
    assert_eq!(dataset.columns()[0].values, ColumnValues::Labels { categories, codes: vec![1, 0, 1, 2] });
    assert_eq!(dataset.columns()[1].orientation, Orientation::Oriented);
    assert_eq!(
        dataset.columns()[1].values,
        ColumnValues::Real { channels: vec!["x".to_owned()], values: vec![1.0, -2.5] }
    );
}

#[test]
fn names_that_are_integers_are_sorted_as_integers() {
    let header = r#"{"hodgelet":1,"target":"class"}"#;
    let line = |class: &str| format!(r#"{{"vertices":0,"target":{class}}}"#);
    let read = parse(&[header, &line("10"), &line("9"), &line("\"-1\"")]).unwrap();
    let names = ["-1", "9", "10"].map(String::from).to_vec();
    assert_eq!(read.dataset.targets(), &Targets::Classes { names, labels: vec![2, 1, 0] });
    assert_eq!(read.report.empty, 3);
}

/// A filled triangle, a square as one cell, a hyperedge, and a point without any dimension above.
fn many_kinds_of_complexes() -> Vec<Complex> {
    let triangle = Complex::graph(3, &[[1, 0], [1, 2], [0, 2]]).unwrap();
    let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [3, 0]]).unwrap();
    let mut face = SparseMat::with_rows(4);
    face.push_column((0..4).map(|e| (e, 0.5)));
    let mut hyperedge = SparseMat::with_rows(3);
    hyperedge.push_column([(0, 1.0), (1, 1.0), (2, -2.0)]);
    let tetrahedron = Complex::graph(4, &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
        .unwrap()
        .clique_complex(3)
        .unwrap();
    vec![
        triangle.with_triangles(&[[2, 1, 0]]).unwrap(),
        triangle.clique_complex(2).unwrap(),
        square.clique_complex(2).unwrap(),
        Complex::from_boundaries(4, vec![square.boundary(1).unwrap().clone(), face]).unwrap(),
        Complex::from_boundaries(3, vec![hyperedge]).unwrap(),
        Complex::from_boundaries(1, vec![]).unwrap(),
        tetrahedron,
    ]
}

#[test]
fn every_kind_of_complex_survives_a_file() {
    let complexes = many_kinds_of_complexes();
    let dataset = Dataset::new("kinds", complexes, Vec::new(), Targets::None).unwrap();
    assert_eq!(round_trip(&dataset, &[]).dataset, dataset);
    let mut bytes = Vec::new();
    jsonl::write_to(&mut bytes, &dataset, &[]).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], r#"{"vertices":3,"edges":[[1,0],[1,2],[0,2]],"triangles":[[1,0,2]]}"#);
    assert_eq!(lines[5], r#"{"vertices":3,"boundaries":{"1":[[[0,1.0],[1,1.0],[2,-2.0]]]}}"#);
    assert_eq!(lines[6], r#"{"vertices":1}"#);
}

prop_compose! {
    fn finite()(bits in any::<u64>()) -> f64 {
        let value = f64::from_bits(bits);
        if value.is_finite() { value } else { 0.5 }
    }
}

prop_compose! {
    /// Two paths with any numbers and names.
    fn datasets()(
        sizes in prop::collection::vec(0usize..5, 0..4),
    )(
        values in prop::collection::vec(finite(), sizes.iter().sum::<usize>() * 2),
        codes in prop::collection::vec(0u32..3, sizes.iter().sum::<usize>()),
        flows in prop::collection::vec(finite(), sizes.iter().map(|n| n.saturating_sub(1)).sum::<usize>()),
        targets in prop::collection::vec(finite(), sizes.len()),
        names in prop::collection::hash_set(".{0,6}", 3),
        name in ".{0,10}",
        sizes in Just(sizes),
    ) -> Dataset {
        let path = |&n: &usize| {
            let edges: Vec<[u32; 2]> = (1..n as u32).map(|v| [v, v - 1]).collect();
            Complex::graph(n, &edges).unwrap()
        };
        let complexes = sizes.iter().map(path).collect();
        let mut dataset = Dataset::new(name, complexes, Vec::new(), Targets::Real(targets)).unwrap();
        let names: Vec<String> = names.into_iter().collect();
        let channels = |n: usize| (0..n).map(|d| format!("c\"{d}")).collect();
        let columns = [
            (0, Orientation::Unoriented, ColumnValues::Real { channels: channels(2), values }),
            (0, Orientation::Unoriented, ColumnValues::Labels { categories: names, codes }),
            (1, Orientation::Oriented, ColumnValues::Real { channels: channels(1), values: flows }),
        ];
        for (i, (dim, orientation, values)) in columns.into_iter().enumerate() {
            let starts = dataset.cell_starts(dim);
            let column = Column { name: format!("column {i}"), dim, orientation, starts, values };
            dataset = dataset.with_column(column).unwrap();
        }
        dataset
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back_to_the_bit(dataset in datasets()) {
        let back = round_trip(&dataset, &[]).dataset;
        // equal as written, so also in the sign of zeros, which `==` does not see
        prop_assert_eq!(format!("{back:?}"), format!("{dataset:?}"));
    }
}

#[test]
fn ids_survive_and_must_be_as_many_as_complexes() {
    let dataset = parse(&[HEADER, PATH, PATH]).unwrap().dataset;
    let ids = ["x", "y"].map(String::from);
    assert_eq!(round_trip(&dataset, &ids).ids, ids);
    assert_eq!(
        jsonl::write_to(Vec::new(), &dataset, &ids[..1]).unwrap_err().to_string(),
        "1 ids, but the dataset has 2 complexes"
    );
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.jsonl");
    let dataset = parse(&[HEADER, PATH]).unwrap().dataset;
    jsonl::write(&path, &dataset, &[]).unwrap();
    assert_eq!(jsonl::read(&path).unwrap().dataset, dataset);
    let other = dataset.clone().with_targets(Targets::None).unwrap();
    assert!(jsonl::write(&path, &other, &["one".to_owned(), "too many".to_owned()]).is_err());
    assert_eq!(jsonl::read(&path).unwrap().dataset, dataset);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn each_fault_of_a_header_has_its_message() {
    let cases = [
        ("", "f.jsonl: found no line, expected a header"),
        ("{", "f.jsonl, line 1: EOF while parsing an object, column 1"),
        ("[]", "f.jsonl, line 1, the line: found a list of 0, expected an object"),
        ("{}", "f.jsonl, line 1, hodgelet: found nothing, expected a value"),
        (r#"{"hodgelet":2}"#, "f.jsonl, line 1, hodgelet: found version 2, expected 1"),
        (r#"{"hodgelet":"1"}"#, "f.jsonl, line 1, hodgelet: found version \"1\", expected 1"),
        (
            r#"{"hodgelet":1,"x":1}"#,
            "f.jsonl, line 1, the line: found a field `x`, expected only hodgelet, name, complexes, target, classes, columns, hypergraph",
        ),
        (
            r#"{"hodgelet":1,"target":"regression"}"#,
            "f.jsonl, line 1, target: found `regression`, expected `class`, `real` or `none`",
        ),
        (
            r#"{"hodgelet":1,"classes":["a"]}"#,
            "f.jsonl, line 1, classes: found names of classes, expected none, as the target is not `class`",
        ),
        (
            r#"{"hodgelet":1,"target":"class","classes":["a","a"]}"#,
            "f.jsonl, line 1, classes: found `a` a second time, expected distinct names",
        ),
        (
            r#"{"hodgelet":1,"columns":[{"name":"x","dim":0,"kind":"text"}]}"#,
            "f.jsonl, line 1, columns[0].kind: found `text`, expected `labels` or `real`",
        ),
        (
            r#"{"hodgelet":1,"columns":[{"name":"x","dim":-1,"kind":"real"}]}"#,
            "f.jsonl, line 1, columns[0].dim: found -1, expected a whole number up to 64",
        ),
        (
            r#"{"hodgelet":1,"columns":[{"name":"x","dim":0,"kind":"real"}]}"#,
            "f.jsonl, line 1, columns[0].channels: found nothing, expected a value",
        ),
        (
            r#"{"hodgelet":1,"columns":[{"name":"x","dim":0,"kind":"labels"},{"name":"x","dim":0,"kind":"labels"}]}"#,
            "f.jsonl, line 1, columns[1]: found `x` a second time, expected a new name",
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(message(&[line]), expected);
    }
}

#[test]
fn each_fault_of_a_complex_names_line_and_field() {
    let bare = r#"{"hodgelet":1}"#;
    let cases = [
        (bare, "1", "the line: found 1, expected an object"),
        (bare, "{}", "vertices: found nothing, expected a value"),
        (bare, r#"{"vertices":-1}"#, "vertices: found -1, expected a whole number up to 16777216"),
        (bare, r#"{"vertices":4e9}"#, "vertices: found 4000000000.0, expected a whole number up to 16777216"),
        (bare, r#"{"vertices":2,"edges":[[0,1,1]]}"#, "edges[0]: found 3 vertices, expected 2"),
        (
            bare,
            r#"{"vertices":2,"edges":[["a",1]]}"#,
            "edges[0][0]: found \"a\", expected a whole number up to 16777216",
        ),
        (
            bare,
            r#"{"vertices":3,"triangles":[[0,1,2]]}"#,
            "triangles: found triangles, expected edges as well",
        ),
        (
            bare,
            r#"{"vertices":2,"edges":[[0,1]],"boundaries":{"3":[]}}"#,
            "boundaries.2: found nothing, expected a value",
        ),
        (
            bare,
            r#"{"vertices":2,"edges":[[0,1]],"boundaries":{"2":[[[1,1]]]}}"#,
            "boundaries.2[0][0][0]: found face 1, expected one of 1",
        ),
        (
            bare,
            r#"{"vertices":2,"boundaries":{"1":[[[1,1],[1,-1]]]}}"#,
            "boundaries.1[0]: found face 1 twice, expected distinct faces",
        ),
        (bare, r#"{"vertices":1,"target":3}"#, "target: found a target, expected none, as the header says"),
        (
            bare,
            r#"{"vertices":1,"signals":{"0":{}}}"#,
            "signals: found dimension `0`, expected dimensions of the header's columns",
        ),
        (
            HEADER,
            r#"{"vertices":1,"target":"a"}"#,
            "signals.0.label: found nothing, expected values of 1 cells",
        ),
        (
            HEADER,
            r#"{"vertices":2,"signals":{"0":{"label":["C"]}},"target":"a"}"#,
            "signals.0.label: found 1 values, expected 2",
        ),
        (
            HEADER,
            r#"{"vertices":1,"signals":{"0":{"label":[1.5]}},"target":"a"}"#,
            "signals.0.label[0]: found 1.5, expected a string or an integer",
        ),
        (
            HEADER,
            r#"{"vertices":1,"signals":{"0":{"label":["C"],"x":[1]}},"target":"a"}"#,
            "signals.0: found a field `x`, expected only label",
        ),
        (HEADER, r#"{"vertices":0}"#, "target: found nothing, expected a value"),
        (
            HEADER,
            r#"{"vertices":2,"edges":[[0,1]],"signals":{"0":{"label":["C","C"]},"1":{"flow":["x"]}},"target":"a"}"#,
            "signals.1.flow[0]: found \"x\", expected a finite number",
        ),
        (
            r#"{"hodgelet":1,"target":"class","classes":["a"]}"#,
            r#"{"vertices":0,"target":"b"}"#,
            "target: found `b`, expected one of the header's classes",
        ),
        (
            r#"{"hodgelet":1,"columns":[{"name":"label","dim":0,"kind":"labels","categories":["C"]}]}"#,
            r#"{"vertices":1,"signals":{"0":{"label":["N"]}}}"#,
            "signals.0.label[0]: found `N`, expected one of the header's categories",
        ),
    ];
    for (header, line, expected) in cases {
        assert_eq!(message(&[header, line]), format!("f.jsonl, line 2, {expected}"));
    }
    let complex = |line: &str| message(&[bare, "", line]);
    assert_eq!(
        complex(r#"{"vertices":2,"edges":[[0,1],[1,2]]}"#),
        "f.jsonl, line 3: edge 1 names vertex 2, but the graph has 2 vertices"
    );
    assert_eq!(
        complex(r#"{"vertices":2,"edges":[[1,1]]}"#),
        "f.jsonl, line 3: edge 0 joins vertex 1 to itself"
    );
    assert_eq!(
        complex(r#"{"vertices":3,"edges":[[0,1],[1,2],[0,2]],"boundaries":{"2":[[[0,1],[1,1],[2,1]]]}}"#),
        "f.jsonl, line 3: the boundary of cell 0 of dimension 2 is not closed: it leaves cell 0 of dimension 0"
    );
    assert_eq!(complex(r#"{"vertices":1e999}"#), "f.jsonl, line 3: number out of range, column 17");
}

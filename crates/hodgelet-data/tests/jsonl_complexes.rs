//! JSONL lines that hold simplices, polygons, positions and weights.

use hodgelet::complex::{CellWeights, Complex};
use hodgelet::dataset::{ColumnValues, Dataset, Targets};
use hodgelet::hodge::{Operators, Weighting, betti_numbers};
use hodgelet_data::jsonl;

const HEADER: &str = r#"{"hodgelet":1}"#;

fn parse(lines: &[&str]) -> Result<Dataset, jsonl::JsonlError> {
    jsonl::parse("f.jsonl", [&[HEADER], lines].concat().join("\n").as_bytes()).map(|read| read.dataset)
}

fn message(lines: &[&str]) -> String {
    parse(lines).unwrap_err().to_string()
}

/// What is written, and what reading it gives.
fn written(dataset: &Dataset) -> (String, Dataset) {
    let mut bytes = Vec::new();
    jsonl::write_to(&mut bytes, dataset, &[]).unwrap();
    let again = jsonl::parse("f.jsonl", &bytes).unwrap().dataset;
    (String::from_utf8(bytes).unwrap(), again)
}

fn cells(complex: &Complex) -> Vec<usize> {
    (0..=complex.dim()).map(|k| complex.n_cells(k)).collect()
}

#[test]
fn simplices_bring_their_faces_and_stay_hollow() {
    let dataset = parse(&[
        r#"{"vertices":5,"simplices":[[3,0,1,2],[4,3]]}"#,
        r#"{"vertices":3,"simplices":[[0,1],[1,2],[2,0]]}"#,
        r#"{"vertices":2,"simplices":[]}"#,
    ])
    .unwrap();
    let found: Vec<Vec<usize>> = dataset.complexes().iter().map(cells).collect();
    assert_eq!(found, [vec![5, 7, 4, 1], vec![3, 3, 0], vec![2, 0, 0]]);
    let (text, again) = written(&dataset);
    assert_eq!(again, dataset);
    assert!(text.contains(r#""simplices":[[3,4],[0,1,2,3]]"#), "{text}");
}

#[test]
fn polygons_follow_triangles_and_are_written_as_such() {
    let line = r#"{"vertices":5,"edges":[[0,1],[2,1],[2,3],[3,0],[3,4],[2,4]],"triangles":[[4,3,2]],"polygons":[[2,3,0,1]]}"#;
    let dataset = parse(&[line]).unwrap();
    let complex = &dataset.complexes()[0];
    assert_eq!((cells(complex), complex.polygon(1)), (vec![5, 6, 2], Some(vec![0, 1, 2, 3])));
    let operators = Operators::new(complex, Weighting::Combinatorial);
    assert_eq!(betti_numbers(&operators).unwrap(), [1, 0, 0]);
    let (text, again) = written(&dataset);
    assert_eq!(again, dataset);
    assert!(text.contains(r#""polygons":["#) && !text.contains("boundaries"), "{text}");
}

#[test]
fn other_complexes_are_written_by_their_boundaries() {
    let line = r#"{"vertices":1,"boundaries":{"1":[[],[]],"2":[[[0,2],[1,-1]]]}}"#;
    let dataset = parse(&[line]).unwrap();
    let (text, again) = written(&dataset);
    assert_eq!(again, dataset);
    assert!(text.contains(r#""boundaries":{"1":[[],[]]"#), "{text}");
}

#[test]
fn positions_and_weights_become_columns_and_weights_reach_the_model() {
    let dataset = parse(&[
        r#"{"vertices":2,"edges":[[0,1]],"positions":[[0,0.5],[1,-2e-3]],"weights":{"1":[2.5]}}"#,
        r#"{"vertices":0,"positions":[]}"#,
        r#"{"vertices":1,"positions":[[0.1,3]]}"#,
    ])
    .unwrap();
    let ColumnValues::Real { channels, values } = &dataset.columns()[0].values else { panic!("reals") };
    assert_eq!(
        (channels.join(""), values.as_slice()),
        ("xy".to_owned(), &[0.0, 0.5, 1.0, -2e-3, 0.1, 3.0][..])
    );
    assert_eq!(dataset.weights(0), Some(CellWeights::new(vec![None, Some(vec![2.5])]).unwrap()));
    assert_eq!(written(&dataset).1, dataset);
}

#[test]
fn faults_name_line_and_cell() {
    let cases = [
        (r#"{"vertices":3,"simplices":[[0],[1,3]]}"#, ": simplex 1 names vertex 3, but there are 3 vertices"),
        (r#"{"vertices":3,"simplices":[[0,1,0]]}"#, ": simplex 0 names vertex 0 twice"),
        (
            r#"{"vertices":3,"simplices":[],"edges":[]}"#,
            ", edges: found `edges`, expected nothing, as the line has `simplices`",
        ),
        (r#"{"vertices":3,"polygons":[]}"#, ", polygons: found polygons, expected edges as well"),
        (
            r#"{"vertices":4,"edges":[[0,1],[1,2],[2,3]],"polygons":[[0,1,2,3]]}"#,
            ": polygon 0 needs the edge between vertices 3 and 0, which the complex does not have",
        ),
        (r#"{"vertices":2,"positions":[[0,0]]}"#, ", positions: found 1 positions, expected 2"),
        (r#"{"vertices":2,"positions":[[0,0],[1]]}"#, ", positions[1]: found 1 coordinates, expected 2"),
        (
            r#"{"vertices":2,"weights":{"0":[1,0]}}"#,
            ", weights.0[1]: found the weight 0, expected a positive number",
        ),
        (r#"{"vertices":2,"weights":{"0":[1]}}"#, ", weights.0: found 1 weights, expected 2"),
        (
            r#"{"vertices":2,"weights":{"1":[1]}}"#,
            ", weights: found dimension `1`, expected dimensions 0 to 0",
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(message(&[line]), format!("f.jsonl, line 2{expected}"));
    }
    let (plain, placed) = (r#"{"vertices":1}"#, r#"{"vertices":1,"positions":[[1,2]]}"#);
    assert_eq!(
        message(&[placed, plain]),
        "f.jsonl, line 3, positions: found nothing, expected positions, as in other lines"
    );
    assert_eq!(
        message(&[placed, r#"{"vertices":1,"positions":[[1,2,3]]}"#]),
        "f.jsonl, line 3, positions: found 3 coordinates, expected 2, as in other lines"
    );
    let header = r#"{"hodgelet":1,"columns":[{"name":"position","dim":0,"kind":"real","channels":["x"]}]}"#;
    let twice = [header, r#"{"vertices":1,"positions":[[1]],"signals":{"0":{"position":[1]}}}"#].join("\n");
    assert_eq!(
        jsonl::parse("f.jsonl", twice.as_bytes()).unwrap_err().to_string(),
        "f.jsonl, line 2, positions: found a separate list, expected values of the header's column `position`"
    );
}

#[test]
fn lifted_complexes_are_written_and_read_to_the_bit() {
    let edges: Vec<[u32; 2]> = (0..6).flat_map(|a| (a + 1..6).map(move |b| [a, b])).collect();
    let clique = Complex::graph(6, &edges[..12]).unwrap();
    let rings = clique.with_polygons(&clique.chordless_cycles(6).unwrap()).unwrap();
    let complexes = vec![
        rings,
        clique.clique_complex(2).unwrap(),
        clique.clique_complex(3).unwrap(),
        clique.clique_complex(5).unwrap(),
        Complex::alpha(&[[0.0, 0.0], [1.0, 0.0], [0.3, 0.9], [2.0, 2.0]], 1.0).unwrap(),
    ];
    let dataset = Dataset::new("lifted", complexes, Vec::new(), Targets::None).unwrap();
    assert_eq!(written(&dataset).1, dataset);
}

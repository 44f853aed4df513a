//! Files as the assemblage has them, and others.

use super::*;
use hodgelet::dataset::Targets;
use std::io::Write;

/// Two spheres, a projective plane and a torus in the form of the releases.
const FILE: &str = r#"[
  {
    "id": "manifold_2_4_1",
    "triangulation": [
      [1,2,3],
      [1,2,4],
      [1,3,4],
      [2,3,4]
    ],
    "dimension": 2,
    "n_vertices": 4,
    "betti_numbers": [1, 0, 1],
    "torsion_coefficients": ["", "", ""],
    "name": "S^2",
    "genus": 0,
    "orientable": true
  },
  {"id": "manifold_2_6_3",
   "triangulation": [[1,2,3],[1,2,4],[1,3,5],[1,4,6],[1,5,6],[2,3,6],[2,4,5],[2,5,6],[3,4,5],[3,4,6]],
   "dimension": 2, "n_vertices": 6, "betti_numbers": [1, 0, 0], "torsion_coefficients": ["", "Z_2", ""],
   "name": "RP^2", "genus": 1, "orientable": false, "vertex_transitive": true},
  {"id": "manifold_2_7_9",
   "triangulation": [[1,2,4],[2,3,5],[3,4,6],[4,5,7],[5,6,1],[6,7,2],[7,1,3],[1,3,4],[2,4,5],[3,5,6],[4,6,7],[5,7,1],
     [6,1,2],[7,2,3]],
   "dimension": 2, "n_vertices": 7, "name": ""}
]
"#;

fn classes(dataset: &Dataset) -> Vec<String> {
    let Targets::Classes { names, labels } = dataset.targets() else { panic!("classes") };
    labels.iter().map(|&label| names[label as usize].clone()).collect()
}

#[test]
fn triangulations_are_read_with_what_is_known_of_them() {
    let read = parse("2_manifolds.json", FILE.as_bytes(), ManifoldTarget::Type).unwrap();
    assert_eq!(read.dataset.name(), "2_manifolds");
    assert_eq!(read.ids, ["manifold_2_4_1", "manifold_2_6_3", "manifold_2_7_9"]);
    let cells = |i: usize| [0, 1, 2].map(|k| read.dataset.complexes()[i].n_cells(k));
    assert_eq!([0, 1, 2].map(cells), [[4, 6, 4], [6, 15, 10], [7, 21, 14]]);
    assert_eq!(classes(&read.dataset), ["S^2", "RP^2", "T^2"]);
    assert!(read.dataset.columns().is_empty());
    let of = |target| classes(&parse("f", FILE.as_bytes(), target).unwrap().dataset);
    assert_eq!(of(ManifoldTarget::Orientable), ["yes", "no", "yes"]);
    assert_eq!(of(ManifoldTarget::Betti), ["1,0,1", "1,0,0", "1,2,1"]);
    assert_eq!(of(ManifoldTarget::Betti1), ["0", "0", "2"]);
    assert_eq!(of(ManifoldTarget::Betti2), ["1", "0", "1"]);
}

#[test]
fn compressed_files_are_the_same_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(FILE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let path = folder.path().join("two.json.gz");
    std::fs::write(&path, &packed).unwrap();
    assert!(is_mantra(&path));
    let read = read_file(&path, ManifoldTarget::Type).unwrap();
    let plain = parse("two.json", FILE.as_bytes(), ManifoldTarget::Type).unwrap();
    assert_eq!(read, plain);
    std::fs::write(&path, &packed[..packed.len() - 12]).unwrap();
    let error = read_file(&path, ManifoldTarget::Type).unwrap_err();
    assert!(error.to_string().contains("two.json.gz: not a whole gzip file"), "{error}");
    let error = unpacked("f", &packed, 100).unwrap_err();
    assert_eq!(error.to_string(), "f: not a whole gzip file: more than 100 bytes when unpacked");
}

#[test]
fn a_list_is_told_from_a_hypergraph() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    assert!(is_mantra(&write("a.json", "\u{feff}\n [ ]")));
    assert!(!is_mantra(&write("b.json", r#"{"incidences": []}"#)));
    assert!(!is_mantra(&write("c.json", "")));
    assert!(!is_mantra(&folder.path().join("none.json")));
    let opened = crate::open(&write("d.json", FILE).display().to_string(), None).unwrap();
    assert_eq!(opened.dataset.len(), 3);
}

#[test]
fn faults_name_the_manifold_and_where_it_starts() {
    let error = |text: &str| {
        let error = parse("f.json", text.as_bytes(), ManifoldTarget::Type).unwrap_err();
        assert!(error.hint().is_some() || matches!(error, MantraError::Complex { .. }), "{error}");
        error.to_string()
    };
    assert_eq!(
        error(""),
        "f.json, line 1: found the end of the file, expected a list of manifolds in brackets"
    );
    assert_eq!(error("{}"), "f.json, line 1: found `{}`, expected one list of manifolds");
    assert_eq!(error("[\n1]"), "f.json, line 2: found `1]`, expected objects parted by commas");
    assert_eq!(error("[] x"), "f.json, line 1: found `x`, expected the end of the file");
    assert!(error("[{},]").contains("found `]`"));
    assert_eq!(
        error("[{\"triangulation\": [[0,1,2]]},\n{]"),
        "f.json, line 2: found the end of the file, expected a list of manifolds in brackets"
    );
    assert_eq!(
        error("[\n{\"a\": 1, \"a\": 2}]"),
        "f.json, manifold 0, from line 2: key `a` a second time at line 1 column 12"
    );
    let entry = |text: &str| error(&format!("[{{{text}}}]")).replace("f.json, manifold 0, from line 1: ", "");
    assert_eq!(entry(""), "found nothing as `triangulation`, expected a list of facets");
    assert_eq!(
        entry("\"triangulation\": []"),
        "found a list of 0 as `triangulation`, expected at least one facet"
    );
    assert_eq!(
        entry("\"triangulation\": [[1,2,3],[1,2]]"),
        "found a list of 2 as `triangulation`, expected 3 vertices, as in the first facet"
    );
    assert_eq!(
        entry("\"triangulation\": [[1,2,-3]]"),
        "found a list of 3 as `triangulation`, expected facets that are lists of two to five vertices, counted from 0 or 1"
    );
    assert_eq!(entry("\"triangulation\": [[1,2,2]]"), "simplex 0 names vertex 1 twice");
    assert_eq!(
        entry("\"triangulation\": [[1,2,3]], \"n_vertices\": 4"),
        "found `4` as `n_vertices`, expected 3, as the facets have"
    );
    assert_eq!(
        entry("\"triangulation\": [[1,2,3]], \"betti_numbers\": [1, \"x\"]"),
        "found a list of 2 as `betti_numbers`, expected a list of 3 whole numbers, one for each dimension"
    );
    assert_eq!(
        entry("\"triangulation\": [[1,2,3]], \"betti_numbers\": [1]"),
        "found a list of 1 as `betti_numbers`, expected a list of 3 whole numbers, one for each dimension"
    );
    assert_eq!(
        entry("\"triangulation\": [[1,2,3]]"),
        "found nothing as `name`, expected a name where the triangulation is not a closed surface"
    );
    assert!(entry("\"triangulation\": [[1,2,3]], \"orientable\": 1").contains("expected true or false"));
    assert!(entry("\"triangulation\": [[1,2,3]], \"name\": 1").contains("expected a text"));
}

#[test]
fn an_empty_list_is_an_empty_dataset() {
    let read = parse("f.json", b"[ ]", ManifoldTarget::Type).unwrap();
    assert!(read.dataset.is_empty());
}

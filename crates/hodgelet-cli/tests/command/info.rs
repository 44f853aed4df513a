use crate::{command, finished, run, run_in, tiny, tu_file};

const TINY: &str = "\
name                    TINY
graphs                  2
target                  2 classes
isolated vertices       1
connected components    1 to 2, mean 1.500
triangles               1 in all, 0 to 1, mean 0.500
f-vector, mean          4.500, 4, 0.500
Euler characteristic    1 to 1, mean 1
graphs that look alike  none
Betti numbers, mean     β_0 1.500, β_1 0.500

cells      mean  min  max  total
vertices  4.500    4    5      9
edges         4    4    4      8

spectrum on  component  eigenvalues  min  median  max
vertices     co-exact             6    1   2.500    4
vertices     harmonic             3    0       0    0
edges        exact                6    1   2.500    4
edges        co-exact             1    3       3    3
edges        harmonic             1    0       0    0

column  on        kind    channels  oriented
label   vertices  labels         2  no
label   edges     labels         2  no

class  graphs
-1          1
1           1

note: topology is that of the clique complex: every triangle of a graph is filled
";

#[test]
fn a_tu_folder_is_described_by_sizes_columns_and_topology() {
    let folder = tiny();
    assert_eq!(run_in(folder.path(), &["info", "./TINY"]).result(), TINY);
    let by_name = ["info", "TINY", "--data-dir", folder.path().to_str().unwrap()];
    assert_eq!(run(&by_name).result(), TINY);
    let mut by_environment = command(std::path::Path::new("/"), &["info", "TINY"]);
    by_environment.env("HODGELET_DATA", folder.path());
    assert_eq!(finished(by_environment).result(), TINY);
}

#[test]
fn what_the_reader_tidied_is_part_of_the_result() {
    let folder = tiny();
    let arcs = tu_file(folder.path(), "A");
    let text = std::fs::read_to_string(&arcs).unwrap().replace("1, 2\n2, 1\n", "1, 2\n2, 2\n");
    std::fs::write(&arcs, text).unwrap();
    let found = run_in(folder.path(), &["info", "TINY", "--format", "json"]).json();
    assert_eq!(found["tidied"][0], "1 self-loop dropped");
    assert_eq!(found["tidied"][1], "1 edge listed in one direction only");
}

#[test]
fn betti_numbers_of_surfaces_tell_their_classes() {
    let found = run(&["info", "surfaces", "--set", "n_graphs=4", "--format", "json"]).json();
    // One sphere (1, 0, 1), torus (1, 2, 1), Klein bottle (1, 1, 0) and projective plane (1, 0, 0).
    assert_eq!(found["betti"], serde_json::json!([1.0, 0.75, 0.5]));
    assert_eq!(found["target"]["classes"].as_array().unwrap().len(), 4);
    assert_eq!(found["cells"][2]["dim"], 2);
}

#[test]
fn a_seed_and_settings_choose_the_draw() {
    let edges = |seed: &str| {
        let found = run(&["info", "sbm", "--set", "n_graphs=6", "--seed", seed, "--format", "json"]).json();
        assert_eq!(found["graphs"], 6);
        found["cells"][1]["total"].as_f64().unwrap()
    };
    assert_eq!(edges("1"), edges("1"));
    assert_ne!(edges("1"), edges("2"));
}

#[test]
fn real_targets_have_a_range() {
    let folder = tiny();
    std::fs::remove_file(tu_file(folder.path(), "graph_labels")).unwrap();
    std::fs::write(tu_file(folder.path(), "graph_attributes"), "0.5\n-1.5\n").unwrap();
    let text = run_in(folder.path(), &["info", "./TINY"]).result();
    assert!(text.contains("target                  real numbers, -1.500 to 0.500, mean -0.500\n"), "{text}");
}

#[test]
fn weights_of_a_file_weigh_its_spectra() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"hodgelet\":1}\n\
        {\"vertices\":3,\"simplices\":[[0,1],[1,2],[0,2]],\"weights\":{\"1\":[2,2,2]}}\n";
    std::fs::write(folder.path().join("w.jsonl"), text).unwrap();
    let found = run_in(folder.path(), &["info", "w.jsonl", "--format", "json"]).json();
    // the hollow triangle stays hollow, and twice its Laplacian has the eigenvalues 0, 6, 6
    assert_eq!(
        (&found["f_vector"], &found["betti"]),
        (&serde_json::json!([3.0, 3.0, 0.0]), &serde_json::json!([1.0, 1.0, 0.0]))
    );
    let exact = &found["spectra"][2];
    assert_eq!(
        (&exact["dim"], &exact["component"], &exact["eigenvalues"]),
        (&1.into(), &"exact".into(), &2.into())
    );
    assert!((exact["median"].as_f64().unwrap() - 6.0).abs() < 1e-12, "{exact}");
}

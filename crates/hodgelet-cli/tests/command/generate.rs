use crate::{listing, run, run_in};

#[test]
fn a_written_dataset_is_described_as_the_drawn_one() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = ["n_fields=4", "n_graphs=8", "n_graphs=8", "n_graphs=8"];
    for (name, size) in ["vector-fields", "ring-vs-clique", "sbm", "surfaces"].into_iter().zip(sizes) {
        let out = format!("{name}.jsonl");
        let draw = ["--seed", "5", "--set", size, "--format", "json"];
        let written = run_in(folder.path(), &[&["generate", name, "--out", &out], &draw[..]].concat()).json();
        let drawn = run(&[&["info", name], &draw[..]].concat()).json();
        let read = run_in(folder.path(), &["info", &out, "--format", "json"]).json();
        assert_eq!(read, drawn, "{name}");
        assert_eq!(written["graphs"], drawn["graphs"]);
        assert_eq!(written["edges"].as_f64(), drawn["cells"][1]["total"].as_f64());
    }
    assert_eq!(
        listing(folder.path()),
        ["ring-vs-clique.jsonl", "sbm.jsonl", "surfaces.jsonl", "vector-fields.jsonl"]
    );
}

#[test]
fn a_folder_named_as_a_built_in_dataset_is_reached_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sbm")).unwrap();
    assert_eq!(run_in(folder.path(), &["info", "sbm", "--format", "json"]).json()["graphs"], 200);
    let error = run_in(folder.path(), &["info", "./sbm"]).failure(1);
    assert!(error.starts_with("error: ") && error.contains("./sbm"), "{error}");
}

#[test]
fn the_help_lists_names_and_parameters() {
    let help = run(&["generate", "--help"]).result();
    for part in ["surfaces: triangulated spheres", "n_vertices=", "ring-vs-clique: "] {
        assert!(help.contains(part), "{part} in {help}");
    }
}

#[test]
fn what_cannot_be_generated_is_refused() {
    let error = |args: &[&str]| run(args).failure(1);
    assert_eq!(
        error(&["generate", "surface", "--out", "x.jsonl"]),
        "error: no built-in dataset `surface`, expected one of vector-fields, ring-vs-clique, sbm, surfaces, hypergraphs, molecules, triangulations\n\
         hint: did you mean `surfaces`?\n"
    );
    assert_eq!(
        error(&["generate", "sbm", "--out", "x.csv"]),
        "error: --out x.csv, expected a name that ends in .jsonl\n"
    );
    assert_eq!(
        error(&["generate", "sbm", "--out", "missing/x.jsonl"]),
        "error: missing/x.jsonl: no such directory\nhint: the directory of the file must exist\n"
    );
    assert!(
        error(&["generate", "sbm", "--out", "x.jsonl", "--set", "colour=1"])
            .contains("no parameter `colour`")
    );
}

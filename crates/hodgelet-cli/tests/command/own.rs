use crate::run_in;

#[test]
fn tables_of_graphs_become_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |text: &dyn Fn(usize) -> String| (0..20).map(text).collect::<String>();
    std::fs::write(
        folder.path().join("c.csv"),
        format!("age,dose\n{}", rows(&|i| format!("{i},{}\n", i % 3))),
    )
    .unwrap();
    std::fs::write(folder.path().join("f.csv"), format!("keys\n{}", rows(&|i| format!("{} x:2\n", i % 4))))
        .unwrap();
    let data = ["sbm", "--set", "n_graphs=20", "--columns", "c.csv", "--fingerprints", "f.csv"];
    let fit = [&["fit"], &data[..], &["--iterations", "2", "--out", "m.hodgelet"]].concat();
    run_in(folder.path(), &fit).result();
    let text =
        run_in(folder.path(), &[&["predict", "m.hodgelet"], &data[..], &["--format", "json"]].concat())
            .result();
    assert!(text.contains("graph columns") && text.contains("graph fingerprints"), "{text}");
    // The same through a store and through a file of graphs.
    run_in(folder.path(), &[&["measure"], &data[..], &["--out", "s"]].concat()).result();
    let stored = ["fit", "./s", "--iterations", "2", "--out", "n.hodgelet"];
    run_in(folder.path(), &stored).result();
    let from_store =
        run_in(folder.path(), &[&["predict", "n.hodgelet"], &data[..], &["--format", "json"]].concat())
            .result();
    assert_eq!(from_store, text);

    let without = run_in(folder.path(), &["predict", "m.hodgelet", "sbm", "--set", "n_graphs=20"]).failure(1);
    assert!(without.contains("no column `age` of the graphs as a whole"), "{without}");
    let few = ["fit", "sbm", "--set", "n_graphs=21", "--columns", "c.csv", "--out", "x.hodgelet"];
    let error = run_in(folder.path(), &few).failure(1);
    assert!(error.contains("20 rows, expected 21") && error.contains("hint"), "{error}");
}

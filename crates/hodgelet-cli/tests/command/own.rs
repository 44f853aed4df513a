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

/// A matrix of the graphs becomes a block; new graphs come with their products with those of the model.
#[test]
fn gram_matrices_become_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let product =
        |i: usize, j: usize| f64::exp(-0.1 * (i % 5) as f64 * (j % 5) as f64) * f64::from(u8::from(i == j));
    let kernel = |i: usize, j: usize| product(i, j) + f64::cos((i % 7) as f64 - (j % 7) as f64);
    let write = |name: &str, rows: std::ops::Range<usize>, columns: usize, own: bool| {
        let row = |i: usize| {
            let products = (0..columns).map(|j| kernel(i, j)).chain(own.then(|| kernel(i, i)));
            products.map(|x| x.to_string()).collect::<Vec<_>>().join(",") + "\n"
        };
        std::fs::write(folder.path().join(name), rows.map(row).collect::<String>()).unwrap();
    };
    write("all.csv", 0..20, 20, false);
    write("new.csv", 0..20, 20, true);
    write("narrow.csv", 0..20, 19, false);
    let data = ["sbm", "--set", "n_graphs=20"];
    let fit =
        [&["fit"], &data[..], &["--grams", "all.csv", "--iterations", "2", "--out", "m.hodgelet"]].concat();
    run_in(folder.path(), &fit).result();
    let predict = |grams: &'static str| {
        [&["predict", "m.hodgelet"], &data[..], &["--grams", grams, "--format", "json"]].concat()
    };
    let text = run_in(folder.path(), &predict("new.csv")).result();
    assert!(text.contains("\"graph gram\""), "{text}");
    run_in(
        folder.path(),
        &[&["evaluate"], &data[..], &["--grams", "all.csv", "--folds", "3", "--iterations", "1"]].concat(),
    )
    .result();
    // The same through a store.
    run_in(folder.path(), &[&["measure"], &data[..], &["--grams", "all.csv", "--out", "s"]].concat())
        .result();
    run_in(folder.path(), &["fit", "./s", "--iterations", "2", "--out", "n.hodgelet"]).result();
    let stored =
        [&["predict", "n.hodgelet"], &data[..], &["--grams", "new.csv", "--format", "json"]].concat();
    assert_eq!(run_in(folder.path(), &stored).result(), text);

    let without = run_in(folder.path(), &[&["predict", "m.hodgelet"], &data[..]].concat()).failure(1);
    assert!(without.contains("no column `gram` of the graphs as a whole"), "{without}");
    let narrow = run_in(folder.path(), &predict("narrow.csv")).failure(1);
    assert!(narrow.contains("expected 20 columns, or 21") && narrow.contains("hint"), "{narrow}");
    let plain = run_in(folder.path(), &predict("all.csv")).failure(1);
    assert!(plain.contains("no product with itself"), "{plain}");
    let few = ["fit", "sbm", "--set", "n_graphs=21", "--grams", "all.csv", "--out", "x.hodgelet"];
    let error = run_in(folder.path(), &few).failure(1);
    assert!(error.contains("a matrix of 20 rows and 20 columns, expected 21"), "{error}");
}

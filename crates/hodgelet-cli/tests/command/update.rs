use crate::{listing, run_in};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn graphs_are_added_to_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "sbm", "--set", "n_graphs=24", "--iterations", "5", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let update =
        ["update", "m.hodgelet", "sbm", "--seed", "1", "--set", "n_graphs=10", "--out", "m2.hodgelet"];
    let text = run_in(folder.path(), &update).result();
    assert!(text.starts_with("10 graphs added\n") && text.ends_with("written to  m2.hodgelet\n"), "{text}");
    assert!(text.contains("34 graphs"), "{text}");
    assert_eq!(listing(folder.path()), ["m.hodgelet", "m2.hodgelet"]);
    let predict = |model: &str| {
        let args = ["predict", model, "sbm", "--seed", "2", "--set", "n_graphs=8", "--format", "json"];
        json(&run_in(folder.path(), &args).result())["predictions"].clone()
    };
    assert_ne!(predict("m.hodgelet"), predict("m2.hodgelet"));
    let alone = run_in(folder.path(), &[&update[..], &["--retrain"]].concat());
    assert!(alone.failure(1).contains("--with"), "training further needs the old graphs");
}

#[test]
fn a_sparse_model_says_so_and_is_updated() {
    let folder = tempfile::tempdir().unwrap();
    let base = ["fit", "sbm", "--set", "n_graphs=40", "--iterations", "4", "--out", "m.hodgelet"];
    let scale = ["--posterior", "sparse", "--inducing", "12", "--sample", "20", "--train-on-all"];
    let text = run_in(folder.path(), &[&base[..], &scale].concat()).result();
    assert!(text.contains("sparse: 12 inducing graphs leave "), "{text}");
    assert!(text.contains("hyperparameters from a sample of 20, then "), "{text}");
    let update = ["update", "m.hodgelet", "sbm", "--seed", "1", "--set", "n_graphs=10"];
    let out = ["--out", "m2.hodgelet", "--format", "json"];
    let found = json(&run_in(folder.path(), &[&update[..], &out].concat()).result());
    assert_eq!((&found["added"], &found["training"]["n_train"]), (&10.into(), &50.into()));
    let info = run_in(folder.path(), &["info", "m2.hodgelet"]).result();
    assert!(info.contains("50 graphs"), "{info}");
    // Graphs that are given again in part are forgotten in part, which is said.
    run_in(folder.path(), &["generate", "sbm", "--set", "n_graphs=12", "--out", "old.jsonl"]).result();
    run_in(folder.path(), &["generate", "sbm", "--seed", "1", "--set", "n_graphs=10", "--out", "new.jsonl"])
        .result();
    let update = ["update", "m.hodgelet", "new.jsonl", "--with", "old.jsonl", "--out", "m3.hodgelet"];
    let run = run_in(folder.path(), &update);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("--with has 12 graphs, but the model was trained on 40"), "{}", run.stderr);
    assert!(run.stdout.contains("22 graphs"), "{}", run.stdout);
}

#[test]
fn a_class_that_the_model_does_not_know_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "sbm", "--set", "n_graphs=20", "--iterations", "3", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let update = ["update", "m.hodgelet", "ring-vs-clique", "--set", "n_graphs=6", "--out", "m2.hodgelet"];
    let error = run_in(folder.path(), &update).failure(1);
    assert!(error.contains("error") && !error.contains("panicked"), "{error}");
    assert_eq!(listing(folder.path()), ["m.hodgelet"]);
}

#[test]
fn a_dry_run_says_what_a_fit_would_take_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "sbm", "--set", "n_graphs=30", "--dry-run"];
    let text = run_in(folder.path(), &fit).result();
    assert!(text.contains("hyperparameters from  30 graphs") && text.contains(", fits in "), "{text}");
    let with = |how: &str| run_in(folder.path(), &[&fit[..], &["--hyperparameters", how]].concat()).result();
    let (averaged, mode) = (with("nuts"), with("map"));
    assert!(averaged.contains(" of it to average over hyperparameters"), "{averaged}");
    assert!(mode.contains("besides the spectra") && !mode.contains("average"), "{mode}");
    assert!(listing(folder.path()).is_empty());
    let sparse = [&fit[..], &["--posterior", "sparse", "--inducing", "7", "--format", "json"]].concat();
    let found = json(&run_in(folder.path(), &sparse).result());
    assert_eq!((&found["n_train"], &found["n_inducing"]), (&30.into(), &7.into()));
    let tight = ["fit", "sbm", "--blocks", "energies", "--set", "n_graphs=400", "--memory", "6"];
    let tight = [&tight[..], &["--out", "m.hodgelet"]].concat();
    let error = run_in(folder.path(), &tight).failure(1);
    assert!(error.contains("6 MB may be taken") && error.contains("sparse"), "{error}");
    assert!(listing(folder.path()).is_empty());
}

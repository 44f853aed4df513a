use crate::evaluate::write_mean_degrees;
use crate::{Run, listing, run_in, tiny, tu_file};
use serde_json::Value;
use std::path::Path;

/// A folder with the model `m.hodgelet` of a built-in dataset.
fn fitted(dataset: &str, settings: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let args = ["fit", dataset, "--set", settings, "--iterations", "5", "--out", "m.hodgelet"];
    let text = run_in(folder.path(), &args).result();
    assert!(text.ends_with("\n\nwritten to  m.hodgelet\n"), "{text}");
    assert_eq!(listing(folder.path()), ["m.hodgelet"]);
    folder
}

fn communities() -> tempfile::TempDir {
    fitted("sbm", "n_graphs=24")
}

fn predict(folder: &Path, dataset: &str, settings: &str, more: &[&str]) -> Run {
    let args = ["predict", "m.hodgelet", dataset, "--seed", "1", "--set", settings];
    run_in(folder, &[&args[..], more].concat())
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

/// Checks that probabilities add up to 1 and block shares to the latent means; gives the number of latents.
fn check_sums(row: &Value) -> usize {
    let probabilities = row["probabilities"].as_object().unwrap();
    let total: f64 = probabilities.values().map(|p| p.as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() <= 1e-9, "{row}");
    let means = numbers(&row["latent_mean"]);
    for (c, mean) in means.iter().enumerate() {
        let shares: Vec<f64> =
            row["blocks"].as_array().unwrap().iter().map(|b| numbers(&b["latent_mean"])[c]).collect();
        assert!((shares.iter().sum::<f64>() - mean).abs() <= 1e-12, "{row}");
        assert!(shares.iter().any(|&share| share != 0.0), "{row}");
    }
    assert!(numbers(&row["latent_variance"]).iter().all(|&variance| variance > 0.0), "{row}");
    means.len()
}

#[test]
fn a_saved_model_predicts_the_same_every_time_and_its_blocks_add_up() {
    let folder = communities();
    let first = predict(folder.path(), "sbm", "n_graphs=10", &["--format", "json"]).result();
    let again =
        predict(folder.path(), "sbm", "n_graphs=10", &["--format", "json", "--threads", "3"]).result();
    assert_eq!(first, again);
    let found: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(found["graphs"], 10);
    let rows = found["predictions"].as_array().unwrap();
    assert!(rows.iter().all(|row| check_sums(row) == 1));
    let right = rows.iter().filter(|row| row["class"] == row["truth"]).count();
    assert_eq!(found["accuracy"].as_f64().unwrap(), right as f64 / 10.0);
    assert!(found.get("rmse").is_none());

    let out = ["--format", "json", "--out", "p.json"];
    assert_eq!(predict(folder.path(), "sbm", "n_graphs=10", &out).result(), "");
    assert_eq!(std::fs::read_to_string(folder.path().join("p.json")).unwrap(), first);
    assert_eq!(listing(folder.path()), ["m.hodgelet", "p.json"]);
}

#[test]
fn the_same_settings_give_the_same_model() {
    let (first, second) = (communities(), communities());
    let predicted = |folder: &tempfile::TempDir| {
        predict(folder.path(), "sbm", "n_graphs=6", &["--format", "json"]).result()
    };
    assert_eq!(predicted(&first), predicted(&second));
}

#[test]
fn each_class_of_several_has_a_latent_function() {
    let folder = fitted("surfaces", "n_graphs=16");
    let found = predict(folder.path(), "surfaces", "n_graphs=4", &["--format", "json"]).json();
    let rows = found["predictions"].as_array().unwrap();
    assert!(rows.iter().all(|row| check_sums(row) == 4));
    assert_eq!(found["schema"], 2);
    for row in rows {
        let (class, truth) = (row["class"].as_str().unwrap(), row["truth"].as_str().unwrap());
        let probabilities = row["probabilities"].as_object().unwrap();
        assert_eq!(probabilities[class], row["probability"]);
        assert!(probabilities.contains_key(truth) && probabilities.len() == 4, "{row}");
    }
}

#[test]
fn the_table_of_predictions_ends_with_the_accuracy() {
    let folder = communities();
    let text = predict(folder.path(), "sbm", "n_graphs=6", &[]).result();
    let header: Vec<&str> =
        text.lines().next().unwrap().split("  ").filter(|cell| !cell.is_empty()).collect();
    assert_eq!(
        header[..4].iter().map(|cell| cell.trim()).collect::<Vec<_>>(),
        ["graph", "class", "probability", "truth"]
    );
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("accuracy  ") && last.ends_with('%'), "{text}");
    let drift = text.lines().find(|line| line.starts_with("drift  MMD² ")).unwrap();
    assert!(drift.contains(" of 999 random splits of these 6 and the 24 training graphs "), "{drift}");
    let marked = usize::from(text.contains("\n* far"));
    assert_eq!(text.lines().count(), 1 + 6 + 2 + marked + 2, "{text}");
}

#[test]
fn graphs_that_are_far_from_the_training_graphs_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    // Degrees as numbers: one-hot degrees stop at the highest of the training graphs.
    let fit = ["fit", "sbm", "--set", "n_graphs=24", "--iterations", "5", "--vertices", "degree"];
    run_in(folder.path(), &[&fit[..], &["--out", "m.hodgelet"]].concat()).result();
    let complete = (0..40).flat_map(|a| (a + 1..40).map(move |b| [a, b])).collect::<Vec<[u32; 2]>>();
    let graph = serde_json::json!({"vertices": 40, "edges": complete});
    let lines = format!("{}\n", graph).repeat(5);
    std::fs::write(folder.path().join("far.jsonl"), format!("{{\"hodgelet\":1}}\n{lines}")).unwrap();
    let run =
        |more: &[&str]| run_in(folder.path(), &[&["predict", "m.hodgelet", "far.jsonl"], more].concat());
    let found = run(&["--format", "json"]).json();
    assert!(found["threshold"].as_f64().unwrap() > 0.0);
    assert_eq!(found["drift"]["n_new"], 5);
    assert!(found["drift"]["p_value"].as_f64().unwrap() <= 0.01, "{}", found["drift"]);
    for row in found["predictions"].as_array().unwrap() {
        let novelty = &row["novelty"];
        assert_eq!(novelty["is_far"], true, "{novelty}");
        assert!(novelty["nearest"].as_u64().unwrap() < 24 && novelty["variance_ratio"].is_f64(), "{novelty}");
        let blocks = novelty["blocks"].as_array().unwrap();
        assert!(blocks.iter().any(|block| block["block"] == novelty["far_block"]), "{novelty}");
        let distances = blocks.iter().map(|block| block["distance"].as_f64().unwrap());
        assert!(distances.chain(novelty["distance"].as_f64()).all(|d| (0.0..=1.0).contains(&d)), "{novelty}");
    }
    let text = run(&[]).result();
    assert_eq!(text.lines().filter(|line| line.contains("* ")).count(), 5 + 1, "{text}");
    assert!(text.contains("\n* far from all training graphs: 5 of 5, distance above "), "{text}");
}

#[test]
fn a_model_is_described_by_what_it_learned() {
    let folder = communities();
    let text = run_in(folder.path(), &["info", "m.hodgelet"]).result();
    for part in ["predicts          classes ", "trained on        24 graphs, ", "vertex co-exact"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let found = run_in(folder.path(), &["info", "m.hodgelet", "--format", "json"]).json();
    assert_eq!(found["targets"]["classes"]["names"].as_array().unwrap().len(), 2);
    assert_eq!(found["training"]["n_train"], 24);
    assert!(found["leave_one_out"].as_f64().unwrap() < 0.0);
    for block in found["blocks"].as_array().unwrap() {
        assert!(block["variance"].as_f64().unwrap() > 0.0);
        assert!(numbers(&block["lengthscales"]).iter().all(|&lengthscale| lengthscale > 0.0));
        assert!(block["varying"].as_u64() <= block["columns"].as_u64());
    }
}

#[test]
fn numbers_are_predicted_with_a_deviation() {
    let folder = tempfile::tempdir().unwrap();
    write_mean_degrees(folder.path());
    run_in(folder.path(), &["fit", "degrees.jsonl", "--iterations", "5", "--out", "m.hodgelet"]).result();
    assert!(run_in(folder.path(), &["info", "m.hodgelet"]).result().contains("numbers around "));
    let text = run_in(folder.path(), &["predict", "m.hodgelet", "degrees.jsonl"]).result();
    assert!(text.lines().last().unwrap().starts_with("RMSE  "), "{text}");
    // A dataset of classes has no numbers to compare with.
    let found = predict(folder.path(), "sbm", "n_graphs=4", &["--format", "json"]).json();
    assert!(found.get("rmse").is_none() && found.get("accuracy").is_none());
    let row = &found["predictions"][0];
    assert!(row["deviation"].as_f64().unwrap() > 0.0 && row["mean"].is_f64(), "{row}");
}

#[test]
fn a_dataset_without_the_column_of_the_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "vector-fields", "--set", "n_fields=10", "--set", "n_vertices=20", "--iterations", "2"];
    run_in(folder.path(), &[&fit[..], &["--out", "m.hodgelet"]].concat()).result();
    assert_eq!(
        predict(folder.path(), "sbm", "n_graphs=4", &["--out", "p.txt"]).failure(1),
        "error: the dataset has no column `flow` on cells of dimension 1\n"
    );
    assert_eq!(listing(folder.path()), ["m.hodgelet"]);
}

#[test]
fn a_model_file_at_fault_is_refused() {
    let folder = communities();
    let bytes = std::fs::read(folder.path().join("m.hodgelet")).unwrap();
    let with = |bytes: &[u8]| {
        std::fs::write(folder.path().join("bad.hodgelet"), bytes).unwrap();
        let described = run_in(folder.path(), &["info", "bad.hodgelet"]).failure(1);
        assert_eq!(run_in(folder.path(), &["predict", "bad.hodgelet", "sbm"]).failure(1), described);
        described
    };
    let short = bytes.len() - 5;
    assert_eq!(
        with(&bytes[..short]),
        format!(
            "error: bad.hodgelet: truncated: {short} bytes, but the header describes {}\n\
             hint: copy the file again, or train the model again\n",
            bytes.len()
        )
    );
    let version = br#""version":"6""#;
    let at = bytes.windows(version.len()).position(|window| window == version).unwrap();
    let mut newer = bytes.clone();
    newer[at + version.len() - 2] = b'7';
    assert_eq!(
        with(&newer),
        "error: bad.hodgelet: was written by a newer version (format 7, this program reads 6)\n\
         hint: install a newer version of hodgelet\n"
    );
    let mut damaged = bytes.clone();
    damaged[short] ^= 1;
    assert!(with(&damaged).starts_with("error: bad.hodgelet: damaged: the checksum of the content is "));
    assert!(
        with(&[b'x'; 99]).starts_with("error: bad.hodgelet: not a model file\nhint: models are written by")
    );
    let missing = run_in(folder.path(), &["predict", "none.hodgelet", "sbm"]).failure(1);
    assert!(missing.starts_with("error: cannot read `none.hodgelet`: "), "{missing}");
}

#[test]
fn labels_the_model_has_never_seen_are_left_out_with_a_warning() {
    let folder = tiny();
    run_in(folder.path(), &["fit", "TINY", "--iterations", "2", "--out", "m.hodgelet"]).result();
    let predict = ["predict", "m.hodgelet", "TINY", "--format", "json"];
    run_in(folder.path(), &predict).result();
    std::fs::write(tu_file(folder.path(), "node_labels"), "0\n0\n1\n1\n0\n0\n7\n0\n7\n").unwrap();
    let found = run_in(folder.path(), &predict);
    let warning = "warning: 2 labels of cells are new to the model and were left out\n";
    assert_eq!((found.status, found.stderr.as_str()), (0, warning));
}

#[test]
fn graphs_without_targets_can_be_predicted_and_nothing_else() {
    let folder = communities();
    let graphs = "{\"vertices\":3,\"edges\":[[0,1],[1,2]]}\n".repeat(4);
    std::fs::write(folder.path().join("new.jsonl"), format!("{{\"hodgelet\":1}}\n{graphs}")).unwrap();
    let text = run_in(folder.path(), &["predict", "m.hodgelet", "new.jsonl"]).result();
    assert!(!text.contains("truth") && !text.contains("accuracy"), "{text}");
    assert!(!text.contains("drift"), "4 graphs are too few: {text}");
    assert_eq!(text.lines().count(), 5 + 2, "{text}");
    assert!(text.lines().last().unwrap().starts_with("* far from all training graphs: 4 of 4, "), "{text}");
    assert_eq!(
        run_in(folder.path(), &["evaluate", "new.jsonl", "--folds", "3"]).failure(1),
        "error: the dataset has no targets, expected a class or a number for every complex\n"
    );
    assert_eq!(
        run_in(folder.path(), &["fit", "new.jsonl", "--out", "n.hodgelet"]).failure(1),
        "error: the dataset has no targets, expected a target for every complex\n"
    );
    assert_eq!(listing(folder.path()), ["m.hodgelet", "new.jsonl"]);
}

#[test]
fn one_class_teaches_nothing() {
    let folder = tiny();
    std::fs::write(tu_file(folder.path(), "graph_labels"), "1\n1\n").unwrap();
    assert_eq!(
        run_in(folder.path(), &["fit", "TINY", "--out", "m.hodgelet"]).failure(1),
        "error: all 2 training complexes are of class `1`, expected at least two classes\n"
    );
}

#[test]
fn a_model_goes_into_a_directory_that_exists() {
    let folder = tempfile::tempdir().unwrap();
    // More restarts than could ever be run: the directory is checked first.
    let args = ["fit", "sbm", "--restarts", "1000000", "--out", "none/m.hodgelet"];
    assert_eq!(
        run_in(folder.path(), &args).failure(1),
        "error: none/m.hodgelet: no such directory\nhint: the directory of the file must exist\n"
    );
}

#[test]
fn limits_of_steps_may_be_as_large_as_they_like() {
    let folder = tempfile::tempdir().unwrap();
    let most = usize::MAX.to_string();
    let args = ["fit", "sbm", "--set", "n_graphs=8", "--iterations", &most, "--restarts", "2"];
    run_in(folder.path(), &[&args[..], &["--out", "m.hodgelet"]].concat()).result();
}

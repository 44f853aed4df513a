use crate::{listing, run, run_in, tiny};
use serde_json::Value;

#[test]
fn times_and_sizes_are_reported() {
    let args = ["bench", "energies", "sbm", "--set", "n_graphs=8", "--repeats", "2", "--threads", "1"];
    let found = run(&[&args[..], &["--format", "json"]].concat()).json();
    for field in ["seconds", "read_seconds", "feature_seconds"] {
        let seconds = found[field].as_f64().unwrap();
        assert!((0.0..60.0).contains(&seconds), "{field}: {seconds}");
    }
    assert_eq!((found["graphs"].as_u64(), found["threads"].as_u64()), (Some(8), Some(1)));
    let all: Vec<f64> = serde_json::from_value(found["all_seconds"].clone()).unwrap();
    assert_eq!((all.len(), found["seconds"].as_f64().unwrap()), (2, all[0].min(all[1])));
    assert!(found["atoms"].as_u64().unwrap() > 0);
    assert_eq!(found["notes"][0], "the dataset has no values on edges; a constant was used");
    if cfg!(target_os = "linux") {
        let [energies, all] =
            ["energies_peak_memory_mb", "peak_memory_mb"].map(|key| found[key].as_f64().unwrap());
        assert!(1.0 < energies && energies <= all, "{energies} {all}");
    }
    assert!(run(&args).result().contains("\nenergies "));
}

#[test]
fn bad_flags_are_faults_of_the_input() {
    let error = run(&["bench", "energies", "sbm", "--repeats", "0"]).failure(1);
    assert!(error.starts_with("error: invalid value '0' for '--repeats <REPEATS>'"), "{error}");
}

#[test]
fn columns_are_used_where_there_are_any() {
    let folder = tiny();
    let args = ["bench", "energies", "TINY", "--dims", "1", "--repeats", "1", "--format", "json"];
    let found = run_in(folder.path(), &args).json();
    assert_eq!((&found["edge_signal"], &found["vertex_signal"]), (&"auto".into(), &"none".into()));
    // Exact and co-exact blocks of two channels and ten filters, harmonic ones of one column per channel.
    assert_eq!((found["columns"].as_u64(), found["notes"].as_array().unwrap().len()), (Some(42), 0));
}

/// A small dataset and a small model.
const SMALL: [&str; 8] =
    ["sbm", "--set", "n_graphs=20", "--n-filters", "2", "--iterations", "8", "--prior-deviation=none"];

fn train(args: &[&str]) -> Vec<&'static str> {
    let all = [&["bench", "train"][..], &SMALL, args].concat();
    all.into_iter().map(|arg| &*arg.to_owned().leak()).collect()
}

#[test]
fn training_is_timed_with_its_trace_and_its_floor() {
    let found = run(&train(&["--folds", "4", "--evaluations", "2", "--format", "json"])).json();
    // Of 4 folds of 5 graphs one tests and one is set aside.
    assert_eq!((&found["graphs"], &found["classes"]), (&10.into(), &2.into()));
    let trace: Vec<(f64, f64)> = serde_json::from_value(found["trace"].clone()).unwrap();
    assert_eq!(found["summary"]["iterations"], trace.len());
    assert!(trace.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1), "{trace:?}");
    assert_eq!(found["objective"].as_f64(), Some(trace[trace.len() - 1].1));
    // Without priors the objective is the ELBO, which is found more closely in the end.
    let elbo = found["summary"]["elbo"].as_f64().unwrap();
    assert!((elbo - trace[trace.len() - 1].1).abs() < 1e-3, "{elbo} {trace:?}");
    let floor = &found["floor"];
    let [each, floor_seconds, ratio] =
        ["evaluation_seconds", "floor_seconds", "ratio"].map(|key| floor[key].as_f64().unwrap());
    assert!(each > 0.0 && floor_seconds > 0.0 && ratio > 0.0);
    assert!(run(&train(&["--folds", "4"])).result().contains("\nratio "));
}

#[test]
fn training_ends_when_the_elbo_is_reached() {
    let json = ["--evaluations", "0", "--format", "json"];
    let all: Vec<(f64, f64)> = serde_json::from_value(run(&train(&json)).json()["trace"].clone()).unwrap();
    let until = all[2].1.to_string();
    let found = run(&train(&[&["--until", &until][..], &json].concat())).json();
    let trace: Vec<(f64, f64)> = serde_json::from_value(found["trace"].clone()).unwrap();
    assert_eq!(trace.iter().map(|p| p.1).collect::<Vec<_>>(), [all[0].1, all[1].1, all[2].1]);
    assert_eq!(found["reached_seconds"].as_f64(), Some(trace[2].0));
    assert_eq!((&found["summary"], &found["floor"]), (&Value::Null, &Value::Null));
    // One that is out of reach does not keep the training going for ever.
    let never = run(&train(&[&["--until", "1"][..], &json].concat())).json();
    assert_eq!((&never["reached_seconds"], &never["summary"]["iterations"]), (&Value::Null, &8.into()));
    let error = run(&["bench", "train", "sbm", "--until", "-3"]).failure(1);
    assert_eq!(
        error,
        "error: --until is an ELBO, but priors are part of the objective\nhint: add --prior-deviation none\n"
    );
    let error = run(&train(&["--fold", "10"])).failure(1);
    assert_eq!(error, "error: --fold 10, expected less than 10 folds\n");
}

#[test]
fn evaluations_are_timed_by_size_for_two_classes_and_for_regression() {
    let sizes = ["--sizes", "6,12", "--evaluations", "2"];
    let found = run(&train(&[&sizes[..], &["--format", "json"]].concat())).json();
    let rows = found["rows"].as_array().unwrap();
    let of = |row: &Value| (row["task"].as_str().unwrap().to_owned(), row["graphs"].as_u64().unwrap());
    let expected = [("two classes", 6), ("two classes", 12), ("regression", 6), ("regression", 12)];
    assert_eq!(rows.iter().map(of).collect::<Vec<_>>(), expected.map(|(task, n)| (task.to_owned(), n)));
    for row in rows {
        for kind in ["training", "averaging"] {
            let timed = &row[kind];
            assert!(
                timed["ratio"].as_f64().unwrap() > 0.0 && timed["inner_iterations"].as_f64().unwrap() >= 1.0
            );
        }
    }
    let table = run(&train(&sizes)).result().to_owned();
    assert!(table.contains("training ms") && table.contains("averaging ms"), "{table}");
    assert!(
        run(&train(&["--sizes", "1"])).failure(1).contains("expected a number of graphs from 2 to 100000")
    );
}

#[test]
fn the_problem_is_exported_with_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let export = ["--export", "problem.json", "--evaluations", "0", "--format", "json"];
    let found = run_in(folder.path(), &train(&export)).json();
    assert_eq!(listing(folder.path()), ["problem.json"]);
    let text = std::fs::read(folder.path().join("problem.json")).unwrap();
    let problem: Value = serde_json::from_slice(&text).unwrap();
    let n = found["graphs"].as_u64().unwrap() as usize;
    let list = |value: &Value| value.as_array().unwrap().clone();
    assert_eq!((list(&problem["labels"]).len(), &problem["n_classes"]), (n, &2.into()));
    assert_eq!(problem["train"], Value::from((0..n).collect::<Vec<_>>()));
    let blocks = list(&problem["blocks"]);
    assert_eq!(blocks.iter().map(|b| b["name"].clone()).collect::<Vec<_>>(), list(&found["blocks"]));
    for block in &blocks {
        let (starts, atoms) = (list(&block["starts"]), list(&block["eigenvalues"]));
        assert_eq!((starts.len(), starts[n].as_u64()), (n + 1, Some(atoms.len() as u64)));
        assert_eq!(list(&block["energies"]).len(), atoms.len());
        let width = if block["name"] == "vertex harmonic" { 0 } else { 2 };
        assert_eq!((list(&block["alphas"]).len(), list(&block["betas"]).len()), (width, width));
        assert!(list(&block["betas"]).iter().all(|filter| list(filter).len() == 3));
        assert_eq!(block["variance"], 1.0);
        assert!(block["lengthscale"].as_f64().unwrap() >= 1.0);
    }
    let error = run_in(folder.path(), &train(&[&["--kernel", "matern32"][..], &export].concat())).failure(1);
    assert_eq!(
        error,
        "error: the peer has only squared exponential kernels with one lengthscale per block\n"
    );
}

#[test]
fn tables_of_features_are_learned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.json");
    let row = |i: u32| [f64::from(i % 3) + 0.1 * f64::from(i).sin(), 0.2 * (1.7 * f64::from(i)).cos()];
    let features: Vec<[f64; 2]> = (0..30).map(row).collect();
    let labels: Vec<u32> = (0..30).map(|i| i % 3).collect();
    std::fs::write(&path, serde_json::json!({ "features": features, "labels": labels }).to_string()).unwrap();
    let args = ["bench", "table", "table.json"];
    let found = run_in(folder.path(), &[&args[..], &["--format", "json"]].concat()).json();
    let sizes = ["rows", "features", "classes"].map(|key| found[key].as_u64().unwrap());
    assert_eq!((sizes, found["training_accuracy"].as_f64()), ([30, 2, 3], Some(1.0)));
    // Better than guessing: the ELBO of uniform probabilities is -30 ln 3.
    assert!((-32.0..0.0).contains(&found["elbo"].as_f64().unwrap()), "{found}");
    assert!(run_in(folder.path(), &args).result().contains("\ntraining accuracy  1.0000"));

    for (text, expected) in [
        (r#"{"features": [[1], [2, 3]], "labels": [0, 1]}"#, "row 1 has 2 features, but row 0 has 1"),
        (
            r#"{"features": [[1], [2]], "labels": [0, 9]}"#,
            "class 9, expected classes from 0 and fewer than rows",
        ),
        (
            r#"{"features": [[1]], "labels": []}"#,
            "1 rows of 1 features with 0 labels, expected at least 2 rows of at least 1 with one label each",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(run_in(folder.path(), &args).failure(1), format!("error: table.json: {expected}\n"));
    }
}

#[test]
fn construction_of_complexes_is_timed_by_size() {
    let args = ["bench", "complexes", "--edges", "200,1000", "--count", "50", "--repeats", "1"];
    let found = run(&[&args[..], &["--format", "json"]].concat()).json();
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert_eq!(rows[1]["what"], "cliques of a graph, edges=1000");
    assert_eq!(rows[4]["cells"], serde_json::json!([50 * 24, 50 * 26, 50 * 3]));
    assert!(rows.iter().all(|row| row["memory_mb"].as_f64().unwrap() > 0.0));
    let again = run(&[&args[..], &["--format", "json", "--threads", "1"]].concat()).json();
    let cells = |found: &Value| -> Vec<Value> {
        found["rows"].as_array().unwrap().iter().map(|row| row["cells"].clone()).collect()
    };
    assert_eq!(cells(&found), cells(&again));
    assert!(run(&args).result().contains("\ntheir rings "));
}

#[test]
fn growth_has_a_curve_for_everything_that_grows() {
    let folder = tempfile::tempdir().unwrap();
    let pictures = folder.path().to_str().unwrap();
    let args = ["bench", "growth", "--quick", "--repeats", "1", "--threads", "1", "--pictures", pictures];
    let found = run(&[&args[..], &["--format", "json"]].concat()).json();
    let curves = found["curves"].as_array().unwrap();
    let grows: Vec<&str> = curves.iter().map(|curve| curve["grows"].as_str().unwrap()).collect();
    assert_eq!(grows, ["graphs", "graphs", "graphs", "inducing graphs", "classes", "edges", "channels"]);
    for curve in curves {
        for point in curve["points"].as_array().unwrap() {
            assert!(point["seconds"].as_f64().unwrap() > 0.0 && point["size"].as_u64().unwrap() > 0);
            if cfg!(target_os = "linux") {
                assert!(point["memory_mb"].as_f64().unwrap() >= 0.0, "{curve}");
            }
        }
        for exponent in ["time_exponent", "time_theory", "memory_theory"] {
            assert!(curve[exponent].as_f64().unwrap().is_finite(), "{curve}");
        }
    }
    assert_eq!(listing(folder.path()), ["growth-memory.svg", "growth-time.svg"]);
}

#[test]
fn a_curve_is_printed_with_its_exponents() {
    let args = ["bench", "growth", "--quick", "--axes", "classes", "--repeats", "1", "--threads", "1"];
    let text = run(&args).result();
    assert!(text.contains("\nclasses  softmax, an iteration") && text.contains("theory"), "{text}");
}

/// A sparse posterior of few graphs.
const SPARSE: [&str; 10] = [
    "bench",
    "sparse",
    "molecules",
    "--set",
    "n_graphs=60",
    "--inducing",
    "20",
    "--n-filters",
    "2",
    "--iterations=3",
];

#[test]
fn a_sparse_posterior_is_timed_without_the_peer() {
    let found = run(&[&SPARSE[..], &["--no-peer", "--format", "json"]].concat()).json();
    assert_eq!((found["graphs"].as_u64(), found["inducing"].as_u64()), (Some(60), Some(20)));
    let (posterior, training) = (&found["posterior"], &found["training"]);
    let trace: Vec<(f64, f64)> = serde_json::from_value(posterior["trace"].clone()).unwrap();
    assert!(trace.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1), "{trace:?}");
    assert_eq!(posterior["elbo"].as_f64(), Some(trace[trace.len() - 1].1));
    for side in [posterior, training] {
        assert!(side["seconds"].as_array().unwrap().iter().all(|seconds| seconds.as_f64().unwrap() > 0.0));
    }
    assert!(training["elbo"].as_f64().unwrap().is_finite(), "{training}");
    assert_eq!(found["peers"], Value::Null);
    assert!(run(&[&SPARSE[..], &["--no-peer"]].concat()).result().contains("GPflow was not run"));
}

#[test]
fn a_missing_peer_is_said_before_any_work() {
    let error = run(&[&SPARSE[..], &["--python", "no-such-python"]].concat()).failure(1);
    assert!(error.starts_with("error: GPFLOW IS MISSING: no-such-python cannot import gpflow"), "{error}");
    assert!(error.contains("hint: make the environment as bench/README.md says"), "{error}");
}

#[test]
fn labels_are_timed_with_what_was_counted() {
    let args = ["bench", "labels", "molecules", "--set", "n_graphs=30", "--graphs", "20", "--repeats", "1"];
    let found: Value =
        serde_json::from_str(&run(&[&args[..], &["--format", "json"]].concat()).result()).unwrap();
    assert_eq!((&found["graphs"], &found["distance_graphs"]), (&30.into(), &20.into()));
    assert!(found["distance_entries"].as_u64().unwrap() > 20 * 3);
    assert!(found["refine_seconds"].as_f64().unwrap() > 0.0);
    assert!(run(&args).result().contains("refining and counting"));
}

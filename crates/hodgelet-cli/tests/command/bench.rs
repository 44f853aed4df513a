use crate::{run, run_in, tiny};

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
fn columns_are_used_where_there_are_any() {
    let folder = tiny();
    let args = ["bench", "energies", "TINY", "--dims", "1", "--repeats", "1", "--format", "json"];
    let found = run_in(folder.path(), &args).json();
    assert_eq!((&found["edge_signal"], &found["vertex_signal"]), (&"auto".into(), &"none".into()));
    // Exact and co-exact blocks of two channels and ten filters, harmonic ones of one column a channel.
    assert_eq!((found["columns"].as_u64(), found["notes"].as_array().unwrap().len()), (Some(42), 0));
}

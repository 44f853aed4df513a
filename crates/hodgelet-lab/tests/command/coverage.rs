//! `hodgelet-lab coverage`.

use super::{run, run_in, tiny};

/// A known process: the oracle loses less than the model does, intervals have a share, classes a slope.
#[test]
fn simulations_stand_beside_their_oracle() {
    let few =
        ["--sizes", "25", "--repeats", "4", "--iterations", "8", "--n-filters", "3", "--format", "json"];
    let numbers = run(&[&["coverage", "simulated"], &few[..]].concat()).json();
    let row = &numbers["rows"][0];
    assert_eq!((row["train"].as_u64(), row["predictions"].as_u64()), (Some(25), Some(800)));
    assert!(row["oracle_nll"].as_f64().unwrap() < row["nll"]["mean"].as_f64().unwrap());
    let shares: Vec<f64> = (0..3).map(|l| row["coverage"][l]["mean"].as_f64().unwrap()).collect();
    assert!(
        0.0 < shares[0] && shares[0] < shares[1] && shares[1] < shares[2] && shares[2] <= 1.0,
        "{shares:?}"
    );
    let classes = run(&[&["coverage", "simulated-classes"], &few[..]].concat()).json();
    let row = &classes["rows"][0];
    assert!(row["slope"].is_number() && row["coverage"].as_array().unwrap().is_empty());
    assert!(row["oracle_nll"].as_f64().unwrap() < row["base_rate_nll"].as_f64().unwrap());
    let again = run(&[&["coverage", "simulated-classes", "--threads", "1"], &few[..]].concat()).json();
    assert_eq!(again, classes, "the same bits on any number of threads");
}

#[test]
fn a_training_part_leaves_graphs_to_predict() {
    let folder = tiny();
    let error = run_in(folder.path(), &["coverage", "./TINY", "--sizes", "2"]).failure(1);
    assert!(error.starts_with("error: --sizes 2, but there are 2 graphs"), "{error}");
}

//! `hodgelet-lab coverage`, `honest` and `priors`.

use super::{listing, run, run_in, tiny};

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

/// A row goes on where it ended, and a row that is there is not run again.
#[test]
fn the_protocol_goes_on_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["-q", "--quick", "--rows", "simulated-25,conformal-30", "--out", "rows", "--format", "json"];
    let protocol = |more: &[&str]| run_in(folder.path(), &[&["honest"], &small[..], more].concat()).json();
    let first = protocol(&["--effort", "0.002", "--picture", "rows.svg"]);
    assert_eq!(listing(folder.path()), ["rows", "rows.svg"]);
    assert_eq!(listing(&folder.path().join("rows")), ["conformal-30.json", "simulated-25.json"]);
    let picture = std::fs::read_to_string(folder.path().join("rows.svg")).unwrap();
    assert!(picture.contains("95% intervals, nominal"), "{picture}");
    let rows = |found: &serde_json::Value| found["rows"].as_array().unwrap().clone();
    let repeats = |found| rows(found).iter().map(|row| row["repeats"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(repeats(&first), [2, 2]);
    // Three levels of intervals; the guarantee is measured at three levels, too.
    assert_eq!(rows(&first)[0]["checks"].as_array().unwrap().len(), 3);
    assert_eq!(rows(&first)[1]["row"]["conformal"].as_array().unwrap().len(), 3);
    let more = protocol(&["--effort", "0.015"]);
    assert_eq!(repeats(&more), [3, 15]);
    assert_eq!(repeats(&protocol(&["--effort", "0.002"])), [3, 15], "what was run is kept");
    let plain = ["honest", "-q", "--quick", "--rows", "simulated-25", "--out", "rows"];
    let text = run_in(folder.path(), &plain).result();
    assert!(text.starts_with("Numbers: shares of targets in intervals"), "{text}");
}

#[test]
fn the_protocol_refuses_what_is_not_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let error = run_in(folder.path(), &["honest", "--quick", "--rows", "nothing"]).failure(1);
    assert!(error.starts_with("error: there is no row to run\nhint: names are such as"), "{error}");
    let error = run_in(folder.path(), &["honest", "--effort", "2"]).failure(1);
    assert_eq!(error, "error: --effort 2, expected a share from 0 to 1\n");
}

#[test]
fn priors_say_what_they_imply() {
    let found = run(&["priors", "sbm", "--set", "n_graphs=12", "--draws", "500", "--format", "json"]).json();
    let certain = found["certain"].as_f64().unwrap();
    assert!(0.0 < certain && certain < 1.0, "{certain}");
    let error = run(&["priors", "sbm", "--set", "n_graphs=12", "--prior-deviation=none"]).failure(1);
    assert_eq!(error, "error: there is no prior to draw from\nhint: --prior-deviation sets one\n");
}

//! Evaluations from folds, as values and as JSON.

use super::*;
use serde_json::{Value, json};

fn run(fold: usize, predictions: Predictions) -> FoldRun {
    FoldRun {
        repeat: 0,
        fold,
        n_train: 8,
        n_validation: 1,
        elbo: -10.0 - fold as f64,
        iterations: 5,
        evaluations: 7 + 2 * fold,
        fit_seconds: 0.1 / 3.0,
        predict_seconds: 0.01,
        predictions,
        decided: None,
        kind: ModelKind::default(),
    }
}

fn subject(classes: &[&str]) -> Subject {
    Subject {
        dataset: "rings <&>".into(),
        model: "hodge".into(),
        graphs: 10,
        class_names: classes.iter().map(|&name| name.into()).collect(),
        seed: 3,
        settings: json!({"folds": 2}),
    }
}

/// Class 0 with these probabilities; all items are of class 0.
fn classes(first: &[f64]) -> Predictions {
    let probabilities = first.iter().flat_map(|&p| [p, 1.0 - p]).collect();
    Predictions::Classes { probabilities, labels: vec![0; first.len()] }
}

fn real(mean: &[f64], truth: &[f64]) -> Predictions {
    let densities = mean.iter().map(|&mean| Mixture::normal(mean, 1.0)).collect();
    Predictions::Real { densities, truth: truth.to_vec() }
}

fn classification() -> Evaluation {
    let runs = [run(0, classes(&[0.75, 0.75])), run(1, classes(&[0.75, 0.25]))];
    Evaluation::of(subject(&["ring", "clique"]), &runs).unwrap()
}

fn regression() -> Evaluation {
    let runs = [run(0, real(&[0.0, 1.0], &[0.0, 3.0])), run(1, real(&[5.0], &[5.0]))];
    Evaluation::of(subject(&[]), &runs).unwrap()
}

#[test]
fn scores_are_summed_up_over_folds_and_calibration_over_items() {
    let evaluation = classification();
    let Results::Classes(results) = &evaluation.results else { panic!("these are classes") };
    assert_eq!((results.accuracy.mean, results.accuracy.std), (0.75, 0.25));
    // 4 items of confidence 0.75, 3 right: calibrated together, though in neither fold alone
    assert_eq!(results.ece, 0.0);
    assert_eq!(results.reliability.iter().map(|bin| bin.count).sum::<usize>(), 4);
    assert_eq!((evaluation.elbo.mean, evaluation.evaluations.mean), (-10.5, 8.0));
    assert_eq!(evaluation.folds[1].n_test, 2);
}

#[test]
fn regression_skips_the_r2_of_a_single_item() {
    let evaluation = regression();
    let Results::Real(results) = &evaluation.results else { panic!("these are numbers") };
    assert_eq!(results.rmse.mean, 2f64.sqrt() / 2.0);
    assert_eq!(results.r2.map(|r2| (r2.n, r2.mean)), Some((1, 1.0 - 4.0 / 4.5)));
    // residuals 0, 2, 0: two of three inside at 50% and 90% and 95% (±1.96)
    let shares: Vec<f64> = results.coverage.iter().map(|c| c.share).collect();
    assert_eq!(shares, [2.0 / 3.0; 3]);
    let alone = Evaluation::of(subject(&[]), &[run(0, real(&[5.0], &[5.0]))]).unwrap();
    assert!(matches!(alone.results, Results::Real(RealResults { r2: None, .. })));
}

#[test]
fn json_has_the_fields_programs_look_for() {
    let value: Value = serde_json::from_str(&classification().to_json()).unwrap();
    assert_eq!((&value["dataset"], &value["model"]), (&json!("rings <&>"), &json!("hodge")));
    assert_eq!((&value["graphs"], &value["classes"], &value["seed"]), (&json!(10), &json!(2), &json!(3)));
    assert_eq!(value["settings"]["folds"], 2);
    let means = ["accuracy", "macro_f1", "nll", "brier", "elbo", "fit_seconds", "iterations", "evaluations"];
    for name in means {
        for field in ["mean", "std", "standard_error"] {
            assert!(value[name][field].is_f64(), "{name}.{field}");
        }
    }
    assert!(value["ece"].is_f64() && value["reliability"].as_array().unwrap().len() == N_BINS);
    #[cfg(target_os = "linux")]
    assert!(value["peak_memory_mb"].as_f64().unwrap() > 0.0);
    let fields = [
        "repeat",
        "fold",
        "n_train",
        "n_validation",
        "n_test",
        "accuracy",
        "macro_f1",
        "nll",
        "brier",
        "elbo",
        "iterations",
        "evaluations",
        "fit_seconds",
        "predict_seconds",
    ];
    let row = value["folds"][1].as_object().unwrap();
    assert_eq!(row.len(), fields.len());
    assert!(fields.iter().all(|&field| row[field].is_number()));

    let value: Value = serde_json::from_str(&regression().to_json()).unwrap();
    assert!(["rmse", "mae", "r2", "nll"].iter().all(|&name| value[name]["mean"].is_f64()));
    assert_eq!(value["coverage"][1]["level"], 0.9);
    assert_eq!(value["folds"][1]["r2"], Value::Null);
    assert!(value.get("classes").is_none());
}

#[test]
fn ranking_scores_are_there_where_both_of_two_classes_are() {
    let Results::Classes(alone) = classification().results else { panic!("classes went in") };
    assert_eq!((alone.roc_auc, alone.average_precision), (None, None));
    let probabilities = vec![0.9, 0.1, 0.4, 0.6, 0.7, 0.3];
    let both = Predictions::Classes { probabilities, labels: vec![0, 1, 1] };
    let found = Evaluation::of(subject(&["ring", "clique"]), &[run(0, both)]).unwrap();
    let Results::Classes(found) = found.results else { panic!("classes went in") };
    assert_eq!(found.roc_auc.map(|auc| (auc.n, auc.mean)), Some((1, 1.0)));
    assert_eq!(found.average_precision.map(|ap| ap.mean), Some(1.0));
}

#[test]
fn json_reads_back_to_the_same_bits() {
    for evaluation in [classification(), regression()] {
        let back: Evaluation = serde_json::from_str(&evaluation.to_json()).unwrap();
        assert_eq!(back, evaluation);
    }
}

#[test]
fn scores_by_fold_are_drawn_with_a_safe_title() {
    let svg = scores_svg(&classification());
    assert_eq!(svg.matches("<rect").count(), 2);
    assert!(svg.contains("accuracy by fold, hodge on rings &lt;&amp;&gt;, mean 0.7500"));
    assert!(svg.contains("<title>repeat 0, fold 1: 0.5000</title>"));
    assert!(svg.contains(">1</text>"), "folds are numbered below their bars");
    assert!(scores_svg(&regression()).contains("RMSE by fold"));
    let exact = Evaluation::of(subject(&[]), &[run(0, real(&[5.0], &[5.0]))]).unwrap();
    assert!(!scores_svg(&exact).contains("NaN"));
}

#[test]
fn folds_that_cannot_be_reported_are_refused_by_name() {
    let message =
        |classes: &[&str], runs: &[FoldRun]| Evaluation::of(subject(classes), runs).unwrap_err().to_string();
    assert_eq!(message(&[], &[]), "found no fold, expected at least 1");
    let mixed = [run(0, classes(&[1.0])), run(1, real(&[1.0], &[1.0]))];
    let expected = "repeat 0, fold 1: found another kind of prediction than in the first fold";
    assert_eq!(message(&["a", "b"], &mixed), expected);
    let found = message(&["a", "b"], &[run(0, classes(&[1.5]))]);
    let expected =
        "repeat 0, fold 0: probabilities of item 0, class 0: found 1.5, expected a number from 0 to 1";
    assert_eq!(found, expected);
    let lost = FoldRun { elbo: f64::NAN, ..run(2, classes(&[1.0])) };
    let expected = "repeat 0, fold 2: elbo 0: found NaN, expected a finite number";
    assert_eq!(message(&["a", "b"], &[lost]), expected);
    let [low, high] = [-1e300, 1e300].map(|elbo| FoldRun { elbo, ..run(0, classes(&[1.0])) });
    let expected = "elbo: the std of these numbers is beyond the largest floating-point number";
    assert_eq!(message(&["a", "b"], &[low, high]), expected);
}

//! Scores against scikit-learn and SciPy; `testdata/sklearn/metrics.json` names the functions.

use super::*;
use hodgelet::likelihood::Mixture;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    classified: Vec<Classified>,
    regressed: Vec<Regressed>,
}

#[derive(Deserialize)]
struct Classified {
    name: String,
    n_classes: usize,
    labels: Vec<u32>,
    probabilities: Vec<f64>,
    accuracy: f64,
    macro_f1: f64,
    nll: f64,
    brier: f64,
    ece: f64,
}

#[derive(Deserialize)]
struct Regressed {
    name: String,
    truth: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    mse: f64,
    mae: f64,
    r2: f64,
    gaussian_nll: f64,
    coverage: Vec<(f64, f64)>,
}

fn golden() -> File {
    serde_json::from_str(include_str!("../../../../testdata/sklearn/metrics.json")).unwrap()
}

/// Sums in another order differ by rounding alone.
fn assert_same(found: Result<f64, MetricError>, expected: f64, about: &str) {
    let found = found.unwrap_or_else(|e| panic!("{about}: {e}"));
    assert!((found - expected).abs() <= 1e-13 * (1.0 + expected.abs()), "{about}: {found}, {expected}");
}

#[test]
fn scores_of_classes_are_those_of_scikit_learn() {
    let cases = golden().classified;
    assert_eq!(cases.len(), 4);
    for Classified { name, n_classes, labels, probabilities, accuracy: right, macro_f1: f1, .. } in &cases {
        let predicted = predicted_classes(probabilities, *n_classes).unwrap();
        assert_same(accuracy(&predicted, labels), *right, &format!("{name}, accuracy"));
        assert_same(macro_f1(&predicted, labels), *f1, &format!("{name}, macro-F1"));
    }
    for Classified {
        name, n_classes, labels, probabilities, nll: logarithmic, brier: squared, ece, ..
    } in &cases
    {
        let n_classes = *n_classes;
        assert_same(nll(probabilities, n_classes, labels), *logarithmic, &format!("{name}, NLL"));
        assert_same(brier(probabilities, n_classes, labels), *squared, &format!("{name}, Brier"));
        let found = calibration(probabilities, n_classes, labels, N_BINS).map(|c| c.ece);
        assert_same(found, *ece, &format!("{name}, ECE"));
    }
}

#[test]
fn scores_of_numbers_are_those_of_scikit_learn_and_scipy() {
    let cases = golden().regressed;
    assert_eq!(cases.len(), 4);
    for case in &cases {
        let Regressed { name, truth, mean, variance, .. } = case;
        let densities: Vec<Mixture> =
            mean.iter().zip(variance).map(|(&m, &v)| Mixture::normal(m, v)).collect();
        assert_same(rmse(mean, truth), case.mse.sqrt(), &format!("{name}, RMSE"));
        assert_same(mae(mean, truth), case.mae, &format!("{name}, MAE"));
        assert_same(r2(mean, truth), case.r2, &format!("{name}, R²"));
        let found = density_nll(&densities, truth);
        assert_same(found, case.gaussian_nll, &format!("{name}, NLL"));
        for &(level, share) in &case.coverage {
            assert_eq!(coverage(&densities, truth, level), Ok(share), "{name}, {level}");
        }
    }
}

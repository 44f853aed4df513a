//! Paired tests against SciPy; `testdata/scipy/paired.json` names the functions.

use super::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    student: Vec<(f64, f64, f64)>,
    paired: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    first: Vec<f64>,
    second: Vec<f64>,
    ratio: f64,
    t: f64,
    t_p: f64,
    wilcoxon_p: f64,
    sign_p: f64,
}

fn golden() -> File {
    serde_json::from_str(include_str!("../../../../testdata/scipy/paired.json")).unwrap()
}

/// Logarithms of gamma functions of some hundreds lose three digits.
fn assert_same(found: f64, expected: f64, about: &str) {
    assert!((found - expected).abs() <= 2e-12 * expected.abs(), "{about}: {found}, {expected}");
}

#[test]
fn tails_of_student_are_those_of_scipy() {
    let cases = golden().student;
    assert!(cases.len() > 20);
    for (t, degrees, p) in cases {
        assert_same(student_two_sided(t, degrees), p, &format!("t = {t}, {degrees} degrees"));
    }
}

#[test]
fn paired_tests_are_those_of_scipy() {
    let cases = golden().paired;
    assert_eq!(cases.len(), 5);
    for Case { name, first, second, ratio, t, t_p, wilcoxon_p, sign_p } in cases {
        let found = paired(&first, &second, ratio).unwrap();
        let corrected = found.corrected_t.unwrap();
        assert_same(corrected.t, t, &format!("{name}, t"));
        assert_same(corrected.p, t_p, &format!("{name}, p of t"));
        assert_same(found.wilcoxon_p, wilcoxon_p, &format!("{name}, Wilcoxon"));
        assert_same(found.sign_p, sign_p, &format!("{name}, sign"));
    }
}

use super::*;

fn case(truth: usize, p: f64) -> Case {
    super::super::of_classes(0, None, Some(truth as f64), vec![1.0 - p, p])
}

#[test]
fn wilson_intervals_are_those_of_the_textbook() {
    // 8 of 10: [0.490, 0.943].
    let (low, high) = wilson(8, 10);
    assert!((low - 0.490).abs() < 1e-3 && (high - 0.943).abs() < 1e-3, "{low} {high}");
    assert_eq!(wilson(0, 0), (0.0, 1.0));
    let (low, high) = wilson(0, 5);
    assert!(low < 1e-12 && high < 0.5, "{low} {high}");
}

#[test]
fn the_floor_is_what_a_perfect_model_shows() {
    // 100 predictions of 0.5, half of them right: the error is 0, yet chance alone would show about 0.04.
    let cases: Vec<Case> = (0..100).map(|i| case(i % 2, 0.5)).collect();
    let found = reliability(&cases.iter().collect::<Vec<_>>());
    assert_eq!(found.ece, 0.0);
    assert!((found.floor - (2.0 / std::f64::consts::PI * 25.0f64).sqrt() / 100.0).abs() < 1e-12);
    assert_eq!(found.points.len(), 1);
}

#[test]
fn risk_falls_when_the_unsure_are_wrong_and_ends_at_the_error_of_all() {
    let sure = (0..60).map(|i| case(1, 0.9 + 0.001 * f64::from(i)));
    let unsure = (0..20).map(|i| case(0, 0.6 + 0.001 * f64::from(i)));
    let cases: Vec<Case> = sure.chain(unsure).collect();
    let curve = risk(&cases.iter().collect::<Vec<_>>());
    assert_eq!(curve[0].1, 0.0);
    assert_eq!(*curve.last().unwrap(), (1.0, 0.25));
    assert!(curve.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn equal_confidence_is_kept_together() {
    let cases: Vec<Case> = (0..50).map(|i| case(i % 2, 0.8)).collect();
    assert_eq!(risk(&cases.iter().collect::<Vec<_>>()), [(1.0, 0.5)]);
}

#[test]
fn scores_of_numbers_have_intervals() {
    let number = |truth: f64| Case {
        graph: 0,
        fold: None,
        truth: Some(truth),
        predicted: 0.0,
        probabilities: vec![],
        spread: Some((1.0, -2.0, 2.0)),
    };
    let cases: Vec<Case> = [1.0, -1.0, 3.0, -1.0].map(number).to_vec();
    let found = scores(&cases.iter().collect::<Vec<_>>(), &[], None);
    assert_eq!(found[0].value, 3f64.sqrt());
    assert_eq!(found[2].value, 0.75);
    assert!(found.iter().all(|s| s.interval.is_some_and(|(low, high)| low <= s.value && s.value <= high)));
}

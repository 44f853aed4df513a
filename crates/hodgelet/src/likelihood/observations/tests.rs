use super::*;
use faer::Mat;

#[test]
fn equal_labels_of_a_point_are_counted_and_contradicting_ones_kept() {
    let observations = Observations::grouped_classes(3, &[2, 0, 2, 1], &[1, 0, 1, 1], 3).unwrap();
    let Observations::Classes(labels) = &observations else { panic!("classes went in") };
    assert_eq!(labels.counts(0), &[(0, 1.0)]);
    assert_eq!(labels.counts(1), &[(1, 1.0), (2, 2.0)]);
    assert_eq!(labels.counts(2), &[]);
    assert_eq!((observations.n_points(), observations.len()), (3, 4));
}

#[test]
fn real_groups_hold_count_mean_and_spread() {
    let observations = Observations::grouped_reals(&[1.0, 5.0, 3.0], &[0, 1, 0], 2).unwrap();
    let Observations::Reals(reals) = observations else { panic!("reals went in") };
    assert_eq!(reals.groups()[0], RealGroup { count: 2.0, mean: 2.0, spread: 2.0 });
    assert_eq!(reals.groups()[1], RealGroup { count: 1.0, mean: 5.0, spread: 0.0 });
    assert_eq!((reals.at(0), reals.at(1)), (&[(1.0, 1.0), (3.0, 1.0)][..], &[(5.0, 1.0)][..]));
}

#[test]
fn a_weight_of_two_is_an_observation_twice() {
    let twice = Observations::grouped_classes(2, &[0, 1, 1, 1], &[0, 0, 1, 1], 2).unwrap();
    let weighted = Observations::grouped_classes(2, &[0, 1, 1], &[0, 0, 1], 2).unwrap();
    let weighted = weighted.with_weights(&[1.0, 1.0, 2.0]).unwrap();
    let (Observations::Classes(twice), Observations::Classes(weighted)) = (twice, weighted) else {
        panic!("labels went in")
    };
    assert_eq!((twice.counts(0), twice.counts(1)), (weighted.counts(0), weighted.counts(1)));
    let twice = Observations::grouped_reals(&[1.0, 4.0, 4.0], &[0, 0, 0], 1).unwrap();
    let weighted = Observations::grouped_reals(&[1.0, 4.0], &[0, 0], 1).unwrap();
    let weighted = weighted.with_weights(&[1.0, 2.0]).unwrap();
    let (Observations::Reals(twice), Observations::Reals(weighted)) = (twice, weighted) else {
        panic!("reals went in")
    };
    let (a, b) = (twice.groups()[0], weighted.groups()[0]);
    assert_eq!((a.count, a.mean), (b.count, b.mean));
    assert!((a.spread - b.spread).abs() < 1e-12 && (b.spread - 6.0).abs() < 1e-12);
}

#[test]
fn invalid_values_are_refused_with_facts() {
    let weighted = |weights: &[f64]| {
        Observations::reals(&[1.0, 2.0]).unwrap().with_weights(weights).unwrap_err().to_string()
    };
    assert_eq!(weighted(&[1.0]), "1 weights are given for 2 observations");
    assert_eq!(weighted(&[1.0, 0.0]), "weight of observation 1 is 0, expected a number from 1e-6 to 1e6");
    let message = |result: Result<Observations, ObservationError>| result.unwrap_err().to_string();
    assert_eq!(
        message(Observations::classes(2, &[0, 2])),
        "label of observation 1 is 2, expected a class below 2"
    );
    assert_eq!(
        message(Observations::reals(&[f64::INFINITY])),
        "value of observation 0 is inf, expected a finite number"
    );
    assert_eq!(message(Observations::reals(&[])), "there are no observations, expected at least one");
    assert_eq!(
        message(Observations::grouped_reals(&[1.0], &[4], 2)),
        "observation 0 belongs to point 4, but there are 2 points"
    );
    let with = |covariates: Mat<f64>| {
        message(Observations::reals(&[1.0, 2.0]).unwrap().with_covariates(covariates.as_ref()))
    };
    assert_eq!(with(Mat::zeros(3, 1)), "covariates are given for 3 points, expected 2");
    assert_eq!(
        with(Mat::from_fn(2, 2, |i, _| if i == 0 { 0.0 } else { f64::NAN })),
        "covariate of point 1 is NaN, expected a finite number"
    );
    assert_eq!(
        message(Observations::grouped_reals(&[1.0], &[0, 1], 2)),
        "2 points are given for 1 observations"
    );
}

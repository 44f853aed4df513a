//! The optimizer on functions whose minima are known.

use hodgelet::train::{LbfgsParams, MinimizeError, Minimum, Progress, Stop, minimize, restarts};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

type Objective = fn(&[f64], &mut [f64]) -> Result<f64, Infallible>;

/// Rosenbrock's valley in any even number of dimensions; minimum 0 at all ones.
fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> Result<f64, Infallible> {
    let mut sum = 0.0;
    for i in (0..x.len()).step_by(2) {
        let (a, b) = (x[i], x[i + 1]);
        sum += 100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2);
        gradient[i] = -400.0 * a * (b - a * a) - 2.0 * (1.0 - a);
        gradient[i + 1] = 200.0 * (b - a * a);
    }
    Ok(sum)
}

/// A quadratic with condition number 1e8 and minimum -1 at `x_i = i`.
fn ill_conditioned(x: &[f64], gradient: &mut [f64]) -> Result<f64, Infallible> {
    let mut sum = -1.0;
    for (i, (&xi, g)) in x.iter().zip(gradient).enumerate() {
        let scale = 1e8f64.powf(i as f64 / (x.len() - 1) as f64);
        sum += 0.5 * scale * (xi - i as f64).powi(2);
        *g = scale * (xi - i as f64);
    }
    Ok(sum)
}

fn patient() -> LbfgsParams {
    LbfgsParams {
        max_iterations: 5000,
        gradient_tolerance: 1e-7,
        objective_tolerance: 0.0,
        ..LbfgsParams::default()
    }
}

fn run<E: std::fmt::Debug>(
    params: LbfgsParams,
    start: &[f64],
    objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
) -> Minimum {
    minimize(&params.check().unwrap(), start, objective, |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_valley_is_followed_to_its_end() {
    for n in [2, 10, 100] {
        let start: Vec<f64> = (0..n).map(|i| [-1.2, 1.0][i % 2]).collect();
        let found = run(patient(), &start, rosenbrock);
        assert_eq!(found.stop, Stop::Gradient);
        assert!(found.point.iter().all(|x| (x - 1.0).abs() < 1e-6), "{found:?}");
        assert!(found.evaluations < 80, "{}", found.evaluations);
    }
}

#[test]
fn ill_conditioned_quadratics_are_solved() {
    let found = run(LbfgsParams { objective_tolerance: 1e-13, ..patient() }, &[0.5; 12], ill_conditioned);
    assert!(found.stop.is_converged(), "{found:?}");
    assert!(found.value < -1.0 + 1e-11, "{found:?}");
    // An independent implementation with this memory takes 203.
    assert!(found.evaluations < 300, "{}", found.evaluations);
    let errors = found.point.iter().enumerate().map(|(i, x)| (x - i as f64).abs());
    assert!(errors.fold(0.0, f64::max) < 1e-5, "{found:?}");
}

#[test]
fn values_only_decrease_and_steps_satisfy_the_strong_wolfe_conditions() {
    let (c1, c2) = (LbfgsParams::default().sufficient_decrease, LbfgsParams::default().curvature);
    for objective in [rosenbrock as Objective, ill_conditioned] {
        let start = [-1.2, 1.0, 0.3, 2.0];
        let mut gradient = [0.0; 4];
        let value = objective(&start, &mut gradient).unwrap();
        let mut before = (start.to_vec(), value, gradient.to_vec());
        let mut steps = 0;
        let watch = |now: &Progress<'_>| {
            assert!(now.value < before.1);
            // The step s = α d, so that slopes along s carry the same factor α on both sides.
            let along = |g: &[f64]| -> f64 {
                g.iter().zip(now.point.iter().zip(&before.0)).map(|(g, (x, y))| g * (x - y)).sum()
            };
            let (first, last) = (along(&before.2), along(now.gradient));
            let rounding = 1e-14 * before.1.abs();
            assert!(now.value <= before.1 + c1 * first + rounding, "{now:?}");
            assert!(!now.wolfe || last.abs() <= -c2 * first * (1.0 + 1e-9), "{now:?}");
            steps += usize::from(now.wolfe);
            before = (now.point.to_vec(), now.value, now.gradient.to_vec());
            ControlFlow::Continue(())
        };
        let found = minimize(&patient().check().unwrap(), &start, objective, watch).unwrap();
        assert!(steps * 10 >= found.iterations * 9 && steps > 3, "{steps} of {}", found.iterations);
    }
}

/// `x − ln x + (y − 2)²` exists for positive `x` only; the start is at its edge and the first step leaves it.
#[test]
fn a_region_where_the_objective_fails_is_stepped_around() {
    #[derive(Debug)]
    struct Outside;
    for (fails, start) in [(true, [1e-6, 0.0]), (false, [40.0, -3.0])] {
        let found = run(patient(), &start, |x: &[f64], gradient: &mut [f64]| {
            if x[0] <= 0.0 {
                return if fails { Err(Outside) } else { Ok(f64::NAN) };
            }
            gradient.copy_from_slice(&[1.0 - 1.0 / x[0], 2.0 * (x[1] - 2.0)]);
            Ok(x[0] - x[0].ln() + (x[1] - 2.0).powi(2))
        });
        assert!((found.point[0] - 1.0).abs() < 1e-6 && (found.point[1] - 2.0).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn a_gradient_that_is_not_finite_is_a_step_too_far() {
    // The value is finite everywhere, the gradient beyond 0 is not.
    let found = run(patient(), &[1.0], |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = if x[0] < 0.5 { f64::INFINITY } else { 2.0 * (x[0] - 0.7) };
        Ok::<f64, Infallible>((x[0] - 0.7).powi(2))
    });
    assert!((found.point[0] - 0.7).abs() < 1e-7);
}

#[test]
fn a_start_without_a_value_is_an_error() {
    #[derive(Clone, Debug, PartialEq, thiserror::Error)]
    #[error("no")]
    struct No;
    let params = LbfgsParams::default().check().unwrap();
    let go = |start: &[f64], value: Result<f64, No>, slope: f64| {
        let objective = |_: &[f64], gradient: &mut [f64]| {
            gradient.fill(slope);
            value.clone()
        };
        minimize(&params, start, objective, |_| ControlFlow::Continue(())).unwrap_err()
    };
    assert_eq!(go(&[0.0], Err(No), 0.0), MinimizeError::Start(No));
    assert_eq!(go(&[0.0], Err(No), 0.0).to_string(), "the objective failed at the start");
    let value = go(&[0.0], Ok(f64::NAN), 0.0);
    assert_eq!(value.to_string(), "the objective at the start must be finite, got NaN");
    let gradient = go(&[0.0, 1.0], Ok(1.0), f64::INFINITY);
    assert_eq!(gradient.to_string(), "entry 0 of the gradient at the start must be finite, got inf");
    let start = go(&[0.0, f64::INFINITY], Ok(1.0), 0.0);
    assert_eq!(start.to_string(), "parameter 1 of the start must be finite, got inf");
}

#[test]
fn the_callback_can_end_the_run() {
    let params = patient().check().unwrap();
    let mut seen = 0;
    let found = minimize(&params, &[-1.2, 1.0], rosenbrock, |now| {
        seen = now.iteration;
        if now.iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert_eq!((found.stop, found.iterations, seen), (Stop::Cancelled, 3, 3));
    assert!(!found.stop.is_converged());
}

#[test]
fn limits_end_the_run_with_the_best_point_so_far() {
    let few = run(LbfgsParams { max_iterations: 4, ..patient() }, &[-1.2, 1.0], rosenbrock);
    assert_eq!((few.stop, few.iterations), (Stop::Iterations, 4));
    let none = run(LbfgsParams { max_iterations: 0, ..patient() }, &[-1.2, 1.0], rosenbrock);
    assert_eq!((none.stop, none.evaluations, none.point), (Stop::Iterations, 1, vec![-1.2, 1.0]));

    let slow = |x: &[f64], gradient: &mut [f64]| {
        std::thread::sleep(Duration::from_millis(5));
        rosenbrock(x, gradient)
    };
    let limit = Duration::from_millis(40);
    let began = Instant::now();
    let late = run(LbfgsParams { time_limit: Some(limit), ..patient() }, &[-1.2, 1.0], slow);
    assert_eq!(late.stop, Stop::Time);
    assert!(began.elapsed() >= limit && late.evaluations <= 9, "{late:?}");
    let mut gradient = [0.0; 2];
    assert_eq!(rosenbrock(&late.point, &mut gradient).unwrap(), late.value);
    assert_eq!(late.gradient, gradient);
    assert!(late.value <= 24.2);
}

#[test]
fn small_changes_and_small_gradients_stop_it() {
    let loose = run(LbfgsParams { objective_tolerance: 1e-2, ..patient() }, &[0.5; 6], ill_conditioned);
    assert_eq!(loose.stop, Stop::Objective);
    let at_minimum = run(patient(), &[1.0, 1.0], rosenbrock);
    assert_eq!((at_minimum.stop, at_minimum.evaluations), (Stop::Gradient, 1));
    let nothing = run(patient(), &[], |_: &[f64], _: &mut [f64]| Ok::<f64, Infallible>(5.0));
    assert_eq!((nothing.stop, nothing.value), (Stop::Gradient, 5.0));
}

#[test]
fn a_wrong_gradient_ends_without_a_decrease_and_without_a_loop() {
    let wrong = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -2.0 * x[0];
        Ok::<f64, Infallible>(x[0] * x[0])
    };
    let found = run(patient(), &[3.0], wrong);
    assert_eq!((found.stop, found.point), (Stop::NoDecrease, vec![3.0]));
}

#[test]
fn a_function_without_a_bound_runs_into_its_limits() {
    let unbounded = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -1.0;
        Ok::<f64, Infallible>(-x[0])
    };
    let found = run(LbfgsParams { max_iterations: 3, ..patient() }, &[0.0], unbounded);
    assert!(found.value.is_finite() && found.value < 0.0);
    assert!(found.evaluations <= 1 + 3 * 25);
}

/// Two valleys: the starts end in different ones.
#[test]
fn restarts_find_the_deeper_valley_whatever_the_threads() {
    let wells = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 4.0 * x[0] * (x[0] * x[0] - 1.0) + 0.3;
        Ok::<f64, Infallible>((x[0] * x[0] - 1.0).powi(2) + 0.3 * x[0])
    };
    let params = patient().check().unwrap();
    let starts = vec![1.2, 0.9, -0.8, -1.3];
    let found =
        restarts(starts, |_, start| minimize(&params, &[start], wells, |_| ControlFlow::Continue(())));
    assert!(found[0].as_ref().unwrap().point[0] > 0.0);
    let ends = found.into_iter().enumerate().filter_map(|(start, end)| Some((start, end.ok()?)));
    let (start, minimum) = ends.min_by(|a, b| a.1.value.total_cmp(&b.1.value)).unwrap();
    assert!(start >= 2 && minimum.point[0] < -1.0, "{start}: {minimum:?}");
}

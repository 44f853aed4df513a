//! L-BFGS: minimizes a smooth function of some tens or thousands of numbers.

use super::line_search::{Evaluation, LineSearch, Outcome, Trial};
use super::memory::Memory;
use super::params::{CheckedLbfgsParams, LbfgsParams};
use crate::linalg::simd::dot;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Where a minimization ended, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Minimum {
    /// The parameters with the lowest value accepted.
    pub point: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// Its gradient there.
    pub gradient: Vec<f64>,
    /// Accepted steps.
    pub iterations: usize,
    /// Evaluations of the objective, the first included.
    pub evaluations: usize,
    /// Why it stopped.
    pub stop: Stop,
}

/// Why a minimization stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stop {
    /// The gradient is small enough.
    Gradient,
    /// A step changed the objective too little.
    Objective,
    /// The number of iterations is used up.
    Iterations,
    /// The time is used up.
    Time,
    /// No step along the steepest descent lowers the objective: rounding, or a wrong gradient.
    NoDecrease,
    /// The callback asked for it.
    Cancelled,
}

impl Stop {
    /// Whether the point is a minimum to the tolerances of the settings, rather than where a limit was reached.
    #[must_use]
    pub fn is_converged(self) -> bool {
        matches!(self, Self::Gradient | Self::Objective)
    }
}

/// One accepted step, for callbacks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Accepted steps so far.
    pub iteration: usize,
    /// Evaluations so far.
    pub evaluations: usize,
    /// Time since the start.
    pub elapsed: Duration,
    /// The parameters.
    pub point: &'a [f64],
    /// The objective.
    pub value: f64,
    /// Its gradient.
    pub gradient: &'a [f64],
    /// Length of the step in units of its direction.
    pub step: f64,
    /// Whether the step satisfies both strong Wolfe conditions; otherwise it decreases sufficiently, no more.
    pub wolfe: bool,
}

/// Minimizes `objective` from `start`.
///
/// The objective writes its gradient and returns its value. Where it fails or is not finite, a step went too
/// far and is shortened. Steps satisfy the strong Wolfe conditions, so values only decrease.
/// `callback` sees every accepted step and may end the run.
///
/// # Errors
///
/// [`MinimizeError`] when the objective has no finite value or gradient at `start`.
///
/// # References
///
/// \[Nocedal06\] Algorithm 7.5.
pub fn minimize<E>(
    params: &CheckedLbfgsParams,
    start: &[f64],
    objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
    mut callback: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Minimum, MinimizeError<E>> {
    let params = params.get();
    let mut counted = Counted { objective, evaluations: 0, began: Instant::now() };
    let mut current = counted.first(start)?;
    let mut memory = Memory::new(params.memory);
    let mut iterations = 0;
    let stop = loop {
        if let Some(stop) = early_stop(params, &current, iterations, counted.began) {
            break stop;
        }
        let (next, wolfe, in_time) = match descend(params, &mut memory, &current, &mut counted) {
            Outcome::Wolfe(next) => (next, true, true),
            Outcome::Decrease(next) => (next, false, true),
            Outcome::OutOfTime(Some(next)) => (next, false, false),
            Outcome::OutOfTime(None) => break Stop::Time,
            Outcome::Nothing => break Stop::NoDecrease,
        };
        iterations += 1;
        memory.push(difference(&next.point, &current.point), difference(&next.gradient, &current.gradient));
        let change = current.value - next.value;
        let scale = current.value.abs().max(next.value.abs()).max(1.0);
        current = next;
        if callback(&counted.progress(&current, iterations, wolfe)).is_break() {
            break Stop::Cancelled;
        }
        if !in_time {
            break Stop::Time;
        }
        if largest(&current.gradient) > params.gradient_tolerance
            && change <= params.objective_tolerance * scale
        {
            break Stop::Objective;
        }
    };
    let Trial { point, value, gradient, .. } = current;
    Ok(Minimum { point, value, gradient, iterations, evaluations: counted.evaluations, stop })
}

fn early_stop(params: &LbfgsParams, current: &Trial, iterations: usize, began: Instant) -> Option<Stop> {
    if largest(&current.gradient) <= params.gradient_tolerance {
        Some(Stop::Gradient)
    } else if iterations >= params.max_iterations {
        Some(Stop::Iterations)
    } else if params.time_limit.is_some_and(|limit| began.elapsed() >= limit) {
        Some(Stop::Time)
    } else {
        None
    }
}

/// A step from `current`; when the stored curvature gives no descent, one along the steepest descent.
fn descend<E, F>(
    params: &LbfgsParams,
    memory: &mut Memory,
    current: &Trial,
    counted: &mut Counted<F>,
) -> Outcome
where
    F: FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
{
    if !memory.is_empty() {
        let direction = memory.direction(&current.gradient);
        let slope = dot(&direction, &current.gradient);
        if slope < 0.0 && slope.is_finite() {
            let outcome = search(params, current, &direction, slope, 1.0, counted);
            if !matches!(outcome, Outcome::Nothing) {
                return outcome;
            }
        }
        memory.clear();
    }
    let direction: Vec<f64> = current.gradient.iter().map(|g| -g).collect();
    let slope = dot(&direction, &current.gradient);
    let step = params.first_change / largest(&direction);
    search(params, current, &direction, slope, step, counted)
}

fn search<E, F>(
    params: &LbfgsParams,
    current: &Trial,
    direction: &[f64],
    slope: f64,
    first_step: f64,
    counted: &mut Counted<F>,
) -> Outcome
where
    F: FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
{
    let start = Trial { step: 0.0, slope, ..current.clone() };
    LineSearch::new(params, start, |step| {
        let point = current.point.iter().zip(direction).map(|(x, d)| x + step * d).collect();
        let trial = counted.evaluate(point).ok().map(|trial| Trial {
            step,
            slope: dot(&trial.gradient, direction),
            ..trial
        });
        // A slope that overflows cannot be used, as a value that does.
        let trial = trial.filter(|trial| trial.slope.is_finite());
        if params.time_limit.is_some_and(|limit| counted.began.elapsed() >= limit) {
            return Evaluation::OutOfTime(trial);
        }
        trial.map_or(Evaluation::Failed, Evaluation::Finite)
    })
    .run(first_step)
}

/// The objective with its count of evaluations and the time of the start.
struct Counted<F> {
    objective: F,
    evaluations: usize,
    began: Instant,
}

impl<F> Counted<F> {
    fn progress<'a>(&self, at: &'a Trial, iteration: usize, wolfe: bool) -> Progress<'a> {
        Progress {
            iteration,
            evaluations: self.evaluations,
            elapsed: self.began.elapsed(),
            point: &at.point,
            value: at.value,
            gradient: &at.gradient,
            step: at.step,
            wolfe,
        }
    }

    fn first<E>(&mut self, start: &[f64]) -> Result<Trial, MinimizeError<E>>
    where
        F: FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
    {
        if let Some((index, &found)) = start.iter().enumerate().find(|(_, x)| !x.is_finite()) {
            return Err(MinimizeError::StartNotFinite { index, found });
        }
        self.evaluate(start.to_vec())
    }

    fn evaluate<E>(&mut self, point: Vec<f64>) -> Result<Trial, MinimizeError<E>>
    where
        F: FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
    {
        self.evaluations += 1;
        let mut gradient = vec![0.0; point.len()];
        let value = (self.objective)(&point, &mut gradient).map_err(MinimizeError::Start)?;
        if !value.is_finite() {
            return Err(MinimizeError::Value { found: value });
        }
        if let Some((index, &found)) = gradient.iter().enumerate().find(|(_, g)| !g.is_finite()) {
            return Err(MinimizeError::Gradient { index, found });
        }
        Ok(Trial { step: 0.0, value, slope: 0.0, point, gradient })
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// Why a minimization could not start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MinimizeError<E> {
    /// A start that is infinite or not a number.
    #[error("parameter {index} of the start must be finite, got {found}")]
    StartNotFinite {
        /// Index of the parameter.
        index: usize,
        /// Its value.
        found: f64,
    },
    /// The objective failed at the start.
    #[error("the objective failed at the start")]
    Start(#[source] E),
    /// A value at the start that is infinite or not a number.
    #[error("the objective at the start must be finite, got {found}")]
    Value {
        /// The value.
        found: f64,
    },
    /// A gradient at the start that is infinite or not a number.
    #[error("entry {index} of the gradient at the start must be finite, got {found}")]
    Gradient {
        /// Index of the entry.
        index: usize,
        /// Its value.
        found: f64,
    },
}

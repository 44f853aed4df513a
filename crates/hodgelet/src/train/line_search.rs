//! A step along a direction that satisfies the strong Wolfe conditions.
//!
//! [Nocedal06] Algorithms 3.5 and 3.6 with cubic interpolation (its Eq. (3.59)). An evaluation that fails or is not
//! finite counts as a step too far.

use super::params::LbfgsParams;

/// The function along the direction, where it could be evaluated.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) point: Vec<f64>,
    pub(super) gradient: Vec<f64>,
}

/// What an evaluation along the direction gave.
pub(super) enum Evaluation {
    /// A finite value and gradient.
    Finite(Trial),
    /// No value: the step was too far.
    Failed,
    /// The time is over; a value may still have come of it.
    OutOfTime(Option<Trial>),
}

/// How a search ended.
pub(super) enum Outcome {
    /// Both Wolfe conditions hold.
    Wolfe(Trial),
    /// The objective decreased sufficiently, but the slope did not in the evaluations allowed.
    Decrease(Trial),
    /// No step was better than none.
    Nothing,
    /// The time is over; the best step so far, if there is one.
    OutOfTime(Option<Trial>),
}

/// Expansions multiply the step by at most this.
const LARGEST_EXPANSION: f64 = 4.0;
/// A trial in a bracket keeps this share of it from both ends.
const MARGIN: f64 = 0.1;
/// After a failed evaluation the step shrinks to this share: the bad region may be far away.
const SHRINK: f64 = 0.3;

/// One search along a direction with negative slope.
pub(super) struct LineSearch<'a, F> {
    params: &'a LbfgsParams,
    start: Trial,
    evaluate: F,
    evaluations_left: usize,
}

/// An end of a bracket: a trial, or a step at which there was no value.
enum End {
    Trial(Trial),
    Failed(f64),
}

impl End {
    fn step(&self) -> f64 {
        match self {
            Self::Trial(trial) => trial.step,
            Self::Failed(step) => *step,
        }
    }
}

impl<'a, F: FnMut(f64) -> Evaluation> LineSearch<'a, F> {
    pub(super) fn new(params: &'a LbfgsParams, start: Trial, evaluate: F) -> Self {
        Self { params, start, evaluate, evaluations_left: params.max_line_evaluations }
    }

    /// Algorithm 3.5: grows the step until a bracket holds a good one.
    pub(super) fn run(mut self, first_step: f64) -> Outcome {
        let mut previous = self.start.clone();
        let mut step = first_step;
        while self.evaluations_left > 0 {
            let trial = match self.evaluate(step) {
                Evaluation::Finite(trial) => trial,
                Evaluation::Failed => return self.zoom(previous, End::Failed(step)),
                Evaluation::OutOfTime(trial) => return self.out_of_time(previous, trial),
            };
            if !self.decreases(&trial) || (previous.step > 0.0 && trial.value >= previous.value) {
                return self.zoom(previous, End::Trial(trial));
            }
            if self.is_flat(&trial) {
                return Outcome::Wolfe(trial);
            }
            if trial.slope >= 0.0 {
                return self.zoom(trial, End::Trial(previous));
            }
            step = expansion(&previous, &trial);
            previous = trial;
        }
        self.settle(previous)
    }

    /// Algorithm 3.6: `low` decreases sufficiently and points into the bracket that `high` closes.
    fn zoom(mut self, mut low: Trial, mut high: End) -> Outcome {
        while self.evaluations_left > 0 {
            let step = interior(&low, &high);
            // The bracket has no number inside: rounding decides from here.
            if step == low.step || step == high.step() || step <= 0.0 {
                break;
            }
            let trial = match self.evaluate(step) {
                Evaluation::Finite(trial) => trial,
                Evaluation::Failed => {
                    high = End::Failed(step);
                    continue;
                }
                Evaluation::OutOfTime(trial) => return self.out_of_time(low, trial),
            };
            if !self.decreases(&trial) || trial.value >= low.value {
                high = End::Trial(trial);
                continue;
            }
            if self.is_flat(&trial) {
                return Outcome::Wolfe(trial);
            }
            if trial.slope * (high.step() - low.step) >= 0.0 {
                high = End::Trial(low);
            }
            low = trial;
        }
        self.settle(low)
    }

    fn evaluate(&mut self, step: f64) -> Evaluation {
        self.evaluations_left -= 1;
        (self.evaluate)(step)
    }

    /// Sufficient decrease, the first Wolfe condition.
    fn decreases(&self, trial: &Trial) -> bool {
        let promised = self.params.sufficient_decrease * trial.step * self.start.slope;
        trial.value <= self.start.value + promised && trial.value < self.start.value
    }

    /// The strong curvature condition.
    fn is_flat(&self, trial: &Trial) -> bool {
        trial.slope.abs() <= -self.params.curvature * self.start.slope
    }

    fn settle(&self, best: Trial) -> Outcome {
        if best.step > 0.0 { Outcome::Decrease(best) } else { Outcome::Nothing }
    }

    fn out_of_time(&self, best: Trial, last: Option<Trial>) -> Outcome {
        let last = last.filter(|trial| self.decreases(trial) && trial.value < best.value);
        let best = (best.step > 0.0).then_some(best);
        Outcome::OutOfTime(last.or(best))
    }
}

/// The next step outward: where the cubic through two trials is lowest, within bounds.
fn expansion(previous: &Trial, trial: &Trial) -> f64 {
    let (low, high) = (trial.step + (trial.step - previous.step), LARGEST_EXPANSION * trial.step);
    match cubic_minimum(previous, trial) {
        Some(step) if step > trial.step => step.clamp(low.min(high), high),
        _ => high,
    }
}

/// A step inside the bracket.
fn interior(low: &Trial, high: &End) -> f64 {
    let width = high.step() - low.step;
    match high {
        End::Failed(_) => low.step + SHRINK * width,
        End::Trial(trial) => {
            let guess = cubic_minimum(low, trial).map_or(0.5, |step| (step - low.step) / width);
            low.step + guess.clamp(MARGIN, 1.0 - MARGIN) * width
        }
    }
}

/// Eq. (3.59): the minimum of the cubic with these values and slopes.
fn cubic_minimum(a: &Trial, b: &Trial) -> Option<f64> {
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
    let radicand = d1 * d1 - a.slope * b.slope;
    let d2 = (b.step - a.step).signum() * radicand.max(0.0).sqrt();
    let step = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
    (radicand >= 0.0 && step.is_finite()).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(f: impl Fn(f64) -> (f64, f64), step: f64) -> Trial {
        let (value, slope) = f(step);
        Trial { step, value, slope, point: vec![step], gradient: vec![slope] }
    }

    fn search(f: impl Fn(f64) -> (f64, f64) + Copy, first_step: f64) -> Outcome {
        let params = LbfgsParams { curvature: 0.1, ..LbfgsParams::default() };
        LineSearch::new(&params, trial(f, 0.0), |step| {
            let trial = trial(f, step);
            if trial.value.is_finite() { Evaluation::Finite(trial) } else { Evaluation::Failed }
        })
        .run(first_step)
    }

    /// Functions 1 and 2 of Moré and Thuente (1994), where the first step is wrong by orders of magnitude.
    #[test]
    fn wolfe_steps_are_found_from_any_first_step() {
        let one = |a: f64| (-a / (a * a + 2.0), (a * a - 2.0) / (a * a + 2.0).powi(2));
        let two = |a: f64| {
            let b = a + 0.004;
            (b.powi(5) - 2.0 * b.powi(4), 5.0 * b.powi(4) - 8.0 * b.powi(3))
        };
        for first_step in [1e-3, 0.1, 10.0, 1000.0] {
            let Outcome::Wolfe(found) = search(one, first_step) else { panic!("no step from {first_step}") };
            assert!(found.slope.abs() <= 0.1 * 0.5 && found.value <= -1e-4 * 0.5 * found.step);
            // The slope at 0 is -5e-7: a tenth of it is where values no longer differ, so either end is right.
            let (Outcome::Wolfe(found) | Outcome::Decrease(found)) = search(two, first_step) else {
                panic!("no step from {first_step}")
            };
            assert!((found.step - 1.596).abs() < 1e-6, "{}", found.step);
        }
    }

    #[test]
    fn failed_evaluations_shrink_the_step() {
        // A logarithmic barrier at 1e-3, far below the first step.
        let barrier = |a: f64| (-a - 1e-4 * (1e-3 - a).ln(), -1.0 + 1e-4 / (1e-3 - a));
        let Outcome::Wolfe(found) = search(barrier, 1.0) else { panic!("no step") };
        assert!(found.step < 1e-3 && found.slope.abs() <= 0.09);
    }

    #[test]
    fn a_function_that_only_rises_gives_nothing() {
        // The slope at 0 is wrong on purpose.
        let rising = |a: f64| (a, if a == 0.0 { -1.0 } else { 1.0 });
        assert!(matches!(search(rising, 1.0), Outcome::Nothing));
    }

    #[test]
    fn the_cubic_through_a_cubic_finds_its_minimum() {
        let cubic = |a: f64| ((a - 2.0).powi(2) * (a + 1.0), 3.0 * a * (a - 2.0));
        let found = cubic_minimum(&trial(cubic, 1.0), &trial(cubic, 3.0)).unwrap();
        assert!((found - 2.0).abs() < 1e-14);
    }
}

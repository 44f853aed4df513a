//! Several starts, and the best of their ends.

use super::lbfgs::Minimum;
use rayon::prelude::*;

/// What became of each start, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Restarts<E> {
    /// The minimum found from each start, or why there is none.
    pub outcomes: Vec<Result<Minimum, E>>,
}

/// Runs `run` from every start, on the threads of rayon; `run` is given the number of the start and the start.
///
/// Outcomes are in the order of the starts and the best is chosen by value, then by number: the result does not
/// depend on the number of threads.
pub fn restarts<S: Send, E: Send>(
    starts: Vec<S>,
    run: impl Fn(usize, S) -> Result<Minimum, E> + Sync + Send,
) -> Restarts<E> {
    Restarts { outcomes: starts.into_par_iter().enumerate().map(|(i, start)| run(i, start)).collect() }
}

impl<E> Restarts<E> {
    /// Number of the start that ended lowest, and its end; the first of equals.
    #[must_use]
    pub fn best(&self) -> Option<(usize, &Minimum)> {
        let ends = self.outcomes.iter().enumerate().filter_map(|(i, end)| Some((i, end.as_ref().ok()?)));
        ends.min_by(|(_, a), (_, b)| a.value.total_cmp(&b.value))
    }

    /// The same by value.
    ///
    /// # Errors
    ///
    /// [`RestartError`] when no start led anywhere.
    pub fn into_best(mut self) -> Result<(usize, Minimum), RestartError<E>> {
        let n = self.outcomes.len();
        if n == 0 {
            return Err(RestartError::NoStarts);
        }
        let at = self.best().map_or(0, |(i, _)| i);
        match self.outcomes.swap_remove(at) {
            Ok(minimum) => Ok((at, minimum)),
            Err(first) => Err(RestartError::AllFailed { n, first }),
        }
    }
}

/// Why restarts gave nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestartError<E> {
    /// There was nothing to run.
    #[error("expected at least one start, got none")]
    NoStarts,
    /// No start led anywhere.
    #[error("all {n} starts failed")]
    AllFailed {
        /// Number of starts.
        n: usize,
        /// What became of the first.
        #[source]
        first: E,
    },
}

#[cfg(test)]
mod tests {
    use super::super::Stop;
    use super::*;

    fn ends(value: f64) -> Minimum {
        let (point, gradient) = (vec![], vec![]);
        Minimum { point, value, gradient, iterations: 1, evaluations: 1, stop: Stop::Gradient }
    }

    #[derive(Clone, Debug, PartialEq, thiserror::Error)]
    #[error("broken")]
    struct Broken;

    #[test]
    fn the_lowest_end_wins_and_the_first_of_equals() {
        let values = vec![Some(3.0), None, Some(-1.0), Some(2.0), Some(-1.0)];
        let found = restarts(values, |_, value| value.map(ends).ok_or(Broken));
        assert_eq!(found.best().unwrap().0, 2);
        assert_eq!(found.outcomes[1], Err(Broken));
        assert_eq!(found.into_best().unwrap(), (2, ends(-1.0)));
    }

    #[test]
    fn no_end_at_all_is_an_error() {
        let failed = restarts(vec![(), ()], |_, ()| Err::<Minimum, _>(Broken)).into_best().unwrap_err();
        assert_eq!(failed, RestartError::AllFailed { n: 2, first: Broken });
        assert_eq!(failed.to_string(), "all 2 starts failed");
        let none = restarts(Vec::<()>::new(), |_, ()| Err::<Minimum, _>(Broken)).into_best().unwrap_err();
        assert_eq!(none.to_string(), "expected at least one start, got none");
    }
}

//! Several starts, and the best of their results.

use rayon::prelude::*;

/// Runs `run` from every start, on the threads of rayon; `run` is given the number of the start and the start. Outcomes
/// are in the order of the starts, so they do not depend on the number of threads.
pub fn restarts<S: Send, T: Send, E: Send>(
    starts: Vec<S>,
    run: impl Fn(usize, S) -> Result<T, E> + Sync + Send,
) -> Vec<Result<T, E>> {
    starts.into_par_iter().enumerate().map(|(i, start)| run(i, start)).collect()
}

/// Number of the start that ended at the lowest `value`, and its end; the first of equals.
///
/// # Errors
///
/// [`RestartError`] when every start failed.
pub fn best<T, E>(
    outcomes: Vec<Result<T, E>>,
    value: impl Fn(&T) -> f64,
) -> Result<(usize, T), RestartError<E>> {
    let n = outcomes.len();
    let (mut best, mut failure): (Option<(usize, T)>, Option<E>) = (None, None);
    for (i, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(end) if best.as_ref().is_none_or(|(_, best)| value(&end) < value(best)) => {
                best = Some((i, end))
            }
            Ok(_) => {}
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match (best, failure) {
        (Some(best), _) => Ok(best),
        (None, Some(first)) => Err(RestartError::AllFailed { n, first }),
        (None, None) => Err(RestartError::NoStarts),
    }
}

/// Why no start succeeded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestartError<E> {
    /// There was nothing to run.
    #[error("expected at least one start, got none")]
    NoStarts,
    /// Every start failed.
    #[error("all {n} starts failed")]
    AllFailed {
        /// Number of starts.
        n: usize,
        /// The error of the first.
        #[source]
        first: E,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, thiserror::Error)]
    #[error("broken")]
    struct Broken;

    #[test]
    fn the_lowest_end_wins_and_the_first_of_equals() {
        let values = vec![Some(3.0), None, Some(-1.0), Some(2.0), Some(-1.0)];
        let found = restarts(values, |_, value| value.ok_or(Broken));
        assert_eq!(found[1], Err(Broken));
        assert_eq!(best(found, |&value| value), Ok((2, -1.0)));
    }

    #[test]
    fn no_end_at_all_is_an_error() {
        let failed = best(restarts(vec![(), ()], |_, ()| Err::<f64, _>(Broken)), |&value| value).unwrap_err();
        assert_eq!(failed, RestartError::AllFailed { n: 2, first: Broken });
        assert_eq!(failed.to_string(), "all 2 starts failed");
        let none = best(Vec::<Result<f64, Broken>>::new(), |&value| value).unwrap_err();
        assert_eq!(none.to_string(), "expected at least one start, got none");
    }
}

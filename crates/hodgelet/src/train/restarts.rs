//! Several starts, side by side.

use rayon::prelude::*;

/// Runs `run` from every start, on the threads of rayon; `run` is given the number of the start and the start. Outcomes
/// are in the order of the starts, so they do not depend on the number of threads.
pub fn restarts<S: Send, T: Send, E: Send>(
    starts: Vec<S>,
    run: impl Fn(usize, S) -> Result<T, E> + Sync + Send,
) -> Vec<Result<T, E>> {
    starts.into_par_iter().enumerate().map(|(i, start)| run(i, start)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_in_the_order_of_the_starts() {
        let found =
            restarts(vec![Some(3.0), None, Some(-1.0)], |i, value| value.map(|v| (i, v)).ok_or("none"));
        assert_eq!(found, [Ok((0, 3.0)), Err("none"), Ok((2, -1.0))]);
    }
}

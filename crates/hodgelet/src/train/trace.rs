//! Whether draws of several chains are of one distribution, and how many independent draws they are worth.

/// The split R-hat of chains of one number: the root of the variance of all draws over the mean variance within the halves
/// of the chains. Near 1 when all halves agree; infinite where halves are constant and differ; none below four draws.
#[must_use]
pub fn split_r_hat(chains: &[&[f64]]) -> Option<f64> {
    let halves = halves(chains)?;
    let n = halves[0].len() as f64;
    let (within, between) = variances(&halves);
    let total = (n - 1.0) / n * within + between;
    match within > 0.0 {
        true => Some((total / within).sqrt()),
        false => Some(if between > 0.0 { f64::INFINITY } else { 1.0 }),
    }
}

/// The number of independent draws whose mean would be as certain, from the autocorrelations of the halves of the chains
/// (Geyer's sum of positive pairs); at most the number of draws. None below four draws.
#[must_use]
pub fn effective_size(chains: &[&[f64]]) -> Option<f64> {
    let halves = halves(chains)?;
    let n = halves[0].len();
    let draws = (n * halves.len()) as f64;
    let (within, between) = variances(&halves);
    let total = (n as f64 - 1.0) / n as f64 * within + between;
    if total <= 0.0 {
        return Some(draws);
    }
    let covariance = |lag: usize| {
        let of = |half: &&[f64]| {
            let mean = half.iter().sum::<f64>() / n as f64;
            (0..n - lag).map(|i| (half[i] - mean) * (half[i + lag] - mean)).sum::<f64>() / n as f64
        };
        halves.iter().map(of).sum::<f64>() / halves.len() as f64
    };
    let correlation = |lag: usize| 1.0 - (within - covariance(lag)) / total;
    let (mut sum, mut last) = (0.0, f64::INFINITY);
    for lag in (0..n.saturating_sub(1)).step_by(2) {
        let first = if lag == 0 { 1.0 } else { correlation(lag) };
        let pair = first + correlation(lag + 1);
        if pair < 0.0 {
            break;
        }
        last = last.min(pair);
        sum += last;
    }
    Some((draws / (2.0 * sum - 1.0).max(1.0 / draws.ln().max(1.0))).min(draws))
}

/// Both halves of every chain; the middle draw of an odd number is left out.
fn halves<'a>(chains: &[&'a [f64]]) -> Option<Vec<&'a [f64]>> {
    let n = chains.iter().map(|chain| chain.len()).min()? / 2;
    (n >= 2).then(|| chains.iter().flat_map(|chain| [&chain[..n], &chain[chain.len() - n..]]).collect())
}

/// Mean of the variances within, and variance of the means between.
fn variances(halves: &[&[f64]]) -> (f64, f64) {
    let moments = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, squares / (values.len() as f64 - 1.0))
    };
    let each: Vec<(f64, f64)> = halves.iter().map(|half| moments(half)).collect();
    let means: Vec<f64> = each.iter().map(|(mean, _)| *mean).collect();
    let within = each.iter().map(|(_, variance)| variance).sum::<f64>() / each.len() as f64;
    (within, moments(&means).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// `x_t = ρ x_{t−1} + e_t`, whose draws are worth `(1 − ρ) / (1 + ρ)` each.
    fn walk(rho: f64, shift: f64, n: usize, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut x = 0.0;
        let mut next = || {
            let noise: f64 = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
            x = rho * x + (1.0 - rho * rho).sqrt() * noise;
            x + shift
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn chains_that_agree_have_an_r_hat_near_one_and_others_do_not() {
        let (a, b, c) = (walk(0.0, 0.0, 500, 1), walk(0.0, 0.0, 500, 2), walk(0.0, 2.0, 500, 3));
        assert!((split_r_hat(&[&a, &b]).unwrap() - 1.0).abs() < 0.02);
        assert!(split_r_hat(&[&a, &c]).unwrap() > 1.3);
        assert_eq!(split_r_hat(&[&[1.0; 8], &[2.0; 8]]), Some(f64::INFINITY));
        assert_eq!(split_r_hat(&[&[1.0; 8], &[1.0; 8]]), Some(1.0));
        assert_eq!(split_r_hat(&[&[1.0, 2.0, 3.0]]), None);
        assert_eq!(split_r_hat(&[]), None);
    }

    #[test]
    fn the_effective_size_is_that_of_an_autoregression() {
        for rho in [0.0, 0.5, 0.9] {
            let chains = [walk(rho, 0.0, 4000, 5), walk(rho, 0.0, 4000, 6)];
            let found = effective_size(&[&chains[0], &chains[1]]).unwrap();
            let expected = 8000.0 * (1.0 - rho) / (1.0 + rho);
            assert!((found / expected - 1.0).abs() < 0.25, "{rho}: {found} of {expected}");
        }
    }
}

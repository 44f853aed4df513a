//! Ranks of integer matrices modulo a prime.

/// Whether `n` is a prime.
pub(super) fn is_prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// Rank modulo the prime `p`, below 2³¹, of a matrix of `n_rows` rows, given by its columns: each is reduced by the earlier ones
/// with the same last entry.
pub(super) fn rank(columns: &[Vec<(u32, i64)>], n_rows: usize, p: u64) -> usize {
    let mut pivots: Vec<Option<Vec<(u32, u64)>>> = vec![None; n_rows];
    let mut rank = 0;
    for column in columns {
        let residue = |&(row, value): &(u32, i64)| (row, value.rem_euclid(p as i64) as u64);
        let mut column: Vec<(u32, u64)> = column.iter().map(residue).filter(|entry| entry.1 != 0).collect();
        while let Some(&(last, value)) = column.last() {
            match &pivots[last as usize] {
                Some(pivot) => column = combined(&column, pivot, p - value, p),
                None => {
                    let inverse = power(value, p - 2, p);
                    column.iter_mut().for_each(|entry| entry.1 = entry.1 * inverse % p);
                    pivots[last as usize] = Some(column);
                    rank += 1;
                    break;
                }
            }
        }
    }
    rank
}

/// `column + factor · pivot` modulo `p`.
fn combined(column: &[(u32, u64)], pivot: &[(u32, u64)], factor: u64, p: u64) -> Vec<(u32, u64)> {
    let mut out = Vec::with_capacity(column.len() + pivot.len());
    let (mut i, mut j) = (0, 0);
    while i < column.len() || j < pivot.len() {
        let (x, y) = (column.get(i), pivot.get(j));
        let row =
            x.into_iter().chain(y).map(|entry| entry.0).min().expect("one of the columns has an entry left");
        let mut value = 0;
        if let Some(entry) = x.filter(|entry| entry.0 == row) {
            value += entry.1;
            i += 1;
        }
        if let Some(entry) = y.filter(|entry| entry.0 == row) {
            value += factor * entry.1 % p;
            j += 1;
        }
        if value % p != 0 {
            out.push((row, value % p));
        }
    }
    out
}

fn power(mut base: u64, mut exponent: u64, p: u64) -> u64 {
    let mut out = 1 % p;
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = out * base % p;
        }
        base = base * base % p;
        exponent >>= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_told_from_other_numbers() {
        let found: Vec<u64> = (0..30).filter(|&n| is_prime(n)).collect();
        assert_eq!(found, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
        assert!(is_prime(crate::complex::MAX_PRIME));
    }

    #[test]
    fn a_rank_depends_on_the_prime() {
        // Determinant 6.
        let columns = vec![vec![(0, 1), (1, 2)], vec![(0, -1), (1, 4)]];
        let ranks = [2, 3, 5].map(|p| rank(&columns, 2, p));
        assert_eq!(ranks, [1, 1, 2]);
        assert_eq!(rank(&[vec![(0, 2), (1, -4)]], 2, 2), 0);
    }
}

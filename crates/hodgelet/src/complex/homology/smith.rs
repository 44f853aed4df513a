//! Smith normal forms of sparse integer matrices.
//!
//! Columns are taken one by one and cleared of the rows that have a pivot already. A column that has an entry ±1 then gives the
//! next pivot; the others wait. Boundary operators of triangulations leave a handful of columns without such an entry: those are a
//! small dense matrix, which is brought to normal form by division with remainder.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The entries of the Smith normal form that are not zero, ascending, each a divisor of the next: as many as the rank. None where
/// numbers do not fit.
pub(super) fn invariant_factors(columns: &[Vec<(u32, i64)>], n_rows: usize) -> Option<Vec<u64>> {
    let mut pivots = Pivots::new(n_rows);
    let mut waiting: Vec<Vec<(u32, i128)>> =
        columns.iter().map(|column| column.iter().map(|&(row, v)| (row, i128::from(v))).collect()).collect();
    loop {
        let found = pivots.columns.len();
        let mut rest = Vec::new();
        for column in waiting {
            let column = pivots.clear(column)?;
            match column.iter().position(|entry| entry.1.unsigned_abs() == 1) {
                Some(at) => pivots.push(column, at),
                None if column.is_empty() => {}
                None => rest.push(column),
            }
        }
        waiting = rest;
        // Pivots found later may have left units in columns that were passed over.
        if pivots.columns.len() == found {
            break;
        }
    }
    let mut factors = vec![1u64; pivots.columns.len()];
    for factor in dense_factors(dense(&waiting))? {
        factors.push(u64::try_from(factor).ok()?);
    }
    Some(factors)
}

/// Columns with an entry ±1 in a row of their own.
struct Pivots {
    columns: Vec<(Vec<(u32, i128)>, i128)>, // each with the value in its row
    of_row: Vec<u32>,                       // the pivot of each row, u32::MAX where there is none
    values: Vec<i128>,                      // scratch, zero between calls
}

impl Pivots {
    fn new(n_rows: usize) -> Self {
        Self { columns: Vec::new(), of_row: vec![u32::MAX; n_rows], values: vec![0; n_rows] }
    }

    fn push(&mut self, column: Vec<(u32, i128)>, at: usize) {
        let (row, value) = column[at];
        self.of_row[row as usize] = self.columns.len() as u32;
        self.columns.push((column, value));
    }

    /// The column plus multiples of pivots, with zeros in all their rows. A pivot has zeros in the rows of earlier ones, so that
    /// taking them in order of age never has to go back.
    fn clear(&mut self, column: Vec<(u32, i128)>) -> Option<Vec<(u32, i128)>> {
        let mut touched: Vec<u32> = Vec::with_capacity(column.len());
        let mut due: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let of_row = &self.of_row;
        let is_pivot = |row: u32| of_row[row as usize] != u32::MAX;
        for (row, value) in column {
            self.values[row as usize] = value;
            touched.push(row);
            if is_pivot(row) {
                due.push(Reverse(of_row[row as usize]));
            }
        }
        let mut fits = true;
        while let Some(Reverse(pivot)) = due.pop() {
            let (entries, unit) = &self.columns[pivot as usize];
            let row = entries.iter().find(|entry| of_row[entry.0 as usize] == pivot);
            let row = row.expect("a pivot has an entry in its row").0;
            let Some(factor) = self.values[row as usize].checked_mul(*unit) else {
                fits = false;
                break;
            }; // the unit is its own inverse
            if factor == 0 {
                continue;
            }
            for &(row, value) in entries {
                let place = &mut self.values[row as usize];
                match value.checked_mul(factor).and_then(|product| place.checked_sub(product)) {
                    Some(new) => *place = new,
                    None => fits = false,
                }
                touched.push(row);
                if is_pivot(row) && of_row[row as usize] > pivot {
                    due.push(Reverse(of_row[row as usize]));
                }
            }
            if !fits {
                break;
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let mut out = Vec::new();
        for row in touched {
            let value = std::mem::take(&mut self.values[row as usize]);
            if value != 0 {
                out.push((row, value));
            }
        }
        fits.then_some(out)
    }
}

/// The rows that sparse columns have entries in, as a dense matrix.
fn dense(columns: &[Vec<(u32, i128)>]) -> Vec<Vec<i128>> {
    let mut rows: Vec<u32> = columns.iter().flatten().map(|entry| entry.0).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut out = vec![vec![0; columns.len()]; rows.len()];
    for (j, column) in columns.iter().enumerate() {
        for (row, value) in column {
            let i = rows.binary_search(row).expect("the row is listed");
            out[i][j] = *value;
        }
    }
    out
}

/// The invariant factors of a dense matrix, given by rows; none where numbers do not fit.
fn dense_factors(mut a: Vec<Vec<i128>>) -> Option<Vec<i128>> {
    let n = a.len().min(a.first().map_or(0, Vec::len));
    let mut factors = Vec::with_capacity(n);
    for t in 0..n {
        if !to_corner(&mut a, t) {
            break;
        }
        while !is_cleared(&mut a, t)? {
            to_corner(&mut a, t);
        }
        factors.push(a[t][t].checked_abs()?);
    }
    Some(factors)
}

/// Brings the smallest entry of what is left to its corner; false where all are zero.
fn to_corner(a: &mut [Vec<i128>], t: usize) -> bool {
    let places = (t..a.len()).flat_map(|i| (t..a[i].len()).map(move |j| (i, j)));
    let nonzero = places.filter(|&(i, j)| a[i][j] != 0);
    let Some((i, j)) = nonzero.min_by_key(|&(i, j)| a[i][j].unsigned_abs()) else { return false };
    a.swap(t, i);
    a.iter_mut().for_each(|row| row.swap(t, j));
    true
}

/// Divides row and column of the corner by it. True when nothing is left in them and the corner divides all the rest; false when
/// there is a smaller entry now.
fn is_cleared(a: &mut [Vec<i128>], t: usize) -> Option<bool> {
    let (m, n) = (a.len(), a[t].len());
    for i in t + 1..m {
        let factor = a[i][t].checked_div(a[t][t])?;
        for j in t..n {
            a[i][j] = a[i][j].checked_sub(factor.checked_mul(a[t][j])?)?;
        }
    }
    for j in t + 1..n {
        let factor = a[t][j].checked_div(a[t][t])?;
        for i in t..m {
            a[i][j] = a[i][j].checked_sub(factor.checked_mul(a[i][t])?)?;
        }
    }
    if (t + 1..m).any(|i| a[i][t] != 0) || (t + 1..n).any(|j| a[t][j] != 0) {
        return Some(false);
    }
    let corner = a[t][t];
    let rest = (t + 1..m)
        .find(|&i| a[i][t + 1..].iter().any(|value| value.checked_rem(corner).is_some_and(|rest| rest != 0)));
    let Some(row) = rest else { return Some(true) };
    // A remainder of this row by the corner is smaller than the corner.
    for j in t + 1..n {
        a[t][j] = a[row][j];
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(rows: &[&[i64]]) -> Vec<u64> {
        let n = rows.first().map_or(0, |row| row.len());
        let column = |j: usize| {
            let entries = rows.iter().enumerate().map(|(i, row)| (i as u32, row[j]));
            entries.filter(|entry| entry.1 != 0).collect()
        };
        invariant_factors(&(0..n).map(column).collect::<Vec<_>>(), rows.len()).unwrap()
    }

    #[test]
    fn normal_forms_of_small_matrices() {
        assert_eq!(factors(&[&[2, 0], &[0, 3]]), [1, 6]);
        assert_eq!(factors(&[&[2, 4, 4], &[-6, 6, 12], &[10, 4, 16]]), [2, 2, 156]);
        assert_eq!(factors(&[&[4, 0], &[0, 6]]), [2, 12]);
        assert_eq!(factors(&[&[0, 0], &[0, 0]]), Vec::<u64>::new());
        assert_eq!(factors(&[&[1, 2, 3], &[4, 5, 6], &[7, 8, 9]]), [1, 3]);
        assert_eq!(factors(&[&[6, 10, 15]]), [1]);
        assert_eq!(factors(&[]), Vec::<u64>::new());
    }

    #[test]
    fn products_of_factors_are_greatest_common_divisors_of_minors() {
        // The product of the first k factors is the greatest common divisor of the minors of k rows and columns.
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 60) as i64 - 8
        };
        for _ in 0..200 {
            let a: Vec<Vec<i64>> = (0..3).map(|_| (0..3).map(|_| next()).collect()).collect();
            let gcd = |values: Vec<i64>| values.into_iter().fold(0u64, |g, v| greatest(g, v.unsigned_abs()));
            let pairs = [(0, 1), (0, 2), (1, 2)];
            let minor =
                |(i, k): (usize, usize), (j, l): (usize, usize)| a[i][j] * a[k][l] - a[i][l] * a[k][j];
            let determinant = a[0][0] * minor((1, 2), (1, 2)) - a[0][1] * minor((1, 2), (0, 2))
                + a[0][2] * minor((1, 2), (0, 1));
            let divisors = [
                gcd(a.concat()),
                gcd(pairs.iter().flat_map(|&p| pairs.map(|q| minor(p, q))).collect()),
                determinant.unsigned_abs(),
            ];
            let found = factors(&a.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let products = found.iter().scan(1, |product, factor| {
                *product *= factor;
                Some(*product)
            });
            let expected: Vec<u64> = divisors.into_iter().filter(|&d| d != 0).collect();
            assert_eq!(products.collect::<Vec<u64>>(), expected, "{a:?}");
        }
    }

    fn greatest(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { greatest(b, a % b) }
    }

    #[test]
    fn numbers_that_do_not_fit_are_no_answer() {
        // The factors are 1 and the product, which has 123 bits.
        let (odd, even) = ((1i64 << 61) - 1, 1i64 << 62);
        assert_eq!(invariant_factors(&[vec![(0, odd)], vec![(1, even)]], 2), None);
        assert_eq!(invariant_factors(&[vec![(0, odd)]], 2), Some(vec![odd as u64]));
    }
}

//! The rank of a sparse matrix, by elimination over a prime field.
//!
//! Entries are taken modulo the prime 2⁶¹ − 1: small integers as they are, other finite numbers as the fractions with a
//! power of two below that they are. The rank modulo a prime is at most the rank over the reals, and smaller only where the prime divides every
//! largest minor that is not zero; for boundary operators, only where homology has torsion of that order.

use super::SparseMat;
use libm::frexp;
use std::collections::VecDeque;

const PRIME: u64 = (1 << 61) - 1;

/// Rank of `a`, which is known to be at most `bound`; elimination stops there.
///
/// Rows with a single entry, and columns with one, are pivots that fill nothing in; on collapsible complexes they are all
/// there is. What remains is reduced column by column.
///
/// # Complexity
///
/// `O(nnz)` for what collapses, cubic at worst for the rest.
pub(crate) fn rank_mod_prime(a: &SparseMat, bound: usize) -> usize {
    let mut core = Core::new(a);
    let peeled = core.peel();
    if peeled >= bound { bound } else { (peeled + core.reduce(bound - peeled)).min(bound) }
}

/// What is left of a matrix after pivots were taken out.
struct Core<'a> {
    a: &'a SparseMat,
    rows: SparseMat, // the transpose
    row_alive: Vec<bool>,
    column_alive: Vec<bool>,
    in_row: Vec<u32>, // entries in columns that are alive
    in_column: Vec<u32>,
}

impl<'a> Core<'a> {
    fn new(a: &'a SparseMat) -> Self {
        let rows = a.transpose();
        let in_row = (0..a.n_rows()).map(|i| nonzero(&rows, i)).collect();
        let in_column = (0..a.n_cols()).map(|j| nonzero(a, j)).collect();
        Self {
            a,
            rows,
            row_alive: vec![true; a.n_rows()],
            column_alive: vec![true; a.n_cols()],
            in_row,
            in_column,
        }
    }

    /// Takes out pivots that are alone in their row or column; returns their number.
    fn peel(&mut self) -> usize {
        let mut queue: VecDeque<(bool, usize)> = VecDeque::new();
        queue.extend((0..self.in_row.len()).filter(|&i| self.in_row[i] == 1).map(|i| (true, i)));
        queue.extend((0..self.in_column.len()).filter(|&j| self.in_column[j] == 1).map(|j| (false, j)));
        let mut rank = 0;
        while let Some((is_row, at)) = queue.pop_front() {
            let pivot = if is_row { self.single_in_row(at) } else { self.single_in_column(at) };
            let Some((i, j)) = pivot else { continue };
            rank += 1;
            self.row_alive[i] = false;
            self.column_alive[j] = false;
            for (row, _) in self.a.entries(j).filter(|&(row, v)| v != 0.0 && self.row_alive[row]) {
                self.in_row[row] -= 1;
                if self.in_row[row] == 1 {
                    queue.push_back((true, row));
                }
            }
            for (column, _) in self.rows.entries(i).filter(|&(c, v)| v != 0.0 && self.column_alive[c]) {
                self.in_column[column] -= 1;
                if self.in_column[column] == 1 {
                    queue.push_back((false, column));
                }
            }
        }
        rank
    }

    fn single_in_row(&self, i: usize) -> Option<(usize, usize)> {
        let alive = self.row_alive[i] && self.in_row[i] == 1;
        let mut entries = self.rows.entries(i).filter(|&(j, v)| v != 0.0 && self.column_alive[j]);
        alive.then(|| entries.next()).flatten().map(|(j, _)| (i, j))
    }

    fn single_in_column(&self, j: usize) -> Option<(usize, usize)> {
        let alive = self.column_alive[j] && self.in_column[j] == 1;
        let mut entries = self.a.entries(j).filter(|&(i, v)| v != 0.0 && self.row_alive[i]);
        alive.then(|| entries.next()).flatten().map(|(i, _)| (i, j))
    }

    /// Rank of what is left, at most `bound`: each column is reduced by the earlier ones with the same lowest entry.
    fn reduce(&self, bound: usize) -> usize {
        let mut pivots: Vec<Option<Column>> = vec![None; self.row_alive.len()];
        let mut rank = 0;
        let alive = (0..self.column_alive.len()).filter(|&j| self.column_alive[j]);
        for j in alive {
            if rank == bound {
                break;
            }
            let entries = self.a.entries(j).filter(|&(i, _)| self.row_alive[i]);
            let mut column: Column =
                entries.map(|(i, v)| (i as u32, residue(v))).filter(|e| e.1 != 0).collect();
            while let Some(&(lowest, value)) = column.last() {
                match &pivots[lowest as usize] {
                    Some(pivot) => column = eliminated(&column, pivot, value),
                    None => {
                        let inverse = power(value, PRIME - 2);
                        column.iter_mut().for_each(|(_, v)| *v = product(*v, inverse));
                        pivots[lowest as usize] = Some(column);
                        rank += 1;
                        break;
                    }
                }
            }
        }
        rank
    }
}

fn nonzero(a: &SparseMat, j: usize) -> u32 {
    a.column(j).1.iter().filter(|v| **v != 0.0).count() as u32
}

/// Rows, ascending, and values that are not zero.
type Column = Vec<(u32, u64)>;

/// `column − value · pivot`, whose lowest entries cancel.
fn eliminated(column: &Column, pivot: &Column, value: u64) -> Column {
    let mut out = Vec::with_capacity(column.len() + pivot.len() - 2);
    let (mut x, mut y) = (column.iter().peekable(), pivot.iter().peekable());
    loop {
        match (x.peek(), y.peek()) {
            (Some(&&(i, v)), Some(&&(k, w))) if i == k => {
                let rest = difference(v, product(value, w));
                if rest != 0 {
                    out.push((i, rest));
                }
                x.next();
                y.next();
            }
            (Some(&&(i, v)), next) if next.is_none_or(|&&(k, _)| i < k) => {
                out.push((i, v));
                x.next();
            }
            (_, Some(&&(k, w))) => {
                out.push((k, difference(0, product(value, w))));
                y.next();
            }
            (_, None) => return out,
        }
    }
}

fn product(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    // 2⁶¹ ≡ 1
    let folded = (wide & u128::from(PRIME)) as u64 + (wide >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

fn difference(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut out = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = product(out, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    out
}

/// A finite number modulo the prime.
fn residue(value: f64) -> u64 {
    let (fraction, exponent) = frexp(value.abs());
    let mantissa = (fraction * (1u64 << 53) as f64) as u64 % PRIME;
    // Powers of two repeat after 61.
    let shift = (exponent - 53).rem_euclid(61) as u64;
    let size = product(mantissa, power(2, shift));
    if value < 0.0 { difference(0, size) } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_follow_the_arithmetic_of_numbers() {
        assert_eq!((residue(1.0), residue(-1.0), residue(3.0)), (1, PRIME - 1, 3));
        assert_eq!(product(residue(0.375), residue(8.0)), 3);
        assert_eq!(difference(residue(2.5), residue(-1.25)), residue(3.75));
        assert_eq!(product(power(7, PRIME - 2), 7), 1);
    }

    #[test]
    fn ranks_are_those_over_the_reals() {
        let rank = |n, columns: &[f64]| {
            let a = SparseMat::from_row_major(n, columns.len() / n, columns);
            rank_mod_prime(&a, usize::MAX)
        };
        assert_eq!(rank(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), 2);
        assert_eq!(rank(2, &[0.5, 0.25, 0.5, 0.25]), 1);
        assert_eq!(rank(2, &[0.0; 4]), 0);
        // Over the field of two elements it would be 1.
        assert_eq!(rank(2, &[1.0, 1.0, 1.0, -1.0]), 2);
    }

    #[test]
    fn elimination_stops_at_the_bound() {
        let identity = SparseMat::from_row_major(2, 2, &[1.0, 0.0, 0.0, 1.0]);
        assert_eq!(rank_mod_prime(&identity, 1), 1);
    }
}

//! Homology with coefficients other than the reals: Betti numbers over `Z/p`, and torsion.
//!
//! Betti numbers over the reals do not see that a surface has one side only, nor how often the core of a lens space is wound.
//! Torsion does, and so do Betti numbers over a field whose characteristic divides it:
//!
//! | | `H_0, H_1, …` | Betti numbers | over `Z/2` |
//! | --- | --- | --- | --- |
//! | torus | `Z, Z^2, Z` | 1, 2, 1 | 1, 2, 1 |
//! | Klein bottle | `Z, Z + Z/2, 0` | 1, 1, 0 | 1, 2, 1 |
//! | projective plane | `Z, Z/2, 0` | 1, 0, 0 | 1, 1, 1 |
//! | lens space L(3, 1) | `Z, Z/3, 0, Z` | 1, 0, 0, 1 | 1, 0, 0, 1 |

mod field;
mod smith;

use super::Complex;

/// Largest prime that homology is offered for: products of two residues fit in 64 bits.
pub const MAX_PRIME: u64 = (1 << 31) - 1;

/// A homology group with integer coefficients, `Z^betti + Z/t_1 + Z/t_2 + …`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HomologyGroup {
    /// Rank of the free part, the Betti number over the reals.
    pub betti: usize,
    /// Orders of the finite parts, each at least 2 and a divisor of the next.
    pub torsion: Vec<u64>,
}

impl HomologyGroup {
    /// How many finite parts have an order that `p` divides.
    fn divided_by(&self, p: u64) -> usize {
        self.torsion.iter().filter(|&order| order % p == 0).count()
    }
}

impl std::fmt::Display for HomologyGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let free = match self.betti {
            0 => None,
            1 => Some("Z".to_owned()),
            rank => Some(format!("Z^{rank}")),
        };
        let parts: Vec<String> =
            free.into_iter().chain(self.torsion.iter().map(|order| format!("Z/{order}"))).collect();
        f.write_str(if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }.as_str())
    }
}

/// Betti numbers over `Z/p` that groups with integer coefficients have, by the universal coefficient theorem: torsion that `p`
/// divides counts in its own dimension and in the next.
#[must_use]
pub fn universal_coefficients(groups: &[HomologyGroup], p: u64) -> Vec<usize> {
    let below = |k: usize| k.checked_sub(1).map_or(0, |below| groups[below].divided_by(p));
    groups.iter().enumerate().map(|(k, group)| group.betti + group.divided_by(p) + below(k)).collect()
}

impl Complex {
    /// The homology groups with integer coefficients, of dimensions 0 to [`dim`](Self::dim).
    ///
    /// The group of dimension `k` is the kernel of `B_k` modulo the image of `B_{k+1}`; its finite parts are the entries above 1
    /// of the Smith normal form of `B_{k+1}`.
    ///
    /// # Errors
    ///
    /// [`HomologyError`] for a coefficient that is not an integer, and for numbers beyond 127 bits on the way.
    ///
    /// # Complexity
    ///
    /// Pivots ±1 are eliminated first, in sparse columns; on triangulations little else is left. Cubic at worst.
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// // The projective plane on six vertices.
    /// let triangles = [
    ///     [0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 1, 5], [1, 2, 4], [2, 3, 5], [1, 3, 4], [2, 4, 5], [1, 3, 5],
    /// ];
    /// let (plane, _) = Complex::from_simplices(6, &triangles)?;
    /// let groups: Vec<String> = plane.homology()?.iter().map(|group| group.to_string()).collect();
    /// assert_eq!(groups, ["Z", "Z/2", "0"]);
    /// assert_eq!(plane.betti_numbers_mod(2)?, [1, 1, 1]);
    /// assert_eq!(plane.betti_numbers_mod(3)?, [1, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn homology(&self) -> Result<Vec<HomologyGroup>, HomologyError> {
        let mut factors: Vec<Vec<u64>> = vec![Vec::new()];
        for dim in 1..=self.dim() {
            let found = smith::invariant_factors(&self.integers(dim)?, self.n_cells(dim - 1));
            factors.push(found.ok_or(HomologyError::Overflow { dim })?);
        }
        factors.push(Vec::new());
        let group = |k: usize| HomologyGroup {
            betti: self.n_cells(k) - factors[k].len() - factors[k + 1].len(),
            torsion: factors[k + 1].iter().copied().filter(|&factor| factor > 1).collect(),
        };
        Ok((0..=self.dim()).map(group).collect())
    }

    /// Betti numbers of dimensions 0 to [`dim`](Self::dim) over the field of `p` elements.
    ///
    /// # Errors
    ///
    /// [`HomologyError`] when `p` is not a prime up to [`MAX_PRIME`], and for a coefficient that is not an integer.
    ///
    /// # Complexity
    ///
    /// As for [`homology`](Self::homology), without growth of the numbers.
    pub fn betti_numbers_mod(&self, p: u64) -> Result<Vec<usize>, HomologyError> {
        if p > MAX_PRIME || !field::is_prime(p) {
            return Err(HomologyError::NotPrime { found: p });
        }
        let mut ranks = vec![0; self.dim() + 2];
        for dim in 1..=self.dim() {
            ranks[dim] = field::rank(&self.integers(dim)?, self.n_cells(dim - 1), p);
        }
        Ok((0..=self.dim()).map(|k| self.n_cells(k) - ranks[k] - ranks[k + 1]).collect())
    }

    /// Whether a closed manifold is orientable: whether its facets can be oriented such that their boundaries cancel. None
    /// where a cell of one dimension less is not in the boundary of two facets (a border, or a branch), and where the
    /// coefficients are not ±1.
    #[must_use]
    pub fn is_orientable(&self) -> Option<bool> {
        let boundary = self.boundary(self.dim())?;
        let sides = boundary.transpose();
        let (n, unit) = (boundary.n_cols(), |v: &f64| v.abs() == 1.0);
        if n == 0
            || (0..sides.n_cols()).any(|r| sides.column(r).0.len() != 2)
            || !sides.values().iter().all(unit)
        {
            return None;
        }
        let mut sign = vec![0i8; n]; // 0 while not reached
        for start in 0..n {
            if sign[start] != 0 {
                continue;
            }
            sign[start] = 1;
            let mut queue = vec![start];
            while let Some(facet) = queue.pop() {
                for (r, own) in boundary.entries(facet) {
                    let (facets, values) = sides.column(r);
                    let other = usize::from(facets[0] as usize == facet);
                    let next = facets[other] as usize;
                    let wanted = if own == values[other] { -sign[facet] } else { sign[facet] };
                    match sign[next] {
                        0 => {
                            sign[next] = wanted;
                            queue.push(next);
                        }
                        found if found != wanted => return Some(false),
                        _ => {}
                    }
                }
            }
        }
        Some(true)
    }

    /// The columns of `B_dim` as integers: rows, ascending, and values that are not zero.
    fn integers(&self, dim: usize) -> Result<Vec<Vec<(u32, i64)>>, HomologyError> {
        /// Integers up to here are exact as floating-point numbers.
        const EXACT: f64 = 9e15;
        let Some(boundary) = self.boundary(dim) else { return Ok(Vec::new()) };
        let column = |cell: usize| {
            let (rows, values) = boundary.column(cell);
            let integer = |(&row, &found): (&u32, &f64)| match found.fract() == 0.0 && found.abs() <= EXACT {
                true => Ok((row, found as i64)),
                false => Err(HomologyError::NotInteger { dim, cell, found }),
            };
            rows.iter().zip(values).map(integer).collect()
        };
        (0..boundary.n_cols()).map(column).collect()
    }
}

/// What can go wrong with homology.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HomologyError {
    /// A coefficient of a boundary operator that is not an integer.
    #[error(
        "the boundary of cell {cell} of dimension {dim} has the coefficient {found}, expected an integer up to 9e15"
    )]
    NotInteger {
        /// Dimension of the cell.
        dim: usize,
        /// Index of the cell.
        cell: usize,
        /// The coefficient.
        found: f64,
    },
    /// A field that there is none of.
    #[error("homology modulo {found}, expected a prime up to {MAX_PRIME}")]
    NotPrime {
        /// The number asked for.
        found: u64,
    },
    /// Numbers on the way to a Smith normal form that do not fit.
    #[error("the Smith normal form of B_{dim} takes numbers beyond 127 bits, or has factors beyond 64")]
    Overflow {
        /// Dimension of the operator.
        dim: usize,
    },
}

impl HomologyError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotInteger { .. } => {
                Some("weights of cells belong into the column `cell-weights`, not into the boundary")
            }
            Self::NotPrime { .. } => Some("2 and 3 are the usual ones"),
            Self::Overflow { .. } => Some("Betti numbers modulo a prime need no large numbers"),
        }
    }
}

#[cfg(test)]
mod tests;

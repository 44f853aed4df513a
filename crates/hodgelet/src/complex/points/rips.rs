//! Vietoris–Rips complexes: points that are close to each other span a simplex.

use super::super::{Complex, ComplexError, max_cells};
use super::check_radius;

impl Complex {
    /// The Vietoris–Rips complex: some points span a simplex, of at most `max_dim` dimensions, when the distance of any
    /// two of them is at most `radius`.
    ///
    /// `points` is row-major, `ambient` coordinates per point. Cells come in lexicographic order of their vertices. Equal
    /// points are joined at any radius.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] when the radius is negative or NaN, the coordinates are not a whole number of points, one is not
    /// finite, `max_dim` is 0 or above [`MAX_CLIQUE_DIM`](super::super::MAX_CLIQUE_DIM), or there are more pairs or
    /// cliques than [`max_cells`].
    ///
    /// # Complexity
    ///
    /// Points are swept along the coordinate in which they spread most, and each is compared with those within `radius`
    /// of it in that coordinate; then as [`clique_complex`](Self::clique_complex).
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// let square = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    /// let hollow = Complex::rips(&square, 2, 1.1, 2)?;
    /// assert_eq!([0, 1, 2].map(|k| hollow.n_cells(k)), [4, 4, 0]);
    /// # Ok::<(), hodgelet::complex::ComplexError>(())
    /// ```
    pub fn rips(points: &[f64], ambient: usize, radius: f64, max_dim: usize) -> Result<Self, ComplexError> {
        check_radius(radius)?;
        if !points.len().is_multiple_of(ambient) {
            return Err(ComplexError::Coordinates { ambient, found: points.len() });
        }
        if let Some(at) = points.iter().position(|x| !x.is_finite()) {
            return Err(ComplexError::Position { vertex: at / ambient });
        }
        let n = points.len() / ambient.max(1);
        let edges = close_pairs(points, ambient.max(1), n, radius, max_cells())?;
        Self::graph(n, &edges)?.clique_complex(max_dim)
    }
}

/// Pairs of points at most `radius` apart, lower first, in lexicographic order.
fn close_pairs(
    points: &[f64],
    ambient: usize,
    n: usize,
    radius: f64,
    limit: usize,
) -> Result<Vec<[u32; 2]>, ComplexError> {
    let along = widest(points, ambient);
    let at = |i: u32| points[i as usize * ambient + along];
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_unstable_by(|&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
    let point = |i: u32| &points[i as usize * ambient..(i as usize + 1) * ambient];
    let mut pairs = Vec::new();
    for (i, &a) in order.iter().enumerate() {
        for &b in &order[i + 1..] {
            // -0.0 and 0.0 are sorted apart but equal; their difference is 0
            if at(b) - at(a) > radius {
                break;
            }
            if is_close(point(a), point(b), radius) {
                if pairs.len() == limit {
                    return Err(ComplexError::TooManyCells { dim: 1, limit });
                }
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// The coordinate with the largest range.
fn widest(points: &[f64], ambient: usize) -> usize {
    let range = |d: usize| {
        let values = || points.iter().skip(d).step_by(ambient);
        let low = values().copied().fold(f64::INFINITY, f64::min);
        let high = values().copied().fold(f64::NEG_INFINITY, f64::max);
        high - low
    };
    (0..ambient).max_by(|&a, &b| range(a).total_cmp(&range(b)).then(b.cmp(&a))).unwrap_or(0)
}

/// Whether two points are at most `radius` apart, also where squares overflow or vanish.
fn is_close(a: &[f64], b: &[f64], radius: f64) -> bool {
    let square = radius * radius;
    if square.is_normal() {
        let distance: f64 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
        return distance <= square;
    }
    if radius == f64::INFINITY {
        return true;
    }
    if radius == 0.0 {
        return a == b;
    }
    let scaled: f64 = a.iter().zip(b).map(|(x, y)| ((x - y) / radius).powi(2)).sum();
    scaled <= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn pairs_are_those_found_by_comparing_all() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        for ambient in 1..5 {
            let points: Vec<f64> = (0..60 * ambient).map(|_| rng.random_range(-1.0..1.0)).collect();
            for radius in [0.0, 0.1, 0.7, 10.0, f64::INFINITY] {
                let mut expected = Vec::new();
                for a in 0..60u32 {
                    for b in a + 1..60 {
                        let row = |i: u32| &points[i as usize * ambient..(i as usize + 1) * ambient];
                        let square: f64 = row(a).iter().zip(row(b)).map(|(x, y)| (x - y).powi(2)).sum();
                        if square.sqrt() <= radius {
                            expected.push([a, b]);
                        }
                    }
                }
                let complex = Complex::rips(&points, ambient, radius, 1).unwrap();
                assert_eq!(complex.edges().collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn a_circle_of_points_has_a_hole_until_the_radius_spans_it() {
        let circle: Vec<f64> = (0..12)
            .flat_map(|i| {
                let angle = f64::from(i) * std::f64::consts::TAU / 12.0;
                [angle.cos(), angle.sin(), 0.0]
            })
            .collect();
        let euler = |radius| Complex::rips(&circle, 3, radius, 3).unwrap().euler_characteristic();
        assert_eq!((euler(0.3), euler(0.6)), (12, 0));
        assert_eq!(Complex::rips(&circle, 3, 2.1, 2).unwrap().n_cells(2), 220);
    }

    #[test]
    fn extreme_numbers_are_compared_rightly() {
        let edges = |points: &[f64], radius| Complex::rips(points, 1, radius, 1).unwrap().n_cells(1);
        assert_eq!((edges(&[0.0, 1e200], 2e200), edges(&[0.0, 3e200], 2e200)), (1, 0));
        assert_eq!((edges(&[0.0, 1e-200], 2e-200), edges(&[0.0, 3e-200], 2e-200)), (1, 0));
        assert_eq!((edges(&[-1e308, 1e308], 1e308), edges(&[-1e308, 1e308], f64::INFINITY)), (0, 1));
        assert_eq!(edges(&[0.0, -0.0, 0.0], 0.0), 3);
        assert_eq!(edges(&[], 1.0), 0);
    }

    #[test]
    fn faults_are_named() {
        let message = |points: &[f64], ambient, radius| {
            Complex::rips(points, ambient, radius, 2).unwrap_err().to_string()
        };
        assert_eq!(message(&[0.0], 1, -1.0), "a radius of -1, expected a number that is not negative");
        assert_eq!(message(&[0.0], 1, f64::NAN), "a radius of NaN, expected a number that is not negative");
        assert_eq!(message(&[0.0; 5], 2, 1.0), "5 coordinates, expected a multiple of 2");
        assert_eq!(message(&[0.0; 5], 0, 1.0), "5 coordinates, expected a multiple of 0");
        assert_eq!(message(&[0.0, 1.0, f64::NAN], 1, 1.0), "the position of vertex 2 is not finite");
    }
}

//! The choice of inducing points: each next one is where the others say least.

use super::prior::InducingPrior;
use crate::gp::error::GpError;
use crate::linalg::simd::dot;
use faer::Mat;

/// Inducing points and what they leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The candidates chosen, in order.
    pub points: Vec<usize>,
    /// Share of the prior variance of the candidates, summed over them, that is left.
    pub residual: f64,
}

/// Chooses among candidates with the prior variances `diagonal` by greedy conditional variance, a pivoted Cholesky factor of
/// their Gram matrix: `column(i)` gives the covariances of all candidates with candidate `i`. The choice ends at `most`
/// points, when less than the share `enough` of the prior variance is left, or when no candidate is left with any.
///
/// # Errors
///
/// [`GpError::Gram`] for a covariance that is not finite, or an error of `column`.
///
/// # Complexity
///
/// `n M²/2` multiplications and additions and `n M` numbers, besides `M` columns of covariances.
pub fn choose<E: From<GpError>>(
    diagonal: &[f64],
    most: usize,
    enough: f64,
    mut column: impl FnMut(usize) -> Result<Vec<f64>, E>,
) -> Result<Chosen, E> {
    let n = diagonal.len();
    let total: f64 = diagonal.iter().sum();
    let floor = ROUNDING * diagonal.iter().copied().fold(0.0, f64::max);
    let mut left = diagonal.to_vec();
    let mut rows = Mat::<f64>::zeros(most.min(n), n); // column i: the row of the factor of candidate i
    let mut points = Vec::new();
    let share = |left: &[f64]| if total > 0.0 { left.iter().sum::<f64>() / total } else { 0.0 };
    while points.len() < most.min(n) && (points.is_empty() || share(&left) > enough) {
        // The first of equals.
        let pivot = (1..n).fold(0, |best, i| if left[i] > left[best] { i } else { best });
        if left[pivot].is_nan() || (left[pivot] <= floor && !points.is_empty()) {
            break;
        }
        let k = points.len();
        let covariances = column(pivot)?;
        let own = rows.col_as_slice(pivot)[..k].to_vec();
        let root = left[pivot].max(f64::MIN_POSITIVE).sqrt();
        for (i, &covariance) in covariances.iter().enumerate() {
            if !covariance.is_finite() {
                return Err(GpError::Gram { row: i, column: pivot, value: covariance }.into());
            }
            let row = rows.col_as_slice_mut(i);
            let entry = (covariance - dot(&row[..k], &own)) / root;
            row[k] = entry;
            left[i] = (left[i] - entry * entry).max(0.0);
        }
        left[pivot] = 0.0;
        points.push(pivot);
    }
    Ok(Chosen { residual: share(&left), points })
}

/// Conditional variances below this, relative to the largest prior variance, are rounding.
const ROUNDING: f64 = 1e-10;

impl InducingPrior {
    /// Share of the prior variances `diagonal` that is left at points with these whitened covariances, `[M, n]`.
    #[must_use]
    pub fn residual_share(projected: &Mat<f64>, diagonal: &[f64]) -> f64 {
        let left = |(i, prior): (usize, &f64)| {
            let column = projected.col_as_slice(i);
            (prior - dot(column, column)).max(0.0)
        };
        let total: f64 = diagonal.iter().sum();
        if total > 0.0 { diagonal.iter().enumerate().map(left).sum::<f64>() / total } else { 0.0 }
    }
}

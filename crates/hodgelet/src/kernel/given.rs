//! Points of which nothing is known but their products with some of them: rows of a Gram matrix that is given.
//!
//! A column stands for one point. Two points have a product where at least one of them has a column; two that are new to the
//! matrix have none, and asking for it is an error.

use super::KernelError;
use faer::Mat;

/// Rows of a Gram matrix that is given.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenRows {
    places: Vec<Option<u32>>, // [n], the column of each point, if it has one
    own: Vec<f64>,            // [n], products of points with themselves
    values: Mat<f64>,         // [n, n_columns]
}

impl GivenRows {
    /// Points with the columns `places`, their products `own` with themselves and `values` `[n, n_columns]` with the points of
    /// the columns, if these fit each other and all numbers are finite.
    #[must_use]
    pub fn new(places: Vec<Option<u32>>, own: Vec<f64>, values: Mat<f64>) -> Option<Self> {
        let fits = places.len() == own.len() && own.len() == values.nrows();
        let exist = places.iter().flatten().all(|&place| (place as usize) < values.ncols());
        let finite = own.iter().all(|x| x.is_finite() && *x >= 0.0)
            && values.col_iter().all(|column| column.iter().all(|x| x.is_finite()));
        (fits && exist && finite).then_some(Self { places, own, values })
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The column of each point, if it has one.
    #[must_use]
    pub fn places(&self) -> &[Option<u32>] {
        &self.places
    }

    /// The products of points with themselves.
    #[must_use]
    pub fn own(&self) -> &[f64] {
        &self.own
    }

    /// The products with the points of the columns, `[n, n_columns]`.
    #[must_use]
    pub fn values(&self) -> &Mat<f64> {
        &self.values
    }

    /// The points `indices`, in that order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        Self {
            places: indices.iter().map(|&i| self.places[i]).collect(),
            own: indices.iter().map(|&i| self.own[i]).collect(),
            values: Mat::from_fn(indices.len(), self.values.ncols(), |i, j| self.values[(indices[i], j)]),
        }
    }

    /// These points, then those of `later`, which have the same columns.
    ///
    /// # Panics
    ///
    /// When they have another number of columns.
    #[must_use]
    pub fn followed_by(&self, later: &Self) -> Self {
        assert_eq!(self.values.ncols(), later.values.ncols(), "points of one block have the same columns");
        let (n, more) = (self.len(), later.len());
        let entry = |i: usize, j| if i < n { self.values[(i, j)] } else { later.values[(i - n, j)] };
        Self {
            places: self.places.iter().chain(&later.places).copied().collect(),
            own: self.own.iter().chain(&later.own).copied().collect(),
            values: Mat::from_fn(n + more, self.values.ncols(), entry),
        }
    }

    /// The product of point `i` with point `j` of `right`.
    fn product(&self, i: usize, right: &Self, j: usize) -> Result<f64, KernelError> {
        match (right.places[j], self.places[i]) {
            (Some(place), _) if (place as usize) < self.values.ncols() => {
                Ok(self.values[(i, place as usize)])
            }
            (_, Some(place)) if (place as usize) < right.values.ncols() => {
                Ok(right.values[(j, place as usize)])
            }
            _ => Err(KernelError::NotGiven { left: i, right: j }),
        }
    }

    /// Products, or squared distances, of all points with all of `right`, `[n, n_right]`.
    pub(super) fn cross(&self, right: &Self, distances: bool) -> Result<Mat<f64>, KernelError> {
        let mut out = Mat::zeros(self.len(), right.len());
        for j in 0..right.len() {
            for i in 0..self.len() {
                let product = self.product(i, right, j)?;
                out[(i, j)] = self.finished(product, i, right, j, distances);
            }
        }
        Ok(out)
    }

    /// The lower triangle of products, or squared distances, of all points.
    pub(super) fn lower(&self, distances: bool) -> Result<Mat<f64>, KernelError> {
        let mut out = Mat::zeros(self.len(), self.len());
        for j in 0..self.len() {
            out[(j, j)] = if distances { 0.0 } else { self.own[j] };
            for i in j + 1..self.len() {
                out[(i, j)] = self.finished(self.product(i, self, j)?, i, self, j, distances);
            }
        }
        Ok(out)
    }

    fn finished(&self, product: f64, i: usize, right: &Self, j: usize, distances: bool) -> f64 {
        if distances { (self.own[i] + right.own[j] - 2.0 * product).max(0.0) } else { product }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(places: &[Option<u32>]) -> GivenRows {
        let n = places.len();
        let values = Mat::from_fn(n, 3, |i, j| ((i + 1) * (j + 1)) as f64);
        GivenRows::new(places.to_vec(), (1..=n).map(|i| (i * i) as f64).collect(), values).unwrap()
    }

    #[test]
    fn products_are_those_of_the_matrix() {
        let known = rows(&[Some(0), Some(1), Some(2)]);
        let new = rows(&[None, None]);
        let cross = new.cross(&known, false).unwrap();
        assert_eq!((cross[(0, 2)], cross[(1, 2)]), (3.0, 6.0));
        assert_eq!(known.cross(&new, false).unwrap(), cross.transpose());
        let lower = known.lower(true).unwrap();
        assert_eq!((lower[(2, 0)], lower[(1, 1)]), (1.0 + 9.0 - 6.0, 0.0));
        assert_eq!(known.select(&[2, 0]).lower(false).unwrap()[(1, 0)], 3.0);
        assert_eq!(known.select(&[0]).followed_by(&known.select(&[1, 2])), known);
    }

    #[test]
    fn new_points_have_no_product_with_each_other() {
        let new = rows(&[None, None]);
        assert_eq!(new.lower(false), Err(KernelError::NotGiven { left: 1, right: 0 }));
        assert!(GivenRows::new(vec![Some(3)], vec![1.0], Mat::zeros(1, 3)).is_none());
        assert!(GivenRows::new(vec![None], vec![f64::NAN], Mat::zeros(1, 3)).is_none());
    }
}

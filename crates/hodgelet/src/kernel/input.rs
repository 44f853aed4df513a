//! What a block of the kernel sees of some points: columns, or rows that never change.

use super::points::{Points, center, distances, products};
use super::{BaseKernel, Family, GivenRows, KernelError, Lengthscales, SparseRows};
use crate::linalg::dense::times;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use std::sync::Arc;

/// Points that do not depend on what is trained: they have one lengthscale, and distances that can be kept.
#[derive(Clone, Debug, PartialEq)]
pub enum FixedRows {
    /// Sparse rows.
    Sparse(SparseRows),
    /// Rows of a matrix, `[n, n_columns]`.
    Dense(Mat<f64>),
    /// Rows of a Gram matrix that is given.
    Given(GivenRows),
}

/// What a block of the kernel sees of some points.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// Columns that are divided by their lengthscales, `[n, n_columns]`.
    Columns(Mat<f64>),
    /// Rows that never change.
    Fixed(Arc<FixedRows>),
}

/// A reference to [`Inputs`], perhaps with distances that are known.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Columns that are divided by their lengthscales.
    Columns(MatRef<'a, f64>),
    /// Rows that never change, and the lower triangle of their squared distances if it is known.
    Fixed(&'a FixedRows, Option<&'a Mat<f64>>),
}

impl<'a> From<MatRef<'a, f64>> for Input<'a> {
    fn from(columns: MatRef<'a, f64>) -> Self {
        Self::Columns(columns)
    }
}

impl<'a> From<&'a Inputs> for Input<'a> {
    fn from(inputs: &'a Inputs) -> Self {
        inputs.view()
    }
}

impl Input<'_> {
    /// Number of points.
    #[must_use]
    pub fn nrows(&self) -> usize {
        match self {
            Self::Columns(z) => z.nrows(),
            Self::Fixed(rows, _) => rows.len(),
        }
    }
}

impl Inputs {
    /// Sparse rows.
    #[must_use]
    pub fn sparse(rows: SparseRows) -> Self {
        Self::Fixed(Arc::new(FixedRows::Sparse(rows)))
    }

    /// Rows of a matrix that never change.
    #[must_use]
    pub fn dense(rows: Mat<f64>) -> Self {
        Self::Fixed(Arc::new(FixedRows::Dense(rows)))
    }

    /// Rows of a Gram matrix that is given.
    #[must_use]
    pub fn given(rows: GivenRows) -> Self {
        Self::Fixed(Arc::new(FixedRows::Given(rows)))
    }

    /// A reference.
    #[must_use]
    pub fn view(&self) -> Input<'_> {
        match self {
            Self::Columns(z) => Input::Columns(z.as_ref()),
            Self::Fixed(rows) => Input::Fixed(rows, None),
        }
    }

    /// References to all of them.
    #[must_use]
    pub fn views(all: &[Self]) -> Vec<Input<'_>> {
        all.iter().map(Self::view).collect()
    }

    /// Number of points.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.view().nrows()
    }

    /// Bytes that the points take, with what finding products of sparse rows needs.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let numbers = |z: &Mat<f64>| 8 * z.nrows() * z.ncols();
        match self {
            Self::Columns(z) => numbers(z),
            Self::Fixed(rows) => match &**rows {
                // Identifiers, values, and both again by identifier with the rows that have them.
                FixedRows::Sparse(rows) => 40 * rows.n_entries() + 16 * rows.len(),
                FixedRows::Dense(rows) => numbers(rows),
                FixedRows::Given(rows) => numbers(rows.values()) + 16 * rows.len(),
            },
        }
    }

    /// The points `indices`, in that order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let pick = |z: &Mat<f64>| Mat::from_fn(indices.len(), z.ncols(), |i, j| z[(indices[i], j)]);
        match self {
            Self::Columns(z) => Self::Columns(pick(z)),
            Self::Fixed(rows) => match &**rows {
                FixedRows::Sparse(rows) => Self::sparse(rows.select(indices)),
                FixedRows::Dense(rows) => Self::dense(pick(rows)),
                FixedRows::Given(rows) => Self::given(rows.select(indices)),
            },
        }
    }

    /// These points, then those of `later`, which are of the same kind.
    ///
    /// # Panics
    ///
    /// When they are not.
    #[must_use]
    pub fn followed_by(&self, later: &Self) -> Self {
        let below = |top: &Mat<f64>, bottom: &Mat<f64>| {
            let n = top.nrows();
            let entry = |i, j| if i < n { top[(i, j)] } else { bottom[(i - n, j)] };
            Mat::from_fn(n + bottom.nrows(), top.ncols(), entry)
        };
        match (self, later) {
            (Self::Columns(a), Self::Columns(b)) => Self::Columns(below(a, b)),
            (Self::Fixed(a), Self::Fixed(b)) => match (&**a, &**b) {
                (FixedRows::Sparse(a), FixedRows::Sparse(b)) => Self::sparse(a.followed_by(b)),
                (FixedRows::Dense(a), FixedRows::Dense(b)) => Self::dense(below(a, b)),
                (FixedRows::Given(a), FixedRows::Given(b)) => Self::given(a.followed_by(b)),
                _ => panic!("points of one block are of one kind"),
            },
            _ => panic!("points of one block are of one kind"),
        }
    }

    /// A few numbers for each point that different points hardly share, `[n, 3]`; the columns themselves, if there are any.
    #[must_use]
    pub fn fingerprint(&self) -> Mat<f64> {
        match self {
            Self::Columns(z) => z.clone(),
            Self::Fixed(rows) => match &**rows {
                FixedRows::Dense(rows) => rows.clone(),
                FixedRows::Sparse(rows) => Mat::from_fn(rows.len(), 3, |i, k| {
                    rows.row(i).map(|(id, value)| weight(id, k as u64) * value).sum()
                }),
                FixedRows::Given(rows) => Mat::from_fn(rows.len(), 3, |i, k| {
                    let row = rows.values().row(i);
                    let products: f64 = row.iter().zip(1..).map(|(x, id)| weight(id, k as u64) * x).sum();
                    products + weight(0, k as u64) * rows.own()[i]
                }),
            },
        }
    }
}

/// A number from 0 to 1 that follows from an identifier.
fn weight(id: u64, stream: u64) -> f64 {
    let mut x = id.wrapping_add((stream + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

impl FixedRows {
    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Sparse(rows) => rows.len(),
            Self::Dense(rows) => rows.nrows(),
            Self::Given(rows) => rows.len(),
        }
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lower triangle of all squared distances, `[n, n]`.
    ///
    /// # Errors
    ///
    /// [`KernelError`] when a number is not finite, or a product not given.
    pub fn squared_distances(&self, par: Par) -> Result<Mat<f64>, KernelError> {
        match self {
            Self::Sparse(rows) => Ok(rows.squared_distances(par)),
            Self::Given(rows) => rows.lower(true),
            Self::Dense(rows) => {
                let mut all = Mat::zeros(rows.nrows(), rows.nrows());
                let points = unscaled(rows.as_ref(), &center(rows.as_ref()))?;
                crate::linalg::dense::for_each(
                    crate::linalg::dense::panels(all.as_mut()),
                    par,
                    |(first, mut panel)| {
                        let below = panel.nrows() - first;
                        products(&points, first, &points, first, panel.as_mut().subrows_mut(first, below));
                        for j in 0..panel.ncols() {
                            let column = &mut super::forward::column_mut(&mut panel, j)[first + j..];
                            column[0] = 0.0;
                            distances(&mut column[1..], &points, first + j + 1, &points, first + j);
                        }
                    },
                );
                Ok(all)
            }
        }
    }

    /// The lower triangle of all inner products.
    pub(super) fn inner_products(&self) -> Result<Mat<f64>, KernelError> {
        Ok(match self {
            Self::Sparse(rows) => {
                let mut all = Mat::zeros(rows.len(), rows.len());
                (0..rows.len()).for_each(|j| rows.column(j, false, &mut all.col_as_slice_mut(j)[j..]));
                all
            }
            Self::Dense(rows) => times(rows.as_ref(), rows.transpose()),
            Self::Given(rows) => return rows.lower(false),
        })
    }

    /// Squared distances, or products, of all points with all of `right`, `[n, n_right]`.
    pub(super) fn cross(&self, right: &Self, is_stationary: bool) -> Result<Mat<f64>, KernelError> {
        let mut out = Mat::zeros(self.len(), right.len());
        match (self, right) {
            (Self::Sparse(left), Self::Sparse(right)) => {
                // The index is that of the second set, which stays while the first changes.
                let mut row = vec![0.0; right.len()];
                for i in 0..left.len() {
                    right.cross_column(left, i, is_stationary, &mut row);
                    row.iter().enumerate().for_each(|(j, value)| out[(i, j)] = *value);
                }
            }
            (Self::Dense(left), Self::Dense(right)) if is_stationary => {
                let middle = center(right.as_ref());
                let (l, r) = (unscaled(left.as_ref(), &middle)?, unscaled(right.as_ref(), &middle)?);
                products(&l, 0, &r, 0, out.as_mut());
                for j in 0..right.nrows() {
                    distances(out.col_as_slice_mut(j), &l, 0, &r, j);
                }
            }
            (Self::Dense(left), Self::Dense(right)) => {
                matmul(out.as_mut(), Accum::Replace, left, right.transpose(), 1.0, Par::Seq);
            }
            (Self::Given(left), Self::Given(right)) => return left.cross(right, is_stationary),
            _ => return Err(KernelError::Kinds),
        }
        Ok(out)
    }

    /// The product of each point with itself.
    pub(super) fn own_products(&self) -> Vec<f64> {
        match self {
            Self::Sparse(rows) => (0..rows.len()).map(|i| rows.own_product(i)).collect(),
            Self::Dense(rows) => (0..rows.nrows()).map(|i| rows.row(i).iter().map(|x| x * x).sum()).collect(),
            Self::Given(rows) => rows.own().to_vec(),
        }
    }

    /// A length that no distance from the mean exceeds.
    pub(super) fn reach(&self) -> f64 {
        match self {
            Self::Sparse(rows) => rows.reach(),
            Self::Dense(_) | Self::Given(_) => self.own_products().into_iter().fold(0.0, f64::max).sqrt(),
        }
    }
}

/// Points in their own units.
fn unscaled(rows: MatRef<'_, f64>, center: &[f64]) -> Result<Points, KernelError> {
    let base = BaseKernel::new(Family::SquaredExponential, Lengthscales::isotropic(1.0));
    let mut points = Points::default();
    points.fill(&base, 0, rows, center)?;
    Ok(points)
}

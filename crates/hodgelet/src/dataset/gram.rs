//! Gram matrices of the complexes of a dataset: columns of complexes as a whole, under reserved names.
//!
//! A column [`GRAM`], or `gram:NAME` for one of several, holds for each complex, in this order: its place among the complexes
//! of the matrix, from 0, or -1 where it is new; its product with itself, or -1 where that is not given; and its products with
//! all complexes of the matrix. Rows stay what they are when complexes are selected, so that a part of a dataset has the part
//! of the matrix that belongs to it, and a new complex needs no more than its row.

use super::{Column, ColumnValues, DatasetError, WHOLE};
use crate::linalg::cholesky::{CholeskyScratch, factor_in_place};
use crate::linalg::eigen::eigenpairs;
use crate::signal::Orientation;
use faer::{Mat, MatRef, Par};

/// Name of the column of products with other complexes; `gram:NAME` is one of several.
pub const GRAM: &str = "gram";

/// Most Gram matrices of a dataset.
pub const MOST_GRAMS: usize = 16;

/// Numbers of a row before the products.
pub(crate) const BEFORE_PRODUCTS: usize = 2;

/// A Gram matrix may differ from its transpose by this share of its largest entry, and have an eigenvalue below 0 by this
/// share of a bound on the largest one.
const TOLERANCE: f64 = 1e-8;

/// Why a matrix is not the Gram matrix of some complexes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GramError {
    /// A matrix of another size.
    #[error("a matrix of {rows} rows and {columns} columns, expected {expected}")]
    Shape {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// What was expected.
        expected: String,
    },
    /// An entry that is infinite or not a number.
    #[error("row {row}, column {column} is {found}, expected a finite number")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The entry.
        found: f64,
    },
    /// A matrix that is not symmetric.
    #[error(
        "row {row}, column {column} is {found}, but row {column}, column {row} is {other}, expected a symmetric matrix"
    )]
    Asymmetric {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The entry there.
        found: f64,
        /// The entry on the other side of the diagonal.
        other: f64,
    },
    /// A matrix with a negative eigenvalue.
    #[error(
        "eigenvalue {eigenvalue:e} below 0 (the largest is {largest:e}), expected a positive semi-definite matrix"
    )]
    Indefinite {
        /// The smallest eigenvalue.
        eigenvalue: f64,
        /// The largest one.
        largest: f64,
    },
}

impl GramError {
    /// A way out, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Shape { .. } => Some("rows and columns are graphs, in the order of the dataset"),
            Self::Indefinite { .. } => {
                Some("set negative eigenvalues to 0, or add what is missing to the diagonal")
            }
            Self::Asymmetric { .. } => Some("take the mean of the matrix and its transpose"),
            Self::NotFinite { .. } => None,
        }
    }
}

impl Column {
    /// Whether it holds rows of a Gram matrix.
    #[must_use]
    pub fn is_gram(&self) -> bool {
        self.dim == WHOLE
            && self.name.strip_prefix(GRAM).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }

    /// The column of a Gram matrix `[rows, columns]`, row by row, of all complexes of a dataset, called `name` if there are
    /// several.
    ///
    /// # Errors
    ///
    /// [`GramError`] when it is not square, not finite, not symmetric or not positive semi-definite, the last two to 1e-8 of
    /// its size.
    pub fn gram(
        name: Option<&str>,
        (rows, columns): (usize, usize),
        values: &[f64],
    ) -> Result<Self, GramError> {
        if rows != columns || rows.checked_mul(columns) != Some(values.len()) {
            return Err(GramError::Shape { rows, columns, expected: format!("{rows} of each") });
        }
        check_finite(columns, values)?;
        let matrix = Mat::from_fn(rows, columns, |i, j| values[i * columns + j]);
        let largest = matrix.norm_max();
        let asymmetric = |i: usize, j: usize| (matrix[(i, j)] - matrix[(j, i)]).abs() > TOLERANCE * largest;
        for row in 0..rows {
            if let Some(column) = (0..row).find(|&j| asymmetric(row, j)) {
                let (found, other) = (matrix[(row, column)], matrix[(column, row)]);
                return Err(GramError::Asymmetric { row, column, found, other });
            }
        }
        let symmetric = Mat::from_fn(rows, rows, |i, j| 0.5 * matrix[(i, j)] + 0.5 * matrix[(j, i)]);
        check_semidefinite(symmetric.as_ref())?;
        let row = |i: usize| {
            let before = [i as f64, symmetric[(i, i)].max(0.0)];
            before.into_iter().chain(symmetric.col(i).iter().copied()).collect::<Vec<f64>>()
        };
        Ok(of_rows(name, rows, (0..rows).flat_map(row).collect(), rows))
    }

    /// The column of products of new complexes with the `n` complexes of a Gram matrix, `[rows, n]` row by row, or `[rows, n + 1]`
    /// with the product of each new complex with itself in the last column.
    ///
    /// # Errors
    ///
    /// [`GramError`] when it has another number of columns or is not finite.
    pub fn gram_rows(
        name: Option<&str>,
        (rows, columns): (usize, usize),
        values: &[f64],
        n: usize,
    ) -> Result<Self, GramError> {
        if columns != n && columns != n + 1 || rows.checked_mul(columns) != Some(values.len()) {
            let expected =
                format!("{n} columns, or {} with the product of each graph with itself last", n + 1);
            return Err(GramError::Shape { rows, columns, expected });
        }
        check_finite(columns, values)?;
        let row = |i: usize| {
            let row = &values[i * columns..(i + 1) * columns];
            let own = row.get(n).map_or(-1.0, |own| own.max(0.0));
            [-1.0, own].into_iter().chain(row[..n].iter().copied()).collect::<Vec<f64>>()
        };
        Ok(of_rows(name, rows, (0..rows).flat_map(row).collect(), n))
    }
}

fn of_rows(name: Option<&str>, rows: usize, values: Vec<f64>, n: usize) -> Column {
    let name = name.map_or_else(|| GRAM.to_owned(), |name| format!("{GRAM}:{name}"));
    let products = (0..n).map(|j| j.to_string());
    let channels = ["place", "self"].map(str::to_owned).into_iter().chain(products).collect();
    let (starts, orientation) = ((0..=rows).collect(), Orientation::Unoriented);
    Column { name, dim: WHOLE, orientation, starts, values: ColumnValues::Real { channels, values } }
}

/// Validates that all entries are finite.
fn check_finite(columns: usize, values: &[f64]) -> Result<(), GramError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(GramError::NotFinite { row: at / columns, column: at % columns, found: values[at] }),
        None => Ok(()),
    }
}

/// Validates that a symmetric matrix has no negative eigenvalue, but for rounding.
pub(crate) fn check_semidefinite(matrix: MatRef<'_, f64>) -> Result<(), GramError> {
    let n = matrix.nrows();
    let bound =
        matrix.col_iter().map(|column| column.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    if bound == 0.0 {
        return Ok(());
    }
    // In units of the bound, no square overflows; with the tolerance on the diagonal there is a factor.
    let mut shifted =
        Mat::from_fn(n, n, |i, j| matrix[(i, j)] / bound + if i == j { TOLERANCE } else { 0.0 });
    if factor_in_place(shifted.as_mut(), &mut CholeskyScratch::default(), Par::rayon(0)).is_ok() {
        return Ok(());
    }
    let scaled = Mat::from_fn(n, n, |i, j| matrix[(i, j)] / bound);
    let (eigenvalue, largest) = match eigenpairs(scaled.as_ref()) {
        Ok(pairs) => {
            (pairs.values.first().copied().unwrap_or(0.0), pairs.values.last().copied().unwrap_or(0.0))
        }
        Err(_) => (-TOLERANCE, 1.0),
    };
    match eigenvalue < -TOLERANCE {
        true => Err(GramError::Indefinite { eigenvalue: eigenvalue * bound, largest: largest * bound }),
        false => Ok(()),
    }
}

/// Validates a column that holds rows of a Gram matrix.
pub(super) fn check_gram(column: &Column) -> Result<(), DatasetError> {
    let expected = "expected a place (or -1), a product with itself (or -1) and products with other graphs";
    let ColumnValues::Real { channels, values } = &column.values else {
        return Err(column.error(format!("has labels, {expected}")));
    };
    let Some(n) = channels.len().checked_sub(BEFORE_PRODUCTS).filter(|&n| n > 0) else {
        return Err(column.error(format!("has {} numbers for each graph, {expected}", channels.len())));
    };
    for row in values.chunks_exact(channels.len()) {
        if row[0] != -1.0 && !(row[0].fract() == 0.0 && (0.0..n as f64).contains(&row[0])) {
            return Err(column.error(format!("has the place {}, expected -1 to {}", row[0], n - 1)));
        }
        if row[1] != -1.0 && row[1] < 0.0 {
            return Err(
                column.error(format!("has the product {} of a graph with itself, {expected}", row[1]))
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_becomes_rows_that_know_their_place() {
        let column = Column::gram(None, (3, 3), &[2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0]).unwrap();
        assert!(column.is_gram() && column.check_in_dataset(&[0, 1, 2, 3]).is_ok());
        let ColumnValues::Real { values, .. } = &column.select(&[2]).values else { unreachable!() };
        assert_eq!(values, &[2.0, 2.0, 1.0, 1.0, 2.0]);
        let new = Column::gram_rows(Some("wl"), (1, 4), &[0.5; 4], 3).unwrap();
        assert_eq!(new.name, "gram:wl");
        let ColumnValues::Real { values, .. } = &new.values else { unreachable!() };
        assert_eq!(values, &[-1.0, 0.5, 0.5, 0.5, 0.5]);
    }

    #[test]
    fn what_is_not_a_gram_matrix_is_named() {
        let error = |n: usize, values: &[f64]| Column::gram(None, (n, n), values).unwrap_err();
        assert!(matches!(
            Column::gram(None, (2, 3), &[0.0; 6]).unwrap_err(),
            GramError::Shape { rows: 2, columns: 3, .. }
        ));
        assert!(matches!(Column::gram_rows(None, (1, 2), &[0.0; 2], 3), Err(GramError::Shape { .. })));
        let found = error(2, &[1.0, 0.0, 1e-3, 1.0]);
        assert_eq!(found, GramError::Asymmetric { row: 1, column: 0, found: 1e-3, other: 0.0 });
        assert!(matches!(
            error(2, &[1.0, 0.0, f64::NAN, 1.0]),
            GramError::NotFinite { row: 1, column: 0, .. }
        ));
        // Eigenvalues 3 and -1.
        let found = error(2, &[1.0, 2.0, 2.0, 1.0]);
        assert!(found.hint().is_some());
        let GramError::Indefinite { eigenvalue, largest } = found else { panic!("{found}") };
        assert!((eigenvalue + 1.0).abs() < 1e-12 && (largest - 3.0).abs() < 1e-12);
        // Rank one, with rounding: no eigenvalue is below 0 by more than that.
        for unit in [1.0, 1e-300, 1e150] {
            let root = |i: usize| unit * (1.0 + i as f64).sqrt();
            let ranked: Vec<f64> =
                (0..1600).map(|at| root(at / 40) * (1.0 + (at % 40) as f64).sqrt()).collect();
            assert!(Column::gram(None, (40, 40), &ranked).is_ok(), "{unit:e}");
        }
    }
}

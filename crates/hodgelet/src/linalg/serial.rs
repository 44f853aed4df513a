//! Matrices as values of serde: rows, columns, and the numbers column by column.

use faer::Mat;
use serde::{Deserialize, Serialize};

/// A matrix as it is written.
#[derive(Serialize, Deserialize)]
pub(crate) struct Numbers {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl From<&Mat<f64>> for Numbers {
    fn from(matrix: &Mat<f64>) -> Self {
        let values = (0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j)).copied().collect();
        Self { rows: matrix.nrows(), columns: matrix.ncols(), values }
    }
}

impl TryFrom<Numbers> for Mat<f64> {
    type Error = String;

    fn try_from(Numbers { rows, columns, values }: Numbers) -> Result<Self, String> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(format!("{} numbers, expected {rows} times {columns}", values.len()));
        }
        Ok(Mat::from_fn(rows, columns, |i, j| values[j * rows + i]))
    }
}

/// One matrix.
pub(crate) mod matrix {
    use super::Numbers;
    use faer::Mat;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(matrix: &Mat<f64>, to: S) -> Result<S::Ok, S::Error> {
        Numbers::from(matrix).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Mat<f64>, D::Error> {
        Numbers::deserialize(from)?.try_into().map_err(D::Error::custom)
    }
}

/// Several.
pub(crate) mod matrices {
    use super::Numbers;
    use faer::Mat;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(matrices: &[Mat<f64>], to: S) -> Result<S::Ok, S::Error> {
        matrices.iter().map(Numbers::from).collect::<Vec<_>>().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Mat<f64>>, D::Error> {
        let all = Vec::<Numbers>::deserialize(from)?;
        all.into_iter().map(|one| one.try_into().map_err(D::Error::custom)).collect()
    }
}

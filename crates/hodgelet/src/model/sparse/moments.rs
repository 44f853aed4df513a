//! Means and deviations of columns as a sum over leaves.

use crate::feature::Standardizer;
use crate::gp::sparse::Term;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Count, mean and sum of squared deviations of every column of every block, and the largest magnitude.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ColumnMoments {
    count: f64,
    blocks: Vec<Vec<Column>>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Column {
    mean: f64,
    squares: f64,
    largest: f64,
}

impl ColumnMoments {
    /// Those of some rows, one matrix for each block.
    pub fn of(features: &[Mat<f64>]) -> Self {
        let count = features.first().map_or(0, Mat::nrows) as f64;
        let column = |values: &[f64]| {
            let mean = values.iter().map(|x| x / count).sum::<f64>();
            Column {
                mean,
                squares: values.iter().map(|x| (x - mean).powi(2)).sum(),
                largest: values.iter().fold(0.0, |a: f64, x| a.max(x.abs())),
            }
        };
        let block = |z: &Mat<f64>| (0..z.ncols()).map(|j| column(z.col_as_slice(j))).collect();
        Self { count, blocks: features.iter().map(block).collect() }
    }

    /// The standardizers of the blocks.
    pub fn standardizers(&self) -> impl Iterator<Item = Standardizer> + '_ {
        self.blocks.iter().map(|block| {
            let column = |c: &Column| (c.mean, (c.squares / self.count).sqrt(), c.largest);
            Standardizer::from_moments(block.iter().map(column))
        })
    }
}

impl Term for ColumnMoments {
    fn add(&mut self, other: &Self) {
        let count = self.count + other.count;
        for (a, b) in self.blocks.iter_mut().flatten().zip(other.blocks.iter().flatten()) {
            let shift = b.mean - a.mean;
            a.mean += shift * (other.count / count);
            a.squares += b.squares + shift * shift * (self.count * other.count / count);
            a.largest = a.largest.max(b.largest);
        }
        self.count = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_moments_of_the_whole() {
        let z = Mat::from_fn(30, 4, |i, j| if j == 3 { 2.5 } else { ((i * 7 + j) as f64).sin() * 1e3 + 1e4 });
        let mut sum = ColumnMoments::of(&[z.as_ref().subrows(0, 11).to_owned()]);
        sum.add(&ColumnMoments::of(&[z.as_ref().subrows(11, 19).to_owned()]));
        let found = sum.standardizers().next().unwrap();
        let expected = Standardizer::fit(z.as_ref(), None);
        assert_eq!((found.n_live(), found.is_live(3)), (3, false));
        let difference = found.applied(z.as_ref()) - expected.applied(z.as_ref());
        assert!(difference.norm_max() < 1e-10, "{difference:?}");
    }
}

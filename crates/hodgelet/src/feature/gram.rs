//! Rows of a Gram matrix that is given, in a unit that follows from the training complexes.

use super::BlockMeasures;
use crate::dataset::{BEFORE_PRODUCTS, GramError, check_semidefinite};
use crate::kernel::GivenRows;
use faer::Mat;

/// Squared distances up to this share of the mean product of a complex with itself are rounding.
const EQUAL: f64 = 1e-9;

/// Products of a new complex may exceed the bound of Cauchy and Schwarz by this share of it.
const EXCESS: f64 = 1e-6;

/// The unit of a Gram matrix, and what its training complexes have on the diagonal.
#[derive(Clone, Debug, PartialEq)]
pub struct GramMap {
    n_channels: usize,
    columns: Vec<u32>, // places of the training complexes, ascending
    own: Vec<f64>,     // their products with themselves
    scale: f64,        // one over the mean of these
    differ: bool,      // whether any two training complexes are different
}

/// A row of a block: place, product with itself, products.
type Row<'a> = (Option<u32>, Option<f64>, &'a [f64]);

fn parts(row: &[f64]) -> Row<'_> {
    match row {
        [place, own, products @ ..] => {
            (Some(*place).filter(|x| *x >= 0.0).map(|x| x as u32), Some(*own).filter(|x| *x >= 0.0), products)
        }
        _ => (None, None, &[]),
    }
}

impl GramMap {
    /// Fitted to the rows of the training complexes.
    ///
    /// # Errors
    ///
    /// [`GramError`] when these are not complexes of the matrix, or it is not positive semi-definite.
    pub fn fit(training: &BlockMeasures) -> Result<Self, GramError> {
        let n_channels = training.n_channels();
        let rows: Vec<Row<'_>> = training.values().iter().map(|row| parts(row)).collect();
        let mut seen: Vec<(u32, f64, usize)> = Vec::new();
        for (i, (place, own, products)) in rows.iter().enumerate() {
            let place = place.filter(|&place| (place as usize) < products.len());
            let (Some(place), true) = (place, products.len() + BEFORE_PRODUCTS == n_channels) else {
                let expected = "a place among the graphs of the matrix for each training graph".to_owned();
                return Err(GramError::Shape { rows: 1, columns: products.len(), expected });
            };
            seen.push((place, own.unwrap_or(products[place as usize]), i));
        }
        seen.sort_unstable_by_key(|(place, ..)| *place);
        seen.dedup_by_key(|(place, ..)| *place);
        let product = |a: usize, b: usize| rows[seen[a].2].2[seen[b].0 as usize];
        let matrix = Mat::from_fn(seen.len(), seen.len(), |a, b| 0.5 * (product(a, b) + product(b, a)));
        check_semidefinite(matrix.as_ref())?;
        // In units of the largest, no sum is too large, and the mean of equal numbers is that number.
        let largest = seen.iter().fold(0.0f64, |a, (_, own, _)| a.max(*own));
        let sum: f64 = seen.iter().map(|(_, own, _)| own / largest).sum();
        let mean = largest * (sum / seen.len() as f64);
        let distance = |a: usize| seen[a].1 + seen[a - 1].1 - 2.0 * product(a, a - 1);
        let differ = mean.is_normal() && (1..seen.len()).any(|a| distance(a) > EQUAL * mean);
        Ok(Self {
            n_channels,
            columns: seen.iter().map(|(place, ..)| *place).collect(),
            own: seen.iter().map(|(_, own, _)| *own).collect(),
            scale: if mean.is_normal() { 1.0 / mean } else { 0.0 },
            differ,
        })
    }

    /// From [`stored`](Self::stored) numbers, if they are such as [`fit`](Self::fit) finds.
    #[must_use]
    pub fn new(stored: &[f64]) -> Option<Self> {
        let (&[n_channels, scale, differ], rest) = stored.split_first_chunk()?;
        let (columns, own) = rest.split_at(rest.len() / 2);
        let n = n_channels - BEFORE_PRODUCTS as f64;
        let sound = columns.len() == own.len()
            && n_channels.fract() == 0.0
            && (0.0..1e9).contains(&n)
            && scale.is_finite()
            && scale >= 0.0
            && columns.is_sorted_by(|a, b| a < b)
            && columns.iter().all(|x| x.fract() == 0.0 && (0.0..n).contains(x))
            && own.iter().all(|x| x.is_finite() && *x >= 0.0);
        sound.then(|| Self {
            n_channels: n_channels as usize,
            columns: columns.iter().map(|&x| x as u32).collect(),
            own: own.to_vec(),
            scale,
            differ: differ > 0.0,
        })
    }

    /// The number of channels, the unit, whether complexes differ, then the places of the training complexes and their
    /// products with themselves.
    #[must_use]
    pub fn stored(&self) -> Vec<f64> {
        let first = [self.n_channels as f64, self.scale, f64::from(u8::from(self.differ))];
        let columns = self.columns.iter().map(|&place| f64::from(place));
        first.into_iter().chain(columns).chain(self.own.iter().copied()).collect()
    }

    /// Numbers of a row: place, product with itself, and products.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// Number of complexes of the matrix: inducing complexes may be others than those that the unit was fitted to.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.n_channels.saturating_sub(BEFORE_PRODUCTS)
    }

    /// Whether any two training complexes differ.
    #[must_use]
    pub fn differ(&self) -> bool {
        self.differ
    }

    /// The product that every training complex has with itself, if it is one.
    fn diagonal(&self) -> Option<f64> {
        let first = *self.own.first()?;
        self.own.iter().all(|x| (x - first).abs() <= EQUAL * first).then_some(first)
    }

    /// The product of a complex with itself: the one given, or that of all training complexes.
    fn own_of(&self, own: Option<f64>) -> Option<f64> {
        own.or_else(|| self.diagonal())
    }

    /// What is wrong with rows that [`rows`](Self::rows) cannot use as they are: the number of the first, and the fault.
    #[must_use]
    pub fn fault(&self, measures: &BlockMeasures) -> Option<(usize, String)> {
        let fault = |row: &[f64]| {
            let (_, own, products) = parts(row);
            let Some(own) = self.own_of(own) else {
                return Some("no product with itself, which differs from graph to graph".to_owned());
            };
            let exceeds = |(place, theirs): (&u32, &f64)| {
                let product = products.get(*place as usize).copied().unwrap_or(0.0);
                let bound = (own * theirs).sqrt();
                (product.abs() > bound * (1.0 + EXCESS)).then(|| {
                    format!(
                        "a product of {product} with graph {place}, which is beyond {bound}, the root of \
                             the products of both with themselves"
                    )
                })
            };
            self.columns.iter().zip(&self.own).find_map(exceeds)
        };
        measures.values().iter().enumerate().find_map(|(i, row)| Some((i, fault(row)?)))
    }

    /// The rows of complexes over those of the matrix.
    #[must_use]
    pub fn rows(&self, measures: &BlockMeasures) -> GivenRows {
        let all: Vec<Row<'_>> = measures.values().iter().map(|row| parts(row)).collect();
        let known = |place: &u32| (*place as usize) < self.n_columns();
        let places = all.iter().map(|(place, ..)| place.filter(known)).collect();
        let own =
            all.iter().map(|(_, own, _)| finite(self.scale * self.own_of(*own).unwrap_or(0.0))).collect();
        let entry = |i: usize, j: usize| finite(self.scale * all[i].2.get(j).copied().unwrap_or(0.0));
        let values = Mat::from_fn(all.len(), self.n_columns(), entry);
        GivenRows::new(places, own, values).expect("numbers are finite, and places are those of columns")
    }
}

/// A number that is not too large.
fn finite(x: f64) -> f64 {
    x.clamp(f64::MIN, f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::*;
    use crate::measure::{ComplexMeasures, OwnRow};

    fn measures(rows: &[Vec<f64>]) -> BlockMeasures {
        let of = |row: &Vec<f64>| {
            let own = OwnRow { grams: vec![row.clone()], ..OwnRow::default() };
            ComplexMeasures::default().with_own(Some(own))
        };
        let all: Vec<ComplexMeasures> = rows.iter().map(of).collect();
        BlockMeasures::new(Block::gram(0), &all)
    }

    /// The matrix `1 + [i = j]` of four complexes, of which the last is not trained on.
    fn row(i: usize) -> Vec<f64> {
        let product = |j: usize| if i == j { 2.0 } else { 1.0 };
        [i as f64, 2.0].into_iter().chain((0..4).map(product)).collect()
    }

    #[test]
    fn rows_are_those_of_the_matrix_in_its_unit() {
        let map = GramMap::fit(&measures(&[row(2), row(0), row(1)])).unwrap();
        assert!(map.differ() && map.n_columns() == 4);
        assert_eq!(GramMap::new(&map.stored()), Some(map.clone()));
        let rows = map.rows(&measures(&[row(3), row(1)]));
        assert_eq!((rows.places(), rows.own()), (&[Some(3), Some(1)][..], &[1.0, 1.0][..]));
        assert_eq!((rows.values()[(0, 0)], rows.values()[(1, 1)]), (0.5, 1.0));
    }

    #[test]
    fn a_product_with_itself_is_needed_where_these_differ() {
        let new = |own: f64, product: f64| measures(&[vec![-1.0, own, product, 1.0, 1.0, 1.0]]);
        let map = GramMap::fit(&measures(&[row(0), row(1)])).unwrap();
        assert_eq!(map.fault(&new(-1.0, 1.0)), None);
        assert!(map.fault(&new(-1.0, 2.1)).unwrap().1.contains("product of 2.1 with graph 0"));
        let mut other = row(1);
        (other[1], other[3]) = (3.0, 3.0);
        let map = GramMap::fit(&measures(&[row(0), other])).unwrap();
        assert!(map.fault(&new(-1.0, 1.0)).unwrap().1.contains("no product with itself"));
        assert_eq!(map.fault(&new(2.0, 1.0)), None);
    }

    #[test]
    fn training_complexes_are_those_of_the_matrix() {
        let error = GramMap::fit(&measures(&[row(0), vec![-1.0, 2.0, 1.0, 1.0, 1.0, 1.0]])).unwrap_err();
        assert!(matches!(error, GramError::Shape { .. }));
        let indefinite = |i: usize| vec![i as f64, 1.0, [1.0, 2.0][i], [2.0, 1.0][i]];
        let error = GramMap::fit(&measures(&[indefinite(0), indefinite(1)])).unwrap_err();
        assert!(matches!(error, GramError::Indefinite { .. }));
        let constant = |i: usize| vec![i as f64, 1.0, 1.0, 1.0];
        assert!(!GramMap::fit(&measures(&[constant(0), constant(1)])).unwrap().differ());
    }
}

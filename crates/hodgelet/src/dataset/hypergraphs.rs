//! Hypergraphs with values on vertices and hyperedges, and the datasets of complexes that represent them.

use super::{Column, ColumnValues, Dataset, DatasetError, Targets, WHOLE, running_sums};
use crate::complex::{CellWeights, Expanded, Expansion, Hypergraph, Pairs, max_cells};
use crate::signal::Orientation;

/// Category of a cell of the star expansion that is on the other side than the label.
const OTHER_SIDE: &str = "other-side";

/// Hypergraphs, what is known of their vertices and hyperedges, and their targets, not yet validated.
#[derive(Clone, Debug, PartialEq)]
pub struct HypergraphDataset {
    /// Name, for tables and messages.
    pub name: String,
    /// One hypergraph per item.
    pub hypergraphs: Vec<Hypergraph>,
    /// Values: on vertices (dimension 0) and hyperedges (dimension 1).
    pub columns: Vec<Column>,
    /// What is to be predicted.
    pub targets: Targets,
}

impl HypergraphDataset {
    /// The dataset of the complexes of an expansion.
    ///
    /// Vertices keep their columns. Values of hyperedges go where the expansion has room for them:
    ///
    /// - incidence: they are values of 1-cells, and oriented, since hyperedges have no arbitrary sign;
    /// - star: vertices of the complex come from two sides. Columns are called `vertex.NAME` and `hyperedge.NAME`, with
    ///   zeros (or the category `other-side`) on the other side, and a column `side` tells them apart;
    /// - Zhou and clique: a pair of vertices takes the mean over the hyperedges that hold both, weighted as they are,
    ///   an unoriented value; of labels, the shares of the categories. Hyperedges of one vertex have no pair, and their
    ///   values are lost.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] when columns or targets do not fit the hypergraphs, or hyperedges are too large for pairs.
    pub fn expand(&self, expansion: Expansion) -> Result<Dataset, DatasetError> {
        self.check()?;
        if matches!(expansion, Expansion::Zhou | Expansion::Clique(_)) {
            // It is quadratic in the size of a hyperedge.
            let most = max_cells();
            let too_many = |h: &Hypergraph| h.n_pairs() > most;
            if let Some(item) = self.hypergraphs.iter().position(too_many) {
                let found = self.hypergraphs[item].n_pairs();
                return Err(DatasetError::Pairs { item, found, most });
            }
        }
        let whole: Vec<Column> = self.columns.iter().filter(|column| column.dim == WHOLE).cloned().collect();
        if !whole.is_empty() {
            let columns = self.columns.iter().filter(|column| column.dim != WHOLE).cloned().collect();
            let found = Self { columns, ..self.clone() }.expand(expansion)?;
            return whole.into_iter().try_fold(found, Dataset::with_column);
        }
        let expanded: Vec<Expanded> = self.hypergraphs.iter().map(|h| h.expand(expansion)).collect();
        let columns: Vec<Column> = match expansion {
            Expansion::Incidence => self.columns.iter().map(as_cochain).collect(),
            Expansion::Star => self.star_columns(),
            Expansion::Zhou | Expansion::Clique(_) => {
                let pairs: Vec<Pairs> = self.hypergraphs.iter().map(Hypergraph::pairs).collect();
                let one = |c: &Column| if c.dim == 0 { c.clone() } else { self.on_pairs(c, &pairs) };
                self.columns.iter().map(one).collect()
            }
        };
        let weights: Vec<Option<CellWeights>> = expanded.iter().map(|e| e.weights.clone()).collect();
        let complexes = expanded.into_iter().map(|e| e.complex).collect();
        let (name, targets) = (self.name.clone(), self.targets.clone());
        let signals = columns.into_iter().filter(|column| !column.is_weights()).collect();
        Dataset::new(name, complexes, signals, targets)?.with_weights(&weights)
    }

    /// Validates that columns fit the hypergraphs; the dataset of the expansion validates the targets.
    fn check(&self) -> Result<(), DatasetError> {
        let starts = [0, 1].map(|dim| self.starts(dim));
        for (i, column) in self.columns.iter().enumerate().filter(|(_, column)| column.dim != WHOLE) {
            let Some(starts) = starts.get(column.dim) else {
                return Err(column.error("is neither of vertices nor of hyperedges"));
            };
            if self.columns[..i].iter().any(|c| c.dim == column.dim && c.name == column.name) {
                return Err(column.error("appears twice"));
            }
            column.check(starts)?;
        }
        Ok(())
    }

    /// Where each hypergraph starts among all vertices, or all hyperedges.
    fn starts(&self, dim: usize) -> Vec<usize> {
        let count = |h: &Hypergraph| if dim == 0 { h.n_vertices() } else { h.n_hyperedges() };
        running_sums(self.hypergraphs.iter().map(count))
    }

    fn star_columns(&self) -> Vec<Column> {
        let sizes = self.hypergraphs.iter().map(|h| h.n_vertices() + h.n_hyperedges());
        let starts = running_sums(sizes);
        let sides = self.hypergraphs.iter().flat_map(|h| {
            std::iter::repeat_n(0, h.n_vertices()).chain(std::iter::repeat_n(1, h.n_hyperedges()))
        });
        let categories = vec!["vertex".to_owned(), "hyperedge".to_owned()];
        let side = ColumnValues::Labels { categories, codes: sides.collect() };
        let plain = |name: String, values| Column {
            name,
            dim: 0,
            orientation: Orientation::Unoriented,
            starts: starts.clone(),
            values,
        };
        let mut columns = vec![plain("side".to_owned(), side)];
        for column in &self.columns {
            let prefix = if column.dim == 0 { "vertex" } else { "hyperedge" };
            columns.push(plain(format!("{prefix}.{}", column.name), self.on_star(column)));
        }
        columns
    }

    /// The values of a column on all vertices of the stars, in order.
    fn on_star(&self, column: &Column) -> ColumnValues {
        // Cells of this side, and how many of the other come before and after them.
        let places = self.hypergraphs.iter().enumerate().map(|(i, h)| match column.dim {
            0 => (0, column.cells(i), h.n_hyperedges()),
            _ => (h.n_vertices(), column.cells(i), 0),
        });
        match &column.values {
            ColumnValues::Labels { categories, codes } => {
                let mut categories = categories.clone();
                let other = categories.iter().position(|c| c == OTHER_SIDE).unwrap_or_else(|| {
                    categories.push(OTHER_SIDE.to_owned());
                    categories.len() - 1
                });
                let mut out = Vec::new();
                for (before, cells, after) in places {
                    out.extend(std::iter::repeat_n(other as u32, before));
                    out.extend_from_slice(&codes[cells]);
                    out.extend(std::iter::repeat_n(other as u32, after));
                }
                ColumnValues::Labels { categories, codes: out }
            }
            ColumnValues::Real { channels, values } => {
                let width = channels.len();
                let mut out = Vec::new();
                for (before, cells, after) in places {
                    out.extend(std::iter::repeat_n(0.0, before * width));
                    out.extend_from_slice(&values[cells.start * width..cells.end * width]);
                    out.extend(std::iter::repeat_n(0.0, after * width));
                }
                ColumnValues::Real { channels: channels.clone(), values: out }
            }
        }
    }

    /// A column of hyperedges as means over the hyperedges of each pair.
    fn on_pairs(&self, column: &Column, pairs: &[Pairs]) -> Column {
        let channels = match &column.values {
            ColumnValues::Labels { categories, .. } => categories.clone(),
            ColumnValues::Real { channels, .. } => channels.clone(),
        };
        let width = channels.len();
        let mut values = Vec::new();
        for (i, (hypergraph, pairs)) in self.hypergraphs.iter().zip(pairs).enumerate() {
            let first = column.cells(i).start;
            for p in 0..pairs.len() {
                let at = values.len();
                values.resize(at + width, 0.0);
                let total: f64 = pairs.hyperedges(p).iter().map(|&e| hypergraph.weight(e as usize)).sum();
                for &e in pairs.hyperedges(p) {
                    let share = hypergraph.weight(e as usize) / total;
                    add_value(&column.values, first + e as usize, share, &mut values[at..]);
                }
            }
        }
        let values = ColumnValues::Real { channels, values };
        let starts = running_sums(pairs.iter().map(Pairs::len));
        Column { name: column.name.clone(), dim: 1, orientation: Orientation::Unoriented, starts, values }
    }
}

/// Adds `share` of the value of a cell to `out`.
fn add_value(values: &ColumnValues, cell: usize, share: f64, out: &mut [f64]) {
    match values {
        ColumnValues::Labels { codes, .. } => out[codes[cell] as usize] += share,
        ColumnValues::Real { values, .. } => {
            let row = &values[cell * out.len()..(cell + 1) * out.len()];
            out.iter_mut().zip(row).for_each(|(o, v)| *o += share * v);
        }
    }
}

fn as_cochain(column: &Column) -> Column {
    let oriented = column.dim == 1 && matches!(column.values, ColumnValues::Real { .. });
    let orientation = if oriented { Orientation::Oriented } else { column.orientation };
    Column { orientation, ..column.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, dim: usize, starts: &[usize], values: ColumnValues) -> Column {
        let orientation = Orientation::Unoriented;
        Column { name: name.to_owned(), dim, orientation, starts: starts.to_vec(), values }
    }

    fn reals(values: &[f64]) -> ColumnValues {
        ColumnValues::Real { channels: vec!["0".to_owned()], values: values.to_vec() }
    }

    fn labels(categories: &[&str], codes: &[u32]) -> ColumnValues {
        let categories = categories.iter().map(|&c| c.to_owned()).collect();
        ColumnValues::Labels { categories, codes: codes.to_vec() }
    }

    /// Two hypergraphs with numbers and labels on both sides.
    fn sample() -> HypergraphDataset {
        let first = Hypergraph::new(3, &[vec![0, 1, 2], vec![1, 2]], Some(vec![1.0, 3.0])).unwrap();
        let second = Hypergraph::new(2, &[vec![0]], None).unwrap();
        HypergraphDataset {
            name: "two".to_owned(),
            hypergraphs: vec![first, second],
            columns: vec![
                column("x", 0, &[0, 3, 5], reals(&[1.0, 2.0, 3.0, 4.0, 5.0])),
                column("x", 1, &[0, 2, 3], reals(&[8.0, 4.0, 2.0])),
                column("kind", 1, &[0, 2, 3], labels(&["a", "b"], &[0, 1, 1])),
            ],
            targets: Targets::Real(vec![0.0, 1.0]),
        }
    }

    fn values<'a>(dataset: &'a Dataset, name: &str, dim: usize) -> &'a ColumnValues {
        &dataset.column(dim, name).unwrap().values
    }

    #[test]
    fn pairs_take_weighted_means_of_their_hyperedges() {
        for expansion in [Expansion::Zhou, "clique".parse().unwrap()] {
            let dataset = sample().expand(expansion).unwrap();
            assert_eq!(values(&dataset, "x", 0), &reals(&[1.0, 2.0, 3.0, 4.0, 5.0]));
            assert_eq!(values(&dataset, "x", 1), &reals(&[8.0, 8.0, 5.0]));
            let shares = ColumnValues::Real {
                channels: vec!["a".to_owned(), "b".to_owned()],
                values: vec![1.0, 0.0, 1.0, 0.0, 0.25, 0.75],
            };
            assert_eq!(values(&dataset, "kind", 1), &shares);
        }
    }

    #[test]
    fn stars_carry_both_sides_on_their_vertices() {
        let dataset = sample().expand(Expansion::Star).unwrap();
        assert_eq!(values(&dataset, "side", 0), &labels(&["vertex", "hyperedge"], &[0, 0, 0, 1, 1, 0, 0, 1]));
        assert_eq!(values(&dataset, "vertex.x", 0), &reals(&[1.0, 2.0, 3.0, 0.0, 0.0, 4.0, 5.0, 0.0]));
        assert_eq!(values(&dataset, "hyperedge.x", 0), &reals(&[0.0, 0.0, 0.0, 8.0, 4.0, 0.0, 0.0, 2.0]));
        let kinds = labels(&["a", "b", "other-side"], &[2, 2, 2, 0, 1, 2, 2, 1]);
        assert_eq!(values(&dataset, "hyperedge.kind", 0), &kinds);
    }

    #[test]
    fn the_incidence_pair_keeps_hyperedges_as_cells() {
        let dataset = sample().expand(Expansion::Incidence).unwrap();
        assert_eq!(values(&dataset, "x", 1), &reals(&[8.0, 4.0, 2.0]));
        assert_eq!(dataset.columns()[1].orientation, Orientation::Oriented);
        assert_eq!(dataset.complexes()[0].n_cells(1), 2);
        assert_eq!(dataset.weights(0).unwrap().of_dim(1), Some(&[1.0, 3.0][..]));
        assert_eq!(dataset.weights(1).unwrap().of_dim(1), Some(&[1.0][..]));
    }

    #[test]
    fn columns_must_fit_the_hypergraphs() {
        let mut wrong = sample();
        wrong.columns[1] = column("y", 1, &[0, 1, 3], reals(&[1.0, 2.0, 3.0]));
        assert_eq!(
            wrong.expand(Expansion::Zhou).unwrap_err().to_string(),
            "column `y` of dimension 1 does not start where the cells of each complex do"
        );
        wrong.columns[1] = column("z", 2, &[0, 0, 0], reals(&[]));
        assert_eq!(
            wrong.expand(Expansion::Zhou).unwrap_err().to_string(),
            "column `z` of dimension 2 is neither of vertices nor of hyperedges"
        );
    }
}

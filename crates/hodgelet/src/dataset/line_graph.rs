//! The line graphs of a dataset.

use super::{Column, Dataset, DatasetError, WHOLE};
use crate::complex::Complex;
use crate::signal::Orientation;
use rayon::prelude::*;

impl Dataset {
    /// The dataset of line graphs: edges become vertices with the columns of the edges, whose signs have no meaning there;
    /// columns of other cells, and weights, have no place in it. Those of the graphs as a whole stay.
    ///
    /// # Errors
    ///
    /// [`DatasetError::LineGraph`] names a complex whose line graph has too many edges.
    pub fn line_graph(&self) -> Result<Self, DatasetError> {
        let on_edges = |column: &&Column| column.dim == 1 && !column.is_weights();
        let moved =
            |column: &Column| Column { dim: 0, orientation: Orientation::Unoriented, ..column.clone() };
        let of_whole = self.columns.iter().filter(|column| column.dim == WHOLE).cloned();
        let line = |(item, complex): (usize, &Complex)| {
            complex.line_graph().map_err(|source| DatasetError::LineGraph { item, source })
        };
        Ok(Self {
            name: self.name.clone(),
            complexes: self.complexes.par_iter().enumerate().map(line).collect::<Result<_, _>>()?,
            columns: self.columns.iter().filter(on_edges).map(moved).chain(of_whole).collect(),
            targets: self.targets.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ColumnValues, Targets};
    use super::*;

    #[test]
    fn columns_of_edges_become_columns_of_vertices() {
        let complexes = vec![Complex::graph(3, &[[0, 1], [1, 2]]).unwrap(), Complex::graph(2, &[]).unwrap()];
        let column = |name: &str, dim: usize, starts: Vec<usize>| {
            let values = ColumnValues::Real {
                channels: vec!["0".to_owned()],
                values: vec![1.5; *starts.last().unwrap()],
            };
            Column { name: name.to_owned(), dim, orientation: Orientation::Oriented, starts, values }
        };
        let columns = vec![column("charge", 0, vec![0, 3, 5]), column("flow", 1, vec![0, 2, 2])];
        let targets = Targets::Real(vec![1.0, 2.0]);
        let lines = Dataset::new("two", complexes, columns, targets).unwrap().line_graph().unwrap();
        assert_eq!([0, 1].map(|i| lines.complexes()[i].n_cells(0)), [2, 0]);
        assert_eq!(lines.complexes()[0].n_cells(1), 1);
        let [flow] = lines.columns() else { panic!("{:?}", lines.columns()) };
        assert_eq!((flow.name.as_str(), flow.dim, flow.orientation), ("flow", 0, Orientation::Unoriented));
        let (name, complexes, columns, targets) = lines.into_parts();
        assert!(Dataset::new(name, complexes, columns, targets).is_ok());
    }
}

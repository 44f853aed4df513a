//! Graphs that look alike: the same after a few rounds of color refinement.
//!
//! Every vertex starts with a color for its labels and attributes; in each round it takes a new one for its own, those
//! of its neighbors and the values on the edges between. Isomorphic graphs end with the same colors. The converse
//! fails for rare pairs, such as two triangles and a hexagon, so this is an estimate.

use super::{contradicting, distinct};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset};
use hodgelet::signal::Orientation;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// Rounds of refinement: how far a vertex sees.
const ROUNDS: usize = 4;

/// How many graphs look like others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Duplicates {
    /// Graphs that look different.
    pub distinct: usize,
    /// Graphs that look like one with another target.
    pub contradicting: usize,
}

/// Compares all graphs of a dataset by the colors of their vertices.
#[must_use]
pub fn duplicates(dataset: &Dataset) -> Duplicates {
    let groups = color_groups(dataset);
    Duplicates { distinct: distinct(&groups), contradicting: contradicting(&groups, dataset.targets()) }
}

/// The group of each graph: those with equal colors share one.
pub(super) fn color_groups(dataset: &Dataset) -> Vec<usize> {
    let hashes: Vec<u64> = (0..dataset.len()).into_par_iter().map(|i| graph_hash(dataset, i)).collect();
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let number = |hash| {
        let next = numbers.len();
        *numbers.entry(hash).or_insert(next)
    };
    hashes.into_iter().map(number).collect()
}

fn graph_hash(dataset: &Dataset, i: usize) -> u64 {
    let complex = &dataset.complexes()[i];
    let of_dim =
        |dim| -> Vec<&Column> { dataset.columns().iter().filter(|column| column.dim == dim).collect() };
    let (on_vertices, on_edges) = (of_dim(0), of_dim(1));
    let mut colors: Vec<u64> =
        (0..complex.n_cells(0)).map(|v| hash_of(&values(&on_vertices, i, v, 1.0))).collect();
    let arcs = arcs(complex, &on_edges, i);
    for _ in 0..ROUNDS {
        let mut seen: Vec<Vec<(u64, u64)>> = vec![Vec::new(); colors.len()];
        arcs.iter().for_each(|&(from, to, value)| seen[from].push((value, colors[to])));
        let next = seen.into_iter().zip(&colors).map(|(mut around, own)| {
            around.sort_unstable();
            hash_of(&(own, around))
        });
        colors = next.collect();
    }
    colors.sort_unstable();
    let counts: Vec<usize> = (0..=complex.dim()).map(|k| complex.n_cells(k)).collect();
    hash_of(&(counts, colors))
}

/// Both directions of every edge, with its values as seen from its start.
fn arcs(complex: &Complex, columns: &[&Column], i: usize) -> Vec<(usize, usize, u64)> {
    let both = |(e, [tail, head]): (usize, [u32; 2])| {
        let (tail, head) = (tail as usize, head as usize);
        let value = |sign: f64| hash_of(&values(columns, i, e, sign));
        [(tail, head, value(1.0)), (head, tail, value(-1.0))]
    };
    let edges = (0..complex.n_cells(1)).filter_map(|e| Some((e, complex.edge(e)?)));
    edges.flat_map(both).collect()
}

/// What columns say of one cell; oriented numbers change sign with the direction.
fn values(columns: &[&Column], i: usize, cell: usize, sign: f64) -> Vec<u64> {
    let mut found = Vec::new();
    for column in columns {
        let at = column.cells(i).start + cell;
        match &column.values {
            ColumnValues::Labels { codes, .. } => found.push(u64::from(codes[at])),
            ColumnValues::Real { channels, values } => {
                let sign = if column.orientation == Orientation::Oriented { sign } else { 1.0 };
                let row = &values[at * channels.len()..(at + 1) * channels.len()];
                // Adding 0 makes -0 the same number as 0.
                found.extend(row.iter().map(|x| (x * sign + 0.0).to_bits()));
            }
        }
    }
    found
}

/// The same number for the same value in every run.
fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::dataset::Targets;

    fn dataset(graphs: &[&[[u32; 2]]], labels: &[u32], flow: Option<&[f64]>) -> Dataset {
        let complexes: Vec<Complex> = graphs.iter().map(|edges| Complex::graph(4, edges).unwrap()).collect();
        let names = vec!["a".to_owned(), "b".to_owned()];
        let targets = Targets::Classes { names, labels: labels.to_vec() };
        let dataset = Dataset::new("x", complexes, Vec::new(), targets).unwrap();
        let Some(flow) = flow else { return dataset };
        let values = ColumnValues::Real { channels: vec!["flow".to_owned()], values: flow.to_vec() };
        let (starts, orientation) = (dataset.cell_starts(1), Orientation::Oriented);
        let column = Column { name: "flow".to_owned(), dim: 1, orientation, starts, values };
        dataset.with_column(column).unwrap()
    }

    const PATHS: [&[[u32; 2]]; 3] = [&[[0, 1], [1, 2]], &[[3, 0], [1, 3]], &[[0, 1], [2, 3]]];

    #[test]
    fn relabelled_graphs_look_alike_and_others_do_not() {
        let found = duplicates(&dataset(&PATHS, &[0, 1, 1], None));
        assert_eq!(found, Duplicates { distinct: 2, contradicting: 2 });
        assert_eq!(duplicates(&dataset(&PATHS, &[0, 0, 1], None)).contradicting, 0);
    }

    #[test]
    fn flows_are_compared_along_their_edges() {
        // 0 → 1 → 2 carries 5 and 7 along; 1 ← 3 ← 0 turned round carries −5 and −7 against.
        let graphs: [&[[u32; 2]]; 2] = [&[[0, 1], [1, 2]], &[[3, 0], [1, 3]]];
        assert_eq!(duplicates(&dataset(&graphs, &[0, 0], Some(&[5.0, 7.0, -5.0, -7.0]))).distinct, 1);
        assert_eq!(duplicates(&dataset(&graphs, &[0, 0], Some(&[5.0, 7.0, 5.0, 7.0]))).distinct, 2);
    }
}

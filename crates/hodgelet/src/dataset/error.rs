//! What can be inconsistent in a dataset.

use crate::complex::ComplexError;

/// What can be inconsistent in a dataset.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// Targets and complexes differ in number.
    #[error("{found} targets, but the dataset has {expected} complexes")]
    Targets {
        /// Number of complexes.
        expected: usize,
        /// Number of targets.
        found: usize,
    },
    /// A class without a name.
    #[error("class {class}, but {n_classes} classes have names")]
    Class {
        /// The class.
        class: u32,
        /// Number of names.
        n_classes: usize,
    },
    /// A target that is not finite.
    #[error("target of complex {item} is {value}, expected a finite number")]
    Target {
        /// Index of the complex.
        item: usize,
        /// What was found.
        value: f64,
    },
    /// The total number of cells overflows.
    #[error("more cells of dimension {dim} than can be counted")]
    Cells {
        /// Dimension of the cells.
        dim: usize,
    },
    /// A hypergraph whose clique expansion would not fit in memory.
    #[error(
        "hypergraph {item} has {found} pairs of vertices, but at most {most} are expanded; the star has fewer edges"
    )]
    Pairs {
        /// Index of the hypergraph.
        item: usize,
        /// Pairs in its hyperedges.
        found: usize,
        /// Pairs allowed.
        most: usize,
    },
    /// A complex whose line graph is too large.
    #[error("complex {item}: {source}")]
    LineGraph {
        /// Index of the complex.
        item: usize,
        /// What is wrong with it.
        source: ComplexError,
    },
    /// A matrix that is not the Gram matrix of the complexes.
    #[error("Gram matrix: {0}")]
    Gram(#[from] super::GramError),
    /// A column that does not fit the complexes.
    #[error("column `{name}` of dimension {dim} {fault}")]
    Column {
        /// Name of the column.
        name: String,
        /// Dimension of its cells.
        dim: usize,
        /// What is wrong with it.
        fault: String,
    },
}

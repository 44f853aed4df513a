//! Homology of graphs as a whole: columns for a model, and a table for people.

use crate::error::CommandError;
use crate::progress::check_interrupt;
use crate::topology::lifted;
use hodgelet::complex::{Complex, HomologyGroup};
use hodgelet::dataset::{Column, ColumnValues, Dataset, WHOLE};
use hodgelet::model::ModelError;
use hodgelet::signal::Orientation;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::str::FromStr;

/// What homology is taken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coefficients {
    /// The rationals: Betti numbers as they are usually meant.
    Rational,
    /// The field of so many elements, a prime.
    Prime(u64),
    /// The integers: the orders of torsion.
    Torsion,
}

impl FromStr for Coefficients {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "0" => Ok(Self::Rational),
            "torsion" => Ok(Self::Torsion),
            number => number
                .parse()
                .map(Self::Prime)
                .map_err(|_| format!("`{number}`, expected 0, a prime such as 2, or torsion")),
        }
    }
}

impl Coefficients {
    /// Name of the column of dimension `k`.
    fn column(self, k: usize) -> String {
        match self {
            Self::Rational => format!("betti_{k}"),
            Self::Prime(p) => format!("betti_{k} mod {p}"),
            Self::Torsion => format!("torsion_{k}"),
        }
    }

    /// The numbers of one complex, from dimension 0 up.
    fn numbers(self, complex: &Complex) -> Result<Vec<f64>, hodgelet::complex::HomologyError> {
        Ok(match self {
            Self::Prime(p) => complex.betti_numbers_mod(p)?.into_iter().map(|n| n as f64).collect(),
            Self::Rational => complex.homology()?.iter().map(|group| group.betti as f64).collect(),
            // The order of the finite part may be large; its logarithm is a sum over the parts.
            Self::Torsion => {
                let order = |group: &HomologyGroup| group.torsion.iter().map(|&n| (n as f64).ln()).sum();
                complex.homology()?.iter().map(order).collect()
            }
        })
    }
}

/// The dataset with columns of homology, one for each kind of coefficients and dimension, the cliques of a graph filled up to
/// triangles as models do.
///
/// # Errors
///
/// [`CommandError`] names the graph whose homology cannot be had.
pub fn with_homology(mut dataset: Dataset, of: &[Coefficients]) -> Result<Dataset, CommandError> {
    let starts: Vec<usize> = (0..=dataset.len()).collect();
    for &coefficients in of {
        let rows = of_each(&dataset, |complex| coefficients.numbers(complex))?;
        // A graph without 2-cells has none; its numbers beyond are 0.
        let dims = rows.iter().map(Vec::len).max().unwrap_or(0);
        for k in 0..dims {
            let name = coefficients.column(k);
            let values = rows.iter().map(|row| row.get(k).copied().unwrap_or(0.0)).collect();
            let values = ColumnValues::Real { channels: vec![name.clone()], values };
            let (dim, orientation) = (WHOLE, Orientation::Unoriented);
            dataset =
                dataset.with_column(Column { name, dim, orientation, starts: starts.clone(), values })?;
        }
    }
    Ok(dataset)
}

fn of_each<T: Send>(
    dataset: &Dataset,
    one: impl Fn(&Complex) -> Result<T, hodgelet::complex::HomologyError> + Sync,
) -> Result<Vec<T>, CommandError> {
    let of = |(index, complex): (usize, &Complex)| {
        check_interrupt()?;
        let filled = lifted(complex, 2).map_err(|source| ModelError::Lift { index, source })?;
        one(&filled).map_err(|source| CommandError::Homology { index, source })
    };
    dataset.complexes().par_iter().enumerate().map(of).collect()
}

/// Graphs with the same homology.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct HomologyCount {
    /// The groups with integer coefficients, from dimension 0 up.
    pub groups: Vec<String>,
    /// How many graphs have them.
    pub graphs: usize,
}

/// The distinct homologies of a dataset, the most frequent first.
///
/// # Errors
///
/// As for [`with_homology`].
pub fn homology_counts(dataset: &Dataset) -> Result<Vec<HomologyCount>, CommandError> {
    let mut counts: BTreeMap<Vec<HomologyGroup>, usize> = BTreeMap::new();
    for groups in of_each(dataset, Complex::homology)? {
        *counts.entry(groups).or_insert(0) += 1;
    }
    let text = |(groups, graphs): (Vec<HomologyGroup>, usize)| HomologyCount {
        groups: groups.iter().map(HomologyGroup::to_string).collect(),
        graphs,
    };
    let mut counts: Vec<HomologyCount> = counts.into_iter().map(text).collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.graphs));
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::dataset::Targets;

    /// A circle, a triangle, which is filled, and a projective plane.
    fn three() -> Dataset {
        let plane = [
            [0, 1, 2],
            [0, 2, 3],
            [0, 3, 4],
            [0, 4, 5],
            [0, 1, 5],
            [1, 2, 4],
            [2, 3, 5],
            [1, 3, 4],
            [2, 4, 5],
            [1, 3, 5],
        ];
        let complexes = vec![
            Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [3, 0]]).unwrap(),
            Complex::graph(3, &[[0, 1], [1, 2], [2, 0]]).unwrap(),
            Complex::from_simplices(6, &plane).unwrap().0,
        ];
        Dataset::new("three", complexes, Vec::new(), Targets::None).unwrap()
    }

    fn values(dataset: &Dataset, name: &str) -> Vec<f64> {
        match &dataset.column(WHOLE, name).unwrap_or_else(|| panic!("{name}")).values {
            ColumnValues::Real { values, .. } => values.clone(),
            ColumnValues::Labels { .. } => panic!("numbers"),
        }
    }

    #[test]
    fn columns_are_betti_numbers_and_logarithms_of_torsion() {
        let of: Vec<Coefficients> = ["0", "2", "torsion"].map(|text| text.parse().unwrap()).to_vec();
        let dataset = with_homology(three(), &of).unwrap();
        assert_eq!(values(&dataset, "betti_1"), [1.0, 0.0, 0.0]);
        assert_eq!(values(&dataset, "betti_2"), [0.0, 0.0, 0.0]);
        assert_eq!(values(&dataset, "betti_1 mod 2"), [1.0, 0.0, 1.0]);
        assert_eq!(values(&dataset, "betti_2 mod 2"), [0.0, 0.0, 1.0]);
        assert_eq!(values(&dataset, "torsion_1"), [0.0, 0.0, 2f64.ln()]);
        assert_eq!(dataset.columns().len(), 9);
        assert_eq!(with_homology(three(), &[]).unwrap(), three());
    }

    #[test]
    fn coefficients_that_are_none_are_refused() {
        assert!("x".parse::<Coefficients>().unwrap_err().contains("`x`, expected 0, a prime"));
        let error = with_homology(three(), &[Coefficients::Prime(6)]).unwrap_err();
        assert_eq!(error.to_string(), "graph 0: homology modulo 6, expected a prime up to 2147483647");
        assert!(error.hint().is_some());
    }

    #[test]
    fn graphs_with_the_same_homology_are_counted_together() {
        let counts = homology_counts(&three()).unwrap();
        assert_eq!(counts.len(), 3);
        let plane = HomologyCount { groups: ["Z", "Z/2", "0"].map(str::to_owned).to_vec(), graphs: 1 };
        assert!(counts.contains(&plane));
    }
}

//! The numbers the paper prints: accuracy in percent, mean and standard deviation over ten folds.

use super::contender::Contender;
use serde::{Deserialize, Serialize};

/// A published accuracy, as a share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Mean.
    pub mean: f64,
    /// Standard deviation over folds.
    pub std: f64,
}

impl Published {
    /// Standard error of the mean of ten folds.
    #[must_use]
    pub fn standard_error(self) -> f64 {
        self.std / 10f64.sqrt()
    }
}

/// The datasets of Table 1 in its order, each with WT-GP and WT-GP-Hodge; \[Alain24\].
pub const TABLE_1: [(&str, [(f64, f64); 2]); 6] = [
    ("ENZYMES", [(65.00, 4.94), (67.65, 6.86)]),
    ("MUTAG", [(86.73, 4.18), (88.06, 7.99)]),
    ("IMDB-BINARY", [(74.20, 3.87), (73.40, 3.04)]),
    ("IMDB-MULTI", [(48.73, 2.76), (52.09, 3.44)]),
    ("ring-vs-clique", [(99.5, 1.5), (100.0, 0.0)]),
    ("sbm", [(86.42, 6.92), (88.02, 7.35)]),
];

/// Vertices of a mesh in Table 2, each with WT-GP-LG and WT-GP-Hodge; \[Alain24\].
pub const TABLE_2: [(usize, [(f64, f64); 2]); 9] = [
    (25, [(51.0, 16.4), (50.0, 14.1)]),
    (50, [(53.0, 17.9), (73.0, 12.7)]),
    (75, [(56.0, 14.3), (85.0, 12.8)]),
    (100, [(54.0, 15.0), (89.0, 10.4)]),
    (150, [(57.0, 13.5), (92.0, 7.0)]),
    (200, [(54.0, 12.0), (94.0, 8.0)]),
    (250, [(58.0, 16.6), (95.0, 7.2)]),
    (300, [(56.0, 12.8), (93.5, 7.8)]),
    (350, [(53.0, 13.3), (94.8, 7.4)]),
];

/// The number of Table 1 for a dataset and a model, where there is one.
#[must_use]
pub fn table_1(set: &str, model: Contender) -> Option<Published> {
    let (_, pair) = TABLE_1.iter().find(|(name, _)| *name == set)?;
    of(pair, model, Contender::Wt)
}

/// The number of Table 2 for a size and a model, where there is one.
#[must_use]
pub fn table_2(vertices: usize, model: Contender) -> Option<Published> {
    let (_, pair) = TABLE_2.iter().find(|(size, _)| *size == vertices)?;
    of(pair, model, Contender::LineGraph)
}

fn of(pair: &[(f64, f64); 2], model: Contender, baseline: Contender) -> Option<Published> {
    let (mean, std) = match model {
        Contender::Hodge => pair[1],
        other if other == baseline => pair[0],
        _ => return None,
    };
    Some(Published { mean: mean / 100.0, std: std / 100.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_belong_to_the_models_of_their_table() {
        let found = table_1("MUTAG", Contender::Hodge).unwrap();
        assert!((found.mean - 0.8806).abs() < 1e-12 && (found.std - 0.0799).abs() < 1e-12);
        assert!((table_1("MUTAG", Contender::Wt).unwrap().mean - 0.8673).abs() < 1e-12);
        assert_eq!(table_1("MUTAG", Contender::Own), None);
        assert_eq!(table_1("PROTEINS", Contender::Wt), None);
        assert!((table_2(25, Contender::LineGraph).unwrap().mean - 0.51).abs() < 1e-12);
        assert_eq!(table_2(25, Contender::Wt), None);
        assert_eq!(table_2(26, Contender::Hodge), None);
    }
}

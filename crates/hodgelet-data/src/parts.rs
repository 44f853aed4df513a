//! A dataset read a part at a time, so that it need not be in memory.

use crate::generate::CheckedMolecules;
use crate::jsonl::JsonlParts;
use crate::{OpenError, Read};
use hodgelet::dataset::{ColumnValues, Dataset, Targets};
use hodgelet::feature::fingerprint;
use hodgelet::model::Goal;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::ops::Range;

/// A dataset that is read in ranges of consecutive complexes; all of them have the same columns, categories and classes.
#[derive(Debug)]
pub enum Parts {
    /// A dataset in memory.
    Whole(Box<Read>),
    /// Molecules that are drawn when they are wanted.
    Drawn {
        /// How.
        molecules: CheckedMolecules,
        /// From which seed.
        seed: u64,
    },
    /// A JSONL file, of which no more than a range is in memory.
    Jsonl(JsonlParts),
}

impl Parts {
    /// Number of complexes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(read) => read.dataset.len(),
            Self::Drawn { molecules, .. } => molecules.params().n_graphs,
            Self::Jsonl(parts) => parts.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A digest of all that is known of the complexes.
    #[must_use]
    pub fn digest(&self) -> String {
        match self {
            Self::Whole(read) => digest(&read.dataset),
            Self::Drawn { molecules, seed } => {
                let sum = Sha256::digest(format!("{:?} {seed}", molecules.params()));
                sum.iter().map(|byte| format!("{byte:02x}")).collect()
            }
            Self::Jsonl(parts) => parts.digest().to_owned(),
        }
    }

    /// The complexes of a range; those beyond the end are left out.
    ///
    /// # Errors
    ///
    /// [`OpenError`] when they cannot be read.
    pub fn read(&self, range: Range<usize>) -> Result<Read, OpenError> {
        match self {
            Self::Whole(read) => {
                let Read { dataset, report, ids, goals } = &**read;
                let wanted: Vec<usize> = (range.start..range.end.min(dataset.len())).collect();
                let ids = if ids.is_empty() { &[] } else { &ids[range.start..range.end.min(ids.len())] };
                let own = |goal: &Goal| {
                    let mut own = goal.among(&wanted);
                    own.complexes.iter_mut().for_each(|graph| *graph -= range.start);
                    own
                };
                let goals = goals.iter().map(own).collect();
                let (report, ids) = (report.clone(), ids.to_vec());
                Ok(Read { report, ids, goals, ..Read::clean(dataset.select(&wanted)) })
            }
            Self::Drawn { molecules, seed } => {
                let range = range.start..range.end.min(self.len());
                let dataset = molecules.generate_range(*seed, range);
                Ok(Read::clean(dataset))
            }
            Self::Jsonl(parts) => Ok(parts.read(range)?),
        }
    }
}

/// SHA-256 of complexes, columns and targets.
fn digest(dataset: &Dataset) -> String {
    let mut sum = Sha256::new();
    let prints: Vec<String> = dataset.complexes().par_iter().map(fingerprint).collect();
    prints.iter().for_each(|print| sum.update(print));
    for column in dataset.columns() {
        sum.update(format!("{} {} {:?}", column.name, column.dim, column.orientation));
        match &column.values {
            ColumnValues::Labels { categories, codes } => {
                sum.update(format!("{categories:?}"));
                codes.iter().for_each(|code| sum.update(code.to_le_bytes()));
            }
            ColumnValues::Real { channels, values } => {
                sum.update(format!("{channels:?}"));
                values.iter().for_each(|value| sum.update(value.to_bits().to_le_bytes()));
            }
        }
    }
    match dataset.targets() {
        Targets::None => {}
        Targets::Classes { names, labels } => {
            sum.update(format!("{names:?}"));
            labels.iter().for_each(|label| sum.update(label.to_le_bytes()));
        }
        Targets::Real(values) => values.iter().for_each(|value| sum.update(value.to_bits().to_le_bytes())),
    }
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{MoleculesParams, builtin};

    fn whole(dataset: Dataset, ids: Vec<String>) -> Parts {
        Parts::Whole(Box::new(Read { ids, ..Read::clean(dataset) }))
    }

    #[test]
    fn parts_of_a_dataset_in_memory() {
        let dataset = builtin("sbm").unwrap().generate(1).unwrap().select(&[0, 1, 2, 3, 4]);
        let ids: Vec<String> = (0..5).map(|i| format!("g{i}")).collect();
        let parts = whole(dataset.clone(), ids.clone());
        let part = parts.read(3..9).unwrap();
        assert_eq!((part.dataset, &part.ids[..]), (dataset.select(&[3, 4]), &ids[3..]));
        assert_eq!((parts.len(), parts.is_empty()), (5, false));
    }

    #[test]
    fn drawn_parts_are_those_of_the_whole() {
        let params = MoleculesParams { n_graphs: 20, ..MoleculesParams::default() };
        let molecules = params.check().unwrap();
        let whole = molecules.generate(3);
        let parts = |seed| Parts::Drawn { molecules: molecules.clone(), seed };
        assert_eq!(parts(3).read(15..40).unwrap().dataset, whole.select(&[15, 16, 17, 18, 19]));
        assert_eq!(parts(3).len(), 20);
        assert_ne!(parts(3).digest(), parts(4).digest());
    }

    #[test]
    fn the_digest_sees_cells_values_and_targets() {
        let fields = builtin("vector-fields").unwrap().generate(1).unwrap().select(&[0, 1]);
        let first = whole(fields.clone(), vec![]).digest();
        assert_eq!(whole(fields.clone(), vec!["a".into(), "b".into()]).digest(), first);
        let others = [
            fields.select(&[1, 0]),
            fields.clone().with_targets(Targets::Real(vec![1.0, 2.0])).unwrap(),
            fields.clone().with_columns(vec![]).unwrap(),
            builtin("vector-fields").unwrap().generate(2).unwrap().select(&[0, 1]),
        ];
        for other in others {
            assert_ne!(whole(other, vec![]).digest(), first);
        }
    }
}

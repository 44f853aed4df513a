//! What is known of complexes as a whole: which columns, and their values as rows.

use super::{Measurer, ModelError};
use crate::dataset::{BEFORE_PRODUCTS, Column, ColumnValues, Dataset, WHOLE};
use crate::encode::EncodeError;
use crate::measure::{ComplexMeasures, LabelMeasure, OwnRow, name_id};
use crate::settings::{BlockKind, Settings};
use serde::{Deserialize, Serialize};

/// Columns of complexes as a whole that a model has learned from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnColumns {
    /// Columns of numbers with the names of their channels.
    pub numbers: Vec<(String, Vec<String>)>,
    /// Columns of tags.
    pub tags: Vec<String>,
    /// Columns of Gram matrices with the numbers that a row has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grams: Vec<(String, usize)>,
}

impl OwnColumns {
    /// Those among `columns` that the settings ask for; none if there is none.
    pub fn fit(settings: &Settings, columns: &[Column]) -> Option<Self> {
        let kinds = settings.blocks();
        let mut own = Self::default();
        let wanted = |column: &&Column| {
            let known = !column.is_gram() || kinds.contains(&BlockKind::Grams);
            column.dim == WHOLE && !column.is_sample_weight() && known
        };
        for column in columns.iter().filter(wanted) {
            match &column.values {
                ColumnValues::Real { channels, .. } if column.is_gram() => {
                    own.grams.push((column.name.clone(), channels.len()));
                }
                ColumnValues::Real { channels, .. } if kinds.contains(&BlockKind::Columns) => {
                    own.numbers.push((column.name.clone(), channels.clone()));
                }
                ColumnValues::Labels { .. } if kinds.contains(&BlockKind::Fingerprints) => {
                    own.tags.push(column.name.clone());
                }
                _ => {}
            }
        }
        (own != Self::default()).then_some(own)
    }

    /// Names of all numbers: `age`, or `position.x` in a column of several.
    pub fn channels(&self) -> Vec<String> {
        let of_column = |(name, channels): &(String, Vec<String>)| match &channels[..] {
            [_] => vec![name.clone()],
            many => many.iter().map(|channel| format!("{name}.{channel}")).collect(),
        };
        self.numbers.iter().flat_map(of_column).collect()
    }
}

/// The same measures with what is known of each complex as a whole.
pub(super) fn with_own(
    measurer: &Measurer,
    measures: Vec<ComplexMeasures>,
    items: &Dataset,
) -> Result<Vec<ComplexMeasures>, ModelError> {
    let Some(own) = &measurer.own else { return Ok(measures) };
    let missing = |name: &String| EncodeError::MissingColumn { dim: WHOLE, name: name.clone() };
    let find = |name: &String| items.column(WHOLE, name).ok_or_else(|| missing(name));
    let other = |name: &String, expected: &str, found: &str| {
        let (expected, found) = (expected.to_owned(), found.to_owned());
        EncodeError::OtherColumn { dim: WHOLE, name: name.clone(), expected, found }
    };
    let mut numbers = Vec::new();
    for (name, channels) in &own.numbers {
        match &find(name)?.values {
            ColumnValues::Real { channels: theirs, values }
                if theirs == channels || (theirs.len(), channels.len()) == (1, 1) =>
            {
                numbers.push((channels.len(), values));
            }
            ColumnValues::Real { channels: theirs, .. } => {
                let text = |list: &[String]| format!("numbers ({})", list.join(", "));
                return Err(other(name, &text(channels), &text(theirs)).into());
            }
            ColumnValues::Labels { .. } => return Err(other(name, "numbers", "labels").into()),
        }
    }
    let mut tags = Vec::new();
    for name in &own.tags {
        let column = find(name)?;
        let ColumnValues::Labels { categories, codes } = &column.values else {
            return Err(other(name, "labels", "numbers").into());
        };
        let ids: Vec<u64> = categories.iter().map(|category| name_id([&name[..], category])).collect();
        tags.push((column, codes, ids));
    }
    let mut grams = Vec::new();
    for (name, width) in &own.grams {
        let text = |width: usize| format!("products with {} graphs", width.saturating_sub(BEFORE_PRODUCTS));
        match &find(name)?.values {
            ColumnValues::Real { channels, values } if channels.len() == *width => {
                grams.push((*width, values))
            }
            ColumnValues::Real { channels, .. } => {
                return Err(other(name, &text(*width), &text(channels.len())).into());
            }
            ColumnValues::Labels { .. } => return Err(other(name, &text(*width), "labels").into()),
        }
    }
    let row = |i: usize| OwnRow {
        numbers: numbers
            .iter()
            .flat_map(|(width, values)| &values[i * width..(i + 1) * width])
            .copied()
            .collect(),
        tags: LabelMeasure::counted(
            tags.iter()
                .flat_map(|(column, codes, ids)| {
                    codes[column.cells(i)].iter().map(|&code| ids[code as usize])
                })
                .collect(),
        ),
        grams: grams.iter().map(|(width, values)| values[i * width..(i + 1) * width].to_vec()).collect(),
    };
    Ok(measures.into_iter().enumerate().map(|(i, measures)| measures.with_own(Some(row(i)))).collect())
}

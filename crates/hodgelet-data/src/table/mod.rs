//! Tables of molecules: CSV, TSV and (with the feature `parquet`) Parquet files with a column of SMILES strings.
//!
//! Which column that is, and which holds the targets, is named or guessed; [`TableRead::notes`] says what was guessed. A row
//! that cannot be read is an error, or left out and listed in [`TableRead::faults`]. Rows without a target are left out where
//! a target is wanted, and counted.

mod asked;
mod error;
mod guess;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod rows;
mod targets;

pub use error::{RowFault, TableError};
pub(crate) use guess::{all_named, listed_names, named, names_smiles};
pub use parts::TableParts;
pub use rows::Table;

pub(crate) use asked::Asked;
pub(crate) use targets::weight;

use crate::Read;
use crate::graphs::{file_name, stem};
use crate::smiles::{Attributes, Molecule, SmilesFault, columns};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, SAMPLE_WEIGHT, Targets, WHOLE, cell_starts};
use hodgelet::signal::Orientation;
use rayon::prelude::*;
use std::path::Path;

/// What becomes of a row that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// It is left out and reported.
    #[default]
    Skip,
    /// It ends the reading.
    Stop,
}

/// What targets are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetKind {
    /// Numbers where all are and some have a fraction, otherwise classes.
    #[default]
    Auto,
    /// Classes, whatever they look like.
    Classes,
    /// Numbers.
    Numbers,
}

/// How a table is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// The column of SMILES strings; guessed without it.
    pub smiles: Option<String>,
    /// The columns of targets; one is guessed without them, if `guess_target`. A name with commas that no column has is one
    /// for each part. A column of lists such as `[0, 1]` holds several targets, known where a column `masks` says so.
    pub targets: Vec<String>,
    /// The column that says how much each molecule counts in training.
    pub weight: Option<String>,
    /// Whether a target that is not named is looked for.
    pub guess_target: bool,
    /// Whether the table is to be predicted: rows without a target are kept. Where some have none, the dataset has no targets,
    /// and what is known of them is the only one of [`Read::goals`].
    pub to_predict: bool,
    /// Whether a trained model is given the table, as it is where it is to be predicted: stereo labels are columns even where no
    /// molecule has any.
    pub for_model: bool,
    /// What targets are.
    pub kind: TargetKind,
    /// What becomes of rows that cannot be read.
    pub on_error: OnError,
    /// What is taken of atoms and bonds.
    pub attributes: Attributes,
}

/// A table with its molecules.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRead {
    /// The molecules that could be read, as a dataset; their ids are the numbers of their rows, from 1.
    pub read: Read,
    /// All rows, as they were read.
    pub table: Table,
    /// The row of each molecule, from 0.
    pub kept: Vec<usize>,
    /// Rows that were left out because they cannot be read.
    pub faults: Vec<RowFault>,
    /// Rows that were left out because they have no target.
    pub untargeted: usize,
    /// The column of SMILES strings.
    pub smiles: usize,
    /// The columns of targets.
    pub targets: Vec<usize>,
    /// What was guessed.
    pub notes: Vec<String>,
}

/// Whether a file is a table by its name.
#[must_use]
pub fn is_table(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("csv" | "tsv" | "parquet"))
}

/// Reads a table of molecules.
///
/// # Errors
///
/// [`TableError`] names the file and, where there is one, the row.
pub fn read_file(path: &Path, options: &TableOptions) -> Result<TableRead, TableError> {
    let file = file_name(path);
    let bytes = std::fs::read(path).map_err(|source| TableError::Io { path: path.to_owned(), source })?;
    if is_parquet(path) {
        #[cfg(feature = "parquet")]
        return molecules(&file, parquet::parse(&file, bytes)?, options);
        #[cfg(not(feature = "parquet"))]
        return Err(TableError::NoParquet { file });
    }
    parse(&file, &bytes, options)
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet"))
}

/// Reads the text of a table called `file`.
///
/// # Errors
///
/// As for [`read_file`].
pub fn parse(file: &str, bytes: &[u8], options: &TableOptions) -> Result<TableRead, TableError> {
    molecules(file, Table::parse(file, bytes)?, options)
}

/// The molecules of a table.
fn molecules(file: &str, table: Table, options: &TableOptions) -> Result<TableRead, TableError> {
    if table.is_empty() {
        return Err(TableError::NoRows { file: file.to_owned() });
    }
    let mut notes = Vec::new();
    let smiles = guess::smiles(file, &table, options, &mut notes)?;
    let columns = guess::targets(file, &table, smiles, options, &mut notes)?;
    let read = molecules_in(file, table, (smiles, columns), options, notes)?;
    match read.kept.is_empty() {
        true => {
            let (file, untargeted) = (file.to_owned(), read.untargeted);
            Err(TableError::NothingLeft { file, untargeted, first: read.faults.first().cloned() })
        }
        false => Ok(read),
    }
}

/// The molecules of a table, if there are any, in a column with targets in others.
fn molecules_in(
    file: &str,
    table: Table,
    (smiles, columns): (usize, Vec<usize>),
    options: &TableOptions,
    mut notes: Vec<String>,
) -> Result<TableRead, TableError> {
    let asked = Asked::new(&table, &columns, &mut notes);
    let weight = options.weight.as_ref().filter(|_| !options.to_predict);
    let weight = weight.map(|name| named(file, &table, name, "--sample-weight")).transpose()?;
    let parsed: Vec<Result<Molecule, String>> = (0..table.len())
        .into_par_iter()
        .map(|row| molecule(&table, row, smiles, &options.attributes))
        .collect();

    let (mut kept, mut found, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let (mut faults, mut untargeted) = (Vec::new(), 0);
    for (row, molecule) in parsed.into_iter().enumerate() {
        let fault = |what: String| {
            let text = table.cell(row, smiles).to_owned();
            RowFault { row, line: table.line(row), smiles: text, what }
        };
        let own_weight = weight.map_or(Ok(1.0), |column| targets::weight(table.cell(row, column)));
        let read = molecule.and_then(|molecule| {
            asked.check(row, options.kind)?;
            Ok((molecule, own_weight?))
        });
        match read {
            Err(what) => faults.push(fault(what)),
            Ok(_) if !asked.is_empty() && !asked.is_known(row) && !options.to_predict => untargeted += 1,
            Ok((molecule, weight)) => {
                kept.push(row);
                found.push(molecule);
                weights.push(weight);
            }
        }
    }
    if let (OnError::Stop, Some(fault)) = (options.on_error, faults.first()) {
        return Err(TableError::Row { file: file.to_owned(), fault: fault.clone() });
    }
    let (targets, goals) = asked.targets(&kept, options.kind);
    let attributes = match options.to_predict || options.for_model {
        true => options.attributes.clone(),
        false => options.attributes.clone().to_learn_from(&found),
    };
    let mut dataset = dataset(&stem(file), &found, targets, &attributes)?;
    if weight.is_some() {
        dataset = with_sample_weights(dataset, weights)?;
    }
    let ids = kept.iter().map(|row| (row + 1).to_string()).collect();
    let read = Read { ids, goals, ..Read::clean(dataset) };
    Ok(TableRead { read, table, kept, faults, untargeted, smiles, targets: columns, notes })
}

/// The molecule of one row, or what is wrong with it.
fn molecule(table: &Table, row: usize, smiles: usize, attributes: &Attributes) -> Result<Molecule, String> {
    if let Some(fault) = table.fault(row) {
        return Err(fault);
    }
    let read = |text: &str| -> Result<Molecule, SmilesFault> {
        let molecule = Molecule::parse(text)?;
        attributes.check(&molecule)?;
        Ok(molecule)
    };
    read(table.cell(row, smiles)).map_err(|fault| fault.to_string())
}

/// The dataset with how much each complex counts.
pub(crate) fn with_sample_weights(dataset: Dataset, values: Vec<f64>) -> Result<Dataset, TableError> {
    let values = ColumnValues::Real { channels: vec![SAMPLE_WEIGHT.to_owned()], values };
    let (name, orientation) = (SAMPLE_WEIGHT.to_owned(), Orientation::Unoriented);
    let starts = dataset.cell_starts(WHOLE);
    Ok(dataset.with_column(Column { name, dim: WHOLE, orientation, starts, values })?)
}

/// The dataset of some molecules.
///
/// # Errors
///
/// [`TableError::Dataset`] when targets are not those of the molecules.
pub fn dataset(
    name: &str,
    molecules: &[Molecule],
    targets: Targets,
    attributes: &Attributes,
) -> Result<Dataset, TableError> {
    let graph = |molecule: &Molecule| {
        let ends: Vec<[u32; 2]> = molecule.bonds.iter().map(|bond| bond.ends).collect();
        Complex::graph(molecule.atoms.len(), &ends)
    };
    let complexes: Vec<Complex> = molecules.iter().map(graph).collect::<Result<_, _>>()?;
    let starts = [0, 1].map(|dim| cell_starts(&complexes, dim));
    let columns = columns(molecules, attributes, starts);
    Ok(Dataset::new(name, complexes, columns, targets)?)
}

//! Which columns of a table hold SMILES strings and targets.

use super::{Table, TableError, TableOptions};
use crate::edits;
use crate::smiles::Molecule;
use crate::text;

/// Names of columns of SMILES strings, in lower case.
const SMILES_NAMES: [&str; 5] = ["smiles", "canonical_smiles", "isomeric_smiles", "mol", "structure"];
/// Names of columns of targets, in lower case.
const TARGET_NAMES: [&str; 4] = ["target", "class", "label", "y"];
/// Rows that are looked at where no name says what a column is, and how many of ten must be molecules.
const LOOKED_AT: usize = 50;
const OF_TEN: usize = 8;
/// Atoms from which on the name of a column that is a molecule is meant as one.
const FEWEST_ATOMS: usize = 5;

/// Whether a column is one of SMILES strings, by its name.
pub(crate) fn names_smiles(name: &str) -> bool {
    name.to_ascii_lowercase().contains("smiles") || SMILES_NAMES.iter().any(|n| name.eq_ignore_ascii_case(n))
}

/// The column of SMILES strings.
pub(super) fn smiles(
    file: &str,
    table: &Table,
    options: &TableOptions,
    notes: &mut Vec<String>,
) -> Result<usize, TableError> {
    if let Some(name) = &options.smiles {
        return named(file, table, name, "--smiles");
    }
    let header = table.header();
    let by_name =
        SMILES_NAMES.iter().find_map(|name| header.iter().position(|h| h.eq_ignore_ascii_case(name)));
    let found = by_name.or_else(|| (0..header.len()).find(|&column| looks_like_smiles(table, column)));
    let column = found.ok_or_else(|| TableError::NoSmiles {
        file: file.to_owned(),
        header: header.to_vec(),
        is_matrix: looks_like_matrix(table),
    })?;
    if Molecule::parse(&header[column]).is_ok_and(|molecule| molecule.atoms.len() >= FEWEST_ATOMS) {
        return Err(TableError::MoleculeAsName { file: file.to_owned(), found: header[column].clone() });
    }
    notes.push(format!("column `{}` is read as SMILES", header[column]));
    Ok(column)
}

/// The columns of targets.
pub(super) fn targets(
    file: &str,
    table: &Table,
    smiles: usize,
    options: &TableOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, TableError> {
    if !options.targets.is_empty() {
        return all_named(file, table, &options.targets);
    }
    if !options.guess_target {
        return Ok(Vec::new());
    }
    let header = table.header();
    let others: Vec<usize> = (0..header.len()).filter(|&column| column != smiles).collect();
    let is_named =
        |column: &&usize| TARGET_NAMES.iter().any(|name| header[**column].eq_ignore_ascii_case(name));
    let by_name: Vec<usize> = others.iter().filter(is_named).copied().collect();
    let found = match (&by_name[..], &others[..]) {
        ([one], _) | ([], [one]) => Some(*one),
        _ => None,
    };
    match found {
        Some(column) => notes.push(format!("column `{}` is read as target", header[column])),
        None if others.is_empty() => {}
        None => {
            let names: Vec<String> = others.iter().map(|&column| format!("`{}`", header[column])).collect();
            notes.push(format!("no target: --target names one of {}", names.join(", ")));
        }
    }
    Ok(found.into_iter().collect())
}

/// The columns of some names, some of them perhaps joined by commas, each once.
pub(crate) fn all_named(file: &str, table: &Table, names: &[String]) -> Result<Vec<usize>, TableError> {
    let mut columns = Vec::new();
    for name in listed_names(table.header(), names) {
        let column = named(file, table, &name, "--target")?;
        if columns.contains(&column) {
            return Err(TableError::TwoTargets { file: file.to_owned(), name });
        }
        columns.push(column);
    }
    Ok(columns)
}

/// Names of columns; one with commas that no column has is a name for each part.
pub(crate) fn listed_names(header: &[String], names: &[String]) -> Vec<String> {
    let is_one = |name: &String| !name.contains(',') || header.contains(name);
    let parts = |name: &String| match is_one(name) {
        true => vec![name.clone()],
        false => name.split(',').map(|part| part.trim().to_owned()).collect(),
    };
    names.iter().flat_map(parts).collect()
}

/// The column of a name, as it is written or else without regard to case.
pub(crate) fn named(file: &str, table: &Table, name: &str, flag: &'static str) -> Result<usize, TableError> {
    let header = table.header();
    let places = |same: fn(&str, &str) -> bool| -> Vec<usize> {
        (0..header.len()).filter(|&column| same(&header[column], name)).collect()
    };
    let exact = places(|a, b| a == b);
    let found = if exact.is_empty() { places(|a, b| a.eq_ignore_ascii_case(b)) } else { exact };
    match found[..] {
        [one] => Ok(one),
        [] => {
            let near = header.iter().filter_map(|other| Some((edits(name, other)?, other))).min();
            let (file, name) = (file.to_owned(), name.to_owned());
            let near = near.map(|(_, near)| near.clone());
            Err(TableError::NoColumn { file, flag, name, header: header.to_vec(), near })
        }
        _ => Err(TableError::RepeatedColumn { file: file.to_owned(), flag, name: name.to_owned() }),
    }
}

/// Whether most cells of a column are molecules, and not all of them plain numbers or single letters.
fn looks_like_smiles(table: &Table, column: usize) -> bool {
    let cells: Vec<&str> =
        (0..table.len()).map(|row| table.cell(row, column).trim()).filter(|c| !c.is_empty()).collect();
    let looked: Vec<&&str> = cells.iter().take(LOOKED_AT).collect();
    let molecules = looked.iter().filter(|cell| Molecule::parse(cell).is_ok()).count();
    let long = looked.iter().any(|cell| cell.len() > 2);
    !looked.is_empty() && long && 10 * molecules >= OF_TEN * looked.len()
}

/// Whether a table may be an adjacency matrix: numbers, as many rows as columns, with or without names at its margins.
fn looks_like_matrix(table: &Table) -> bool {
    let (n, width) = (table.len(), table.header().len());
    let is_number = |cell: &str| text::real(cell.trim().as_bytes()).is_some();
    let numeric = |from: usize| (0..n).all(|row| (from..width).all(|c| is_number(table.cell(row, c))));
    let first_is_row = table.header().iter().all(|cell| is_number(cell));
    let rows = n + usize::from(first_is_row);
    width > 1 && (rows == width && numeric(0) || n + 1 == width && numeric(1))
}

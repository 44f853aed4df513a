//! Predictions as a table of text, beside the columns of the table that was read.

use super::resume::Lines;
pub(in crate::commands) use super::rows::Sheet;
use crate::error::CommandError;
use crate::output;
use crate::progress::{Terminal, check_interrupt};
use crate::table::Faults;
use hodgelet::output::Output;
use hodgelet_data::table::{TableError, TableParts, TableRead};
use hodgelet_data::{OpenError, Read};
use std::path::Path;

fn delimiter(path: &Path) -> Option<u8> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "csv" => Some(b','),
        "tsv" => Some(b'\t'),
        _ => None,
    }
}

/// Writes predictions to a file, or to standard output.
pub(super) fn write(
    sheet: &Sheet,
    table: Option<&TableRead>,
    to: Option<Output<'_>>,
) -> Result<(), CommandError> {
    let lines = match table {
        Some(table) => beside(sheet, table),
        None => alone(sheet),
    };
    write_lines(&lines, to)
}

/// Writes lines of cells to a file, with tabs if it ends in `.tsv` and with commas otherwise, or to standard output.
pub(in crate::commands) fn write_lines(
    lines: &[Vec<String>],
    to: Option<Output<'_>>,
) -> Result<(), CommandError> {
    let delimiter = to.as_ref().and_then(|output| delimiter(output.path()));
    let text = text(lines, delimiter.unwrap_or(b','))?;
    match to {
        Some(to) => output::write_atomic(to, |out| out.write_all(text.as_bytes())),
        None => output::print_text(text.trim_end_matches('\n')),
    }
}

/// Predictions with the names of their graphs.
fn alone(sheet: &Sheet) -> Vec<Vec<String>> {
    let begin = |first: &str, rest: &[String]| {
        std::iter::once(first.to_owned()).chain(rest.iter().cloned()).collect::<Vec<_>>()
    };
    let rows = sheet.ids.iter().zip(&sheet.rows).map(|(id, row)| begin(id, row));
    std::iter::once(begin("id", &sheet.header)).chain(rows).collect()
}

/// Every row of the table, with what is predicted for it or why nothing is.
fn beside(sheet: &Sheet, read: &TableRead) -> Vec<Vec<String>> {
    let with_errors = !read.faults.is_empty();
    let mut lines = vec![header_beside(sheet, read, with_errors)];
    lines.extend(rows_beside(sheet, read, with_errors));
    lines
}

fn header_beside(sheet: &Sheet, read: &TableRead, with_errors: bool) -> Vec<String> {
    let mut header = read.table.header().to_vec();
    let added = sheet.header.iter().map(String::as_str).chain(with_errors.then_some("error"));
    for name in added {
        let unused = unused(name, &header);
        header.push(unused);
    }
    header
}

fn rows_beside(sheet: &Sheet, read: &TableRead, with_errors: bool) -> Vec<Vec<String>> {
    let n = read.table.header().len();
    let line = |row: usize| {
        let mut line: Vec<String> = (0..n).map(|column| read.table.cell(row, column).to_owned()).collect();
        match read.kept.binary_search(&row) {
            Ok(graph) => line.extend(sheet.rows[graph].iter().cloned()),
            Err(_) => line.extend(sheet.header.iter().map(|_| String::new())),
        }
        if with_errors {
            let fault = read.faults.binary_search_by_key(&row, |fault| fault.row);
            line.push(fault.map_or_else(|_| String::new(), |at| read.faults[at].what.clone()));
        }
        line
    };
    (0..read.table.len()).map(line).collect()
}

/// Predicts a table some rows at a time, and writes every row with what is predicted for it.
pub(super) fn stream(
    mut parts: TableParts,
    mut predict: impl FnMut(&Read) -> Result<Sheet, CommandError>,
    to: Option<Output<'_>>,
    terminal: Terminal,
) -> Result<(), CommandError> {
    let failed = |error: TableError| CommandError::from(OpenError::from(error));
    let (mut faults, mut n) = (Faults::default(), 0);
    let mut name = String::new();
    let mut out: Option<Lines<'_>> = None;
    let delimiter = to.as_ref().and_then(|output| delimiter(output.path())).unwrap_or(b',');
    loop {
        let begin = parts.n_read();
        let Some(read) = parts.next_rows().map_err(failed)? else { break };
        check_interrupt()?;
        name = read.read.dataset.name().to_owned();
        read.notes.iter().for_each(|note| terminal.note(&format!("{name}: {note}")));
        faults.add(&read.faults, begin);
        n += read.kept.len();
        if n == 0 && !parts.has_more() {
            let (file, first) = (name, faults.first().cloned());
            return Err(failed(TableError::NothingLeft { file, untargeted: 0, first }));
        }
        let sheet = predict(&read.read)?;
        if out.is_none() && !parts.has_more() {
            faults.say(&name, terminal);
            return write(&sheet, Some(&read), to); // all of it is here
        }
        let lines = rows_beside(&sheet, &read, true);
        if let Some(out) = &mut out {
            out.write(text(&lines, delimiter)?.as_bytes())?;
        } else {
            let mut begun = Lines::anew(to)?;
            begun.write(text(&[header_beside(&sheet, &read, true)], delimiter)?.as_bytes())?;
            begun.write(text(&lines, delimiter)?.as_bytes())?;
            out = Some(begun);
        }
        terminal.detail(|| format!("{} rows predicted", parts.n_read()));
    }
    faults.say(&name, terminal);
    out.map_or(Ok(()), Lines::finish)
}

/// The name, with a number behind it where the table has such a column.
pub(in crate::commands) fn unused(name: &str, header: &[String]) -> String {
    let numbered = (2..).map(|k| format!("{name}_{k}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !header.contains(name)).expect("a header is finite")
}

fn text(lines: &[Vec<String>], delimiter: u8) -> Result<String, CommandError> {
    let mut out = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    let written = lines.iter().try_for_each(|line| out.write_record(line));
    written.map_err(|_| CommandError::Program("a line of predictions is shorter than the header"))?;
    let bytes = out.into_inner().map_err(|_| CommandError::Program("memory refused to be written to"))?;
    String::from_utf8(bytes).map_err(|_| CommandError::Program("predictions are not UTF-8"))
}

//! Gram matrices from files: NumPy's `.npy`, or lines of numbers with commas between them and no head.

use crate::own::OwnError;
use hodgelet::dataset::{Column, Dataset, GRAM, GramError};
use std::path::Path;

/// What a file of NumPy begins with.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header of a file of NumPy that is read.
const MAX_HEADER: usize = 1 << 16;

/// A matrix row by row, with its shape.
type Matrix = ((usize, usize), Vec<f64>);

/// The dataset with the Gram matrix of its graphs in the file `path`; `name` tells one of several.
///
/// # Errors
///
/// [`OwnError`] names the file, and what is wrong with the matrix.
pub fn with_gram(dataset: Dataset, path: &Path, name: Option<&str>) -> Result<Dataset, OwnError> {
    let (shape, values) = read(path)?;
    let n = dataset.len();
    let gram = |source| OwnError::Gram { path: path.to_owned(), source };
    if shape != (n, n) {
        let expected = format!("{n} of each, one for each graph");
        return Err(gram(GramError::Shape { rows: shape.0, columns: shape.1, expected }));
    }
    Ok(dataset.with_column(Column::gram(name, shape, &values).map_err(gram)?)?)
}

/// The dataset with products of its graphs with the `n` graphs of a model in the file `path`, for the column `column`.
///
/// # Errors
///
/// [`OwnError`] names the file, and what is wrong with the matrix.
pub fn with_gram_rows(dataset: Dataset, path: &Path, column: &str, n: usize) -> Result<Dataset, OwnError> {
    let (shape, values) = read(path)?;
    let gram = |source| OwnError::Gram { path: path.to_owned(), source };
    if shape.0 != dataset.len() {
        let expected = format!("{} rows, one for each graph", dataset.len());
        return Err(gram(GramError::Shape { rows: shape.0, columns: shape.1, expected }));
    }
    let name = column.strip_prefix(GRAM).and_then(|rest| rest.strip_prefix(':'));
    Ok(dataset.with_column(Column::gram_rows(name, shape, &values, n).map_err(gram)?)?)
}

fn read(path: &Path) -> Result<Matrix, OwnError> {
    let bytes = std::fs::read(path).map_err(|source| OwnError::Io { path: path.to_owned(), source })?;
    match bytes.strip_prefix(MAGIC) {
        Some(rest) => npy(rest).map_err(|fault| OwnError::Rows {
            path: path.to_owned(),
            fault: format!("{fault} (NumPy's format)"),
        }),
        None => lines(path, &bytes),
    }
}

/// The matrix of a file of NumPy, after its magic number.
fn npy(bytes: &[u8]) -> Result<Matrix, String> {
    let short = || "ends in its header".to_owned();
    let (&[major, _], rest) = bytes.split_first_chunk().ok_or_else(short)?;
    let (length, rest) = match major {
        1 => rest.split_first_chunk().map(|(l, rest)| (usize::from(u16::from_le_bytes(*l)), rest)),
        2 | 3 => rest.split_first_chunk().map(|(l, rest)| (u32::from_le_bytes(*l) as usize, rest)),
        other => return Err(format!("has version {other}, expected 1 to 3")),
    }
    .ok_or_else(short)?;
    if length > MAX_HEADER {
        return Err(format!("has a header of {length} bytes, expected at most {MAX_HEADER}"));
    }
    let (header, data) = rest.split_at_checked(length).ok_or_else(short)?;
    let header = std::str::from_utf8(header).map_err(|_| "has a header that is not text".to_owned())?;
    let after = |key: &str| {
        let found = header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        found.ok_or_else(|| format!("has no `{key}` in its header"))
    };
    let shape =
        after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(shape, _)| shape);
    let shape = shape.ok_or("has no shape in its header")?;
    let sizes: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map_while(|size| size.parse().ok())
        .collect();
    let [rows, columns] = sizes[..] else {
        return Err(format!("has the shape ({shape}), expected a matrix"));
    };
    let by_columns = after("fortran_order")?.starts_with("True");
    let kind = after("descr")?.trim_start_matches(['\'', '"']);
    let kind = kind.split(['\'', '"']).next().unwrap_or_default();
    let numbers = numbers(kind, data)?;
    if rows.checked_mul(columns) != Some(numbers.len()) {
        return Err(format!("has {} numbers, expected {rows} times {columns}", numbers.len()));
    }
    let values = match by_columns {
        false => numbers,
        true => (0..rows)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .map(|(i, j)| numbers[j * rows + i])
            .collect(),
    };
    Ok(((rows, columns), values))
}

fn numbers(kind: &str, data: &[u8]) -> Result<Vec<f64>, String> {
    fn all<const N: usize>(data: &[u8], of: impl Fn([u8; N]) -> f64) -> Result<Vec<f64>, String> {
        let (whole, rest) = data.as_chunks::<N>();
        match rest.is_empty() {
            true => Ok(whole.iter().map(|bytes| of(*bytes)).collect()),
            false => Err("ends within a number".to_owned()),
        }
    }
    match kind {
        "<f8" => all(data, f64::from_le_bytes),
        "<f4" => all(data, |bytes| f64::from(f32::from_le_bytes(bytes))),
        "<i8" => all(data, |bytes| i64::from_le_bytes(bytes) as f64),
        "<i4" => all(data, |bytes| f64::from(i32::from_le_bytes(bytes))),
        other => Err(format!("has numbers of the type `{other}`, expected <f8, <f4, <i8 or <i4")),
    }
}

/// The matrix of lines of numbers.
fn lines(path: &Path, bytes: &[u8]) -> Result<Matrix, OwnError> {
    let row = |line: usize, found: String, expected: String| OwnError::Row {
        path: path.to_owned(),
        line: line as u64 + 1,
        found,
        expected,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        row(
            line,
            "what is not text".to_owned(),
            "numbers with commas between them, or a .npy file".to_owned(),
        )
    })?;
    let (mut values, mut rows, mut columns) = (Vec::new(), 0, None);
    for (line, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let before = values.len();
        for cell in text.split(',').map(str::trim) {
            let number = cell.parse::<f64>().ok().filter(|x| x.is_finite());
            let shown = || format!("`{}`", cell.chars().take(40).collect::<String>());
            values.push(number.ok_or_else(|| row(line, shown(), "a finite number".to_owned()))?);
        }
        let width = values.len() - before;
        let expected = *columns.get_or_insert(width);
        if width != expected {
            return Err(row(line, format!("{width} numbers"), format!("{expected}, as in the first line")));
        }
        rows += 1;
    }
    Ok(((rows, columns.unwrap_or(0)), values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::complex::Complex;
    use hodgelet::dataset::{ColumnValues, Targets, WHOLE};

    fn two() -> Dataset {
        let graphs = (2..4).map(|n| Complex::graph(n, &[[0, 1]]).unwrap()).collect();
        Dataset::new("two", graphs, Vec::new(), Targets::None).unwrap()
    }

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    /// A file of NumPy, as `numpy.save` writes it.
    fn saved(kind: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn values(dataset: &Dataset) -> Vec<f64> {
        match &dataset.column(WHOLE, GRAM).unwrap().values {
            ColumnValues::Real { values, .. } => values.clone(),
            ColumnValues::Labels { .. } => panic!("numbers were given"),
        }
    }

    #[test]
    fn matrices_are_read_from_lines_and_from_numpy() {
        let plain = file(b"2, 1\n1,3\n\n");
        let dataset = with_gram(two(), plain.path(), None).unwrap();
        assert_eq!(values(&dataset), [0.0, 2.0, 2.0, 1.0, 1.0, 3.0, 1.0, 3.0]);
        let singles: Vec<u8> = [2.0f32, 1.0, 1.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let of_numpy = file(&saved("<f4", "True", "2, 2", &singles));
        assert_eq!(with_gram(two(), of_numpy.path(), None).unwrap(), dataset);
        let rows: Vec<u8> = [1i64, 2, 3, 4].iter().flat_map(|x| x.to_le_bytes()).collect();
        let by_columns = file(&saved("<i8", "True", "2, 2", &rows));
        let new = with_gram_rows(two(), by_columns.path(), GRAM, 2).unwrap();
        assert_eq!(values(&new), [-1.0, -1.0, 1.0, 3.0, -1.0, -1.0, 2.0, 4.0]);
    }

    #[test]
    fn each_fault_is_named() {
        let error = |bytes: &[u8]| {
            let error = with_gram(two(), file(bytes).path(), None).unwrap_err().to_string();
            error.split_once(": ").map_or(error.clone(), |(_, rest)| rest.to_owned())
        };
        assert_eq!(error(b"1\n"), "a matrix of 1 rows and 1 columns, expected 2 of each, one for each graph");
        assert_eq!(error(b"1,2\n1,x\n"), "found `x`, expected a finite number");
        assert_eq!(error(b"1,2\n1\n"), "found 1 numbers, expected 2, as in the first line");
        assert!(error(b"1,2\n2,1\n").starts_with("eigenvalue -"));
        assert!(error(&saved("<c16", "False", "2, 2", &[0; 64])).contains("the type `<c16`"));
        assert!(error(&saved("<f8", "False", "2,", &[0; 16])).contains("the shape (2,), expected a matrix"));
        assert!(error(&saved("<f8", "False", "2, 3", &[0; 32])).contains("4 numbers, expected 2 times 3"));
        assert!(error(&saved("<f8", "False", "2, 2", &[0; 31])).contains("ends within a number"));
        assert!(error(&saved("<f8", "False", "2, 2", &[0; 32])[..14]).contains("ends in its header"));
    }
}

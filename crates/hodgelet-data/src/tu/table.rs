//! One TU file: a line of numbers for every graph, node or arc.

use super::{LineFault, TuError};
use crate::text;

/// Numbers of a file, line by line; blank lines inside are faults, so row `i` is line `i + 1`.
#[derive(Debug)]
pub(super) struct Table<T> {
    pub file: String,
    /// Fields in a line; 0 when there is no line.
    pub width: usize,
    /// `[n_lines, width]`, row-major.
    pub values: Vec<T>,
}

impl<T> Table<T> {
    pub fn n_rows(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// The error for a fault in row `row`.
    pub fn fault(&self, row: usize, fault: LineFault) -> TuError {
        TuError::Line { file: self.file.clone(), line: row + 1, fault }
    }

    /// Requires a line for each of `expected` things.
    pub fn expect_rows(&self, expected: usize, of: &'static str) -> Result<(), TuError> {
        let found = self.n_rows();
        if found == expected {
            return Ok(());
        }
        Err(self.fault(found.min(expected), LineFault::Count { found, expected, of }))
    }

    /// Requires one field per line.
    pub fn expect_single(self) -> Result<Self, TuError> {
        match self.width {
            0 | 1 => Ok(self),
            found => Err(self.fault(0, LineFault::Fields { found, expected: 1 })),
        }
    }
}

/// The numbers of a file, with as many fields in every line as in the first.
fn table<T>(
    file: &str,
    bytes: &[u8],
    parse: impl Fn(&[u8]) -> Result<T, LineFault>,
) -> Result<Table<T>, TuError> {
    let mut out = Table { file: file.to_owned(), width: 0, values: Vec::new() };
    for (row, line) in text::lines(text::tidy(bytes)).enumerate() {
        if out.width < 2
            && let Ok(value) = parse(line)
        {
            // most files have one field per line
            out.values.push(value);
            out.width = 1;
            continue;
        }
        if line.is_empty() {
            return Err(out.fault(row, LineFault::Blank));
        }
        let before = out.values.len();
        for field in text::fields(line) {
            let value = parse(field).map_err(|fault| out.fault(row, fault))?;
            out.values.push(value);
        }
        let found = out.values.len() - before;
        if row == 0 {
            out.width = found;
        } else if found != out.width {
            return Err(out.fault(row, LineFault::Fields { found, expected: out.width }));
        }
    }
    Ok(out)
}

/// A file of integers.
pub(super) fn integers(file: &str, bytes: &[u8]) -> Result<Table<i64>, TuError> {
    table(file, bytes, |field| text::whole_number(field).ok_or_else(|| wrong(field, "an integer")))
}

/// A file of finite real numbers.
pub(super) fn reals(file: &str, bytes: &[u8]) -> Result<Table<f64>, TuError> {
    table(file, bytes, |field| {
        text::real(field).filter(|v| v.is_finite()).ok_or_else(|| wrong(field, "a finite number"))
    })
}

/// A file of arcs, two nodes per line.
pub(super) fn arcs(file: &str, bytes: &[u8]) -> Result<Table<[u32; 2]>, TuError> {
    let text = text::tidy(bytes);
    // An arc takes at least four bytes, usually a dozen.
    let values = Vec::with_capacity(text.len() / 12);
    let mut out = Table { file: file.to_owned(), width: 1, values };
    for (row, line) in text::lines(text).enumerate() {
        let arc = plain_arc(line).map_or_else(|| any_arc(line), Ok);
        out.values.push(arc.map_err(|fault| out.fault(row, fault))?);
    }
    Ok(out)
}

/// An arc in its usual form: digits, a comma and blanks, digits.
fn plain_arc(line: &[u8]) -> Option<[u32; 2]> {
    let (tail, rest) = digits(line)?;
    let rest = rest.strip_prefix(b",")?.trim_ascii_start();
    let (head, rest) = digits(rest)?;
    rest.is_empty().then_some([tail, head])
}

/// Leading digits, at most nine so that they fit, and what follows.
fn digits(text: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0u32;
    let mut n = 0;
    while let Some(digit) = text.get(n).map(|c| c.wrapping_sub(b'0')).filter(|&d| d < 10) {
        if n == 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
        n += 1;
    }
    (n > 0).then(|| (value, &text[n..]))
}

/// An arc in any form that is accepted.
fn any_arc(line: &[u8]) -> Result<[u32; 2], LineFault> {
    if line.is_empty() {
        return Err(LineFault::Blank);
    }
    let found = text::fields(line).count();
    if found != 2 {
        return Err(LineFault::Fields { found, expected: 2 });
    }
    let mut arc = [0; 2];
    for (node, field) in arc.iter_mut().zip(text::fields(line)) {
        let value = text::whole_number(field).and_then(|v| u32::try_from(v).ok());
        *node = value.ok_or_else(|| wrong(field, "a node"))?;
    }
    Ok(arc)
}

fn wrong(field: &[u8], expected: &'static str) -> LineFault {
    LineFault::Value { found: text::excerpt(field), expected }
}

/// Categories of integer labels, ascending, and the category of each label.
pub(super) fn categories(labels: &[i64]) -> (Vec<String>, Vec<u32>) {
    let mut distinct = distinct(labels);
    distinct.sort_unstable();
    distinct.dedup();
    let codes = match (distinct.first(), distinct.last()) {
        (Some(&low), Some(&high)) if high - low < 1 << 16 => {
            let mut code = vec![0; (high - low + 1) as usize];
            distinct.iter().zip(0..).for_each(|(&label, c)| code[(label - low) as usize] = c);
            labels.iter().map(|&label| code[(label - low) as usize]).collect()
        }
        _ => {
            let code = |label| distinct.binary_search(label).expect("every label is among the distinct ones");
            labels.iter().map(|label| code(label) as u32).collect()
        }
    };
    (distinct.iter().map(i64::to_string).collect(), codes)
}

/// The labels, with most of the repetitions left out.
fn distinct(labels: &[i64]) -> Vec<i64> {
    let mut small = [false; 256];
    let mut out = Vec::new();
    for &label in labels {
        match usize::try_from(label).ok().and_then(|i| small.get_mut(i)) {
            Some(seen) => *seen = true,
            None => out.push(label),
        }
    }
    out.extend((0..).zip(small).filter(|(_, seen)| *seen).map(|(label, _)| label));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_ascend_whatever_their_range() {
        let (names, codes) = categories(&[7, -1, 300, 7]);
        assert_eq!((names, codes), (["-1", "7", "300"].map(String::from).to_vec(), vec![1, 0, 2, 1]));
        let (names, codes) = categories(&[1_000_000, -5, 1_000_000]);
        assert_eq!((names, codes), (["-5", "1000000"].map(String::from).to_vec(), vec![1, 0, 1]));
        assert_eq!(categories(&[]), (vec![], vec![]));
    }

    #[test]
    fn arcs_are_read_in_every_accepted_form() {
        let table = arcs("A", b"1, 2\r\n 3,4\n5 6\n+7 ,8\n1234567890,1\n").unwrap();
        assert_eq!(table.values, [[1, 2], [3, 4], [5, 6], [7, 8], [1_234_567_890, 1]]);
    }
}

//! Tables and lists of facts that fit the terminal they are read in; in a file a row is a line, whatever its length.

use crate::{spark, visible};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

/// What a column of text is not made narrower than.
const LEAST: usize = 12;
/// Between two columns.
const GAP: usize = 2;

/// A table with a header; columns whose index is in `numbers` are aligned to the right.
///
/// In a terminal that is too narrow, columns of text are wrapped; where that is not enough the columns go below each other, in
/// groups that begin with the first one. Numbers are never broken.
#[must_use]
pub fn table(header: &[&str], numbers: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    of_width(spark::width(), header, numbers, rows)
}

fn of_width(
    width: Option<usize>,
    header: &[&str],
    numbers: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let shown = |cell: String| visible::name(&cell).into_owned();
    let rows: Vec<Vec<String>> =
        rows.into_iter().map(|row| row.into_iter().map(shown).collect::<Vec<String>>()).collect();
    let Some(width) = width else { return filled(None, header, numbers, &rows) };
    let least = least_widths(header, numbers, &rows);
    let groups = groups(&least, width);
    if let [_] = groups[..] {
        return filled(Some(width), header, numbers, &rows);
    }
    let part = |columns: &Vec<usize>| {
        let header: Vec<&str> = columns.iter().map(|&c| header[c]).collect();
        let pick = |row: &Vec<String>| -> Vec<String> {
            columns.iter().map(|&c| row.get(c).cloned().unwrap_or_default()).collect()
        };
        let rows: Vec<Vec<String>> = rows.iter().map(pick).collect();
        let right: Vec<usize> = (0..columns.len()).filter(|&k| numbers.contains(&columns[k])).collect();
        filled(Some(width), &header, &right, &rows)
    };
    groups.iter().map(part).collect::<Vec<_>>().join("\n\n")
}

/// How narrow each column may become: as wide as its longest word, and text no narrower than a few words.
fn least_widths(header: &[&str], numbers: &[usize], rows: &[Vec<String>]) -> Vec<usize> {
    let letters = |text: &str| text.chars().count();
    let least = |c: usize| {
        let cells = || rows.iter().filter_map(|row| row.get(c)).map(String::as_str);
        let widest = cells().map(letters).max().unwrap_or(0);
        let word = |text: &str| text.split_whitespace().map(letters).max().unwrap_or(0);
        let head = word(header[c]);
        // A column without a name holds bars.
        match numbers.contains(&c) || header[c].is_empty() {
            true => widest.max(head),
            false => widest.min(LEAST.max(cells().map(word).max().unwrap_or(0))).max(head),
        }
    };
    (0..header.len()).map(least).collect()
}

/// Columns that stand side by side; each group after the first begins with the first column.
fn groups(least: &[usize], width: usize) -> Vec<Vec<usize>> {
    let first = least.first().copied().unwrap_or(0);
    let mut groups: Vec<Vec<usize>> = vec![vec![]];
    let mut used = 0;
    for (c, &wide) in least.iter().enumerate() {
        let group = groups.last_mut().expect("there is always one");
        // Something stands beside the first column in every group.
        if group.len() > 1 && used + GAP + wide > width {
            groups.push(vec![0, c]);
            used = first + GAP + wide;
        } else {
            used += wide + if group.is_empty() { 0 } else { GAP };
            group.push(c);
        }
    }
    groups
}

fn filled(width: Option<usize>, header: &[&str], numbers: &[usize], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    table.load_style(presets::NOTHING).set_header(header);
    table.add_rows(rows);
    let least = least_widths(header, numbers, rows);
    for &index in numbers {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if width.is_some() {
        let padding = |index: usize| usize::from(index > 0) + usize::from(index + 1 < header.len());
        for (index, &least) in least.iter().enumerate() {
            let least = u16::try_from(least + padding(index)).unwrap_or(u16::MAX);
            if let Some(column) = table.column_mut(index) {
                column.set_constraint(ColumnConstraint::LowerBoundary(comfy_table::Width::Fixed(least)));
            }
        }
    }
    let (first, last) = (0, header.len().saturating_sub(1));
    for (index, padding) in [(first, (0, 1)), (last, (1, 0))] {
        if let Some(column) = table.column_mut(index) {
            column.set_padding(padding);
        }
    }
    trimmed(&table.to_string())
}

/// Two columns without a header: names and values. In a terminal long values go on below where they began.
#[must_use]
pub fn facts<S: AsRef<str>>(rows: &[(S, String)]) -> String {
    facts_of_width(spark::width(), rows)
}

fn facts_of_width<S: AsRef<str>>(width: Option<usize>, rows: &[(S, String)]) -> String {
    let names = rows.iter().map(|(what, _)| what.as_ref().chars().count()).max().unwrap_or(0);
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(names + GAP).max(LEAST));
    let line = |(what, value): &(S, String)| {
        let value = wrapped(&visible::name(value), room).join(&format!("\n{:1$}", "", names + GAP));
        format!("{:names$}  {value}", what.as_ref())
    };
    trimmed(&rows.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Text in lines of at most `room` letters, broken between words; words that are longer stay whole.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    if text.chars().count() <= room {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always one");
        let letters = line.chars().count();
        if letters > 0 && letters + 1 + word.chars().count() > room {
            lines.push(word.to_owned());
        } else {
            if letters > 0 {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Sentences that go on below where a line is full; tables and facts fit already.
#[must_use]
pub fn folded(text: &str) -> String {
    folded_at(spark::width(), text)
}

fn folded_at(width: Option<usize>, text: &str) -> String {
    let Some(width) = width else { return text.to_owned() };
    text.split('\n').map(|line| wrapped(line, width.max(LEAST)).join("\n")).collect::<Vec<_>>().join("\n")
}

/// Lines without blanks at their ends.
fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(row: &[&str]) -> Vec<String> {
        row.iter().map(|&cell| cell.to_owned()).collect()
    }

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn tables_align_numbers_to_the_right_and_end_lines_without_blanks() {
        let rows = [cells(&["a", "1"]), cells(&["bb", "100"])];
        assert_eq!(of_width(None, &["name", "n"], &[1], rows), "name    n\na       1\nbb    100");
        assert_eq!(facts(&[("a", "1".to_owned()), ("long", String::new())]), "a     1\nlong");
    }

    #[test]
    fn text_is_wrapped_in_a_narrow_terminal_and_numbers_are_not() {
        let rows = [cells(&["edge co-exact", "0.9361", "what this block is made of, in words"])];
        let header = ["block", "accuracy", "meaning"];
        let text = of_width(Some(40), &header, &[1], rows.clone());
        assert!(widest(&text) <= 40 && text.lines().count() > 2, "{text}");
        assert!(text.contains("0.9361"), "{text}");
        // Nothing is cut off, and where nobody watches a row is a line.
        let words = |text: &str| -> usize { text.split_whitespace().count() };
        let wide = of_width(None, &header, &[1], rows);
        assert_eq!((words(&text), wide.lines().count()), (words(&wide), 2), "{text}\n{wide}");
    }

    #[test]
    fn columns_that_do_not_fit_go_below_with_the_first_before_them() {
        let header = ["graph", "probability", "latent mean", "vertex co-exact", "edge exact"];
        let rows = [cells(&["12", "0.987654", "+1.2345", "-0.123456", "+9.876543"])];
        let text = of_width(Some(30), &header, &[1, 2, 3, 4], rows.clone());
        assert!(widest(&text) <= 30, "{text}");
        assert!(rows[0].iter().all(|cell| text.contains(cell.as_str())), "no number is broken:\n{text}");
        let parts: Vec<&str> = text.split("\n\n").collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.starts_with("graph")), "{text}");
        // A table that fits stays one.
        assert!(!of_width(Some(200), &header, &[1, 2, 3, 4], rows).contains("\n\n"));
    }

    #[test]
    fn a_column_that_is_wider_than_the_terminal_does_no_harm() {
        let rows = [cells(&["a-name-that-is-longer-than-the-terminal", "1"])];
        let text = of_width(Some(10), &["name", "n"], &[1], rows);
        assert!(text.split_whitespace().any(|word| word == "1"), "{text}");
        assert_eq!(of_width(Some(10), &[], &[], []), "");
    }

    #[test]
    fn long_facts_go_on_below_where_they_began() {
        let rows = [("posterior", "full; hyperparameters from a sample".to_owned()), ("n", "1".to_owned())];
        let expected = "posterior  full;\n           hyperparameters\n           from a sample\nn          1";
        assert_eq!(facts_of_width(Some(26), &rows), expected);
        assert_eq!(facts_of_width(None, &rows).lines().count(), 2);
        assert_eq!(folded_at(Some(12), "note: some words\n\n  a  1"), "note: some\nwords\n\n  a  1");
        assert_eq!(folded_at(None, "note: some words"), "note: some words");
    }
}

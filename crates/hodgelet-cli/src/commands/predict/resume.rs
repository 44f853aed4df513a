//! A file of lines that can be left in the middle and continued.

use super::tally::Tally;
use crate::error::CommandError;
use crate::progress::uninterrupted;
use hodgelet::output::Output;
use serde_json::Value;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

/// Where lines go.
pub(super) struct Lines<'a> {
    sink: Sink<'a>,
}

enum Sink<'a> {
    Stdout,
    /// A device or a pipe, written to as it is.
    Straight(Output<'a>, File),
    Unfinished(Unfinished<'a>),
}

/// A file that gets its name when it is whole.
struct Unfinished<'a> {
    /// Locked: of two runs that write the same file, the second is told.
    file: File,
    path: PathBuf,
    to: Output<'a>,
}

/// What an earlier run left.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// Rows that are kept: whole groups.
    pub rows: usize,
    pub tally: Tally,
}

impl<'a> Lines<'a> {
    /// Begins with the line `head`, or continues a file that begins with it, after as many whole groups of `group` rows as it
    /// has.
    pub fn begin(to: Option<Output<'a>>, head: &str, group: usize) -> Result<(Self, Begun), CommandError> {
        let head_line = format!("{head}\n");
        let Some(to) = to else {
            let mut lines = Self { sink: Sink::Stdout };
            lines.write(head_line.as_bytes())?;
            return Ok((lines, Begun::default()));
        };
        let Some(place) = to.resolved()? else {
            let file = OpenOptions::new().write(true).open(to.path());
            let file = file.map_err(|source| CommandError::Write { path: to.path().to_owned(), source })?;
            let mut lines = Self { sink: Sink::Straight(to, file) };
            lines.write(head_line.as_bytes())?;
            return Ok((lines, Begun::default()));
        };
        let (file, path) = unfinished(place)?;
        let failed = |source| CommandError::Write { path: path.clone(), source };
        let (begun, end) = scan(&file, head, group).map_err(failed)?;
        file.set_len(end).map_err(failed)?;
        let mut lines = Self { sink: Sink::Unfinished(Unfinished { file, path, to }) };
        if end == 0 {
            lines.write(head_line.as_bytes())?;
        }
        Ok((lines, begun))
    }

    /// Begins anew, over what an earlier run left.
    pub fn anew(to: Option<Output<'a>>) -> Result<Self, CommandError> {
        let Some(to) = to else { return Ok(Self { sink: Sink::Stdout }) };
        let sink = match to.resolved()? {
            None => {
                let file = OpenOptions::new().write(true).open(to.path());
                let file =
                    file.map_err(|source| CommandError::Write { path: to.path().to_owned(), source })?;
                Sink::Straight(to, file)
            }
            Some(place) => {
                let (file, path) = unfinished(place)?;
                file.set_len(0).map_err(|source| CommandError::Write { path: path.clone(), source })?;
                Sink::Unfinished(Unfinished { file, path, to })
            }
        };
        Ok(Self { sink })
    }

    pub fn write(&mut self, lines: &[u8]) -> Result<(), CommandError> {
        let (file, path) = match &mut self.sink {
            Sink::Stdout => return io::stdout().lock().write_all(lines).map_err(CommandError::Stdout),
            Sink::Straight(output, file) => (file, output.path()),
            Sink::Unfinished(Unfinished { file, path, .. }) => (file, path.as_path()),
        };
        file.write_all(lines).map_err(|source| CommandError::Write { path: path.to_owned(), source })
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), CommandError> {
        match self.sink {
            Sink::Stdout => io::stdout().lock().flush().map_err(CommandError::Stdout),
            Sink::Straight(..) => Ok(()),
            // The lock is held until the file has its name.
            Sink::Unfinished(Unfinished { file, path, to }) => {
                let moved = uninterrupted(|| to.adopt(&path));
                drop(file);
                Ok(moved?)
            }
        }
    }
}

/// The file, locked, that holds what is to be at `place` until it is whole.
fn unfinished(place: PathBuf) -> Result<(File, PathBuf), CommandError> {
    let mut name = place.into_os_string();
    name.push(".part");
    let path = PathBuf::from(name);
    let file = OpenOptions::new().create(true).read(true).append(true).open(&path);
    let file = file.map_err(|source| CommandError::Write { path: path.clone(), source })?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let message = format!("{}: another run is writing it", path.display());
        return Err(CommandError::usage(message, Some("wait for it, or choose another name")));
    }
    Ok((file, path))
}

/// What a file holds of an earlier run with the same head, and where its last whole group ends: 0 if it is another's.
fn scan(file: &File, head: &str, group: usize) -> io::Result<(Begun, u64)> {
    let mut file = BufReader::new(file);
    let (mut line, mut at) = (Vec::new(), 0u64);
    let mut next = |line: &mut Vec<u8>| -> io::Result<usize> {
        line.clear();
        file.read_until(b'\n', line)
    };
    at += next(&mut line)? as u64;
    if line.strip_suffix(b"\n") != Some(head.as_bytes()) {
        return Ok((Begun::default(), 0));
    }
    let (mut kept, mut end) = (Begun::default(), at);
    let (mut rows, mut tally) = (0, Tally::default());
    loop {
        let read = next(&mut line)?;
        let row = line.strip_suffix(b"\n").and_then(|row| serde_json::from_slice::<Value>(row).ok());
        let Some(row) = row.filter(|_| read > 0) else { return Ok((kept, end)) };
        at += read as u64;
        rows += 1;
        tally.add_row(&row);
        if rows % group == 0 {
            (kept, end) = (Begun { rows, tally: tally.clone() }, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::output::Kind;

    fn row(i: usize) -> String {
        format!(
            "{{\"id\": \"{i}\", \"class\": \"a\", \"truth\": \"{}\"}}\n",
            if i.is_multiple_of(2) { "a" } else { "b" }
        )
    }

    #[test]
    fn whole_groups_are_kept_and_the_rest_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("out.jsonl");
        let part = folder.path().join("out.jsonl.part");
        let rows: String = (0..7).map(row).collect();
        // Cut anywhere, the file is continued to the same bytes.
        let whole = format!("head\n{rows}");
        for cut in 0..=whole.len() {
            std::fs::write(&part, &whole[..cut]).unwrap();
            let (mut output, begun) = Lines::begin(Some(Output::new(&to, Kind::REPORT)), "head", 3).unwrap();
            assert_eq!(begun.rows % 3, 0);
            assert_eq!(begun.tally.graphs, begun.rows);
            let rest: String = (begun.rows..7).map(row).collect();
            output.write(rest.as_bytes()).unwrap();
            output.finish().unwrap();
            assert_eq!(std::fs::read_to_string(&to).unwrap(), whole, "cut at {cut}");
            assert!(!part.exists());
            std::fs::remove_file(&to).unwrap();
        }
    }

    #[test]
    fn what_another_run_left_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("out.jsonl");
        std::fs::write(folder.path().join("out.jsonl.part"), format!("other\n{}", row(0))).unwrap();
        let (output, begun) = Lines::begin(Some(Output::new(&to, Kind::REPORT)), "head", 1).unwrap();
        assert_eq!(begun.rows, 0);
        output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "head\n");
    }
}

//! A JSONL file read in parts, for files larger than memory.

use super::header::{ColumnKind, Header, TargetKind};
use super::read::{Item, Target, Values, assembled, item, json};
use super::{JsonlError, field::Field, sorted_names};
use crate::{Read, text};
use hodgelet::complex::Expansion;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Lines that are parsed together, and between the places that are remembered.
const BLOCK: usize = 256;

/// A JSONL file whose complexes can be read a range at a time. All parts have the same columns, categories and classes:
/// those of the whole file.
pub struct JsonlParts {
    path: PathBuf,
    file: String,
    header: Header,
    expansion: Option<Expansion>,
    /// Byte and line where every block begins.
    marks: Vec<(u64, usize)>,
    len: usize,
    digest: String,
}

impl std::fmt::Debug for JsonlParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JsonlParts").field("path", &self.path).field("len", &self.len).finish_non_exhaustive()
    }
}

impl JsonlParts {
    /// Reads through a file once: every line is checked, and nothing of it is kept but names.
    ///
    /// # Errors
    ///
    /// [`JsonlError`] names the file and, where there is one, line and field.
    pub fn open(path: &Path, expansion: Option<Expansion>) -> Result<Self, JsonlError> {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut lines = Lines::open(path, 0, 0)?;
        let mut sum = Sha256::new();
        let Some((first, number)) = lines.next(Some(&mut sum))? else {
            return Err(JsonlError::Empty { file });
        };
        let header = Header::parse(Field::line(&file, number, &json(&file, number, &first)?))?;
        let mut parts = Self {
            path: path.to_owned(),
            file,
            header,
            expansion,
            marks: Vec::new(),
            len: 0,
            digest: String::new(),
        };
        let mut names = Names::new(&parts.header);
        loop {
            let mark = (lines.at, lines.number);
            let block = lines.block(BLOCK, Some(&mut sum))?;
            if block.is_empty() {
                break;
            }
            parts.marks.push(mark);
            parts.len += block.len();
            names.add(&parts.items(&block)?);
        }
        parts.header.check_count(&parts.file, parts.len)?;
        names.fill(&mut parts.header);
        parts.digest = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(parts)
    }

    /// Number of complexes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// SHA-256 of the file.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The complexes of a range; those beyond the end are left out.
    ///
    /// # Errors
    ///
    /// [`JsonlError`] names the file and, where there is one, line and field.
    pub fn read(&self, range: Range<usize>) -> Result<Read, JsonlError> {
        let n = self.len.min(range.end).saturating_sub(range.start);
        let mut items = Vec::with_capacity(n);
        if let Some(&(at, number)) = self.marks.get(range.start / BLOCK).filter(|_| n > 0) {
            let mut lines = Lines::open(&self.path, at, number)?;
            lines.block(range.start % BLOCK, None)?;
            let block = lines.block(n, None)?;
            items = self.items(&block)?;
        }
        assembled(&self.file, self.header.clone(), items, self.expansion)
    }

    fn items(&self, block: &[(Vec<u8>, usize)]) -> Result<Vec<Item>, JsonlError> {
        let one = |(text, number): &(Vec<u8>, usize)| {
            item(&self.header, Field::line(&self.file, *number, &json(&self.file, *number, text)?))
        };
        let items: Vec<Result<Item, JsonlError>> = block.par_iter().with_min_len(16).map(one).collect();
        items.into_iter().collect()
    }
}

/// Names that the header leaves to the lines.
struct Names {
    classes: BTreeSet<String>,
    categories: Vec<BTreeSet<String>>,
    open_classes: bool,
    open_categories: Vec<bool>,
}

impl Names {
    fn new(header: &Header) -> Self {
        let open = |column: &super::header::ColumnHeader| {
            matches!(column.kind, ColumnKind::Labels { categories: None })
        };
        Self {
            classes: BTreeSet::new(),
            categories: vec![BTreeSet::new(); header.columns.len()],
            open_classes: matches!(header.target, TargetKind::Class { names: None }),
            open_categories: header.columns.iter().map(open).collect(),
        }
    }

    fn add(&mut self, items: &[Item]) {
        for item in items {
            match &item.target {
                Some(Target::Class(name)) if self.open_classes && !self.classes.contains(name) => {
                    self.classes.insert(name.clone());
                }
                _ => {}
            }
            let columns = item.values.iter().zip(&self.open_categories).zip(&mut self.categories);
            for ((values, open), known) in columns {
                if let (Values::Labels(names), true) = (values, open) {
                    for name in names {
                        if !known.contains(name) {
                            known.insert(name.clone());
                        }
                    }
                }
            }
        }
    }

    fn fill(self, header: &mut Header) {
        let sorted = |names: &BTreeSet<String>| sorted_names(names.iter().map(String::as_str));
        if let TargetKind::Class { names: names @ None } = &mut header.target {
            *names = Some(sorted(&self.classes));
        }
        for (column, found) in header.columns.iter_mut().zip(&self.categories) {
            if let ColumnKind::Labels { categories: categories @ None } = &mut column.kind {
                *categories = Some(sorted(found));
            }
        }
    }
}

/// The lines of a file that are not blank, one after the other.
struct Lines<'a> {
    path: &'a Path,
    file: BufReader<File>,
    at: u64,
    number: usize,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path, at: u64, number: usize) -> Result<Self, JsonlError> {
        let open = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(at))?;
            Ok(BufReader::with_capacity(1 << 18, file))
        };
        let file = open().map_err(|source| JsonlError::Io { path: path.to_owned(), source })?;
        Ok(Self { path, file, at, number })
    }

    /// The next line and its number.
    fn next(&mut self, mut sum: Option<&mut Sha256>) -> Result<Option<(Vec<u8>, usize)>, JsonlError> {
        loop {
            let mut line = Vec::new();
            let read = self.file.read_until(b'\n', &mut line);
            let read = read.map_err(|source| JsonlError::Io { path: self.path.to_owned(), source })?;
            if read == 0 {
                return Ok(None);
            }
            if let Some(sum) = &mut sum {
                sum.update(&line);
            }
            let begins = if self.at == 0 { text::tidy(&line) } else { &line };
            let tidy = begins.trim_ascii();
            self.at += read as u64;
            self.number += 1;
            if !tidy.is_empty() {
                return Ok(Some((tidy.to_vec(), self.number)));
            }
        }
    }

    fn block(&mut self, n: usize, mut sum: Option<&mut Sha256>) -> Result<Vec<(Vec<u8>, usize)>, JsonlError> {
        let mut block = Vec::new();
        while block.len() < n {
            match self.next(sum.as_deref_mut())? {
                Some(line) => block.push(line),
                None => break,
            }
        }
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::builtin;
    use crate::jsonl;
    use hodgelet::dataset::{ColumnValues, Targets};

    #[test]
    fn parts_are_the_parts_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.jsonl");
        let mut recipe = builtin("vector-fields").unwrap();
        recipe.set("n_fields=700").unwrap();
        recipe.set("n_vertices=12").unwrap();
        jsonl::write(&path, &recipe.generate(3).unwrap(), &[]).unwrap();
        let whole = jsonl::read(&path).unwrap();
        let parts = JsonlParts::open(&path, None).unwrap();
        assert_eq!(parts.len(), 700);
        for range in [0..700, 0..1, 255..257, 256..512, 511..700, 690..900, 700..800] {
            let part = parts.read(range.clone()).unwrap();
            let wanted: Vec<usize> = range.filter(|&i| i < 700).collect();
            assert_eq!(part.dataset, whole.dataset.select(&wanted));
        }
    }

    #[test]
    fn names_are_those_of_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let mut text = String::from(
            "\u{feff}{\"hodgelet\": 1, \"target\": \"class\", \"columns\": [{\"name\": \"l\", \"dim\": 0, \"kind\": \"labels\"}]}\r\n\n",
        );
        for i in 0..600 {
            let (label, class) = (if i == 599 { "Z" } else { "C" }, if i == 0 { "b" } else { "a" });
            text += &format!(
                "{{\"vertices\": 1, \"signals\": {{\"0\": {{\"l\": [\"{label}\"]}}}}, \"target\": \"{class}\"}}\n\n"
            );
        }
        std::fs::write(&path, text.trim_end()).unwrap();
        let parts = JsonlParts::open(&path, None).unwrap();
        let part = parts.read(300..302).unwrap().dataset;
        let ColumnValues::Labels { categories, codes } = &part.columns()[0].values else { panic!() };
        assert_eq!((categories.len(), codes), (2, &vec![0, 0]));
        assert_eq!(
            *part.targets(),
            Targets::Classes { names: vec!["a".into(), "b".into()], labels: vec![0, 0] }
        );
        let whole = jsonl::read(&path).unwrap().dataset;
        assert_eq!(parts.read(0..600).unwrap().dataset, whole);
    }

    #[test]
    fn a_fault_names_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let mut text = String::from("{\"hodgelet\": 1}\n");
        text += &"{\"vertices\": 2, \"edges\": [[0, 1]]}\n".repeat(400);
        text += "{\"vertices\": 2, \"edges\": [[0, 5]]}\n";
        std::fs::write(&path, text).unwrap();
        let error = JsonlParts::open(&path, None).unwrap_err().to_string();
        assert!(error.contains("x.jsonl, line 402"), "{error}");
        std::fs::write(&path, "").unwrap();
        assert!(matches!(JsonlParts::open(&path, None), Err(JsonlError::Empty { .. })));
    }
}

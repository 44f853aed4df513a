//! Tables: molecules, targets, and what is known of each graph as a whole.

use super::{DatasetArgs, sizes};
use crate::error::CommandError;
use crate::homology::with_homology;
use crate::progress::{Terminal, check_interrupt};
use hodgelet_data::table::{TableParts, TableRead, is_table};
use hodgelet_data::targets::TargetOptions;
use hodgelet_data::{Read, gram, own};
use std::path::PathBuf;

impl DatasetArgs {
    /// The table of molecules that is named, if it is one, with what was guessed and left out said on `terminal`.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when it cannot be read, or is none and flags for one are given.
    pub fn read_table(&self, terminal: Option<Terminal>) -> Result<Option<TableRead>, CommandError> {
        let Some(path) = self.molecules()? else { return Ok(None) };
        let mut read = self.table.read(&path, terminal)?;
        check_interrupt()?;
        read.read = self.with_tables(read.read)?;
        if let Some(terminal) = terminal {
            terminal.detail(|| sizes(&read.read));
        }
        Ok(Some(read))
    }

    /// The table of targets of the dataset, if it has one, and how it is read.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub fn target_table(&self) -> Result<Option<(PathBuf, TargetOptions)>, CommandError> {
        let path = self.located();
        let options = self.options()?;
        let table = path.and_then(|path| self.network.target_table(&path, &options));
        Ok(table.map(|table| (table, options.targets)))
    }

    /// The table of molecules that is named, to be predicted some rows at a time: if it is one, and nothing that is asked for
    /// needs all rows.
    ///
    /// # Errors
    ///
    /// As for [`read_table`](Self::read_table).
    pub fn table_parts(&self) -> Result<Option<TableParts>, CommandError> {
        let needs_all = self.columns.is_some()
            || self.fingerprints.is_some()
            || !self.grams.is_empty()
            || !self.homology.is_empty()
            || !self.table.target.is_empty();
        match self.molecules()?.filter(|_| !needs_all) {
            Some(path) => self.table.parts(&path).map(Some),
            None => Ok(None),
        }
    }

    /// The file of a table of molecules, if one is named.
    fn molecules(&self) -> Result<Option<PathBuf>, CommandError> {
        let path = self.located();
        let options = self.options()?;
        self.check_useful(path.as_deref(), &options)?;
        let is_molecules =
            |path: &PathBuf| path.is_file() && is_table(path) && !self.is_network(path, &options);
        let Some(path) = path.filter(is_molecules) else { return Ok(None) };
        self.check_no_settings()?;
        Ok(Some(path))
    }

    /// The same with what tables say of its graphs.
    pub(super) fn with_tables(&self, read: Read) -> Result<Read, CommandError> {
        let Read { mut dataset, report, ids, goals } = read;
        if let Some(path) = &self.columns {
            dataset = own::with_columns(dataset, path, &ids)?;
        }
        if let Some(path) = &self.fingerprints {
            dataset = own::with_fingerprints(dataset, path, &ids)?;
        }
        for (g, path) in self.grams.iter().enumerate() {
            dataset = match &self.gram_sizes {
                None => gram::with_gram(dataset, path, (g > 0).then(|| (g + 1).to_string()).as_deref())?,
                Some(sizes) => match sizes.get(g) {
                    Some((name, n)) => gram::with_gram_rows(dataset, path, name, *n)?,
                    None => {
                        let message =
                            format!("--grams {}, but the model has {}", path.display(), sizes.len());
                        return Err(CommandError::usage(
                            message,
                            Some("`hodgelet info MODEL` lists its blocks"),
                        ));
                    }
                },
            };
        }
        dataset = with_homology(dataset, &self.homology)?;
        Ok(Read { dataset, report, ids, goals })
    }
}

//! Files that appear whole or not at all, and that replace only what they may.
//!
//! Every file of the libraries and of the command is written here. A file is written beside its place and moved there once it is
//! complete. What stands in its place decides whether that happens:
//!
//! - a symbolic link is followed, also one whose target is not there yet;
//! - a device, a pipe or a socket is written to as it is, never replaced;
//! - a file of the same [`Kind`] is replaced and keeps its permissions; so is an empty one;
//! - any other file, one that is read-only and one that has several names (hard links) is refused, unless
//!   [`forced`](Output::forced).
//!
//! A file that is being written is locked. What a killed run left is not, and the next file in the same folder removes it.

mod error;
mod kind;
mod staged;
mod unfinished;

pub use error::OutputError;
pub use kind::Kind;
pub use staged::Staged;
pub use unfinished::remove_unfinished;

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file to be written: where, what it will hold, and whether it may replace anything.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    path: &'a Path,
    kind: Kind,
    force: bool,
}

impl<'a> Output<'a> {
    /// A file at `path` that replaces an empty file or one of its own kind.
    #[must_use]
    pub fn new(path: &'a Path, kind: Kind) -> Self {
        Self { path, kind, force: false }
    }

    /// The same file, which replaces any other if `force` is true.
    #[must_use]
    pub fn forced(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Whether the file can be written, as far as can be told before: asked before a long computation.
    ///
    /// # Errors
    ///
    /// [`OutputError`] as of [`stage`](Self::stage).
    pub fn check(&self) -> Result<(), OutputError> {
        staged::Place::of(self).map(drop)
    }

    /// Refuses a place that is one of the files in `inputs`, under any of its names, whether forced or not.
    ///
    /// # Errors
    ///
    /// [`OutputError::IsInput`].
    pub fn check_inputs<P: AsRef<Path>>(
        &self,
        inputs: impl IntoIterator<Item = P>,
    ) -> Result<(), OutputError> {
        let is_same = |input: &P| is_same_file(self.path, input.as_ref());
        match inputs.into_iter().find(is_same) {
            Some(_) => Err(OutputError::IsInput { path: self.path.to_owned() }),
            None => Ok(()),
        }
    }

    /// Writes the file beside its place without moving it there yet.
    ///
    /// # Errors
    ///
    /// [`OutputError`] when the place is taken by something that may not be replaced, or the system refuses; nothing is left
    /// behind.
    pub fn stage(
        &self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Staged, OutputError> {
        Staged::write(self, write)
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    ///
    /// As [`stage`](Self::stage).
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), OutputError> {
        self.stage(write)?.place()
    }

    /// Where the file will be: the path with symbolic links followed, or none for a device or a pipe.
    ///
    /// # Errors
    ///
    /// [`OutputError`] as of [`stage`](Self::stage).
    pub fn resolved(&self) -> Result<Option<PathBuf>, OutputError> {
        Ok(match staged::Place::of(self)? {
            staged::Place::File { to, .. } => Some(to),
            staged::Place::Straight => None,
        })
    }

    /// Moves a file that is complete to the place of this one.
    ///
    /// # Errors
    ///
    /// As [`stage`](Self::stage).
    pub fn adopt(&self, complete: &Path) -> Result<(), OutputError> {
        staged::adopt(self, complete)
    }

    fn io(&self, source: std::io::Error) -> OutputError {
        OutputError::Io { path: self.path.to_owned(), source }
    }
}

/// Whether two paths name one file or folder that exists, by whatever links.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (std::fs::metadata(a), std::fs::metadata(b)) {
        #[cfg(unix)]
        (Ok(a), Ok(b)) => {
            use std::os::unix::fs::MetadataExt;
            // A terminal, `/dev/null` and the like are no file that could be lost.
            (a.is_file() || a.is_dir()) && a.dev() == b.dev() && a.ino() == b.ino()
        }
        #[cfg(not(unix))]
        (Ok(_), Ok(_)) => match (a.canonicalize(), b.canonicalize()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests;

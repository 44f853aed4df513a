//! From bytes to a file in its place.

use super::{Output, OutputError, unfinished};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Symbolic links that are followed, as the system does.
const MAX_LINKS: usize = 40;

/// A complete file that waits to be moved to its place; dropping it removes it.
#[derive(Debug)]
pub struct Staged {
    path: PathBuf,
    kind: super::Kind,
    force: bool,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File(NamedTempFile),
    /// What goes to a device or a pipe.
    Bytes(Vec<u8>),
}

/// Where a file goes.
pub(super) enum Place {
    /// A regular file, or nothing yet.
    File { to: PathBuf, old: Option<Metadata> },
    /// A device, a pipe or a socket.
    Straight,
}

impl Place {
    /// Where the file goes, if it may.
    pub(super) fn of(output: &Output<'_>) -> Result<Self, OutputError> {
        let path = || output.path.to_owned();
        let old = match std::fs::metadata(output.path) {
            Ok(old) if old.is_dir() => return Err(OutputError::Folder { path: path() }),
            Ok(old) if !old.is_file() => return Ok(Self::Straight),
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(output.io(error)),
        };
        let Some(to) = followed(output.path).map_err(|error| output.io(error))? else {
            return Ok(Self::Straight);
        };
        match &old {
            Some(old) if !output.force => check_old(output, &to, old)?,
            Some(_) => {}
            None if folder_of(&to).is_dir() => {}
            None => return Err(output.io(io::Error::new(io::ErrorKind::NotFound, "no such directory"))),
        }
        Ok(Self::File { to, old })
    }
}

/// Whether a file may be replaced without force.
fn check_old(output: &Output<'_>, to: &Path, old: &Metadata) -> Result<(), OutputError> {
    let path = || output.path.to_owned();
    if let Err(found) = output.kind.replaces(to).map_err(|error| output.io(error))? {
        return Err(OutputError::OtherKind { path: path(), found, expected: output.kind.name() });
    }
    if old.permissions().readonly() {
        return Err(OutputError::ReadOnly { path: path() });
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if old.nlink() > 1 {
            return Err(OutputError::HardLinks { path: path(), names: old.nlink() });
        }
    }
    Ok(())
}

/// The path with symbolic links followed; none for one of the open files of a process, which must not be replaced.
fn followed(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        if at.starts_with("/proc") || at.starts_with("/dev/fd") {
            return Ok(None);
        }
        match std::fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => at = folder_of(&at).join(std::fs::read_link(&at)?),
            _ => return Ok(Some(at)),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Staged {
    pub(super) fn write(
        output: &Output<'_>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, OutputError> {
        let failed = |error| output.io(error);
        let content = match Place::of(output)? {
            Place::Straight => {
                let mut bytes = Vec::new();
                write(&mut bytes).map_err(failed)?;
                Content::Bytes(bytes)
            }
            Place::File { to, .. } => {
                // The name of the temporary file says nothing to a user.
                let unnamed = |error: io::Error| output.io(error.kind().into());
                let file = unfinished::begin(folder_of(&to)).map_err(unnamed)?;
                let mut out = BufWriter::new(file.as_file());
                write(&mut out).and_then(|()| out.flush()).map_err(failed)?;
                drop(out);
                file.as_file().sync_all().map_err(failed)?;
                Content::File(file)
            }
        };
        Ok(Self { path: output.path.to_owned(), kind: output.kind, force: output.force, content })
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    ///
    /// [`OutputError`], also when something else has come into its place meanwhile.
    pub fn place(self) -> Result<(), OutputError> {
        let output = Output { path: &self.path, kind: self.kind, force: self.force };
        let failed = |error| output.io(error);
        match (self.content, Place::of(&output)?) {
            (Content::Bytes(bytes), Place::Straight) => straight(output.path, &bytes).map_err(failed),
            (Content::File(file), Place::File { to, old }) => {
                keep_attributes(file.as_file(), old.as_ref()).map_err(failed)?;
                file.persist(to).map(drop).map_err(|error| output.io(error.error))
            }
            _ => Err(output.io(io::Error::other("the place changed while the file was written"))),
        }
    }
}

/// Moves a complete file to its place.
pub(super) fn adopt(output: &Output<'_>, complete: &Path) -> Result<(), OutputError> {
    let failed = |error| output.io(error);
    match Place::of(output)? {
        Place::File { to, old } => {
            let file = OpenOptions::new().write(true).open(complete).map_err(failed)?;
            file.sync_all().and_then(|()| keep_attributes(&file, old.as_ref())).map_err(failed)?;
            std::fs::rename(complete, to).map_err(failed)
        }
        Place::Straight => Err(output.io(io::Error::other("the place changed while the file was written"))),
    }
}

/// Gives a file the permissions of the one that it replaces, and its owner where that is allowed.
fn keep_attributes(file: &File, old: Option<&Metadata>) -> io::Result<()> {
    let Some(old) = old else { return Ok(()) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only the administrator may; the file is as readable as before either way.
            let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

/// Writes to what is open already or is no file.
fn straight(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.flush()
}

//! One download of a dataset at a time.

use super::DownloadError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How often the file of a lock may vanish before it is held.
const TRIES: usize = 16;

/// A lock that lasts until it is dropped, or the process ends in whatever way.
pub(super) struct Lock {
    path: PathBuf,
    _file: Option<File>,
}

impl Lock {
    /// The lock with the file `path`, for the archive `of`.
    pub(super) fn take(path: &Path, of: &Path) -> Result<Self, DownloadError> {
        let failed = |error| DownloadError::file(path, error);
        for _ in 0..TRIES {
            let mut options = OpenOptions::new();
            let file = options.create(true).write(true).truncate(false).open(path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(DownloadError::Busy { path: of.to_owned() }),
                // A file system without locks.
                Err(TryLockError::Error(_)) => return Ok(Self { path: path.to_owned(), _file: None }),
            }
            // The run before may have removed the file between the two steps.
            if is_at(&file, path) {
                return Ok(Self { path: path.to_owned(), _file: Some(file) });
            }
        }
        Err(failed(io::Error::other("the file vanishes")))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is held: nobody else can take a file that is about to vanish for good.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether an open file is the one at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        match (file.metadata(), std::fs::metadata(path)) {
            (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

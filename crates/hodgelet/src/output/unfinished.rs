//! Files that are not whole yet: locked while they are written, removed when nobody holds the lock.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// What names of files that are not whole begin and end with.
const BEGIN: &str = ".hodgelet-";
const END: &str = ".tmp";
/// How often a new file may be taken for one that was left behind, before it has its lock.
const TRIES: usize = 16;

/// Folders that this process has looked through.
static LOOKED_THROUGH: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A new file in `folder`, locked; what killed runs left there is removed, the first time.
pub(super) fn begin(folder: &Path) -> io::Result<NamedTempFile> {
    let is_new = LOOKED_THROUGH.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned());
    if is_new {
        remove_unfinished(folder);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(BEGIN).suffix(END);
    #[cfg(unix)]
    {
        // As any new file: what the umask leaves.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    for _ in 0..TRIES {
        let file = builder.tempfile_in(folder)?;
        // Where there are no locks, files of killed runs stay.
        let is_locked = file.as_file().lock().is_ok();
        // Another run may have had the lock for a moment, and removed the file.
        if !is_locked || file.path().exists() {
            return Ok(file);
        }
    }
    Err(io::Error::other("new files vanish"))
}

/// Removes the files that killed runs left in `folder`: those whose lock is free.
pub fn remove_unfinished(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(BEGIN) && name.ends_with(END);
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(file) = File::open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            // What cannot be removed is in nobody's way.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

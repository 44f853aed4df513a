//! The files of a download: the archive, its recorded checksum, the part and the note about it.

use super::DownloadError;
use super::place::packing;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Paths of one dataset.
pub(super) struct Files {
    directory: PathBuf,
    pub(super) archive: PathBuf,  // NAME.zip
    pub(super) checksum: PathBuf, // NAME.zip.sha256
    pub(super) part: PathBuf,     // NAME.zip.part
    note: PathBuf,                // NAME.zip.part.json
    ending: &'static str,         // zip, or that of another packing
    pub(super) lock: PathBuf,     // NAME.zip.lock
}

/// Where a part came from: what must still hold for it to be continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) url: String,
    /// A strong entity tag or a date of modification.
    pub(super) validator: String,
    /// Bytes of the whole file, where the server said.
    pub(super) total: Option<u64>,
}

impl Files {
    pub(super) fn new(directory: &Path, name: &str) -> Self {
        let packed = packing(name).ending();
        let path = |ending: &str| directory.join(format!("{name}.{packed}{ending}"));
        Self {
            directory: directory.to_owned(),
            archive: path(""),
            checksum: path(".sha256"),
            part: path(".part"),
            note: path(".part.json"),
            lock: path(".lock"),
            ending: packed,
        }
    }

    /// Makes the directory.
    pub(super) fn make_directory(&self) -> Result<(), DownloadError> {
        fs::create_dir_all(&self.directory).map_err(|e| DownloadError::file(&self.directory, e))
    }

    /// The note about the part and its length, where both exist and belong to `url`.
    pub(super) fn resumable(&self, url: &str) -> Option<(Note, u64)> {
        let note: Note = serde_json::from_slice(&fs::read(&self.note).ok()?).ok()?;
        let length = fs::metadata(&self.part).ok()?.len();
        (note.url == url && length > 0).then_some((note, length))
    }

    /// Writes the note, or removes it where the part cannot be continued.
    pub(super) fn write_note(&self, note: Option<&Note>) -> Result<(), DownloadError> {
        match note {
            Some(note) => {
                let text = serde_json::to_vec(note).map_err(|e| DownloadError::file(&self.note, e.into()))?;
                Self::write_whole(&self.note, &text)
            }
            None => remove(&self.note),
        }
    }

    /// Removes the part and its note.
    pub(super) fn remove_part(&self) -> Result<(), DownloadError> {
        remove(&self.part)?;
        remove(&self.note)
    }

    /// Removes a part that no later attempt could continue.
    pub(super) fn remove_useless_part(&self) -> Result<(), DownloadError> {
        let length = fs::metadata(&self.part).map_or(0, |meta| meta.len());
        if length == 0 || !self.note.exists() { self.remove_part() } else { Ok(()) }
    }

    /// Puts the verified part in place of the archive and records its checksum.
    pub(super) fn finish(&self, name: &str, sha256: &str) -> Result<(), DownloadError> {
        // The record of an archive that is replaced goes first: a record never outlives what it describes.
        remove(&self.checksum)?;
        fs::rename(&self.part, &self.archive).map_err(|e| DownloadError::file(&self.archive, e))?;
        remove(&self.note)?;
        self.record(name, sha256)
    }

    /// Records the checksum of the archive.
    pub(super) fn record(&self, name: &str, sha256: &str) -> Result<(), DownloadError> {
        Self::write_whole(&self.checksum, format!("{sha256}  {name}.{}\n", self.ending).as_bytes())
    }

    /// Writes a small file so that it is there whole or not at all.
    fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), DownloadError> {
        let mut draft = path.as_os_str().to_owned();
        draft.push(".tmp");
        let draft = PathBuf::from(draft);
        let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, path));
        written.map_err(|e| {
            // The first error is the one to report; what is left of the draft may be out of reach as well.
            let _ = fs::remove_file(&draft);
            DownloadError::file(path, e)
        })
    }
}

/// Removes a file that may not exist.
fn remove(path: &Path) -> Result<(), DownloadError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(DownloadError::file(path, e)),
        _ => Ok(()),
    }
}

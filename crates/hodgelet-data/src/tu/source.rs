//! Where the bytes of a TU dataset come from: a folder or a zip archive.
//!
//! Names of archive entries are only compared, never used as paths, and what an entry may inflate to is bounded.

use super::{File, Files, TuError};
use rayon::prelude::*;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Largest file read, 2 GiB: about 150 million arcs, far above any TU dataset.
pub const MAX_FILE_BYTES: u64 = 2 << 30;

/// Largest number of bytes read from one archive, 8 GiB.
pub const MAX_BYTES: u64 = 8 << 30;

/// An archive in memory; copies share its list of entries.
type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Bytes that one byte of a deflated stream can become.
const MAX_INFLATION: u64 = 1032;

/// Bytes that any archive may inflate to, and how often its own size it may beyond them. Archives of the TU collection inflate
/// to 5 to 10 times their size.
const FREE_BYTES: u64 = 64 << 20;
const MAX_RATIO: u64 = 100;

/// The files of a dataset in a folder, and its name.
pub(super) fn load_dir(dir: &Path) -> Result<(String, Files), TuError> {
    let io = |source| TuError::Io { path: dir.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(io)? {
        names.extend(entry.map_err(io)?.file_name().into_string());
    }
    let name = dataset_name(dir, names.iter().map(String::as_str))?;
    let mut files = Files::default();
    for file in File::ALL {
        let file_name = file.name(&name);
        if names.contains(&file_name) {
            files.set(file, read_file(&dir.join(&file_name), &file_name)?);
        }
    }
    Ok((name, files))
}

fn read_file(path: &Path, file: &str) -> Result<Vec<u8>, TuError> {
    let io = |source| TuError::Io { path: path.to_owned(), source };
    let opened = fs::File::open(path).map_err(io)?;
    let declared = opened.metadata().map_err(io)?.len();
    bounded(opened, declared, MAX_FILE_BYTES, file).map_err(|error| error.unwrap_or_else(io))
}

/// The files of a dataset in an archive, and its name.
pub(super) fn load_zip(path: &Path) -> Result<(String, Files), TuError> {
    let io = |source| TuError::Io { path: path.to_owned(), source };
    let length = fs::metadata(path).map_err(io)?.len();
    if length > MAX_FILE_BYTES {
        return Err(TuError::TooLarge { file: path.display().to_string(), limit: MAX_FILE_BYTES });
    }
    unpack(path, &fs::read(path).map_err(io)?)
}

/// The files of a dataset in the bytes of an archive, and its name; `path` is for its name and messages.
pub(super) fn unpack(path: &Path, bytes: &[u8]) -> Result<(String, Files), TuError> {
    let zip = |source| TuError::Zip { path: path.to_owned(), source };
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(zip)?;
    let entries: Vec<String> = archive
        .file_names()
        .collect::<Result<Vec<_>, _>>()
        .map_err(zip)?
        .into_iter()
        .map(Into::into)
        .collect();
    if let Some(listed) = super::archive::entries_listed(bytes).filter(|&n| n != entries.len() as u64) {
        return Err(TuError::RepeatedEntries { path: path.to_owned(), listed, names: entries.len() });
    }
    let name = dataset_name(path, entries.iter().map(|entry| base_name(entry)))?;
    let wanted: Vec<(File, &str)> = File::ALL
        .into_iter()
        .filter_map(|file| Some((file, find_entry(&entries, &file.name(&name))?)))
        .collect();
    let limits = limits(archive.clone(), path, &wanted)?;
    let (inflated, length) = (limits.iter().sum::<u64>(), bytes.len() as u64);
    if inflated > FREE_BYTES && inflated > length.saturating_mul(MAX_RATIO) {
        return Err(TuError::Inflation { path: path.to_owned(), length, inflated });
    }
    let unpacked: Vec<Result<Vec<u8>, TuError>> = wanted
        .par_iter()
        .zip(limits)
        .map(|(&(_, entry), limit)| inflate(archive.clone(), path, entry, limit))
        .collect();
    let mut files = Files::default();
    for ((file, _), bytes) in wanted.into_iter().zip(unpacked) {
        files.set(file, bytes?);
    }
    Ok((name, files))
}

/// Largest size each entry may inflate to, as it declares; too much in all is refused before anything is read.
fn limits(mut archive: Archive<'_>, path: &Path, wanted: &[(File, &str)]) -> Result<Vec<u64>, TuError> {
    let mut total = 0u64;
    let mut limit = |&(_, entry): &(File, &str)| {
        let opened =
            archive.by_name(entry).map_err(|source| TuError::Zip { path: path.join(entry), source })?;
        total = total.saturating_add(opened.size());
        match (opened.size(), total) {
            (size, _) if size > MAX_FILE_BYTES => {
                Err(TuError::TooLarge { file: entry.to_owned(), limit: MAX_FILE_BYTES })
            }
            (_, total) if total > MAX_BYTES => {
                Err(TuError::TooLarge { file: path.display().to_string(), limit: MAX_BYTES })
            }
            (size, _) => Ok(size),
        }
    };
    wanted.iter().map(&mut limit).collect()
}

fn inflate(mut archive: Archive<'_>, path: &Path, entry: &str, limit: u64) -> Result<Vec<u8>, TuError> {
    let place = path.join(entry);
    let opened = archive.by_name(entry).map_err(|source| TuError::Zip { path: place.clone(), source })?;
    let declared = limit.min(opened.compressed_size().saturating_mul(MAX_INFLATION));
    bounded(opened, declared, limit, entry)
        .map_err(|error| error.unwrap_or_else(|source| TuError::Io { path: place, source }))
}

/// Everything `reader` holds, at most `limit` bytes of it.
fn bounded(reader: impl Read, declared: u64, limit: u64, file: &str) -> Result<Vec<u8>, BoundedError> {
    let mut bytes = Vec::with_capacity(declared.min(limit) as usize + 1);
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(BoundedError::Io)?;
    if bytes.len() as u64 > limit {
        return Err(BoundedError::Tu(TuError::TooLarge { file: file.to_owned(), limit }));
    }
    Ok(bytes)
}

enum BoundedError {
    Io(std::io::Error),
    Tu(TuError),
}

impl BoundedError {
    fn unwrap_or_else(self, io: impl FnOnce(std::io::Error) -> TuError) -> TuError {
        match self {
            Self::Io(source) => io(source),
            Self::Tu(error) => error,
        }
    }
}

/// The name all files of a dataset start with: that of the folder or archive if such files are there,
/// otherwise the only one there is.
fn dataset_name<'a>(place: &Path, files: impl Iterator<Item = &'a str>) -> Result<String, TuError> {
    let arcs = File::Arcs.name("");
    let mut names: Vec<&str> =
        files.filter(|f| !f.starts_with('.')).filter_map(|f| f.strip_suffix(arcs.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    let own = stem(place);
    match names[..] {
        _ if names.contains(&own.as_str()) => Ok(own),
        [name] => Ok(name.to_owned()),
        [] => Err(TuError::Missing { file: File::Arcs.name(&own), place: place.to_owned() }),
        _ => Err(TuError::Ambiguous {
            place: place.to_owned(),
            names: names.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// Last part of a path, without `.zip`.
fn stem(place: &Path) -> String {
    // `.` and `..` have no last part until resolved
    let resolved: PathBuf = match place.file_name() {
        Some(_) => place.to_owned(),
        None => fs::canonicalize(place).unwrap_or_default(),
    };
    let name = resolved.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(".zip").map(str::to_owned).unwrap_or(name)
}

/// Last part of an entry's name.
fn base_name(entry: &str) -> &str {
    entry.rsplit('/').next().unwrap_or(entry)
}

/// The entry with the given last part, in the outermost folder.
fn find_entry<'a>(entries: &'a [String], file: &str) -> Option<&'a str> {
    let found = entries.iter().filter(|entry| base_name(entry) == file);
    found.min_by_key(|entry| entry.matches('/').count()).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_the_limit() {
        let read = |limit| bounded(&b"0123456789"[..], 3, limit, "DS_A.txt");
        assert_eq!(read(10).ok().as_deref(), Some(&b"0123456789"[..]));
        let error = read(9).unwrap_err().unwrap_or_else(|_| unreachable!("memory can be read"));
        assert_eq!(error.to_string(), "DS_A.txt has more than 9 bytes, the largest size that is read");
    }
}

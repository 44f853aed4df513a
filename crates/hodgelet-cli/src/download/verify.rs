//! Verifies files: SHA-256 checksums, zip archives and gzip files.

use super::DownloadError;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use zip::ZipArchive;

/// SHA-256 checksum of a file, in lower-case hexadecimal.
pub(super) fn sha256(path: &Path) -> Result<String, DownloadError> {
    let digest = || -> io::Result<_> {
        let mut file = File::open(path)?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let n = file.read(&mut buffer)?;
            if n == 0 {
                return Ok(hasher.finalize());
            }
            hasher.update(&buffer[..n]);
        }
    };
    let digest = digest().map_err(|e| DownloadError::file(path, e))?;
    Ok(digest.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    }))
}

/// Checks that a file is a zip archive with entries, reading each to its end, where its CRC-32 is compared.
pub(super) fn check_zip(path: &Path, max_bytes: u64) -> Result<(), DownloadError> {
    let invalid = |reason: String| DownloadError::Zip { path: path.to_owned(), reason };
    let file = File::open(path).map_err(|e| DownloadError::file(path, e))?;
    let mut archive = ZipArchive::new(io::BufReader::new(file))
        .map_err(|_| invalid("found no directory of entries that can be read".to_owned()))?;
    if archive.is_empty() {
        return Err(invalid("it has no entries".to_owned()));
    }
    let mut left = max_bytes;
    for i in 0..archive.len() {
        let entry = archive.by_index(i).map_err(|e| invalid(format!("entry {i}: {e}")))?;
        let name = entry.name().map_err(|e| invalid(format!("entry {i}: {e}")))?.into_owned();
        // Reading one byte more than allowed shows whether the limit is exceeded.
        let read = io::copy(&mut entry.take(left.saturating_add(1)), &mut io::sink());
        let read = read.map_err(|e| invalid(format!("entry `{name}`: {e}")))?;
        left = left
            .checked_sub(read)
            .ok_or_else(|| invalid(format!("more than {max_bytes} bytes when unpacked")))?;
    }
    Ok(())
}

/// Checks that a file is one that gzip wrote, reading it to its end, where its CRC-32 is compared.
pub(super) fn check_gzip(path: &Path, max_bytes: u64) -> Result<(), DownloadError> {
    let invalid = |reason: String| DownloadError::Gzip { path: path.to_owned(), reason };
    let file = File::open(path).map_err(|e| DownloadError::file(path, e))?;
    let unpacked = MultiGzDecoder::new(io::BufReader::new(file)).take(max_bytes.saturating_add(1));
    let read = io::copy(&mut { unpacked }, &mut io::sink()).map_err(|e| invalid(e.to_string()))?;
    match read {
        0 => Err(invalid("it is empty".to_owned())),
        n if n > max_bytes => Err(invalid(format!("more than {max_bytes} bytes when unpacked"))),
        _ => Ok(()),
    }
}

//! What can go wrong with a download.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with a download.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DownloadError {
    /// The name cannot be that of a dataset.
    #[error("dataset name `{found}`, expected letters, digits, `-`, `_`, `+` and `.`, not `.` first")]
    Name {
        /// What was found.
        found: String,
    },
    /// The address is not one this program can use.
    #[error("address `{found}`, expected http:// or https:// and a host")]
    Url {
        /// What was found.
        found: String,
    },
    /// A checksum is malformed.
    #[error("SHA-256 checksum `{found}`, expected 64 hexadecimal digits")]
    Checksum {
        /// What was found.
        found: String,
    },
    /// The server has no such file.
    #[error("{url} does not exist (the server answered {status})")]
    NotFound {
        /// The address.
        url: String,
        /// Status of the answer.
        status: u16,
    },
    /// The server answered with an unexpected status.
    #[error("{url}: the server answered with status {status}")]
    Status {
        /// The address.
        url: String,
        /// Status of the answer.
        status: u16,
    },
    /// The connection failed or was lost.
    #[error("{url}: {reason}")]
    Connection {
        /// The address.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The file ended early.
    #[error("{url}: {received} of {expected} bytes arrived")]
    Truncated {
        /// The address.
        url: String,
        /// Bytes on the disk.
        received: u64,
        /// Bytes announced.
        expected: u64,
    },
    /// The server contradicts itself about which bytes it sends.
    #[error("{url}: asked for the bytes from {asked} on, the server sent `{found}`")]
    WrongRange {
        /// The address.
        url: String,
        /// First byte asked for.
        asked: u64,
        /// The range announced.
        found: String,
    },
    /// The file is larger than allowed.
    #[error("{url}: more than {limit} bytes")]
    TooLarge {
        /// The address.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// The checksum differs.
    #[error("{}: SHA-256 checksum {found}, expected {expected}", path.display())]
    ChecksumMismatch {
        /// The file.
        path: PathBuf,
        /// Checksum expected.
        expected: String,
        /// Checksum found.
        found: String,
    },
    /// A file in the archive is not the one of the collection.
    #[error("{}: SHA-256 checksum of {file} is {found}, expected {expected}", path.display())]
    Pinned {
        /// The archive.
        path: PathBuf,
        /// The file in it.
        file: String,
        /// Checksum of the file of the collection.
        expected: String,
        /// Checksum found.
        found: String,
    },
    /// The archive holds something else than the dataset of this name.
    #[error("{}: {what} is {found}, but {expected} is that of {name}", path.display())]
    Content {
        /// The archive.
        path: PathBuf,
        /// Name of the dataset.
        name: String,
        /// What was compared.
        what: &'static str,
        /// What was found.
        found: String,
        /// What the table of the collection has.
        expected: String,
    },
    /// Another run is downloading the same dataset.
    #[error("{}: another download of it is running", path.display())]
    Busy {
        /// The archive.
        path: PathBuf,
    },
    /// The file is not a valid zip archive.
    #[error("{}: not a valid zip archive: {reason}", path.display())]
    Zip {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is not one that gzip wrote.
    #[error("{}: not a whole gzip file: {reason}", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No space is left.
    #[error("{}: no space left on the disk", path.display())]
    DiskFull {
        /// The file being written.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl DownloadError {
    /// What to do about it, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. } => {
                Some("names are case-sensitive; `hodgelet datasets list` shows the common ones")
            }
            Self::Connection { .. } | Self::Truncated { .. } | Self::Cancelled => {
                Some("run the same command again to continue where it stopped")
            }
            Self::Pinned { .. } => Some(
                "if the collection has published a new version, --unpinned takes it after comparing counts",
            ),
            Self::Busy { .. } => Some("wait for it"),
            Self::ChecksumMismatch { .. } => {
                Some("if the dataset was replaced on purpose, download it again or give the new checksum")
            }
            _ => None,
        }
    }

    /// Whether another attempt may succeed.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::Truncated { .. } | Self::WrongRange { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500..=599),
            _ => false,
        }
    }

    /// A failure to read or write a file.
    pub(super) fn file(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::File { path, source },
        }
    }

    /// A failure of the connection.
    pub(super) fn connection(url: &str, error: ureq::Error) -> Self {
        let url = url.to_owned();
        match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => Self::Url { found: url },
            error => Self::Connection { url, reason: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://host/SET.zip";

    #[test]
    fn messages_say_what_was_found() {
        let range = DownloadError::WrongRange { url: URL.into(), asked: 7, found: "bytes 5-9/10".into() };
        assert_eq!(
            range.to_string(),
            "http://host/SET.zip: asked for the bytes from 7 on, the server sent `bytes 5-9/10`"
        );
        let lost = DownloadError::connection(URL, ureq::Error::HostNotFound);
        assert_eq!(lost.to_string(), "http://host/SET.zip: host not found");
        let denied = io::Error::new(io::ErrorKind::PermissionDenied, "permission denied");
        let file = DownloadError::file(Path::new("data/SET.zip"), denied);
        assert_eq!(file.to_string(), "data/SET.zip: permission denied");
        assert_eq!(DownloadError::Cancelled.to_string(), "cancelled");
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let status = |status| DownloadError::Status { url: URL.into(), status };
        assert!([408, 429, 500, 503].into_iter().all(|s| status(s).is_transient()));
        assert!(![400, 401, 403].into_iter().any(|s| status(s).is_transient()));
        assert!(!DownloadError::NotFound { url: URL.into(), status: 404 }.is_transient());
        assert!(!DownloadError::DiskFull { path: "data".into() }.is_transient());
        assert!(!DownloadError::Cancelled.is_transient());
    }
}

//! Settings of a download.

use super::{DownloadError, place};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of a download, not yet validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DownloadParams {
    /// Name of the dataset.
    pub name: String,
    /// Directory the archive goes to; made where it does not exist.
    pub data_dir: PathBuf,
    /// Address of the directory that holds `<name>.zip`, or the file of a release of MANTRA.
    pub base_url: String,
    /// SHA-256 checksum the archive must have, in hexadecimal.
    pub sha256: Option<String>,
    /// Do not compare the files with pinned checksums.
    pub unpinned: bool,
    /// Download again even if the archive is there.
    pub force: bool,
    /// Attempts after the first one, each continuing the last.
    pub retries: u32,
    /// Pause before the second attempt; it doubles from one to the next, up to 30 s.
    pub first_pause: Duration,
    /// Longest wait for a connection, for the answer to start, and between two pieces of it.
    pub timeout: Duration,
    /// Largest archive accepted, in bytes, packed and unpacked.
    pub max_bytes: u64,
    /// Largest archive accepted from a server that does not say how large it is, in bytes.
    pub max_unstated_bytes: u64,
}

impl DownloadParams {
    /// Settings for the public collection: four retries, a timeout of 30 s, at most 64 GiB.
    #[must_use]
    pub fn new(name: impl Into<String>, data_dir: impl Into<PathBuf>) -> Self {
        let name = name.into();
        let base_url = place::base_url(&name).to_owned();
        Self {
            name,
            data_dir: data_dir.into(),
            base_url,
            sha256: None,
            unpinned: false,
            force: false,
            retries: 4,
            first_pause: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            max_bytes: 64 << 30,
            max_unstated_bytes: 1 << 30,
        }
    }

    /// The settings a download can be started with, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`DownloadError`] when the name, the address or the checksum is malformed.
    pub fn check(mut self) -> Result<CheckedDownload, DownloadError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_+.".contains(c);
        let length = 1..=100;
        if !length.contains(&self.name.len()) || self.name.starts_with('.') || !self.name.chars().all(allowed)
        {
            return Err(DownloadError::Name { found: self.name });
        }
        let host = self.base_url.strip_prefix("https://").or_else(|| self.base_url.strip_prefix("http://"));
        if host.is_none_or(|host| host.is_empty() || host.starts_with('/')) {
            return Err(DownloadError::Url { found: self.base_url });
        }
        self.sha256 = self.sha256.as_deref().map(parsed_sha256).transpose()?;
        Ok(CheckedDownload(self))
    }
}

/// Valid settings; only [`DownloadParams::check`] makes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedDownload(pub(super) DownloadParams);

impl CheckedDownload {
    /// Address of the archive.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/{}", self.0.base_url.trim_end_matches('/'), place::remote_file(&self.0.name))
    }
}

/// A checksum in lower case, from its digits alone or from a line as `sha256sum` writes it.
pub(super) fn parsed_sha256(text: &str) -> Result<String, DownloadError> {
    let digits = text.split_whitespace().next().unwrap_or("");
    if digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        Ok(digits.to_ascii_lowercase())
    } else {
        let found = text.trim().chars().take(80).collect();
        Err(DownloadError::Checksum { found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        let message = |params: DownloadParams| params.check().unwrap_err().to_string();
        let base = || DownloadParams::new("MUTAG", "data");
        for name in ["", "../MUTAG", ".hidden", "a/b", "a b", "é"] {
            let expected = format!(
                "dataset name `{name}`, expected letters, digits, `-`, `_`, `+` and `.`, not `.` first"
            );
            assert_eq!(message(DownloadParams { name: name.into(), ..base() }), expected);
        }
        assert_eq!(
            message(DownloadParams { base_url: "ftp://host".into(), ..base() }),
            "address `ftp://host`, expected http:// or https:// and a host"
        );
        assert!(DownloadParams { base_url: "https://".into(), ..base() }.check().is_err());
        assert_eq!(
            message(DownloadParams { sha256: Some("abc".into()), ..base() }),
            "SHA-256 checksum `abc`, expected 64 hexadecimal digits"
        );
    }

    #[test]
    fn the_default_address_is_that_of_the_collection() {
        let url = DownloadParams::new("IMDB-BINARY", "data").check().unwrap().url();
        assert_eq!(url, "https://www.chrsmrrs.com/graphkerneldatasets/IMDB-BINARY.zip");
        let url = DownloadParams::new("mantra-2d", "data").check().unwrap().url();
        assert_eq!(url, "https://github.com/aidos-lab/MANTRA/releases/latest/download/2_manifolds.json.gz");
    }

    #[test]
    fn a_checksum_may_come_as_a_line_of_sha256sum() {
        let digits = "AB".repeat(32);
        let line = format!("{digits}  MUTAG.zip\n");
        assert_eq!(parsed_sha256(&line).unwrap(), digits.to_lowercase());
    }
}

//! The download from beginning to end: what is there, attempts, verification, the rename.

use super::content;
use super::files::Files;
use super::lock::Lock;
use super::params::parsed_sha256;
use super::place::{Packing, packing};
use super::transfer::{Attempt, Watch, agent, small_text};
use super::verify::{check_gzip, check_zip, sha256};
use super::{CheckedDownload, ChecksumSource, DownloadError, Downloaded, Progress};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How often a pause checks whether it was cancelled.
const TICK: Duration = Duration::from_millis(50);

impl CheckedDownload {
    /// Fetches the archive, or verifies the one that is there.
    ///
    /// `watch` is told of the progress, about every 64 KiB; when it breaks, the download stops and can be continued
    /// later.
    ///
    /// # Errors
    ///
    /// [`DownloadError`]. The archive and its recorded checksum are then as they were; a part is left only where a
    /// later call can continue it.
    pub fn fetch(
        &self,
        mut watch: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Downloaded, DownloadError> {
        let files = Files::new(&self.0.data_dir, &self.0.name);
        if files.archive.exists() && !self.0.force {
            return self.verify_existing(&files);
        }
        files.make_directory()?;
        let _lock = Lock::take(&files.lock, &files.archive)?;
        let result = self.receive(&files, &mut watch);
        if result.is_err() {
            files.remove_useless_part()?;
        }
        let expected = result?;
        let verified = self.verify(&files.part, expected).and_then(|found| {
            content::check(&files.part, &self.0.name, self.0.unpinned)?;
            Ok(found)
        });
        let (found, compared_with) = verified.or_else(|error| {
            // What fails verification cannot be continued by a later attempt either.
            files.remove_part()?;
            Err(error)
        })?;
        files.finish(&self.0.name, &found)?;
        Ok(Downloaded { path: files.archive, sha256: found, compared_with, was_there: false })
    }

    /// Verifies an archive that is there against the checksum given or recorded.
    fn verify_existing(&self, files: &Files) -> Result<Downloaded, DownloadError> {
        let recorded = match std::fs::read_to_string(&files.checksum) {
            Ok(text) => Some((parsed_sha256(&text)?, ChecksumSource::Recorded)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(DownloadError::file(&files.checksum, e)),
        };
        let given = self.0.sha256.clone().map(|sum| (sum, ChecksumSource::Given));
        let unrecorded = recorded.is_none();
        let (found, compared_with) = self.verify(&files.archive, given.or(recorded))?;
        if unrecorded {
            content::check(&files.archive, &self.0.name, self.0.unpinned)?;
            files.record(&self.0.name, &found)?;
        }
        Ok(Downloaded { path: files.archive.clone(), sha256: found, compared_with, was_there: true })
    }

    /// Receives the part in as many attempts as are allowed; returns the checksum it must have.
    fn receive(
        &self,
        files: &Files,
        watch: &mut Watch<'_>,
    ) -> Result<Option<(String, ChecksumSource)>, DownloadError> {
        let url = self.url();
        let agent = agent(&url, self.0.timeout);
        let mut pause = self.0.first_pause.min(LONGEST_PAUSE);
        let mut number = 1;
        loop {
            let (max_bytes, max_unstated_bytes) = (self.0.max_bytes, self.0.max_unstated_bytes);
            let attempt = Attempt { agent: &agent, url: &url, files, max_bytes, max_unstated_bytes, number };
            match attempt.run(watch) {
                Ok(()) => break,
                Err(error) if error.is_transient() && number <= self.0.retries => {
                    let received = files.resumable(&url).map_or(0, |(_, length)| length);
                    sleep(pause, Progress { received, total: None, attempt: number }, watch)?;
                }
                Err(error) => return Err(error),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            number += 1;
        }
        match &self.0.sha256 {
            Some(sum) => Ok(Some((sum.clone(), ChecksumSource::Given))),
            // A server that answers every address with a page has no checksum to offer.
            None => Ok(small_text(&agent, &format!("{url}.sha256"))
                .and_then(|text| parsed_sha256(&text).ok())
                .map(|sum| (sum, ChecksumSource::Server))),
        }
    }

    /// Checksum of a file, after comparing it and reading the file as an archive.
    fn verify(
        &self,
        path: &Path,
        expected: Option<(String, ChecksumSource)>,
    ) -> Result<(String, ChecksumSource), DownloadError> {
        let found = sha256(path)?;
        let compared_with = match expected {
            Some((expected, _)) if expected != found => {
                return Err(DownloadError::ChecksumMismatch { path: path.to_owned(), expected, found });
            }
            Some((_, source)) => source,
            None => ChecksumSource::Nowhere,
        };
        match packing(&self.0.name) {
            Packing::Zip => check_zip(path, self.0.max_bytes)?,
            Packing::Manifolds(_) => check_gzip(path, self.0.max_bytes)?,
        }
        Ok((found, compared_with))
    }
}

/// Waits, unless the caller breaks it off.
fn sleep(pause: Duration, progress: Progress, watch: &mut Watch<'_>) -> Result<(), DownloadError> {
    let end = Instant::now() + pause;
    loop {
        if watch(progress).is_break() {
            return Err(DownloadError::Cancelled);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(TICK));
    }
}

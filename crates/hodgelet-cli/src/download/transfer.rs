//! One attempt to receive a file, continuing a part where that is safe.

use super::files::{Files, Note};
use super::{DownloadError, Progress};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::time::Duration;
use ureq::http::{HeaderMap, Response, header};
use ureq::{Agent, Body};

/// Longest checksum file read from a server.
const CHECKSUM_LIMIT: u64 = 4096;

/// What the caller does with the progress of a download; breaking cancels it.
pub(super) type Watch<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// An agent for `url` that waits no longer than `timeout` for anything, and takes bytes as they are.
pub(super) fn agent(url: &str, timeout: Duration) -> Agent {
    let mut config = Agent::config_builder();
    if is_loopback(url) {
        // The proxy of the environment does not know this machine by that name.
        config = config.proxy(None);
    }
    config
        .http_status_as_error(false)
        .timeout_resolve(Some(timeout))
        .timeout_connect(Some(timeout))
        .timeout_send_request(Some(timeout))
        .timeout_recv_response(Some(timeout))
        .timeout_per_read(Some(timeout))
        .accept_encoding("identity")
        .user_agent(concat!("hodgelet/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}

/// Whether an address names the machine itself.
fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or("");
    let named =
        |name: &str| host == name || host.strip_prefix(name).is_some_and(|port| port.starts_with(':'));
    ["localhost", "127.0.0.1", "[::1]"].into_iter().any(named)
}

/// The text of a small file on the server, or none where it is not served.
pub(super) fn small_text(agent: &Agent, url: &str) -> Option<String> {
    let response = agent.get(url).call().ok()?;
    if response.status().as_u16() != 200 {
        return None;
    }
    response.into_body().into_with_config().limit(CHECKSUM_LIMIT).read_to_string().ok()
}

/// One attempt at a file.
pub(super) struct Attempt<'a> {
    pub(super) agent: &'a Agent,
    pub(super) url: &'a str,
    pub(super) files: &'a Files,
    pub(super) max_bytes: u64,
    pub(super) max_unstated_bytes: u64,
    pub(super) number: u32,
}

impl Attempt<'_> {
    /// Receives the file into the part, to its end.
    pub(super) fn run(&self, watch: &mut Watch<'_>) -> Result<(), DownloadError> {
        let resumed = self.files.resumable(self.url);
        if resumed.as_ref().is_some_and(|(note, length)| note.total == Some(*length)) {
            return Ok(()); // complete, but cut off before it was verified
        }
        let mut request = self.agent.get(self.url);
        if let Some((note, length)) = &resumed {
            request = request.header("range", format!("bytes={length}-")).header("if-range", &note.validator);
        }
        let response = request.call().map_err(|e| DownloadError::connection(self.url, e))?;
        match (response.status().as_u16(), resumed) {
            (200, _) => self.receive_whole(response, watch),
            (206, Some((note, length))) => self.receive_rest(response, &note, length, watch),
            (status @ (206 | 416), _) => {
                // The part does not fit the file: the next attempt starts over.
                self.files.remove_part()?;
                let found = text(response.headers(), header::CONTENT_RANGE).unwrap_or_default();
                let found = format!("{status} {found}").trim_end().to_owned();
                Err(DownloadError::WrongRange { url: self.url.to_owned(), asked: 0, found })
            }
            (status @ (404 | 410), _) => Err(DownloadError::NotFound { url: self.url.to_owned(), status }),
            (status, _) => Err(DownloadError::Status { url: self.url.to_owned(), status }),
        }
    }

    /// Starts the part over with the whole file.
    fn receive_whole(&self, response: Response<Body>, watch: &mut Watch<'_>) -> Result<(), DownloadError> {
        let total = response.body().content_length();
        let note = validator(response.headers()).map(|validator| Note {
            url: self.url.to_owned(),
            validator,
            total,
        });
        self.files.make_directory()?;
        // Without its note no part can be continued, so the old note goes before the old part does.
        self.files.write_note(None)?;
        let file = File::create(&self.files.part).map_err(|e| DownloadError::file(&self.files.part, e))?;
        self.files.write_note(note.as_ref())?;
        self.copy(response, file, 0, total, watch)
    }

    /// Continues the part at `length`.
    fn receive_rest(
        &self,
        response: Response<Body>,
        note: &Note,
        length: u64,
        watch: &mut Watch<'_>,
    ) -> Result<(), DownloadError> {
        let range = text(response.headers(), header::CONTENT_RANGE).unwrap_or_default();
        let (start, total) = parsed_range(&range).unwrap_or((u64::MAX, None));
        let contradiction = total.is_some() && note.total.is_some() && total != note.total;
        if start != length || contradiction {
            self.files.remove_part()?;
            return Err(DownloadError::WrongRange { url: self.url.to_owned(), asked: length, found: range });
        }
        let file = OpenOptions::new().append(true).open(&self.files.part);
        let file = file.map_err(|e| DownloadError::file(&self.files.part, e))?;
        self.copy(response, file, length, total.or(note.total), watch)
    }

    /// Appends what arrives to the part, which has `received` bytes of `total`.
    fn copy(
        &self,
        response: Response<Body>,
        mut file: File,
        mut received: u64,
        total: Option<u64>,
        watch: &mut Watch<'_>,
    ) -> Result<(), DownloadError> {
        let url = || self.url.to_owned();
        // What a server announced is all that it may send.
        let limit = total.unwrap_or(self.max_unstated_bytes).min(self.max_bytes);
        let too_large = || DownloadError::TooLarge { url: url(), limit };
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; 1 << 16];
        loop {
            if watch(Progress { received, total, attempt: self.number }).is_break() {
                return Err(DownloadError::Cancelled);
            }
            if received > limit || total.is_some_and(|total| total > self.max_bytes) {
                self.files.remove_part()?;
                return Err(too_large());
            }
            let n = match body.read(&mut buffer) {
                Ok(n) => n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(self.broken_off(received, total, &e)),
            };
            if n == 0 {
                break;
            }
            file.write_all(&buffer[..n]).map_err(|e| DownloadError::file(&self.files.part, e))?;
            received += n as u64;
        }
        file.sync_all().map_err(|e| DownloadError::file(&self.files.part, e))?;
        match total {
            Some(expected) if expected != received => {
                Err(DownloadError::Truncated { url: url(), received, expected })
            }
            _ => Ok(()),
        }
    }

    fn broken_off(&self, received: u64, total: Option<u64>, error: &std::io::Error) -> DownloadError {
        let url = self.url.to_owned();
        match total {
            Some(expected) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                DownloadError::Truncated { url, received, expected }
            }
            _ => DownloadError::Connection { url, reason: error.to_string() },
        }
    }
}

/// What tells one version of the file from another: a strong entity tag, else the date of modification.
fn validator(headers: &HeaderMap) -> Option<String> {
    let tag = text(headers, header::ETAG).filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| text(headers, header::LAST_MODIFIED))
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// First byte and total length of `bytes 5-9/10` or `bytes 5-9/*`.
fn parsed_range(range: &str) -> Option<(u64, Option<u64>)> {
    let (bytes, total) = range.strip_prefix("bytes ")?.split_once('/')?;
    Some((bytes.split_once('-')?.0.parse().ok()?, total.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_recognized() {
        assert!(is_loopback("http://127.0.0.1:8000/sets") && is_loopback("http://localhost"));
        assert!(!is_loopback("http://localhost.example.org/") && !is_loopback("https://www.chrsmrrs.com"));
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(parsed_range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(parsed_range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(parsed_range("bytes */10"), None);
        assert_eq!(parsed_range("items 5-9/10"), None);
    }

    #[test]
    fn weak_entity_tags_do_not_tell_versions_apart() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ETAG, "W/\"1\"".parse().unwrap());
        assert_eq!(validator(&headers), None);
        headers.insert(header::LAST_MODIFIED, "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap());
        assert_eq!(validator(&headers).as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        headers.insert(header::ETAG, "\"1\"".parse().unwrap());
        assert_eq!(validator(&headers).as_deref(), Some("\"1\""));
    }
}

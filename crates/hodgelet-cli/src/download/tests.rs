//! Downloads from a server on loopback that behaves well, badly, and in between.

mod server;

use super::*;
use server::{Reply, Request, Server};
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const TAG: &str = "\"first\"";

/// A zip archive of about 300 KB that does not compress.
fn archive(salt: u32) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("SET/SET_A.txt", options).unwrap();
    let mut state = salt.wrapping_add(1);
    let bytes: Vec<u8> = (0..300_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    zip.write_all(&bytes).unwrap();
    zip.finish().unwrap().into_inner()
}

/// A quick download of `SET` from `server` into `directory`.
fn params(server: &Server, directory: &TempDir) -> DownloadParams {
    DownloadParams {
        base_url: server.url(),
        retries: 2,
        first_pause: Duration::from_millis(1),
        timeout: Duration::from_secs(5),
        ..DownloadParams::new("SET", directory.path())
    }
}

fn fetch(params: DownloadParams) -> Result<Downloaded, DownloadError> {
    params.check()?.fetch(|_| ControlFlow::Continue(()))
}

/// Names of the files in a directory, in order.
fn listing(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Answers for the archive as told, and knows no checksums.
fn serve(answer: impl Fn(&Request, usize) -> Reply + Send + 'static) -> Server {
    Server::start(move |request, before| {
        if request.path == "/sets/SET.zip" { answer(request, before) } else { Reply::new(404, b"no") }
    })
}

fn sha256_of(bytes: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, bytes).unwrap();
    verify::sha256(&path).unwrap()
}

const COMPLETE: [&str; 2] = ["SET.zip", "SET.zip.sha256"];
const RESUMABLE: [&str; 2] = ["SET.zip.part", "SET.zip.part.json"];

#[test]
fn checksums_are_those_of_the_standard() {
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256_of(b"abc"), expected); // FIPS 180-4, example
}

#[test]
fn a_download_puts_the_archive_and_its_checksum_in_place() {
    let (directory, file) = (tempfile::tempdir().unwrap(), archive(0));
    let copy = file.clone();
    let server = serve(move |request, _| Reply::ranged(request, &copy, TAG));
    let mut seen = Vec::new();
    let checked = params(&server, &directory).check().unwrap();
    let done = checked
        .fetch(|progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        })
        .unwrap();

    assert_eq!(fs::read(&done.path).unwrap(), file);
    assert_eq!((done.compared_with, done.was_there), (ChecksumSource::Nowhere, false));
    assert_eq!(listing(directory.path()), COMPLETE);
    let record = fs::read_to_string(directory.path().join("SET.zip.sha256")).unwrap();
    assert_eq!(record, format!("{}  SET.zip\n", sha256_of(&file)));
    assert!(seen.windows(2).all(|pair| pair[0].received <= pair[1].received));
    let last = Progress { received: file.len() as u64, total: Some(file.len() as u64), attempt: 1 };
    assert_eq!(seen.last(), Some(&last));
    assert_eq!(server.requests()[0].header("accept-encoding"), Some("identity"));
}

#[test]
fn an_archive_that_is_there_is_verified_and_not_fetched_again() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, _| Reply::ranged(request, &archive(0), TAG));
    fetch(params(&server, &directory)).unwrap();
    let again = fetch(params(&server, &directory)).unwrap();
    assert_eq!((again.compared_with, again.was_there), (ChecksumSource::Recorded, true));
    assert_eq!(server.requests().len(), 1);

    // Damage on the disk is noticed, and `force` repairs it.
    let mut bytes = fs::read(&again.path).unwrap();
    bytes[1000] ^= 1;
    fs::write(&again.path, bytes).unwrap();
    let error = fetch(params(&server, &directory)).unwrap_err();
    assert!(matches!(error, DownloadError::ChecksumMismatch { .. }), "{error}");
    fetch(DownloadParams { force: true, ..params(&server, &directory) }).unwrap();
    assert_eq!(fs::read(&again.path).unwrap(), archive(0));
}

#[test]
fn a_cut_connection_is_resumed_where_it_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, before| {
        let reply = Reply::ranged(request, &archive(0), TAG);
        if before < 2 { reply.cut(100_000) } else { reply }
    });
    let done = fetch(params(&server, &directory)).unwrap();
    assert_eq!(fs::read(done.path).unwrap(), archive(0));
    let starts: Vec<_> = server.requests().iter().map(Request::range_start).collect();
    assert_eq!(starts, [None, Some(100_000), Some(200_000)]);
    assert_eq!(listing(directory.path()), COMPLETE);
}

#[test]
fn a_later_call_resumes_what_an_earlier_one_left() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, before| {
        let reply = Reply::ranged(request, &archive(0), TAG);
        if before == 0 { reply.cut(100_000) } else { reply }
    });
    let once = || DownloadParams { retries: 0, ..params(&server, &directory) };
    let error = fetch(once()).unwrap_err();
    let total = archive(0).len();
    assert_eq!(error.to_string(), format!("{}/SET.zip: 100000 of {total} bytes arrived", server.url()));
    assert!(error.hint().is_some());
    assert_eq!(listing(directory.path()), RESUMABLE);
    let done = fetch(once()).unwrap();
    assert_eq!(fs::read(done.path).unwrap(), archive(0));
    assert_eq!(server.requests()[1].range_start(), Some(100_000));
}

#[test]
fn a_part_that_is_complete_is_verified_without_a_request() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, _| Reply::ranged(request, &archive(0), TAG));
    let note = serde_json::json!({
        "url": format!("{}/SET.zip", server.url()), "validator": TAG, "total": archive(0).len(),
    });
    fs::write(directory.path().join("SET.zip.part"), archive(0)).unwrap();
    fs::write(directory.path().join("SET.zip.part.json"), note.to_string()).unwrap();
    fetch(params(&server, &directory)).unwrap();
    assert!(server.requests().is_empty());
    assert_eq!(listing(directory.path()), COMPLETE);
}

#[test]
fn a_part_from_elsewhere_is_not_continued() {
    for note in ["{", r#"{"url": "http://elsewhere/SET.zip", "validator": "\"first\"", "total": null}"#] {
        let directory = tempfile::tempdir().unwrap();
        let server = serve(|request, _| Reply::ranged(request, &archive(0), TAG));
        fs::write(directory.path().join("SET.zip.part"), b"something else").unwrap();
        fs::write(directory.path().join("SET.zip.part.json"), note).unwrap();
        let done = fetch(params(&server, &directory)).unwrap();
        assert_eq!(fs::read(done.path).unwrap(), archive(0));
        assert_eq!(server.requests()[0].header("range"), None);
    }
}

#[test]
fn a_server_without_ranges_is_read_from_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|_, before| {
        let reply = Reply::new(200, &archive(0)).header("ETag", TAG);
        if before == 0 { reply.cut(100_000) } else { reply }
    });
    let done = fetch(params(&server, &directory)).unwrap();
    assert_eq!(fs::read(done.path).unwrap(), archive(0));
    assert_eq!(server.requests()[1].range_start(), Some(100_000));
}

#[test]
fn a_file_that_changed_in_between_is_read_from_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, before| match before {
        0 => Reply::ranged(request, &archive(0), TAG).cut(100_000),
        _ => Reply::ranged(request, &archive(1), "\"second\""),
    });
    let done = fetch(params(&server, &directory)).unwrap();
    assert_eq!(fs::read(done.path).unwrap(), archive(1));
    assert_eq!(server.requests()[1].header("if-range"), Some(TAG));
}

#[test]
fn without_a_validator_nothing_is_resumed_and_no_part_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|_, before| {
        let reply = Reply::new(200, &archive(0));
        if before == 0 { reply.cut(100_000) } else { reply }
    });
    let once = || DownloadParams { retries: 0, ..params(&server, &directory) };
    assert!(matches!(fetch(once()).unwrap_err(), DownloadError::Truncated { received: 100_000, .. }));
    assert!(listing(directory.path()).is_empty());
    fetch(once()).unwrap();
    assert_eq!(server.requests()[1].header("range"), None);
}

#[test]
fn a_range_that_was_not_asked_for_starts_over() {
    for status in [206, 416] {
        let directory = tempfile::tempdir().unwrap();
        let server = serve(move |request, before| match before {
            0 => Reply::ranged(request, &archive(0), TAG).cut(100_000),
            1 => Reply::new(status, &archive(0)[5..]).header("Content-Range", "bytes 5-9/10"),
            _ => Reply::ranged(request, &archive(0), TAG),
        });
        let done = fetch(params(&server, &directory)).unwrap();
        assert_eq!(fs::read(done.path).unwrap(), archive(0));
        assert_eq!(server.requests()[2].range_start(), None);
    }
}

#[test]
fn a_missing_file_is_reported_at_once_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|_, _| Reply::new(404, b"not here"));
    let error = fetch(params(&server, &directory)).unwrap_err();
    let expected = format!("{}/SET.zip does not exist (the server answered 404)", server.url());
    assert_eq!(error.to_string(), expected);
    assert_eq!(server.requests().len(), 1);
    assert!(listing(directory.path()).is_empty());
}

#[test]
fn a_busy_server_is_asked_again_a_bounded_number_of_times() {
    let directory = tempfile::tempdir().unwrap();
    let busy = serve(|_, _| Reply::new(503, b"later"));
    let error = fetch(params(&busy, &directory)).unwrap_err();
    let expected = format!("{}/SET.zip: the server answered with status 503", busy.url());
    assert_eq!(error.to_string(), expected);
    assert_eq!(busy.requests().len(), 3);
    let recovering =
        serve(
            |request, before| {
                if before == 0 { Reply::new(503, b"later") } else { Reply::ranged(request, &archive(0), TAG) }
            },
        );
    fetch(params(&recovering, &directory)).unwrap();
}

#[test]
fn a_corrupted_archive_never_gets_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, _| {
        let mut file = archive(0);
        file[1000] ^= 1;
        Reply::ranged(request, &file, TAG)
    });
    let error = fetch(params(&server, &directory)).unwrap_err();
    assert!(
        error.to_string().contains("SET.zip.part: not a valid zip archive: entry `SET/SET_A.txt`"),
        "{error}"
    );
    assert!(listing(directory.path()).is_empty());

    let page = serve(|request, _| Reply::ranged(request, b"<html>welcome</html>", TAG));
    let error = fetch(params(&page, &directory)).unwrap_err();
    assert!(matches!(error, DownloadError::Zip { .. }), "{error}");
    assert!(listing(directory.path()).is_empty());
}

#[test]
fn a_wrong_checksum_is_refused_wherever_it_comes_from() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(|request, _| match request.path.as_str() {
        "/sets/SET.zip" => Reply::ranged(request, &archive(0), TAG),
        _ => Reply::new(200, format!("{}  SET.zip\n", "0".repeat(64)).as_bytes()),
    });
    let given = DownloadParams { sha256: Some("f".repeat(64)), ..params(&server, &directory) };
    let error = fetch(given).unwrap_err();
    let part = directory.path().join("SET.zip.part");
    let (found, expected) = (sha256_of(&archive(0)), "f".repeat(64));
    assert_eq!(
        error.to_string(),
        format!("{}: SHA-256 checksum {found}, expected {expected}", part.display())
    );
    assert!(listing(directory.path()).is_empty());

    let error = fetch(params(&server, &directory)).unwrap_err();
    assert!(matches!(error, DownloadError::ChecksumMismatch { .. }), "{error}");
    assert!(listing(directory.path()).is_empty());

    let right = DownloadParams { sha256: Some(found.to_uppercase()), ..params(&server, &directory) };
    assert_eq!(fetch(right).unwrap().compared_with, ChecksumSource::Given);
}

#[test]
fn a_checksum_beside_the_archive_is_compared() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(|request, _| match request.path.as_str() {
        "/sets/SET.zip" => Reply::ranged(request, &archive(0), TAG),
        _ => Reply::new(200, sha256_of(&archive(0)).as_bytes()),
    });
    assert_eq!(fetch(params(&server, &directory)).unwrap().compared_with, ChecksumSource::Server);
}

#[test]
fn a_cancelled_download_stops_and_can_be_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, _| Reply::ranged(request, &archive(0), TAG));
    let stop_at = |bytes: u64| {
        move |progress: Progress| {
            if progress.received >= bytes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    };
    let checked = params(&server, &directory).check().unwrap();
    assert!(matches!(checked.fetch(stop_at(0)).unwrap_err(), DownloadError::Cancelled));
    assert!(listing(directory.path()).is_empty());
    assert!(matches!(checked.fetch(stop_at(100_000)).unwrap_err(), DownloadError::Cancelled));
    assert_eq!(listing(directory.path()), RESUMABLE);
    checked.fetch(stop_at(u64::MAX)).unwrap();
    assert!(server.requests()[2].range_start().is_some_and(|start| start >= 100_000));
    assert_eq!(listing(directory.path()), COMPLETE);
}

#[test]
fn a_pause_between_attempts_can_be_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|_, _| Reply::new(503, b"later"));
    let patient = DownloadParams { first_pause: Duration::from_secs(20), ..params(&server, &directory) };
    let start = std::time::Instant::now();
    let error = patient.check().unwrap().fetch(|_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(error, DownloadError::Cancelled));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_silent_server_is_given_up_on() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let silent = DownloadParams {
        base_url: format!("http://{}", listener.local_addr().unwrap()),
        retries: 1,
        first_pause: Duration::from_millis(1),
        timeout: Duration::from_millis(200),
        ..DownloadParams::new("SET", directory.path())
    };
    assert!(matches!(fetch(silent).unwrap_err(), DownloadError::Connection { .. }));
    assert!(listing(directory.path()).is_empty());
}

#[test]
fn more_than_allowed_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request, _| Reply::ranged(request, &archive(0), TAG));
    let error = fetch(DownloadParams { max_bytes: 1000, ..params(&server, &directory) }).unwrap_err();
    assert_eq!(error.to_string(), format!("{}/SET.zip: more than 1000 bytes", server.url()));
    assert!(listing(directory.path()).is_empty());
}

#[test]
fn a_body_without_an_end_is_given_up_on() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|_, _| Reply::new(200, &[7; 4096]).header("ETag", TAG).endless());
    let error =
        fetch(DownloadParams { max_unstated_bytes: 1 << 20, ..params(&server, &directory) }).unwrap_err();
    assert_eq!(error.to_string(), format!("{}/SET.zip: more than 1048576 bytes", server.url()));
    assert!(listing(directory.path()).is_empty());
}

#[test]
fn two_downloads_at_once_do_not_share_a_part() {
    let (directory, file) = (tempfile::tempdir().unwrap(), archive(0));
    let copy = file.clone();
    let server = serve(move |request, _| Reply::ranged(request, &copy, TAG));
    let mut second = None;
    let watch = |_| {
        second.get_or_insert_with(|| fetch(params(&server, &directory)));
        ControlFlow::Continue(())
    };
    let first = params(&server, &directory).check().unwrap().fetch(watch).unwrap();
    assert!(matches!(second, Some(Err(DownloadError::Busy { .. }))), "{second:?}");
    assert_eq!(fs::read(&first.path).unwrap(), file);
    assert_eq!(listing(directory.path()), COMPLETE);
    assert!(fetch(params(&server, &directory)).unwrap().was_there);
}

#[test]
fn a_full_disk_is_called_one() {
    let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
    let error = DownloadError::file(Path::new("data/SET.zip.part"), full);
    assert_eq!(error.to_string(), "data/SET.zip.part: no space left on the disk");
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), b"").unwrap();
    let server = serve(|request, _| Reply::ranged(request, &archive(0), TAG));
    let inside = directory.path().join("file").join("data");
    let error =
        fetch(DownloadParams { data_dir: inside.clone(), ..params(&server, &directory) }).unwrap_err();
    assert!(error.to_string().starts_with(&inside.display().to_string()), "{error}");
}

/// Two spheres as MANTRA has them, compressed.
fn manifolds(dim: usize) -> Vec<u8> {
    let facets = match dim {
        2 => "[[1,2,3],[1,2,4],[1,3,4],[2,3,4]]",
        _ => "[[1,2,3,4],[1,2,3,5],[1,2,4,5],[1,3,4,5],[2,3,4,5]]",
    };
    let one = |id: &str| format!(r#"{{"id": "{id}", "triangulation": {facets}, "name": "S^{dim}"}}"#);
    let text = format!("[{},\n{}]", one("a"), one("b"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn manifolds_come_from_their_release_and_are_verified() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(|request, _| match request.path.as_str() {
        "/sets/2_manifolds.json.gz" => Reply::ranged(request, &manifolds(2), TAG),
        _ => Reply::new(404, b"no"),
    });
    let params = || DownloadParams { name: "mantra-2d".to_owned(), ..params(&server, &directory) };
    let done = fetch(params()).unwrap();
    assert_eq!(done.path, directory.path().join("mantra-2d.json.gz"));
    assert_eq!(listing(directory.path()), ["mantra-2d.json.gz", "mantra-2d.json.gz.sha256"]);
    let read = hodgelet_data::open("mantra-2d", Some(directory.path())).unwrap();
    assert_eq!((read.dataset.name(), read.dataset.len()), ("mantra-2d", 2));
    assert!(fetch(params()).unwrap().was_there);
}

#[test]
fn what_is_not_a_list_of_such_manifolds_is_refused() {
    let cut = manifolds(2)[..60].to_vec();
    let files = [
        (b"no gzip".to_vec(), "not a whole gzip file"),
        (cut, "not a whole gzip file"),
        (manifolds(3), "dimension is 3"),
    ];
    for (file, expected) in files {
        let directory = tempfile::tempdir().unwrap();
        let copy = file.clone();
        let server = Server::start(move |request, _| match request.path.as_str() {
            "/sets/2_manifolds.json.gz" => Reply::ranged(request, &copy, TAG),
            _ => Reply::new(404, b"no"),
        });
        let params = DownloadParams { name: "mantra-2d".to_owned(), ..params(&server, &directory) };
        let error = fetch(params).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(listing(directory.path()).is_empty(), "{:?}", listing(directory.path()));
    }
}

use crate::server::{Reply, Server};
use crate::{TU_FILES, listing, run, run_in};
use std::io::Write;

/// The dataset `TINY` as an archive.
fn archive() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in TU_FILES {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("TINY/TINY_{name}.txt"), options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_dataset_is_downloaded_verified_and_then_found_by_name() {
    let server = Server::start(|request, _| match request.path.as_str() {
        "/sets/TINY.zip" => Reply::ranged(request, &archive(), "\"tag\""),
        _ => Reply::new(404, b"no"),
    });
    let folder = tempfile::tempdir().unwrap();
    let url = server.url();
    let get = ["datasets", "get", "TINY", "--data-dir", "sets", "--url", &url, "--format", "json"];
    let got = run_in(folder.path(), &get).json();
    assert_eq!((got["name"].as_str(), got["was_there"].as_bool()), (Some("TINY"), Some(false)));
    assert_eq!(listing(&folder.path().join("sets")), ["TINY.zip", "TINY.zip.sha256"]);

    let again = run_in(folder.path(), &get).json();
    assert_eq!((&again["sha256"], again["was_there"].as_bool()), (&got["sha256"], Some(true)));
    assert_eq!(server.requests().len(), 1);

    let info = run_in(folder.path(), &["info", "TINY", "--data-dir", "sets", "--format", "json"]).json();
    assert_eq!((info["graphs"].as_u64(), info["name"].as_str()), (Some(2), Some("TINY")));
    let text = run_in(folder.path(), &["datasets", "list", "--data-dir", "sets"]).result();
    assert!(text.contains("\nin sets\nTINY\n"), "{text}");
}

#[test]
fn a_wrong_checksum_leaves_nothing() {
    let server = Server::start(|_, _| Reply::new(200, &archive()));
    let folder = tempfile::tempdir().unwrap();
    let sum = "00".repeat(32);
    let (url, dir) = (server.url(), folder.path().to_str().unwrap());
    let error =
        run(&["datasets", "get", "TINY", "--data-dir", dir, "--url", &url, "--sha256", &sum]).failure(1);
    assert!(
        error.contains("SHA-256 checksum") && error.contains(&sum) && error.contains("\nhint: "),
        "{error}"
    );
    assert!(listing(folder.path()).is_empty());
}

#[test]
fn a_name_the_server_does_not_have_and_a_missing_directory_are_refused() {
    let server = Server::start(|_, _| Reply::new(404, b"no"));
    let (url, folder) = (server.url(), tempfile::tempdir().unwrap());
    let dir = folder.path().to_str().unwrap();
    let error = run(&["datasets", "get", "NONE", "--data-dir", dir, "--url", &url]).failure(1);
    assert!(error.starts_with(&format!("error: {url}/NONE.zip does not exist")), "{error}");
    assert_eq!(
        run(&["datasets", "get", "MUTAG"]).failure(1),
        "error: no directory to download into\nhint: give --data-dir DIR or set HODGELET_DATA\n"
    );
}

#[test]
fn the_list_has_every_kind() {
    let list = run(&["datasets", "list", "--format", "json"]).json();
    let names = |key: &str| -> Vec<String> {
        let sets = list[key].as_array().unwrap();
        sets.iter().map(|set| set["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        names("builtin"),
        ["vector-fields", "ring-vs-clique", "sbm", "surfaces", "hypergraphs", "molecules", "triangulations"]
    );
    assert!(["MUTAG", "mantra-2d"].iter().all(|name| names("downloadable").contains(&(*name).to_owned())));
    assert_eq!(list["local"], serde_json::json!([]));
}

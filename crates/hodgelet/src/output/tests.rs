//! What a file does to that which stands in its place.

use super::*;
use std::fs;

const NEW: &[u8] = br#"{"hodgelet": 1, "name": "new"}"#;
const OLD: &[u8] = br#"{"hodgelet": 1, "name": "old"}"#;

fn write(path: &Path) -> Result<(), OutputError> {
    Output::new(path, Kind::DATASET).write(|out| out.write_all(NEW))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_replaces_an_empty_one_and_its_own_kind_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.jsonl");
    for old in [None, Some(&b""[..]), Some(OLD)] {
        let _ = fs::remove_file(&path);
        if let Some(old) = old {
            fs::write(&path, old).unwrap();
        }
        write(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), NEW);
    }
    let head = br#"{"__metadata__":{"format":"hodgelet-model"}}"#;
    let model = [&(head.len() as u64).to_le_bytes()[..], head].concat();
    let others: [(&[u8], &str); 7] = [
        (&model, "a model"),
        (b"id,predicted,p(a),p(b),far\n", "a table"),
        (b"id,a,target\n", "something else"),
        (b"\x93NUMPY\x01\x00", "a matrix"),
        (b"{\n  \"dataset\": \"x\"", "a report"),
        (b"dear diary", "something else"),
        (b"{\"incidences\": []}", "something else"),
    ];
    for (old, name) in others {
        fs::write(&path, old).unwrap();
        let error = write(&path).unwrap_err();
        assert!(error.can_be_forced());
        let expected = format!("{}: holds {name}, and a dataset would replace it", path.display());
        assert_eq!(error.to_string(), expected);
        assert_eq!(fs::read(&path).unwrap(), old);
        Output::new(&path, Kind::DATASET).forced(true).write(|out| out.write_all(NEW)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), NEW);
    }
    assert_eq!(names(folder.path()), ["d.jsonl"]);
}

#[test]
fn an_input_is_refused_under_any_of_its_names_and_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.jsonl");
    fs::write(&path, OLD).unwrap();
    let other = folder.path().join(".").join("d.jsonl");
    let output = Output::new(&other, Kind::DATASET).forced(true);
    let error = output.check_inputs([&path]).unwrap_err();
    assert!(matches!(error, OutputError::IsInput { .. }) && !error.can_be_forced());
    assert!(output.check_inputs([folder.path()]).is_ok());
    let error = write(folder.path()).unwrap_err();
    assert!(matches!(error, OutputError::Folder { .. }));
}

#[test]
fn a_file_that_fails_leaves_nothing_and_keeps_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.jsonl");
    fs::write(&path, OLD).unwrap();
    let failed = Output::new(&path, Kind::DATASET).write(|out| {
        out.write_all(NEW)?;
        Err(std::io::Error::other("it broke"))
    });
    assert_eq!(failed.unwrap_err().to_string(), format!("{}: it broke", path.display()));
    assert_eq!((fs::read(&path).unwrap().as_slice(), names(folder.path()).len()), (OLD, 1));
    let missing = folder.path().join("no").join("d.jsonl");
    assert_eq!(write(&missing).unwrap_err().to_string(), format!("{}: no such directory", missing.display()));
}

#[test]
fn what_comes_into_the_place_meanwhile_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.jsonl");
    let staged = Output::new(&path, Kind::DATASET).stage(|out| out.write_all(NEW)).unwrap();
    fs::write(&path, "dear diary").unwrap();
    assert!(matches!(staged.place(), Err(OutputError::OtherKind { .. })));
    assert_eq!((fs::read(&path).unwrap().as_slice(), names(folder.path()).len()), (&b"dear diary"[..], 1));
}

#[test]
fn files_of_killed_runs_are_removed_and_those_of_running_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join(".hodgelet-left.tmp");
    fs::write(&left, "half").unwrap();
    let mine = folder.path().join("notes.tmp");
    fs::write(&mine, "mine").unwrap();
    let running = Output::new(&folder.path().join("a"), Kind::ANY).stage(|out| out.write_all(NEW)).unwrap();
    assert!(!left.exists(), "the first file of a process in a folder removes what was left");
    fs::write(&left, "half").unwrap();
    remove_unfinished(folder.path());
    assert!(!left.exists() && mine.exists());
    running.place().unwrap();
    assert_eq!(names(folder.path()), ["a", "notes.tmp"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn symbolic_links_are_followed_also_where_they_lead_to_nothing_yet() {
        let folder = tempfile::tempdir().unwrap();
        let (deep, link, link_2) =
            (folder.path().join("deep"), folder.path().join("a"), folder.path().join("b"));
        fs::create_dir(&deep).unwrap();
        symlink("deep/d.jsonl", &link).unwrap();
        symlink("a", &link_2).unwrap();
        for _ in 0..2 {
            write(&link_2).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert!(fs::symlink_metadata(&link_2).unwrap().is_symlink());
            assert_eq!(fs::read(deep.join("d.jsonl")).unwrap(), NEW);
            assert_eq!(names(&deep), ["d.jsonl"]);
            fs::write(deep.join("d.jsonl"), OLD).unwrap();
        }
        let circle = folder.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(matches!(write(&circle), Err(OutputError::Io { .. })));
    }

    #[test]
    fn permissions_are_kept_and_read_only_files_and_hard_links_need_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.jsonl");
        fs::write(&path, OLD).unwrap();
        for kept in [0o600, 0o640, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            write(&path).unwrap();
            assert_eq!(mode(&path), kept);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(matches!(write(&path), Err(OutputError::ReadOnly { .. })));
        Output::new(&path, Kind::DATASET).forced(true).write(|out| out.write_all(OLD)).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap().as_slice()), (0o444, OLD));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let second = folder.path().join("second");
        fs::hard_link(&path, &second).unwrap();
        let error = write(&path).unwrap_err();
        assert!(error.to_string().ends_with("has 2 names (hard links), of which one would change"));
        assert_eq!(fs::metadata(&path).unwrap().ino(), fs::metadata(&second).unwrap().ino());
    }

    #[test]
    fn devices_and_pipes_are_written_to_and_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        // A link to a device, so that a mistake cannot replace the device of the machine.
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        write(&null).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let full = folder.path().join("full");
        symlink("/dev/full", &full).unwrap();
        assert!(matches!(write(&full), Err(OutputError::Io { .. })));
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read(pipe).unwrap())
        };
        write(&pipe).unwrap();
        assert_eq!(reader.join().unwrap(), NEW);
        assert!(!fs::metadata(&pipe).unwrap().is_file());
    }
}

//! What `--out` may replace.

use super::{PROGRAM, command, finished, listing, run_in};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

const FIT: [&str; 6] = ["fit", "d.jsonl", "--iterations", "2", "--edges", "constant"];

/// A folder with a dataset `d.jsonl` and a model `m.hodgelet` of it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let generate = ["generate", "sbm", "--set", "n_graphs=8", "--out", "d.jsonl"];
    run_in(folder.path(), &generate).result();
    run_in(folder.path(), &[&FIT[..], &["--out", "m.hodgelet"]].concat()).result();
    folder
}

/// Files and their bytes.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    listing(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

#[test]
fn an_input_is_never_replaced_by_the_result() {
    let folder = folder();
    fs::write(folder.path().join("t.csv"), "id,mass\n").unwrap();
    let before = content(folder.path());
    let commands: [&[&str]; 10] = [
        &["features", "d.jsonl", "--columns", "t.csv", "--out", "t.csv"],
        &["fit", "d.jsonl", "--iterations", "2", "--out", "d.jsonl"],
        &["fit", "./d.jsonl", "--iterations", "2", "--out", "d.jsonl", "--force"],
        &["predict", "m.hodgelet", "d.jsonl", "--out", "m.hodgelet"],
        &["predict", "m.hodgelet", "d.jsonl", "--format", "jsonl", "--out", "d.jsonl", "--force"],
        &["lift", "d.jsonl", "--to", "cliques", "--out", "d.jsonl"],
        &["lift", "d", "--data-dir", ".", "--to", "cliques", "--out", "d.jsonl"],
        &["features", "d.jsonl", "--out", "d.jsonl"],
        &["decompose", "d.jsonl", "--graph", "0", "--out", "d.jsonl"],
        &["update", "m.hodgelet", "d.jsonl", "--out", "m.hodgelet"],
    ];
    for args in commands {
        let error = run_in(folder.path(), args).failure(1);
        assert!(error.contains("is read by this command, and would be replaced by its result"), "{error}");
        assert!(error.ends_with("hint: choose another name\n"), "{error}");
        assert_eq!(content(folder.path()), before, "{args:?}");
    }
    // A model may take the place of the one that it continues, if that is said.
    run_in(folder.path(), &["update", "m.hodgelet", "d.jsonl", "--out", "m.hodgelet", "--force"]).result();
}

#[test]
fn a_file_of_another_kind_is_replaced_only_by_force() {
    let folder = folder();
    fs::copy(folder.path().join("d.jsonl"), folder.path().join("other.jsonl")).unwrap();
    fs::write(folder.path().join("notes.csv"), "dear diary").unwrap();
    let before = content(folder.path());
    let commands: [(&[&str], &str); 5] = [
        (&[&FIT[..], &["--out", "other.jsonl"]].concat(), "holds a dataset, and a model would replace it"),
        (
            &["predict", "m.hodgelet", "d.jsonl", "--out", "other.jsonl"],
            "holds a dataset, and a report would replace it",
        ),
        (&["features", "d.jsonl", "--out", "other.jsonl"], "holds a dataset, and features would replace it"),
        (
            &["features", "d.jsonl", "--out", "notes.csv"],
            "holds something else, and a table would replace it",
        ),
        (&["update", "m.hodgelet", "d.jsonl", "--out", "notes.csv"], "holds something else, and a model"),
    ];
    for (args, message) in commands {
        let error = run_in(folder.path(), args).failure(1);
        assert!(error.contains(message), "{error}");
        assert!(error.ends_with("hint: choose another name, or replace it with --force\n"), "{error}");
        assert_eq!(content(folder.path()), before, "{args:?}");
    }
    for _ in 0..2 {
        run_in(folder.path(), &["features", "d.jsonl", "--out", "notes.csv", "--force"]).result();
        run_in(folder.path(), &["features", "d.jsonl", "--out", "notes.csv"]).result();
    }
    let table = fs::read_to_string(folder.path().join("notes.csv")).unwrap();
    assert!(table.starts_with("id,"));
    for format in ["table", "json", "jsonl", "table"] {
        run_in(folder.path(), &["predict", "m.hodgelet", "d.jsonl", "--format", format, "--out", "p"])
            .result();
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::set_permissions(at("m.hodgelet"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("m.hodgelet", at("latest")).unwrap();
    let before = fs::read(at("m.hodgelet")).unwrap();
    run_in(folder.path(), &[&FIT[..], &["--seed", "5", "--out", "latest"]].concat()).result();
    assert!(fs::symlink_metadata(at("latest")).unwrap().is_symlink());
    assert_ne!(fs::read(at("m.hodgelet")).unwrap(), before);
    assert_eq!(fs::metadata(at("m.hodgelet")).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(at("m.hodgelet"), fs::Permissions::from_mode(0o444)).unwrap();
    let error = run_in(folder.path(), &[&FIT[..], &["--out", "m.hodgelet"]].concat()).failure(1);
    assert!(error.starts_with("error: m.hodgelet: is read-only"), "{error}");
}

#[cfg(unix)]
#[test]
fn standard_output_devices_and_pipes_are_written_to_as_they_are() {
    let folder = folder();
    // Two files of one model differ in the seconds that it took.
    let predicted = |model: &[u8]| {
        fs::write(folder.path().join("received"), model).unwrap();
        run_in(folder.path(), &["predict", "received", "d.jsonl"]).result()
    };
    let expected = run_in(folder.path(), &["predict", "m.hodgelet", "d.jsonl"]).result();
    let fit = |out: &str| command(folder.path(), &[&FIT[..], &["--quiet", "--out", out]].concat());
    for out in ["-", "/dev/stdout"] {
        let found = fit(out).stdin(Stdio::null()).output().unwrap();
        assert!(found.status.success());
        assert_eq!(predicted(&found.stdout), expected, "{out}");
        // A redirection to a file, whose name must stay with what the shell opened.
        let path = folder.path().join("redirected");
        fs::write(&path, "").unwrap();
        let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        assert!(fit(out).stdout(file).status().unwrap().success());
        assert_eq!(predicted(&fs::read(&path).unwrap()), expected);
    }
    assert_eq!(finished(fit("/dev/null")).status, 0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let full = run_in(folder.path(), &["predict", "m.hodgelet", "d.jsonl", "--out", "/dev/full"]).failure(1);
    assert!(full.starts_with("error: /dev/full: "), "{full}");
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for format in ["json", "jsonl"] {
        let mut writer = Command::new(PROGRAM)
            .args(["predict", "m.hodgelet", "d.jsonl", "--quiet", "--format", format, "--out", "pipe"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut text = String::new();
        fs::File::open(&pipe).unwrap().read_to_string(&mut text).unwrap();
        assert!(writer.wait().unwrap().success());
        assert!(text.starts_with('{') && text.contains("latent"), "{text}");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
    }
    let lines =
        run_in(folder.path(), &["generate", "sbm", "--set", "n_graphs=3", "--quiet", "--out", "-"]).result();
    assert_eq!(lines.lines().count(), 4);
    let table = run_in(folder.path(), &["features", "d.jsonl", "--quiet", "--out", "-"]).result();
    assert_eq!(table.lines().count(), 9);
}

#[test]
fn splits_that_are_read_are_not_replaced() {
    let folder = folder();
    let evaluate = ["evaluate", "d.jsonl", "--iterations", "2", "--out", "r"];
    run_in(folder.path(), &[&evaluate[..], &["--folds", "3"]].concat()).result();
    run_in(folder.path(), &[&evaluate[..], &["--folds", "3"]].concat()).result();
    let error = run_in(folder.path(), &[&evaluate[..], &["--splits", "r/splits.json"]].concat()).failure(1);
    assert!(error.contains("r/splits.json: is read by this command"), "{error}");
    fs::write(folder.path().join("r/folds.svg"), "my own picture").unwrap();
    let error = run_in(folder.path(), &[&evaluate[..], &["--folds", "3"]].concat()).failure(1);
    assert!(error.contains("holds something else, and a picture would replace it"), "{error}");
}

//! Disks that are full, and disks that cannot be written.

use crate::PROGRAM;
use crate::cases::{self, names};
use crate::harness::run_in;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a command in a shell after `before`.
fn run_after(before: &str, folder: &Path, args: &[String]) -> Output {
    let mut all =
        vec!["-c".to_owned(), format!("{before}; exec \"$@\""), "sh".to_owned(), PROGRAM.to_owned()];
    all.extend_from_slice(args);
    Command::new("sh").args(all).current_dir(folder).output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_keeps_what_is_there_and_gets_no_litter() {
    let folder = cases::folder();
    for case in cases::all() {
        let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
        run_in(folder.path(), &args).result();
        let before = names(folder.path());
        // A store that is whole is not written again.
        let (store, results) = (folder.path().join("store"), folder.path().join("r"));
        match case.name {
            "measure" => std::fs::remove_dir_all(&store).unwrap(),
            "evaluate" => std::fs::remove_dir_all(&results).unwrap(),
            _ => {}
        }
        let files: Vec<(String, Vec<u8>)> = before
            .iter()
            .filter_map(|name| Some((name.clone(), std::fs::read(folder.path().join(name)).ok()?)))
            .collect();
        // Files of at most one block of 512 bytes; the signal that comes with it is ignored, as a full disk sends none.
        let output = run_after("trap '' XFSZ; ulimit -f 1", folder.path(), &case.args);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}: {message}", case.name);
        assert!(message.starts_with("error: "), "{}: {message}", case.name);
        (case.check)(folder.path());
        for (name, bytes) in files {
            assert!(std::fs::read(folder.path().join(&name)).unwrap() == bytes, "{}: {name}", case.name);
        }
        let left: Vec<String> =
            names(folder.path()).into_iter().filter(|name| !before.contains(name)).collect();
        assert!(left.is_empty() || left == ["p.jsonl.part"], "{}: {left:?}", case.name);
        run_in(folder.path(), &args).result();
        (case.check)(folder.path());
        assert_eq!(names(folder.path()), before, "{}", case.name);
        let litter = |name: &String| name.starts_with('.') || name == "unfinished";
        assert!(![names(&store), names(&results)].concat().iter().any(litter), "{}", case.name);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_read_only_is_reported() {
    let folder = cases::folder();
    let mount = "mount --bind . . && cd \"$PWD\" && mount -o remount,bind,ro .";
    let can = Command::new("unshare").args(["-rm", "sh", "-c", mount]).current_dir(folder.path()).output();
    if !can.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: a folder cannot be mounted read-only here");
        return;
    }
    let before = names(folder.path());
    for case in cases::all() {
        let mut all = vec!["-rm", "sh", "-c"];
        let script = format!("{mount} && cd \"$PWD\" && exec \"$@\"");
        all.extend([script.as_str(), "sh", PROGRAM]);
        all.extend(case.args.iter().map(String::as_str));
        let output = Command::new("unshare").args(all).current_dir(folder.path()).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}: {message}", case.name);
        assert!(message.to_lowercase().contains("read-only"), "{}: {message}", case.name);
        assert_eq!(names(folder.path()), before);
    }
}

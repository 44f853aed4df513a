//! Commands that are ended in the middle, by a signal that cannot be caught.

use crate::cases::{self, Case, names};
use crate::harness::{command, run_in};
use crate::server::{Reply, Server};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

/// Kills of each command.
fn n_kills() -> u32 {
    std::env::var("HODGELET_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

/// A number in 0..1, the same in every run.
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// Runs a command and kills it after a while; whether it was still running.
fn kill(folder: &Path, args: &[&str], after: Duration) -> bool {
    let mut child = command(folder, args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let was_running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    was_running
}

/// Kills a command at moments spread over its time, on top of what the last run left; returns how often it was running.
fn kill_often(case: &Case, folder: &Path, state: &mut u64) -> u32 {
    let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
    let before = names(folder);
    let began = Instant::now();
    run_in(folder, &args).result();
    let took = began.elapsed();
    (case.check)(folder);
    let after = names(folder);
    // A second result over the first, and a first one where there is none.
    let mut killed = 0;
    for n in 0..n_kills() {
        // What a run goes on from stays for some kills, and is begun anew after them.
        let resumes = (case.progress)(folder) > 0;
        if n % 4 == 0 || (n % 2 == 0 && !resumes) {
            remove_new(folder, &before);
        }
        let progress = (case.progress)(folder);
        let last = written(&folder.join(case.result));
        killed += u32::from(kill(folder, &args, took.mul_f64(1.1 * draw(state))));
        (case.check)(folder);
        let is_done = written(&folder.join(case.result)) != last;
        assert!((case.progress)(folder) >= progress || is_done, "{}: finished work is lost", case.name);
    }
    let last = run_in(folder, &args);
    // A run that goes on says so.
    let is_expected = last.stderr.is_empty() || last.stderr.ends_with(" finished before\n");
    assert!(last.status == 0 && is_expected, "{}: {last:?}", case.name);
    (case.check)(folder);
    assert_eq!(names(folder), after, "{}: litter", case.name);
    for sub in ["store", "r"] {
        let litter =
            |name: &&String| name.starts_with('.') || name.ends_with(".part") || *name == "unfinished";
        assert_eq!(names(&folder.join(sub)).iter().find(litter), None, "{}", case.name);
    }
    killed
}

/// When a file was written; none where there is no such file.
fn written(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn remove_new(folder: &Path, before: &[String]) {
    for name in names(folder).into_iter().filter(|name| !before.contains(name) && !name.starts_with('.')) {
        let path = folder.join(name);
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
    }
}

#[test]
fn a_killed_command_leaves_the_old_file_or_the_new_one_and_the_next_run_no_litter() {
    let folder = cases::folder();
    let (mut state, mut killed) = (7, 0);
    for case in cases::all() {
        let of_case = kill_often(&case, folder.path(), &mut state);
        println!("{}: killed {of_case} times while it was running", case.name);
        killed += of_case;
    }
    println!("{killed} kills survived");
    assert!(killed > 0);
}

#[test]
fn a_killed_download_is_continued() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in crate::harness::TU_FILES {
        zip.start_file(format!("TINY/TINY_{name}.txt"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    // Much that does not compress, so that there is a middle.
    let mut state = 1;
    zip.start_file("TINY/README.txt", zip::write::SimpleFileOptions::default()).unwrap();
    let noise: Vec<u8> = (0..4_000_000).map(|_| (256.0 * draw(&mut state)) as u8).collect();
    zip.write_all(&noise).unwrap();
    let file = zip.finish().unwrap().into_inner();
    let copy = file.clone();
    let server = Server::start(move |request, _| Reply::ranged(request, &copy, "\"tag\""));
    let folder = tempfile::tempdir().unwrap();
    let url = server.url();
    let args = ["datasets", "get", "TINY", "--data-dir", "sets", "--url", &url];
    let sets = folder.path().join("sets");
    let mut killed = 0;
    for _ in 0..n_kills() {
        let _ = std::fs::remove_file(sets.join("TINY.zip"));
        let _ = std::fs::remove_file(sets.join("TINY.zip.sha256"));
        killed += u32::from(kill(
            folder.path(),
            &args,
            Duration::from_millis(5 + (150.0 * draw(&mut state)) as u64),
        ));
        if let Ok(found) = std::fs::read(sets.join("TINY.zip")) {
            assert!(found == file, "half an archive");
        }
    }
    run_in(folder.path(), &args).result();
    assert!(std::fs::read(sets.join("TINY.zip")).unwrap() == file);
    assert_eq!(names(&sets), ["TINY.zip", "TINY.zip.sha256"]);
    println!("datasets get: killed {killed} times while it was running");
}

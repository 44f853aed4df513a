use crate::{command, listing, run, run_in, tiny, tu_file};
use std::process::Stdio;

#[test]
fn an_unknown_dataset_is_named_with_what_is_near() {
    let folder = tiny();
    let error = run_in(folder.path(), &["info", "TINYY", "--data-dir", "."]).failure(1);
    assert!(error.starts_with("error: no dataset `TINYY`; tried TINYY and ./TINYY, alone "), "{error}");
    assert!(error.contains("similar names: TINY\n"), "{error}");
    assert_eq!(
        run(&["features", "vector-field", "--out", "x.csv"]).failure(1),
        "error: no dataset `vector-field`; tried vector-field\nhint: did you mean `vector-fields`?\n"
    );
    assert!(
        run(&["info", "MUTAG"]).failure(1).ends_with("hint: `hodgelet datasets get MUTAG` downloads it\n")
    );
}

#[test]
fn bad_flags_are_faults_of_the_input() {
    for args in [
        &["info"][..],
        &["inform"],
        &["info", "sbm", "--format", "yaml"],
        &["info", "sbm", "--threads", "0"],
        &["features", "sbm"],
        &["features", "sbm", "--out", "x.csv", "--vertices", "degrees"],
    ] {
        let error = run(args).failure(1);
        assert!(error.starts_with("error: "), "{args:?}: {error}");
    }
    let error = run(&["features", "sbm", "--out", "x.csv", "--low-pass", "high"]).failure(1);
    assert!(error.contains("rational, heat, meyer, ab-spline, none"), "{error}");
}

#[test]
fn commands_of_the_lab_are_found_there() {
    for (args, name) in [
        (&["reproduce", "table1", "--quick"][..], "reproduce"),
        (&["reproduce"], "reproduce"),
        (&["bench", "--help"], "bench"),
        (&["-q", "--threads", "1", "bench", "train", "sbm"], "bench"),
    ] {
        assert_eq!(
            run(args).failure(1),
            format!(
                "error: `{name}` is not a command of hodgelet\n\
                 hint: in the source tree, `cargo run --release -p hodgelet-lab -- {name} …` runs it\n"
            )
        );
    }
    assert!(run(&["reproduced"]).failure(1).starts_with("error: unrecognized subcommand 'reproduced'"));
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let error = |args: &[&str]| run(args).failure(1);
    assert_eq!(
        error(&["info", "./x.jsonl", "--set", "a=1"]),
        "error: --set a=1, but `./x.jsonl` is not a built-in dataset\n\
         hint: `hodgelet datasets list` shows the built-in ones\n"
    );
    assert_eq!(
        error(&["features", "sbm", "--out", "x.csv", "--n-filters", "0"]),
        "error: a bank of 0 filters, expected at least 1\n"
    );
    assert_eq!(
        error(&["features", "sbm", "--out", "x.csv", "--method", "fourier", "--n-points", "0"]),
        "error: 0 points on the spectrum, expected at least 1\n"
    );
    assert_eq!(
        error(&["features", "sbm", "--out", "x.csv", "--lift", "cliques:0", "--edges", "constant"])
            .lines()
            .next(),
        Some("error: cliques up to dimension 0, expected 1 to 15")
    );
    assert_eq!(
        error(&[
            "features",
            "sbm",
            "--out",
            "x.csv",
            "--vertices",
            "degree",
            "--method",
            "fourier",
            "--split",
            "--n-points",
            "1000000",
            "--set",
            "n_graphs=2000"
        ]),
        "error: 1000001 columns for 2000 graphs, expected at most 1073741824 numbers in all\n\
         hint: ask for fewer filters or points\n"
    );
    assert!(
        error(&["features", "sbm", "--out", "x.csv", "--method", "line-graph"])
            .contains("cells of dimension 1 carry no signal\nhint: ")
    );
    assert_eq!(
        error(&["features", "sbm", "--out", "x.csv", "--edges", "columns"]),
        "error: the dataset has neither labels nor attributes on cells of dimension 1\n\
         hint: --edges constant puts a one on every edge\n"
    );
}

#[test]
fn a_malformed_file_is_named_with_its_line() {
    let folder = tiny();
    let arcs = tu_file(folder.path(), "A");
    let text = std::fs::read_to_string(&arcs).unwrap().replacen("2, 3", "2, 30", 1);
    std::fs::write(&arcs, text).unwrap();
    assert_eq!(
        run_in(folder.path(), &["info", "TINY"]).failure(1),
        "error: TINY_A.txt, line 3: node 30, but the dataset has 9\n"
    );
    std::fs::write(folder.path().join("bad.jsonl"), "{\"hodgelet\":1}\n{\"vertices\":-1}\n").unwrap();
    let error = run_in(folder.path(), &["info", "bad.jsonl"]).failure(1);
    assert!(error.starts_with("error: bad.jsonl, line 2, vertices: found -1"), "{error}");
}

#[test]
fn warnings_go_to_standard_error_unless_it_is_to_be_quiet() {
    let folder = tiny();
    let arcs = tu_file(folder.path(), "A");
    let text = std::fs::read_to_string(&arcs).unwrap().replace("1, 2\n2, 1\n", "1, 2\n2, 2\n");
    std::fs::write(&arcs, text).unwrap();
    let args = ["decompose", "TINY", "--graph", "0", "--format", "json"];
    let loud = run_in(folder.path(), &args);
    assert_eq!(
        (loud.status, loud.stderr.as_str()),
        (0, "warning: TINY: 1 self-loop dropped; 1 edge listed in one direction only\n")
    );
    let quiet = run_in(folder.path(), &[&args[..], &["--quiet"]].concat()).result();
    assert_eq!(quiet, loud.stdout);
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let folder = tiny();
    let mut child = command(folder.path(), &["datasets", "list", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn help_and_version_are_results() {
    assert!(run(&["--help"]).result().contains("decompose"));
    assert!(
        run(&["features", "--help"]).result().contains("hodgelet features vector-fields --out fields.csv")
    );
    assert_eq!(run(&["--version"]).result(), format!("hodgelet {}\n", env!("CARGO_PKG_VERSION")));
}

/// Waits until the program catches interrupts, which it does before any work.
#[cfg(target_os = "linux")]
fn wait_for_handler(pid: u32) {
    for _ in 0..2000 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        if u64::from_str_radix(caught, 16).unwrap() & 0b10 != 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("no handler");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_stops_the_command_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        // One that takes longer than the grace period, and some that check the flag.
        &["generate", "surfaces", "--set", "n_graphs=1000000", "--out", "s.jsonl"][..],
        &["evaluate", "sbm", "--repeats", "1000"],
        &["fit", "sbm", "--restarts", "1000000", "--out", "m.hodgelet"],
    ] {
        let mut running = command(folder.path(), args);
        let child = running.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for_handler(child.id());
        // Into the work itself: before it, an interrupt is seen when the dataset has been read.
        std::thread::sleep(std::time::Duration::from_millis(300));
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(130), "error: interrupted\n"), "{args:?}");
    }
    assert!(listing(folder.path()).is_empty());
}

/// Every command ends with a message, and leaves nothing behind, where it would take more than its budget.
#[test]
fn a_budget_of_memory_is_kept_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let sbm = ["sbm", "--set", "n_graphs=3000"];
    let commands: [&[&str]; 5] = [
        &["fit", "--out", "m.hodgelet"],
        &["evaluate"],
        &["features", "--out", "f.npy"],
        &["info"],
        &["generate", "--out", "g.jsonl"],
    ];
    for command in commands {
        let run = run_in(folder.path(), &[command, &sbm[..], &["--memory", "6"]].concat());
        let error = run.failure(1);
        let expected = "error: more than 6 MB of memory are needed\nhint: raise --memory";
        assert!(error.starts_with(expected), "{command:?}: {error}");
        assert_eq!(listing(folder.path()), Vec::<String>::new(), "{command:?}");
    }
    run_in(folder.path(), &["fit", "sbm", "--memory", "2000", "--iterations", "2", "--out", "m.hodgelet"])
        .result();
}

//! Runs of a program and a small dataset, for the command tests of `hodgelet` and of `hodgelet-lab`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Standard output of a run that went well and had nothing to say beside it.
    #[track_caller]
    pub fn result(self) -> String {
        assert_eq!((self.status, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// The JSON of such a run.
    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.result()).unwrap()
    }

    /// Standard error of a run that failed with a status, and without a result.
    #[track_caller]
    pub fn failure(self, status: i32) -> String {
        assert_eq!((self.status, self.stdout.as_str()), (status, ""), "{}", self.stderr);
        self.stderr
    }
}

/// The program, ready to run in `folder`. Models are trained at the most probable hyperparameters, which is faster, unless
/// the test says how.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.args(args).current_dir(folder).env_remove("HODGELET_DATA").stdin(Stdio::null());
    let trains = matches!(args.first(), Some(&("fit" | "evaluate"))) || args.starts_with(&["coverage"]);
    if trains && !args.iter().any(|arg| matches!(*arg, "--hyperparameters" | "--help" | "-h")) {
        command.args(["--hyperparameters", "map"]);
    }
    command
}

/// Runs the program in `folder`.
pub fn run_in(folder: &Path, args: &[&str]) -> Run {
    finished(command(folder, args))
}

/// Runs the program.
pub fn run(args: &[&str]) -> Run {
    run_in(Path::new(env!("CARGO_TARGET_TMPDIR")), args)
}

pub fn finished(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Names of the files in a folder, in order.
pub fn listing(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Files of a TU dataset of two graphs: a filled triangle with a pendant edge, and a square with a lone vertex.
pub const TU_FILES: [(&str, &str); 5] = [
    ("A", "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n3, 4\n4, 3\n5, 6\n6, 5\n6, 7\n7, 6\n7, 8\n8, 7\n5, 8\n8, 5\n"),
    ("graph_indicator", "1\n1\n1\n1\n2\n2\n2\n2\n2\n"),
    ("graph_labels", "1\n-1\n"),
    ("node_labels", "0\n0\n1\n1\n0\n0\n0\n0\n1\n"),
    ("edge_labels", "0\n0\n0\n0\n0\n0\n1\n1\n0\n0\n0\n0\n0\n0\n0\n0\n"),
];

/// A folder with the TU dataset `TINY`.
pub fn tiny() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("TINY");
    std::fs::create_dir(&set).unwrap();
    for (name, text) in TU_FILES {
        std::fs::write(tu_file(folder.path(), name), text).unwrap();
    }
    folder
}

pub fn tu_file(folder: &Path, name: &str) -> PathBuf {
    folder.join("TINY").join(format!("TINY_{name}.txt"))
}

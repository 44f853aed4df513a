//! The commands of the guide run as they are printed, in order, and leave what they name.

use crate::run_in;
use std::path::Path;

fn commands(page: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/guides").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let words = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect();
    blocks.flat_map(str::lines).filter(|line| line.starts_with("hodgelet ")).map(words).collect()
}

/// Runs all commands of a page; returns the number of files that they named.
fn follow(page: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (all, mut files) = (commands(page), 0);
    for command in &all {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let run = run_in(folder.path(), &words);
        assert_eq!(run.status, 0, "{page}: {words:?}: {}", run.stderr);
        for pair in words.windows(2).filter(|pair| ["--out", "--report"].contains(&pair[0])) {
            assert!(folder.path().join(pair[1]).is_file(), "{page}: {words:?} leaves no {}", pair[1]);
            files += 1;
        }
    }
    files
}

#[test]
fn the_first_ten_minutes_go_as_printed() {
    assert_eq!(follow("start.md"), 7);
}

#[test]
fn the_guide_to_reports_goes_as_printed() {
    assert_eq!(follow("report.md"), 3);
}

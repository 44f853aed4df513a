//! The commands of the book and of the README run as they are printed, in order, and leave what they name.

use crate::run_in;
use std::fs;
use std::path::{Path, PathBuf};

/// What is run at another size: a million graphs are the point of their page, and take minutes.
const SMALLER: [(&str, &str); 1] = [("n_graphs=1000000", "n_graphs=2000")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages of the book, and the README.
fn pages() -> Vec<PathBuf> {
    let (mut found, mut open) = (vec![root().join("README.md")], vec![root().join("book/src")]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|extension| extension == "md") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// Commands in blocks of the shell, without comments; `$` is a prompt.
fn commands(page: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(page).unwrap();
    let mut shell = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(fence) => shell = ["sh", "console"].contains(&fence),
            None if shell => lines.push(line),
            None => {}
        }
    }
    let plain = |line: &str| line.trim_start_matches("$ ").split(" #").next().unwrap_or("").trim().to_owned();
    let ours = |line: &String| line.starts_with("hodgelet ");
    lines.into_iter().map(plain).filter(ours).map(|line| words(&line)).collect()
}

/// Words of a line, with quotes as a shell has them; the name of the program is left out.
fn words(line: &str) -> Vec<String> {
    let mut line = line.to_owned();
    SMALLER.iter().for_each(|(large, small)| line = line.replace(large, small));
    let mut words = Vec::new();
    for (k, part) in line.split('\'').enumerate() {
        match k % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words.split_off(1)
}

/// Data that pages name: molecules with targets, and folders of networks.
fn prepare(folder: &Path) {
    let smiles = ["CCO", "CCC", "c1ccccc1", "CC(=O)O", "CCN", "CCCC", "c1ccncc1", "CC(C)O", "OCCO", "CCS"];
    let molecule = |i: usize| format!("{}{}", smiles[i % 10], "C".repeat(i / 10));
    let gap = |i: usize, target: usize| if i.is_multiple_of(5) { String::new() } else { target.to_string() };
    // Both classes have every scaffold.
    let bace: String = (0..60).map(|i| format!("{},{}\n", molecule(i), (i + i / 10) % 2)).collect();
    fs::write(folder.join("BACE.csv"), "smiles,Class\n".to_owned() + &bace).unwrap();
    let row = |i: usize| {
        format!(
            "{},{},{},{}\n",
            molecule(i),
            i % 2,
            gap(i, usize::from(!i.is_multiple_of(3))),
            usize::from(i % 10 > 4)
        )
    };
    let tox: String = (0..60).map(row).collect();
    fs::write(folder.join("tox21.csv"), "smiles,NR-AR,NR-ER,SR-p53\n".to_owned() + &tox).unwrap();
    let new: String = (60..70).map(|i| molecule(i) + "\n").collect();
    fs::write(folder.join("new.csv"), "smiles\n".to_owned() + &new).unwrap();
    let mut labels = "graph,label\n".to_owned();
    for (name, count) in [("networks", 40), ("new", 5)] {
        fs::create_dir(folder.join(name)).unwrap();
        for k in 0..count {
            let n = 6 + k % 5;
            let mut text = "source,target,weight\n".to_owned();
            for v in 0..n - usize::from(k % 2 == 0) {
                text += &format!("{v},{},{}.5\n", (v + 1) % n, 1 + (v + k) % 3);
            }
            fs::write(folder.join(name).join(format!("{name}{k}.csv")), text).unwrap();
            labels += &format!("{name}{k},{}\n", if k % 2 == 0 { "path" } else { "ring" });
        }
    }
    fs::write(folder.join("labels.csv"), labels).unwrap();
}

/// Runs all commands of a page; returns how many there are.
fn follow(page: &Path) -> usize {
    let all = commands(page);
    if all.is_empty() {
        return 0;
    }
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let name = page.strip_prefix(root()).unwrap().display().to_string();
    for command in &all {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let run = run_in(folder.path(), &words);
        assert_eq!(run.status, 0, "{name}: {words:?}: {}", run.stderr);
        for pair in words.windows(2).filter(|pair| ["--out", "--report", "--predictions"].contains(&pair[0]))
        {
            assert!(folder.path().join(pair[1]).exists(), "{name}: {words:?} leaves no {}", pair[1]);
        }
    }
    all.len()
}

fn page(name: &str) -> PathBuf {
    root().join(name)
}

#[test]
fn the_first_ten_minutes_go_as_printed() {
    assert_eq!(follow(&page("book/src/guides/start.md")), 9);
}

/// All other pages but that of the gallery, whose commands `tools/gallery.py` runs.
#[test]
fn every_command_of_the_book_and_of_the_readme_runs() {
    let done = ["book/src/guides/start.md", "book/src/guides/gallery.md"].map(page);
    let pages: Vec<PathBuf> = pages().into_iter().filter(|page| !done.contains(page)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        let mut count = 0;
        while let Some(page) = pages.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            count += follow(page);
        }
        count
    };
    let count: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a page does not go as printed")).sum()
    });
    assert!(count > 30, "{count} commands");
}

#[test]
fn lines_are_split_as_a_shell_does() {
    assert_eq!(
        words("hodgelet card m --purpose 'a b' --out c"),
        ["card", "m", "--purpose", "a b", "--out", "c"]
    );
}

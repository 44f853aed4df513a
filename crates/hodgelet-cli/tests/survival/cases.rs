//! Commands, and what must be true of what they wrote at any moment.

use crate::harness::run_in;
use hodgelet::model::Model;
use hodgelet_data::jsonl;
use std::fs;
use std::path::Path;

/// A command and what its files must be at any moment.
pub struct Case {
    pub name: &'static str,
    pub args: Vec<String>,
    /// Panics where a file is half written.
    pub check: fn(&Path),
    /// How much finished work is there, where a run goes on from an earlier one.
    pub progress: fn(&Path) -> u64,
    /// The file that takes the place of that work.
    pub result: &'static str,
}

fn case(name: &'static str, args: &[&str], check: fn(&Path)) -> Case {
    Case {
        name,
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        check,
        progress: |_| 0,
        result: "",
    }
}

/// A folder with what the commands read: a dataset, a model of it, and more graphs.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| run_in(folder.path(), args).result();
    run(&["generate", "sbm", "--set", "n_graphs=24", "--out", "d.jsonl"]);
    run(&["generate", "sbm", "--set", "n_graphs=6", "--seed", "5", "--out", "more.jsonl"]);
    run(&["generate", "molecules", "--set", "n_graphs=2300", "--out", "many.jsonl"]);
    run(&["fit", "d.jsonl", "--iterations", "3", "--out", "m.hodgelet"]);
    run(&["fit", "molecules", "--set", "n_graphs=30", "--iterations", "2", "--out", "mol.hodgelet"]);
    folder
}

/// All commands that write.
pub fn all() -> Vec<Case> {
    let map = ["--hyperparameters", "map"];
    vec![
        case(
            "fit",
            &[&["fit", "d.jsonl", "--iterations", "3", "--out", "new.hodgelet"][..], &map].concat(),
            |at| {
                model(&at.join("new.hodgelet"));
            },
        ),
        case("update", &["update", "m.hodgelet", "more.jsonl", "--out", "updated.hodgelet"], |at| {
            model(&at.join("updated.hodgelet"));
        }),
        case("features", &["features", "d.jsonl", "--out", "f.npy"], |at| {
            matrix(&at.join("f.npy"));
            json(&at.join("f.npy.columns.json"));
        }),
        case("lift", &["lift", "d.jsonl", "--to", "cliques", "--out", "l.jsonl"], |at| {
            let path = at.join("l.jsonl");
            assert!(!path.exists() || jsonl::read(&path).is_ok());
        }),
        Case {
            progress: |at| {
                names(&at.join("r/unfinished")).iter().filter(|n| n.starts_with("fold-")).count() as u64
            },
            result: "r/evaluation.json",
            ..case(
                "evaluate",
                &[&["evaluate", "d.jsonl", "--folds", "3", "--iterations", "3", "--out", "r"][..], &map]
                    .concat(),
                |at| {
                    for name in ["evaluation.json", "splits.json"] {
                        json(&at.join("r").join(name));
                    }
                    for name in
                        names(&at.join("r/unfinished")).iter().filter(|name| name.starts_with("fold-"))
                    {
                        json(&at.join("r/unfinished").join(name));
                    }
                    for name in ["folds.svg", "reliability.svg"] {
                        let text = fs::read_to_string(at.join("r").join(name)).unwrap_or_default();
                        assert!(text.is_empty() || text.ends_with("</svg>\n"));
                    }
                },
            )
        },
        Case {
            progress: |at| leaves(&at.join("store")),
            ..case("measure", &["measure", "many.jsonl", "--threads", "1", "--out", "store"], |at| {
                let names = names(&at.join("store"));
                let is_whole = |name: &String| name == "store.json" || name.starts_with("leaf-");
                assert!(
                    names.iter().all(|name| is_whole(name) || name.starts_with(".hodgelet-")),
                    "{names:?}"
                );
            })
        },
        Case {
            // Whole groups of lines, which are what the next run keeps.
            progress: |at| {
                let text = fs::read_to_string(at.join("p.jsonl.part")).unwrap_or_default();
                text.lines().count().saturating_sub(1) as u64 / 1024
            },
            result: "p.jsonl",
            ..case(
                "predict",
                &[
                    "predict",
                    "mol.hodgelet",
                    "many.jsonl",
                    "--threads",
                    "1",
                    "--format",
                    "jsonl",
                    "--out",
                    "p.jsonl",
                ],
                |at| {
                    let text = fs::read_to_string(at.join("p.jsonl")).unwrap_or_default();
                    assert!(text.is_empty() || text.lines().count() == 2301);
                },
            )
        },
    ]
}

/// Whole leaves of a store.
fn leaves(store: &Path) -> u64 {
    names(store).iter().filter(|name| name.starts_with("leaf-")).count() as u64
}

pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn model(path: &Path) {
    if path.exists() {
        Model::load(path).unwrap();
    }
}

fn json(path: &Path) {
    if let Ok(text) = fs::read_to_string(path) {
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
}

/// A matrix whose header describes as many numbers as there are.
fn matrix(path: &Path) {
    let Ok(bytes) = fs::read(path) else { return };
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[10..10 + header]).into_owned();
    let shape = text.split("'shape': (").nth(1).unwrap().split(')').next().unwrap();
    let n: usize = shape.split(',').filter_map(|n| n.trim().parse::<usize>().ok()).product();
    assert_eq!(bytes.len(), 10 + header + 8 * n);
}

//! Tables of molecules, from `fit` to predictions beside the columns that were read.

use crate::{command, finished, listing, run_in};
use std::path::Path;

/// Benzenes with two groups: carboxylic acids are class 1.
fn table(header: &str, rows: std::ops::Range<usize>) -> String {
    const GROUPS: [&str; 12] = ["C", "CC", "OC", "F", "Cl", "Br", "N", "O", "N#C", "CO", "NC", "SC"];
    const ENDS: [(&str, u8); 4] = [("C(=O)O", 1), ("C(=O)N", 0), ("[C@H](N)C(=O)O", 1), ("[C@@H](O)CN", 0)];
    let line = |i: usize| {
        let (group, (end, class)) = (GROUPS[i / 4 % 12], ENDS[i % 4]);
        match header {
            "smiles" => format!("{group}c1ccc({end})cc1\n"),
            _ => format!("m{i},{group}c1ccc({end})cc1,{class},{}\n", i as f64 / 8.0),
        }
    };
    format!("{header}\n{}", rows.map(line).collect::<String>())
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// The cells of each line of a CSV file without quotes.
fn cells(folder: &Path, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The commands of the README that go from one table to predictions of another.
fn readme_commands() -> Vec<Vec<String>> {
    let readme = include_str!("../../../../README.md");
    let section = readme.split("## From the shell").nth(1).expect("the section is there");
    let block = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let commands = block.lines().filter_map(|line| line.strip_prefix("hodgelet "));
    // The last ones are about networks.
    let commands = commands.filter(|line| !line.contains("networks"));
    commands
        .map(|line| line.split('#').next().unwrap().split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn three_commands_of_the_readme_go_from_a_table_to_calibrated_predictions() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "BACE.csv", &table("CID,smiles,Class,pIC50", 0..48));
    write(folder.path(), "new.csv", &format!("{}C1CC\n", table("smiles", 20..30)));
    let commands = readme_commands();
    assert_eq!(commands.len(), 3);
    for args in commands {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = finished(command(folder.path(), &args));
        assert_eq!(run.status, 0, "{args:?}: {}", run.stderr);
    }
    // A second time, the table is known as one of ours.
    let last = readme_commands().pop().unwrap();
    let again = finished(command(folder.path(), &last.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(again.status, 0, "{}", again.stderr);
    let lines = cells(folder.path(), "predictions.csv");
    let header = "smiles,predicted,p(0),p(1),set,distance,far,error";
    assert_eq!(lines[0].join(","), header);
    assert_eq!(lines.len(), 12);
    for line in &lines[1..11] {
        let p: Vec<f64> = line[2..4].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((p[0] + p[1] - 1.0).abs() < 1e-12, "{line:?}");
        assert_eq!(line[1], if p[1] > 0.5 { "1" } else { "0" });
        assert!(line[4].split(';').all(|class| class == "0" || class == "1"), "{line:?}");
        assert_eq!(line[7], "");
    }
    assert_eq!(lines[11][..7].join(","), "C1CC,,,,,,");
    assert!(lines[11][7].starts_with("not SMILES: "), "{:?}", lines[11]);
}

#[test]
fn what_is_guessed_and_left_out_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}x,C1CC,1,2\ny,CCO,,2\n", table("CID,smiles,Class,pIC50", 0..12));
    write(folder.path(), "t.csv", &text);
    let args = ["fit", "t.csv", "--iterations", "3", "--out", "m.hodgelet"];
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines[0], "t: column `smiles` is read as SMILES");
    assert_eq!(lines[1], "t: column `Class` is read as target");
    assert_eq!(lines[2], "warning: t: 1 row without a target was left out");
    assert_eq!(lines[3], "warning: t: 1 row that cannot be read was left out:");
    assert!(lines[4].starts_with("  row 13 (line 14), `C1CC`: not SMILES: "), "{}", lines[4]);
    assert!(run.stdout.contains("graphs") && run.stdout.contains("12"), "{}", run.stdout);

    let stop = run_in(folder.path(), &[&args[..], &["--on-error", "stop"]].concat()).failure(1);
    assert!(stop.contains("t.csv, row 13 (line 14), `C1CC`: not SMILES"), "{stop}");
    assert!(stop.contains("hint: --on-error skip leaves such rows out and lists them"), "{stop}");
}

#[test]
fn columns_that_are_not_there_are_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &table("CID,smiles,Class,pIC50", 0..8));
    let error = run_in(folder.path(), &["info", "t.csv", "--target", "Clas"]).failure(1);
    assert!(error.contains("t.csv: found no column `Clas` (--target); there are `CID`"), "{error}");
    assert!(error.contains("did you mean `Class`?"), "{error}");
    let error = run_in(folder.path(), &["info", "sbm", "--smiles", "s"]).failure(1);
    assert!(error.contains("--smiles, but `sbm` is not a table of molecules"), "{error}");
}

#[test]
fn numbers_have_deviations_and_intervals_beside_the_columns() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &table("CID,smiles,Class,pIC50", 0..24));
    write(folder.path(), "new.tsv", "name\tsmiles\tstd\na\tCCO\t1\n");
    let fit = [
        "fit",
        "t.csv",
        "--target",
        "pIC50",
        "--smiles",
        "smiles",
        "--iterations",
        "3",
        "--out",
        "m.hodgelet",
    ];
    run_in(folder.path(), &[&fit[..], &["--quiet"]].concat()).result();
    let predict = ["predict", "m.hodgelet", "new.tsv", "--coverage", "0.8", "--out", "p.csv", "--quiet"];
    assert_eq!(run_in(folder.path(), &predict).result(), "");
    let lines = cells(folder.path(), "p.csv");
    assert_eq!(lines[0].join(","), "name,smiles,std,predicted,std_2,lower,upper,distance,far");
    let numbers: Vec<f64> = lines[1][3..7].iter().map(|cell| cell.parse().unwrap()).collect();
    assert!(numbers[2] < numbers[0] && numbers[0] < numbers[3] && numbers[1] > 0.0, "{lines:?}");
    assert_eq!(listing(folder.path()), ["m.hodgelet", "new.tsv", "p.csv", "t.csv"]);
}

#[test]
fn other_graphs_have_names_beside_their_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "sbm", "--set", "n_graphs=12", "--iterations", "3", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let predict = ["predict", "m.hodgelet", "sbm", "--set", "n_graphs=3", "--format", "csv", "--quiet"];
    let text = run_in(folder.path(), &predict).result();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("id,predicted,p("), "{text}");
    assert_eq!(lines.len(), 4);
    assert!(lines[1].starts_with("0,") && lines[3].starts_with("2,"), "{text}");
}

/// Twelve molecules each of five ring systems, a batch for each and years that go through all of them.
fn rings() -> String {
    const RINGS: [&str; 5] = ["c1ccccc1", "C1CCCC1", "c1ccncc1", "C1CCOCC1", "c1ccc2ccccc2c1"];
    const CHAINS: [&str; 12] = ["C", "CC", "O", "N", "F", "Cl", "Br", "OC", "CO", "CN", "NC", "N#C"];
    let line = |i: usize| {
        let (ring, chain) = (RINGS[i / 12], CHAINS[i % 12]);
        format!("{chain}{ring},{},{},b{}\n", i % 2, 1990 + i % 12, i / 12)
    };
    format!("smiles,y,year,batch\n{}", (0..60).map(line).collect::<String>())
}

/// Out-of-fold predictions of `rings` by a protocol of five folds.
fn out_of_fold(folder: &Path, protocol: &str) -> Vec<Vec<String>> {
    let args = ["evaluate", "r.csv", "--folds", "5", "--iterations", "2", "--protocol", protocol];
    let run = run_in(
        folder,
        &[&args[..], &["--target", "y", "--predictions", "p.csv", "--force", "--quiet"]].concat(),
    );
    assert_eq!(run.status, 0, "{protocol}: {}", run.stderr);
    cells(folder, "p.csv")
}

#[test]
fn groups_and_scaffolds_are_on_one_side_and_every_row_is_predicted_once() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "r.csv", &rings());
    for protocol in ["scaffold", "group=batch"] {
        let lines = out_of_fold(folder.path(), protocol);
        assert_eq!(lines[0].join(","), "smiles,y,year,batch,repeat,fold,truth,predicted,p(0),p(1)");
        assert_eq!(lines.len(), 61);
        let mut smiles: Vec<&String> = lines[1..].iter().map(|line| &line[0]).collect();
        smiles.sort_unstable();
        smiles.dedup();
        assert_eq!(smiles.len(), 60);
        for line in &lines[1..] {
            assert_eq!(line[1], line[6], "the truth is that of the row");
            let folds = lines[1..].iter().filter(|other| other[3] == line[3]).map(|other| &other[5]);
            assert!(folds.clone().all(|fold| *fold == line[5]), "{protocol}: {line:?}");
        }
    }
}

#[test]
fn by_time_a_fold_is_tested_by_what_came_before() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "r.csv", &rings());
    let lines = out_of_fold(folder.path(), "time=year");
    let year = |fold: &str| -> Vec<u32> {
        let rows = lines[1..].iter().filter(|line| line[5] == fold);
        rows.map(|line| line[2].parse().unwrap()).collect()
    };
    for fold in 1..5 {
        let (before, now) = (year(&(fold - 1).to_string()), year(&fold.to_string()));
        assert!(before.iter().max() < now.iter().min(), "fold {fold}");
    }
    assert!(lines.len() < 61, "the first part is never tested");
}

#[test]
fn protocols_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "r.csv", &rings());
    let refused = |dataset: &str, more: &[&str]| {
        run_in(folder.path(), &[&["evaluate", dataset, "--quiet", "--protocol"], more].concat()).failure(1)
    };
    let error = refused("r.csv", &["scaffold"]);
    assert!(error.contains("found 5 groups, expected at least one for each of 10 folds"), "{error}");
    assert!(error.contains("use at most 5 folds"), "{error}");
    let error = refused("r.csv", &["group=lab"]);
    assert!(error.contains("--protocol names the column `lab`; there are smiles, y, year, batch"), "{error}");
    let error = refused("r.csv", &["time=batch"]);
    assert!(
        error.contains("column `batch` has `b0`, expected numbers, or dates such as 2024-05-31"),
        "{error}"
    );
    let error = refused("sbm", &["scaffold"]);
    assert!(error.contains("--protocol scaffold, but the dataset is not a table of molecules"), "{error}");
    let error = refused("sbm", &["group=batch"]);
    assert!(
        error.contains("--protocol, but the dataset is not a table of molecules and has no table"),
        "{error}"
    );
}

#[test]
fn classes_are_shown_with_what_they_are_taken_for() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["evaluate", "sbm", "--set", "n_graphs=24", "--folds", "3", "--iterations", "3"];
    let json = run_in(folder.path(), &[&args[..], &["--format", "json"]].concat()).json();
    let counts = json["confusion"].as_array().unwrap();
    let total: u64 = counts.iter().flat_map(|row| row.as_array().unwrap()).map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(total, 24);
    let right: u64 = (0..2).map(|c| counts[c][c].as_u64().unwrap()).sum();
    assert!((json["accuracy"]["mean"].as_f64().unwrap() - right as f64 / 24.0).abs() < 1e-12);
    for score in ["balanced_accuracy", "mcc"] {
        assert!(json[score]["mean"].as_f64().unwrap() <= 1.0);
    }
    let text = run_in(folder.path(), &args).result();
    assert!(text.contains("balanced accuracy, %") && text.contains("MCC"), "{text}");
    assert!(text.contains("precision, %") && text.contains("recall, %"), "{text}");
}

#[test]
fn several_targets_with_gaps_are_trained_together_and_predicted_beside_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let text = table("CID,smiles,Class,pIC50", 0..40);
    // Every fourth class and every third number is not known.
    let gaps = |(i, line): (usize, &str)| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if i > 0 && i % 4 == 2 {
            cells[2] = "";
        }
        if i > 0 && i % 3 == 1 {
            cells[3] = "NA";
        }
        cells.join(",")
    };
    let text = text.lines().enumerate().map(gaps).collect::<Vec<_>>().join("\n");
    write(folder.path(), "t.csv", &text);
    let fit = [
        "fit",
        "t.csv",
        "--target",
        "Class,pIC50",
        "--iterations",
        "3",
        "--format",
        "json",
        "--out",
        "m.hodgelet",
    ];
    let run = run_in(folder.path(), &fit);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let trained = |t: usize| report["targets"][t]["training"]["n_train"].as_u64().unwrap();
    assert_eq!((trained(0), trained(1)), (30, 26));
    let args = ["predict", "m.hodgelet", "t.csv", "--target", "Class", "--target", "pIC50", "--out", "p.csv"];
    let run = finished(command(folder.path(), &args));
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines = cells(folder.path(), "p.csv");
    assert_eq!(
        lines[0][4..].join(","),
        "Class: predicted,Class: p(0),Class: p(1),Class: distance,Class: far,\
         pIC50: predicted,pIC50: std,pIC50: distance,pIC50: far"
    );
    assert_eq!(lines.len(), 41);
    assert!(lines[1..].iter().all(|line| line[10].parse::<f64>().unwrap() > 0.0));
    let info = finished(command(folder.path(), &["info", "m.hodgelet"]));
    assert!(info.stdout.contains("numbers around"), "{}", info.stdout);
    let commands: [&[&str]; 4] = [
        &["explain", "m.hodgelet", "t.csv", "--graph", "0"],
        &["update", "m.hodgelet", "t.csv", "--out", "m2.hodgelet"],
        &["card", "m.hodgelet"],
        &["plot", "kernel", "m.hodgelet", "t.csv", "--out", "k.svg"],
    ];
    for args in commands {
        let error = run_in(folder.path(), args).failure(1);
        let expected = "m.hodgelet: holds models of several targets (Class, pIC50), expected a model of one";
        assert!(error.contains(expected), "{args:?}: {error}");
        assert!(error.contains("hint: `hodgelet predict`, `info` and `report` take such a file"), "{error}");
    }
    let info = run_in(folder.path(), &["info", "t.csv", "--target", "Class,pIC50"]).result();
    assert!(info.contains("2 targets") && info.contains("2 classes"), "{info}");
    let info = ["info", "t.csv", "--target", "Class,pIC50", "--format", "json"];
    let found = run_in(folder.path(), &info).json()["target"].clone();
    assert_eq!((&found["kind"], &found["targets"][1]["known"]), (&"several".into(), &26.into()), "{found}");
    assert_eq!(found["targets"][0]["classes"][1]["name"], "1", "{found}");

    let evaluate = [
        "evaluate",
        "t.csv",
        "--target",
        "Class,pIC50",
        "--folds",
        "2",
        "--train-on-validation",
        "--iterations",
        "2",
        "--predictions",
        "oof.csv",
    ];
    let run = run_in(folder.path(), &evaluate);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let row = |name: &str| run.stdout.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("Class").contains(" 30 ") && row("pIC50").contains(" 26 "), "{}", run.stdout);
    // Every row once, with the truth where it is known.
    let lines = cells(folder.path(), "oof.csv");
    assert_eq!(
        lines[0][4..].join(","),
        "repeat,fold,Class: truth,Class: predicted,Class: p(0),Class: p(1),pIC50: truth,pIC50: predicted,pIC50: std"
    );
    assert_eq!(lines.len(), 38); // three rows have neither target
    for line in &lines[1..] {
        let number = |cell: &String| cell.parse::<f64>().ok();
        assert_eq!((&line[6], number(&line[10])), (&line[2], number(&line[3])), "{line:?}");
        assert_eq!(
            (line[7].is_empty(), line[12].is_empty()),
            (line[2].is_empty(), line[3] == "NA"),
            "{line:?}"
        );
    }
}

/// A number that is seen twice and is the same has no noise.
#[test]
fn weights_of_numbers_above_one_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |weight: f64| -> String {
        let row =
            |n: usize| format!("{}O,{}.5,{}\n", "C".repeat(n + 1), (7 * n) % 5, weight + (n % 2) as f64);
        "smiles,y,w\n".to_owned() + &(0..14).map(row).collect::<String>()
    };
    let fit =
        ["fit", "t.csv", "--target", "y", "--sample-weight", "w", "--iterations", "2", "--out", "m.hodgelet"];
    write(folder.path(), "t.csv", &rows(2.0));
    let run = run_in(folder.path(), &fit);
    assert!(run.stderr.contains("the weights of numbers have a mean of 2.500"), "{}", run.stderr);
    write(folder.path(), "t.csv", &rows(0.5));
    let run = run_in(folder.path(), &fit);
    assert_eq!((run.status, run.stderr.contains("a mean of")), (0, false), "{}", run.stderr);
}

#[test]
fn rows_count_by_a_column_and_a_row_without_a_weight_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &format!("{}x,CCO,1,-2\n", table("CID,smiles,Class,w", 1..20)));
    let args = |weight: &'static str| {
        [
            "fit",
            "t.csv",
            "--target",
            "Class",
            "--sample-weight",
            weight,
            "--iterations",
            "2",
            "--out",
            "m.hodgelet",
        ]
    };
    let run = run_in(folder.path(), &args("w"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("the weight is `-2`, expected a number from 1e-6 to 1e6"), "{}", run.stderr);
    assert!(
        std::fs::read(folder.path().join("m.hodgelet"))
            .unwrap()
            .windows(18)
            .any(|w| w == b"observations.weigh")
    );
    let run = run_in(folder.path(), &args("weight"));
    assert!(run.stderr.contains("found no column `weight` (--sample-weight)"), "{}", run.stderr);
}

/// More rows than are read at a time: the same predictions as row by row, and memory that does not grow.
#[test]
fn a_long_table_is_predicted_in_parts() {
    const ROWS: usize = 5000;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &table("CID,smiles,Class,pIC50", 0..24));
    let fit = ["fit", "t.csv", "--target", "Class", "--iterations", "2", "--quiet", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let smiles = |i: usize| match i {
        10 | 4500 => "C1CC".to_owned(),
        _ => ["C", "CC(=O)O", "CCN", "c1ccccc1O"][i % 4].to_owned(),
    };
    let rows: String = (0..ROWS).map(|i| format!("{i},{}\n", smiles(i))).collect();
    write(folder.path(), "long.csv", &format!("id,smiles\n{rows}"));
    let run = run_in(folder.path(), &["predict", "m.hodgelet", "long.csv", "--out", "p.csv"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert!(run.stderr.contains("long: 2 rows that cannot be read were left out"), "{}", run.stderr);
    assert!(
        run.stderr.contains("row 11 (line 12)") && run.stderr.contains("row 4501 (line 4502)"),
        "{}",
        run.stderr
    );
    let lines = cells(folder.path(), "p.csv");
    assert_eq!(lines[0].join(","), "id,smiles,predicted,p(0),p(1),distance,far,error");
    assert_eq!(lines.len(), ROWS + 1);
    for (i, line) in lines[1..].iter().enumerate() {
        assert_eq!(line[..2].join(","), format!("{i},{}", smiles(i)));
        assert_eq!(line[7].is_empty(), i != 10 && i != 4500, "{line:?}");
    }
    write(
        folder.path(),
        "few.csv",
        &format!("id,smiles\n{}", rows.lines().take(4).collect::<Vec<_>>().join("\n")),
    );
    let few = run_in(folder.path(), &["predict", "m.hodgelet", "few.csv", "--quiet", "--out", "few-p.csv"]);
    assert_eq!(few.result(), "");
    let few = cells(folder.path(), "few-p.csv");
    for i in (0..ROWS).filter(|i| *i != 10 && *i != 4500) {
        assert_eq!(lines[i + 1][2..7], few[i % 4 + 1][2..7], "row {i}");
    }
    let files = ["few-p.csv", "few.csv", "long.csv", "m.hodgelet", "p.csv", "t.csv"];
    assert_eq!(listing(folder.path()), files);
    // With an end at the first row that cannot be read, there is no file.
    let stop = ["predict", "m.hodgelet", "long.csv", "--on-error", "stop", "--force", "--out", "q.csv"];
    let error = run_in(folder.path(), &stop).failure(1);
    assert!(error.contains("row 11 (line 12)"), "{error}");
    assert!(!folder.path().join("q.csv").exists());
}

#[test]
fn a_verbose_command_says_what_it_does_and_a_quiet_one_cannot() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &table("CID,smiles,Class,pIC50", 0..12));
    let fit = ["fit", "t.csv", "--target", "Class", "--iterations", "2", "--out", "m.hodgelet", "--verbose"];
    let run = run_in(folder.path(), &fit);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for said in [
        "threads",
        " s  read t: 12 graphs, ",
        "columns element, ",
        "start 0, step 1: objective -",
        " s  done",
    ] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    let plain = run_in(folder.path(), &fit[..8]);
    assert!(!plain.stderr.contains("objective"), "{}", plain.stderr);
    let folds = ["evaluate", "t.csv", "--target", "Class", "--folds", "3", "--iterations", "2", "-v"];
    let run = run_in(folder.path(), &folds);
    for said in ["training of 3 folds takes about ", " MB each", "3 of 3 folds done"] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    let both = run_in(folder.path(), &["info", "t.csv", "--verbose", "--quiet"]).failure(1);
    assert!(both.contains("cannot be used with"), "{both}");
}

/// The reader of Parquet panics at this file; the user sees an error and nothing of the panic.
#[test]
fn a_damaged_parquet_file_is_an_error_without_a_backtrace() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = include_bytes!("../../../../fuzz/regressions/parquet/levels-beyond-rows");
    std::fs::write(folder.path().join("t.parquet"), bytes).unwrap();
    let mut info = command(folder.path(), &["info", "t.parquet", "--smiles", "smiles"]);
    info.env("RUST_BACKTRACE", "1");
    let error = finished(info).failure(1);
    assert!(error.starts_with("error: t.parquet: not a Parquet file that can be read"), "{error}");
    assert!(!error.contains("panicked") && !error.contains("backtrace"), "{error}");
}

//! Data that commands read alike, settings that are not ignored in silence, and messages in the words of their readers.

use crate::{command, finished, run, run_in};
use serde_json::Value;
use std::path::Path;

const GROUPS: [&str; 8] = ["C", "CC", "OC", "F", "Cl", "Br", "N", "O"];

/// Benzenes of class 1 with an acid or an amino acid (which has a stereo center), of class 0 with an amide or an alcohol.
fn trained(n: usize) -> String {
    const ENDS: [&str; 4] = ["C(=O)O", "C(=O)N", "[C@H](N)C(=O)O", "[C@@H](O)CN"];
    let line =
        |i: usize| format!("{}c1ccc({})cc1,{},{}.5\n", GROUPS[i / 4 % 8], ENDS[i % 4], (i + 1) % 2, i % 7);
    format!("smiles,Class,n\n{}", (0..n).map(line).collect::<String>())
}

/// Others, none of which has a stereo center; every third class is not known.
fn plain(n: usize) -> String {
    let class = |i: usize| if i % 3 == 2 { "" } else { ["1", "0"][i % 2] };
    let line = |i: usize| format!("{}CCc1ccc({})cc1,{}\n", GROUPS[i % 8], ["C(=O)O", "CN"][i % 2], class(i));
    format!("smiles,Class\n{}", (0..n).map(line).collect::<String>())
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// A folder with a model of classes `m.hodgelet` and the table `new.csv`.
fn with_model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &trained(24));
    write(folder.path(), "new.csv", &plain(12));
    let fit = ["fit", "t.csv", "--target", "Class", "--iterations", "2", "--quiet", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    folder
}

#[test]
fn molecules_without_stereo_are_explained_and_added_as_they_are_predicted() {
    let folder = with_model();
    let explain = ["explain", "m.hodgelet", "new.csv", "--format", "json", "--quiet", "--graph"];
    for graph in ["2", "6"] {
        let found = run_in(folder.path(), &[&explain[..], &[graph]].concat()).json();
        // Rows count from 1, graphs from 0; row 3 has no target.
        assert_eq!(found["id"], (graph.parse::<usize>().unwrap() + 1).to_string(), "{found}");
    }
    let update = ["update", "m.hodgelet", "new.csv", "--target", "Class", "--out", "m2.hodgelet"];
    let run = run_in(folder.path(), &[&update[..], &["--format", "json"]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("new: 4 rows without a target were left out"), "{}", run.stderr);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["added"], 8);
}

#[test]
fn a_row_that_cannot_be_read_is_a_graph_that_cannot_be_explained() {
    let folder = with_model();
    write(folder.path(), "bad.csv", "smiles\nCCO\nC1CC\nCCN\n");
    let explain = |graph: &str| {
        run_in(folder.path(), &["explain", "m.hodgelet", "bad.csv", "--graph", graph, "--quiet"])
    };
    let error = explain("1").failure(1);
    assert!(error.contains("bad, graph 1: row 2 (line 3), `C1CC`: not SMILES"), "{error}");
    assert!(explain("2").result().contains("predicted"));
    assert!(explain("3").failure(1).contains("complex 3, but the dataset has 3"));
}

#[test]
fn info_says_what_was_guessed_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &format!("{}C1CC,1\n", plain(12)));
    let text = run_in(folder.path(), &["info", "t.csv"]).result();
    for said in [
        "note: column `smiles` is read as SMILES",
        "note: column `Class` is read as target",
        "tidied: 4 rows without a target were left out",
        "tidied: 1 row that cannot be read was left out:",
        "row 13 (line 14), `C1CC`: not SMILES",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let found = run_in(folder.path(), &["info", "t.csv", "--format", "json"]).json();
    assert_eq!((&found["graphs"], &found["left_out"]["without_target"]), (&8.into(), &4.into()));
    let unreadable = &found["left_out"]["unreadable"];
    assert_eq!((unreadable.as_array().unwrap().len(), &unreadable[0]["row"]), (1, &13.into()));
    assert!(unreadable[0]["reason"].as_str().unwrap().starts_with("not SMILES"), "{found}");
    assert_eq!(found["notes"][1], "column `Class` is read as target");
}

#[test]
fn settings_of_the_other_kind_of_target_are_refused_before_training() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &trained(16));
    let refused = |command: &str, target: &str, more: &[&str]| {
        let out: &[&str] = if command == "fit" { &["--out", "m.hodgelet"] } else { &[] };
        let args = [&[command, "t.csv", "--quiet", "--target", target], more, out].concat();
        let error = run_in(folder.path(), &args).failure(1);
        assert!(!folder.path().join("m.hodgelet").exists());
        error
    };
    for command in ["fit", "evaluate"] {
        let error = refused(command, "Class", &["--noise", "poisson"]);
        assert!(error.contains("--noise poisson is for numbers, but the targets are classes"), "{error}");
        assert!(error.contains("hint: --target-type numbers reads the targets"), "{error}");
        let error = refused(command, "n", &["--likelihood", "ordinal"]);
        assert!(
            error.contains("--likelihood ordinal is for classes, but the targets are numbers"),
            "{error}"
        );
        assert!(error.contains("hint: --target-type classes reads the targets"), "{error}");
        let error = refused(command, "n", &["--class-weight", "balanced"]);
        assert!(error.contains("--class-weight balanced is for classes"), "{error}");
    }
    let fit =
        ["fit", "t.csv", "--quiet", "--target", "Class", "--target-type", "numbers", "--iterations", "2"];
    run_in(folder.path(), &[&fit[..], &["--noise", "poisson", "--out", "m.hodgelet"]].concat()).result();
}

#[test]
fn known_truths_are_scored_and_unknown_ones_are_null() {
    let folder = with_model();
    let predict = ["predict", "m.hodgelet", "new.csv", "--target", "Class", "--quiet"];
    let found = run_in(folder.path(), &[&predict[..], &["--format", "json"]].concat()).json();
    let rows = found["predictions"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    let (mut right, mut known) = (0, 0);
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row["truth"].is_null(), i % 3 == 2, "{row}");
        known += usize::from(!row["truth"].is_null());
        right += usize::from(row["truth"] == row["class"]);
    }
    assert_eq!(found["accuracy"].as_f64().unwrap(), right as f64 / known as f64);
    let text = run_in(folder.path(), &predict).result();
    assert!(text.contains("truth") && text.contains("accuracy"), "{text}");
    let lines = run_in(folder.path(), &[&predict[..], &["--format", "jsonl"]].concat()).result();
    let lines: Vec<Value> = lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().zip(rows).all(|(line, row)| line["truth"] == row["truth"]), "{lines:?}");

    let report = ["report", "m.hodgelet", "new.csv", "--target", "Class", "--out", "r.html"];
    let run = run_in(folder.path(), &report);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("new: 4 graphs without a target left out of the scores"), "{}", run.stderr);
    assert!(!run.stderr.contains("no truth is known"), "{}", run.stderr);
}

#[test]
fn whole_numbers_are_truths_of_a_model_of_numbers() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", &trained(16));
    write(folder.path(), "whole.csv", "smiles,n\nCCO,1\nCCN,2\nCCC,4\n");
    let fit = ["fit", "t.csv", "--target", "n", "--iterations", "2", "--quiet", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let predict = ["predict", "m.hodgelet", "whole.csv", "--target", "n", "--quiet", "--format", "json"];
    let found = run_in(folder.path(), &predict).json();
    assert_eq!(found["predictions"][2]["truth"], 4.0);
    assert!(found["rmse"].as_f64().is_some(), "{found}");
}

#[test]
fn every_flag_of_a_manual_page_is_described() {
    for page in [&["man"][..], &["man", "fit"], &["man", "predict"], &["man", "evaluate"], &["man", "info"]] {
        let text = run(page).result();
        let lines: Vec<&str> = text.lines().collect();
        let entries: Vec<usize> = (0..lines.len()).filter(|&i| lines[i] == ".TP").collect();
        assert!(entries.len() > 5, "{page:?}");
        for entry in entries {
            let said = lines.get(entry + 2).copied().unwrap_or_default();
            assert!(!said.is_empty() && !said.starts_with('.'), "{page:?}: {}", lines[entry + 1]);
        }
    }
}

#[test]
fn files_of_another_shape_are_refused_in_words() {
    let folder = with_model();
    write(folder.path(), "s.json", r#"{"a": 1}"#);
    let error = run_in(folder.path(), &["evaluate", "sbm", "--splits", "s.json"]).failure(1);
    assert!(
        error.contains("s.json: found an object, expected a list with an object for each fold"),
        "{error}"
    );
    for (name, has_texts) in [("empty", false), ("texts", true)] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        if has_texts {
            write(folder.path(), "texts/a.txt", "1 2\n2 3\n");
        }
        let error = run_in(folder.path(), &["info", name]).failure(1);
        let expected = format!("{name}: found a folder without graphs, expected the files of a TU dataset");
        assert!(error.contains(&expected), "{error}");
        let said = error.contains("hint: lists of edges are read where their names end in .csv");
        assert_eq!(said, has_texts, "{error}");
    }
    for model in ["new.csv", "s.json"] {
        let error = run_in(folder.path(), &["predict", model, "m.hodgelet"]).failure(1);
        assert!(error.starts_with(&format!("error: {model}: not a model file\nhint: ")), "{error}");
        assert!(error.contains("MODEL comes before DATASET"), "{error}");
    }
}

#[test]
fn an_empty_variable_names_no_data_directory() {
    let folder = tempfile::tempdir().unwrap();
    let mut info = command(folder.path(), &["info", "sbm", "--set", "n_graphs=4"]);
    info.env("HODGELET_DATA", "");
    assert!(finished(info).result().contains("graphs"));
    let mut get = command(folder.path(), &["datasets", "get", "MUTAG"]);
    get.env("HODGELET_DATA", "");
    assert!(finished(get).failure(1).contains("no directory to download into"));
}

#[test]
fn why_training_ended_is_said_in_words_and_json_keeps_its_name() {
    let folder = with_model();
    let text = run_in(folder.path(), &["info", "m.hodgelet"]).result();
    assert!(
        text.contains("2 steps, ") && text.contains("ended because no more steps were allowed"),
        "{text}"
    );
    let found = run_in(folder.path(), &["info", "m.hodgelet", "--format", "json"]).json();
    assert_eq!(found["training"]["stop"], "Iterations");
}

#[test]
fn a_column_of_graphs_that_is_not_named_is_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "e.csv", "graph,source,target\n1,a,b\n1,b,c\n2,c,d\n2,d,e\n");
    let found = run_in(folder.path(), &["info", "e.csv", "--format", "json"]).json();
    let doubt = "e.csv: column `graph` is read as an attribute of the edges of one graph; \
                 --graph-column graph reads a graph for each of its values";
    assert_eq!((&found["graphs"], &found["tidied"][0]), (&1.into(), &doubt.into()));
    let features = run_in(folder.path(), &["features", "e.csv", "--edges", "constant", "--out", "f.csv"]);
    assert!(features.stderr.contains(doubt), "{}", features.stderr);
    let named = ["info", "e.csv", "--graph-column", "graph", "--format", "json"];
    let named = run_in(folder.path(), &named).json();
    assert_eq!((&named["graphs"], named["tidied"].as_array().unwrap().len()), (&2.into(), 0));
    write(folder.path(), "e.csv", "graph,source,target\n1,a,b\n2,a,b\n");
    let error = run_in(folder.path(), &["info", "e.csv"]).failure(1);
    assert!(error.contains("found 2 as `graph` of the edge from `a` to `b`, but 1 in line 2"), "{error}");
    assert!(error.contains("hint: --graph-column names the column"), "{error}");
}

#[test]
fn a_matrix_in_one_file_is_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.csv", "0,1,0\n1,0,1\n0,1,0\n");
    write(folder.path(), "b.csv", ",x,y\nx,0,1\ny,1,0\n");
    for file in ["a.csv", "b.csv"] {
        let error = run_in(folder.path(), &["info", file]).failure(1);
        assert!(error.contains("hint: --layout matrix reads an adjacency matrix"), "{file}: {error}");
        let info = run_in(folder.path(), &["info", file, "--layout", "matrix", "--format", "json"]).json();
        assert_eq!(info["graphs"], 1);
    }
    write(folder.path(), "c.csv", "a,b,c\nx,1,2\n");
    assert!(!run_in(folder.path(), &["info", "c.csv"]).failure(1).contains("matrix"));
}

#[test]
fn predictions_are_written_in_the_format_that_the_name_promises() {
    let folder = with_model();
    let predict = |out: &str, more: &[&str]| {
        let args = ["predict", "m.hodgelet", "new.csv", "--quiet", "--out", out];
        run_in(folder.path(), &[&args[..], more].concat())
    };
    for (name, format) in [("x.parquet", &[][..]), ("x.dat", &[]), ("x.parquet", &["--format", "csv"])] {
        let error = predict(name, format).failure(1);
        let expected =
            format!("--out {name}, expected a name that ends in .csv, .tsv, .json, .jsonl or .txt");
        assert!(error.contains(&expected), "{error}");
        assert!(!folder.path().join(name).exists());
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    predict("x.json", &[]).result();
    assert!(serde_json::from_str::<Value>(&read("x.json")).is_ok());
    predict("x.dat", &["--format", "csv"]).result();
    assert!(read("x.dat").starts_with("smiles,Class,predicted"), "{}", read("x.dat"));
}

#[test]
fn a_set_of_classes_can_be_taken_apart() {
    let folder = tempfile::tempdir().unwrap();
    let text = trained(24).replace(",1,", ",a b,").replace(",0,", ",c;d,");
    write(folder.path(), "t.csv", &text);
    let fit = ["fit", "t.csv", "--target", "Class", "--iterations", "2", "--quiet", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    let predict = ["predict", "m.hodgelet", "t.csv", "--coverage", "0.9999999", "--quiet", "--format", "csv"];
    let text = run_in(folder.path(), &predict).result();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let at = rows.headers().unwrap().iter().position(|name| name == "set").unwrap();
    for row in rows.records() {
        let row = row.unwrap();
        let mut classes: Vec<&str> = row[at].splitn(2, ';').collect();
        // The second class has a semicolon, too: it is in quotes.
        if row[at].starts_with('"') {
            classes = row[at].rsplitn(2, ';').collect();
        }
        classes.sort_unstable();
        assert_eq!(classes, ["\"c;d\"", "a b"], "{row:?}");
    }
}

#[test]
fn a_table_of_molecules_without_names_of_columns_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "t.csv", "CC(=O)Oc1ccccc1\nCCO\nCCN\n");
    let error = run_in(folder.path(), &["info", "t.csv"]).failure(1);
    assert!(error.contains("t.csv: found the molecule `CC(=O)Oc1ccccc1` in the first line"), "{error}");
    assert!(error.contains("hint: add a first line with names, such as smiles,target"), "{error}");
}

#[test]
fn other_names_of_the_squared_exponential_are_answered_with_its_own() {
    let error = run(&["fit", "sbm", "--kernel", "rbf", "--out", "m.hodgelet"]).failure(1);
    assert!(error.contains("hint: the squared exponential is called se: --kernel se"), "{error}");
    let error = run(&["fit", "sbm", "--kernel", "foo", "--out", "m.hodgelet"]).failure(1);
    assert!(error.contains("expected se, matern12"), "{error}");
}

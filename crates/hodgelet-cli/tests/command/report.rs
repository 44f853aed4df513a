//! Reports, pictures and cards: whole, bounded, the same for the same run, and safe whatever the data are called.

use crate::run_in;
use std::fs;
use std::path::Path;

const FIELDS: [&str; 5] = ["vector-fields", "--set", "n_fields=24", "--set", "n_vertices=30"];

fn with(first: &[&str], rest: &[&str]) -> Vec<String> {
    first.iter().chain(rest).map(|&word| word.to_owned()).collect()
}

fn go(folder: &Path, words: &[String]) -> crate::Run {
    run_in(folder, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn fitted(folder: &Path) {
    go(folder, &with(&["fit"], &[&FIELDS[..], &["--out", "m.hodgelet", "--quiet"]].concat())).result();
}

/// Lines that two files do not share.
fn different<'a>(a: &'a str, b: &'a str) -> Vec<(&'a str, &'a str)> {
    assert_eq!(a.lines().count(), b.lines().count());
    a.lines().zip(b.lines()).filter(|(a, b)| a != b).collect()
}

#[test]
fn two_reports_of_one_run_differ_in_the_line_that_says_when() {
    let folder = tempfile::tempdir().unwrap();
    fitted(folder.path());
    let page = folder.path().join("r.html");
    let words = with(
        &["report", "m.hodgelet"],
        &[&FIELDS[..], &["--seed", "1", "--out", "r.html", "--json", "--quiet"]].concat(),
    );
    let mut pages = Vec::new();
    for _ in 0..2 {
        go(folder.path(), &words).result();
        pages.push(fs::read_to_string(&page).unwrap());
    }
    for (line, _) in different(&pages[0], &pages[1]) {
        assert!(line.contains("Made 2"), "{line}");
    }
    assert!(pages[0].len() < 2_000_000);
    for part in [
        "What was run",
        "Scores",
        "What the model learned",
        "Who is unsure",
        "One graph",
        "Leakage",
        "Drift",
        "nearest training graphs",
        "graphs far from all training graphs",
        "How far is the nearest training graph?",
        "Model card",
        "TODO: what decisions it supports",
    ] {
        assert!(pages[0].contains(part), "{part}");
    }
    assert!(!pages[0].contains("NaN"));
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("r.html.json")).unwrap()).unwrap();
    assert_eq!(json["report"]["cases"].as_array().unwrap().len(), 24);
}

#[test]
fn an_evaluation_has_a_report_of_graphs_that_were_not_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let words = with(
        &["evaluate"],
        &[&FIELDS[..], &["--folds", "3", "--report", "e.html", "--format", "json", "--quiet"]].concat(),
    );
    let found = go(folder.path(), &words).json();
    let page = fs::read_to_string(folder.path().join("e.html")).unwrap();
    let accuracy = 100.0 * found["accuracy"]["mean"].as_f64().unwrap();
    assert!(page.contains(&format!("right in {accuracy:.1}% of cases")), "{accuracy}");
    assert!(page.contains("Over 3 folds, on graphs that it was not trained on"));
    for part in ["Accuracy by fold", "Log loss by fold", "fold 2, 8 graphs", "The nearest other graphs"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_report_of_a_search_says_what_each_fold_chose() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["evaluate", "sbm", "--set", "n_graphs=18", "--folds", "3", "--auto", "--iterations", "2"];
    run_in(folder.path(), &[&words[..], &["--report", "a.html", "--quiet"]].concat()).result();
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    for part in ["settings chosen in repeat 0, fold 2", "settings chosen for the model of all graphs"] {
        assert!(page.contains(part), "{part}");
    }
}

/// A table with two targets, one of them with gaps: one page, with an overview and a report for each.
#[test]
fn several_targets_have_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let smiles = ["CCO", "CCC", "c1ccccc1", "CC(=O)O", "CCN", "CCCC", "c1ccncc1", "CC(C)O", "OCCO", "CCS"];
    let row = |i: usize| {
        let first = if i.is_multiple_of(4) { String::new() } else { usize::from(i % 10 > 4).to_string() };
        format!("{}{},{first},{}.5\n", smiles[i % 10], "C".repeat(i / 10), i % 7)
    };
    let text = "smiles,toxic,size\n".to_owned() + &(0..30).map(row).collect::<String>();
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let common = ["t.csv", "--target", "toxic,size", "--quiet"];
    let fast = ["--iterations", "3"];
    let flags = ["--folds", "3", "--report", "e.html", "--report-json"];
    run_in(folder.path(), &[&["evaluate"], &common[..], &fast, &flags].concat()).result();
    let page = fs::read_to_string(folder.path().join("e.html")).unwrap();
    for part in ["report on 2 targets", "Target toxic", "Target size", "id=\"t0-rows\"", "id=\"t1-table\""] {
        assert!(page.contains(part), "{part}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("e.html.json")).unwrap()).unwrap();
    assert_eq!(json["report"][0]["target"], "toxic");
    let counts: Vec<usize> = (0..2).map(|k| json["report"][k]["cases"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [22, 30], "each target has the rows where it is known");
    run_in(folder.path(), &[&["fit"], &common[..], &fast, &["--out", "m.hodgelet"]].concat()).result();
    run_in(folder.path(), &[&["report", "m.hodgelet"], &common[..], &["--out", "r.html"]].concat()).result();
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("Model card") && page.contains("Sections of size"));
}

#[test]
fn text_of_the_data_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let name = "</script><script>alert(1)</script>";
    let header = format!(r#"{{"hodgelet":1,"name":{},"target":"class"}}"#, serde_json::json!(name));
    let line = |i: usize| {
        let edges = if i.is_multiple_of(2) { "[[0,1],[1,2],[0,2]]" } else { "[[0,1],[1,2]]" };
        let target = if i.is_multiple_of(2) { name } else { "<b>" };
        format!(
            r#"{{"id":{},"vertices":{},"edges":{edges},"target":{}}}"#,
            serde_json::json!(format!("{name}{i}")),
            3 + i % 3,
            serde_json::json!(target)
        )
    };
    let text = [header].into_iter().chain((0..18).map(line)).collect::<Vec<_>>().join("\n");
    fs::write(folder.path().join("d.jsonl"), text).unwrap();
    run_in(folder.path(), &["evaluate", "d.jsonl", "--folds", "3", "--report", "e.html", "--quiet"]).result();
    let page = fs::read_to_string(folder.path().join("e.html")).unwrap();
    assert_eq!(page.matches("<script").count(), 2, "the rows and the script of the page");
    assert!(!page.contains("<b>") && !page.contains("alert(1)</script>"));
}

#[test]
fn pictures_are_what_their_names_say() {
    let folder = tempfile::tempdir().unwrap();
    fitted(folder.path());
    let field = |command: &[&str], out: &str| {
        let words = with(command, &[&FIELDS[..], &["--out", out, "--quiet"]].concat());
        go(folder.path(), &words).result();
        fs::read(folder.path().join(out)).unwrap()
    };
    let flow = String::from_utf8(field(&["decompose", "--graph", "0"], "flow.svg")).unwrap();
    for part in ["<svg", "exact, ", "co-exact, ", "harmonic, ", "strongest flow"] {
        assert!(flow.contains(part), "{part}");
    }
    assert!(!flow.contains("NaN") && !flow.contains('{') || flow.contains("<style>"));
    assert!(field(&["plot", "spectrum", "--graph", "1"], "s.svg").starts_with(b"<svg"));
    assert!(field(&["plot", "decompose", "--graph", "1"], "d.pdf").starts_with(b"%PDF-"));
    let of_model = |what: &'static str| ["plot", what, "m.hodgelet"];
    assert!(field(&of_model("filters"), "f.png").starts_with(b"\x89PNG"));
    assert!(field(&of_model("reliability"), "r.svg").starts_with(b"<svg"));
    let kernel = String::from_utf8(field(&of_model("kernel"), "k.svg")).unwrap();
    assert!(kernel.contains("what 24 graphs have in common"), "{kernel}");
    assert!(field(&of_model("attribution"), "a.svg").starts_with(b"<svg"));
    let error = go(folder.path(), &with(&["plot", "spectrum"], &[&FIELDS[..], &["--out", "s.jpg"]].concat()))
        .failure(1);
    assert!(error.contains("expected a name that ends in .svg, .png or .pdf"), "{error}");
}

#[test]
fn a_card_says_what_the_model_file_holds() {
    let folder = tempfile::tempdir().unwrap();
    fitted(folder.path());
    let text = run_in(
        folder.path(),
        &["card", "m.hodgelet", "--purpose", "Tells *flows* apart", "--license", "MIT"],
    )
    .result();
    for part in [
        "# Model card: m",
        "Tells \\*flows\\* apart",
        "Trained on 24 graphs",
        "## Calibration",
        "is called far",
        "## Licence\n\nMIT",
        "TODO: of the model",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("is predicted from"), "no threshold was asked for: {text}");
    let rule = ["--hyperparameters", "map", "--threshold", "cost=5", "--out", "cautious.hodgelet"];
    go(folder.path(), &with(&["fit"], &[&FIELDS[..], &rule].concat())).result();
    let text = run_in(folder.path(), &["card", "cautious.hodgelet"]).result();
    assert!(text.contains("is predicted from a probability of 0."), "{text}");
    run_in(folder.path(), &["card", "m.hodgelet", "--out", "CARD.md"]).result();
    run_in(folder.path(), &["card", "m.hodgelet", "--out", "CARD.md"]).result();
    fs::write(folder.path().join("precious.md"), "notes").unwrap();
    let error = run_in(folder.path(), &["card", "m.hodgelet", "--out", "precious.md"]).failure(1);
    assert!(error.contains("precious.md"), "{error}");
}

#[test]
fn what_cannot_be_reported_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let error = run_in(folder.path(), &["report", "missing.hodgelet", "sbm", "--out", "r.html"]).failure(1);
    assert!(error.contains("missing.hodgelet"), "{error}");
    let error = run_in(folder.path(), &["evaluate", "sbm", "--report", "r.pdf"]).failure(1);
    assert!(error.contains("expected a name that ends in .html or .htm"), "{error}");
}

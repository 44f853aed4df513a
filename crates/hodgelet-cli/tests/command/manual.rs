use crate::{run, run_in};

#[test]
fn completions_name_every_subcommand() {
    for shell in ["bash", "zsh", "fish"] {
        let text = run(&["completions", shell]).result();
        for name in ["evaluate", "predict", "completions"] {
            assert!(text.contains(name), "{shell}: {name}");
        }
    }
    let error = run(&["completions", "tcsh"]).failure(1);
    assert!(error.contains("bash"), "{error}");
}

#[test]
fn manual_pages_are_of_the_command_or_of_a_subcommand() {
    let page = run(&["man"]).result();
    assert!(page.contains(".TH hodgelet 1") && page.contains("evaluate"), "{page}");
    let page = run(&["man", "fit"]).result();
    assert!(page.contains("conformal"), "{page}");
    let error = run(&["man", "fti"]).failure(1);
    assert!(error.contains("`fti` is not a subcommand; these are: demo, evaluate, fit"), "{error}");
}

#[test]
fn a_model_is_known_by_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let fit = ["fit", "sbm", "--set", "n_graphs=12", "--iterations", "2", "--out", "m.hodgelet"];
    run_in(folder.path(), &fit).result();
    std::fs::copy(folder.path().join("m.hodgelet"), folder.path().join("model.bin")).unwrap();
    let by_name = run_in(folder.path(), &["info", "m.hodgelet"]).result();
    assert_eq!(run_in(folder.path(), &["info", "./model.bin"]).result(), by_name);
}

#[test]
fn splits_of_another_shape_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.json"), "[1]").unwrap();
    let error = run_in(folder.path(), &["evaluate", "sbm", "--splits", "s.json"]).failure(1);
    assert!(error.contains("expected an object with lists of indices `train` and `test`"), "{error}");
    assert!(!error.contains("struct"), "{error}");
    std::fs::write(folder.path().join("o.json"), r#"[{"test": [1], "model_selection": [1]}]"#).unwrap();
    let error = run_in(folder.path(), &["evaluate", "sbm", "--splits", "o.json"]).failure(1);
    assert!(error.contains("expected an object with lists of indices `train` and `validation`"), "{error}");
    assert!(!error.contains("struct"), "{error}");
}

#[test]
fn an_archive_that_is_none_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.zip"), "not an archive").unwrap();
    let error = run_in(folder.path(), &["info", "a.zip"]).failure(1);
    assert!(error.contains("a.zip: found no directory of a zip archive that can be read"), "{error}");
    assert!(!error.contains("EOCD"), "{error}");
}

//! Each shape of file, and each fault it can have.

use super::*;
use std::fs;

fn split(fold: usize, train: &[usize], validation: &[usize], test: &[usize]) -> Split {
    let [train, validation, test] = [train, validation, test].map(<[usize]>::to_vec);
    Split { repeat: 0, fold, train, validation, test }
}

fn message(found: Result<Vec<Split>, SplitFileError>) -> String {
    found.unwrap_err().to_string()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The message for a folder, without the path in front.
fn folder_message(files: &[(&str, &str)], items: usize) -> String {
    let folder = folder(files);
    let text = message(read(folder.path(), items));
    text.replace(&folder.path().display().to_string(), "D").replace('\\', "/")
}

#[test]
fn lists_of_indices_keep_their_order_and_may_leave_validation_out() {
    let text = r#"[{"train": [3, 0], "test": [1]}, {"test": [0], "validation": [2], "train": [1]}]"#;
    let splits = parse_json(text, "s.json", 4).unwrap();
    assert_eq!(splits, [split(0, &[3, 0], &[], &[1]), split(1, &[1], &[2], &[0])]);
}

#[test]
fn splits_written_as_json_are_read_back() {
    let params = super::super::KFoldParams { repeats: 2, ..Default::default() };
    let drawn = params.check().unwrap().plain(40).unwrap();
    let text = serde_json::to_string(&drawn).unwrap();
    assert_eq!(parse_json(&text, "s.json", 40).unwrap(), drawn);
}

#[test]
fn outer_folds_take_the_first_model_selection() {
    let text = r#"[{"test": [0], "model_selection": [{"train": [1, 2], "validation": [3]},
                                                     {"train": [2, 3], "validation": [1]}]},
                   {"test": [1], "model_selection": [{"train": [0], "validation": [2]}]}]"#;
    let splits = parse_json(text, "s.json", 4).unwrap();
    assert_eq!(splits, [split(0, &[1, 2], &[3], &[0]), split(1, &[0], &[2], &[1])]);
}

#[test]
fn json_faults_name_file_and_fold() {
    let found = |text| message(parse_json(text, "s.json", 3));
    assert!(found("{").starts_with("s.json: "));
    assert!(found("[{\"train\": [0]}]").starts_with("s.json: fold 0: missing field `test`"));
    assert!(found("[{\"train\": [-1], \"test\": [0]}]").starts_with("s.json: fold 0: invalid value"));
    assert!(found("[3]").starts_with("s.json: fold 0: invalid type"));
    assert_eq!(found("[]"), "s.json: found no fold, expected at least 1");
    let overlap = "s.json: fold 0, test: index 1 is already in train, expected each item once";
    assert_eq!(found(r#"[{"train": [0, 1], "test": [1]}]"#), overlap);
    let range = "s.json: fold 0, test: index 3, but the dataset has 3 items";
    assert_eq!(found(r#"[{"train": [0], "test": [3]}]"#), range);
    let empty = "s.json: fold 0, train: found no item, expected at least 1";
    assert_eq!(found(r#"[{"test": [0], "model_selection": []}]"#), empty);
}

#[test]
fn a_file_of_test_indices_leaves_the_rest_for_training() {
    let files = [("fold_10.txt", "3 4"), ("fold_2.txt", "\u{feff}0,1\r\n2\n\n"), ("readme.md", "no")];
    let splits = read(folder(&files).path(), 5).unwrap();
    assert_eq!(splits, [split(0, &[3, 4], &[], &[0, 1, 2]), split(1, &[0, 1, 2], &[], &[3, 4])]);
}

#[test]
fn names_say_which_part_a_file_holds() {
    let files = [("train_idx-1.txt", "4\n0"), ("test_idx-1.txt", "1"), ("val_idx-1.txt", "3")];
    assert_eq!(read(folder(&files).path(), 5).unwrap(), [split(0, &[4, 0], &[3], &[1])]);
}

#[test]
fn folder_faults_name_file_and_line() {
    let found = folder_message(&[("fold1.txt", "0\n1 x\n")], 5);
    assert_eq!(found, "D/fold1.txt, line 2: found `x`, expected an index");
    let found = folder_message(&[("fold.txt", "0")], 5);
    assert_eq!(found, "D/fold.txt: found no number in the name, expected that of a fold");
    let found = folder_message(&[("fold1.txt", "0"), ("test-1.txt", "0")], 5);
    assert_eq!(found, "D/test-1.txt: found a second file for the test part of fold 1, expected one");
    assert_eq!(folder_message(&[], 5), "D: found no fold, expected at least 1");
    let found = folder_message(&[("fold1.txt", "0 7")], 5);
    assert_eq!(found, "D: fold 0, test: index 7, but the dataset has 5 items");
    let found = folder_message(&[("train1.txt", "0")], 5);
    assert_eq!(found, "D: fold 0, test: found no item, expected at least 1");
    let found = folder_message(&[("fold1.txt", "0 1")], 2);
    assert_eq!(found, "D: fold 0, train: found no item, expected at least 1");
}

#[test]
fn a_missing_file_is_an_io_error() {
    let folder = tempfile::tempdir().unwrap();
    let found = read(&folder.path().join("none.json"), 5);
    assert!(matches!(found, Err(SplitFileError::Io { path, .. }) if path.ends_with("none.json")));
}

#[test]
fn a_number_too_long_to_read_is_none() {
    assert_eq!(last_number("fold-12"), Some(12));
    assert_eq!(last_number("12-é3x"), Some(3));
    assert_eq!(last_number("fold"), None);
    assert_eq!(last_number("fold99999999999999999999999"), None);
}

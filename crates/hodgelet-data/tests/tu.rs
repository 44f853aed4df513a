//! The TU reader: what is read, what is cleaned up, and what is refused with which message.

use hodgelet::dataset::{Column, ColumnValues, Targets};
use hodgelet::signal::Orientation;
use hodgelet_data::tu::{self, File, Files, TuError};
use std::fs;
use std::io::Write;

/// Two graphs: a path of three vertices with labels and attributes everywhere, and a single vertex.
fn sample() -> Files {
    files(&[
        (File::Arcs, "1, 2\n2, 1\n3, 2\n2, 3\n"),
        (File::GraphIndicator, "1\n1\n1\n2\n"),
        (File::GraphLabels, "+1\n-1\n"),
        (File::NodeLabels, "6\n7\n6\n10\n"),
        (File::NodeAttributes, "0.5, 1\n-1.5, 2\n2.5, 3\n1e3, 4\n"),
        (File::EdgeLabels, "1\n1\n2\n2\n"),
        (File::EdgeAttributes, "1.5, 2\n1.5, -2\n0.5, 3\n0.5, -3\n"),
    ])
}

fn files(contents: &[(File, &str)]) -> Files {
    let mut files = Files::default();
    contents.iter().for_each(|&(file, text)| files.set(file, text));
    files
}

/// The sample with one file changed.
fn with(file: File, text: &str) -> Files {
    let mut files = sample();
    files.set(file, text);
    files
}

fn message(file: File, text: &str) -> String {
    tu::parse("DS", &with(file, text)).unwrap_err().to_string()
}

fn reals(column: &Column) -> &[f64] {
    match &column.values {
        ColumnValues::Real { values, .. } => values,
        ColumnValues::Labels { .. } => panic!("{} holds labels", column.name),
    }
}

fn labels(column: &Column) -> Vec<&str> {
    match &column.values {
        ColumnValues::Labels { categories, codes } => {
            codes.iter().map(|&c| categories[c as usize].as_str()).collect()
        }
        ColumnValues::Real { .. } => panic!("{} holds reals", column.name),
    }
}

#[test]
fn a_tidy_dataset_is_read_whole() {
    let read = tu::parse("DS", &sample()).unwrap();
    let dataset = &read.dataset;
    assert!(read.report.is_clean());
    assert_eq!(dataset.name(), "DS");
    assert_eq!(dataset.complexes()[0].edges().collect::<Vec<_>>(), [[0, 1], [1, 2]]);
    assert_eq!((dataset.complexes()[1].n_cells(0), dataset.complexes()[1].n_cells(1)), (1, 0));
    let names = ["-1", "1"].map(String::from).to_vec();
    assert_eq!(dataset.targets(), &Targets::Classes { names, labels: vec![1, 0] });
    assert_eq!(labels(dataset.column(0, "label").unwrap()), ["6", "7", "6", "10"]);
    assert_eq!(reals(dataset.column(0, "attribute").unwrap()), [0.5, 1.0, -1.5, 2.0, 2.5, 3.0, 1e3, 4.0]);
    assert_eq!(labels(dataset.column(1, "label").unwrap()), ["1", "2"]);
    assert_eq!(dataset.column(1, "label").unwrap().starts, [0, 2, 2]);
}

#[test]
fn edge_attributes_are_oriented_where_the_reverse_arc_has_the_opposite_sign() {
    let read = tu::parse("DS", &sample()).unwrap();
    let equal = read.dataset.column(1, "attribute").unwrap();
    assert_eq!((equal.orientation, reals(equal)), (Orientation::Unoriented, &[1.5, 0.5][..]));
    // the second edge is listed downwards first: its value upwards is −3
    let opposite = read.dataset.column(1, "attribute.oriented").unwrap();
    assert_eq!((opposite.orientation, reals(opposite)), (Orientation::Oriented, &[2.0, -3.0][..]));
}

#[test]
fn a_file_of_opposite_attributes_is_one_oriented_column() {
    let read = tu::parse("DS", &with(File::EdgeAttributes, "1\n-1\n0\n0\n")).unwrap();
    let column = read.dataset.column(1, "attribute").unwrap();
    assert_eq!((column.orientation, reals(column)), (Orientation::Oriented, &[1.0, 0.0][..]));
    assert!(read.report.is_clean());
}

#[test]
fn attributes_neither_equal_nor_opposite_are_averaged_and_counted() {
    let read = tu::parse("DS", &with(File::EdgeAttributes, "1\n2\n5\n5\n")).unwrap();
    let column = read.dataset.column(1, "attribute").unwrap();
    assert_eq!((column.orientation, reals(column)), (Orientation::Unoriented, &[1.5, 5.0][..]));
    assert_eq!(read.report.disagreeing, 1);
}

#[test]
fn labels_come_from_the_arc_that_runs_upwards() {
    let read = tu::parse("DS", &with(File::EdgeLabels, "1\n1\n4\n2\n")).unwrap();
    assert_eq!(labels(read.dataset.column(1, "label").unwrap()), ["1", "2"]);
    assert_eq!(read.report.disagreeing, 1);
}

#[test]
fn a_single_downward_arc_is_an_edge_with_the_sign_turned() {
    let mut files = sample();
    files.set(File::Arcs, "1,2\n2,1\n3,2\n");
    files.set(File::EdgeLabels, "1\n1\n2\n");
    files.set(File::EdgeAttributes, "1\n-1\n7\n");
    let read = tu::parse("DS", &files).unwrap();
    assert_eq!(reals(read.dataset.column(1, "attribute").unwrap()), [1.0, -7.0]);
    assert_eq!(read.report.one_way, 1);
}

#[test]
fn self_loops_and_repeated_arcs_are_dropped_and_counted() {
    let mut files = sample();
    files.set(File::Arcs, "1,2\n2,1\n1,2\n3,3\n3,2\n2,3\n");
    files.set(File::EdgeLabels, "1\n1\n9\n8\n2\n2\n");
    files.set(File::EdgeAttributes, "1\n1\n0\n0\n2\n2\n");
    let read = tu::parse("DS", &files).unwrap();
    assert_eq!((read.report.self_loops, read.report.repeated), (1, 1));
    assert_eq!(read.dataset.complexes()[0].edges().collect::<Vec<_>>(), [[0, 1], [1, 2]]);
    assert_eq!(labels(read.dataset.column(1, "label").unwrap()), ["1", "2"]);
}

#[test]
fn untidy_text_is_read_like_tidy_text() {
    let tidy = tu::parse("DS", &sample()).unwrap();
    for file in File::ALL {
        let Some(text) = sample().get(file).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap()) else {
            continue;
        };
        let untidy = [
            text.replace('\n', "\r\n"),
            format!("{text}\n \n\n"),
            text.trim_end().to_owned(),
            format!("\u{feff}{text}"),
            text.replace(", ", ","),
            text.replace(", ", " ,\t "),
            text.replace(", ", " "),
            text.lines().map(|line| format!("  {line}\t\n")).collect(),
        ];
        for text in untidy {
            assert_eq!(tu::parse("DS", &with(file, &text)).unwrap(), tidy, "{file:?} as {text:?}");
        }
    }
}

#[test]
fn nodes_in_any_order_are_put_in_the_order_of_their_graphs() {
    let mut files = sample();
    files.set(File::GraphIndicator, "1\n2\n1\n1\n");
    files.set(File::Arcs, "1,3\n3,1\n4,3\n3,4\n");
    files.set(File::NodeLabels, "6\n10\n7\n6\n");
    files.set(File::NodeAttributes, "0.5, 1\n1e3, 4\n-1.5, 2\n2.5, 3\n");
    let read = tu::parse("DS", &files).unwrap();
    assert!(read.report.regrouped);
    assert_eq!(read.dataset, tu::parse("DS", &sample()).unwrap().dataset);
}

#[test]
fn arcs_in_any_order_of_graphs_are_read() {
    let dataset = |arcs: &str| {
        let indicator = "1\n1\n2\n2\n";
        let contents = [(File::Arcs, arcs), (File::GraphIndicator, indicator), (File::GraphLabels, "0\n1\n")];
        tu::parse("DS", &files(&contents)).unwrap().dataset
    };
    assert_eq!(dataset("3,4\n1,2\n4,3\n2,1\n"), dataset("1,2\n2,1\n3,4\n4,3\n"));
}

#[test]
fn graphs_without_nodes_are_kept() {
    let contents = [(File::Arcs, ""), (File::GraphIndicator, "2\n"), (File::GraphLabels, "0\n1\n0\n")];
    let read = tu::parse("DS", &files(&contents)).unwrap();
    let sizes: Vec<usize> = read.dataset.complexes().iter().map(|c| c.n_cells(0)).collect();
    assert_eq!((sizes, read.report.empty), (vec![0, 1, 0], 2));
}

#[test]
fn several_labels_a_node_are_several_columns() {
    let read = tu::parse("DS", &with(File::NodeLabels, "0, 5\n1, 5\n0, 4\n1, 4\n")).unwrap();
    assert_eq!(labels(read.dataset.column(0, "label.0").unwrap()), ["0", "1", "0", "1"]);
    assert_eq!(labels(read.dataset.column(0, "label.1").unwrap()), ["5", "5", "4", "4"]);
}

#[test]
fn real_targets_take_the_place_of_classes() {
    let contents = [(File::Arcs, ""), (File::GraphIndicator, "1\n2\n"), (File::GraphAttributes, "-1.5\n2\n")];
    assert_eq!(
        tu::parse("DS", &files(&contents)).unwrap().dataset.targets(),
        &Targets::Real(vec![-1.5, 2.0])
    );
    let read = tu::parse("DS", &with(File::GraphAttributes, "1\n2\n")).unwrap();
    assert!(matches!(read.dataset.targets(), Targets::Classes { .. }));
    assert_eq!(read.report.ignored, ["DS_graph_attributes.txt"]);
}

#[test]
fn each_fault_names_file_and_line() {
    use File::*;
    let cases = [
        (Arcs, "1, 2\n2, 5\n", "DS_A.txt, line 2: node 5, but the dataset has 4"),
        (Arcs, "0, 1\n", "DS_A.txt, line 1: node 0, but the dataset has 4"),
        (Arcs, "1, 2\n2\n", "DS_A.txt, line 2: found 1 fields, expected 2"),
        (Arcs, "1, 2, 3\n", "DS_A.txt, line 1: found 3 fields, expected 2"),
        (Arcs, "1,\n", "DS_A.txt, line 1: found ``, expected a node"),
        (Arcs, "1, -2\n", "DS_A.txt, line 1: found `-2`, expected a node"),
        (Arcs, "1, 99999999999\n", "DS_A.txt, line 1: found `99999999999`, expected a node"),
        (Arcs, "1, 2\n\n2, 1\n", "DS_A.txt, line 2: found a blank line between others"),
        (Arcs, "1, 2\n1, 4\n", "DS_A.txt, line 2: the arc joins node 1 of graph 1 to node 4 of graph 2"),
        (GraphIndicator, "1\n1\n3\n2\n", "DS_graph_indicator.txt, line 3: graph 3, but the dataset has 2"),
        (GraphIndicator, "0\n", "DS_graph_indicator.txt, line 1: graph 0, but the dataset has 2"),
        (GraphIndicator, "1\nx\n", "DS_graph_indicator.txt, line 2: found `x`, expected an integer"),
        (GraphIndicator, "1\n1, 2\n", "DS_graph_indicator.txt, line 2: found 2 fields, expected 1"),
        (GraphLabels, "1, 2\n3, 4\n", "DS_graph_labels.txt, line 1: found 2 fields, expected 1"),
        (GraphLabels, "1\n", "DS_graph_indicator.txt, line 4: graph 2, but the dataset has 1"),
        (GraphLabels, "1\n0.5\n", "DS_graph_labels.txt, line 2: found `0.5`, expected an integer"),
        (NodeLabels, "1\n2\n3\n", "DS_node_labels.txt, line 4: found 3 lines, but the dataset has 4 nodes"),
        (
            NodeLabels,
            "1\n2\n3\n4\n5\n6\n",
            "DS_node_labels.txt, line 5: found 6 lines, but the dataset has 4 nodes",
        ),
        (NodeLabels, "1\n\n3\n4\n", "DS_node_labels.txt, line 2: found a blank line between others"),
        (NodeAttributes, "1, 2\n1\n", "DS_node_attributes.txt, line 2: found 1 fields, expected 2"),
        (NodeAttributes, "1\nnan\n", "DS_node_attributes.txt, line 2: found `nan`, expected a finite number"),
        (NodeAttributes, "1, inf\n", "DS_node_attributes.txt, line 1: found `inf`, expected a finite number"),
        (
            NodeAttributes,
            "1e999\n",
            "DS_node_attributes.txt, line 1: found `1e999`, expected a finite number",
        ),
        (EdgeLabels, "1\n", "DS_edge_labels.txt, line 2: found 1 lines, but the dataset has 4 arcs"),
        (
            EdgeAttributes,
            "1\n1\n1\n1\n1\n",
            "DS_edge_attributes.txt, line 5: found 5 lines, but the dataset has 4 arcs",
        ),
    ];
    for (file, text, expected) in cases {
        assert_eq!(message(file, text), expected);
    }
}

#[test]
fn a_missing_file_is_named() {
    let contents = [(File::Arcs, ""), (File::GraphIndicator, "1\n"), (File::GraphLabels, "1\n")];
    let message = |skipped: usize| {
        let mut kept = contents.to_vec();
        kept.remove(skipped);
        tu::parse("DS", &files(&kept)).unwrap_err().to_string()
    };
    assert_eq!(message(0), "DS_A.txt is missing in DS");
    assert_eq!(message(1), "DS_graph_indicator.txt is missing in DS");
    assert_eq!(message(2), "DS_graph_labels.txt (or DS_graph_attributes.txt) is missing in DS");
}

/// Writes the sample into an archive under `prefix`.
fn archive(prefix: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for file in File::ALL {
        if let Some(bytes) = sample().get(file) {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("{prefix}{}", file.name("DS")), options).unwrap();
            zip.write_all(bytes).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn folders_and_archives_hold_the_same_dataset() {
    let expected = tu::parse("DS", &sample()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("DS");
    fs::create_dir(&dir).unwrap();
    for file in File::ALL {
        if let Some(bytes) = sample().get(file) {
            fs::write(dir.join(file.name("DS")), bytes).unwrap();
        }
    }
    assert_eq!(tu::read_dir(&dir).unwrap(), expected);
    for (prefix, name) in [("DS/", "DS.zip"), ("", "DS.zip"), ("a/b/", "renamed.zip"), ("../../", "DS.zip")] {
        let path = folder.path().join(name);
        fs::write(&path, archive(prefix)).unwrap();
        assert_eq!(tu::read_zip(&path).unwrap(), expected, "{prefix:?} in {name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing was unpacked");
}

/// The size of the first entry is at byte 24 of its record in the list at the end of an archive.
#[test]
fn an_entry_that_declares_another_size_is_refused() {
    let whole = archive("");
    let record = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let message = |size: u32| {
        let mut bytes = whole.clone();
        bytes[record + 24..record + 28].copy_from_slice(&size.to_le_bytes());
        tu::parse_zip("DS.zip", &bytes).unwrap_err().to_string()
    };
    assert!(message(3).starts_with("DS.zip/DS_A.txt: "), "{}", message(3));
    assert_eq!(message(3 << 30), "DS_A.txt has more than 2147483648 bytes, the largest size that is read");
}

#[test]
fn an_archive_cut_short_is_an_error() {
    let whole = archive("DS/");
    for end in 0..whole.len() {
        assert!(tu::parse_zip("DS.zip", &whole[..end]).is_err());
    }
    assert!(tu::parse_zip("DS.zip", &whole).is_ok());
}

#[test]
fn a_folder_of_several_datasets_is_ambiguous_unless_one_has_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["X", "Y"] {
        for file in [File::Arcs, File::GraphIndicator, File::GraphLabels] {
            fs::write(folder.path().join(file.name(name)), sample().get(file).unwrap()).unwrap();
        }
    }
    let error = tu::read_dir(folder.path()).unwrap_err();
    assert!(matches!(&error, TuError::Ambiguous { names, .. } if names == &["X", "Y"]), "{error}");
}

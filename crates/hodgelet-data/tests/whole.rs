//! Files that were cut off, that say a thing twice, or that inflate to far more than they are.

use hodgelet_data::generate::builtin;
use hodgelet_data::graphs::{self, ArcOptions, Format};
use hodgelet_data::tu::{self, File, Files, TuError};
use hodgelet_data::{Parts, hif, jsonl, open_parts};
use std::io::Write;

const GRAPHML: &str = r#"<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="k" for="node" attr.name="kind" attr.type="string"><default>C</default></key>
  <key id="w" for="edge" attr.name="length" attr.type="double"/>
  <graph id="G" edgedefault="undirected">
    <node id="a"><data key="k">N</data></node>
    <node id="b"/>
    <node id="c"/>
    <edge source="a" target="b"><data key="w">1.5</data></edge>
    <edge source="b" target="c"><data key="w">2.5</data></edge>
  </graph>
</graphml>
"#;

#[test]
fn no_beginning_of_a_graphml_file_is_read_as_a_whole_one() {
    let whole =
        graphs::parse(Format::GraphMl, "g.graphml", GRAPHML.as_bytes(), &ArcOptions::default()).unwrap();
    assert_eq!(whole.dataset.complexes()[0].n_cells(1), 2);
    for cut in 0..GRAPHML.trim_end().len() {
        let read =
            graphs::parse(Format::GraphMl, "g.graphml", &GRAPHML.as_bytes()[..cut], &ArcOptions::default());
        assert!(read.is_err(), "{:?}", &GRAPHML[..cut]);
    }
    let cut = GRAPHML.find("  </graph>").unwrap();
    let error =
        graphs::parse(Format::GraphMl, "g.graphml", &GRAPHML.as_bytes()[..cut], &ArcOptions::default())
            .unwrap_err();
    assert!(error.to_string().contains("the end of the file within `<graph>`"), "{error}");
}

#[test]
fn no_beginning_of_a_jsonl_file_that_was_written_here_is_read_as_a_whole_one() {
    let mut recipe = builtin("sbm").unwrap();
    recipe.set("n_graphs=6").unwrap();
    let dataset = recipe.generate(1).unwrap();
    let mut text = Vec::new();
    jsonl::write_to(&mut text, &dataset, &[]).unwrap();
    assert_eq!(jsonl::parse("d.jsonl", &text).unwrap().dataset, dataset);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.jsonl");
    let ends: Vec<usize> = (0..text.len()).filter(|&i| text[i] == b'\n').collect();
    for &end in &ends[..ends.len() - 1] {
        for cut in [end, end + 1] {
            let error = jsonl::parse("d.jsonl", &text[..cut]).unwrap_err();
            assert!(
                error.to_string().contains("but the header says 6; the file may have been cut off"),
                "{error}"
            );
            std::fs::write(&path, &text[..cut]).unwrap();
            assert!(open_parts(path.to_str().unwrap(), None, Default::default()).is_err());
        }
    }
    std::fs::write(&path, &text).unwrap();
    let parts = open_parts(path.to_str().unwrap(), None, Default::default()).unwrap();
    assert!(matches!(parts, Parts::Jsonl(_)) && parts.len() == 6);
    // A header need not say it, and must not say anything else.
    let without = "{\"hodgelet\": 1}\n{\"vertices\": 1, \"edges\": []}\n";
    assert_eq!(jsonl::parse("d.jsonl", without.as_bytes()).unwrap().dataset.len(), 1);
    for wrong in ["2", "-1", "\"1\"", "1.5"] {
        let text = without.replace(": 1}\n", &format!(": 1, \"complexes\": {wrong}}}\n"));
        assert!(jsonl::parse("d.jsonl", text.as_bytes()).is_err(), "{wrong}");
    }
}

fn tu_files(arcs: &str) -> Files {
    let mut files = Files::default();
    files.set(File::Arcs, arcs);
    files.set(File::GraphIndicator, *b"1\n1\n1\n2\n2\n3\n");
    files.set(File::GraphLabels, *b"1\n2\n1\n");
    files
}

#[test]
fn arcs_that_may_have_been_cut_off_are_reported() {
    let whole = "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n";
    assert!(tu::parse("DS", &tu_files(whole)).unwrap().report.is_clean(), "a lone vertex has no arc");
    for lines in 0..6 {
        let cut: String = whole.lines().take(lines).map(|line| format!("{line}\n")).collect();
        let report = tu::parse("DS", &tu_files(&cut)).unwrap().report;
        assert!(!report.is_clean(), "{lines} lines");
        assert_eq!(report.one_way, lines % 2);
    }
    let report = tu::parse("DS", &tu_files("1, 2\n2, 1\n")).unwrap().report;
    assert_eq!(report.without_arcs, 1);
    assert!(report.to_string().contains("1 graph at the end without an edge"));
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    let header = "{\"hodgelet\": 1, \"name\": \"d\"}\n";
    for (text, line) in [
        ("{\"hodgelet\": 1, \"name\": \"a\", \"name\": \"b\"}\n".to_owned(), 1),
        (format!("{header}{{\"vertices\": 2, \"edges\": [], \"edges\": [[0, 1]]}}\n"), 2),
    ] {
        let error = jsonl::parse("d.jsonl", text.as_bytes()).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("d.jsonl, line {line}: key `")) && error.contains("a second time"),
            "{error}"
        );
    }
    let text = r#"{"incidences": [{"edge": 1, "node": 1}], "incidences": []}"#;
    let error = hif::parse("d.json", text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("key `incidences` a second time"), "{error}");
}

/// An archive of a dataset `DS` and one more file.
fn archive(more: (&str, &[u8])) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let files: [(&str, &[u8]); 4] = [
        ("DS_A.txt", b"1, 2\n2, 1\n"),
        ("DS_graph_indicator.txt", b"1\n1\n"),
        ("DS_graph_labels.txt", b"1\n"),
        more,
    ];
    for (name, bytes) in files {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn an_archive_that_names_an_entry_twice_is_refused() {
    let bytes = archive(("DS_B.txt", b"1, 1\n"));
    assert!(tu::parse_zip("DS.zip", &bytes).is_ok());
    let mut twice = bytes.clone();
    for at in 0..bytes.len() - 8 {
        if &bytes[at..at + 8] == b"DS_B.txt" {
            twice[at + 3] = b'A';
        }
    }
    let error = tu::parse_zip("DS.zip", &twice).unwrap_err();
    assert_eq!(error.to_string(), "DS.zip: lists 4 entries, but only 3 names; expected each name once");
    // A comment after the directory hides nothing.
    let mut zip = zip::ZipWriter::new_append(std::io::Cursor::new(bytes)).unwrap();
    zip.set_comment("PK\x05\x06 is how the end begins").unwrap();
    assert!(tu::parse_zip("DS.zip", &zip.finish().unwrap().into_inner()).is_ok());
}

#[test]
fn an_archive_that_inflates_to_a_thousand_times_its_size_is_refused_before_it_does() {
    let labels = b"1\n".repeat(60 << 20);
    let bomb = archive(("DS_node_labels.txt", &labels));
    assert!(bomb.len() < 1 << 20);
    let error = tu::parse_zip("DS.zip", &bomb).unwrap_err();
    assert!(matches!(error, TuError::Inflation { inflated, .. } if inflated > 120 << 20), "{error}");
}

#[test]
fn far_more_graphs_than_nodes_are_refused_before_they_are_made() {
    let mut files = tu_files("1, 2\n2, 1\n");
    files.set(File::GraphLabels, b"1\n".repeat(200_000));
    let error = tu::parse("DS", &files).unwrap_err().to_string();
    assert!(
        error.starts_with("DS_graph_labels.txt, line 100001: found 200001 graphs, but only 7 nodes"),
        "{error}"
    );
    // Empty graphs in moderation are data.
    files.set(File::GraphLabels, b"1\n".repeat(2000));
    assert_eq!(tu::parse("DS", &files).unwrap().report.empty, 1997);
}

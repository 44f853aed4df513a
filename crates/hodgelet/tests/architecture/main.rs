//! The graphs of modules and crates: free of cycles, and the ones drawn in ARCHITECTURE.md.

mod graph;
mod source;

use graph::Graph;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The graph in the first fenced block after `heading` in ARCHITECTURE.md.
fn drawn(heading: &str) -> Graph {
    let page = source::read(&Path::new(ROOT).join("ARCHITECTURE.md"));
    let (_, section) = page.split_once(heading).unwrap_or_else(|| panic!("no heading `{heading}`"));
    let block = section.split("```").nth(1).unwrap_or_else(|| panic!("no block after `{heading}`"));
    Graph::parse(block.trim_start_matches("text"))
}

fn assert_as_drawn(found: &Graph, heading: &str) {
    if let Err(message) = found.check(&drawn(heading)) {
        panic!("{message}\n(ARCHITECTURE.md, `{heading}`)");
    }
}

#[test]
fn modules_use_what_the_drawing_says_and_form_no_cycle() {
    let modules = source::modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert_as_drawn(&modules, "### Which module uses which");
}

#[test]
fn crates_depend_on_what_the_drawing_says_and_form_no_cycle() {
    let crates = source::crates(&Path::new(ROOT).join("crates"));
    assert_as_drawn(&crates, "### Which crate depends on which");
}

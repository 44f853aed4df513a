//! Programs of the documentation run, and are quoted as they are.

#[path = "../examples/vector_fields.rs"]
mod vector_fields;

const GUIDE: &str = include_str!("../../../book/src/guides/rust.md");

#[test]
fn the_example_of_the_guide_runs() {
    vector_fields::main().unwrap();
}

#[test]
fn the_guide_quotes_the_example_as_it_is() {
    let program = include_str!("../examples/vector_fields.rs");
    let (_, code) = program.split_once("\n\n").expect("the head of the file ends with a blank line");
    assert!(GUIDE.contains(code.trim_end()), "guides/rust.md does not quote examples/vector_fields.rs");
}

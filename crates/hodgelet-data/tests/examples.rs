//! Programs of the documentation run, and are quoted as they are.

#[path = "../examples/vector_fields.rs"]
mod vector_fields;

const README: &str = include_str!("../../../README.md");

#[test]
fn the_first_example_of_the_readme_runs() {
    vector_fields::main().unwrap();
}

#[test]
fn the_readme_quotes_the_example_as_it_is() {
    let program = include_str!("../examples/vector_fields.rs");
    let (_, code) = program.split_once("\n\n").expect("the head of the file ends with a blank line");
    assert!(README.contains(code.trim_end()), "README.md does not quote examples/vector_fields.rs");
}

#![doc = include_str!("schema.md")]

mod complex;
mod error;
mod extra;
mod field;
mod header;
mod hyperedges;
mod parts;
mod read;
mod write;

pub use error::JsonlError;
pub use parts::JsonlParts;
pub(crate) use read::coded;
pub use read::{parse, parse_with, read, read_with};
pub use write::{write, write_file, write_to};

/// Version of the format that is written, and the only one that is read.
pub const VERSION: u64 = 1;

/// Largest number of cells of one dimension in a line: a number in a file must not claim more memory than the file.
pub const MAX_CELLS: usize = 1 << 24;

/// Distinct names, in the order of integers if all are, otherwise of text.
fn sorted_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let distinct: std::collections::BTreeSet<&str> = names.collect();
    let mut sorted: Vec<String> = distinct.into_iter().map(str::to_owned).collect();
    if let Ok(numbers) = sorted.iter().map(|name| name.parse()).collect::<Result<Vec<i64>, _>>() {
        let mut keyed: Vec<(i64, String)> = numbers.into_iter().zip(sorted).collect();
        keyed.sort();
        sorted = keyed.into_iter().map(|(_, name)| name).collect();
    }
    sorted
}

/// In place of a dimension: values of graphs as a whole.
const GRAPH: &str = "graph";

/// The key of the values of a dimension.
fn dim_key(dim: usize) -> String {
    if dim == hodgelet::dataset::WHOLE { GRAPH.to_owned() } else { dim.to_string() }
}

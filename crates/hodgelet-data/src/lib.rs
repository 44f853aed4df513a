//! Datasets on disk become complexes, columns of values and targets in memory.
//!
//! Every reader ends in a [`Dataset`](hodgelet::dataset::Dataset), returned as a [`Read`] together with a
//! [`Report`] of what had to be tidied on the way.

#![warn(missing_docs)]

pub mod generate;
pub mod graphs;
pub mod jsonl;
mod open;
mod read;
mod text;
pub mod tu;

pub use open::{OpenError, open};
pub use read::{Read, Report};

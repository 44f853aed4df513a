//! Datasets on disk become complexes, columns of values and targets in memory.
//!
//! Every reader ends in a [`Dataset`](hodgelet::dataset::Dataset), returned as a [`Read`] together with a
//! [`Report`] of what had to be cleaned up.
//!
//! In reading order:
//!
//! 1. [`open`]: a path or a name, read by whichever of the readers knows the format;
//! 2. [`tu`]: folders and archives of the TU collection;
//! 3. [`jsonl`]: the format of this project, read and written;
//! 4. [`graphs`]: GraphML and GML;
//! 5. [`hif`]: hypergraphs of the interchange format;
//! 6. [`mesh`]: surfaces from OFF, OBJ and PLY files;
//! 7. [`mantra`]: triangulated manifolds of the assemblage of that name;
//! 8. [`own`]: tables of what is known of graphs as a whole;
//! 9. [`table`]: tables with a column of [`smiles`] strings, CSV, TSV or Parquet;
//! 10. [`networks`]: lists of edges and adjacency matrices; [`targets`]: tables of their targets;
//! 11. [`generate`]: built-in datasets, drawn from a seed; [`generate::builtin`] finds one by name.

#![warn(missing_docs)]

pub mod generate;
pub mod gram;
pub mod graphs;
pub mod hif;
pub mod jsonl;
pub mod mantra;
pub mod mesh;
mod names;
pub mod networks;
mod open;
pub mod own;
mod parts;
mod read;
pub mod smiles;
pub mod table;
pub mod targets;
mod text;
pub mod tu;

pub use names::{EXTENSIONS, datasets_in, edits};
pub use open::{OpenError, OpenOptions, has_arcs, inputs, is_network, locate};
pub use open::{open, open_parts, open_with, targets_in};
pub use parts::Parts;
pub use read::{Read, Report, counted};

//! Mathematical identities, on degenerate families and on random complexes.

mod cells;
mod complexes;
mod energies;
mod families;
mod features;
mod hypergraphs;
mod invariance;
mod kernel;
mod large;
mod units;

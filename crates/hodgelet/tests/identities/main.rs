//! What the mathematics promises, on degenerate families and on random complexes.

mod complexes;
mod energies;
mod families;
mod features;
mod invariance;
//! What the mathematics promises, on seeded random inputs.

mod kernel;

//! Built-in datasets, drawn from a seed.
//!
//! Item `i` of a dataset has its own stream of random numbers, so it depends on the seed, on `i` and on the
//! settings, but neither on the number of items nor on the number of threads. Classes take turns (item `i` has
//! class `i` modulo the number of classes) and are balanced whenever the number of items is a multiple of theirs; those of
//! `molecules` are drawn. `triangulations` are enumerated, and no seed changes them.
//!
//! ```
//! use hodgelet_data::generate::builtin;
//! let mut recipe = builtin("sbm").expect("a built-in name");
//! recipe.set("n_graphs=4")?;
//! assert_eq!(recipe.generate(0)?.len(), 4);
//! # Ok::<(), hodgelet_data::generate::GenerateError>(())
//! ```

mod error;
mod fourier;
mod hypergraphs;
mod mesh;
mod molecules;
mod quadrature;
mod random_graphs;
mod refinement;
mod registry;
mod ring_vs_clique;
mod sbm;
mod surfaces;
mod triangulation;
mod triangulations;
mod vector_fields;

pub use error::GenerateError;
pub use hypergraphs::{CheckedHypergraphs, HypergraphsParams};
pub use molecules::{CheckedMolecules, MoleculesParams};
pub use refinement::{GRADED_SHARE, Refinement};
pub use registry::{Builtin, builtin};
pub use ring_vs_clique::{CheckedRingVsClique, RingVsCliqueParams};
pub use sbm::{CheckedSbm, SbmParams};
pub use surfaces::{CheckedSurfaces, Surface, SurfacesParams};
pub use triangulations::{CheckedTriangulations, ManifoldTarget, TriangulationsParams, manifold_targets};
pub(crate) use triangulations::{ManifoldKind, ordered_classes};
pub use vector_fields::{
    CheckedVectorFields, EdgeMap, MeshChoice, NoiseOn, UnitVariance, VectorFieldsParams,
};

use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Largest number of items of a built-in dataset.
const MAX_ITEMS: usize = 10_000_000;

/// The random numbers of one item.
fn item_rng(seed: u64, item: usize) -> ChaCha8Rng {
    stream(seed, item as u64 + 1)
}

/// The random numbers that all items share.
fn shared_rng(seed: u64) -> ChaCha8Rng {
    stream(seed, 0)
}

fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// A dataset whose classes take turns, without columns.
fn dataset(name: &str, complexes: Vec<Complex>, classes: &[&str]) -> Dataset {
    let labels = (0..complexes.len()).map(|i| (i % classes.len()) as u32).collect();
    let names = classes.iter().map(|&class| class.to_owned()).collect();
    Dataset::new(name, complexes, Vec::new(), Targets::Classes { names, labels })
        .expect("every item has one of the classes, and its cells fit in memory")
}

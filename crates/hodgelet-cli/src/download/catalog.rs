//! Well-known datasets of the TU collection, and those of MANTRA.

/// Facts about a dataset of the TU collection, or of MANTRA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownDataset {
    /// Name, also of the archive.
    pub name: &'static str,
    /// Number of graphs.
    pub graphs: u32,
    /// Number of classes; none where the target is a real number.
    pub classes: Option<u32>,
    /// Mean number of vertices.
    pub mean_vertices: f64,
    /// Mean number of edges.
    pub mean_edges: f64,
}

const fn known(name: &'static str, graphs: u32, classes: u32, vertices: f64, edges: f64) -> KnownDataset {
    KnownDataset { name, graphs, classes: Some(classes), mean_vertices: vertices, mean_edges: edges }
}

const fn real(name: &'static str, graphs: u32, vertices: f64, edges: f64) -> KnownDataset {
    KnownDataset { name, graphs, classes: None, mean_vertices: vertices, mean_edges: edges }
}

/// Datasets in common use, by name; the collection has more, and any of its names can be fetched.
///
/// The numbers are those of the collection's table (chrsmrrs.github.io/datasets). Those of MANTRA are of all manifolds with up
/// to 10 vertices; its releases may have more. `mantra-3d` can be fetched as well.
#[rustfmt::skip]
pub const KNOWN_DATASETS: &[KnownDataset] = &[
    known("AIDS", 2000, 2, 15.69, 16.20),
    known("BZR", 405, 2, 35.75, 38.36),
    known("BZR_MD", 306, 2, 21.30, 225.06),
    known("COIL-DEL", 3900, 100, 21.54, 54.24),
    known("COIL-RAG", 3900, 100, 3.01, 3.02),
    known("COLLAB", 5000, 3, 74.49, 2457.78),
    known("COX2", 467, 2, 41.22, 43.45),
    known("COX2_MD", 303, 2, 26.28, 335.12),
    known("Cuneiform", 267, 30, 21.27, 44.80),
    known("DD", 1178, 2, 284.32, 715.66),
    known("DHFR", 756, 2, 42.43, 44.54),
    known("DHFR_MD", 393, 2, 23.87, 283.02),
    known("ENZYMES", 600, 6, 32.63, 62.14),
    known("ER_MD", 446, 2, 21.33, 234.85),
    known("FIRSTMM_DB", 41, 11, 1377.27, 3074.10),
    known("FRANKENSTEIN", 4337, 2, 16.90, 17.88),
    known("Fingerprint", 2149, 15, 7.06, 5.76),
    known("IMDB-BINARY", 1000, 2, 19.77, 96.53),
    known("IMDB-MULTI", 1500, 3, 13.00, 65.94),
    known("KKI", 83, 2, 26.96, 48.42),
    known("Letter-high", 2250, 15, 4.67, 4.50),
    known("Letter-low", 2250, 15, 4.68, 3.13),
    known("Letter-med", 2250, 15, 4.67, 3.21),
    known("MSRC_21", 563, 20, 77.52, 198.32),
    known("MSRC_21C", 209, 20, 40.28, 96.60),
    known("MSRC_9", 221, 8, 40.58, 97.94),
    known("MUTAG", 188, 2, 17.93, 19.79),
    known("Mutagenicity", 4337, 2, 30.32, 30.77),
    known("NCI1", 4110, 2, 29.87, 32.30),
    known("NCI109", 4127, 2, 29.68, 32.13),
    known("OHSU", 79, 2, 82.01, 199.66),
    known("PROTEINS", 1113, 2, 39.06, 72.82),
    known("PROTEINS_full", 1113, 2, 39.06, 72.82),
    known("PTC_FM", 349, 2, 14.11, 14.48),
    known("PTC_FR", 351, 2, 14.56, 15.00),
    known("PTC_MM", 336, 2, 13.97, 14.32),
    known("PTC_MR", 344, 2, 14.29, 14.69),
    known("Peking_1", 85, 2, 39.31, 77.35),
    known("REDDIT-BINARY", 2000, 2, 429.63, 497.75),
    known("REDDIT-MULTI-12K", 11929, 11, 391.41, 456.89),
    known("REDDIT-MULTI-5K", 4999, 5, 508.52, 594.87),
    known("SYNTHETIC", 300, 2, 100.00, 196.00),
    known("SYNTHETICnew", 300, 2, 100.00, 196.25),
    known("Synthie", 400, 4, 95.00, 172.93),
    known("Tox21_AhR_training", 8169, 2, 18.09, 18.50),
    real("ZINC_full", 249_456, 23.14, 24.91),
    real("ZINC_test", 5000, 23.10, 24.83),
    known("mantra-2d", 43_138, 11, 9.98, 34.43),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_in_order() {
        assert!(KNOWN_DATASETS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}

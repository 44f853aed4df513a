//! Where datasets are, and what they are packed as.

/// Where the archives of the TU collection are.
pub const DEFAULT_BASE_URL: &str = "https://www.chrsmrrs.com/graphkerneldatasets";

/// Where the latest release of MANTRA is, as its documentation has it.
pub const MANTRA_BASE_URL: &str = "https://github.com/aidos-lab/MANTRA/releases/latest/download";

/// What a dataset is packed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// A zip archive of TU files.
    Zip,
    /// A list of manifolds of a dimension, compressed by gzip.
    Manifolds(usize),
}

impl Packing {
    /// The end of the file's name.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Zip => "zip",
            Self::Manifolds(_) => "json.gz",
        }
    }
}

/// What the dataset `name` is packed as: names other than those of MANTRA are of the TU collection.
pub(super) fn packing(name: &str) -> Packing {
    match name {
        "mantra-2d" => Packing::Manifolds(2),
        "mantra-3d" => Packing::Manifolds(3),
        _ => Packing::Zip,
    }
}

/// Address of the directory that holds the file of the dataset `name`.
pub(super) fn base_url(name: &str) -> &'static str {
    match packing(name) {
        Packing::Zip => DEFAULT_BASE_URL,
        Packing::Manifolds(_) => MANTRA_BASE_URL,
    }
}

/// Name of the file in that directory.
pub(super) fn remote_file(name: &str) -> String {
    match packing(name) {
        Packing::Zip => format!("{name}.zip"),
        Packing::Manifolds(dim) => format!("{dim}_manifolds.json.gz"),
    }
}

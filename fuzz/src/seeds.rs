//! Inputs to begin with, and inputs that broke something once.

use std::path::{Path, PathBuf};

/// The folder of this crate.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Inputs of a target: the seeds in `seeds/TARGET`, and what was found before in `regressions/TARGET`.
///
/// # Errors
///
/// An error of the system, also where a target has no seed.
pub fn of(target: &str) -> std::io::Result<Vec<Vec<u8>>> {
    let mut paths = files(&root().join("seeds").join(target))?;
    if target == "model" {
        // Files of every version of the format.
        for version in 1..=4 {
            let models = files(&root().join(format!("../testdata/models/{version}")))?;
            paths.extend(models.into_iter().filter(|path| path.extension().is_some_and(|e| e == "hodgelet")));
        }
    }
    if paths.is_empty() {
        return Err(std::io::Error::other(format!("no seeds of {target}")));
    }
    paths.extend(files(&root().join("regressions").join(target))?);
    paths.iter().map(std::fs::read).collect()
}

/// The files in a folder, in order; none if there is no such folder.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

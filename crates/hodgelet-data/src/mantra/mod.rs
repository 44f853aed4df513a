//! MANTRA, the manifold triangulations assemblage \[Ballester25\]: one JSON file, plain or compressed by gzip, with a list of
//! triangulations and what is known of them.
//!
//! ```text
//! [{"id": "manifold_2_4_1", "triangulation": [[1,2,3], [1,2,4], [1,3,4], [2,3,4]], "dimension": 2, "n_vertices": 4,
//!   "betti_numbers": [1, 0, 1], "torsion_coefficients": ["", "", ""], "name": "S^2", "genus": 0, "orientable": true}, …]
//! ```
//!
//! Only `triangulation` is needed: facets of one dimension, vertices in any numbering. What the file says of a manifold is taken
//! from it; what it leaves out (older releases name four kinds of surfaces only) is computed, for manifolds of dimension 2 the
//! name as well. A list of facets is read as it is, whether it is a manifold or not, as long as nothing has to be computed.
//! Other keys are left alone.
//!
//! What is to be predicted is a [`ManifoldTarget`]. Betti numbers are no columns: they would be features, and give the answer
//! away.

mod entry;
mod error;

pub use crate::generate::ManifoldTarget;
pub use error::MantraError;

use crate::Read;
use crate::generate::ordered_classes;
use entry::{Entry, slices};
use flate2::read::MultiGzDecoder;
use hodgelet::dataset::Dataset;
use rayon::prelude::*;
use std::io::Read as _;
use std::path::Path;

/// Most bytes that a compressed file may hold.
pub const MAX_UNPACKED: u64 = 4 << 30;

/// Whether a file is one of this format: a list in JSON, or such a list compressed (`.json.gz`).
#[must_use]
pub fn is_mantra(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let begins = |path: &Path| -> std::io::Result<bool> {
        let mut start = [0; 256];
        let mut file = std::fs::File::open(path)?.take(256);
        let mut n = 0;
        while let more @ 1.. = file.read(&mut start[n..])? {
            n += more;
        }
        let text = start[..n].strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start[..n]);
        Ok(text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'['))
    };
    name.ends_with(".json.gz") || (name.ends_with(".json") && begins(path).unwrap_or(false))
}

/// Reads a file.
///
/// # Errors
///
/// [`MantraError`] names the file and the manifold.
pub fn read_file(path: &Path, target: ManifoldTarget) -> Result<Read, MantraError> {
    let io = |source| MantraError::Io { path: path.to_owned(), source };
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(io)?;
    let bytes = if bytes.starts_with(b"\x1f\x8b") { unpacked(&file, &bytes, MAX_UNPACKED)? } else { bytes };
    parse(&file, &bytes, target)
}

/// What a gzip file holds, at most `limit` bytes of it.
///
/// # Errors
///
/// [`MantraError::Gzip`] when it is damaged or holds more.
fn unpacked(file: &str, bytes: &[u8], limit: u64) -> Result<Vec<u8>, MantraError> {
    let wrong = |reason: String| MantraError::Gzip { file: file.to_owned(), reason };
    let mut out = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(limit + 1).read_to_end(&mut out);
    read.map_err(|error| wrong(error.to_string()))?;
    match out.len() as u64 > limit {
        true => Err(wrong(format!("more than {limit} bytes when unpacked"))),
        false => Ok(out),
    }
}

/// Reads the contents of a file called `file`, unpacked.
///
/// # Errors
///
/// [`MantraError`] names the file and the manifold.
///
/// ```
/// use hodgelet_data::mantra::{self, ManifoldTarget};
/// let text = br#"[{"triangulation": [[1, 2, 3], [1, 2, 4], [1, 3, 4], [2, 3, 4]]}]"#;
/// let read = mantra::parse("spheres.json", text, ManifoldTarget::Type)?;
/// assert_eq!(read.dataset.complexes()[0].n_cells(1), 6);
/// # Ok::<(), hodgelet_data::mantra::MantraError>(())
/// ```
pub fn parse(file: &str, bytes: &[u8], target: ManifoldTarget) -> Result<Read, MantraError> {
    let slices = slices(file, crate::text::tidy(bytes))?;
    let one =
        |(index, (line, text)): (usize, &(usize, &[u8]))| Entry::parse(file, index, *line, text, target);
    let entries: Vec<Entry> = slices.par_iter().enumerate().map(one).collect::<Result<_, _>>()?;
    let (mut complexes, mut kinds, mut classes, mut ids) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for Entry { id, complex, kind, class } in entries {
        complexes.push(complex);
        kinds.push(kind);
        classes.push(class);
        ids.extend(id);
    }
    if ids.len() != complexes.len() {
        ids.clear(); // all or none
    }
    let name =
        Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = stem.strip_suffix(".json").unwrap_or(stem);
    let dataset = Dataset::new(stem, complexes, Vec::new(), ordered_classes(&kinds, classes))?;
    Ok(Read { ids, ..Read::clean(dataset) })
}

#[cfg(test)]
mod tests;

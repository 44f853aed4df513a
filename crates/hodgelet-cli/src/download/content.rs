//! What a known dataset holds: checksums of its files, and the numbers of the collection's table.
//!
//! Archives are packed anew now and then, so checksums are those of the files inside. They are pinned for the datasets whose
//! files were compared with other public copies of the collection; all others are compared by their counts.

use super::place::{Packing, packing};
use super::{DownloadError, KNOWN_DATASETS, KnownDataset};
use hodgelet::complex::Complex;
use hodgelet::dataset::Targets;
use hodgelet_data::mantra::{self, ManifoldTarget};
use hodgelet_data::tu;
use sha2::{Digest, Sha256};
use std::io::{Cursor, Read};
use std::path::Path;
use zip::ZipArchive;

/// Lines of `sha256sum`.
const PINS: &str = include_str!("pins.txt");

/// How far a mean may be from the table, which has two digits.
const ROUNDING: f64 = 0.0051;

/// The checksum that a file of the collection has, where it is known.
fn pinned(file: &str) -> Option<&'static str> {
    PINS.lines().filter_map(|line| line.split_once("  ")).find(|(_, name)| *name == file).map(|(sum, _)| sum)
}

/// Whether an archive holds the dataset `name`; nothing is known of other names.
pub(super) fn check(path: &Path, name: &str, unpinned: bool) -> Result<(), DownloadError> {
    if let Packing::Manifolds(dim) = packing(name) {
        return check_manifolds(path, name, dim);
    }
    let Some(known) = KNOWN_DATASETS.iter().find(|known| known.name == name) else { return Ok(()) };
    let bytes = std::fs::read(path).map_err(|error| DownloadError::file(path, error))?;
    if !unpinned {
        check_pins(path, name, &bytes)?;
    }
    check_counts(path, known, &bytes)
}

/// Whether a file holds manifolds of the dimension. Releases differ in their numbers, so that those are not compared.
fn check_manifolds(path: &Path, name: &str, dim: usize) -> Result<(), DownloadError> {
    let wrong = |what, found: String, expected: String| {
        Err(DownloadError::Content { path: path.to_owned(), name: name.to_owned(), what, found, expected })
    };
    let read = match mantra::read_file(path, ManifoldTarget::Betti) {
        Ok(read) => read,
        Err(error) => return wrong("content", error.to_string(), "a list of manifolds".to_owned()),
    };
    let other = read.dataset.complexes().iter().map(Complex::dim).find(|found| *found != dim);
    match other {
        Some(found) => wrong("dimension", found.to_string(), dim.to_string()),
        None if read.dataset.is_empty() => {
            wrong("number of manifolds", "0".to_owned(), "at least 1".to_owned())
        }
        None => Ok(()),
    }
}

fn check_pins(path: &Path, name: &str, bytes: &[u8]) -> Result<(), DownloadError> {
    let invalid = |reason: String| DownloadError::Zip { path: path.to_owned(), reason };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| invalid(error.to_string()))?;
    for file in tu::File::ALL.map(|file| file.name(name)) {
        let Some(expected) = pinned(&file) else { continue };
        let of_file = |entry: &str| entry.rsplit('/').next() == Some(&file);
        let entries: Vec<usize> = (0..archive.len())
            .filter(|&i| {
                archive.name_for_index(i).is_some_and(|entry| entry.is_ok_and(|entry| of_file(&entry)))
            })
            .collect();
        let [index] = entries[..] else {
            return Err(invalid(format!("{} files {file}, expected one", entries.len())));
        };
        let mut content = Vec::new();
        let mut entry = archive.by_index(index).map_err(|error| invalid(format!("{file}: {error}")))?;
        entry.read_to_end(&mut content).map_err(|error| invalid(format!("{file}: {error}")))?;
        let found: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        if found != expected {
            let (path, expected) = (path.to_owned(), expected.to_owned());
            return Err(DownloadError::Pinned { path, file, expected, found });
        }
    }
    Ok(())
}

fn check_counts(path: &Path, known: &KnownDataset, bytes: &[u8]) -> Result<(), DownloadError> {
    let wrong = |what, found: String, expected: String| {
        let (path, name) = (path.to_owned(), known.name.to_owned());
        Err(DownloadError::Content { path, name, what, found, expected })
    };
    let read = tu::parse_zip(&format!("{}.zip", known.name), bytes);
    let dataset = match read {
        Ok(read) => read.dataset,
        Err(error) => return wrong("content", error.to_string(), "a dataset of the collection".to_owned()),
    };
    if dataset.name() != known.name {
        return wrong("name", dataset.name().to_owned(), known.name.to_owned());
    }
    // Some archives have labels of graphs without vertices, which the table does not count.
    let sizes: Vec<usize> =
        dataset.complexes().iter().map(|complex| complex.n_cells(0)).filter(|&n| n > 0).collect();
    if sizes.len() != known.graphs as usize {
        return wrong("number of graphs", sizes.len().to_string(), known.graphs.to_string());
    }
    let classes = match dataset.targets() {
        Targets::Classes { names, .. } => Some(names.len() as u32),
        _ => None,
    };
    if known.classes.is_some() && classes != known.classes {
        let text = |classes: Option<u32>| classes.map_or_else(|| "none".to_owned(), |n| n.to_string());
        return wrong("number of classes", text(classes), text(known.classes));
    }
    let mean = sizes.iter().sum::<usize>() as f64 / sizes.len() as f64;
    if (mean - known.mean_vertices).abs() > ROUNDING {
        return wrong("mean number of vertices", format!("{mean:.2}"), format!("{:.2}", known.mean_vertices));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The archive of a dataset of the collection, packed anew, under another name if asked for.
    fn packed(data: &Path, name: &str, renamed: &str) -> Option<Vec<u8>> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for file in tu::File::ALL {
            let (inside, outside) = (file.name(name), file.name(renamed));
            let bytes = match std::fs::read(data.join(format!("{name}.zip"))) {
                Ok(bytes) => {
                    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
                    let Ok(mut entry) = archive.by_name(&format!("{name}/{inside}")) else { continue };
                    let mut content = Vec::new();
                    entry.read_to_end(&mut content).unwrap();
                    content
                }
                Err(_) => match std::fs::read(data.join(name).join(inside)) {
                    Ok(content) => content,
                    Err(_) => continue,
                },
            };
            zip.start_file(format!("{renamed}/{outside}"), zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(&bytes).unwrap();
        }
        let bytes = zip.finish().unwrap().into_inner();
        (bytes.len() > 100).then_some(bytes)
    }

    #[test]
    fn pins_are_of_known_datasets_and_each_of_one_file() {
        let names: Vec<&str> = PINS.lines().map(|line| line.split_once("  ").unwrap().1).collect();
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
        for name in names {
            let of = |known: &&KnownDataset| tu::File::ALL.iter().any(|file| file.name(known.name) == name);
            assert!(KNOWN_DATASETS.iter().any(|known| of(&known)), "{name}");
        }
        assert!(PINS.lines().all(|line| line.as_bytes()[..64].iter().all(u8::is_ascii_hexdigit)));
    }

    #[test]
    fn datasets_of_the_collection_are_what_they_are_called_and_no_other() {
        let Some(data) = std::env::var_os("HODGELET_DATA") else {
            println!("SKIPPED: HODGELET_DATA is not set");
            return;
        };
        let data = Path::new(&data);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.zip");
        let mut checked = 0;
        for known in KNOWN_DATASETS {
            let Some(bytes) = packed(data, known.name, known.name) else { continue };
            std::fs::write(&path, bytes).unwrap();
            check(&path, known.name, false).unwrap_or_else(|error| panic!("{}: {error}", known.name));
            checked += 1;
        }
        assert!(checked > 20, "{checked} datasets");
        // Another dataset under the name of one, which the table and the checksums tell apart.
        std::fs::write(&path, packed(data, "COX2_MD", "BZR_MD").unwrap()).unwrap();
        let error = check(&path, "BZR_MD", false).unwrap_err();
        assert!(matches!(error, DownloadError::Pinned { .. }), "{error}");
        let error = check(&path, "BZR_MD", true).unwrap_err();
        assert!(error.to_string().contains("number of graphs is 303, but 306 is that of BZR_MD"), "{error}");
        std::fs::write(&path, packed(data, "COX2_MD", "COX2_MD").unwrap()).unwrap();
        let error = check(&path, "BZR_MD", true).unwrap_err();
        assert!(error.to_string().contains("name is COX2_MD"), "{error}");
        println!("{checked} datasets of the collection checked");
    }
}

//! Names of datasets: which ones a directory holds, and how close two names are.

use std::path::Path;

/// Extensions of datasets that are files; others are folders. A longer one comes before its own ending.
pub const EXTENSIONS: [&str; 15] = [
    "zip", "jsonl", "graphml", "gml", "hif.json", "json.gz", "json", "off", "obj", "ply", "csv", "tsv",
    "parquet", "edgelist", "edges",
];

/// Names of the datasets in a directory, sorted; empty if it cannot be read.
#[must_use]
pub fn datasets_in(dir: &Path) -> Vec<String> {
    let name = |file: String| {
        let stem = EXTENSIONS.iter().find_map(|e| file.strip_suffix(e)?.strip_suffix('.').map(str::to_owned));
        stem.or_else(|| dir.join(&file).is_dir().then_some(file)).filter(|name| !name.starts_with('.'))
    };
    let mut names: Vec<String> = entries(dir).into_iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// File names in a directory, sorted; empty if it cannot be read.
pub(crate) fn entries(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// Edits between two names, ignoring case, if they are few enough for a typing error: one, and one more for every four
/// characters of `name`.
#[must_use]
pub fn edits(name: &str, other: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let edits = strsim::damerau_levenshtein(&name, &other.to_lowercase());
    (edits <= 1 + name.chars().count() / 4).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datasets_are_folders_and_files_with_a_known_extension() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["b.zip", "b.jsonl", "a.hif.json", "d.json.gz", "a.txt", ".hidden.zip", "zip"] {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("c.1")).unwrap();
        assert_eq!(datasets_in(dir.path()), ["a", "b", "c.1", "d"]);
        assert!(datasets_in(&dir.path().join("none")).is_empty());
    }

    #[test]
    fn typing_errors_are_few_edits() {
        assert_eq!(edits("MUTGA", "mutag"), Some(1));
        assert_eq!(edits("mutag", "MUTAG"), Some(0));
        assert_eq!(edits("mutagens", "mutag"), Some(3));
        assert_eq!(edits("sbm", "smaller"), None);
    }
}

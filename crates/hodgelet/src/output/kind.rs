//! What a file holds, told by how it begins.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a file that are looked at.
const HEAD: u64 = 1 << 16;

/// A kind of file that this project writes; one file may replace another of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    name: &'static str,
    /// What such files begin with, blanks left out; a table is told by the names of its columns.
    begins: &'static [&'static str],
}

impl Kind {
    /// A trained model.
    pub const MODEL: Self = Self {
        name: "a model",
        begins: &[
            r#"{"__metadata__":{"format":"hodgelet-model""#,
            r#"{"__metadata__":{"format":"hodgelet-models""#,
        ],
    };
    /// A dataset in JSONL.
    pub const DATASET: Self = Self { name: "a dataset", begins: &[r#"{"hodgelet":"#] };
    /// A matrix of NumPy.
    pub const MATRIX: Self = Self { name: "a matrix", begins: &["\u{fffd}NUMPY"] };
    /// Features or predictions as comma-separated or tab-separated values.
    pub const CSV: Self = Self { name: "a table", begins: &[] };
    /// Features as lines of JSON.
    pub const FEATURES: Self = Self { name: "features", begins: &[r#"{"id":"#] };
    /// A result of the command, as JSON or as text for people.
    pub const REPORT: Self = Self {
        name: "a report",
        begins: &[r#"{"dataset":"#, r#"{"hodgelet_predictions":"#, "graphclass", "graphmean"],
    };
    /// Lists of training and test graphs.
    pub const SPLITS: Self = Self { name: "splits", begins: &[r#"[{"repeat":"#, "[]"] };
    /// A picture.
    pub const PICTURE: Self = Self { name: "a picture", begins: &["<svg", "\u{fffd}PNG", "%PDF-"] };
    /// A page of HTML with a report.
    pub const PAGE: Self = Self { name: "a page", begins: &["<!doctypehtml><!--hodgeletreport-->"] };
    /// A model card.
    pub const CARD: Self = Self { name: "a model card", begins: &["<!--hodgeletmodelcard-->"] };
    /// Anything: for files whose names are this project's own, in folders of its own.
    pub const ANY: Self = Self { name: "a file", begins: &[""] };

    /// Kinds that can be told from others.
    const KNOWN: [Self; 10] = [
        Self::MODEL,
        Self::DATASET,
        Self::MATRIX,
        Self::CSV,
        Self::FEATURES,
        Self::REPORT,
        Self::SPLITS,
        Self::PICTURE,
        Self::PAGE,
        Self::CARD,
    ];

    /// What it is, in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether a file may be replaced by one of this kind; otherwise what it holds, in words.
    pub(super) fn replaces(self, path: &Path) -> io::Result<Result<(), &'static str>> {
        let mut head = Vec::new();
        File::open(path)?.take(HEAD).read_to_end(&mut head)?;
        if head.is_empty() {
            return Ok(Ok(()));
        }
        // A model begins with the length of its header.
        let texts = [squeezed(&head), squeezed(head.get(8..).unwrap_or_default())];
        let is = |kind: &Self| match *kind == Self::CSV {
            true => is_table(&head),
            false => kind.begins.iter().any(|begin| texts.iter().any(|text| text.starts_with(begin))),
        };
        if is(&self) {
            return Ok(Ok(()));
        }
        Ok(Err(Self::KNOWN.iter().find(|kind| is(kind)).map_or("something else", |kind| kind.name)))
    }
}

/// Whether the first line names columns as features or predictions have them: any table may begin with `id`, and predictions stand
/// behind columns of the user.
fn is_table(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let Some(line) = text.lines().next() else { return false };
    let names: Vec<&str> = line.split([',', '\t']).map(|name| name.trim_matches('"')).collect();
    // With several targets a name has that of its target before it.
    let last = |name: &'_ str| name.rsplit(": ").next().unwrap_or_default().to_owned();
    let has = |wanted: &dyn Fn(&str) -> bool| names.iter().any(|name| wanted(&last(name)));
    let is_beside = |name: &str| ["far", "distance", "std", "fold"].contains(&name) || name.starts_with("p(");
    let is_predictions = has(&|name| name == "predicted") && has(&is_beside);
    is_predictions || (names[0] == "id" && names.get(1).is_some_and(|name| name.contains(" | ")))
}

/// Text without blanks.
fn squeezed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of the user that happens to have a column `id` is not one of ours.
    #[test]
    fn tables_are_told_by_the_names_of_their_columns() {
        let ours = [
            "id,vertex co-exact | degree=0 | filter 1,vertex co-exact | degree=0 | filter 2\n0,1,2",
            "id,predicted,p(a),p(b),distance,far\n",
            "smiles,Class,predicted,p(0),p(1),distance,far\n",
            "smiles\tid\tpredicted\tstd\n",
            "id,repeat,fold,truth,predicted,p(two-blocks)\n",
            "smiles,\"A, raw: predicted\",A: p(0)\n",
        ];
        assert!(ours.iter().all(|text| is_table(text.as_bytes())));
        let theirs =
            ["", "id,smiles,activity\n1,CCO,3", "id,predicted\n", "far,std\n", "id\n", "smiles,p(0)\n"];
        assert!(theirs.iter().all(|text| !is_table(text.as_bytes())));
    }
}

//! What a file holds, told by how it begins.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a file that are looked at.
const HEAD: u64 = 4096;

/// A kind of file that this project writes; one file may replace another of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    name: &'static str,
    /// What such files begin with, blanks left out.
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
    /// Features as comma-separated values.
    pub const CSV: Self = Self { name: "a table", begins: &["id,"] };
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
        let is =
            |kind: &Self| kind.begins.iter().any(|begin| texts.iter().any(|text| text.starts_with(begin)));
        if is(&self) {
            return Ok(Ok(()));
        }
        Ok(Err(Self::KNOWN.iter().find(|kind| is(kind)).map_or("something else", |kind| kind.name)))
    }
}

/// Text without blanks.
fn squeezed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_whitespace()).collect()
}

//! How much of everything a page shows.

/// What a page has room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Bytes of the rows of a table.
    pub rows: usize,
    /// Bytes of the drawings of single graphs.
    pub drawings: usize,
    /// Entries of a list: filters of a block, blocks, hyperparameters.
    pub entries: usize,
    /// Rows of the table of folds.
    pub folds: usize,
    /// Letters of a text.
    pub letters: usize,
    /// Targets whose report is shown in full.
    pub targets: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows: 600_000, drawings: 1_150_000, entries: 40, folds: 400, letters: 4000, targets: 64 }
    }
}

impl Limits {
    /// What each of several reports has room for.
    pub fn shared_by(self, n: usize) -> Self {
        let n = n.clamp(1, self.targets);
        Self { rows: self.rows / n, drawings: self.drawings / n, folds: self.folds / n + 10, ..self }
    }

    /// The next ones to try; none after the least.
    pub fn tightened(self) -> Option<Self> {
        if self.rows < 500 {
            return None;
        }
        Some(Self {
            rows: self.rows / 2,
            drawings: self.drawings * 3 / 5,
            entries: (self.entries * 3 / 4).max(6),
            folds: (self.folds / 2).max(10),
            letters: (self.letters / 2).max(200),
            targets: (self.targets * 2 / 3).max(1),
        })
    }
}

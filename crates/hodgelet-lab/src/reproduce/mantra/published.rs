//! What others printed of the same surfaces.
//!
//! Test scores of the benchmark's authors, from the result files in their repository (aidos-lab/mantra-benchmarks,
//! `code/results_*.csv`, commit f043587b): all surfaces, not refined, means over five runs, trained on four fifths. Their type
//! has five classes, those without a name being one of them.

/// A row of their results.
pub struct Row {
    /// The task, as the dataset calls it.
    pub task: &'static str,
    /// The model and its features.
    pub model: &'static str,
    /// Accuracy.
    pub accuracy: f64,
    /// Matthews' correlation coefficient, where they give one.
    pub mcc: Option<f64>,
    /// Mean over classes of the share that is right, where they give one.
    pub balanced_accuracy: Option<f64>,
}

/// The best of their models and those of graphs, which all have the same scores.
pub const ROWS: [Row; 6] = [
    row("type", "GCN, GAT, TAG, MLP, TransfConv", 0.797, None, Some(0.219)),
    row("type", "SCCN, degrees", 0.779, None, Some(0.576)),
    row("type", "SCCN, random features", 0.772, None, Some(0.532)),
    row("orientable", "GCN, GAT, TAG, MLP, TransfConv", 0.920, Some(0.0), Some(0.5)),
    row("orientable", "SCCN, degrees", 0.927, Some(0.310), Some(0.545)),
    row("orientable", "SCCN, random features", 0.925, Some(0.275), Some(0.543)),
];

const fn row(
    task: &'static str,
    model: &'static str,
    accuracy: f64,
    mcc: Option<f64>,
    balanced_accuracy: Option<f64>,
) -> Row {
    Row { task, model, accuracy, mcc, balanced_accuracy }
}

//! Which training graphs are nearest to a graph, by the model's own kernel.

use faer::Par;
use hodgelet::kernel::Inputs;
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Model, ModelError};

/// The graphs of `measures` nearest to each of `which`, itself left out: their places with their distances, at most `count`.
///
/// The distance is that of [`Novelty`](hodgelet::model::Novelty), at the mode of the hyperparameters: 0 for equal features, 1
/// for nothing in common.
///
/// # Errors
///
/// [`ModelError`] when the measures are not of this model.
pub fn nearest(
    model: &Model,
    measures: &[ComplexMeasures],
    which: &[usize],
    count: usize,
) -> Result<Vec<Vec<(usize, f64)>>, ModelError> {
    let inputs = |items: &[&ComplexMeasures]| -> Result<Vec<Inputs>, ModelError> {
        let blocks = model.space().measures_in_units(items);
        model.blocks().iter().zip(&blocks).map(|(space, measures)| space.inputs(measures)).collect()
    };
    let all = inputs(&measures.iter().collect::<Vec<_>>())?;
    let some = inputs(&which.iter().map(|&i| &measures[i]).collect::<Vec<_>>())?;
    let constant = model.kernel().constant().unwrap_or(0.0);
    let (left, right) = (Inputs::views(&some), Inputs::views(&all));
    let covariances = model.kernel().cross(&left, &right, Par::Seq)?;
    let (own, other) = (model.kernel().diagonal(&left)?, model.kernel().diagonal(&right)?);
    let distance = |i: usize, j: usize| {
        let whole = own[i] + other[j] - 2.0 * constant;
        if whole > 0.0 { (1.0 - 2.0 * (covariances[(i, j)] - constant) / whole).max(0.0) } else { 0.0 }
    };
    let of = |i: usize| {
        let mut found: Vec<(usize, f64)> =
            (0..measures.len()).filter(|&j| j != which[i]).map(|j| (j, distance(i, j))).collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        found.truncate(count);
        found
    };
    Ok((0..which.len()).map(of).collect())
}

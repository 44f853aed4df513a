//! What a model has learned: filters over the energy of the data, amplitudes of blocks, hyperparameters beside their priors.

use crate::chart::{Curve, Density, Interval};
use hodgelet::feature::Block;
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Hyperparameter, Model};
use serde::Serialize;

/// Graphs whose spectra are added up.
const MOST_GRAPHS: usize = 1000;
/// Bins of a density.
const BINS: usize = 60;
/// Points of a filter.
const POINTS: usize = 120;
/// 95% of a normal distribution.
const WIDE: f64 = 1.959_964;

/// What a model has learned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Learned {
    /// The filters of each block that has some, with the energy of the data by eigenvalue.
    pub filters: Vec<(String, Vec<Curve>, Option<Density>)>,
    /// The prior variance of the share of each block.
    pub amplitudes: Vec<Interval>,
    /// All other trained values, those of many filters and lengthscales summed up.
    pub others: Vec<Interval>,
    /// States that predictions are averaged over.
    pub states: usize,
    /// Graphs whose energy is drawn.
    pub graphs: usize,
}

impl Learned {
    /// Of a model, with the spectra of some graphs.
    #[must_use]
    pub fn of(model: &Model, measures: &[ComplexMeasures]) -> Self {
        let step = measures.len().div_ceil(MOST_GRAPHS).max(1);
        let sample: Vec<&ComplexMeasures> = measures.iter().step_by(step).collect();
        let filters = model.blocks().iter().filter_map(|space| {
            let bank = space.map.bank()?;
            let density = density(space.block, &sample);
            let end = density.as_ref().map_or(2.0, |density| density.end);
            let grid: Vec<f64> = (0..POINTS).map(|i| end * i as f64 / (POINTS - 1) as f64).collect();
            let mut values = vec![0.0; bank.n_filters() * POINTS];
            bank.evaluate(&grid, &mut values).ok()?;
            let curve = |(j, row): (usize, &[f64])| Curve {
                name: format!("filter {}", j + 1),
                points: grid.iter().copied().zip(row.iter().copied()).collect(),
                errors: Vec::new(),
            };
            let curves = values.chunks(POINTS).enumerate().map(curve).collect();
            Some((model.space().block_name(space.block), curves, density))
        });
        let filters = filters.collect();
        let draws = model.hyperparameter_draws();
        let all = model.hyperparameters();
        let rows: Vec<(bool, Interval)> =
            groups(&all).into_iter().map(|g| interval(&all, &draws, g)).collect();
        let part =
            |wanted: bool| rows.iter().filter(|(is, _)| *is == wanted).map(|(_, row)| row.clone()).collect();
        Self {
            filters,
            amplitudes: part(true),
            others: part(false),
            states: draws.len(),
            graphs: sample.len(),
        }
    }
}

/// Runs of hyperparameters that are shown as one: scales of filters and lengthscales of one block.
fn groups(all: &[Hyperparameter]) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (i, entry) in all.iter().enumerate() {
        match found.last_mut() {
            Some(last) if kind(&all[last.start]) == kind(entry) => last.end = i + 1,
            _ => found.push(i..i + 1),
        }
    }
    found
}

fn kind(entry: &Hyperparameter) -> String {
    match entry.name.split_once(": ") {
        Some((block, what)) if what.starts_with("filter ") => format!("{block}: scales"),
        Some((block, what)) if what.starts_with("lengthscale") => format!("{block}: lengthscale"),
        _ => entry.name.clone(),
    }
}

/// The middle of a group, by the geometric mean, in the mode, the draws and the prior; whether it is an amplitude.
fn interval(all: &[Hyperparameter], draws: &[Vec<f64>], group: std::ops::Range<usize>) -> (bool, Interval) {
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (sum, n) = values.fold((0.0, 0), |(sum, n), v| (sum + v.max(1e-300).ln(), n + 1));
        (sum / f64::from(n.max(1))).exp()
    };
    let mut found: Vec<f64> =
        draws.iter().map(|draw| mean(&mut draw[group.clone()].iter().copied())).collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found[((found.len() - 1) as f64 * share).round() as usize];
    let priors: Option<Vec<_>> = all[group.clone()].iter().map(|entry| entry.prior).collect();
    let prior = priors.map(|priors| {
        let center = mean(&mut priors.iter().map(|p| p.center()));
        let factor = (WIDE * priors[0].deviation()).exp();
        (center / factor, center * factor)
    });
    let first = &all[group.start];
    let many = if group.len() > 1 { format!(" (mean of {})", group.len()) } else { String::new() };
    let interval = Interval {
        name: kind(first).trim_end_matches(": variance").to_owned() + &many,
        value: mean(&mut all[group].iter().map(|entry| entry.value)),
        found: (!found.is_empty()).then(|| (at(0.025), at(0.975))),
        prior,
    };
    (first.name.ends_with(": variance") || first.name.starts_with("constant"), interval)
}

/// Where the energy of some graphs lies in the spectrum of a block; none without energy.
fn density(block: Block, sample: &[&ComplexMeasures]) -> Option<Density> {
    let mut atoms: Vec<(f64, f64)> = Vec::new();
    for measures in sample {
        let Some(dim) = measures.of_dim(block.dim) else { continue };
        for &component in block.component.components() {
            let measure = dim.component(component);
            let total: f64 = (0..measure.live().len()).map(|p| energy(measure, p).sum::<f64>()).sum();
            if total > 0.0 {
                // Every graph counts the same, whatever its size and units.
                for position in 0..measure.live().len() {
                    let energies = energy(measure, position).map(|e| e / total);
                    atoms.extend(measure.eigenvalues().iter().copied().zip(energies));
                }
            }
        }
    }
    let end = atoms.iter().map(|a| a.0).fold(0.0, f64::max);
    if end <= 0.0 {
        return None;
    }
    let mut shares = vec![0.0; BINS];
    for (value, energy) in &atoms {
        shares[((value / end * BINS as f64) as usize).min(BINS - 1)] += energy;
    }
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total.max(1e-300));
    Some(Density { end, shares })
}

pub(super) fn energy(
    measure: &hodgelet::measure::EnergyMeasure,
    position: usize,
) -> impl Iterator<Item = f64> + '_ {
    let scale = measure.scale(position).powi(2);
    measure.energies(position).iter().map(move |energy| energy * scale)
}

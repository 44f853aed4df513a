//! The models in the columns.

use clap::ValueEnum;
use hodgelet::complex::CellWeights;
use hodgelet::dataset::{ColumnValues, Dataset, DatasetError, POSITIONS};
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::param::Transform;
use hodgelet::settings::{BlockKind, ClassLikelihood, Laplacian, Method, Settings};
use hodgelet::wavelet::ScaleSpread;
use hodgelet_eval::search::SearchParams;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A model in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// The baseline as published: vertex signal, no split, normalized Laplacian
    Wt,
    /// The same with the Laplacian of WT-GP-Hodge, so that nothing but the split differs
    WtCombinatorial,
    /// The baseline on edges as published: the line graph, no split
    LineGraph,
    /// WT-GP-Hodge as published
    Hodge,
    /// The same with lengthscales that start at the root of the number of columns instead of 1
    HodgeScaled,
    /// This program's own settings, edge labels and distances included
    #[value(name = "hodgelet")]
    #[serde(rename = "hodgelet")]
    Own,
    /// Settings chosen on the training part of each fold, as `--auto` does
    Auto,
    /// This program's own settings on flows times the lengths of their edges: the true de Rham map
    DeRham,
    /// The same with edges that weigh one over the square of their length, so that noise is white again
    White,
    /// The de Rham map with the metric of the mesh: dual areas on vertices, dual lengths on edges, areas of triangles
    Metric,
}

impl Contender {
    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wt => "WT-GP",
            Self::WtCombinatorial => "WT-GP, combinatorial",
            Self::LineGraph => "WT-GP-LG",
            Self::Hodge => "WT-GP-Hodge",
            Self::HodgeScaled => "WT-GP-Hodge, scaled",
            Self::Own => "hodgelet",
            Self::Auto => "hodgelet, auto",
            Self::DeRham => "hodgelet, de Rham",
            Self::White => "hodgelet, de Rham, white",
            Self::Metric => "hodgelet, mesh metric",
        }
    }

    /// Name in files and flags.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Wt => "wt",
            Self::WtCombinatorial => "wt-combinatorial",
            Self::LineGraph => "line-graph",
            Self::Hodge => "hodge",
            Self::HodgeScaled => "hodge-scaled",
            Self::Own => "hodgelet",
            Self::Auto => "auto",
            Self::DeRham => "de-rham",
            Self::White => "white",
            Self::Metric => "metric",
        }
    }

    /// The settings on graphs (`flows` false) or on vector fields.
    ///
    /// Table 1 of the paper compares models of the vertex signal; edge labels belong to this program's own settings.
    #[must_use]
    pub fn settings(self, flows: bool, seed: u64, iterations: usize) -> Settings {
        let (method, faithful) = match self {
            Self::Wt | Self::WtCombinatorial => (Method::Wt, true),
            Self::LineGraph => (Method::LineGraph, true),
            Self::Hodge => (Method::Hodge, true),
            Self::HodgeScaled | Self::Own | Self::Auto | Self::DeRham | Self::White | Self::Metric => {
                (Method::Hodge, false)
            }
        };
        // The table is of the most probable hyperparameters.
        let mut settings = Settings { faithful, seed, iterations, ..Settings::of(method).most_probable() };
        // The paper knows energies; other blocks have a table of their own.
        settings.blocks = Some(vec![BlockKind::Energies]);
        match self {
            Self::WtCombinatorial => settings.laplacian = Some(Laplacian::Combinatorial),
            Self::Metric => settings.laplacian = Some(Laplacian::DecMedian),
            Self::HodgeScaled => settings = faithful_but_lengthscales(settings),
            _ => {}
        }
        settings.vertices = match (self, flows) {
            (Self::LineGraph, true) => Some(VertexSignal::Attributes), // those of the edges
            (Self::LineGraph, false) | (_, true) => Some(VertexSignal::None),
            (_, false) => Some(VertexSignal::Reference),
        };
        if !flows && !matches!(self, Self::Own | Self::Auto) {
            settings.edges = CellSignal::None;
        }
        settings
    }

    /// The search for settings on `dataset`, where the model is one.
    #[must_use]
    pub fn search(self, settings: &Settings, dataset: &Dataset) -> Option<SearchParams> {
        (self == Self::Auto).then(|| SearchParams::standard(settings.clone(), dataset))
    }

    /// The dataset as the model sees it.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] when a flow times the length of its edge is not finite.
    pub fn prepared(self, dataset: &Dataset) -> Result<Cow<'_, Dataset>, DatasetError> {
        Ok(match self {
            Self::DeRham | Self::Metric => Cow::Owned(times_lengths(dataset)?),
            Self::White => Cow::Owned(whitened(times_lengths(dataset)?)?),
            _ => Cow::Borrowed(dataset),
        })
    }
}

/// The settings that `faithful` implies, except for lengthscales, which start at the root of the number of columns.
fn faithful_but_lengthscales(settings: Settings) -> Settings {
    Settings {
        likelihood: Some(ClassLikelihood::Gpflow),
        prior_deviation: None,
        scales: Some(ScaleSpread::Reference),
        scale_transform: Some(Transform::Softplus),
        ..settings
    }
}

/// The same dataset with every flow times the length of its edge.
///
/// The paper's flow on an edge is the mean of the tangential component; times the length it is the integral along the
/// edge, the de Rham map, which takes gradients into the image of `B_1ᵀ`. The noise stays what it was on the mean.
fn times_lengths(dataset: &Dataset) -> Result<Dataset, DatasetError> {
    let Some(lengths) = edge_lengths(dataset) else { return Ok(dataset.clone()) };
    let mut columns = dataset.columns().to_vec();
    for column in columns.iter_mut().filter(|c| c.dim == 1 && c.name == "flow") {
        if let ColumnValues::Real { channels, values } = &mut column.values {
            let per_edge = channels.len().max(1);
            values.iter_mut().enumerate().for_each(|(i, value)| *value *= lengths[i / per_edge]);
        }
    }
    dataset.clone().with_columns(columns)
}

/// The same dataset with edges that weigh one over the square of their length, the mean length of their mesh being 1.
///
/// The energy of a flow times lengths is then that of the flow: gradients are exact, and noise that was the same on every
/// edge stays so.
fn whitened(dataset: Dataset) -> Result<Dataset, DatasetError> {
    let Some(lengths) = edge_lengths(&dataset) else { return Ok(dataset) };
    let mut rest = &lengths[..];
    let mut weights = Vec::with_capacity(dataset.len());
    for complex in dataset.complexes() {
        let (own, others) = rest.split_at(complex.n_cells(1));
        rest = others;
        let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
        let of_edges = own.iter().map(|length| (mean / length).powi(2)).collect();
        weights.push(CellWeights::new(vec![None, Some(of_edges)]).ok()); // two vertices at one place: weights of 1
    }
    dataset.with_weights(&weights)
}

/// Lengths of all edges, complex after complex, from a vertex column `position`.
fn edge_lengths(dataset: &Dataset) -> Option<Vec<f64>> {
    let column = dataset.column(0, POSITIONS)?;
    let ColumnValues::Real { channels, values } = &column.values else { return None };
    let d = channels.len();
    let mut lengths = Vec::new();
    for (i, complex) in dataset.complexes().iter().enumerate() {
        let start = column.cells(i).start;
        let at = |v: u32| &values[d * (start + v as usize)..d * (start + v as usize + 1)];
        let length =
            |[a, b]: [u32; 2]| at(a).iter().zip(at(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        lengths.extend(complex.edges().map(length));
    }
    Some(lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet_data::generate::builtin;

    fn fields(edge_map: &str) -> Dataset {
        let mut recipe = builtin("vector-fields").unwrap();
        for setting in ["n_fields=3", "n_vertices=30", "noise=0", &format!("edge_map={edge_map}")] {
            recipe.set(setting).unwrap();
        }
        recipe.generate(4).unwrap()
    }

    fn flow(dataset: &Dataset) -> &[f64] {
        let column = dataset.column(1, "flow").unwrap();
        let ColumnValues::Real { values, .. } = &column.values else { panic!("numbers") };
        values
    }

    #[test]
    fn means_times_lengths_are_the_de_rham_map() {
        let (tangent, integral) = (fields("tangent"), fields("de-rham"));
        let prepared = Contender::DeRham.prepared(&tangent).unwrap();
        assert_eq!(flow(&prepared).len(), flow(&integral).len());
        for (found, expected) in flow(&prepared).iter().zip(flow(&integral)) {
            assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
        }
        assert_eq!(*Contender::Hodge.prepared(&tangent).unwrap(), tangent);
    }

    #[test]
    fn weights_undo_lengths_in_the_energy() {
        let tangent = fields("tangent");
        let white = Contender::White.prepared(&tangent).unwrap();
        let mut at = 0;
        for (i, complex) in white.complexes().iter().enumerate() {
            let weights = white.weights(i).unwrap();
            let weights = weights.of_dim(1).unwrap();
            let end = at + complex.n_cells(1);
            let energy: f64 = flow(&white)[at..end].iter().zip(weights).map(|(x, w)| w * x * x).sum();
            let before: f64 = flow(&tangent)[at..end].iter().map(|x| x * x).sum();
            let lengths = edge_lengths(&tangent).unwrap();
            let mean = lengths[at..end].iter().sum::<f64>() / (end - at) as f64;
            assert!((energy / (mean * mean * before) - 1.0).abs() < 1e-12, "{energy}, {before}");
            at = end;
        }
        assert_eq!(at, flow(&white).len());
    }

    #[test]
    fn only_the_laplacian_and_the_split_tell_the_published_models_apart() {
        let [wt, same, hodge] = [Contender::Wt, Contender::WtCombinatorial, Contender::Hodge]
            .map(|contender| contender.settings(false, 3, 7));
        assert_eq!((wt.seed, wt.iterations, wt.prior_deviation()), (3, 7, None));
        assert_eq!(hodge.edges, CellSignal::None);
        assert_ne!(wt.laplacian(), hodge.laplacian());
        assert_eq!(same.laplacian(), hodge.laplacian());
        assert!(hodge.split() && !same.split());
        assert_eq!(Contender::Own.settings(false, 0, 7).edges, CellSignal::Auto);
    }

    #[test]
    fn only_the_first_lengthscales_tell_the_scaled_model_from_the_published_one() {
        let [published, scaled] =
            [Contender::Hodge, Contender::HodgeScaled].map(|contender| contender.settings(false, 3, 7));
        assert_eq!((published.initial_lengthscale(9), scaled.initial_lengthscale(9)), (1.0, 3.0));
        assert_eq!(published.bank(), scaled.bank());
        assert_eq!(published.likelihood(), scaled.likelihood());
        assert_eq!(published.prior_deviation(), scaled.prior_deviation());
        let own = Settings { faithful: true, prior_deviation: published.prior_deviation, ..scaled };
        let unset = Settings { likelihood: None, scales: None, scale_transform: None, ..own };
        assert_eq!(unset, published);
    }

    #[test]
    fn keys_are_the_names_of_the_flag() {
        for contender in Contender::value_variants() {
            assert_eq!(contender.to_possible_value().unwrap().get_name(), contender.key());
            assert_eq!(serde_json::to_value(contender).unwrap(), contender.key());
        }
    }
}

//! Flags that several subcommands share, with the names the library uses for its choices.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hodgelet::dataset::Dataset;
use hodgelet::encode::{CellSignal, EncodingParams, VertexSignal};
use hodgelet::hodge::Weighting;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Names of vertex signals.
pub const VERTEX_SIGNALS: [&str; 6] =
    ["reference", "degree-one-hot", "degree", "constant", "attributes", "none"];
/// Names of signals on edges and above.
pub const CELL_SIGNALS: [&str; 4] = ["auto", "columns", "constant", "none"];
/// Names of Laplacians.
const LAPLACIANS: [&str; 2] = ["combinatorial", "normalized"];

/// A parser for a choice whose variants the library names as listed.
pub fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).map(|name| {
        serde_json::from_value(serde_json::Value::String(name))
            .expect("the names listed are those of the library")
    })
}

/// The name of a choice.
#[must_use]
pub fn name_of(choice: &impl Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(), // not reached: choices are enums without fields
    }
}

/// Which signals the cells carry.
#[derive(Args, Clone, Copy, Debug)]
pub struct SignalArgs {
    /// Signal on vertices [default: reference]; `reference` is one-hot degrees beside attributes and labels
    #[arg(long, value_name = "SIGNAL", value_parser = named::<VertexSignal>(&VERTEX_SIGNALS))]
    pub vertices: Option<VertexSignal>,
    /// Signal on edges; `auto` takes attributes and labels where there are any
    #[arg(long, value_name = "SIGNAL", default_value = "auto", value_parser = named::<CellSignal>(&CELL_SIGNALS))]
    pub edges: CellSignal,
}

impl SignalArgs {
    /// An encoding with `default` on vertices where no flag says otherwise.
    #[must_use]
    pub fn encoding(&self, default: VertexSignal) -> EncodingParams {
        EncodingParams {
            vertices: self.vertices.unwrap_or(default),
            edges: self.edges,
            ..EncodingParams::default()
        }
    }
}

/// Whether a dataset has labels or attributes on the cells of a dimension.
#[must_use]
pub fn has_columns(dataset: &Dataset, dim: usize) -> bool {
    dataset.columns.iter().any(|column| column.dim == dim)
}

/// Which Laplacian.
#[derive(Args, Clone, Copy, Debug)]
pub struct LaplacianArgs {
    /// Which Laplacian the spectra belong to
    #[arg(long, default_value = "combinatorial", value_parser = laplacian())]
    pub laplacian: Weighting,
}

/// A parser for the name of a Laplacian.
pub fn laplacian() -> impl TypedValueParser<Value = Weighting> {
    PossibleValuesParser::new(LAPLACIANS).map(|name| match name.as_str() {
        "normalized" => Weighting::SymmetricNormalized,
        _ => Weighting::Combinatorial,
    })
}

/// The name of a Laplacian as its flag takes it.
#[must_use]
pub fn laplacian_name(weighting: Weighting) -> &'static str {
    match weighting {
        Weighting::Combinatorial => LAPLACIANS[0],
        Weighting::SymmetricNormalized => LAPLACIANS[1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_offered_is_one_of_the_library() {
        for name in VERTEX_SIGNALS {
            let choice: VertexSignal = serde_json::from_value(name.into()).unwrap();
            assert_eq!(name_of(&choice), name);
        }
        for name in CELL_SIGNALS {
            let choice: CellSignal = serde_json::from_value(name.into()).unwrap();
            assert_eq!(name_of(&choice), name);
        }
    }
}

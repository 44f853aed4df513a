//! Flags that several subcommands share, with the names the library uses for its choices.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hodgelet::dataset::Dataset;
use hodgelet::encode::{CellSignal, EncodingParams, VertexSignal};
use hodgelet::feature::SignedParams;
use hodgelet::hodge::{DualArea, Weighting};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Names of vertex signals.
pub const VERTEX_SIGNALS: [&str; 8] =
    ["reference", "degree-one-hot", "degree", "constant", "curvature", "structure", "attributes", "none"];
/// Names of signals on edges and above.
pub const CELL_SIGNALS: [&str; 8] =
    ["auto", "columns", "constant", "degree", "curvature", "structure", "auto-structure", "none"];
/// Names of Laplacians.
const LAPLACIANS: [(&str, Laplacian); 7] = [
    ("combinatorial", Laplacian { weighting: Weighting::Combinatorial, metric: None }),
    ("normalized", Laplacian { weighting: Weighting::SymmetricNormalized, metric: None }),
    ("normalized-hodge", Laplacian { weighting: Weighting::NormalizedHodge, metric: None }),
    ("random-walk", Laplacian { weighting: Weighting::RandomWalk, metric: None }),
    ("dec", Laplacian { weighting: Weighting::Combinatorial, metric: Some(DualArea::Barycentric) }),
    (
        "dec-circumcentric",
        Laplacian { weighting: Weighting::Combinatorial, metric: Some(DualArea::Circumcentric) },
    ),
    ("dec-median", Laplacian { weighting: Weighting::Combinatorial, metric: Some(DualArea::Median) }),
];

/// A Laplacian: a named weighting, or the metric of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Laplacian {
    /// The named weighting.
    pub weighting: Weighting,
    /// Metric weights in its place.
    pub metric: Option<DualArea>,
}

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
    /// Signal on triangles and higher cells; `structure` is a constant, the number of cofaces and a curvature
    #[arg(long, value_name = "SIGNAL", default_value = "auto", value_parser = named::<CellSignal>(&CELL_SIGNALS))]
    pub higher: CellSignal,
}

impl SignalArgs {
    /// An encoding with `default` on vertices where no flag says otherwise.
    #[must_use]
    pub fn encoding(&self, default: VertexSignal) -> EncodingParams {
        EncodingParams {
            vertices: self.vertices.unwrap_or(default),
            edges: self.edges,
            higher: self.higher,
            ..EncodingParams::default()
        }
    }
}

/// Whether a dataset has labels or attributes on the cells of a dimension.
#[must_use]
pub fn has_columns(dataset: &Dataset, dim: usize) -> bool {
    dataset.columns().iter().any(|column| column.dim == dim)
}

/// Which Laplacian.
#[derive(Args, Clone, Copy, Debug)]
pub struct LaplacianArgs {
    /// Which Laplacian the spectra belong to; `dec` takes the metric of the column `position`
    #[arg(long, default_value = "combinatorial", value_parser = laplacian())]
    pub laplacian: Laplacian,
}

/// A parser for the name of a Laplacian.
pub fn laplacian() -> impl TypedValueParser<Value = Laplacian> {
    PossibleValuesParser::new(LAPLACIANS.map(|(name, _)| name)).map(|name| {
        let found = LAPLACIANS.iter().find(|(known, _)| *known == name);
        found.expect("only the names listed are accepted").1
    })
}

/// The name of a Laplacian as its flag takes it.
#[must_use]
pub fn laplacian_name(laplacian: Laplacian) -> &'static str {
    LAPLACIANS.iter().find(|(_, known)| *known == laplacian).map_or("", |(name, _)| name)
}

/// Which signed features: `harmonic`, `harmonic:E,C` with the lowest exact and co-exact eigenvectors, `cycles=FILE`.
///
/// # Errors
///
/// A message when the text is none of these, or the file cannot be read.
pub fn signed(text: &str) -> Result<SignedParams, String> {
    let expected = "expected harmonic, harmonic:EXACT,COEXACT or cycles=FILE";
    if text == "harmonic" {
        return Ok(SignedParams::HARMONIC);
    }
    if let Some(counts) = text.strip_prefix("harmonic:") {
        let (exact, coexact) = counts.split_once(',').ok_or(expected)?;
        let count =
            |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is no number of eigenvectors"));
        return Ok(SignedParams::Harmonic { dim: 1, exact: count(exact)?, coexact: count(coexact)? });
    }
    let file = text.strip_prefix("cycles=").ok_or(expected)?;
    let lines = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mut cycles = Vec::new();
    for (line, number) in lines.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let vertex = |word: &str| {
            word.parse()
                .map_err(|_| format!("{file}, line {number}: found `{word}`, expected a vertex from 0"))
        };
        let words = line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        cycles.push(words.map(vertex).collect::<Result<Vec<u32>, _>>()?);
    }
    Ok(SignedParams::Cycles(cycles))
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

    #[test]
    fn laplacians_have_distinct_names() {
        for (name, laplacian) in LAPLACIANS {
            assert_eq!(laplacian_name(laplacian), name);
        }
    }

    #[test]
    fn signed_features_are_harmonic_or_along_cycles() {
        assert_eq!(signed("harmonic"), Ok(SignedParams::HARMONIC));
        assert_eq!(signed("harmonic:2,3"), Ok(SignedParams::Harmonic { dim: 1, exact: 2, coexact: 3 }));
        assert_eq!(
            signed("harmonic:2"),
            Err("expected harmonic, harmonic:EXACT,COEXACT or cycles=FILE".to_owned())
        );
        assert!(signed("cycles=there is no such file").is_err());
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cycles.txt");
        std::fs::write(&path, "0 1 2\n\n3, 4,5 3\n").unwrap();
        let cycles = signed(&format!("cycles={}", path.display())).unwrap();
        assert_eq!(cycles, SignedParams::Cycles(vec![vec![0, 1, 2], vec![3, 4, 5, 3]]));
        std::fs::write(&path, "0 1 2\n3 x\n").unwrap();
        let error = signed(&format!("cycles={}", path.display())).unwrap_err();
        assert!(error.ends_with("line 2: found `x`, expected a vertex from 0"), "{error}");
    }
}

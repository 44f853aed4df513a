//! Model files of every version of the format predict what the program that wrote them predicted, to the last bit, but for the
//! probabilities of a softmax in version 1, whose integral has become more accurate.

use hodgelet::model::{FittedTargets, Model, PredictedTargets, Prediction};
use hodgelet::settings::ClassLikelihood;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Index;
use std::path::Path;

/// What `hodgelet predict --format json` of that program wrote.
#[derive(Deserialize)]
struct Written {
    predictions: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    latent_mean: Vec<f64>,
    latent_variance: Vec<f64>,
    blocks: Vec<Share>,
    #[serde(flatten)]
    target: Target,
}

#[derive(Deserialize)]
struct Share {
    block: String,
    latent_mean: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Target {
    Class { class: String, probabilities: Probabilities },
    Real { mean: f64, deviation: f64 },
}

/// Pairs, or since a later version of the command an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum Probabilities {
    Pairs(Vec<(String, f64)>),
    Object(BTreeMap<String, f64>),
}

impl Probabilities {
    /// Those of these classes, which must be all of them.
    fn of(&self, names: &[String], what: &str) -> Vec<f64> {
        let found: BTreeMap<String, f64> = match self {
            Self::Pairs(pairs) => pairs.iter().cloned().collect(),
            Self::Object(object) => object.clone(),
        };
        assert_eq!(found.len(), names.len(), "{what}");
        names.iter().map(|name| found[name]).collect()
    }
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/models"))
}

/// The cases of each version, with the dataset of each.
fn cases() -> BTreeMap<String, BTreeMap<String, String>> {
    serde_json::from_slice(&std::fs::read(folder().join("cases.json")).unwrap()).unwrap()
}

/// The version of the format that the header of a file names.
fn version(bytes: &[u8]) -> Value {
    let (length, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&rest[..length]).unwrap();
    header["__metadata__"]["version"].clone()
}

fn bits(values: impl IntoIterator<Item = f64>) -> Vec<u64> {
    values.into_iter().map(f64::to_bits).collect()
}

/// A row of `n` numbers of a matrix.
fn row(matrix: &impl Index<(usize, usize), Output = f64>, i: usize, n: usize) -> Vec<u64> {
    bits((0..n).map(|j| matrix[(i, j)]))
}

/// Whether row `i` of `found` is `expected`, bit by bit.
fn check(model: &Model, version: &str, found: &Prediction, i: usize, expected: &Item, what: &str) {
    let n = found.latent_mean.ncols();
    assert_eq!(row(&found.latent_mean, i, n), bits(expected.latent_mean.clone()), "{what}: latent means");
    assert_eq!(
        row(&found.latent_variance, i, n),
        bits(expected.latent_variance.clone()),
        "{what}: variances"
    );
    let blocks = found.blocks.iter().map(|(block, share)| (block.to_string(), share));
    let constant = found.constant.iter().map(|share| ("constant".to_owned(), share));
    let shares: Vec<(String, Vec<u64>)> =
        blocks.chain(constant).map(|(block, share)| (block, row(share, i, n))).collect();
    let written: Vec<(String, Vec<u64>)> =
        expected.blocks.iter().map(|s| (s.block.clone(), bits(s.latent_mean.clone()))).collect();
    assert_eq!(shares, written, "{what}: shares of the blocks");
    match (&found.targets, &expected.target, model.targets()) {
        (
            PredictedTargets::Classes { probabilities, labels },
            Target::Class { class, probabilities: written },
            FittedTargets::Classes { names },
        ) => {
            assert_eq!(names[labels[i] as usize], *class, "{what}");
            let written = written.of(names, what);
            let is_softmax = names.len() > 2 && model.settings().likelihood() != ClassLikelihood::Gpflow;
            if matches!(version, "1" | "2") && is_softmax {
                // The integral of the softmax is more accurate than it was.
                let off = |(c, p): (usize, &f64)| (probabilities[(i, c)] - p).abs();
                let largest = written.iter().enumerate().map(off).fold(0.0, f64::max);
                assert!(largest < 1e-6, "{what}: probabilities off by {largest}");
            } else {
                assert_eq!(row(probabilities, i, names.len()), bits(written), "{what}: probabilities");
            }
        }
        (PredictedTargets::Real { densities }, Target::Real { mean, deviation }, _) => {
            let found = [densities[i].mean(), densities[i].variance().sqrt()];
            assert_eq!(bits(found), bits([*mean, *deviation]), "{what}");
        }
        _ => panic!("{what}: targets of another kind"),
    }
}

#[test]
fn files_of_every_version_predict_what_they_predicted_when_they_were_written() {
    let cases = cases();
    assert_eq!(cases.keys().collect::<Vec<_>>(), ["1", "2", "3", "4", "5", "6"]);
    for (number, cases) in &cases {
        for (name, data) in cases {
            let what = format!("version {number}, {name}");
            let path = folder().join(number).join(format!("{name}.hodgelet"));
            assert_eq!(version(&std::fs::read(&path).unwrap()), **number, "{what}");
            let model = Model::load(&path).unwrap_or_else(|e| panic!("{what}: {e}"));
            let data = folder().join("data").join(format!("{data}.jsonl"));
            let dataset = hodgelet_data::open(data.to_str().unwrap(), None).unwrap().dataset;
            let text = std::fs::read(path.with_extension("json")).unwrap();
            let written: Written = serde_json::from_slice(&text).unwrap();
            assert_eq!(written.predictions.len(), dataset.len(), "{what}");

            let found = model.predict(&dataset).unwrap_or_else(|e| panic!("{what}: {e}"));
            for (i, expected) in written.predictions.iter().enumerate() {
                check(&model, number, &found, i, expected, &format!("{what}, item {i}"));
            }
            // A model that came from such a file is written in the format of today.
            let bytes = model.to_bytes().unwrap();
            assert_eq!(version(&bytes), "6", "{what}");
            let again = Model::from_bytes(&bytes).unwrap();
            assert_eq!(again.settings(), model.settings(), "{what}");
            assert_eq!(again.predict(&dataset).unwrap(), found, "{what}");
        }
    }
}

//! Model files of format version 1 predict what the program that wrote them predicted, to the last bit, but for the
//! probabilities of a softmax, whose integral has become more accurate.

use hodgelet::model::{FittedTargets, Model, PredictedTargets, Prediction};
use hodgelet::settings::ClassLikelihood;
use serde::Deserialize;
use serde_json::Value;
use std::ops::Index;
use std::path::{Path, PathBuf};

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
    Class { class: String, probabilities: Vec<(String, f64)> },
    Real { mean: f64, deviation: f64 },
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/models"))
}

/// All model files, in the order of their names.
fn paths() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "hodgelet")).collect();
    paths.sort_unstable();
    paths
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
fn check(model: &Model, found: &Prediction, i: usize, expected: &Item, what: &str) {
    let n = found.latent_mean.ncols();
    assert_eq!(row(&found.latent_mean, i, n), bits(expected.latent_mean.clone()), "{what}: latent means");
    assert_eq!(
        row(&found.latent_variance, i, n),
        bits(expected.latent_variance.clone()),
        "{what}: variances"
    );
    let shares: Vec<(String, Vec<u64>)> =
        found.blocks.iter().map(|(block, share)| (block.to_string(), row(share, i, n))).collect();
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
            assert_eq!(*names, written.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), "{what}");
            if names.len() > 2 && model.settings().likelihood() != ClassLikelihood::Gpflow {
                // The integral of the softmax is more accurate than it was.
                let off = |(c, (_, p)): (usize, &(String, f64))| (probabilities[(i, c)] - p).abs();
                let largest = written.iter().enumerate().map(off).fold(0.0, f64::max);
                assert!(largest < 1e-6, "{what}: probabilities off by {largest}");
            } else {
                let written = bits(written.iter().map(|(_, p)| *p));
                assert_eq!(row(probabilities, i, names.len()), written, "{what}: probabilities");
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
fn files_of_version_1_predict_what_they_predicted_when_they_were_written() {
    let paths = paths();
    let names: Vec<&str> = paths.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["classes", "faithful", "fourier", "line-graph", "real", "signed"]);
    for (path, name) in paths.iter().zip(names) {
        assert_eq!(version(&std::fs::read(path).unwrap()), "1", "{name}");
        let model = Model::load(path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let data = path.with_extension("jsonl");
        let dataset = hodgelet_data::open(data.to_str().unwrap(), None).unwrap().dataset;
        let text = std::fs::read(path.with_extension("json")).unwrap();
        let written: Written = serde_json::from_slice(&text).unwrap();
        assert_eq!(written.predictions.len(), dataset.len(), "{name}");

        let found = model.predict(&dataset).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (i, expected) in written.predictions.iter().enumerate() {
            check(&model, &found, i, expected, &format!("{name}, item {i}"));
        }
        // A model that came from such a file is written in the format of today.
        let bytes = model.to_bytes().unwrap();
        assert_eq!(version(&bytes), "4", "{name}");
        let again = Model::from_bytes(&bytes).unwrap();
        assert_eq!(again.settings(), model.settings(), "{name}");
        assert_eq!(again.predict(&dataset).unwrap(), found, "{name}");
    }
}

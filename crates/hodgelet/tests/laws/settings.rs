//! Any settings on any dataset: an objective that is finite and no worse than at the start, or a typed error.

use super::{bits, dataset};
use hodgelet::dataset::Dataset;
use hodgelet::settings::Settings;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// Settings that are tried, without the multiplier.
const TRIALS: u64 = 60;

fn pick<T: Clone>(rng: &mut impl Rng, from: &[T]) -> T {
    from[rng.random_range(0..from.len())].clone()
}

fn random_settings(rng: &mut impl Rng) -> Value {
    let mut all = json!({"hyperparameters": "map", "iterations": 6, "n_filters": rng.random_range(1..5)});
    let mut put = |name: &str, value: Value| all[name] = value;
    put("method", pick(rng, &["hodge", "wt", "line-graph", "fourier"]).into());
    put(
        "vertices",
        pick(rng, &["degree-one-hot", "degree", "constant", "curvature", "structure", "attributes"]).into(),
    );
    put(
        "edges",
        pick(rng, &["auto", "columns", "constant", "degree", "curvature", "structure", "none"]).into(),
    );
    put(
        "laplacian",
        pick(rng, &[json!(null), json!("combinatorial"), json!("normalized"), json!("random-walk")]),
    );
    put(
        "lift",
        pick(rng, &[json!(null), json!("none"), json!("cliques:2"), json!("cliques:3"), json!("rings:6")]),
    );
    put("low_pass", pick(rng, &[json!("rational"), json!("heat"), json!("meyer"), json!(null)]));
    put("band_pass", pick(rng, &["mexican-hat", "ricker", "heat", "meyer", "ab-spline", "itersine"]).into());
    put("kernel", pick(rng, &["se", "matern:1.5", "matern:0.5", "rq"]).into());
    put("lengthscales", pick(rng, &["isotropic", "per-channel", "ard"]).into());
    put("likelihood", pick(rng, &["auto", "labels", "softmax", "gpflow"]).into());
    put("noise", pick(rng, &["auto", "gaussian", "student-t", "blocks"]).into());
    put("inference", pick(rng, &["variational", "laplace"]).into());
    put("prior_deviation", pick(rng, &[json!(1.0), json!(null), json!(0.01), json!(30.0)]));
    put("scales", pick(rng, &[json!(null), json!("reference"), json!("spectrum")]));
    put("collapse", rng.random_bool(0.5).into());
    put("shared_bank", rng.random_bool(0.3).into());
    put("posterior", pick(rng, &["auto", "full", "sparse"]).into());
    put("n_bands", rng.random_range(0..4).into());
    put("seed", rng.random_range(0..100u64).into());
    all
}

/// A dataset of few graphs, some of them equal, with values that may be far apart.
fn random_data(rng: &mut impl Rng) -> Dataset {
    let data = dataset(rng.random_range(2..14), rng.random_bool(0.6), rng.random());
    let n = data.len();
    let indices: Vec<usize> =
        (0..n).map(|i| if rng.random_bool(0.2) { rng.random_range(0..n) } else { i }).collect();
    data.select(&indices)
}

#[test]
fn any_settings_end_in_a_finite_objective_no_worse_than_its_start_or_in_an_error() {
    let factor = std::env::var("HODGELET_LAWS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (mut fitted, mut refused) = (0, 0);
    for seed in 0..TRIALS * factor {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (json, data) = (random_settings(&mut rng), random_data(&mut rng));
        let settings = serde_json::from_value::<Settings>(json.clone());
        let settings = settings.unwrap_or_else(|error| panic!("{json}: {error}"));
        let all: Vec<usize> = (0..data.len()).collect();
        let model = match settings.fit(&data, &all) {
            Ok(model) => model,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
                continue;
            }
        };
        fitted += 1;
        let objective = model.summary().objective;
        assert!(objective.is_finite() && model.summary().elbo.is_finite(), "{json}");
        let begun =
            Settings { iterations: 1, ..settings }.fit(&data, &all).map(|model| model.summary().objective);
        if let Ok(begun) = begun {
            // The posterior that is kept is converged further than those of training.
            assert!(objective >= begun - 1e-4 * begun.abs().max(1.0), "{json}: {objective} after {begun}");
        }
        let prediction = model.predict(&data).unwrap_or_else(|error| panic!("{json}: {error}"));
        for i in 0..data.len() {
            assert!(bits(&prediction, i).into_iter().map(f64::from_bits).all(f64::is_finite), "{json}");
        }
        let again = hodgelet::model::Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(bits(&again.predict(&data).unwrap(), 0), bits(&prediction, 0), "{json}");
    }
    println!("{} settings tried: {fitted} fitted, {refused} refused", TRIALS * factor);
    assert!(fitted > refused, "{fitted} fitted, {refused} refused");
}

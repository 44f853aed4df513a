use super::super::testing::{dataset, small_settings};
use super::super::{Exploration, Prediction};
use super::*;
use crate::dataset::Dataset;
use crate::settings::{
    ClassLikelihood, HyperparameterChoice, InferenceChoice, LengthscaleChoice, Method, Settings,
};
use proptest::prelude::*;
use std::sync::OnceLock;

fn fit(settings: &Settings, dataset: &Dataset) -> Model {
    let train: Vec<usize> = (0..dataset.len()).collect();
    settings.fit(dataset, &train).unwrap()
}

fn predict(model: &Model, dataset: &Dataset) -> Prediction {
    model.predict(dataset).unwrap()
}

/// A small model, trained once.
fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| fit(&small_settings(), &dataset(8, 2, 1)).to_bytes().unwrap())
}

fn error(bytes: &[u8]) -> FileError {
    Model::from_bytes(bytes).expect_err("the file is at fault")
}

/// States come back to the last bit, from their values and the measures; with duplicates, which have weights.
#[test]
fn a_model_that_averages_over_hyperparameters_comes_back() {
    for (n_classes, hyperparameters) in [
        (0, HyperparameterChoice::Nuts),
        (2, HyperparameterChoice::Nuts),
        (3, HyperparameterChoice::Gaussian),
    ] {
        let settings = Settings { hyperparameters, iterations: 3, ..small_settings() };
        assert_same_after_loading(&settings, n_classes);
        let data = dataset(10, n_classes, 3);
        let twice: Vec<usize> = (0..10).chain(0..4).collect();
        let model = settings.fit(&data, &twice).unwrap();
        assert!(model.summary().n_distinct < 14, "{:?}", model.summary());
        let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(predict(&loaded, &data), predict(&model, &data));
        assert_eq!(loaded.summary().exploration, model.summary().exploration);
        assert!(model.summary().exploration.as_ref().unwrap().states > 8);
    }
}

fn assert_same_after_loading(settings: &Settings, n_classes: usize) {
    let (train, test) = (dataset(12, n_classes, 3), dataset(6, n_classes, 4));
    let model = fit(settings, &train);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.safetensors");
    model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(
        (loaded.space(), loaded.kernel(), loaded.summary()),
        (model.space(), model.kernel(), model.summary())
    );
    assert_eq!(loaded.mode.posterior.latents(), model.mode.posterior.latents());
    assert_eq!(loaded.hyperparameters(), model.hyperparameters());
    assert_eq!(predict(&loaded, &test), predict(&model, &test));
    assert_eq!(loaded.leave_one_out().unwrap(), model.leave_one_out().unwrap());
    assert_eq!(loaded.to_bytes().unwrap(), model.to_bytes().unwrap());
    let left: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "only the model is left: {left:?}");
}

#[test]
fn a_saved_model_predicts_the_same_bits_after_loading() {
    assert_same_after_loading(&small_settings(), 2);
    assert_same_after_loading(&small_settings(), 3);
    assert_same_after_loading(&small_settings(), 0);
    assert_same_after_loading(&Settings { inference: InferenceChoice::Laplace, ..small_settings() }, 2);
    assert_same_after_loading(
        &Settings { likelihood: Some(ClassLikelihood::Softmax), ..small_settings() },
        4,
    );
}

#[test]
fn every_method_can_be_saved() {
    for method in [Method::Wt, Method::LineGraph, Method::Fourier] {
        let settings = Settings {
            iterations: 2,
            lengthscales: LengthscaleChoice::Ard,
            ..Settings::of(method).most_probable()
        };
        assert_same_after_loading(&settings, 2);
    }
}

#[test]
fn saving_replaces_the_file_that_stood_there_and_says_why_it_cannot() {
    let model = Model::from_bytes(bytes()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model");
    std::fs::write(&path, "old").unwrap();
    assert!(matches!(model.save(&path), Err(FileError::Refused(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    std::fs::remove_file(&path).unwrap();
    // A new file, and one in the place of a model.
    for _ in 0..2 {
        model.save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes());
    }
    let missing = directory.path().join("none").join("model");
    assert!(matches!(model.save(&missing), Err(FileError::Write { .. })));
    assert!(matches!(Model::load(&missing), Err(FileError::Read { .. })));
    assert!(matches!(Model::load(directory.path()), Err(FileError::Read { .. })));
}

/// A file made from the sound one by `change`, with the right checksum unless that is what changes.
fn altered(change: impl FnOnce(&mut Container<'_>)) -> Vec<u8> {
    let mut file = Container::read(bytes()).unwrap();
    change(&mut file);
    file.to_bytes().unwrap()
}

/// The same with other JSON.
fn with_json(change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    altered(|file| {
        let mut json = serde_json::from_str(&file.metadata["model"]).unwrap();
        change(&mut json);
        file.metadata.insert("model".to_owned(), json.to_string());
        sign(file);
    })
}

fn sign(file: &mut Container<'_>) {
    let checksum = file.checksum(&file.metadata["model"]);
    file.metadata.insert("sha256".to_owned(), checksum);
}

#[test]
fn a_newer_or_foreign_format_is_refused() {
    let with = |key: &str, value: &str| {
        error(&altered(|file| drop(file.metadata.insert(key.to_owned(), value.to_owned())))).to_string()
    };
    assert_eq!(with("version", "7"), "was written by a newer version (format 7, this program reads 6)");
    assert_eq!(with("version", "0"), "format version is `0`, expected a whole number from 1");
    assert_eq!(with("version", "1.5"), "format version is `1.5`, expected a whole number from 1");
    assert_eq!(with("format", "pt"), "format is `pt`, expected `hodgelet-model`");
    assert!(with("sha256", "00").starts_with("damaged: the checksum of the content is "));
    let without = |key: &str| error(&altered(|file| drop(file.metadata.remove(key)))).to_string();
    assert_eq!(without("format"), "format is ``, expected `hodgelet-model`");
    assert_eq!(without("version"), "the header has no `version`");
    assert_eq!(without("model"), "the header has no `model`");
    assert_eq!(without("sha256"), "the header has no `sha256`");
}

#[test]
fn bytes_that_are_no_model_are_refused() {
    assert_eq!(error(b"").to_string(), "truncated: 0 bytes, but the header describes 8");
    assert!(matches!(error(b"graph,label\n1,2\n"), FileError::NotAModel { .. }));
    assert!(matches!(error(&[0; 64]), FileError::NotAModel { .. }));
    // Sizes beyond any memory.
    let header =
        br#"{"x":{"dtype":"F64","shape":[2305843009213693951],"data_offsets":[0,18446744073709551608]}}"#;
    let huge = [&(header.len() as u64).to_le_bytes()[..], header].concat();
    assert!(matches!(error(&huge), FileError::Truncated { .. }));
}

#[test]
fn classes_of_one_name_and_precisions_that_no_training_gives_are_refused() {
    let twice = with_json(|json| {
        let text = json["targets"].to_string();
        let names = class_names(json);
        json["targets"] = serde_json::from_str(&text.replace(&names[1], &names[0])).unwrap();
    });
    assert!(error(&twice).to_string().contains("two classes are called `"));
    let negative = altered(|file| {
        let shape = [1, 8];
        file.tensors
            .insert("sites.precision".to_owned(), Tensor::reals(&shape, std::iter::repeat_n(-0.25, 8)));
        sign(file);
    });
    let message = error(&negative).to_string();
    assert!(
        message.contains("a site of precision -0.25, which a log-concave likelihood does not have"),
        "{message}"
    );
}

/// The names of the classes in the JSON of a model, each in quotes.
fn class_names(json: &serde_json::Value) -> Vec<String> {
    let targets: FittedTargets = serde_json::from_value(json["targets"].clone()).unwrap();
    match targets {
        FittedTargets::Classes { names } => names.iter().map(|name| format!("{name:?}")).collect(),
        FittedTargets::Real { .. } => unreachable!("the model is one of classes"),
    }
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    let with = |name: &str, tensor: Tensor<'static>| {
        error(&altered(|file| {
            file.tensors.insert(name.to_owned(), tensor);
            sign(file);
        }))
        .to_string()
    };
    let reals = |shape: &[usize], value: f64| {
        Tensor::reals(shape, std::iter::repeat_n(value, shape.iter().product()))
    };
    assert_eq!(with("inputs.0", reals(&[8, 3], 0.0)), "tensor `inputs.0` is [8, 3], expected [8, 16]");
    assert_eq!(
        with("sites.shift", reals(&[1, 8], f64::NAN)),
        "tensor `sites.shift` holds NaN, expected finite numbers"
    );
    assert_eq!(
        with("observations.label", reals(&[8], 0.0)),
        "tensor `observations.label` holds F64, expected U32"
    );
    assert_eq!(
        with("observations.label", Tensor::wholes([0, 1, 0, 1, 0, 1, 0, 2].into_iter())),
        "label of observation 7 is 2, expected a class below 2"
    );
    assert_eq!(
        with("observations.point", Tensor::wholes([0, 1, 2, 3, 4, 5, 6, 8].into_iter())),
        "observation 7 belongs to point 8, but there are 8 points"
    );
    assert_eq!(with("another", reals(&[1], 0.0)), "12 tensors, expected 11");
    let missing = altered(|file| {
        file.tensors.remove("inputs.1");
        sign(file);
    });
    assert_eq!(error(&missing).to_string(), "tensor `inputs.1` is missing");
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let message = |change: fn(&mut serde_json::Value)| {
        let text = error(&with_json(change)).to_string();
        text.split(" at line ").next().unwrap_or_default().to_owned() // where in the JSON
    };
    let pop = |json: &mut serde_json::Value| drop(json["kernel"]["blocks"].as_array_mut().unwrap().pop());
    assert_eq!(message(pop), "6 kernels for 7 blocks of features");
    assert_eq!(
        message(|json| json["space"]["blocks"][1] = json["space"]["blocks"][0].clone()),
        "settings of the model: block vertex co-exact appears twice"
    );
    assert_eq!(
        message(|json| json["space"]["blocks"][0]["name"] = "3-cell co-exact".into()),
        "settings of the model: block 3-cell co-exact is not one of the settings"
    );
    assert_eq!(
        message(|json| json["space"]["blocks"][0]["n_channels"] = 99.into()),
        "settings of the model: vertex co-exact has 99 channels, but the model was trained on 8"
    );
    assert!(
        message(|json| json["space"]["blocks"][0]["map"] = serde_json::json!([1.0]))
            .starts_with("settings of the model: the slice of parameters has 1 values, expected 6")
    );
    assert_eq!(
        message(|json| json["space"]["blocks"][0]["standardizer"]["means"] = serde_json::json!([0.0])),
        "settings of the model: vertex co-exact does not have a sound standardizer of 16 columns"
    );
    assert_eq!(
        message(|json| json["space"]["blocks"][0]["standardizer"]["inverses"][0] = (-1.0).into()),
        "settings of the model: vertex co-exact does not have a sound standardizer of 16 columns"
    );
    assert_eq!(
        message(|json| json["targets"] = serde_json::json!({"real": {"mean": 0.0, "deviation": 1.0}})),
        "real targets with a likelihood of classes"
    );
    assert_eq!(
        message(|json| {
            json["likelihood"] = serde_json::json!({"type": "gaussian"});
            json["learned"] = serde_json::json!([1.0]);
        }),
        "classes with a likelihood of real targets"
    );
    assert_eq!(
        message(|json| json["summary"]["n_distinct"] = 4_000_000_000u64.into()),
        "the posterior would take 18446744073709551615 numbers, but at most 2147483648 are allowed"
    );
    assert_eq!(
        message(|json| json["summary"]["n_train"] = 7.into()),
        "tensor `observations.point` is [8], expected [7]"
    );
    assert!(
        message(|json| json["kernel"]["blocks"][0]["variance"] = (-1.0).into()).starts_with(
            "settings of the model: block 0 variance must be between 1e-100 and 1e100, got -1e0"
        )
    );
    assert!(message(|json| json["surprise"] = 1.into()).starts_with("settings of the model: unknown field"));
    assert!(message(|json| *json = 1.into()).starts_with("settings of the model: invalid type"));
}

/// A link is that of states, and its numbers are such as are learned.
#[test]
fn links_that_no_training_gives_are_refused() {
    let settings =
        Settings { hyperparameters: HyperparameterChoice::Gaussian, iterations: 3, ..small_settings() };
    let bytes = fit(&settings, &dataset(10, 3, 3)).to_bytes().unwrap();
    let with_link = |bytes: &[u8], sharpness: f64, bend: f64| {
        let mut file = Container::read(bytes).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&file.metadata["model"]).unwrap();
        json["link"] = serde_json::json!({"sharpness": sharpness, "bend": bend});
        file.metadata.insert("model".to_owned(), json.to_string());
        sign(&mut file);
        Model::from_bytes(&file.to_bytes().unwrap())
    };
    let model = with_link(&bytes, 2.0, 0.0).unwrap();
    assert_eq!(model.link().map(|link| (link.sharpness(), link.bend())), Some((2.0, 0.0)));
    for (sharpness, bend) in [(0.0, 0.1), (-1.0, 0.1), (1e9, 0.1), (2.0, -0.1), (2.0, 1e9)] {
        let error = with_link(&bytes, sharpness, bend).expect_err("no training gives it");
        assert!(error.to_string().starts_with("a link of all states"), "{error}");
    }
    let error = with_link(self::bytes(), 2.0, 0.1).expect_err("the mode has no states");
    assert!(error.to_string().starts_with("a link of all states"), "{error}");
}

/// More states than fit in memory are refused before any of them is read.
#[test]
fn states_that_would_fill_memory_are_refused() {
    let description = |n: u64, states: u64| {
        with_json(|json| {
            json["summary"]["n_distinct"] = n.into();
            let exploration = Exploration {
                method: HyperparameterChoice::Nuts,
                chains: 2,
                draws: 60,
                states: states as usize,
                evaluations: 1,
                divergences: 0,
                r_hat: None,
                effective_size: None,
            };
            json["summary"]["exploration"] = serde_json::to_value(exploration).unwrap();
        })
    };
    for (n, states) in [(10_000, 100), (5, u64::MAX - 1)] {
        let found = error(&description(n, states));
        assert!(matches!(found, FileError::TooLarge { what: "the posterior", .. }), "{found}");
    }
}

#[test]
fn settings_that_json_cannot_hold_are_refused_when_saving() {
    let mut model = Model::from_bytes(bytes()).unwrap();
    model.space.measurer.settings.tol = f64::INFINITY;
    assert!(matches!(model.to_bytes(), Err(FileError::Settings { .. })));
}

#[test]
fn every_prefix_is_refused() {
    for length in 0..bytes().len() {
        error(&bytes()[..length]);
    }
    error(&[bytes(), &[0]].concat());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_flipped_bit_is_noticed(at in 0..bytes().len(), bit in 0..8) {
        let mut flipped = bytes().to_vec();
        flipped[at] ^= 1u8 << bit;
        prop_assert!(Model::from_bytes(&flipped).is_err());
    }

    #[test]
    fn bytes_from_anywhere_do_not_panic(noise in proptest::collection::vec(any::<u8>(), 0..200), at in 0..2000usize) {
        prop_assert!(Model::from_bytes(&noise).is_err());
        let mut spliced = bytes().to_vec();
        let at = at.min(spliced.len() - noise.len());
        spliced[at..at + noise.len()].copy_from_slice(&noise);
        let unchanged = spliced == bytes();
        prop_assert_eq!(Model::from_bytes(&spliced).is_ok(), unchanged);
    }

    /// A number of the settings replaced and the file signed anew: refused, or a model that can be used.
    #[test]
    fn settings_from_anywhere_give_an_error_or_a_model(at in 0..400usize, value in any::<f64>()) {
        let changed = with_json(|json| {
            let mut numbers = 0;
            replace(json, at, value, &mut numbers);
        });
        if let Ok(model) = Model::from_bytes(&changed)
            && let Ok(prediction) = model.predict(&dataset(2, 2, 5))
        {
            prop_assert!(prediction.latent_mean.col(0).iter().all(|m| m.is_finite()));
        }
    }
}

/// Replaces number `at` of the document.
fn replace(json: &mut serde_json::Value, at: usize, value: f64, seen: &mut usize) {
    match json {
        serde_json::Value::Number(_) => {
            if *seen == at {
                *json = value.into();
            }
            *seen += 1;
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| replace(item, at, value, seen)),
        serde_json::Value::Object(map) => map.values_mut().for_each(|item| replace(item, at, value, seen)),
        _ => {}
    }
}

//! Test labels and models: shuffle the first, and the second stay the same, bit for bit.

use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::Model;
use hodgelet::settings::{Method, Settings};
use hodgelet_data::generate::builtin;
use hodgelet_eval::splits::{KFoldParams, Split};

/// Everything a model file holds but the seconds that training took: settings and hyperparameters as JSON, whose numbers
/// round-trip, and tensors as bytes.
fn contents(model: &Model) -> (serde_json::Value, Vec<u8>) {
    let bytes = model.to_bytes().unwrap();
    let (length, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&rest[..length]).unwrap();
    let text = header["__metadata__"]["model"].as_str().unwrap();
    let mut settings: serde_json::Value = serde_json::from_str(text).unwrap();
    assert!(settings["summary"].as_object_mut().unwrap().remove("seconds").is_some());
    (settings, rest[length..].to_vec())
}

/// The dataset with the labels of `items` in another order.
fn shuffled(dataset: &Dataset, items: &[usize]) -> Dataset {
    let mut targets = dataset.targets().clone();
    let Targets::Classes { labels, .. } = &mut targets else { panic!("classes") };
    let mut moved: Vec<u32> = items.iter().map(|&i| labels[i]).collect();
    // Half of the items are of each class and classes alternate, so that this moves every label.
    moved.rotate_left(1);
    items.iter().zip(moved).for_each(|(&i, label)| labels[i] = label);
    dataset.clone().with_targets(targets).unwrap()
}

fn trained(dataset: &Dataset, settings: &Settings, split: &Split) -> Model {
    settings.fit(dataset, &split.train).unwrap()
}

#[test]
fn shuffled_test_labels_leave_the_model_as_it_is() {
    let mut recipe = builtin("sbm").unwrap();
    recipe.set("n_graphs=40").unwrap();
    let dataset = recipe.generate(5).unwrap();
    let Targets::Classes { labels, .. } = dataset.targets() else { panic!("classes") };
    let folds =
        KFoldParams { folds: 4, ..KFoldParams::default() }.check().unwrap().stratified(labels).unwrap();
    for (method, faithful) in [(Method::Wt, true), (Method::Hodge, true), (Method::Hodge, false)] {
        let settings =
            Settings { faithful, restarts: 2, iterations: 6, ..Settings::of(method).most_probable() };
        let split = &folds[1];
        let other = shuffled(&shuffled(&dataset, &split.test), &split.validation);
        assert_ne!(other.targets(), dataset.targets(), "labels have moved");
        let (known, blind) = (trained(&dataset, &settings, split), trained(&other, &settings, split));
        assert_eq!(contents(&known), contents(&blind));
        // and labels of the training part do reach it
        let wrong = trained(&shuffled(&dataset, &split.train), &settings, split);
        assert_ne!(contents(&known).1, contents(&wrong).1);
    }
}

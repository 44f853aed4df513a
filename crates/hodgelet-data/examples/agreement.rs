//! Trains on a built-in dataset and prints the probabilities of every graph to the last bit, for comparison with
//! other ways into the same code.
//!
//! `cargo run --release -p hodgelet-data --example agreement`

use hodgelet::model::PredictedTargets;
use hodgelet::settings::Settings;
use hodgelet_data::generate::builtin;

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut recipe = builtin("sbm").ok_or("not a built-in dataset")?;
    recipe.set("n_graphs=30")?;
    let graphs = recipe.generate(0)?;
    let settings = Settings { iterations: 10, ..Settings::default().most_probable() };
    let all: Vec<usize> = (0..graphs.len()).collect();
    let model = settings.fit(&graphs, &all)?;
    let prediction = model.predict(&graphs)?;
    let PredictedTargets::Classes { probabilities, .. } = prediction.targets else { unreachable!() };
    for i in 0..graphs.len() {
        println!("{:?} {:?}", probabilities[(i, 0)], probabilities[(i, 1)]);
    }
    Ok(())
}

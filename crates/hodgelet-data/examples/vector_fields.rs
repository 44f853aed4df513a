//! Tells vector fields on random meshes that are mostly gradients from those that are mostly curls.
//!
//! `cargo run --release -p hodgelet-data --example vector_fields`

use hodgelet::dataset::Targets;
use hodgelet::model::PredictedTargets;
use hodgelet::settings::Settings;
use hodgelet_data::generate::builtin;

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut recipe = builtin("vector-fields").ok_or("not a built-in dataset")?;
    recipe.set("n_vertices=100")?;
    let fields = recipe.generate(0)?;
    let (train, test): (Vec<usize>, Vec<usize>) = (0..fields.len()).partition(|i| i % 5 > 1);

    let model = Settings::default().fit(&fields, &train)?;
    let unseen = fields.select(&test);
    let prediction = model.predict(&unseen)?;

    println!("latent mean of the first unseen field: {:+.2}, of which", prediction.latent_mean[(0, 0)]);
    for (block, share) in &prediction.blocks {
        println!("  {:+.2} from {block}", share[(0, 0)]);
    }
    if let Some(share) = &prediction.constant {
        println!("  {:+.2} from the constant", share[(0, 0)]);
    }
    let PredictedTargets::Classes { labels, .. } = &prediction.targets else { return Ok(()) };
    let Targets::Classes { labels: truth, .. } = unseen.targets() else { return Ok(()) };
    let right = labels.iter().zip(truth).filter(|(found, expected)| found == expected).count();
    println!("{right} of {} unseen fields classified correctly", labels.len());
    Ok(())
}

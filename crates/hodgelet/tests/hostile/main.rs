//! Whole models on inputs that break careless code: a valid answer or a typed error, never NaN, a panic or an
//! endless loop.

mod data;
mod prediction;
mod settings;
mod training;

use hodgelet::dataset::Dataset;
use hodgelet::likelihood::Mixture;
use hodgelet::model::{Model, ModelError, PredictedTargets, Prediction};
use hodgelet::settings::{HyperparameterChoice, Settings};

/// Settings with small banks and few steps.
fn small_settings() -> Settings {
    Settings { n_filters: 2, n_bands: 2, iterations: 8, ..Settings::default().most_probable() }
}

fn fit_with(settings: &Settings, dataset: &Dataset) -> Result<Model, ModelError> {
    let train: Vec<usize> = (0..dataset.len()).collect();
    settings.fit(dataset, &train)
}

/// Trains on everything, and validates all results of the model.
fn fit(dataset: &Dataset) -> Result<Model, ModelError> {
    validated(&small_settings(), dataset)
}

/// As [`fit`], with hyperparameters averaged over by each method.
fn fit_averaged(dataset: &Dataset) -> Result<Model, ModelError> {
    use HyperparameterChoice::{Gaussian, Modes, Nuts};
    let with = |hyperparameters| Settings { hyperparameters, restarts: 2, iterations: 4, ..small_settings() };
    validated(&with(Gaussian), dataset)?;
    validated(&with(Modes), dataset)?;
    validated(&with(Nuts), dataset)
}

fn validated(settings: &Settings, dataset: &Dataset) -> Result<Model, ModelError> {
    let model = fit_with(settings, dataset)?;
    assert_sound(&model, &model.predict(dataset)?);
    let left_out = model.leave_one_out()?;
    assert!(left_out.log_densities.iter().all(|x| x.is_finite()), "leave-one-out");
    let summary = model.summary();
    assert!(summary.objective.is_finite() && summary.elbo.is_finite());
    let loaded = Model::from_bytes(&model.to_bytes().expect("the model can be written"));
    assert_eq!(loaded.expect("the model can be read").summary(), summary);
    Ok(model)
}

fn assert_sound(model: &Model, prediction: &Prediction) {
    let finite = |m: &faer::Mat<f64>| m.col_iter().all(|c| c.iter().all(|x| x.is_finite()));
    assert!(finite(&prediction.latent_mean) && finite(&prediction.latent_variance));
    let mut rest = prediction.latent_mean.clone();
    for (_, share) in &prediction.blocks {
        rest -= share;
    }
    if let Some(share) = &prediction.constant {
        rest -= share;
    }
    assert_eq!(prediction.blocks.len(), model.blocks().len());
    assert!(rest.norm_max() <= 1e-9 * (1.0 + prediction.latent_mean.norm_max()), "shares do not add up");
    match &prediction.targets {
        PredictedTargets::Classes { probabilities, labels } => {
            for (i, &label) in labels.iter().enumerate() {
                let row: Vec<f64> = probabilities.row(i).iter().copied().collect();
                assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{row:?}");
                assert!(row.iter().all(|&p| p <= row[label as usize]));
            }
        }
        PredictedTargets::Real { densities } => {
            let sound = |d: &Mixture| d.mean().is_finite() && d.variance().is_finite() && d.variance() >= 0.0;
            assert!(densities.iter().all(sound), "{densities:?}");
        }
    }
}

/// The message of what must fail.
fn refused(result: Result<Model, ModelError>) -> String {
    result.expect_err("this cannot be learned").to_string()
}

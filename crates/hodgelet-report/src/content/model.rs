//! The report of one model on one dataset.

use super::{Content, DRAWN, Origin, Protocol, Sources, predicted_cases};
use crate::card::Fields;
use hodgelet::dataset::{Dataset, DatasetError, Targets};
use hodgelet::likelihood::Mixture;
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Drift, FittedTargets, Model, ModelError, PredictedTargets, Prediction};
use hodgelet_eval::audit::duplicates;
use hodgelet_eval::report::{Evaluation, FoldRun, ModelKind, Predictions, ReportError, Subject};
use std::ops::ControlFlow;

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// A graph cannot be measured as the model measures, or the work was stopped.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The predictions cannot be scored.
    #[error(transparent)]
    Score(#[from] ReportError),
    /// The targets do not fit the graphs.
    #[error(transparent)]
    Targets(#[from] DatasetError),
}

impl Content {
    /// What a model says of the graphs of a dataset; `progress` is told how many are measured, and may stop the work.
    ///
    /// # Errors
    ///
    /// [`ContentError`].
    pub fn of_model(
        model: &Model,
        dataset: &Dataset,
        ids: &[String],
        (origin, fields): (Origin, Fields),
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Self, ContentError> {
        let measured = model.space().measurer().measure(dataset, progress)?;
        Self::of_measured(model, (dataset, ids), &measured.measures, (origin, fields), DRAWN)
    }

    /// As [`Self::of_model`], from the spectra of the graphs; at most `drawn` of them are drawn.
    ///
    /// # Errors
    ///
    /// [`ContentError`].
    pub fn of_measured(
        model: &Model,
        (dataset, ids): (&Dataset, &[String]),
        measured: &[ComplexMeasures],
        (origin, fields): (Origin, Fields),
        drawn: usize,
    ) -> Result<Self, ContentError> {
        let measures: Vec<_> = measured.iter().collect();
        let prediction = model.predict_measured(&measures)?;
        let drift = compared(model.drift_measured(&measures))?;
        let evaluation = evaluation(model, dataset, &prediction)?;
        let content = Self::of(&Sources {
            origin,
            dataset,
            ids,
            model,
            prediction: &prediction,
            measures: measured,
            protocol: Protocol::Model { evaluation: evaluation.as_ref(), drift: drift.as_ref() },
            duplicates: duplicates(dataset),
            fields,
            drawn,
        })?;
        Ok(content)
    }
}

/// A comparison, where the sets are large enough for one.
fn compared(drift: Result<Drift, ModelError>) -> Result<Option<Drift>, ModelError> {
    match drift {
        Err(ModelError::TooFewToCompare { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// The scores of one model on all graphs whose targets it can predict; none where there are none.
fn evaluation(
    model: &Model,
    dataset: &Dataset,
    prediction: &Prediction,
) -> Result<Option<Evaluation>, ReportError> {
    let known: Vec<_> =
        predicted_cases(model, prediction, dataset).into_iter().filter(|case| case.truth.is_some()).collect();
    if known.is_empty() || matches!(dataset.targets(), Targets::None) {
        return Ok(None);
    }
    let truth = || known.iter().filter_map(|case| case.truth);
    let (class_names, predictions) = match (&prediction.targets, model.targets()) {
        (PredictedTargets::Real { densities }, _) => {
            let densities: Vec<Mixture> = known.iter().map(|case| densities[case.graph].clone()).collect();
            (Vec::new(), Predictions::Real { densities, truth: truth().collect() })
        }
        (_, FittedTargets::Classes { names }) => {
            let probabilities = known.iter().flat_map(|case| case.probabilities.iter().copied()).collect();
            (
                names.clone(),
                Predictions::Classes { probabilities, labels: truth().map(|t| t as u32).collect() },
            )
        }
        _ => return Ok(None),
    };
    let decided = match &prediction.targets {
        PredictedTargets::Classes { labels, .. } if model.threshold().is_some() => {
            Some(known.iter().map(|case| labels[case.graph]).collect())
        }
        _ => None,
    };
    let (summary, settings) = (model.summary(), model.settings());
    let run = FoldRun {
        repeat: 0,
        fold: 0,
        n_train: summary.n_train,
        n_validation: 0,
        elbo: summary.elbo,
        iterations: summary.iterations,
        evaluations: summary.evaluations,
        fit_seconds: summary.seconds,
        predict_seconds: 0.0,
        predictions,
        decided,
        kind: ModelKind::of(summary),
    };
    let subject = Subject {
        dataset: dataset.name().to_owned(),
        model: settings.method.title().to_owned(),
        graphs: dataset.len(),
        class_names,
        seed: settings.seed,
        settings: serde_json::to_value(settings).expect("settings are plain structs, enums and numbers"),
    };
    Evaluation::of(subject, &[run]).map(Some)
}

//! Intervals and sets of classes of new complexes.

use super::{Conformal, Held, class_score, rule};
use crate::dataset::Dataset;
use crate::likelihood::Mixture;
use crate::model::fitted::Model;
use crate::model::{Drift, Measured, Measurer, ModelError, PredictedTargets, Prediction};
use crate::settings::ConformalChoice;
use faer::Mat;
use serde::Serialize;
use std::ops::ControlFlow;

/// What regions rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Basis {
    /// The model's own probabilities; nothing is guaranteed.
    Model,
    /// Split conformal prediction.
    Split,
    /// Cross-validation+.
    CvPlus,
}

/// Regions of one coverage for new complexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    /// The coverage asked for.
    pub coverage: f64,
    /// What they rest on.
    pub basis: Basis,
    /// The coverage that is proven for exchangeable complexes; none of the model's own regions.
    pub guaranteed: Option<f64>,
    /// Whether it is proven within each class.
    pub by_class: bool,
    /// Number of held-out complexes.
    pub n_calibration: usize,
    /// Where too few held-out complexes leave regions without a bound.
    pub notes: Vec<String>,
    /// The regions.
    pub targets: RegionTargets,
}

/// Regions of classes or of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionTargets {
    /// Sets of classes, each in order.
    Classes(Vec<Vec<u32>>),
    /// Intervals; ends may be infinite.
    Real(Vec<(f64, f64)>),
}

/// A prediction from which regions of any coverage follow.
pub struct CalibratedPrediction<'a> {
    model: &'a Model,
    /// The prediction itself.
    pub prediction: Prediction,
    /// What the model saw.
    measured: Measured,
    /// What the models without each part predict.
    others: Vec<PredictedTargets>,
}

impl std::fmt::Debug for CalibratedPrediction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CalibratedPrediction").field("basis", &self.model.basis()).finish_non_exhaustive()
    }
}

impl Model {
    /// What the guarantee of regions rests on: [`Basis::Model`], if there is none.
    #[must_use]
    pub fn basis(&self) -> Basis {
        match self.conformal.as_ref().map(|conformal| conformal.choice) {
            None => Basis::Model,
            Some(ConformalChoice::Split) => Basis::Split,
            Some(ConformalChoice::CvPlus) => Basis::CvPlus,
        }
    }

    /// Number of held-out complexes that the guarantee rests on; split conformal prediction does not train on them.
    #[must_use]
    pub fn n_calibration(&self) -> usize {
        self.conformal.as_ref().map_or(0, |conformal| conformal.held.len())
    }

    /// Predicts every complex of `dataset`, so that regions of any coverage follow. `progress` is as that of
    /// [`predict_with`](Self::predict_with), and starts again where models without parts of the training complexes see
    /// other signals.
    ///
    /// # Errors
    ///
    /// As [`predict_with`](Self::predict_with).
    pub fn predict_calibrated(
        &self,
        dataset: &Dataset,
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<CalibratedPrediction<'_>, ModelError> {
        let first = self.space.measurer.measure(dataset, &mut progress)?;
        self.calibrated(first, |measurer| measurer.measure(dataset, &mut progress))
    }

    /// As [`predict_calibrated`](Self::predict_calibrated), of complexes that were measured before with the model's encoding.
    ///
    /// # Errors
    ///
    /// As [`predict_measured`](Self::predict_measured), and [`ModelError::Conformal`] when a model without a part of the
    /// training complexes sees other signals.
    pub fn calibrate_measured(&self, measured: Measured) -> Result<CalibratedPrediction<'_>, ModelError> {
        let fault = "models without a part of the training graphs see signals that were not measured";
        self.calibrated(measured, |_| Err(ModelError::Conformal { fault: fault.to_owned() }))
    }

    fn calibrated(
        &self,
        first: Measured,
        mut measure: impl FnMut(&Measurer) -> Result<Measured, ModelError>,
    ) -> Result<CalibratedPrediction<'_>, ModelError> {
        let measurer = &self.space.measurer;
        let mut prediction = self.predict_measured(&first.measures.iter().collect::<Vec<_>>())?;
        prediction.unknown = first.unknown;
        let mut spectra = vec![(measurer, first)];
        let mut others = Vec::new();
        for model in self.conformal.iter().flat_map(|conformal| &conformal.models) {
            let own = &model.space.measurer;
            // The settings are the same but for the guarantee.
            let same = |(known, _): &(&Measurer, Measured)| {
                known.encoding == own.encoding && known.signed == own.signed
            };
            let at = spectra.iter().position(same).map_or_else(
                || {
                    spectra.push((own, measure(own)?));
                    Ok(spectra.len() - 1)
                },
                Ok::<usize, ModelError>,
            )?;
            let measures: Vec<_> = spectra[at].1.measures.iter().collect();
            others.push(model.predict_measured(&measures)?.targets);
        }
        let measured = spectra.swap_remove(0).1;
        Ok(CalibratedPrediction { model: self, prediction, measured, others })
    }
}

impl CalibratedPrediction<'_> {
    /// Whether the complexes as a whole are like the training complexes.
    ///
    /// # Errors
    ///
    /// As [`Model::drift`].
    pub fn drift(&self) -> Result<Drift, ModelError> {
        self.model.drift_measured(&self.measured.measures.iter().collect::<Vec<_>>())
    }

    /// The regions of this coverage: those with a guarantee if the model has one, otherwise its own central intervals, or
    /// the smallest sets of classes whose probabilities reach it.
    ///
    /// # Errors
    ///
    /// [`ModelError::Coverage`] for a coverage that is not between 0 and 1.
    pub fn regions(&self, coverage: f64) -> Result<Regions, ModelError> {
        if !(coverage > 0.0 && coverage < 1.0) {
            return Err(ModelError::Coverage { found: coverage });
        }
        let (predicted, fitted) = (&self.prediction.targets, &self.model.targets);
        let conformal = self.model.conformal.as_ref();
        let targets = match (conformal, predicted) {
            (None, PredictedTargets::Classes { probabilities, .. }) => {
                RegionTargets::Classes(smallest_sets(probabilities, coverage))
            }
            (None, PredictedTargets::Real { densities }) => {
                RegionTargets::Real(densities.iter().map(|density| density.interval(coverage)).collect())
            }
            (Some(conformal), PredictedTargets::Classes { probabilities, labels }) => {
                RegionTargets::Classes(self.sets(conformal, probabilities, labels, coverage))
            }
            (Some(conformal), PredictedTargets::Real { densities }) => {
                RegionTargets::Real(self.intervals(conformal, densities, coverage))
            }
        };
        Ok(Regions {
            coverage,
            basis: self.model.basis(),
            guaranteed: conformal.map(|conformal| conformal.guaranteed(coverage, fitted.n_classes())),
            by_class: conformal.is_some_and(|conformal| conformal.by_class),
            n_calibration: self.model.n_calibration(),
            notes: conformal.map(|conformal| conformal.notes(coverage, fitted)).unwrap_or_default(),
            targets,
        })
    }

    fn sets(
        &self,
        conformal: &Conformal,
        probabilities: &Mat<f64>,
        labels: &[u32],
        coverage: f64,
    ) -> Vec<Vec<u32>> {
        let classes = 0..probabilities.ncols() as u32;
        let held: Vec<&[Held]> = classes.clone().map(|class| conformal.of_class(class)).collect();
        let bounds: Vec<f64> = held.iter().map(|held| bound(coverage, held)).collect();
        let others: Vec<&Mat<f64>> = self.others.iter().filter_map(PredictedTargets::probabilities).collect();
        let holds = |i: usize, c: usize| match conformal.choice {
            ConformalChoice::Split => class_score(probabilities[(i, c)]) <= bounds[c],
            ConformalChoice::CvPlus => {
                let new: Vec<f64> = others.iter().map(|other| class_score(other[(i, c)])).collect();
                rule::is_held(coverage, held[c].iter().map(|held| (held.score, new[held.part as usize])))
            }
        };
        let in_set = |i: usize, c: u32| c == labels[i] || holds(i, c as usize);
        (0..labels.len()).map(|i| classes.clone().filter(|&c| in_set(i, c)).collect()).collect()
    }

    fn intervals(&self, conformal: &Conformal, densities: &[Mixture], coverage: f64) -> Vec<(f64, f64)> {
        if conformal.choice == ConformalChoice::Split {
            let bound = bound(coverage, &conformal.held);
            return densities.iter().map(|density| around(density, bound)).collect();
        }
        let others: Vec<&[Mixture]> = self.others.iter().filter_map(PredictedTargets::densities).collect();
        let interval = |i: usize| {
            let of = |held: &Held| around(&others[held.part as usize][i], held.score);
            rule::interval(coverage, &conformal.held.iter().map(of).collect::<Vec<_>>())
        };
        (0..densities.len()).map(interval).collect()
    }
}

fn bound(coverage: f64, held: &[Held]) -> f64 {
    rule::threshold(coverage, held.iter().map(|held| held.score))
}

/// The numbers whose score is at most `score`.
fn around(density: &Mixture, score: f64) -> (f64, f64) {
    let (mean, width) = (density.mean(), score * density.variance().sqrt());
    (mean - width, mean + width)
}

/// The fewest classes, the most probable first, whose probabilities reach `coverage`.
fn smallest_sets(probabilities: &Mat<f64>, coverage: f64) -> Vec<Vec<u32>> {
    let set = |i: usize| {
        let mut order: Vec<u32> = (0..probabilities.ncols() as u32).collect();
        order.sort_by(|&a, &b| probabilities[(i, b as usize)].total_cmp(&probabilities[(i, a as usize)]));
        let (mut mass, mut set) = (0.0, Vec::new());
        for class in order {
            if mass >= coverage {
                break;
            }
            mass += probabilities[(i, class as usize)];
            set.push(class);
        }
        set.sort_unstable();
        set
    };
    (0..probabilities.nrows()).map(set).collect()
}

impl Regions {
    /// What they rest on, as a sentence.
    #[must_use]
    pub fn statement(&self) -> String {
        let percent = |share: f64| format!("{}%", (1e4 * share).round() / 100.0);
        let (n, level) = (self.n_calibration, percent(self.coverage));
        let within = if self.by_class { ", within each class" } else { "" };
        match (self.basis, self.guaranteed) {
            (Basis::Split, _) => {
                format!(
                    "guaranteed to hold {level} of graphs exchangeable with {n} calibration graphs{within}"
                )
            }
            (Basis::CvPlus, Some(proven)) => format!(
                "by cross-validation+ on {n} graphs{within}: {} is guaranteed for exchangeable graphs, about {level} is usual",
                percent(proven)
            ),
            _ => "the model's own probabilities, without a guarantee".to_owned(),
        }
    }
}

impl RegionTargets {
    /// Share of `classes` or `numbers` in their regions; none for regions of the other kind.
    #[must_use]
    pub fn share_held(&self, truth: &crate::dataset::Targets) -> Option<f64> {
        use crate::dataset::Targets;
        let (held, n) = match (self, truth) {
            (Self::Classes(sets), Targets::Classes { labels, .. }) => {
                (sets.iter().zip(labels).filter(|(set, label)| set.contains(label)).count(), labels.len())
            }
            (Self::Real(intervals), Targets::Real(values)) => {
                let inside = |((low, high), y): &(&(f64, f64), &f64)| low <= *y && *y <= high;
                (intervals.iter().zip(values).filter(inside).count(), values.len())
            }
            _ => return None,
        };
        (n > 0).then(|| held as f64 / n as f64)
    }
}

//! Some leaves of the training complexes, in a process of their own.

use super::super::source::Weighted;
use super::super::{FittedTargets, MeasureSource, ModelError};
use super::leaves::Data;
use super::message::{Answer, AnswerKind, Kind, Question, View, joined, packed, unpacked};
use super::moments::ColumnMoments;
use super::objective::{Gradient, LeafTerm};
use super::seen::{LeftOut, OfLeaf, Pass, Row, Seen, column_part};
use crate::dataset::Targets;
use crate::gp::sparse::{LEAF, Moments, Statistics};
use crate::likelihood::{Likelihood, LikelihoodParams};
use crate::settings::Settings;

/// Consecutive leaves of training complexes, which a worker holds: measures and targets in, sums of fixed size out.
///
/// Everything that training asks of all complexes is a sum over leaves of 1,024 of them, along a fixed tree. A shard answers
/// for its leaves with the nodes of the tree that they fill, so that the total has the same bits wherever leaves are. It
/// keeps nothing that it cannot make again: one that takes the place of another gives the same answers.
pub struct Shard {
    first: usize,
    source: Box<dyn MeasureSource + Send>,
    targets: Targets,
    train: Vec<usize>,
    seen: Option<Seen>,
}

impl std::fmt::Debug for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shard")
            .field("first", &self.first)
            .field("len", &self.train.len())
            .finish_non_exhaustive()
    }
}

impl Shard {
    /// Complexes in a leaf.
    pub const LEAF: usize = LEAF;

    /// The complexes of `source` with their targets; the first of them is the first of leaf `first`.
    #[must_use]
    pub fn new(first: usize, source: Box<dyn MeasureSource + Send>, targets: Targets) -> Self {
        let train = (0..source.len()).collect();
        Self { first, source, targets, train, seen: None }
    }

    /// The measures.
    #[must_use]
    pub fn source(&self) -> &dyn MeasureSource {
        &*self.source
    }

    /// Whether the view `id` is the one that was shown last.
    #[must_use]
    pub fn has_seen(&self, id: &str) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.id() == id)
    }

    /// Takes what later questions are about.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when it is not a view, or does not fit the measures.
    pub fn show(&mut self, id: &str, view: &[u8]) -> Result<(), ModelError> {
        self.seen = None; // before the next one needs memory
        let view: View = unpacked(view)?;
        let weighted = self.weighted(view.factors.as_deref());
        let (fitted, settings) = (view.fitted.clone(), view.space.measurer.settings.clone());
        let covariates = view.covariates.clone();
        let data = Data {
            settings: &settings,
            fitted: &fitted,
            covariates: covariates.as_ref(),
            likelihood: view.likelihood,
            factors: None,
            source: weighted.as_ref().map_or(self.source(), |weighted| weighted),
            targets: &self.targets,
            train: &self.train,
            first: self.first,
        };
        self.seen = Some(Seen::of_view(&data, view, id.to_owned())?);
        Ok(())
    }

    /// What the leaves here add to the sum that a question asks for.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the question cannot be read or answered, or needs a view and none was shown.
    pub fn answer(&self, question: &[u8]) -> Result<Vec<u8>, ModelError> {
        match unpacked(question)? {
            Question::Columns(space) => {
                let settings = &space.measurer.settings;
                let fitted = FittedTargets::Classes { names: Vec::new() }; // columns know nothing of targets
                let data = self.data(settings, &fitted, LikelihoodParams::Gaussian);
                packed(&Answer { kind: Kind::Columns, sum: column_part(&data, &space)? })
            }
            Question::Sum { kind, moments, learned } => match kind {
                Kind::Columns => {
                    Err(ModelError::Store { fault: "columns have a question of their own".to_owned() })
                }
                Kind::Pass => self.sum::<Pass>(&moments, &learned),
                Kind::Gradient => self.sum::<Gradient>(&moments, &learned),
                Kind::LeftOut => self.sum::<LeftOut>(&moments, &learned),
            },
        }
    }

    fn data<'a>(
        &'a self,
        settings: &'a Settings,
        fitted: &'a FittedTargets,
        likelihood: LikelihoodParams,
    ) -> Data<'a> {
        let (source, targets, train) = (self.source(), &self.targets, &self.train[..]);
        let (covariates, factors, first) = (None, None, self.first);
        Data { settings, fitted, covariates, likelihood, factors, source, targets, train, first }
    }

    fn weighted(&self, factors: Option<&[f64]>) -> Option<Weighted<'_>> {
        factors.map(|factors| Weighted::new(self.source(), &self.targets, factors))
    }

    fn sum<K: OfLeaf>(&self, moments: &Moments, learned: &[f64]) -> Result<Vec<u8>, ModelError> {
        let none = || ModelError::Store { fault: "a question to a worker that was shown no view".to_owned() };
        let seen = self.seen.as_ref().ok_or_else(none)?;
        let view = &seen.view;
        let mut likelihood: Likelihood = view.likelihood.check(view.fitted.n_classes())?;
        likelihood.set_values(learned)?;
        let weighted = self.weighted(view.factors.as_deref());
        let data = Data {
            covariates: view.covariates.as_ref(),
            source: weighted.as_ref().map_or(self.source(), |weighted| weighted),
            ..self.data(&view.space.measurer.settings, &view.fitted, view.likelihood)
        };
        packed(&Answer { kind: K::KIND, sum: seen.part::<K>(&data, moments, &likelihood)? })
    }

    /// The answers of consecutive shards to one question as one, so that they can be added up on the way to the driver.
    ///
    /// # Errors
    ///
    /// [`ModelError::Store`] for bytes that are no answers.
    pub fn combine(answers: &[Vec<u8>]) -> Result<Vec<u8>, ModelError> {
        let none = || ModelError::Store { fault: "no answers, expected some".to_owned() };
        let AnswerKind { kind } = unpacked(answers.first().ok_or_else(none)?)?;
        match kind {
            Kind::Columns => packed(&Answer { kind, sum: joined::<ColumnMoments>(answers)? }),
            Kind::Pass => packed(&Answer { kind, sum: joined::<Statistics>(answers)? }),
            Kind::Gradient => packed(&Answer { kind, sum: joined::<LeafTerm>(answers)? }),
            Kind::LeftOut => packed(&Answer { kind, sum: joined::<Row>(answers)? }),
        }
    }
}

#[cfg(test)]
mod tests;

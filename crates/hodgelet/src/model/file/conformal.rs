//! The part of a model file that holds what a guarantee rests on.

use super::container::{Container, Tensor, fault};
use super::{FileError, description, restore};
use crate::model::conformal::{Conformal, Held};
use crate::model::file::check;
use crate::model::fitted::Model;
use crate::settings::ConformalChoice;
use std::collections::BTreeMap;

const SCORES: &str = "conformal.scores";
const LABELS: &str = "conformal.labels";
const FOLDS: &str = "conformal.folds";

fn model_name(part: usize) -> String {
    format!("conformal.model.{part}")
}

/// Adds the tensors of a guarantee.
pub(super) fn write(
    conformal: &Conformal,
    tensors: &mut BTreeMap<String, Tensor<'static>>,
) -> Result<(), FileError> {
    let held = || conformal.held.iter();
    let scores = Tensor::reals(&[conformal.held.len()], held().map(|held| held.score));
    tensors.insert(SCORES.to_owned(), scores);
    tensors.insert(LABELS.to_owned(), Tensor::wholes(held().map(|held| held.class)));
    tensors.insert(FOLDS.to_owned(), Tensor::wholes(held().map(|held| held.part)));
    for (part, model) in conformal.models.iter().enumerate() {
        tensors.insert(model_name(part), Tensor::bytes(model.to_bytes()?));
    }
    Ok(())
}

/// The guarantee of a file, and the number of its tensors; `model` is what the rest of the file holds.
pub(super) fn read(
    file: &Container<'_>,
    choice: ConformalChoice,
    model: &Model,
) -> Result<(Conformal, usize), FileError> {
    let n = file.tensor(SCORES)?.len();
    let scores = file.reals(SCORES, &[n])?;
    let (classes, parts) = (file.wholes(LABELS, &[n])?, file.wholes(FOLDS, &[n])?);
    let n_classes = model.targets.n_classes();
    let n_models = match choice {
        ConformalChoice::Split => 0,
        ConformalChoice::CvPlus => parts.iter().map(|&part| part as usize + 1).max().unwrap_or(0),
    };
    let entries = scores.into_iter().zip(classes).zip(parts);
    let held: Vec<Held> = entries.map(|((score, class), part)| Held { class, part, score }).collect();
    let order = |a: &Held, b: &Held| {
        (a.class, a.part, a.score)
            .partial_cmp(&(b.class, b.part, b.score))
            .is_some_and(std::cmp::Ordering::is_le)
    };
    match held.iter().find(|held| held.score < 0.0 || held.class as usize >= n_classes.max(1)) {
        Some(Held { class, score, .. }) => {
            return Err(fault(
                SCORES,
                format!("holds {score} of class {class}, expected scores from 0 of {n_classes}"),
            ));
        }
        None if held.is_empty() || !held.is_sorted_by(order) => {
            return Err(fault(SCORES, "is empty or not in the order of classes and parts"));
        }
        None => {}
    }
    let models = (0..n_models).map(|part| {
        let name = model_name(part);
        let inner = Container::read(file.bytes(&name)?)?;
        let description = description(&inner)?;
        // A model within a model has none within, so that reading ends.
        if description.space.measurer.settings.conformal.is_some()
            || description.targets.n_classes() != n_classes
        {
            return Err(fault(&name, "does not belong to the model around it"));
        }
        check::description(&description)?;
        restore(&inner, description)
    });
    let models = models.collect::<Result<Vec<Model>, FileError>>()?;
    let by_class = model.settings().conformal_classes && n_classes > 0;
    let n_tensors = 3 + models.len();
    Ok((Conformal { choice, by_class, held, models }, n_tensors))
}

//! Reports of several targets: one for each, of the graphs where it is known.

use super::{Content, ContentError, DRAWN, Origin};
use crate::card::Fields;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Goal, Models};

/// The graphs where one target is known, with their names and spectra.
#[derive(Debug)]
pub struct Known {
    /// The graphs, with this target.
    pub dataset: Dataset,
    /// Their names.
    pub ids: Vec<String>,
    /// Their spectra.
    pub measures: Vec<ComplexMeasures>,
}

impl Known {
    /// Those of `goal` among the graphs of a dataset.
    ///
    /// # Errors
    ///
    /// [`ContentError::Targets`] when there are not as many values as graphs.
    pub fn new(
        (dataset, ids): (&Dataset, &[String]),
        measures: &[ComplexMeasures],
        goal: &Goal,
    ) -> Result<Self, ContentError> {
        let known = dataset.select(&goal.complexes).with_targets(goal.targets.clone())?;
        let name = |&i: &usize| ids.get(i).cloned().unwrap_or_default();
        let measures = goal.complexes.iter().map(|&i| measures[i].clone()).collect();
        Ok(Self { dataset: known, ids: goal.complexes.iter().map(name).collect(), measures })
    }
}

/// Graphs that the report of each of several targets draws.
#[must_use]
pub fn drawn_of_each(targets: usize) -> usize {
    (DRAWN / targets.max(1)).max(4)
}

/// What models of several targets say of the graphs of a dataset, by target. Targets that are not among `goals` are predicted
/// of all graphs and not scored. `about` is asked for what is said of the model of a target.
///
/// # Errors
///
/// [`ContentError`].
pub fn of_models(
    models: &Models,
    (dataset, ids): (&Dataset, &[String]),
    measures: &[ComplexMeasures],
    goals: &[Goal],
    about: impl Fn(&str) -> (Origin, Fields),
) -> Result<Vec<(String, Content)>, ContentError> {
    let drawn = drawn_of_each(models.names().len());
    let one = |(name, model)| {
        let all = Goal {
            name: String::from(name),
            targets: Targets::None,
            complexes: (0..dataset.len()).collect(),
        };
        let goal = goals.iter().find(|goal| goal.name == name).unwrap_or(&all);
        let known = Known::new((dataset, ids), measures, goal)?;
        let data = (&known.dataset, &known.ids[..]);
        let content = Content::of_measured(model, data, &known.measures, about(name), drawn)?;
        Ok((name.to_owned(), content))
    };
    models.iter().map(one).collect()
}

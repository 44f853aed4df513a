//! Reports of several targets in one page.

use super::{Folds, Page, ReportArgs, content, failed, origin};
use crate::commands::several::measure;
use crate::error::CommandError;
use crate::progress::Terminal;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Goal, Models};
use hodgelet_eval::report::{Evaluation, FoldRun};
use hodgelet_eval::splits::Split;
use hodgelet_report::content::{Content, DRAWN};
use std::time::Instant;

/// The graphs where one target is known, with their names and spectra.
struct Known {
    dataset: Dataset,
    ids: Vec<String>,
    measures: Vec<ComplexMeasures>,
}

impl Known {
    fn new(
        (dataset, ids): (&Dataset, &[String]),
        measures: &[ComplexMeasures],
        goal: &Goal,
    ) -> Result<Self, CommandError> {
        let known = dataset.select(&goal.complexes).with_targets(goal.targets.clone());
        let known = known.map_err(|error| CommandError::usage(error.to_string(), None))?;
        let name = |&i: &usize| ids.get(i).cloned().unwrap_or_default();
        let measures = goal.complexes.iter().map(|&i| measures[i].clone()).collect();
        Ok(Self { dataset: known, ids: goal.complexes.iter().map(name).collect(), measures })
    }
}

/// Graphs that the report of each of several targets draws.
fn drawn(targets: usize) -> usize {
    (DRAWN / targets.max(1)).max(4)
}

/// What models of several targets say of the graphs of a dataset.
pub(super) fn of_models(
    args: &ReportArgs,
    models: &Models,
    (began, terminal): (Instant, Terminal),
) -> Result<Vec<(String, Content)>, CommandError> {
    let source = args.source.for_model(&models.models()[0]);
    let read = match source.read_table(Some(terminal))? {
        Some(table) => table.read,
        None => source.read(terminal)?,
    };
    let goals = &read.goals;
    let (dataset, ids) = (&read.dataset, &read.ids[..]);
    let measured = measure(models.measurer(), dataset, terminal)?;
    let mut found = Vec::new();
    for (name, model) in models.iter() {
        // Without a column of this target all graphs are predicted, and none is scored.
        let all =
            Goal { name: name.to_owned(), targets: Targets::None, complexes: (0..dataset.len()).collect() };
        let goal = goals.iter().find(|goal| goal.name == name).unwrap_or(&all);
        let known = Known::new((dataset, ids), &measured.measures, goal)?;
        let mut fields = args.fields();
        fields.name = format!("{}: {name}", fields.name);
        let data = (&known.dataset, &known.ids[..]);
        let about = (origin(began, None), fields);
        let content = Content::of_measured(model, data, &known.measures, about, drawn(models.names().len()));
        found.push((name.to_owned(), content.map_err(failed)?));
    }
    found.iter_mut().for_each(|(_, content)| content.origin = origin(began, None));
    Ok(found)
}

/// Writes the report of a cross-validation of several targets, with models of all graphs for what single graphs show.
///
/// # Errors
///
/// [`CommandError`].
pub fn write_several(
    page: Page<'_>,
    (dataset, ids): (&Dataset, &[String]),
    splits: &[Split],
    targets: &[(&Goal, &Evaluation, &[FoldRun])],
    models: &Models,
    (began, terminal): (Instant, Terminal),
) -> Result<(), CommandError> {
    let measured = measure(models.measurer(), dataset, terminal)?;
    let bar = terminal.bar("report", Some(targets.len() as u64));
    let mut found = Vec::new();
    for ((goal, evaluation, runs), model) in targets.iter().zip(models.models()) {
        let known = Known::new((dataset, ids), &measured.measures, goal)?;
        let own = own_splits(goal, splits);
        let data = (&known.dataset, &known.ids[..]);
        let folds = Folds { data, evaluation, splits: &own, runs };
        let mut content = content(folds, model, &known.measures, drawn(targets.len()), &bar)?;
        content.origin = origin(began, Some(runs));
        found.push((goal.name.clone(), content));
        if bar.at(found.len() as u64).is_break() {
            return Err(CommandError::Interrupted);
        }
    }
    drop(bar);
    page.write_targets(&found)
}

/// Splits of the graphs where a target is known, by their places among these; without those that test none.
fn own_splits(goal: &Goal, splits: &[Split]) -> Vec<Split> {
    let places = |wanted: &[usize]| -> Vec<usize> {
        let wanted: std::collections::BTreeSet<usize> = wanted.iter().copied().collect();
        (0..goal.complexes.len()).filter(|&place| wanted.contains(&goal.complexes[place])).collect()
    };
    let own = |split: &Split| Split {
        train: places(&split.train),
        validation: places(&split.validation),
        test: places(&split.test),
        ..split.clone()
    };
    splits.iter().map(own).filter(|split| !split.test.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_of_a_target_count_the_graphs_where_it_is_known() {
        let goal =
            Goal { name: "a".to_owned(), targets: Targets::Real(vec![0.0; 3]), complexes: vec![1, 4, 5] };
        let split = |train: &[usize], test: &[usize]| Split {
            train: train.to_vec(),
            test: test.to_vec(),
            ..Split::default()
        };
        let found = own_splits(&goal, &[split(&[5, 1, 0], &[4, 2]), split(&[1, 4, 5], &[0, 3])]);
        assert_eq!(found, [split(&[0, 2], &[1])], "a fold without a known target is left out");
    }
}

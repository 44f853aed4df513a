//! Reports of several targets in one page.

use super::{Folds, Page, ReportArgs, content as content_of, failed, origin};
use crate::commands::several::measure;
use crate::error::CommandError;
use crate::progress::Terminal;
use hodgelet::dataset::Dataset;
use hodgelet::model::{Goal, Models};
use hodgelet_eval::report::{Evaluation, FoldRun};
use hodgelet_eval::splits::Split;
use hodgelet_report::card::Fields;
use hodgelet_report::content::{self, Content, Known, drawn_of_each};
use std::time::Instant;

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
    let measured = measure(models.measurer(), &read.dataset, terminal)?;
    let about = |name: &str| {
        let fields = args.fields();
        (origin(began, None), Fields { name: format!("{}: {name}", fields.name), ..fields })
    };
    let data = (&read.dataset, &read.ids[..]);
    let found = content::of_models(models, data, &measured.measures, &read.goals, about);
    let mut found = found.map_err(failed)?;
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
        let known = Known::new((dataset, ids), &measured.measures, goal).map_err(failed)?;
        let own = own_splits(goal, splits);
        let data = (&known.dataset, &known.ids[..]);
        let folds = Folds { data, evaluation, splits: &own, runs };
        let mut content = content_of(folds, model, &known.measures, drawn_of_each(targets.len()), &bar)?;
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
    use hodgelet::dataset::Targets;

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

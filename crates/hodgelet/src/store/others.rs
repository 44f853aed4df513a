//! Columns of a leaf for what is measured beside signals: masses of refined labels, and values of vertices.
//!
//! A block of labels has three lists, `edge exact labels starts` (of depths), `ids` and `masses`; values have their number of
//! `vertex values channels`, null where a complex has none, and the lists `vertex values` and `vertex smoothed values`. What is
//! known of graphs as a whole is in `graph columns` and in the lists of `graph fingerprints`.

use super::leaf::{Columns, Table};
use crate::feature::Block;
use crate::measure::{ComplexLabels, ComplexMeasures, LabelMeasure, OwnRow, VertexValues};
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};

/// Name of the column with the number of channels of values.
const CHANNELS: &str = "vertex values channels";

/// Adds columns for what the measures hold beside signals.
pub(super) fn add(columns: &mut Columns, rows: &[ComplexMeasures]) {
    let labels = || rows.iter().map(|row| row.labels());
    for (place, block) in Block::EDGE_LABELS.into_iter().enumerate() {
        add_labels(columns, block, labels().map(|labels| labels.and_then(|l| l.edges.get(place))).collect());
    }
    add_labels(
        columns,
        Block::VERTEX_LABELS,
        labels().map(|labels| labels.and_then(|l| l.vertices.as_ref())).collect(),
    );
    add_labels(
        columns,
        Block::ENVIRONMENTS,
        labels().map(|labels| labels.and_then(|l| l.environments.as_ref())).collect(),
    );
    if rows.iter().any(|row| row.own().is_some()) {
        let own = || rows.iter().map(|row| row.own());
        let numbers = own().map(|own| own.map_or(&[][..], |own| &own.numbers));
        columns.add_lists::<Float64Type>(Block::OWN[0].to_string(), numbers);
        add_labels(columns, Block::OWN[1], own().map(|own| own.map(|own| &own.tags)).collect());
    }
    if rows.iter().any(|row| row.values().is_some()) {
        let values = || rows.iter().map(|row| row.values());
        let count = |values: Option<&VertexValues>| values.map(|v| v.n_channels() as u64);
        columns.add_numbers::<UInt64Type>(CHANNELS.to_owned(), values().map(count));
        for (smoothed, block) in [false, true].into_iter().zip(Block::VALUES) {
            let list = values().map(|v| v.map_or(&[][..], |v| v.values(smoothed)));
            columns.add_lists::<Float64Type>(block.to_string(), list);
        }
    }
}

fn add_labels(columns: &mut Columns, block: Block, measures: Vec<Option<&LabelMeasure>>) {
    if measures.iter().all(Option::is_none) {
        return;
    }
    let parts = || measures.iter().map(|m| m.map(LabelMeasure::parts).unwrap_or_default());
    columns.add_lists::<UInt32Type>(format!("{block} starts"), parts().map(|(starts, ..)| starts));
    columns.add_lists::<UInt64Type>(format!("{block} ids"), parts().map(|(_, ids, _)| ids));
    columns.add_lists::<Float64Type>(format!("{block} masses"), parts().map(|(.., masses)| masses));
}

/// The same measures with what the columns of [`add`] hold.
pub(super) fn with_others(
    table: &Table,
    measures: Vec<ComplexMeasures>,
) -> Result<Vec<ComplexMeasures>, String> {
    let edges = Block::EDGE_LABELS.into_iter().map(|block| labels(table, block, measures.len()));
    let mut edges: Vec<Vec<LabelMeasure>> =
        edges.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut vertices = labels(table, Block::VERTEX_LABELS, measures.len())?;
    let mut environments = labels(table, Block::ENVIRONMENTS, measures.len())?;
    let mut values = values(table)?;
    let mut own = own(table, measures.len())?;
    let any_labels = !edges.is_empty() || vertices.is_some() || environments.is_some();
    let one = |(i, measures): (usize, ComplexMeasures)| {
        let labels = any_labels.then(|| ComplexLabels {
            edges: edges.iter_mut().map(|list| std::mem::take(&mut list[i])).collect(),
            vertices: vertices.as_mut().map(|list| std::mem::take(&mut list[i])),
            environments: environments.as_mut().map(|list| std::mem::take(&mut list[i])),
        });
        let values = values.get_mut(i).and_then(Option::take);
        measures.with_labels(labels).with_values(values).with_own(own.get_mut(i).map(std::mem::take))
    };
    Ok(measures.into_iter().enumerate().map(one).collect())
}

fn labels(table: &Table, block: Block, n: usize) -> Result<Option<Vec<LabelMeasure>>, String> {
    let name = |what: &str| format!("{block} {what}");
    if !table.has(&name("starts")) {
        return Ok(None);
    }
    let starts = table.lists::<UInt32Type>(&name("starts"))?;
    let ids = table.lists::<UInt64Type>(&name("ids"))?;
    let masses = table.lists::<Float64Type>(&name("masses"))?;
    let one = |i: usize| {
        let found = match starts.row(i) {
            [] => Some(LabelMeasure::default()),
            starts => LabelMeasure::from_parts(starts.to_vec(), ids.row(i).to_vec(), masses.row(i).to_vec()),
        };
        found.ok_or_else(|| format!("row {i}: the lists of {block} are not those of labels"))
    };
    (0..n).map(one).collect::<Result<_, _>>().map(Some)
}

fn values(table: &Table) -> Result<Vec<Option<VertexValues>>, String> {
    if !table.has(CHANNELS) {
        return Ok(Vec::new());
    }
    let channels = table.numbers::<UInt64Type>(CHANNELS)?;
    let [plain, smoothed] = Block::VALUES.map(|block| table.lists::<Float64Type>(&block.to_string()));
    let (plain, smoothed) = (plain?, smoothed?);
    let one = |(i, channels): (usize, Option<u64>)| {
        let Some(n) = channels else { return Ok(None) };
        let found = VertexValues::from_parts(n as usize, plain.row(i).to_vec(), smoothed.row(i).to_vec());
        found.map(Some).ok_or_else(|| format!("row {i}: the lists of values do not fit {n} channels"))
    };
    channels.into_iter().enumerate().map(one).collect()
}

fn own(table: &Table, n: usize) -> Result<Vec<OwnRow>, String> {
    let [numbers, tags] = Block::OWN;
    if !table.has(&numbers.to_string()) {
        return Ok(Vec::new());
    }
    let numbers = table.lists::<Float64Type>(&numbers.to_string())?;
    let mut tags = labels(table, tags, n)?.unwrap_or_else(|| vec![LabelMeasure::default(); n]);
    let one = |i: usize| match numbers.row(i) {
        row if row.iter().all(|x| x.is_finite()) => {
            Ok(OwnRow { numbers: row.to_vec(), tags: std::mem::take(&mut tags[i]) })
        }
        _ => Err(format!("row {i}: a number of the graph is not finite")),
    };
    (0..n).map(one).collect()
}

//! Columns of a leaf for what is measured beside signals: masses of refined labels, and values of vertices.
//!
//! A block of labels, of cells of any dimension, has three lists, `edge exact labels starts` (of depths), `ids` and `masses`; values have their number of
//! `vertex values channels`, null where a complex has none, and the lists `vertex values` and `vertex smoothed values`. What is
//! known of graphs as a whole is in `graph columns`, in the lists of `graph fingerprints`, and rows of Gram matrices in `graph gram`,
//! `graph gram 2` and so on.

use super::leaf::{Columns, Table};
use crate::dataset::MOST_GRAMS;
use crate::encode::MAX_CHANNELS;
use crate::feature::Block;
use crate::hodge::HodgeComponent;
use crate::measure::{CellValues, ComplexLabels, ComplexMeasures, LabelMeasure, OwnRow};
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};

/// Blocks of values by dimension.
const VALUES: [[Block; 2]; 2] = [Block::VALUES, Block::EDGE_VALUES];

/// Names of the columns with the number of channels of values, and with those that are flows.
fn channels_of([plain, _]: [Block; 2]) -> [String; 2] {
    [format!("{plain} channels"), format!("{plain} flows")]
}

/// Adds columns for what the measures hold beside signals.
pub(super) fn add(columns: &mut Columns, rows: &[ComplexMeasures]) {
    let labels = || rows.iter().map(|row| row.labels());
    let highest = 1 + labels().flatten().map(|labels| labels.higher.len()).max().unwrap_or(0);
    for dim in 1..=highest {
        for (block, component) in Block::labels(dim).into_iter().zip(HodgeComponent::ALL) {
            let own = labels().map(|labels| labels.and_then(|l| l.component(dim, component)));
            add_labels(columns, block, own.collect());
        }
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
        let n_grams = own().flatten().map(|own| own.grams.len()).max().unwrap_or(0);
        for g in 0..n_grams {
            let gram = own().map(|own| own.and_then(|own| own.grams.get(g)).map_or(&[][..], |row| &row[..]));
            columns.add_lists::<Float64Type>(Block::gram(g as u8).to_string(), gram);
        }
    }
    for (dim, blocks) in VALUES.into_iter().enumerate() {
        let values = || rows.iter().map(move |row| row.values(dim));
        if values().all(|values| values.is_none()) {
            continue;
        }
        let [channels, flows] = channels_of(blocks);
        let count = |values: Option<&CellValues>| values.map(|v| v.n_channels() as u64);
        columns.add_numbers::<UInt64Type>(channels, values().map(count));
        let of = |own: &CellValues| (0..).zip(own.oriented()).filter(|(_, o)| **o).map(|(d, _)| d).collect();
        let places: Vec<Vec<u32>> = values().map(|v| v.map(of).unwrap_or_default()).collect();
        if places.iter().any(|places| !places.is_empty()) {
            columns.add_lists::<UInt32Type>(flows, places.iter().map(|places| &places[..]));
        }
        for (smoothed, block) in [false, true].into_iter().zip(blocks) {
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
    let mut higher = Vec::new();
    while table.has(&format!("{} starts", Block::labels(2 + higher.len())[0])) {
        let own = Block::labels(2 + higher.len()).map(|block| labels(table, block, measures.len()));
        let own = own.into_iter().collect::<Result<Vec<_>, _>>()?;
        higher.push(own.into_iter().flatten().collect::<Vec<_>>());
    }
    let mut vertices = labels(table, Block::VERTEX_LABELS, measures.len())?;
    let mut environments = labels(table, Block::ENVIRONMENTS, measures.len())?;
    let [vertices_of, edges_of] = VALUES.map(|blocks| values(table, blocks));
    let (mut vertex_values, mut edge_values) = (vertices_of?, edges_of?);
    let mut own = own(table, measures.len())?;
    let any_labels = !edges.is_empty() || vertices.is_some() || environments.is_some() || !higher.is_empty();
    let one = |(i, measures): (usize, ComplexMeasures)| {
        let labels = any_labels.then(|| ComplexLabels {
            edges: edges.iter_mut().map(|list| std::mem::take(&mut list[i])).collect(),
            vertices: vertices.as_mut().map(|list| std::mem::take(&mut list[i])),
            environments: environments.as_mut().map(|list| std::mem::take(&mut list[i])),
            higher: higher
                .iter_mut()
                .map(|lists| lists.iter_mut().map(|list| std::mem::take(&mut list[i])).collect())
                .collect(),
        });
        let measures = measures.with_labels(labels).with_own(own.get_mut(i).map(std::mem::take));
        let taken = |values: &mut Vec<Option<CellValues>>| values.get_mut(i).and_then(Option::take);
        measures.with_values(0, taken(&mut vertex_values)).with_values(1, taken(&mut edge_values))
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

fn values(table: &Table, blocks: [Block; 2]) -> Result<Vec<Option<CellValues>>, String> {
    let [channels, flows] = channels_of(blocks);
    if !table.has(&channels) {
        return Ok(Vec::new());
    }
    let channels = table.numbers::<UInt64Type>(&channels)?;
    let flows = if table.has(&flows) { Some(table.lists::<UInt32Type>(&flows)?) } else { None };
    let [plain, smoothed] = blocks.map(|block| table.lists::<Float64Type>(&block.to_string()));
    let (plain, smoothed) = (plain?, smoothed?);
    let one = |(i, channels): (usize, Option<u64>)| {
        let Some(n) = channels else { return Ok(None) };
        let fault = || format!("row {i}: the lists of values do not fit {n} channels");
        if n > MAX_CHANNELS as u64 {
            return Err(fault());
        }
        let own = flows.as_ref().map_or(&[][..], |flows| flows.row(i));
        let oriented = (0..n as u32).map(|d| own.contains(&d)).collect();
        let found = CellValues::from_parts(oriented, plain.row(i).to_vec(), smoothed.row(i).to_vec());
        found.map(Some).ok_or_else(fault)
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
    let names = (0..MOST_GRAMS as u8).map(|g| Block::gram(g).to_string()).filter(|name| table.has(name));
    let grams = names.map(|name| table.lists::<Float64Type>(&name)).collect::<Result<Vec<_>, _>>()?;
    let one = |i: usize| match numbers.row(i) {
        row if row.iter().chain(grams.iter().flat_map(|gram| gram.row(i))).all(|x| x.is_finite()) => {
            Ok(OwnRow {
                numbers: row.to_vec(),
                tags: std::mem::take(&mut tags[i]),
                grams: grams.iter().map(|gram| gram.row(i).to_vec()).collect(),
            })
        }
        _ => Err(format!("row {i}: a number of the graph is not finite")),
    };
    (0..n).map(one).collect()
}

//! Single graphs: which are drawn, and what is drawn of them.

use super::learned::energy;
use super::{Case, Sources, nearest};
use crate::chart::{Bar, spectrum, waterfall};
use crate::draw::{Marks, Panel, Thumbnail, panels, thumbnails};
use crate::layout::{self, Point};
use crate::markup::{Element, cut, number};
use hodgelet::complex::Complex;
use hodgelet::dataset::{ColumnValues, Dataset, Targets};
use hodgelet::hodge::{HodgeComponent, Operators, decompose, edge_shares};
use hodgelet::linalg::SparseMat;
use hodgelet::measure::{ComplexMeasures, Sample};
use hodgelet::model::{FittedTargets, Model, ModelError, PredictedTargets, Prediction};
use hodgelet::signal::{Channels, Orientation, Signal};

/// Cells of a graph that is drawn.
const MOST_CELLS: usize = 1200;
/// Bytes that all drawings may take.
const BYTES: usize = 1_150_000;
/// Nearest graphs that are named.
const NEAREST: usize = 3;
/// Vertices of a nearest graph that is drawn.
const MOST_NEAR: usize = 150;

/// A graph that is drawn.
#[derive(Clone, Debug)]
pub struct GraphView {
    /// Which graph.
    pub graph: usize,
    /// What it is and what was said of it, in names and values.
    pub facts: Vec<(String, String)>,
    /// Pictures: shares of cells, signals, components, spectrum, waterfall.
    pub pictures: Vec<Element>,
    /// Why there are fewer than usual.
    pub notes: Vec<String>,
}

/// The graphs worth looking at: errors the surest first, the least sure, the farthest, and some of the rest.
pub(super) fn chosen(cases: &[Case], distance: impl Fn(usize) -> f64, most: usize) -> Vec<usize> {
    let mut picked: Vec<usize> = Vec::new();
    let mut add = |from: &mut dyn Iterator<Item = usize>, count: usize| {
        let mut left = count;
        for graph in from {
            if left == 0 || picked.len() >= most {
                return;
            }
            if !picked.contains(&graph) {
                picked.push(graph);
                left -= 1;
            }
        }
    };
    let sorted = |key: &dyn Fn(&Case) -> f64| {
        let mut order: Vec<&Case> = cases.iter().collect();
        order.sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.graph.cmp(&b.graph)));
        order.into_iter().map(|case| case.graph)
    };
    add(&mut cases.iter().filter(|case| case.surprise() > 0.0).map(|case| case.graph), most.div_ceil(3));
    add(&mut sorted(&Case::doubt), most.div_ceil(5));
    add(&mut sorted(&|case| distance(case.graph)), most.div_ceil(5));
    let step = cases.len().div_ceil(most.max(1)).max(1);
    add(&mut cases.iter().step_by(step).map(|case| case.graph), most);
    add(&mut cases.iter().map(|case| case.graph), most);
    picked
}

/// Drawings of the chosen graphs, as many as there is room for.
pub(super) fn views(sources: &Sources<'_>, cases: &[Case], seen: bool) -> Result<Vec<GraphView>, ModelError> {
    let which = chosen(cases, |graph| sources.prediction.novelty[graph].distance, sources.drawn);
    let near = match seen {
        true => nearest(sources.model, sources.measures, &which, NEAREST)?,
        false => {
            let some: Vec<&ComplexMeasures> = which.iter().map(|&i| &sources.measures[i]).collect();
            sources.model.nearest_training(&some, NEAREST)?
        }
    };
    let (mut found, mut bytes) = (Vec::new(), 0);
    for (near, &graph) in near.iter().zip(&which) {
        let Some(case) = cases.iter().find(|case| case.graph == graph) else { continue };
        let view = view(sources, case, near, seen)?;
        bytes += view.pictures.iter().map(|picture| picture.render().len()).sum::<usize>();
        if bytes > BYTES && !found.is_empty() {
            break;
        }
        found.push(view);
    }
    Ok(found)
}

fn view(
    sources: &Sources<'_>,
    case: &Case,
    near: &[(usize, f64)],
    seen: bool,
) -> Result<GraphView, ModelError> {
    let (dataset, model, i) = (sources.dataset, sources.model, case.graph);
    let (mut pictures, mut notes) = (Vec::new(), Vec::new());
    let given = &dataset.complexes()[i];
    let cells: usize = (0..=given.dim()).map(|k| given.n_cells(k)).sum();
    let (waterfall, latent) = waterfall_of(model, sources.prediction, i);
    pictures.push(waterfall);
    if cells <= MOST_CELLS && given.n_cells(0) > 0 {
        let sample = model.space().measurer().sample(dataset, i)?;
        let places = match sample.complex.n_cells(0) == given.n_cells(0) {
            true => layout::places_of(dataset, i),
            false => layout::places(&sample.complex),
        };
        let names = vertex_names(dataset, i, given.n_cells(0));
        pictures.extend(shares((model, dataset, i), latent, &places, &names)?);
        pictures.extend(components(&sample, &places, &names));
    } else {
        notes.push(format!("Not drawn: it has {cells} cells, and graphs of up to {MOST_CELLS} are drawn."));
    }
    pictures.extend(spectrum_of(&sources.measures[i], None));
    // Training graphs are not at hand where the dataset is another one.
    if seen {
        pictures.extend(neighbors(sources, near));
    }
    Ok(GraphView { graph: i, facts: facts(sources, case, near, seen), pictures, notes })
}

/// Small drawings of the nearest graphs of the dataset, with their targets; none where one is too large for that.
fn neighbors(sources: &Sources<'_>, near: &[(usize, f64)]) -> Option<Element> {
    let dataset = sources.dataset;
    let target = |i: usize| match dataset.targets() {
        Targets::None => String::new(),
        Targets::Real(values) => format!("{}, ", number(values[i])),
        Targets::Classes { names, labels } => format!("{}, ", cut(&names[labels[i] as usize], 12)),
    };
    let small = |&(j, _): &(usize, f64)| dataset.complexes()[j].n_cells(0) <= MOST_NEAR;
    if near.is_empty() || !near.iter().all(small) {
        return None;
    }
    let items: Vec<Thumbnail<'_>> = near
        .iter()
        .map(|&(j, distance)| Thumbnail {
            title: format!("{}{distance:.3} away", target(j)),
            complex: &dataset.complexes()[j],
            places: layout::places_of(dataset, j),
            names: vertex_names(dataset, j, dataset.complexes()[j].n_cells(0)),
        })
        .collect();
    Some(thumbnails("The nearest other graphs, with what is true of them", &items, 150.0))
}

fn facts(sources: &Sources<'_>, case: &Case, near: &[(usize, f64)], seen: bool) -> Vec<(String, String)> {
    let complex = &sources.dataset.complexes()[case.graph];
    let novelty = &sources.prediction.novelty[case.graph];
    let name = |value: f64| match sources.model.targets() {
        FittedTargets::Classes { names } => names.get(value as usize).cloned().unwrap_or_default(),
        _ => number(value),
    };
    let id = |i: usize| match sources.ids.get(i).filter(|id| !id.is_empty()) {
        Some(id) => cut(id, 60),
        None => i.to_string(),
    };
    let counts: Vec<String> = ["vertices", "edges", "2-cells"]
        .iter()
        .enumerate()
        .filter(|(k, _)| *k <= complex.dim())
        .map(|(k, what)| format!("{} {what}", complex.n_cells(k)))
        .collect();
    let mut rows = vec![("graph".to_owned(), id(case.graph))];
    if id(case.graph) != case.graph.to_string() {
        rows.push(("number".to_owned(), format!("{}, from 0, as --graph takes it", case.graph)));
    }
    rows.push(("size".to_owned(), counts.join(", ")));
    rows.extend(case.truth.map(|truth| ("true".to_owned(), name(truth))));
    let sure = case.confidence().map(|p| format!(", probability {p:.3}"));
    let spread =
        case.spread.map(|(_, low, high)| format!(", 95% interval {} to {}", number(low), number(high)));
    rows.push(("predicted".to_owned(), name(case.predicted) + &sure.or(spread).unwrap_or_default()));
    let each: Vec<String> = near
        .iter()
        .map(|&(j, d)| if seen { format!("{} at {d:.3}", id(j)) } else { format!("number {j} at {d:.3}") })
        .collect();
    let what = if seen { "nearest other graphs" } else { "nearest training graphs" };
    let far = if novelty.is_far && !seen { "; it is far from all of them" } else { "" };
    rows.push((what.to_owned(), each.join("; ") + far));
    rows
}

/// How the latent mean adds up, and which latent function that is.
fn waterfall_of(model: &Model, prediction: &Prediction, i: usize) -> (Element, usize) {
    let several = prediction.latent_mean.ncols() > 1;
    let latent = match &prediction.targets {
        PredictedTargets::Classes { labels, .. } if several => labels[i] as usize,
        _ => 0,
    };
    let mut parts: Vec<Bar> = prediction
        .blocks
        .iter()
        .map(|(block, shares)| Bar { name: model.space().block_name(*block), value: shares[(i, latent)] })
        .collect();
    parts.extend(
        prediction.constant.as_ref().map(|c| Bar { name: "constant".to_owned(), value: c[(i, latent)] }),
    );
    let toward = match model.targets() {
        FittedTargets::Classes { names } => names.get(if several { latent } else { 1 }),
        _ => None,
    };
    let total = prediction.latent_mean[(i, latent)];
    (
        waterfall("Where the prediction comes from, by block", &parts, total, toward.map(String::as_str)),
        latent,
    )
}

/// What each vertex and edge adds, in the blocks that are shared out; none where there is no such block.
fn shares(
    (model, dataset, i): (&Model, &Dataset, usize),
    latent: usize,
    places: &[Point],
    names: &[String],
) -> Result<Option<Element>, ModelError> {
    let complex = &dataset.complexes()[i];
    if places.len() != complex.n_cells(0) {
        return Ok(None);
    }
    let found = model.explain_cells(dataset, i)?;
    let total = |dim: usize| {
        let mut sum = vec![0.0; complex.n_cells(dim)];
        for own in found.iter().filter(|own| own.block.dim == dim) {
            sum.iter_mut().enumerate().for_each(|(cell, sum)| {
                *sum += if cell < own.cells.nrows() { own.cells[(cell, latent)] } else { 0.0 };
            });
        }
        sum
    };
    if found.is_empty() || found.iter().all(|own| own.cells.nrows() == 0) {
        return Ok(None);
    }
    let (vertices, edges) = (total(0), if complex.dim() > 0 { total(1) } else { Vec::new() });
    let scale = vertices.iter().chain(&edges).map(|v| v.abs()).fold(0.0, f64::max);
    let marks = Marks { vertices: Some(&vertices), edges: Some(&edges), scale, names, ..Marks::default() };
    let panel = Panel { title: "blue takes away, orange adds".to_owned(), marks };
    Ok(Some(panels("What vertices and edges add", complex, places, &[panel], 1, 330.0)))
}

/// Where the prediction of graph `i` comes from: by block, and by vertices and edges where blocks are shared out to them.
///
/// # Errors
///
/// [`ModelError`] when it cannot be measured as the model measures.
///
/// # Panics
///
/// When there is no graph `i`, or the prediction is of another dataset.
pub fn attribution_of(
    model: &Model,
    prediction: &Prediction,
    dataset: &Dataset,
    i: usize,
) -> Result<Vec<Element>, ModelError> {
    let (picture, latent) = waterfall_of(model, prediction, i);
    let names = vertex_names(dataset, i, dataset.complexes()[i].n_cells(0));
    let cells = shares((model, dataset, i), latent, &layout::places_of(dataset, i), &names)?;
    Ok([Some(picture), cells].into_iter().flatten().collect())
}

/// The signals of a graph and their components.
fn components(sample: &Sample<'_>, places: &[Point], names: &[String]) -> Vec<Element> {
    let complex: &Complex = &sample.complex;
    let mut pictures = Vec::new();
    let mut flows = false;
    for dim in [1, 0] {
        let Some(signal) = sample.signals.get(dim).and_then(Option::as_ref) else { continue };
        let wanted = |&d: &usize| {
            let oriented = signal.channels().orientation(d) == Orientation::Oriented;
            if dim == 0 { !is_indicator(signal, d) } else { oriented }
        };
        let Some(channel) = (0..signal.n_channels()).find(wanted) else { continue };
        let operators = match &sample.weights {
            Some(weights) => match Operators::weighted(complex, weights) {
                Ok(operators) => operators,
                Err(_) => continue,
            },
            None => Operators::new(complex, hodgelet::hodge::Weighting::Combinatorial),
        };
        if let Some(picture) = split(&operators, dim, signal, channel, places, names) {
            flows |= dim == 1;
            pictures.push(picture);
        }
    }
    if !flows && complex.n_cells(0) == places.len() && complex.dim() >= 1 && complex.n_cells(1) > 0 {
        pictures.push(shares_of_edges(complex, places, names));
    }
    pictures
}

/// Whether all values of a channel are 0 or 1, as those of labels are.
fn is_indicator(signal: &Signal, channel: usize) -> bool {
    signal.values().entries(channel).all(|(_, value)| value == 0.0 || value == 1.0)
}

fn split(
    operators: &Operators<'_>,
    dim: usize,
    signal: &Signal,
    channel: usize,
    places: &[Point],
    names: &[String],
) -> Option<Element> {
    let name = signal.channels().name(channel);
    let mut values = SparseMat::with_rows(signal.n_cells());
    values.push_column(signal.values().entries(channel).map(|(i, x)| (i as u32, x)));
    let alone = Signal::new(values, Channels::new([(name.to_owned(), Orientation::Oriented)])).ok()?;
    let parts = decompose(operators, dim, &alone).ok()?;
    let column = |m: &faer::Mat<f64>| (0..m.nrows()).map(|i| m[(i, 0)]).collect::<Vec<f64>>();
    let mut whole = vec![0.0; signal.n_cells()];
    signal.values().entries(channel).for_each(|(i, x)| whole[i] = x);
    let title = format!(
        "{} on {}, and its Hodge components",
        cut(name, 30),
        if dim == 0 { "vertices" } else { "edges" }
    );
    let shown = [column(&parts.exact), column(&parts.coexact), column(&parts.harmonic)];
    Some(component_panels(&title, operators.complex(), places, dim, &whole, &shown, names))
}

/// A signal and its components side by side, with the share of the energy that each has.
#[must_use]
pub fn component_panels(
    title: &str,
    complex: &Complex,
    places: &[Point],
    dim: usize,
    whole: &[f64],
    parts: &[Vec<f64>; 3],
    names: &[String],
) -> Element {
    let energy = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    let total = energy(whole).max(1e-300);
    let scale = whole.iter().chain(parts.iter().flatten()).map(|x| x.abs()).fold(0.0, f64::max);
    let title_of = |name: &str, values: &[f64]| format!("{name}, {:.1}%", 100.0 * energy(values) / total);
    let mut shown: Vec<(String, &[f64])> = vec![("signal".to_owned(), whole)];
    let each = ["exact", "co-exact", "harmonic"]
        .iter()
        .zip(parts)
        .map(|(name, values)| (title_of(name, values), &values[..]));
    // Vertices have no exact part.
    shown.extend(each.skip(usize::from(dim == 0)));
    let panel = |(title, values): (String, &'_ [f64])| -> (String, Vec<f64>) { (title, values.to_vec()) };
    let owned: Vec<(String, Vec<f64>)> = shown.into_iter().map(panel).collect();
    let marks = |values: &'_ [f64]| -> [Option<Vec<f64>>; 3] {
        let mut marks = [None, None, None];
        if dim < 3 {
            marks[dim] = Some(values.to_vec());
        }
        marks
    };
    let held: Vec<[Option<Vec<f64>>; 3]> = owned.iter().map(|(_, values)| marks(values)).collect();
    let list: Vec<Panel<'_>> = owned
        .iter()
        .zip(&held)
        .map(|((title, _), [vertices, flow, faces])| Panel {
            title: title.clone(),
            marks: Marks {
                vertices: vertices.as_deref(),
                flow: flow.as_deref(),
                faces: faces.as_deref(),
                scale,
                names: if dim == 0 { &[] } else { names },
                ..Marks::default()
            },
        })
        .collect();
    panels(title, complex, places, &list, 4, 230.0)
}

/// How much of each edge lies in each component, for graphs whose edges carry no flow.
fn shares_of_edges(complex: &Complex, places: &[Point], names: &[String]) -> Element {
    let shares = edge_shares(complex);
    let parts: Vec<(&str, Vec<f64>)> = ["exact", "co-exact", "harmonic"]
        .into_iter()
        .enumerate()
        .map(|(k, name)| (name, shares.iter().map(|share| share[k]).collect()))
        .collect();
    let total = |values: &[f64]| values.iter().sum::<f64>() / shares.len().max(1) as f64;
    let list: Vec<Panel<'_>> = parts
        .iter()
        .map(|(name, values)| Panel {
            title: format!("{name}, {:.1}%", 100.0 * total(values)),
            marks: Marks { edges: Some(values), scale: 1.0, names, ..Marks::default() },
        })
        .collect();
    panels("How much of each edge lies in each Hodge component", complex, places, &list, 3, 230.0)
}

/// Energies at eigenvalues, of all channels on cells of dimension `dim`, or of edges, else vertices; none without energy.
#[must_use]
pub fn spectrum_of(measures: &ComplexMeasures, dim: Option<usize>) -> Option<Element> {
    let dims: Vec<usize> = dim.map_or(vec![1, 0, 2], |dim| vec![dim]);
    let (dim, found) = dims.into_iter().find_map(|dim| Some((dim, measures.of_dim(dim)?)))?;
    let parts: Vec<(&str, Vec<(f64, f64)>)> = HodgeComponent::ALL
        .iter()
        .zip(["exact", "co-exact", "harmonic"])
        .map(|(&component, name)| {
            let measure = found.component(component);
            let mut sums = vec![0.0; measure.n_atoms()];
            for position in 0..measure.live().len() {
                sums.iter_mut().zip(energy(measure, position)).for_each(|(sum, e)| *sum += e);
            }
            (name, measure.eigenvalues().iter().copied().zip(sums).collect())
        })
        .filter(|(_, atoms): &(&str, Vec<(f64, f64)>)| atoms.iter().any(|a| a.1 > 0.0))
        .collect();
    let what = ["vertices", "edges", "2-cells"]
        .get(dim)
        .map_or_else(|| format!("cells of dimension {dim}"), |&n| n.to_owned());
    (!parts.is_empty()).then(|| spectrum(&format!("Spectrum of the signals on {what}"), &parts))
}

/// Labels of the vertices of a graph, where it has some.
#[must_use]
pub fn vertex_names(dataset: &Dataset, i: usize, n: usize) -> Vec<String> {
    let labels = dataset.columns().iter().filter(|column| column.dim == 0);
    let found = labels.filter_map(|column| match &column.values {
        ColumnValues::Labels { categories, codes } => Some((column, categories, codes)),
        ColumnValues::Real { .. } => None,
    });
    let Some((column, categories, codes)) = found.into_iter().next() else { return Vec::new() };
    let name = |code: &u32| categories.get(*code as usize).cloned().unwrap_or_default();
    let names: Vec<String> = codes[column.cells(i)].iter().map(name).collect();
    // Chemists leave out carbon.
    let shown = |name: String| if name == "C" { String::new() } else { name };
    if names.len() == n { names.into_iter().map(shown).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_chosen_first_and_nothing_twice() {
        let case = |graph: usize, truth: f64, p: f64| Case {
            graph,
            fold: None,
            truth: Some(truth),
            predicted: 1.0,
            probabilities: vec![1.0 - p, p],
            spread: None,
        };
        let mut cases: Vec<Case> = (0..100).map(|i| case(i, 1.0, 0.8)).collect();
        cases.insert(0, case(100, 0.0, 0.99));
        let found = chosen(&cases, |graph| graph as f64, 36);
        assert_eq!((found[0], found.len()), (100, 36));
        let mut sorted = found.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), found.len());
        assert!(found.contains(&99), "the farthest");
    }
}

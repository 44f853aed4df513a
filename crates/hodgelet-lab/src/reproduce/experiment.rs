//! What is run: the rows and the columns of each table.

use super::RunArgs;
use super::contender::Contender;
use super::published::{self, Published, TABLE_1, TABLE_2};
use hodgelet::dataset::Dataset;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::source::{DataDirArgs, DatasetArgs};
use hodgelet_data::generate::{Builtin, builtin};
use serde_json::{Value, json};

/// One table.
#[derive(Debug)]
pub struct Experiment {
    /// Name of its files.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// What a row is.
    pub row_name: &'static str,
    /// Whether edges carry flows, and nothing else carries a signal.
    pub flows: bool,
    /// The rows.
    pub rows: Vec<Row>,
    /// The columns.
    pub models: Vec<Contender>,
    /// Which models are tested against each other, the older first.
    pub pairs: Vec<[Contender; 2]>,
}

/// One row.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// Its place on an axis, where rows have one.
    pub place: Option<f64>,
    /// Where its data come from.
    pub data: Data,
    /// Whether the row is left out, with a warning, when its data are not there.
    pub optional: bool,
    /// What the paper printed.
    pub published: Vec<(Contender, Published)>,
}

/// Where data come from.
#[derive(Debug)]
pub enum Data {
    /// A dataset by name or path.
    Named(String),
    /// A built-in one, drawn again for every seed.
    Drawn(Builtin),
}

impl Data {
    /// The dataset.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when it is not there, or cannot be read or drawn.
    pub fn load(&self, seed: u64, data_dir: &DataDirArgs) -> Result<Dataset, CommandError> {
        match self {
            Self::Drawn(recipe) => Ok(recipe.generate(seed)?),
            Self::Named(name) => {
                let source = DatasetArgs::named(name.clone(), seed, data_dir.clone());
                Ok(source.read_silently()?.dataset)
            }
        }
    }

    /// What tells these data from others.
    pub fn identity(&self) -> Value {
        match self {
            Self::Named(name) => json!(name),
            Self::Drawn(recipe) => json!({ "name": recipe.name(), "settings": recipe.parameters() }),
        }
    }

    /// Whether another seed gives other data.
    pub fn is_drawn(&self) -> bool {
        matches!(self, Self::Drawn(_))
    }
}

/// Table 1: six datasets.
pub fn table1(args: &RunArgs, sets: &[String]) -> Experiment {
    let named: Vec<&str> = match (sets, args.quick) {
        ([], true) => vec!["MUTAG", "ring-vs-clique", "sbm"],
        ([], false) => TABLE_1.iter().map(|(name, _)| *name).collect(),
        (sets, _) => sets.iter().map(String::as_str).collect(),
    };
    let row = |name: &&str| Row {
        label: (*name).to_owned(),
        place: None,
        data: builtin(name).map_or_else(|| Data::Named((*name).to_owned()), Data::Drawn),
        optional: sets.is_empty(),
        published: numbers(|model| published::table_1(name, model)),
    };
    Experiment {
        name: "table1",
        title: "Table 1: graph classification",
        row_name: "dataset",
        flows: false,
        rows: named.iter().map(row).collect(),
        models: chosen(args, &[Contender::Wt, Contender::Hodge, Contender::Own, Contender::Auto]),
        pairs: vec![
            [Contender::Wt, Contender::Hodge],
            [Contender::WtCombinatorial, Contender::Hodge],
            [Contender::Hodge, Contender::HodgeScaled],
            [Contender::Hodge, Contender::Own],
            [Contender::Own, Contender::Auto],
        ],
    }
}

/// Table 2: vector fields by the number of vertices.
///
/// # Errors
///
/// [`CommandError::Generate`] for a setting that does not exist.
pub fn table2(args: &RunArgs, sizes: &[usize], settings: &[String]) -> Result<Experiment, CommandError> {
    let sizes: Vec<usize> = match (sizes, args.quick) {
        ([], true) => vec![25, 100, 200],
        ([], false) => TABLE_2.iter().map(|(size, _)| *size).collect(),
        (sizes, _) => sizes.to_vec(),
    };
    let row = |size: usize| {
        let data = fields(settings, &[format!("n_vertices={size}")])?;
        let published = numbers(|model| published::table_2(size, model));
        Ok(Row { label: size.to_string(), place: Some(size as f64), data, optional: false, published })
    };
    let rows = ascending(sizes.into_iter().map(row).collect::<Result<_, CommandError>>()?);
    let (name, title) = ("table2", "Table 2: vector fields by the size of the mesh");
    Ok(of_fields(args, name, title, "N", rows))
}

/// Figure 1: vector fields by the level of their noise.
///
/// # Errors
///
/// [`CommandError::Generate`] for a setting that does not exist.
pub fn figure1(
    args: &RunArgs,
    levels: &[f64],
    vertices: usize,
    settings: &[String],
) -> Result<Experiment, CommandError> {
    let levels: &[f64] = match (levels, args.quick) {
        ([], true) => &[0.5, 1.0, 2.0],
        ([], false) => &[0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0],
        (levels, _) => levels,
    };
    let row = |&level: &f64| {
        let data = fields(settings, &[format!("n_vertices={vertices}"), format!("noise={level}")])?;
        let published = Vec::new(); // a picture without numbers
        Ok(Row { label: level.to_string(), place: Some(level), data, optional: false, published })
    };
    let rows = ascending(levels.iter().map(row).collect::<Result<_, CommandError>>()?);
    let (name, title) = ("figure1", "Figure 1: vector fields by the level of noise");
    Ok(of_fields(args, name, title, "noise", rows))
}

fn of_fields(
    args: &RunArgs,
    name: &'static str,
    title: &'static str,
    row_name: &'static str,
    rows: Vec<Row>,
) -> Experiment {
    let models = chosen(
        args,
        &[
            Contender::LineGraph,
            Contender::Hodge,
            Contender::Own,
            Contender::DeRham,
            Contender::White,
            Contender::Metric,
        ],
    );
    let pairs = vec![
        [Contender::LineGraph, Contender::Hodge],
        [Contender::Hodge, Contender::Own],
        [Contender::Hodge, Contender::DeRham],
        [Contender::DeRham, Contender::White],
        [Contender::Hodge, Contender::Metric],
    ];
    Experiment { name, title, row_name, flows: true, rows, models, pairs }
}

fn fields(settings: &[String], own: &[String]) -> Result<Data, CommandError> {
    let mut recipe = builtin("vector-fields").expect("the name of a built-in dataset");
    settings.iter().chain(own).try_for_each(|setting| recipe.set(setting))?;
    Ok(Data::Drawn(recipe))
}

/// Rows in the order of their places, each once: a line is drawn through them.
fn ascending(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| a.place.unwrap_or(0.0).total_cmp(&b.place.unwrap_or(0.0)));
    rows.dedup_by(|a, b| a.label == b.label);
    rows
}

fn numbers(of: impl Fn(Contender) -> Option<Published>) -> Vec<(Contender, Published)> {
    let models = [Contender::Wt, Contender::LineGraph, Contender::Hodge];
    models.into_iter().filter_map(|model| Some((model, of(model)?))).collect()
}

/// The models asked for, each once, or those of the table.
fn chosen(args: &RunArgs, default: &[Contender]) -> Vec<Contender> {
    let asked = if args.models.is_empty() { default } else { &args.models };
    let mut models: Vec<Contender> = Vec::new();
    for &model in asked {
        if !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

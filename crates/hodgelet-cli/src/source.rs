//! From the DATASET of a command line to a dataset in memory.
//!
//! DATASET is, in this order:
//!
//! 1. a path, when it is written as one (it contains a separator or ends in `.zip`, `.jsonl`, `.graphml`, `.gml`,
//!    `.json`, `.json.gz`, `.off`, `.obj`, `.ply`, `.csv`, `.tsv`, `.parquet`, `.edgelist` or `.edges`);
//! 2. the name of a built-in dataset, drawn with `--set` and `--seed`;
//! 3. a folder of that name, or a dataset of that name under `--data-dir` or `HODGELET_DATA`.
//!
//! A folder called `sbm` is therefore read as `./sbm`.

mod directory;
mod hint;
mod store;
mod table;

pub use directory::DataDirArgs;
pub use hint::nearest;

use crate::error::CommandError;
use crate::homology::Coefficients;
use crate::network::NetworkArgs;
use crate::progress::{Terminal, check_interrupt};
use crate::table::{Purpose, TableArgs};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hint::unknown_hint;
use hodgelet::complex::Expansion;
use hodgelet::dataset::Dataset;
use hodgelet::model::{Model, ModelError};
use hodgelet_data::generate::{Builtin, builtin};
use hodgelet_data::mantra::is_mantra;
use hodgelet_data::table::is_table;
use hodgelet_data::{EXTENSIONS, OpenError, OpenOptions, Parts, Read};
use hodgelet_data::{is_network, locate, open_parts, open_with};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which dataset.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data")]
pub struct DatasetArgs {
    /// A built-in name, a path (TU folder or zip, .jsonl, .graphml, .gml, HIF .json, MANTRA .json or .json.gz, .off, .obj, .ply, or a folder of
    /// such files; a .csv, .tsv or .parquet table of molecules; a table of edges, or a folder of lists of edges or
    /// adjacency matrices), or a name under the data directory
    ///
    /// A path is written with a separator or an extension; `./sbm` is a folder, `sbm` the built-in dataset.
    #[arg(value_name = "DATASET")]
    pub dataset: String,
    /// A parameter of a built-in dataset; repeat for several
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Which complex represents a hypergraph [default: what the file says, or zhou]
    #[arg(long, hide_short_help = true, value_name = "EXPANSION", value_parser = PossibleValuesParser::new(Expansion::NAMES).try_map(|n| n.parse::<Expansion>()))]
    pub hypergraph: Option<Expansion>,
    /// Homology of each graph as a whole, which becomes a block: Betti numbers over Z/P for a prime P and over the rationals
    /// for 0, and `torsion`, the logarithms of the orders of torsion; with commas between them, such as 0,2,torsion
    #[arg(long, hide_short_help = true, value_name = "P,...", value_delimiter = ',')]
    pub homology: Vec<Coefficients>,
    /// A CSV file with numbers of each graph as a whole, which become a block: a row for each graph, in order or with
    /// its name in a column `id`
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub columns: Option<PathBuf>,
    /// A CSV file with a fingerprint of each graph, which becomes a block: bits such as 0101…, or counted tags such as
    /// `17 203:2`; a row for each graph, in order or with its name in a column `id`
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub fingerprints: Option<PathBuf>,
    /// A Gram matrix of the graphs, in their order, which becomes a block: a .npy file, or lines of numbers with commas between
    /// them; repeat for several. To predict, a row for each new graph and a column for each graph of the model, and a last
    /// column with the product of each new graph with itself, unless that is the same for all
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub grams: Vec<PathBuf>,
    /// Graphs of each Gram matrix of the model that predicts
    #[arg(skip)]
    pub gram_sizes: Option<Vec<(String, usize)>>,
    #[command(flatten)]
    pub data_dir: DataDirArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub network: NetworkArgs,
}

impl DatasetArgs {
    /// A dataset by its name, with nothing said of it.
    #[must_use]
    pub fn named(dataset: String, seed: u64, data_dir: DataDirArgs) -> Self {
        Self {
            dataset,
            settings: Vec::new(),
            seed,
            hypergraph: None,
            columns: None,
            fingerprints: None,
            grams: Vec::new(),
            gram_sizes: None,
            homology: Vec::new(),
            data_dir,
            table: TableArgs::default(),
            network: Default::default(),
        }
    }

    /// The dataset, with a warning about what its reader cleaned up.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when there is no such dataset or it cannot be read.
    pub fn read(&self, terminal: Terminal) -> Result<Read, CommandError> {
        if let Some(table) = self.read_table(Some(terminal))? {
            return Ok(table.read);
        }
        let read = self.read_silently()?;
        warn_of(&read, terminal);
        terminal.detail(|| sizes(&read));
        Ok(read)
    }

    /// The same data, to be predicted by a model.
    #[must_use]
    pub fn for_model(&self, model: &Model) -> Self {
        let table = TableArgs { purpose: Purpose::prediction(model), ..self.table.clone() };
        Self { table, ..self.read_as(model) }
    }

    /// The same data, for a trained model to learn from.
    #[must_use]
    pub fn for_update(&self, model: &Model) -> Self {
        let table = TableArgs { purpose: Purpose::update(model), ..self.table.clone() };
        Self { table, ..self.read_as(model) }
    }

    /// The graph `index` among those that a model predicts, with its name. All rows of a table are counted, those that cannot be
    /// read included.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when the dataset or that graph cannot be read.
    pub fn read_graph(
        &self,
        model: &Model,
        index: usize,
        terminal: Terminal,
    ) -> Result<(Dataset, Option<String>), CommandError> {
        let source = self.for_model(model);
        let (read, place) = match source.read_table(Some(terminal))? {
            None => (source.read(terminal)?, index),
            Some(table) => {
                let fault = table.faults.iter().find(|fault| fault.row == index);
                if let Some(fault) = fault {
                    let (name, hint) = (table.read.dataset.name(), "graphs of a table are its rows, from 0");
                    return Err(CommandError::usage(format!("{name}, graph {index}: {fault}"), Some(hint)));
                }
                let len = table.table.len();
                let place = table.kept.binary_search(&index);
                (table.read, place.map_err(|_| ModelError::Index { index, len })?)
            }
        };
        let len = read.dataset.len();
        if place >= len {
            return Err(ModelError::Index { index, len }.into());
        }
        let id = read.ids.get(place).filter(|id| !id.is_empty()).cloned();
        Ok((read.dataset.select(&[place]), id))
    }

    /// The same data, read as the training data of a model were where flags do not say otherwise.
    #[must_use]
    fn read_as(&self, model: &Model) -> Self {
        let network = NetworkArgs { kept: model.summary().reading.clone(), ..self.network.clone() };
        let grams = model.space().measurer().grams();
        let gram_sizes = Some(grams.into_iter().map(|(name, n)| (name.to_owned(), n)).collect());
        Self { network, gram_sizes, ..self.clone() }
    }

    /// How the data are read where files leave it open, for a model to keep.
    #[must_use]
    pub fn reading(&self) -> BTreeMap<String, String> {
        self.network.reading(self.hypergraph)
    }

    fn options(&self) -> Result<OpenOptions, CommandError> {
        let options = self.network.options(self.hypergraph, &self.table)?;
        if !self.is_list_of_manifolds() {
            return Ok(options);
        }
        let target = |name: &String| {
            serde_json::from_value(serde_json::Value::String(name.clone())).map_err(|_| {
                let hint = "of manifolds, type, orientable, betti, betti-1 and betti-2 can be predicted";
                let message = format!("--target {name}, which a list of manifolds does not have");
                CommandError::usage(message, Some(hint))
            })
        };
        let manifolds = match self.table.target.as_slice() {
            [] => None,
            [name] => Some(target(name)?),
            [_, second, ..] => {
                let message = format!("--target {second}, but one thing is predicted of manifolds at a time");
                return Err(CommandError::usage(message, None));
            }
        };
        Ok(OpenOptions { manifolds, targets: Default::default(), ..options })
    }

    /// Whether the dataset is a file of MANTRA, of which `--target` says what is to be predicted.
    fn is_list_of_manifolds(&self) -> bool {
        let path = self.located();
        path.is_some_and(|path| path.is_file() && is_mantra(&path))
    }

    /// Where the dataset is on disk; none where it is drawn or not found.
    fn located(&self) -> Option<PathBuf> {
        if self.is_drawn() { None } else { locate(&self.dataset, self.data_dir.path()) }
    }

    /// Whether the dataset is a built-in one.
    fn is_drawn(&self) -> bool {
        !is_written_as_path(&self.dataset) && builtin(&self.dataset).is_some()
    }

    /// Whether a table is one of edges; one whose SMILES strings are named is not.
    fn is_network(&self, path: &Path, options: &OpenOptions) -> bool {
        self.table.smiles.is_none() && is_network(path, options)
    }

    /// Flags that say how a dataset is read are for one that is.
    fn check_useful(&self, path: Option<&Path>, options: &OpenOptions) -> Result<(), CommandError> {
        if path.is_none() && !self.is_drawn() {
            return Ok(()); // there is no such dataset, which its reader says
        }
        let name = &self.dataset;
        let is_molecules =
            path.is_some_and(|path| path.is_file() && is_table(path) && !self.is_network(path, options));
        let has_targets = path.is_some_and(|path| self.network.target_table(path, options).is_some());
        if let Some(flag) = self.table.first_flag(has_targets).filter(|_| !is_molecules) {
            let message = format!("{flag}, but `{name}` is not a table of molecules");
            let hint = match flag {
                "--sample-weight" => {
                    "for other graphs it names a column of --targets FILE; so does the column sample_weight of --columns FILE"
                }
                _ => "tables end in .csv, .tsv or .parquet",
            };
            return Err(CommandError::usage(message, Some(hint)));
        }
        if let Some(flag) = self.network.first_useless(path, options) {
            let message = format!("{flag}, but `{name}` is not GraphML, GML, a list of edges or a matrix");
            return Err(CommandError::usage(message, None));
        }
        let is_list = path.is_some_and(|path| path.is_file() && is_mantra(path));
        let has_column = is_molecules || is_list || self.network.has_target_column(path, options);
        match self.table.first_flag_of_targets().filter(|_| !has_column) {
            None => Ok(()),
            Some(flag) => {
                let message = format!("{flag}, but `{name}` is not a table and has no table of targets");
                Err(CommandError::usage(message, Some("--targets FILE names one")))
            }
        }
    }

    /// The dataset, to be read in parts: a JSONL file stays on disk.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when there is no such dataset or it cannot be read.
    pub fn parts(&self, terminal: Terminal) -> Result<Parts, CommandError> {
        let tables = self.columns.is_some() || self.fingerprints.is_some() || !self.grams.is_empty();
        if tables || !self.homology.is_empty() {
            // Rows of a table are matched with all graphs.
            return Ok(Parts::Whole(Box::new(self.read(terminal)?)));
        }
        let drawn = if is_written_as_path(&self.dataset) { None } else { builtin(&self.dataset) };
        if let Some(mut recipe @ Builtin::Molecules(_)) = drawn {
            self.all_settings().iter().try_for_each(|setting| recipe.set(setting))?;
            if let Builtin::Molecules(params) = recipe {
                return Ok(Parts::Drawn { molecules: params.check()?, seed: self.seed });
            }
        } else if drawn.is_some() {
            return Ok(Parts::Whole(Box::new(self.read(terminal)?)));
        }
        if let Some(table) = self.read_table(Some(terminal))? {
            return Ok(Parts::Whole(Box::new(table.read)));
        }
        self.check_not_store()?;
        let parts = open_parts(&self.dataset, self.data_dir.path(), self.options()?);
        let parts = parts.map_err(|error| self.explained(error))?;
        if let Parts::Whole(read) = &parts {
            warn_of(read, terminal);
        }
        check_interrupt()?;
        Ok(parts)
    }

    /// The files or folders that the dataset may be read from.
    #[must_use]
    pub fn inputs(&self) -> Vec<PathBuf> {
        let drawn = !is_written_as_path(&self.dataset) && builtin(&self.dataset).is_some();
        let files = match drawn {
            true => Vec::new(),
            false => hodgelet_data::inputs(&self.dataset, self.data_dir.path()),
        };
        let network = self.network.targets.clone().into_iter().chain(self.network.vertex_table.clone());
        files
            .into_iter()
            .chain(self.columns.clone())
            .chain(self.fingerprints.clone())
            .chain(self.grams.clone())
            .chain(network)
            .collect()
    }

    /// The dataset and the report of its reader.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when there is no such dataset or it cannot be read.
    pub fn read_silently(&self) -> Result<Read, CommandError> {
        if let Some(table) = self.read_table(None)? {
            return Ok(table.read);
        }
        let drawn = if is_written_as_path(&self.dataset) { None } else { builtin(&self.dataset) };
        let read = match drawn {
            Some(recipe) => draw(recipe, &self.all_settings(), self.seed)?,
            None => {
                self.check_no_settings()?;
                self.open()?
            }
        };
        check_interrupt()?;
        self.with_tables(read)
    }

    /// Settings of a built-in dataset are for one.
    fn check_no_settings(&self) -> Result<(), CommandError> {
        let Some(setting) = self.settings.first() else { return Ok(()) };
        let message = format!("--set {setting}, but `{}` is not a built-in dataset", self.dataset);
        Err(CommandError::usage(message, Some("`hodgelet datasets list` shows the built-in ones")))
    }

    /// The settings of a built-in dataset; `--hypergraph` is one of them.
    fn all_settings(&self) -> Vec<String> {
        let expansion = self.hypergraph.map(|expansion| format!("expansion={expansion}"));
        self.settings.iter().cloned().chain(expansion).collect()
    }

    fn open(&self) -> Result<Read, CommandError> {
        self.check_not_store()?;
        let read = open_with(&self.dataset, self.data_dir.path(), self.options()?);
        read.map_err(|error| self.explained(error))
    }

    /// The error, with what may have been meant.
    fn explained(&self, error: OpenError) -> CommandError {
        match error {
            source @ OpenError::NotFound { .. } => {
                CommandError::UnknownDataset { source: Box::new(source), hint: unknown_hint(&self.dataset) }
            }
            error => error.into(),
        }
    }
}

/// How much was read, for --verbose.
fn sizes(read: &Read) -> String {
    let dataset = &read.dataset;
    let cells = |dim: usize| dataset.complexes().iter().map(|c| c.n_cells(dim)).sum::<usize>();
    let columns: Vec<&str> = dataset.columns().iter().map(|column| column.name.as_str()).collect();
    let (name, n) = (dataset.name(), dataset.len());
    format!(
        "read {name}: {n} graphs, {} vertices, {} edges; columns {}",
        cells(0),
        cells(1),
        columns.join(", ")
    )
}

/// Says what a reader cleaned up.
fn warn_of(read: &Read, terminal: Terminal) {
    read.report.notes.iter().for_each(|note| terminal.note(note));
    if !read.report.is_clean() {
        let what = read.report.to_string().replace('\n', "; ");
        terminal.warn(&format!("{}: {what}", read.dataset.name()));
    }
}

/// Draws a built-in dataset.
///
/// # Errors
///
/// [`CommandError::Generate`] when a setting is invalid.
pub fn draw(mut recipe: Builtin, settings: &[String], seed: u64) -> Result<Read, CommandError> {
    settings.iter().try_for_each(|setting| recipe.set(setting))?;
    let dataset = recipe.generate(seed)?;
    check_interrupt()?;
    Ok(Read::clean(dataset))
}

fn is_written_as_path(name: &str) -> bool {
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    name.contains(std::path::is_separator) || extension.is_some_and(|e| EXTENSIONS.contains(&e.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_with_a_separator_or_an_extension() {
        for path in ["./sbm", "data/MUTAG", "MUTAG.zip", "x.JSONL", "a.gml"] {
            assert!(is_written_as_path(path), "{path}");
        }
        for name in ["sbm", "MUTAG", "v1.5", ""] {
            assert!(!is_written_as_path(name), "{name}");
        }
    }
}

//! `hodgelet datasets`: lists datasets and downloads more.

use crate::download::{ChecksumSource, DownloadParams, Downloaded, KNOWN_DATASETS, KnownDataset};
use crate::error::CommandError;
use crate::output::{self, Format, Report, facts, number, table};
use crate::progress::Terminal;
use crate::source::DataDirArgs;
use clap::{Args, Subcommand};
use hodgelet_data::datasets_in;
use hodgelet_data::generate::Builtin;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Subcommands of `hodgelet datasets`.
#[derive(Debug, Subcommand)]
pub enum DatasetsCommand {
    /// Names that commands accept: built-in, in the data directory, and ready to download
    List(ListArgs),
    /// Downloads a dataset of the TU collection, or MANTRA, into the data directory
    Get(GetArgs),
}

/// Flags of `hodgelet datasets list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    #[command(flatten)]
    place: DataDirArgs,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Flags of `hodgelet datasets get`.
#[derive(Args, Debug)]
#[command(after_help = "An interrupted download continues where it stopped. The archive is verified and its
checksum recorded beside it; when it is there already, it is verified again.

Examples:
  hodgelet datasets get MUTAG --data-dir datasets
  hodgelet info MUTAG --data-dir datasets
  hodgelet datasets get mantra-2d --data-dir datasets")]
pub struct GetArgs {
    /// Name of the dataset, as the collection writes it
    name: String,
    #[command(flatten)]
    place: DataDirArgs,
    /// Address of the directory that holds NAME.zip, or 2_manifolds.json.gz for mantra-2d [default: that of the collection]
    #[arg(long, value_name = "BASE")]
    url: Option<String>,
    /// SHA-256 checksum that the archive must have
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    /// Do not compare the files with those of the collection that are known; counts are still compared
    #[arg(long)]
    unpinned: bool,
    /// Download again even if the archive is there
    #[arg(long)]
    force: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Lists datasets or gets one.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(command: &DatasetsCommand, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        DatasetsCommand::List(args) => output::print(&list(args), args.format),
        DatasetsCommand::Get(args) => output::print(&get(args, terminal)?, args.format),
    }
}

#[derive(Debug, Serialize)]
struct Listing {
    builtin: Vec<BuiltinInfo>,
    data_dir: Option<PathBuf>,
    local: Vec<String>,
    downloadable: Vec<Downloadable>,
}

#[derive(Debug, Serialize)]
struct BuiltinInfo {
    name: &'static str,
    description: &'static str,
}

#[derive(Debug, Serialize)]
struct Downloadable {
    name: &'static str,
    graphs: u32,
    classes: Option<u32>,
    mean_vertices: f64,
    mean_edges: f64,
}

fn list(args: &ListArgs) -> Listing {
    let builtin = |recipe: Builtin| BuiltinInfo { name: recipe.name(), description: recipe.description() };
    let known = |set: &KnownDataset| Downloadable {
        name: set.name,
        graphs: set.graphs,
        classes: set.classes,
        mean_vertices: set.mean_vertices,
        mean_edges: set.mean_edges,
    };
    Listing {
        builtin: Builtin::all().into_iter().map(builtin).collect(),
        data_dir: args.place.path().map(Path::to_owned),
        local: args.place.path().map(datasets_in).unwrap_or_default(),
        downloadable: KNOWN_DATASETS.iter().map(known).collect(),
    }
}

impl Report for Listing {
    fn text(&self) -> String {
        let builtin = self.builtin.iter().map(|set| vec![set.name.to_owned(), set.description.to_owned()]);
        let mut sections = vec![table(&["built-in", ""], &[], builtin)];
        if let Some(dir) = &self.data_dir {
            let header = format!("in {}", dir.display());
            let names = if self.local.is_empty() { vec!["(none)".to_owned()] } else { self.local.clone() };
            sections.push(format!("{header}\n{}", names.join("\n")));
        }
        let row = |set: &Downloadable| {
            let classes = set.classes.map_or("real".to_owned(), |n| n.to_string());
            let sizes = [set.mean_vertices, set.mean_edges].map(number);
            [set.name.to_owned(), set.graphs.to_string(), classes].into_iter().chain(sizes).collect()
        };
        let header = ["downloadable", "graphs", "classes", "mean vertices", "mean edges"];
        sections.push(table(&header, &[1, 2, 3, 4], self.downloadable.iter().map(row)));
        sections.join("\n\n")
    }
}

#[derive(Debug, Serialize)]
struct Got {
    name: String,
    path: PathBuf,
    sha256: String,
    compared_with: &'static str,
    was_there: bool,
}

fn get(args: &GetArgs, terminal: Terminal) -> Result<Got, CommandError> {
    let Some(dir) = args.place.path() else {
        let hint = "give --data-dir DIR or set HODGELET_DATA";
        return Err(CommandError::usage("no directory to download into", Some(hint)));
    };
    let standard = DownloadParams::new(&args.name, dir);
    let params = DownloadParams {
        base_url: args.url.clone().unwrap_or_else(|| standard.base_url.clone()),
        sha256: args.sha256.clone(),
        unpinned: args.unpinned,
        force: args.force,
        ..standard
    };
    let bar = terminal.byte_bar("downloading");
    let found = params.check()?.fetch(|progress| {
        progress.total.into_iter().for_each(|total| bar.set_total(total));
        bar.at(progress.received)
    })?;
    Ok(Got::new(&args.name, found))
}

impl Got {
    fn new(name: &str, found: Downloaded) -> Self {
        let compared_with = match found.compared_with {
            ChecksumSource::Given => "the one given",
            ChecksumSource::Server => "the one on the server",
            ChecksumSource::Recorded => "the one recorded at the download",
            ChecksumSource::Nowhere => "nothing, no checksum is published",
        };
        let Downloaded { path, sha256, was_there, .. } = found;
        Self { name: name.to_owned(), path, sha256, compared_with, was_there }
    }
}

impl Report for Got {
    fn text(&self) -> String {
        let state = if self.was_there { "was there, verified" } else { "downloaded, verified" };
        facts(&[
            (self.name.as_str(), state.to_owned()),
            ("path", self.path.display().to_string()),
            ("sha256", self.sha256.clone()),
            ("compared with", self.compared_with.to_owned()),
        ])
    }
}

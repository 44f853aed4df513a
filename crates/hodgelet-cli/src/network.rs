//! Networks on the command line: what directions and weights become, and where tables of edges have what.

use crate::error::CommandError;
use crate::table::TableArgs;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hodgelet::complex::Expansion;
use hodgelet_data::graphs::{ArcOptions, Directed, EdgeWeights};
use hodgelet_data::networks::{Layout, NetworkOptions};
use hodgelet_data::targets::TargetOptions;
use hodgelet_data::{OpenOptions, has_arcs, targets_in};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How networks are read.
#[derive(Args, Clone, Debug, Default)]
pub struct NetworkArgs {
    /// What the directions of a directed network become [default: error]
    ///
    /// ignore reads arcs as edges. flow makes two signals of every number on arcs: half the sum of both directions, and half
    /// their difference, which flows along the edge; an arc that is not there has 0, and arcs without numbers count 1. For
    /// GraphML, GML, lists of edges and matrices; a model keeps the choice.
    #[arg(long, value_name = "WHAT", value_parser = PossibleValuesParser::new(Directed::NAMES).try_map(|n| n.parse::<Directed>()))]
    pub directed: Option<Directed>,
    /// What the attribute `weight` of edges is: signal, laplacian (it weighs the edges there), or laplacian=NAME for another
    /// attribute; a model keeps the choice
    #[arg(long, value_name = "WHAT")]
    pub weights: Option<EdgeWeights>,
    /// Table of targets, with a row for each graph: its name in a column graph, id, file or name, its target in the column
    /// that --target names [default: targets.csv of a folder]
    #[arg(long, value_name = "FILE")]
    pub targets: Option<PathBuf>,
    /// Column that says which graph an edge is of, in a table of edges
    #[arg(long, hide_short_help = true, value_name = "COLUMN")]
    pub graph_column: Option<String>,
    /// Columns of the two ends of edges, with a comma between them [default: source,target or from,to and others]
    #[arg(long, hide_short_help = true, value_name = "TAIL,HEAD")]
    pub ends: Option<Ends>,
    /// Whether rows of a table are edges or those of an adjacency matrix [default: what the files say]
    #[arg(long, hide_short_help = true, value_name = "WHAT", value_parser = PossibleValuesParser::new(Layout::NAMES).try_map(|n| n.parse::<Layout>()))]
    pub layout: Option<Layout>,
    /// Table of vertices: the names of their graph and of themselves in columns graph and vertex, and their attributes
    /// [default: vertices.csv of a folder]
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub vertex_table: Option<PathBuf>,
    /// How the training data of a model were read.
    #[arg(skip)]
    pub kept: BTreeMap<String, String>,
}

/// Names of two columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends([String; 2]);

impl FromStr for Ends {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(',').map(|(tail, head)| [tail.trim(), head.trim()]) {
            Some(names) if names.iter().all(|name| !name.is_empty()) => Ok(Self(names.map(str::to_owned))),
            _ => Err("expected the names of two columns with a comma between them".to_owned()),
        }
    }
}

impl NetworkArgs {
    /// The choices that a model keeps, by name.
    #[must_use]
    pub fn reading(&self, hypergraph: Option<Expansion>) -> BTreeMap<String, String> {
        let given = [
            ("directed", self.directed.map(|choice| choice.to_string())),
            ("weights", self.weights.as_ref().map(ToString::to_string)),
            ("graph-column", self.graph_column.clone()),
            ("ends", self.ends.as_ref().map(|Ends(names)| names.join(","))),
            ("layout", self.layout.map(|choice| choice.to_string())),
            ("hypergraph", hypergraph.map(|choice| choice.to_string())),
        ];
        let given = given.into_iter().filter_map(|(name, choice)| Some((name.to_owned(), choice?)));
        self.kept.clone().into_iter().chain(given).collect()
    }

    /// How files are read: as the flags say, or else as those that a model was trained on.
    ///
    /// # Errors
    ///
    /// [`CommandError::Usage`] when a model has a choice that this program does not know.
    pub fn options(
        &self,
        hypergraph: Option<Expansion>,
        table: &TableArgs,
    ) -> Result<OpenOptions, CommandError> {
        let arcs = ArcOptions {
            directed: self.choice("directed", self.directed)?.unwrap_or_default(),
            weights: self.choice("weights", self.weights.clone())?,
        };
        let networks = NetworkOptions {
            arcs,
            graph: self.choice("graph-column", self.graph_column.clone())?,
            ends: self.choice("ends", self.ends.clone())?.map(|Ends(names)| names),
            layout: self.choice("layout", self.layout)?,
            vertices: self.vertex_table.clone(),
            targets: Vec::new(),
        };
        let targets = TargetOptions {
            table: self.targets.clone(),
            columns: table.target.clone(),
            weight: table.sample_weight.clone(),
            kind: table.target_kind(),
            to_predict: table.purpose.is_prediction(),
        };
        let hypergraph = match hypergraph {
            Some(hypergraph) => Some(hypergraph),
            None => self.kept.get("hypergraph").map(|name| name.parse()).transpose().map_err(unknown)?,
        };
        Ok(OpenOptions { hypergraph, networks, targets, manifolds: None })
    }

    /// A choice of the user, or else of the model.
    fn choice<T: FromStr<Err: ToString>>(
        &self,
        name: &str,
        given: Option<T>,
    ) -> Result<Option<T>, CommandError> {
        match given {
            Some(given) => Ok(Some(given)),
            None => self.kept.get(name).map(|kept| kept.parse()).transpose().map_err(unknown),
        }
    }

    /// The first flag that the file or folder `path` has no use for.
    #[must_use]
    pub fn first_useless(&self, path: Option<&Path>, options: &OpenOptions) -> Option<&'static str> {
        let arcs = path.is_some_and(|path| has_arcs(path, options));
        let given = [
            (self.directed.is_some() && !arcs, "--directed"),
            (self.weights.is_some() && !arcs, "--weights"),
            (self.graph_column.is_some() && !arcs, "--graph-column"),
            (self.ends.is_some() && !arcs, "--ends"),
            (self.layout.is_some() && !arcs, "--layout"),
            (self.vertex_table.is_some() && !arcs, "--vertex-table"),
            (self.targets.is_some() && path.is_none(), "--targets"),
        ];
        given.into_iter().find_map(|(is_useless, flag)| is_useless.then_some(flag))
    }

    /// The table of targets of a file or folder, if there is one.
    #[must_use]
    pub fn target_table(&self, path: &Path, options: &OpenOptions) -> Option<PathBuf> {
        let beside = || if path.is_dir() && has_arcs(path, options) { targets_in(path) } else { None };
        self.targets.clone().or_else(beside)
    }

    /// Whether targets are in a column that may be named.
    #[must_use]
    pub fn has_target_column(&self, path: Option<&Path>, options: &OpenOptions) -> bool {
        let Some(path) = path else { return false };
        self.targets.is_some() || has_arcs(path, options) && (path.is_file() || targets_in(path).is_some())
    }
}

fn unknown(error: impl ToString) -> CommandError {
    let message = format!("the model was trained on data read with {}", error.to_string());
    CommandError::usage(message, Some("a newer version of hodgelet may know it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_go_before_what_a_model_keeps() {
        let args = NetworkArgs { directed: Some(Directed::Flow), ..NetworkArgs::default() };
        let kept = args.reading(None);
        assert_eq!(kept, BTreeMap::from([("directed".to_owned(), "flow".to_owned())]));
        let later = NetworkArgs { kept, ..NetworkArgs::default() };
        let options = later.options(None, &TableArgs::default()).unwrap();
        assert_eq!(options.networks.arcs.directed, Directed::Flow);
        let other = NetworkArgs { directed: Some(Directed::Ignore), ..later };
        let options = other.options(None, &TableArgs::default()).unwrap();
        assert_eq!(options.networks.arcs.directed, Directed::Ignore);
    }

    #[test]
    fn every_choice_comes_back_from_its_text() {
        let args = NetworkArgs {
            directed: Some(Directed::Ignore),
            weights: Some(EdgeWeights::Laplacian("a=b".to_owned())),
            graph_column: Some("net".to_owned()),
            ends: Some("from,to".parse().unwrap()),
            layout: Some(Layout::Edges),
            ..NetworkArgs::default()
        };
        let table = TableArgs::default();
        let given = args.options(Some(Expansion::Star), &table).unwrap();
        let kept = NetworkArgs { kept: args.reading(Some(Expansion::Star)), ..NetworkArgs::default() };
        assert_eq!(kept.options(None, &table).unwrap(), given);
        let odd = BTreeMap::from([("directed".to_owned(), "sideways".to_owned())]);
        let error = NetworkArgs { kept: odd, ..NetworkArgs::default() }.options(None, &table).unwrap_err();
        assert!(error.to_string().contains("directed `sideways`, expected one of error, ignore, flow"));
    }
}

//! Writes the parameters of the Python estimators, `python/hodgelet/_parameters`, from the settings of the library.
//!
//! ```text
//! cargo run -p hodgelet --example python_parameters python/hodgelet/_parameters
//! ```
//!
//! `./test` fails when the files differ from what this writes.

use hodgelet::settings::{Field, Fields, Kind, Settings, former_names};
use serde_json::Value;
use std::path::PathBuf;

/// Longest line of the file.
const WIDTH: usize = 119;

/// A parameter of an estimator.
struct Parameter {
    name: &'static str,
    annotation: String,
    default: String,
    /// What numpydoc shows behind the name.
    kind: String,
    help: String,
}

/// Parameters that say how graphs are read or how the work is done, and not which model is trained.
const AUTO: [&str; 5] = [
    "auto",
    "bool",
    "False",
    "bool",
    "Whether other settings (likelihood, Laplacian, signals, blocks, kernel, lengthscales, filters, starts) are tried, and \
     kept where they raise the probability of training targets, by models fitted without them, by more than one standard \
     error. ``search_`` then says what was tried.",
];
const OF_TRANSFORMER: [[&str; 5]; 2] = [
    [
        "output",
        "str",
        "\"features\"",
        "{\"features\", \"measures\"}",
        "What ``transform`` returns: an array ``[n_graphs, n_columns]``, or `EnergyMeasures`.",
    ],
    [
        "standardize",
        "bool",
        "True",
        "bool",
        "Whether columns have mean 0 and standard deviation 1 over the graphs of ``fit``; columns that do not vary become 0.",
    ],
];
const OF_ALL: [[&str; 5]; 8] = [
    [
        "vertex_attrs",
        "Any",
        "None",
        "optional",
        "Attributes of vertices that are read, see `hodgelet.as_batch`.",
    ],
    ["edge_attrs", "Any", "None", "optional", "Attributes of edges that are read."],
    ["oriented", "Sequence[str]", "()", "sequence of str", "Attributes of edges that are flows."],
    [
        "weights",
        "Mapping[int, str] | None",
        "None",
        "mapping from dimension to name, optional",
        "Attributes that weigh cells in the Laplacian instead of being signals, by dimension: ``{1: \"weight\"}``.",
    ],
    [
        "directed",
        "str | None",
        "None",
        "{\"error\", \"ignore\", \"flow\"}, optional",
        "What the directions of arcs become; without it the values of the two directions decide.",
    ],
    ["hypergraph", "str", "\"star\"", "str", "What a hypergraph becomes, see `hodgelet.as_batch`."],
    [
        "n_jobs",
        "int | None",
        "None",
        "int, optional",
        "Number of threads; all processors by default. Results do not depend on it.",
    ],
    ["verbose", "int", "0", "int", "Whether progress is shown, with tqdm where it is installed."],
];

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let Some(folder) = folder else { return Err(std::io::Error::other("expected the folder to write to")) };
    std::fs::create_dir_all(&folder)?;
    let training: fn(&Field<Settings>) -> bool = |_| true;
    let regression: fn(&Field<Settings>) -> bool = |field| field.attribute("classes").is_none();
    let files = [
        ("__init__", names()),
        ("_classifier", class("ClassifierParameters", training, &[AUTO], false)),
        ("_regressor", class("RegressorParameters", regression, &[AUTO], false)),
        ("_transformer", class("TransformerParameters", Settings::shapes_features, &OF_TRANSFORMER, true)),
    ];
    files.iter().try_for_each(|(name, text)| std::fs::write(folder.join(format!("{name}.py")), text))
}

/// The head of every file.
const HEAD: &str = "made from the settings of the library.

Written by ``cargo run -p hodgelet --example python_parameters python/hodgelet/_parameters``; do not edit.
\"\"\"

from __future__ import annotations
";

/// Names that parameters have beside their own.
fn names() -> String {
    let aliases = Settings::FIELDS
        .iter()
        .filter_map(|f| Some(format!("    \"{}\": \"{}\",\n", f.attribute("alias")?, f.name)));
    let former = |field: &Field<Settings>| {
        let now = field.attribute("now").unwrap_or(field.python_name()).to_owned();
        former_names(field).map(move |name| format!("    \"{name}\": \"{now}\",\n")).collect::<String>()
    };
    format!(
        "\"\"\"Parameters of the estimators, {HEAD}
from hodgelet._parameters._classifier import ClassifierParameters
from hodgelet._parameters._regressor import RegressorParameters
from hodgelet._parameters._transformer import TransformerParameters

__all__ = [\"ALIASES\", \"RENAMED\", \"ClassifierParameters\", \"RegressorParameters\", \"TransformerParameters\"]

# Parameters with scikit-learn's names, and the settings that they are.
ALIASES = {{
{}}}

# Names of earlier versions, and what is written today.
RENAMED = {{
{}}}
",
        aliases.collect::<String>(),
        Settings::FIELDS.iter().map(former).collect::<String>()
    )
}

fn class(
    name: &str,
    has: fn(&Field<Settings>) -> bool,
    own: &[[&'static str; 5]],
    untrained: bool,
) -> String {
    let mut parameters: Vec<Parameter> = Settings::FIELDS
        .iter()
        .filter(|field| has(field))
        .map(|field| of_setting(field, untrained))
        .collect();
    let others = own.iter().chain(&OF_ALL).map(|[name, annotation, default, kind, help]| Parameter {
        name,
        annotation: (*annotation).to_owned(),
        default: (*default).to_owned(),
        kind: (*kind).to_owned(),
        help: (*help).to_owned(),
    });
    parameters.extend(others);
    let described = |p: &Parameter| {
        format!("{}\n{}\n", wrapped(&format!("{} : {}", p.name, p.kind), 4), wrapped(&p.help, 8))
    };
    let argument = |Parameter { name, annotation, default, .. }: &Parameter| {
        format!("        {name}: {annotation} = {default},\n")
    };
    let set = |Parameter { name, .. }: &Parameter| format!("        self.{name} = {name}\n");
    format!(
        "\"\"\"Parameters of an estimator, {HEAD}
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [\"{name}\"]


class {name}:
    \"\"\"What an estimator takes.

    Parameters
    ----------
{}
    \"\"\"

    def __init__(
        self,
        *,
{}    ) -> None:
{}",
        parameters.iter().map(described).collect::<String>(),
        parameters.iter().map(argument).collect::<String>(),
        parameters.iter().map(set).collect::<String>(),
    )
}

fn of_setting(field: &Field<Settings>, untrained: bool) -> Parameter {
    let default = match field.name {
        "scales" if untrained => "\"reference\"".to_owned(),
        _ => literal(&(field.get)(&Settings::default())),
    };
    let (annotation, kind) = match field.name {
        "signed" => ("Any".to_owned(), "str or list of cycles, optional".to_owned()),
        "seed" => ("Any".to_owned(), "int, RandomState, Generator or None".to_owned()),
        _ => (annotation(&(field.kind)()), described(&(field.kind)())),
    };
    let help = match field.name {
        "seed" => "Seed of the initial scales; ``None`` draws one from NumPy.".to_owned(),
        _ => field.help().replace('`', "``"),
    };
    Parameter { name: field.python_name(), annotation, default, kind, help }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("({})", values.join(", "))
        }
        other => other.to_string(),
    }
}

fn annotation(kind: &Kind) -> String {
    match kind {
        Kind::Flag => "bool".to_owned(),
        Kind::Count => "int".to_owned(),
        Kind::Number => "float".to_owned(),
        Kind::Choice(_) | Kind::Text(_) => "str".to_owned(),
        Kind::Pair => "tuple[float, float]".to_owned(),
        Kind::List(kind) => format!("Sequence[{}]", annotation(kind)),
        Kind::Optional(kind) => format!("{} | None", annotation(kind)),
    }
}

fn described(kind: &Kind) -> String {
    match kind {
        Kind::Choice(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            format!("{{{}}}", names.join(", "))
        }
        Kind::Pair => "pair of float".to_owned(),
        Kind::List(kind) => format!("sequence of {}", described(kind)),
        Kind::Optional(kind) => format!("{}, optional", described(kind)),
        kind => annotation(kind),
    }
}

/// Text in lines of at most [`WIDTH`], indented.
fn wrapped(text: &str, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            // A name with its choices goes on indented.
            Some(_) if indent == 4 => lines.push(format!("{:8}{word}", "")),
            _ => lines.push(format!("{:indent$}{word}", "")),
        }
    }
    lines.join("\n")
}

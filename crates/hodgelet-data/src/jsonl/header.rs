//! The first line of a JSONL file.

use super::field::{Field, Path};
use super::{GRAPH, JsonlError, VERSION};
use hodgelet::complex::Expansion;
use hodgelet::dataset::{MAX_DIM, WHOLE};
use hodgelet::signal::Orientation;

/// What the header says of all complexes.
#[derive(Clone)]
pub(super) struct Header {
    pub name: Option<String>,
    /// Number of complexes, where the file says it: one that was cut off is noticed.
    pub complexes: Option<usize>,
    pub target: TargetKind,
    pub columns: Vec<ColumnHeader>,
    /// Default expansion of hypergraphs.
    pub expansion: Option<Expansion>,
}

/// What is to be predicted.
#[derive(Clone)]
pub(super) enum TargetKind {
    None,
    Real,
    Class { names: Option<Vec<String>> },
}

/// A column, without its values.
#[derive(Clone)]
pub(super) struct ColumnHeader {
    pub name: String,
    pub dim: usize,
    pub kind: ColumnKind,
}

#[derive(Clone)]
pub(super) enum ColumnKind {
    Labels { categories: Option<Vec<String>> },
    Real { channels: Vec<String>, orientation: Orientation },
}

impl Header {
    pub fn parse(line: Field<'_>) -> Result<Self, JsonlError> {
        let version = line.need("hodgelet")?;
        if version.value.as_u64() != Some(VERSION) {
            let (file, found) = (line.file.to_owned(), version.value.to_string());
            return Err(JsonlError::Version { file, line: line.line, found });
        }
        line.only(&["hodgelet", "name", "complexes", "target", "classes", "columns", "hypergraph"])?;
        let name = line.get("name")?.map(|name| name.string().map(str::to_owned)).transpose()?;
        let complexes = line.get("complexes")?.map(|count| count.count(usize::MAX)).transpose()?;
        let mut columns: Vec<ColumnHeader> = Vec::new();
        if let Some(list) = line.get("columns")? {
            for (i, value) in list.array()?.iter().enumerate() {
                let field = list.with(Path::Index(&list.path, i), value);
                let column = ColumnHeader::parse(field)?;
                if columns.iter().any(|c| c.dim == column.dim && c.name == column.name) {
                    return Err(field.error(format!("`{}` a second time", column.name), "a new name"));
                }
                columns.push(column);
            }
        }
        let expansion = line.get("hypergraph")?.map(expansion).transpose()?;
        Ok(Self { name, complexes, target: TargetKind::parse(line)?, columns, expansion })
    }

    /// Whether there are as many lines as the header says.
    pub fn check_count(&self, file: &str, found: usize) -> Result<(), JsonlError> {
        match self.complexes {
            Some(expected) if expected != found => {
                Err(JsonlError::Count { file: file.to_owned(), expected, found })
            }
            _ => Ok(()),
        }
    }
}

impl TargetKind {
    fn parse(line: Field<'_>) -> Result<Self, JsonlError> {
        let classes = line.get("classes")?;
        let kind = match line.get("target")? {
            None => Self::None,
            Some(target) => match target.string()? {
                "none" => Self::None,
                "real" => Self::Real,
                "class" => Self::Class { names: classes.map(distinct_names).transpose()? },
                other => return Err(target.error(format!("`{other}`"), "`class`, `real` or `none`")),
            },
        };
        match (&kind, classes) {
            (Self::None | Self::Real, Some(classes)) => {
                Err(classes.error("names of classes", "none, as the target is not `class`"))
            }
            _ => Ok(kind),
        }
    }
}

impl ColumnHeader {
    fn parse(field: Field<'_>) -> Result<Self, JsonlError> {
        let name = field.need("name")?.string()?.to_owned();
        let dim = field.need("dim")?;
        let dim = if dim.value.as_str() == Some(GRAPH) { WHOLE } else { dim.count(MAX_DIM)? };
        let kind = field.need("kind")?;
        let kind = match kind.string()? {
            "labels" => {
                field.only(&["name", "dim", "kind", "categories"])?;
                ColumnKind::Labels { categories: field.get("categories")?.map(distinct_names).transpose()? }
            }
            "real" => {
                field.only(&["name", "dim", "kind", "channels", "oriented"])?;
                let oriented = field.get("oriented")?.map(|o| o.boolean()).transpose()?.unwrap_or(false);
                let orientation = if oriented { Orientation::Oriented } else { Orientation::Unoriented };
                ColumnKind::Real { channels: field.need("channels")?.names()?, orientation }
            }
            other => return Err(kind.error(format!("`{other}`"), "`labels` or `real`")),
        };
        Ok(Self { name, dim, kind })
    }
}

fn expansion(field: Field<'_>) -> Result<Expansion, JsonlError> {
    let name = field.string()?;
    name.parse()
        .map_err(|_| field.error(format!("`{name}`"), format!("one of {}", Expansion::NAMES.join(", "))))
}

fn distinct_names(field: Field<'_>) -> Result<Vec<String>, JsonlError> {
    let names = field.names()?;
    let mut seen = std::collections::HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(names),
        Some(name) => Err(field.error(format!("`{name}` a second time"), "distinct names")),
    }
}

//! One manifold of a MANTRA file.

use super::{ManifoldTarget, MantraError};
use crate::generate::ManifoldKind;
use hodgelet::complex::Complex;
use serde_json::{Map, Value};

/// A manifold as read.
pub(super) struct Entry {
    pub(super) id: Option<String>,
    pub(super) complex: Complex,
    pub(super) kind: ManifoldKind,
    pub(super) class: String,
}

/// The elements of a list, each with the line it starts on. Lists of hundreds of thousands of manifolds are parsed one by one.
pub(super) fn slices<'a>(file: &str, text: &'a [u8]) -> Result<Vec<(usize, &'a [u8])>, MantraError> {
    let mut line = 1;
    let wrong = |line: usize, at: usize, expected: &'static str| MantraError::List {
        file: file.to_owned(),
        line,
        found: match text.get(at) {
            None => "the end of the file".to_owned(),
            Some(_) => quoted(&text[at..text.len().min(at + 20)]),
        },
        expected,
    };
    let mut out = Vec::new();
    let mut start: Option<(usize, usize)> = None; // line and place of the element that is open
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    let mut comma = false; // whether an element must follow
    for (at, &byte) in text.iter().enumerate() {
        line += usize::from(byte == b'\n');
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match (depth, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (0, b'[') if out.is_empty() && start.is_none() && !comma => depth = 1,
            (0, _) => return Err(wrong(line, at, "one list of manifolds")),
            (1, b'{') if start.is_none() && (out.is_empty() || comma) => {
                (start, depth, comma) = (Some((line, at)), 2, false);
            }
            (1, b',') if !out.is_empty() && !comma => comma = true,
            (1, b']') if !comma => {
                let rest = text[at + 1..].iter().position(|byte| !byte.is_ascii_whitespace());
                return match rest {
                    Some(more) => Err(wrong(line, at + 1 + more, "the end of the file")),
                    None => Ok(out),
                };
            }
            (1, _) => return Err(wrong(line, at, "objects parted by commas")),
            (_, b'"') => in_string = true,
            (_, b'{' | b'[') => depth += 1,
            (_, b'}' | b']') => {
                depth -= 1;
                if let (1, Some((line, from))) = (depth, start) {
                    out.push((line, &text[from..=at]));
                    start = None;
                }
            }
            _ => {}
        }
    }
    Err(wrong(line, text.len(), "a list of manifolds in brackets"))
}

/// The beginning of a text, in quotes.
fn quoted(text: &[u8]) -> String {
    format!("`{}`", crate::text::excerpt(text))
}

/// Where a manifold stands.
struct At<'a> {
    file: &'a str,
    index: usize,
    line: usize,
}

impl At<'_> {
    fn error(&self, key: &'static str, found: &Value, expected: impl Into<String>) -> MantraError {
        let found = match found {
            Value::Array(list) => format!("a list of {}", list.len()),
            Value::Object(_) => "an object".to_owned(),
            Value::Null => "nothing".to_owned(),
            plain => quoted(plain.to_string().as_bytes()),
        };
        let (file, index, line) = (self.file.to_owned(), self.index, self.line);
        MantraError::Entry { file, index, line, key, found, expected: expected.into() }
    }
}

impl Entry {
    pub(super) fn parse(
        file: &str,
        index: usize,
        line: usize,
        text: &[u8],
        target: ManifoldTarget,
    ) -> Result<Self, MantraError> {
        let at = At { file, index, line };
        let not_json = |message: String| MantraError::Json { file: file.to_owned(), index, line, message };
        let object = match hodgelet::json::parse(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err(not_json("found no object".to_owned())),
            Err(error) => return Err(not_json(error.to_string())),
        };
        let complex = at.complex(&object)?;
        let (betti, orientable, name) =
            (at.betti(&object, complex.dim())?, at.orientable(&object)?, at.name(&object)?);
        let computed = match (&betti, orientable) {
            (Some(_), Some(_)) => None,
            _ => ManifoldKind::of(&complex),
        };
        let unknown = |key: &'static str| {
            at.error(key, &Value::Null, "it to be given where the triangulation is not a closed manifold")
        };
        let kind = ManifoldKind {
            is_twisted: match (orientable, &computed) {
                (Some(orientable), _) => !orientable,
                (None, Some(kind)) => kind.is_twisted,
                // Who asks for something else need not know.
                (None, None) if target == ManifoldTarget::Orientable => return Err(unknown("orientable")),
                (None, None) => false,
            },
            betti: match (betti, computed) {
                (Some(betti), _) => betti,
                (None, Some(kind)) => kind.betti,
                (None, None) => match complex.homology() {
                    Ok(groups) => groups.iter().map(|group| group.betti).collect(),
                    Err(_) => return Err(unknown("betti_numbers")),
                },
            },
        };
        let class = match (target, name) {
            (ManifoldTarget::Type, Some(name)) => name,
            // Orientability and Euler characteristic classify closed surfaces, and nothing else.
            (ManifoldTarget::Type, None) if complex.dim() != 2 || complex.is_orientable().is_none() => {
                return Err(at.error(
                    "name",
                    &Value::Null,
                    "a name where the triangulation is not a closed surface",
                ));
            }
            _ => kind.class(target),
        };
        Ok(Self { id: at.id(&object), complex, kind, class })
    }
}

impl At<'_> {
    /// The complex of the facets, vertices in ascending order of their names.
    fn complex(&self, object: &Map<String, Value>) -> Result<Complex, MantraError> {
        const KEY: &str = "triangulation";
        let Some(Value::Array(list)) = object.get(KEY) else {
            return Err(self.error(KEY, object.get(KEY).unwrap_or(&Value::Null), "a list of facets"));
        };
        let facet = |value: &Value| -> Result<Vec<u64>, MantraError> {
            let wrong = || {
                self.error(KEY, value, "facets that are lists of two to five vertices, counted from 0 or 1")
            };
            let Value::Array(vertices) = value else { return Err(wrong()) };
            if !(2..=5).contains(&vertices.len()) {
                return Err(wrong());
            }
            let vertex = |v: &Value| v.as_u64().filter(|&v| v <= u64::from(u32::MAX)).ok_or_else(wrong);
            vertices.iter().map(vertex).collect()
        };
        let facets: Vec<Vec<u64>> = list.iter().map(facet).collect::<Result<_, _>>()?;
        let Some(first) = facets.first() else {
            return Err(self.error(KEY, &Value::Array(Vec::new()), "at least one facet"));
        };
        let dim = first.len() - 1;
        if let Some(other) = facets.iter().position(|facet| facet.len() != dim + 1) {
            let expected = format!("{} vertices, as in the first facet", dim + 1);
            return Err(self.error(KEY, &list[other], expected));
        }
        self.same(object, "dimension", dim)?;
        let mut names: Vec<u64> = facets.concat();
        names.sort_unstable();
        names.dedup();
        self.same(object, "n_vertices", names.len())?;
        let place = |v: &u64| names.binary_search(v).expect("the name is listed") as u32;
        let simplices: Vec<Vec<u32>> = facets.iter().map(|facet| facet.iter().map(place).collect()).collect();
        let (file, index, line) = (self.file.to_owned(), self.index, self.line);
        let complex = Complex::from_simplices(names.len(), &simplices);
        Ok(complex.map_err(|source| MantraError::Complex { file, index, line, source })?.0)
    }

    /// Refuses a number that is not what the facets say.
    fn same(
        &self,
        object: &Map<String, Value>,
        key: &'static str,
        expected: usize,
    ) -> Result<(), MantraError> {
        match object.get(key) {
            None | Some(Value::Null) => Ok(()),
            Some(found) if found.as_u64() == Some(expected as u64) => Ok(()),
            Some(found) => Err(self.error(key, found, format!("{expected}, as the facets have"))),
        }
    }

    fn betti(&self, object: &Map<String, Value>, dim: usize) -> Result<Option<Vec<usize>>, MantraError> {
        const KEY: &str = "betti_numbers";
        let found = match object.get(KEY) {
            None | Some(Value::Null) => return Ok(None),
            Some(found) => found,
        };
        let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
        let list = found.as_array().and_then(|list| list.iter().map(number).collect::<Option<Vec<usize>>>());
        let list = list.filter(|list| list.len() == dim + 1);
        list.map(Some).ok_or_else(|| {
            self.error(KEY, found, format!("a list of {} whole numbers, one for each dimension", dim + 1))
        })
    }

    fn orientable(&self, object: &Map<String, Value>) -> Result<Option<bool>, MantraError> {
        match object.get("orientable") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(orientable)) => Ok(Some(*orientable)),
            Some(found) => Err(self.error("orientable", found, "true or false")),
        }
    }

    /// The name; an empty one is none.
    fn name(&self, object: &Map<String, Value>) -> Result<Option<String>, MantraError> {
        match object.get("name") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(name)) => Ok(Some(name.trim().to_owned()).filter(|name| !name.is_empty())),
            Some(found) => Err(self.error("name", found, "a text")),
        }
    }

    fn id(&self, object: &Map<String, Value>) -> Option<String> {
        object.get("id").and_then(Value::as_str).map(str::to_owned)
    }
}

//! A place in a JSON line, and what is read there or reported.

use super::JsonlError;
use serde_json::{Map, Value};

/// A value and its place.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub file: &'a str,
    pub line: usize,
    pub path: Path<'a>,
    pub value: &'a Value,
}

/// A path to a field, put together only for messages.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Line,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn text(&self) -> String {
        match self {
            Self::Line => String::new(),
            Self::Key(Path::Line, key) => (*key).to_owned(),
            Self::Key(parent, key) => format!("{}.{key}", parent.text()),
            Self::Index(parent, i) => format!("{}[{i}]", parent.text()),
        }
    }
}

impl<'a> Field<'a> {
    /// A whole line.
    pub fn line(file: &'a str, line: usize, value: &'a Value) -> Self {
        Self { file, line, path: Path::Line, value }
    }

    pub fn error(&self, found: impl Into<String>, expected: impl Into<String>) -> JsonlError {
        let field = match self.path {
            Path::Line => "the line".to_owned(),
            path => path.text(),
        };
        JsonlError::Field {
            file: self.file.to_owned(),
            line: self.line,
            field,
            found: found.into(),
            expected: expected.into(),
        }
    }

    fn wrong<T>(&self, expected: &str) -> Result<T, JsonlError> {
        Err(self.error(describe(self.value), expected))
    }

    pub fn object(&self) -> Result<&'a Map<String, Value>, JsonlError> {
        self.value.as_object().map_or_else(|| self.wrong("an object"), Ok)
    }

    pub fn array(&self) -> Result<&'a [Value], JsonlError> {
        self.value.as_array().map_or_else(|| self.wrong("a list"), |list| Ok(list.as_slice()))
    }

    /// A list of a given length, of what is named.
    pub fn array_of(&self, expected: usize, what: &str) -> Result<&'a [Value], JsonlError> {
        let list = self.array()?;
        if list.len() == expected {
            return Ok(list);
        }
        Err(self.error(format!("{} {what}", list.len()), expected.to_string()))
    }

    pub fn string(&self) -> Result<&'a str, JsonlError> {
        self.value.as_str().map_or_else(|| self.wrong("a string"), Ok)
    }

    pub fn boolean(&self) -> Result<bool, JsonlError> {
        self.value.as_bool().map_or_else(|| self.wrong("true or false"), Ok)
    }

    pub fn number(&self) -> Result<f64, JsonlError> {
        self.value.as_f64().filter(|v| v.is_finite()).map_or_else(|| self.wrong("a finite number"), Ok)
    }

    /// A whole number from 0 up to `most`.
    pub fn count(&self, most: usize) -> Result<usize, JsonlError> {
        let found = self.value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|&n| n <= most);
        found.map_or_else(|| self.wrong(&format!("a whole number up to {most}")), Ok)
    }

    /// A name: a string, or an integer that is read as its text.
    pub fn name(&self) -> Result<String, JsonlError> {
        match self.value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(n) if n.is_i64() || n.is_u64() => Ok(n.to_string()),
            _ => self.wrong("a string or an integer"),
        }
    }

    pub fn names(&self) -> Result<Vec<String>, JsonlError> {
        (0..self.array()?.len())
            .map(|i| self.with(Path::Index(&self.path, i), &self.array()?[i]).name())
            .collect()
    }

    /// The same place in the file with another path and value.
    pub fn with<'b>(&'b self, path: Path<'b>, value: &'b Value) -> Field<'b> {
        Field { file: self.file, line: self.line, path, value }
    }

    /// The field of this object called `key`, unless it is left out or null.
    pub fn get<'b>(&'b self, key: &'b str) -> Result<Option<Field<'b>>, JsonlError> {
        let found = self.object()?.get(key).filter(|value| !value.is_null());
        Ok(found.map(|value| self.with(Path::Key(&self.path, key), value)))
    }

    /// The field of this object called `key`.
    pub fn need<'b>(&'b self, key: &'b str) -> Result<Field<'b>, JsonlError> {
        self.get(key)?.ok_or_else(|| {
            let path = Path::Key(&self.path, key);
            Field { path, ..*self }.error("nothing", "a value")
        })
    }

    /// Requires that this object has no other fields than `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), JsonlError> {
        match self.object()?.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(self.error(format!("a field `{key}`"), format!("only {}", known.join(", ")))),
        }
    }
}

/// A value in a few words.
fn describe(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
        plain => crate::text::excerpt(plain.to_string().as_bytes()),
    }
}

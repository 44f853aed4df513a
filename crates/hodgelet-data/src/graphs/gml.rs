//! GML: keys, and values that are numbers, strings or lists. The grammar fits on a page and faults must name
//! their line, so the parser is here rather than a dependency (`gml_parser`, at 0.1).

use super::graphml::Fault;
use super::{Attribute, Attributes, GraphFault, RawEdge, RawGraph};
use std::collections::HashMap;

enum Token<'a> {
    Key(&'a str),
    Number(f64),
    Text(String),
    Open,
    Close,
}

impl Token<'_> {
    fn describe(&self) -> String {
        match self {
            Self::Key(key) => format!("`{key}`"),
            Self::Number(value) => format!("{value}"),
            Self::Text(text) => format!("\"{}\"", crate::text::excerpt(text.as_bytes())),
            Self::Open => "`[`".to_owned(),
            Self::Close => "`]`".to_owned(),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

/// A value under a key; lists within lists are skipped.
enum Entry<'a> {
    Value(&'a str, Attribute, usize),
    List(&'a str, usize),
    End,
}

/// Reads the one graph of a GML text.
pub(super) fn parse(text: &str) -> Result<RawGraph, Fault> {
    let mut parser = Parser { text, at: 0 };
    let mut graph = None;
    loop {
        match parser.entry(true)? {
            Entry::End => break,
            Entry::List("graph", at) if graph.is_some() => {
                return Err((at, GraphFault::Unsupported("several graphs in one file")));
            }
            Entry::List("graph", _) => graph = Some(parser.graph()?),
            Entry::List(..) => parser.skip_list()?,
            Entry::Value(..) => {}
        }
    }
    graph.ok_or_else(|| (text.len(), found("no graph", "one")))
}

fn found(found: impl Into<String>, expected: &'static str) -> GraphFault {
    GraphFault::Found { found: found.into(), expected }
}

impl<'a> Parser<'a> {
    fn graph(&mut self) -> Result<RawGraph, Fault> {
        let mut graph = RawGraph::default();
        let mut index = HashMap::new();
        let mut ends = Vec::new();
        loop {
            match self.entry(false)? {
                Entry::End => break,
                Entry::Value(name, value, _) => {
                    graph.attributes.insert(name.to_owned(), value);
                }
                Entry::List("node", at) => {
                    let mut node = self.attributes()?;
                    let id = take(&mut node, "id", at, "a node with an id")?;
                    if index.insert(id.clone(), graph.vertices.len() as u32).is_some() {
                        return Err((at, GraphFault::RepeatedVertex(id)));
                    }
                    graph.names.push(id);
                    graph.vertices.push(node);
                }
                Entry::List("edge", at) => {
                    let mut edge = self.attributes()?;
                    let tail = take(&mut edge, "source", at, "an edge with a source")?;
                    let head = take(&mut edge, "target", at, "an edge with a target")?;
                    ends.push(([tail, head], at));
                    graph.edges.push(RawEdge { ends: [0, 0], attributes: edge, line: at, directed: None });
                }
                Entry::List(..) => self.skip_list()?,
            }
        }
        for ((names, at), edge) in ends.into_iter().zip(&mut graph.edges) {
            for (i, name) in names.into_iter().enumerate() {
                let vertex = index.get(&name);
                edge.ends[i] = *vertex.ok_or((at, GraphFault::UnknownVertex(name)))?;
            }
        }
        // The key may stand after the edges.
        let directed = matches!(graph.attributes.get("directed"), Some(Attribute::Number(n)) if *n != 0.0);
        graph.edges.iter_mut().for_each(|edge| edge.directed = Some(directed));
        Ok(graph)
    }

    /// The values of a list.
    fn attributes(&mut self) -> Result<Attributes, Fault> {
        let mut out = Attributes::new();
        loop {
            match self.entry(false)? {
                Entry::End => return Ok(out),
                Entry::List(..) => self.skip_list()?,
                Entry::Value(name, value, at) => {
                    if out.insert(name.to_owned(), value).is_some() {
                        return Err((at, found(format!("`{name}` a second time"), "distinct keys")));
                    }
                }
            }
        }
    }

    /// A key and its value, or the end of the list (at the top: of the text).
    fn entry(&mut self, top: bool) -> Result<Entry<'a>, Fault> {
        let key = match self.token()? {
            (_, None) if top => return Ok(Entry::End),
            (_, Some(Token::Close)) if !top => return Ok(Entry::End),
            (_, Some(Token::Key(key))) => key,
            (at, other) => return Err((at, found(describe(other.as_ref()), "a key"))),
        };
        match self.token()? {
            (at, Some(Token::Open)) => Ok(Entry::List(key, at)),
            (at, Some(Token::Number(value))) => Ok(Entry::Value(key, Attribute::Number(value), at)),
            (at, Some(Token::Text(text))) => Ok(Entry::Value(key, Attribute::Text(text), at)),
            (at, other) => Err((at, found(describe(other.as_ref()), "a number, a string or a list"))),
        }
    }

    fn skip_list(&mut self) -> Result<(), Fault> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.token()? {
                (_, Some(Token::Open)) => depth += 1,
                (_, Some(Token::Close)) => depth -= 1,
                (at, None) => return Err((at, found("the end of the file", "`]`"))),
                _ => {}
            }
        }
        Ok(())
    }

    /// The next token and where it starts; none at the end.
    fn token(&mut self) -> Result<(usize, Option<Token<'a>>), Fault> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'#' => {
                    self.at = memchr::memchr(b'\n', &bytes[self.at..]).map_or(bytes.len(), |n| self.at + n)
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let start = self.at;
        let Some(&first) = bytes.get(start) else { return Ok((start, None)) };
        let token = match first {
            b'[' | b']' => {
                self.at += 1;
                if first == b'[' { Token::Open } else { Token::Close }
            }
            b'"' => {
                let length = memchr::memchr(b'"', &bytes[start + 1..]);
                let end = start + 1 + length.ok_or((start, found("a string without end", "`\"`")))?;
                self.at = end + 1;
                // an ampersand that does not start an entity is taken literally
                let raw = &self.text[start + 1..end];
                let text =
                    quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), |t| t.into_owned());
                Token::Text(text)
            }
            _ => {
                let ends =
                    |&byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b'"' | b'#');
                let length = bytes[start..].iter().position(ends);
                self.at = length.map_or(bytes.len(), |n| start + n);
                word(&self.text[start..self.at]).ok_or_else(|| {
                    let word = crate::text::excerpt(&bytes[start..self.at]);
                    (start, found(format!("`{word}`"), "a key or a finite number"))
                })?
            }
        };
        Ok((start, Some(token)))
    }
}

fn word(word: &str) -> Option<Token<'_>> {
    if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then_some(Token::Key(word));
    }
    crate::text::real(word.as_bytes()).filter(|value| value.is_finite()).map(Token::Number)
}

fn describe(token: Option<&Token<'_>>) -> String {
    token.map_or_else(|| "the end of the file".to_owned(), Token::describe)
}

/// Takes the name of a vertex out of the values of a node or an edge.
fn take(attributes: &mut Attributes, key: &str, at: usize, expected: &'static str) -> Result<String, Fault> {
    match attributes.remove(key) {
        Some(value) => Ok(value.to_string()),
        None => Err((at, found(format!("no `{key}`"), expected))),
    }
}

//! GraphML, an XML format, through `quick-xml`: maintained, MIT, and it expands no entities that a file defines.
//! Of the crates that know GraphML itself, `petgraph-graphml` only writes and `graphml` asks for a newer compiler
//! than this workspace; the mapping needed here is short.

use super::{Attribute, Attributes, GraphFault, RawEdge, RawGraph};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::collections::HashMap;

/// A fault and the offset at which it was found.
pub(super) type Fault = (usize, GraphFault);

/// A `<key>`: an attribute declared for vertices, edges or graphs.
struct Key {
    name: String,
    domain: String,
    numeric: bool,
    default: Option<Attribute>,
}

/// What is being read.
enum Place {
    Outside,
    Key(String),
    Graph,
    Vertex,
    Edge,
}

struct Parser<'a> {
    reader: Reader<&'a [u8]>,
    keys: HashMap<String, Key>,
    place: Place,
    graph: RawGraph,
    index: HashMap<String, u32>,
    /// Edges by the names of their ends, since vertices may be listed after them, and their offsets.
    ends: Vec<([String; 2], usize)>,
    n_graphs: usize,
    /// Whether edges are arcs where they do not say otherwise.
    directed: bool,
    /// Elements that have begun and not ended, outermost first.
    open: Vec<String>,
}

/// Reads the one graph of a GraphML text.
pub(super) fn parse(text: &str) -> Result<RawGraph, Fault> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut parser = Parser {
        reader,
        keys: HashMap::new(),
        place: Place::Outside,
        graph: RawGraph::default(),
        index: HashMap::new(),
        ends: Vec::new(),
        n_graphs: 0,
        directed: false,
        open: Vec::new(),
    };
    loop {
        match parser.reader.read_event() {
            Ok(Event::Eof) => return parser.finish(text.len()),
            Ok(Event::Start(element)) => {
                parser.open.push(element.local_name().as_ref().to_owned());
                parser.start(&element)?;
            }
            Ok(Event::End(element)) => {
                parser.open.pop();
                parser.end(element.local_name().as_ref());
            }
            Ok(_) => {}
            Err(error) => {
                let at = usize::try_from(parser.reader.error_position()).unwrap_or(text.len());
                return Err((at, GraphFault::Syntax(error.to_string())));
            }
        }
    }
}

impl Parser<'_> {
    fn offset(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    fn fault(&self, fault: GraphFault) -> Fault {
        // the last byte read, so that an element at the end of its line is still in that line
        (self.offset().saturating_sub(1), fault)
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        match (element.local_name().as_ref(), &self.place) {
            ("key", _) => self.start_key(element),
            ("graph", Place::Outside) if self.n_graphs > 0 => {
                Err(self.fault(GraphFault::Unsupported("several graphs in one file")))
            }
            ("graph", Place::Outside) => {
                self.n_graphs += 1;
                let default = self.attribute(element, "edgedefault")?;
                self.directed = match default.as_deref() {
                    None | Some("undirected") => false,
                    Some("directed") => true,
                    Some(other) => {
                        let found = format!("edgedefault `{other}`");
                        let expected = "`directed` or `undirected`";
                        return Err(self.fault(GraphFault::Found { found, expected }));
                    }
                };
                self.place = Place::Graph;
                Ok(())
            }
            ("graph", _) => Err(self.fault(GraphFault::Unsupported("graphs within graphs"))),
            ("hyperedge", _) => Err(self.fault(GraphFault::Unsupported("hyperedges"))),
            ("node", Place::Graph) => self.start_vertex(element),
            ("edge", Place::Graph) => self.start_edge(element),
            ("data" | "default", _) => self.value(element),
            _ => Ok(()),
        }
    }

    fn end(&mut self, name: &str) {
        self.place = match (name, std::mem::replace(&mut self.place, Place::Outside)) {
            ("node", Place::Vertex) | ("edge", Place::Edge) => Place::Graph,
            ("graph", Place::Graph) => Place::Outside,
            ("key", Place::Key(_)) if self.n_graphs == 0 => Place::Outside,
            ("key", Place::Key(_)) => Place::Graph,
            (_, place) => place,
        };
    }

    fn attribute(&self, element: &BytesStart<'_>, name: &str) -> Result<Option<String>, Fault> {
        let syntax = |message: String| self.fault(GraphFault::Syntax(message));
        let found = element.try_get_attribute(name).map_err(|error| syntax(error.to_string()))?;
        let text = found
            .map(|found| found.normalized_value(XmlVersion::Implicit1_0).map(|value| value.into_owned()));
        text.transpose().map_err(|error| syntax(error.to_string()))
    }

    fn need(&self, element: &BytesStart<'_>, name: &str, expected: &'static str) -> Result<String, Fault> {
        let missing = || self.fault(GraphFault::Found { found: format!("no `{name}`"), expected });
        self.attribute(element, name)?.ok_or_else(missing)
    }

    fn start_key(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        let id = self.need(element, "id", "a key with an id")?;
        let name = self.attribute(element, "attr.name")?.unwrap_or_else(|| id.clone());
        let domain = self.attribute(element, "for")?.unwrap_or_else(|| "all".to_owned());
        let kind = self.attribute(element, "attr.type")?.unwrap_or_default();
        let numeric = matches!(kind.as_str(), "int" | "long" | "float" | "double");
        self.keys.insert(id.clone(), Key { name, domain, numeric, default: None });
        self.place = Place::Key(id);
        Ok(())
    }

    fn start_vertex(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        let id = self.need(element, "id", "a node with an id")?;
        if self.index.insert(id.clone(), self.graph.vertices.len() as u32).is_some() {
            return Err(self.fault(GraphFault::RepeatedVertex(id)));
        }
        self.graph.names.push(id);
        self.graph.vertices.push(self.defaults("node"));
        self.place = Place::Vertex;
        Ok(())
    }

    fn start_edge(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        let tail = self.need(element, "source", "an edge with a source")?;
        let head = self.need(element, "target", "an edge with a target")?;
        let directed = match self.attribute(element, "directed")?.as_deref() {
            None => self.directed,
            Some("true" | "1") => true,
            Some("false" | "0") => false,
            Some(other) => {
                let found = format!("directed `{other}`");
                return Err(self.fault(GraphFault::Found { found, expected: "`true` or `false`" }));
            }
        };
        let (line, attributes) = (self.offset().saturating_sub(1), self.defaults("edge"));
        self.ends.push(([tail, head], line));
        self.graph.edges.push(RawEdge { ends: [0, 0], attributes, line, directed: Some(directed) });
        self.place = Place::Edge;
        Ok(())
    }

    fn defaults(&self, domain: &str) -> Attributes {
        let keys = self.keys.values().filter(|key| key.domain == domain || key.domain == "all");
        keys.filter_map(|key| Some((key.name.clone(), key.default.clone()?))).collect()
    }

    /// The text of a `<data>` or `<default>` element; values with markup inside are left out.
    fn value(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        let id = match &self.place {
            Place::Key(id) => id.clone(),
            _ => self.need(element, "key", "data with a key")?,
        };
        let raw = match self.reader.read_text(element.name()) {
            Ok(raw) => raw.into_inner().into_owned(),
            Err(error) => return Err(self.fault(GraphFault::Syntax(error.to_string()))),
        };
        // The end of the element was read with its text.
        self.open.pop();
        let raw = raw.trim();
        let raw = raw.strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>")).unwrap_or(raw);
        if raw.contains('<') {
            return Ok(());
        }
        let text = quick_xml::escape::unescape(raw);
        let text = text.map_err(|error| self.fault(GraphFault::Syntax(error.to_string())))?.into_owned();
        let Some(key) = self.keys.get(&id) else {
            let found = format!("data of key `{id}`");
            return Err(self.fault(GraphFault::Found { found, expected: "a key declared before" }));
        };
        let value = if key.numeric {
            let number = crate::text::real(text.trim().as_bytes()).filter(|value| value.is_finite());
            let wrong = || GraphFault::Found { found: format!("`{text}`"), expected: "a finite number" };
            Attribute::Number(number.ok_or_else(|| self.fault(wrong()))?)
        } else {
            Attribute::Text(text)
        };
        let name = key.name.clone();
        let cell = match &self.place {
            Place::Vertex => self.graph.vertices.last_mut(),
            Place::Edge => self.graph.edges.last_mut().map(|edge| &mut edge.attributes),
            Place::Graph => Some(&mut self.graph.attributes),
            Place::Key(_) | Place::Outside => None,
        };
        if let Some(attributes) = cell {
            attributes.insert(name, value);
        } else if matches!(self.place, Place::Key(_)) {
            self.keys.entry(id).and_modify(|key| key.default = Some(value));
        }
        Ok(())
    }

    fn finish(mut self, end: usize) -> Result<RawGraph, Fault> {
        if let Some(name) = self.open.last() {
            let found = format!("the end of the file within `<{name}>`");
            return Err((
                end,
                GraphFault::Found { found, expected: "its end tag; the file may have been cut off" },
            ));
        }
        if self.n_graphs == 0 {
            return Err((end, GraphFault::Found { found: "no graph".to_owned(), expected: "one" }));
        }
        for ((ends, offset), edge) in self.ends.iter().zip(&mut self.graph.edges) {
            for (i, name) in ends.iter().enumerate() {
                let vertex = self.index.get(name);
                edge.ends[i] = *vertex.ok_or_else(|| (*offset, GraphFault::UnknownVertex(name.clone())))?;
            }
        }
        for (name, value) in self.defaults("graph") {
            self.graph.attributes.entry(name).or_insert(value);
        }
        Ok(self.graph)
    }
}

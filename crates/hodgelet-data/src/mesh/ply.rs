//! Polygon File Format: a header that describes elements, then their values as text or in either byte order.

use super::error::Place;
use super::{Fault, Mesh, MeshFault, checked_face};
use crate::text;

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, Fault> {
    let header = Header::parse(bytes)?;
    let body = &bytes[header.length..];
    let mut values = match header.encoding {
        Encoding::Text => {
            Values::Text { lines: text_lines(body), first: header.lines + 1, line: 0, fields: Vec::new() }
        }
        Encoding::Little => Values::Binary { bytes, at: header.length, big: false },
        Encoding::Big => Values::Binary { bytes, at: header.length, big: true },
    };
    let mut mesh = Mesh::default();
    let mut faces: Vec<(Place, Vec<i64>)> = Vec::new();
    for element in &header.elements {
        for i in 0..element.count {
            // an element without properties takes no byte, and there may be billions
            if element.properties.is_empty() && !matches!(values, Values::Text { .. }) {
                break;
            }
            values.begin(element, i)?;
            let place = values.place();
            let mut position = [0.0; 3];
            for property in &element.properties {
                match &property.kind {
                    Kind::Scalar(kind) => {
                        let value = values.next(*kind)?;
                        if let Some(d) = property.axis.filter(|_| element.name == "vertex") {
                            position[d] = value;
                        }
                    }
                    Kind::List(count, kind) => {
                        let list = values.list(*count, *kind)?;
                        if element.name == "face" && property.is_vertices {
                            let is_none = |v: &&f64| v.fract() != 0.0 || v.abs() > f64::from(u32::MAX);
                            if let Some(value) = list.iter().find(is_none) {
                                let (found, expected) =
                                    (value.to_string(), "the number of a vertex".to_owned());
                                return Err((place, MeshFault::Found { found, expected }));
                            }
                            faces.push((place, list.iter().map(|&v| v as i64).collect()));
                        }
                    }
                }
            }
            values.end(element)?;
            if element.name == "vertex" {
                if position.iter().any(|x| !x.is_finite()) {
                    let fault = MeshFault::Found {
                        found: format!("the position {position:?}"),
                        expected: "three finite coordinates".to_owned(),
                    };
                    return Err((place, fault));
                }
                mesh.positions.push(position);
            }
        }
    }
    for (place, face) in faces {
        mesh.faces.push(checked_face(&face, mesh.positions.len()).map_err(|fault| (place, fault))?);
    }
    Ok(mesh)
}

struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
    length: usize, // in bytes
    lines: usize,
}

#[derive(Clone, Copy)]
enum Encoding {
    Text,
    Little,
    Big,
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

struct Property {
    kind: Kind,
    axis: Option<usize>,
    is_vertices: bool,
}

enum Kind {
    Scalar(Number),
    List(Number, Number),
}

/// How a number is stored: bytes, and whether it is signed, unsigned or real.
#[derive(Clone, Copy)]
enum Number {
    Signed(usize),
    Unsigned(usize),
    Real(usize),
}

impl Number {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::Signed(1),
            "short" | "int16" => Self::Signed(2),
            "int" | "int32" => Self::Signed(4),
            "uchar" | "uint8" => Self::Unsigned(1),
            "ushort" | "uint16" => Self::Unsigned(2),
            "uint" | "uint32" => Self::Unsigned(4),
            "float" | "float32" => Self::Real(4),
            "double" | "float64" => Self::Real(8),
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::Signed(size) | Self::Unsigned(size) | Self::Real(size) => size,
        }
    }

    /// The number in some bytes, lowest first.
    fn value(self, bytes: [u8; 8]) -> f64 {
        let word = u64::from_le_bytes(bytes);
        match self {
            Self::Unsigned(_) => word as f64,
            Self::Signed(1) => f64::from(word as u8 as i8),
            Self::Signed(2) => f64::from(word as u16 as i16),
            Self::Signed(_) => f64::from(word as u32 as i32),
            Self::Real(4) => f64::from(f32::from_bits(word as u32)),
            Self::Real(_) => f64::from_bits(word),
        }
    }
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let (mut encoding, mut elements) = (None, Vec::<Element>::new());
        let (mut at, mut number) = (0, 0);
        loop {
            number += 1;
            let place = Place::Line(number);
            if at >= bytes.len() {
                return Err((place, MeshFault::End("`end_header`".to_owned())));
            }
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
            let line = bytes[at..end].trim_ascii();
            at = (end + 1).min(bytes.len());
            let words = String::from_utf8_lossy(line);
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            let wrong = |expected: &str| (place, MeshFault::found(line, expected));
            match words[..] {
                ["ply"] if number == 1 => {}
                _ if number == 1 => return Err(wrong("`ply`")),
                ["format", name, "1.0"] if encoding.is_none() => {
                    encoding = Some(match name {
                        "ascii" => Encoding::Text,
                        "binary_little_endian" => Encoding::Little,
                        "binary_big_endian" => Encoding::Big,
                        _ => return Err(wrong("ascii, binary_little_endian or binary_big_endian")),
                    });
                }
                ["comment" | "obj_info", ..] | [] => {}
                ["element", name, count] => {
                    let count = count.parse().map_err(|_| wrong("a number of elements"))?;
                    elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
                }
                ["property", ref rest @ ..] => {
                    let property = property(rest).ok_or_else(|| wrong("a type and a name"))?;
                    let element =
                        elements.last_mut().ok_or_else(|| wrong("an element before its property"))?;
                    element.properties.push(property);
                }
                ["end_header"] => {
                    let encoding = encoding.ok_or_else(|| wrong("a format before it"))?;
                    check_elements(&elements).map_err(|fault| (place, fault))?;
                    return Ok(Self { encoding, elements, length: at, lines: number });
                }
                _ => return Err(wrong("format, element, property or end_header")),
            }
        }
    }
}

fn property(words: &[&str]) -> Option<Property> {
    let (kind, name) = match *words {
        ["list", count, kind, name] => (Kind::List(Number::named(count)?, Number::named(kind)?), name),
        [kind, name] => (Kind::Scalar(Number::named(kind)?), name),
        _ => return None,
    };
    let axis = ["x", "y", "z"].iter().position(|&axis| axis == name);
    let is_vertices = name == "vertex_indices" || name == "vertex_index";
    Some(Property { kind, axis, is_vertices })
}

/// Requires one element of vertices with three coordinates, and vertices of faces where there are any.
fn check_elements(elements: &[Element]) -> Result<(), MeshFault> {
    let fault = |found: &str, expected: &str| {
        Err(MeshFault::Found { found: found.to_owned(), expected: expected.to_owned() })
    };
    if elements.iter().any(|element| element.name == "tristrips") {
        return Err(MeshFault::Unsupported("strips of triangles"));
    }
    let of = |name: &'static str| elements.iter().filter(move |element| element.name == name);
    if of("vertex").count() != 1 || of("face").count() > 1 {
        return fault("a header without one element `vertex` and at most one `face`", "these");
    }
    let scalar = |p: &Property, d: usize| p.axis == Some(d) && matches!(p.kind, Kind::Scalar(_));
    let complete = |e: &Element| (0..3).all(|d| e.properties.iter().filter(|p| scalar(p, d)).count() == 1);
    if !of("vertex").all(complete) {
        return fault("vertices without x, y and z", "these properties once each");
    }
    let lists = |e: &Element| {
        e.properties.iter().filter(|p| p.is_vertices && matches!(p.kind, Kind::List(..))).count() == 1
    };
    if !of("face").all(lists) {
        return fault("faces without a list `vertex_indices`", "one");
    }
    Ok(())
}

/// Lines of text that hold something.
fn text_lines(body: &[u8]) -> Vec<(&[u8], usize)> {
    text::lines(body)
        .zip(0..)
        .filter(|(line, _)| !line.is_empty())
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect()
}

/// The values of elements, one after the other.
enum Values<'a> {
    Text {
        lines: Vec<(&'a [u8], usize)>, // the next one last
        first: usize,
        line: usize,
        fields: Vec<&'a [u8]>, // the next one last
    },
    Binary {
        bytes: &'a [u8],
        at: usize,
        big: bool,
    },
}

impl Values<'_> {
    fn place(&self) -> Place {
        match self {
            Self::Text { line, .. } => Place::Line(*line),
            Self::Binary { at, .. } => Place::Byte(*at),
        }
    }

    fn begin(&mut self, element: &Element, i: u64) -> Result<(), Fault> {
        if let Self::Text { lines, first, line, fields } = self {
            let Some((text, offset)) = lines.pop() else {
                let expected = format!("{} {i} of {}", element.name, element.count);
                return Err((Place::Line((*line).max(*first - 1) + 1), MeshFault::End(expected)));
            };
            *line = *first + offset;
            *fields = text::fields(text).collect();
            fields.reverse();
        }
        Ok(())
    }

    fn end(&mut self, element: &Element) -> Result<(), Fault> {
        match self {
            Self::Text { line, fields, .. } if !fields.is_empty() => {
                let expected = format!("the end of a {}", element.name);
                Err((Place::Line(*line), MeshFault::found(fields[fields.len() - 1], expected)))
            }
            _ => Ok(()),
        }
    }

    fn next(&mut self, kind: Number) -> Result<f64, Fault> {
        let place = self.place();
        match self {
            Self::Text { fields, .. } => {
                let field = fields.pop().unwrap_or(b"");
                text::real(field).ok_or_else(|| (place, MeshFault::found(field, "a number")))
            }
            Self::Binary { bytes, at, big } => {
                let Some(found) = bytes.get(*at..*at + kind.size()) else {
                    return Err((place, MeshFault::End(format!("{} bytes", kind.size()))));
                };
                *at += kind.size();
                let mut lowest_first = [0; 8];
                lowest_first[..found.len()].copy_from_slice(found);
                if *big {
                    lowest_first[..found.len()].reverse();
                }
                Ok(kind.value(lowest_first))
            }
        }
    }

    /// A number of values, and the values.
    fn list(&mut self, count: Number, kind: Number) -> Result<Vec<f64>, Fault> {
        let place = self.place();
        let length = self.next(count)?;
        if !(length >= 0.0 && length.fract() == 0.0 && length <= f64::from(u32::MAX)) {
            let (found, expected) = (format!("a list of {length}"), "a whole number of values".to_owned());
            return Err((place, MeshFault::Found { found, expected }));
        }
        let mut list = Vec::new();
        for _ in 0..length as u64 {
            let value = self.next(kind)?;
            if value.fract() != 0.0 && !matches!(kind, Number::Real(_)) {
                let (found, expected) = (value.to_string(), "a whole number".to_owned());
                return Err((place, MeshFault::Found { found, expected }));
            }
            list.push(value);
        }
        Ok(list)
    }
}

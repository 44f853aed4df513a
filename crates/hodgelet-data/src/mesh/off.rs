//! Object File Format: a keyword, counts, one vertex per line, one face per line.

use super::error::Place;
use super::{Fault, Mesh, MeshFault, checked_face};
use crate::text;

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut lines = Lines { rest: Box::new(text::lines(text::tidy(bytes)).zip(1..)), last: 0 };
    let (mut counts, header) = lines.next("`OFF`")?;
    let keyword = header.iter().position(|&c| c.is_ascii_digit() || c.is_ascii_whitespace());
    let (keyword, rest) = header.split_at(keyword.unwrap_or(header.len()));
    // a digit before OFF is the number of coordinates
    if header.starts_with(b"4OFF") || keyword.starts_with(b"nOFF") || keyword.starts_with(b"4nOFF") {
        return Err((counts, MeshFault::Unsupported("vertices of other than three coordinates")));
    }
    if !keyword.ends_with(b"OFF") {
        return Err((counts, MeshFault::found(header, "`OFF`")));
    }
    let mut rest = rest.trim_ascii();
    if rest.starts_with(b"BINARY") {
        return Err((counts, MeshFault::Unsupported("binary OFF files")));
    }
    if rest.is_empty() {
        (counts, rest) = lines.next("numbers of vertices and faces")?;
    }
    let numbers: Option<Vec<usize>> =
        text::fields(rest).map(|field| text::integer(field).and_then(|n| usize::try_from(n).ok())).collect();
    let (n_vertices, n_faces) = match numbers.as_deref() {
        Some(&[n_vertices, n_faces] | &[n_vertices, n_faces, _]) => (n_vertices, n_faces),
        _ => return Err((counts, MeshFault::found(rest, "numbers of vertices, faces and edges"))),
    };
    let mut mesh = Mesh::default();
    for i in 0..n_vertices {
        let (place, line) = lines.next(&format!("vertex {i} of {n_vertices}"))?;
        mesh.positions.push(position(line, &mut text::fields(line)).map_err(|fault| (place, fault))?);
    }
    for i in 0..n_faces {
        let (place, line) = lines.next(&format!("face {i} of {n_faces}"))?;
        mesh.faces.push(face(line, n_vertices).map_err(|fault| (place, fault))?);
    }
    match lines.next("") {
        Ok((place, line)) => Err((place, MeshFault::found(line, "the end of the file"))),
        Err(_) => Ok(mesh),
    }
}

/// Three finite numbers.
pub(super) fn position<'a>(
    line: &[u8],
    fields: &mut impl Iterator<Item = &'a [u8]>,
) -> Result<[f64; 3], MeshFault> {
    let mut position = [0.0; 3];
    for x in &mut position {
        let found = fields.next().and_then(text::real).filter(|x| x.is_finite());
        *x = found.ok_or_else(|| MeshFault::found(line, "three finite coordinates"))?;
    }
    Ok(position)
}

/// A number of vertices, the vertices, and perhaps a color.
fn face(line: &[u8], n_vertices: usize) -> Result<Vec<u32>, MeshFault> {
    let mut fields = text::fields(line).map(text::integer);
    let wrong = || MeshFault::found(line, "a number of vertices, and as many vertices");
    let size = fields.next().flatten().and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong)?;
    let mut vertices = Vec::new();
    for _ in 0..size {
        vertices.push(fields.next().flatten().ok_or_else(wrong)?);
    }
    checked_face(&vertices, n_vertices)
}

/// Lines that hold something beside comments.
struct Lines<'a> {
    rest: Box<dyn Iterator<Item = (&'a [u8], usize)> + 'a>,
    last: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self, expected: &str) -> Result<(Place, &'a [u8]), Fault> {
        for (line, number) in self.rest.by_ref() {
            self.last = number;
            let text = memchr::memchr(b'#', line).map_or(line, |at| line[..at].trim_ascii_end());
            if !text.is_empty() {
                return Ok((Place::Line(number), text));
            }
        }
        Err((Place::Line(self.last + 1), MeshFault::End(expected.to_owned())))
    }
}

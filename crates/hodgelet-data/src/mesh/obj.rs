//! Wavefront files: `v` lines are vertices, `f` lines faces; everything else is left out.

use super::error::Place;
use super::off::position;
use super::{Fault, Mesh, MeshFault, checked_face};
use crate::text;

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut mesh = Mesh::default();
    let mut faces: Vec<(usize, Vec<i64>)> = Vec::new();
    for (line, number) in text::lines(text::tidy(bytes)).zip(1..) {
        let text = memchr::memchr(b'#', line).map_or(line, |at| &line[..at]);
        let place = Place::Line(number);
        let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        match fields.next() {
            Some(b"v") => {
                let found = position(line, &mut fields).map_err(|fault| (place, fault))?;
                mesh.positions.push(found);
            }
            Some(b"f") => {
                let n = mesh.positions.len() as i64;
                let vertices = fields.map(|field| vertex(field, n)).collect::<Result<_, _>>();
                faces.push((number, vertices.map_err(|fault| (place, fault))?));
            }
            _ if text.ends_with(b"\\") => {
                return Err((place, MeshFault::Unsupported("lines that go on after a backslash")));
            }
            _ => {}
        }
    }
    // vertices may come after the faces that name them
    for (number, face) in faces {
        let face = checked_face(&face, mesh.positions.len()).map_err(|fault| (Place::Line(number), fault))?;
        mesh.faces.push(face);
    }
    Ok(mesh)
}

/// The vertex of `vertex/texture/normal`, from 0; in files it counts from 1, or from the last one if negative.
fn vertex(field: &[u8], n_before: i64) -> Result<i64, MeshFault> {
    let first = field.split(|&c| c == b'/').next().unwrap_or(field);
    match text::integer(first) {
        Some(index) if index > 0 => Ok(index - 1),
        Some(index) if index < 0 => Ok(n_before + index),
        _ => Err(MeshFault::found(field, "a vertex, from 1")),
    }
}

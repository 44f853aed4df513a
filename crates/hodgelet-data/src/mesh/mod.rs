//! Surfaces from OFF, OBJ and PLY files: one mesh per file, and a folder of such files as a dataset.
//!
//! Vertices and faces come in the order of the file, each face with the orientation of its list. Edges are the sides of
//! faces, from the lower vertex to the higher one, in lexicographic order. Faces may have more than three vertices.
//! Positions become the column `position` of the vertices. Colors, normals, textures and groups are left out, and so
//! are lines and points of OBJ files. PLY files may be text or binary in either byte order.
//!
//! Targets of a folder are in a file `targets.csv` beside the meshes with lines `file,target`. Targets that are all
//! numbers, some with a fraction, are real; others are classes.

mod error;
mod obj;
mod off;
mod ply;

pub use error::{MeshError, MeshFault};

use crate::graphs::{coded_targets, file_name, listed_targets, stem};
use crate::{Read, Report};
use hodgelet::complex::{Complex, ComplexError, TriangleMesh};
use hodgelet::dataset::{Column, ColumnValues, Dataset, POSITIONS, Targets, cell_starts};
use hodgelet::signal::Orientation;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Vertices in space and the faces between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Where each vertex is.
    pub positions: Vec<[f64; 3]>,
    /// Vertices round each face, at least three and distinct.
    pub faces: Vec<Vec<u32>>,
}

impl Mesh {
    /// The complex of the surface: faces in their order and orientation, edges from the lower vertex to the higher one
    /// in lexicographic order.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] names an invalid face.
    pub fn complex(&self) -> Result<Complex, ComplexError> {
        if let Some(triangles) = self.triangles() {
            return triangles.complex();
        }
        let mut edges = Vec::new();
        for face in &self.faces {
            for (i, &a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                edges.push([a.min(b), a.max(b)]);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        Complex::graph(self.positions.len(), &edges)?.with_polygons(&self.faces)
    }

    /// The same as a mesh of triangles, if all faces are.
    #[must_use]
    pub fn triangles(&self) -> Option<TriangleMesh> {
        let triangle = |face: &Vec<u32>| <[u32; 3]>::try_from(face.as_slice()).ok();
        let triangles = self.faces.iter().map(triangle).collect::<Option<_>>()?;
        Some(TriangleMesh { positions: self.positions.clone(), triangles })
    }

    /// A mesh of triangles: larger faces are cut from their first vertex.
    #[must_use]
    pub fn triangulated(&self) -> TriangleMesh {
        let fan = |face: &Vec<u32>| {
            let first = face.first().copied().unwrap_or(0);
            let rest: Vec<[u32; 2]> =
                face.iter().skip(1).zip(face.iter().skip(2)).map(|(&a, &b)| [a, b]).collect();
            rest.into_iter().map(move |[a, b]| [first, a, b])
        };
        let triangles = self.faces.iter().flat_map(fan).collect();
        TriangleMesh { positions: self.positions.clone(), triangles }
    }
}

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Object File Format, `.off`.
    Off,
    /// Wavefront, `.obj`.
    Obj,
    /// Polygon File Format, `.ply`.
    Ply,
}

impl MeshFormat {
    /// The format of a file, by the end of its name.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "off" => Some(Self::Off),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            _ => None,
        }
    }
}

/// Reads the mesh in the contents of a file called `file`.
///
/// # Errors
///
/// [`MeshError`] names the file and the line, or the byte of a binary file.
pub fn parse_mesh(format: MeshFormat, file: &str, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let found = match format {
        MeshFormat::Off => off::parse(bytes),
        MeshFormat::Obj => obj::parse(bytes),
        MeshFormat::Ply => ply::parse(bytes),
    };
    found.map_err(|(place, fault)| MeshError::Fault { file: file.to_owned(), place, fault })
}

/// Reads the contents of one mesh file called `file` as a dataset of one complex.
///
/// # Errors
///
/// [`MeshError`] names the file and the line, or the byte of a binary file.
pub fn parse(format: MeshFormat, file: &str, bytes: &[u8]) -> Result<Read, MeshError> {
    let mesh = parse_mesh(format, file, bytes)?;
    dataset(&stem(file), vec![(file.to_owned(), mesh)], Targets::None)
}

/// Reads one mesh file as a dataset of one complex.
///
/// # Errors
///
/// [`MeshError`] names the file and the line, or the byte of a binary file.
pub fn read_file(path: &Path, format: MeshFormat) -> Result<Read, MeshError> {
    parse(format, &file_name(path), &load(path)?)
}

/// Reads every `.off`, `.obj` and `.ply` file of a folder, in the order of their names.
///
/// # Errors
///
/// [`MeshError`] names the file and the line, or the byte of a binary file.
pub fn read_dir(dir: &Path) -> Result<Read, MeshError> {
    let io = |source| MeshError::Io { path: dir.to_owned(), source };
    let mut paths: Vec<(PathBuf, MeshFormat)> = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(io)? {
        let path = entry.map_err(io)?.path();
        paths.extend(MeshFormat::of(&path).map(|format| (path, format)));
    }
    if paths.is_empty() {
        return Err(MeshError::NoFiles { path: dir.to_owned() });
    }
    paths.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let meshes: Vec<Result<(String, Mesh), MeshError>> = paths
        .par_iter()
        .map(|(path, format)| {
            let file = file_name(path);
            let mesh = parse_mesh(*format, &file, &load(path)?)?;
            Ok((file, mesh))
        })
        .collect();
    // the first fault in the order of files
    let meshes = meshes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let list = dir.join("targets.csv");
    let targets = if list.exists() { listed(&load(&list)?, &meshes)? } else { Targets::None };
    dataset(&file_name(dir), meshes, targets)
}

fn load(path: &Path) -> Result<Vec<u8>, MeshError> {
    std::fs::read(path).map_err(|source| MeshError::Io { path: path.to_owned(), source })
}

/// The targets of meshes in a list by file.
fn listed(bytes: &[u8], meshes: &[(String, Mesh)]) -> Result<Targets, MeshError> {
    let listed = listed_targets(bytes)?;
    let one = |(file, _): &(String, Mesh)| {
        let found = listed.get(file).or_else(|| listed.get(&stem(file))).cloned();
        found.ok_or_else(|| MeshError::MissingTarget { file: file.clone() })
    };
    Ok(coded_targets(&meshes.iter().map(one).collect::<Result<Vec<String>, _>>()?))
}

fn dataset(name: &str, meshes: Vec<(String, Mesh)>, targets: Targets) -> Result<Read, MeshError> {
    let complexes = meshes
        .par_iter()
        .map(|(file, mesh)| {
            mesh.complex().map_err(|source| MeshError::Complex { file: file.clone(), source })
        })
        .collect::<Vec<_>>();
    let complexes = complexes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let empty = complexes.iter().filter(|complex| complex.n_cells(0) == 0).count();
    let positions = meshes.iter().flat_map(|(_, mesh)| mesh.positions.iter().flatten().copied());
    let channels = ["x", "y", "z"].map(str::to_owned).to_vec();
    let column = Column {
        name: POSITIONS.to_owned(),
        dim: 0,
        orientation: Orientation::Unoriented,
        starts: cell_starts(&complexes, 0),
        values: ColumnValues::Real { channels, values: positions.collect() },
    };
    let dataset = Dataset::new(name, complexes, vec![column], targets)?;
    let ids = meshes.iter().map(|(file, _)| stem(file)).collect();
    Ok(Read { report: Report { empty, ..Report::default() }, ids, ..Read::clean(dataset) })
}

/// A place in a file and what is wrong there.
type Fault = (error::Place, MeshFault);

/// A face of valid, distinct vertices.
fn checked_face(face: &[i64], n_vertices: usize) -> Result<Vec<u32>, MeshFault> {
    if face.len() < 3 {
        return Err(MeshFault::FaceSize(face.len()));
    }
    let mut vertices = Vec::with_capacity(face.len());
    for &vertex in face {
        match u32::try_from(vertex) {
            Ok(v) if (v as usize) < n_vertices => vertices.push(v),
            _ => return Err(MeshFault::Vertex { vertex, n_vertices }),
        }
    }
    let mut sorted = vertices.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(MeshFault::RepeatedVertex(pair[0])),
        None => Ok(vertices),
    }
}

#[cfg(test)]
mod tests;

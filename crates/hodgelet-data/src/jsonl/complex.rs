//! The cells of one line, read and written.

use super::field::{Field, Path};
use super::{JsonlError, MAX_CELLS};
use hodgelet::complex::{Complex, ComplexError};
use hodgelet::linalg::SparseMat;
use serde::Serialize;
use std::collections::BTreeMap;

/// The complex of a line.
pub(super) fn parse(line: Field<'_>) -> Result<Complex, JsonlError> {
    let wrong =
        |source: ComplexError| JsonlError::Complex { file: line.file.to_owned(), line: line.line, source };
    let n_vertices = line.need("vertices")?.count(MAX_CELLS)?;
    let mut operators: Vec<SparseMat> = Vec::new();
    if let Some(edges) = line.get("edges")? {
        let mut complex = Complex::graph(n_vertices, &tuples::<2>(edges)?).map_err(wrong)?;
        if let Some(triangles) = line.get("triangles")? {
            complex = complex.with_triangles(&tuples::<3>(triangles)?).map_err(wrong)?;
        }
        operators.extend((1..=complex.dim()).filter_map(|k| complex.boundary(k).cloned()));
    } else if let Some(triangles) = line.get("triangles")? {
        return Err(triangles.error("triangles", "edges as well"));
    }
    if let Some(boundaries) = line.get("boundaries")? {
        for _ in 0..boundaries.object()?.len() {
            let key = (operators.len() + 1).to_string();
            let n_faces = operators.last().map_or(n_vertices, SparseMat::n_cols);
            operators.push(operator(boundaries.need(&key)?, n_faces)?);
        }
    }
    Complex::from_boundaries(n_vertices, operators).map_err(wrong)
}

/// A list of indices.
pub(super) fn indices(field: Field<'_>) -> Result<Vec<u32>, JsonlError> {
    let one = |(i, value)| field.with(Path::Index(&field.path, i), value).count(MAX_CELLS).map(|v| v as u32);
    field.array()?.iter().enumerate().map(one).collect()
}

/// Lists of `N` indices.
fn tuples<const N: usize>(field: Field<'_>) -> Result<Vec<[u32; N]>, JsonlError> {
    let one = |(i, value)| {
        let cell = field.with(Path::Index(&field.path, i), value);
        let mut tuple = [0; N];
        for (j, value) in cell.array_of(N, "vertices")?.iter().enumerate() {
            tuple[j] = cell.with(Path::Index(&cell.path, j), value).count(MAX_CELLS)? as u32;
        }
        Ok(tuple)
    };
    field.array()?.iter().enumerate().map(one).collect()
}

/// A boundary operator from the faces of each cell.
fn operator(field: Field<'_>, n_faces: usize) -> Result<SparseMat, JsonlError> {
    let mut operator = SparseMat::with_rows(n_faces);
    for (i, value) in field.array()?.iter().enumerate() {
        let cell = field.with(Path::Index(&field.path, i), value);
        let mut faces: Vec<(u32, f64)> = Vec::new();
        for (j, value) in cell.array()?.iter().enumerate() {
            let pair = cell.with(Path::Index(&cell.path, j), value);
            let [face, coefficient] = pair.array_of(2, "numbers")? else {
                unreachable!("two were asked for")
            };
            let face = pair.with(Path::Index(&pair.path, 0), face);
            let index = face.count(MAX_CELLS)?;
            if index >= n_faces {
                return Err(face.error(format!("face {index}"), format!("one of {n_faces}")));
            }
            faces.push((index as u32, pair.with(Path::Index(&pair.path, 1), coefficient).number()?));
        }
        faces.sort_unstable_by_key(|&(face, _)| face);
        if let Some(pair) = faces.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(cell.error(format!("face {} twice", pair[0].0), "distinct faces"));
        }
        operator.push_column(faces);
    }
    Ok(operator)
}

/// The cells of a complex, as they are written.
#[derive(Serialize)]
pub(super) struct Cells {
    vertices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<Vec<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    triangles: Option<Vec<[u32; 3]>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    boundaries: BTreeMap<usize, Vec<Vec<(usize, f64)>>>,
}

impl Cells {
    /// Edges and triangles where they say all there is to say, boundaries otherwise.
    pub fn of(complex: &Complex) -> Self {
        let graph = simple_graph(complex);
        let triangles = graph.as_ref().and_then(|graph| plain_triangles(complex, graph));
        let known = usize::from(graph.is_some()) + usize::from(triangles.is_some());
        let faces = |k: usize| {
            let operator = complex.boundary(k).expect("`k` is a dimension of the complex");
            (0..operator.n_cols()).map(|j| operator.entries(j).collect()).collect()
        };
        Self {
            vertices: complex.n_cells(0),
            edges: graph.map(|graph| graph.edges().collect()),
            triangles,
            boundaries: (known + 1..=complex.dim()).map(|k| (k, faces(k))).collect(),
        }
    }
}

/// The graph whose edges are the 1-cells, if they all are edges.
fn simple_graph(complex: &Complex) -> Option<Complex> {
    let edges: Vec<[u32; 2]> = complex.edges().collect();
    let graph = Complex::graph(complex.n_cells(0), &edges).ok()?;
    (graph.boundary(1) == complex.boundary(1)).then_some(graph)
}

/// The vertices of the 2-cells, if they all are triangles.
fn plain_triangles(complex: &Complex, graph: &Complex) -> Option<Vec<[u32; 3]>> {
    let operator = complex.boundary(2)?;
    let mut triangles = Vec::with_capacity(operator.n_cols());
    for cell in 0..operator.n_cols() {
        let directed = |(e, sign): (usize, f64)| {
            let [tail, head] = graph.edge(e)?;
            Some(if sign > 0.0 { [tail, head] } else { [head, tail] })
        };
        let sides: Vec<[u32; 2]> = operator.entries(cell).map(directed).collect::<Option<_>>()?;
        let [[a, b], ..] = sides[..] else { return None };
        let c = sides.iter().find(|side| side[0] == b)?[1];
        triangles.push([a, b, c]);
    }
    (graph.with_triangles(&triangles).ok()?.boundary(2)? == operator).then_some(triangles)
}

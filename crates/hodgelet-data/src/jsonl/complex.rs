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
    let listed = match line.get("simplices")? {
        Some(simplices) => Some(simplicial(line, simplices, n_vertices)?),
        None => graph_with_faces(line, n_vertices)?,
    };
    let mut operators: Vec<SparseMat> = Vec::new();
    if let Some(complex) = listed {
        let complex = complex.map_err(wrong)?;
        operators.extend((1..=complex.dim()).filter_map(|k| complex.boundary(k).cloned()));
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

/// The closure of simplices, with room for triangles: what is hollow stays so.
fn simplicial(
    line: Field<'_>,
    simplices: Field<'_>,
    n_vertices: usize,
) -> Result<Result<Complex, ComplexError>, JsonlError> {
    for other in ["edges", "triangles", "polygons"] {
        if let Some(field) = line.get(other)? {
            return Err(field.error(format!("`{other}`"), "nothing, as the line has `simplices`"));
        }
    }
    let complex = Complex::from_simplices(n_vertices, &lists(simplices)?);
    Ok(complex.map(|(complex, _)| complex.with_room_for(2)))
}

/// Edges with triangles and polygons, in this order.
fn graph_with_faces(
    line: Field<'_>,
    n_vertices: usize,
) -> Result<Option<Result<Complex, ComplexError>>, JsonlError> {
    let (triangles, polygons) = (line.get("triangles")?, line.get("polygons")?);
    let Some(edges) = line.get("edges")? else {
        return match (triangles, polygons) {
            (Some(field), _) => Err(field.error("triangles", "edges as well")),
            (None, Some(field)) => Err(field.error("polygons", "edges as well")),
            (None, None) => Ok(None),
        };
    };
    let graph = Complex::graph(n_vertices, &tuples::<2>(edges)?);
    let triangles = triangles.map(tuples::<3>).transpose()?;
    let Some(polygons) = polygons.map(lists).transpose()? else {
        return Ok(Some(match triangles {
            Some(triangles) => graph.and_then(|graph| graph.with_triangles(&triangles)),
            None => graph,
        }));
    };
    let triangles = triangles.unwrap_or_default();
    let faces: Vec<&[u32]> =
        triangles.iter().map(<[u32; 3]>::as_slice).chain(polygons.iter().map(Vec::as_slice)).collect();
    // faults name a cell by its place in its own list
    Ok(Some(graph.and_then(|graph| {
        graph.with_triangles(&triangles)?;
        graph.with_polygons(&polygons)?;
        graph.with_polygons(&faces)
    })))
}

/// Lists of indices.
fn lists(field: Field<'_>) -> Result<Vec<Vec<u32>>, JsonlError> {
    let one = |(i, value)| indices(field.with(Path::Index(&field.path, i), value));
    field.array()?.iter().enumerate().map(one).collect()
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
    #[serde(skip_serializing_if = "Option::is_none")]
    polygons: Option<Vec<Vec<u32>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simplices: Option<Vec<Vec<u32>>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    boundaries: BTreeMap<usize, Vec<Vec<(usize, f64)>>>,
}

impl Cells {
    /// Simplices, edges, triangles and polygons where they say all there is to say, boundaries otherwise.
    pub fn of(complex: &Complex) -> Self {
        let vertices = complex.n_cells(0);
        if let Some(simplices) = plain_simplices(complex) {
            let simplices = Some(simplices);
            let boundaries = BTreeMap::new();
            return Self { vertices, edges: None, triangles: None, polygons: None, simplices, boundaries };
        }
        let graph = simple_graph(complex);
        let triangles = graph.as_ref().and_then(|graph| plain_triangles(complex, graph));
        let polygons = match triangles {
            Some(_) => None,
            None => graph.as_ref().and_then(|graph| plain_polygons(complex, graph)),
        };
        let known = usize::from(graph.is_some()) + usize::from(triangles.is_some() || polygons.is_some());
        let faces = |k: usize| {
            let operator = complex.boundary(k).expect("`k` is a dimension of the complex");
            (0..operator.n_cols()).map(|j| operator.entries(j).collect()).collect()
        };
        Self {
            vertices,
            edges: graph.map(|graph| graph.edges().collect()),
            triangles,
            polygons,
            simplices: None,
            boundaries: (known + 1..=complex.dim()).map(|k| (k, faces(k))).collect(),
        }
    }
}

/// The maximal simplices of a complex beyond triangles, if their closure is the complex, cell by cell.
fn plain_simplices(complex: &Complex) -> Option<Vec<Vec<u32>>> {
    if complex.dim() < 3 {
        return None;
    }
    let mut maximal = complex.simplices()?.maximal();
    maximal.retain(|simplex| simplex.len() > 1); // vertices are there anyway
    let (closure, _) = Complex::from_simplices(complex.n_cells(0), &maximal).ok()?;
    (closure.with_room_for(2) == *complex).then_some(maximal)
}

/// The vertices round the 2-cells, if they all are polygons.
fn plain_polygons(complex: &Complex, graph: &Complex) -> Option<Vec<Vec<u32>>> {
    let operator = complex.boundary(2)?;
    let polygons: Vec<Vec<u32>> =
        (0..operator.n_cols()).map(|cell| complex.polygon(cell)).collect::<Option<_>>()?;
    (graph.with_polygons(&polygons).ok()?.boundary(2)? == operator).then_some(polygons)
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

//! From the arrays of a `GraphBatch` to a dataset, graph by graph in parallel.

use crate::error::Fault;
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets, WEIGHTS, cell_starts};
use hodgelet::linalg::SparseMat;
use hodgelet::signal::Orientation;
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::Range;

/// The arrays of a batch, borrowed from Python.
pub struct Arrays<'py> {
    vertices: PyReadonlyArray1<'py, i64>,
    edges: Cells<'py>,
    triangles: Option<Cells<'py>>,
    boundaries: Vec<Boundary<'py>>,
    weights: Vec<(usize, PyReadonlyArray1<'py, f64>)>,
    columns: Vec<ColumnArrays<'py>>,
}

/// Cells by their vertices, and where each graph starts among them.
struct Cells<'py> {
    offsets: PyReadonlyArray1<'py, i64>,
    vertices: PyReadonlyArray2<'py, i64>,
}

/// Cells of one dimension by their faces.
struct Boundary<'py> {
    dim: usize,
    cell_offsets: PyReadonlyArray1<'py, i64>,
    face_offsets: PyReadonlyArray1<'py, i64>,
    faces: PyReadonlyArray1<'py, i64>,
    coefficients: PyReadonlyArray1<'py, f64>,
}

struct ColumnArrays<'py> {
    name: String,
    dim: usize,
    orientation: Orientation,
    names: Vec<String>,
    values: ValueArray<'py>,
    /// Of tags of graphs as a whole.
    offsets: Option<PyReadonlyArray1<'py, i64>>,
}

enum ValueArray<'py> {
    Real(PyReadonlyArray2<'py, f64>),
    Labels(PyReadonlyArray1<'py, i64>),
}

impl<'py> Arrays<'py> {
    /// The arrays of a `GraphBatch`.
    pub fn of(batch: &Bound<'py, PyAny>) -> PyResult<Self> {
        let triangles = match batch.getattr("triangles")?.is_none() {
            true => None,
            false => Some(Cells {
                offsets: array(batch, "triangle_offsets")?,
                vertices: table(batch, "triangles")?,
            }),
        };
        let edges = Cells { offsets: array(batch, "edge_offsets")?, vertices: table(batch, "edges")? };
        let boundaries = batch.getattr("boundaries")?.try_iter()?.map(|b| Boundary::of(&b?));
        let columns = batch.getattr("columns")?.try_iter()?.map(|c| ColumnArrays::of(&c?));
        Ok(Self {
            vertices: array(batch, "vertices")?,
            edges,
            triangles,
            boundaries: boundaries.collect::<PyResult<_>>()?,
            weights: weights(&batch.getattr("weights")?)?,
            columns: columns.collect::<PyResult<_>>()?,
        })
    }

    /// What the arrays hold, to be read without the interpreter.
    pub fn view(&self) -> Result<View<'_>, Fault> {
        let vertices = slice(self.vertices.as_slice(), "vertices")?;
        let n = vertices.len();
        let sizes = vertices.iter().enumerate().map(|(graph, &count)| {
            u32::try_from(count).map(|count| count as usize).map_err(|_| {
                Fault::input(format!("graph {graph}: {count} vertices, expected 0 to {}", u32::MAX))
            })
        });
        Ok(View {
            vertices: sizes.collect::<Result<_, _>>()?,
            edges: self.edges.view(n, "edge")?,
            triangles: self.triangles.as_ref().map(|cells| cells.view(n, "triangle")).transpose()?,
            boundaries: self.boundaries.iter().map(|b| b.view(n)).collect::<Result<_, _>>()?,
            weights: self.weights.iter().map(weight_view).collect::<Result<_, _>>()?,
            columns: self.columns.iter().map(ColumnArrays::view).collect::<Result<_, _>>()?,
        })
    }
}

impl<'py> Boundary<'py> {
    fn of(boundary: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            dim: boundary.getattr("dim")?.extract()?,
            cell_offsets: array(boundary, "cell_offsets")?,
            face_offsets: array(boundary, "face_offsets")?,
            faces: array(boundary, "faces")?,
            coefficients: array(boundary, "coefficients")?,
        })
    }

    fn view(&self, n: usize) -> Result<BoundaryView<'_>, Fault> {
        let faces = slice(self.faces.as_slice(), "faces")?;
        let coefficients = slice(self.coefficients.as_slice(), "coefficients")?;
        if faces.len() != coefficients.len() {
            let (found, expected) = (coefficients.len(), faces.len());
            return Err(Fault::input(format!("{found} coefficients of faces, expected {expected}")));
        }
        let n_cells = slice(self.face_offsets.as_slice(), "face_offsets")?.len().saturating_sub(1);
        Ok(BoundaryView {
            dim: self.dim,
            cells: starts(&self.cell_offsets, n, n_cells, "cell")?,
            face_starts: starts(&self.face_offsets, n_cells, faces.len(), "face")?,
            faces,
            coefficients,
        })
    }
}

impl Cells<'_> {
    fn view(&self, n: usize, what: &'static str) -> Result<CellView<'_>, Fault> {
        let vertices = slice(self.vertices.as_slice(), what)?;
        let width = if what == "edge" { 2 } else { 3 };
        let found = self.vertices.as_array().ncols();
        if found != width {
            return Err(Fault::input(format!("{what}s have {found} vertices, expected {width}")));
        }
        Ok(CellView { what, starts: starts(&self.offsets, n, vertices.len() / width, what)?, vertices })
    }
}

impl<'py> ColumnArrays<'py> {
    fn of(column: &Bound<'py, PyAny>) -> PyResult<Self> {
        let oriented: bool = column.getattr("oriented")?.extract()?;
        let labels = column.getattr("kind")?.extract::<String>()? == "labels";
        let names = column.getattr(if labels { "categories" } else { "channel_names" })?.extract()?;
        let values = match labels {
            true => ValueArray::Labels(array(column, "values")?),
            false => ValueArray::Real(table(column, "values")?),
        };
        let has_offsets = !column.getattr("offsets")?.is_none();
        Ok(Self {
            offsets: has_offsets.then(|| array(column, "offsets")).transpose()?,
            name: column.getattr("name")?.extract()?,
            dim: column.getattr("dim")?.extract()?,
            orientation: if oriented { Orientation::Oriented } else { Orientation::Unoriented },
            names,
            values,
        })
    }

    fn view(&self) -> Result<ColumnView<'_>, Fault> {
        let values = match &self.values {
            ValueArray::Real(values) => Values::Real(slice(values.as_slice(), &self.name)?),
            ValueArray::Labels(codes) => Values::Labels(slice(codes.as_slice(), &self.name)?),
        };
        Ok(ColumnView {
            name: &self.name,
            dim: self.dim,
            orientation: self.orientation,
            names: &self.names,
            offsets: self.offsets.as_ref().map(|o| slice(o.as_slice(), &self.name)).transpose()?,
            values,
        })
    }
}

/// The arrays of a batch as plain slices, offsets validated.
pub struct View<'a> {
    vertices: Vec<usize>,
    edges: CellView<'a>,
    triangles: Option<CellView<'a>>,
    boundaries: Vec<BoundaryView<'a>>,
    weights: Vec<(usize, &'a [f64])>,
    columns: Vec<ColumnView<'a>>,
}

struct CellView<'a> {
    what: &'static str,
    starts: Vec<usize>,
    vertices: &'a [i64],
}

struct BoundaryView<'a> {
    dim: usize,
    cells: Vec<usize>,
    face_starts: Vec<usize>,
    faces: &'a [i64],
    coefficients: &'a [f64],
}

struct ColumnView<'a> {
    name: &'a str,
    dim: usize,
    orientation: Orientation,
    names: &'a [String],
    offsets: Option<&'a [i64]>,
    values: Values<'a>,
}

enum Values<'a> {
    Real(&'a [f64]),
    Labels(&'a [i64]),
}

impl View<'_> {
    /// The dataset, with these targets.
    pub fn dataset(&self, targets: Targets) -> Result<Dataset, Fault> {
        let complexes: Result<Vec<Complex>, Fault> = (0..self.vertices.len())
            .into_par_iter()
            .with_min_len(32)
            .map(|graph| {
                self.complex(graph).map_err(|fault| match fault {
                    Fault::Input(message) => Fault::Input(format!("graph {graph}: {message}")),
                    other => other,
                })
            })
            .collect();
        let complexes = complexes?;
        let columns = self.columns.iter().map(|column| column.build(cell_starts(&complexes, column.dim)));
        let mut columns = columns.collect::<Result<Vec<Column>, Fault>>()?;
        for &(dim, weights) in &self.weights {
            let values = ColumnValues::Real { channels: vec!["0".to_owned()], values: weights.to_vec() };
            let (name, starts) = (WEIGHTS.to_owned(), cell_starts(&complexes, dim));
            let orientation = Orientation::Unoriented;
            columns.push(Column { name, dim, orientation, starts, values });
        }
        Dataset::new("graphs", complexes, columns, targets).map_err(Fault::input)
    }

    fn complex(&self, graph: usize) -> Result<Complex, Fault> {
        let n = self.vertices[graph];
        let mut complex = Complex::graph(n, &self.edges.of::<2>(graph, n)?).map_err(Fault::input)?;
        if let Some(triangles) = &self.triangles {
            complex = complex.with_triangles(&triangles.of::<3>(graph, n)?).map_err(Fault::input)?;
        }
        if self.boundaries.is_empty() {
            return Ok(complex);
        }
        // Hyperedges, which do not join two vertices, take the place of edges.
        let by_vertices = if self.boundaries[0].dim == 1 { 0 } else { complex.dim() };
        let mut operators: Vec<SparseMat> =
            (1..=by_vertices).filter_map(|k| complex.boundary(k).cloned()).collect();
        for boundary in &self.boundaries {
            let n_faces = operators.last().map_or(n, SparseMat::n_cols);
            operators.push(boundary.of(graph, n_faces)?);
        }
        Complex::from_boundaries(n, operators).map_err(Fault::input)
    }
}

impl CellView<'_> {
    /// The cells of one graph by their vertices.
    fn of<const WIDTH: usize>(&self, graph: usize, n_vertices: usize) -> Result<Vec<[u32; WIDTH]>, Fault> {
        let range = WIDTH * self.starts[graph]..WIDTH * self.starts[graph + 1];
        let cells = self.vertices[range].chunks_exact(WIDTH).enumerate();
        let known = |v: i64| u32::try_from(v).ok().filter(|&v| (v as usize) < n_vertices);
        let convert = |(cell, found): (usize, &[i64])| {
            let mut out = [0; WIDTH];
            for (vertex, &v) in out.iter_mut().zip(found) {
                *vertex = known(v).ok_or_else(|| {
                    let what = self.what;
                    Fault::input(format!(
                        "{what} {cell} joins vertices {found:?}, but the graph has {n_vertices} vertices"
                    ))
                })?;
            }
            Ok(out)
        };
        cells.map(convert).collect()
    }
}

impl BoundaryView<'_> {
    /// The boundary operator of one graph.
    fn of(&self, graph: usize, n_faces: usize) -> Result<SparseMat, Fault> {
        let cells = self.cells[graph]..self.cells[graph + 1];
        let mut operator = SparseMat::with_capacity(n_faces, cells.len(), 4);
        for (local, cell) in cells.enumerate() {
            let range: Range<usize> = self.face_starts[cell]..self.face_starts[cell + 1];
            let mut seen = HashSet::new();
            let mut column = Vec::with_capacity(range.len());
            for (&face, &coefficient) in self.faces[range.clone()].iter().zip(&self.coefficients[range]) {
                let known = u32::try_from(face).ok().filter(|&f| (f as usize) < n_faces);
                let fault = |what: String| Fault::input(format!("cell {local} has the face {face}{what}"));
                let known = known.ok_or_else(|| fault(format!(", but there are {n_faces}")))?;
                if !seen.insert(known) {
                    return Err(fault(" twice".to_owned()));
                }
                column.push((known, coefficient));
            }
            operator.push_column(column);
        }
        Ok(operator)
    }
}

impl ColumnView<'_> {
    fn build(&self, starts: Vec<usize>) -> Result<Column, Fault> {
        let names = self.names.to_vec();
        // The dataset checks where tags start.
        let starts = match self.offsets {
            Some(offsets) => offsets.iter().map(|&o| usize::try_from(o).unwrap_or(usize::MAX)).collect(),
            None => starts,
        };
        let values = match self.values {
            Values::Real(values) => ColumnValues::Real { channels: names, values: values.to_vec() },
            Values::Labels(codes) => {
                let code = |&code: &i64| {
                    u32::try_from(code).map_err(|_| {
                        let (name, dim) = (self.name, self.dim);
                        Fault::input(format!("column `{name}` of dimension {dim} has the code {code}"))
                    })
                };
                let codes = codes.iter().map(code).collect::<Result<_, _>>()?;
                ColumnValues::Labels { categories: names, codes }
            }
        };
        let (name, dim, orientation) = (self.name.to_owned(), self.dim, self.orientation);
        Ok(Column { name, dim, orientation, starts, values })
    }
}

/// Offsets of `n` things among `total`, validated.
fn starts(
    offsets: &PyReadonlyArray1<'_, i64>,
    n: usize,
    total: usize,
    what: &str,
) -> Result<Vec<usize>, Fault> {
    let offsets = slice(offsets.as_slice(), what)?;
    let rises = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
    let ends = (offsets.first(), offsets.last()) == (Some(&0), Some(&(total as i64)));
    if offsets.len() != n + 1 || !rises || !ends {
        let found = offsets.len();
        return Err(Fault::input(format!(
            "{found} offsets of {what}s, expected {} that rise from 0 to {total}",
            n + 1
        )));
    }
    Ok(offsets.iter().map(|&offset| offset as usize).collect())
}

/// Weights by dimension, from a dict.
fn weights<'py>(dict: &Bound<'py, PyAny>) -> PyResult<Vec<(usize, PyReadonlyArray1<'py, f64>)>> {
    let read = |item: PyResult<Bound<'py, PyAny>>| -> PyResult<(usize, PyReadonlyArray1<'py, f64>)> {
        let dim = item?;
        let found = dict.get_item(&dim)?;
        Ok((dim.extract()?, found.extract().map_err(|_| wrong_type(&found, "weights", 1))?))
    };
    dict.try_iter()?.map(read).collect()
}

fn weight_view<'a>(
    (dim, weights): &'a (usize, PyReadonlyArray1<'_, f64>),
) -> Result<(usize, &'a [f64]), Fault> {
    Ok((*dim, slice(weights.as_slice(), "weights")?))
}

fn slice<'a, T, E>(array: Result<&'a [T], E>, what: &str) -> Result<&'a [T], Fault> {
    array.map_err(|_| Fault::input(format!("the array `{what}` is not contiguous; create the batch again")))
}

fn array<'py, T: Element>(owner: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArray1<'py, T>> {
    let found = owner.getattr(name)?;
    Ok(found.extract().map_err(|_| wrong_type(&found, name, 1))?)
}

fn table<'py, T: Element>(owner: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArray2<'py, T>> {
    let found = owner.getattr(name)?;
    Ok(found.extract().map_err(|_| wrong_type(&found, name, 2))?)
}

fn wrong_type(found: &Bound<'_, PyAny>, name: &str, axes: usize) -> Fault {
    let kind = found.get_type();
    let what = found.getattr("dtype").map_or_else(|_| kind.to_string(), |dtype| dtype.to_string());
    Fault::input(format!("`{name}` holds {what}, expected int64 or float64 with {axes} axes"))
}

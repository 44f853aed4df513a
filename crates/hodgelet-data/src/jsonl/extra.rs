//! Positions of vertices and weights of cells that lines give beside their signals.
//!
//! In memory both are columns under names of their own, and as columns they are written.

use super::JsonlError;
use super::field::{Field, Path};
use super::header::Header;
use hodgelet::complex::{CellWeights, Complex};
use hodgelet::dataset::{Column, ColumnValues, Dataset, DatasetError, POSITIONS, WEIGHTS, cell_starts};
use hodgelet::signal::Orientation;

/// What one line gives.
pub(super) struct Extra {
    positions: Option<(usize, Vec<f64>)>, // coordinates per vertex, row-major
    weights: Option<CellWeights>,
}

/// What the lines of a file give.
pub(super) struct AllExtra {
    positions: Option<(usize, Vec<f64>)>,
    weights: Vec<Option<CellWeights>>,
}

/// Positions and weights of a line.
pub(super) fn parse(header: &Header, line: Field<'_>, complex: &Complex) -> Result<Extra, JsonlError> {
    let declared = |name: &str| header.columns.iter().any(|column| column.name == name);
    let positions = line.get("positions")?;
    let weights = line.get("weights")?;
    for (field, column) in [(&positions, POSITIONS), (&weights, WEIGHTS)] {
        if let Some(field) = field.as_ref().filter(|_| declared(column)) {
            return Err(field.error("a separate list", format!("values of the header's column `{column}`")));
        }
    }
    Ok(Extra {
        positions: positions.map(|field| coordinates(field, complex.n_cells(0))).transpose()?,
        weights: weights.map(|field| cell_weights(field, complex)).transpose()?,
    })
}

/// A list of coordinates for each vertex, all of one length.
fn coordinates(field: Field<'_>, n_vertices: usize) -> Result<(usize, Vec<f64>), JsonlError> {
    let list = field.array_of(n_vertices, "positions")?;
    let width = list.first().and_then(|value| value.as_array()).map_or(0, Vec::len);
    let mut values = Vec::with_capacity(n_vertices * width);
    for (i, value) in list.iter().enumerate() {
        let point = field.with(Path::Index(&field.path, i), value);
        for (d, value) in point.array_of(width, "coordinates")?.iter().enumerate() {
            values.push(point.with(Path::Index(&point.path, d), value).number()?);
        }
    }
    Ok((width, values))
}

/// A positive number for each cell of the dimensions named.
fn cell_weights(field: Field<'_>, complex: &Complex) -> Result<CellWeights, JsonlError> {
    let mut by_dim: Vec<Option<Vec<f64>>> = vec![None; complex.dim() + 1];
    for key in field.object()?.keys() {
        let known = key.parse().ok().filter(|&dim: &usize| dim <= complex.dim() && dim.to_string() == *key);
        let (Some(dim), Some(of_dim)) = (known, field.get(key)?) else {
            let expected = format!("dimensions 0 to {}", complex.dim());
            return Err(field.error(format!("dimension `{key}`"), expected));
        };
        let mut weights = Vec::with_capacity(complex.n_cells(dim));
        for (i, value) in of_dim.array_of(complex.n_cells(dim), "weights")?.iter().enumerate() {
            let cell = of_dim.with(Path::Index(&of_dim.path, i), value);
            match cell.number()? {
                weight if weight > 0.0 => weights.push(weight),
                weight => return Err(cell.error(format!("the weight {weight}"), "a positive number")),
            }
        }
        by_dim[dim] = Some(weights);
    }
    Ok(CellWeights::new(by_dim).expect("every weight is positive and finite"))
}

/// What all lines give: positions in all of them or in none; weights where there are any.
pub(super) fn gather(file: &str, lines: &[(usize, &Extra)]) -> Result<AllExtra, JsonlError> {
    let weights = lines.iter().map(|(_, extra)| extra.weights.clone()).collect();
    let of = |extra: &Extra| extra.positions.as_ref().filter(|(width, _)| *width > 0).map(|found| found.0);
    let Some(width) = lines.iter().find_map(|(_, extra)| of(extra)) else {
        return Ok(AllExtra { positions: None, weights });
    };
    let mut values = Vec::new();
    for (line, extra) in lines {
        let fault = |found: String, expected: String| JsonlError::Field {
            file: file.to_owned(),
            line: *line,
            field: "positions".to_owned(),
            found,
            expected,
        };
        match &extra.positions {
            // a complex without vertices has no positions to count
            Some((found, here)) if *found == width || here.is_empty() => values.extend_from_slice(here),
            Some((found, _)) => {
                let expected = format!("{width}, as in other lines");
                return Err(fault(format!("{found} coordinates"), expected));
            }
            None => return Err(fault("nothing".to_owned(), "positions, as in other lines".to_owned())),
        }
    }
    Ok(AllExtra { positions: Some((width, values)), weights })
}

impl AllExtra {
    /// The column of positions, if there are any.
    pub fn positions(&mut self, complexes: &[Complex]) -> Option<Column> {
        let (width, values) = self.positions.take()?;
        let channels = match width {
            1..=3 => ["x", "y", "z"][..width].iter().map(|&name| name.to_owned()).collect(),
            _ => (0..width).map(|d| d.to_string()).collect(),
        };
        let (name, orientation) = (POSITIONS.to_owned(), Orientation::Unoriented);
        let (starts, values) = (cell_starts(complexes, 0), ColumnValues::Real { channels, values });
        Some(Column { name, dim: 0, orientation, starts, values })
    }

    /// The dataset with the weights that lines give, if any does.
    pub fn weigh(&self, dataset: Dataset) -> Result<Dataset, DatasetError> {
        match self.weights.iter().any(Option::is_some) {
            true => dataset.with_weights(&self.weights),
            false => Ok(dataset),
        }
    }
}

//! The part of a model file that holds what the kernel sees of complexes: a matrix for each block, or sparse rows.

use super::FileError;
use super::container::{Container, Tensor, fault};
use crate::feature::ValueEmbedding;
use crate::kernel::{FixedRows, GivenRows, Inputs, RowProduct, SparseRows};
use crate::model::features::{BlockSpace, FeatureMap};
use faer::Mat;
use std::collections::BTreeMap;

/// Tensors of sparse rows.
const ROWS: [&str; 3] = ["counts", "ids", "values"];

/// Adds the tensors of `inputs`, one set for each block, under `name`.
pub(super) fn write(name: &str, inputs: &[Inputs], tensors: &mut BTreeMap<String, Tensor<'static>>) {
    for (b, inputs) in inputs.iter().enumerate() {
        let name = format!("{name}.{b}");
        match inputs {
            Inputs::Columns(matrix) => {
                tensors.insert(name, of_matrix(matrix));
            }
            Inputs::Fixed(rows) => match &**rows {
                FixedRows::Dense(matrix) => {
                    tensors.insert(name, of_matrix(matrix));
                }
                FixedRows::Given(rows) => {
                    let places = rows.places().iter().map(|place| place.unwrap_or(u32::MAX));
                    tensors.insert(format!("{name}.places"), Tensor::wholes(places));
                    let own = rows.own().iter().copied();
                    tensors.insert(format!("{name}.own"), Tensor::reals(&[rows.len()], own));
                    tensors.insert(name, of_matrix(rows.values()));
                }
                FixedRows::Sparse(rows) => {
                    let entries = || (0..rows.len()).flat_map(|i| rows.row(i));
                    let all = [
                        Tensor::wholes((0..rows.len()).map(|i| rows.row(i).count() as u32)),
                        Tensor::longs(entries().map(|(id, _)| id)),
                        Tensor::reals(&[rows.n_entries()], entries().map(|(_, value)| value)),
                    ];
                    tensors.extend(ROWS.iter().zip(all).map(|(part, t)| (format!("{name}.{part}"), t)));
                }
            },
        }
    }
}

fn of_matrix(matrix: &Mat<f64>) -> Tensor<'static> {
    let (n, width) = matrix.shape();
    let rows = (0..n).flat_map(|i| (0..width).map(move |j| matrix[(i, j)]));
    Tensor::reals(&[n, width], rows)
}

/// The inputs of `n` complexes under `name`, and the number of their tensors.
pub(super) fn read(
    file: &Container<'_>,
    name: &str,
    blocks: &[BlockSpace],
    n: usize,
) -> Result<(Vec<Inputs>, usize), FileError> {
    let mut n_tensors = 0;
    let mut one = |(b, block): (usize, &BlockSpace)| {
        let name = format!("{name}.{b}");
        let product = match block.map {
            FeatureMap::Labels(_) => Some(RowProduct::Inner),
            FeatureMap::Counts(_) => Some(RowProduct::MinMax),
            _ => None,
        };
        if let Some(product) = product {
            n_tensors += ROWS.len();
            return sparse(file, &name, n, product).map(Inputs::sparse);
        }
        if let FeatureMap::Gram(map) = &block.map {
            n_tensors += 3;
            return given(file, &name, n, map.n_columns()).map(Inputs::given);
        }
        n_tensors += 1;
        let is_fixed = block.map.is_fixed();
        let width = match &block.map {
            FeatureMap::Values(_) => ValueEmbedding::WIDTH,
            FeatureMap::Table(scaling) => scaling.n_channels(),
            _ => block.standardizer.n_columns(),
        };
        let values = file.reals(&name, &[n, width])?;
        let matrix = Mat::from_fn(n, width, |i, j| values[i * width + j]);
        Ok(if is_fixed { Inputs::dense(matrix) } else { Inputs::Columns(matrix) })
    };
    let inputs = blocks.iter().enumerate().map(&mut one).collect::<Result<_, _>>()?;
    Ok((inputs, n_tensors))
}

fn given(file: &Container<'_>, name: &str, n: usize, width: usize) -> Result<GivenRows, FileError> {
    let places = file.wholes(&format!("{name}.places"), &[n])?;
    let places = places.into_iter().map(|place| Some(place).filter(|&place| place != u32::MAX)).collect();
    let own = file.reals(&format!("{name}.own"), &[n])?;
    let values = file.reals(name, &[n, width])?;
    let values = Mat::from_fn(n, width, |i, j| values[i * width + j]);
    GivenRows::new(places, own, values)
        .ok_or_else(|| fault(name, "has rows that are not those of a Gram matrix"))
}

fn sparse(file: &Container<'_>, name: &str, n: usize, product: RowProduct) -> Result<SparseRows, FileError> {
    let [counts, ids, values] = ROWS.map(|part| format!("{name}.{part}"));
    let counts = file.wholes(&counts, &[n])?;
    let ids = file.longs(&ids, &[file.tensor(&ids)?.len()])?;
    let of_values = file.reals(&values, &[ids.len()])?;
    if counts.iter().map(|&count| count as usize).sum::<usize>() != ids.len() {
        return Err(fault(&values, "does not fit its counts"));
    }
    if product == RowProduct::MinMax && of_values.iter().any(|x| *x < 0.0) {
        return Err(fault(&values, "has counts below 0"));
    }
    let (mut rows, mut at) = (SparseRows::new(product), 0);
    for count in counts {
        let range = at..at + count as usize;
        if !ids[range.clone()].is_sorted_by(|a, b| a < b) {
            return Err(fault(&values, "has identifiers that do not ascend"));
        }
        rows.push(ids[range.clone()].iter().copied().zip(of_values[range.clone()].iter().copied()));
        at = range.end;
    }
    Ok(rows)
}

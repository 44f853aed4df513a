//! Exact energies over one block, from a dense eigenproblem of the size of its smaller side or of its classes of twins.

use super::atoms::Atoms;
use super::blocks::Block;
use super::twins::Twins;
use crate::hodge::{HodgeError, Side, gram_entries, smaller_side, zero_tolerance};
use crate::linalg::SparseMat;
use crate::linalg::dense::times;
use crate::linalg::eigen::{eigenpairs, spectral_coefficients};
use crate::measure::component::across;
use faer::Mat;

/// The channels of one signal on a block.
pub(super) struct Channels {
    pub on: Side,
    /// Values of the live channels, `[n_cells of the block, n_live]`.
    pub values: Mat<f64>,
    /// Which of them are averaged over orientations.
    pub averaged: Vec<bool>,
}

impl Channels {
    /// The square of a channel that has the same on all cells of the block: averaged over orientations, it is the energy
    /// of every unit vector.
    fn flat_squares(&self) -> Vec<Option<f64>> {
        let of_channel = |p: usize| {
            let x = self.values.col_as_slice(p);
            let first = x.first().map(|x| x * x)?;
            x.iter().all(|x| x * x == first).then_some(first)
        };
        (0..self.averaged.len()).map(of_channel).collect()
    }
}

/// Rank of a block, and the atoms of each of the signals.
pub(super) struct Solved {
    pub rank: usize,
    pub atoms: Vec<Atoms>,
}

/// Whether leaves are taken together, and how many eigenvalues are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Vertices and edges of a connected graph: one eigenvalue of the side of the vertices is zero.
    Graph,
    /// Anything else: zero is what rounding cannot tell from it.
    Other,
}

/// Energies of all channels over the non-zero spectrum of a block.
pub(super) fn solve(block: &Block, kind: Kind, signals: &[Channels]) -> Result<Solved, HodgeError> {
    let b = &block.b;
    let twins = Twins::new(b, kind == Kind::Graph);
    let is_reduced = twins.len() < b.n_rows();
    let side = if is_reduced { Side::Faces } else { smaller_side(b).0 };
    let frame = Frame { b, side, twins: is_reduced.then_some(twins) };
    let gram = frame.gram();
    let rhs = frame.right_hand_sides(signals);
    let flat: Vec<Vec<Option<f64>>> = signals.iter().map(Channels::flat_squares).collect();
    let needs = |(signal, flat): (&Channels, &Vec<Option<f64>>)| {
        signal.averaged.iter().zip(flat).any(|(&averaged, flat)| averaged && flat.is_none())
    };
    let needs_vectors: Vec<bool> = signals.iter().zip(&flat).map(needs).collect();
    let any_averaged = needs_vectors.contains(&true);
    let (values, coefficients, vectors) = if any_averaged || rhs.ncols() > gram.nrows() / 2 {
        let pairs = eigenpairs(gram.as_ref())?;
        let n = gram.nrows();
        let v = faer::MatRef::from_column_major_slice(&pairs.vectors, n, n);
        let coefficients = times(v.transpose(), rhs.as_ref());
        (pairs.values.clone(), coefficients, Some(pairs))
    } else {
        let (values, coefficients) = spectral_coefficients(gram, rhs)?;
        (values, coefficients, None)
    };
    let zeros = match kind {
        Kind::Graph if side == Side::Faces => 1,
        Kind::Graph => b.n_cols() + 1 - b.n_rows(),
        Kind::Other => values.partition_point(|&v| v <= zero_tolerance(&values)),
    };
    let mut atoms: Vec<Atoms> = Vec::new();
    let mut first = 0;
    for (at, signal) in signals.iter().enumerate() {
        let mut of_signal = frame.twin_atoms(signal);
        let n_live = signal.averaged.len();
        let mut u = vec![0.0; signal.values.nrows()];
        for n in zeros..values.len() {
            if let Some(pairs) = vectors.as_ref().filter(|_| needs_vectors[at]) {
                frame.write_vector(pairs.vector(n), values[n], signal.on, &mut u);
            }
            of_signal.values.push(values[n]);
            of_signal.energies.extend((0..n_live).map(|p| match signal.averaged[p] {
                true if flat[at][p].is_some() => flat[at][p].unwrap_or(0.0),
                true => u.iter().zip(signal.values.col_as_slice(p)).map(|(u, x)| (u * x).powi(2)).sum(),
                false if signal.on == side => coefficients[(n, first + p)].powi(2),
                false => coefficients[(n, first + p)].powi(2) / values[n],
            }));
        }
        first += n_live;
        atoms.push(of_signal);
    }
    let deflated = frame.twins.as_ref().map_or(0, |t| t.class.len() - t.len());
    Ok(Solved { rank: values.len() - zeros + deflated, atoms })
}

/// The space that the eigenproblem lives in.
struct Frame<'a> {
    b: &'a SparseMat,
    side: Side,
    twins: Option<Twins>,
}

impl Frame<'_> {
    fn size(&self) -> usize {
        match (&self.twins, self.side) {
            (Some(twins), _) => twins.len(),
            (None, Side::Faces) => self.b.n_rows(),
            (None, Side::Cells) => self.b.n_cols(),
        }
    }

    fn gram(&self) -> Mat<f64> {
        let mut gram = Mat::zeros(self.size(), self.size());
        match &self.twins {
            None => gram_entries(self.b, self.side, |i, j, value| gram[(i, j)] += value),
            Some(twins) => gram_entries(self.b, Side::Faces, |i, j, value| {
                gram[(twins.class[i] as usize, twins.class[j] as usize)] +=
                    value * twins.unit(i) * twins.unit(j);
            }),
        }
        gram
    }

    /// Every channel on the side of the eigenproblem; averaged ones are zero.
    fn right_hand_sides(&self, signals: &[Channels]) -> Mat<f64> {
        let width = signals.iter().map(|s| s.averaged.len()).sum();
        let mut rhs = Mat::zeros(self.size(), width);
        let mut j = 0;
        for signal in signals {
            for position in 0..signal.averaged.len() {
                if !signal.averaged[position] {
                    let x = self.on_side(signal, position);
                    let column = rhs.col_as_slice_mut(j);
                    match &self.twins {
                        None => column.copy_from_slice(&x),
                        Some(twins) => x
                            .iter()
                            .enumerate()
                            .for_each(|(i, x)| column[twins.class[i] as usize] += x * twins.unit(i)),
                    }
                }
                j += 1;
            }
        }
        rhs
    }

    fn on_side(&self, signal: &Channels, position: usize) -> Vec<f64> {
        let x = signal.values.col_as_slice(position);
        if signal.on == self.side { x.to_vec() } else { across(self.b, signal.on, x) }
    }

    /// The atoms of vectors that sum to zero over twins.
    fn twin_atoms(&self, signal: &Channels) -> Atoms {
        let (mut atoms, n_live) = (Atoms::default(), signal.averaged.len());
        let Some(twins) = &self.twins else { return atoms };
        let on_side: Vec<Vec<f64>> = (0..n_live).map(|p| self.on_side(signal, p)).collect();
        for group in &twins.groups {
            let m = group.leaves.len() as f64;
            let energy = |p: usize| {
                if signal.averaged[p] {
                    // The projector has 1 − 1/m on its diagonal, at the edge of each leaf.
                    let x = signal.values.col_as_slice(p);
                    return (1.0 - 1.0 / m)
                        * group.leaves.iter().map(|&(_, e)| x[e as usize].powi(2)).sum::<f64>();
                }
                let at = |&(leaf, _): &(u32, u32)| on_side[p][leaf as usize];
                let mean = group.leaves.iter().map(at).sum::<f64>() / m;
                let energy: f64 = group.leaves.iter().map(|leaf| (at(leaf) - mean).powi(2)).sum();
                if signal.on == self.side { energy } else { energy / group.eigenvalue }
            };
            atoms.values.push(group.eigenvalue);
            atoms.energies.extend((0..n_live).map(energy));
        }
        atoms
    }

    /// The unit vector of an eigenpair on one side.
    fn write_vector(&self, v: &[f64], value: f64, on: Side, out: &mut [f64]) {
        let expanded: Vec<f64> = match &self.twins {
            None => v.to_vec(),
            Some(twins) => (0..self.b.n_rows()).map(|i| v[twins.class[i] as usize] * twins.unit(i)).collect(),
        };
        if on == self.side {
            return out.copy_from_slice(&expanded);
        }
        match on {
            Side::Cells => self.b.mul_transpose(&expanded, out),
            Side::Faces => self.b.mul(&expanded, out),
        }
        let scale = 1.0 / value.sqrt();
        out.iter_mut().for_each(|u| *u *= scale);
    }
}

//! Energy measures of one large complex.
//!
//! Each boundary operator falls into blocks. A small block is solved exactly, by a dense eigenproblem; a large one by
//! quadrature, with an error that the measure reports. Blocks, channels and complexes are independent tasks whose results
//! are joined in order, so that the number of threads changes no bit.

mod atoms;
mod blocks;
mod dense;
mod error;
mod split;
mod twins;

use super::batch::Work;
use super::harmonic::{FAIR_SHARE, complete, on_components, one_atom};
use super::live::LiveSignal;
use super::route::Spectra;
use super::{ComplexMeasures, DimMeasures, EnergyMeasure};
use crate::complex::Complex;
use crate::hodge::{HodgeError, Side};
use crate::linalg::SparseMat;
use crate::linalg::pair::Pair;
use crate::linalg::projection::Projection;
use crate::linalg::rank::rank_mod_prime;
use atoms::Atoms;
use blocks::{Block, blocks, root};
use dense::{Channels, Kind, solve};
use faer::Mat;
use rayon::prelude::*;
use split::{Complement, Krylov, Neighbor, Split, split};
use twins::Twins;

/// The energy measures of a complex, block by block.
pub(super) fn measure(work: &Work<'_>, spectra: Spectra) -> Result<ComplexMeasures, HodgeError> {
    let top = work.operators.complex().dim();
    let is_graph = work.operators.is_graph_like();
    let operators: Vec<Option<Operator>> = (0..=top + 1)
        .map(|k| Operator::new(work, k, is_graph, spectra).transpose())
        .collect::<Result<_, HodgeError>>()?;
    let by_dim = (0..work.signals.len()).map(|dim| {
        let Some(signal) = work.signal(dim) else { return Ok(None) };
        let of = |k: usize| operators.get(k).and_then(Option::as_ref);
        of_dim(work, signal, of(dim), of(dim + 1), is_graph).map(Some)
    });
    Ok(ComplexMeasures { by_dim: by_dim.collect::<Result<_, _>>()?, ..ComplexMeasures::default() })
}

/// One boundary operator: its rank, the atoms of its small blocks, and its large blocks.
struct Operator {
    k: usize,
    rank: usize,
    faces: Atoms,
    cells: Atoms,
    krylov: Vec<Krylov>,
    /// The columns in blocks that were solved exactly, if there are any.
    dense: Option<SparseMat>,
}

impl Operator {
    /// `B̃_k`, if a signal lives next to it.
    fn new(work: &Work<'_>, k: usize, is_graph: bool, spectra: Spectra) -> Option<Result<Self, HodgeError>> {
        let b = work.operators.boundary(k)?;
        let on_sides = [(Side::Faces, work.signal(k - 1)), (Side::Cells, work.signal(k))];
        on_sides.iter().any(|(_, s)| s.is_some()).then(|| {
            let kind = if k == 1 && is_graph { Kind::Graph } else { Kind::Other };
            let signals: Vec<Gathered<'_>> =
                on_sides.iter().filter_map(|&(on, signal)| Some(Gathered::new(on, signal?))).collect();
            let plain = signals.iter().map(|s| s.averaged().filter(|a| !a).count()).sum();
            let averaged = signals.iter().map(|s| s.averaged().filter(|&a| a).count()).sum();
            let (large, small): (Vec<Block>, Vec<Block>) = blocks(b).into_iter().partition(|block| {
                let classes = Twins::new(&block.b, kind == Kind::Graph).len();
                spectra.takes_quadrature(classes.min(block.b.n_cols()), plain, averaged)
            });
            let solve_one = |block: &Block| {
                let channels: Vec<Channels> = signals.iter().map(|s| s.on_block(block)).collect();
                solve(block, kind, &channels)
            };
            let solved: Vec<Result<dense::Solved, HodgeError>> =
                small.par_iter().with_min_len(4).map(solve_one).collect();
            let mut out = Self {
                k,
                rank: 0,
                faces: Atoms::default(),
                cells: Atoms::default(),
                krylov: vec![],
                dense: None,
            };
            for result in solved {
                let found = result?;
                out.rank += found.rank;
                for (signal, atoms) in signals.iter().zip(found.atoms) {
                    match signal.on {
                        Side::Faces => out.faces.append(atoms),
                        Side::Cells => out.cells.append(atoms),
                    }
                }
            }
            out.dense = (!small.is_empty()).then(|| columns_of(b, &small));
            let complex = work.operators.complex();
            out.rank += large.iter().map(|block| rank(complex, k, block, kind)).sum::<usize>();
            let krylov =
                |block: Block| Krylov { rows: block.rows, cols: block.cols, pair: Pair::new(block.b) };
            out.krylov = large.into_iter().map(krylov).collect();
            Ok(out)
        })
    }

    /// Atoms of the small blocks on one side.
    fn atoms(&self, on: Side) -> &Atoms {
        if on == Side::Cells { &self.cells } else { &self.faces }
    }

    /// The large blocks seen from one side, ready for projections of `signal`. With `is_rest`, what other components
    /// leave is all in the image.
    fn neighbor<'a>(
        &'a self,
        work: &Work<'_>,
        signal: &LiveSignal,
        on: Side,
        is_graph: bool,
        is_rest: bool,
    ) -> Neighbor<'a> {
        let complement = |block: &'a Krylov| {
            if is_rest {
                return Complement::Nothing;
            }
            if self.k == 1 && is_graph && on == Side::Faces {
                let roots = block.rows.iter().map(|&i| work.operators.vertex_root(i as usize));
                return Complement::Mean(roots.collect());
            }
            let (cells, operator) = match on {
                Side::Cells => (&block.cols, block.pair.forward()),
                Side::Faces => (&block.rows, block.pair.backward()),
            };
            let mut projection = Projection::new(operator);
            let of_channel = |position: usize| -> Vec<f64> {
                let x = signal.dense(position);
                cells.iter().map(|&i| x[i as usize]).collect()
            };
            let mut trials = (0..signal.len()).map(of_channel);
            if let Some(x) = trials.find(|x| x.iter().any(|v| *v != 0.0)) {
                projection.prepare(&x);
            }
            Complement::Solve(Box::new(projection))
        };
        let blocks = self.krylov.iter().map(|block| (block, complement(block))).collect();
        Neighbor { on, blocks, dense: self.dense.clone() }
    }
}

fn of_dim(
    work: &Work<'_>,
    signal: &LiveSignal,
    below: Option<&Operator>,
    above: Option<&Operator>,
    is_graph: bool,
) -> Result<DimMeasures, HodgeError> {
    let rank = |operator: Option<&Operator>| operator.map_or(0, |o| o.rank);
    let betti = signal.n_cells.saturating_sub(rank(below) + rank(above));
    let sides = [(below, Side::Cells), (above, Side::Faces)];
    let mut atoms = sides.map(|(o, on)| o.map(|o| o.atoms(on).clone()).unwrap_or_default());
    // Where nothing is harmonic, curls are what gradients leave.
    let is_rest = betti == 0 && below.is_some_and(|o| o.dense.is_none() && !o.krylov.is_empty());
    let neighbors: Vec<Neighbor<'_>> = [(below, Side::Cells, false), (above, Side::Faces, is_rest)]
        .into_iter()
        .filter_map(|(o, on, is_rest)| Some(o?.neighbor(work, signal, on, is_graph, is_rest)))
        .collect();
    let by_mean = signal.dim == 0 && is_graph;
    let one = |position: usize| {
        let whole: f64 = signal.entries(position).map(|(_, x)| x * x).sum();
        let inside: f64 = atoms.iter().map(|a| a.total(position, signal.len())).sum();
        // Where large blocks take a part, the difference is not known yet, and the vector is needed to be safe.
        let residual = betti > 0
            && !by_mean
            && (neighbors.iter().any(|n| !n.blocks.is_empty()) || whole - inside <= FAIR_SHARE * whole);
        split(signal, position, &neighbors, residual && !signal.is_averaged(position))
            .map(|split| (split, whole, inside))
    };
    let any_blocks = neighbors.iter().any(|n| !n.blocks.is_empty());
    let splits: Vec<Result<(Split, f64, f64), HodgeError>> =
        (0..signal.len()).into_par_iter().map(one).collect();
    let mut errors = [vec![0.0; signal.len()], vec![0.0; signal.len()], vec![0.0; signal.len()]];
    let mut harmonic = vec![0.0; signal.len()];
    for (position, result) in splits.into_iter().enumerate() {
        let (found, whole, mut inside) = result?;
        for (neighbor, part) in neighbors.iter().zip(found.parts) {
            let side = usize::from(neighbor.on == Side::Faces);
            inside += part.atoms.iter().map(|atom| atom.1).sum::<f64>();
            atoms[side].push_channel(&part.atoms, position, signal.len());
            errors[side][position] = part.error;
        }
        let difference = whole - inside;
        harmonic[position] = match found.left {
            _ if difference > FAIR_SHARE * whole => difference,
            Some(left) => left,
            None => difference.max(0.0),
        };
        if signal.is_averaged(position) {
            errors[2][position] = errors[0][position] + errors[1][position];
        }
    }
    let harmonic = if betti == 0 {
        EnergyMeasure::empty(signal)
    } else if by_mean {
        on_components(&work.operators, signal)
    } else {
        EnergyMeasure { errors: take_errors(&mut errors[2]), ..one_atom(signal, harmonic) }
    };
    let [exact, coexact] = &atoms;
    let exact = exact.measure(signal, if any_blocks { take_errors(&mut errors[0]) } else { vec![] });
    let mut coexact = coexact.measure(signal, if any_blocks { take_errors(&mut errors[1]) } else { vec![] });
    if by_mean && !any_blocks {
        complete(signal, &mut coexact, &harmonic);
    }
    let measures = DimMeasures { exact, coexact, harmonic, n_channels: signal.n_channels, betti };
    if [&measures.exact, &measures.coexact, &measures.harmonic].iter().all(|m| m.is_finite()) {
        Ok(measures)
    } else {
        Err(HodgeError::Overflow { dim: signal.dim })
    }
}

/// The errors, none if all are zero.
fn take_errors(errors: &mut Vec<f64>) -> Vec<f64> {
    if errors.iter().all(|e| *e == 0.0) { Vec::new() } else { std::mem::take(errors) }
}

/// A signal by cells.
struct Gathered<'a> {
    on: Side,
    signal: &'a LiveSignal,
    by_cell: SparseMat, // [n_live, n_cells]
}

impl<'a> Gathered<'a> {
    fn new(on: Side, signal: &'a LiveSignal) -> Self {
        Self { on, signal, by_cell: signal.by_cell() }
    }

    fn averaged(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.signal.len()).map(|p| self.signal.is_averaged(p))
    }

    fn on_block(&self, block: &Block) -> Channels {
        let cells = if self.on == Side::Cells { &block.cols } else { &block.rows };
        let mut values = Mat::zeros(cells.len(), self.signal.len());
        for (at, &cell) in cells.iter().enumerate() {
            self.by_cell.entries(cell as usize).for_each(|(p, v)| values[(at, p)] = v);
        }
        Channels { on: self.on, values, averaged: self.averaged().collect() }
    }
}

/// The columns of `b` that belong to `blocks`.
fn columns_of(b: &SparseMat, blocks: &[Block]) -> SparseMat {
    let mut columns: Vec<u32> = blocks.iter().flat_map(|block| block.cols.iter().copied()).collect();
    columns.sort_unstable();
    let mut out = SparseMat::with_capacity(b.n_rows(), columns.len(), 3);
    columns.iter().for_each(|&j| out.push_column(b.entries(j as usize).map(|(i, v)| (i as u32, v))));
    out
}

/// Rank of a large block: by its number of vertices where it is a graph, otherwise by elimination modulo a prime. Weights
/// do not change it.
fn rank(complex: &Complex, k: usize, block: &Block, kind: Kind) -> usize {
    if kind == Kind::Graph {
        return block.rows.len() - 1;
    }
    let Some(b) = complex.boundary(k) else { return 0 };
    rank_mod_prime(&block.of(b), largest_rank(complex, k, block))
}

/// A bound of the rank of a block: what `B_{k−1}` annihilates among its faces. For triangles, the cycles that its edges
/// form.
fn largest_rank(complex: &Complex, k: usize, block: &Block) -> usize {
    let n = block.rows.len();
    if k != 2 {
        return n.min(block.cols.len());
    }
    let edges: Option<Vec<[u32; 2]>> = block.rows.iter().map(|&e| complex.edge(e as usize)).collect();
    let Some(edges) = edges else { return n.min(block.cols.len()) };
    let mut vertices: Vec<u32> = edges.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let place = |v: u32| vertices.partition_point(|&w| w < v) as u32;
    let mut parent: Vec<u32> = (0..vertices.len() as u32).collect();
    let mut joined = 0;
    for [a, b] in edges {
        let (a, b) = (root(&mut parent, place(a)), root(&mut parent, place(b)));
        if a != b {
            parent[a.max(b) as usize] = a.min(b);
            joined += 1;
        }
    }
    (n - joined).min(block.cols.len())
}

//! How much of each cell lies in each Hodge component.
//!
//! The share of an edge, or any other cell, `e` in component `c` is the diagonal entry of the orthogonal projector onto it, `p_c(e) = Σ_{n∈c} u_en²`.
//! Shares of an edge add up to 1, and those of all edges to the dimension of the component. They depend neither on
//! orientations nor on the order of cells. The exact share is the effective resistance between the ends: 1 on a bridge,
//! `1 − 1/m` on a ring of `m` edges. Operators are those without weights; weights of vertices and of 2-cells change no share.
//!
//! Work is split where the projector is: exact shares over blocks of the graph without a cut vertex, co-exact ones over
//! 2-cells that hang together by edges. Where every cycle of such a part is a sum of boundaries, its co-exact share is what
//! the exact one leaves, and the part costs no more than its vertices do.

use crate::complex::Complex;
use crate::linalg::SparseMat;
use crate::linalg::cholesky::{CholeskyScratch, factor_in_place, invert_lower};
use crate::linalg::eigen::eigenpairs;
use crate::linalg::rank::rank_mod_prime;
use faer::{Mat, Par};

/// Largest dense problem of one part; beyond it, all edges of the part have the mean of their shares.
const MAX_DENSE: usize = 1500;

/// Shares below this are rounding.
const ROUNDING: f64 = 1e-10;

/// The exact, co-exact and harmonic shares of every edge, in the order of the 1-cells.
///
/// A connected part of more than 1500 vertices or 2-cells is not decomposed: each of its edges has the mean share. 1-cells
/// that do not join two vertices (hyperedges) are harmonic as a whole.
#[must_use]
pub fn edge_shares(complex: &Complex) -> Vec<[f64; 3]> {
    let n_edges = complex.n_cells(1);
    let edges: Vec<Option<[u32; 2]>> = (0..n_edges).map(|e| complex.edge(e)).collect();
    let all: Vec<usize> = (0..n_edges).filter(|&e| edges[e].is_some()).collect();
    let ends = |e: usize| edges[e].map_or([0, 0], |[a, b]| [a as usize, b as usize]);
    let mut shares = vec![[0.0, 0.0, 1.0]; n_edges];
    for (e, share) in resistances(complex.n_cells(0), &all, &ends) {
        shares[e][0] = cleaned(share);
    }
    if let Some(boundary) = complex.boundary(2).filter(|b| b.n_cols() > 0) {
        for (e, share) in coexact(complex.n_cells(0), boundary, &ends) {
            shares[e][1] = cleaned(share).min(1.0 - shares[e][0]);
        }
    }
    for share in &mut shares {
        share[2] = cleaned(1.0 - share[0] - share[1]);
    }
    shares
}

/// The exact, co-exact and harmonic shares of every cell of dimension `dim`, in their order; those of edges are
/// [`edge_shares`], and vertices have no exact one.
///
/// A part of more than 1500 faces or cofaces that hangs together is not decomposed: each of its cells has the mean share.
#[must_use]
pub fn cell_shares(complex: &Complex, dim: usize) -> Vec<[f64; 3]> {
    if dim == 1 {
        return edge_shares(complex);
    }
    let mut shares = vec![[0.0, 0.0, 1.0]; complex.n_cells(dim)];
    let down = complex.boundary(dim).map(SparseMat::transpose);
    for (cell, share) in down.iter().flat_map(by_parts) {
        shares[cell][0] = cleaned(share);
    }
    for (cell, share) in complex.boundary(dim + 1).into_iter().flat_map(by_parts) {
        shares[cell][1] = cleaned(share).min(1.0 - shares[cell][0]);
    }
    for share in &mut shares {
        share[2] = cleaned(1.0 - share[0] - share[1]);
    }
    shares
}

/// Rows of a matrix that are not 0 with the diagonal of the projector onto its columns.
fn by_parts(matrix: &SparseMat) -> Vec<(usize, f64)> {
    let mut found = Vec::new();
    for columns in parts(matrix) {
        let (rows, part) = restricted(matrix, &columns);
        if rows.is_empty() {
            continue;
        }
        match projected(&part) {
            Some(shares) => found.extend(rows.into_iter().zip(shares)),
            None => {
                let rank = rank_mod_prime(&part, rows.len().min(columns.len()));
                let mean = rank as f64 / rows.len() as f64;
                found.extend(rows.into_iter().map(|row| (row, mean)));
            }
        }
    }
    found
}

/// The rows of some columns that are not 0, and the matrix of both.
fn restricted(matrix: &SparseMat, columns: &[usize]) -> (Vec<usize>, SparseMat) {
    let mut rows: Vec<usize> =
        columns.iter().flat_map(|&j| matrix.column(j).0.iter().map(|&i| i as usize)).collect();
    rows.sort_unstable();
    rows.dedup();
    let own = |i: usize| rows.binary_search(&i).unwrap_or(0);
    let mut part = SparseMat::with_rows(rows.len());
    for &j in columns {
        part.push_column(matrix.entries(j).map(|(i, x)| (own(i) as u32, x)));
    }
    (rows, part)
}

fn cleaned(share: f64) -> f64 {
    match share {
        x if x < ROUNDING => 0.0,
        x if x > 1.0 - ROUNDING => 1.0,
        x => x,
    }
}

/// Effective resistances of the edges `all` of a graph.
fn resistances(n_vertices: usize, all: &[usize], ends: &dyn Fn(usize) -> [usize; 2]) -> Vec<(usize, f64)> {
    let (mut found, mut scratch) = (Vec::with_capacity(all.len()), CholeskyScratch::default());
    for block in blocks(n_vertices, all, ends) {
        let (vertices, places) = numbered(block.iter().flat_map(|&e| ends(e)));
        let (n, m) = (vertices.len(), block.len());
        // A bridge, a ring, and what is too large.
        if m <= n || n > MAX_DENSE {
            found.extend(block.iter().map(|&e| (e, (n - 1) as f64 / m as f64)));
            continue;
        }
        // With one vertex grounded, R_uv = G_uu + G_vv − 2 G_uv for the inverse G of the Laplacian.
        let mut laplacian = Mat::zeros(n - 1, n - 1);
        for &e in &block {
            let [a, b] = ends(e).map(&places);
            for (i, j) in [(a, b), (b, a)] {
                if i + 1 < n {
                    laplacian[(i, i)] += 1.0;
                    if j + 1 < n {
                        laplacian[(i, j)] -= 1.0;
                    }
                }
            }
        }
        let sound = factor_in_place(laplacian.as_mut(), &mut scratch, Par::Seq).is_ok();
        let mut inverse = Mat::zeros(n - 1, n - 1);
        if sound {
            invert_lower(laplacian.as_ref(), inverse.as_mut(), Par::Seq);
        }
        for &e in &block {
            let [a, b] = ends(e).map(&places);
            let entry = |i: usize, v: usize| if v + 1 < n { inverse[(i, v)] } else { 0.0 };
            let share: f64 = (0..n - 1).map(|i| (entry(i, a) - entry(i, b)).powi(2)).sum();
            found.push((e, if sound { share } else { (n - 1) as f64 / m as f64 }));
        }
    }
    found
}

/// Co-exact shares of the edges that bound a 2-cell.
fn coexact(n_vertices: usize, boundary: &SparseMat, ends: &dyn Fn(usize) -> [usize; 2]) -> Vec<(usize, f64)> {
    let mut found = Vec::new();
    for cells in parts(boundary) {
        if let [cell] = cells[..] {
            let total: f64 = boundary.entries(cell).map(|(_, x)| x * x).sum();
            found.extend(boundary.entries(cell).map(|(e, x)| (e, x * x / total)));
            continue;
        }
        let (edges, part) = restricted(boundary, &cells);
        let (vertices, places) = numbered(edges.iter().flat_map(|&e| ends(e)));
        let cycles = edges.len() + n_parts(vertices.len(), edges.iter().map(|&e| ends(e).map(&places)))
            - vertices.len();
        let rank = rank_mod_prime(&part, cycles.min(cells.len()));
        if rank == cycles && vertices.len() <= MAX_DENSE {
            let exact = resistances(n_vertices, &edges, ends);
            found.extend(exact.into_iter().map(|(e, share)| (e, 1.0 - share)));
        } else if let Some(shares) = projected(&part) {
            found.extend(edges.iter().copied().zip(shares));
        } else {
            found.extend(edges.iter().map(|&e| (e, rank as f64 / edges.len() as f64)));
        }
    }
    found
}

/// The diagonal of the projector onto the columns of `a`, unless it is too large.
fn projected(a: &SparseMat) -> Option<Vec<f64>> {
    let transposed = a.transpose();
    let (by_rows, b) = if a.n_rows() <= a.n_cols() { (true, a) } else { (false, &transposed) };
    let n = b.n_rows();
    if n > MAX_DENSE {
        return None;
    }
    // The Gram matrix of the smaller side, B Bᵀ.
    let mut gram = Mat::zeros(n, n);
    for k in 0..b.n_cols() {
        for (i, x) in b.entries(k) {
            b.entries(k).for_each(|(j, y)| gram[(i, j)] += x * y);
        }
    }
    let pairs = eigenpairs(gram.as_ref()).ok()?;
    let tolerance = n as f64 * f64::EPSILON * pairs.values.last().copied().unwrap_or(0.0) * 16.0;
    let mut shares = vec![0.0; a.n_rows()];
    for (k, &value) in pairs.values.iter().enumerate().filter(|(_, value)| **value > tolerance) {
        let u = pairs.vector(k);
        if by_rows {
            shares.iter_mut().zip(u).for_each(|(share, x)| *share += x * x);
        } else {
            // The eigenvector on the other side is A v / √λ.
            for (i, share) in shares.iter_mut().enumerate() {
                let x: f64 = transposed.entries(i).map(|(j, a)| a * u[j]).sum();
                *share += x * x / value;
            }
        }
    }
    Some(shares)
}

/// Distinct numbers in order, and their places.
fn numbered(all: impl Iterator<Item = usize>) -> (Vec<usize>, impl Fn(usize) -> usize) {
    let mut distinct: Vec<usize> = all.collect();
    distinct.sort_unstable();
    distinct.dedup();
    let list = distinct.clone();
    (distinct, move |v| list.binary_search(&v).unwrap_or(0))
}

/// Columns of a matrix that hang together by rows.
fn parts(a: &SparseMat) -> Vec<Vec<usize>> {
    let mut first = vec![usize::MAX; a.n_rows()];
    let mut parent: Vec<usize> = (0..a.n_cols()).collect();
    for j in 0..a.n_cols() {
        for &i in a.column(j).0 {
            let other = &mut first[i as usize];
            if *other == usize::MAX {
                *other = j;
            }
            let (x, y) = (root(&mut parent, *other), root(&mut parent, j));
            // The smaller number is the root, so parts come in the order of their first columns.
            parent[x.max(y)] = x.min(y);
        }
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); a.n_cols()];
    for j in 0..a.n_cols() {
        let root = root(&mut parent, j);
        parts[root].push(j);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Connected components of a graph.
fn n_parts(n_vertices: usize, edges: impl Iterator<Item = [usize; 2]>) -> usize {
    let mut parent: Vec<usize> = (0..n_vertices).collect();
    for [a, b] in edges {
        let (x, y) = (root(&mut parent, a), root(&mut parent, b));
        parent[x] = y;
    }
    (0..n_vertices).filter(|&v| parent[v] == v).count()
}

fn root(parent: &mut [usize], mut j: usize) -> usize {
    while parent[j] != j {
        parent[j] = parent[parent[j]];
        j = parent[j];
    }
    j
}

/// The edges `all` in blocks without a cut vertex, by depth-first search (Hopcroft and Tarjan) without recursion.
fn blocks(n_vertices: usize, all: &[usize], ends: &dyn Fn(usize) -> [usize; 2]) -> Vec<Vec<usize>> {
    let mut starts = vec![0usize; n_vertices + 1];
    all.iter().flat_map(|&e| ends(e)).for_each(|v| starts[v + 1] += 1);
    (0..n_vertices).for_each(|v| starts[v + 1] += starts[v]);
    let (mut next, mut around) = (starts.clone(), vec![(0, 0); 2 * all.len()]);
    for &e in all {
        let [a, b] = ends(e);
        for (v, u) in [(a, b), (b, a)] {
            around[next[v]] = (u, e);
            next[v] += 1;
        }
    }
    let mut at = starts.clone();
    let (mut depth, mut low) = (vec![0usize; n_vertices], vec![0usize; n_vertices]);
    let (mut blocks, mut open) = (Vec::new(), Vec::new());
    for source in 0..n_vertices {
        if depth[source] > 0 {
            continue;
        }
        depth[source] = 1;
        low[source] = 1;
        // Vertices on the path, with the edge that led there and where its edges begin among the open ones.
        let mut path = vec![(source, usize::MAX, 0)];
        while let Some(&(v, by, begin)) = path.last() {
            if at[v] < starts[v + 1] {
                let (u, e) = around[at[v]];
                at[v] += 1;
                if e == by {
                    continue;
                }
                if depth[u] == 0 {
                    depth[u] = depth[v] + 1;
                    low[u] = depth[u];
                    path.push((u, e, open.len()));
                    open.push(e);
                } else if depth[u] < depth[v] {
                    low[v] = low[v].min(depth[u]);
                    open.push(e);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, ..)) = path.last() {
                low[parent] = low[parent].min(low[v]);
                if low[v] >= depth[parent] {
                    blocks.push(open.split_off(begin));
                }
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complex::Lift;
    use crate::hodge::{HodgeComponent, Operators, Weighting, spectrum};

    /// Shares by eigenvectors of the whole.
    fn by_spectrum(complex: &Complex) -> Vec<[f64; 3]> {
        let operators = Operators::new(complex, Weighting::Combinatorial);
        let mut shares = vec![[0.0; 3]; complex.n_cells(1)];
        for (c, component) in HodgeComponent::ALL.into_iter().enumerate() {
            let found = spectrum(&operators, 1, component).unwrap();
            let u = found.eigenvectors();
            for (e, share) in shares.iter_mut().enumerate() {
                share[c] = (0..u.ncols()).map(|n| u[(e, n)].powi(2)).sum();
            }
        }
        shares
    }

    #[test]
    fn shares_of_higher_cells_are_squares_of_eigenvectors() {
        let pairs = (0..7u32).flat_map(|a| (a + 1..7).map(move |b| [a, b]));
        let edges: Vec<[u32; 2]> = pairs.filter(|[a, b]| (a * 5 + b * 3) % 7 != 1).collect();
        let graph = Complex::graph(9, &edges).unwrap();
        for lift in [Lift::Cliques(2), Lift::Cliques(3), Lift::Rings(6)] {
            let complex = lift.filled(&graph).unwrap();
            let operators = Operators::new(&complex, Weighting::Combinatorial);
            for dim in 0..=complex.dim() {
                let found = cell_shares(&complex, dim);
                for (c, component) in HodgeComponent::ALL.into_iter().enumerate() {
                    let spectrum = spectrum(&operators, dim, component).unwrap();
                    let u = spectrum.eigenvectors();
                    for (cell, share) in found.iter().enumerate() {
                        let expected: f64 = (0..u.ncols()).map(|n| u[(cell, n)].powi(2)).sum();
                        let what = format!("{lift:?}, dimension {dim}, cell {cell}, {component:?}");
                        assert!((share[c] - expected).abs() < 1e-9, "{what}: {share:?} {expected}");
                    }
                }
            }
        }
    }

    fn assert_equal(complex: &Complex, what: &str) {
        for (e, (found, expected)) in edge_shares(complex).iter().zip(by_spectrum(complex)).enumerate() {
            for c in 0..3 {
                assert!((found[c] - expected[c]).abs() < 1e-9, "{what}, edge {e}: {found:?} {expected:?}");
            }
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_bridge_is_exact_and_a_ring_is_partly_harmonic() {
        let square_with_tail = [[0, 1], [1, 2], [2, 3], [0, 3], [3, 4]];
        let shares = edge_shares(&Complex::graph(5, &square_with_tail).unwrap());
        assert_eq!(shares[3..], [[0.75, 0.0, 0.25], [1.0, 0.0, 0.0]]);
    }

    #[test]
    fn shares_are_squares_of_eigenvectors() {
        let mut state = 7u64;
        let mut chance = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for n in 3..14u32 {
            for density in [0.2, 0.5, 0.9] {
                let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
                let edges: Vec<[u32; 2]> = pairs.filter(|_| chance() < density).collect();
                let graph = Complex::graph(n as usize, &edges).unwrap();
                for lift in [Lift::None, Lift::Cliques(2), Lift::Rings(6)] {
                    assert_equal(&lift.filled(&graph).unwrap(), &format!("{n} {density} {lift:?}"));
                }
            }
        }
    }
}

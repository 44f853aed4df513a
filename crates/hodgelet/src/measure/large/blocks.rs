//! The blocks of a boundary operator: cells and faces that are joined, directly or through others.
//!
//! Over vertices and edges they are the connected components; over edges and triangles, clusters of triangles that share
//! edges. Spectra of blocks are those of the operator.

use crate::linalg::SparseMat;

/// The rows and columns of one block, ascending, and what the operator is on them.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
    pub b: SparseMat,
}

impl Block {
    /// The same rows and columns of another matrix of the same structure.
    pub fn of(&self, other: &SparseMat) -> SparseMat {
        restricted(other, &self.rows, &self.cols)
    }
}

/// All blocks with an entry, in the order of their first rows; rows and columns of zeros are in none.
pub(super) fn blocks(b: &SparseMat) -> Vec<Block> {
    let mut parent: Vec<u32> = (0..b.n_rows() as u32).collect();
    for j in 0..b.n_cols() {
        let rows = b.column(j).0;
        for pair in rows.windows(2) {
            let (p, q) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            parent[p.max(q) as usize] = p.min(q);
        }
    }
    let mut used = vec![false; b.n_rows()];
    (0..b.n_cols()).for_each(|j| b.column(j).0.iter().for_each(|&i| used[i as usize] = true));
    let mut number = vec![u32::MAX; b.n_rows()]; // of the block, by root
    let mut members: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    for i in (0..b.n_rows()).filter(|&i| used[i]) {
        let r = root(&mut parent, i as u32) as usize;
        if number[r] == u32::MAX {
            number[r] = members.len() as u32;
            members.push(Default::default());
        }
        members[number[r] as usize].0.push(i as u32);
    }
    for j in 0..b.n_cols() {
        if let Some(&i) = b.column(j).0.first() {
            let r = root(&mut parent, i) as usize;
            members[number[r] as usize].1.push(j as u32);
        }
    }
    let mut place = vec![0u32; b.n_rows()];
    let make = |(rows, cols): (Vec<u32>, Vec<u32>)| {
        rows.iter().zip(0..).for_each(|(&i, at)| place[i as usize] = at);
        let b = with_places(b, rows.len(), &cols, &place);
        Block { rows, cols, b }
    };
    members.into_iter().map(make).collect()
}

fn restricted(b: &SparseMat, rows: &[u32], cols: &[u32]) -> SparseMat {
    let place =
        |i: usize| rows.binary_search(&(i as u32)).expect("a block holds all faces of its cells") as u32;
    let mut out = SparseMat::with_capacity(rows.len(), cols.len(), 3);
    for &j in cols {
        out.push_column(b.entries(j as usize).map(|(i, v)| (place(i), v)));
    }
    out
}

fn with_places(b: &SparseMat, n_rows: usize, cols: &[u32], place: &[u32]) -> SparseMat {
    let mut out = SparseMat::with_capacity(n_rows, cols.len(), 3);
    for &j in cols {
        out.push_column(b.entries(j as usize).map(|(i, v)| (place[i], v)));
    }
    out
}

/// Root of `v`, with path halving.
pub(super) fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_without_entries_are_in_no_block() {
        let mut b = SparseMat::with_rows(6);
        b.push_column([(1, 1.0), (4, -1.0)]);
        b.push_column([]);
        b.push_column([(5, 2.0)]);
        b.push_column([(4, 1.0), (3, 1.0)]);
        let found = blocks(&b);
        assert_eq!(found.iter().map(|b| b.rows.clone()).collect::<Vec<_>>(), [vec![1, 3, 4], vec![5]]);
        assert_eq!(found.iter().map(|b| b.cols.clone()).collect::<Vec<_>>(), [vec![0, 3], vec![2]]);
        assert_eq!(found[0].b.column(1), (&[1, 2][..], &[1.0, 1.0][..]));
        assert_eq!(found[0].of(&b), found[0].b);
    }
}

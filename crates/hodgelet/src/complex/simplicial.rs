//! Simplicial complexes from their maximal simplices.

use super::{Complex, ComplexError, MAX_CLIQUE_DIM};
use crate::linalg::SparseMat;

/// The vertices of every simplex of a complex, in the order of its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simplices {
    by_dim: Vec<Vec<u32>>, // entry k is [n_k, k + 1] row-major, vertices ascending
}

impl Simplices {
    /// Highest dimension that the table has room for; it may hold no simplex.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.by_dim.len() - 1
    }

    /// Vertices of a simplex of dimension `k`, ascending.
    ///
    /// # Panics
    ///
    /// When there is no such simplex.
    #[must_use]
    pub fn vertices(&self, k: usize, cell: usize) -> &[u32] {
        &self.by_dim[k][cell * (k + 1)..(cell + 1) * (k + 1)]
    }

    /// The simplices of dimension `k`, in the order of the cells.
    pub fn of_dim(&self, k: usize) -> impl ExactSizeIterator<Item = &[u32]> {
        self.by_dim.get(k).map_or(&[][..], Vec::as_slice).chunks_exact(k + 1)
    }

    /// The cell with these vertices, named in any order.
    #[must_use]
    pub fn position(&self, vertices: &[u32]) -> Option<usize> {
        let k = vertices.len().checked_sub(1)?;
        let mut wanted = vertices.to_vec();
        wanted.sort_unstable();
        let rows = self.by_dim.get(k)?;
        if is_sorted(rows, k + 1) {
            return search(rows, k + 1, 0..rows.len() / (k + 1), &wanted);
        }
        rows.chunks_exact(k + 1).position(|row| row == wanted)
    }

    /// The simplices that are not a face of another, by dimension and then in the order of the cells.
    #[must_use]
    pub fn maximal(&self) -> Vec<Vec<u32>> {
        let mut out = Vec::new();
        for k in 0..self.by_dim.len() {
            let mut covered = vec![false; self.of_dim(k).len()];
            for simplex in self.of_dim(k + 1) {
                for_each_face(simplex, |_, face| {
                    self.position(face).into_iter().for_each(|at| covered[at] = true);
                });
            }
            let open = self.of_dim(k).zip(&covered).filter(|(_, covered)| !**covered);
            out.extend(open.map(|(simplex, _)| simplex.to_vec()));
        }
        out
    }
}

impl Complex {
    /// The simplicial complex of some simplices and all their faces, on the vertices `0..n_vertices`.
    ///
    /// Cells of every dimension come in lexicographic order of their ascending vertices, and are oriented by that
    /// order: `∂[v₀, ..., v_k] = Σ_i (−1)^i [..., v_{i−1}, v_{i+1}, ...]`. Listing a face of another simplex, or one
    /// twice, changes nothing. The table beside the complex tells the vertices of each cell.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] names the first simplex that is empty, of a dimension above [`MAX_CLIQUE_DIM`], or that names a
    /// vertex twice or one that does not exist.
    ///
    /// # Complexity
    ///
    /// `O(N log N)` time and `O(N)` memory for `N` faces of the listed simplices, of which one of dimension `k` has
    /// `2^{k+1} − 1`.
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// let (complex, simplices) = Complex::from_simplices(4, &[vec![2, 0, 1], vec![3, 1]])?;
    /// assert_eq!([0, 1, 2].map(|k| complex.n_cells(k)), [4, 4, 1]);
    /// assert_eq!(simplices.vertices(1, 3), [1, 3]);
    /// # Ok::<(), hodgelet::complex::ComplexError>(())
    /// ```
    pub fn from_simplices<S: AsRef<[u32]>>(
        n_vertices: usize,
        simplices: &[S],
    ) -> Result<(Self, Simplices), ComplexError> {
        if u32::try_from(n_vertices).is_err() {
            return Err(ComplexError::TooLarge { n_vertices });
        }
        let mut by_dim: Vec<Vec<u32>> = vec![Vec::new()];
        for (cell, simplex) in simplices.iter().enumerate() {
            let sorted = checked(n_vertices, cell, simplex.as_ref())?;
            let k = sorted.len() - 1;
            if by_dim.len() <= k {
                by_dim.resize(k + 1, Vec::new());
            }
            by_dim[k].extend(sorted);
        }
        by_dim[0] = (0..n_vertices as u32).collect();
        for k in (1..by_dim.len()).rev() {
            let rows = sorted_rows(&std::mem::take(&mut by_dim[k]), k + 1);
            if k > 1 {
                let faces = &mut by_dim[k - 1];
                rows.chunks_exact(k + 1).for_each(|row| for_each_face(row, |_, face| faces.extend(face)));
            }
            by_dim[k] = rows;
        }
        let simplices = Simplices { by_dim };
        Ok((simplices.complex(n_vertices), simplices))
    }

    /// The same complex with room for cells up to dimension `dim`, where there are none yet.
    ///
    /// A model fills the cliques of complexes of dimension 1 only; a hollow triangle that is to stay hollow needs room
    /// for triangles.
    #[must_use]
    pub fn with_room_for(mut self, dim: usize) -> Self {
        while self.dim() < dim {
            let n_faces = self.n_cells(self.dim());
            self.boundaries.push(SparseMat::zeros(n_faces, 0));
            self.n_cells.push(0);
        }
        self
    }

    /// The vertices of a cell: those of its faces, ascending.
    ///
    /// # Panics
    ///
    /// When there is no such cell.
    #[must_use]
    pub fn cell_vertices(&self, k: usize, cell: usize) -> Vec<u32> {
        assert!(cell < self.n_cells(k), "cell {cell} of {} of dimension {k}", self.n_cells(k));
        let mut cells = vec![cell as u32];
        for dim in (1..=k).rev() {
            let boundary = &self.boundaries[dim - 1];
            cells = cells.iter().flat_map(|&c| boundary.column(c as usize).0.iter().copied()).collect();
            cells.sort_unstable();
            cells.dedup();
        }
        cells
    }

    /// The vertices of every cell, if all cells are simplices: `k + 1` vertices in dimension `k`.
    #[must_use]
    pub fn simplices(&self) -> Option<Simplices> {
        let mut by_dim = vec![(0..self.n_cells(0) as u32).collect::<Vec<u32>>()];
        for k in 1..=self.dim() {
            let (boundary, below) = (&self.boundaries[k - 1], &by_dim[k - 1]);
            let mut rows = Vec::with_capacity(boundary.n_cols() * (k + 1));
            let mut vertices: Vec<u32> = Vec::new();
            for cell in 0..boundary.n_cols() {
                vertices.clear();
                for &face in boundary.column(cell).0 {
                    vertices.extend(&below[face as usize * k..(face as usize + 1) * k]);
                }
                vertices.sort_unstable();
                vertices.dedup();
                if vertices.len() != k + 1 {
                    return None;
                }
                rows.extend(&vertices);
            }
            by_dim.push(rows);
        }
        Some(Simplices { by_dim })
    }
}

impl Simplices {
    /// The complex of a closed table in lexicographic order.
    fn complex(&self, n_vertices: usize) -> Complex {
        let mut n_cells = vec![n_vertices];
        let mut boundaries = Vec::with_capacity(self.dim());
        for k in 1..=self.dim() {
            let below = FirstVertex::new(&self.by_dim[k - 1], k, n_vertices);
            let mut boundary = SparseMat::with_capacity(n_cells[k - 1], self.of_dim(k).len(), k + 1);
            let mut column: Vec<(u32, f64)> = Vec::with_capacity(k + 1);
            for simplex in self.of_dim(k) {
                column.clear();
                for_each_face(simplex, |skipped, face| {
                    let sign = if skipped % 2 == 0 { 1.0 } else { -1.0 };
                    column.push((below.position(face), sign));
                });
                column.reverse(); // the face without the last vertex comes first
                boundary.push_column(column.iter().copied());
            }
            n_cells.push(boundary.n_cols());
            boundaries.push(boundary);
        }
        Complex { n_cells, boundaries }
    }
}

/// A simplex with its vertices ascending, or what is wrong with it.
fn checked(n_vertices: usize, cell: usize, simplex: &[u32]) -> Result<Vec<u32>, ComplexError> {
    let what = "simplex";
    if simplex.is_empty() || simplex.len() > MAX_CLIQUE_DIM + 1 {
        return Err(ComplexError::SimplexSize { simplex: cell, found: simplex.len() });
    }
    if let Some(&vertex) = simplex.iter().find(|&&v| v as usize >= n_vertices) {
        return Err(ComplexError::CellVertex { what, cell, vertex, n_vertices });
    }
    let mut sorted = simplex.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ComplexError::RepeatedVertex { what, cell, vertex: pair[0] }),
        None => Ok(sorted),
    }
}

/// Calls `act(i, face)` for every face, which lacks vertex `i`.
fn for_each_face(simplex: &[u32], mut act: impl FnMut(usize, &[u32])) {
    let mut face = [0u32; MAX_CLIQUE_DIM + 1];
    let k = simplex.len() - 1;
    face[..k].copy_from_slice(&simplex[1..]);
    for skipped in 0..=k {
        if skipped > 0 {
            face[skipped - 1] = simplex[skipped - 1];
        }
        act(skipped, &face[..k]);
    }
}

/// Distinct rows in lexicographic order.
fn sorted_rows(rows: &[u32], width: usize) -> Vec<u32> {
    match width {
        2 => sorted_arrays::<2>(rows),
        3 => sorted_arrays::<3>(rows),
        4 => sorted_arrays::<4>(rows),
        _ => {
            let mut order: Vec<&[u32]> = rows.chunks_exact(width).collect();
            order.sort_unstable();
            order.dedup();
            order.concat()
        }
    }
}

fn sorted_arrays<const N: usize>(rows: &[u32]) -> Vec<u32> {
    let mut arrays: Vec<[u32; N]> =
        rows.chunks_exact(N).map(|row| row.try_into().expect("chunks have that size")).collect();
    arrays.sort_unstable();
    arrays.dedup();
    arrays.into_flattened()
}

fn is_sorted(rows: &[u32], width: usize) -> bool {
    rows.chunks_exact(width).is_sorted()
}

/// Position of a row among sorted ones.
fn search(rows: &[u32], width: usize, range: std::ops::Range<usize>, wanted: &[u32]) -> Option<usize> {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        match rows[middle * width..(middle + 1) * width].cmp(wanted) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(middle),
        }
    }
    None
}

/// Sorted rows with an index by their first entry.
struct FirstVertex<'a> {
    rows: &'a [u32],
    width: usize,
    starts: Vec<u32>, // [n_vertices + 1]
}

impl<'a> FirstVertex<'a> {
    fn new(rows: &'a [u32], width: usize, n_vertices: usize) -> Self {
        let mut starts = vec![0u32; if width == 1 { 0 } else { n_vertices + 1 }];
        if width > 1 {
            rows.iter().step_by(width).for_each(|&v| starts[v as usize + 1] += 1);
            for v in 0..n_vertices {
                starts[v + 1] += starts[v];
            }
        }
        Self { rows, width, starts }
    }

    fn position(&self, row: &[u32]) -> u32 {
        if self.width == 1 {
            return row[0]; // vertices are their own index
        }
        let v = row[0] as usize;
        let range = self.starts[v] as usize..self.starts[v + 1] as usize;
        search(self.rows, self.width, range, row).expect("every face was added") as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tetrahedron_brings_all_its_faces() {
        let (complex, table) = Complex::from_simplices(4, &[[3, 1, 0, 2]]).unwrap();
        assert_eq!((0..=3).map(|k| complex.n_cells(k)).collect::<Vec<_>>(), [4, 6, 4, 1]);
        let edges: Vec<[u32; 2]> = (0..4).flat_map(|a| (a + 1..4).map(move |b| [a, b])).collect();
        assert_eq!(complex, Complex::graph(4, &edges).unwrap().clique_complex(3).unwrap());
        assert_eq!(table.vertices(2, 3), [1, 2, 3]);
        assert_eq!((table.position(&[3, 1]), table.position(&[0, 4])), (Some(4), None));
        assert_eq!(table.maximal(), [[0, 1, 2, 3]]);
        assert_eq!((complex.cell_vertices(3, 0), complex.cell_vertices(0, 2)), (vec![0, 1, 2, 3], vec![2]));
        assert_eq!(complex.simplices().unwrap(), table);
    }

    #[test]
    fn faces_and_repetitions_in_the_list_change_nothing() {
        let lean = Complex::from_simplices(5, &[vec![0, 1, 2], vec![2, 3]]).unwrap();
        let full = [vec![2, 1, 0], vec![3, 2], vec![0, 2], vec![1], vec![0, 1, 2], vec![2, 3]];
        assert_eq!(Complex::from_simplices(5, &full).unwrap(), lean);
        assert_eq!(lean.1.maximal(), [vec![4], vec![2, 3], vec![0, 1, 2]]);
    }

    #[test]
    fn faults_name_the_simplex() {
        let message = |list: &[Vec<u32>]| Complex::from_simplices(3, list).unwrap_err().to_string();
        assert_eq!(message(&[vec![0], vec![0, 3]]), "simplex 1 names vertex 3, but there are 3 vertices");
        assert_eq!(message(&[vec![1, 2, 1]]), "simplex 0 names vertex 1 twice");
        assert_eq!(message(&[vec![]]), "simplex 0 has 0 vertices, expected 1 to 16");
    }

    #[test]
    fn no_simplex_gives_the_vertices_alone() {
        let (complex, table) = Complex::from_simplices::<Vec<u32>>(3, &[]).unwrap();
        assert_eq!((complex.dim(), complex.n_cells(0), table.maximal().len()), (0, 3, 3));
        let roomy = complex.with_room_for(2);
        assert_eq!((roomy.dim(), roomy.n_cells(1), roomy.n_cells(2)), (2, 0, 0));
        assert_eq!(roomy.clone().with_room_for(1), roomy);
    }
}

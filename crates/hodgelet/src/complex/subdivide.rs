//! Refinements: the same space, cut into more simplices.

use super::{Complex, ComplexError, Simplices, max_cells};
use std::collections::HashSet;

impl Complex {
    /// The barycentric subdivision: a vertex in the middle of every simplex, and a simplex for every chain of faces.
    ///
    /// The vertex of cell `i` of dimension `k` comes after those of all cells of lower dimension; old vertices keep their
    /// numbers.
    ///
    /// # Errors
    ///
    /// [`ComplexError::NotSimplicial`] where a cell is not a simplex of its own, and [`ComplexError::TooManyCells`].
    ///
    /// # Complexity
    ///
    /// A simplex of dimension `k` becomes `(k + 1)!` simplices.
    pub fn barycentric_subdivision(&self) -> Result<Self, ComplexError> {
        let simplices = self.own_simplices()?;
        let mut starts = vec![0u32];
        for k in 0..=self.dim() {
            let next = starts[k] as usize + self.n_cells(k);
            starts.push(u32::try_from(next).map_err(|_| ComplexError::TooLarge { n_vertices: next })?);
        }
        let maximal = simplices.maximal();
        let flags = |simplex: &Vec<u32>| (1..=simplex.len()).product::<usize>();
        if maximal.iter().map(flags).fold(0, usize::saturating_add) > max_cells() {
            return Err(ComplexError::TooManyCells { dim: self.dim(), limit: max_cells() });
        }
        let mut out: Vec<Vec<u32>> = Vec::new();
        for simplex in &maximal {
            for_each_order(&mut simplex.clone(), 0, &mut |order| {
                let middle = |n: usize| {
                    let at = simplices.position(&order[..n]).expect("a face of a simplex is one");
                    starts[n - 1] + at as u32
                };
                out.push((1..=order.len()).map(middle).collect());
            });
        }
        let n_vertices = *starts.last().expect("it has a first entry") as usize;
        Ok(Self::from_simplices(n_vertices, &out)?.0.with_room_for(self.dim()))
    }

    /// The stellar subdivision at some simplices of the highest dimension: each gets a vertex in its middle, which is joined to
    /// its faces. The vertex of the first comes after all that there are, and so on.
    ///
    /// # Errors
    ///
    /// [`ComplexError::NotSimplicial`] where a cell is not a simplex of its own, [`ComplexError::NoCell`] for one that is not
    /// there, or [`ComplexError::TooLarge`].
    ///
    /// # Complexity
    ///
    /// Each of them becomes as many as it has vertices.
    pub fn stellar_subdivision(&self, cells: &[usize]) -> Result<Self, ComplexError> {
        let (dim, simplices) = (self.dim(), self.own_simplices()?);
        let mut middle: Vec<Option<u32>> = vec![None; self.n_cells(dim)];
        let mut n_vertices = self.n_cells(0);
        for &cell in cells {
            let n_cells = middle.len();
            let place = middle.get_mut(cell).ok_or(ComplexError::NoCell { dim, cell, n_cells })?;
            if place.is_none() {
                *place = Some(u32::try_from(n_vertices).map_err(|_| ComplexError::TooLarge { n_vertices })?);
                n_vertices += 1;
            }
        }
        let mut out: Vec<Vec<u32>> =
            simplices.maximal().into_iter().filter(|simplex| simplex.len() <= dim).collect();
        for (simplex, middle) in simplices.of_dim(dim).zip(&middle) {
            match middle {
                None => out.push(simplex.to_vec()),
                Some(middle) => out.extend((0..simplex.len()).map(|skipped| {
                    let mut part = simplex.to_vec();
                    part[skipped] = *middle;
                    part
                })),
            }
        }
        Ok(Self::from_simplices(n_vertices, &out)?.0.with_room_for(dim))
    }

    /// The vertices of all cells, where each is a simplex and no two have the same vertices.
    fn own_simplices(&self) -> Result<Simplices, ComplexError> {
        for k in 1..=self.dim() {
            let Some(boundary) = self.boundary(k) else { continue };
            let mut seen = HashSet::new();
            for cell in 0..self.n_cells(k) {
                let (faces, signs) = boundary.column(cell);
                let is_plain = faces.len() == k + 1 && signs.iter().all(|sign| sign.abs() == 1.0);
                let vertices = self.cell_vertices(k, cell);
                if !is_plain || vertices.len() != k + 1 || !seen.insert(vertices) {
                    return Err(ComplexError::NotSimplicial { dim: k, cell });
                }
            }
        }
        self.simplices().ok_or(ComplexError::NotSimplicial { dim: self.dim(), cell: 0 })
    }
}

/// Calls `visit` with every order of `items` that keeps the first `fixed`.
fn for_each_order(items: &mut [u32], fixed: usize, visit: &mut impl FnMut(&[u32])) {
    if fixed + 1 >= items.len() {
        return visit(items);
    }
    for i in fixed..items.len() {
        items.swap(fixed, i);
        for_each_order(items, fixed + 1, visit);
        items.swap(fixed, i);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane() -> Complex {
        let triangles = [
            [0, 1, 2],
            [0, 2, 3],
            [0, 3, 4],
            [0, 4, 5],
            [0, 1, 5],
            [1, 2, 4],
            [2, 3, 5],
            [1, 3, 4],
            [2, 4, 5],
            [1, 3, 5],
        ];
        Complex::from_simplices(6, &triangles).unwrap().0
    }

    fn counts(complex: &Complex) -> Vec<usize> {
        (0..=complex.dim()).map(|k| complex.n_cells(k)).collect()
    }

    #[test]
    fn refinements_have_more_cells_and_the_same_homology() {
        let plane = plane();
        let barycentric = plane.barycentric_subdivision().unwrap();
        assert_eq!((counts(&plane), counts(&barycentric)), (vec![6, 15, 10], vec![31, 90, 60]));
        let all = plane.stellar_subdivision(&(0..10).collect::<Vec<_>>()).unwrap();
        let some = plane.stellar_subdivision(&[3, 0, 3]).unwrap();
        assert_eq!((counts(&all), counts(&some)), (vec![16, 45, 30], vec![8, 21, 14]));
        for refined in [&barycentric, &all, &some, &barycentric.barycentric_subdivision().unwrap()] {
            assert_eq!(refined.homology().unwrap(), plane.homology().unwrap());
            assert_eq!(refined.is_orientable(), Some(false));
        }
    }

    #[test]
    fn parts_of_lower_dimension_are_refined_as_well() {
        let (flag, _) = Complex::from_simplices(5, &[vec![0, 1, 2], vec![2, 3], vec![4]]).unwrap();
        let refined = flag.barycentric_subdivision().unwrap();
        assert_eq!(counts(&refined), [5 + 4 + 1, 12 + 2, 6]);
        assert_eq!(counts(&flag.stellar_subdivision(&[0]).unwrap()), [6, 7, 3]);
        assert_eq!(flag.stellar_subdivision(&[]).unwrap(), flag);
        let (solid, _) = Complex::from_simplices(4, &[[0, 1, 2, 3]]).unwrap();
        assert_eq!(solid.barycentric_subdivision().unwrap().n_cells(3), 24);
        assert_eq!(counts(&solid.stellar_subdivision(&[0]).unwrap()), [5, 10, 10, 4]);
    }

    #[test]
    fn what_is_not_simplicial_is_refused() {
        let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [3, 0]]).unwrap();
        let filled = square.with_polygons(&[[0, 1, 2, 3]]).unwrap();
        let error = filled.barycentric_subdivision().unwrap_err();
        assert_eq!(error.to_string(), "cell 0 of dimension 2 is not a simplex of its own");
        assert!(error.hint().is_some());
        assert_eq!(square.barycentric_subdivision().unwrap().n_cells(1), 8);
        let error = plane().stellar_subdivision(&[10]).unwrap_err();
        assert_eq!(error.to_string(), "no cell 10 of dimension 2, there are 10");
    }
}

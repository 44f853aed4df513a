//! Homology of spaces that textbooks know, and two routes to one number.

use super::*;
use crate::linalg::SparseMat;

fn homology(complex: &Complex) -> Vec<String> {
    complex.homology().unwrap().iter().map(HomologyGroup::to_string).collect()
}

/// Möbius's torus on seven vertices.
fn torus() -> Complex {
    let triangles: Vec<[u32; 3]> =
        (0..7).flat_map(|i| [[i, (i + 1) % 7, (i + 3) % 7], [i, (i + 2) % 7, (i + 3) % 7]]).collect();
    Complex::from_simplices(7, &triangles).unwrap().0
}

/// A square of 3 by 3 steps, its left side on the right one and its bottom on the top, reversed or not.
fn glued_square(reversed: bool) -> Complex {
    let name = |i: u32, j: u32| {
        let j = if i == 3 && reversed { (3 - j) % 3 } else { j % 3 };
        3 * (i % 3) + j
    };
    let mut triangles = Vec::new();
    for i in 0..3 {
        for j in 0..3 {
            let [a, b, c, d] = [name(i, j), name(i + 1, j), name(i, j + 1), name(i + 1, j + 1)];
            triangles.extend([[a, b, d], [a, c, d]]);
        }
    }
    Complex::from_simplices(9, &triangles).unwrap().0
}

/// The lens space L(p, q): the join of two circles of `3p` edges each, subdivided, modulo a rotation of both by a `p`-th and `q`
/// `p`-ths of a turn.
fn lens_space(p: u32, q: u32) -> Complex {
    let m = 3 * p;
    let circle = |i: u32, second: bool| if second { m + i % m } else { i % m };
    let mut tetrahedra = Vec::new();
    for i in 0..m {
        for j in 0..m {
            tetrahedra.push([circle(i, false), circle(i + 1, false), circle(j, true), circle(j + 1, true)]);
        }
    }
    let turn = |v: u32| if v < m { circle(v + 3, false) } else { circle(v - m + 3 * q, true) };
    // Vertices of the subdivision are simplices; one of an orbit stands for all.
    let orbit = |simplex: &[u32]| {
        let mut current = simplex.to_vec();
        let mut least = current.clone();
        for _ in 0..p {
            current.iter_mut().for_each(|v| *v = turn(*v));
            current.sort_unstable();
            least = least.min(current.clone());
        }
        least
    };
    let mut names: std::collections::BTreeMap<Vec<u32>, u32> = std::collections::BTreeMap::new();
    let mut flags = Vec::new();
    for tetrahedron in &tetrahedra {
        for order in permutations(tetrahedron) {
            let flag: Vec<u32> = (1..=4)
                .map(|n| {
                    let mut simplex = order[..n].to_vec();
                    simplex.sort_unstable();
                    let fresh = names.len() as u32;
                    *names.entry(orbit(&simplex)).or_insert(fresh)
                })
                .collect();
            flags.push(flag);
        }
    }
    let (space, _) = Complex::from_simplices(names.len(), &flags).unwrap();
    assert_eq!(space.n_cells(3) as u32, 24 * m * m / p, "an orbit was folded");
    space
}

fn permutations(items: &[u32]) -> Vec<Vec<u32>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for (i, &first) in items.iter().enumerate() {
        let rest: Vec<u32> = [&items[..i], &items[i + 1..]].concat();
        out.extend(permutations(&rest).into_iter().map(|tail| [vec![first], tail].concat()));
    }
    out
}

#[test]
fn the_klein_bottle_has_torsion_and_the_torus_has_none() {
    for torus in [torus(), glued_square(false)] {
        assert_eq!(homology(&torus), ["Z", "Z^2", "Z"]);
        assert_eq!([2, 3].map(|p| torus.betti_numbers_mod(p).unwrap()), [[1, 2, 1], [1, 2, 1]]);
        assert_eq!(torus.is_orientable(), Some(true));
    }
    let bottle = glued_square(true);
    assert_eq!(homology(&bottle), ["Z", "Z + Z/2", "0"]);
    assert_eq!(bottle.betti_numbers_mod(2).unwrap(), [1, 2, 1]);
    assert_eq!(bottle.betti_numbers_mod(3).unwrap(), [1, 1, 0]);
    assert_eq!(bottle.is_orientable(), Some(false));
}

#[test]
fn lens_spaces_differ_by_torsion_alone() {
    for (p, q) in [(2, 1), (3, 1), (5, 2)] {
        let space = lens_space(p, q);
        assert_eq!(homology(&space), ["Z".to_owned(), format!("Z/{p}"), "0".to_owned(), "Z".to_owned()]);
        assert_eq!(space.betti_numbers_mod(u64::from(p)).unwrap(), [1, 1, 1, 1]);
        assert_eq!(space.betti_numbers_mod(7).unwrap(), [1, 0, 0, 1]);
        assert_eq!((space.euler_characteristic(), space.is_orientable()), (0, Some(true)));
    }
}

#[test]
fn cells_may_be_wound_around_their_boundaries() {
    // One cell of each dimension; the disk is wound around the circle twelve times, a second one eighteen times.
    let mut b2 = SparseMat::with_rows(1);
    b2.push_column([(0, 12.0)]);
    b2.push_column([(0, 18.0)]);
    let complex = Complex::from_boundaries(1, vec![SparseMat::zeros(1, 1), b2]).unwrap();
    assert_eq!(homology(&complex), ["Z", "Z/6", "Z"]);
    assert_eq!(complex.betti_numbers_mod(2).unwrap(), [1, 1, 2]);
    assert_eq!(complex.is_orientable(), None);
}

#[test]
fn both_routes_agree_with_each_other_and_with_the_euler_characteristic() {
    let mut seed = 3u64;
    let mut draw = move |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let mut with_torsion = 0;
    for _ in 0..60 {
        // Random triangles on few vertices: projective planes are among them now and then.
        let n_vertices = 6 + draw(3) as usize;
        let count = 8 + draw(14);
        let triangle = |_| {
            let mut vertices: Vec<u32> = (0..n_vertices as u32).collect();
            for i in 0..3 {
                let j = i + draw((n_vertices - i) as u64) as usize;
                vertices.swap(i, j);
            }
            vertices[..3].to_vec()
        };
        let triangles: Vec<Vec<u32>> = (0..count).map(triangle).collect();
        let (complex, _) = Complex::from_simplices(n_vertices, &triangles).unwrap();
        let groups = complex.homology().unwrap();
        with_torsion += usize::from(groups.iter().any(|group| !group.torsion.is_empty()));
        for p in [2, 3, 5, MAX_PRIME] {
            assert_eq!(complex.betti_numbers_mod(p).unwrap(), universal_coefficients(&groups, p));
        }
        let euler: i64 = groups.iter().zip([1, -1, 1]).map(|(group, sign)| sign * group.betti as i64).sum();
        assert_eq!(euler, complex.euler_characteristic());
    }
    let (plane, _) = Complex::from_simplices(6, &PLANE).unwrap();
    with_torsion += usize::from(!plane.homology().unwrap()[1].torsion.is_empty());
    assert!(with_torsion > 0);
}

/// The projective plane on six vertices.
const PLANE: [[u32; 3]; 10] = [
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

#[test]
fn orientability_needs_a_closed_manifold() {
    let (disk, _) = Complex::from_simplices(3, &[[0, 1, 2]]).unwrap();
    assert_eq!(disk.is_orientable(), None);
    let (plane, _) = Complex::from_simplices(6, &PLANE).unwrap();
    assert_eq!(plane.is_orientable(), Some(false));
    let circle = Complex::graph(3, &[[0, 1], [2, 1], [2, 0]]).unwrap();
    assert_eq!(circle.is_orientable(), Some(true));
    assert_eq!(Complex::graph(2, &[]).unwrap().is_orientable(), None);
}

#[test]
fn what_cannot_be_had_is_said() {
    let mut half = SparseMat::with_rows(2);
    half.push_column([(0, -1.0), (1, 0.5)]);
    let complex = Complex::from_boundaries(2, vec![half]).unwrap();
    let error = complex.homology().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the boundary of cell 0 of dimension 1 has the coefficient 0.5, expected an integer up to 9e15"
    );
    assert!(error.hint().is_some());
    let error = torus().betti_numbers_mod(4).unwrap_err();
    assert_eq!(error.to_string(), "homology modulo 4, expected a prime up to 2147483647");
    assert_eq!(torus().betti_numbers_mod(1).unwrap_err(), HomologyError::NotPrime { found: 1 });
    assert!(torus().betti_numbers_mod(u64::MAX).is_err());
}

#[test]
fn an_empty_complex_has_no_homology() {
    let empty = Complex::graph(0, &[]).unwrap();
    assert_eq!(homology(&empty), ["0", "0"]);
    assert_eq!(empty.betti_numbers_mod(2).unwrap(), [0, 0]);
}

//! The distances that a layout aims at.

use hodgelet::complex::Complex;

/// Rings up to this many vertices are drawn as regular polygons.
const MAX_RING: usize = 8;
/// Vertices of a molecule have at most this many neighbours.
const MAX_DEGREE: u32 = 4;
/// Largest graph that is looked at for rings.
const MAX_VERTICES: usize = 300;

/// The small rings of a graph that looks like a molecule; none of any other.
pub fn rings(complex: &Complex) -> Option<Vec<Vec<u32>>> {
    let (n, m) = (complex.n_cells(0), complex.n_cells(1));
    let cycles = (m + complex.connected_components().1).saturating_sub(n);
    let low = complex.degrees().iter().all(|&degree| degree <= MAX_DEGREE);
    if !low || n > MAX_VERTICES || 2 * cycles > n {
        return None;
    }
    let basis = complex.minimum_cycle_basis();
    Some(basis.into_iter().filter(|cycle| cycle.len() <= MAX_RING).collect())
}

/// Distance of the ends of a zigzag of `k` steps of length 1 at 120°.
pub fn zigzag(k: f64) -> f64 {
    // Even steps advance √3/2 each, odd ones end half a step aside.
    let odd = if (k as u64).is_multiple_of(2) { 0.0 } else { 0.25 };
    (0.75 * k * k + odd).sqrt()
}

/// Distance of two corners, `k` sides apart, of a regular polygon with `m` sides of length 1.
pub fn chord(k: usize, m: usize) -> f64 {
    let angle = std::f64::consts::PI / m as f64;
    (angle * k as f64).sin() / angle.sin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzags_and_chords_are_those_of_the_plane() {
        assert!((zigzag(1.0) - 1.0).abs() < 1e-12);
        assert!((zigzag(2.0) - 3f64.sqrt()).abs() < 1e-12);
        assert!((zigzag(3.0) - 7f64.sqrt()).abs() < 1e-12);
        assert!((chord(3, 6) - 2.0).abs() < 1e-12);
        assert!((chord(2, 4) - 2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn cliques_are_no_molecules() {
        let edges: Vec<[u32; 2]> = (0..4).flat_map(|a| (a + 1..4).map(move |b| [a, b])).collect();
        assert_eq!(rings(&Complex::graph(4, &edges).unwrap()), None);
        let hexagon: Vec<[u32; 2]> =
            (0..6).map(|v| [v, (v + 1) % 6]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        assert_eq!(rings(&Complex::graph(6, &hexagon).unwrap()).unwrap()[0].len(), 6);
    }
}

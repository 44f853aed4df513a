//! Values on vertices as they are, and smoothed along the edges.
//!
//! Smoothed values are `(I + 5 L)⁻¹ x` with the graph Laplacian `L`: a vertex takes something of those around it, while
//! means over connected parts stay.

use crate::complex::Complex;
use crate::signal::Signal;

/// How far values are smoothed.
const SMOOTHING: f64 = 5.0;

/// Conjugate gradients end at this residual, relative to the values, or after as many steps as there are vertices and a few.
const TOLERANCE: f64 = 1e-12;

/// Values on the vertices of one complex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexValues {
    n_channels: usize,
    plain: Vec<f64>,    // [n_vertices, n_channels] row-major
    smoothed: Vec<f64>, // the same
}

impl VertexValues {
    /// The values of `signal` on the vertices of `complex`, whose edges join two vertices each.
    #[must_use]
    pub fn new(complex: &Complex, signal: &Signal) -> Self {
        let (n, n_channels) = (signal.n_cells(), signal.n_channels());
        let laplacian = Laplacian::new(complex);
        let (mut plain, mut smoothed) = (vec![0.0; n * n_channels], vec![0.0; n * n_channels]);
        for d in 0..n_channels {
            let mut x = vec![0.0; n];
            signal.values().entries(d).for_each(|(v, value)| x[v] = value);
            x.iter().enumerate().for_each(|(v, value)| plain[v * n_channels + d] = *value);
            let y = laplacian.smoothed(&x);
            y.iter().enumerate().for_each(|(v, value)| smoothed[v * n_channels + d] = *value);
        }
        Self { n_channels, plain, smoothed }
    }

    /// From the values as they are and smoothed, `[n_vertices, n_channels]` each, if they fit each other.
    #[must_use]
    pub fn from_parts(n_channels: usize, plain: Vec<f64>, smoothed: Vec<f64>) -> Option<Self> {
        let whole = if n_channels == 0 { plain.is_empty() } else { plain.len().is_multiple_of(n_channels) };
        let finite = plain.iter().chain(&smoothed).all(|x| x.is_finite());
        (whole && finite && plain.len() == smoothed.len()).then_some(Self { n_channels, plain, smoothed })
    }

    /// Number of channels.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// The values, `[n_vertices, n_channels]` row by row, smoothed or not.
    #[must_use]
    pub fn values(&self, smoothed: bool) -> &[f64] {
        if smoothed { &self.smoothed } else { &self.plain }
    }
}

/// The matrix `I + 5 L` of a graph.
struct Laplacian {
    edges: Vec<[u32; 2]>,
    degrees: Vec<f64>,
}

impl Laplacian {
    fn new(complex: &Complex) -> Self {
        let edges: Vec<[u32; 2]> = complex.edges().collect();
        let mut degrees = vec![0.0; complex.n_cells(0)];
        edges.iter().flatten().for_each(|&v| degrees[v as usize] += 1.0);
        Self { edges, degrees }
    }

    fn times(&self, x: &[f64], out: &mut [f64]) {
        for ((out, x), degree) in out.iter_mut().zip(x).zip(&self.degrees) {
            *out = (1.0 + SMOOTHING * degree) * x;
        }
        for &[a, b] in &self.edges {
            let (a, b) = (a as usize, b as usize);
            out[a] -= SMOOTHING * x[b];
            out[b] -= SMOOTHING * x[a];
        }
    }

    /// Solves with conjugate gradients, scaled by the diagonal.
    fn smoothed(&self, x: &[f64]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scaled = |r: &[f64]| -> Vec<f64> {
            r.iter().zip(&self.degrees).map(|(r, degree)| r / (1.0 + SMOOTHING * degree)).collect()
        };
        let mut y = vec![0.0; x.len()];
        let mut residual = x.to_vec();
        let mut z = scaled(&residual);
        let (mut direction, mut rho) = (z.clone(), dot(&residual, &z));
        let enough = TOLERANCE * TOLERANCE * rho;
        let mut image = vec![0.0; x.len()];
        for _ in 0..x.len() + 20 {
            if rho <= enough {
                break;
            }
            self.times(&direction, &mut image);
            let step = rho / dot(&direction, &image);
            y.iter_mut().zip(&direction).for_each(|(y, d)| *y += step * d);
            residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= step * i);
            z = scaled(&residual);
            let next = dot(&residual, &z);
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + next / rho * *d);
            rho = next;
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Orientation;

    #[test]
    fn smoothing_solves_its_equation_and_keeps_the_sum() {
        let edges: Vec<[u32; 2]> = (0..11).map(|v| [v, v + 1]).chain([[0, 5], [3, 9]]).collect();
        let graph = Complex::graph(13, &edges).unwrap();
        let x: Vec<f64> = (0..13).map(|v| ((7 * v) as f64).sin()).collect();
        let signal = Signal::from_row_major(13, 1, &x, Orientation::Unoriented).unwrap();
        let found = VertexValues::new(&graph, &signal);
        assert_eq!(found.values(false), x);
        let y = found.values(true);
        let mut back = vec![0.0; 13];
        Laplacian::new(&graph).times(y, &mut back);
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-10));
        assert!((y.iter().sum::<f64>() - x.iter().sum::<f64>()).abs() < 1e-10);
        assert!((y[12] - x[12]).abs() < 1e-14); // a vertex alone
    }
}

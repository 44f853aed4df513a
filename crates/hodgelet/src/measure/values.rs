//! Values on vertices or edges as they are, and smoothed along what joins them.
//!
//! Smoothed values are `(I + 5 L)⁻¹ x`: a cell takes something of those around it. `L` is the graph Laplacian for vertices, the
//! Hodge Laplacian for flows on edges, which follow orientations as the Laplacian does, and the Laplacian of the line graph for
//! other values of edges: two edges are neighbours at each vertex that they share. Of vertices and of edges without
//! orientation, means over connected parts stay.

use super::live::extreme_exponent;
use crate::complex::Complex;
use crate::signal::{Orientation, Signal};
use libm::scalbn;

/// How far values are smoothed.
const SMOOTHING: f64 = 5.0;

/// Conjugate gradients end at this residual, relative to the values, or after as many steps as there are cells and a few.
const TOLERANCE: f64 = 1e-12;

/// Values on the cells of one dimension of one complex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellValues {
    oriented: Vec<bool>, // [n_channels]
    plain: Vec<f64>,     // [n_cells, n_channels] row-major
    smoothed: Vec<f64>,  // the same
}

impl CellValues {
    /// The values of `signal` on the vertices of `complex`, whose edges join two vertices each.
    #[must_use]
    pub fn on_vertices(complex: &Complex, signal: &Signal) -> Self {
        let laplacian = Smoother::of_graph(complex);
        Self::new(signal, |_| &laplacian)
    }

    /// The values of `signal` on the edges of `complex`, with the cells that edges bound.
    #[must_use]
    pub fn on_edges(complex: &Complex, signal: &Signal) -> Self {
        let (flows, others) = (Smoother::of_flows(complex), Smoother::of_line_graph(complex));
        Self::new(signal, |oriented| if oriented { &flows } else { &others })
    }

    fn new<'a>(signal: &Signal, smoother: impl Fn(bool) -> &'a Smoother<'a>) -> Self {
        let (n, n_channels) = (signal.n_cells(), signal.n_channels());
        let is_oriented = |d: usize| signal.channels().orientation(d) == Orientation::Oriented;
        let oriented: Vec<bool> = (0..n_channels).map(is_oriented).collect();
        let (mut plain, mut smoothed) = (vec![0.0; n * n_channels], vec![0.0; n * n_channels]);
        for (d, &oriented) in oriented.iter().enumerate() {
            let mut x = vec![0.0; n];
            signal.values().entries(d).for_each(|(v, value)| x[v] = value);
            x.iter().enumerate().for_each(|(v, value)| plain[v * n_channels + d] = *value);
            let y = smoother(oriented).smoothed(&x);
            y.iter().enumerate().for_each(|(v, value)| smoothed[v * n_channels + d] = *value);
        }
        Self { oriented, plain, smoothed }
    }

    /// From whether each channel is oriented and the values as they are and smoothed, `[n_cells, n_channels]` each, if they fit
    /// each other.
    #[must_use]
    pub fn from_parts(oriented: Vec<bool>, plain: Vec<f64>, smoothed: Vec<f64>) -> Option<Self> {
        let n = oriented.len();
        let whole = if n == 0 { plain.is_empty() } else { plain.len().is_multiple_of(n) };
        let finite = plain.iter().chain(&smoothed).all(|x| x.is_finite());
        (whole && finite && plain.len() == smoothed.len()).then_some(Self { oriented, plain, smoothed })
    }

    /// Number of channels.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.oriented.len()
    }

    /// Whether the sign of each channel follows the orientation of its cell.
    #[must_use]
    pub fn oriented(&self) -> &[bool] {
        &self.oriented
    }

    /// The values, `[n_cells, n_channels]` row by row, smoothed or not.
    #[must_use]
    pub fn values(&self, smoothed: bool) -> &[f64] {
        if smoothed { &self.smoothed } else { &self.plain }
    }
}

/// Writes the product of a matrix with values.
type Times<'a> = Box<dyn Fn(&[f64], &mut [f64]) + 'a>;

/// A matrix `I + 5 L`: its diagonal, and its product with values.
struct Smoother<'a> {
    diagonal: Vec<f64>,
    times: Times<'a>,
}

impl<'a> Smoother<'a> {
    fn of_graph(complex: &Complex) -> Self {
        let edges: Vec<[u32; 2]> = complex.edges().collect();
        let mut degrees = vec![0.0; complex.n_cells(0)];
        edges.iter().flatten().for_each(|&v| degrees[v as usize] += 1.0);
        let diagonal: Vec<f64> = degrees.iter().map(|degree| 1.0 + SMOOTHING * degree).collect();
        let own = diagonal.clone();
        let times = move |x: &[f64], out: &mut [f64]| {
            for ((out, x), diagonal) in out.iter_mut().zip(x).zip(&own) {
                *out = diagonal * x;
            }
            for &[a, b] in &edges {
                let (a, b) = (a as usize, b as usize);
                out[a] -= SMOOTHING * x[b];
                out[b] -= SMOOTHING * x[a];
            }
        };
        Self { diagonal, times: Box::new(times) }
    }

    /// With `L = B_1ᵀ B_1 + B_2 B_2ᵀ`.
    fn of_flows(complex: &'a Complex) -> Self {
        let (down, up) = (complex.boundary(1), complex.boundary(2));
        let n = complex.n_cells(1);
        let mut diagonal = vec![1.0; n];
        for (e, diagonal) in diagonal.iter_mut().enumerate() {
            let squares = down.iter().flat_map(|b| b.entries(e)).map(|(_, x)| x * x);
            *diagonal += SMOOTHING * squares.sum::<f64>();
        }
        for (t, b) in up.iter().flat_map(|b| (0..b.n_cols()).map(move |t| (t, b))) {
            b.entries(t).for_each(|(e, x)| diagonal[e] += SMOOTHING * x * x);
        }
        let times = move |x: &[f64], out: &mut [f64]| {
            out.copy_from_slice(x);
            let mut there = vec![0.0; n];
            let mut add = |there: &[f64]| out.iter_mut().zip(there).for_each(|(y, x)| *y += SMOOTHING * x);
            if let Some(down) = down {
                let mut divergence = vec![0.0; down.n_rows()];
                down.mul(x, &mut divergence);
                down.mul_transpose(&divergence, &mut there);
                add(&there);
            }
            if let Some(up) = up {
                let mut curl = vec![0.0; up.n_cols()];
                up.mul_transpose(x, &mut curl);
                up.mul(&curl, &mut there);
                add(&there);
            }
        };
        Self { diagonal, times: Box::new(times) }
    }

    /// With the Laplacian of the line graph, `(L x)_e = Σ_{v ∈ e} Σ_{e' ∋ v} (x_e − x_e')`.
    fn of_line_graph(complex: &'a Complex) -> Self {
        let members = move |e: usize| complex.boundary(1).map_or(&[][..], |b| b.column(e).0);
        let (n_vertices, n_edges) = (complex.n_cells(0), complex.n_cells(1));
        let sums = move |x: &dyn Fn(usize) -> f64| {
            let mut sums = vec![0.0; n_vertices];
            (0..n_edges).for_each(|e| members(e).iter().for_each(|&v| sums[v as usize] += x(e)));
            sums
        };
        let degrees = sums(&|_| 1.0);
        let neighbours = |e: usize| members(e).iter().map(|&v| degrees[v as usize] - 1.0).sum::<f64>();
        let diagonal = (0..n_edges).map(|e| 1.0 + SMOOTHING * neighbours(e)).collect();
        let times = move |x: &[f64], out: &mut [f64]| {
            let sums = sums(&|e| x[e]);
            for (e, out) in out.iter_mut().enumerate() {
                let differences = members(e).iter().map(|&v| degrees[v as usize] * x[e] - sums[v as usize]);
                *out = x[e] + SMOOTHING * differences.sum::<f64>();
            }
        };
        Self { diagonal, times: Box::new(times) }
    }

    /// The solution for the values `x`, whose squares must neither overflow nor lose digits.
    fn smoothed(&self, x: &[f64]) -> Vec<f64> {
        let exponent = extreme_exponent(x.iter().fold(0.0f64, |a, x| a.max(x.abs())));
        if exponent == 0 {
            return self.solved(x);
        }
        let x: Vec<f64> = x.iter().map(|x| scalbn(*x, -exponent)).collect();
        self.solved(&x).into_iter().map(|y| scalbn(y, exponent)).collect()
    }

    /// Solves with conjugate gradients, scaled by the diagonal.
    fn solved(&self, x: &[f64]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scaled = |r: &[f64]| -> Vec<f64> {
            r.iter().zip(&self.diagonal).map(|(r, diagonal)| r / diagonal).collect()
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
            (self.times)(&direction, &mut image);
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
    use crate::complex::Lift;

    fn graph() -> Complex {
        let edges: Vec<[u32; 2]> = (0..11).map(|v| [v, v + 1]).chain([[0, 5], [3, 9]]).collect();
        Complex::graph(13, &edges).unwrap()
    }

    fn wave(n: usize) -> Vec<f64> {
        (0..n).map(|v| ((7 * v) as f64).sin()).collect()
    }

    #[test]
    fn smoothing_solves_its_equation_and_keeps_the_sum() {
        let (graph, x) = (graph(), wave(13));
        let signal = Signal::from_row_major(13, 1, &x, Orientation::Unoriented).unwrap();
        let found = CellValues::on_vertices(&graph, &signal);
        assert_eq!(found.values(false), x);
        let y = found.values(true);
        let mut back = vec![0.0; 13];
        (Smoother::of_graph(&graph).times)(y, &mut back);
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-10));
        assert!((y.iter().sum::<f64>() - x.iter().sum::<f64>()).abs() < 1e-10);
        assert!((y[12] - x[12]).abs() < 1e-14); // a vertex alone
    }

    #[test]
    fn the_unit_of_values_changes_no_digit_of_smoothed_ones() {
        let graph = graph();
        let smoothed = |exponent: i32| {
            let x: Vec<f64> = wave(13).into_iter().map(|x| scalbn(x, exponent)).collect();
            let signal = Signal::from_row_major(13, 1, &x, Orientation::Unoriented).unwrap();
            CellValues::on_vertices(&graph, &signal).values(true).to_vec()
        };
        let expected = smoothed(0);
        for exponent in [-900, -498, 498, 1000] {
            let found = smoothed(exponent);
            assert!(found.iter().zip(&expected).all(|(a, b)| *a == scalbn(*b, exponent)), "{exponent}");
        }
    }

    /// The line graph of the graph has its edges as vertices: smoothing there is smoothing here.
    #[test]
    fn edges_are_smoothed_along_the_line_graph() {
        let (graph, x) = (graph(), wave(13));
        let edges: Vec<[u32; 2]> = graph.edges().collect();
        let share = |a: [u32; 2], b: [u32; 2]| a.iter().any(|v| b.contains(v));
        let pairs = (0..13).flat_map(|a| (a + 1..13).map(move |b| [a, b]));
        let joined: Vec<[u32; 2]> =
            pairs.filter(|&[a, b]| share(edges[a as usize], edges[b as usize])).collect();
        let line = Complex::graph(13, &joined).unwrap();
        let signal = Signal::from_row_major(13, 1, &x, Orientation::Unoriented).unwrap();
        let (here, there) = (CellValues::on_edges(&graph, &signal), CellValues::on_vertices(&line, &signal));
        let pairs = here.values(true).iter().zip(there.values(true));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-10));
    }

    /// A harmonic flow stays; the gradient and the curl of anything become smaller.
    #[test]
    fn flows_are_smoothed_by_the_hodge_laplacian() {
        let ring = Complex::graph(5, &[[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]]).unwrap();
        let around = [1.0, 1.0, 1.0, 1.0, -1.0];
        let signal = Signal::from_row_major(5, 1, &around, Orientation::Oriented).unwrap();
        let found = CellValues::on_edges(&ring, &signal);
        assert_eq!(found.oriented(), [true]);
        assert!(found.values(true).iter().zip(around).all(|(a, b)| (a - b).abs() < 1e-12));
        let triangle = Complex::graph(3, &[[0, 1], [1, 2], [0, 2]]).unwrap();
        let triangle = Lift::Cliques(2).filled(&triangle).unwrap().into_owned();
        let signal = Signal::from_row_major(3, 1, &[1.0, 1.0, -1.0], Orientation::Oriented).unwrap();
        // The curl of the triangle has the eigenvalue 3.
        let found = CellValues::on_edges(&triangle, &signal);
        assert!(found.values(true).iter().zip([1.0, 1.0, -1.0]).all(|(a, b)| (a - b / 16.0).abs() < 1e-12));
    }

    #[test]
    fn parts_that_do_not_fit_each_other_are_refused() {
        let (plain, smoothed) = (vec![1.0, 2.0, 3.0, 4.0], vec![1.5, 2.5, 1.5, 2.5]);
        let found = CellValues::from_parts(vec![true, false], plain.clone(), smoothed.clone()).unwrap();
        assert_eq!((found.n_channels(), found.oriented()), (2, &[true, false][..]));
        assert_eq!((found.values(false), found.values(true)), (&plain[..], &smoothed[..]));
        assert!(CellValues::from_parts(Vec::new(), Vec::new(), Vec::new()).is_some());
        let refused = |oriented: &[bool], plain: &[f64], smoothed: &[f64]| {
            CellValues::from_parts(oriented.to_vec(), plain.to_vec(), smoothed.to_vec()).is_none()
        };
        assert!(refused(&[true; 3], &plain, &smoothed), "rows of three of four numbers");
        assert!(refused(&[], &plain, &smoothed), "numbers without a channel");
        assert!(refused(&[true; 2], &plain, &smoothed[..2]), "fewer smoothed ones");
        assert!(refused(&[true; 1], &[1.0], &[f64::NAN]) && refused(&[true; 1], &[f64::INFINITY], &[1.0]));
    }
}

//! Energy measures of one block carried to nodes that all complexes share.
//!
//! The filters of a bank are smooth: with `λ = e^u` they are analytic functions of `u` in a strip around the real line, whose
//! width does not depend on the scales. So their squares are interpolated to any accuracy: with Lagrange's polynomials `ℓ_g`
//! of Chebyshev nodes, bent so that they lie almost evenly in `u`,
//!
//! ```text
//! Σ_n w_j(λ_n)² E_nd ≈ Σ_g w_j(λ_g)² Ẽ_gd,   Ẽ_gd = Σ_n ℓ_g(λ_n) E_nd
//! ```
//!
//! for all scales at once. The `Ẽ` are found once; an evaluation then takes filters at a hundred nodes rather than at every
//! atom, and one matrix product. Derivatives in the scales are those of the right-hand side, so that value and gradient
//! belong together.
//!
//! # References
//!
//! Trefethen, *Approximation Theory and Approximation Practice* (2013): convergence in Theorem 8.2, the barycentric formula
//! in Theorem 5.2. Kosloff and Tal-Ezer, *A modified Chebyshev pseudospectral method with an O(N⁻¹) time step restriction*
//! (1993): the bent nodes, of which two thirds do.

use super::{BlockMeasures, ENERGY_FLOOR};
use crate::linalg::dense::{multiply, reshape};
use crate::linalg::simd::vectorized;
use crate::wavelet::{Bank, BankError};
use faer::{Accum, Mat, MatRef, Par};
use std::f64::consts::PI;

/// Nodes for each unit of `ln(largest / smallest eigenvalue)`, and some more: squares of filters then err by less than 1e-10,
/// and their derivatives in the logarithm of a scale by 1e-9, whatever the scales.
const DENSITY: f64 = 12.0;
const MORE: f64 = 14.0;

/// What bent nodes are bent for: beyond this accuracy they gain nothing.
const BENT: f64 = 1e-11;

/// Eigenvalues below this share of the largest count as 0 and have a node of their own.
const ZERO: f64 = 1e-10;

/// Products that take as long as one value of a filter with its derivative.
const FILTER: usize = 12;

/// Most numbers in the matrix of energies.
const MOST: usize = 1 << 22;

/// Energies at shared nodes, and the filters there.
#[derive(Clone, Debug)]
pub(super) struct SharedNodes {
    /// Eigenvalues.
    nodes: Vec<f64>,
    /// The complex of each row of energies: those of one channel after the other.
    complexes: Vec<usize>,
    channel_starts: Vec<usize>, // [n_channels + 1]
    energies: Mat<f64>,         // [n_rows, n_nodes]
    transposed: Mat<f64>,       // [n_nodes, n_rows]
    values: Vec<f64>,           // [W, n_nodes]
    derivatives: Vec<f64>,      // [n_parameters, n_nodes]
    at_nodes: Mat<f64>,         // [n_nodes, W], memory to work in
    norms: Mat<f64>,            // [n_rows, W], the features of each row
    ratios: Mat<f64>,           // [n_rows, W], memory to work in
    slopes: Vec<f64>,           // [W, n_nodes], memory to work in
}

impl SharedNodes {
    /// The measures at shared nodes, where filters of `bank` are smooth and that saves time; otherwise none.
    pub fn new(measures: &BlockMeasures, bank: &Bank) -> Option<Self> {
        let eigenvalues = measures.eigenvalues();
        let is_sound = eigenvalues.iter().all(|x| x.is_finite());
        let largest = eigenvalues.iter().copied().fold(0.0, f64::max);
        if !(bank.is_analytic() && is_sound && largest.is_normal()) {
            return None;
        }
        let has_zero = eigenvalues.iter().any(|&x| x < ZERO * largest);
        let smallest = eigenvalues.iter().copied().filter(|&x| x >= ZERO * largest).fold(largest, f64::min);
        let nodes = Nodes::new(smallest, largest);

        let rows = rows_of(measures);
        let n_nodes = nodes.eigenvalues.len() + usize::from(has_zero);
        let work = rows.len().checked_mul(n_nodes).filter(|size| (1..=MOST).contains(size))?;
        if work > FILTER * bank.scales_per_filter() * eigenvalues.len() {
            return None;
        }
        let mut energies = Mat::zeros(rows.len(), n_nodes);
        let mut shares = vec![0.0; nodes.eigenvalues.len()];
        let mut by_complex: Vec<Vec<(usize, &[f64])>> = vec![Vec::new(); measures.len()];
        for (r, &(_, i, masses)) in rows.iter().enumerate() {
            by_complex[i].push((r, masses));
        }
        for (i, own) in by_complex.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            for (n, &eigenvalue) in eigenvalues[measures.atoms(i)].iter().enumerate() {
                if eigenvalue < ZERO * largest {
                    own.iter().for_each(|&(r, masses)| energies[(r, n_nodes - 1)] += masses[n]);
                    continue;
                }
                nodes.shares(eigenvalue, &mut shares);
                for &(r, masses) in own {
                    shares.iter().enumerate().for_each(|(g, share)| energies[(r, g)] += share * masses[n]);
                }
            }
        }
        let mut channel_starts = vec![0; measures.n_channels() + 1];
        rows.iter().for_each(|&(d, ..)| channel_starts[d + 1] += 1);
        for d in 0..measures.n_channels() {
            channel_starts[d + 1] += channel_starts[d];
        }
        let zero = has_zero.then_some(0.0);
        Some(Self {
            nodes: nodes.eigenvalues.into_iter().chain(zero).collect(),
            complexes: rows.iter().map(|&(_, i, _)| i).collect(),
            channel_starts,
            transposed: energies.transpose().to_owned(),
            energies,
            values: Vec::new(),
            derivatives: Vec::new(),
            at_nodes: Mat::new(),
            norms: Mat::new(),
            ratios: Mat::new(),
            slopes: Vec::new(),
        })
    }

    /// Features of all complexes, `[n, n_channels · W]`.
    pub fn record(&mut self, bank: &Bank, features: &mut Mat<f64>) -> Result<(), BankError> {
        let (n_nodes, n_rows, width) = (self.nodes.len(), self.complexes.len(), bank.n_filters());
        self.values.resize(width * n_nodes, 0.0);
        self.derivatives.resize(bank.n_parameters() * n_nodes, 0.0);
        bank.evaluate_with_derivatives(&self.nodes, &mut self.values, &mut self.derivatives)?;
        reshape(&mut self.at_nodes, n_nodes, width);
        reshape(&mut self.norms, n_rows, width);
        for (j, values) in self.values.chunks_exact(n_nodes).enumerate() {
            let squares = self.at_nodes.col_as_slice_mut(j);
            vectorized(
                #[inline(always)]
                || squares.iter_mut().zip(values).for_each(|(square, w)| *square = w * w),
            );
        }
        let (energies, squares) = (self.energies.as_ref(), self.at_nodes.as_ref());
        multiply(self.norms.as_mut(), Accum::Replace, energies, squares, 1.0, Par::Seq);
        for j in 0..width {
            let norms = self.norms.col_as_slice_mut(j);
            vectorized(
                #[inline(always)]
                // Energies at nodes have any sign: sums may be a little below 0.
                || norms.iter_mut().for_each(|s| *s = (ENERGY_FLOOR + *s).max(ENERGY_FLOOR).sqrt()),
            );
            for d in 0..self.channel_starts.len() - 1 {
                let range = self.channel_starts[d]..self.channel_starts[d + 1];
                let column = features.col_as_slice_mut(d * width + j);
                if range.len() == column.len() {
                    column.copy_from_slice(&norms[range]);
                    continue;
                }
                column.fill(ENERGY_FLOOR.sqrt());
                let places = self.complexes[range.clone()].iter().zip(&norms[range]);
                places.for_each(|(&i, &s)| column[i] = s);
            }
        }
        Ok(())
    }

    /// Reverse mode: the gradient in the parameters of the bank, given the derivative `upstream` of a function in the
    /// features that were recorded last.
    pub fn vjp(&mut self, bank: &Bank, upstream: MatRef<'_, f64>) -> Result<Vec<f64>, BankError> {
        let (n_nodes, n_rows, width) = (self.nodes.len(), self.complexes.len(), bank.n_filters());
        if self.values.len() != width * n_nodes {
            let found = self.values.len();
            return Err(BankError::Length {
                what: "the tape of the filters",
                found,
                expected: width * n_nodes,
            });
        }
        reshape(&mut self.ratios, n_rows, width);
        for j in 0..width {
            let (ratios, norms) = (self.ratios.col_as_slice_mut(j), self.norms.col_as_slice(j));
            for d in 0..self.channel_starts.len() - 1 {
                let range = self.channel_starts[d]..self.channel_starts[d + 1];
                let (ratios, column) = (&mut ratios[range.clone()], upstream.col(d * width + j));
                match column.try_as_col_major().map(|column| column.as_slice()) {
                    Some(column) if column.len() == range.len() => ratios.copy_from_slice(column),
                    Some(column) => gather(ratios, &self.complexes[range], |i| column[i]),
                    None => gather(ratios, &self.complexes[range], |i| column[i]),
                }
            }
            vectorized(
                #[inline(always)]
                || ratios.iter_mut().zip(norms).for_each(|(ratio, s)| *ratio /= s),
            );
        }
        // ∂f/∂w_jg = w_jg Σ_rows Ẽ (∂f/∂s) / s
        let (energies, ratios) = (self.transposed.as_ref(), self.ratios.as_ref());
        multiply(self.at_nodes.as_mut(), Accum::Replace, energies, ratios, 1.0, Par::Seq);
        self.slopes.resize(width * n_nodes, 0.0);
        let filters = self.slopes.chunks_exact_mut(n_nodes).zip(self.values.chunks_exact(n_nodes));
        for (j, (slopes, values)) in filters.enumerate() {
            let places = slopes.iter_mut().zip(values).zip(self.at_nodes.col_as_slice(j));
            places.for_each(|((slope, w), sum)| *slope = w * sum);
        }
        let mut gradient = vec![0.0; bank.n_parameters()];
        bank.vjp_from_derivatives(&self.derivatives, &self.slopes, &mut gradient)?;
        Ok(gradient)
    }
}

fn gather(out: &mut [f64], places: &[usize], of: impl Fn(usize) -> f64) {
    out.iter_mut().zip(places).for_each(|(out, &i)| *out = of(i));
}

/// Channel, complex and masses of all measures with energy, one channel after the other.
fn rows_of(measures: &BlockMeasures) -> Vec<(usize, usize, &[f64])> {
    let of = |i: usize| measures.channels(i).map(move |(d, masses)| (d, i, masses));
    let mut rows: Vec<_> =
        (0..measures.len()).flat_map(of).filter(|(.., masses)| masses.iter().any(|&e| e != 0.0)).collect();
    rows.sort_by_key(|&(d, i, _)| (d, i));
    rows
}

/// Nodes in the logarithm of the eigenvalue.
struct Nodes {
    eigenvalues: Vec<f64>,
    /// Chebyshev points in `[-1, 1]`, with their barycentric weights.
    points: Vec<(f64, f64)>,
    /// `sin` of the angle by which points are bent, the middle of the interval and half its length.
    bend: f64,
    middle: f64,
    half: f64,
}

impl Nodes {
    fn new(smallest: f64, largest: f64) -> Self {
        let (low, high) = (smallest.ln(), largest.ln());
        // One eigenvalue alone has an interval, too.
        let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).max(1e-3));
        let n = (DENSITY * 2.0 * half + MORE).ceil() as usize;
        let bend = 1.0 / (-BENT.ln() / n as f64).cosh();
        let point = |g: usize| {
            let angle = PI * (g as f64 + 0.5) / n as f64;
            let sign = if g.is_multiple_of(2) { 1.0 } else { -1.0 };
            (angle.cos(), sign * angle.sin())
        };
        let points: Vec<(f64, f64)> = (0..n).map(point).collect();
        let place = |&(s, _): &(f64, f64)| (bend * s).asin() / bend.asin();
        let eigenvalues = points.iter().map(|point| (middle + half * place(point)).exp()).collect();
        Self { eigenvalues, points, bend, middle, half }
    }

    /// Lagrange's polynomials at `eigenvalue`.
    fn shares(&self, eigenvalue: f64, out: &mut [f64]) {
        let place = (eigenvalue.ln() - self.middle) / self.half;
        let s = (place * self.bend.asin()).sin() / self.bend;
        if let Some(g) = self.points.iter().position(|&(point, _)| point == s) {
            out.fill(0.0);
            out[g] = 1.0;
            return;
        }
        let mut sum = 0.0;
        for (share, (point, weight)) in out.iter_mut().zip(&self.points) {
            *share = weight / (s - point);
            sum += *share;
        }
        out.iter_mut().for_each(|share| *share /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MeasureParts, wavelet_features};
    use super::*;
    use crate::choice::Choice;
    use crate::feature::WaveletTape;
    use crate::wavelet::{BandPass, BankParams, LowPass};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Measures of 40 complexes of up to 20 atoms and three channels, of which some are missing.
    fn measures(zeros: bool) -> BlockMeasures {
        let random = &mut ChaCha8Rng::seed_from_u64(5);
        let mut parts = MeasureParts {
            n_atoms: Vec::new(),
            eigenvalues: Vec::new(),
            n_live: Vec::new(),
            live: Vec::new(),
            energies: Vec::new(),
        };
        for i in 0..40u32 {
            let n = 5 + i % 16;
            parts.n_atoms.push(n);
            let eigenvalue =
                |k: u32, x: f64| if zeros && k < 2 { -1e-17 * x } else { 0.01 * (6.7 * x).exp() };
            parts.eigenvalues.extend((0..n).map(|k| eigenvalue(k, random.random())));
            let live: Vec<u32> = (0..3).filter(|d| *d == 0 || i % (d + 2) == 0).collect();
            parts.n_live.push(live.len() as u32);
            parts.energies.extend((0..n as usize * live.len()).map(|_| random.random::<f64>().powi(4)));
            parts.live.extend(live);
        }
        BlockMeasures::from_parts(3, parts).unwrap()
    }

    fn bank(low_pass: LowPass, band_pass: BandPass, factor: f64) -> Bank {
        let params = BankParams {
            n_filters: 3,
            n_bands: 2,
            low_pass: Some(low_pass),
            band_pass,
            ..Default::default()
        };
        let bands = [0.15, 0.8, 2.4, 4.9, 0.4, 1.3].map(|scale| factor * scale);
        params.check().unwrap().with_scales(&[4.2, 5.1, 5.9].map(|scale| factor * scale), &bands).unwrap()
    }

    fn smooth() -> impl Iterator<Item = (LowPass, BandPass)> {
        let all = LowPass::ALL.iter().flat_map(|&low| BandPass::ALL.iter().map(move |&band| (low, band)));
        all.filter(|&(low, band)| bank(low, band, 1.0).is_analytic())
    }

    #[test]
    fn features_are_those_of_the_measures_whatever_the_scales() {
        assert_eq!(smooth().count(), 6);
        for (zeros, (low, band)) in smooth().flat_map(|families| [(false, families), (true, families)]) {
            let measures = measures(zeros);
            for factor in [1e-3, 0.1, 1.0, 10.0, 1e3] {
                let bank = bank(low, band, factor);
                let mut filters = vec![0.0; 3 * measures.eigenvalues().len()];
                bank.evaluate(measures.eigenvalues(), &mut filters).unwrap();
                let largest = filters.iter().fold(0.0f64, |a, w| a.max(w * w));
                let expected = wavelet_features(&measures, &bank).unwrap();
                let mut shared = SharedNodes::new(&measures, &bank).unwrap();
                let mut found = Mat::zeros(expected.nrows(), expected.ncols());
                shared.record(&bank, &mut found).unwrap();
                for i in 0..measures.len() {
                    let totals: Vec<(usize, f64)> =
                        measures.channels(i).map(|(d, masses)| (d, masses.iter().sum())).collect();
                    for j in 0..found.ncols() {
                        let total = totals.iter().find(|(d, _)| *d == j / 3).map_or(0.0, |(_, total)| *total);
                        let off = (found[(i, j)].powi(2) - expected[(i, j)].powi(2)).abs();
                        let most = 1e-10 * total * largest;
                        assert!(off <= most, "{low:?} {band:?} × {factor}: off by {off:e}, at most {most:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_what_is_recorded() {
        let measures = measures(true);
        for (low, band) in smooth() {
            let bank = bank(low, band, 1.0);
            let mut shared = SharedNodes::new(&measures, &bank).unwrap();
            let mut features = Mat::zeros(measures.len(), 9);
            let weights = Mat::from_fn(measures.len(), 9, |i, j| ((3 * i + 7 * j) as f64).sin());
            let mut value = |bank: &Bank| -> f64 {
                shared.record(bank, &mut features).unwrap();
                let places = (0..9).flat_map(|j| (0..measures.len()).map(move |i| (i, j)));
                places.map(|at| weights[at] * features[at]).sum()
            };
            let moved = |p: usize, by: f64| {
                let mut moved = bank.clone();
                let mut parameters = bank.parameters().to_vec();
                parameters[p] += by;
                moved.set_parameters(&parameters).unwrap();
                moved
            };
            let slopes: Vec<f64> = (0..bank.n_parameters())
                .map(|p| (value(&moved(p, 1e-5)) - value(&moved(p, -1e-5))) / 2e-5)
                .collect();
            value(&bank);
            let found = shared.vjp(&bank, weights.as_ref()).unwrap();
            // A view whose rows lie together gives the same.
            let rows = weights.transpose().to_owned();
            assert_eq!(shared.vjp(&bank, rows.transpose()).unwrap(), found);
            let mut tape = WaveletTape::default();
            let exact = tape.record(&measures, &bank).unwrap();
            let expected = tape.vjp(&measures, &bank, exact.as_ref(), weights.as_ref()).unwrap();
            for p in 0..bank.n_parameters() {
                assert!(
                    (found[p] - slopes[p]).abs() < 1e-7 * (1.0 + slopes[p].abs()),
                    "{p}: {} {}",
                    found[p],
                    slopes[p]
                );
                assert!(
                    (found[p] - expected[p]).abs() < 1e-7 * (1.0 + expected[p].abs()),
                    "{p}: {} {}",
                    found[p],
                    expected[p]
                );
            }
        }
    }

    #[test]
    fn shares_add_up_and_one_eigenvalue_is_enough() {
        let nodes = Nodes::new(0.02, 6.0);
        let mut shares = vec![0.0; nodes.eigenvalues.len()];
        for eigenvalue in [0.02, 0.3, 6.0, nodes.eigenvalues[4]] {
            nodes.shares(eigenvalue, &mut shares);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert!(Nodes::new(3.0, 3.0).eigenvalues.iter().all(|x| (x - 3.0).abs() < 0.01));
    }

    #[test]
    fn filters_with_knots_and_measures_without_energy_have_none() {
        let mut parts = measures(false).parts();
        assert!(
            SharedNodes::new(&measures(false), &bank(LowPass::Meyer, BandPass::MexicanHat, 1.0)).is_none()
        );
        assert!(SharedNodes::new(&measures(false), &bank(LowPass::Heat, BandPass::Itersine, 1.0)).is_none());
        parts.energies.fill(0.0);
        let none = BlockMeasures::from_parts(3, parts).unwrap();
        assert!(SharedNodes::new(&none, &bank(LowPass::Heat, BandPass::Heat, 1.0)).is_none());
    }
}

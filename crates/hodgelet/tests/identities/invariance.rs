//! Relabeling vertices, reordering cells and reversing them changes nothing.

use crate::families::*;
use hodgelet::complex::{CellWeights, Complex};
use hodgelet::hodge::Weighting;
use hodgelet::linalg::SparseMat;
use hodgelet::measure::{MeasureError, Sample, measure, measure_all};
use hodgelet::signal::{Orientation, Signal};
use proptest::prelude::*;
use rand::{RngExt, seq::SliceRandom};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// New index of every old cell and the sign it is turned by, per dimension.
struct Change {
    to: Vec<Vec<u32>>,
    sign: Vec<Vec<f64>>,
}

impl Change {
    fn random(complex: &Complex, seed: u64) -> Self {
        let mut rng = rng(seed);
        let (mut to, mut sign) = (Vec::new(), Vec::new());
        for dim in 0..=complex.dim() {
            let mut order: Vec<u32> = (0..complex.n_cells(dim) as u32).collect();
            order.shuffle(&mut rng);
            to.push(order);
            // Vertices have no orientation.
            let turn = |_| if dim > 0 && rng.random() { -1.0 } else { 1.0 };
            sign.push((0..complex.n_cells(dim)).map(turn).collect::<Vec<f64>>());
        }
        Self { to, sign }
    }

    /// The cell that moves to `new`.
    fn old(&self, dim: usize, new: usize) -> usize {
        self.to[dim].iter().position(|&t| t as usize == new).unwrap()
    }

    fn complex(&self, complex: &Complex) -> Complex {
        let changed = (1..=complex.dim()).map(|k| {
            let b = complex.boundary(k).unwrap();
            let mut out = SparseMat::with_rows(b.n_rows());
            for new in 0..b.n_cols() {
                let cell = self.old(k, new);
                out.push_column(b.entries(cell).map(|(face, value)| {
                    (self.to[k - 1][face], value * self.sign[k - 1][face] * self.sign[k][cell])
                }));
            }
            out
        });
        Complex::from_boundaries(complex.n_cells(0), changed.collect()).unwrap()
    }

    fn signal(&self, dim: usize, signal: &Signal) -> Signal {
        let mut values = SparseMat::with_rows(signal.n_cells());
        for d in 0..signal.n_channels() {
            let oriented = signal.channels().orientation(d) == Orientation::Oriented;
            values.push_column(signal.values().entries(d).map(|(cell, value)| {
                (self.to[dim][cell], if oriented { value * self.sign[dim][cell] } else { value })
            }));
        }
        Signal::new(values, signal.channels().clone()).unwrap()
    }

    fn weights(&self, complex: &Complex, weights: &CellWeights) -> CellWeights {
        let of_dim = |dim: usize| {
            let old = weights.of_dim(dim)?;
            Some((0..old.len()).map(|new| old[self.old(dim, new)]).collect())
        };
        CellWeights::new((0..=complex.dim()).map(of_dim).collect()).unwrap()
    }
}

pub fn check(complex: &Complex, seed: u64, what: &str) {
    check_sample(complex, random_sample(complex, seed), seed, what);
    check_sample(complex, oriented_sample(complex, seed), seed, what);
}

/// The same complex and signals in another order and orientation.
pub fn changed(complex: &Complex, signals: &[Option<Signal>], seed: u64) -> (Complex, Vec<Option<Signal>>) {
    let change = Change::random(complex, seed);
    let of_dim = |(dim, signal): (usize, &Option<Signal>)| signal.as_ref().map(|s| change.signal(dim, s));
    (change.complex(complex), signals.iter().enumerate().map(of_dim).collect())
}

fn check_sample(complex: &Complex, sample: Sample<'_>, seed: u64, what: &str) {
    let n_dims = complex.dim() + 1;
    let change = Change::random(complex, seed);
    let (changed, signals) = changed(complex, &sample.signals, seed);
    let image = Sample { complex: Cow::Borrowed(&changed), signals, weights: None };
    for weighting in crate::energies::WEIGHTINGS {
        let [a, b] = [&sample, &image].map(|s| probe(&measure(s, weighting).unwrap(), n_dims));
        assert_close(&a, &b, 1e-9, what);
    }
    let weights = random_weights(complex, seed);
    let image = Sample { weights: Some(change.weights(complex, &weights)), ..image };
    let sample = Sample { weights: Some(weights), ..sample };
    let [a, b] = [&sample, &image].map(|s| probe(&measure(s, Weighting::Combinatorial).unwrap(), n_dims));
    assert_close(&a, &b, 1e-9, what);
}

#[test]
fn energies_do_not_depend_on_order_and_orientation_on_degenerate_families() {
    for (name, complex) in degenerate() {
        (0..3).for_each(|seed| check(&complex, seed, name));
    }
}

#[test]
fn an_unoriented_signal_read_as_oriented_does_depend_on_orientation() {
    // Why the two kinds are kept apart: the same numbers, taken for a flow, change with the arrows.
    let read = |edges: &[[u32; 2]]| {
        let ring = Complex::graph(3, edges).unwrap();
        let signal = Signal::from_row_major(3, 1, &[1.0; 3], Orientation::Oriented).unwrap();
        let sample = Sample { complex: Cow::Owned(ring), signals: vec![None, Some(signal)], weights: None };
        probe(&measure(&sample, Weighting::Combinatorial).unwrap(), 2)
    };
    assert!((read(&[[0, 1], [1, 2], [2, 0]])[0] - read(&[[0, 1], [1, 2], [0, 2]])[0]).abs() > 1.0);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let complexes: Vec<Complex> = degenerate().into_iter().map(|(_, c)| c).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let sample =
            |i: usize| Ok::<_, MeasureError>(random_sample(&complexes[i % complexes.len()], i as u64));
        pool.install(|| {
            measure_all(300, sample, Weighting::Combinatorial, |_| ControlFlow::Continue(())).unwrap()
        })
    };
    assert_eq!(run(1), run(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn energies_do_not_depend_on_order_and_orientation(complex in random_complex(), seed in any::<u64>()) {
        check(&complex, seed, "random");
    }
}

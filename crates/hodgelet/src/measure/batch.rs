//! Energy measures of one complex or of many, in parallel.
//!
//! Gram matrices of up to [`MAX_LANE_SIZE`] rows are solved four at a time, sorted by size; larger ones one by one,
//! without eigenvectors where the signals allow. Results do not depend on the number of threads, nor on which
//! complexes are solved together.

use super::component::{BothSides, Columns, energies, energies_without_vectors};
use super::harmonic::{self, Neighbor};
use super::live::LiveSignal;
use super::route::MeasureParams;
use super::{ComplexMeasures, DimMeasures, EnergyMeasure, large};
use crate::complex::{CellWeights, Complex};
use crate::hodge::{
    BoundarySpectrum, HodgeError, Operators, Side, Weighting, count_zeros, gram_entries, smaller_side,
};
use crate::linalg::eigen::Eigenpairs;
use crate::linalg::lanes::{LANES, LaneSolver};
use crate::signal::Signal;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Largest Gram matrix solved in lanes.
const MAX_LANE_SIZE: usize = 100;

/// Complexes held in memory at a time with their signals.
const CHUNK: usize = 2048;

/// Numbers in the eigenvectors that are held at a time.
const MAX_VECTORS: usize = 1 << 24;

/// A complex with a signal on some of its dimensions.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// The complex.
    pub complex: Cow<'a, Complex>,
    /// Signal on each dimension, where there is one.
    pub signals: Vec<Option<Signal>>,
    /// Weights of the cells; without them the named weighting decides.
    pub weights: Option<CellWeights>,
}

/// Which complex failed, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// A complex could not be measured.
    #[error("complex {index}: {source}")]
    Complex {
        /// Index of the complex, from 0.
        index: usize,
        /// What went wrong.
        source: HodgeError,
    },
    /// The caller asked to stop.
    #[error("cancelled after {done} complexes")]
    Cancelled {
        /// Complexes measured by then.
        done: usize,
    },
}

/// The energy measures of one complex.
///
/// # Errors
///
/// [`HodgeError`] when a signal or the weights do not fit, or energies overflow.
pub fn measure(sample: &Sample<'_>, params: impl Into<MeasureParams>) -> Result<ComplexMeasures, HodgeError> {
    let MeasureParams { weighting, spectra } = params.into();
    let work = Work::new(sample, weighting)?;
    if !spectra.solves_whole(work.largest_size()) {
        return large::measure(&work, spectra);
    }
    let mut solver = LaneSolver::default();
    let jobs = work.jobs(0);
    let solved: Vec<_> =
        jobs.iter().map(|job| solve_group(std::slice::from_ref(&work), &[*job], &mut solver)).collect();
    let mut spectra = vec![None; work.operators.complex().dim() + 2];
    for (job, pairs) in jobs.iter().zip(solved) {
        spectra[job.k] = pairs?.pop();
    }
    work.finish(spectra)
}

/// The energy measures of `count` complexes, made one by one by `sample`, which is called from several threads.
///
/// `progress` is told how many are done, and may stop the work.
///
/// # Errors
///
/// [`MeasureError`] names the first complex at fault, unless `sample` failed before.
///
/// # Complexity
///
/// Cubic in the size of each complex, unless it is large: see [`Spectra`](super::Spectra). Memory for eigenvectors of
/// 16 million numbers at a time.
pub fn measure_all<'a, E: From<MeasureError> + Send>(
    count: usize,
    sample: impl Fn(usize) -> Result<Sample<'a>, E> + Sync,
    params: impl Into<MeasureParams>,
    mut progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<ComplexMeasures>, E> {
    let params = params.into();
    let mut measures = Vec::with_capacity(count);
    for start in (0..count).step_by(CHUNK) {
        let range = start..count.min(start + CHUNK);
        let samples: Vec<Result<Sample<'a>, E>> = range.clone().into_par_iter().map(&sample).collect();
        let samples: Vec<Sample<'a>> = samples.into_iter().collect::<Result<_, E>>()?;
        let located = |(offset, result): (usize, Result<_, HodgeError>)| {
            result.map_err(|source| MeasureError::Complex { index: start + offset, source })
        };
        for result in measure_chunk(&samples, params).into_iter().enumerate().map(located) {
            measures.push(result?);
        }
        if progress(range.end).is_break() {
            return Err(MeasureError::Cancelled { done: range.end }.into());
        }
    }
    Ok(measures)
}

fn measure_chunk(samples: &[Sample<'_>], params: MeasureParams) -> Vec<Result<ComplexMeasures, HodgeError>> {
    let works: Vec<Result<Work<'_>, HodgeError>> =
        samples.par_iter().map(|sample| Work::new(sample, params.weighting)).collect();
    let mut out: Vec<Option<Result<ComplexMeasures, HodgeError>>> =
        works.iter().map(|work| work.as_ref().err().cloned().map(Err)).collect();
    let sizes: Vec<usize> = works.iter().map(|w| w.as_ref().map_or(0, Work::largest_size)).collect();
    let mut sound: Vec<usize> = (0..works.len()).filter(|&i| works[i].is_ok()).collect();
    // Large ones first, so that no thread is left with one at the end.
    sound.sort_by_key(|&i| (std::cmp::Reverse(sizes[i]), i));
    let work = |i: usize| works[i].as_ref().expect("only sound complexes are listed");
    let (whole, large): (Vec<usize>, Vec<usize>) =
        sound.into_iter().partition(|&i| params.spectra.solves_whole(sizes[i]));
    let found: Vec<Result<ComplexMeasures, HodgeError>> =
        large.par_iter().with_max_len(1).map(|&i| large::measure(work(i), params.spectra)).collect();
    large.iter().zip(found).for_each(|(&i, result)| out[i] = Some(result));

    let (mut rest, mut held) = (whole.as_slice(), 0);
    while !rest.is_empty() {
        let fits = |&&i: &&usize| {
            held += work(i).n_vectors();
            held <= MAX_VECTORS
        };
        let (batch, others) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        let together: Vec<&Work<'_>> = batch.iter().map(|&i| work(i)).collect();
        batch.iter().zip(measure_whole(&together)).for_each(|(&i, result)| out[i] = Some(result));
        (rest, held) = (others, 0);
    }
    out.into_iter().map(|result| result.expect("every complex was measured or has an error")).collect()
}

/// The measures of complexes whose eigenproblems are solved together.
fn measure_whole(sound: &[&Work<'_>]) -> Vec<Result<ComplexMeasures, HodgeError>> {
    let mut jobs: Vec<Job> = sound.iter().enumerate().flat_map(|(at, work)| work.jobs(at)).collect();
    jobs.sort_by_key(|job| (std::cmp::Reverse(job.size), job.vectors, job.at, job.k));
    let groups: Vec<&[Job]> = jobs
        .chunk_by(|a, b| (a.size, a.vectors) == (b.size, b.vectors))
        .flat_map(|equal| equal.chunks(if equal[0].size <= MAX_LANE_SIZE { LANES } else { 1 }))
        .collect();
    let solved: Vec<Result<Vec<Solved>, HodgeError>> = groups
        .par_iter()
        .map_init(LaneSolver::default, |solver, group| solve_group(sound, group, solver))
        .collect();

    let mut spectra: Vec<Result<Vec<Option<Solved>>, HodgeError>> =
        sound.iter().map(|work| Ok(vec![None; work.operators.complex().dim() + 2])).collect();
    for (group, result) in groups.iter().zip(solved) {
        match result {
            Ok(list) => {
                for (job, found) in group.iter().zip(list) {
                    if let Ok(slots) = &mut spectra[job.at] {
                        slots[job.k] = Some(found);
                    }
                }
            }
            Err(error) => group.iter().for_each(|job| spectra[job.at] = Err(error.clone())),
        }
    }
    spectra.into_par_iter().zip(sound).map(|(found, work)| work.finish(found?)).collect()
}

/// One Gram matrix to be decomposed.
#[derive(Clone, Copy, Debug)]
struct Job {
    at: usize,
    k: usize,
    size: usize,
    /// Whether eigenvectors are needed, or coefficients will do.
    vectors: bool,
}

/// The spectrum of one operator, with eigenvectors or with the energies that were asked of it.
#[derive(Clone, Debug)]
enum Solved {
    Vectors(BoundarySpectrum),
    Energies(std::sync::Arc<BothSides>),
}

fn solve_group<'w, W>(works: &[W], group: &[Job], solver: &mut LaneSolver) -> Result<Vec<Solved>, HodgeError>
where
    W: std::borrow::Borrow<Work<'w>>,
{
    let work = |job: &Job| works[job.at].borrow();
    let Job { size, vectors, .. } = group[0];
    if size > MAX_LANE_SIZE {
        return group.iter().map(|job| work(job).solve_alone(job)).collect();
    }
    let columns = |job: &Job| if vectors { None } else { work(job).columns(job.k) };
    solver.reset(size, group.iter().filter_map(columns).map(|c| c.len()).max().unwrap_or(0));
    for (lane, job) in group.iter().enumerate() {
        if let Some(b) = work(job).operators.boundary(job.k) {
            gram_entries(b, smaller_side(b).0, |i, j, value| solver.add(lane, i, j, value));
        }
        if let Some(columns) = columns(job) {
            let mut put = |j: usize, x: &[f64]| {
                x.iter().enumerate().for_each(|(i, &value)| solver.set_column(lane, i, j, value));
            };
            columns.for_each(&mut put);
        }
    }
    let sound = if vectors { solver.solve() } else { solver.solve_columns() };
    let take = |(lane, job): (usize, &Job)| {
        let operators = &work(job).operators;
        if !sound[lane] {
            return work(job).solve_alone(job);
        }
        if let Some(columns) = columns(job) {
            let (values, coefficients) = solver.coefficients(lane, columns.len());
            let zeros = count_zeros(operators, job.k, &values);
            let found = columns.energies(&values, zeros, &coefficients);
            return Ok(Solved::Energies(std::sync::Arc::new(found)));
        }
        let mut pairs = Eigenpairs::default();
        solver.eigenpairs(lane, &mut pairs.values, &mut pairs.vectors);
        Ok(Solved::Vectors(BoundarySpectrum::from_eigenpairs(operators, job.k, pairs)))
    };
    group.iter().enumerate().map(take).collect()
}

/// A complex on its way from signals to measures.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) operators: Operators<'a>,
    pub(super) signals: Vec<Option<LiveSignal>>,
}

impl<'a> Work<'a> {
    fn new(sample: &'a Sample<'_>, weighting: Weighting) -> Result<Self, HodgeError> {
        let operators = match &sample.weights {
            Some(weights) => Operators::weighted(&sample.complex, weights)?,
            None => Operators::new(&sample.complex, weighting),
        };
        let live = |(dim, signal): (usize, &Option<Signal>)| {
            signal.as_ref().map(|s| LiveSignal::new(&operators, dim, s)).transpose()
        };
        let signals = sample.signals.iter().enumerate().map(live).collect::<Result<_, _>>()?;
        Ok(Self { operators, signals })
    }

    pub(super) fn signal(&self, dim: usize) -> Option<&LiveSignal> {
        self.signals.get(dim)?.as_ref()
    }

    /// The operators next to a dimension with a signal.
    fn jobs(&self, at: usize) -> Vec<Job> {
        (1..=self.operators.complex().dim())
            .filter(|&k| self.signal(k - 1).is_some() || self.signal(k).is_some())
            .filter_map(|k| {
                let size = smaller_side(self.operators.boundary(k)?).1;
                Some(Job { at, k, size, vectors: self.needs_vectors(k, size) })
            })
            .filter(|job| job.size > 0)
            .collect()
    }

    /// Size of the largest eigenproblem.
    fn largest_size(&self) -> usize {
        self.jobs(0).iter().map(|job| job.size).max().unwrap_or(0)
    }

    /// Numbers in all eigenvectors and energies, if the complex is solved whole.
    fn n_vectors(&self) -> usize {
        self.jobs(0).iter().map(|job| if job.vectors { job.size * job.size } else { 0 }).sum()
    }

    /// Energies that are averaged over orientations need the squares of every entry of an eigenvector; so does the
    /// harmonic part, from both operators next to it. With many channels eigenvectors are the cheaper way.
    fn needs_vectors(&self, k: usize, size: usize) -> bool {
        let sides = || [self.signal(k - 1), self.signal(k)].into_iter().flatten();
        sides().any(LiveSignal::any_averaged) || sides().map(LiveSignal::len).sum::<usize>() > size / 2
    }

    /// The channels on both sides of `B̃_k`.
    fn columns(&self, k: usize) -> Option<Columns<'_>> {
        Some(Columns::new(self.operators.boundary(k)?, self.signal(k - 1), self.signal(k)))
    }

    /// Solves one job by the dense backend.
    fn solve_alone(&self, job: &Job) -> Result<Solved, HodgeError> {
        match self.columns(job.k).filter(|_| !job.vectors) {
            Some(columns) => {
                let found = energies_without_vectors(&self.operators, job.k, &columns)?;
                Ok(Solved::Energies(std::sync::Arc::new(found)))
            }
            None => BoundarySpectrum::new(&self.operators, job.k).map(Solved::Vectors),
        }
    }

    fn finish(&self, spectra: Vec<Option<Solved>>) -> Result<ComplexMeasures, HodgeError> {
        let by_dim = (0..self.signals.len()).map(|dim| {
            let Some(signal) = self.signal(dim) else { return Ok(None) };
            self.finish_dim(signal, &spectra).map(Some)
        });
        Ok(ComplexMeasures { by_dim: by_dim.collect::<Result<_, _>>()?, ..ComplexMeasures::default() })
    }

    fn finish_dim(&self, signal: &LiveSignal, spectra: &[Option<Solved>]) -> Result<DimMeasures, HodgeError> {
        let (exact, below) = self.side(signal, signal.dim, Side::Cells, spectra);
        let (mut coexact, above) = self.side(signal, signal.dim + 1, Side::Faces, spectra);
        let betti = signal.n_cells.saturating_sub(below.0 + above.0);
        let harmonic = if betti == 0 {
            EnergyMeasure::empty(signal)
        } else if signal.dim == 0 && self.operators.is_graph_like() {
            let harmonic = harmonic::on_components(&self.operators, signal);
            harmonic::complete(signal, &mut coexact, &harmonic);
            harmonic
        } else {
            let neighbors: Vec<Neighbor<'_>> = [below.1, above.1].into_iter().flatten().collect();
            let inside = |p: usize| exact.energies(p).iter().chain(coexact.energies(p)).sum();
            let others: Vec<f64> = (0..signal.len()).map(inside).collect();
            harmonic::residual(signal, &others, &neighbors)
        };
        let measures = DimMeasures { exact, coexact, harmonic, n_channels: signal.n_channels, betti };
        if [&measures.exact, &measures.coexact, &measures.harmonic].iter().all(|m| m.is_finite()) {
            Ok(measures)
        } else {
            Err(HodgeError::Overflow { dim: signal.dim })
        }
    }

    /// The measure of `signal` over the spectrum of `B̃_k`, the rank of `B̃_k`, and the operator as a neighbor.
    fn side<'s>(
        &'s self,
        signal: &LiveSignal,
        k: usize,
        on: Side,
        spectra: &'s [Option<Solved>],
    ) -> (EnergyMeasure, (usize, Option<Neighbor<'s>>)) {
        let empty = || EnergyMeasure::empty(signal);
        let solved = spectra.get(k).and_then(Option::as_ref);
        let (Some(b), Some(solved)) = (self.operators.boundary(k), solved) else {
            return (empty(), (0, None));
        };
        match solved {
            Solved::Vectors(found) => {
                let neighbor = Neighbor { b, on, spectrum: Some(found) };
                (energies(b, found, on, signal), (found.rank(), Some(neighbor)))
            }
            Solved::Energies(both) => {
                let measure = if on == Side::Cells { &both.cells } else { &both.faces };
                (measure.clone(), (both.rank, Some(Neighbor { b, on, spectrum: None })))
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::linalg::simd::forced::Vectors;
    use crate::signal::Orientation;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn every_kind_of_vectors_measures_to_the_same_bits() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut compared = 0;
        for size in [3, 8, 17, 30, 61] {
            let pairs = (0..size).flat_map(|a| (a + 1..size).map(move |b| [a, b]));
            let edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random_bool(0.2)).collect();
            let complex = Complex::graph(size as usize, &edges).unwrap().clique_complex(2).unwrap();
            let mut signal = |dim: usize, orientation| {
                let values =
                    (0..complex.n_cells(dim)).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
                Signal::from_row_major(values.len(), 1, &values, orientation).unwrap()
            };
            let signals = vec![
                Some(signal(0, Orientation::Unoriented)),
                Some(signal(1, Orientation::Oriented)),
                Some(signal(2, Orientation::Unoriented)),
            ];
            let sample = Sample { complex: Cow::Borrowed(&complex), signals, weights: None };
            let run = || measure(&sample, Weighting::Combinatorial).unwrap();
            let expected = run();
            for vectors in Vectors::available() {
                assert_eq!(vectors.force(run), expected, "{vectors:?}, {size} vertices");
                compared += 1;
            }
        }
        assert!(compared >= 5);
    }
}

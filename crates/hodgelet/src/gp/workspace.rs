//! Memory of inference, reused from one evaluation to the next.

use super::error::GpError;
use super::factor::{Factor, FactorScratch, Marginals};
use super::posterior::{Posterior, Sites};
use crate::linalg::cholesky::NotPositiveDefinite;
use crate::linalg::simd::is_finite;
use crate::linalg::symmetric::mirror_lower;
use faer::{Mat, MatRef, Par};
use rayon::prelude::*;

/// Matrices of the size of the Gram matrix that inference works in: one for `K`, one for each latent function and
/// one for each thread.
pub struct Workspace {
    pub(super) gram: Mat<f64>, // [n, n], both triangles
    pub(super) factors: Vec<Factor>,
    spare: Vec<Mat<f64>>,
    scratch: Vec<FactorScratch>,
    latest: Option<Sites>,
    par: Par,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new(Par::Seq)
    }
}

impl Workspace {
    /// A workspace that grows on demand. `par` is the parallelism of the matrix routines for a single latent
    /// function (several are worked on side by side); results depend on it in the last bits, never on the number
    /// of threads that happen to run.
    #[must_use]
    pub fn new(par: Par) -> Self {
        Self {
            gram: Mat::new(),
            factors: Vec::new(),
            spare: Vec::new(),
            scratch: Vec::new(),
            latest: None,
            par,
        }
    }

    /// Takes back the memory of a posterior that is no longer needed.
    pub fn recycle(&mut self, posterior: Posterior) {
        let size = self.gram.nrows();
        let fitting =
            posterior.factors.into_iter().map(Factor::into_root).filter(|root| root.nrows() == size);
        self.spare.extend(fitting);
    }

    /// Validates and copies the lower triangle of a Gram matrix and makes room for `n_latents` functions.
    pub(super) fn load(&mut self, gram: MatRef<'_, f64>, n: usize, n_latents: usize) -> Result<(), GpError> {
        check_gram(gram, n)?;
        if self.gram.shape() != (n, n) {
            self.gram = Mat::zeros(n, n);
            self.spare.clear();
        }
        mirror_lower(gram, self.gram.as_mut());
        self.spare.extend(self.factors.drain(..).map(Factor::into_root));
        self.factors = (0..n_latents).map(|_| Factor::reuse(self.spare.pop(), n)).collect();
        self.spare.clear();
        Ok(())
    }

    /// Factors and marginals of all latent functions for the given sites.
    pub(super) fn update(&mut self, sites: &Sites) -> Result<Vec<Marginals>, NotPositiveDefinite> {
        let n_latents = self.factors.len();
        self.latest = Some(sites.clone());
        // Classes are independent, so their distribution over threads affects only the time.
        let share = n_latents.div_ceil(rayon::current_num_threads()).max(1);
        let par = if n_latents == 1 { self.par } else { Par::Seq };
        self.scratch.resize_with(n_latents.div_ceil(share), FactorScratch::default);
        let gram = self.gram.as_ref();
        if let ([factor], [scratch]) = (&mut self.factors[..], &mut self.scratch[..]) {
            // One function needs no other thread.
            return Ok(vec![one_update(factor, gram, sites, 0, scratch, par)?]);
        }
        let work = |(chunk, (factors, scratch)): (usize, (&mut [Factor], &mut FactorScratch))| {
            let one = |(k, factor): (usize, &mut Factor)| {
                one_update(factor, gram, sites, chunk * share + k, scratch, par)
            };
            factors.iter_mut().enumerate().map(one).collect::<Vec<_>>()
        };
        let results: Vec<Vec<_>> = self
            .factors
            .par_chunks_mut(share)
            .zip(self.scratch.par_iter_mut())
            .enumerate()
            .map(work)
            .collect();
        results.into_iter().flatten().collect()
    }

    /// Whether the factors are of other sites than these.
    pub(super) fn is_stale(&self, sites: &Sites) -> bool {
        self.latest.as_ref() != Some(sites)
    }
}

/// The factor and marginals of latent function `c`.
fn one_update(
    factor: &mut Factor,
    gram: MatRef<'_, f64>,
    sites: &Sites,
    c: usize,
    scratch: &mut FactorScratch,
    par: Par,
) -> Result<Marginals, NotPositiveDefinite> {
    let (w, lambda) = (sites.precision(c), sites.shift(c));
    if w.iter().chain(lambda).all(|&x| x == 0.0) {
        return Ok(factor.reset(gram));
    }
    factor.update(gram, w, lambda, scratch, par)
}

/// Whether the lower triangle of a Gram matrix is `[n, n]`, finite, and not negative on the diagonal.
pub(super) fn check_gram(gram: MatRef<'_, f64>, n: usize) -> Result<(), GpError> {
    let (rows, columns) = gram.shape();
    if (rows, columns) != (n, n) {
        return Err(GpError::Shape { rows, columns, expected: n });
    }
    for column in 0..n {
        let below = gram.col(column).subrows(column, n - column);
        if below.try_as_col_major().is_some_and(|c| is_finite(c.as_slice())) && gram[(column, column)] >= 0.0
        {
            continue;
        }
        for row in column..n {
            let value = gram[(row, column)];
            if !value.is_finite() || (row == column && value < 0.0) {
                return Err(GpError::Gram { row, column, value });
            }
        }
    }
    Ok(())
}

//! The trainable bank of filters, `w_j(λ) = a(α_j λ) + Σ_l b(β_jl λ)`.

use super::{BankError, CheckedBankParams, LowPass, SCALE_RANGE};
use crate::linalg::simd;

/// Eigenvalues treated together: few enough that the buffers stay in the first-level cache.
const CHUNK: usize = 512;

/// Filters `w_j(λ) = a(α_j λ) + Σ_l b(β_jl λ)` with their scales.
///
/// The parameters are unconstrained numbers, one per scale and filter by filter: `α_1, β_11, ..., β_1L, α_2, ...`
/// (without the `α` when there is no low-pass term), each the preimage of its scale under the
/// [`Transform`](crate::param::Transform). Values of the filters at `n` eigenvalues are laid out `[W, n]`,
/// one filter after another. Work is `O(W (1 + L) n)`, on the calling thread.
///
/// ```
/// use hodgelet::wavelet::BankParams;
/// let bank = BankParams { n_filters: 2, n_bands: 0, ..Default::default() }.check()?.with_scales(&[1.0, 3.0], &[])?;
/// let mut values = [0.0; 4];
/// bank.evaluate(&[0.0, 1.0], &mut values)?;
/// assert!(values.iter().zip([1.0, 0.5, 1.0, 0.25]).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-15));
/// # Ok::<(), hodgelet::wavelet::BankError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bank {
    params: CheckedBankParams,
    parameters: Vec<f64>, // [W, (1) + L]
    scales: Vec<f64>,     // [W, (1) + L]
}

impl Bank {
    /// A bank with the parameters given; see [`CheckedBankParams::with_parameters`].
    pub(super) fn new(params: CheckedBankParams, parameters: &[f64]) -> Result<Self, BankError> {
        let mut bank = Self { params, parameters: Vec::new(), scales: Vec::new() };
        bank.set_parameters(parameters)?;
        Ok(bank)
    }

    /// The settings the bank was built from.
    #[must_use]
    pub fn params(&self) -> &CheckedBankParams {
        &self.params
    }

    /// Number of filters, `W`.
    #[must_use]
    pub fn n_filters(&self) -> usize {
        self.params.get().n_filters
    }

    /// Number of scales in each filter: `L`, and one more with a low-pass term.
    #[must_use]
    pub fn scales_per_filter(&self) -> usize {
        self.params.get().per_filter()
    }

    /// Number of parameters, one per scale.
    #[must_use]
    pub fn n_parameters(&self) -> usize {
        self.parameters.len()
    }

    /// The unconstrained parameters.
    #[must_use]
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// The scales, in the order of the parameters.
    #[must_use]
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// Whether the filters are analytic functions of the logarithm of the eigenvalue around the real line.
    pub(crate) fn is_analytic(&self) -> bool {
        let params = self.params.get();
        params.low_pass.is_none_or(LowPass::is_analytic) && params.band_pass.is_analytic()
    }

    /// Puts new parameters in place of the old.
    ///
    /// # Errors
    ///
    /// [`BankError::Length`] when their number is wrong, [`BankError::Scale`] when a scale would leave
    /// [`SCALE_RANGE`]; the bank is then unchanged.
    pub fn set_parameters(&mut self, parameters: &[f64]) -> Result<(), BankError> {
        let expected = self.n_filters() * self.scales_per_filter();
        check_length("the slice of parameters", parameters, expected)?;
        let scales: Vec<f64> = parameters.iter().map(|&p| self.params.get().transform.forward(p)).collect();
        // A scale at the very end of the range may come back one rounding beyond it.
        let (lowest, highest) = (SCALE_RANGE.0 * (1.0 - 1e-12), SCALE_RANGE.1 * (1.0 + 1e-12));
        match scales.iter().position(|s| !(lowest..=highest).contains(s)) {
            Some(index) => Err(BankError::Scale { index, found: scales[index] }),
            None => {
                self.parameters = parameters.to_vec();
                self.scales = scales;
                Ok(())
            }
        }
    }

    /// Values of all filters, `[W, n]`, at `n` eigenvalues.
    ///
    /// # Errors
    ///
    /// [`BankError`] when `out` has the wrong length or an eigenvalue is not finite.
    pub fn evaluate(&self, eigenvalues: &[f64], out: &mut [f64]) -> Result<(), BankError> {
        let n = eigenvalues.len();
        check_length("the output of the bank", out, self.n_filters() * n)?;
        check_eigenvalues(eigenvalues)?;
        simd::vectorized(
            #[inline(always)]
            || {
                for (start, chunk) in chunks(eigenvalues) {
                    for (j, scales) in self.scales.chunks_exact(self.scales_per_filter()).enumerate() {
                        self.fill_filter(scales, chunk, &mut out[j * n + start..][..chunk.len()]);
                    }
                }
            },
        );
        Ok(())
    }

    /// Values of all filters, `[W, n]`, and the derivative of each in each of its own parameters,
    /// `[W, scales_per_filter, n]`, at `n` eigenvalues.
    ///
    /// # Errors
    ///
    /// [`BankError`] when a slice has the wrong length or an eigenvalue is not finite.
    pub fn evaluate_with_derivatives(
        &self,
        eigenvalues: &[f64],
        out: &mut [f64],
        derivatives: &mut [f64],
    ) -> Result<(), BankError> {
        let (n, per_filter) = (eigenvalues.len(), self.scales_per_filter());
        check_length("the output of the bank", out, self.n_filters() * n)?;
        check_length("the slice of derivatives", derivatives, self.n_parameters() * n)?;
        check_eigenvalues(eigenvalues)?;
        let slopes = self.slopes();
        simd::vectorized(
            #[inline(always)]
            || {
                let mut exponentials = [0.0; CHUNK];
                for (start, chunk) in chunks(eigenvalues) {
                    for j in 0..self.n_filters() {
                        let out = &mut out[j * n + start..][..chunk.len()];
                        out.fill(0.0);
                        for p in j * per_filter..(j + 1) * per_filter {
                            let derivatives = &mut derivatives[p * n + start..][..chunk.len()];
                            self.add_term(p, slopes[p], chunk, &mut exponentials, out, derivatives);
                        }
                    }
                }
            },
        );
        Ok(())
    }

    /// Reverse mode: adds to `gradient` `[n_parameters]` the derivative of a function of the filter values in
    /// the parameters, given its derivative `upstream` `[W, n]` in the values.
    ///
    /// The sum runs over the eigenvalues in one fixed order, so equal input gives equal bits; sums over several
    /// calls are as ordered as the calls.
    ///
    /// # Errors
    ///
    /// [`BankError`] when a slice has the wrong length or an eigenvalue is not finite.
    pub fn vjp(&self, eigenvalues: &[f64], upstream: &[f64], gradient: &mut [f64]) -> Result<(), BankError> {
        let (n, per_filter) = (eigenvalues.len(), self.scales_per_filter());
        check_length("the upstream derivative", upstream, self.n_filters() * n)?;
        check_length("the gradient", gradient, self.n_parameters())?;
        check_eigenvalues(eigenvalues)?;
        let slopes = self.slopes();
        simd::vectorized(
            #[inline(always)]
            || {
                let (mut exponentials, mut unused) = ([0.0; CHUNK], [0.0; CHUNK]);
                let mut derivatives = [0.0; CHUNK];
                for (start, chunk) in chunks(eigenvalues) {
                    for p in 0..self.n_parameters() {
                        let derivatives = &mut derivatives[..chunk.len()];
                        let values = &mut unused[..chunk.len()];
                        self.add_term(p, 1.0, chunk, &mut exponentials, values, derivatives);
                        let upstream = &upstream[p / per_filter * n + start..][..chunk.len()];
                        gradient[p] += slopes[p] * dot(derivatives, upstream);
                    }
                }
            },
        );
        Ok(())
    }

    /// As [`vjp`](Self::vjp), from the `derivatives` that
    /// [`evaluate_with_derivatives`](Self::evaluate_with_derivatives) left.
    ///
    /// # Errors
    ///
    /// [`BankError::Length`] when the lengths do not fit together.
    pub fn vjp_from_derivatives(
        &self,
        derivatives: &[f64],
        upstream: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), BankError> {
        let n = upstream.len() / self.n_filters();
        check_length("the upstream derivative", upstream, self.n_filters() * n)?;
        check_length("the slice of derivatives", derivatives, self.n_parameters() * n)?;
        check_length("the gradient", gradient, self.n_parameters())?;
        let per_filter = self.scales_per_filter();
        simd::vectorized(
            #[inline(always)]
            || {
                for (p, gradient) in gradient.iter_mut().enumerate() {
                    let upstream = &upstream[p / per_filter * n..][..n];
                    *gradient += dot(&derivatives[p * n..][..n], upstream);
                }
            },
        );
        Ok(())
    }

    /// Derivative of each scale in its parameter.
    fn slopes(&self) -> Vec<f64> {
        self.parameters.iter().map(|&p| self.params.get().transform.derivative(p)).collect()
    }

    /// Values of the filter with the scales given at up to [`CHUNK`] eigenvalues.
    #[inline(always)]
    fn fill_filter(&self, scales: &[f64], eigenvalues: &[f64], out: &mut [f64]) {
        let mut values = [0.0; CHUNK];
        let values = &mut values[..eigenvalues.len()];
        let bands = match (self.params.get().low_pass, scales) {
            (Some(low_pass), [own, bands @ ..]) => {
                low_pass.fill(*own, eigenvalues, out);
                bands
            }
            _ => {
                out.fill(0.0);
                scales
            }
        };
        for &scale in bands {
            self.params.get().band_pass.fill(scale, eigenvalues, values);
            out.iter_mut().zip(&*values).for_each(|(w, v)| *w += v);
        }
    }

    /// Adds the term of parameter `p` at up to [`CHUNK`] eigenvalues to `values`, and writes its derivative in the scale
    /// times `slope`.
    #[inline(always)]
    fn add_term(
        &self,
        p: usize,
        slope: f64,
        eigenvalues: &[f64],
        exponentials: &mut [f64; CHUNK],
        values: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let (at, exponentials) = ((self.scales[p], slope), &mut exponentials[..eigenvalues.len()]);
        match self.params.get().low_pass {
            Some(low_pass) if p.is_multiple_of(self.scales_per_filter()) => {
                low_pass.add_with_derivatives(at, eigenvalues, exponentials, values, derivatives);
            }
            _ => {
                let band_pass = self.params.get().band_pass;
                band_pass.add_with_derivatives(at, eigenvalues, exponentials, values, derivatives);
            }
        }
    }
}

/// Chunks of at most [`CHUNK`] eigenvalues, each with the index of its first.
#[inline(always)]
fn chunks(eigenvalues: &[f64]) -> impl Iterator<Item = (usize, &[f64])> {
    eigenvalues.chunks(CHUNK).enumerate().map(|(c, chunk)| (c * CHUNK, chunk))
}

/// `xᵀy` in eight interleaved sums, added in a fixed order.
#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x_blocks, y_blocks) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest = x_blocks.remainder().iter().zip(y_blocks.remainder()).map(|(a, b)| a * b).sum::<f64>();
    let mut sums = [0.0; 8];
    for (a, b) in x_blocks.zip(y_blocks) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

pub(super) fn check_length(what: &'static str, slice: &[f64], expected: usize) -> Result<(), BankError> {
    let found = slice.len();
    if found == expected { Ok(()) } else { Err(BankError::Length { what, found, expected }) }
}

fn check_eigenvalues(eigenvalues: &[f64]) -> Result<(), BankError> {
    match eigenvalues.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(BankError::Eigenvalue { index, found: eigenvalues[index] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

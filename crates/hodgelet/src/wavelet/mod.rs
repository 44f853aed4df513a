//! Spectral filters, one file each, and the trainable bank made of them.
//!
//! A filter is a function of an eigenvalue `λ` at a scale `s > 0`, most often of the product `t = s λ` alone.
//! A [`Bank`] sums a low-pass filter and several band-pass filters, each at its own scale,
//!
//! ```text
//! w_j(λ) = a(α_j λ) + Σ_l b(β_jl λ),    j = 1..W,  l = 1..L
//! ```
//!
//! and differentiates the result in the scales. Every filter is once continuously differentiable in its scale,
//! so that the whole bank trains by gradients; the file of each says where it has no second derivative.
//!
//! Eigenvalues are those of a positive semi-definite operator: negative ones, which are rounded zeros, count
//! as 0.

mod ab_spline;
mod bank;
mod error;
mod family;
mod heat;
mod itersine;
mod mexican_hat;
mod meyer;
mod params;
mod rational;
mod ricker;

use crate::linalg::simd;

pub use ab_spline::{AbSpline, AbSplineScaling};
pub use bank::Bank;
pub use error::BankError;
pub use family::{BandPass, LowPass};
pub use heat::{Heat, HeatBand};
pub use itersine::Itersine;
pub use mexican_hat::MexicanHat;
pub use meyer::{Meyer, MeyerScaling};
pub use params::{BankParams, CheckedBankParams, MAX_SCALES, SCALE_RANGE, ScaleSpread};
pub use rational::Rational;
pub use ricker::Ricker;

/// A function of an eigenvalue at a scale, with its derivative in the scale.
///
/// A family that contains an exponential names its argument in [`exponent`](Self::exponent) and receives the
/// exponential in [`at`](Self::at): loops over many eigenvalues compute the exponentials of a whole slice
/// together and use them for both value and derivative.
pub trait Filter: Copy {
    /// Whether [`at`](Self::at) needs `exp(exponent)`.
    const EXPONENTIAL: bool;

    /// Argument of the exponential, at most 1 and finite; 0 for families without one.
    #[must_use]
    fn exponent(self, scale: f64, eigenvalue: f64) -> f64;

    /// Value and derivative in the scale, given `exponential = exp(exponent(scale, eigenvalue))`.
    ///
    /// The scale must lie in [`SCALE_RANGE`] and the eigenvalue be finite and not negative; the result is then
    /// finite.
    #[must_use]
    fn at(self, scale: f64, eigenvalue: f64, exponential: f64) -> (f64, f64);

    /// Value at one eigenvalue.
    #[must_use]
    fn value(self, scale: f64, eigenvalue: f64) -> f64 {
        self.at(scale, eigenvalue, self.exponent(scale, eigenvalue).exp()).0
    }

    /// Derivative in the scale at one eigenvalue.
    #[must_use]
    fn derivative(self, scale: f64, eigenvalue: f64) -> f64 {
        self.at(scale, eigenvalue, self.exponent(scale, eigenvalue).exp()).1
    }
}

/// Values of a filter at many eigenvalues; the slices have equal lengths.
#[inline(always)]
fn fill<F: Filter>(filter: F, scale: f64, eigenvalues: &[f64], values: &mut [f64]) {
    fill_exponentials(filter, scale, eigenvalues, values);
    for (value, &eigenvalue) in values.iter_mut().zip(eigenvalues) {
        *value = filter.at(scale, eigenvalue.max(0.0), *value).0;
    }
}

/// Adds the values of a filter at many eigenvalues to `values`, and writes its derivatives times `slope`; the slices have
/// equal lengths, `exponentials` is memory to work in.
#[inline(always)]
fn add_with_derivatives<F: Filter>(
    filter: F,
    (scale, slope): (f64, f64),
    eigenvalues: &[f64],
    exponentials: &mut [f64],
    values: &mut [f64],
    derivatives: &mut [f64],
) {
    fill_exponentials(filter, scale, eigenvalues, exponentials);
    let places = values.iter_mut().zip(derivatives).zip(&*exponentials).zip(eigenvalues);
    for (((value, derivative), &exponential), &eigenvalue) in places {
        let (v, d) = filter.at(scale, eigenvalue.max(0.0), exponential);
        *value += v;
        *derivative = d * slope;
    }
}

/// The exponentials that a filter needs, in `out`.
#[inline(always)]
fn fill_exponentials<F: Filter>(filter: F, scale: f64, eigenvalues: &[f64], out: &mut [f64]) {
    if F::EXPONENTIAL {
        for (value, &eigenvalue) in out.iter_mut().zip(eigenvalues) {
            *value = filter.exponent(scale, eigenvalue.max(0.0));
        }
        simd::exp_in_place(out);
    }
}

//! Settings of a bank, and the banks made from them.

use super::bank::check_length;
use super::{BandPass, Bank, BankError, LowPass};
use crate::choice::choices;
use crate::param::Transform;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Smallest and largest scale a bank accepts: wide enough for any spectrum, and narrow enough that no product
/// of a scale, its inverse and an eigenvalue below 1e200 leaves the range of double precision.
pub const SCALE_RANGE: (f64, f64) = (1e-100, 1e100);

/// Largest number of scales of a bank.
pub const MAX_SCALES: usize = 1 << 20;

/// Mean eigenvalues beyond this are taken as its ends, so that scales stay far inside [`SCALE_RANGE`].
const MEAN_RANGE: (f64, f64) = (1e-30, 1e30);

choices! {
    /// What the initial scales are made for.
    pub enum ScaleSpread {
        /// Eigenvalues up to 2: scales as they are drawn, which is what the reference has.
        Reference,
        /// The spectrum at hand: scales of filter `j` of `W` are divided by `m^{j/(W−1)}`, where `m` is the mean of the
        /// eigenvalues. The filters range from scales as drawn to scales for eigenvalues around `m`, and so cover
        /// the whole spectrum; with the normalized Laplacian, `m ≈ 1`, little changes. A bank that all blocks share,
        /// whose spectra differ, keeps scales as they are drawn.
        #[default]
        Spectrum,
    }
}

impl ScaleSpread {
    /// What scales of filter `j` of `n_filters` are divided by, for the mean eigenvalue `mean` if there is one.
    fn divisor(self, mean: Option<f64>, j: usize, n_filters: usize) -> f64 {
        match (self, mean) {
            (Self::Spectrum, Some(mean)) if mean > 0.0 => {
                let share = j as f64 / n_filters.saturating_sub(1).max(1) as f64;
                mean.clamp(MEAN_RANGE.0, MEAN_RANGE.1).powf(share)
            }
            _ => 1.0,
        }
    }
}

/// Settings of a bank, not yet validated; the defaults are those of the reference except for the spread of scales.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BankParams {
    /// Number of filters, `W`.
    pub n_filters: usize,
    /// Number of band-pass terms in each filter, `L`; 0 for low-pass filters alone.
    pub n_bands: usize,
    /// The low-pass term, or none.
    pub low_pass: Option<LowPass>,
    /// The band-pass terms.
    pub band_pass: BandPass,
    /// How scales depend on the parameters that are trained: [`Transform::Log`] or [`Transform::Softplus`].
    pub transform: Transform,
    /// What the initial scales are made for.
    pub spread: ScaleSpread,
    /// Lowest and highest initial scale `α` of the low-pass terms, drawn uniformly.
    pub low_pass_scales: (f64, f64),
    /// Lowest and highest initial scale `β` of the band-pass terms, drawn uniformly.
    pub band_pass_scales: (f64, f64),
}

impl Default for BankParams {
    fn default() -> Self {
        Self {
            n_filters: 10,
            n_bands: 3,
            low_pass: Some(LowPass::default()),
            band_pass: BandPass::default(),
            transform: Transform::Log,
            spread: ScaleSpread::default(),
            low_pass_scales: (4.0, 6.0),
            band_pass_scales: (0.1, 5.0),
        }
    }
}

impl BankParams {
    /// The settings a bank can be built from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`BankError`] when there would be no filter, an empty one, or too many scales, when the transform does not reach
    /// every positive scale, or when a range of scales is not an increasing pair within [`SCALE_RANGE`].
    pub fn check(self) -> Result<CheckedBankParams, BankError> {
        let (n_filters, per_filter) = (self.n_filters, self.per_filter());
        if n_filters == 0 {
            return Err(BankError::NoFilter);
        }
        if per_filter == 0 {
            return Err(BankError::EmptyFilter);
        }
        if n_filters.checked_mul(per_filter).is_none_or(|n| n > MAX_SCALES) {
            return Err(BankError::TooLarge { n_filters, per_filter });
        }
        let ranges = [("low-pass", self.low_pass_scales), ("band-pass", self.band_pass_scales)];
        for (which, (lowest, highest)) in ranges {
            if !(SCALE_RANGE.0 <= lowest && lowest <= highest && highest <= SCALE_RANGE.1) {
                return Err(BankError::Range { which, lowest, highest });
            }
        }
        Ok(CheckedBankParams(self))
    }

    /// Scales of one filter: that of the low-pass term, if any, then those of the bands.
    pub(super) fn per_filter(&self) -> usize {
        usize::from(self.low_pass.is_some()).saturating_add(self.n_bands)
    }
}

/// Valid settings; only [`BankParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedBankParams(BankParams);

impl CheckedBankParams {
    /// The settings.
    #[must_use]
    pub fn get(&self) -> &BankParams {
        &self.0
    }

    /// A bank with scales drawn from the ranges of the settings, the same for the same seed: first all `α_j`,
    /// then all `β_jl`; then spread as the settings say over a spectrum with the mean `mean_eigenvalue`.
    ///
    /// ```
    /// use hodgelet::wavelet::BankParams;
    /// let bank = BankParams::default().check()?.draw(0, Some(7.0));
    /// assert_eq!((bank.n_filters(), bank.n_parameters()), (10, 40));
    /// # Ok::<(), hodgelet::wavelet::BankError>(())
    /// ```
    #[must_use]
    pub fn draw(&self, seed: u64, mean_eigenvalue: Option<f64>) -> Bank {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |n: usize, (lowest, highest): (f64, f64)| -> Vec<f64> {
            (0..n)
                .map(|_| (lowest + (highest - lowest) * rng.random::<f64>()).clamp(lowest, highest))
                .collect()
        };
        let n_low = if self.0.low_pass.is_some() { self.0.n_filters } else { 0 };
        let mut low = uniform(n_low, self.0.low_pass_scales);
        let mut band = uniform(self.0.n_filters * self.0.n_bands, self.0.band_pass_scales);
        for j in 0..self.0.n_filters {
            let divisor = self.0.spread.divisor(mean_eigenvalue, j, self.0.n_filters);
            let bands = &mut band[j * self.0.n_bands..(j + 1) * self.0.n_bands];
            let own = low.get_mut(j).into_iter().chain(bands);
            own.for_each(|scale| *scale = (*scale / divisor).clamp(SCALE_RANGE.0, SCALE_RANGE.1));
        }
        self.with_scales(&low, &band).expect("scales drawn from a checked range are in range")
    }

    /// A bank with the scales `low_pass` `[W]` (or none) and `band_pass` `[W, L]`, row by row.
    ///
    /// # Errors
    ///
    /// [`BankError`] when a slice has the wrong length or a scale is outside [`SCALE_RANGE`].
    pub fn with_scales(&self, low_pass: &[f64], band_pass: &[f64]) -> Result<Bank, BankError> {
        let BankParams { n_filters, n_bands, .. } = self.0;
        let n_low = usize::from(self.0.low_pass.is_some());
        check_length("the slice of low-pass scales", low_pass, n_filters * n_low)?;
        check_length("the slice of band-pass scales", band_pass, n_filters * n_bands)?;
        let scales = (0..n_filters).flat_map(|j| {
            let own = &low_pass[j * n_low..(j + 1) * n_low];
            own.iter().chain(&band_pass[j * n_bands..(j + 1) * n_bands]).copied()
        });
        let scales: Vec<f64> = scales.collect();
        let parameter = |(index, &scale): (usize, &f64)| {
            let inside = (SCALE_RANGE.0..=SCALE_RANGE.1).contains(&scale);
            let parameter = self.0.transform.inverse(scale).ok().filter(|_| inside);
            parameter.ok_or(BankError::Scale { index, found: scale })
        };
        let parameters = scales.iter().enumerate().map(parameter).collect::<Result<Vec<f64>, _>>()?;
        self.with_parameters(&parameters)
    }

    /// A bank with the unconstrained parameters given, in the order of [`Bank::parameters`].
    ///
    /// # Errors
    ///
    /// As [`Bank::set_parameters`].
    pub fn with_parameters(&self, parameters: &[f64]) -> Result<Bank, BankError> {
        Bank::new(self.clone(), parameters)
    }
}

//! The families of filters by name.

use super::{
    AbSpline, AbSplineScaling, Filter, Heat, HeatBand, Itersine, MexicanHat, Meyer, MeyerScaling, Rational,
    Ricker, add_with_derivatives, fill,
};
use crate::choice::choices;

/// Does the same with the filter behind every name.
macro_rules! with_filter {
    ($family:expr, { $($name:path => $filter:expr),+ $(,)? }, $f:ident => $body:expr) => {
        match $family { $($name => { let $f = $filter; $body })+ }
    };
}

/// Writes an enum of filters and the methods that hand on to the filter behind each name.
macro_rules! family {
    ($(#[$doc:meta])* $enum:ident { $($(#[$variant_doc:meta])* $variant:ident => $filter:expr),+ $(,)? }) => {
        choices! {
            $(#[$doc])*
            pub enum $enum { $($(#[$variant_doc])* $variant),+ }
        }

        impl $enum {
            /// Value of the filter at one eigenvalue.
            #[must_use]
            pub fn value(self, scale: f64, eigenvalue: f64) -> f64 {
                with_filter!(self, { $(Self::$variant => $filter),+ }, f => f.value(scale, eigenvalue))
            }

            /// Derivative of the filter in its scale at one eigenvalue.
            #[must_use]
            pub fn derivative(self, scale: f64, eigenvalue: f64) -> f64 {
                with_filter!(self, { $(Self::$variant => $filter),+ }, f => f.derivative(scale, eigenvalue))
            }

            /// Values at many eigenvalues.
            #[inline(always)]
            pub(super) fn fill(self, scale: f64, eigenvalues: &[f64], values: &mut [f64]) {
                with_filter!(self, { $(Self::$variant => $filter),+ }, f => {
                    fill(f, scale, eigenvalues, values);
                });
            }

            /// Adds values, and writes derivatives times a slope, at many eigenvalues.
            #[inline(always)]
            pub(super) fn add_with_derivatives(
                self,
                scale_and_slope: (f64, f64),
                eigenvalues: &[f64],
                exponentials: &mut [f64],
                values: &mut [f64],
                derivatives: &mut [f64],
            ) {
                with_filter!(self, { $(Self::$variant => $filter),+ }, f => {
                    add_with_derivatives(f, scale_and_slope, eigenvalues, exponentials, values, derivatives);
                });
            }
        }
    };
}

family! {
    /// Families of low-pass filters.
    LowPass {
        /// [`Rational`], `1 / (1 + t)`: the reference.
        #[default]
        Rational => Rational,
        /// [`Heat`], `e^{−t}`.
        Heat => Heat,
        /// [`MeyerScaling`].
        Meyer => MeyerScaling,
        /// [`AbSplineScaling`].
        AbSpline => AbSplineScaling,
    }
}

family! {
    /// Families of band-pass filters.
    BandPass {
        /// [`MexicanHat`], `2 √(2/3) π^{−1/4} t² e^{−t²/2}`: the reference.
        #[default]
        MexicanHat => MexicanHat,
        /// [`Ricker`], the form the paper prints; not 0 at 0.
        Ricker => Ricker,
        /// [`HeatBand`], `t e^{1−t}`.
        Heat => HeatBand,
        /// [`Meyer`].
        Meyer => Meyer,
        /// [`AbSpline`].
        AbSpline => AbSpline,
        /// [`Itersine`].
        Itersine => Itersine,
    }
}

impl LowPass {
    /// Whether the filter is an analytic function of `t > 0`, with no knots.
    pub(super) fn is_analytic(self) -> bool {
        match self {
            Self::Rational | Self::Heat => true,
            Self::Meyer | Self::AbSpline => false,
        }
    }
}

impl BandPass {
    /// Whether the filter is an analytic function of `t > 0`, with no knots.
    pub(super) fn is_analytic(self) -> bool {
        match self {
            Self::MexicanHat | Self::Ricker | Self::Heat => true,
            Self::Meyer | Self::AbSpline | Self::Itersine => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::Choice;
    use proptest::prelude::*;

    /// Central difference in the logarithm of the scale, and the derivative in the same.
    fn log_slopes(
        value: impl Fn(f64, f64) -> f64,
        derivative: impl Fn(f64, f64) -> f64,
        s: f64,
        x: f64,
    ) -> (f64, f64) {
        let h = 1e-5f64;
        ((value(s * h.exp(), x) - value(s * (-h).exp(), x)) / (2.0 * h), s * derivative(s, x))
    }

    /// The difference errs by h²/6 of a third derivative, or by h/2 of a jump in the second: with
    /// h = 1e-5 and values of order one, 1e-8 away from knots and 1e-3 across one.
    fn assert_agree(name: &str, (difference, exact): (f64, f64), near_a_knot: bool, size: f64) {
        let tolerance = if near_a_knot { 1e-3 } else { 2e-8 * size.max(1.0) };
        assert!((difference - exact).abs() < tolerance, "{name}: {difference} against {exact}");
    }

    /// Whether a second derivative jumps within the step of a central difference around `t`.
    fn near_a_knot(t: f64) -> bool {
        [2.0 / 3.0, 1.0, 4.0 / 3.0, 2.0, 8.0 / 3.0].iter().any(|knot| (t / knot - 1.0).abs() < 2e-5)
    }

    proptest! {
        #[test]
        fn derivatives_equal_finite_differences(log_scale in -3.0..3.0f64, t in 0.0..8.0f64) {
            let scale = log_scale.exp();
            let x = t / scale;
            for &f in LowPass::ALL {
                let slopes = log_slopes(|s, x| f.value(s, x), |s, x| f.derivative(s, x), scale, x);
                assert_agree(&format!("{f:?} at t = {t}"), slopes, near_a_knot(t), 1.0);
            }
            for &f in BandPass::ALL {
                let slopes = log_slopes(|s, x| f.value(s, x), |s, x| f.derivative(s, x), scale, x);
                assert_agree(&format!("{f:?} at t = {t}"), slopes, near_a_knot(t), scale.sqrt());
            }
        }

        #[test]
        fn no_eigenvalue_and_no_scale_gives_nan(log_scale in -99.0..99.0f64, log_x in -300.0..200.0f64) {
            let (s, x) = (10f64.powf(log_scale), 10f64.powf(log_x));
            for f in LowPass::ALL {
                prop_assert!(f.value(s, x).is_finite() && f.derivative(s, x).is_finite(), "{f:?} {s} {x}");
            }
            for f in BandPass::ALL {
                prop_assert!(f.value(s, x).is_finite() && f.derivative(s, x).is_finite(), "{f:?} {s} {x}");
            }
        }
    }

    #[test]
    fn band_pass_filters_vanish_at_zero_except_the_form_of_the_paper() {
        for &f in BandPass::ALL {
            assert_eq!(f.value(2.5, 0.0) == 0.0, f != BandPass::Ricker, "{f:?}");
            assert_eq!(f.derivative(2.5, 0.0) == 0.0, f != BandPass::Ricker, "{f:?}");
        }
    }

    #[test]
    fn low_pass_filters_are_largest_at_zero_and_vanish_far_away() {
        for f in LowPass::ALL {
            let values: Vec<f64> = (0..100).map(|i| f.value(1.0, f64::from(i) * 0.1)).collect();
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1]), "{f:?}");
            assert!(f.value(1.0, 1e9) < 1e-8, "{f:?}");
        }
    }

    /// Values worked out by hand from the printed formulas at scale 2, eigenvalue 3/4 (t = 3/2).
    #[test]
    fn values_match_the_formulas() {
        let e = |x: f64| x.exp();
        let root_pi = std::f64::consts::PI.powf(0.25);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        near(LowPass::Rational.value(2.0, 0.75), 0.4);
        near(LowPass::Heat.value(2.0, 0.75), e(-1.5));
        near(LowPass::Meyer.value(2.0, 0.75), 0.0);
        near(LowPass::AbSpline.value(2.0, 0.75), 1.384_900_179_459_750_6 * e(-39.0625));
        near(BandPass::MexicanHat.value(2.0, 0.75), 2.0 * (2.0f64 / 3.0).sqrt() / root_pi * 2.25 * e(-1.125));
        near(BandPass::Ricker.value(2.0, 0.75), 2.0 / (1.5f64.sqrt() * root_pi) * -1.25 * e(-1.125));
        near(BandPass::Heat.value(2.0, 0.75), 1.5 * e(-0.5));
        near(BandPass::AbSpline.value(2.0, 0.75), 1.375);
        near(BandPass::Itersine.value(2.0, 0.125), (std::f64::consts::PI / 4.0).sin());
    }

    #[test]
    fn names_are_kebab_case() {
        let low: Vec<String> = LowPass::ALL.iter().map(|f| serde_json::to_string(f).unwrap()).collect();
        assert_eq!(low, ["\"rational\"", "\"heat\"", "\"meyer\"", "\"ab-spline\""]);
        let band: Vec<String> = BandPass::ALL.iter().map(|f| serde_json::to_string(f).unwrap()).collect();
        let names = ["mexican-hat", "ricker", "heat", "meyer", "ab-spline", "itersine"];
        assert_eq!(band, names.map(|name| format!("\"{name}\"")));
    }
}

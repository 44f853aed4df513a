//! The bank against its definition, and its gradients against finite differences.

use super::*;
use crate::choice::Choice;
use crate::param::Transform;
use crate::wavelet::{BandPass, BankParams, LowPass, ScaleSpread};

/// Every combination of families, with and without each kind of term.
fn banks() -> Vec<Bank> {
    let mut banks = Vec::new();
    for low_pass in [None].into_iter().chain(LowPass::ALL.iter().copied().map(Some)) {
        for &band_pass in BandPass::ALL {
            for n_bands in [0, 1, 3] {
                for transform in [Transform::Log, Transform::Softplus] {
                    let params = BankParams {
                        n_filters: 3,
                        n_bands,
                        low_pass,
                        band_pass,
                        transform,
                        ..Default::default()
                    };
                    banks.extend(params.check().map(|p| p.draw(n_bands as u64, None)));
                }
            }
        }
    }
    assert_eq!(banks.len(), 5 * 6 * 3 * 2 - 6 * 2); // all but the empty ones
    banks
}

/// More than one chunk, and not a whole number of blocks.
fn eigenvalues() -> Vec<f64> {
    (0..CHUNK + 11).map(|i| 0.013 * i as f64).collect()
}

fn evaluated(bank: &Bank, eigenvalues: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; bank.n_filters() * eigenvalues.len()];
    bank.evaluate(eigenvalues, &mut out).unwrap();
    out
}

#[test]
fn values_follow_the_definition() {
    let x = eigenvalues();
    for bank in banks() {
        let BankParams { low_pass, band_pass, .. } = *bank.params().get();
        let values = evaluated(&bank, &x);
        for (j, scales) in bank.scales().chunks(bank.scales_per_filter()).enumerate() {
            for (i, &x) in x.iter().enumerate() {
                let term = |(l, &s): (usize, &f64)| match low_pass {
                    Some(low_pass) if l == 0 => low_pass.value(s, x),
                    _ => band_pass.value(s, x),
                };
                let expected: f64 = scales.iter().enumerate().map(term).sum();
                let found = values[j * eigenvalues().len() + i];
                assert!((found - expected).abs() <= 1e-13, "{:?}: {found} {expected}", bank.params());
            }
        }
    }
}

#[test]
fn gradients_equal_finite_differences_and_both_routes_agree() {
    let x = eigenvalues();
    for mut bank in banks() {
        let upstream: Vec<f64> = (0..3 * x.len()).map(|i| (0.7 * i as f64).sin() / x.len() as f64).collect();
        let value = |bank: &Bank| dot(&evaluated(bank, &x), &upstream);

        let mut gradient = vec![1.0; bank.n_parameters()]; // accumulates on top of what is there
        bank.vjp(&x, &upstream, &mut gradient).unwrap();

        let (mut out, mut derivatives) = (vec![0.0; 3 * x.len()], vec![0.0; bank.n_parameters() * x.len()]);
        bank.evaluate_with_derivatives(&x, &mut out, &mut derivatives).unwrap();
        let plain = evaluated(&bank, &x);
        assert!(out.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-14));
        let mut other = vec![1.0; bank.n_parameters()];
        bank.vjp_from_derivatives(&derivatives, &upstream, &mut other).unwrap();

        let start = bank.parameters().to_vec();
        for p in 0..start.len() {
            let mut moved = |step: f64| {
                let mut parameters = start.clone();
                parameters[p] += step;
                bank.set_parameters(&parameters).unwrap();
                value(&bank)
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            // Steps of 1e-5 cross a knot of the splines at some of the eigenvalues: an error of order 1e-7.
            assert!((gradient[p] - 1.0 - difference).abs() < 1e-6, "{:?} {p}", bank.params());
            assert!((gradient[p] - other[p]).abs() < 1e-13);
        }
    }
}

#[test]
fn drawn_scales_lie_in_their_ranges_and_follow_the_seed() {
    let params = BankParams { n_filters: 400, ..Default::default() }.check().unwrap();
    let bank = params.draw(7, None);
    let (low, band): (Vec<_>, Vec<_>) = bank.scales().iter().enumerate().partition(|(p, _)| p % 4 == 0);
    assert!(low.iter().all(|&(_, s)| (4.0 - 1e-12..6.0 + 1e-12).contains(s)));
    assert!(band.iter().all(|&(_, s)| (0.1 - 1e-12..5.0 + 1e-12).contains(s)));
    let mean = low.iter().map(|&(_, s)| s).sum::<f64>() / 400.0;
    assert!((mean - 5.0).abs() < 0.15, "{mean}"); // five standard errors
    assert_eq!(bank, params.draw(7, None));
    assert_eq!(bank, params.draw(7, Some(0.0)));
    assert_ne!(bank, params.draw(8, None));
}

#[test]
fn negative_eigenvalues_count_as_zero() {
    for bank in banks() {
        assert_eq!(evaluated(&bank, &[-1e-14]), evaluated(&bank, &[0.0]));
    }
}

#[test]
fn settings_are_read_from_json_by_name() {
    let text = r#"{"n-filters": 2, "low-pass": null, "band-pass": "ab-spline", "transform": "softplus"}"#;
    let params: BankParams = serde_json::from_str(text).unwrap();
    let expected = BankParams {
        n_filters: 2,
        low_pass: None,
        band_pass: BandPass::AbSpline,
        transform: Transform::Softplus,
        ..Default::default()
    };
    assert_eq!(params, expected);
    assert!(serde_json::from_str::<BankParams>(r#"{"n-filter": 2}"#).is_err());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let message = |params: BankParams| params.check().unwrap_err().to_string();
    let base = BankParams::default;
    assert_eq!(message(BankParams { n_filters: 0, ..base() }), "a bank of 0 filters, expected at least 1");
    assert_eq!(
        message(BankParams { n_bands: 0, low_pass: None, ..base() }),
        "a bank without low-pass filter and without bands, expected at least one of them"
    );
    assert_eq!(
        message(BankParams { n_filters: usize::MAX, ..base() }),
        "18446744073709551615 filters of 4 scales, expected at most 1048576 scales in all"
    );
    assert_eq!(
        message(BankParams { band_pass_scales: (2.0, f64::NAN), ..base() }),
        "initial band-pass scales from 2 to NaN, expected 1e-100 <= lowest <= highest <= 1e100"
    );

    let params = BankParams { n_filters: 1, n_bands: 1, ..base() }.check().unwrap();
    let negative = params.with_scales(&[1.0], &[-2.5]).unwrap_err();
    assert_eq!(negative.to_string(), "scale 1 is -2.5e0, expected 1e-100 to 1e100");
    assert!(params.with_scales(&[], &[1.0]).is_err());
    let ends = params.with_scales(&[SCALE_RANGE.0], &[SCALE_RANGE.1]);
    assert!(ends.is_ok(), "{ends:?}");

    let mut bank = params.draw(0, None);
    let before = bank.clone();
    let error = bank.set_parameters(&[0.0, 1000.0]).unwrap_err();
    assert_eq!(error.to_string(), "scale 1 is inf, expected 1e-100 to 1e100");
    assert!(bank.set_parameters(&[f64::NAN, 0.0]).is_err());
    assert_eq!(bank, before);
    assert_eq!(
        bank.evaluate(&[0.0, 1.0], &mut [0.0; 3]).unwrap_err().to_string(),
        "the output of the bank has 3 values, expected 2"
    );
    assert_eq!(
        bank.evaluate(&[0.0, f64::NAN], &mut [0.0; 2]).unwrap_err().to_string(),
        "eigenvalue 1 is NaN, expected a finite number"
    );
}

#[test]
fn scales_are_spread_from_those_drawn_to_those_of_the_spectrum() {
    let own = BankParams { n_filters: 3, n_bands: 2, ..BankParams::default() }.check().unwrap();
    let reference = BankParams { spread: ScaleSpread::Reference, ..own.get().clone() }.check().unwrap();
    for mean in [0.25, 1.0, 9.0, 1e200, f64::MIN_POSITIVE] {
        let (spread, drawn) = (own.draw(3, Some(mean)), reference.draw(3, Some(mean)));
        assert_eq!(drawn, reference.draw(3, None));
        let unit = mean.clamp(1e-30, 1e30);
        for (j, divisor) in [1.0, unit.sqrt(), unit].into_iter().enumerate() {
            for (a, b) in spread.scales()[3 * j..3 * j + 3].iter().zip(&drawn.scales()[3 * j..3 * j + 3]) {
                assert!((a * divisor / b - 1.0).abs() < 1e-13, "filter {j}: {a} and {b} with mean {mean}");
            }
        }
    }
    let one = BankParams { n_filters: 1, ..own.get().clone() }.check().unwrap();
    assert_eq!(one.draw(3, Some(9.0)).scales(), one.draw(3, None).scales());
}

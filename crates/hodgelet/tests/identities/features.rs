//! Laws of features: they follow the measures, and their derivatives are true.

use crate::families::*;
use faer::Mat;
use hodgelet::choice::Choice;
use hodgelet::complex::Complex;
use hodgelet::feature::{
    Block, BlockMeasures, Component, ENERGY_FLOOR, FourierPoints, Standardizer, WaveletTape,
    harmonic_features, wavelet_features,
};
use hodgelet::hodge::{HodgeComponent, Operators, Weighting, spectrum};
use hodgelet::measure::{ComplexMeasures, measure};
use hodgelet::wavelet::{BandPass, Bank, BankParams, LowPass};

fn complexes() -> Vec<Complex> {
    degenerate().into_iter().map(|(_, complex)| complex).filter(|c| c.dim() == 2).collect()
}

fn measures(complexes: &[Complex]) -> Vec<ComplexMeasures> {
    let one =
        |(i, c): (usize, &Complex)| measure(&random_sample(c, i as u64), Weighting::Combinatorial).unwrap();
    complexes.iter().enumerate().map(one).collect()
}

fn bank(low_pass: Option<LowPass>, band_pass: BandPass) -> Bank {
    BankParams { n_filters: 3, n_bands: 2, low_pass, band_pass, ..BankParams::default() }
        .check()
        .unwrap()
        .draw(5, None)
}

fn all_blocks() -> Vec<Block> {
    (0..3)
        .flat_map(|dim| Block::split(dim).into_iter().chain([Block { dim, component: Component::Whole }]))
        .collect()
}

#[test]
fn a_feature_is_the_norm_of_the_wavelet_coefficients() {
    let complexes = complexes();
    let bank = bank(Some(LowPass::default()), BandPass::default());
    let features =
        |block| wavelet_features(&BlockMeasures::new(block, &measures(&complexes)), &bank).unwrap();
    for component in [HodgeComponent::Exact, HodgeComponent::Coexact] {
        let of_block = if component == HodgeComponent::Exact { Component::Exact } else { Component::Coexact };
        let found = features(Block { dim: 1, component: of_block });
        for (i, complex) in complexes.iter().enumerate() {
            let spectrum =
                spectrum(&Operators::new(complex, Weighting::Combinatorial), 1, component).unwrap();
            let u = spectrum.eigenvectors();
            let sample = random_sample(complex, i as u64);
            let x = sample.signals[1].as_ref().unwrap().values().to_dense();
            let mut w = vec![0.0; 3 * spectrum.len()];
            bank.evaluate(spectrum.eigenvalues(), &mut w).unwrap();
            for j in 0..3 {
                let gains = &w[j * spectrum.len()..(j + 1) * spectrum.len()];
                let filtered = Mat::from_fn(spectrum.len(), x.ncols(), |n, d| {
                    gains[n] * (0..x.nrows()).map(|i| u[(i, n)] * x[(i, d)]).sum::<f64>()
                });
                let coefficients = u * filtered; // U w(Λ) Uᵀ X, Eq. (5)
                for d in 0..2 {
                    let norm: f64 = coefficients.col(d).iter().map(|c| c * c).sum();
                    let expected = (norm + 1e-12).sqrt();
                    assert!((found[(i, d * 3 + j)] - expected).abs() < 1e-9 * (1.0 + expected));
                }
            }
        }
    }
}

#[test]
fn squared_features_of_the_components_add_up_to_those_of_the_whole() {
    let measures = measures(&complexes());
    let bank = bank(Some(LowPass::default()), BandPass::default());
    for dim in 0..3 {
        let squares = |component| {
            let features =
                wavelet_features(&BlockMeasures::new(Block { dim, component }, &measures), &bank).unwrap();
            features
                .col_iter()
                .flat_map(|c| c.iter().map(|s| s * s - 1e-12).collect::<Vec<_>>())
                .collect::<Vec<f64>>()
        };
        let whole = squares(Component::Whole);
        let parts = [Component::Exact, Component::Coexact, Component::Harmonic].map(squares);
        let sum: Vec<f64> = (0..whole.len()).map(|i| parts.iter().map(|p| p[i]).sum()).collect();
        assert_close(&whole, &sum, 1e-11, "squares");
    }
}

#[test]
fn the_gradient_in_the_scales_equals_finite_differences_for_every_family() {
    let measures = measures(&complexes());
    let lows = [None, Some(LowPass::default()), Some(LowPass::Heat)];
    for &band_pass in BandPass::ALL {
        for low_pass in lows {
            for block in all_blocks() {
                let block_measures = BlockMeasures::new(block, &measures);
                let bank = bank(low_pass, band_pass);
                let value = |bank: &Bank| -> f64 {
                    let s = wavelet_features(&block_measures, bank).unwrap();
                    let weight = |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin();
                    let z = Standardizer::fit(s.as_ref(), None).applied(s.as_ref());
                    (0..s.ncols())
                        .flat_map(|j| (0..s.nrows()).map(move |i| (i, j)))
                        .map(|at| weight(at.0, at.1) * (s[at] + z[at] * z[at]))
                        .sum()
                };
                let s = wavelet_features(&block_measures, &bank).unwrap();
                let standardizer = Standardizer::fit(s.as_ref(), None);
                let z = standardizer.applied(s.as_ref());
                let weight = |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin();
                let mut upstream = Mat::from_fn(s.nrows(), s.ncols(), |i, j| 2.0 * weight(i, j) * z[(i, j)]);
                standardizer.vjp(z.as_ref(), upstream.as_mut(), None);
                upstream += Mat::from_fn(s.nrows(), s.ncols(), weight);
                let mut tape = WaveletTape::default();
                assert_eq!(tape.record(&block_measures, &bank).unwrap(), s);
                let gradient = tape.vjp(&block_measures, &bank, s.as_ref(), upstream.as_ref()).unwrap();
                for p in 0..bank.n_parameters() {
                    let at = |shift: f64| {
                        let mut parameters = bank.parameters().to_vec();
                        parameters[p] += shift;
                        let mut moved = bank.clone();
                        moved.set_parameters(&parameters).unwrap();
                        value(&moved)
                    };
                    let expected = (at(1e-6) - at(-1e-6)) / 2e-6;
                    let error = (gradient[p] - expected).abs();
                    assert!(
                        error <= 2e-5 * (1.0 + expected.abs()),
                        "{band_pass:?}, {low_pass:?}, {block}, parameter {p}: {} {expected}",
                        gradient[p]
                    );
                }
            }
        }
    }
}

#[test]
fn a_harmonic_block_has_one_column_a_channel() {
    let measures = measures(&complexes());
    let block = Block { dim: 1, component: Component::Harmonic };
    let features = harmonic_features(&BlockMeasures::new(block, &measures));
    assert_eq!((features.nrows(), features.ncols()), (measures.len(), 4));
    for (i, complex) in measures.iter().enumerate() {
        let total = complex.of_dim(1).unwrap().component(HodgeComponent::Harmonic).total(2);
        assert!((features[(i, 2)] - (total + 1e-12).sqrt()).abs() < 1e-14);
    }
}

#[test]
fn cumulative_energy_ends_at_the_whole_energy_and_never_falls() {
    let measures = measures(&complexes());
    let block = BlockMeasures::new(Block { dim: 0, component: Component::Whole }, &measures);
    let points = FourierPoints::fit(&block, FourierPoints::DEFAULT_COUNT).unwrap();
    let features = points.features(&block);
    assert_eq!(features.ncols(), 4 * 30);
    for (i, complex) in measures.iter().enumerate() {
        for d in 0..4 {
            let row: Vec<f64> = (0..30).map(|j| features[(i, d * 30 + j)]).collect();
            assert!(row.windows(2).all(|w| w[0] <= w[1] + 1e-12));
            let of_dim = complex.of_dim(0).unwrap();
            let total: f64 = HodgeComponent::ALL.iter().map(|&c| of_dim.component(c).total(d)).sum();
            assert!((row[29] - total).abs() < 1e-9 * (1.0 + total));
            let harmonic = of_dim.component(HodgeComponent::Harmonic).total(d);
            assert!((row[0] - harmonic).abs() < 1e-9 * (1.0 + total), "the first point is at 0");
        }
    }
}

#[test]
fn selecting_complexes_selects_rows() {
    let measures = measures(&complexes());
    let bank = bank(Some(LowPass::default()), BandPass::default());
    for block in all_blocks() {
        let all = BlockMeasures::new(block, &measures);
        let rows = [3, 0, 3];
        let features = wavelet_features(&all, &bank).unwrap();
        let selected = wavelet_features(&all.select(&rows), &bank).unwrap();
        for (i, &row) in rows.iter().enumerate() {
            (0..features.ncols()).for_each(|j| assert_eq!(selected[(i, j)], features[(row, j)]));
        }
    }
}

/// Filters are evaluated some at once; a bank that is wider than that gives what its filters give one by one.
#[test]
fn the_filters_of_a_wide_bank_do_not_see_each_other() {
    let measures = measures(&complexes());
    let bank =
        BankParams { n_filters: 39, n_bands: 1, ..BankParams::default() }.check().unwrap().draw(3, None);
    for block in all_blocks() {
        let own = BlockMeasures::new(block, &measures);
        assert!(!own.is_empty() && own.select(&[]).is_empty(), "{block}");
        let found = wavelet_features(&own, &bank).unwrap();
        for i in 0..own.len() {
            let eigenvalues = &own.eigenvalues()[own.atoms(i)];
            let mut gains = vec![0.0; 39 * eigenvalues.len()];
            bank.evaluate(eigenvalues, &mut gains).unwrap();
            for (d, masses) in own.channels(i) {
                for j in 0..39 {
                    let gains = gains[j * eigenvalues.len()..].iter();
                    let square: f64 = gains.zip(masses).map(|(gain, mass)| gain * gain * mass).sum();
                    let (value, expected) = (found[(i, 39 * d + j)], (ENERGY_FLOOR + square).sqrt());
                    assert!((value - expected).abs() <= 1e-12 * (1.0 + value), "{block} {i} {d} {j}");
                }
            }
        }
    }
}

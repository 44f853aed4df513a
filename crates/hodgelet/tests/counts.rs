//! Counts: Poisson noise on the scale of the logarithm.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{Model, ModelError, PredictedTargets};
use hodgelet::settings::{NoiseChoice, Settings};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Trees with up to five more edges, each of which multiplies the expected count by 1.7; and those expected counts.
fn counted(n: usize, seed: u64) -> (Dataset, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut complexes, mut counts, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let size = rng.random_range(8..14u32);
        let mut edges: Vec<[u32; 2]> = (1..size).map(|v| [rng.random_range(0..v), v]).collect();
        let extra = rng.random_range(0..6usize);
        for _ in 0..100 {
            let [a, b] = [rng.random_range(0..size), rng.random_range(0..size)];
            let is_new = a < b && !edges.iter().any(|e| *e == [a, b] || *e == [b, a]);
            if is_new && edges.len() < (size - 1) as usize + extra {
                edges.push([a, b]);
            }
        }
        let more = edges.len() as i32 - (size as i32 - 1);
        let rate = 0.8 * 1.7f64.powi(more);
        // Arrivals in a unit of time.
        let (mut count, mut time) = (0.0, 0.0);
        loop {
            time -= (1.0 - rng.random::<f64>()).ln() / rate;
            if time > 1.0 {
                break;
            }
            count += 1.0;
        }
        counts.push(count);
        rates.push(rate);
        complexes.push(Complex::graph(size as usize, &edges).unwrap());
    }
    (Dataset::new("counted", complexes, vec![], Targets::Real(counts)).unwrap(), rates)
}

#[test]
fn rates_are_learned_and_intervals_hold_their_share() {
    let ((train, _), (test, rates)) = (counted(150, 1), counted(300, 2));
    let all: Vec<usize> = (0..train.len()).collect();
    let settings = Settings { noise: NoiseChoice::Poisson, ..Settings::default().most_probable() };
    let model = settings.fit(&train, &all).unwrap();
    let densities = |model: &Model| match model.predict(&test).unwrap().targets {
        PredictedTargets::Real { densities } => densities,
        PredictedTargets::Classes { .. } => panic!("numbers went in"),
    };
    let predicted = densities(&model);
    let Targets::Real(truth) = test.targets() else { panic!("numbers went in") };
    let n = truth.len() as f64;
    let off: f64 =
        predicted.iter().zip(&rates).map(|(d, rate)| (d.mean() / rate).ln().abs()).sum::<f64>() / n;
    let nll: f64 = predicted.iter().zip(truth).map(|(d, &y)| -d.log_density(y)).sum::<f64>() / n;
    let log_factorial = |y: f64| (1..=y as u32).map(|k| f64::from(k).ln()).sum::<f64>();
    let best: f64 =
        rates.iter().zip(truth).map(|(rate, &y)| rate - y * rate.ln() + log_factorial(y)).sum::<f64>() / n;
    let held = predicted.iter().zip(truth).filter(|(d, y)| d.holds(**y, 0.9)).count() as f64 / n;
    println!(
        "rates are off by {off:.3} in the logarithm; {nll:.3} nats, {best:.3} by the true rates; 90% hold {held:.3}"
    );
    assert!(off < 0.25 && nll < best + 0.08, "{off}, {nll}, {best}");
    // Counts are coarse: a central interval of 90% holds that or more.
    assert!(held > 0.88, "{held}");
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(densities(&again), predicted);
}

#[test]
fn what_is_no_count_is_refused() {
    let settings = Settings { noise: NoiseChoice::Poisson, ..Settings::default() };
    for wrong in [-1.0, 0.5, 1e10] {
        let (data, _) = counted(6, 3);
        let mut counts = vec![1.0; 6];
        counts[2] = wrong;
        let data = data.with_targets(Targets::Real(counts)).unwrap();
        let error = settings.fit(&data, &[0, 1, 2, 3]).unwrap_err();
        assert_eq!(error, ModelError::Count { found: wrong });
    }
}

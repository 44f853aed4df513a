//! Gram matrices against GPflow's.

use super::golden;
use faer::{Mat, Par};
use hodgelet::kernel::{BaseKernel, BlockKernel, Family, Lengthscales, SumKernel};
use serde_json::Value;

const TOLERANCE: f64 = 1e-10;

fn matrix(value: &Value) -> Mat<f64> {
    let rows = value.as_array().expect("a list of rows");
    let n_cols = rows[0].as_array().expect("a row").len();
    Mat::from_fn(rows.len(), n_cols, |i, j| rows[i][j].as_f64().expect("a number"))
}

fn squared_exponential(parameters: &Value) -> BlockKernel {
    let number = |name: &str| parameters[name].as_f64().expect("a number");
    let scale = Lengthscales::isotropic(number("lengthscale"));
    BlockKernel::new(number("variance"), BaseKernel::new(Family::SquaredExponential, scale))
}

fn assert_equal(found: &Mat<f64>, expected: &Value, what: &str) {
    let expected = matrix(expected);
    assert_eq!((found.nrows(), found.ncols()), (expected.nrows(), expected.ncols()), "{what}");
    for j in 0..found.ncols() {
        for i in 0..found.nrows() {
            let error = (found[(i, j)] - expected[(i, j)]).abs();
            assert!(error <= TOLERANCE, "{what} ({i}, {j}): {error:e}");
        }
    }
}

#[test]
fn gram_and_cross_equal_those_of_the_inference_goldens() {
    for name in ["inference_mutag12_binary.json", "inference_enzymes15_3class.json"] {
        let Some(file) = golden(name) else { continue };
        let kernel = SumKernel::new(vec![squared_exponential(&file["kernel"])]).unwrap();
        let (train, test) = (matrix(&file["X_train"]), matrix(&file["X_test"]));
        let gram = |z: &Mat<f64>| kernel.gram(&[z.as_ref()], Par::Seq).unwrap();
        assert_equal(&gram(&train), &file["K_train"], name);
        assert_equal(&gram(&test), &file["K_test"], name);
        let cross = kernel.cross(&[test.as_ref()], &[train.as_ref()], Par::Seq).unwrap();
        assert_equal(&cross, &file["K_test_train"], name);
    }
}

/// Standardizes by the training columns; columns constant up to rounding become 0, as in the goldens.
fn standardize(train: &Mat<f64>, test: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let n = train.nrows() as f64;
    let (mut a, mut b) = (train.clone(), test.clone());
    for c in 0..train.ncols() {
        let mean = train.col(c).iter().sum::<f64>() / n;
        let deviation = (train.col(c).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let scale = if deviation <= 1e-12 * mean.abs().max(1e-300) { 0.0 } else { 1.0 / deviation };
        for z in [&mut a, &mut b] {
            z.col_mut(c).iter_mut().for_each(|v| *v = (*v - mean) * scale);
        }
    }
    (a, b)
}

const WAVELET_FILES: [&str; 3] =
    ["wt_mutag12_normalized.json", "wt_mutag12_combinatorial.json", "wt_enzymes15_normalized.json"];

#[test]
fn wavelet_kernels_equal_those_of_the_reference() {
    for name in WAVELET_FILES {
        let Some(file) = golden(name) else { continue };
        let kernel = SumKernel::new(vec![squared_exponential(&file)]).unwrap();
        let wt = &file["wt"];
        let train = matrix(&wt["features_std_train_reference"]);
        let test = matrix(&wt["features_std_test_reference"]);
        assert_equal(&kernel.gram(&[train.as_ref()], Par::Seq).unwrap(), &wt["K_train"], name);
        let cross = kernel.cross(&[test.as_ref()], &[train.as_ref()], Par::Seq).unwrap();
        assert_equal(&cross, &wt["K_test_train"], name);
    }
}

#[test]
fn hodgelet_kernel_is_the_sum_of_its_blocks() {
    for name in WAVELET_FILES {
        let Some(file) = golden(name) else { continue };
        let hodge = &file["hodge"];
        let parts = ["coexact", "harmonic"].map(|part| &hodge[part]);
        let kernel = SumKernel::new(parts.iter().map(|p| squared_exponential(p)).collect()).unwrap();
        let features =
            parts.map(|p| standardize(&matrix(&p["features_raw_train"]), &matrix(&p["features_raw_test"])));
        let train = features.each_ref().map(|(train, _)| train.as_ref());
        for (b, part) in parts.iter().enumerate() {
            let (left, right) = (features[b].1.as_ref(), features[b].0.as_ref());
            let cross = kernel.cross_block(b, left, right, Par::Seq).unwrap();
            assert_equal(&cross, &part["K_test_train"], name);
            let gram = kernel.cross_block(b, right, right, Par::Seq).unwrap();
            assert_equal(&gram, &part["K_train"], name);
        }
        assert_equal(&kernel.gram(&train, Par::Seq).unwrap(), &hodge["K_train_sum"], name);
    }
}

//! Gradients of a function of the Gram matrix against central differences.

use faer::{Mat, MatRef, Par};
use hodgelet::kernel::{
    BaseKernel, BlockKernel, Family, GramWorkspace, KernelGradient, Lengthscales, SumKernel,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// More than one panel of columns, and not a multiple of one.
const N: usize = 71;
const COLUMNS: usize = 6;

fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, cols, |_, _| rng.random_range(-1.0..1.0))
}

/// `f(K) = Σ C_ij K_ij` for a symmetric `C`.
fn objective(kernel: &SumKernel, inputs: &[Mat<f64>], weights: &Mat<f64>) -> f64 {
    let refs: Vec<MatRef<'_, f64>> = inputs.iter().map(Mat::as_ref).collect();
    let gram = kernel.gram(&refs, Par::Seq).unwrap();
    (0..gram.ncols())
        .flat_map(|j| (0..gram.nrows()).map(move |i| (i, j)))
        .map(|at| weights[at] * gram[at])
        .sum()
}

fn symmetric_weights(n: usize) -> Mat<f64> {
    let a = random(n, n, 77);
    &a + a.transpose()
}

fn gradient(kernel: &SumKernel, inputs: &[Mat<f64>], weights: &Mat<f64>, par: Par) -> KernelGradient {
    let refs: Vec<MatRef<'_, f64>> = inputs.iter().map(Mat::as_ref).collect();
    let (mut workspace, mut gram) = (GramWorkspace::new(), Mat::new());
    kernel.gram_lower(&refs, &mut workspace, &mut gram, par).unwrap();
    // Only the lower triangle may matter.
    let lower = Mat::from_fn(N, N, |i, j| if i >= j { weights[(i, j)] } else { 1e30 });
    let mut out = KernelGradient::default();
    kernel.backward(&mut workspace, lower.as_ref(), true, &mut out, par).unwrap();
    let mut params_only = KernelGradient::default();
    kernel.backward(&mut workspace, lower.as_ref(), false, &mut params_only, par).unwrap();
    assert_eq!(params_only.params, out.params);
    assert!(params_only.inputs.is_empty());
    out
}

fn assert_gradients_agree(kernel: &SumKernel, inputs: &[Mat<f64>]) {
    let weights = symmetric_weights(N);
    let analytic = gradient(kernel, inputs, &weights, Par::Seq);
    assert_eq!(analytic.params.len(), kernel.n_params());
    let (h, start) = (1e-5, kernel.params());
    let close = |numeric: f64, analytic: f64, what: &str| {
        let tolerance = 1e-6 * (1.0 + analytic.abs());
        assert!((numeric - analytic).abs() < tolerance, "{what}: {numeric} {analytic} in {kernel:?}");
    };
    for (p, name) in kernel.param_names().iter().enumerate() {
        let at = |step: f64| {
            let mut moved = kernel.clone();
            let mut params = start.clone();
            params[p] += step;
            moved.set_params(&params).unwrap();
            objective(&moved, inputs, &weights)
        };
        close((at(h) - at(-h)) / (2.0 * h), analytic.params[p], name);
    }
    for b in 0..inputs.len() {
        for (i, c) in [(0, 0), (3, 5), (63, 1), (64, 2), (N - 1, 4)] {
            let c = c % inputs[b].ncols();
            let at = |step: f64| {
                let mut moved = inputs.to_vec();
                moved[b][(i, c)] += step;
                objective(kernel, &moved, &weights)
            };
            let numeric = (at(h) - at(-h)) / (2.0 * h);
            close(numeric, analytic.inputs[b][(i, c)], &format!("input {b} ({i}, {c})"));
        }
    }
}

const FAMILIES: [Family; 8] = [
    Family::SquaredExponential,
    Family::Matern12,
    Family::Matern32,
    Family::Matern52,
    Family::Matern { nu: 1.8 },
    Family::RationalQuadratic,
    Family::Linear,
    Family::Polynomial { degree: 3 },
];

fn scalings() -> [Lengthscales; 4] {
    [
        Lengthscales::unscaled(),
        Lengthscales::isotropic(1.3),
        Lengthscales::grouped(vec![0, 0, 1, 1, 0, 2], vec![0.9, 1.4, 2.0]),
        Lengthscales::ard((0..COLUMNS).map(|c| 0.8 + 0.2 * c as f64).collect()),
    ]
}

#[test]
fn gradients_of_every_family_and_scaling_equal_central_differences() {
    let inputs = [random(N, COLUMNS, 1)];
    for family in FAMILIES {
        for scales in scalings() {
            let base = BaseKernel::new(family, scales).with_shape(0.7);
            let kernel = SumKernel::new(vec![BlockKernel::new(1.7, base)]).unwrap();
            assert_gradients_agree(&kernel, &inputs);
        }
    }
}

fn sum_of_three() -> SumKernel {
    let base = |family, scales: usize| BaseKernel::new(family, scalings()[scales].clone());
    SumKernel::new(vec![
        BlockKernel::new(0.8, base(Family::Polynomial { degree: 2 }, 1)),
        BlockKernel::new(1.4, base(Family::RationalQuadratic, 3)),
        BlockKernel::new(
            2.0,
            BaseKernel::new(Family::SquaredExponential, Lengthscales::per_channel(2, 1, 1.1)),
        ),
    ])
    .unwrap()
}

#[test]
fn gradients_of_sums_equal_central_differences() {
    let inputs = [random(N, COLUMNS, 2), random(N, COLUMNS, 3), random(N, 2, 4)];
    assert_gradients_agree(&sum_of_three(), &inputs);
}

#[test]
fn gram_and_gradients_have_the_same_bits_for_any_number_of_threads() {
    let inputs = [random(N, COLUMNS, 2), random(N, COLUMNS, 3), random(N, 2, 4)];
    let (kernel, weights) = (sum_of_three(), symmetric_weights(N));
    let refs: Vec<MatRef<'_, f64>> = inputs.iter().map(Mat::as_ref).collect();
    assert_eq!(kernel.gram(&refs, Par::Seq).unwrap(), kernel.gram(&refs, Par::rayon(3)).unwrap());
    assert_eq!(
        kernel.cross(&refs, &refs, Par::Seq).unwrap(),
        kernel.cross(&refs, &refs, Par::rayon(3)).unwrap()
    );
    assert_eq!(
        gradient(&kernel, &inputs, &weights, Par::Seq),
        gradient(&kernel, &inputs, &weights, Par::rayon(3))
    );
}

#[test]
fn a_reused_workspace_gives_the_bits_of_a_new_one() {
    let kernel = sum_of_three();
    let (mut workspace, mut gram) = (GramWorkspace::new(), Mat::new());
    for n in [80, 5, N] {
        let inputs = [random(n, COLUMNS, 2), random(n, COLUMNS, 3), random(n, 2, 4)];
        let refs: Vec<MatRef<'_, f64>> = inputs.iter().map(Mat::as_ref).collect();
        kernel.gram_lower(&refs, &mut workspace, &mut gram, Par::Seq).unwrap();
    }
    let inputs = [random(N, COLUMNS, 2), random(N, COLUMNS, 3), random(N, 2, 4)];
    let weights = symmetric_weights(N);
    let mut reused = KernelGradient::default();
    kernel.backward(&mut workspace, weights.as_ref(), true, &mut reused, Par::Seq).unwrap();
    assert_eq!(reused, gradient(&kernel, &inputs, &weights, Par::Seq));
}

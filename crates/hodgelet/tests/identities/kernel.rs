//! Laws of covariance functions, and what happens on hostile inputs.

use faer::{Mat, MatRef, Par, Side};
use hodgelet::kernel::{
    BaseKernel, BlockKernel, Family, GramWorkspace, KernelError, KernelGradient, Lengthscales, SumKernel,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const FAMILIES: [Family; 9] = [
    Family::SquaredExponential,
    Family::Matern12,
    Family::Matern32,
    Family::Matern52,
    Family::Matern { nu: 0.7 },
    Family::Matern { nu: 3.3 },
    Family::RationalQuadratic,
    Family::Linear,
    Family::Polynomial { degree: 2 },
];

fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, cols, |_, _| rng.random_range(-2.0..2.0))
}

fn kernel_of(family: Family, lengthscale: f64) -> SumKernel {
    let base = BaseKernel::new(family, Lengthscales::isotropic(lengthscale)).with_shape(0.9);
    SumKernel::new(vec![BlockKernel::new(1.5, base)]).unwrap()
}

fn gram(kernel: &SumKernel, z: &Mat<f64>) -> Mat<f64> {
    kernel.gram(&[z.as_ref()], Par::Seq).unwrap()
}

fn entries(matrix: &Mat<f64>) -> impl Iterator<Item = f64> + '_ {
    (0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j).iter().copied())
}

#[test]
fn gram_matrices_are_symmetric_and_positive_semidefinite() {
    for (seed, family) in (0..).zip(FAMILIES) {
        let mut z = random(90, 4, seed);
        // Ten rows twice: singular, and easily indefinite by rounding.
        for i in 0..10 {
            (0..4).for_each(|c| z[(80 + i, c)] = z[(i, c)]);
        }
        for lengthscale in [1e-5, 0.5, 30.0] {
            let k = gram(&kernel_of(family, lengthscale), &z);
            assert_eq!(k, k.transpose().to_owned());
            let eigenvalues = k.self_adjoint_eigenvalues(Side::Lower).unwrap();
            let (lowest, highest) = (eigenvalues[0], eigenvalues[89]);
            assert!(
                lowest >= -1e-13 * 90.0 * highest,
                "{family:?}, ℓ = {lengthscale}: {lowest:e} of {highest:e}"
            );
        }
    }
}

#[test]
fn gram_equals_cross_with_itself_and_its_diagonal() {
    for family in FAMILIES {
        let (kernel, z) = (kernel_of(family, 1.2), random(70, 5, 3));
        let k = gram(&kernel, &z);
        let cross = kernel.cross(&[z.as_ref()], &[z.as_ref()], Par::Seq).unwrap();
        let diagonal = kernel.diagonal(&[z.as_ref()]).unwrap();
        for j in 0..70 {
            assert!((k[(j, j)] - diagonal[j]).abs() <= 1e-14 * diagonal[j], "{family:?}");
            for i in 0..70 {
                assert!((k[(i, j)] - cross[(i, j)]).abs() <= 1e-13 * (1.0 + k[(i, j)].abs()), "{family:?}");
            }
        }
    }
}

#[test]
fn cross_follows_the_formula_on_two_points() {
    let (left, right) = (Mat::from_fn(1, 2, |_, c| [1.0, 2.0][c]), Mat::from_fn(1, 2, |_, c| [0.5, -1.0][c]));
    let (d, s) = ((0.25 + 9.0) / 4.0, (0.5 - 2.0) / 4.0);
    let expected = |family| match family {
        Family::SquaredExponential => (-0.5f64 * d).exp(),
        Family::Matern12 => (-f64::sqrt(d)).exp(),
        Family::Matern32 => (1.0 + f64::sqrt(3.0 * d)) * (-f64::sqrt(3.0 * d)).exp(),
        Family::Matern52 => (1.0 + f64::sqrt(5.0 * d) + 5.0 * d / 3.0) * (-f64::sqrt(5.0 * d)).exp(),
        Family::RationalQuadratic => f64::powf(1.0 + d / 1.8, -0.9),
        Family::Linear => s,
        Family::Polynomial { .. } => f64::powi(s + 0.9, 2),
        _ => f64::NAN,
    };
    for family in FAMILIES.into_iter().filter(|f| !matches!(f, Family::Matern { .. })) {
        let k = kernel_of(family, 2.0).cross(&[left.as_ref()], &[right.as_ref()], Par::Seq).unwrap();
        assert!((k[(0, 0)] - 1.5 * expected(family)).abs() < 1e-14, "{family:?}");
    }
}

#[test]
fn equal_rows_have_exactly_equal_covariances() {
    for family in FAMILIES.into_iter().filter(|f| f.is_stationary()) {
        // A lengthscale far below the noise of a product of rows.
        for lengthscale in [1e-9, 1.0] {
            let mut z = random(80, 7, 9);
            for c in 0..7 {
                z[(75, c)] = z[(2, c)];
                z[(40, c)] = z[(2, c)];
            }
            let kernel = kernel_of(family, lengthscale);
            let k = gram(&kernel, &z);
            let cross = kernel.cross(&[z.as_ref()], &[z.as_ref()], Par::Seq).unwrap();
            for j in 0..80 {
                let pairs =
                    [(k[(75, j)], k[(2, j)]), (k[(40, j)], k[(2, j)]), (cross[(75, j)], cross[(2, j)])];
                assert!(
                    pairs.iter().all(|(a, b)| (a - b).abs() <= 1e-14),
                    "{family:?}, column {j}: {pairs:?}"
                );
            }
            for (i, j) in [(75, 2), (40, 2), (75, 40)] {
                assert_eq!(k[(i, j)], 1.5, "{family:?}");
                assert_eq!(cross[(i, j)], 1.5, "{family:?}");
            }
        }
    }
}

#[test]
fn stationary_kernels_do_not_see_translations() {
    let z = random(20, 3, 4);
    let moved = Mat::from_fn(20, 3, |i, c| z[(i, c)] + 1024.0);
    for family in FAMILIES.into_iter().filter(|f| f.is_stationary()) {
        let kernel = kernel_of(family, 1.0);
        let (a, b) = (gram(&kernel, &z), gram(&kernel, &moved));
        for (x, y) in entries(&a).zip(entries(&b)) {
            assert!((x - y).abs() < 1e-12, "{family:?}: {x} {y}");
        }
    }
}

#[test]
fn blocks_add_up_to_the_whole() {
    let base = |family| BaseKernel::new(family, Lengthscales::isotropic(1.0));
    let kernel = SumKernel::new(vec![
        BlockKernel::new(0.5, base(Family::Matern52)),
        BlockKernel::new(2.0, base(Family::Linear)),
    ])
    .unwrap();
    let (a, b) = (random(10, 3, 1), random(10, 2, 2));
    let whole = kernel.gram(&[a.as_ref(), b.as_ref()], Par::Seq).unwrap();
    let parts =
        [(0, &a), (1, &b)].map(|(i, z)| kernel.cross_block(i, z.as_ref(), z.as_ref(), Par::Seq).unwrap());
    for ((x, y), z) in entries(&whole).zip(entries(&parts[0])).zip(entries(&parts[1])) {
        assert!((x - y - z).abs() < 1e-14);
    }
}

fn backward(kernel: &SumKernel, inputs: &[MatRef<'_, f64>]) -> Result<KernelGradient, KernelError> {
    let (mut workspace, mut out, mut gradient) =
        (GramWorkspace::new(), Mat::new(), KernelGradient::default());
    kernel.gram_lower(inputs, &mut workspace, &mut out, Par::Seq)?;
    let n = inputs[0].nrows();
    let ones = Mat::full(n, n, 1.0);
    kernel.backward(&mut workspace, ones.as_ref(), true, &mut gradient, Par::Seq)?;
    Ok(gradient)
}

#[test]
fn extreme_scales_stay_finite() {
    for family in FAMILIES {
        for scale in [1e-150, 1e-8, 1.0, 1e8] {
            for lengthscale in [1e-8, 1.0, 1e8] {
                let mut z = random(12, 3, 5);
                entries(&z.clone()).enumerate().for_each(|(at, v)| z[(at % 12, at / 12)] = v * scale);
                let kernel = kernel_of(family, lengthscale);
                assert!(entries(&gram(&kernel, &z)).all(f64::is_finite), "{family:?}");
                let gradient = backward(&kernel, &[z.as_ref()]).unwrap();
                assert!(gradient.params.iter().all(|g| g.is_finite()));
                assert!(entries(&gradient.inputs[0]).all(f64::is_finite));
            }
        }
    }
}

#[test]
fn empty_blocks_and_empty_sets_of_points_are_fine() {
    for family in FAMILIES {
        let kernel = kernel_of(family, 1.0);
        let no_columns = Mat::<f64>::zeros(4, 0);
        let k = gram(&kernel, &no_columns);
        let expected = kernel.diagonal(&[no_columns.as_ref()]).unwrap()[0];
        assert!(entries(&k).all(|v| v == expected), "{family:?}");
        assert_eq!(backward(&kernel, &[no_columns.as_ref()]).unwrap().inputs[0].ncols(), 0);
        let no_points = Mat::<f64>::zeros(0, 3);
        assert_eq!(gram(&kernel, &no_points).nrows(), 0);
        assert_eq!(backward(&kernel, &[no_points.as_ref()]).unwrap().params.len(), kernel.n_params());
        let some = random(2, 3, 1);
        assert_eq!(kernel.cross(&[no_points.as_ref()], &[some.as_ref()], Par::Seq).unwrap().ncols(), 2);
        assert_eq!(kernel.cross(&[some.as_ref()], &[no_points.as_ref()], Par::Seq).unwrap().nrows(), 2);
    }
}

#[test]
fn settings_without_sense_are_refused() {
    let base = |family, scales| BaseKernel::new(family, scales);
    let isotropic = || Lengthscales::isotropic(1.0);
    let block = |b: BaseKernel| SumKernel::new(vec![BlockKernel::new(1.0, b)]);
    assert_eq!(SumKernel::new(vec![]), Err(KernelError::NoBlocks));
    let rough = block(base(Family::Matern { nu: 0.0 }, isotropic()));
    assert!(matches!(rough, Err(KernelError::Smoothness { .. })));
    let flat = block(base(Family::Polynomial { degree: 0 }, isotropic()));
    assert!(matches!(flat, Err(KernelError::Degree { .. })));
    let missing = block(base(Family::Linear, Lengthscales::grouped(vec![0, 2], vec![1.0, 1.0])));
    assert!(matches!(missing, Err(KernelError::Lengthscales { expected: 3, found: 2, .. })));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
        let found = block(base(Family::Linear, Lengthscales::isotropic(bad)));
        assert!(matches!(found, Err(KernelError::Hyperparameter { .. })), "{bad}");
    }
    let alpha = block(base(Family::RationalQuadratic, isotropic()).with_shape(-1.0)).unwrap_err();
    assert!(alpha.to_string().starts_with("block 0 alpha must be between"), "{alpha}");
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let kernel = kernel_of(Family::SquaredExponential, 1.0);
    let z = random(3, 2, 1);
    let refused = |z: &Mat<f64>| kernel.gram(&[z.as_ref()], Par::Seq).unwrap_err();
    assert_eq!(
        kernel.gram::<MatRef<'_, f64>>(&[], Par::Seq),
        Err(KernelError::Blocks { expected: 1, found: 0 })
    );
    let mut broken = z.clone();
    broken[(2, 1)] = f64::NAN;
    assert!(matches!(refused(&broken), KernelError::NotFinite { block: 0, row: 2, column: 1, .. }));
    broken[(2, 1)] = 1e300;
    assert!(matches!(refused(&broken), KernelError::TooFar { .. }));
    let wide = random(3, 4, 1);
    let pair = kernel.cross(&[z.as_ref()], &[wide.as_ref()], Par::Seq);
    assert_eq!(pair, Err(KernelError::Columns { block: 0, expected: 4, found: 2 }));
    let sum = SumKernel::new([kernel.blocks(), kernel.blocks()].concat()).unwrap();
    let rows = sum.gram(&[z.as_ref(), random(4, 2, 1).as_ref()], Par::Seq);
    assert_eq!(rows, Err(KernelError::Rows { block: 1, expected: 3, found: 4 }));
}

#[test]
fn overflow_is_an_error_and_not_an_infinity() {
    let kernel = kernel_of(Family::Polynomial { degree: 20 }, 1e-50);
    let z = random(3, 2, 1);
    assert_eq!(kernel.gram(&[z.as_ref()], Par::Seq), Err(KernelError::Overflow { what: "gram matrix" }));
    assert!(matches!(kernel.diagonal(&[z.as_ref()]), Err(KernelError::Overflow { .. })));
    assert!(matches!(
        kernel.cross(&[z.as_ref()], &[z.as_ref()], Par::Seq),
        Err(KernelError::Overflow { .. })
    ));
}

#[test]
fn a_backward_pass_needs_its_forward_pass() {
    let mut kernel = kernel_of(Family::SquaredExponential, 1.0);
    let (z, weights) = (random(3, 2, 1), Mat::full(3, 3, 1.0));
    let (mut workspace, mut out, mut gradient) =
        (GramWorkspace::new(), Mat::new(), KernelGradient::default());
    let mut run = |kernel: &SumKernel, workspace: &mut GramWorkspace, weights: MatRef<'_, f64>| {
        kernel.backward(workspace, weights, true, &mut gradient, Par::Seq)
    };
    assert_eq!(run(&kernel, &mut workspace, weights.as_ref()), Err(KernelError::Stale));
    kernel.gram_lower(&[z.as_ref()], &mut workspace, &mut out, Par::Seq).unwrap();
    assert_eq!(run(&kernel, &mut workspace, weights.as_ref()), Ok(()));
    let small = run(&kernel, &mut workspace, weights.as_ref().subcols(0, 2));
    assert_eq!(small, Err(KernelError::Sensitivities { rows: 3, cols: 2, n: 3 }));
    let infinite = Mat::full(3, 3, f64::INFINITY);
    assert!(matches!(run(&kernel, &mut workspace, infinite.as_ref()), Err(KernelError::Overflow { .. })));
    kernel.set_params(&[0.1, 0.2]).unwrap();
    assert_eq!(run(&kernel, &mut workspace, weights.as_ref()), Err(KernelError::Stale));
}

#[test]
fn parameters_are_logarithms_in_the_order_of_their_names() {
    let ard = Lengthscales::ard(vec![2.0, 3.0]);
    let mut kernel = SumKernel::new(vec![
        BlockKernel::new(4.0, BaseKernel::new(Family::RationalQuadratic, ard).with_shape(5.0)),
        BlockKernel::new(6.0, BaseKernel::new(Family::Matern32, Lengthscales::isotropic(7.0))),
    ])
    .unwrap();
    let names = [
        "block 0 variance",
        "block 0 lengthscale 0",
        "block 0 lengthscale 1",
        "block 0 alpha",
        "block 1 variance",
        "block 1 lengthscale 0",
    ];
    assert_eq!(kernel.param_names(), names);
    let logs = [4.0f64, 2.0, 3.0, 5.0, 6.0, 7.0].map(f64::ln);
    assert_eq!(kernel.params(), logs);
    assert_eq!(kernel.set_params(&logs[1..]), Err(KernelError::Params { expected: 6, found: 5 }));
    let before = kernel.clone();
    let too_large = [0.0, 0.0, 0.0, 0.0, 0.0, 1e4];
    assert!(matches!(kernel.set_params(&too_large), Err(KernelError::Hyperparameter { .. })));
    assert_eq!(kernel, before);
    let moved = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    kernel.set_params(&moved).unwrap();
    assert!(kernel.params().iter().zip(moved).all(|(a, b)| (a - b).abs() < 1e-15));
    assert_eq!(kernel.blocks()[1].base.lengthscales.values[0], 0.6f64.exp());
}

#[test]
fn lengthscales_have_floors_and_nothing_else_has() {
    let kernel = kernel_of(Family::RationalQuadratic, 1.0);
    let z = Mat::from_fn(2, 1, |i, _| [-3.0, 3.0][i]);
    let bounds = kernel.lower_bounds(&[z.as_ref()]).unwrap();
    assert_eq!((bounds[0], bounds[2]), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    assert!((bounds[1] - 3e-6f64.ln()).abs() < 1e-12);
}

#[test]
fn kernels_survive_json_and_broken_ones_are_refused() {
    let kernel = kernel_of(Family::Matern { nu: 1.75 }, 0.25);
    let text = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<SumKernel>(&text).unwrap(), kernel);
    let message = |text: &str| serde_json::from_str::<SumKernel>(text).unwrap_err().to_string();
    assert!(message(&text.replace("1.75", "-1.75")).contains("smoothness"));
    let factor = r#"{"family":{"type":"matern","nu":1.75},"lengthscales":{"columns":"shared","values":[0.25]},"shape":0.9}"#;
    assert!(text.contains(&format!(r#""factors":[{factor}]"#)), "{text}");
    assert!(message(&text.replace(factor, "")).contains("a kernel of 0 factors, expected 1"));
    let twice = text.replace(factor, &format!("{factor},{factor}"));
    assert!(message(&twice).contains("a kernel of 2 factors, expected 1"));
}

#[test]
fn lengthscales_fix_the_number_of_columns_where_each_column_has_its_own() {
    assert_eq!(Lengthscales::ard(vec![1.0, 2.0, 3.0]).n_columns(), Some(3));
    assert_eq!(Lengthscales::unscaled().n_columns(), None);
}

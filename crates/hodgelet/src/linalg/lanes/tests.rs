use super::*;

type Matrix = Vec<Vec<f64>>;

fn solve(matrices: &[Matrix]) -> Vec<(Vec<f64>, Vec<f64>)> {
    let n = matrices[0].len();
    let mut solver = LaneSolver::default();
    solver.reset(n, 0);
    for (lane, a) in matrices.iter().enumerate() {
        (0..n).for_each(|i| (0..n).for_each(|j| solver.add(lane, i, j, a[i][j])));
    }
    assert_eq!(solver.solve()[..matrices.len()], vec![true; matrices.len()]);
    (0..matrices.len())
        .map(|lane| {
            let (mut values, mut vectors) = (Vec::new(), Vec::new());
            solver.eigenpairs(lane, &mut values, &mut vectors);
            (values, vectors)
        })
        .collect()
}

/// Largest entry of `A V − V Λ` and of `Vᵀ V − I`.
fn residual(a: &Matrix, (values, vectors): &(Vec<f64>, Vec<f64>)) -> f64 {
    let n = a.len();
    let column = |j: usize| &vectors[j * n..(j + 1) * n];
    let mut worst = 0.0f64;
    for j in 0..n {
        for i in 0..n {
            let av: f64 = (0..n).map(|k| a[i][k] * column(j)[k]).sum();
            let dot: f64 = (0..n).map(|k| column(i)[k] * column(j)[k]).sum();
            worst = worst.max((av - values[j] * column(j)[i]).abs());
            worst = worst.max((dot - if i == j { 1.0 } else { 0.0 }).abs());
        }
    }
    worst
}

fn laplacian(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Matrix {
    let mut a = vec![vec![0.0; n]; n];
    for (i, j) in edges {
        a[i][i] += 1.0;
        a[j][j] += 1.0;
        a[i][j] -= 1.0;
        a[j][i] -= 1.0;
    }
    a
}

/// Path, star, clique, two cliques and isolated vertices: spectra from simple to all but one equal.
fn degenerate(n: usize) -> Vec<Matrix> {
    let half = n / 2;
    let clique = |from: usize, to: usize| (from..to).flat_map(move |i| (i + 1..to).map(move |j| (i, j)));
    vec![
        laplacian(n, (1..n).map(|i| (i - 1, i))),
        laplacian(n, (1..n).map(|i| (0, i))),
        laplacian(n, clique(0, n)),
        laplacian(n, clique(0, half / 2).chain(clique(half / 2, half))),
    ]
}

#[test]
fn degenerate_spectra_of_every_size_are_solved() {
    for n in 1..=100 {
        let matrices = degenerate(n);
        for (a, pairs) in matrices.iter().zip(solve(&matrices)) {
            let bound = 1e-14 * (n as f64) * (n as f64).max(2.0);
            assert!(residual(a, &pairs) < bound, "n = {n}: {} > {bound}", residual(a, &pairs));
        }
    }
}

#[test]
fn cubes_and_zero_matrices_are_solved() {
    let cube = |dim: u32| {
        let n = 1usize << dim;
        laplacian(n, (0..n).flat_map(|i| (0..dim).map(move |b| (i, i ^ (1 << b)))).filter(|(i, j)| i < j))
    };
    for dim in 0..=6 {
        let n = 1 << dim;
        let zero = vec![vec![0.0; n]; n];
        let identity: Matrix = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
        let matrices = vec![cube(dim), zero, identity, cube(dim)];
        let solved = solve(&matrices);
        for (a, pairs) in matrices.iter().zip(&solved) {
            assert!(residual(a, pairs) < 1e-13 * n as f64);
        }
        assert_eq!(solved[0], solved[3]);
    }
}

#[test]
fn coefficients_without_vectors_give_the_energies_of_the_eigenspaces() {
    for n in [1, 2, 9, 33, 100] {
        let matrices = degenerate(n);
        let column = |lane: usize, i: usize, j: usize| ((lane + 2 * i + 5 * j) as f64).sin();
        let mut solver = LaneSolver::default();
        solver.reset(n, 3);
        for (lane, a) in matrices.iter().enumerate() {
            (0..n).for_each(|i| (0..n).for_each(|j| solver.add(lane, i, j, a[i][j])));
            (0..n).for_each(|i| (0..3).for_each(|j| solver.set_column(lane, i, j, column(lane, i, j))));
        }
        assert_eq!(solver.solve_columns(), [true; LANES]);
        for (lane, (values, vectors)) in solve(&matrices).iter().enumerate() {
            let (found, coefficients) = solver.coefficients(lane, 3);
            for (a, b) in found.iter().zip(values) {
                assert!((a - b).abs() < 1e-12 * n as f64);
            }
            for (j, c) in coefficients.iter().enumerate() {
                // A smooth function of the eigenvalue: single atoms of an eigenspace may differ.
                let sum = |energy: &dyn Fn(usize) -> f64| -> f64 {
                    (0..n).map(|k| energy(k) / (1.0 + values[k])).sum()
                };
                let expected = sum(&|k| {
                    let v = &vectors[k * n..(k + 1) * n];
                    (0..n).map(|i| v[i] * column(lane, i, j)).sum::<f64>().powi(2)
                });
                assert!((sum(&|k| c[k] * c[k]) - expected).abs() < 1e-12 * (1.0 + expected));
            }
        }
    }
}

#[test]
fn a_lane_does_not_depend_on_its_neighbors() {
    for n in [3, 17, 64] {
        let all = degenerate(n);
        let together = solve(&all);
        for (a, pairs) in all.iter().zip(&together) {
            assert_eq!(&solve(std::slice::from_ref(a))[0], pairs);
        }
    }
}

#[test]
fn scales_far_from_one_are_kept() {
    for scale in [1e-200, 1e200] {
        let a: Matrix = laplacian(9, (1..9).map(|i| (i - 1, i)))
            .iter()
            .map(|row| row.iter().map(|x| x * scale).collect())
            .collect();
        let (values, _) = &solve(&[a])[0];
        let expected = 2.0 - 2.0 * (std::f64::consts::PI * 8.0 / 9.0).cos();
        assert!((values[8] / scale - expected).abs() < 1e-13);
    }
}

#[test]
fn a_matrix_with_nan_fails_alone() {
    let mut solver = LaneSolver::default();
    solver.reset(3, 0);
    for i in 0..3 {
        solver.add(0, i, i, f64::NAN);
        solver.add(1, i, i, 1.0 + i as f64);
    }
    assert_eq!(solver.solve(), [false, true, true, true]);
}

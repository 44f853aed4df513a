use super::*;
use crate::gp::{Inference, VariationalParams, Workspace, exact};
use crate::likelihood::{LikelihoodParams, Link};

fn x(i: usize) -> f64 {
    (1.7 * i as f64).sin() * 2.0 + 0.1 * i as f64
}

fn kernel(a: f64, b: f64) -> f64 {
    1.5 * (-0.5 * (a - b).powi(2)).exp() + if a == b { 0.05 } else { 0.0 }
}

fn gram(points: &[f64]) -> Mat<f64> {
    Mat::from_fn(points.len(), points.len(), |i, j| kernel(points[i], points[j]))
}

fn every_kind(n: usize) -> Vec<(&'static str, Likelihood, Observations)> {
    let points: Vec<usize> = (0..n).chain([0, 0, 2]).collect();
    let values: Vec<f64> = (0..n + 3).map(|i| (0.9 * i as f64).sin()).collect();
    let labels = |c: usize| (0..n + 3).map(|i| ((i * i + i / 3) % c) as u32).collect::<Vec<_>>();
    let classes = |c: usize| Observations::grouped_classes(c, &labels(c), &points, n).unwrap();
    let reals = || Observations::grouped_reals(&values, &points, n).unwrap();
    let floored = LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 };
    vec![
        ("gaussian", Likelihood::gaussian(0.2).unwrap(), reals()),
        ("student-t", Likelihood::student_t(0.3, 4.0).unwrap(), reals()),
        ("probit", LikelihoodParams::PROBIT.check(2).unwrap(), classes(2)),
        ("floored probit", floored.check(2).unwrap(), classes(2)),
        ("logit", LikelihoodParams::LOGIT.check(2).unwrap(), classes(2)),
        ("softmax of 3", LikelihoodParams::SOFTMAX.check(3).unwrap(), classes(3)),
        ("labels of 3", LikelihoodParams::LabelRegression.check(3).unwrap(), classes(3)),
    ]
}

fn full(k: &Mat<f64>, likelihood: &Likelihood, observations: &Observations) -> Posterior {
    let workspace = &mut Workspace::default();
    match likelihood {
        Likelihood::Gaussian(_) | Likelihood::LabelRegression(_) => {
            exact::fit(k.as_ref(), likelihood, observations, workspace).unwrap()
        }
        _ => {
            let variational = VariationalParams::default().check().unwrap();
            variational.fit(k.as_ref(), likelihood, observations, None, workspace).unwrap()
        }
    }
}

fn sparse() -> Sparse {
    SparseParams { tolerance: 1e-15, max_passes: 400 }.check().unwrap()
}

#[test]
fn with_every_point_inducing_it_is_the_full_posterior() {
    let points: Vec<f64> = (0..14).map(x).collect();
    let k = gram(&points);
    let new: Vec<f64> = (0..5).map(|i| 0.7 * i as f64 - 1.0).collect();
    let cross = Mat::from_fn(5, 14, |i, j| kernel(new[i], points[j]));
    let diagonal: Vec<f64> = new.iter().map(|&x| kernel(x, x)).collect();
    for (name, likelihood, observations) in every_kind(14) {
        let expected = full(&k, &likelihood, &observations);
        let found = sparse().fit_full(k.as_ref(), &likelihood, &observations, Par::Seq).unwrap();
        let error = (found.objective() - expected.objective()).abs() / (1.0 + expected.objective().abs());
        assert!(error < 1e-7, "{name}: {} but {}", found.objective(), expected.objective());
        for (found, expected) in [
            (found.latents(), expected.latents()),
            (
                &found.predict(cross.as_ref(), &diagonal).unwrap(),
                &expected.predict(cross.as_ref(), &diagonal).unwrap(),
            ),
        ] {
            let difference = (&found.mean - &expected.mean).norm_max();
            assert!(difference < 1e-6, "{name}: means differ by {difference:e}");
            let difference = (&found.variance - &expected.variance).norm_max();
            assert!(difference < 1e-6, "{name}: variances differ by {difference:e}");
        }
    }
}

/// Points with the same features may be one point with several observations, or several points.
#[test]
fn duplicates_change_nothing() {
    let (n, m) = (12, 6);
    let points: Vec<f64> = (0..n).map(x).collect();
    let inducing: Vec<f64> = points[..m].to_vec();
    let prior = InducingPrior::new(gram(&inducing).as_ref(), Par::Seq).unwrap();
    for (name, likelihood, observations) in every_kind(n) {
        let fit = |points: &[f64], observations: &Observations| {
            let leaf = leaf(&prior, &inducing, points, observations.clone());
            let start = Natural::zeros(m, likelihood.n_latents(), likelihood.n_factors());
            sparse().iterate(start, None, &likelihood, Par::Seq, |q| leaf.pass(q, &likelihood)).unwrap()
        };
        let together = fit(&points, &observations);
        let apart: Vec<f64> = observations.points().iter().map(|&i| points[i]).collect();
        let alone: Vec<usize> = (0..apart.len()).collect();
        let separate = match &observations {
            Observations::Classes(labels) => {
                Observations::grouped_classes(labels.n_classes(), labels.labels(), &alone, alone.len())
            }
            Observations::Reals(reals) => Observations::grouped_reals(reals.values(), &alone, alone.len()),
        };
        let separate = fit(&apart, &separate.unwrap());
        let error = (together.elbo - separate.elbo).abs();
        assert!(error < 1e-8 * (1.0 + together.elbo.abs()), "{name}: {} {}", together.elbo, separate.elbo);
    }
}

fn leaf(prior: &InducingPrior, inducing: &[f64], points: &[f64], observations: Observations) -> Leaf {
    let cross = Mat::from_fn(points.len(), inducing.len(), |i, j| kernel(points[i], inducing[j]));
    let diagonal: Vec<f64> = points.iter().map(|&x| kernel(x, x)).collect();
    Leaf::new(prior.project(cross.as_ref()), &diagonal, observations).unwrap()
}

/// The derivative in all kernel evaluations against differences of the optimized ELBO.
#[test]
fn gradients_equal_differences_of_the_optimized_bound() {
    let (n, m) = (13, 5);
    let points: Vec<f64> = (0..n).map(x).collect();
    let at = |i: usize| points[2 * i] + 0.1; // between the points, where some variance is left
    let base = (
        Mat::from_fn(m, m, |i, j| kernel(at(i), at(j))),
        Mat::from_fn(n, m, |i, j| kernel(points[i], at(j))),
        points.iter().map(|&x| kernel(x, x)).collect::<Vec<f64>>(),
    );
    let direction = (
        Mat::from_fn(m, m, |i, j| ((i + j) as f64).sin() + 0.3 * ((i * j) as f64).cos()),
        Mat::from_fn(n, m, |i, j| ((i * 3 + j) as f64).sin()),
        (0..n).map(|i| 0.5 + (i as f64).cos().abs()).collect::<Vec<f64>>(),
    );
    for (name, likelihood, observations) in every_kind(n) {
        let evaluate = |by: f64, start: Option<&Natural>| {
            let gram = &base.0 + &direction.0 * faer::Scale(by);
            let cross = &base.1 + &direction.1 * faer::Scale(by);
            let diagonal: Vec<f64> = base.2.iter().zip(&direction.2).map(|(k, d)| k + by * d).collect();
            let prior = InducingPrior::new(gram.as_ref(), Par::Seq).unwrap();
            let leaf = Leaf::new(prior.project(cross.as_ref()), &diagonal, observations.clone()).unwrap();
            let zeros = Natural::zeros(m, likelihood.n_latents(), likelihood.n_factors());
            let start = start.cloned().unwrap_or(zeros);
            let fit =
                sparse().iterate(start, None, &likelihood, Par::Seq, |q| leaf.pass(q, &likelihood)).unwrap();
            (prior, leaf, fit)
        };
        let (prior, leaf, fit) = evaluate(0.0, None);
        let gradient = leaf.gradient(&fit.moments, &likelihood).unwrap();
        let inverse = prior.inverse(Par::Seq);
        let cross = prior.cross_gradient(inverse.as_ref(), gradient.projected.as_ref());
        let mut products = Mat::zeros(m, m);
        leaf.add_projected_product(gradient.projected.as_ref(), &mut products);
        let gram = prior.gram_gradient(inverse.as_ref(), products.as_ref(), Par::Seq);
        let mut slope = 0.0;
        (0..m).for_each(|j| (0..m).for_each(|i| slope += gram[(i, j)] * direction.0[(i, j)]));
        (0..m).for_each(|j| (0..n).for_each(|i| slope += cross[(i, j)] * direction.1[(i, j)]));
        slope += gradient.diagonal.iter().zip(&direction.2).map(|(g, d)| g * d).sum::<f64>();
        let h = 1e-5;
        let value = |by: f64| evaluate(by, Some(&fit.natural)).2.elbo;
        let expected = (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h);
        let error = (slope - expected).abs() / (1.0 + expected.abs());
        assert!(error < 2e-6, "{name}: {slope} but {expected}");
    }
}

/// What a point says is taken out exactly where the posterior is exact.
#[test]
fn points_left_out_are_those_of_a_fit_without_them() {
    let (n, m) = (11, 4);
    let points: Vec<f64> = (0..n).map(x).collect();
    let inducing: Vec<f64> = points[..m].to_vec();
    let prior = InducingPrior::new(gram(&inducing).as_ref(), Par::Seq).unwrap();
    let likelihood = Likelihood::gaussian(0.3).unwrap();
    let values: Vec<f64> = (0..n).map(|i| (0.9 * i as f64).cos()).collect();
    let fit = |keep: &[usize]| {
        let (points, values): (Vec<f64>, Vec<f64>) = keep.iter().map(|&i| (points[i], values[i])).unzip();
        let leaf = leaf(&prior, &inducing, &points, Observations::reals(&values).unwrap());
        let start = Natural::zeros(m, 1, 1);
        let fit =
            sparse().iterate(start, None, &likelihood, Par::Seq, |q| leaf.pass(q, &likelihood)).unwrap();
        (leaf, fit)
    };
    let all: Vec<usize> = (0..n).collect();
    let (whole, fitted) = fit(&all);
    let left_out = whole.left_out(&fitted.moments, &likelihood).unwrap();
    for i in 0..n {
        let others: Vec<usize> = all.iter().copied().filter(|&j| j != i).collect();
        let (_, without) = fit(&others);
        let expected = whole.latents(&without.moments);
        assert!((left_out.mean[(i, 0)] - expected.mean[(i, 0)]).abs() < 1e-9);
        assert!((left_out.variance[(i, 0)] - expected.variance[(i, 0)]).abs() < 1e-9);
    }
}

#[test]
fn any_shards_and_threads_give_the_same_bits() {
    let inducing: Vec<f64> = (0..7).map(x).collect();
    let prior = InducingPrior::new(gram(&inducing).as_ref(), Par::Seq).unwrap();
    let likelihood = LikelihoodParams::PROBIT.check(2).unwrap();
    let leaves: Vec<Leaf> = (0..37)
        .map(|k| {
            let points: Vec<f64> = (0..9).map(|i| x(9 * k + i)).collect();
            let labels: Vec<u32> = points.iter().map(|x| u32::from(x.sin() > 0.2)).collect();
            leaf(&prior, &inducing, &points, Observations::classes(2, &labels).unwrap())
        })
        .collect();
    let fit = |shards: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let pass = |moments: &Moments| {
            let mut whole = TreeSum::default();
            for s in 0..shards {
                let own = s * leaves.len() / shards..(s + 1) * leaves.len() / shards;
                whole.append(sum_leaves(own, |k| leaves[k].pass(moments, &likelihood))?);
            }
            Ok::<_, GpError>(whole.total().unwrap())
        };
        pool.install(|| sparse().iterate(Natural::zeros(7, 1, 1), None, &likelihood, Par::Seq, pass).unwrap())
    };
    let expected = fit(1, 1);
    let shards = [1, 3, 17, 37].into_iter().flat_map(|shards| (1..=8).map(move |threads| (shards, threads)));
    for (shards, threads) in shards {
        let found = fit(shards, threads);
        assert_eq!(found.elbo.to_bits(), expected.elbo.to_bits(), "{shards} shards, {threads} threads");
        assert_eq!(found.natural, expected.natural);
    }
}

#[test]
fn points_are_chosen_where_the_others_say_least() {
    let points: Vec<f64> = (0..60).map(|i| if i < 40 { 0.001 * i as f64 } else { 3.0 * i as f64 }).collect();
    let k = gram(&points);
    let diagonal: Vec<f64> = (0..60).map(|i| k[(i, i)]).collect();
    let column = |i: usize| Ok::<_, GpError>(k.col_as_slice(i).to_vec());
    let chosen = choose(&diagonal, 15, 0.0, column).unwrap();
    assert_eq!(chosen.points.iter().filter(|&&i| i < 40).count(), 1, "the cluster has one: {chosen:?}");
    let few = choose(&diagonal, 60, 0.5, column).unwrap();
    assert!(few.points.len() < 40 && few.residual <= 0.5, "{few:?}");
    // What is left is the conditional variance.
    let picked: Vec<f64> = chosen.points.iter().map(|&i| points[i]).collect();
    let prior = InducingPrior::new(gram(&picked).as_ref(), Par::Seq).unwrap();
    let cross = Mat::from_fn(60, 15, |i, j| k[(i, chosen.points[j])]);
    let left = InducingPrior::residual_share(&prior.project(cross.as_ref()), &diagonal);
    assert!((left - chosen.residual).abs() < 1e-8, "{left} {}", chosen.residual);
    // Copies of one point have nothing to add.
    let ones = Mat::<f64>::full(5, 5, 1.0);
    let same = choose(&[1.0; 5], 5, 0.0, |i| Ok::<_, GpError>(ones.col_as_slice(i).to_vec())).unwrap();
    assert_eq!((same.points, same.residual), (vec![0], 0.0));
}

#[test]
fn sparse_inference_is_restored_from_its_tensors() {
    let points: Vec<f64> = (0..9).map(x).collect();
    let k = gram(&points);
    let inference = Inference::Sparse(sparse());
    for (name, likelihood, observations) in every_kind(9) {
        let workspace = &mut Workspace::default();
        let fitted = inference.fit(k.as_ref(), &likelihood, &observations, None, workspace).unwrap();
        let shapes = inference.stored(9, &likelihood);
        for ((_, shape), values) in shapes.iter().zip(fitted.tensors()) {
            assert_eq!(shape.iter().product::<usize>(), values.len(), "{name}");
        }
        let restored = inference.restore(fitted.tensors(), k.as_ref(), &likelihood, &observations, workspace);
        let restored = restored.unwrap();
        let cross = Mat::from_fn(2, 9, |i, j| kernel(0.4 * i as f64, points[j]));
        assert_eq!(
            restored.predict(cross.as_ref(), &[1.6; 2]).unwrap(),
            fitted.predict(cross.as_ref(), &[1.6; 2]).unwrap(),
            "{name}"
        );
    }
}

/// What data add is carried exactly where `K_mm⁻¹ k_i` does not change: under the same kernel, and under one of another
/// variance. There the bound begins near its optimum, where that of the same sums does not.
#[test]
fn sums_are_carried_from_kernel_to_kernel() {
    let points: Vec<f64> = (0..60).map(x).collect();
    let kernel = |a: f64, b: f64, lengthscale: f64, variance: f64| {
        variance * (-0.5 * ((a - b) / lengthscale).powi(2)).exp() + if a == b { 0.05 * variance } else { 0.0 }
    };
    let likelihood = LikelihoodParams::PROBIT.check(2).unwrap();
    let labels: Vec<u32> = points.iter().map(|x| u32::from((2.0 * x).sin() > 0.1)).collect();
    let at = |lengthscale: f64, variance: f64| {
        let of = |n: usize, m: usize| {
            Mat::from_fn(n, m, |i, j| kernel(points[i], points[j], lengthscale, variance))
        };
        let prior = InducingPrior::new(of(8, 8).as_ref(), Par::Seq).unwrap();
        let diagonal = vec![1.05 * variance; 60];
        let observations = Observations::classes(2, &labels).unwrap();
        let leaf = Leaf::new(prior.project(of(60, 8).as_ref()), &diagonal, observations).unwrap();
        (prior, leaf)
    };
    let fit = |leaf: &Leaf, start: Natural| {
        sparse().iterate(start, None, &likelihood, Par::Seq, |m| leaf.pass(m, &likelihood)).unwrap()
    };
    let (prior, leaf) = at(1.0, 1.5);
    let found = fit(&leaf, Natural::zeros(8, 1, 1));
    let difference = |a: &Natural, b: &Natural| {
        let squares = |a: MatRef<'_, f64>, b: MatRef<'_, f64>| {
            let lower = |i: usize, j: usize| if i >= j { (a[(i, j)] - b[(i, j)]).powi(2) } else { 0.0 };
            (0..8).flat_map(|i| (0..8).map(move |j| (i, j))).map(|(i, j)| lower(i, j)).sum::<f64>()
        };
        squares(a.precision(0), b.precision(0)).sqrt() + (a.shift() - b.shift()).norm_l2()
    };
    let same = found.natural.carried(&prior, &prior, 1.0, Par::Seq);
    assert!(difference(&same, &found.natural) < 1e-9);
    let (scaled, _) = at(1.0, 6.0);
    let carried = found.natural.carried(&prior, &scaled, 3.0, Par::Seq);
    let expected = Natural::new(
        8,
        1,
        found.natural.tensors()[0].iter().map(|a| 12.0 * a).collect(),
        found.natural.tensors()[1].iter().map(|b| 6.0 * b).collect(),
    );
    assert!(difference(&carried, &expected.unwrap()) < 1e-8);

    let (next, there) = at(1.0, 2.5);
    let best = fit(&there, Natural::zeros(8, 1, 1)).elbo;
    let bound = |natural: &Natural| {
        let moments = natural.moments(Par::Seq).unwrap();
        there.pass(&moments, &likelihood).unwrap().value - moments.divergence()
    };
    let carried = best - bound(&found.natural.carried(&prior, &next, 1.0, Par::Seq));
    let as_it_was = best - bound(&found.natural);
    assert!(carried < 0.2 * as_it_was && carried > -1e-9, "{carried} and {as_it_was}");
}

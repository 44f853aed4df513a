use super::*;
use crate::hodge::{HodgeComponent, Operators, spectrum};
use std::collections::HashMap;

const BOTH: [DualArea; 2] = [DualArea::Barycentric, DualArea::Circumcentric];

/// The sphere: an icosahedron, each triangle cut in four `rounds` times, vertices pushed out to radius 1.
fn sphere(rounds: usize) -> (Complex, Vec<[f64; 3]>) {
    let g = (1.0 + 5.0f64.sqrt()) / 2.0;
    let mut points: Vec<[f64; 3]> = Vec::new();
    for (s, t) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        points.extend([[0.0, s, t], [s, t, 0.0], [t, 0.0, s]]);
    }
    let near = |p: &[f64; 3], q: &[f64; 3]| (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>() < 4.1;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|v| &points[v]);
                if near(p, q) && near(q, r) && near(p, r) {
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    for _ in 0..rounds {
        let mut middle: HashMap<[u32; 2], u32> = HashMap::new();
        let mut finer = Vec::new();
        for &[a, b, c] in &triangles {
            let [x, y, z] = [[a, b], [b, c], [a, c]].map(|mut side| {
                side.sort_unstable();
                *middle.entry(side).or_insert_with(|| {
                    let [p, q] = side.map(|v| points[v as usize]);
                    points.push([0, 1, 2].map(|i| p[i] + q[i]));
                    points.len() as u32 - 1
                })
            });
            finer.extend([[a, x, z], [x, b, y], [z, y, c], [x, y, z]]);
        }
        triangles = finer;
    }
    for p in &mut points {
        let norm = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        p.iter_mut().for_each(|x| *x /= norm);
    }
    (surface(points.len(), &triangles), points)
}

fn surface(n: usize, triangles: &[[u32; 3]]) -> Complex {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]].map(|[u, v]| [u.min(v), u.max(v)]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    Complex::graph(n, &edges).unwrap().with_triangles(triangles).unwrap()
}

/// The Laplacian of the unit sphere has the eigenvalues l(l + 1), 2l + 1 times each; on edges, gradients and curls
/// both have those of l ≥ 1.
#[test]
fn spectra_of_the_sphere_converge_to_those_of_the_laplacian() {
    let mut errors = Vec::new();
    for rounds in [1, 2] {
        let (complex, positions) = sphere(rounds);
        let mut worst = 0.0f64;
        for dual in BOTH {
            let weights = metric_weights(&complex, &positions, dual).unwrap();
            let operators = Operators::weighted(&complex, &weights).unwrap();
            for (k, component) in
                [(0, HodgeComponent::Coexact), (1, HodgeComponent::Exact), (1, HodgeComponent::Coexact)]
            {
                let found = spectrum(&operators, k, component).unwrap();
                let expected = [2.0, 2.0, 2.0, 6.0, 6.0, 6.0, 6.0, 6.0];
                for (found, expected) in found.eigenvalues().iter().zip(expected) {
                    worst = worst.max((found / expected - 1.0).abs());
                }
            }
        }
        errors.push(worst);
    }
    // Second order: half the mesh width, about a quarter of the error.
    assert!(errors[1] < 0.05 && errors[1] < 0.4 * errors[0], "{errors:?}");
}

#[test]
fn medians_and_cotangents_agree_on_equilateral_triangles() {
    let (complex, positions) = sphere(0); // an icosahedron
    let cotangents = metric_weights(&complex, &positions, DualArea::Barycentric).unwrap();
    let medians = metric_weights(&complex, &positions, DualArea::Median).unwrap();
    for k in 0..3 {
        for (a, b) in cotangents.of_dim(k).unwrap().iter().zip(medians.of_dim(k).unwrap()) {
            assert!((a / b - 1.0).abs() < 1e-14, "dimension {k}: {a} and {b}");
        }
    }
}

#[test]
fn medians_keep_slivers_from_outweighing_the_rest() {
    // The flatter the triangle, the larger the cotangents of its short sides.
    for height in [1e-1, 1e-3, 1e-5] {
        let positions = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, height, 0.0]];
        let complex = surface(3, &[[0, 1, 2]]);
        let weights = |dual| metric_weights(&complex, &positions, dual).unwrap();
        let largest = |w: &CellWeights| w.of_dim(1).unwrap().iter().copied().fold(0.0, f64::max);
        assert!(largest(&weights(DualArea::Barycentric)) > 0.4 / height);
        assert!(largest(&weights(DualArea::Median)) < 1.0);
    }
}

/// The lengths of medians depend on the triangles' shapes, so that eigenvalues need not converge; on a mesh that is
/// nearly regular they come near.
#[test]
fn medians_give_nearly_the_spectrum_of_the_sphere() {
    let (complex, positions) = sphere(2);
    let weights = metric_weights(&complex, &positions, DualArea::Median).unwrap();
    let operators = Operators::weighted(&complex, &weights).unwrap();
    for (k, component) in
        [(0, HodgeComponent::Coexact), (1, HodgeComponent::Exact), (1, HodgeComponent::Coexact)]
    {
        let found = spectrum(&operators, k, component).unwrap();
        for (found, expected) in found.eigenvalues().iter().zip([2.0, 2.0, 2.0, 6.0, 6.0, 6.0, 6.0, 6.0]) {
            assert!(
                (found / expected - 1.0).abs() < 0.05,
                "{component:?} of {k}: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn dual_areas_add_up_to_the_surface_and_every_weight_is_positive() {
    // A flat fan with very obtuse triangles and a border.
    let positions = [[0.0, 0.0, 0.0], [4.0, 0.1, 0.0], [8.0, 0.0, 0.0], [4.0, -5.0, 1.0], [4.0, 0.3, 0.0]];
    let complex = surface(5, &[[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 4]]);
    assert_eq!(
        metric_weights(&complex, &positions, DualArea::Barycentric).map(|w| w.of_dim(1).map(<[f64]>::len)),
        Ok(Some(8))
    );
    for dual in BOTH {
        let weights = metric_weights(&complex, &positions, dual).unwrap();
        let total: f64 = weights.of_dim(2).unwrap().iter().map(|w| 1.0 / w).sum();
        assert!((weights.of_dim(0).unwrap().iter().sum::<f64>() - total).abs() < 1e-12 * total);
        assert!((0..3).all(|k| weights.of_dim(k).unwrap().iter().all(|w| *w > 0.0)));
        let floor = weights.of_dim(1).unwrap().iter().filter(|w| **w == MIN_EDGE_WEIGHT).count();
        assert!(floor >= 1, "the obtuse angles face an edge");
    }
}

#[test]
fn in_units_of_the_mean_dual_area_size_does_not_matter() {
    let (complex, positions) = sphere(1);
    let large: Vec<[f64; 3]> = positions.iter().map(|p| p.map(|x| 1e3 * x)).collect();
    let [a, b] =
        [&positions, &large].map(|p| unit_metric_weights(&complex, p, DualArea::Circumcentric).unwrap());
    let plain = metric_weights(&complex, &positions, DualArea::Circumcentric).unwrap();
    let scale = a.of_dim(0).unwrap()[0] / plain.of_dim(0).unwrap()[0];
    for k in 0..3 {
        for (cell, (x, y)) in a.of_dim(k).unwrap().iter().zip(b.of_dim(k).unwrap()).enumerate() {
            assert!((x / y - 1.0).abs() < 1e-9);
            let expected = plain.of_dim(k).unwrap()[cell] * [scale, 1.0, 1.0 / scale][k];
            assert!((x / expected - 1.0).abs() < 1e-12);
        }
    }
    assert!((a.of_dim(0).unwrap().iter().sum::<f64>() / complex.n_cells(0) as f64 - 1.0).abs() < 1e-12);
}

#[test]
fn right_angles_have_the_cotangents_one_would_write_down() {
    let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let square = surface(4, &[[0, 1, 2], [0, 2, 3]]);
    let weights = metric_weights(&square, &positions, DualArea::Circumcentric).unwrap();
    for (edge, weight) in square.edges().zip(weights.of_dim(1).unwrap()) {
        // sides face 45°; the diagonal faces two right angles
        let expected = if edge == [0, 2] { MIN_EDGE_WEIGHT } else { 0.5 };
        assert!((weight - expected).abs() < 1e-15, "{edge:?}");
    }
    assert!(weights.of_dim(0).unwrap().iter().all(|area| (area - 0.25).abs() < 1e-15));
}

#[test]
fn what_is_no_surface_is_named() {
    let flat = |n: usize| -> Vec<[f64; 3]> {
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 3.0]][..n]
            .iter()
            .map(|p| [p[0], p[1], 0.0])
            .collect()
    };
    let message = |complex: &Complex, positions: &[[f64; 3]]| {
        metric_weights(complex, positions, DualArea::Barycentric).unwrap_err().to_string()
    };
    let triangle = surface(3, &[[0, 1, 2]]);
    assert_eq!(message(&triangle, &flat(2)), "2 positions, but the complex has 3 vertices");
    assert_eq!(
        message(&triangle, &[[0.0; 3], [f64::NAN, 0.0, 0.0], [1.0; 3]]),
        "the position of vertex 1 is not finite"
    );
    let degenerate = "triangle 0 is degenerate: its corners lie on a line, or are too far apart";
    assert_eq!(message(&triangle, &[[0.0; 3], [1.0; 3], [2.0; 3]]), degenerate);
    assert_eq!(message(&triangle, &[[0.0; 3], [0.0; 3], [0.0; 3]]), degenerate);
    assert_eq!(message(&triangle, &[[0.0; 3], [1e300, 0.0, 0.0], [0.0, 1e300, 0.0]]), degenerate);
    let book = surface(5, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]);
    assert_eq!(
        message(&book, &flat(5)),
        "edge 0 between vertices 0 and 1 is not manifold: 3 triangles, expected 1 or 2"
    );
    let graph = Complex::graph(3, &[[0, 1]]).unwrap();
    assert_eq!(message(&graph, &flat(3)), "the complex has dimension 1, expected a surface of dimension 2");
    let tail = Complex::graph(4, &[[0, 1], [1, 2], [0, 2], [2, 3]]).unwrap();
    let tail = tail.with_triangles(&[[0, 1, 2]]).unwrap();
    assert_eq!(message(&tail, &flat(4)), "edge 3 between vertices 2 and 3 is a side of no triangle");
    let isolated =
        Complex::graph(4, &[[0, 1], [1, 2], [0, 2]]).unwrap().with_triangles(&[[0, 1, 2]]).unwrap();
    assert_eq!(message(&isolated, &flat(4)), "vertex 3 is a corner of no triangle");
    let tiny = [[0.0; 3], [1e-160, 0.0, 0.0], [0.0, 1e-160, 0.0]];
    assert!(metric_weights(&triangle, &tiny, DualArea::Barycentric).is_err());
}

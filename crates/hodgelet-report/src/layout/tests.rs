use super::*;
use hodgelet_data::generate::builtin;

fn graph(n: usize, edges: &[[u32; 2]]) -> Complex {
    Complex::graph(n, edges).unwrap()
}

fn ring(n: u32) -> Vec<[u32; 2]> {
    (0..n).map(|v| [v.min((v + 1) % n), v.max((v + 1) % n)]).collect()
}

fn lengths(complex: &Complex, points: &[Point]) -> Vec<f64> {
    complex.edges().map(|[a, b]| distance(points[a as usize], points[b as usize])).collect()
}

fn closest(points: &[Point]) -> f64 {
    let pairs = (0..points.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| distance(points[i], points[j])).fold(f64::INFINITY, f64::min)
}

/// Benzene with one substituent: the ring is a regular hexagon that stands on a corner, as chemists draw it.
#[test]
fn rings_are_regular_polygons_in_the_usual_orientation() {
    let mut edges = ring(6);
    edges.push([0, 6]);
    let complex = graph(7, &edges);
    let points = places(&complex);
    for length in lengths(&complex, &points) {
        assert!((length - 1.0).abs() < 0.05, "{length}");
    }
    for k in 0..3 {
        assert!((distance(points[k], points[k + 3]) - 2.0).abs() < 0.05, "opposite corners");
    }
    for [a, b] in ring(6) {
        let (p, q) = (points[a as usize], points[b as usize]);
        let angle = (q[1] - p[1]).atan2(q[0] - p[0]).to_degrees();
        let off = (angle - 30.0).rem_euclid(60.0);
        assert!(off.min(60.0 - off) < 3.0, "a side at {angle}°");
    }
}

#[test]
fn squares_stand_on_a_side() {
    let points = places(&graph(4, &ring(4)));
    for [a, b] in ring(4) {
        let (p, q) = (points[a as usize], points[b as usize]);
        assert!((p[0] - q[0]).abs().min((p[1] - q[1]).abs()) < 0.05, "{points:?}");
    }
}

#[test]
fn fused_rings_share_a_side_and_do_not_overlap() {
    let mut edges = ring(6);
    edges.extend([[0, 6], [6, 7], [7, 8], [8, 9], [1, 9]]);
    let complex = graph(10, &edges);
    let points = places(&complex);
    assert!(lengths(&complex, &points).iter().all(|length| (length - 1.0).abs() < 0.12));
    assert!(closest(&points) > 0.9, "{}", closest(&points));
}

/// Two substituents beside each other on a ring that hangs on a chain: none of them ends inside the ring.
#[test]
fn substituents_lie_outside_of_their_ring() {
    let mut edges = ring(6);
    edges.extend([[0, 6], [1, 7], [2, 8], [8, 9], [9, 10], [10, 11]]);
    let points = places(&graph(12, &edges));
    let center = [0, 1].map(|k| points[..6].iter().map(|p| p[k]).sum::<f64>() / 6.0);
    for leaf in [6, 7, 8] {
        assert!(distance(points[leaf], center) > 1.5, "{leaf}: {}", distance(points[leaf], center));
    }
    assert!(closest(&points) > 0.8, "{}", closest(&points));
}

#[test]
fn chains_are_zigzags_of_120_degrees() {
    let complex = graph(4, &[[0, 1], [1, 2], [2, 3]]);
    let points = places(&complex);
    assert!((distance(points[0], points[2]) - 3f64.sqrt()).abs() < 0.05);
    assert!((distance(points[0], points[3]) - 7f64.sqrt()).abs() < 0.1);
}

#[test]
fn no_vertices_overlap_whatever_the_graph() {
    let clique: Vec<[u32; 2]> = (0..9).flat_map(|a| (a + 1..9).map(move |b| [a, b])).collect();
    let star: Vec<[u32; 2]> = (1..20).map(|v| [0, v]).collect();
    let twins: Vec<[u32; 2]> = (2..10).flat_map(|v| [[0, v], [1, v]]).collect();
    for complex in [
        graph(9, &clique),
        graph(20, &star),
        graph(10, &twins),
        graph(12, &[[0, 1], [3, 4], [4, 5]]),
        graph(5, &[]),
        graph(1, &[]),
        graph(0, &[]),
    ] {
        let points = places(&complex);
        assert_eq!(points.len(), complex.n_cells(0));
        assert!(points.iter().flatten().all(|x| x.is_finite()));
        assert!(points.len() < 2 || closest(&points) > 0.3, "{} of {points:?}", closest(&points));
    }
}

#[test]
fn the_same_complex_has_the_same_places() {
    let sbm = builtin("sbm").unwrap().generate(0).unwrap();
    let once = places(&sbm.complexes()[0]);
    assert_eq!(once, places(&sbm.complexes()[0]));
    assert!(closest(&once) > 0.3);
}

#[test]
fn a_large_grid_stays_a_grid() {
    let side = 32u32;
    let at = |x: u32, y: u32| x * side + y;
    let mut edges = Vec::new();
    for x in 0..side {
        for y in 0..side {
            if x + 1 < side {
                edges.push([at(x, y), at(x + 1, y)]);
            }
            if y + 1 < side {
                edges.push([at(x, y), at(x, y + 1)]);
            }
        }
    }
    let complex = graph((side * side) as usize, &edges);
    let points = places(&complex);
    let corners = [at(0, 0), at(side - 1, side - 1)].map(|v| points[v as usize]);
    let mean = lengths(&complex, &points).iter().sum::<f64>() / edges.len() as f64;
    assert!(distance(corners[0], corners[1]) > 25.0 * mean, "opposite corners are far apart");
}

#[test]
fn positions_of_the_data_come_first() {
    let fields = builtin("vector-fields").unwrap().generate(0).unwrap();
    let points = places_of(&fields, 0);
    match fields.column(0, POSITIONS) {
        Some(_) => assert_ne!(points, places(&fields.complexes()[0])),
        None => assert_eq!(points, places(&fields.complexes()[0])),
    }
}

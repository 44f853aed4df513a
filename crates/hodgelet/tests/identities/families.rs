//! Complexes to try the laws on, and small helpers.

use hodgelet::complex::{CellWeights, Complex};
use hodgelet::measure::{ComplexMeasures, Sample};
use hodgelet::signal::{Channels, Orientation, Signal};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use std::borrow::Cow;
use std::collections::BTreeSet;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn cliques(n: usize, edges: &[[u32; 2]]) -> Complex {
    Complex::graph(n, edges).unwrap().clique_complex(2).unwrap()
}

/// Families with degenerate spectra, holes, isolated vertices, several components, or nothing at all.
pub fn degenerate() -> Vec<(&'static str, Complex)> {
    let path = |n: u32| (1..n).map(|i| [i - 1, i]).collect::<Vec<_>>();
    let ring = |n: u32| (0..n).map(|i| [i, (i + 1) % n]).collect::<Vec<_>>();
    let star = |n: u32| (1..n).map(|i| [0, i]).collect::<Vec<_>>();
    let clique = |n: u32| (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect::<Vec<_>>();
    let cube: Vec<[u32; 2]> =
        (0..16u32).flat_map(|i| (0..4).map(move |b| [i, i ^ (1 << b)])).filter(|[a, b]| a < b).collect();
    let shifted = |edges: Vec<[u32; 2]>, by: u32| edges.into_iter().map(move |[a, b]| [a + by, b + by]);
    let twice = |edges: Vec<[u32; 2]>, n: u32| -> Vec<[u32; 2]> {
        edges.clone().into_iter().chain(shifted(edges, n)).collect()
    };
    let mixed: Vec<[u32; 2]> =
        clique(5).into_iter().chain(shifted(ring(6), 5)).chain(shifted(star(4), 11)).collect();
    vec![
        ("no vertex", Complex::graph(0, &[]).unwrap()),
        ("single vertex", Complex::graph(1, &[]).unwrap().clique_complex(2).unwrap()),
        ("isolated vertices", cliques(5, &[])),
        ("one edge", cliques(2, &[[1, 0]])),
        ("path", cliques(9, &path(9))),
        ("long path", cliques(130, &path(130))),
        ("ring", cliques(8, &ring(8))),
        ("long ring", cliques(120, &ring(120))),
        ("star", cliques(10, &star(10))),
        ("clique", cliques(7, &clique(7))),
        ("cube", cliques(16, &cube)),
        ("two cliques", cliques(10, &twice(clique(5), 5))),
        ("two rings and an isolated vertex", cliques(13, &twice(ring(6), 6))),
        ("clique, ring, star and isolated vertices", cliques(17, &mixed)),
        ("octahedron with its solid", solid(6, &[[0, 5], [1, 4], [2, 3]])),
        ("sphere", sphere()),
        ("torus", torus()),
        ("Klein bottle", klein_bottle()),
        ("projective plane", projective_plane()),
    ]
}

/// The clique complex of dimension 4 of a complete graph without the edges given.
fn solid(n: u32, without: &[[u32; 2]]) -> Complex {
    let edges: Vec<[u32; 2]> =
        (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).filter(|edge| !without.contains(edge)).collect();
    Complex::graph(n as usize, &edges).unwrap().clique_complex(4).unwrap()
}

/// A closed surface from its triangles.
pub fn surface(n: usize, triangles: &[[u32; 3]]) -> Complex {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edges: BTreeSet<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    let edges: Vec<[u32; 2]> = edges.into_iter().collect();
    Complex::graph(n, &edges).unwrap().with_triangles(triangles).unwrap()
}

pub fn sphere() -> Complex {
    surface(4, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
}

pub fn torus() -> Complex {
    let triangles: Vec<[u32; 3]> =
        (0..7).flat_map(|i| [[i, (i + 1) % 7, (i + 3) % 7], [i, (i + 3) % 7, (i + 2) % 7]]).collect();
    surface(7, &triangles)
}

pub fn klein_bottle() -> Complex {
    const N: u32 = 5;
    // Going round the first way turns the second way round.
    let at = |i: u32, j: u32| if i < N { i * N + j % N } else { (2 * N - j % N) % N };
    let triangles: Vec<[u32; 3]> = (0..N)
        .flat_map(|i| (0..N).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        })
        .collect();
    surface((N * N) as usize, &triangles)
}

pub fn projective_plane() -> Complex {
    surface(
        6,
        &[
            [0, 1, 2],
            [0, 2, 3],
            [0, 3, 4],
            [0, 4, 5],
            [0, 5, 1],
            [1, 2, 4],
            [2, 3, 5],
            [3, 4, 1],
            [4, 5, 2],
            [5, 1, 3],
        ],
    )
}

/// A random graph with edges in random directions and a random part of its triangles filled.
pub fn random_complex() -> impl Strategy<Value = Complex> {
    (0usize..24, 0.05f64..0.7, 0.0f64..1.2, any::<u64>()).prop_map(|(n, density, filled, seed)| {
        let mut rng = rng(seed);
        let mut edges = Vec::new();
        for a in 0..n as u32 {
            for b in a + 1..n as u32 {
                if rng.random::<f64>() < density {
                    edges.push(if rng.random() { [a, b] } else { [b, a] });
                }
            }
        }
        edges.shuffle(&mut rng);
        let graph = Complex::graph(n, &edges).unwrap();
        let mut triangles: Vec<[u32; 3]> =
            triangles(&graph).into_iter().filter(|_| rng.random::<f64>() < filled).collect();
        for triangle in &mut triangles {
            triangle.shuffle(&mut rng);
        }
        graph.with_triangles(&triangles).unwrap()
    })
}

/// All triangles of a graph, by trying all triples.
pub fn triangles(graph: &Complex) -> Vec<[u32; 3]> {
    let joined: BTreeSet<[u32; 2]> = graph.edges().map(|[a, b]| [a.min(b), a.max(b)]).collect();
    let n = graph.n_cells(0) as u32;
    let mut found = Vec::new();
    for a in 0..n {
        for b in a + 1..n {
            for c in b + 1..n {
                if [[a, b], [b, c], [a, c]].iter().all(|side| joined.contains(side)) {
                    found.push([a, b, c]);
                }
            }
        }
    }
    found
}

/// Random values on every dimension: four channels, two of each orientation, one of them sparse.
pub fn random_sample(complex: &Complex, seed: u64) -> Sample<'_> {
    let mut rng = rng(seed);
    let mut signals = Vec::new();
    for dim in 0..=complex.dim() {
        let n = complex.n_cells(dim);
        let mut values: Vec<f64> = (0..4 * n).map(|_| rng.random_range(-2.0..2.0)).collect();
        values.chunks_exact_mut(4).filter(|_| rng.random()).for_each(|row| row[1] = 0.0);
        values.chunks_exact_mut(4).filter(|_| rng.random()).for_each(|row| row[3] = 0.0);
        let orientation = |d| if d < 2 { Orientation::Oriented } else { Orientation::Unoriented };
        let channels = Channels::new((0..4).map(|d| (format!("c{d}"), orientation(d))));
        let sparse = hodgelet::linalg::SparseMat::from_row_major(n, 4, &values);
        signals.push(Some(Signal::new(sparse, channels).unwrap()));
    }
    Sample { complex: Cow::Borrowed(complex), signals, weights: None }
}

/// One oriented channel on every dimension.
pub fn oriented_sample(complex: &Complex, seed: u64) -> Sample<'_> {
    let mut rng = rng(seed);
    let signal = |dim| {
        let values: Vec<f64> = (0..complex.n_cells(dim)).map(|_| rng.random_range(-2.0..2.0)).collect();
        Some(Signal::from_row_major(values.len(), 1, &values, Orientation::Oriented).unwrap())
    };
    let signals = (0..=complex.dim()).map(signal).collect();
    Sample { complex: Cow::Borrowed(complex), signals, weights: None }
}

/// Random positive weights on every dimension.
pub fn random_weights(complex: &Complex, seed: u64) -> CellWeights {
    let mut rng = rng(seed);
    let weights = |dim| Some((0..complex.n_cells(dim)).map(|_| rng.random_range(0.2..3.0)).collect());
    CellWeights::new((0..=complex.dim()).map(weights).collect()).unwrap()
}

/// Smooth functions of an eigenvalue, through which measures are compared.
pub const PROBES: [fn(f64) -> f64; 4] =
    [|_| 1.0, |x| 1.0 / (1.0 + x), |x| x * x * (-0.5 * x * x).exp(), |x| (0.7 * x).cos()];

/// Integrals of the probes against every measure of a complex, in a fixed order.
pub fn probe(measures: &ComplexMeasures, n_dims: usize) -> Vec<f64> {
    let mut out = Vec::new();
    for dim in 0..n_dims {
        let Some(dim) = measures.of_dim(dim) else { continue };
        for component in hodgelet::hodge::HodgeComponent::ALL {
            let measure = dim.component(component);
            for d in 0..dim.n_channels() {
                let position = measure.live().iter().position(|&l| l as usize == d);
                let masses = position.map_or(&[][..], |p| measure.energies(p));
                for f in PROBES {
                    out.push(measure.eigenvalues().iter().zip(masses).map(|(&x, e)| f(x) * e).sum());
                }
            }
        }
    }
    out
}

#[track_caller]
pub fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{what}, entry {i}: {x} and {y}");
    }
}

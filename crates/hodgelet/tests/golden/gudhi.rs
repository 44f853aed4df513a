//! Numbers of simplices, filtration values and Betti numbers against GUDHI.

use super::{assert_close, testdata};
use hodgelet::complex::{Complex, alpha_filtration};
use hodgelet::hodge::{Operators, Weighting, betti_numbers};
use serde::Deserialize;

/// Of radii: both are computed from the same points, by formulas that round differently. Thin triangles amplify it.
const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
struct File {
    simplicial: Vec<Simplicial>,
    rips: Vec<Rips>,
    alpha: Vec<Alpha>,
}

#[derive(Deserialize)]
struct Simplicial {
    n: usize,
    simplices: Vec<Vec<u32>>,
    #[serde(flatten)]
    topology: Topology,
}

#[derive(Deserialize)]
struct Rips {
    points: Vec<Vec<f64>>,
    radius: f64,
    #[serde(flatten)]
    topology: Topology,
}

#[derive(Deserialize)]
struct Alpha {
    points: Vec<[f64; 2]>,
    radius: f64,
    edges: Vec<([u32; 2], f64)>,
    triangles: Vec<([u32; 3], f64)>,
    #[serde(flatten)]
    topology: Topology,
}

#[derive(Deserialize)]
struct Topology {
    max_dim: usize,
    cells: Vec<usize>,
    betti: Vec<usize>,
    betti_mod_2: Vec<usize>,
}

impl Topology {
    fn check(&self, complex: &Complex, what: &str) {
        let complex = complex.clone().with_room_for(self.max_dim);
        let cells: Vec<usize> = (0..=complex.dim()).map(|k| complex.n_cells(k)).collect();
        assert_eq!(cells, self.cells, "{what}");
        let operators = Operators::new(&complex, Weighting::Combinatorial);
        assert_eq!(betti_numbers(&operators).unwrap(), self.betti, "{what}");
    }
}

fn file() -> File {
    let file: File = testdata("gudhi/complexes.json");
    let sizes = [file.simplicial.len(), file.rips.len(), file.alpha.len()];
    assert_eq!(sizes, [10, 14, 12], "the file has lost complexes");
    file
}

#[test]
fn closures_of_random_simplices_have_the_cells_and_betti_numbers_of_gudhi() {
    for (i, case) in file().simplicial.iter().enumerate() {
        let (complex, table) = Complex::from_simplices(case.n, &case.simplices).unwrap();
        case.topology.check(&complex, &format!("simplicial complex {i}"));
        assert!(case.simplices.iter().all(|simplex| table.position(simplex).is_some()));
    }
}

#[test]
fn betti_numbers_are_those_over_the_rationals_where_there_is_torsion() {
    let file = file();
    let torsion: Vec<&Simplicial> =
        file.simplicial.iter().filter(|case| case.topology.betti != case.topology.betti_mod_2).collect();
    assert_eq!(torsion.len(), 1, "the projective plane");
    let (plane, _) = Complex::from_simplices(torsion[0].n, &torsion[0].simplices).unwrap();
    let operators = Operators::new(&plane, Weighting::Combinatorial);
    assert_eq!(betti_numbers(&operators).unwrap(), [1, 0, 0]);
}

#[test]
fn rips_complexes_have_the_cells_and_betti_numbers_of_gudhi() {
    for (i, case) in file().rips.iter().enumerate() {
        let ambient = case.points[0].len();
        let complex =
            Complex::rips(&case.points.concat(), ambient, case.radius, case.topology.max_dim).unwrap();
        case.topology.check(&complex, &format!("Rips complex {i}"));
    }
}

#[test]
fn alpha_complexes_have_the_cells_radii_and_betti_numbers_of_gudhi() {
    for (i, case) in file().alpha.iter().enumerate() {
        let what = format!("alpha complex {i}");
        let found = alpha_filtration(&case.points).unwrap();
        let edges = |list: &[([u32; 2], f64)]| list.iter().map(|e| e.0).collect::<Vec<_>>();
        let triangles = |list: &[([u32; 3], f64)]| list.iter().map(|t| t.0).collect::<Vec<_>>();
        assert_eq!(edges(&found.edges), edges(&case.edges), "{what}");
        assert_eq!(triangles(&found.triangles), triangles(&case.triangles), "{what}");
        let radii = |e: &[([u32; 2], f64)], t: &[([u32; 3], f64)]| {
            e.iter().map(|e| e.1).chain(t.iter().map(|t| t.1)).collect::<Vec<f64>>()
        };
        let expected = radii(&case.edges, &case.triangles);
        assert_close(&what, &radii(&found.edges, &found.triangles), &expected, TOLERANCE);
        case.topology.check(&found.at(case.radius).unwrap(), &what);
    }
}

//! The census beside the counts in the literature.

use super::*;
use std::collections::BTreeMap;

fn dataset(dim: usize, max_vertices: usize, target: ManifoldTarget) -> Dataset {
    TriangulationsParams { dim, max_vertices, target }.check().unwrap().generate()
}

/// How many manifolds there are of each class and number of vertices.
fn counts(dataset: &Dataset) -> BTreeMap<(String, usize), usize> {
    let Targets::Classes { names, labels } = dataset.targets() else { panic!("classes") };
    let mut counts = BTreeMap::new();
    for (complex, &label) in dataset.complexes().iter().zip(labels) {
        *counts.entry((names[label as usize].clone(), complex.n_cells(0))).or_insert(0) += 1;
    }
    counts
}

/// Table 1 of \[Sulanke09\], for 4 to 10 vertices.
const SURFACES: [(&str, [usize; 7]); 11] = [
    ("S^2", [1, 1, 2, 5, 14, 50, 233]),
    ("T^2", [0, 0, 0, 1, 7, 112, 2109]),
    ("#^2 T^2", [0, 0, 0, 0, 0, 0, 865]),
    ("#^3 T^2", [0, 0, 0, 0, 0, 0, 20]),
    ("RP^2", [0, 0, 1, 3, 16, 134, 1210]),
    ("Klein bottle", [0, 0, 0, 0, 6, 187, 4462]),
    ("#^3 RP^2", [0, 0, 0, 0, 0, 133, 11_784]),
    ("#^4 RP^2", [0, 0, 0, 0, 0, 37, 13_657]),
    ("#^5 RP^2", [0, 0, 0, 0, 0, 2, 7050]),
    ("#^6 RP^2", [0, 0, 0, 0, 0, 0, 1022]),
    ("#^7 RP^2", [0, 0, 0, 0, 0, 0, 14]),
];

fn assert_as_published(max_vertices: usize) {
    let dataset = dataset(2, max_vertices, ManifoldTarget::Type);
    let found = counts(&dataset);
    let mut total = 0;
    for (name, row) in SURFACES {
        for (n_vertices, expected) in (4..=max_vertices).zip(row) {
            let count = found.get(&(name.to_owned(), n_vertices)).copied().unwrap_or(0);
            assert_eq!(count, expected, "{name} with {n_vertices} vertices");
            total += expected;
        }
    }
    assert_eq!(dataset.len(), total);
}

#[test]
fn surfaces_are_as_many_as_published() {
    assert_as_published(9);
}

/// Some seconds.
#[test]
fn the_whole_census_is_as_published() {
    assert_as_published(10);
    let solid = counts(&dataset(3, 9, ManifoldTarget::Type));
    assert_eq!(solid[&("S^3".to_owned(), 9)], 1296);
    assert_eq!(solid[&("S^2 twist S^1".to_owned(), 9)], 1);
}

#[test]
fn manifolds_of_dimension_3_with_up_to_8_vertices_are_spheres() {
    let dataset = dataset(3, 8, ManifoldTarget::Type);
    let expected: BTreeMap<(String, usize), usize> =
        [(5, 1), (6, 2), (7, 5), (8, 39)].map(|(n, count)| (("S^3".to_owned(), n), count)).into();
    assert_eq!(counts(&dataset), expected);
    for complex in dataset.complexes() {
        let groups: Vec<String> = complex.homology().unwrap().iter().map(|group| group.to_string()).collect();
        assert_eq!(groups, ["Z", "0", "0", "Z"]);
        assert_eq!(complex.is_orientable(), Some(true));
    }
}

#[test]
fn every_surface_is_closed_and_what_it_is_called() {
    let [types, orientable, betti, first, second] = [
        ManifoldTarget::Type,
        ManifoldTarget::Orientable,
        ManifoldTarget::Betti,
        ManifoldTarget::Betti1,
        ManifoldTarget::Betti2,
    ]
    .map(|target| dataset(2, 8, target));
    let class = |dataset: &Dataset, i: usize| {
        let Targets::Classes { names, labels } = dataset.targets() else { panic!("classes") };
        names[labels[i] as usize].clone()
    };
    for (i, complex) in types.complexes().iter().enumerate() {
        // Links of vertices are circles: as many edges as vertices, and in one piece.
        for v in 0..complex.n_cells(0) as u32 {
            let triangles = (0..complex.n_cells(2)).map(|t| complex.cell_vertices(2, t));
            let link: Vec<Vec<u32>> = triangles
                .filter(|t| t.contains(&v))
                .map(|t| t.into_iter().filter(|&w| w != v).collect())
                .collect();
            let (circle, _) = Complex::from_simplices(complex.n_cells(0), &link).unwrap();
            let degrees = circle.degrees();
            assert!(degrees.iter().all(|&d| d == 0 || d == 2));
            let isolated = degrees.iter().filter(|&&d| d == 0).count();
            assert_eq!(circle.connected_components().1, 1 + isolated);
        }
        let groups = complex.homology().unwrap();
        let numbers: Vec<String> = groups.iter().map(|group| group.betti.to_string()).collect();
        assert_eq!(class(&betti, i), numbers.join(","));
        assert_eq!((class(&first, i), class(&second, i)), (numbers[1].clone(), numbers[2].clone()));
        assert_eq!(class(&orientable, i) == "no", groups[1].torsion == [2], "{}", class(&types, i));
    }
}

#[test]
fn no_two_surfaces_are_the_same() {
    // Counts of vertices by degree, of the links' degrees and so on do not tell all apart; the sorted spectra of L_1 with the
    // numbers of cells tell most. The counts of the literature are the stronger test; this one sees plain copies.
    let data = dataset(2, 8, ManifoldTarget::Type);
    let names: std::collections::HashSet<Vec<Vec<u32>>> = data
        .complexes()
        .iter()
        .map(|complex| (0..complex.n_cells(2)).map(|t| complex.cell_vertices(2, t)).collect())
        .collect();
    assert_eq!(names.len(), data.len());
}

#[test]
fn the_census_is_the_same_for_any_number_of_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = pool.install(|| dataset(2, 8, ManifoldTarget::Type));
    assert_eq!(alone, dataset(2, 8, ManifoldTarget::Type));
    assert_eq!(alone.len(), 57);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let error = |dim, max_vertices| {
        let params = TriangulationsParams { dim, max_vertices, ..Default::default() };
        params.check().unwrap_err().to_string()
    };
    assert_eq!(error(4, 8), "dim is 4, expected 2 to 3");
    assert_eq!(error(2, 11), "max_vertices is 11, expected 4 to 10");
    assert_eq!(error(3, 10), "max_vertices is 10, expected 5 to 9");
}

//! `surfaces`: random triangulations of closed surfaces, where the topology is the class.

use super::error::{GenerateError, check_count, check_count_range};
use super::triangulation::{PROJECTIVE_PLANE, SPHERE, Triangulation, klein_bottle, torus};
use super::{MAX_ITEMS, dataset, item_rng};
use hodgelet::complex::Complex;
use hodgelet::dataset::Dataset;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A closed surface, up to deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// Betti numbers 1, 0, 1.
    Sphere,
    /// Betti numbers 1, 2, 1.
    Torus,
    /// Betti numbers 1, 1, 0 (real coefficients).
    KleinBottle,
    /// Betti numbers 1, 0, 0 (real coefficients).
    ProjectivePlane,
}

impl Surface {
    /// Every surface, in the order of the classes.
    pub const ALL: [Self; 4] = [Self::Sphere, Self::Torus, Self::KleinBottle, Self::ProjectivePlane];

    fn triangulation(self) -> Triangulation {
        match self {
            Self::Sphere => Triangulation::new(SPHERE),
            Self::Torus => Triangulation::new(&torus()),
            Self::KleinBottle => Triangulation::new(&klein_bottle()),
            Self::ProjectivePlane => Triangulation::new(PROJECTIVE_PLANE),
        }
    }
}

/// Settings of `surfaces`, not yet validated.
///
/// Each item starts from a small triangulation of its surface, receives new vertices in random triangles and on
/// random edges, has random edges turned in their quadrangles, and is relabelled at random. The number of
/// vertices says nothing about the class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfacesParams {
    /// Number of surfaces.
    pub n_graphs: usize,
    /// Smallest and largest number of vertices, both included.
    pub n_vertices: (usize, usize),
    /// Edges tried for a turn, per vertex.
    pub flips_per_vertex: usize,
}

impl Default for SurfacesParams {
    fn default() -> Self {
        Self { n_graphs: 200, n_vertices: (20, 60), flips_per_vertex: 10 }
    }
}

impl SurfacesParams {
    /// The settings a dataset can be drawn from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a count or range is out of range; the Klein bottle needs 9 vertices here.
    pub fn check(self) -> Result<CheckedSurfaces, GenerateError> {
        check_count("n_graphs", self.n_graphs, (0, MAX_ITEMS))?;
        check_count_range("n_vertices", self.n_vertices, (9, 1_000_000))?;
        check_count("flips_per_vertex", self.flips_per_vertex, (0, 1000))?;
        Ok(CheckedSurfaces(self))
    }
}

/// Valid settings; only [`SurfacesParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedSurfaces(SurfacesParams);

impl CheckedSurfaces {
    /// The dataset, complexes of dimension 2 with the classes of [`Surface::ALL`] in turn and no columns.
    #[must_use]
    pub fn generate(&self, seed: u64) -> Dataset {
        let surface = |i: usize| Surface::ALL[i % Surface::ALL.len()];
        let items = (0..self.0.n_graphs).into_par_iter();
        let complexes = items.map(|i| self.complex(surface(i), &mut item_rng(seed, i))).collect();
        dataset("surfaces", complexes, &["sphere", "torus", "klein-bottle", "projective-plane"])
    }

    fn complex(&self, surface: Surface, rng: &mut impl Rng) -> Complex {
        let n = rng.random_range(self.0.n_vertices.0..=self.0.n_vertices.1);
        let mut triangulation = surface.triangulation();
        while triangulation.n_vertices() < n {
            triangulation.refine(rng);
            // Flipping edges in between spreads later vertices over the changed triangulation.
            triangulation.flip(rng);
        }
        (0..n * self.0.flips_per_vertex).for_each(|_| triangulation.flip(rng));
        relabelled(&triangulation, rng)
    }
}

/// The triangulation as a complex, its vertices in random order, edges and triangles ascending.
fn relabelled(triangulation: &Triangulation, rng: &mut impl Rng) -> Complex {
    let n = triangulation.n_vertices();
    let mut labels: Vec<u32> = (0..n as u32).collect();
    labels.shuffle(rng);
    let label = |v: u32| labels[v as usize];
    let mut edges: Vec<[u32; 2]> = triangulation.edges().iter().map(|e| ascending(e.map(label))).collect();
    let mut triangles: Vec<[u32; 3]> =
        triangulation.triangles().iter().map(|t| ascending(t.map(label))).collect();
    edges.sort_unstable();
    triangles.sort_unstable();
    Complex::graph(n, &edges)
        .and_then(|graph| graph.with_triangles(&triangles))
        .expect("the edges of a triangulation are the sides of its triangles")
}

fn ascending<const N: usize>(mut vertices: [u32; N]) -> [u32; N] {
    vertices.sort_unstable();
    vertices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::triangulation::tests::{assert_closed_surface, is_orientable};

    /// The vertices of each triangle, read from the boundary operators.
    fn triangles(complex: &Complex) -> Vec<[u32; 3]> {
        let boundary = complex.boundary(2).unwrap();
        (0..complex.n_cells(2))
            .map(|t| {
                let sides = boundary.column(t).0.iter().map(|&e| complex.edge(e as usize).unwrap());
                let mut vertices: Vec<u32> = sides.flatten().collect();
                vertices.sort_unstable();
                vertices.dedup();
                vertices.try_into().unwrap()
            })
            .collect()
    }

    #[test]
    fn every_item_is_a_closed_surface_of_its_class() {
        let data = SurfacesParams { n_graphs: 24, ..Default::default() }.check().unwrap().generate(1);
        for (i, complex) in data.complexes().iter().enumerate() {
            let triangles = triangles(complex);
            assert_closed_surface(complex.n_cells(0), &triangles);
            assert_eq!(complex.euler_characteristic(), [2, 0, 0, 1][i % 4]);
            assert_eq!(is_orientable(&triangles), i % 4 < 2);
            assert!((20..=60).contains(&complex.n_cells(0)));
            let boundaries = (1..=2).map(|k| complex.boundary(k).unwrap().clone()).collect();
            assert_eq!(&Complex::from_boundaries(complex.n_cells(0), boundaries).unwrap(), complex);
        }
    }

    #[test]
    fn labels_do_not_tell_old_vertices_from_new_ones() {
        let data = SurfacesParams { n_graphs: 8, n_vertices: (30, 30), flips_per_vertex: 0 }.check().unwrap();
        let [one, other] = [1, 2].map(|seed| data.generate(seed));
        assert!(one.complexes().iter().zip(other.complexes()).all(|(a, b)| a != b));
        // The first vertices are the oldest and have the highest degrees before relabelling.
        let first: u32 = other.complexes().iter().map(|c| c.degrees()[..4].iter().sum::<u32>()).sum();
        let all: u32 = other.complexes().iter().map(|c| c.degrees().iter().sum::<u32>()).sum();
        assert!(f64::from(first) / f64::from(all) < 0.2, "{first} of {all}"); // 4 of 30 vertices
    }

    #[test]
    fn too_few_vertices_are_refused() {
        let error = SurfacesParams { n_vertices: (8, 20), ..Default::default() }.check().unwrap_err();
        assert_eq!(error.to_string(), "n_vertices is 8..20, expected 9 <= first <= last <= 1000000");
    }
}

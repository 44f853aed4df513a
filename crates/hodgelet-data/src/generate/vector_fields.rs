//! `vector-fields`: flows on random meshes, mostly curl-free or mostly divergence-free.

use super::error::{GenerateError, check_count};
use super::fourier::RandomField;
use super::mesh::Mesh;
use super::quadrature::gauss_legendre;
use super::{MAX_ITEMS, dataset, item_rng, shared_rng};
use hodgelet::dataset::{Column, ColumnValues, Dataset};
use hodgelet::signal::Orientation;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How a vector field `X` becomes a number on the edge from `x_0` to `x_1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeMap {
    /// `∫₀¹ X(x_0 + t (x_1 − x_0)) · t̂ dt` with the unit tangent `t̂`, as the paper prints it: the mean of the
    /// tangential component. A gradient field is then not exactly a gradient on the mesh.
    #[default]
    Tangent,
    /// `∫ X · ds`, the de Rham map: the same times the length of the edge. It takes `∇f` to `B_1ᵀ f`.
    DeRham,
}

/// Whether every field has its own mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeshChoice {
    /// A new mesh for each field.
    #[default]
    PerField,
    /// One mesh for all fields.
    Shared,
}

/// Where the noise comes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseOn {
    /// On the value of each edge, independently.
    #[default]
    Edges,
    /// On both components of the field at each quadrature point, independently: the more points, the less of it
    /// is left on an edge.
    Field,
}

/// What has unit variance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnitVariance {
    /// Each component of the fields that are mixed.
    #[default]
    Field,
    /// The potentials whose derivatives they are; the fields then have variance `lengthscale⁻²`.
    Potential,
}

/// Settings of `vector-fields`, not yet validated.
///
/// `X = λ X_div + (1 − λ) X_curl` with `X_curl = ∇f` and `X_div = (g_y, −g_x)` for two independent Gaussian
/// processes `f` and `g` with the squared exponential kernel. The class says which prevails. The field is
/// integrated along the edges of a Delaunay mesh of random points in the unit square.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorFieldsParams {
    /// Number of fields.
    pub n_fields: usize,
    /// Vertices of a mesh.
    pub n_vertices: usize,
    /// Lengthscale of the potentials; the square has side 1.
    pub lengthscale: f64,
    /// Standard deviation `R` of the noise.
    pub noise: f64,
    /// Where the noise comes in.
    pub noise_on: NoiseOn,
    /// Smallest and largest share `λ` of the divergence-free field, around 1/2; uniform in each half.
    pub share: (f64, f64),
    /// One mesh per field or for all.
    pub mesh: MeshChoice,
    /// Power of the coordinates of vertices; beyond 1 meshes are fine near the axes and coarse far from them.
    pub grading: f64,
    /// How the field becomes numbers on edges.
    pub edge_map: EdgeMap,
    /// What has unit variance.
    pub unit_variance: UnitVariance,
    /// Random Fourier features of each potential.
    pub n_features: usize,
    /// Gauss–Legendre points per edge; 0 for the integral in closed form, which is exact and faster.
    pub n_quadrature: usize,
}

impl Default for VectorFieldsParams {
    fn default() -> Self {
        Self {
            n_fields: 100,
            n_vertices: 200,
            lengthscale: 0.1,
            noise: 1.0,
            noise_on: NoiseOn::default(),
            share: (0.1, 0.9),
            mesh: MeshChoice::default(),
            grading: 1.0,
            edge_map: EdgeMap::default(),
            unit_variance: UnitVariance::default(),
            n_features: 500,
            n_quadrature: 0,
        }
    }
}

impl VectorFieldsParams {
    /// The settings a dataset can be drawn from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a count or number is out of range, or noise is on the field without quadrature points.
    pub fn check(self) -> Result<CheckedVectorFields, GenerateError> {
        check_count("n_fields", self.n_fields, (0, MAX_ITEMS))?;
        check_count("n_vertices", self.n_vertices, (3, 1_000_000))?;
        check_count("n_features", self.n_features, (1, 1_000_000))?;
        check_count("n_quadrature", self.n_quadrature, (0, 1000))?;
        let real = |name, found, lowest, expected| {
            let valid = (lowest..=1e6).contains(&found);
            if valid { Ok(()) } else { Err(GenerateError::Real { name, found, expected }) }
        };
        real("lengthscale", self.lengthscale, 1e-6, "1e-6 to 1e6")?;
        real("noise", self.noise, 0.0, "0 to 1e6")?;
        if !(0.2..=5.0).contains(&self.grading) {
            return Err(GenerateError::Real { name: "grading", found: self.grading, expected: "0.2 to 5" });
        }
        let (first, last) = self.share;
        if !((0.0..0.5).contains(&first) && 0.5 < last && last <= 1.0) {
            let expected = "0 <= first < 0.5 < last <= 1";
            return Err(GenerateError::RealRange { name: "share", first, last, expected });
        }
        if self.noise_on == NoiseOn::Field && self.noise > 0.0 && self.n_quadrature == 0 {
            return Err(GenerateError::NoiseWithoutPoints);
        }
        Ok(CheckedVectorFields(self))
    }
}

/// Valid settings; only [`VectorFieldsParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedVectorFields(VectorFieldsParams);

impl CheckedVectorFields {
    /// The dataset: complexes of dimension 2, the vertex column `position` (`x`, `y`), the oriented edge column
    /// `flow`, and the classes `curl-free` (λ < 1/2) and `divergence-free` in turn.
    #[must_use]
    pub fn generate(&self, seed: u64) -> Dataset {
        let shared = match self.0.mesh {
            MeshChoice::Shared => Some(Mesh::draw(self.0.n_vertices, self.0.grading, &mut shared_rng(seed))),
            MeshChoice::PerField => None,
        };
        let rule = gauss_legendre(self.0.n_quadrature);
        let items: Vec<(Mesh, Vec<f64>)> = (0..self.0.n_fields)
            .into_par_iter()
            .map(|i| {
                let rng = &mut item_rng(seed, i);
                let mesh =
                    shared.clone().unwrap_or_else(|| Mesh::draw(self.0.n_vertices, self.0.grading, rng));
                let flow = self.flow(&mesh, i % 2 == 1, &rule, rng);
                (mesh, flow)
            })
            .collect();
        collected(items)
    }

    /// A random field of the class asked for, on the edges of a mesh.
    fn flow(&self, mesh: &Mesh, divergence_free: bool, rule: &[(f64, f64)], rng: &mut impl Rng) -> Vec<f64> {
        let (first, last) = self.0.share;
        let (from, to) = if divergence_free { (0.5, last) } else { (first, 0.5) };
        let share = from + (to - from) * rng.random::<f64>();
        let amplitude = match self.0.unit_variance {
            UnitVariance::Field => self.0.lengthscale,
            UnitVariance::Potential => 1.0,
        };
        let mut draw = || RandomField::draw(self.0.n_features, self.0.lengthscale, amplitude, rng);
        let mixture = Mixture { potential: draw(), stream: draw(), share };
        let (noise, on_field) = (self.0.noise, self.0.noise_on == NoiseOn::Field);
        let mut normal = || -> f64 { noise * Distribution::<f64>::sample(&StandardNormal, &mut *rng) };
        let means = if rule.is_empty() {
            mixture.means(mesh)
        } else {
            let mut point_noise = || if on_field { [normal(), normal()] } else { [0.0, 0.0] };
            mesh.segments().map(|(a, b)| mixture.mean_by_quadrature(a, b, rule, &mut point_noise)).collect()
        };
        let values = mesh.segments().zip(means).map(|((a, b), mean)| edge_value(mean, a, b, self.0.edge_map));
        values.map(|value| if on_field { value } else { value + normal() }).collect()
    }
}

/// `X = λ (g_y, −g_x) + (1 − λ) ∇f`
struct Mixture {
    potential: RandomField, // f
    stream: RandomField,    // g
    share: f64,             // λ
}

impl Mixture {
    /// Mean over every edge of a mesh, in closed form.
    fn means(&self, mesh: &Mesh) -> Vec<[f64; 2]> {
        let edges: Vec<[u32; 2]> = mesh.complex.edges().collect();
        let curl_free = self.potential.mean_gradients(&mesh.positions, &edges);
        let stream = self.stream.mean_gradients(&mesh.positions, &edges);
        curl_free.into_iter().zip(stream).map(|(gradient, stream)| self.mixed(gradient, stream)).collect()
    }

    /// Mean over a segment by quadrature, of the field and the noise met at each point.
    fn mean_by_quadrature(
        &self,
        a: [f64; 2],
        b: [f64; 2],
        rule: &[(f64, f64)],
        mut noise: impl FnMut() -> [f64; 2],
    ) -> [f64; 2] {
        rule.iter().fold([0.0, 0.0], |[sum_x, sum_y], &(t, weight)| {
            let point = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
            let [x, y] = self.mixed(self.potential.gradient(point), self.stream.gradient(point));
            let [noise_x, noise_y] = noise();
            [sum_x + weight * (x + noise_x), sum_y + weight * (y + noise_y)]
        })
    }

    fn mixed(&self, curl_free: [f64; 2], stream_gradient: [f64; 2]) -> [f64; 2] {
        let divergence_free = [stream_gradient[1], -stream_gradient[0]];
        [0, 1].map(|i| self.share * divergence_free[i] + (1.0 - self.share) * curl_free[i])
    }
}

/// The mean of a field over an edge as a number.
fn edge_value(mean: [f64; 2], a: [f64; 2], b: [f64; 2], map: EdgeMap) -> f64 {
    let along = mean[0] * (b[0] - a[0]) + mean[1] * (b[1] - a[1]);
    let length = (b[0] - a[0]).hypot(b[1] - a[1]);
    match map {
        EdgeMap::DeRham => along,
        // Two points drawn equal have no tangent between them, and delaunator joins no such pair.
        EdgeMap::Tangent if length == 0.0 => 0.0,
        EdgeMap::Tangent => along / length,
    }
}

/// Meshes and flows as a dataset.
fn collected(items: Vec<(Mesh, Vec<f64>)>) -> Dataset {
    let positions = items.iter().flat_map(|(mesh, _)| mesh.positions.iter().flatten().copied()).collect();
    let flows = items.iter().flat_map(|(_, flow)| flow.iter().copied()).collect();
    let complexes = items.into_iter().map(|(mesh, _)| mesh.complex).collect();
    let data = dataset("vector-fields", complexes, &["curl-free", "divergence-free"]);
    let column = |name: &str, dim, orientation, channels: &[&str], values| Column {
        name: name.to_owned(),
        dim,
        orientation,
        starts: data.cell_starts(dim),
        values: ColumnValues::Real { channels: channels.iter().map(|&c| c.to_owned()).collect(), values },
    };
    let columns = vec![
        column("position", 0, Orientation::Unoriented, &["x", "y"], positions),
        column("flow", 1, Orientation::Oriented, &["flow"], flows),
    ];
    data.with_columns(columns).expect("settings within their ranges give a finite number per cell")
}

#[cfg(test)]
mod tests;

//! The edge maps against vector calculus, and the settings.

use super::*;
use hodgelet::dataset::Targets;

fn small() -> VectorFieldsParams {
    VectorFieldsParams { n_fields: 6, n_vertices: 30, n_features: 40, ..Default::default() }
}

fn generated(params: VectorFieldsParams, seed: u64) -> Dataset {
    params.check().unwrap().generate(seed)
}

fn flows(data: &Dataset) -> &[f64] {
    match &data.columns()[1].values {
        ColumnValues::Real { values, .. } => values,
        ColumnValues::Labels { .. } => panic!("flows are real"),
    }
}

/// A mesh and a pure gradient field on it: flow by the map and rule given, and the differences of `f`.
fn pure_gradient(map: EdgeMap, n_quadrature: usize) -> (Vec<f64>, Vec<f64>) {
    let rng = &mut item_rng(11, 0);
    let mesh = Mesh::draw(60, 1.0, rng);
    let mut draw = || RandomField::draw(60, 0.1, 1.0, rng);
    let mixture = Mixture { potential: draw(), stream: draw(), share: 0.0 };
    let rule = gauss_legendre(n_quadrature);
    let quadrature = |(a, b)| mixture.mean_by_quadrature(a, b, &rule, || [0.0, 0.0]);
    let means =
        if rule.is_empty() { mixture.means(&mesh) } else { mesh.segments().map(quadrature).collect() };
    let flow = mesh.segments().zip(means).map(|((a, b), mean)| edge_value(mean, a, b, map)).collect();
    let values: Vec<f64> = mesh.positions.iter().map(|&x| mixture.potential.value(x)).collect();
    let mut differences = vec![0.0; mesh.complex.n_cells(1)];
    mesh.complex.boundary(1).unwrap().mul_transpose(&values, &mut differences);
    (flow, differences)
}

fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn the_de_rham_map_takes_a_gradient_to_the_differences_of_its_potential() {
    for n_quadrature in [0, 24] {
        let (flow, differences) = pure_gradient(EdgeMap::DeRham, n_quadrature);
        assert!(largest_gap(&flow, &differences) < 1e-9);
    }
}

#[test]
fn the_tangent_map_does_not() {
    let (flow, differences) = pure_gradient(EdgeMap::Tangent, 0);
    assert!(largest_gap(&flow, &differences) > 1.0);
}

/// The flux of a divergence-free field out of every triangle is 0: turned by a right angle it is a gradient.
#[test]
fn a_divergence_free_field_turned_by_a_right_angle_is_a_gradient() {
    let rng = &mut item_rng(12, 0);
    let mesh = Mesh::draw(60, 1.0, rng);
    let mut draw = || RandomField::draw(60, 0.1, 1.0, rng);
    let mixture = Mixture { potential: draw(), stream: draw(), share: 1.0 };
    for ((a, b), [x, y]) in mesh.segments().zip(mixture.means(&mesh)) {
        // (g_y, −g_x) turned: (−(−g_x), g_y) is ∇g
        let flux = -y * (b[0] - a[0]) + x * (b[1] - a[1]);
        assert!((flux - (mixture.stream.value(b) - mixture.stream.value(a))).abs() < 1e-12);
    }
}

/// Guards the names: circulation around triangles comes from the divergence-free field alone, in proportion to
/// λ², whose mean is 0.103 below 1/2 and 0.503 above.
#[test]
fn classes_are_named_by_the_field_that_prevails() {
    let params = VectorFieldsParams { n_fields: 60, noise: 0.0, edge_map: EdgeMap::DeRham, ..small() };
    let data = generated(params, 6);
    let Targets::Classes { names, labels } = data.targets() else { panic!("classes") };
    assert_eq!(names, &["curl-free", "divergence-free"]);
    let mut circulation = [0.0, 0.0];
    for (i, complex) in data.complexes().iter().enumerate() {
        let mut around = vec![0.0; complex.n_cells(2)];
        complex.boundary(2).unwrap().mul_transpose(&flows(&data)[data.columns()[1].cells(i)], &mut around);
        circulation[labels[i] as usize] += around.iter().map(|x| x * x).sum::<f64>();
    }
    let ratio = circulation[1] / circulation[0];
    assert!((3.0..8.0).contains(&ratio), "{ratio}");
}

#[test]
fn quadrature_and_closed_form_agree() {
    let quiet = VectorFieldsParams { noise: 0.0, ..small() };
    let exact = generated(quiet.clone(), 1);
    let numeric = generated(VectorFieldsParams { n_quadrature: 32, ..quiet }, 1);
    assert!(largest_gap(flows(&exact), flows(&numeric)) < 1e-9);
}

#[test]
fn noise_has_the_deviation_asked_for() {
    let params = VectorFieldsParams { n_fields: 40, n_features: 1, noise: 0.0, ..small() };
    let deviation = |noisy: VectorFieldsParams, quiet: VectorFieldsParams| {
        let (noisy, quiet) = (generated(noisy, 2), generated(quiet, 2));
        let squares = flows(&noisy).iter().zip(flows(&quiet)).map(|(a, b)| (a - b).powi(2));
        (squares.sum::<f64>() / flows(&quiet).len() as f64).sqrt()
    };
    let on_edges = deviation(VectorFieldsParams { noise: 3.0, ..params.clone() }, params.clone());
    assert!((on_edges - 3.0).abs() < 0.2, "{on_edges}"); // about 3,000 edges: four standard errors
    // Two points of weight 1/2 each: 3/√2
    let two = VectorFieldsParams { n_quadrature: 2, ..params };
    let field = VectorFieldsParams { noise: 3.0, noise_on: NoiseOn::Field, ..two.clone() };
    let on_field = deviation(field, two);
    assert!((on_field - 3.0 / 2.0f64.sqrt()).abs() < 0.15, "{on_field}");
}

#[test]
fn fields_have_unit_variance() {
    let params =
        VectorFieldsParams { n_fields: 400, n_vertices: 3, noise: 0.0, lengthscale: 50.0, ..small() };
    // With a lengthscale far beyond the square the tangential component hardly changes along an edge.
    let variance = |p: VectorFieldsParams| {
        let data = generated(p, 3);
        flows(&data).iter().map(|x| x * x).sum::<f64>() / flows(&data).len() as f64
    };
    let with = |unit_variance| variance(VectorFieldsParams { unit_variance, ..params.clone() });
    // E[λ² + (1 − λ)²] = 1/2 + 2 Var(λ) = 1/2 + 0.64/6 for λ ~ U(0.1, 0.9)
    let expected = 0.5 + 0.64 / 6.0;
    assert!((with(UnitVariance::Field) - expected).abs() < 0.12, "{}", with(UnitVariance::Field));
    assert!((with(UnitVariance::Potential) * 2500.0 - expected).abs() < 0.12);
}

#[test]
fn columns_fit_the_meshes() {
    let data = generated(small(), 4);
    let [position, flow] = data.columns() else { panic!("two columns") };
    assert_eq!((position.name.as_str(), position.dim), ("position", 0));
    assert_eq!((flow.name.as_str(), flow.dim, flow.orientation), ("flow", 1, Orientation::Oriented));
    assert_eq!(*position.starts.last().unwrap(), 6 * 30);
    assert_eq!(*flow.starts.last().unwrap(), flows(&data).len());
    assert!(flows(&data).iter().all(|x| x.is_finite()));
    assert!(data.complexes().iter().all(|c| c.n_cells(2) > 0 && c.euler_characteristic() == 1));
}

#[test]
fn a_shared_mesh_is_shared() {
    let data = generated(VectorFieldsParams { mesh: MeshChoice::Shared, ..small() }, 5);
    assert!(data.complexes().iter().all(|c| c == &data.complexes()[0]));
    let own = generated(small(), 5);
    assert!(own.complexes()[1..].iter().all(|c| c != &own.complexes()[0]));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let message = |p: VectorFieldsParams| p.check().unwrap_err().to_string();
    assert_eq!(
        message(VectorFieldsParams { share: (0.5, 0.9), ..small() }),
        "share is 0.5..0.9, expected 0 <= first < 0.5 < last <= 1"
    );
    assert_eq!(message(VectorFieldsParams { noise: -1.0, ..small() }), "noise is -1, expected 0 to 1e6");
    assert_eq!(
        message(VectorFieldsParams { noise_on: NoiseOn::Field, ..small() }),
        "noise on the field with n_quadrature = 0, expected at least 1 quadrature point"
    );
    assert_eq!(
        message(VectorFieldsParams { n_vertices: 2, ..small() }),
        "n_vertices is 2, expected 3 to 1000000"
    );
}

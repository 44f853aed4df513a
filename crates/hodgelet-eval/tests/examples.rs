//! The examples at small size.

// Every program brings the module that all of them share, and a `main` that is not called here.
#![allow(clippy::duplicate_mod, dead_code)]

#[path = "../examples/hypergraphs.rs"]
mod hypergraphs;
#[path = "../examples/metric_fields.rs"]
mod metric_fields;
#[path = "../examples/molecule_rings.rs"]
mod molecule_rings;
#[path = "../examples/ocean_drifters.rs"]
mod ocean_drifters;
#[path = "../examples/surfaces.rs"]
mod surfaces;

use std::io::Write;
use std::path::PathBuf;

/// The folder of real data; prints a notice when there is none.
fn data(what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HODGELET_DATA").map(PathBuf::from);
    if folder.is_none() {
        writeln!(std::io::stderr(), "SKIPPED: {what}, because HODGELET_DATA is not set")
            .expect("stderr can be written to");
    }
    folder
}

#[test]
fn topology_tells_surfaces_apart() {
    let found = surfaces::accuracy(80, 4).unwrap();
    assert!(found >= 0.99, "{found}");
}

#[test]
fn hypergraphs_are_told_apart_where_their_clique_expansion_is_not() {
    let [clique, zhou, star, incidence] =
        ["clique", "zhou", "star", "incidence"].map(|name| hypergraphs::accuracy(name, 60, 3).unwrap());
    assert!(clique < 0.75, "{clique}");
    for found in [zhou, star, incidence] {
        assert!(found > 0.85 && found > clique + 0.15, "{clique} but {zhou}, {star}, {incidence}");
    }
}

#[test]
fn the_metric_of_a_mesh_helps() {
    let [unweighted, metric] = metric_fields::accuracies(120, 60, 4).unwrap();
    assert!(metric > unweighted + 0.05 && metric > 0.85, "{unweighted} then {metric}");
}

#[test]
fn rings_of_molecules_become_cells() {
    let Some(data) = data("molecules were not classified") else { return };
    let mutag = hodgelet_data::open("MUTAG", Some(&data)).unwrap().dataset;
    let filled = molecule_rings::with_rings(&mutag).unwrap();
    // Every cycle of a molecule of MUTAG is a sum of its rings.
    for (graph, complex) in mutag.complexes().iter().zip(filled.complexes()) {
        let cycles = graph.n_cells(1) + graph.connected_components().1 - graph.n_cells(0);
        assert!(complex.n_cells(2) >= cycles);
    }
    let some: Vec<usize> = (0..188).step_by(2).collect();
    let [plain, rings] = molecule_rings::scores(&mutag.select(&some), 3).unwrap();
    assert!(plain > 0.75 && rings > 0.75, "{plain} then {rings}");
}

#[test]
fn signs_tell_which_way_buoys_drift() {
    let Some(data) = data("ocean drifters were not classified") else { return };
    let folder = data.join("edge_flows/ocean_drifters");
    let dataset = ocean_drifters::drifters(&folder).unwrap();
    let [energies, signed] = ocean_drifters::accuracies(&dataset, 3).unwrap();
    // where buoys drift says something about which way, but not all
    assert!(energies < 0.9 && signed > 0.98, "{energies} then {signed}");
}

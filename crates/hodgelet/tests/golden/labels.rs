//! Refined labels against the partitions of NetworkX and the environments of RDKit.

use super::testdata;
use hodgelet::complex::Complex;
use hodgelet::measure::{GivenLabels, WantedLabels, measure_labels, name_id, refine};
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
struct File {
    graphs: Vec<Graph>,
}

#[derive(Deserialize)]
struct Graph {
    name: String,
    n: usize,
    edges: Vec<[u32; 2]>,
    vertices: Option<Vec<String>>,
    bonds: Option<Vec<String>>,
    partitions: Vec<Vec<usize>>,
}

/// Classes numbered in the order of their first members.
fn partition(labels: &[u64]) -> Vec<usize> {
    let mut numbers = HashMap::new();
    labels
        .iter()
        .map(|label| {
            let next = numbers.len();
            *numbers.entry(label).or_insert(next)
        })
        .collect()
}

#[test]
fn vertices_are_told_apart_as_networkx_does() {
    let file: File = testdata("networkx/labels.json");
    assert_eq!(file.graphs.len(), 24);
    for graph in file.graphs {
        let ids = |names: &Option<Vec<String>>| {
            names.as_ref().map(|names| names.iter().map(|name| name_id([&name[..]])).collect::<Vec<u64>>())
        };
        let complex = Complex::graph(graph.n, &graph.edges).unwrap();
        let (vertices, bonds) = (ids(&graph.vertices), ids(&graph.bonds));
        let given = GivenLabels { vertices: vertices.as_deref(), edges: bonds.as_deref(), higher: &[] };
        let found = refine(&complex, given, graph.partitions.len());
        for (t, expected) in graph.partitions.iter().enumerate() {
            assert_eq!(&partition(&found.vertices[t + 1]), expected, "{}, round {}", graph.name, t + 1);
        }
    }
}

#[derive(Deserialize)]
struct Molecules {
    cases: Vec<Molecule>,
}

#[derive(Deserialize)]
struct Molecule {
    smiles: String,
    atoms: Vec<u32>,
    bonds: Vec<(u32, u32, String)>,
    counts: Vec<f64>,
}

#[test]
fn environments_are_counted_as_rdkit_does() {
    let file: Molecules = testdata("rdkit/environments.json");
    assert_eq!(file.cases.len(), 10);
    for molecule in file.cases {
        let edges: Vec<[u32; 2]> = molecule.bonds.iter().map(|(a, b, _)| [*a, *b]).collect();
        let complex = Complex::graph(molecule.atoms.len(), &edges).unwrap();
        let atoms: Vec<u64> = molecule.atoms.iter().map(|&z| u64::from(z)).collect();
        let bonds: Vec<u64> = molecule.bonds.iter().map(|(.., name)| name_id([&name[..]])).collect();
        let given = GivenLabels { vertices: Some(&atoms), edges: Some(&bonds), higher: &[] };
        let wanted = WantedLabels { environments: true, ..WantedLabels::default() };
        let found = measure_labels(&complex, given, 2, wanted).environments.unwrap();
        let mut counts: Vec<f64> = found.depth(0).map(|(_, count)| count).collect();
        counts.sort_unstable_by(f64::total_cmp);
        // An atom without bonds has an environment of radius 0 alone there, and one of each radius here.
        let mut expected = molecule.counts.repeat(if molecule.bonds.is_empty() { 3 } else { 1 });
        expected.sort_unstable_by(f64::total_cmp);
        assert_eq!(counts, expected, "{}", molecule.smiles);
    }
}

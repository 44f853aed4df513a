//! Cliques, connected components and line graphs against NetworkX.

use super::testdata;
use hodgelet::complex::Complex;
use serde::Deserialize;

/// Dimension of the largest cliques counted.
const MAX_DIM: usize = 5;

#[derive(Deserialize)]
struct File {
    graphs: Vec<Graph>,
}

#[derive(Deserialize)]
struct Graph {
    name: String,
    n: usize,
    edges: Vec<[u32; 2]>,
    clique_counts: Vec<usize>, // of 1..=6 vertices
    triangles: usize,
    components: Vec<usize>, // sizes, descending
    line_graph: LineGraph,
}

#[derive(Deserialize)]
struct LineGraph {
    n: usize,
    n_edges: usize,
}

impl Graph {
    fn complex(&self) -> Complex {
        Complex::graph(self.n, &self.edges).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// The same graph with its vertices in reverse, the list of edges back to front and every other one turned
    /// round, so that directions follow no order of the vertices.
    fn scrambled(&self) -> Complex {
        let renamed = self.edges.iter().rev().map(|edge| edge.map(|v| self.n as u32 - 1 - v)).enumerate();
        let edges: Vec<[u32; 2]> =
            renamed.map(|(e, [a, b])| if e % 2 == 0 { [a, b] } else { [b, a] }).collect();
        Complex::graph(self.n, &edges).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }
}

fn graphs() -> Vec<Graph> {
    let graphs = testdata::<File>("networkx/cliques.json").graphs;
    assert_eq!(graphs.len(), 15, "the file has lost graphs");
    graphs
}

fn clique_counts(complex: &Complex, max_dim: usize) -> Vec<usize> {
    let cliques = complex.clique_complex(max_dim).expect("the dimension is offered");
    assert_eq!(cliques.dim(), max_dim);
    (0..=max_dim).map(|k| cliques.n_cells(k)).collect()
}

#[test]
fn clique_complexes_have_as_many_cells_as_networkx_counts_cliques() {
    for graph in graphs() {
        for complex in [graph.complex(), graph.scrambled()] {
            for max_dim in 1..=MAX_DIM {
                let expected = &graph.clique_counts[..=max_dim];
                assert_eq!(clique_counts(&complex, max_dim), expected, "{} up to {max_dim}", graph.name);
            }
        }
    }
}

#[test]
fn triangles_are_as_many_as_networkx_counts_by_neighborhoods() {
    for graph in graphs() {
        assert_eq!(clique_counts(&graph.complex(), 2)[2], graph.triangles, "{}", graph.name);
    }
}

#[test]
fn connected_components_have_the_sizes_networkx_finds() {
    for graph in graphs() {
        for complex in [graph.complex(), graph.scrambled()] {
            let (component, count) = complex.connected_components();
            assert_eq!(component.len(), graph.n, "{}", graph.name);
            let mut sizes = vec![0; count];
            component.iter().for_each(|&c| sizes[c as usize] += 1);
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(sizes, graph.components, "{}", graph.name);
        }
    }
}

#[test]
fn line_graphs_have_the_sizes_networkx_finds() {
    for graph in graphs() {
        for complex in [graph.complex(), graph.scrambled()] {
            let line = complex.line_graph().unwrap();
            let expected = (graph.line_graph.n, graph.line_graph.n_edges);
            assert_eq!((line.n_cells(0), line.n_cells(1)), expected, "{}", graph.name);
        }
    }
}

/// Guards the vertices of the line graph: vertex `e` is edge `e`, so its degree is that of the two ends less two.
#[test]
fn vertices_of_line_graphs_stand_for_the_edges_in_their_order() {
    for graph in graphs() {
        let degrees = graph.complex().degrees();
        let expected: Vec<u32> = graph
            .edges
            .iter()
            .map(|edge| edge.map(|v| degrees[v as usize]).iter().sum::<u32>() - 2)
            .collect();
        assert_eq!(graph.complex().line_graph().unwrap().degrees(), expected, "{}", graph.name);
    }
}

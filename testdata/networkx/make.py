"""Clique counts, components and line-graph sizes of small graphs, by NetworkX."""

import json
import platform
from collections import Counter
from pathlib import Path
from typing import Any

import networkx as nx

OUT = Path(__file__).with_name("cliques.json")
MAX_SIZE = 6  # cliques of 7 vertices and more are not counted

CONVENTION = {
    "clique_counts": f"entry s-1 is the number of cliques of s vertices, maximal or not, s = 1..{MAX_SIZE}; "
    "in the clique complex that is the number of cells of dimension s-1",
    "triangles": "counted a second way, by neighborhoods: sum of networkx.triangles over vertices, divided by 3",
    "components": "sizes of the connected components, descending; an isolated vertex is one",
    "line_graph": "vertices are the edges of the graph, joined where they share an end",
}


def numbered(graph: nx.Graph) -> nx.Graph:
    """The graph with vertices 0..n-1 in the order NetworkX holds them."""
    return nx.convert_node_labels_to_integers(graph)


def graphs() -> dict[str, nx.Graph]:
    """The graphs by name; random ones are seeded."""
    return {
        "empty": nx.empty_graph(0),
        "isolated-4": nx.empty_graph(4),
        "cycle-9": nx.cycle_graph(9),
        "cube": nx.hypercube_graph(3),
        "complete-8": nx.complete_graph(8),
        "octahedron": nx.octahedral_graph(),
        "barbell-6-3": nx.barbell_graph(6, 3),
        "turan-9-3": nx.turan_graph(9, 3),
        "er-34": nx.gnp_random_graph(34, 0.14, seed=1),
        "er-20-sparse": nx.gnp_random_graph(20, 0.08, seed=2),
        "er-20-middle": nx.gnp_random_graph(20, 0.35, seed=3),
        "er-20-dense": nx.gnp_random_graph(20, 0.8, seed=4),
        "er-60": nx.gnp_random_graph(60, 0.15, seed=5),
        "two-cliques-and-an-isolated-vertex": nx.disjoint_union_all(
            [nx.complete_graph(5), nx.complete_graph(4), nx.empty_graph(1)]
        ),
        "cycle-beside-er": nx.disjoint_union(nx.cycle_graph(5), nx.gnp_random_graph(15, 0.5, seed=6)),
    }


def clique_counts(graph: nx.Graph) -> list[int]:
    """Number of cliques of 1..MAX_SIZE vertices."""
    sizes: Counter[int] = Counter()
    for clique in nx.enumerate_all_cliques(graph):  # by ascending size
        if len(clique) > MAX_SIZE:
            break
        sizes[len(clique)] += 1
    return [sizes[size] for size in range(1, MAX_SIZE + 1)]


def record(name: str, graph: nx.Graph) -> dict[str, Any]:
    """One graph and the results of NetworkX."""
    graph = numbered(graph)
    line = nx.line_graph(graph)
    counts = clique_counts(graph)
    triangles = sum(nx.triangles(graph).values()) // 3
    assert triangles == counts[2], name
    return {
        "name": name,
        "n": graph.number_of_nodes(),
        "edges": sorted(sorted(edge) for edge in graph.edges),
        "clique_counts": counts,
        "triangles": triangles,
        "components": sorted(map(len, nx.connected_components(graph)), reverse=True),
        "line_graph": {"n": line.number_of_nodes(), "n_edges": line.number_of_edges()},
    }


def main() -> None:
    """Write the golden file beside this script."""
    golden = {
        "made_with": {"python": platform.python_version(), "networkx": nx.__version__},
        "convention": CONVENTION,
        "graphs": [record(name, graph) for name, graph in graphs().items()],
    }
    OUT.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

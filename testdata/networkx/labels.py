"""Partitions of vertices by the labels of Weisfeiler and Lehman, by NetworkX."""

import json
import platform
import random
from pathlib import Path
from typing import Any

import networkx as nx

OUT = Path(__file__).with_name("labels.json")
ROUNDS = 3

CONVENTION = {
    "vertices": "label of each vertex; null where vertices start with their degrees",
    "bonds": "label of each edge, in the order of edges; null where edges have none",
    "partitions": "round by round from the first refinement on, for each vertex the number of its class; classes are "
    "numbered in the order of their first vertices",
    "by": "networkx.weisfeiler_lehman_subgraph_hashes; of edges without labels it refines by neighbors alone",
}


def partition(labels: list[str]) -> list[int]:
    """Class numbers in the order of first appearance."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def case(name: str, graph: nx.Graph, n_vertices: int, n_bonds: int) -> dict[str, Any]:
    """A graph with this many random labels of vertices and bonds, or none."""
    draw = random.Random(name)
    graph = nx.convert_node_labels_to_integers(graph)
    edges = [sorted(edge) for edge in graph.edges]
    vertices = [str(draw.randrange(n_vertices)) for _ in graph] if n_vertices else None
    bonds = [str(draw.randrange(n_bonds)) for _ in edges] if n_bonds else None
    for v in graph:
        graph.nodes[v]["label"] = vertices[v] if vertices else str(graph.degree(v))
    for edge, bond in zip(edges, bonds, strict=True) if bonds else ():
        graph.edges[edge]["bond"] = bond
    found = nx.weisfeiler_lehman_subgraph_hashes(
        graph, node_attr="label", edge_attr="bond" if bonds else None, iterations=ROUNDS, digest_size=16
    )
    rounds = [partition([found[v][t] for v in graph]) for t in range(ROUNDS)]
    return {
        "name": name,
        "n": graph.number_of_nodes(),
        "edges": edges,
        "vertices": vertices,
        "bonds": bonds,
        "partitions": rounds,
    }


def main() -> None:
    """Writes the file."""
    shapes = {
        "path-7": nx.path_graph(7),
        "star-tail": nx.lollipop_graph(5, 4),
        "petersen": nx.petersen_graph(),
        "er-20": nx.gnp_random_graph(20, 0.15, seed=1),
        "er-30": nx.gnp_random_graph(30, 0.1, seed=2),
        "tree-25": nx.random_labeled_tree(25, seed=3),
    }
    kinds = [(0, 0), (3, 0), (0, 3), (4, 2)]
    graphs = [
        case(f"{name} {vertices} {bonds}", graph, vertices, bonds)
        for name, graph in shapes.items()
        for vertices, bonds in kinds
    ]
    made_with = {"python": platform.python_version(), "networkx": nx.__version__}
    text = json.dumps({"made_with": made_with, "convention": CONVENTION, "graphs": graphs})
    OUT.write_text(text.replace('{"name"', '\n{"name"') + "\n")


if __name__ == "__main__":
    main()

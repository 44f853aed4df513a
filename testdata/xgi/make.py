"""Incidence, clique expansion and Zhou's Laplacian of small hypergraphs, and a file of the format HIF, by XGI."""

import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import xgi

OUT = Path(__file__).with_name("hypergraphs.json")
HIF = Path(__file__).with_name("sample.hif.json")

CONVENTION = {
    "hyperedges": "lists of vertices 0..n-1",
    "weights": "of hyperedges; null where all are 1",
    "incidence": "xgi.incidence_matrix, [n_vertices, n_hyperedges]",
    "adjacency": "xgi.adjacency_matrix(weighted=True): number of hyperedges that hold both vertices; null with weights",
    "zhou": "I - Dv^-1/2 H W De^-1 H^T Dv^-1/2, Dv the weighted degrees: xgi.normalized_hypergraph_laplacian without "
    "weights; with them NumPy from XGI's incidence matrix, because XGI 0.10.2 divides by unweighted degrees; null "
    "where a vertex is in no hyperedge, which XGI refuses",
}


def hypergraphs() -> dict[str, tuple[int, list[list[int]], list[float] | None]]:
    """Number of vertices, hyperedges and weights by name; random ones are seeded."""
    rng = np.random.default_rng(5)
    found: dict[str, tuple[int, list[list[int]], list[float] | None]] = {
        "one-pair": (2, [[0, 1]], None),
        "one-triple": (3, [[0, 1, 2]], None),
        "four-triples": (4, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]], None),
        "two-quads": (4, [[0, 1, 2, 3], [0, 1, 2, 3]], None),
        "fano": (7, [[i, (i + 1) % 7, (i + 3) % 7] for i in range(7)], None),
        "singletons": (3, [[0], [0, 1], [1, 2], [2]], None),
        "isolated": (5, [[0, 1, 2], [2, 3]], None),
    }
    for name, n, m in [("random-small", 8, 6), ("random", 15, 20)]:
        edges = [sorted(rng.choice(n, size=int(rng.integers(1, 6)), replace=False).tolist()) for _ in range(m)]
        edges.append(list(range(n)))
        found[name] = (n, edges, None)
        weights = np.round(rng.uniform(0.2, 3.0, size=len(edges)), 6).tolist()
        found[f"{name}-weighted"] = (n, edges, weights)
    return found


def golden(n: int, edges: list[list[int]], weights: list[float] | None) -> dict[str, Any]:
    """The results of XGI for one hypergraph."""
    hypergraph = xgi.Hypergraph()
    hypergraph.add_nodes_from(range(n))
    for i, edge in enumerate(edges):
        hypergraph.add_edge(edge, idx=i, weight=1.0 if weights is None else weights[i])
    incidence = xgi.incidence_matrix(hypergraph, sparse=False)
    if any(hypergraph.degree(v) == 0 for v in range(n)):
        zhou = None
    elif weights is None:
        zhou = xgi.normalized_hypergraph_laplacian(hypergraph, sparse=False).tolist()
    else:
        roots = 1 / np.sqrt(incidence @ np.array(weights))
        scaled = roots[:, None] * incidence
        zhou = (np.eye(n) - scaled @ np.diag(np.array(weights) / incidence.sum(axis=0)) @ scaled.T).tolist()
    adjacency = None if weights else xgi.adjacency_matrix(hypergraph, sparse=False, weighted=True).tolist()
    return {
        "n_vertices": n,
        "hyperedges": edges,
        "weights": weights,
        "incidence": incidence.tolist(),
        "adjacency": adjacency,
        "zhou": zhou,
    }


def sample() -> xgi.Hypergraph:
    """A hypergraph with attributes, to be read from its file."""
    hypergraph = xgi.Hypergraph()
    for name, size in enumerate([1.5, 2.5, -1.0, 0.0]):
        hypergraph.add_node(name, size=size, kind="odd" if size < 1 else "even")
    hypergraph.add_edge([0, 1, 2], idx=0, weight=2.0, year=2001)
    hypergraph.add_edge([2, 3], idx=1, weight=0.5, year=2002)
    hypergraph["target"] = "ring"
    return hypergraph


def main() -> None:
    """Writes the golden file and the sample of the interchange format."""
    cases = {name: golden(*case) for name, case in hypergraphs().items()}
    made_with = {"python": platform.python_version(), "xgi": xgi.__version__, "numpy": np.__version__}
    OUT.write_text(json.dumps({"made_with": made_with, "convention": CONVENTION, "cases": cases}, indent=1) + "\n")
    xgi.write_hif(sample(), HIF)


if __name__ == "__main__":
    main()

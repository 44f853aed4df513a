"""Boundary operators, Hodge Laplacians and Betti numbers of small cell complexes, by TopoNetX."""

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import sympy
import toponetx as tnx

OUT = Path(__file__).with_name("cells.json")

CONVENTION = {
    "edges": "in the order of TopoNetX, from the lower vertex to the higher one; row and column i belong to edge i",
    "polygons": "2-cells as cycles of vertices, in the order of TopoNetX and oriented as listed",
    "boundaries": "B_1 and B_2 as triplets [row, column, value], sorted by column then row",
    "laplacians": "entry k holds L_k by rows",
    "betti": "n_k - rank B_k - rank B_(k+1), ranks over the rationals by SymPy",
}


def complexes() -> dict[str, tuple[nx.Graph, list[list[int]]]]:
    """Graphs and the cycles that are filled."""
    house = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (2, 4)])
    cube = nx.convert_node_labels_to_integers(nx.hypercube_graph(3), ordering="sorted")
    faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
    prism = nx.circular_ladder_graph(5)
    sides = [[i, (i + 1) % 5, 5 + (i + 1) % 5, 5 + i] for i in range(5)]
    naphthalene = nx.Graph([(i, (i + 1) % 10) for i in range(10)] + [(0, 5)])
    rings = [[0, 1, 2, 3, 4, 5], [0, 5, 6, 7, 8, 9]]
    petersen = nx.petersen_graph()
    pentagons = [[0, 1, 2, 3, 4], [5, 7, 9, 6, 8], [0, 1, 6, 8, 5], [2, 3, 8, 6, 1, 0, 4, 9, 7]]
    torus = nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4, periodic=True), ordering="sorted")
    squares = [
        [4 * i + j, 4 * i + (j + 1) % 4, 4 * ((i + 1) % 4) + (j + 1) % 4, 4 * ((i + 1) % 4) + j]
        for i in range(4)
        for j in range(4)
    ]
    return {
        "house": (house, [[0, 1, 2, 3], [2, 3, 4]]),
        "house-with-a-hole": (house, [[2, 3, 4]]),
        "cube": (cube, faces),
        "open-cube": (cube, faces[:-1]),
        "prism-without-ends": (prism, sides),
        "naphthalene": (naphthalene, rings),
        "petersen": (petersen, pentagons),
        "torus-of-squares": (torus, squares),
    }


def triplets(matrix: np.ndarray) -> list[list[int]]:
    """Non-zero entries [row, column, value], by column then row."""
    columns, rows = np.nonzero(matrix.T)
    return [[int(r), int(c), int(matrix[r, c])] for r, c in zip(rows, columns, strict=True)]


def record(name: str, graph: nx.Graph, polygons: list[list[int]]) -> dict[str, Any]:
    """One complex: its cells, operators, Laplacians and Betti numbers."""
    complex_ = tnx.CellComplex()
    for vertex in sorted(graph.nodes):
        complex_.add_node(vertex)
    complex_.add_edges_from(sorted(tuple(sorted(edge)) for edge in graph.edges))
    for polygon in polygons:
        complex_.add_cell(polygon, rank=2)
    vertices, edges, cells = (complex_.skeleton(k) for k in range(3))
    assert list(vertices) == list(range(graph.number_of_nodes())), name
    b = [complex_.incidence_matrix(k, signed=True).toarray().astype(np.int64) for k in (1, 2)]
    # an edge points from the lower vertex to the higher one
    assert all(b[0][max(e), i] == 1 and b[0][min(e), i] == -1 for i, e in enumerate(edges)), name
    assert not (b[0] @ b[1]).any(), name
    ranks = [0, *(sympy.Matrix(m).rank() for m in b), 0]
    laplacians = [complex_.hodge_laplacian_matrix(k).toarray().astype(np.int64) for k in range(2)]
    laplacians.append(complex_.down_laplacian_matrix(2).toarray().astype(np.int64))
    sizes = [graph.number_of_nodes(), len(edges), len(cells)]
    return {
        "name": name,
        "n": sizes[0],
        "edges": [sorted(edge) for edge in edges],
        "polygons": [list(cell.elements) for cell in cells],
        "boundaries": [triplets(m) for m in b],
        "laplacians": [m.tolist() for m in laplacians],
        "betti": [int(n - ranks[k] - ranks[k + 1]) for k, n in enumerate(sizes)],
    }


def main() -> None:
    """Write the golden file beside this script."""
    records = [record(name, graph, polygons) for name, (graph, polygons) in complexes().items()]
    versions = {name: version(name) for name in ("toponetx", "networkx", "numpy", "sympy")}
    golden = {
        "made_with": {"python": platform.python_version(), **versions},
        "convention": CONVENTION,
        "complexes": records,
    }
    OUT.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

"""Boundary operators, Hodge Laplacians, spectra and Betti numbers of small complexes, by TopoNetX."""

import json
import platform
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import sympy
import toponetx as tnx

OUT = Path(__file__).with_name("complexes.json")
Simplex = tuple[int, ...]

CONVENTION = {
    "simplices": "entry k lists the k-simplices in the order of TopoNetX (lexicographic here), vertices ascending; "
    "row and column i of an operator belong to simplex i; an edge points from the lower vertex to the higher",
    "clique": "true where the complex is the clique complex of its graph, cliques up to dimension max_dim; "
    "otherwise the triangles are those listed",
    "boundaries": "entry k-1 is B_k as triplets [row, column, value], sorted by column then row; "
    "B_k[v_0..v_k] = sum_i (-1)^i [.., v_(i-1), v_(i+1), ..]",
    "laplacians": "entry k holds L_k by rows, its down term B_k' B_k and its up term B_(k+1) B_(k+1)'; "
    "a term is null where it is zero by definition (down at k = 0, up at k = max_dim)",
    "exact_eigenvalues": "non-zero eigenvalues of the down term, ascending, with multiplicity",
    "coexact_eigenvalues": "non-zero eigenvalues of the up term, ascending, with multiplicity",
    "betti": "dimension of the harmonic space, n_k - rank B_k - rank B_(k+1), ranks over the rationals by SymPy",
}


def cliques(graph: nx.Graph, max_dim: int) -> list[Simplex]:
    """All cliques of the graph with at most max_dim + 1 vertices."""
    graph = nx.convert_node_labels_to_integers(graph)
    return [tuple(sorted(c)) for c in nx.enumerate_all_cliques(graph) if len(c) <= max_dim + 1]


def closure(n: int, facets: list[Simplex]) -> list[Simplex]:
    """The vertices 0..n-1, the facets and all their faces."""
    faces = {face for f in facets for size in range(1, len(f) + 1) for face in combinations(sorted(f), size)}
    return sorted(faces | {(v,) for v in range(n)}, key=lambda s: (len(s), s))


def klein_bottle(n: int) -> list[Simplex]:
    """Triangles of an n by n grid whose one pair of sides is glued with a flip."""

    def vertex(i: int, j: int) -> int:
        return (i % n) * n + (j if i < n else -j) % n

    cells = [(i, j) for i in range(n) for j in range(n)]
    lower = [(vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)) for i, j in cells]
    upper = [(vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1)) for i, j in cells]
    return lower + upper


def clique_complexes() -> dict[str, tuple[int, list[Simplex]]]:
    """Clique complexes by name, with the highest dimension of their cliques."""
    triangles_round_a_square = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 3), (0, 4), (1, 4), (2, 5), (2, 6), (5, 6)])
    er = nx.gnp_random_graph(9, 0.5, seed=7)
    named = {
        "vertex": (2, nx.empty_graph(1)),
        "isolated-vertices": (2, nx.empty_graph(3)),
        "path-6": (2, nx.path_graph(6)),
        "star-6": (2, nx.star_graph(6)),
        "cycle-5": (2, nx.cycle_graph(5)),
        "complete-5": (2, nx.complete_graph(5)),
        "complete-5-with-higher-cliques": (4, nx.complete_graph(5)),
        "octahedron": (2, nx.octahedral_graph()),
        "two-filled-triangles-with-an-open-square": (2, triangles_round_a_square),
        "erdos-renyi-9": (2, er),
        "erdos-renyi-12-with-tetrahedra": (3, nx.gnp_random_graph(12, 0.45, seed=8)),
        "union-of-triangle-path-square-vertex": (
            2,
            nx.disjoint_union_all([nx.complete_graph(3), nx.path_graph(3), nx.cycle_graph(4), nx.empty_graph(1)]),
        ),
        "union-of-two-equal-graphs": (2, nx.disjoint_union(er, er)),
    }
    return {name: (dim, cliques(graph, dim)) for name, (dim, graph) in named.items()}


def other_complexes() -> dict[str, list[Simplex]]:
    """Simplicial complexes of dimension 2 with other triangles than the cliques of their graph."""
    projective_plane = "012 023 034 045 015 124 235 134 245 135"
    return {
        "hollow-triangle": closure(3, [(0, 1), (1, 2), (0, 2)]),
        "complete-4-half-filled": closure(4, [*combinations(range(4), 2), (0, 1, 2), (1, 2, 3)]),
        "torus-7": closure(
            7,
            [tuple((i + s) % 7 for s in shape) for i in range(7) for shape in ((0, 1, 3), (0, 2, 3))],
        ),
        "projective-plane-6": closure(6, [tuple(map(int, facet)) for facet in projective_plane.split()]),
        "klein-bottle-16": closure(16, klein_bottle(4)),
    }


def assert_closed_surface(name: str, simplices: list[Simplex], euler: int) -> None:
    """Every edge has two triangles and the Euler characteristic is right."""
    triangles = [s for s in simplices if len(s) == 3]
    for edge in (s for s in simplices if len(s) == 2):
        assert sum(set(edge) <= set(t) for t in triangles) == 2, (name, edge)
    assert sum((-1) ** (len(s) - 1) for s in simplices) == euler, name


def boundary(complex_: tnx.SimplicialComplex, k: int, shape: tuple[int, int]) -> np.ndarray:
    """B_k as a dense integer matrix; without columns where there are no k-simplices."""
    if k > complex_.dim:
        return np.zeros(shape, dtype=np.int64)
    matrix = complex_.incidence_matrix(k).toarray().astype(np.int64)
    assert matrix.shape == shape
    return matrix


def laplacian(complex_: tnx.SimplicialComplex, term: str, k: int, n: int) -> np.ndarray:
    """One of TopoNetX's Laplacians (hodge, down, up), zero where the complex ends below it."""
    top = k + 1 if term == "up" or (term == "hodge" and k == 0) else k
    if top > complex_.dim:
        return np.zeros((n, n), dtype=np.int64)
    return getattr(complex_, f"{term}_laplacian_matrix")(k).toarray().astype(np.int64)


def nonzero_eigenvalues(matrix: np.ndarray, rank: int) -> list[float]:
    """The rank largest eigenvalues of a positive semi-definite matrix, ascending."""
    values = np.linalg.eigvalsh(matrix.astype(float)) if matrix.size else np.zeros(0)
    zeros, nonzero = np.split(values, [len(values) - rank])
    assert np.all(np.abs(zeros) < 1e-9) and np.all(nonzero > 1e-3)
    return nonzero.tolist()


def triplets(matrix: np.ndarray) -> list[list[int]]:
    """Non-zero entries [row, column, value], by column then row."""
    columns, rows = np.nonzero(matrix.T)
    return [[int(r), int(c), int(matrix[r, c])] for r, c in zip(rows, columns, strict=True)]


def record(name: str, max_dim: int, simplices: list[Simplex], clique: bool) -> dict[str, Any]:
    """One complex: its simplices, operators, spectra and Betti numbers."""
    complex_ = tnx.SimplicialComplex(simplices)
    cells = [[tuple(sorted(s)) for s in complex_.skeleton(k)] if k <= complex_.dim else [] for k in range(max_dim + 1)]
    counts = [len(c) for c in cells]
    assert all(c == sorted(c) for c in cells), name
    assert cells[0] == [(v,) for v in range(counts[0])] and sum(counts) == len(simplices), name
    b = [boundary(complex_, k, (counts[k - 1], counts[k])) for k in range(1, max_dim + 1)]
    ranks = [0, *(sympy.Matrix(m).rank() if m.size else 0 for m in b), 0]
    laplacians = []
    for k, n in enumerate(counts):
        down = laplacian(complex_, "down", k, n) if k > 0 else None
        up = laplacian(complex_, "up", k, n) if k < max_dim else None
        total = laplacian(complex_, "hodge", k, n)
        assert np.array_equal(total, sum(t for t in (down, up) if t is not None)), name
        laplacians.append(
            {
                "hodge": total.tolist(),
                "down": None if down is None else down.tolist(),
                "up": None if up is None else up.tolist(),
                "exact_eigenvalues": [] if down is None else nonzero_eigenvalues(down, ranks[k]),
                "coexact_eigenvalues": [] if up is None else nonzero_eigenvalues(up, ranks[k + 1]),
            }
        )
    return {
        "name": name,
        "clique": clique,
        "max_dim": max_dim,
        "n": counts[0],
        "simplices": cells,
        "boundaries": [triplets(m) for m in b],
        "laplacians": laplacians,
        "betti": [int(n - ranks[k] - ranks[k + 1]) for k, n in enumerate(counts)],
    }


def main() -> None:
    """Write the golden file beside this script."""
    others = other_complexes()
    for name, euler in (("torus-7", 0), ("projective-plane-6", 1), ("klein-bottle-16", 0)):
        assert_closed_surface(name, others[name], euler)
    records = [record(name, dim, simplices, True) for name, (dim, simplices) in clique_complexes().items()]
    records += [record(name, 2, simplices, False) for name, simplices in others.items()]
    versions = {name: version(name) for name in ("toponetx", "networkx", "numpy", "sympy")}
    golden = {
        "made_with": {"python": platform.python_version(), **versions},
        "convention": CONVENTION,
        "complexes": records,
    }
    OUT.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

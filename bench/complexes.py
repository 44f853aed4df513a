"""Complexes of dimension 2 in NumPy: files, generators, and the dense Laplacians the benchmark times."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial import Delaunay

SPARSE_FROM_EDGES = 200  # below this a dense product is faster than the set-up of a sparse one


@dataclass(frozen=True)
class Complex:
    """Vertices, oriented edges, triangles, and one signal on vertices and on edges."""

    n: int
    edges: np.ndarray  # [m, 2], tail and head
    triangles: np.ndarray  # [t, 3], oriented in the order named
    vertex_signal: np.ndarray  # [n, d0]
    edge_signal: np.ndarray  # [m, d1]


def complex_from_record(record: dict[str, Any], rng: np.random.Generator) -> Complex:
    """Adapt one line of a JSONL file; triangles default to the cliques, signals to random ones."""
    n = int(record["n"])
    edges = np.asarray(record["edges"], dtype=np.int64).reshape(-1, 2)
    triangles = record.get("triangles")
    triangles = cliques_of_three(n, edges) if triangles is None else np.asarray(triangles, np.int64).reshape(-1, 3)
    vertex, edge = (
        signal_from_rows(record.get(key), count, rng)
        for key, count in (("vertex_signal", n), ("edge_signal", len(edges)))
    )
    return Complex(n, edges, triangles, vertex, edge)


def signal_from_rows(rows: list[Any] | None, count: int, rng: np.random.Generator) -> np.ndarray:
    """A signal on so many cells, one channel of normal values where none is given."""
    if rows is None:
        return rng.standard_normal((count, 1))
    return np.asarray(rows, dtype=float).reshape(count, -1 if count else 1)


def record_from_complex(complex_: Complex) -> dict[str, Any]:
    """The line of a JSONL file that `complex_from_record` reads back."""
    return {
        "n": complex_.n,
        "edges": complex_.edges.tolist(),
        "triangles": complex_.triangles.tolist(),
        "vertex_signal": complex_.vertex_signal.tolist(),
        "edge_signal": complex_.edge_signal.tolist(),
    }


def read_jsonl(path: Path, seed: int = 0) -> list[Complex]:
    """All complexes of a JSONL file, one a line."""
    rng = np.random.default_rng(seed)
    with path.open() as lines:
        return [complex_from_record(json.loads(line), rng) for line in lines if line.strip()]


def write_jsonl(path: Path, complexes: Iterable[Complex]) -> None:
    """One line for each complex."""
    with path.open("w") as out:
        out.writelines(json.dumps(record_from_complex(c), separators=(",", ":")) + "\n" for c in complexes)


def cliques_of_three(n: int, edges: np.ndarray) -> np.ndarray:
    """Triangles of a graph, vertices ascending, in lexicographic order."""
    low, high = np.sort(edges, axis=1).T
    ahead = np.zeros((n, n), dtype=bool)
    ahead[low, high] = True
    edge, third = np.nonzero(ahead[low] & ahead[high])  # third > high > low
    triangles = np.stack([low[edge], high[edge], third], axis=1)
    return triangles[np.lexsort(triangles.T[::-1])]


def boundary_1(complex_: Complex) -> np.ndarray:
    """B_1, dense."""
    columns = np.arange(len(complex_.edges))
    b = np.zeros((complex_.n, len(columns)))
    b[complex_.edges[:, 0], columns] = -1.0
    b[complex_.edges[:, 1], columns] = 1.0
    return b


def boundary_2_entries(complex_: Complex) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and sign of the non-zeros of B_2."""
    n, (tails, heads) = complex_.n, complex_.edges.T
    keys = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    order = np.argsort(keys)
    a, b, c = complex_.triangles.T
    first, second = np.concatenate([a, b, c]), np.concatenate([b, c, a])
    rows = order[np.searchsorted(keys, np.minimum(first, second) * n + np.maximum(first, second), sorter=order)]
    columns = np.tile(np.arange(len(complex_.triangles)), 3)
    return rows, columns, np.where(tails[rows] == first, 1.0, -1.0)


def laplacian_0(complex_: Complex) -> np.ndarray:
    """L_0 = D - A, written entry by entry."""
    tails, heads = complex_.edges.T
    laplacian = np.zeros((complex_.n, complex_.n))
    laplacian[tails, heads] = laplacian[heads, tails] = -1.0
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    return laplacian


def laplacian_1(complex_: Complex, sparse_from: int = SPARSE_FROM_EDGES) -> np.ndarray:
    """L_1 = B_1' B_1 + B_2 B_2', dense; the products are sparse where that is faster."""
    m, t = len(complex_.edges), len(complex_.triangles)
    rows, columns, signs = boundary_2_entries(complex_)
    if m < sparse_from:
        b1, b2 = boundary_1(complex_), np.zeros((m, t))
        b2[rows, columns] = signs
        return b1.T @ b1 + b2 @ b2.T
    ends = complex_.edges.T.ravel()
    edge = np.tile(np.arange(m), 2)
    b1 = sparse.csr_matrix((np.repeat([-1.0, 1.0], m), (ends, edge)), shape=(complex_.n, m))
    b2 = sparse.csr_matrix((signs, (rows, columns)), shape=(m, t))
    return (b1.T @ b1 + b2 @ b2.T).toarray()


def delaunay_mesh(n: int, rng: np.random.Generator) -> Complex:
    """Delaunay mesh of n uniform points in the unit square, with normal signals."""
    triangles = np.sort(Delaunay(rng.random((n, 2))).simplices.astype(np.int64), axis=1)
    edges = np.unique(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]]), axis=0)
    return Complex(n, edges, triangles, rng.standard_normal((n, 1)), rng.standard_normal((len(edges), 1)))


def random_graph(n: int, mean_degree: float, rng: np.random.Generator) -> Complex:
    """Clique complex of an Erdos-Renyi graph, with normal signals."""
    edges = np.argwhere(np.triu(rng.random((n, n)) < mean_degree / (n - 1), k=1))
    triangles = cliques_of_three(n, edges)
    return Complex(n, edges, triangles, rng.standard_normal((n, 1)), rng.standard_normal((len(edges), 1)))


def random_graphs(n: int, mean_degree: float, count: int, seed: int) -> Iterator[Complex]:
    """Several Erdos-Renyi clique complexes from one seed."""
    rng = np.random.default_rng(seed)
    return (random_graph(n, mean_degree, rng) for _ in range(count))

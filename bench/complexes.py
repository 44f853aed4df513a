"""Complexes of dimension 2 in NumPy: files, generators, and the dense Laplacians the benchmark times."""

import json
from collections.abc import Iterator, Sequence
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


def complex_from_record(
    record: dict[str, Any], rng: np.random.Generator, columns: Sequence[dict[str, Any]] = ()
) -> Complex:
    """Adapt one complex of a JSONL file; triangles default to the cliques, signals to random ones."""
    n = int(record["vertices"])
    edges = np.asarray(record.get("edges", []), dtype=np.int64).reshape(-1, 2)
    triangles = record.get("triangles")
    triangles = cliques_of_three(n, edges) if triangles is None else np.asarray(triangles, np.int64).reshape(-1, 3)
    vertex, edge = (signal(record, columns, dim, count, rng) for dim, count in ((0, n), (1, len(edges))))
    return Complex(n, edges, triangles, vertex, edge)


def signal(
    record: dict[str, Any], columns: Sequence[dict[str, Any]], dim: int, count: int, rng: np.random.Generator
) -> np.ndarray:
    """All columns of one dimension side by side, one channel of normal values where there is none."""
    given = record.get("signals", {}).get(str(dim), {})
    parts = [channels(column, given.get(column["name"], []), count) for column in columns if column["dim"] == dim]
    return np.hstack(parts) if parts else rng.standard_normal((count, 1))


def channels(column: dict[str, Any], values: list[Any], count: int) -> np.ndarray:
    """Numbers as they are, labels one-hot over the categories that the header names."""
    if column["kind"] == "real":
        return np.asarray(values, dtype=float).reshape(count, len(column["channels"]))
    categories = np.asarray(column["categories"])
    return (np.asarray([str(value) for value in values]).reshape(count, 1) == categories).astype(float)


def header_of(complexes: Sequence[Complex]) -> dict[str, Any]:
    """The first line of a JSONL file; edges carry flows, as the peer takes them."""
    first = complexes[0]
    columns = [
        {"name": "x", "dim": dim, "kind": "real", "channels": [str(d) for d in range(values.shape[1])]}
        for dim, values in enumerate((first.vertex_signal, first.edge_signal))
    ]
    columns[1]["oriented"] = True
    return {"hodgelet": 1, "name": "complexes", "target": "none", "columns": columns}


def record_from_complex(complex_: Complex) -> dict[str, Any]:
    """The line of a JSONL file that `complex_from_record` reads back."""
    signals = (complex_.vertex_signal, complex_.edge_signal)
    values = [x[:, 0].tolist() if x.shape[1] == 1 else x.tolist() for x in signals]
    return {
        "vertices": complex_.n,
        "edges": complex_.edges.tolist(),
        "triangles": complex_.triangles.tolist(),
        "signals": {str(dim): {"x": x} for dim, x in enumerate(values)},
    }


def read_jsonl(path: Path, seed: int = 0) -> list[Complex]:
    """All complexes of a JSONL file: a header, then one per line."""
    rng = np.random.default_rng(seed)
    with path.open() as lines:
        header, *records = [json.loads(line) for line in lines if line.strip()]
    return [complex_from_record(record, rng, header.get("columns", [])) for record in records]


def write_jsonl(path: Path, complexes: Sequence[Complex]) -> None:
    """A header, then one line for each complex."""
    records = [header_of(complexes), *map(record_from_complex, complexes)]
    with path.open("w") as out:
        out.writelines(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


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

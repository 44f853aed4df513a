"""Datasets of the TU collection, from a folder or a zip archive."""

import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Graph:
    """One graph: edges once each, values row by row."""

    n: int
    edges: np.ndarray  # [m, 2]
    node_labels: list[tuple[int, ...]] | None
    node_attributes: np.ndarray | None  # [n, d]
    edge_labels: list[tuple[int, ...]] | None
    edge_attributes: np.ndarray | None  # [m, d]

    def degrees(self) -> np.ndarray:
        """Number of edges at each node."""
        return np.bincount(self.edges.ravel(), minlength=self.n) if len(self.edges) else np.zeros(self.n, int)


@dataclass
class Dataset:
    """Graphs and their targets, in the order of the files."""

    name: str
    graphs: list[Graph]
    targets: np.ndarray  # classes counted from 0 in ascending order, or real numbers
    classes: list[int] | None


def texts(name: str, data_dir: Path) -> dict[str, str]:
    """The files of a dataset by the ends of their names."""
    folder, archive = data_dir / name, data_dir / f"{name}.zip"
    if folder.is_dir():
        return {p.stem.removeprefix(f"{name}_"): p.read_text() for p in sorted(folder.glob(f"{name}_*.txt"))}
    if archive.is_file():
        with zipfile.ZipFile(archive) as files:
            return {
                Path(n).stem.removeprefix(f"{name}_"): files.read(n).decode()
                for n in files.namelist()
                if n.endswith(".txt") and Path(n).name.startswith(f"{name}_")
            }
    raise SystemExit(f"{name}: neither {folder} nor {archive} exists")


def rows(text: str) -> list[list[str]]:
    """Fields of every line that is not empty."""
    return [line.replace(",", " ").split() for line in text.splitlines() if line.strip()]


def load(name: str, data_dir: Path) -> Dataset:
    """Read a dataset."""
    files = texts(name, data_dir)
    owner = np.array([int(r[0]) - 1 for r in rows(files["graph_indicator"])])
    starts = np.searchsorted(owner, np.arange(owner.max() + 2))
    arcs = np.array([[int(a) - 1, int(b) - 1] for a, b in rows(files["A"])])
    once = arcs[:, 0] < arcs[:, 1]

    def values(key: str) -> list[list[str]] | None:
        return rows(files[key]) if key in files else None

    node_labels, node_attributes = values("node_labels"), values("node_attributes")
    edge_labels, edge_attributes = values("edge_labels"), values("edge_attributes")
    n_attributes = len(edge_attributes[0]) if edge_attributes else 0
    by_graph: list[list[int]] = [[] for _ in range(len(starts) - 1)]
    for a in np.flatnonzero(once):
        by_graph[owner[arcs[a, 0]]].append(int(a))
    kept = [np.array(one, int) for one in by_graph]
    graphs = []
    for g, arc in enumerate(kept):
        first, last = starts[g], starts[g + 1]
        graphs.append(
            Graph(
                n=int(last - first),
                edges=arcs[arc] - first if len(arc) else np.zeros((0, 2), int),
                node_labels=node_labels and [tuple(map(int, r)) for r in node_labels[first:last]],
                node_attributes=node_attributes and np.array(node_attributes[first:last], float),
                edge_labels=edge_labels and [tuple(map(int, edge_labels[a])) for a in arc],
                edge_attributes=edge_attributes
                and np.array([edge_attributes[a] for a in arc], float).reshape(len(arc), n_attributes),
            )
        )
    if "graph_labels" in files:
        labels = np.array([int(r[0]) for r in rows(files["graph_labels"])])
        classes, codes = np.unique(labels, return_inverse=True)
        return Dataset(name, graphs, codes, classes.tolist())
    return Dataset(name, graphs, np.array([float(r[0]) for r in rows(files["graph_attributes"])]), None)


def alphabet(items: list[list[tuple[int, ...]]]) -> dict[tuple[int, ...], int]:
    """A column for each label that occurs."""
    return {label: i for i, label in enumerate(sorted({label for one in items for label in one}))}


def counts(items: list[list[tuple[int, ...]]]) -> np.ndarray:
    """How often each label occurs, graph by graph."""
    columns = alphabet(items)
    table = np.zeros((len(items), len(columns)))
    for i, one in enumerate(items):
        for label, count in Counter(one).items():
            table[i, columns[label]] = count
    return table


def histograms(dataset: Dataset) -> np.ndarray:
    """Degree and label histograms: what a graph is made of, not how it is joined."""
    degrees = [[(int(d),) for d in graph.degrees()] for graph in dataset.graphs]
    tables = [counts(degrees)]
    if dataset.graphs[0].node_labels is not None:
        tables.append(counts([graph.node_labels or [] for graph in dataset.graphs]))
    if dataset.graphs[0].edge_labels is not None:
        tables.append(counts([graph.edge_labels or [] for graph in dataset.graphs]))
    return np.hstack(tables)


def pooled(dataset: Dataset) -> np.ndarray:
    """Histograms, and sums and means of attributes: the same signals, pooled over the cells of a graph."""
    tables = [histograms(dataset), np.array([[g.n, len(g.edges)] for g in dataset.graphs], float)]
    tables.append(tables[0] / np.maximum(tables[1][:, :1], 1))
    for kind in ("node_attributes", "edge_attributes"):
        given = [getattr(graph, kind) for graph in dataset.graphs]
        if given[0] is not None:
            tables.append(np.array([one.sum(axis=0) for one in given]))
            tables.append(np.array([one.sum(axis=0) / max(len(one), 1) for one in given]))
    return np.hstack(tables)

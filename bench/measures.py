"""A training problem as energy measures: its file layout, and a seeded generator of synthetic ones."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ARRAYS = ("eigenvalues", "energies", "starts", "alphas", "betas")
SCALARS = ("lengthscale", "variance")


@dataclass(frozen=True)
class Block:
    """Energy measures of all graphs in one Hodge component, and the values its kernel starts from."""

    eigenvalues: np.ndarray  # [n_atoms], atoms of all graphs one after the other
    energies: np.ndarray  # [n_atoms, n_channels]
    starts: np.ndarray  # [n_graphs + 1], atoms of graph i are starts[i]..starts[i + 1]
    alphas: np.ndarray  # [W] scales of the low-pass; empty: no bank, one column per channel (harmonic)
    betas: np.ndarray  # [W, L] scales of the band-pass filters
    lengthscale: float
    variance: float
    name: str = ""

    def select(self, graphs: np.ndarray) -> "Block":
        """The block of some of the graphs, in the order given."""
        atoms = [np.arange(self.starts[g], self.starts[g + 1]) for g in graphs]
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *atoms])
        starts = np.concatenate([[0], np.cumsum([len(a) for a in atoms])]).astype(np.int64)
        scales = (self.alphas, self.betas, self.lengthscale, self.variance, self.name)
        return Block(self.eigenvalues[rows], self.energies[rows], starts, *scales)

    def padded(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues [n_graphs, n_max] and energies [n_graphs, n_max, n_channels], zero beyond a graph's atoms."""
        counts = np.diff(self.starts)
        graph = np.repeat(np.arange(len(counts)), counts)
        place = np.arange(len(graph)) - np.repeat(self.starts[:-1], counts)
        eigenvalues = np.zeros((len(counts), max(1, counts.max(initial=0))))
        energies = np.zeros((*eigenvalues.shape, self.energies.shape[1]))
        eigenvalues[graph, place], energies[graph, place] = self.eigenvalues, self.energies
        return eigenvalues, energies


@dataclass(frozen=True)
class Problem:
    """Blocks and labels of all graphs, and which of them are trained on."""

    blocks: list[Block]
    labels: np.ndarray  # [n_graphs], classes 0..n_classes - 1
    train: np.ndarray  # indices of graphs
    n_classes: int
    source: str = field(default="")


def block_from_fields(fields: dict[str, Any]) -> Block:
    """A block from lists or arrays, its shapes checked."""
    eigenvalues = np.asarray(fields["eigenvalues"], dtype=float)
    starts = np.asarray(fields["starts"], dtype=np.int64)
    alphas = np.asarray(fields["alphas"], dtype=float).reshape(-1)
    energies = np.asarray(fields["energies"], dtype=float)
    energies = energies.reshape(len(eigenvalues), -1 if len(eigenvalues) else 1)
    betas = np.asarray(fields["betas"], dtype=float)
    betas = betas.reshape(len(alphas), -1 if len(alphas) else 0)
    if starts[0] != 0 or starts[-1] != len(eigenvalues) or np.any(np.diff(starts) < 0):
        raise ValueError(f"starts must ascend from 0 to the {len(eigenvalues)} atoms")
    scalars = (float(fields[key]) for key in SCALARS)
    return Block(eigenvalues, energies, starts, alphas, betas, *scalars, name=str(fields.get("name", "")))


def read_problem(path: Path) -> Problem:
    """Read a problem from a JSON or NPZ file."""
    if path.suffix == ".npz":
        with np.load(path) as stored:
            top: dict[str, Any] = {key: stored[key] for key in ("labels", "train", "n_classes")}
            names = (*ARRAYS, *SCALARS)
            count = int(stored["n_blocks"])
            top["blocks"] = [{key: stored[f"block{b}_{key}"] for key in names} for b in range(count)]
    else:
        top = json.loads(path.read_text())
    labels, train = (np.asarray(top[key], dtype=np.int64) for key in ("labels", "train"))
    return Problem([block_from_fields(b) for b in top["blocks"]], labels, train, int(top["n_classes"]), path.name)


def write_problem(path: Path, problem: Problem) -> None:
    """Write a problem as JSON or NPZ, by the ending of the name."""
    top = {"labels": problem.labels, "train": problem.train, "n_classes": problem.n_classes}
    fields = [{key: getattr(block, key) for key in (*ARRAYS, *SCALARS)} for block in problem.blocks]
    if path.suffix == ".npz":
        named = {f"block{b}_{key}": value for b, block in enumerate(fields) for key, value in block.items()}
        np.savez_compressed(path, n_blocks=len(fields), **top, **named)
    else:
        blocks = [{"name": b.name, **f} for b, f in zip(problem.blocks, fields, strict=True)]
        path.write_text(json.dumps({**top, "blocks": blocks}, default=np.ndarray.tolist) + "\n")


def synthetic_block(labels: np.ndarray, channels: int, filters: int, rng: np.random.Generator) -> Block:
    """Atoms on (0, 6) whose energies lean towards an eigenvalue that depends on the class."""
    counts = rng.integers(5, 60, len(labels))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    eigenvalues = rng.uniform(0.05, 6.0, starts[-1])
    center = np.repeat(1.0 + labels, counts) * 4.0 / (1 + labels.max())
    weight = 1.0 + np.exp(-np.square(eigenvalues - center))
    energies = weight[:, None] * np.square(rng.standard_normal((starts[-1], channels)))
    lengthscale = np.sqrt(max(1, filters) * channels)
    alphas, betas = rng.uniform(4, 6, filters), rng.uniform(0.1, 5, (filters, 3))
    return Block(eigenvalues, energies, starts, alphas, betas, float(lengthscale), 1.0, "synthetic")


def harmonic_block(labels: np.ndarray, channels: int, rng: np.random.Generator) -> Block:
    """One atom at eigenvalue 0 for each graph."""
    n = len(labels)
    energies = np.square(rng.standard_normal((n, channels)))
    none = np.zeros(0)
    return Block(np.zeros(n), energies, np.arange(n + 1), none, none.reshape(0, 0), channels**0.5, 1.0, "harmonic")


def synthetic_problem(n: int, n_classes: int, channels: int, filters: int, seed: int) -> Problem:
    """A problem with two blocks whose classes differ in where their energy lies."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    blocks = [synthetic_block(labels, channels, filters, rng), harmonic_block(labels, channels, rng)]
    return Problem(blocks, labels, np.arange(n), n_classes, f"synthetic, seed {seed}")

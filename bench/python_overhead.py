"""What Python adds: training against the command, NetworkX graphs against plain iteration, arrays against a copy.

    python bench/python_overhead.py [--dataset sbm] [--set n_graphs=400] [--command hodgelet] [--repeats 5]

Needs an installed release of the package (``pip install .``) and NetworkX. Times are medians; the first run of each
does not count.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from hodgelet import HodgeletClassifier, as_batch, datasets

LIMITS = {"training": 1.05, "NetworkX": 3.0}


def median_time(work: Callable[[], Any], repeats: int) -> float:
    """Median seconds of ``work`` after one run that does not count."""
    return median_times([work], repeats)[0]


def seconds(work: Callable[[], Any]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def median_times(works: list[Callable[[], Any]], repeats: int) -> list[float]:
    """Median seconds of each, taken in turn: a machine that slows down slows all of them."""
    times = [[seconds(work) for work in works] for _ in range(repeats + 1)]
    return [statistics.median(column) for column in zip(*times[1:], strict=True)]


def training(arguments: argparse.Namespace) -> tuple[float, float]:
    """Seconds to read, train and save: Python, and the command minus its start-up time."""
    settings = dict(setting.split("=", 1) for setting in arguments.set)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "python", Path(folder) / "command"

        def python() -> None:
            data = datasets.load(arguments.dataset, **settings)
            HodgeletClassifier(max_iter=arguments.iterations).fit(data.graphs, data.target).save(ours)

        line = [*shlex.split(arguments.command), "fit", arguments.dataset, "--quiet", "--out", str(theirs)]
        line += ["--iterations", str(arguments.iterations), *(f"--set={setting}" for setting in arguments.set)]

        def command() -> None:
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL)

        def start() -> None:
            subprocess.run([*shlex.split(arguments.command), "--version"], check=True, stdout=subprocess.DEVNULL)

        mine, other, nothing = median_times([python, command, start], arguments.repeats)
    return mine, other - nothing


def networkx_graphs(repeats: int) -> tuple[float, float]:
    """Seconds to convert NetworkX graphs with attributes, and to iterate over them."""
    rng = np.random.default_rng(0)
    graphs = [nx.gnm_random_graph(30, 60, seed=i) for i in range(1000)]
    for graph in graphs:
        nx.set_node_attributes(graph, {v: float(rng.normal()) for v in graph}, "x")
        nx.set_edge_attributes(graph, {e: int(rng.integers(3)) for e in graph.edges}, "bond")

    def iterate() -> None:
        for graph in graphs:
            for _, attributes in graph.nodes(data=True):
                attributes["x"]
            for _, _, attributes in graph.edges(data=True):
                attributes["bond"]

    convert = median_time(lambda: as_batch(graphs, vertex_attrs=["x"], edge_attrs=["bond"]), repeats)
    return convert, median_time(iterate, repeats)


def arrays(repeats: int) -> tuple[float, float]:
    """Seconds from a batch of arrays to measures of nothing but its size, and to copy the arrays."""
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(2000):
        edges = np.array([(a, b) for a in range(40) for b in range(a) if (a - b) in (1, 2, 5)]).T
        graphs.append((edges, rng.normal(size=(40, 8))))
    batch = as_batch(graphs)
    copied = median_time(lambda: (batch.edges.copy(), *(c.values.copy() for c in batch.columns)), repeats)
    return median_time(lambda: as_batch(batch), repeats), copied


def main() -> int:
    """Prints the three comparisons; the status is 1 when a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="sbm")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--command", default=f"{sys.executable} -m hodgelet")
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    rows = {
        "training": (training(arguments), "the command"),
        "NetworkX": (networkx_graphs(arguments.repeats), "iterating"),
        "arrays": (arrays(arguments.repeats), "copying"),
    }
    passed = True
    for name, ((ours, theirs), other) in rows.items():
        limit = LIMITS.get(name)
        ratio = ours / theirs
        passed &= limit is None or ratio <= limit
        allowed = "" if limit is None else f", at most {limit:g} allowed"
        print(f"{name:10} {1e3 * ours:9.1f} ms   {other} {1e3 * theirs:9.1f} ms   ratio {ratio:.2f}{allowed}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

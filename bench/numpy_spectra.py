"""Energies of vertex and edge signals: NumPy's `eigh` of L_0 and L_1 beside hodgelet, in one run."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from complexes import Complex, delaunay_mesh, laplacian_0, laplacian_1, random_graphs, read_jsonl, write_jsonl
from threadpoolctl import threadpool_info, threadpool_limits

MESH_SIZES = (25, 50, 100, 150, 200, 350)
GRAPH_SIZES = (10, 20, 30, 60, 100)
Task = Callable[[list[Complex]], None]


def energies(laplacian: np.ndarray, signal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and squared spectral coefficients of a signal."""
    eigenvalues, vectors = np.linalg.eigh(laplacian)
    return eigenvalues, np.square(vectors.T @ signal)


def per_graph(complexes: list[Complex]) -> None:
    """Vertex and edge energies, one graph after the other."""
    for complex_ in complexes:
        energies(laplacian_0(complex_), complex_.vertex_signal)
        energies(laplacian_1(complex_), complex_.edge_signal)


def batched(complexes: list[Complex]) -> None:
    """Vertex and edge energies with one stacked `eigh` for all matrices of one size."""
    groups: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
    for c in complexes:
        for matrix, signal in ((laplacian_0(c), c.vertex_signal), (laplacian_1(c), c.edge_signal)):
            groups[signal.shape].append((matrix, signal))
    for group in groups.values():
        matrices, signals = (np.stack(parts) for parts in zip(*group, strict=True))
        _, vectors = np.linalg.eigh(matrices)
        np.square(vectors.transpose(0, 2, 1) @ signals)


def edges_only(complexes: list[Complex]) -> None:
    """Edge energies alone, from `eigh(L_1)`."""
    for complex_ in complexes:
        energies(laplacian_1(complex_), complex_.edge_signal)


def best_seconds(task: Task, complexes: list[Complex], repeats: int, threads: int | None) -> float:
    """Shortest time of several runs after one on a few graphs to warm up."""
    with threadpool_limits(threads, user_api="blas") if threads else nullcontext():
        task(complexes[:3])
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            task(complexes)
            times.append(time.perf_counter() - start)
    return min(times)


def run_lab(args: list[str]) -> dict[str, Any]:
    """Run a program that prints one JSON object on stdout, and parse it."""
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(args)}: exit status {done.returncode}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def hodgelet_seconds(binary: str, complexes: list[Complex], dims: str, repeats: int, threads: int | None) -> float:
    """Seconds the program reports for the energies of all complexes, files and start-up left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "complexes.jsonl"
        write_jsonl(path, complexes)
        signals = ["--vertices", "attributes" if "0" in dims else "none", "--edges", "columns"]
        runs = ["--dims", dims, "--repeats", str(repeats), "--format", "json"]
        more = ["--threads", str(threads)] if threads else []
        return float(run_lab([binary, "bench", "energies", str(path), *signals, *runs, *more])["seconds"])


def measure(name: str, complexes: list[Complex], tasks: dict[str, Task], args: argparse.Namespace) -> dict[str, Any]:
    """Seconds per graph of every task and of hodgelet, on one thread and by default."""
    dims = "1" if list(tasks) == ["eigh(L_1)"] else "0,1"
    row: dict[str, Any] = {
        "name": name,
        "graphs": len(complexes),
        "mean_vertices": float(np.mean([c.n for c in complexes])),
        "mean_edges": float(np.mean([len(c.edges) for c in complexes])),
        "seconds_per_graph": {},
        "ratio": {},
    }
    for label, threads in (("one thread", 1), ("default", None)):
        seconds = {
            task: best_seconds(run, complexes, args.repeats, threads) / len(complexes) for task, run in tasks.items()
        }
        if args.lab:
            ours = hodgelet_seconds(args.lab, complexes, dims, args.repeats, threads) / len(complexes)
            row["ratio"][label] = {task: value / ours for task, value in seconds.items()}
            seconds["hodgelet"] = ours
        row["seconds_per_graph"][label] = seconds
    if args.lab:
        row["ratio"]["fastest of each"] = fastest_ratio(list(row["seconds_per_graph"].values()))
    print_row(row)
    return row


def fastest_ratio(settings: list[dict[str, float]]) -> float:
    """Fastest peer over fastest hodgelet, whatever the number of threads of either."""
    peers = [value for seconds in settings for task, value in seconds.items() if task != "hodgelet"]
    return min(peers) / min(seconds["hodgelet"] for seconds in settings)


def print_row(row: dict[str, Any]) -> None:
    """One line for each number of threads, on stderr, as soon as it is known."""
    for label, seconds in row["seconds_per_graph"].items():
        cells = [f"{task} {1e6 * value:10.1f}" for task, value in seconds.items()]
        cells += [f"{task} / hodgelet {value:6.1f}x" for task, value in row["ratio"].get(label, {}).items()]
        sizes = f"{row['graphs']:6d} graphs {row['mean_vertices']:7.1f} vertices {row['mean_edges']:7.1f} edges"
        print(f"{row['name']:22} {sizes}  {label:10}  us per graph: {'  '.join(cells)}", file=sys.stderr)
    if "fastest of each" in row["ratio"]:
        print(f"{row['name']:22} fastest of each: {row['ratio']['fastest of each']:.1f}x", file=sys.stderr)


def runs(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The file given, or the sweeps over generated graphs and meshes."""
    both: dict[str, Task] = {"per graph": per_graph, "batched by size": batched}
    if args.data:
        return [measure(args.data.name, read_jsonl(args.data, args.seed), both, args)]
    rows = []
    for n in GRAPH_SIZES:
        graphs = list(random_graphs(n, 4.0, args.graphs, args.seed))
        rows.append(measure(f"random/vertices={n}", graphs, both, args))
    for n in MESH_SIZES:
        rng = np.random.default_rng(args.seed)
        meshes = [delaunay_mesh(n, rng) for _ in range(args.meshes)]
        rows.append(measure(f"mesh/vertices={n}", meshes, {"eigh(L_1)": edges_only}, args))
    return rows


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", help="JSONL, one graph per line; generated sweeps by default")
    parser.add_argument("--lab", help="the hodgelet-lab binary, built with --release; without it no ratio")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each measurement; the shortest counts")
    parser.add_argument("--graphs", type=int, default=200, help="graphs of each size in the sweep")
    parser.add_argument("--meshes", type=int, default=5, help="meshes of each size in the sweep")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for the JSON; stdout without")
    return parser.parse_args()


def main() -> None:
    """Measure, print a table on stderr, and give the JSON out."""
    args = parsed()
    blas = [{key: pool[key] for key in ("internal_api", "version", "num_threads")} for pool in threadpool_info()]
    versions = {"python": platform.python_version(), "numpy": np.__version__, "blas": blas}
    text = json.dumps({"versions": versions, "processors": os.cpu_count(), "rows": runs(args)}, indent=1)
    if args.out:
        args.out.write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()

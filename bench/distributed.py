"""Training on Ray past this machine: rates measured here, a model of time from them, its error, and a table.

Two runs with one worker give the rates; other runs, with one and two workers and with more graphs, check what the model
says of them; then it says what 10^6 to 10^9 graphs take on 1 to 1,000 workers. Nothing of the model is fitted to the
runs that check it. Runs are kept in a file, so that they can be made one by one.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import time
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow
import ray
import ray.data
from hodgelet import HodgeletClassifier, _native, distributed
from hodgelet.distributed import _fit

#: Numbers of whitened covariances that a worker keeps; beyond, each pass makes them again.
KEPT = 1 << 27


@dataclass
class Run:
    """What one training took."""

    graphs: int
    workers: int
    reading: float
    measuring: float
    questions: list[tuple[float, int, int]]
    seconds: float
    peak: int

    @property
    def alone(self) -> float:
        """Seconds in which the driver works and the workers wait."""
        return self.seconds - self.reading - self.measuring - sum(q[0] for q in self.questions)


@dataclass
class Rates:
    """Seconds per graph and worker, and of what does not depend on the number of graphs."""

    read: float
    measure: float
    columns: float
    project: float
    each: float
    alone: float
    passes: int
    question: int
    answer: int
    combine: float
    latency: float
    bytes_per_graph: float
    base: float


def run(path: Path, n: int, workers: int, settings: dict[str, Any]) -> tuple[Run, list[bytes]]:
    """Trains on the first graphs of a table."""
    table, blocks = read_table(path, n), 8
    cuts = [k * n // blocks for k in range(blocks + 1)]
    data = ray.data.from_arrow([table.slice(a, b - a) for a, b in pairwise(cuts)])
    answers: list[bytes] = []
    ask = _fit._Crew.ask

    def kept(crew: Any, question: bytes) -> list[bytes]:
        found = ask(crew, question)
        answers[:] = found
        return found

    _fit._Crew.ask = kept  # type: ignore[method-assign]
    try:
        model = distributed.fit(data, HodgeletClassifier(**settings), target="HIV_active", workers=workers)
    finally:
        _fit._Crew.ask = ask  # type: ignore[method-assign]
    done = model.distributed_  # type: ignore[attr-defined]
    seconds = done.seconds
    peak = max(peak for _, peak in done.workers)
    found = Run(done.n_graphs, workers, seconds["reading"], seconds["measuring"], done.questions, seconds["all"], peak)
    print(json.dumps(asdict(found)), file=sys.stderr)
    return found, answers


def combining(answers: list[bytes]) -> float:
    """Seconds per byte of adding up answers."""
    many = [answers[-1]] * 8
    _native.combine_answers(many)
    began = time.perf_counter()
    _native.combine_answers(many)
    return (time.perf_counter() - began) / (8 * len(answers[-1]))


def rates_of(small: Run, large: Run, combine: float) -> Rates:
    """Rates from two runs with one worker: slopes are per graph, and what is left does not depend on it."""
    more = large.graphs - small.graphs

    def slope(a: float, b: float) -> float:
        return max((b - a) / more, 0.0)

    later = [min(q[0] for q in r.questions[2:]) for r in (small, large)]
    each = slope(*later)
    return Rates(
        read=slope(small.reading, large.reading),
        measure=slope(small.measuring, large.measuring),
        columns=slope(small.questions[0][0], large.questions[0][0]),
        project=max(slope(small.questions[1][0], large.questions[1][0]) - each, 0.0),
        each=each,
        alone=large.alone + (small.reading - slope(small.reading, large.reading) * small.graphs),
        passes=len(large.questions) - 1,
        question=large.questions[-1][1],
        answer=large.questions[-1][2],
        combine=combine,
        latency=max(later[0] - each * small.graphs, 0.0),
        bytes_per_graph=slope(small.peak, large.peak),
        base=max(small.peak - slope(small.peak, large.peak) * small.graphs, 0.0),
    )


def predicted(rates: Rates, n: float, workers: int, inducing: int, network: float) -> dict[str, float]:
    """Seconds of each part of a training; ``network`` in bytes per second, infinite within one machine."""
    own = n / workers
    levels = math.ceil(math.log(workers, _fit.FAN_IN)) if workers > 1 else 0
    fan_in = min(workers, _fit.FAN_IN)
    moved = rates.question / network * math.ceil(math.log2(workers + 1))
    added = levels * fan_in * rates.answer * (1.0 / network + rates.combine)
    one = rates.latency + moved + added
    again = rates.project if own * inducing > KEPT else 0.0
    passing = rates.passes * (one + own * (rates.each + again)) + own * rates.project
    return {
        "measuring": own * (rates.read + rates.measure),
        "passes": passing + one + own * rates.columns,
        "alone": rates.alone,
        "memory": rates.base + own * rates.bytes_per_graph,
    }


def whole(parts: dict[str, float]) -> float:
    """Seconds in all."""
    return parts["measuring"] + parts["passes"] + parts["alone"]


def time_of(seconds: float) -> str:
    """Seconds as people say them."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def page(rates: Rates, checks: list[tuple[Run, dict[str, float]]], options: argparse.Namespace, inducing: int) -> str:
    """The document."""
    network = options.network * 1e9 / 8
    lines = [
        "# Training past one machine",
        "",
        "What training on Ray would take on more workers than could be tried, from rates that were measured on two",
        "cores with molecules of HIV, one thread for each worker. `bench/distributed.py` measures, checks and writes",
        "this page:",
        "",
        "```sh",
        "python bench/distributed.py --table HIV.csv --runs results/distributed.jsonl --out docs/distributed.md",
        "```",
        "",
        "## Rates",
        "",
        "| | |",
        "| --- | --- |",
        f"| reading SMILES | {1e6 * rates.read:.0f} µs a graph |",
        f"| measuring | {1e6 * rates.measure:.0f} µs a graph |",
        f"| features and their moments | {1e6 * rates.columns:.1f} µs a graph |",
        f"| covariances with {inducing} inducing graphs | {1e6 * rates.project:.1f} µs a graph |",
        f"| a pass | {1e6 * rates.each:.1f} µs a graph, and {1e3 * rates.latency:.0f} ms |",
        f"| passes | {rates.passes} |",
        f"| broadcast and answer | {rates.question / 1e6:.2f} and {rates.answer / 1e6:.2f} MB |",
        f"| adding up answers | {1e-6 / rates.combine:.0f} MB a second |",
        f"| driver alone, the sample included | {rates.alone:.0f} s |",
        f"| memory of a worker | {rates.base / 1e6:.0f} MB and {rates.bytes_per_graph / 1e3:.1f} kB a graph |",
        "",
        "## The model against runs",
        "",
        "The rates come from the runs with one worker; those with two workers were not used for them.",
        "",
        "| graphs | workers | measured | predicted | error |",
        "| --- | --- | --- | --- | --- |",
    ]
    for run, parts in checks:
        error = whole(parts) / run.seconds - 1.0
        lines.append(
            f"| {run.graphs} | {run.workers} | {run.seconds:.1f} s | {whole(parts):.1f} s | {100 * error:+.0f}% |"
        )
    lines += [
        "",
        "## What it says",
        "",
        f"With {options.network:g} Gbit/s between machines, answers added up {_fit.FAN_IN} at a time, and "
        f"${options.price:g} for an hour of a core. Time, hours of cores with",
        "their price, and memory of a worker. The driver holds the targets of all graphs, about 20 bytes each.",
        "",
        "| graphs | " + " | ".join(f"{w} workers" if w > 1 else "1 worker" for w in options.workers) + " |",
        "| --- |" + " --- |" * len(options.workers),
    ]
    for n in options.graphs:
        cells = []
        for workers in options.workers:
            parts = predicted(rates, n, workers, inducing, network if workers > 1 else math.inf)
            hours = workers * whole(parts) / 3600.0
            cells.append(
                f"{time_of(whole(parts))}; {hours:.1f} h, ${hours * options.price:.2f}; {parts['memory'] / 1e9:.1f} GB"
            )
        lines.append(f"| 10^{round(math.log10(n))} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "Not in the model: machines that are slower than others or fail, a network that others use, object stores that",
        "are read more slowly than molecules are measured, and spilling where memory is short.",
        "",
    ]
    return "\n".join(lines)


def read_table(path: Path, n: int) -> pyarrow.Table:
    """Molecules of a CSV file, from the first again where more are wanted."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {"smiles": [row["smiles"] for row in rows], "HIV_active": [int(row["HIV_active"]) for row in rows]}
    table = pyarrow.table(columns)
    return pyarrow.concat_tables([table] * math.ceil(n / len(table))).slice(0, n)


def main() -> None:
    """Measures what is not measured yet, checks, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True, help="CSV with the columns smiles and HIV_active")
    parser.add_argument("--runs", type=Path, required=True, help="file of runs, which is added to")
    parser.add_argument("--sizes", type=int, nargs=2, default=[10_000, 40_000], help="graphs of the runs for rates")
    parser.add_argument("--checks", nargs="*", default=["20000x1", "10000x2", "20000x2", "40000x2", "160000x2"])
    parser.add_argument("--most", type=int, help="runs that are made now")
    parser.add_argument("--network", type=float, default=10.0, help="Gbit/s between machines")
    parser.add_argument("--price", type=float, default=0.05, help="dollars for an hour of a core")
    parser.add_argument("--graphs", type=float, nargs="+", default=[1e6, 1e7, 1e8, 1e9])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--inducing", type=int, default=800, help="the most that the default takes")
    parser.add_argument("--out", type=Path, help="the page; stdout without it")
    options = parser.parse_args()
    wanted = [(n, 1) for n in options.sizes] + [
        (int(n), int(w)) for n, _, w in (c.partition("x") for c in options.checks)
    ]
    known = [json.loads(line) for line in options.runs.read_text().splitlines()] if options.runs.exists() else []
    found = {(run["asked"], run["workers"]): run for run in known}
    missing = [own for own in wanted if own not in found][: options.most]
    if missing:
        settings = {"posterior": "sparse", "inducing": options.inducing}
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
        ray.data.DataContext.get_current().enable_progress_bars = False
        run(options.table, 2_000, 2, settings)  # so that no run that counts starts the workers of Ray
        for n, workers in missing:
            own, answers = run(options.table, n, workers, settings)
            found[n, workers] = {**asdict(own), "asked": n, "combine": combining(answers)}
            with options.runs.open("a") as file:
                file.write(json.dumps(found[n, workers]) + "\n")
    if any(own not in found for own in wanted):
        return
    names = {field.name for field in fields(Run)}
    runs = [Run(**{key: value for key, value in found[own].items() if key in names}) for own in wanted]
    rates = rates_of(runs[0], runs[1], found[wanted[1]]["combine"])
    checks = [(r, predicted(rates, r.graphs, r.workers, options.inducing, math.inf)) for r in runs]
    text = page(rates, checks, options, options.inducing)
    if options.out is None:
        print(text)
    else:
        options.out.write_text(text)


if __name__ == "__main__":
    main()

"""Training of one fold side by side: GPflow's VGP and hodgelet from the same start, to the peer's final ELBO."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SAME_MODEL = ["--prior-deviation=none", "--likelihood", "gpflow", "--scale-transform", "softplus"]  # as the peer


def output_of(command: list[str], threads: int | None) -> dict[str, Any]:
    """Run a program that prints JSON."""
    env = {**os.environ, **({"OMP_NUM_THREADS": str(threads)} if threads else {})}
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, env=env)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}")
    return json.loads(done.stdout)


def seconds_to(trace: list[tuple[float, float]], elbo: float) -> float | None:
    """When a trace of (seconds, ELBO) first reaches an ELBO."""
    return next((seconds for seconds, value in trace if value >= elbo), None)


def ours(args: argparse.Namespace, dataset: str, *flags: str) -> dict[str, Any]:
    """Train one fold with hodgelet."""
    command = [args.lab, "bench", "train", dataset, "--fold", str(args.fold), "--format", "json", *SAME_MODEL]
    threads = ["--threads", str(args.threads)] if args.threads else []
    return output_of([*command, *threads, *flags, *args.flags], args.threads)


def peer(args: argparse.Namespace, problem: Path) -> dict[str, Any]:
    """Train the exported problem with GPflow."""
    command = [args.python, str(HERE / "gpflow_peer.py"), str(problem), "--max-iterations", str(args.peer_iterations)]
    threads = ["--threads", str(args.threads)] if args.threads else []
    return output_of([*command, *threads], args.threads)


def compare(args: argparse.Namespace, dataset: str, folder: Path) -> dict[str, Any]:
    """Train with hodgelet for its problem and its floor, with the peer, and with hodgelet again to the peer's ELBO."""
    problem = folder / "problem.json"
    first = ours(args, dataset, "--export", str(problem))
    other = peer(args, problem)
    limits = ("--iterations", str(args.iterations), "--evaluations", "0")
    again = ours(args, dataset, f"--until={other['final_elbo']!r}", *limits)
    reached = again["reached_seconds"]
    best = max(elbo for _, elbo in again["trace"])
    # A busy machine slows the peer's many threads more than this side; its median evaluation is the fairer measure.
    median = other["evaluations"] * other["evaluation_seconds"]
    return {
        "dataset": first["dataset"],
        "graphs": first["graphs"],
        "distinct": first["distinct"],
        "classes": first["classes"],
        "peer_seconds": other["fit_seconds"],
        "peer_evaluations": other["evaluations"],
        "peer_evaluation_seconds": other["evaluation_seconds"],
        "peer_stopped": other["stopped"],
        "peer_elbo": other["final_elbo"],
        "seconds": reached,
        "elbo": best,
        "ratio": other["fit_seconds"] / reached if reached else None,
        "peer_median_seconds": median,
        "median_ratio": median / reached if reached else None,
        # The other way round, where the peer's ELBO was out of reach: its time to the best of ours.
        "peer_seconds_to_elbo": seconds_to(other["trace"], best),
        "seconds_in_all": again["train_seconds"],
        "spectra_seconds": first["spectra_seconds"],
        "floor": first["floor"],
        "peak_memory_mb": first["peak_memory_mb"],
        "peer_peak_memory_mb": other["peak_memory_mb"],
        "default_training": {"seconds": first["train_seconds"], **first["summary"]},
        "versions": other["versions"],
    }


def line(row: dict[str, Any]) -> str:
    """One row of the table for people."""
    reached = f"{row['seconds']:.3f} s" if row["seconds"] else f"never (ELBO {row['elbo']:.3f})"
    ratio = f"{row['ratio']:.1f}x ({row['median_ratio']:.1f}x by the median evaluation)" if row["ratio"] else "-"
    return (
        f"{row['dataset']:12} n={row['graphs']} ({row['distinct']} distinct) classes={row['classes']}  "
        f"peer {row['peer_seconds']:.2f} s, {row['peer_evaluations']} evaluations, ELBO {row['peer_elbo']:.3f}  "
        f"hodgelet {reached}  ratio {ratio}  evaluation/floor {row['floor']['ratio']:.2f}"
    )


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+", help="as hodgelet takes them; set HODGELET_DATA for names")
    parser.add_argument("--lab", default="target/release/hodgelet-lab", help="the program of benchmarks")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has GPflow")
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--iterations", type=int, default=2000, help="at most this many steps to reach the peer's ELBO")
    parser.add_argument("--peer-iterations", type=int, default=15000)
    parser.add_argument("--threads", type=int, help="threads of both; their defaults without")
    parser.add_argument(
        "--flags", default=[], type=str.split, help="more flags of `hodgelet-lab bench train`, as one string"
    )
    return parser.parse_args()


def main() -> None:
    """Compare on every dataset; JSON on stdout, a table on stderr."""
    args = parsed()
    rows = []
    for dataset in args.datasets:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(compare(args, dataset, Path(folder)))
        print(line(rows[-1]), file=sys.stderr)
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

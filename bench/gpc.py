"""Classification of plain features side by side: scikit-learn's GaussianProcessClassifier and hodgelet."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sklearn_peer import fit, generated, write_table
from threadpoolctl import threadpool_limits


def ours(args: argparse.Namespace, table: Path) -> list[dict[str, Any]]:
    """Train with hodgelet, all classes together, several times."""
    command = [args.lab, "bench", "table", str(table), "--likelihood", args.likelihood, "--format", "json"]
    threads = ["--threads", str(args.threads)] if args.threads else []
    runs = []
    for _ in range(args.repeats):
        done = subprocess.run([*command, *threads], stdout=subprocess.PIPE, check=True)
        runs.append(json.loads(done.stdout))
    return runs


def compare(args: argparse.Namespace) -> dict[str, Any]:
    """Both on the same table; the fastest run of each counts."""
    features, labels = generated(args.graphs, args.classes, args.features, args.seed)
    with threadpool_limits(args.threads):
        peers = [fit(features, labels, args.jobs) for _ in range(args.peer_repeats)]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.json"
        write_table(table, features, labels)
        runs = ours(args, table)
    peer, own = (min(all_runs, key=lambda run: run["fit_seconds"]) for all_runs in (peers, runs))
    return {
        "rows": args.graphs,
        "classes": args.classes,
        "features": args.features,
        "peer": peer,
        "hodgelet": own,
        "ratio": peer["fit_seconds"] / own["fit_seconds"],
    }


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab", default="target/release/hodgelet-lab", help="the program of benchmarks")
    parser.add_argument("--graphs", type=int, default=540)
    parser.add_argument("--classes", type=int, default=6)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--likelihood", default="softmax", choices=["auto", "softmax", "gpflow"])
    parser.add_argument("--jobs", type=int, default=1, help="processes of the peer over the classes")
    parser.add_argument("--threads", type=int, help="threads of both; their defaults without")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer-repeats", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Compare; JSON on stdout, a line on stderr."""
    result = compare(parsed())
    peer, own = result["peer"], result["hodgelet"]
    print(
        f"scikit-learn {peer['fit_seconds']:.2f} s, hodgelet {own['fit_seconds']:.3f} s: {result['ratio']:.1f}x",
        file=sys.stderr,
    )
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()

"""Ten draws of ten folds on the sets that have a target: accuracy and NLL beside what was asked for.

    python bench/targets.py --data-dir DATA --out results/targets

Each set is one run of `hodgelet evaluate SET --repeats 10`; a run that was stopped goes on with its next fold, and one
that is finished is not run again. A table of Markdown on stdout.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Target:
    """What was asked for of one set."""

    name: str
    accuracy: float | None = None  # percent, at least
    nll: float | None = None  # at most
    flags: list[str] = field(default_factory=list)
    title: str = ""

    def label(self) -> str:
        """Name of the row."""
        return self.name + (f", {self.title}" if self.title else "")


TARGETS = (
    Target("MUTAG"),
    Target("MUTAG", flags=["--blocks", "energies"], title="energies alone"),
    Target("PTC_MR", 62.5),
    Target("IMDB-BINARY", 73.4),
    Target("IMDB-MULTI", 51.2),
    Target("DHFR", 86.0),
    Target("ENZYMES", 75.0, 0.72),
    Target("PROTEINS", 77.5),
    Target("NCI1", 85.5),
    Target("Mutagenicity", 84.0),
)


def evaluated(args: argparse.Namespace, target: Target) -> dict[str, Any]:
    """What `hodgelet evaluate` found, now or before."""
    folder = args.out / target.label().replace(", ", "-").replace(" ", "-")
    result = folder / "all.json"
    if not result.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [args.hodgelet, "evaluate", target.name, "--folds", "10", "--repeats", str(args.repeats)]
        flags = ["--train-on-validation", "--hyperparameters", "map", *target.flags, "--threads", str(args.threads)]
        out = ["--out", str(folder / "folds"), "--format", "json", "--quiet"]
        done = subprocess.run([*command, *flags, *out], stdout=subprocess.PIPE, check=True, text=True)
        result.write_text(done.stdout)
    found: dict[str, Any] = json.loads(result.read_text())
    return found


def error_over_draws(values: list[float], repeats: int) -> float:
    """Standard error of the mean over draws of the folds; folds of one draw share their graphs."""
    means = np.array(values).reshape(repeats, -1).mean(axis=1)
    return float(means.std(ddof=1) / np.sqrt(repeats))


def row(target: Target, found: dict[str, Any], repeats: int) -> str:
    """A line of the table."""
    accuracies = [fold["accuracy"] for fold in found["folds"]]
    losses = [fold["nll"] for fold in found["folds"]]
    accuracy, nll = 100 * np.mean(accuracies), float(np.mean(losses))
    asked = [f"{target.accuracy:g}"] if target.accuracy else []
    asked += [f"NLL {target.nll:g}"] if target.nll else []
    met = (target.accuracy is None or accuracy >= target.accuracy) and (target.nll is None or nll <= target.nll)
    verdict = ("met" if met else "missed") if asked else ""
    folds = f"{100 * found['accuracy']['standard_error']:.1f}"
    return (
        f"| {target.label()} | {found['graphs']} | {accuracy:.1f} ± {100 * error_over_draws(accuracies, repeats):.1f} "
        f"| {folds} | {nll:.3f} ± {error_over_draws(losses, repeats):.3f} | {found['ece']:.3f} | {', '.join(asked)} "
        f"| {verdict} |"
    )


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", default=os.environ.get("HODGELET_DATA", "."))
    parser.add_argument("--hodgelet", default="target/release/hodgelet", help="the command")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--out", type=Path, default=Path("results/targets"))
    return parser.parse_args()


def main() -> None:
    """Run what is missing and print the table."""
    args = parsed()
    os.environ["HODGELET_DATA"] = str(args.data_dir)
    print("| dataset | graphs | accuracy, % ± error over draws | error over folds | NLL | ECE | asked for | |")
    print("| --- | ---: | --- | ---: | --- | --- | --- | --- |")
    for target in TARGETS:
        if args.sets is None or target.name in args.sets:
            print(row(target, evaluated(args, target), args.repeats), flush=True)
            print(target.label(), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

"""Whether two builds of the command give the same bits: features, training, predictions, cross-validation.

    python bench/same_bits.py OLD NEW [--data DIR] [--only NAME ...]

OLD and NEW are binaries of `hodgelet`, from this or an earlier commit. Each case is run by both, with the flags spelled
as that binary spells them, and every number of the results is compared to the last bit, but for times. Cases on real
data need the folder of TU datasets, `--data` or HODGELET_DATA; without it they are left out, and the last line says so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# Renamed flags: current spelling, former spelling.
RENAMED = {
    "--method": "--model",
    "--n-filters": "--filters",
    "--n-bands": "--bands",
    "--prior-deviation=none": "--no-priors",
}
FEATURES_RENAMED = {
    **RENAMED,
    "--lift=line-graph": "--line-graph",
    "--split=false": "--no-split",
    "--lift=cliques:3": "--max-dim=3",
    "--method=fourier": "--fourier",
}

FIELDS = ["vector-fields", "--set", "n_fields=40", "--set", "n_vertices=30"]
SBM = ["sbm", "--set", "n_graphs=80"]

# Name, dataset, flags of `fit`.
FITS: list[tuple[str, list[str], list[str]]] = [
    ("hodge", SBM, []),
    ("hodge, faithful", SBM, ["--faithful"]),
    ("wt", SBM, ["--method", "wt"]),
    ("wt, faithful", SBM, ["--method", "wt", "--faithful"]),
    ("fourier", SBM, ["--method", "fourier"]),
    ("fourier, faithful", SBM, ["--method", "fourier", "--faithful"]),
    ("flows", FIELDS, []),
    ("flows, faithful", FIELDS, ["--faithful"]),
    ("flows, line graph", FIELDS, ["--method", "line-graph"]),
    ("flows, line graph, faithful", FIELDS, ["--method", "line-graph", "--faithful"]),
    ("flows, metric", FIELDS, ["--laplacian", "dec-median"]),
    ("flows, normalized Hodge", FIELDS, ["--laplacian", "normalized-hodge", "--vertices", "structure"]),
    ("structure", SBM, ["--edges", "structure", "--higher", "structure", "--laplacian", "random-walk"]),
    ("restarts, no priors", SBM, ["--restarts", "3", "--prior-deviation=none", "--iterations", "20"]),
    ("bank", SBM, ["--n-filters", "3", "--n-bands", "2", "--scales", "reference", "--scale-transform", "softplus"]),
    ("Matérn, ard", SBM, ["--kernel", "matern:1.2", "--lengthscales", "ard", "--iterations", "9"]),
    ("linear", SBM, ["--kernel", "linear", "--seed", "5"]),
    ("polynomial, per channel", SBM, ["--kernel", "poly:2", "--lengthscales", "per-channel", "--dims", "0"]),
    ("logit", SBM, ["--likelihood", "softmax"]),
    ("hypergraphs", ["hypergraphs"], ["--iterations", "20"]),
    ("hypergraphs, star", ["hypergraphs", "--hypergraph", "star"], ["--iterations", "20"]),
    ("surfaces", ["surfaces"], ["--edges", "constant", "--higher", "constant", "--iterations", "20"]),
    ("signed", ["SIGNED"], ["--signed", "harmonic:1,1"]),
    ("signed alone", ["SIGNED"], ["--signed", "harmonic", "--signed-only"]),
    ("auto", ["sbm", "--set", "n_graphs=40"], ["--auto"]),
]
REAL_FITS: list[tuple[str, list[str], list[str]]] = [
    ("MUTAG", ["MUTAG"], []),
    ("MUTAG, faithful", ["MUTAG"], ["--faithful"]),
    ("ENZYMES", ["ENZYMES"], ["--iterations", "8"]),
    ("ENZYMES, robust-max", ["ENZYMES"], ["--iterations", "8", "--likelihood", "gpflow"]),
    ("IMDB-MULTI, duplicates", ["IMDB-MULTI"], ["--iterations", "8"]),
    ("regression", ["FreeSolv"], []),
    ("regression, structure", ["Alkane"], ["--edges", "structure"]),
]
# Name, dataset, flags of `features`; seed 0 and no constant block, where both rules of seeds agree.
FEATURES: list[tuple[str, list[str], list[str]]] = [
    ("features", SBM, []),
    ("features of flows, standardized", FIELDS, ["--standardize", "--vertices", "none"]),
    ("features, other filters", SBM, ["--low-pass", "heat", "--band-pass", "meyer", "--scales", "spectrum"]),
    ("features, not split", SBM, ["--split=false"]),
    ("signed features", ["SIGNED"], ["--signed", "harmonic", "--vertices", "none"]),
]
EVALUATIONS: list[tuple[str, list[str], list[str]]] = [
    ("cross-validation", SBM, ["--folds", "4"]),
    ("cross-validation, auto", ["sbm", "--set", "n_graphs=40"], ["--folds", "3", "--auto"]),
]
REAL_EVALUATIONS: list[tuple[str, list[str], list[str]]] = [
    ("cross-validation of MUTAG", ["MUTAG"], ["--folds", "5", "--train-on-validation"]),
    ("cross-validation of Alkane", ["Alkane"], ["--folds", "4"]),
]


class Build:
    """One binary, and how it spells flags."""

    def __init__(self, binary: str, data: str | None, folder: Path) -> None:
        """Find out how the binary spells its flags."""
        self.binary, self.data, self.folder = binary, data, folder
        self.is_old = "--method" not in self.run(["fit", "--help"])

    def run(self, args: list[str]) -> str:
        """Run a command and return its standard output."""
        env = {**os.environ, **({"HODGELET_DATA": self.data} if self.data else {})}
        done = subprocess.run([self.binary, "-q", *args], capture_output=True, text=True, env=env)
        if done.returncode != 0:
            raise SystemExit(f"{self.binary} {' '.join(args)}: {done.stderr}")
        return done.stdout

    def spell(self, flags: list[str], renamed: dict[str, str]) -> list[str]:
        """Flags in the spelling of this binary."""
        return [renamed.get(flag, flag) for flag in flags] if self.is_old else flags

    def fit(self, dataset: list[str], flags: list[str]) -> Any:
        """Everything that training and prediction report, without times."""
        model = str(self.folder / "model.hodgelet")
        flags = self.spell(flags, RENAMED)
        fitted = json.loads(self.run(["fit", *dataset, *flags, "--out", model, "--format", "json"]))
        seed = flags[flags.index("--seed") :][:2] if "--seed" in flags else []
        predicted = json.loads(self.run(["predict", model, *dataset, *seed, "--format", "json"]))
        training = {k: v for k, v in fitted["training"].items() if k not in ("seconds", "stop")}
        kept = [tried.get("log_probability") for tried in fitted.get("tried", fitted.get("trials", []))]
        kernels = [{k: block.get(k) for k in ("variance", "lengthscales", "scales")} for block in fitted["blocks"]]
        return {"training": training, "kernels": kernels, "search": kept, "predictions": predicted["predictions"]}

    def features(self, dataset: list[str], flags: list[str]) -> Any:
        """The bytes of the feature matrix."""
        out = self.folder / "features.npy"
        self.run(["features", *dataset, *self.spell(flags, FEATURES_RENAMED), "--out", str(out)])
        return out.read_bytes().hex()

    def evaluate(self, dataset: list[str], flags: list[str]) -> Any:
        """The scores of cross-validation, without times."""
        report = json.loads(self.run(["evaluate", *dataset, *self.spell(flags, RENAMED), "--format", "json"]))
        return without_times({k: v for k, v in report.items() if k in ("results", "elbo", "folds")})


def without_times(value: Any) -> Any:
    """A report without seconds and memory."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if "seconds" not in k and "memory" not in k}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def write_signed(path: Path) -> None:
    """Noisy flows round an annulus, clockwise or not: 24 items on one complex."""
    draw = random.Random(7)
    outer = [[i, (i + 1) % 8] for i in range(8)]
    spokes = [[i, 8 + i] for i in range(8)] + [[i, 8 + (i + 1) % 8] for i in range(8)]
    edges = outer + [[8 + i, 8 + (i + 1) % 8] for i in range(8)] + spokes
    triangles = [[i, 8 + i, 8 + (i + 1) % 8] for i in range(8)] + [[i, (i + 1) % 8, 8 + (i + 1) % 8] for i in range(8)]
    column = {"name": "flow", "dim": 1, "kind": "real", "channels": ["0"], "oriented": True}
    lines = [{"hodgelet": 1, "name": "annulus", "target": "class", "columns": [column]}]
    for item in range(24):
        sign = 1 if item % 2 else -1
        flow = [sign * (0.6 if e < 16 else 0.0) + draw.gauss(0.0, 0.8) for e in range(len(edges))]
        complex_ = {"vertices": 16, "edges": edges, "triangles": triangles}
        lines.append({**complex_, "signals": {"1": {"flow": flow}}, "target": "left" if sign > 0 else "right"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def main() -> None:
    """Compare two builds case by case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default=os.environ.get("HODGELET_DATA"))
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_signed(folder / "signed.jsonl")
        builds = [Build(binary, args.data, folder) for binary in (args.old, args.new)]
        cases = [("fit", case) for case in FITS + (REAL_FITS if args.data else [])]
        cases += [("features", case) for case in FEATURES]
        cases += [("evaluate", case) for case in EVALUATIONS + (REAL_EVALUATIONS if args.data else [])]
        wrong = 0
        cases = [case for case in cases if not args.only or case[1][0] in args.only]
        for what, (title, dataset, flags) in cases:
            dataset = [str(folder / "signed.jsonl") if word == "SIGNED" else word for word in dataset]
            old, new = (getattr(build, what)(dataset, flags) for build in builds)
            if old != new:
                wrong += 1
            print(f"{title:40} {'same' if old == new else 'DIFFERENT'}", flush=True)
        skipped = "" if args.data else "; real data skipped, HODGELET_DATA is not set"
        print(f"{len(cases) - wrong} of {len(cases)} cases have the same bits{skipped}")
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

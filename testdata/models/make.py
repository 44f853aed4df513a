"""Model files of each version of the format, with what the program that wrote them predicted.

    python testdata/models/make.py VERSION BINARY

BINARY is the command as of the last commit that wrote VERSION, built without optimization or with it:

| version | commit |
| --- | --- |
| 1 | 8302092 |
| 2 | 3c2d6bd |
| 3 | 4ca4bd3 |
| 4 | 5cc739a |
| 5 | 1d06213 |
| 6 | the first that reads it, and whatever writes it still |

Datasets are in `data`, and cases.json says which case is of which; for each case this writes the model
(VERSION/NAME.hodgelet) and the predictions (VERSION/NAME.json).
"""

import json
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
RING = [[i, (i + 1) % 6] for i in range(6)] + [[i, 6] for i in range(6)]


def flows(target: str) -> list[dict]:
    """Flows on hexagons with a filled fan or an open one, and a label on each vertex."""
    draw = random.Random(3)
    columns = [
        {"name": "kind", "dim": 0, "kind": "labels"},
        {"name": "flow", "dim": 1, "kind": "real", "channels": ["0"], "oriented": True},
        {"name": "length", "dim": 1, "kind": "real", "channels": ["0"]},
    ]
    lines: list[dict] = [{"hodgelet": 1, "name": "hexagons", "target": target, "columns": columns}]
    for item in range(14):
        size = 1.0 + item % 3
        signals = {
            "0": {"kind": [draw.choice("CNO") for _ in range(7)]},
            "1": {"flow": [draw.gauss(0, size) for _ in RING], "length": [draw.uniform(1, 2) for _ in RING]},
        }
        triangles = [[i, (i + 1) % 6, 6] for i in range(6) if item % 2 or i < 2]
        answer = {"class": ["low", "mid", "high"][item % 3], "real": size + draw.gauss(0, 0.1)}[target]
        lines.append({"vertices": 7, "edges": RING, "triangles": triangles, "signals": signals, "target": answer})
    return lines


def annulus() -> list[dict]:
    """Flows round an open square that all items share."""
    draw = random.Random(4)
    edges = [[0, 1], [1, 2], [2, 3], [0, 3], [0, 4], [1, 4]]
    column = {"name": "flow", "dim": 1, "kind": "real", "channels": ["0"], "oriented": True}
    lines: list[dict] = [{"hodgelet": 1, "name": "square", "target": "class", "columns": [column]}]
    for item in range(10):
        sign = 1 if item % 2 else -1
        flow = [sign * c + draw.gauss(0, 0.5) for c in (1, 1, 1, -1, 0, 0)]
        signals = {"1": {"flow": flow}}
        target = "left" if sign > 0 else "right"
        lines.append({"vertices": 5, "edges": edges, "triangles": [[0, 1, 4]], "signals": signals, "target": target})
    return lines


def counts() -> list[dict]:
    """Cycles with a chord, values on vertices, a number of the graph as a whole, a weight, and a count as target."""
    draw = random.Random(5)
    columns = [
        {"name": "kind", "dim": 0, "kind": "labels"},
        {"name": "x", "dim": 0, "kind": "real", "channels": ["0"]},
        {"name": "dose", "dim": "graph", "kind": "real", "channels": ["0"]},
        {"name": "sample_weight", "dim": "graph", "kind": "real", "channels": ["0"]},
    ]
    lines: list[dict] = [{"hodgelet": 1, "name": "cycles", "target": "real", "columns": columns}]
    for item in range(16):
        n = 4 + item % 5
        edges = [[i, (i + 1) % n] for i in range(n)] + [[0, 2]]
        signals = {
            "0": {"kind": [draw.choice("ab") for _ in range(n)], "x": [draw.gauss(0, 1) for _ in range(n)]},
            "graph": {"dose": [draw.uniform(0, 1)], "sample_weight": [1.0 + item % 2]},
        }
        lines.append({"vertices": n, "edges": edges, "signals": signals, "target": item % 4})
    return lines


DATA = {"classes": flows("class"), "real": flows("real"), "signed": annulus(), "counts": counts()}

FIRST_SMALL = ["--filters", "2", "--bands", "1", "--iterations", "6"]
SMALL = ["--n-filters", "2", "--n-bands", "1", "--iterations", "6"]
MAP = [*SMALL, "--hyperparameters", "map"]


def since_2(small: list[str]) -> dict[str, tuple[str, list[str]]]:
    """What models could be from version 2 on."""
    return {
        "classes": ("classes", small),
        "faithful": ("classes", [*small, "--faithful"]),
        "fourier": ("classes", [*small, "--method", "fourier"]),
        "laplace": ("signed", [*small, "--inference", "laplace"]),
        "line-graph": ("classes", [*small, "--method", "line-graph"]),
        "real": ("real", [*small, "--kernel", "matern:1.5", "--laplacian", "random-walk"]),
        "signed": ("signed", [*small, "--signed", "harmonic:1,0", "--signed-only"]),
    }


SINCE_3 = {
    "averaged": ("real", [*SMALL, "--hyperparameters", "gaussian"]),
    "conformal": ("classes", [*MAP, "--conformal", "cv-plus", "--conformal-folds", "2"]),
    "sparse": ("real", [*MAP, "--posterior", "sparse", "--inducing", "6"]),
    "student-t": ("real", [*MAP, "--noise", "student-t"]),
}

SINCE_4 = {
    "counts": ("counts", [*MAP, "--noise", "poisson"]),
    "energies": ("classes", [*MAP, "--blocks", "energies"]),
    "ordinal": ("classes", [*MAP, "--likelihood", "ordinal"]),
}

SINCE_6 = {"link": ("classes", [*SMALL, "--hyperparameters", "gaussian"])}

CASES = {
    "1": {
        "classes": ("classes", [*FIRST_SMALL]),
        "faithful": ("classes", [*FIRST_SMALL, "--faithful"]),
        "fourier": ("classes", ["--model", "fourier", "--iterations", "6"]),
        "line-graph": ("classes", [*FIRST_SMALL, "--model", "line-graph"]),
        "real": ("real", [*FIRST_SMALL, "--kernel", "matern:1.5", "--laplacian", "random-walk"]),
        "signed": ("signed", [*FIRST_SMALL, "--signed", "harmonic:1,0", "--signed-only"]),
    },
    "2": since_2(SMALL),
    "3": {**since_2(MAP), **SINCE_3},
    "4": {**since_2(MAP), **SINCE_3, **SINCE_4},
    "5": {**since_2(MAP), **SINCE_3, **SINCE_4},
    "6": {**since_2(MAP), **SINCE_3, **SINCE_4, **SINCE_6},
}


def main() -> None:
    """Write all cases of a version with the binary named on the command line."""
    version, binary = sys.argv[1:]
    for name, lines in DATA.items():
        path = HERE / "data" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (HERE / version).mkdir(exist_ok=True)
    made = {version: cases for version, cases in CASES.items() if (HERE / version).is_dir()}
    used = {version: {name: data for name, (data, _) in cases.items()} for version, cases in made.items()}
    (HERE / "cases.json").write_text(json.dumps(used, indent=1) + "\n")
    for name, (data, flags) in CASES[version].items():
        dataset = HERE / "data" / f"{data}.jsonl"
        model, predictions = (HERE / version / f"{name}.{end}" for end in ("hodgelet", "json"))
        model.unlink(missing_ok=True)
        predictions.unlink(missing_ok=True)
        subprocess.run([binary, "-q", "fit", dataset, *flags, "--out", model], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([binary, "-q", "predict", model, dataset, "--format", "json", "--out", predictions], check=True)


if __name__ == "__main__":
    main()

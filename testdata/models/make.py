"""Model files of format version 1, with what the program that wrote them predicted.

    python testdata/models/make.py BINARY

BINARY is the command of hodgelet 0.1.0 as of commit 8302092, the last to write version 1. For each case this writes the
dataset (NAME.jsonl), the model (NAME.hodgelet) and the predictions (NAME.json) beside this script.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SMALL = ["--filters", "2", "--bands", "1", "--iterations", "6"]


def flows(target: str) -> list[dict]:
    """Flows on hexagons with a filled fan or an open one, and a label on each vertex."""
    draw = random.Random(3)
    ring = [[i, (i + 1) % 6] for i in range(6)] + [[i, 6] for i in range(6)]
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
            "1": {"flow": [draw.gauss(0, size) for _ in ring], "length": [draw.uniform(1, 2) for _ in ring]},
        }
        triangles = [[i, (i + 1) % 6, 6] for i in range(6) if item % 2 or i < 2]
        answer = {"class": ["low", "mid", "high"][item % 3], "real": size + draw.gauss(0, 0.1)}[target]
        lines.append({"vertices": 7, "edges": ring, "triangles": triangles, "signals": signals, "target": answer})
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


CASES = {
    "classes": (flows("class"), [*SMALL]),
    "faithful": (flows("class"), [*SMALL, "--faithful"]),
    "line-graph": (flows("class"), [*SMALL, "--model", "line-graph"]),
    "fourier": (flows("class"), ["--model", "fourier", "--iterations", "6"]),
    "real": (flows("real"), [*SMALL, "--kernel", "matern:1.5", "--laplacian", "random-walk"]),
    "signed": (annulus(), [*SMALL, "--signed", "harmonic:1,0", "--signed-only"]),
}


def main() -> None:
    """Write all cases with the binary named on the command line."""
    binary = sys.argv[1]
    for name, (lines, flags) in CASES.items():
        data, model, predictions = (HERE / f"{name}.{end}" for end in ("jsonl", "hodgelet", "json"))
        data.write_text("".join(json.dumps(line) + "\n" for line in lines))
        subprocess.run([binary, "-q", "fit", data, *flags, "--out", model], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([binary, "-q", "predict", model, data, "--format", "json", "--out", predictions], check=True)


if __name__ == "__main__":
    main()

"""Whether results depend on the vectors of the machine: the same commands with AVX-512, and without.

    python3 bench/vectors.py BINARY

Linear algebra chooses its vectors by what the processor says of itself, and there is no other way to choose them.
Valgrind presents a processor without AVX-512, so that a command run under it takes the paths of AVX2. Prints the
largest difference of the numbers that both write, relative to numbers above 1; the status is 1 where it is above the
limit of its command.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from instructions import write_graphs

# Enough for Gram matrices that the backend cuts into blocks.
N_GRAPHS = 200

# Sums in another order differ by rounding, which training magnifies.
COMMANDS = {
    "features": (["features", "graphs.jsonl", "--out", "features.csv"], "features.csv", 1e-11),
    "fit": (["fit", "graphs.jsonl", "--hyperparameters", "map", "--out", "model.hodgelet"], None, 0.0),
    "predict": (["predict", "model.hodgelet", "graphs.jsonl", "--out", "predictions.csv"], "predictions.csv", 1e-6),
}


def numbers(path: Path) -> list[float]:
    """All numbers of a table."""
    found = []
    with path.open(newline="") as file:
        for row in csv.reader(file):
            for cell in row:
                try:
                    found.append(float(cell))
                except ValueError:
                    continue
    return found


def run(prefix: list[str], binary: str) -> dict[str, list[float]]:
    """The numbers that each command writes."""
    results = {}
    with tempfile.TemporaryDirectory() as name:
        write_graphs(Path(name) / "graphs.jsonl", N_GRAPHS)
        for what, (arguments, table, _) in COMMANDS.items():
            command = [*prefix, binary, "--quiet", "--threads", "1", *arguments]
            done = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
            if table:
                results[what] = numbers(Path(name) / table)
    return results


def main() -> int:
    """Compares."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binary = str(Path(sys.argv[1]).resolve())
    if "avx512f" not in Path("/proc/cpuinfo").read_text():
        print("SKIPPED: this processor has no AVX-512, so that both runs would be the same")
        return 0
    native, emulated = run([], binary), run(["valgrind", "--tool=none", "--quiet"], binary)
    wrong = 0
    for what, found in native.items():
        pairs = list(zip(found, emulated[what], strict=True))
        worst = max(abs(a - b) / max(1.0, abs(b)) for a, b in pairs)
        same = sum(a == b for a, b in pairs)
        print(f"{what}: {len(pairs)} numbers, {same} with the same bits, largest difference {worst:.1e}")
        wrong += worst > COMMANDS[what][2]
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

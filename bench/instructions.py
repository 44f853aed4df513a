"""Instructions that everyday commands take in two revisions, counted by callgrind, which no other process disturbs.

    python3 bench/instructions.py 801f1ec 310d6ad          # builds both in target/instructions, then counts
    python3 bench/instructions.py BINARY BINARY --most 1.02

Prints a table of counts and ratios; the status is 1 where a ratio is above `--most`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = {
    "info": ["info", "graphs.jsonl"],
    "features": ["features", "graphs.jsonl", "--out", "features.csv"],
    "fit": ["fit", "graphs.jsonl", "--hyperparameters", "map", "--iterations", "10", "--out", "model.hodgelet"],
    "predict": ["predict", "model.hodgelet", "graphs.jsonl", "--out", "predictions.csv"],
}


def write_graphs(path: Path, n: int = 60) -> None:
    """Random graphs of two densities with labels on vertices and flows on edges."""
    draw = random.Random(7)
    columns = [
        {"name": "kind", "dim": 0, "kind": "labels"},
        {"name": "flow", "dim": 1, "kind": "real", "channels": ["0"], "oriented": True},
    ]
    lines = [{"hodgelet": 1, "name": "graphs", "target": "class", "columns": columns}]
    for item in range(n):
        size, share = draw.randint(8, 24), 0.2 if item % 2 else 0.35
        edges = [[a, b] for a in range(size) for b in range(a + 1, size) if draw.random() < share]
        signals = {
            "0": {"kind": [draw.choice("CNO") for _ in range(size)]},
            "1": {"flow": [draw.gauss(0, 1) for _ in edges]},
        }
        target = "thin" if item % 2 else "thick"
        lines.append({"vertices": size, "edges": edges, "signals": signals, "target": target})  # type: ignore[dict-item]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def binary(revision: str) -> Path:
    """The command of a revision, built as it is released; a path is taken as it is."""
    if Path(revision).is_file():
        return Path(revision).resolve()
    commit = subprocess.run(["git", "rev-parse", revision], cwd=ROOT, check=True, capture_output=True, text=True)
    folder = ROOT / "target" / "instructions" / commit.stdout.strip()[:12]
    if not (folder / "Cargo.toml").exists():
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folder, revision], cwd=ROOT, check=True)
    build = ["cargo", "build", "--release", "--package", "hodgelet-cli"]
    subprocess.run([*build, "--target-dir", folder.parent / "build"], cwd=folder, check=True)
    built = folder / "hodgelet"
    built.write_bytes((folder.parent / "build/release/hodgelet").read_bytes())
    built.chmod(0o755)
    return built


def count(command: list[str], folder: Path) -> int:
    """Instructions that a command takes."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*valgrind, *command], cwd=folder, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return int(found[1])


def counts(program: Path) -> dict[str, int]:
    """Instructions of each command, on one thread."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_graphs(folder / "graphs.jsonl")
        return {
            what: count([str(program), "--quiet", "--threads", "1", *arguments], folder)
            for what, arguments in COMMANDS.items()
        }


def main() -> int:
    """Counts and compares."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("before", help="a revision, or a binary")
    parser.add_argument("after", help="a revision, or a binary")
    parser.add_argument("--most", type=float, default=1.02, help="largest ratio that is allowed (1.02)")
    options = parser.parse_args()
    before, after = (counts(binary(name)) for name in (options.before, options.after))
    print("| command | before | after | ratio |\n| --- | ---: | ---: | ---: |")
    ratios = {what: after[what] / before[what] for what in COMMANDS}
    for what, ratio in ratios.items():
        print(f"| {what} | {before[what]:,} | {after[what]:,} | {ratio:.4f} |")
    return int(max(ratios.values()) > options.most)


if __name__ == "__main__":
    sys.exit(main())

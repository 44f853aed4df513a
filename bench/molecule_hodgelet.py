"""hodgelet on a part of a molecule set, through its command: tables in, predictions out."""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from molecule_sets import Part

#: Blocks that the command takes by default.
BLOCKS = "energies,edge-labels,vertex-labels,values,smoothed-values"
#: Recipes: flags of `hodgelet fit`, and whether descriptors of RDKit are given as columns.
RECIPES: dict[str, tuple[list[str], bool]] = {
    "default": ([], False),
    "environments": (["--blocks", f"{BLOCKS},environments"], False),
    "descriptors": (["--blocks", f"{BLOCKS},columns"], True),
    "both": (["--blocks", f"{BLOCKS},environments,columns"], True),
    "both, Matérn": (["--blocks", f"{BLOCKS},environments,columns", "--kernel", "matern32"], True),
    "environments alone": (["--blocks", "environments"], False),
    "energies and both": (["--blocks", "energies,environments,columns"], True),
}


def run(command: str, *arguments: str) -> None:
    """Run the command, and stop with what it says if it fails."""
    line = [command, *arguments, "--threads", "1", "--quiet"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}: {done.stderr}")


def write(path: Path, header: list[str], rows: Any) -> None:
    """A table of text."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def tables(part: Part, places: np.ndarray, path: Path, with_targets: bool) -> None:
    """SMILES with targets where they are wanted, and descriptors beside them."""
    names = [f"t{k}" for k in range(part.targets.shape[1])] if with_targets else []
    text = (lambda v: repr(float(v))) if part.numbers else (lambda v: str(int(v)))

    def row(i: int) -> list[str]:
        targets = part.targets[i] if with_targets else []
        return [part.smiles[i], *("" if np.isnan(v) else text(v) for v in targets)]

    write(path, ["smiles", *names], [row(i) for i in places])
    columns = part.descriptors()[places]
    write(path.with_suffix(".columns.csv"), [f"d{c}" for c in range(columns.shape[1])], columns.tolist())


def predicted(path: Path, part: Part) -> list[dict[str, list[float]]]:
    """What the command says of each target."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    several = part.targets.shape[1] > 1
    columns = ("mean", "predicted"), ("std", "std"), ("lower", "lower"), ("upper", "upper")
    found = []
    for k in range(part.targets.shape[1]):
        before = f"t{k}: " if several else ""
        wanted = columns if part.numbers else (("p", "p(1)"),)
        found.append({name: [float(row[before + column]) for row in rows] for name, column in wanted})
    return found


def hodgelet(part: Part, seed: int, recipe: str, command: str) -> list[dict[str, list[float]]]:
    """Train on one part and predict the other, all targets together."""
    flags, with_descriptors = RECIPES[recipe]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        train, test, model, out = (folder / name for name in ("train.csv", "test.csv", "m.hodgelet", "p.csv"))
        tables(part, part.train, train, with_targets=True)
        tables(part, part.test, test, with_targets=False)
        targets = ",".join(f"t{k}" for k in range(part.targets.shape[1]))
        kind = "numbers" if part.numbers else "classes"

        def beside(path: Path) -> list[str]:
            columns = str(path.with_suffix(".columns.csv"))
            return ["--smiles", "smiles", *(["--columns", columns] if with_descriptors else [])]

        fit = ["fit", str(train), "--target", targets, "--target-type", kind, "--seed", str(seed)]
        run(command, *fit, "--hyperparameters", "map", *flags, *beside(train), "--out", str(model))
        run(command, "predict", str(model), str(test), "--coverage", "0.9", *beside(test), "--out", str(out))
        return predicted(out, part)


def refused(smiles: list[str], command: str) -> set[int]:
    """Places of molecules that the command cannot perceive: an error of their row, never a guess."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model, table, out = (folder / name for name in ("m.hodgelet", "all.csv", "p.csv"))
        few = [["C" * n + end, "01"[end == "O"]] for n in range(2, 6) for end in "NO"]
        write(folder / "few.csv", ["smiles", "y"], few)
        run(command, "fit", str(folder / "few.csv"), "--hyperparameters", "map", "--out", str(model))
        write(table, ["smiles"], [[text] for text in smiles])
        run(command, "predict", str(model), str(table), "--smiles", "smiles", "--out", str(out))
        with out.open(newline="") as file:
            return {i for i, row in enumerate(csv.DictReader(file)) if row.get("error")}

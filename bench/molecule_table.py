"""Molecule sets, random and by scaffold: hodgelet, forests on ECFP4 and on RDKit's descriptors, and a Tanimoto process.

    python bench/molecule_table.py --data-dir DATA --out results/molecules

Every cell (set, split, seed, model) is a file of predictions; cells that are there are not run again. The table is
made of these files, for the models that are named, on standard output and as `molecules.md`. Another `--recipe` of
hodgelet goes into a folder of its own. `--choose` compares recipes instead, inside the training parts of two sets; the
recipe of the table was set before.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import sheet
from molecule_hodgelet import RECIPES, hodgelet, refused
from molecule_page import page
from molecule_peers import forest, process
from molecule_sets import SOURCES, Part, load
from sklearn.model_selection import KFold

SEEDS = 5
#: Sets in whose training parts `--choose` compares recipes.
COMPARED_ON = ("ESOL", "BACE")
RECIPE = "both"


def each(part: Part, of_task: Callable[[int], dict[str, list[float]]]) -> list[dict[str, list[float]]]:
    """A model for each target."""
    return [of_task(task) for task in range(part.targets.shape[1])]


Model = Callable[[Part, int, argparse.Namespace], list[dict[str, list[float]]]]
MODELS: dict[str, Model] = {
    "hodgelet": lambda part, seed, args: hodgelet(part, seed, args.recipe, args.hodgelet),
    "forest, ECFP4": lambda part, seed, _: each(part, lambda task: forest(part.bits(), part, task, seed)),
    "forest, descriptors": lambda part, seed, _: each(part, lambda task: forest(part.descriptors(), part, task, seed)),
    "Tanimoto GP": lambda part, *_: each(part, lambda task: process(part, task)),
}
#: What a model sees of a molecule besides its SMILES; computed before the clock starts.
PREPARED = {
    "hodgelet": "descriptors",
    "forest, ECFP4": "bits",
    "forest, descriptors": "descriptors",
    "Tanimoto GP": "counts",
}


def loaded(args: argparse.Namespace, name: str, split: str, seed: int) -> Part:
    """A split without the molecules that one of the programs cannot read."""
    return load(args.data_dir, name, split, seed, lambda smiles: refused(smiles, args.hodgelet))


def cell(part: Part, seed: int, model: str, args: argparse.Namespace) -> dict[str, Any]:
    """Predictions of the test molecules with their targets."""
    getattr(part, PREPARED[model])()
    began = time.perf_counter()
    found = MODELS[model](part, seed, args)
    seconds = time.perf_counter() - began
    truth = [[None if np.isnan(v) else v for v in column] for column in part.targets[part.test].T]
    return {"seconds": seconds, "train": len(part.train), "numbers": part.numbers, "truth": truth, "found": found}


def splits_of(name: str) -> list[str]:
    """The splits that a set has."""
    source = SOURCES[name]
    return [split for split, has in (("random", source.random), ("scaffold", source.scaffold)) if has]


def run(args: argparse.Namespace) -> None:
    """Run the cells that are missing, small sets first."""
    for name, split, seed in [(n, s, k) for n in args.sets for s in splits_of(n) for k in range(args.seeds)]:
        part: Part | None = None
        for model in args.models if split in args.splits else ():
            file = f"{name} {split} {seed} {model}.json".replace(", ", "-").replace(" ", "_")
            path = args.out / "cells" / file
            nothing_drawn = split == "scaffold" and model == "Tanimoto GP" and not SOURCES[name].sampled
            if path.exists() or (nothing_drawn and seed > 0):
                continue
            part = part or loaded(args, name, split, seed)
            found = cell(part, seed, model, args)
            sheet.write(path, {"set": name, "split": split, "seed": seed, "model": model, **found})
            print(f"{name} {split} {seed} {model}: {found['seconds']:.1f} s", flush=True)


def inner_loss(part: Part, recipe: str, command: str) -> tuple[float, float]:
    """Mean NLL over three folds inside the training part, and its standard error."""
    losses = []
    for seed, (fit, check) in enumerate(KFold(3, shuffle=True, random_state=0).split(part.train)):
        inner = replace(part, train=part.train[fit], test=part.train[check])
        found, truth = hodgelet(inner, seed, recipe, command)[0], part.targets[part.train[check], 0]
        if part.numbers:
            mean, std = np.array(found["mean"]), np.array(found["std"])
            losses.append(0.5 * ((truth - mean) / std) ** 2 + np.log(std) + 0.5 * np.log(2 * np.pi))
        else:
            p = np.array(found["p"])
            losses.append(-np.log(np.where(truth == 1, p, 1 - p)))
    values = np.concatenate(losses)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def choose(args: argparse.Namespace) -> None:
    """NLL of each recipe inside the training parts of the sets that it is chosen with."""
    rows = []
    for name in COMPARED_ON:
        part = loaded(args, name, "random", 0)
        for recipe in args.recipes:
            began = time.perf_counter()
            loss, error = inner_loss(part, recipe, args.hodgelet)
            rows.append([name, recipe, f"{loss:.4f}", f"{error:.4f}", f"{time.perf_counter() - began:.0f}"])
            print(*rows[-1], flush=True)
    print(sheet.table(["set", "recipe", "NLL", "std. error", "s"], rows))


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("HODGELET_DATA", "."))
    parser.add_argument("--hodgelet", default="target/release/hodgelet", help="the command")
    parser.add_argument("--sets", nargs="+", default=list(SOURCES), choices=list(SOURCES), metavar="NAME")
    parser.add_argument("--splits", nargs="+", default=["random", "scaffold"], choices=["random", "scaffold"])
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS), metavar="MODEL")
    parser.add_argument("--recipe", default=RECIPE, choices=list(RECIPES), metavar="RECIPE", help="what hodgelet sees")
    parser.add_argument("--recipes", nargs="+", default=list(RECIPES), choices=list(RECIPES), metavar="RECIPE")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--out", type=Path, default=Path("results/molecules"))
    parser.add_argument("--choose", action="store_true", help="compare recipes inside training parts, nothing else")
    return parser.parse_args()


def main() -> None:
    """Run what is missing and print the table."""
    args = parsed()
    args.data_dir = Path(args.data_dir)
    if args.choose:
        choose(args)
        return
    run(args)
    cells = [json.loads(path.read_text()) for path in sorted((args.out / "cells").glob("*.json"))]
    text = page(cells, args.models, list(SOURCES))
    (args.out / "molecules.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()

"""Molecules: from SMILES to calibrated classes, and why.

The task is an old one of toxicology: does a molecule carry an aromatic nitro group, the alert behind most mutagens of
the MUTAG collection? The classes follow from the structure, so we can check everything that the model says.
"""

from __future__ import annotations

import argparse
import csv
import os
from pathlib import Path

import numpy as np

from hodgelet import HodgeletClassifier, HodgeletRegressor, as_batch

RINGS = [
    "{a}c1ccccc1",
    "{a}c1ccc({b})cc1",
    "{a}c1cccc({b})c1",
    "{a}c1ccccc1{b}",
    "{a}c1ccc2ccccc2c1",
    "{a}c1ccc(C{b})cc1",
    "{a}c1cc({b})cc({b})c1",
    "{a}c1ccc(cc1)c1ccccc1",
    "{a}c1ccc({b})c(C)c1",
]
REST = ["C", "O", "Cl", "N", "F", "C(=O)O", "OC", "C#N"]
NITRO, PLAIN = "[N+](=O)[O-]", ["C", "N", "O", "C(=O)O", "Br", "S"]


def molecules() -> tuple[list[str], list[str]]:
    """Molecules with an aromatic nitro group and without: rings that carry it or something else, and open chains."""
    alert, other = set(), set()
    for i, ring in enumerate(RINGS):
        for j, rest in enumerate(REST):
            alert.add(ring.format(a="O=[N+]([O-])", b=rest))
            other.add(ring.format(a=PLAIN[(i + j) % len(PLAIN)], b=rest))
    other |= {f"{chain}{NITRO}" for chain in ("C", "CC", "CCC", "CC(C)", "OCC", "ClCC", "NCC")}  # nitro, not aromatic
    kept = sorted(other)
    smiles = sorted(alert) + kept
    return smiles, ["alert"] * len(alert) + ["other"] * len(kept)


def classify(small: bool, plots: Path | None) -> None:
    """Trains on half of the molecules and predicts the other half."""
    smiles, labels = molecules()
    order = np.random.default_rng(0).permutation(len(smiles))
    if small:
        order = order[:60]
    train, test = order[: len(order) // 2], order[len(order) // 2 :]
    x, y = np.array(smiles, dtype=object), np.array(labels)
    print(f"{len(train)} molecules to learn from, {len(test)} to predict")

    # Strings are read as SMILES. Atoms carry element, charge, hydrogens, aromatic and ring; bonds type, conjugated
    # and ring. `as_batch` shows what the model sees:
    batch = as_batch(x[train][:1])
    print("columns:", ", ".join(f"{c.name} ({c.kind}, dimension {c.dim})" for c in batch.columns))

    model = HodgeletClassifier(max_iter=20 if small else 60).fit(x[train], y[train])
    found = model.predict_full(x[test])
    right = found.labels == y[test]
    truth = found.classes.searchsorted(y[test])
    loss = -np.log(found.probabilities[np.arange(len(test)), truth]).mean()
    print(f"right: {100 * right.mean():.1f} %, negative log-likelihood {loss:.3f} (a coin has 0.693)")
    assert right.mean() >= 0.8 and loss < 0.5

    # Calibrated: among predictions made with probability p, about p are right.
    confidence = found.probabilities.max(axis=1)
    print(f"said {100 * confidence.mean():.1f} % sure on average, right in {100 * right.mean():.1f} %")
    assert abs(confidence.mean() - right.mean()) < 0.2

    # Why: shares of the Hodge blocks add up to the latent mean, exactly.
    nitrobenzene = "O=[N+]([O-])c1ccccc1"
    why = model.explain(nitrobenzene)
    print(f"{nitrobenzene}: {why}")
    assert why.value == "alert" and np.isclose(sum(why.contributions.values()), why.latent_mean)

    # Uncertainty: a chain of silicon is far from all training molecules, as its latent standard deviation shows.
    # (The model also warns that this element was not in the training data.)
    far = model.predict_full(["[SiH3][SiH2][SiH2][SiH2][SiH2][SiH3]"])
    print(f"latent standard deviation of a silane {far.std[0, 0]:.2f}, of the test molecules {found.std.mean():.2f}")
    assert far.std[0, 0] > found.std.mean()

    if plots is not None:
        from hodgelet.plot import plot_attributions, plot_filters, plot_reliability

        plot_filters(model, x[train]).savefig(plots / "molecules-filters.png")
        plot_reliability(y[test], found).figure.savefig(plots / "molecules-reliability.png")
        plot_attributions(found).figure.savefig(plots / "molecules-attributions.png", bbox_inches="tight")


def solubility(folder: Path, small: bool) -> None:
    """Regression on measured solubilities (ESOL), with an error bar for each molecule."""
    with (folder / "ESOL.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    name = next(column for column in rows[0] if column.startswith("measured log solubility"))
    x, y = np.array([row["smiles"] for row in rows], dtype=object), np.array([float(row[name]) for row in rows])
    order = np.random.default_rng(0).permutation(len(x))[: 120 if small else len(x)]
    train, test = order[: int(0.8 * len(order))], order[int(0.8 * len(order)) :]
    model = HodgeletRegressor(max_iter=15 if small else 60).fit(x[train], y[train])
    found = model.predict_full(x[test])
    error = np.sqrt(np.mean((found.mean - y[test]) ** 2))
    inside = np.mean(np.abs(found.mean - y[test]) < 1.96 * found.std)
    print(
        f"ESOL: root mean squared error {error:.2f} (standard deviation {y[test].std():.2f}), "
        f"{100 * inside:.0f} % within bars"
    )
    assert error < y[test].std() and inside > 0.75


def main(arguments: list[str] | None = None) -> None:
    """The whole tutorial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a minute less")
    parser.add_argument("--plots", type=Path, help="folder for pictures")
    options = parser.parse_args(arguments)
    if options.plots is not None:
        options.plots.mkdir(parents=True, exist_ok=True)
    classify(options.small, options.plots)
    folder = os.environ.get("HODGELET_DATA")
    candidates = [] if folder is None else [Path(folder), *sorted(p for p in Path(folder).iterdir() if p.is_dir())]
    found = next((path for path in candidates if (path / "ESOL.csv").exists()), None)
    if found is None:
        print("SKIPPED solubility: HODGELET_DATA names no folder with ESOL.csv")
    else:
        solubility(found, options.small)


if __name__ == "__main__":
    main()

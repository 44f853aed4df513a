"""Scores of the cells of `molecule_table.py`, and its page."""

from collections import defaultdict
from typing import Any

import numpy as np
import sheet
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

HEAD = """# Molecules against forests and a Tanimoto process

```sh
python bench/molecule_table.py --data-dir DATA --out results/molecules
```

Random splits train on four fifths of a set, another draw for each of five seeds; scaffold splits are the fixed ones of
MUBen (`train.csv` and `test.csv`), where a seed is that of the model alone. `runs` counts the seeds. HIV is sampled:
4,000 molecules train, and 4,000 others (random) or all test molecules (scaffold) are predicted. Tox21 has 12 targets
and ClinTox two, with gaps; hodgelet learns them together, the others one by one, and scores are means over targets.
Neutralised molecules have their charges removed where protons can be added or taken (65% of the non-toxic and 3% of
the toxic molecules of ClinTox are charged as they stand).

The models: `hodgelet` sees its default blocks, counted environments of atoms under Tanimoto's kernel, and all
descriptors of RDKit as columns
(`--blocks energies,edge-labels,vertex-labels,values,smoothed-values,environments,columns
--columns DESCRIPTORS.csv`), at its most probable hyperparameters. Forests have 500 trees, 200 where more than 2,000
entries train; the deviation of their numbers is that of out-of-bag errors. The process is an exact one on ECFP4 counts
without folding, mean, amplitude and noise by the evidence; classes are regressed on, and a logistic link is fitted to
the means of molecules left out one at a time.

`±` is a standard error: over the splits, or of a bootstrap of the test molecules where the split is fixed. The best is
in bold. hodgelet is *level* with the best where it is behind by at most one standard error of the paired difference.
ECE is the calibration error in 15 bins; intervals are those of 90%. `s` is training and prediction on one thread of a
busy machine, without fingerprints and descriptors, with the reading of SMILES for hodgelet.

"""
DRAWS = 1000  # of the bootstrap over the test molecules of a fixed split
Scores = dict[str, float]


def losses(found: dict[str, Any], truth: np.ndarray, numbers: bool) -> np.ndarray:
    """Negative log probability, or density, of each molecule."""
    if numbers:
        mean, std = np.array(found["mean"]), np.array(found["std"])
        return 0.5 * ((truth - mean) / std) ** 2 + np.log(std) + 0.5 * np.log(2 * np.pi)
    p = np.array(found["p"])
    return -np.log(np.where(truth == 1, p, 1 - p))


def headline(found: dict[str, Any], truth: np.ndarray, numbers: bool, rows: np.ndarray) -> float:
    """RMSE, or ROC AUC, of some rows; NaN where they hold one class only."""
    if numbers:
        return float(np.sqrt(np.mean((np.array(found["mean"])[rows] - truth[rows]) ** 2)))
    if len(np.unique(truth[rows])) < 2:
        return float("nan")
    return float(roc_auc_score(truth[rows], np.array(found["p"])[rows]))


def calibration(found: dict[str, Any], truth: np.ndarray, numbers: bool) -> float:
    """Share of targets in 90% intervals, or expected calibration error."""
    if not numbers:
        p = np.array(found["p"])
        return sheet.ece(np.column_stack([1 - p, p]), truth.astype(int))
    if "lower" in found:
        return float(np.mean((np.array(found["lower"]) <= truth) & (truth <= np.array(found["upper"]))))
    return float(np.mean(np.abs(truth - np.array(found["mean"])) <= norm.ppf(0.95) * np.array(found["std"])))


def tasks(cell: dict[str, Any]) -> list[tuple[dict[str, Any], np.ndarray, np.ndarray]]:
    """Predictions and targets of each task, and the test molecules where the target is known."""
    out = []
    for found, column in zip(cell["found"], cell["truth"], strict=True):
        known = np.array([v is not None for v in column])
        kept = {name: np.array(values)[known] for name, values in found.items()}
        out.append((kept, np.array([v for v in column if v is not None], float), np.flatnonzero(known)))
    return out


def scores(cell: dict[str, Any]) -> Scores:
    """Means over tasks."""
    numbers = cell["numbers"]
    parts = [(f, t) for f, t, _ in tasks(cell)]
    return {
        "headline": float(np.nanmean([headline(f, t, numbers, np.arange(len(t))) for f, t in parts])),
        "nll": float(np.mean([losses(f, t, numbers).mean() for f, t in parts])),
        "calibration": float(np.mean([calibration(f, t, numbers) for f, t in parts])),
        "seconds": cell["seconds"],
    }


def drawn(cell: dict[str, Any], draws: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Headline and NLL for each draw of test molecules with replacement: how often each molecule was drawn."""
    numbers, heads, nlls = cell["numbers"], [], []
    parts = tasks(cell)
    each = [losses(f, t, numbers) for f, t, _ in parts]
    for times in draws:
        head, nll = [], []
        for (found, truth, known), loss in zip(parts, each, strict=True):
            rows = np.repeat(np.arange(len(known)), times[known])
            head.append(headline(found, truth, numbers, rows))
            nll.append(loss[rows].mean() if len(rows) else np.nan)
        heads.append(np.nanmean(head))
        nlls.append(np.nanmean(nll))
    return {"headline": np.array(heads), "nll": np.array(nlls)}


def samples(cells: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """What a row varies over: its splits, or draws of the test molecules of a fixed one, averaged over seeds."""
    if cells[0]["split"] == "random":
        found = [scores(cell) for cell in cells]
        return {name: np.array([s[name] for s in found]) for name in ("headline", "nll")}
    n, rng = len(cells[0]["truth"][0]), np.random.default_rng(0)
    draws = [rng.multinomial(n, np.full(n, 1 / n)) for _ in range(DRAWS if len(cells) == 1 or n < 500 else DRAWS // 5)]
    every = [drawn(cell, draws) for cell in cells]
    length = min(len(e["nll"]) for e in every)
    return {name: np.mean([e[name][:length] for e in every], axis=0) for name in ("headline", "nll")}


def spread(values: np.ndarray, split: str) -> float:
    """Standard error: over splits, or the deviation of the draws of a bootstrap."""
    if len(values) < 2:
        return float("nan")
    return float(np.nanstd(values, ddof=1) / (np.sqrt(len(values)) if split == "random" else 1.0))


def row(cells: dict[str, list[dict[str, Any]]], models: list[str], split: str) -> dict[str, Any]:
    """Scores of each model, and where hodgelet stands by each of the two that are compared."""
    numbers = next(iter(cells.values()))[0]["numbers"]
    varied = {model: samples(cells[model]) for model in models}
    means = {}
    for model in models:
        every = [scores(cell) for cell in cells[model]]
        means[model] = {name: float(np.mean([s[name] for s in every])) for name in every[0]}
        means[model] |= {f"{name}_error": spread(values, split) for name, values in varied[model].items()}
    places = {}
    for name in ("headline", "nll"):
        sign = -1.0 if name == "headline" and not numbers else 1.0
        order = sorted(models, key=lambda m: sign * means[m][name])
        best = order[0]
        length = min(len(varied["hodgelet"][name]), len(varied[best][name]))
        apart = sign * (varied["hodgelet"][name][:length] - varied[best][name][:length])
        behind = sign * (means["hodgelet"][name] - means[best][name])
        level = best == "hodgelet" or behind <= spread(apart, split)
        places[name] = {"best": best, "level": bool(level), "worst": order[-1] == "hodgelet"}
    return {"numbers": numbers, "means": means, "places": places}


def page(cells: list[dict[str, Any]], models: list[str], sets: list[str]) -> str:
    """The tables; rows that lack a model are left out."""
    grouped: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        grouped[cell["set"], cell["split"]][cell["model"]].append(cell)
    lines, verdicts = {True: [], False: []}, []
    for name in sets:
        for split in ("random", "scaffold"):
            found = grouped.get((name, split), {})
            if not all(model in found for model in models):
                continue
            if split == "random":  # splits that all models have seen
                seeds = set.intersection(*({cell["seed"] for cell in found[model]} for model in models))
                found = {model: [cell for cell in found[model] if cell["seed"] in seeds] for model in models}
            made = row(found, models, split)
            verdicts.append((name, split, made["places"]))
            for model in models:
                lines[made["numbers"]].append(line(name, split, model, made, found[model]))
    head = "| set | split | trained on | model | runs | {} | NLL | {} | s |\n"
    head += "| --- | --- | ---: | --- | ---: | --- | --- | --- | ---: |\n"
    classes = head.format("ROC AUC", "ECE") + "\n".join(lines[False])
    numbers = head.format("RMSE", "90% intervals hold, %") + "\n".join(lines[True])
    tables = f"## Classes\n\n{classes}\n\n## Numbers\n\n{numbers}\n\n"
    if len(models) == 1:
        return HEAD + tables
    return f"{HEAD}{tables}## Where hodgelet stands\n\n{standing(verdicts)}\n"


def line(name: str, split: str, model: str, made: dict[str, Any], cells: list[dict[str, Any]]) -> str:
    """A model of a row."""
    found, numbers, train = made["means"][model], made["numbers"], cells[0]["train"]

    def score(key: str) -> str:
        text = f"{found[key]:.3f} ± {found[f'{key}_error']:.3f}"
        return f"**{text}**" if made["places"][key]["best"] == model else text

    calibrated = f"{100 * found['calibration']:.1f}" if numbers else f"{found['calibration']:.3f}"
    return (
        f"| {name} | {split} | {train} | {model} | {len(cells)} | {score('headline')} | {score('nll')} | {calibrated} "
        f"| {found['seconds']:.1f} |"
    )


def standing(verdicts: list[tuple[str, str, dict[str, Any]]]) -> str:
    """How often hodgelet is level with the best, and where it is worst."""
    lines = []
    for key, title in (("headline", "ROC AUC or RMSE"), ("nll", "NLL")):
        level = [f"{n} {s}" for n, s, places in verdicts if places[key]["level"]]
        worst = [f"{n} {s}" for n, s, places in verdicts if places[key]["worst"]]
        behind = [f"{n} {s}" for n, s, places in verdicts if not places[key]["level"]]
        lines.append(
            f"By {title}: level with the best or above it in {len(level)} of {len(verdicts)} rows; behind in "
            f"{'; '.join(behind) or 'none'}; the worst in {'; '.join(worst) or 'none'}."
        )
    return "\n\n".join(lines)

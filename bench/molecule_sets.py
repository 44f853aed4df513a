"""Molecule sets with their targets, their random and fixed scaffold splits, and what peers see of a molecule."""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rdkit import Chem, RDLogger
from rdkit.Chem import Descriptors, rdFingerprintGenerator
from rdkit.Chem.MolStandardize import rdMolStandardize
from scipy import sparse

RDLogger.DisableLog("rdApp.*")
#: Share of the molecules that a random split trains on.
TRAINING_SHARE = 0.8
#: Molecules drawn for training and, in a random split, for testing from sets that are larger than is affordable.
SAMPLE = 4000


@dataclass
class Source:
    """Where a set comes from."""

    table: str
    targets: Sequence[str]
    numbers: bool = False
    smiles: str = "smiles"
    scaffold: str | None = None
    random: bool = True
    neutral: bool = False
    sampled: bool = False


SOURCES = {
    "FreeSolv": Source("FreeSolv.csv", ["expt"], numbers=True, scaffold="freesolv"),
    "ESOL": Source("ESOL.csv", ["measured log solubility in mols per litre"], numbers=True, scaffold="esol"),
    "BACE": Source("BACE.csv", ["Class"], scaffold="bace"),
    "ClinTox": Source("ClinTox.csv", ["FDA_APPROVED", "CT_TOX"], scaffold="clintox"),
    "ClinTox, neutralised": Source("ClinTox.csv", ["FDA_APPROVED", "CT_TOX"], scaffold="clintox", neutral=True),
    "BBBP": Source("BBBP.csv", ["p_np"]),
    "Lipophilicity": Source("Lipophilicity.csv", ["exp"], numbers=True, scaffold="lipo"),
    "HIV": Source("HIV.csv", ["HIV_active"], scaffold="hiv", sampled=True),
    "Tox21": Source("", [], scaffold="tox21", random=False),
}


@dataclass
class Part:
    """Molecules of one split: all that can be read, and which of them train and test."""

    smiles: list[str]
    molecules: list[Chem.Mol]
    targets: np.ndarray  # [n_molecules, n_tasks], NaN where unknown
    train: np.ndarray
    test: np.ndarray
    numbers: bool
    seen: dict[str, object] = field(default_factory=dict)

    def known(self, places: np.ndarray, task: int) -> np.ndarray:
        """Those of some molecules whose target is known."""
        return places[~np.isnan(self.targets[places, task])]

    def bits(self) -> np.ndarray:
        """ECFP4 folded to 2,048 bits."""
        generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
        return self._once("bits", lambda: np.array([generator.GetFingerprintAsNumPy(m) for m in self.molecules]))

    def counts(self) -> sparse.csr_matrix:
        """ECFP4 counts without folding, in unary: a count of 3 is three ones, so that Tanimoto is min over max."""
        generator = rdFingerprintGenerator.GetMorganGenerator(radius=2)

        def unary() -> sparse.csr_matrix:
            known: dict[tuple[int, int], int] = {}
            rows, columns = [], []
            for i, molecule in enumerate(self.molecules):
                for tag, count in generator.GetSparseCountFingerprint(molecule).GetNonzeroElements().items():
                    columns += [known.setdefault((tag, k), len(known)) for k in range(count)]
                    rows += [i] * count
            ones = np.ones(len(rows), np.float32)
            return sparse.csr_matrix((ones, (rows, columns)), shape=(len(self.molecules), len(known)))

        return self._once("counts", unary)

    def descriptors(self) -> np.ndarray:
        """All descriptors of RDKit, the logarithm of their size with their sign; 0 where one does not exist."""

        def table() -> np.ndarray:
            rows = [list(Descriptors.CalcMolDescriptors(m, missingVal=0.0).values()) for m in self.molecules]
            values = np.nan_to_num(np.array(rows, float), nan=0.0, posinf=0.0, neginf=0.0)
            return np.sign(values) * np.log1p(np.abs(values))

        return self._once("descriptors", table)

    def _once(self, name: str, make):  # noqa: ANN001, ANN202
        if name not in self.seen:
            self.seen[name] = make()
        return self.seen[name]


def neutral(molecule: Chem.Mol) -> Chem.Mol:
    """The molecule with its charges removed where protons can be added or taken."""
    return rdMolStandardize.Uncharger().uncharge(molecule)


def table_rows(path: Path, source: Source) -> tuple[list[str], np.ndarray]:
    """SMILES and targets of a table."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    targets = [[float(row[name]) if row[name].strip() else np.nan for name in source.targets] for row in rows]
    return [row[source.smiles] for row in rows], np.array(targets)


def scaffold_rows(folder: Path, part: str) -> tuple[list[str], np.ndarray]:
    """SMILES and targets of a part of a fixed split: `labels` and `masks` are lists."""
    with (folder / f"{part}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    labels = np.array([json.loads(row["labels"]) for row in rows], float)
    masks = np.array([json.loads(row["masks"]) for row in rows], float)
    return [row["smiles"] for row in rows], np.where(masks > 0, labels, np.nan)


def readable(source: Source, smiles: list[str]) -> list[tuple[int, str, Chem.Mol]]:
    """Rows that RDKit reads, with atoms."""
    found = []
    for row, text in enumerate(smiles):
        molecule = Chem.MolFromSmiles(text)
        if molecule is None or molecule.GetNumAtoms() == 0:
            continue
        if source.neutral:
            molecule = neutral(molecule)
            text = Chem.MolToSmiles(molecule)
            molecule = Chem.MolFromSmiles(text)
        if molecule is not None:
            found.append((row, text, molecule))
    return found


def load(data: Path, name: str, split: str, seed: int, refused: Callable[[list[str]], set[int]]) -> Part:
    """One split of a set. Random splits differ by seed, the scaffold split only where it is sampled."""
    source, rng = SOURCES[name], np.random.default_rng(seed)
    if split == "random":
        smiles, targets = table_rows(data / source.table, source)
        order = rng.permutation(len(smiles))
        cut = int(TRAINING_SHARE * len(smiles))
        parts = [order[:cut], order[cut:]]
        if source.sampled:
            parts = [order[:SAMPLE], order[SAMPLE : 2 * SAMPLE]]
    else:
        folder = data / "scaffold" / str(source.scaffold)
        (first, a), (second, b) = scaffold_rows(folder, "train"), scaffold_rows(folder, "test")
        smiles, targets = first + second, np.vstack([a, b])
        parts = [np.arange(len(first)), np.arange(len(first), len(smiles))]
        if source.sampled:
            parts[0] = np.sort(rng.choice(parts[0], SAMPLE, replace=False))
    chosen = np.concatenate(parts)
    kept = readable(source, [smiles[i] for i in chosen])
    out = refused([text for _, text, _ in kept])
    kept = [row for i, row in enumerate(kept) if i not in out]
    rows = np.array([row for row, _, _ in kept])
    is_train = rows < len(parts[0])
    return Part(
        smiles=[text for _, text, _ in kept],
        molecules=[molecule for _, _, molecule in kept],
        targets=targets[chosen[rows]],
        train=np.flatnonzero(is_train),
        test=np.flatnonzero(~is_train),
        numbers=source.numbers,
    )

"""The gallery of the book: every picture with the command that makes it.

`python3 tools/gallery.py HODGELET` makes the pictures, the page and `hashes.json` anew; with `--check` it makes them in
a folder of its own and fails when the geometry of one has another hash than the one stored, or when the picture in the
book has.

What is hashed is the picture with every length rounded to whole units of a canvas some 400 wide. Words, elements and
their order count exactly. Rounding is what makes hashes portable: filters and posteriors are found by iterations whose
last digits depend on the vector instructions of a processor, and a picture is the same when nothing in it moves by a
pixel. Lengths of pictures have one decimal; a length on the border between two units may round either way on another
machine, and then the message says by how little it moved.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book" / "src" / "gallery"
PAGE = ROOT / "book" / "src" / "guides" / "gallery.md"
HASHES = FOLDER / "hashes.json"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")

FIELDS = "vector-fields --set n_fields=60 --set n_vertices=60"
MOLECULES = "molecules --set n_graphs=120"
#: What has to be there before the pictures.
MODELS = [
    f"hodgelet fit {FIELDS} --hyperparameters map --out flow.hodgelet",
    f"hodgelet fit {MOLECULES} --hyperparameters map --out molecules.hodgelet",
]
#: Name, what it shows, and the command; a file called `OUT` is the picture.
#: The call in Python that draws the same with matplotlib, for the page.
PYTHON = {
    "flow": "plot_components(mesh, flow, positions=positions)",
    "spectrum": "plot_spectrum(model, graph)",
    "filters": "plot_filters(model, graphs)",
    "attribution": "plot_attributions(model.explain(graph))",
    "reliability": "plot_reliability(y, model.predict_full(graphs))",
    "molecule": "plot_cells(model.explain(molecule), molecule)",
    "learning-curve": "plot_learning_curve(HodgeletClassifier(), graphs, y)",
}
PICTURES = [
    (
        "flow",
        "A flow on a mesh splits into a part without curl (exact), one without divergence (co-exact) and one without "
        "either (harmonic). A square has no hole, so the last is empty. Arrows point along the flow, and are as wide "
        "and as large as it is strong; numbers are shares of the energy.",
        f"hodgelet plot decompose {FIELDS} --graph 3 --out OUT",
    ),
    (
        "spectrum",
        "The energy of the same flow at the eigenvalues of each component: low ones are smooth.",
        f"hodgelet plot spectrum {FIELDS} --graph 3 --out OUT",
    ),
    (
        "filters",
        "What a model has learned to look at: its filters, over the energy of the data.",
        f"hodgelet plot filters flow.hodgelet {FIELDS} --out OUT",
    ),
    (
        "kernel",
        "What the fields have in common for the model, pair by pair: 1 for equal features, 0 for nothing. The two "
        "classes are alike inside, and unlike each other, as far as the model has learned to tell them apart.",
        f"hodgelet plot kernel flow.hodgelet {FIELDS} --out OUT",
    ),
    (
        "attribution",
        "Where a prediction comes from: each step is what a block adds, and the sum is the latent mean exactly.",
        f"hodgelet plot attribution flow.hodgelet {FIELDS} --seed 1 --graph 3 --out OUT",
    ),
    (
        "reliability",
        "Are probabilities right? Bars are 95% intervals, and the subtitle has the error that a perfect model would "
        "show on as many graphs.",
        f"hodgelet plot reliability flow.hodgelet {FIELDS} --seed 1 --out OUT",
    ),
    (
        "molecule",
        "A molecule, and what each of its atoms and bonds adds to a prediction; rings are regular, as chemists draw "
        "them.",
        f"hodgelet plot attribution molecules.hodgelet {MOLECULES} --graph 5 --out OUT",
    ),
    (
        "learning-curve",
        "What more graphs would bring: accuracy by the number of training graphs, with standard errors over folds.",
        f"hodgelet plot learning-curve {FIELDS} --hyperparameters map --folds 3 --out OUT",
    ),
]


def run(program: str, command: str, folder: Path, out: Path | None = None) -> None:
    """Runs a command of the gallery."""
    words = [str(out) if word == "OUT" else word for word in shlex.split(command)[1:]]
    subprocess.run([program, *words, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def make(program: str, folder: Path) -> None:
    """Makes all pictures in a folder."""
    with tempfile.TemporaryDirectory() as place:
        for command in MODELS:
            run(program, command, Path(place))
        for name, _, command in PICTURES:
            run(program, command, Path(place), folder / f"{name}.svg")


def page() -> str:
    """The page of the gallery."""
    parts = [
        "# Gallery\n\nEvery picture here is made by the command above it (`tools/gallery.py` runs them, and the tests "
        "compare what it makes with what is shown). Names that end in `.png` and `.pdf` are taken, too. Calls in "
        "Python are of `hodgelet.plot` ([pictures from Python](python-plots.md)). The models are\n\n```sh\n"
        + "\n".join(MODELS)
        + "\n```"
    ]
    for name, words, command in PICTURES:
        shown = command.replace("OUT", f"{name}.svg")
        title = name.replace("-", " ").capitalize()
        python = f"\n\nIn Python: `{PYTHON[name]}`." if name in PYTHON else ""
        parts.append(f"## {title}\n\n{words}\n\n```sh\n{shown}\n```{python}\n\n![{name}](../gallery/{name}.svg)")
    return "\n\n".join(parts) + "\n"


def geometry(text: str) -> str:
    """The hash of a picture whose lengths are rounded to whole units."""
    body = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    # Rounding may give -0 and 0.
    rounded = NUMBER.sub(lambda found: str(round(float(found.group())) + 0), body)
    return hashlib.sha256(rounded.encode()).hexdigest()[:16]


def moved(old: str, new: str) -> str:
    """How a picture differs from the one that is shown."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return "its elements or words differ"
    lengths = [[float(x) for x in NUMBER.findall(text)] for text in (old, new)]
    worst = max((abs(a - b) for a, b in zip(*lengths, strict=True)), default=0.0)
    return f"a length differs by {worst:.1f}"


def check(program: str) -> int:
    """Compares what the commands make with what the book shows."""
    wrong = [] if PAGE.exists() and PAGE.read_text() == page() else [f"{PAGE.name}: differs from the script"]
    stored = json.loads(HASHES.read_text()) if HASHES.exists() else {}
    if sorted(stored) != sorted(name for name, _, _ in PICTURES):
        wrong.append(f"{HASHES.name}: not the pictures of the gallery")
    with tempfile.TemporaryDirectory() as place:
        make(program, Path(place))
        for name, _, _ in PICTURES:
            shown, new = FOLDER / f"{name}.svg", (Path(place) / f"{name}.svg").read_text()
            if not shown.exists() or geometry(shown.read_text()) != stored.get(name):
                wrong.append(f"{name}.svg: the picture in the book is not the one whose hash is stored")
            elif geometry(new) != stored[name]:
                wrong.append(f"{name}.svg: the command makes another one: {moved(shown.read_text(), new)}")
    for line in wrong:
        print(line)
    print(f"{len(PICTURES)} pictures of the gallery compared with the hashes of their geometry")
    if wrong:
        print("look at the new ones: python3 tools/gallery.py HODGELET")
    return 1 if wrong else 0


def main(arguments: list[str]) -> int:
    """Makes or checks the gallery."""
    programs = [word for word in arguments if word != "--check"]
    if len(programs) != 1 or shutil.which(programs[0]) is None:
        print("usage: python3 tools/gallery.py HODGELET [--check]", file=sys.stderr)
        return 2
    program = str(Path(shutil.which(programs[0]) or "").resolve())
    if "--check" in arguments:
        return check(program)
    FOLDER.mkdir(parents=True, exist_ok=True)
    make(program, FOLDER)
    hashes = {name: geometry((FOLDER / f"{name}.svg").read_text()) for name, _, _ in sorted(PICTURES)}
    HASHES.write_text(json.dumps(hashes, indent=2) + "\n")
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The gallery of the book: every picture with the command or the program that makes it.

`python3 tools/gallery.py HODGELET` makes the pictures, the page and `hashes.json` anew; with `--check` it makes them in
a folder of its own and fails when the geometry of one has another hash than the one stored, or when the picture in the
book has. It runs in a Python that has `hodgelet` and matplotlib.

What is hashed is the picture with every length rounded to whole units of a canvas some 400 wide. Words, elements and
their order count exactly. Rounding is what makes hashes portable: filters and posteriors are found by iterations whose
last digits depend on the vector instructions of a processor, and a picture is the same when nothing in it moves by a
pixel. Lengths of pictures have one decimal; a length on the border between two units may round either way on another
machine, and then the message says by how little it moved.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book" / "src" / "gallery"
PAGE = ROOT / "book" / "src" / "guides" / "gallery.md"
HASHES = FOLDER / "hashes.json"
LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")

FIELDS = "vector-fields --set n_fields=60 --set n_vertices=60"
MOLECULES = "molecules --set n_graphs=120"
#: What has to be there before the pictures.
MODELS = [
    f"hodgelet fit {FIELDS} --hyperparameters map --out flow.hodgelet",
    f"hodgelet fit {MOLECULES} --hyperparameters map --out molecules.hodgelet",
]
#: What the programs in Python begin with.
BEGIN = """\
import numpy as np
from hodgelet import GraphBatch, HodgeletClassifier, datasets
from hodgelet.plot import plot_attributions, plot_cells, plot_components, plot_filters, plot_kernel
from hodgelet.plot import plot_learning_curve, plot_reliability, plot_spectrum

fields = datasets.load("vector-fields", n_fields=60, n_vertices=60)
new = datasets.load("vector-fields", seed=1, n_fields=60, n_vertices=60)
model = HodgeletClassifier(hyperparameters="map").fit(fields.graphs, fields.target)
molecules = datasets.load("molecules", n_graphs=120)
chemist = HodgeletClassifier(hyperparameters="map").fit(molecules.graphs, molecules.target)
"""


class Picture(NamedTuple):
    """A picture: what it shows, the command that makes it, and the program that draws the same with matplotlib.

    A file called `OUT` is the picture; programs end where it is saved.
    """

    name: str
    words: str
    command: str
    python: str


PICTURES = [
    Picture(
        "flow",
        "A flow on a mesh splits into a part without curl (exact), one without divergence (co-exact) and one without "
        "either (harmonic). A square has no hole, so the last is empty. Arrows point along the flow, and are as wide "
        "and as large as it is strong; numbers are shares of the energy.",
        f"hodgelet plot decompose {FIELDS} --graph 3 --out OUT",
        """\
field = fields.graphs[3]
(flow,) = [column.values for column in field.columns if column.dim == 1]
plot_components(field, flow)""",
    ),
    Picture(
        "spectrum",
        "The energy of the same flow at the eigenvalues of each component: low ones are smooth.",
        f"hodgelet plot spectrum {FIELDS} --graph 3 --out OUT",
        "plot_spectrum(model, field).figure",
    ),
    Picture(
        "filters",
        "What a model has learned to look at: its filters, over the energy of the data.",
        f"hodgelet plot filters flow.hodgelet {FIELDS} --out OUT",
        "plot_filters(model, fields.graphs)",
    ),
    Picture(
        "kernel",
        "What the fields have in common for the model, pair by pair: 1 for equal features, 0 for nothing. The two "
        "classes are alike inside, and unlike each other, as far as the model has learned to tell them apart.",
        f"hodgelet plot kernel flow.hodgelet {FIELDS} --out OUT",
        "plot_kernel(model, fields.graphs, fields.target).figure",
    ),
    Picture(
        "attribution",
        "Where a prediction comes from: each step is what a block adds, and the sum is the latent mean exactly.",
        f"hodgelet plot attribution flow.hodgelet {FIELDS} --seed 1 --graph 3 --out OUT",
        "plot_attributions(model.explain(new.graphs[3])).figure",
    ),
    Picture(
        "attributions",
        "The same of many graphs: a dot for each, and a line at the mean of its block.",
        "",
        "plot_attributions(model.predict_full(new.graphs)).figure",
    ),
    Picture(
        "reliability",
        "Are probabilities right? Bars are 95% intervals, and the subtitle has the error that a perfect model would "
        "show on as many graphs.",
        f"hodgelet plot reliability flow.hodgelet {FIELDS} --seed 1 --out OUT",
        "plot_reliability(new.target, model.predict_full(new.graphs)).figure",
    ),
    Picture(
        "molecule",
        "A molecule, and what each of its atoms and bonds adds to a prediction; rings are regular, as chemists draw "
        "them.",
        f"hodgelet plot attribution molecules.hodgelet {MOLECULES} --graph 5 --out OUT",
        """\
molecule = molecules.graphs[5]
plot_cells(chemist.explain(molecule), molecule).figure""",
    ),
    Picture(
        "learning-curve",
        "What more graphs would bring: accuracy by the number of training graphs, with standard errors over folds.",
        f"hodgelet plot learning-curve {FIELDS} --hyperparameters map --folds 3 --out OUT",
        """\
learner = HodgeletClassifier(hyperparameters="map")
plot_learning_curve(learner, fields.graphs, fields.target).figure""",
    ),
    Picture(
        "vertices",
        "A signal on vertices, `dim=0`: its deviation from the mean is co-exact, the mean harmonic.",
        "",
        """\
(places,) = [column.values for column in field.columns if column.dim == 0]
temperature = np.sin(4.0 * places[:, 0])
plot_components(field, temperature, dim=0)""",
    ),
    Picture(
        "torus",
        "A mesh in space: a flow around a torus. It has two ways around, so a flow may be harmonic: it circulates "
        "without curl and without divergence. Positions in space are seen from the side and a little from above.",
        "",
        """\
n, m = 15, 8
u, v = (2 * np.pi * k.ravel() for k in np.meshgrid(np.arange(n) / n, np.arange(m) / m, indexing="ij"))
torus = np.stack([(2 + np.cos(v)) * np.cos(u), (2 + np.cos(v)) * np.sin(u), np.sin(v)], axis=1)
at = lambda i, j: (i % n) * m + j % m
squares = [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for i in range(n) for j in range(m)]
edges = np.array([pair for a, b, c, d in squares for pair in ((a, b), (a, d), (a, c))])
triangles = np.array([t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))])
mesh = GraphBatch(
    vertices=np.array([n * m]),
    edge_offsets=np.array([0, len(edges)]),
    edges=edges,
    triangle_offsets=np.array([0, len(triangles)]),
    triangles=triangles,
)
way, middle = np.diff(torus[edges], axis=1)[:, 0], torus[edges].mean(axis=1)
around = np.stack([-middle[:, 1], middle[:, 0], 2.0 * middle[:, 2]], axis=1)
plot_components(mesh, np.sum(around * way, axis=1), positions=torus)""",
    ),
    Picture(
        "triangles",
        "A signal on the triangles of the same torus, `dim=2`: what deviates from the mean is exact, and the mean is "
        "harmonic, because the torus encloses a space.",
        "",
        """\
height = torus[triangles].mean(axis=1)[:, 2]
plot_components(mesh, height + 0.3, dim=2, positions=torus)""",
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
        for picture in PICTURES:
            if picture.command:
                run(program, picture.command, Path(place), folder / f"{picture.name}.svg")
    draw(folder)


def program_of(picture: Picture) -> str:
    """The program of a picture, which saves it."""
    return f'{picture.python}.savefig("{picture.name}-python.svg")\n'


def draw(folder: Path) -> None:
    """Runs the programs in Python as the page shows them."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    import matplotlib

    matplotlib.use("svg")
    # Text stays text, and names of parts of the picture do not depend on the run.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gallery"})
    before, space = Path.cwd(), dict[str, object]()
    os.chdir(folder)
    try:
        for text in [BEGIN, *map(program_of, PICTURES)]:
            exec(compile(text, "gallery.md", "exec"), space)
    finally:
        os.chdir(before)
    for picture in PICTURES:
        path = folder / f"{picture.name}-python.svg"
        text = re.sub(r" *<metadata>.*?</metadata>\n", "", path.read_text(), flags=re.DOTALL)
        # Lengths have one decimal, as pictures of the command have them; words stay as they are.
        text = re.sub(r"<[^>]+>", lambda tag: LONG.sub(lambda x: f"{float(x.group()):.1f}", tag.group()), text)
        path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n")


def files() -> list[str]:
    """Names of all pictures."""
    made = [picture.name for picture in PICTURES if picture.command]
    return made + [f"{picture.name}-python" for picture in PICTURES]


def page() -> str:
    """The page of the gallery."""
    parts = [
        "# Gallery\n\nEvery picture here is made by the command or the program above it (`tools/gallery.py` runs them, "
        "and the tests compare what it makes with what is shown). Names that end in `.png` and `.pdf` are taken, too. "
        "The models of the commands are\n\n```sh\n" + "\n".join(MODELS) + "\n```\n\n"
        "and the programs in Python ([pictures from Python](python-plots.md)) begin with\n\n"
        f"```python\n{BEGIN}```"
    ]
    for picture in PICTURES:
        name = picture.name
        title = name.replace("-", " ").capitalize()
        parts.append(f"## {title}\n\n{picture.words}")
        if picture.command:
            shown = picture.command.replace("OUT", f"{name}.svg")
            parts.append(f"```sh\n{shown}\n```\n\n![{name}](../gallery/{name}.svg)")
        parts.append(f"```python\n{program_of(picture)}```\n\n![{name} in Python](../gallery/{name}-python.svg)")
    return "\n\n".join(parts) + "\n"


def geometry(text: str) -> str:
    """The hash of a picture whose lengths are rounded to whole units."""
    body = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    # Names of parts are hashes of what they hold, to the last digit.
    body = re.sub(r' (?:id|xlink:href|clip-path)="[^"]*"', "", body)
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


def missing() -> list[str]:
    """Functions that draw, and are in no program of the gallery."""
    from hodgelet import plot

    programs = "".join(picture.python for picture in PICTURES)
    return [name for name in plot.__all__ if f"{name}(" not in programs]


def check(program: str) -> int:
    """Compares what the commands make with what the book shows."""
    wrong = [] if PAGE.exists() and PAGE.read_text() == page() else [f"{PAGE.name}: differs from the script"]
    stored = json.loads(HASHES.read_text()) if HASHES.exists() else {}
    if sorted(stored) != sorted(files()):
        wrong.append(f"{HASHES.name}: not the pictures of the gallery")
    wrong += [f"{name}: not in the gallery" for name in missing()]
    with tempfile.TemporaryDirectory() as place:
        make(program, Path(place))
        for name in files():
            shown, new = FOLDER / f"{name}.svg", (Path(place) / f"{name}.svg").read_text()
            if not shown.exists() or geometry(shown.read_text()) != stored.get(name):
                wrong.append(f"{name}.svg: the picture in the book is not the one whose hash is stored")
            elif geometry(new) != stored[name]:
                wrong.append(f"{name}.svg: another one is made: {moved(shown.read_text(), new)}")
    for line in wrong:
        print(line)
    print(f"{len(files())} pictures of the gallery compared with the hashes of their geometry")
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
    for old in FOLDER.glob("*.svg"):
        old.unlink()
    make(program, FOLDER)
    hashes = {name: geometry((FOLDER / f"{name}.svg").read_text()) for name in sorted(files())}
    HASHES.write_text(json.dumps(hashes, indent=2) + "\n")
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

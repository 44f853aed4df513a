"""Pictures: what they show is what was given."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose

import hodgelet
from hodgelet import Explanation, HodgeletClassifier, HodgeletInputError, hodge
from hodgelet.plot import (
    plot_attributions,
    plot_cells,
    plot_components,
    plot_filters,
    plot_kernel,
    plot_learning_curve,
    plot_reliability,
    plot_spectrum,
)

matplotlib.use("Agg")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(hodgelet.__file__).parents[1])}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def close() -> Iterator[None]:
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def saved(figure: Any, path: Path) -> np.ndarray:
    """The picture in a file, as pixels."""
    figure.savefig(path, dpi=50)
    assert path.read_bytes().startswith(PNG)
    return matplotlib.image.imread(path)


def test_filters_are_drawn_as_they_are(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    figure = plot_filters(fitted, shapes[0])
    bank = fitted.filters_[0]
    axis = figure.axes[0]
    assert axis.get_title() == bank.block and len(axis.lines) == bank.n_filters
    grid, drawn = axis.lines[3].get_data()
    assert np.array_equal(drawn, bank(grid)[3])
    own = fitted.measures(shapes[0])[bank.block]
    steps = figure.axes[len(fitted.filters_)].patches[0].get_data()
    first = own.energies.sum(axis=1)[own.eigenvalues < steps.edges[1]].sum()
    whole = own.energies.sum()
    assert steps.values.max() == 1.0
    assert_allclose(steps.values[0] / steps.values.sum(), first / whole, rtol=1e-9)
    assert grid[-1] == pytest.approx(max(m.eigenvalues.max(initial=0.0) for m in fitted.measures(shapes[0])))
    assert saved(figure, tmp_path / "filters.png").std() > 0.01


def test_every_filter_has_its_name_in_the_legend(fitted: HodgeletClassifier, shapes: Any) -> None:
    figure = plot_filters(fitted, shapes[0])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    most = max(bank.n_filters for bank in fitted.filters_)
    assert names == [f"filter {j + 1}" for j in range(most)] + ["energy of the graphs"]
    lines = figure.axes[0].lines
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(lines), "no two look alike"


def test_pictures_are_drawn_on_given_axes(fitted: HodgeletClassifier, shapes: Any) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(fitted.filters_), squeeze=False)
    assert plot_filters(fitted, largest=3.0, ax=axes) is figure
    with pytest.raises(HodgeletInputError, match="ax has 2 axes, expected 4"):
        plot_components(two_triangles_and_a_square(), np.ones(8), ax=pyplot.subplots(1, 2)[1])


def test_attributions_name_the_class_that_they_speak_for(fitted: HodgeletClassifier, shapes: Any) -> None:
    words = f"share of the latent mean\nto the right speaks for {fitted.classes_[1]}"
    assert plot_attributions(fitted.explain(shapes[0][0])).get_xlabel() == words
    assert plot_attributions(fitted.predict_full(shapes[0])).get_xlabel() == words


def test_heads_of_arrows_are_shorter_than_their_edges() -> None:
    places = np.array([[0.0, 0.0], [1.0, 0.0], [1.1, 0.0], [9.0, 0.0]])
    path = (np.array([[0, 1, 2], [1, 2, 3]]),)
    axis = plot_components(path, [1.0, 1.0, 1.0], positions=places).axes[0]
    arrows = next(c for c in axis.collections if hasattr(c, "U"))
    assert np.all(np.hypot(arrows.U, arrows.V) <= 0.5 * np.array([1.0, 0.1, 7.9]) + 1e-12)


def test_triangles_and_places_in_space_are_drawn() -> None:
    tetrahedron = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    edges = (np.array([[0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]]),)
    figure = plot_components(edges, [1.0, -1.0, 0.5, 2.0], dim=2, positions=tetrahedron)
    areas = figure.axes[0].collections[0]
    # Those behind come first: the ground, then the far side, then the two that face the viewer.
    assert len(areas.get_paths()) == 4 and np.allclose(areas.get_array(), [1.0, 2.0, 0.5, -1.0])
    # Flows behind are paler than those in front.
    figure = plot_components(edges, np.ones(6), positions=tetrahedron)
    lines = next(c for c in figure.axes[0].collections if hasattr(c, "get_segments"))
    clear = np.asarray(lines.get_alpha())
    assert clear.shape == (6,) and clear.max() == 1.0 and clear[3] == clear.min() < 0.2


def test_a_ring_is_laid_out_as_a_regular_polygon() -> None:
    ring = np.array([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    axis = plot_components((ring,), np.ones(6)).axes[0]
    places = axis.collections[-1].get_offsets()
    lengths = np.hypot(*(places - np.roll(places, 1, axis=0)).T)
    assert_allclose(lengths, lengths.mean(), rtol=0.02)


def test_a_spectrum_has_a_line_for_every_atom(fitted: HodgeletClassifier, shapes: Any) -> None:
    axis = plot_spectrum(fitted, shapes[0][0])
    measures = [m for m in fitted.measures(shapes[0][:1]) if m.block in [t.get_text() for t in axis.get_legend().texts]]
    drawn = sum(len(lines.get_segments()) for lines in axis.collections)
    assert measures and drawn == sum(len(m.eigenvalues) for m in measures)
    with pytest.raises(HodgeletInputError, match="no energy on cells of dimension 3"):
        plot_spectrum(fitted, shapes[0][0], dim=3)


def test_a_kernel_is_drawn_class_by_class(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    graphs, y = shapes
    axis = plot_kernel(fitted, graphs, y)
    shown = np.asarray(axis.images[0].get_array())
    assert shown.shape == (16, 16)
    assert_allclose(np.diag(shown), 1.0)
    assert_allclose(shown, shown.T)
    assert [label.get_text() for label in axis.get_yticklabels()] == ["path", "ring"]
    # Paths come first: the last eight graphs. What is left of a pair is the kernel without its constant.
    order = [*range(8, 16), *range(8)]
    gram = fitted.kernel_([graphs[i] for i in order]) - fitted.kernel_.constant
    assert_allclose(shown[2, 11], 2 * gram[2, 11] / (gram[2, 2] + gram[11, 11]))
    assert saved(axis.figure, tmp_path / "kernel.png").std() > 0.01
    assert np.asarray(plot_kernel(fitted, graphs, most=5).images[0].get_array()).shape == (4, 4)
    with pytest.raises(HodgeletInputError, match=r"y has the shape \[1\], expected \[16\]"):
        plot_kernel(fitted, graphs, y[:1])
    with pytest.raises(HodgeletInputError, match="0 graphs"):
        plot_kernel(fitted, [])


def test_every_function_that_draws_takes_axes() -> None:
    for name in hodgelet.plot.__all__:
        assert "ax" in inspect.signature(getattr(hodgelet.plot, name)).parameters, name


def test_positions_and_labels_of_a_batch_are_drawn() -> None:
    fields = hodgelet.datasets.load("vector-fields", n_fields=2, n_vertices=20)
    field = fields.graphs[0]
    (positions,) = [column.values for column in field.columns if column.dim == 0]
    (flow,) = [column.values for column in field.columns if column.dim == 1]
    at = [plot_components(field, flow, positions=given).axes[0] for given in (None, positions)]
    assert_allclose(*[axis.collections[-1].get_offsets() for axis in at])
    molecules = hodgelet.datasets.load("molecules", n_graphs=20)
    model = HodgeletClassifier(max_iter=3).fit(molecules.graphs, molecules.target)
    names = [text.get_text() for text in plot_cells(model.explain(molecules.graphs[0]), molecules.graphs[0]).texts]
    assert len(names) == molecules.graphs[0].vertices[0] and "C" not in names and any(names)


def test_a_learning_curve_has_a_point_for_every_size(fitted: HodgeletClassifier, shapes: Any) -> None:
    model = HodgeletClassifier(hyperparameters="map", max_iter=3)
    axis = plot_learning_curve(model, *shapes, sizes=(0.5, 1.0), folds=2)
    counts, scores = axis.lines[0].get_data()
    assert len(counts) == 2 and counts[0] < counts[1] and np.all(scores >= 0) and np.all(scores <= 1)
    assert axis.get_ylabel() == "accuracy" and not model.__sklearn_is_fitted__()
    with pytest.raises(HodgeletInputError, match="1 folds of"):
        plot_learning_curve(model, *shapes, folds=1)


def test_filters_can_be_drawn_without_graphs(fitted: HodgeletClassifier) -> None:
    assert len(plot_filters(fitted, largest=3.0).axes) == len(fitted.filters_)


def test_reliability_counts_what_was_right(tmp_path: Path) -> None:
    truth = np.array([0, 0, 1, 1, 1, 0, 1, 0])
    second = np.array([0.1, 0.05, 0.95, 0.9, 0.3, 0.4, 0.65, 0.62])
    axis = plot_reliability(truth, np.stack([1 - second, second], axis=1), n_bins=5)
    confidence, right = axis.lines[1].get_data()
    # bins 0.6-0.8 (three of 0.7, 0.65, 0.62 and one of 0.6) and 0.8-1
    assert np.allclose(confidence, [(0.7 + 0.6 + 0.65 + 0.62) / 4, (0.9 + 0.95 + 0.95 + 0.9) / 4])
    assert np.allclose(right, [2 / 4, 1.0])
    heights = [bar.get_height() for bar in axis.patches]
    assert heights == [0.0, 0.0, 0.0, 0.5, 0.5]
    gap = 0.5 * abs(0.6425 - 0.5) + 0.5 * abs(0.925 - 1.0)
    assert axis.get_title().startswith(f"expected calibration error {gap:.3f}\na perfect model would show ")
    low, high = zip(*[segment[:, 1] for segment in axis.collections[0].get_segments()], strict=True)
    assert np.all(np.array(low) < right) and np.all(right <= np.array(high) + 1e-12), "intervals hold the shares"
    assert [text.get_text() for text in axis.texts] == ["4", "4"], "graphs in each bin"
    assert saved(axis.figure, tmp_path / "reliability.png").std() > 0.01


def test_reliability_takes_a_prediction(fitted: HodgeletClassifier, shapes: Any) -> None:
    axis = plot_reliability(shapes[1], fitted.predict_full(shapes[0]))
    assert sum(bar.get_height() for bar in axis.patches) == pytest.approx(1.0)
    with pytest.raises(HodgeletInputError, match=r"probabilities have the shape \[3\], expected \[2, 2\]"):
        plot_reliability([0, 1], [0.1, 0.2, 0.3])


def test_attributions_are_bars_of_one_and_dots_of_many(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    one = fitted.explain(shapes[0][0])
    axis = plot_attributions(one)
    assert [bar.get_width() for bar in axis.patches] == list(one.contributions.values())
    assert [label.get_text() for label in axis.get_yticklabels()] == list(one.contributions)
    many = fitted.predict_full(shapes[0])
    axis = plot_attributions(many)
    dots = [collection.get_offsets()[:, 0] for collection in axis.collections[: len(many.blocks)]]
    assert np.array_equal(np.array(dots).T, many.attributions[:, :, 0])
    assert saved(axis.figure, tmp_path / "attributions.png").std() > 0.01
    with pytest.raises(HodgeletInputError, match="latent function 5, but there are 1"):
        plot_attributions(many, latent=5)


def two_triangles_and_a_square() -> tuple[Any, ...]:
    edges = [[0, 1], [1, 2], [0, 2], [2, 3], [1, 3], [3, 4], [4, 5], [5, 2]]
    return (np.array(edges).T,)


def test_components_show_the_decomposition(tmp_path: Path) -> None:
    graph, flow = two_triangles_and_a_square(), np.array([1.0, 2.0, 0.5, -1.0, 0.3, 1.0, 1.0, 1.0])
    figure = plot_components(graph, flow)
    assert [axis.get_title().split(",")[0] for axis in figure.axes[:-1]] == ["signal", "exact", "co-exact", "harmonic"]
    parts = hodge.decompose(graph, flow)
    for axis, part in zip(figure.axes, [flow, *parts], strict=False):
        shaded, lines = axis.collections[0], axis.collections[1]
        assert len(shaded.get_paths()) == 2 and len(lines.get_segments()) == 8
        assert np.allclose(lines.get_array(), np.abs(part))
    shares = [float(axis.get_title().split(",")[1].strip(" %")) for axis in figure.axes[1:4]]
    assert sum(shares) == pytest.approx(100.0, abs=0.2)
    assert saved(figure, tmp_path / "components.png").std() > 0.01


def test_arrows_follow_the_flow() -> None:
    places = np.array([[0.0, 0.0], [1.0, 0.0]])
    for flow, sign in ((2.0, 1.0), (-2.0, -1.0)):
        axis = plot_components((np.array([[0], [1]]),), [flow], positions=places).axes[0]
        arrows = next(c for c in axis.collections if hasattr(c, "U"))
        assert np.sign(arrows.U[0]) == sign


def test_components_of_a_vertex_signal_have_no_exact_part() -> None:
    figure = plot_components(two_triangles_and_a_square(), np.arange(6.0), dim=0)
    assert [axis.get_title().split(",")[0] for axis in figure.axes[:-1]] == ["signal", "co-exact", "harmonic"]
    assert np.allclose(figure.axes[2].collections[-1].get_array(), 2.5)
    with pytest.raises(HodgeletInputError, match="dim=3, expected 0"):
        plot_components(two_triangles_and_a_square(), [1.0], dim=3)
    with pytest.raises(HodgeletInputError, match=r"positions have the shape \[2\], expected \[6, 2\] or"):
        plot_components(two_triangles_and_a_square(), np.ones(8), positions=[1.0, 2.0])


def test_without_matplotlib_the_error_says_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from hodgelet import plot, Explanation\n"
        "try: plot.plot_attributions(Explanation('a', 0.5, 1.0, 0.0, 1.0, {'x': 1.0}))\n"
        "except Exception as e: print(type(e).__name__, e)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT).stdout
    assert found.strip() == "HodgeletError plots need matplotlib: pip install matplotlib"


def test_notebooks_show_models_and_results(fitted: HodgeletClassifier, shapes: Any) -> None:
    shown = fitted._repr_html_()
    assert "HodgeletClassifier" in shown and "fitted on 16 graphs, classes path, ring" in shown
    assert shown.count("<tr>") == 1 + len(fitted.blocks_)
    assert "not fitted" in HodgeletClassifier(kernel="matern32")._repr_html_()
    prediction = fitted.predict_full(shapes[0] * 2)
    assert prediction._repr_html_().count("<tr>") == 1 + 20 + 1 and "12 more" in prediction._repr_html_()
    assert "vertex co-exact" in prediction.explain(0)._repr_html_()
    assert "<b>16 graphs</b>" in hodgelet.as_batch(shapes[0])._repr_html_()
    several = hodgelet.fit_several(shapes[0], {"<shape>": shapes[1]}, max_iter=2)
    assert "&lt;shape&gt;</td><td>classes path, ring</td><td>16" in several._repr_html_()


def test_names_in_notebooks_are_escaped() -> None:
    explanation = Explanation("<b>", 0.5, 1.0, 0.0, 1.0, {"<script>": 1.0})
    assert "<script>" not in explanation._repr_html_() and "&lt;script&gt;" in explanation._repr_html_()


def test_cells_are_drawn_with_their_shares(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    model = HodgeletClassifier(max_iter=5).fit(*shapes)
    why = model.explain(shapes[0][0])
    axis = plot_cells(why)
    assert len(axis.collections[0].get_segments()) == len(why.edges)
    widths = np.asarray(axis.collections[1].get_linewidths())
    strongest = max(np.abs(why.edge_shares).max(), np.abs(why.vertex_shares).max())
    assert_allclose(widths, 9 * np.abs(why.edge_shares) / strongest, atol=1e-12)
    assert saved(axis.figure, tmp_path / "cells.png").std() > 0.01
    with pytest.raises(HodgeletInputError, match=r"positions have the shape \[1, 2\]"):
        plot_cells(why, positions=[[0.0, 1.0]])
    with pytest.raises(HodgeletInputError, match="no block of labels or values"):
        plot_cells(fitted.predict_full(shapes[0]).explain(0))


def test_atoms_of_a_molecule_have_their_places_and_names(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    smiles = ["CCO", "CCN", "CCCO", "CCCN", "CCCCO", "CCCCN", "CC(C)O", "CC(C)N"]
    model = HodgeletClassifier(max_iter=5, hyperparameters="map").fit(smiles, [0, 1] * 4)
    axis = plot_cells(model.explain("CCCCCO"), "CCCCCO")
    assert [text.get_text() for text in axis.texts] == ["", "", "", "", "", "O"]
    assert saved(axis.figure, tmp_path / "molecule.png").std() > 0.01


def test_the_guide_to_pictures_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = Path(__file__).parents[2] / "book" / "src" / "guides" / "python-plots.md"
    (program,) = re.findall(r"```python\n(.*?)```", guide.read_text(), flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(program, guide.name, "exec"), {})
    made = sorted(path.name for path in tmp_path.iterdir())
    named = re.findall(r'"([a-z]+\.(?:png|html))"', program)
    assert made == sorted([*named, "report.html.json"]) and len(made) == 12

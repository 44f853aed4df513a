"""Reports: what the page says is what was predicted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hodgelet import HodgeletClassifier, HodgeletInputError, fit_several


def test_a_report_is_one_page_with_a_verdict(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    graphs, y = shapes
    page = tmp_path / "report.html"
    names = [f"<script>{i}</script>" for i in range(len(graphs))]
    verdict = fitted.report(graphs, y, page, names=names, title="shapes & <more>")
    text = page.read_text()
    assert text.startswith("<!doctype html>") and len(text) < 2_000_000
    assert "shapes &amp; &lt;more&gt;" in text and "<script>0" not in text
    right = 100 * fitted.score(graphs, y)
    assert f"right in {right:.1f}% of cases" in verdict
    assert not re.search(r"(src|href)=.(https?:)?//", text), "nothing is loaded"


def test_without_targets_there_are_no_scores(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    verdict = fitted.report(shapes[0], path=tmp_path / "report.html")
    assert "no truth is known" in verdict


def test_two_reports_differ_in_one_line(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    pages = []
    for name in ("a.html", "b.html"):
        fitted.report(*shapes, tmp_path / name)
        pages.append((tmp_path / name).read_text().splitlines())
    different = [pair for pair in zip(*pages, strict=True) if pair[0] != pair[1]]
    assert all("Made 2" in line for line, _ in different) and len(different) <= 1


def test_the_numbers_go_beside_the_page(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    verdict = fitted.report(*shapes, tmp_path / "report.html", json=True, title="shapes")
    found = json.loads((tmp_path / "report.html.json").read_text())
    assert found["dataset"] == "shapes" and found["report"]["verdict"] == verdict
    right = {score["name"]: score["value"] for score in found["report"]["scores"]}["accuracy"]
    assert right == pytest.approx(fitted.score(*shapes))
    assert len(found["report"]["cases"]) == len(shapes[0])


def test_several_targets_have_one_page(shapes: Any, tmp_path: Path) -> None:
    graphs, y = shapes
    size = [None if i % 5 == 0 else len(graph[0][0]) + 0.5 for i, graph in enumerate(graphs)]
    targets = {"kind <b>": y, "size": size}
    models = fit_several(graphs, targets, max_iter=5)
    page = tmp_path / "report.html"
    verdicts = models.report(graphs, targets, page, json=True, title="shapes")
    assert list(verdicts) == ["kind <b>", "size"]
    text = page.read_text()
    assert "report on 2 targets" in text and "kind &lt;b&gt;" in text and "kind <b>" not in text
    reports = json.loads(page.with_name("report.html.json").read_text())["report"]
    assert [(r["target"], r["graphs"], r["verdict"]) for r in reports] == [
        ("kind <b>", 16, verdicts["kind <b>"]),
        ("size", 12, verdicts["size"]),
    ]
    # A target that is left out is predicted, and not scored.
    assert "no truth is known" in models.report(graphs, {"kind <b>": y}, page)["size"]
    with pytest.raises(HodgeletInputError, match="target `color`, but the models are of kind <b>, size"):
        models.report(graphs, {"color": y}, page)
    with pytest.raises(HodgeletInputError, match=r"target `size` has the shape \[1\], expected \[16\]"):
        models.report(graphs, {"size": [1.0]}, page)


def test_what_cannot_be_reported_is_refused(fitted: HodgeletClassifier, shapes: Any, tmp_path: Path) -> None:
    graphs, y = shapes
    with pytest.raises(HodgeletInputError, match="names has 1 entries, expected"):
        fitted.report(graphs, y, tmp_path / "a.html", names=["one"])
    with pytest.raises(HodgeletInputError, match="which the model does not predict"):
        fitted.report(graphs, ["another"] * len(graphs), tmp_path / "a.html")
    (tmp_path / "precious.html").write_text("something else")
    with pytest.raises(Exception, match="precious"):
        fitted.report(graphs, y, tmp_path / "precious.html")
    assert (tmp_path / "precious.html").read_text() == "something else"

"""What a type checker knows of results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROGRAM = """
from hodgelet import HodgeletClassifier, HodgeletRegressor, HodgeletTransformer

numbers, classes, features = HodgeletRegressor(), HodgeletClassifier(), HodgeletTransformer()
either = bool(input())
reveal_type(numbers.predict([]))
reveal_type(numbers.predict([], return_std=True))
reveal_type(numbers.predict([], True))
reveal_type(numbers.predict([], return_cov=True))
reveal_type(numbers.predict([], return_std=either))
reveal_type(numbers.sample_y([]))
reveal_type(classes.predict_proba([]))
reveal_type(classes.threshold_)
reveal_type(classes.transform([]))
reveal_type(features.fit_transform([]))
"""
ONE = "ndarray[F]"
TWO = "tuple[ndarray[F], ndarray[F]]"
EXPECTED = [ONE, TWO, TWO, TWO, f"{ONE} | {TWO}", ONE, ONE, "float | None", f"{ONE} | Any", f"{ONE} | Any"]


def short(revealed: str) -> str:
    """A type as it is written above, whichever version of NumPy and mypy spells it."""
    text = re.sub(r"(builtins|numpy|typing)\.", "", revealed).replace("_typing._64Bit", "_64Bit")
    text = re.sub(r"dtype\[(float64|floating\[_64Bit\])\]", "dtype[F]", text)
    text = re.sub(r"ndarray\[(tuple\[Any, \.\.\.\]|Any), dtype\[F\]\]", "ndarray[F]", text)
    union = re.fullmatch(r"Union\[(.*)\]", text)
    return text if union is None else union[1].replace("ndarray[F], ", "ndarray[F] | ", 1)


def test_results_have_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = pytest.importorskip("mypy.api")
    (tmp_path / "program.py").write_text(PROGRAM)
    config = Path(__file__).parents[2] / "pyproject.toml"
    monkeypatch.chdir(config.parent)  # where paths in the configuration begin
    cache = config.parent / ".mypy_cache"
    said, errors, _ = api.run(["--config-file", str(config), "--cache-dir", str(cache), str(tmp_path / "program.py")])
    assert [short(t) for t in re.findall(r'Revealed type is "(.*)"', said)] == EXPECTED, said + errors
    assert "error:" not in said, said

"""The programs of the book run, say the same of the row at fault, and stand on their pages as they are."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from test_spark import spark  # noqa: F401 (a fixture)

from hodgelet import arrow

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "python" / "engines"
PAGES = ROOT / "book" / "src" / "guides" / "engines"
FAULT = ("m", "not a molecule")


def run(name: str, folder: Path, capsys: pytest.CaptureFixture[str], *more: Any) -> None:
    """Runs a program and looks at what it printed and wrote."""
    sys.path.insert(0, str(FOLDER))
    try:
        importlib.import_module(f"on_{name}").main(folder, *more)
    finally:
        sys.path.remove(str(FOLDER))
    printed = capsys.readouterr().out
    assert "rows at fault: [('m" in printed and "not a molecule" in printed, printed
    out = folder / "predicted" if (folder / "predicted").exists() else folder / "predicted.parquet"
    found = pyarrow.parquet.read_table(out)
    expected = arrow.Job("predict", folder / "model.hodgelet")(pyarrow.parquet.read_table(folder / "molecules.parquet"))
    wanted = dict(zip(expected["name"].to_pylist(), expected["prediction"].to_pylist(), strict=True))
    rows = dict(zip(found["name"].to_pylist(), found["prediction"].to_pylist(), strict=True))
    assert len(rows) >= len(wanted) - 1 and all(wanted[name] == value for name, value in rows.items())


@pytest.mark.parametrize("name", ["polars", "duckdb", "dask"])
def test_programs_run(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(name, tmp_path, capsys)


def test_the_program_of_ray_runs(ray_of_two: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("ray", tmp_path, capsys)
    assert (tmp_path / "trained.hodgelet").is_file()


def test_the_program_of_spark_runs(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    run("spark", tmp_path, capsys, spark)


@pytest.mark.parametrize("name", ["ray", "spark", "polars", "duckdb", "dask"])
def test_pages_quote_their_programs(name: str) -> None:
    assert (FOLDER / f"on_{name}.py").read_text() in (PAGES / f"{name}.md").read_text()

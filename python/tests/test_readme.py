"""The programs in Python of README and book run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = Path(__file__).resolve().parent.parent.parent
#: Pages about engines show the programs of `python/engines`, which `python/tests/engines` runs.
PAGES = sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "book" / "src").rglob("*.md") if path.parent.name != "engines"
)
#: Libraries of pages about other machines, which take gigabytes: `python/tests/optional` has their tests.
LARGE = {"dask", "pyspark", "ray", "torch", "torch_geometric"}


def programs(file: str) -> list[str]:
    """Everything a file shows as Python."""
    return re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(), re.DOTALL)


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit", reason="SKIPPED rdkit is not installed")
    (program,) = programs("README.md")
    exec(compile(program, "README.md", "exec"), {})
    first, second, why = capsys.readouterr().out.split("\n", 2)
    assert ": nitro with probability" in first
    assert ": other with probability" in second
    assert why.startswith("nitro (probability")


@pytest.mark.parametrize("page", [page for page in PAGES if programs(page)])
def test_the_programs_of_a_page_run_from_top_to_bottom(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for number, program in enumerate(programs(page)):
        try:
            exec(compile(program, f"program {number} of {page}", "exec"), space)
        except ModuleNotFoundError as error:
            if error.name not in LARGE:
                raise
            pytest.skip(f"SKIPPED {error.name} is not installed")


def test_the_pages_with_programs_are_found() -> None:
    found = {Path(page).name: len(programs(page)) for page in PAGES}
    assert found["python.md"] >= 5 and found["python-inputs.md"] == 2 and found["python-plots.md"] >= 1


def test_the_programs_on_inputs_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rdkit", reason="SKIPPED rdkit is not installed")
    pytest.importorskip("polars", reason="SKIPPED polars is not installed")
    monkeypatch.chdir(tmp_path)
    for program, printed in zip(
        programs("book/src/guides/python-inputs.md"), ["nitro with probability", "prediction"], strict=True
    ):
        exec(compile(program, "python-inputs.md", "exec"), {})
        assert printed in capsys.readouterr().out

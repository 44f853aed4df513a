"""The programs in Python of README and book run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


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


def test_the_guide_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    found = programs("book/src/guides/python.md")
    assert len(found) >= 5
    for number, program in enumerate(found):
        exec(compile(program, f"program {number} of python.md", "exec"), space)

"""The README's program in Python runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parent.parent.parent / "README.md"


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdkit", reason="SKIPPED rdkit is not installed")
    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(program, "README.md", "exec"), {})
    first, second, why = capsys.readouterr().out.split("\n", 2)
    assert ": nitro with probability" in first
    assert ": other with probability" in second
    assert why.startswith("nitro (probability")

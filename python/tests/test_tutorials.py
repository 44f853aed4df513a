"""The tutorials run, and find what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
FOLDER = Path(__file__).parents[1] / "tutorials"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py"))


def test_every_tutorial_is_in_the_table() -> None:
    table = (FOLDER / "README.md").read_text()
    assert len(SCRIPTS) == 4 and all(f"[`{name}`]({name})" in table for name in SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_tutorials_find_what_they_say(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = runpy.run_path(str(FOLDER / name))["main"]
    plots = "--plots" in (FOLDER / name).read_text()
    main(["--small", *(["--plots", str(tmp_path)] if plots else [])])
    assert len(capsys.readouterr().out.splitlines()) >= 4
    assert bool(list(tmp_path.glob("*.png"))) == plots

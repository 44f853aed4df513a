"""Builds the wheel as users do, installs it in a clean environment, and checks what they would notice.

    python3 python/check_wheel.py [--without-rdkit]

Compiles a release, which takes minutes, and is therefore not part of ``./test``.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 10_000_000
MOST_SECONDS = 0.3


def run(*line: str | Path) -> str:
    """Runs a program from a folder that is not the source and returns what it prints."""
    print("$", *line, file=sys.stderr)
    return subprocess.run([str(word) for word in line], check=True, text=True, stdout=subprocess.PIPE, cwd="/").stdout


def import_seconds(python: Path) -> float:
    """Median over fresh interpreters of the processor time that importing takes: other programs do not count."""
    program = "import time; t = time.process_time(); import hodgelet; print(time.process_time() - t)"
    return statistics.median(float(run(python, "-c", program)) for _ in range(7))


def readme_example() -> str:
    """The first program in Python of the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    if found is None:
        raise SystemExit("README.md shows no program in Python")
    return found.group(1)


def main() -> int:
    """The status is 1 when the wheel is too large or slow to import; what fails outright raises."""
    with tempfile.TemporaryDirectory() as folder:
        wheels, place = Path(folder) / "wheels", Path(folder) / "venv"
        venv.create(place, with_pip=True)
        python = place / "bin" / "python"
        run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, ROOT)
        (wheel,) = wheels.glob("hodgelet-*.whl")
        run(python, "-m", "pip", "install", "--quiet", wheel)
        size, seconds = wheel.stat().st_size, import_seconds(python)
        print(f"{wheel.name}: {size / 1e6:.1f} MB, imported in {seconds:.3f} s")
        print(run(place / "bin" / "hodgelet", "--version").strip())
        if "--without-rdkit" not in sys.argv:
            run(python, "-m", "pip", "install", "--quiet", "rdkit")
            print(run(python, "-c", readme_example()).strip())
    return 0 if size <= MOST_BYTES and seconds <= MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())

"""The command, as ``python -m hodgelet`` and as the script that the wheel installs."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command with the arguments of the process and returns its exit status."""
    from hodgelet._native import run_command

    return run_command(["hodgelet", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

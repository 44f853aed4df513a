"""Licences and sources of everything that is compiled, checked against deny.toml and listed in docs/licenses.md.

`python3 tools/supply_chain.py` writes the list; with `--check` it fails when a licence, a source or a ban of deny.toml
is violated, or the list is old.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "licenses.md"


def packages() -> list[dict[str, Any]]:
    """Everything in the lock file, for all features and platforms."""
    command = ["cargo", "metadata", "--format-version", "1", "--all-features", "--locked"]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(json.loads(output)["packages"], key=lambda package: (package["name"], package["version"]))


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met by allowed licences: AND binds more tightly than OR."""
    text = re.sub(r"\s+WITH\s+", "-WITH-", expression.replace("/", " OR "))
    tokens = re.findall(r"[()]|[^\s()]+", text)
    names = {name.replace(" WITH ", "-WITH-") for name in allowed}

    def either(at: int) -> tuple[bool, int]:
        value, at = both(at)
        while at < len(tokens) and tokens[at] == "OR":
            other, at = both(at + 1)
            value = value or other
        return value, at

    def both(at: int) -> tuple[bool, int]:
        value, at = one(at)
        while at < len(tokens) and tokens[at] == "AND":
            other, at = one(at + 1)
            value = value and other
        return value, at

    def one(at: int) -> tuple[bool, int]:
        if tokens[at] == "(":
            value, at = either(at + 1)
            return value, at + 1
        return tokens[at] in names, at + 1

    value, end = either(0)
    return value and end == len(tokens)


def faults(found: list[dict[str, Any]], rules: dict[str, Any]) -> list[str]:
    """What the rules do not allow."""
    allowed = set(rules["licenses"]["allow"])
    exceptions = {entry["crate"]: set(entry["allow"]) for entry in rules["licenses"].get("exceptions", [])}
    banned = {entry["crate"] for entry in rules["bans"]["deny"]}
    sources = Counter(package["source"] for package in found if package["source"] is not None)
    registries = [source for source, _ in sources.most_common() if source.startswith("registry+")]
    wrong = []
    for package in found:
        name, source, license_ = package["name"], package["source"], package["license"]
        if source is None and not Path(package["manifest_path"]).is_relative_to(ROOT):
            wrong.append(f"{name}: is outside the repository")
        if source is not None and source not in registries[:1]:
            wrong.append(f"{name}: comes from {source}, expected the one registry of all others")
        if name in banned:
            wrong.append(f"{name}: is banned in deny.toml")
        if source is not None and not is_allowed(license_ or "", allowed | exceptions.get(name, set())):
            wrong.append(f"{name}: licence `{license_}`, expected one that deny.toml allows")
    return wrong


def listing(found: list[dict[str, Any]]) -> str:
    """The table of licences."""
    foreign = [package for package in found if package["source"] is not None]
    lines = [
        "# Licences of dependencies",
        "",
        "Written by `python3 tools/supply_chain.py` from `Cargo.lock`, all features and platforms; `./test` checks it.",
        "",
        "| crate | version | licence |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {package['name']} | {package['version']} | {package['license']} |" for package in foreign]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the list or compare it, and print the faults; the status is 1 if there are any."""
    with (ROOT / "deny.toml").open("rb") as file:
        rules = tomllib.load(file)
    found = packages()
    wrong = faults(found, rules)
    text = listing(found)
    if "--check" not in sys.argv:
        LIST.write_text(text)
    elif not LIST.exists() or LIST.read_text() != text:
        wrong.append("docs/licenses.md is not that of Cargo.lock: run python3 tools/supply_chain.py")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(found)} crates, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

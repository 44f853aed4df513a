"""Whether the workflow of releases is true to the workspace: crates, their order, the oldest compiler, its scripts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
SYSTEMS = ["ubuntu-latest", "macos-latest", "windows-latest"]


def published() -> dict[str, set[str]]:
    """Crates that are published, each with those of them that it depends on."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    packages = [package for package in json.loads(output)["packages"] if package["publish"] != []]
    names = {package["name"] for package in packages}
    normal = lambda package: {d["name"] for d in package["dependencies"] if d["kind"] is None}  # noqa: E731
    return {package["name"]: normal(package) & names for package in packages}


def faults() -> list[str]:
    """What the workflow says that is not so."""
    text = WORKFLOW.read_text()
    releasing = (ROOT / "RELEASING.md").read_text()
    crates, wrong = published(), []
    order = re.findall(r"cargo publish --locked -p (\S+)", text)
    if sorted(order) != sorted(crates):
        wrong.append(f"publishes {order}, but the workspace has {sorted(crates)}")
    for at, name in enumerate(order):
        late = crates.get(name, set()) - set(order[:at])
        if late:
            wrong.append(f"publishes {name} before {sorted(late)}, which it depends on")
    places = [releasing.find(f"`{name}`") for name in order]
    if -1 in places or places != sorted(places):
        wrong.append(f"RELEASING.md does not have the crates in the order {order}")
    if sorted(re.findall(r"[\w-]+-latest", re.findall(r"os: \[([^\]]*)\]", text)[0])) != sorted(SYSTEMS):
        wrong.append(f"builds wheels for other systems than {SYSTEMS}")
    with (ROOT / "Cargo.toml").open("rb") as file:
        oldest = tomllib.load(file)["workspace"]["package"]["rust-version"]
    for found in re.findall(r"(?:install |\+)(\d+\.\d+)", text):
        if found != oldest:
            wrong.append(f"checks Rust {found}, but Cargo.toml says {oldest}")
    jobs = set(re.findall(r"(?m)^  ([\w-]+):$", text[text.index("\njobs:") :]))
    for needed in re.findall(r"needs: \[?([\w, -]+)\]?", text):
        for name in re.split(r",\s*", needed.strip()):
            if name not in jobs:
                wrong.append(f"needs the job {name}, which is not there")
    for script in re.findall(r"run: (\./\S+)", text):
        if not (ROOT / script).exists():
            wrong.append(f"runs {script}, which is not there")
    for line in text.splitlines():
        if len(line) != len(line.expandtabs()) or line.rstrip() != line:
            wrong.append(f"has tabs or blanks at the end of a line: {line!r}")
    return wrong


def main() -> int:
    """Print the faults; the status is 1 if there are any."""
    wrong = faults()
    print(*[f"{WORKFLOW.name}: {fault}" for fault in wrong], sep="\n", end="\n" if wrong else "")
    print(f"workflow of releases: {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""The public items of the libraries, as their source declares them, one line each.

`python3 tools/public_api.py` writes docs/api/CRATE.txt; with `--check` it fails when the source declares something
else, so that a change is deliberate and shows in the difference of a commit.

Listed are items, fields and methods marked `pub`, variants of public enums and methods of public traits, in files that
are part of the library. Tests, and what is `pub(crate)` or less, are not.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CRATES = ["hodgelet", "hodgelet-data", "hodgelet-eval", "hodgelet-report", "hodgelet-cli"]
MODULE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+);", re.MULTILINE)


def without_comments(text: str) -> str:
    """Source without comments; characters in strings that look like one are rare enough to be left to review."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"(?m)^\s*//.*$|(?<=[\s;{},])//[^\"\n]*$", "", text)


def without_tests(text: str) -> str:
    """Source before its tests, which come last."""
    return re.split(r"(?m)^#\[cfg\(test\)\]\s*\n\s*mod tests\b", text)[0]


def files(file: Path, found: list[Path]) -> list[Path]:
    """The files of a library, each before those of its modules."""
    found.append(file)
    folder = file.parent if file.name in ("lib.rs", "mod.rs") else file.parent / file.stem
    source = without_tests(without_comments(file.read_text()))
    for name in sorted(MODULE.findall(source)):
        places = [folder / f"{name}.rs", folder / name / "mod.rs"]
        for place in places:
            if place.exists() and place not in found:
                files(place, found)
    return found


def header(text: str, start: int) -> tuple[str, int, str]:
    """An item from `start` to where its body or value begins, the place of that, and the character there."""
    depth = 0
    for at in range(start, len(text)):
        character = text[at]
        if character in "([<":
            depth += 1
        elif character in ")]" or (character == ">" and text[at - 1] not in "-="):
            depth -= 1
        elif depth <= 0 and character in "{;,=":
            return " ".join(text[start:at].split()), at, character
    return " ".join(text[start:].split()), len(text), ""


def block(text: str, at: int) -> str:
    """The text between the brace at `at` and its end."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[at + 1 : end]
    return text[at + 1 :]


def members(body: str) -> list[str]:
    """Variants of an enum, or items of a trait: what begins at the outermost level."""
    out, depth, piece = [], 0, ""
    for character in body:
        if depth == 0 and character in ",;{" and piece.strip():
            out.append(piece)
            piece = ""
        if character in "({[":
            depth += 1
        if depth == 0 or character in "()[]" or (depth and "(" in piece):
            piece += character if character not in ",;{}" or depth else ""
        if character in ")}]":
            depth -= 1
    out.append(piece)
    clean = [re.sub(r"#\[[^\]]*\]", "", " ".join(piece.split())).strip() for piece in out]
    return [piece for piece in clean if piece]


def items(file: Path, place: str) -> list[str]:
    """The public items of a file, in its order."""
    text = without_tests(without_comments(file.read_text()))
    out = []
    for match in re.finditer(r"(?m)^[ \t]*pub (?!\()", text):
        start = match.end() - len("pub ")
        line, at, end = header(text, start)
        if line.startswith("pub use"):
            line = " ".join(text[start : text.index(";", start)].split())
        out.append(f"{place}: {line}")
        if end == "{" and re.match(r"pub (enum|trait)\b", line):
            name = re.split(r"[\s<:]", line)[2]
            out += [f"{place}: {name}: {member}" for member in members(block(text, at))]
    return out


def snapshot(crate: str) -> str:
    """The public items of a crate, a line each."""
    source = ROOT / "crates" / crate / "src"
    lines: list[str] = []
    for file in files(source / "lib.rs", []):
        lines += items(file, str(file.relative_to(source)))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the lists, or compare them; the status is 1 if they differ."""
    wrong = 0
    for crate in CRATES:
        path, text = ROOT / "docs" / "api" / f"{crate}.txt", snapshot(crate)
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            known = set(path.read_text().splitlines()) if path.exists() else set()
            new = set(text.splitlines())
            print(
                *[f"- {line}" for line in sorted(known - new)], *[f"+ {line}" for line in sorted(new - known)], sep="\n"
            )
            wrong += 1
        print(f"{crate}: {len(text.splitlines())} public items")
    if wrong:
        print(
            "the public API has changed: if that is meant, run python3 tools/public_api.py and say so in CHANGELOG.md"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

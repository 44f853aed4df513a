"""Links of the book and of the documents beside it: every page is in the summary, every link leads somewhere.

Links to other sites are not followed. Where mdBook is installed, the book is built as well.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book" / "src"


def headings(path: Path) -> set[str]:
    """Anchors of a page, as mdBook and GitHub make them."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    titles = re.findall(r"^#+ +(.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


def links(path: Path) -> list[str]:
    """Where the links and pictures of a page lead, code left out."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    return re.findall(r"\]\(([^)\s]+)\)", text)


def faults(path: Path) -> list[str]:
    """Links of one page that lead nowhere."""
    wrong = []
    for link in links(path):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        if not target.exists():
            wrong.append(f"{path.relative_to(ROOT)}: {link} is not there")
        elif anchor and target.suffix == ".md" and anchor not in headings(target):
            wrong.append(f"{path.relative_to(ROOT)}: {link} has no such heading")
    return wrong


def main() -> int:
    """Checks all pages."""
    pages = sorted(BOOK.rglob("*.md"))
    summary = {(BOOK / link).resolve() for link in links(BOOK / "SUMMARY.md")}
    wrong = [
        f"{page.relative_to(ROOT)}: not in SUMMARY.md"
        for page in pages
        if page not in summary and page.name != "SUMMARY.md"
    ]
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    for page in [*pages, *sorted(documents)]:
        wrong += faults(page)
    print("\n".join([*wrong, f"{len(pages)} pages of the book and {len(documents)} documents, links checked"]))
    if shutil.which("mdbook"):
        with tempfile.TemporaryDirectory() as folder:
            if subprocess.run(["mdbook", "build", str(ROOT / "book"), "--dest-dir", folder], check=False).returncode:
                wrong.append("mdbook build failed")
    else:
        print("SKIPPED: mdBook is not installed (cargo install mdbook); links were checked")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

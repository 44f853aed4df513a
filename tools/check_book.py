"""Links of the book and of the documents beside it: every page is in the summary, every link leads somewhere.

Links to other sites are not followed. Where mdBook is installed, or named by the variable MDBOOK, the book is built as
well, and the links of its pages are checked once more: a file of the repository is not a page of the book.
"""

from __future__ import annotations

import html
import os
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


def built(mdbook: str) -> list[str]:
    """Builds the book; links of its pages that lead nowhere."""
    wrong, n_links = [], 0
    with tempfile.TemporaryDirectory() as name:
        if subprocess.run([mdbook, "build", str(ROOT / "book"), "--dest-dir", name], check=False).returncode:
            return ["mdbook build failed"]
        pages = {path: path.read_text() for path in Path(name).resolve().rglob("*.html")}
        for path, text in pages.items():
            for link in map(html.unescape, re.findall(r'(?:href|src)="([^"]+)"', text)):
                if re.match(r"[a-z]+:|//", link):
                    continue
                n_links += 1
                place, _, anchor = link.partition("#")
                target = (path.parent / place).resolve() if place else path
                if not target.exists() or (anchor and target in pages and f'id="{anchor}"' not in pages[target]):
                    wrong.append(f"{path.relative_to(Path(name).resolve())}: {link} is not in the book")
        print("\n".join([*wrong, f"{len(pages)} pages built, {n_links} links checked"]))
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
    mdbook = os.environ.get("MDBOOK") or shutil.which("mdbook")
    if mdbook:
        wrong += built(mdbook)
    else:
        print("SKIPPED: mdBook is not installed (cargo install mdbook); links were checked")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks that every relative link of Markdown pages has a target, headings included, and that the book has all pages."""

import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.S | re.M)


def anchors(page):
    """The anchors of the headings of a page."""
    text = FENCE.sub("", page.read_text())
    found = set()
    for heading in re.findall(r"^#{1,6} +(.*)$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain.strip())))
    return found


def broken(page):
    """The links of a page without a target."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text()))
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, heading = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if not other.exists() or heading and other.suffix == ".md" and heading not in anchors(other):
            yield target


pages = []
for name in map(Path, sys.argv[1:]):
    pages += sorted(name.rglob("*.md")) if name.is_dir() else [name]
wrong = [f"{page}: {target}" for page in pages for target in broken(page)]
book = Path("docs/SUMMARY.md")
listed = {(book.parent / target).resolve() for target in LINK.findall(book.read_text())}
wrong += [f"{page}: not in {book}" for page in sorted(book.parent.rglob("*.md")) if page.resolve() not in listed | {book.resolve()}]
print("\n".join(wrong) or f"{len(pages)} pages, every link has a target")
sys.exit(bool(wrong))

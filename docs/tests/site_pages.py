"""The built pages, read without a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path


@dataclass
class Contents(HTMLParser):
    """What a page links to, what it may be linked at, its pictures and its formulas."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    pictures: list[dict[str, str | None]] = field(default_factory=list)
    formulas: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        values = dict(attrs)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"] or "")
        if tag in ("link", "script", "img"):
            source = values.get("href") or values.get("src")
            if source:
                self.links.append(source)
        if tag == "img":
            self.pictures.append(values)
        self.anchors |= {value for name in ("id", "name") if (value := values.get(name))}
        if tag in ("span", "div") and "math" in (values.get("class") or "").split():
            self.formulas += 1


@cache
def contents(path: Path) -> Contents:
    """Read one page."""
    page = Contents()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def pages(site: Path) -> list[str]:
    """Return the pages written by people or from docstrings, not the listings of source code."""
    found = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return sorted(page for page in found if not page.startswith(("_modules/", "_static/")))

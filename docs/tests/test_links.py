"""Links, anchors, pictures and the completeness of the reference, without a browser."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.util.inventory import InventoryFile

import site_pages
from public_names import defined, public_modules


def targets(site: Path, page: Path) -> list[tuple[Path, str]]:
    """Return the files and anchors that a page refers to within the site."""
    found = []
    for link in site_pages.contents(page).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        path = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
        found.append((path, unquote(parts.fragment)))
    return found


def test_links_and_anchors_resolve(site: Path) -> None:
    broken = []
    checked = 0
    for page in sorted(site.rglob("*.html")):
        for path, anchor in targets(site, page):
            checked += 1
            if not path.exists() or (
                anchor
                and path.suffix == ".html"
                and anchor not in site_pages.contents(path).anchors
            ):
                broken.append(f"{page.relative_to(site)} -> {path.name}#{anchor}")
    assert broken == []
    assert checked > 1000


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "cdn." not in text
        assert 'src="http' not in text


def test_every_figure_has_a_text(site: Path) -> None:
    untold = []
    for name in site_pages.pages(site):
        for picture in site_pages.contents(site / name).pictures:
            text = picture.get("alt") or ""
            if len(text) < 15 or text.endswith((".png", ".svg")):
                untold.append(f"{name}: {picture.get('src')}")
    assert untold == []


def test_every_public_name_is_documented(site: Path) -> None:
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    documented = {name for kind in inventory.data for name in inventory.data[kind]}
    names = [
        f"{module}.{name}"
        for module in (*public_modules("kernelspec"), *public_modules("validation"))
        if not module.startswith("validation.cli")  # on the page of the command line
        for name in defined(module)
        if callable(getattr(import_module(module), name))  # constants where they have a docstring
    ]
    assert len(names) > 100
    assert [name for name in names if name not in documented] == []

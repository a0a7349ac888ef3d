"""Every page in a real browser: quiet, offline, rendered, readable, accessible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import site_pages
import vendor
from conftest import NARROW, SITE

PAGES = site_pages.pages(SITE)
vendor.place("axe-core")
READY = "() => window.MathJax ? MathJax.startup.promise.then(() => true) : true"
# elements that stick out of the window without being inside a box that scrolls or hides them
STICKING_OUT = """() => {
  const width = document.documentElement.clientWidth;
  const contained = e => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
      if (getComputedStyle(p).overflowX !== 'visible') return true;
    return false;
  };
  return [...document.querySelectorAll('article *')]
    .filter(e => e.getBoundingClientRect().right > width + 1 && !contained(e))
    .map(e => e.tagName + '.' + e.className + ': ' + e.textContent.trim().slice(0, 60)).slice(0, 5);
}"""


def axe(page: Any, *, contrast: bool = False) -> list[str]:
    """Return the serious and critical violations of accessibility rules.

    Contrast takes as long as all else together and depends on the style alone, so that it is left
    to pages that show all of it.
    """
    page.add_script_tag(path=vendor.PACKAGES["axe-core"].target)
    options = (
        {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
        if contrast
        else {"rules": {"color-contrast": {"enabled": False}}}
    )
    options["resultTypes"] = ["violations"]
    # formulas: MathJax draws a picture, and MathML beside it for screen readers
    context = {"include": [["body"]], "exclude": [["mjx-container"]]}
    report = page.evaluate("([c, o]) => axe.run(c, o)", [context, options])
    return [
        f"{found['id']}: {node['html'][:160]} {node['any'][0]['message'] if node['any'] else ''}"
        for found in report["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"][:3]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_page(page: Any, address: str, site: Path, name: str) -> None:
    page.goto(f"{address}/{name}")
    assert page.evaluate(READY)

    formulas = site_pages.contents(site / name).formulas
    assert page.locator("mjx-container > svg").count() == formulas
    assert page.locator("[data-mjx-error]").count() == 0

    assert axe(page) == []

    page.set_viewport_size(NARROW)
    # no part sticks out, and so the page does not scroll sideways
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert page.trouble == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "api/bounds", "cli", "derivations/mixtures"])
def test_contrast(page: Any, address: str, name: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{address}/{name}.html")
    assert page.evaluate(READY)
    assert axe(page, contrast=True) == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_search_finds_the_word(page: Any, address: str, site: Path, scheme: str) -> None:
    root = address if scheme == "http" else site.resolve().as_uri()
    page.goto(f"{root}/search.html?q=leverage")
    results = page.locator("#search-results ul.search li a")
    results.first.wait_for(timeout=20_000)
    page.get_by_text("Search finished, found").wait_for(timeout=20_000)
    assert any("leverage" in (text or "").lower() for text in results.all_text_contents())
    assert page.trouble == [] or scheme == "file"  # summaries need a server


def test_the_site_opens_from_disk(page: Any, site: Path) -> None:
    page.goto((site.resolve() / "proofs" / "decay.html").as_uri())
    assert page.evaluate(READY)
    assert page.locator("mjx-container > svg").count() > 100
    assert page.trouble == []


def test_a_wide_formula_scrolls_in_its_own_box(page: Any, address: str) -> None:
    page.set_viewport_size(NARROW)
    page.goto(f"{address}/proofs/decay.html")
    assert page.evaluate(READY)
    boxes = page.evaluate(
        "[...document.querySelectorAll('div.math')].map(e => [e.scrollWidth, e.clientWidth])"
    )
    assert any(content > box + 20 for content, box in boxes)
    assert all(box <= NARROW["width"] for _, box in boxes)

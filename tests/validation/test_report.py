from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from validation import report, results
from validation.registry import select
from validation.verify import Outcome, verify

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Nesting(HTMLParser):
    """Collects addresses, identifiers and unbalanced tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    claims = select(["kappa0", "kappa0-limit", "headline"])
    return verify(claims, [3, 6], [0.5, 1.0], strict=True)


@pytest.fixture(scope="module")
def page(outcome: Outcome) -> str:
    document = results.document(
        outcome,
        command="kernelspec verify --x '<&>'",
        seed=0,
        budget="quick",
        created="now",
        seconds=1,
    )
    return report.render(outcome, document)


def test_the_page_is_well_formed_and_needs_nothing_but_itself(page: str) -> None:
    parsed = Nesting()
    parsed.feed(page)
    assert not parsed.wrong
    assert not parsed.open
    assert len(parsed.ids) == len(set(parsed.ids))
    assert all(address.startswith("#") for address in parsed.addresses)
    assert {address[1:] for address in parsed.addresses} <= set(parsed.ids)
    assert not re.search(r"@import|url\((?!#)", page)


def test_every_record_is_there_worst_first(page: str, outcome: Outcome) -> None:
    rows = re.findall(r'<tr class="(\w+)">.*?#([\w-]+)"', page, flags=re.DOTALL)
    assert len(rows) == len(outcome.records)
    assert rows[0] == ("refuted", "kappa0")
    assert "It does hold for every lambda &lt;= " in page
    assert "kappa0 (d = 3, tau = 0.5): stated for tau &gt;= 1 only" in page


def test_what_was_typed_is_escaped(page: str) -> None:
    assert "--x &#39;&lt;&amp;&gt;&#39;" in page
    assert "<&>" not in page


def test_figures_follow_the_colours_of_the_page(page: str) -> None:
    figures = re.findall(r"<figure>.*?</figure>", page, flags=re.DOTALL)
    assert len(figures) == 3
    for figure in figures:
        assert "var(--ink)" in figure
        assert "var(--series-0)" in figure
        assert not re.search(r"#0072b2|#222222", figure, flags=re.IGNORECASE)


def test_dark_and_light_are_both_provided(page: str) -> None:
    assert "prefers-color-scheme: dark" in page


def test_numbers_json_lacks_are_words() -> None:
    nan, inf = float("nan"), float("inf")
    assert results.as_json([nan, {"a": -inf}]).split() == [
        "[",
        '"nan",',
        "{",
        '"a":',
        '"-inf"',
        "}",
        "]",
    ]


def test_the_template_is_shipped_with_the_package() -> None:
    setup = (Path(__file__).parents[2] / "setup.cfg").read_text(encoding="utf-8")
    assert re.search(r"validation = .*templates/\*", setup)

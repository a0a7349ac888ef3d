"""The report: one HTML page that needs nothing but itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from validation import wording
from validation.figures import figures
from validation.records import Record, Verdict, worst_first
from validation.tex import formula_svg
from validation.verify import Outcome

__all__ = ["render"]

_MEANING = {
    Verdict.CERTIFIED: "proved by ball arithmetic or exact algebra, for the whole stated range",
    Verdict.CONSISTENT: "floating point with a stated error agrees; not a proof",
    Verdict.INCONCLUSIVE: "the interval straddles the claim, or the check could not be finished",
    Verdict.REFUTED: "the interval excludes the claim",
}


@dataclass(frozen=True)
class _Section:
    """A claim with its records, for the second half of the page."""

    claim: Record
    records: list[Record]


def render(outcome: Outcome, document: Mapping[str, Any]) -> str:
    """Return the page for an outcome; `document` is its `validation.results.document`.

    Examples
    --------
    >>> from validation.registry import select
    >>> from validation.results import document
    >>> from validation.verify import verify
    >>> outcome = verify(select(["trace"]), d=[3])
    >>> facts = {"command": "kernelspec verify", "seed": 0, "budget": "quick"}
    >>> data = document(outcome, **facts, created="2026-01-01T00:00:00Z", seconds=1.0)
    >>> page = render(outcome, data)
    >>> page.startswith("<!doctype html>"), "all 1 checks agree with what is claimed" in page
    (True, True)
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("validation"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "number": wording.number,
        "margin": wording.margin,
        "parameters": wording.parameters,
        "formula": formula_svg,
    }
    records = worst_first(outcome.records)
    return environment.get_template("report.html.j2").render(
        document=document,
        outcome=outcome,
        records=records,
        sections=_sections(records),
        figures=figures(outcome.records),
        meaning={verdict.value: text for verdict, text in _MEANING.items()},
        claimed=wording.claimed,
        interval=wording.interval,
        room=_room,
        answer=_answer(outcome),
    )


def _sections(records: list[Record]) -> list[_Section]:
    by_claim: dict[str, list[Record]] = {}
    for record in records:
        by_claim.setdefault(record.id, []).append(record)
    return [_Section(group[0], group) for group in by_claim.values()]


def _room(margin: float) -> int:
    """Length of the bar that shows a margin, in percent."""
    return 0 if math.isnan(margin) else round(100 * min(1.0, max(0.0, margin)))


def _answer(outcome: Outcome) -> str:
    """Put the page in one sentence."""
    total = len(outcome.records)
    failed = {record.id for record in outcome.records if record.verdict is Verdict.REFUTED}
    unsure = sum(record.verdict is Verdict.INCONCLUSIVE for record in outcome.records)
    if failed:
        count = outcome.counts()[Verdict.REFUTED.value]
        names = ", ".join(sorted(failed))
        return f"Not everywhere: {count} of {total} checks came out refuted ({names})."
    if unsure:
        return f"Nothing was refuted, but {unsure} of {total} checks came to no conclusion."
    return f"As far as checked: all {total} checks agree with what is claimed."

"""Verdicts and records: what was claimed, what was computed, and what follows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

__all__ = [
    "Finding",
    "Record",
    "Relation",
    "Verdict",
    "judge",
    "judge_worst",
    "weakest",
    "worst_first",
]

Relation = Literal["<=", "==", ">="]


class Verdict(StrEnum):
    """What may be said of a claim.

    Examples
    --------
    >>> Verdict("certified").value
    'certified'
    """

    CERTIFIED = "certified"
    CONSISTENT = "consistent"
    INCONCLUSIVE = "inconclusive"
    REFUTED = "refuted"


# From the strongest statement to the weakest; a refutation overrides everything.
_STRENGTH = (Verdict.CERTIFIED, Verdict.CONSISTENT, Verdict.INCONCLUSIVE, Verdict.REFUTED)


def judge(
    predicted: float,
    relation: Relation,
    low: float,
    high: float,
    *,
    proof: bool = False,
    tolerance: float = 0.0,
) -> tuple[Verdict, float]:
    """Hold an observed interval against a predicted value.

    Parameters
    ----------
    predicted
        The value the claim states.
    relation
        `"<="`: the observed quantity is at most `predicted`; `">="`: at least; `"=="`: equal to
        it, up to `tolerance`.
    low, high
        The interval in which the observed quantity lies.
    proof
        Whether the interval is proved (ball arithmetic or exact algebra in every step). One
        floating-point step anywhere makes this False, and then the best verdict is "consistent".
    tolerance
        For `"=="`: the relative difference that still counts as equal, at the resolution of the
        method or of the digits the claim states.

    Returns
    -------
    verdict
        "certified" or "consistent" where the whole interval is on the claimed side, "refuted" where
        all of it is on the other, "inconclusive" where it straddles the claim or holds a NaN.
    margin
        The room left, positive where the claim holds. For an inequality relative to `predicted`;
        for an equality the unused share of the tolerance. NaN where nothing can be said.

    Raises
    ------
    ValueError
        If `low > high` or the tolerance is negative.

    Examples
    --------
    >>> judge(2.0, "<=", 0.9, 1.0)
    (<Verdict.CONSISTENT: 'consistent'>, 0.5)
    >>> judge(2.0, "<=", 0.9, 1.0, proof=True)[0].value
    'certified'
    >>> judge(2.0, "<=", 1.9, 2.1)[0].value
    'inconclusive'
    >>> judge(2.0, "==", 2.5, 2.5, tolerance=0.1)[0].value
    'refuted'
    """
    if low > high:
        raise ValueError(f"low = {low!r} is not allowed: a number <= high = {high!r}")
    if tolerance < 0:
        raise ValueError(f"tolerance = {tolerance!r} is not allowed: a number >= 0")
    if any(math.isnan(x) for x in (predicted, low, high, tolerance)):
        return Verdict.INCONCLUSIVE, math.nan
    if relation == "==":
        holds, fails, margin = _equality(predicted, low, high, tolerance)
    elif relation == "<=":
        holds, fails, margin = _at_most(predicted, low, high)
    else:
        holds, fails, margin = _at_most(-predicted, -high, -low)
    if holds:
        return (Verdict.CERTIFIED if proof else Verdict.CONSISTENT), margin
    return (Verdict.REFUTED if fails else Verdict.INCONCLUSIVE), margin


def _relative(difference: float, predicted: float) -> float:
    scale = abs(predicted) if 0 < abs(predicted) < math.inf else 1.0
    return difference / scale


def _at_most(predicted: float, low: float, high: float) -> tuple[bool, bool, float]:
    holds, fails = high <= predicted, low > predicted
    # inf <= inf holds with no room to speak of; the subtraction alone would say NaN.
    nearest = low if fails else high
    gap = 0.0 if nearest == predicted else predicted - nearest
    return holds, fails, _relative(gap, predicted)


def _equality(
    predicted: float, low: float, high: float, tolerance: float
) -> tuple[bool, bool, float]:
    if math.isinf(predicted):
        same = low == high == predicted
        return same, not same and not low <= predicted <= high, 1.0 if same else -math.inf
    allowed = tolerance * (abs(predicted) or 1.0)
    below, above = predicted - low, high - predicted
    furthest = max(abs(below), abs(above))
    nearest = max(0.0, -below, -above)
    holds, fails = furthest <= allowed, nearest > allowed
    deviation = nearest if fails else furthest
    if allowed > 0:
        return holds, fails, 1.0 - deviation / allowed
    return holds, fails, -_relative(deviation, predicted)


def weakest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a whole: no stronger than its weakest part.

    Raises
    ------
    ValueError
        If there is no part.

    Examples
    --------
    >>> weakest([Verdict.CERTIFIED, Verdict.CONSISTENT]).value
    'consistent'
    """
    return max(verdicts, key=_STRENGTH.index)


@dataclass(frozen=True)
class Finding:
    """What a claim reports of one set of parameters, before it is judged.

    Parameters
    ----------
    predicted, relation, low, high, proof, tolerance
        As in `judge`.
    method
        How the interval was obtained and what its error is.
    note
        What a reader should know: where the claim does hold, what limits it.
    details
        Further numbers, by name.

    Examples
    --------
    >>> finding = Finding(predicted=2.0, relation="<=", low=1.8, high=1.9, method="floating point")
    >>> finding.proof, finding.relation
    (False, '<=')
    """

    predicted: float
    relation: Relation
    low: float
    high: float
    method: str
    proof: bool = False
    tolerance: float = 0.0
    note: str = ""
    details: Mapping[str, float] = field(default_factory=dict)


def judge_worst(findings: Iterable[Finding]) -> tuple[Finding, Verdict, float]:
    """Judge a claim that has several parts by the worst of them, with verdict and margin.

    A statement about every ridge or every degree fails if one of them fails, however well the
    others do; and it is certified only if all of them are.

    Raises
    ------
    ValueError
        If there is no finding.

    Examples
    --------
    >>> near = Finding(predicted=2.0, relation="<=", low=1.9, high=2.1, method="floating point")
    >>> far = Finding(predicted=2.0, relation="<=", low=1.0, high=1.1, method="floating point")
    >>> worst, verdict, margin = judge_worst([far, near])
    >>> worst is near, verdict.value
    (True, 'inconclusive')
    """
    judged = [(finding, *_verdict(finding)) for finding in findings]
    return min(judged, key=lambda part: _badness(part[1], part[2]))


def _verdict(finding: Finding) -> tuple[Verdict, float]:
    return judge(
        finding.predicted,
        finding.relation,
        finding.low,
        finding.high,
        proof=finding.proof,
        tolerance=finding.tolerance,
    )


def _badness(verdict: Verdict, margin: float) -> tuple[int, float]:
    """Order from bad to good; of a margin that is NaN the least is known."""
    return -_STRENGTH.index(verdict), -math.inf if math.isnan(margin) else margin


@dataclass(frozen=True)
class Record:
    """One claim, one set of parameters, one verdict.

    `low` and `high` enclose the observed quantity; `margin` is the room left (see `judge`);
    `seed` is the entropy and the spawn key of the random stream the cell was given.

    Examples
    --------
    >>> from validation.registry import select
    >>> from validation.verify import verify
    >>> (record,) = verify(select(["trace"]), d=[3]).records
    >>> record.id, record.predicted, record.low <= record.predicted <= record.high
    ('trace', 0.25, True)
    """

    id: str
    title: str
    statement: str
    source: str
    assumptions: str
    parameters: Mapping[str, float]
    relation: Relation
    predicted: float
    low: float
    high: float
    tolerance: float
    margin: float
    method: str
    verdict: Verdict
    note: str
    details: Mapping[str, float]
    seed: tuple[int, ...]
    versions: Mapping[str, str]
    command: str


def worst_first(records: Iterable[Record]) -> list[Record]:
    """Sort by verdict, from refuted to certified, then by margin, then by name and parameters.

    A margin that is NaN comes before every number: least is known there.

    Examples
    --------
    >>> from validation.registry import select
    >>> from validation.verify import verify
    >>> records = verify(select(["trace"]), d=[3, 5]).records
    >>> margins = [record.margin for record in worst_first(records)]
    >>> margins == sorted(margins)
    True
    """

    def key(record: Record) -> tuple[int, float, str, tuple[tuple[str, float], ...]]:
        badness = _badness(record.verdict, record.margin)
        return *badness, record.id, tuple(sorted(record.parameters.items()))

    return sorted(records, key=key)

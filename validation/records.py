"""Verdicts and records: what was claimed, what was computed, and what follows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Finding", "Record", "Relation", "Verdict", "hull", "judge", "weakest", "worst_first"]

Relation = Literal["<=", "==", ">="]


class Verdict(StrEnum):
    """What may be said of a claim."""

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


def hull(*values: ArrayLike, error: float = 0.0) -> tuple[float, float]:
    """Return the smallest interval that holds all values, widened by an absolute error.

    One NaN makes both ends NaN: a value that could not be computed must not be dropped.

    Examples
    --------
    >>> hull([1.0, 3.0], 2.0, error=0.5)
    (0.5, 3.5)
    >>> hull(1.0, math.nan)
    (nan, nan)
    """
    everything = np.concatenate([np.ravel(np.asarray(value, dtype=np.float64)) for value in values])
    return float(np.min(everything)) - error, float(np.max(everything)) + error


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


@dataclass(frozen=True)
class Record:
    """One claim, one set of parameters, one verdict.

    `low` and `high` enclose the observed quantity; `margin` is the room left (see `judge`);
    `seed` is the entropy and the spawn key of the random stream the cell was given.
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
    """Sort by verdict (refuted, inconclusive, then those that hold), then by margin, then by name.

    A margin that is NaN comes before every number: least is known there.
    """

    def key(record: Record) -> tuple[int, float, str, tuple[tuple[str, float], ...]]:
        order = {Verdict.REFUTED: 0, Verdict.INCONCLUSIVE: 1}.get(record.verdict, 2)
        margin = -math.inf if math.isnan(record.margin) else record.margin
        return order, margin, record.id, tuple(sorted(record.parameters.items()))

    return sorted(records, key=key)

"""Where a claim is proved and not only computed: the seam between claims and certificates.

A proof is about the theorem's own objects. A subject with another feature family (a deliberately
wrong kernel, say) is therefore only computed, and where numbers contradict a proof they win: then
one of the two is broken, and the record must not say "certified".
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from kernelspec import BiasedReLU
from validation.context import Context
from validation.records import Finding, Verdict, judge_worst

if TYPE_CHECKING:
    from flint import arb

__all__ = ["ends", "same_constant", "settle", "theorems_own"]


def theorems_own(context: Context) -> bool:
    """Whether the subject is the theorem's own feature family.

    Examples
    --------
    >>> import numpy as np
    >>> from validation.context import Subject
    >>> theorems_own(Context(Subject(), {"d": 3}, "quick", np.random.SeedSequence(0)))
    True
    """
    return context.subject.family is BiasedReLU


def same_constant(value: float, exact: float) -> bool:
    """Whether a predicted constant is the exact one up to the rounding of its float.

    Examples
    --------
    >>> same_constant(0.1 + 0.2, 0.3), same_constant(0.301, 0.3)
    (True, False)
    """
    return math.isclose(value, exact, rel_tol=1e-15)


def ends(ball: arb) -> tuple[float, float]:
    """Floats just outside a ball.

    Examples
    --------
    >>> from flint import arb
    >>> low, high = ends(arb(1) / 3)
    >>> low < high, high - low < 1e-14
    (True, True)
    """
    low, high = float(ball.lower()), float(ball.upper())
    return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)


def settle(proved: Finding | None, *parts: Finding) -> Finding:
    """Return the proof with what the computation has to tell, or the computation alone.

    Parameters
    ----------
    proved
        The finding of a proof; None if there is none.
    *parts
        The findings in floating point, of which the worst counts.

    Returns
    -------
    Finding
        `proved`, its note and details completed by those of the computation, unless the numbers
        refute what is proved: then they are returned.

    Examples
    --------
    Numbers that contradict a proof win:

    >>> proved = Finding(predicted=2.0, relation="<=", low=1.0, high=1.1, method="ball arithmetic")
    >>> agrees = Finding(predicted=2.0, relation="<=", low=1.0, high=1.2, method="floating point")
    >>> refutes = Finding(predicted=2.0, relation="<=", low=2.5, high=2.6, method="floating point")
    >>> settle(proved, agrees).method, settle(proved, refutes).method, settle(None, agrees).method
    ('ball arithmetic', 'floating point', 'floating point')
    """
    computed, by_numbers, _ = judge_worst(parts)
    if proved is None:
        return computed
    by_proof = judge_worst([proved])[1]
    if by_numbers is Verdict.REFUTED and by_proof is not Verdict.REFUTED:
        return computed
    note = " ".join(text for text in (proved.note, computed.note) if text)
    return replace(proved, note=note, details={**computed.details, **proved.details})

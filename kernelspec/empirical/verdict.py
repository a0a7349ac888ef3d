"""Whether a pool of neurons is large enough to speak about the supremum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from kernelspec.empirical.extremes import Extremes

__all__ = ["Evidence", "judge"]

_SHARE: Final = 0.1  # of neurons or points that N may reach before leverage saturates
_GROWTH: Final = 0.05
_REACH: Final = 1.1
_CLIMB: Final = 1000.0  # what a search may gain over the pool where a supremum exists
_Z: Final = 1.645


@dataclass(frozen=True)
class Evidence:
    """What was seen at one ridge.

    Attributes
    ----------
    lam, dof, kappa : float
        Ridge, degrees of freedom and the maximum over the pool.
    alone : float
        That maximum with each neuron judged by the others.
    searched : float
        Largest ratio found outside the pool.
    tail : Extremes
        Upper end of the ratios.
    effective : float
        Effective number of neurons.
    points : int
        Number of points.
    never : float
        Share of the target law on neurons of the pool that the initial law never draws.

    Examples
    --------
    The largest value in sight for the supremum is the end of the upper tail:

    >>> tail = Extremes(growth=0.01, tail_index=-0.5, tail_error=0.1, endpoint=4.5)
    >>> seen = Evidence(0.1, 5.0, 4.0, 4.1, 4.2, tail, effective=900.0, points=800, never=0.0)
    >>> seen.reach
    4.5
    """

    lam: float
    dof: float
    kappa: float
    alone: float
    searched: float
    tail: Extremes
    effective: float
    points: int
    never: float

    @property
    def reach(self) -> float:
        """Largest value in sight for the supremum."""
        endpoint = 0.0 if math.isnan(self.tail.endpoint) else self.tail.endpoint
        return max(self.alone, self.searched, endpoint)


def judge(seen: Evidence) -> tuple[str, str]:
    """Return a verdict and, unless it is "stable", what it means and what to do.

    Examples
    --------
    >>> from dataclasses import replace
    >>> tail = Extremes(growth=0.01, tail_index=-0.5, tail_error=0.1, endpoint=4.2)
    >>> seen = Evidence(0.1, 5.0, 4.0, 4.1, 4.2, tail, effective=900.0, points=800, never=0.0)
    >>> judge(seen)
    ('stable', '')
    >>> judge(replace(seen, searched=6.0))[0], judge(replace(seen, dof=90.0))[0]
    ('growing', 'too few')
    """
    at = f"lambda = {seen.lam:.3g}"
    if math.isinf(seen.kappa):
        share = "all" if seen.never > 0.9999 else f"{100 * seen.never:.3g} %"
        return "infinite", (
            f"{at}: the initial law never draws {share} of the target's neurons, which have "
            "leverage: no width makes up for them"
        )
    if seen.searched > _CLIMB * seen.kappa:
        return "out of reach", (
            f"{at}: a search outside the pool climbed from {seen.kappa:.4g} to "
            f"{seen.searched:.3g}: the initial law is too narrow for the target, and the "
            "supremum, if there is one, out of reach"
        )
    fewest = min(seen.effective, float(seen.points))
    if seen.dof > _SHARE * fewest:
        kind = "effective neurons" if seen.effective <= seen.points else "points"
        return "too few", (
            f"{at}: N = {seen.dof:.4g} is more than a tenth of the {fewest:.4g} {kind}, where "
            f"leverage saturates: take more {kind.split()[-1]} or a larger ridge"
        )
    tail = seen.tail
    if tail.tail_index - _Z * tail.tail_error > 0:
        return "heavy tail", (
            f"{at}: the ratio l/q has a heavy tail (index {tail.tail_index:.2f} +- "
            f"{tail.tail_error:.2f}): no finite supremum is in sight, the maximum over the pool "
            f"grows with its size; a search outside it found {seen.searched:.4g}"
        )
    signs = []
    if tail.growth > _GROWTH:
        signs.append(f"doubling the pool added {100 * math.expm1(tail.growth):.3g} % to it")
    if seen.searched > _REACH * seen.kappa:
        signs.append(f"a search outside the pool found {seen.searched:.4g}")
    if not math.isnan(tail.endpoint) and tail.endpoint > _REACH * seen.kappa:
        end = "no end" if math.isinf(tail.endpoint) else f"an end at {tail.endpoint:.4g}"
        signs.append(f"the largest ratios have {end} in sight")
    if signs:
        return "growing", (
            f"{at}: {seen.kappa:.4g} is the maximum over the pool, too small for the supremum: "
            + ", ".join(signs)
        )
    return "stable", ""

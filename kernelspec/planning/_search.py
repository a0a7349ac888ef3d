"""The least count that reaches a target, by few evaluations of an error that falls."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable

from kernelspec.planning.models import ErrorModel

__all__ = ["least_count", "log_ratio", "out_of_reach"]


def log_ratio(error: float, target: float) -> float:
    """Logarithm of error over target; inf where the error is."""
    return math.inf if error == math.inf else math.log(error / target)


def out_of_reach(model: ErrorModel, m: int, target: float) -> ValueError:
    """Say what m neurons, all trained, reach instead of a target.

    Examples
    --------
    >>> from kernelspec.planning import RateModel
    >>> model = RateModel("rate", kappa0=8.0, alpha=2.0)
    >>> f"{model.error(100, 100):.6g}" in str(out_of_reach(model, 100, 1e-9))
    True
    """
    return ValueError(
        f"target = {target!r} is not allowed: at least {model.error(m, m):.6g}, what {m} neurons "
        f"reach when all are trained ({model.basis})"
    )


def least_count(
    excess: Callable[[int], float],
    low: int,
    high: int,
    at_high: float,
    scale: Callable[[int], float] = float,
    slack: int = 1,
) -> tuple[int, int]:
    """Narrow low < n <= high, n the least with excess(n) <= 0, until high - low <= slack.

    By interpolation, with every third step a bisection; `excess` falls, and `low` is known to be
    too few or out of range.
    """
    at_low = math.inf
    for step in itertools.count():
        if high - low <= slack:
            return low, high
        middle = (low + high) // 2
        if step % 3 != 2 and math.isfinite(at_low - at_high) and at_low > at_high:
            part = at_low / (at_low - at_high)
            place = scale(low) + part * (scale(high) - scale(low))
            middle = bisect.bisect_left(range(low + 1, high), place, key=scale) + low + 1
            # a step to either side, so that both ends close in
            middle = min(max(middle - step % 3, low + 1), high - 1)
        value = excess(middle)
        if value <= 0:
            high, at_high = middle, value
        else:
            low, at_low = middle, value
    raise AssertionError  # the loop does not end by itself

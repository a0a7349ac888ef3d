"""Numbers that commands look up: the initial mismatch by name, the best any m features can do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import kernelspec

__all__ = ["best_possible", "initial_mismatch"]


def initial_mismatch(model: kernelspec.BiasedReLU, tau: float, kind: str) -> float:
    """Return kappa_0 as the theorem states it, its limit at ridge 0, or its supremum.

    Raises
    ------
    ValueError
        If the theorem's constant is asked for where it states none, tau < 1.

    Examples
    --------
    >>> model = kernelspec.BiasedReLU(5)
    >>> [round(initial_mismatch(model, 10.0, kind), 2) for kind in ("theorem", "limit")]
    [67.88, 16.97]
    """
    if kind == "theorem":
        if tau < 1:
            raise ValueError(
                f"--tau = {tau!r} is not allowed: a number >= 1, where the theorem states its "
                "constant"
            )
        return float(kernelspec.theorem_kappa0(model.d, tau))
    law = kernelspec.GaussianInit(model.d, tau)
    if kind == "limit":
        return float(kernelspec.limiting_mismatch(model, law).kappa)
    return float(kernelspec.worst_mismatch(model, law).kappa)


def best_possible(model: kernelspec.BiasedReLU, m: Sequence[int]) -> list[float]:
    """Return the Kolmogorov width mu_(m+1) for each m: no m features leave a smaller error.

    Examples
    --------
    >>> [round(width, 6) for width in best_possible(kernelspec.BiasedReLU(3), [0, 1])]
    [0.15625, 0.028101]
    """
    top = 16
    while float(kernelspec.multiplicity(model.d, np.arange(top + 1)).sum()) <= max(m):
        top *= 2
    before = np.cumsum(kernelspec.multiplicity(model.d, np.arange(top + 1)))
    degree = np.searchsorted(before, np.asarray(m, dtype=np.float64), side="right")
    return [float(x) for x in model.eigenvalues(top)[degree]]

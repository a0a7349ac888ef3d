r"""The mismatch over all ridges: its supremum, and the range on which a constant holds."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from kernelspec import _checks, arccosine, harmonics, spectrum
from kernelspec.features import BiasedReLU
from kernelspec.laws import Law
from kernelspec.limits import limiting_mismatch
from kernelspec.mismatch import Mismatch, check_pair, mismatch, supremum_over_heights

__all__ = ["holds_below", "worst_mismatch"]

Array = NDArray[np.float64]

_GRID: Final = 72
_ZOOM: Final = 17


def _infinite_ridge(model: BiasedReLU, law: Law) -> Mismatch:
    """Kappa as lambda -> inf: l/N -> |phi_v|^2 / K(1)."""
    d, s = model.d, model.order
    trace = arccosine.kernel_at_one(d, s)
    log_sup, b = supremum_over_heights(
        law,
        lambda heights: harmonics.squared_norm(d, s, heights)[:, None] / trace,
        lambda heights, j: harmonics.squared_norm(d, s, heights) / trace,
        0.02,
    )
    with np.errstate(over="ignore"):
        return Mismatch(float(np.exp(log_sup[0])), float(b[0]), 0.0, math.inf)


def _ridges(model: BiasedReLU) -> Array:
    """Ascending ridges, evenly spaced in the knee kap below mu_2 and in log lambda above.

    The least of them has its knee far beyond the degrees (d-2)/2 + s at which the spectrum turns
    algebraic; its mismatch differs from the limit by a relative O(kap^-1) at most.
    """
    d, s = model.d, model.order
    log_constant, M = spectrum.eigenvalue_constant(d, s)[1], d + 2 * s
    last = max(math.log(1e-280), log_constant - M * math.log(60 + 8 * M))
    middle = math.log(model.eigenvalues(s + 1)[s + 1])
    top = math.log(1e5 * model.eigenvalues(0)[0])
    slow = np.exp(-np.linspace(-last / M, -middle / M, _GRID) * M)
    return np.concatenate([slow[:-1], np.exp(np.linspace(middle, top, _GRID))])


def _scan(model: BiasedReLU, law: Law) -> tuple[Array, Array, Array]:
    """Ridges, mismatches and maximisers, local maxima in lambda refined by zooming in."""
    lam = _ridges(model)
    found = mismatch(model, law, lam)
    kappa, b = np.asarray(found.kappa), np.asarray(found.b)
    if not np.all(np.isfinite(kappa)):
        return lam, kappa, b
    peaks = np.flatnonzero((kappa[1:-1] >= kappa[:-2]) & (kappa[1:-1] >= kappa[2:])) + 1
    # a maximum far below the highest cannot become it: neighbours in the grid differ by percents
    for i in peaks[kappa[peaks] > 0.9 * kappa.max()]:
        low, high = math.log(lam[i - 1]), math.log(lam[i + 1])
        for _ in range(4):
            fine = np.linspace(low, high, _ZOOM)
            inner = mismatch(model, law, np.exp(fine))
            lam = np.concatenate([lam, np.exp(fine)])
            kappa = np.concatenate([kappa, np.asarray(inner.kappa)])
            b = np.concatenate([b, np.asarray(inner.b)])
            top = int(np.clip(np.argmax(inner.kappa), 1, _ZOOM - 2))
            low, high = fine[top - 1], fine[top + 1]
    order = np.argsort(lam, kind="stable")
    return lam[order], kappa[order], b[order]


def _check_lam_max(lam_max: Any) -> float:
    if lam_max == math.inf:
        return math.inf
    return _checks.positive("lam_max", lam_max)


def worst_mismatch(model: BiasedReLU, law: Law, lam_max: float = math.inf) -> Mismatch:
    r"""Supremum of kappa(lambda; q) over 0 < lambda <= lam_max.

    The mismatch is evaluated on a grid of ridges that reaches from the algebraic limit to
    lambda = inf (both ends are taken as limits), and every high local maximum is refined.
    A floating-point result: `certify_mismatch` proves.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law of the same d.
    lam_max : float, default inf
        Largest ridge, > 0.

    Returns
    -------
    Mismatch
        `kappa`, a maximiser `b` and `lam`: 0 or inf where the supremum is the limit there.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> worst = worst_mismatch(BiasedReLU(3), GaussianInit(3, tau=10))
    >>> round(worst.kappa, 6), worst.lam  # 10 sqrt(2) 4/3, approached as lambda -> 0
    (18.856181, 0.0)
    """
    check_pair(model, law)
    lam_max = _check_lam_max(lam_max)
    start = limiting_mismatch(model, law)
    if math.isinf(float(start.kappa)):
        return start
    lam, kappa, b = _scan(model, law)
    candidates = [start]
    inside = lam <= lam_max
    if np.any(inside):
        i = int(np.argmax(np.where(inside, kappa, -np.inf)))
        dof = float(model.degrees_of_freedom(lam[i]))
        candidates.append(Mismatch(float(kappa[i]), float(b[i]), dof, float(lam[i])))
    candidates.append(
        mismatch(model, law, lam_max) if lam_max < math.inf else _infinite_ridge(model, law)
    )
    return max(candidates, key=lambda candidate: float(candidate.kappa))


def holds_below(model: BiasedReLU, law: Law, constant: float) -> float:
    r"""Largest lambda_* such that kappa(lambda; q) <= constant for all lambda <= lambda_*.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law of the same d.
    constant : float
        The claimed bound, > 0.

    Returns
    -------
    float
        inf if the bound always holds, 0.0 if it fails for arbitrarily small lambda.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit, theorem_kappa0
    >>> round(holds_below(BiasedReLU(8), GaussianInit(8, tau=1), theorem_kappa0(8, 1)), 6)
    0.055763
    >>> holds_below(BiasedReLU(5), GaussianInit(5, tau=1), theorem_kappa0(5, 1))
    inf
    """
    check_pair(model, law)
    constant = _checks.positive("constant", constant)
    if float(limiting_mismatch(model, law).kappa) > constant * (1 + 1e-12):
        return 0.0
    lam, kappa, _ = _scan(model, law)
    above = np.flatnonzero(kappa > constant)
    if above.size == 0:
        return math.inf if float(_infinite_ridge(model, law).kappa) <= constant else float(lam[-1])
    first = int(above[0])
    if first == 0:
        return 0.0

    def excess(log_lam: float) -> float:
        return float(mismatch(model, law, math.exp(log_lam)).kappa) / constant - 1

    low, high = math.log(lam[first - 1]), math.log(lam[first])
    return math.exp(brentq(excess, low, high, xtol=1e-13, rtol=1e-13))

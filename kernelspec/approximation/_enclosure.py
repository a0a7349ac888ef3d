"""Bounds for the worst-case error from harmonics of degree <= K."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.approximation._basis import DegreeBasis
from kernelspec.approximation._circle import coordinate_error, sample_count
from kernelspec.approximation._neurons import Neurons
from kernelspec.approximation._residual import SUM_ERROR, Residual
from kernelspec.approximation._span import FACTOR_ERROR, Whitening
from kernelspec.harmonics import amplitudes, squared_norm
from kernelspec.spectrum import eigenvalues
from kernelspec.sphere import multiplicity

__all__ = [
    "Bracket",
    "degree_bytes",
    "eigenvalues_down_to",
    "enclose",
    "least_residual",
    "nth_eigenvalue",
    "whitening_bytes",
]

Array = NDArray[np.float64]

_EPS: Final = float(np.finfo(np.float64).eps)
_BISECTIONS: Final = 12
_RIDGE_COST: Final = 100  # a ridge against errors of the coordinates may cost rtol over this
_STEP: Final = 20  # the first level lies rtol over this above the Lanczos value


@dataclass(frozen=True)
class Bracket:
    """Bounds for one degree K.

    Attributes
    ----------
    value, lower, upper : float
        Estimate and bounds.
    cut : float
        The part of upper - lower that a larger K would remove.
    """

    value: float
    lower: float
    upper: float
    cut: float


def whitening_bytes(d: int, s: int, n: int, p: int) -> float:
    """Estimate the memory to orthonormalise n neurons with a kink and p without."""
    if d == 2:
        return 8.0 * (2.3 * sample_count(s, n) * n + 5 * n * n + 2 * p * p)
    return 8.0 * (5 * n * n + 2 * p * p + 40 * min(n * n, 1 << 17))


def degree_bytes(d: int, n: int, K: int) -> float:
    """Estimate the memory for the harmonics of degree <= K of n neurons."""
    rows = float(np.minimum(multiplicity(d, np.arange(K + 1)), n).sum())
    return 8.0 * (3.0 * rows * n + 5 * n * n + 40 * rows)


def nth_eigenvalue(d: int, s: int, j: int) -> float:
    """mu_(j+1): the error that no j features can get below."""
    K = 8
    while True:
        total = np.cumsum(multiplicity(d, np.arange(K + 1)))
        if total[-1] > j:
            k = int(np.searchsorted(total, j, side="right"))
            return float(eigenvalues(d, s, k)[k])
        K *= 2


def eigenvalues_down_to(d: int, s: int, target: float) -> Array:
    """mu_0, ..., mu_{K+1} with mu_{K+1} the first <= target, K >= s + 1.

    The eigenvalues decrease in k, see the derivation.
    """
    K = 16
    while True:
        mu = eigenvalues(d, s, K)
        if mu[-1] <= target and s + 2 <= K:
            first = int(np.argmax(mu <= target))
            return mu[: max(first, s + 2) + 1]
        K *= 2


def _residual(
    d: int, s: int, neurons: Neurons, whitening: Whitening, mu: Array
) -> tuple[Residual, float]:
    """Assemble the compressed operator; and the error of the coordinates of unit features."""
    K, n = mu.size - 2, neurons.b.size
    basis = DegreeBasis(d, neurons.U, neurons.whole_directions, s, K)
    count = multiplicity(d, np.arange(K + 1))
    scaled = amplitudes(d, s, neurons.b, K) / np.sqrt(squared_norm(d, s, neurons.b))
    F = np.empty((int(basis.sizes.sum()), n))
    row = 0
    for k, size in enumerate(basis.sizes):
        part = basis.values(k)[:, :n]
        np.multiply(part, scaled[k] / math.sqrt(count[k]), out=F[row : row + size])
        row += int(size)
    error = coordinate_error(neurons.b) + math.sqrt(basis.jitter)
    rows = np.repeat(mu[:-1], basis.sizes)
    return Residual(rows, whitening.orthonormal_rows(F), float(mu[-1])), error


def enclose(
    d: int, s: int, neurons: Neurons, whitening: Whitening, mu: Array, width: float, rtol: float
) -> Bracket:
    """Bound the worst-case error with the harmonics of degree <= K = mu.size - 2.

    `width` is the error that no features of the same number get below.
    """
    residual, error = _residual(d, s, neurons, whitening, mu)
    # eigenvalues of harmonics that no direction sees, which are no rows of Q, are at most this
    floor = width
    if neurons.unresolved:
        floor = nth_eigenvalue(d, s, whitening.rank + whitening.missing - neurons.unresolved)
    ritz, x = residual.top(rtol / 50)
    ritz = max(ritz, floor)
    plain, lower = _lower_at(residual, whitening, x, error)
    if whitening.missing:
        lower = _lower_beyond_missing(residual, whitening, width, ritz, rtol, error)
    upper = _upper(residual, whitening, ritz, rtol, coordinate_error(neurons.b))
    turn = whitening.spill * math.sqrt(mu[0])
    lower = max(math.sqrt(max(lower, 0.0)) - turn, 0.0) ** 2
    upper = (math.sqrt(upper) + turn) ** 2
    lower, upper = max(lower, width), min(upper, float(mu[0]))
    plain = max(plain, floor)
    return Bracket(min(max((plain + ritz) / 2, lower), upper), lower, upper, ritz - plain)


def _lower_at(
    residual: Residual, whitening: Whitening, x: Array, error: float
) -> tuple[float, float]:
    """Error of one function of degree <= K over its squared RKHS norm, without and with allowance.

    The function is T r, r the residual of the top vector: the best for given r.
    """
    r, _ = residual.project_out(np.sqrt(residual.mu - residual.beyond) * x)
    f = residual.mu * r
    norm = float(f @ r)
    if norm <= 0.0:  # every harmonic that a direction sees is in the span
        return 0.0, 0.0
    q = residual.Q.T @ f
    squared = max(float(f @ f - q @ q), 0.0)
    size = float(np.linalg.norm(whitening.weights(q)))
    least = least_residual(squared, size, whitening.smallest, whitening.shift, error)
    return squared / norm, (least - SUM_ERROR * _EPS * float(f @ f)) / norm


def least_residual(
    squared: float, size: float, smallest: float, shift: float, error: float
) -> float:
    """Least squared residual of a fit if Gram matrix and coordinates are off by the allowances.

    Found were the squared residual and coefficients of this size. For any others, y' at a distance
    e, and any t in (0, 1) the true one is at least
    (1-t) (squared + smallest e^2) - (2 shift + error^2/t) |y'|^2.
    """
    if squared == 0.0:
        return 0.0
    t = error * size / math.sqrt(squared) + 2 * error**2 / smallest
    allowed = 2 * shift + (error**2 / t if t > 0.0 else 0.0)
    curvature = (1 - t) * smallest
    if allowed >= curvature:
        return 0.0
    return (1 - t) * squared - allowed / (1 - allowed / curvature) * size**2


def _lower_beyond_missing(
    residual: Residual, whitening: Whitening, low: float, high: float, rtol: float, error: float
) -> float:
    """Eigenvalue r + 1 without the r missing directions, which remove at most r, by counts."""
    excess = 2 * whitening.shift * whitening.inverse_gram()
    relative = error / math.sqrt(whitening.smallest)
    proven, step = 0.0, rtol
    for _ in range(_BISECTIONS):
        if high <= low * (1 + rtol / 4):
            break
        # first down from the top in growing steps, then bisect
        trial = math.sqrt(low * high) if proven else max(high / (1 + step), low)
        level = residual.clear_of_poles(trial, 1e-4)
        if level < high and residual.least_above(level, excess, relative) > whitening.missing:
            proven = low = level
        else:
            high, step = trial, 2 * step
    return proven


def _upper(
    residual: Residual, whitening: Whitening, ritz: float, rtol: float, error: float
) -> float:
    """Find a level that no eigenvalue exceeds, as close above `ritz` as the count allows.

    A ridge absorbs the errors of the coordinates, at the price of a factor 1 + error^2 / ridge. The
    shift of a Gram matrix has room for it; where there is no Gram matrix it is added.
    """
    # half of what the shift of a Gram matrix allows for its factor
    excess, ridge = None, FACTOR_ERROR / 2 * _EPS * math.sqrt(max(whitening.factor.shape[1], 1))
    if whitening.shift == 0.0:
        ridge = _RIDGE_COST / rtol * error**2
        excess = ridge * whitening.inverse_gram()
    factor = 1 + error**2 / ridge if error else 1.0
    ceiling = float(residual.mu.max())
    gap = rtol / _STEP
    while True:
        level = residual.clear_of_poles(ritz * (1 + gap), gap / 8)
        if level >= ceiling:
            return ceiling
        if residual.most_above(level, excess) <= 0:
            return level * factor
        gap *= 2

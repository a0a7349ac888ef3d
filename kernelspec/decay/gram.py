r"""Estimate the decay of a kernel's eigenvalues from points.

1. The curve N -> lambda of the population is read off the sample's spectrum, see
   :mod:`kernelspec.decay.curve`, for N <= n/8.
2. The sample is split in halves, several times. Halves see twice the ratio N/n, so a third of what
   they differ from the whole is its own remaining bias (order (N/n)^2): it is taken off, and the
   window ends where it exceeds `LARGEST_CORRECTION`.
3. A power with a correction is fitted, see :mod:`kernelspec.decay.fit`; the difference of the two
   halves gives the standard error of each fit, and of its residuals.

The variance of a fit falls between n^-1 (linear statistics) and n^-2 (spectral ones, which
fluctuate by O(1) eigenvalue whatever n is); n^-3/2 is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.decay.curve import STEP, levels, rounding_floor, sample_curve
from kernelspec.decay.fit import CORRECTIONS, Fits, design
from kernelspec.decay.judge import judge, refused
from kernelspec.decay.result import DecayEstimate

__all__ = [
    "LARGEST_CORRECTION",
    "LEAST_POINTS",
    "estimate_decay_from_gram",
    "estimate_decay_from_kernel",
    "from_halves",
]

Array = NDArray[np.float64]
Kernel = Callable[[Array, Array], ArrayLike]

LEAST_POINTS: Final = 240
LARGEST_CORRECTION: Final = 0.01
"""In log lambda: where halving the sample moves the curve more, the window ends."""

_SHARE: Final = 8  # N <= n/8
_OCTAVES: Final = (1.0, 1.5, 2.0, 2.5, 3.0)  # windows end at the top and reach down that far
_LEAST_N: Final = 14.0
_NOISE: Final = 2.0  # residuals up to this multiple of their noise are noise
_NEGLIGIBLE: Final = 3e-4  # residuals of log lambda that no interval here can see
_HALVED: Final = 4 * math.sqrt(
    2
)  # E (A - B)^2 over the variance of the whole: 4 (1/n) to 8 (1/n^2)
_METHOD: Final = "degrees of freedom"
_GAP: Final = 1e-4


def _rank(eigenvalues: Array) -> int | None:
    """Return the rank if the spectrum breaks off in its first half, None if it fades."""
    falling = np.sort(eigenvalues)[::-1]
    rank = int(np.sum(falling > 10 * rounding_floor(eigenvalues)))
    # repeated points lower the rank a little, and step functions repeat often
    if rank > falling.size // 2 or falling[rank] > _GAP * falling[rank - 1]:
        return None
    return rank


def _windows(x: Array) -> list[int]:
    """First points of the windows, the narrowest first."""
    starts = [x.size - 1 - round(octaves * math.log(2) / STEP) for octaves in _OCTAVES]
    return [start for start in starts if start >= 0 and x[start] >= math.log(_LEAST_N)]


def _fit(x: Array, y: Array, difference: Array, start: int) -> Fits:
    x, y, difference = x[start:], y[start:], difference[:, start:]
    alpha, error, noise_like = [], [], False
    for rho in CORRECTIONS:
        columns = design(x, rho)
        solve = np.linalg.pinv(columns)
        remove = np.eye(x.size) - columns @ solve
        sampling = float(np.mean((difference @ solve[1]) ** 2)) / _HALVED
        noise = float(np.mean((difference @ remove) ** 2)) / _HALVED
        misfit = float(np.mean((remove @ y) ** 2))
        # residuals of a smooth curve hang together: count every fourth point
        systematic = 4 * max(misfit - noise, 0.0) * float(solve[1] @ solve[1])
        alpha.append(float(solve[1] @ y))
        error.append(math.sqrt(sampling + systematic))
        noise_like |= misfit <= max(_NOISE**2 * noise, _NEGLIGIBLE**2)
    return Fits(start, np.array(alpha), np.array(error), float(difference.shape[0]), noise_like)


def from_halves(
    whole: Array, halves: Array, log_n: Array, points: int, method: str = _METHOD
) -> DecayEstimate:
    """Estimate from the curve of the sample, shape (g,), and of its halves, shape (S, 2, g)."""
    correction = (whole - halves.mean(axis=(0, 1))) / 3
    y = whole + correction
    trusted = np.isfinite(y) & (np.abs(correction) <= LARGEST_CORRECTION)
    stop = int(np.argmin(trusted)) if not trusted.all() else trusted.size
    x, y, difference = log_n[:stop], y[:stop], (halves[:, 0] - halves[:, 1])[:, :stop]
    starts = _windows(x) if x.size else []
    if not starts:
        reach = f"N = {math.exp(x[-1]):.3g}" if x.size else "no N at all"
        reason = f"the trustworthy part of the spectrum ends too early, at {reach}"
        return refused(reason, method, points, log_n, whole)
    return judge([_fit(x, y, difference, start) for start in starts], x, y, method, points)


def _spectrum(gram: Array) -> Array:
    return np.asarray(np.linalg.eigvalsh(gram / gram.shape[0]))


def _symmetric(name: str, gram: ArrayLike) -> Array:
    array = np.asarray(gram, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] < 2:
        raise ValueError(f"{name} of shape {array.shape} is not allowed: a square matrix, n >= 2")
    array = _checks.matrix(name, array, array.shape[1])
    gap = float(np.max(np.abs(array - array.T)))
    if gap > 1e-8 * float(np.max(np.abs(array))):
        raise ValueError(
            f"{name} is not symmetric: entries differ by {gap:.3g} across its diagonal"
        )
    return array


def estimate_decay_from_gram(
    gram: ArrayLike,
    *,
    splits: int = 8,
    rng: int | np.random.Generator = 0,
) -> DecayEstimate:
    r"""Estimate alpha from the Gram matrix K(x_i, x_j) of n independent points.

    See :mod:`kernelspec.decay.gram` for the method, and the page "Estimating the decay" of the
    documentation for its derivation, its limits and the coverage that was measured.

    Parameters
    ----------
    gram : array_like
        Shape (n, n), symmetric and positive semidefinite; not divided by n. At least 240 points
        are needed, and more in higher dimension: the window ends at N <= n/8.
    splits : int, keyword-only
        How often the sample is split in halves, >= 2.
    rng : int or numpy.random.Generator, keyword-only
        Seed or generator of the splits.

    Returns
    -------
    DecayEstimate
        Exponent with interval and verdict.

    Raises
    ------
    ValueError
        If `gram` is not square, symmetric, finite and positive semidefinite up to rounding.
    MemoryError
        If its eigenvalues do not fit into memory, with the estimate.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, uniform_sphere
    >>> X = uniform_sphere(2, 320, rng=1)
    >>> found = estimate_decay_from_gram(BiasedReLU(2).kernel((X @ X.T).clip(-1, 1)))
    >>> found.verdict, found.low < BiasedReLU(2).decay_exponent < found.high
    ('power law', True)
    """
    splits = _checks.integer("splits", splits, 2)
    gram = _symmetric("gram", gram)
    n = gram.shape[0]
    require_memory(4 * 8.0 * n * n, f"the spectrum of {n} points", advice="take fewer points")
    eigenvalues = _spectrum(gram)
    if eigenvalues[0] < -1e-8 * eigenvalues[-1] or eigenvalues[-1] <= 0:
        raise ValueError(
            f"gram has the eigenvalue {n * eigenvalues[0]:.3g}, the greatest is "
            f"{n * eigenvalues[-1]:.3g}: no kernel that is positive semidefinite"
        )
    log_n = levels(max(n / _SHARE, 2.0))
    whole = sample_curve(eigenvalues, log_n)
    if (rank := _rank(eigenvalues)) is not None:
        return refused(f"finite rank {rank} on {n} points", _METHOD, n, log_n, whole)
    if n < LEAST_POINTS:
        reason = f"too few points, {n} where {LEAST_POINTS} are needed"
        return refused(reason, _METHOD, n, log_n, whole)
    generator = np.random.default_rng(rng)
    halves = np.empty((splits, 2, log_n.size))
    for i in range(splits):
        order = generator.permutation(n)
        for j, part in enumerate((order[: n // 2], order[n // 2 : 2 * (n // 2)])):
            halves[i, j] = sample_curve(_spectrum(gram[np.ix_(part, part)]), log_n)
    return from_halves(whole, halves, log_n, n)


def estimate_decay_from_kernel(
    kernel: Kernel, X: ArrayLike, *, splits: int = 8, rng: int | np.random.Generator = 0
) -> DecayEstimate:
    """Estimate alpha of a kernel under the distribution that the points come from.

    Parameters
    ----------
    kernel : callable
        kernel(X, Y) -> (n, n'), such as those of scikit-learn.
    X : array_like
        Independent points, shape (n, d).
    splits, rng
        As for `estimate_decay_from_gram`.

    Returns
    -------
    DecayEstimate
        Exponent with interval and verdict.

    Raises
    ------
    ValueError
        If `X` is not a finite matrix, or the kernel gives no Gram matrix.
    MemoryError
        If the Gram matrix does not fit into memory, with the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((320, 1))
    >>> found = estimate_decay_from_kernel(lambda X, Y: np.exp(-abs(X - Y.T)), X)  # alpha = 2
    >>> found.verdict, found.low < 2 < found.high
    ('power law', True)
    """
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError(f"X of shape {points.shape} is not allowed: a matrix of shape (n, d)")
    points = _checks.matrix("X", points, points.shape[1])
    n = points.shape[0]
    require_memory(5 * 8.0 * n * n, f"the Gram matrix of {n} points", advice="take fewer points")
    gram = np.asarray(kernel(points, points), dtype=np.float64)
    if gram.shape != (n, n):
        raise ValueError(f"kernel(X, X) of shape {gram.shape} is not allowed: shape ({n}, {n})")
    return estimate_decay_from_gram(gram, splits=splits, rng=rng)

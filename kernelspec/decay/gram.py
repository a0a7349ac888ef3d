r"""Estimate the decay of a kernel's eigenvalues from points.

1. The curve N -> lambda of the population is read off the sample's spectrum, see
   :mod:`kernelspec.decay.curve`, for N <= n/4.
2. The sample is split in halves, several times. Halves see twice the ratio nu = N/n and hence more
   than four times the remaining bias, which is of order nu^2: what they differ from the whole
   tells it, and it is taken off. The difference of the two halves tells the sampling error, of
   variance O(n^-2), since a spectrum fluctuates by O(1) eigenvalue whatever n is.
3. A power with corrections is fitted, as flexible as it takes for more flexible fits to agree, see
   :mod:`kernelspec.decay.agreement`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.decay.agreement import estimate_by_agreement
from kernelspec.decay.curve import half_curves, levels, rounding_floor, sample_curve
from kernelspec.decay.judge import refused
from kernelspec.decay.result import DecayEstimate

__all__ = [
    "LEAST_POINTS",
    "estimate_decay_from_gram",
    "estimate_decay_from_kernel",
    "split_curves",
]

Array = NDArray[np.float64]
Kernel = Callable[[Array, Array], ArrayLike]

LEAST_POINTS: Final = 240
_SHARE: Final = 4  # N <= n/4
_METHOD: Final = "degrees of freedom"
_GAP: Final = 1e-4


def find_rank(eigenvalues: Array) -> int | None:
    """Return the rank if the spectrum breaks off in its first half, None if it fades."""
    falling = np.sort(eigenvalues)[::-1]
    rank = int(np.sum(falling > 10 * rounding_floor(eigenvalues)))
    # repeated points lower the rank a little, and step functions repeat often
    if rank > falling.size // 2 or falling[rank] > _GAP * falling[rank - 1]:
        return None
    return rank


def spectrum(gram: Array) -> Array:
    return np.asarray(np.linalg.eigvalsh(gram / gram.shape[0]))


def split_curves(gram: Array, log_n: Array, splits: int, rng: np.random.Generator) -> Array:
    """Curves of the two halves of each split of the points, shape (splits, 2, g).

    Examples
    --------
    How halves differ in log lambda at N = 2, 4 and 8:

    >>> from kernelspec import BiasedReLU, uniform_sphere
    >>> X = uniform_sphere(2, 128, rng=0)
    >>> gram = BiasedReLU(2).kernel((X @ X.T).clip(-1, 1))
    >>> halves = split_curves(gram, np.log([2.0, 4.0, 8.0]), 5, np.random.default_rng(0))
    >>> halves.shape, np.std(halves[:, 0] - halves[:, 1], axis=0).round(2)
    ((5, 2, 3), array([0.01, 0.02, 0.01]))
    """
    return half_curves(
        gram.shape[0],
        splits,
        rng,
        lambda part: sample_curve(spectrum(gram[np.ix_(part, part)]), log_n),
    )


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
        are needed, and more in higher dimension: the window ends at N <= n/4.
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
    eigenvalues = spectrum(gram)
    if eigenvalues[0] < -1e-8 * eigenvalues[-1] or eigenvalues[-1] <= 0:
        raise ValueError(
            f"gram has the eigenvalue {n * eigenvalues[0]:.3g}, the greatest is "
            f"{n * eigenvalues[-1]:.3g}: no kernel that is positive semidefinite"
        )
    log_n = levels(max(n / _SHARE, 2.0))
    whole = sample_curve(eigenvalues, log_n)
    if (rank := find_rank(eigenvalues)) is not None:
        return refused(f"finite rank {rank} on {n} points", _METHOD, n, log_n, whole)
    if n < LEAST_POINTS:
        reason = f"too few points, {n} where {LEAST_POINTS} are needed"
        return refused(reason, _METHOD, n, log_n, whole)
    halves = split_curves(gram, log_n, splits, np.random.default_rng(rng))
    return estimate_by_agreement(whole, halves, log_n, n, _METHOD)


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

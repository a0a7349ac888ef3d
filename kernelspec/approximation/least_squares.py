r"""Least squares on data: fit the features of a network to a target, measure the error afresh."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr, svd

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.features import BiasedReLU
from kernelspec.sphere import uniform_sphere

__all__ = ["LeastSquaresError", "least_squares_error"]

Array = NDArray[np.float64]
Target = Callable[[Array], Any]

_EPS: Final = float(np.finfo(np.float64).eps)
_BLOCK: Final = 4096  # points handled at a time


@dataclass(frozen=True)
class LeastSquaresError:
    """Squared L2 test error of a fitted network.

    Attributes
    ----------
    error : float
        Mean squared residual at fresh points.
    low, high : float
        Confidence interval for the squared L2 error of this fit: normal approximation to the mean
        of the squared residuals, which are independent given the fit.
    confidence : float
        Its level.
    rank : int
        Numerical rank of the features at the training points.
    train_error : float
        Mean squared residual at the training points, without the ridge.
    ridge : float
        Ridge.
    samples, test_samples : int
        Points of the fit and of the test.
    coefficients : ndarray, shape (m,)
        Outer weights.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelspec import BiasedReLU
    >>> fit = least_squares_error(BiasedReLU(3), np.eye(4), lambda X: X[:, 2] ** 2, n=500, rng=0)
    >>> fit.samples, fit.coefficients.shape, fit.train_error < 1
    (500, (4,), True)
    """

    error: float
    low: float
    high: float
    confidence: float
    rank: int
    train_error: float
    ridge: float
    samples: int
    test_samples: int
    coefficients: Array


def least_squares_error(
    model: BiasedReLU,
    V: ArrayLike,
    target: Target,
    n: int,
    rng: int | np.random.SeedSequence | np.random.Generator,
    ridge: float = 0.0,
    *,
    test_samples: int = 20_000,
    confidence: float = 0.95,
    max_memory: float | None = None,
) -> LeastSquaresError:
    r"""Fit sum_j c_j phi_j to a target at n uniform points, return the error at fresh points.

    .. math:: \min_c \frac1n \sum_{i=1}^n \Bigl(f(x_i) - \sum_j c_j \phi_{v_j}(x_i)\Bigr)^2
        + \text{ridge}\,|c|^2

    by the singular values of the features: those below max(n, m) eps times the largest count as 0,
    and among equally good c the smallest is taken. Without ridge, columns are scaled to unit norm
    first, so that the rank does not depend on the scale of the neurons.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    V : array_like, shape (m, d + 1)
        Neurons (w, b), one a row, used as they are.
    target : callable
        f: from inputs (n, d) to values (n,). See `kernelspec.approximation` for targets.
    n : int
        Training points, >= 1, uniform on the sphere.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator of training and test points.
    ridge : float, default 0
        Ridge >= 0.
    test_samples : int
        Fresh points, >= 2.
    confidence : float
        Level of the interval, between 0 and 1.
    max_memory : float, optional
        Bytes that may be used; by default what the system has available.

    Returns
    -------
    LeastSquaresError
        Error with its interval, rank and coefficients.

    Raises
    ------
    ValueError
        If an argument is out of range, or the target returns another shape or values that are not
        finite.
    MemoryError
        If the work does not fit into memory; raised with the estimate, before allocating.

    Notes
    -----
    Points are handled in blocks, each reduced to a triangle by QR, so memory grows with m alone.
    As n grows the error falls to that of the L2 projection, with an excess of about m/n of it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelspec import BiasedReLU
    >>> model = BiasedReLU(3)
    >>> fit = least_squares_error(model, np.eye(4), lambda X: np.abs(X[:, 0]), n=500, rng=0)
    >>> fit.rank, fit.low < fit.error < fit.high
    (4, True)
    """
    n = _checks.count("n", n)
    test_samples = _checks.count("test_samples", test_samples, 2)
    ridge = _checks.not_negative("ridge", ridge)
    confidence = _checks.open_unit("confidence", confidence)
    limit = None if max_memory is None else _checks.positive("max_memory", max_memory)
    V = _checks.matrix("V", V, model.d + 1)
    if not callable(target):
        raise TypeError(f"target = {target!r} is not allowed: a callable from (n, d) to (n,)")
    m = V.shape[0]
    block = max(_BLOCK, 2 * m)
    needed = 8.0 * (4.0 * min(block, max(n, test_samples)) * (m + 1) + 8.0 * m * m)
    require_memory(needed, f"a fit of {m} features", limit)
    generator = np.random.default_rng(rng)
    triangle = np.zeros((0, m + 1))
    for size in _sizes(n, block):
        X = uniform_sphere(model.d, size, generator)
        rows = np.concatenate([model.features(X, V), _values(target, X)[:, None]], axis=1)
        triangle = qr(np.concatenate([triangle, rows / math.sqrt(n)]), mode="r", overwrite_a=True)[
            0
        ][: m + 1]
    coefficients, rank = _solve(triangle[:, :m], triangle[:, m], ridge, max(n, m))
    train = triangle[:, m] - triangle[:, :m] @ coefficients
    moments = np.zeros(2)
    for size in _sizes(test_samples, block):
        X = uniform_sphere(model.d, size, generator)
        squared = (_values(target, X) - model.features(X, V) @ coefficients) ** 2
        moments += squared.sum(), (squared**2).sum()
    error = moments[0] / test_samples
    variance = max(moments[1] / test_samples - error**2, 0.0) / (test_samples - 1)
    half = _normal_quantile((1 + confidence) / 2) * math.sqrt(variance)
    return LeastSquaresError(
        error=float(error),
        low=max(float(error - half), 0.0),
        high=float(error + half),
        confidence=confidence,
        rank=rank,
        train_error=float(train @ train),
        ridge=ridge,
        samples=n,
        test_samples=test_samples,
        coefficients=coefficients,
    )


def _sizes(total: int, block: int) -> list[int]:
    """Split a number of points into blocks."""
    return [min(block, total - start) for start in range(0, total, block)]


def _values(target: Target, X: Array) -> Array:
    """Evaluate the target and check what it returns."""
    values = np.asarray(target(X), dtype=np.float64)
    if values.shape != X.shape[:1]:
        raise ValueError(
            f"target returned shape {values.shape} for {X.shape[0]} inputs, which is not allowed: "
            f"shape {X.shape[:1]}"
        )
    if not np.all(np.isfinite(values)):
        raise ValueError("target returned values that are not finite, which is not allowed")
    return values


def _solve(A: Array, y: Array, ridge: float, size: int) -> tuple[Array, int]:
    """Minimise |y - A c|^2 + ridge |c|^2 by SVD, return c and the numerical rank of A."""
    scale = np.ones(A.shape[1])
    if ridge == 0.0:
        norm = np.sqrt(np.einsum("ij,ij->j", A, A))
        scale = np.where(norm > 0, norm, 1.0)
    if A.shape[1] == 0:
        return np.zeros(0), 0
    left, singular, right = svd(A / scale, full_matrices=False)
    keep = singular > size * _EPS * singular[0]
    gain = singular[keep] / (singular[keep] ** 2 + ridge)
    coefficients = right[keep].T @ (gain * (left[:, keep].T @ y))
    return np.asarray(coefficients / scale), int(np.count_nonzero(keep))


def _normal_quantile(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p))

"""What planning asks of a data set: how fast its spectrum decays, what an initialisation costs."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from kernelspec.decay import DecayEstimate, estimate_decay_from_kernel
from kernelspec.empirical import (
    PoolSpectrum,
    RidgeMismatch,
    empirical_mismatch,
    features,
    named_law,
    pool_spectrum,
)

__all__ = [
    "POINTS",
    "TARGET",
    "exponent",
    "initial_mismatch",
    "relu_kernel",
    "resolution",
    "ridge_with",
]

Array = NDArray[np.float64]

TARGET: Final = "sphere"  # the law of neurons that stands for a free choice: uniform on S^d
POINTS: Final = 600  # from which the exponent, the ridge and the mismatch are read
_DRAW: Final = 1000  # neurons from which a ridge is read


def relu_kernel(X: Array, Y: Array) -> Array:
    r"""Evaluate the ReLU kernel with biases at any points, in closed form.

    .. math:: K(x, y) = \frac{|\bar x||\bar y|}{2\pi (d+1)} (\sin\theta + (\pi-\theta)\cos\theta),
              \qquad \bar x = (x, 1)

    the mean of max(w.x+b, 0) max(w.y+b, 0) over neurons uniform on S^d, theta the angle between
    the lifted points (Cho & Saul 2009).

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> bool(np.isclose(relu_kernel(np.eye(2), np.eye(2))[0, 1], BiasedReLU(2).kernel(0.0)))
    True
    """
    lifted = [np.column_stack([Z, np.ones(len(Z))]) for Z in (X, Y)]
    norms = [np.linalg.norm(Z, axis=1) for Z in lifted]
    cosine = (lifted[0] / norms[0][:, None]) @ (lifted[1] / norms[1][:, None]).T
    theta = np.arccos(np.clip(cosine, -1.0, 1.0))
    shape = np.sin(theta) + (np.pi - theta) * np.cos(theta)
    return np.asarray(np.outer(*norms) * shape / (2 * math.pi * lifted[0].shape[1]))


def exponent(X: Array, rng: np.random.Generator) -> DecayEstimate:
    """Estimate the decay of the ReLU kernel on the points, or on 600 of them.

    Examples
    --------
    Points on the sphere of d = 3, where alpha = 2.5, too few to call the decay a power law:

    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 3))
    >>> found = exponent(X / np.linalg.norm(X, axis=1)[:, None], rng)
    >>> found.low < 2.5 < found.high, found.is_power_law
    (True, False)
    """
    chosen = rng.permutation(len(X))[:POINTS]
    return estimate_decay_from_kernel(relu_kernel, X[chosen], rng=rng)


def ridge_with(spectrum: PoolSpectrum, dof: float) -> float:
    """Find the ridge at which a pool has the given degrees of freedom.

    Examples
    --------
    >>> from kernelspec.empirical import features, named_law, pool_spectrum
    >>> rng = np.random.default_rng(0)
    >>> V = named_law("sphere", 3).sample(40, rng)
    >>> spectrum = pool_spectrum(features(rng.standard_normal((30, 3)), V, "relu"))
    >>> lam = ridge_with(spectrum, 5.0)
    >>> round(float(spectrum.degrees_of_freedom(lam)), 6)
    5.0
    """
    top = float(spectrum.eigenvalues.sum()) / dof  # N(lambda) < trace/lambda

    def excess(log_ridge: float) -> float:
        return float(spectrum.degrees_of_freedom(math.exp(log_ridge))) - dof

    low = math.log(top) - 1.0
    while excess(low) < 0:
        low -= 2.0
        if low < math.log(top) - 80:
            rank = int(np.sum(spectrum.eigenvalues > 0))
            raise ValueError(
                f"dof = {dof!r} is not allowed: fewer than the rank {rank} of the data"
            )
    return math.exp(float(brentq(excess, low, math.log(top) + 1e-9, xtol=1e-8)))


def resolution(X: Array, rng: np.random.Generator, dof: float | None = None) -> tuple[float, float]:
    """Choose the ridge: so many degrees of freedom as a twentieth of the points, at most 20.

    Examples
    --------
    Of 200 points, the ridge with 10 degrees of freedom, unless others are asked for:

    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> lam, dof = resolution(X, np.random.default_rng(1))
    >>> finer, _ = resolution(X, np.random.default_rng(1), dof=12.0)
    >>> dof, finer < lam
    (10.0, True)
    """
    points = X[rng.permutation(len(X))[:POINTS]]
    wanted = min(20.0, len(points) / 20) if dof is None else dof
    V = named_law(TARGET, X.shape[1]).sample(_DRAW, rng)
    return ridge_with(pool_spectrum(features(points, V, "relu")), wanted), wanted


def initial_mismatch(
    X: Array, initial: str, lam: float, rng: np.random.Generator, neurons: int = 600
) -> RidgeMismatch:
    """Measure the mismatch of an initialisation by name over a pool from the target law.

    Examples
    --------
    Biases that start at 0, as by "he", leave the law of the neurons without a density:

    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> for initial in ("he", "pytorch"):
    ...     found = initial_mismatch(X, initial, 1e-2, np.random.default_rng(1))
    ...     print(initial, round(found.kappa, 1), found.verdict)
    he inf infinite
    pytorch 4.7 growing
    """
    points = X[rng.permutation(len(X))[:POINTS]]
    return empirical_mismatch(points, TARGET, initial, lam, neurons=neurons, rng=rng).ridges[0]

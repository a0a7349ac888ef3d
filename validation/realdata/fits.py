"""Least squares on held-out points: whether the recommended share of trained neurons does it.

The leverage-sampled neurons stand for trained ones. Every seed draws its own split, pool,
initialisation and target, and the networks of a seed share them, so that errors are compared in
pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from kernelspec.empirical import features, leverage_sample, named_law, pool_spectrum
from validation.realdata.measure import TARGET, relu_kernel

__all__ = ["Ratio", "fit_errors", "ratio"]

Array = NDArray[np.float64]

_POOL: Final = 1000
_MOST: Final = 800  # points of a split
_TRAIN: Final = 0.75
_RIDGES: Final = 10.0 ** np.arange(-10, 2.0)
_CENTRES: Final = 10


@dataclass(frozen=True)
class Ratio:
    """Ratio of two held-out errors: geometric mean over seeds and its 95 % Student interval.

    Examples
    --------
    >>> ratio = Ratio(value=1.4, low=1.1, high=1.8)
    >>> ratio.low > 1
    True
    """

    value: float
    low: float
    high: float


def ratio(first: Array, second: Array) -> Ratio:
    """Compare errors of paired seeds, shape (seeds,).

    Examples
    --------
    >>> found = ratio(np.array([2.0, 2.2, 1.8]), np.ones(3))
    >>> round(found.value, 2), found.low < 2 < found.high
    (1.99, True)
    """
    logs = np.log(first / second)
    half = float(stdtrit(logs.size - 1, 0.975) * logs.std(ddof=1) / math.sqrt(logs.size))
    mean = float(logs.mean())
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def _ridge_fit(F: Array, Y: Array, G: Array) -> Array:
    """Fit every column of Y by ridge regression with generalised cross-validation; predict at G."""
    centre, mean = F.mean(axis=0), Y.mean(axis=0)
    scale = np.maximum((F - centre).std(axis=0), 1e-12)
    U, s, W = np.linalg.svd((F - centre) / scale / math.sqrt(len(F)), full_matrices=False)
    inside = U.T @ (Y - mean)
    outside = np.sum((Y - mean) ** 2, axis=0) - np.sum(inside**2, axis=0)
    predicted = np.empty((len(G), Y.shape[1]))
    shrink = s**2 / (s**2 + _RIDGES[:, None] * s[0] ** 2)
    for j in range(Y.shape[1]):
        residual = outside[j] + np.sum(((1 - shrink) * inside[:, j]) ** 2, axis=1)
        score = residual / np.maximum(len(F) - 1 - shrink.sum(axis=1), 1.0) ** 2
        best = shrink[int(np.argmin(score))]
        weights = W.T @ (best * inside[:, j] / np.maximum(s, 1e-300)) / math.sqrt(len(F))
        predicted[:, j] = mean[j] + (G - centre) / scale @ weights
    return predicted


def fit_errors(
    X: Array,
    y: Array,
    plans: Mapping[str, float],
    lam: float,
    *,
    m: int = 128,
    seeds: int = 8,
    seed: int = 0,
) -> Array:
    r"""Fit the labels and a smooth function with no, some and only leverage-sampled neurons.

    Parameters
    ----------
    X, y : ndarray
        Points (n, d) and labels (n,).
    plans : mapping of str to float
        Trained proportion P by initialisation, a name of `kernelspec.empirical.named_laws`:
        round(P m) neurons are drawn by leverage, the others from the initialisation.
    lam : float
        Ridge of the leverage.
    m, seeds, seed : int
        Width, number of seeds, and the first of them.

    Returns
    -------
    ndarray
        Mean squared error at held-out points over their variance, shape (2, plans, 3, seeds):
        labels, then f = sum_i s_i K(., z_i) with ten of the points z_i and random signs s_i, which
        is in the RKHS and has no noise; for P = 0, the plan's P, and P = 1.

    Examples
    --------
    With more leverage-sampled neurons the errors fall here for the smooth function, not for labels:

    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 3))
    >>> errors = fit_errors(X, np.abs(X[:, 0]), {"he": 0.5}, 1e-2, m=16, seeds=4)
    >>> errors.shape
    (2, 1, 3, 4)
    >>> labels, smooth = errors.mean(axis=-1)[:, 0]
    >>> labels.round(3), smooth.round(3)
    (array([0.054, 0.183, 0.15 ]), array([0.021, 0.015, 0.012]))
    """
    errors = np.empty((2, len(plans), 3, seeds))
    for i, child in enumerate(np.random.SeedSequence(seed).spawn(seeds)):
        rng = np.random.default_rng(child)
        order = rng.permutation(len(X))[:_MOST]
        points, labels = X[order], y[order]
        centres = points[rng.permutation(len(points))[:_CENTRES]]
        smooth = relu_kernel(points, centres) @ rng.choice([-1.0, 1.0], _CENTRES)
        targets = np.column_stack([labels, smooth])
        train = int(_TRAIN * len(points))
        variance = targets[train:].var(axis=0)

        def held_out(
            V: Array,
            points: Array = points,
            targets: Array = targets,
            train: int = train,
            variance: Array = variance,
        ) -> Array:
            F = features(points, V, "relu")
            found = _ridge_fit(F[:train], targets[:train], F[train:])
            return np.asarray(np.mean((targets[train:] - found) ** 2, axis=0) / variance)

        pool = named_law(TARGET, X.shape[1]).sample(_POOL, rng)
        leverage = pool_spectrum(features(points[:train], pool, "relu")).leverage(lam)
        trained = pool[leverage_sample(leverage, m, rng).index]
        errors[:, :, 2, i] = held_out(trained)[:, None]
        for j, (initial, P) in enumerate(plans.items()):
            fixed = named_law(initial, X.shape[1]).sample(m, rng)
            count = round(P * m)
            errors[:, j, 0, i] = held_out(fixed)
            errors[:, j, 1, i] = held_out(np.concatenate([trained[:count], fixed[count:]]))
    return errors

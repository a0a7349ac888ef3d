r"""Leverage of neurons outside the pool, and a search among them for a larger ratio.

For any neuron v, with c = U^T phi_v/sqrt(n) over the eigenvectors of K that the pool resolves and
lambda alone acting beyond them,

.. math:: \ell(v) = \sum_k \frac{c_k^2}{s_k + \lambda}
          + \frac1\lambda \Bigl(\tfrac1n|\varphi_v|^2 - \sum_k c_k^2\Bigr).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.empirical.activations import Activation
from kernelspec.empirical.spectrum import PoolSpectrum

__all__ = ["Basis", "basis", "outside_leverage", "search"]

Array = NDArray[np.float64]

_NEGLIGIBLE: Final = 1e-3  # of the ridge: eigenvalues below count as zero
_RESOLVED: Final = 1e-10  # of the largest eigenvalue: below, eigenvectors are noise
_STARTS: Final = 8
_TRIES: Final = 16
_ROUNDS: Final = 12


@dataclass(frozen=True)
class Basis:
    """Eigenvectors of K over all points, shape (n, m), and their eigenvalues, shape (m,).

    Examples
    --------
    >>> Basis(np.eye(3)[:, :2], np.array([1.0, 0.25])).vectors.shape
    (3, 2)
    """

    vectors: Array
    eigenvalues: Array


def basis(spectrum: PoolSpectrum, F: Array, lam: float) -> Basis:
    """Eigenvectors of K whose eigenvalues count at ridges >= lam.

    Examples
    --------
    >>> from kernelspec.empirical.spectrum import pool_spectrum
    >>> F = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> basis(pool_spectrum(F), F, 0.1).eigenvalues.round(12)
    array([1.  , 0.25])
    """
    s = spectrum.eigenvalues
    kept = s > max(_NEGLIGIBLE * lam, _RESOLVED * s[0])
    scale = s[kept] * np.sqrt(len(F))
    vectors = F @ ((spectrum.coordinates[kept] * spectrum.weights).T / scale)
    return Basis(vectors, s[kept])


def outside_leverage(found: Basis, phi: Array, lam: float) -> Array:
    """Leverage of neurons with features phi (n, k), shape (k,).

    Examples
    --------
    A neuron of the same feature as one of two in the pool:

    >>> from kernelspec.empirical.spectrum import pool_spectrum
    >>> F = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> found = basis(pool_spectrum(F), F, 0.25)
    >>> outside_leverage(found, F[:, :1], 0.25).round(12)
    array([1.])
    """
    squares = (found.vectors.T @ phi) ** 2 / len(phi)
    rest = np.mean(phi**2, axis=0) - squares.sum(axis=0)
    # a square, negative by rounding alone
    return np.asarray((1 / (found.eigenvalues + lam)) @ squares + np.maximum(rest, 0.0) / lam)


def search(
    X: Array,
    f: Activation,
    found: Basis,
    lam: float,
    starts: Array,
    log_density: Callable[[Array], Array],
    project: bool,
    rng: np.random.Generator,
) -> tuple[float, Array]:
    """Climb from some neurons towards a larger log(l(v)/q(v)); return the best and its neuron.

    Each start tries 16 steps at random a round, moves to the best of them where it gains, and
    halves its steps where none does. `project` keeps neurons on the unit sphere.

    Examples
    --------
    From four neurons to one of larger leverage than any of them:

    >>> from kernelspec import Uniform, uniform_sphere
    >>> from kernelspec.empirical import activation, features, pool_spectrum
    >>> X, V = uniform_sphere(3, 60, 0), Uniform(3).sample(80, 1)
    >>> F = features(X, V, "relu")
    >>> resolved = basis(pool_spectrum(F), F, 0.01)
    >>> before = float(outside_leverage(resolved, F[:, :4], 0.01).max())
    >>> flat = (lambda V: np.zeros(len(V)), True, np.random.default_rng(0))
    >>> best, neuron = search(X, activation("relu"), resolved, 0.01, V[:4], *flat)
    >>> round(before, 3), round(float(np.exp(best)), 3), round(float(np.linalg.norm(neuron)), 12)
    (9.07, 11.65, 1.0)
    """
    current = starts[:_STARTS].copy()
    count, width = current.shape

    def value(V: Array) -> Array:
        phi = np.asarray(f.function(X @ V[:, :-1].T + V[:, -1]), dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = np.log(outside_leverage(found, phi, lam)) - log_density(V)
        # neurons the target never has do not count
        return np.where(np.isnan(result), -np.inf, result)

    free = np.ptp(starts, axis=0) > 0  # a law without bias keeps it that way
    best = value(current)
    step = np.full(count, 0.3)
    for _ in range(_ROUNDS):
        length = np.linalg.norm(current, axis=1) * step / np.sqrt(width)
        noise = rng.standard_normal((_TRIES, count, width)) * length[:, None] * free
        trial = (current + noise).reshape(-1, width)
        if project:
            trial /= np.linalg.norm(trial, axis=1)[:, None]
        gained = value(trial).reshape(_TRIES, count)
        top = gained.argmax(axis=0)
        better = gained[top, np.arange(count)] > best
        current[better] = trial.reshape(_TRIES, count, width)[top[better], np.flatnonzero(better)]
        best[better] = gained[top[better], np.flatnonzero(better)]
        step = np.where(better, step, step / 2)
    first = int(best.argmax())
    return float(best[first]), current[first]

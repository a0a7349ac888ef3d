r"""Neurons of a trained network, held against a target law.

Nobody knows the density q of trained neurons with respect to the target law. But the mismatch is
the essential supremum of the leverage law over q, so that for every set A of neurons

.. math:: \kappa(q) \ge \frac{E_\pi[\ell\,1_A]}{N\, q(A)},

and q(A) can be counted. The sets {l/N > t} are tried for a few t fixed by the pool alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.empirical.activations import Activation, checked_pair, features
from kernelspec.empirical.named import prepared
from kernelspec.empirical.neurons import NeuronLaw
from kernelspec.empirical.search import Basis, basis, outside_leverage
from kernelspec.empirical.spectrum import pool_spectrum
from kernelspec.laws import Law
from kernelspec.laws.base import Seed, generator

__all__ = ["NetworkLeverage", "network_leverage", "neurons_of"]

Array = NDArray[np.float64]

_LEVELS: Final = (0.5, 0.75, 0.9, 0.97, 0.99)  # quantiles of the leverage law that are tried
_BLOCK: Final = 1 << 24


@dataclass(frozen=True)
class NetworkLeverage:
    """Leverage of a network's neurons under a target law.

    Attributes
    ----------
    ratio : ndarray
        l/N of the network's neurons, shape (m,): the density of leverage sampling there.
    pool_ratio : ndarray
        l/N of neurons drawn from the target law, shape (M,), each as if it were no part of the
        pool; its mean is near 1.
    dof : float
        N(lambda) on the pool.
    lam : float
        The ridge.
    mismatch_low : float
        Lower limit, at 95 %, of the mismatch of whatever law the neurons come from, if they
        are independent draws from it; inf is never claimed.
    level : float
        The t whose set {l/N > t} gives that limit; NaN where no set gives more than 1.
    share_wanted, share_seen : float
        Share of that set under leverage sampling and among the network's neurons.

    Examples
    --------
    >>> from kernelspec import Uniform, uniform_sphere
    >>> V = Uniform(3).sample(100, 1)
    >>> (row,) = network_leverage(uniform_sphere(3, 300, 0), V, Uniform(3), 0.05, neurons=300)
    >>> row.ratio.shape, row.mismatch_low < 4  # the exact mismatch is below 4
    ((100,), True)
    """

    ratio: Array
    pool_ratio: Array
    dof: float
    lam: float
    mismatch_low: float
    level: float
    share_wanted: float
    share_seen: float


def neurons_of(weight: ArrayLike, bias: ArrayLike | None = None, *, d: int | None = None) -> Array:
    """Return the neurons (w, b) of a layer from its arrays.

    Parameters
    ----------
    weight : array_like
        (m, d), a row a neuron, as torch keeps it; or, where `d` is given and only the first
        dimension equals it, (d, m), as flax and keras do.
    bias : array_like, optional
        (m,); zero by default.
    d : int, optional
        Number of inputs.

    Returns
    -------
    ndarray
        Shape (m, d + 1), last column the bias.

    Raises
    ------
    ValueError, TypeError
        If the shapes do not fit or an entry is not finite.

    Examples
    --------
    >>> neurons_of([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0.1, 0.2, 0.3], d=2)[1]
    array([3. , 4. , 0.2])
    """
    W = _checks.matrix("weight", weight, np.shape(weight)[1] if np.ndim(weight) == 2 else 1)
    if d is not None and W.shape[1] != d:
        if W.shape[0] != d:
            raise ValueError(
                f"weight of shape {W.shape} is not allowed: (m, {d}) or ({d}, m), for inputs of "
                f"dimension {d}"
            )
        W = W.T
    b = np.zeros(len(W)) if bias is None else _checks.real_array("bias", bias, -np.inf, np.inf)
    if b.size != len(W) or not np.all(np.isfinite(b)):
        raise ValueError(
            f"bias of shape {b.shape} is not allowed: finite numbers, one a neuron, ({len(W)},)"
        )
    return np.column_stack([W, b.ravel()])


def network_leverage(
    X: ArrayLike,
    V: ArrayLike,
    target: NeuronLaw | Law | str,
    lam: ArrayLike,
    *,
    activation: str | Callable[[Array], Array] | Activation = "relu",
    neurons: int = 4096,
    rng: Seed = 0,
) -> tuple[NetworkLeverage, ...]:
    """Measure where a network's neurons lie in the leverage of a target law.

    Parameters
    ----------
    X : array_like
        Points, shape (n, d).
    V : array_like
        Neurons of the network, shape (m, d + 1), see `neurons_of`. For homogeneous activations and
        a target on the sphere they are scaled to norm 1; those that vanish are left out.
    target : NeuronLaw, Law or str
        pi, see `empirical_mismatch`.
    lam : array_like
        One or several ridges > 0, shape () or (L,).
    activation, neurons, rng
        See `empirical_mismatch`; `neurons` is the size of the pool from the target law.

    Returns
    -------
    tuple of NetworkLeverage
        One a ridge: relative leverage of the network's neurons and of the target's, and what this
        says about the mismatch of the law they come from.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.
    MemoryError
        If the pool does not fit into memory.

    Notes
    -----
    Leverage outside the pool counts what the pool does not resolve in full (see
    `kernelspec.empirical.search`): with M neurons it is too large by a share of the order of
    N/M. Where N is not small against M, take a larger pool.

    Examples
    --------
    >>> from kernelspec import GaussianInit, Uniform, uniform_sphere
    >>> V = GaussianInit(3, 10.0).sample(2000, 1)
    >>> (row,) = network_leverage(uniform_sphere(3, 500, 0), V, Uniform(3), 0.05, neurons=500)
    >>> round(row.mismatch_low, 1)  # the exact mismatch is 12.96
    3.5
    """
    ridge = np.atleast_1d(_checks.positive_array("lam", lam))
    if ridge.ndim != 1 or ridge.size == 0:
        raise ValueError(f"lam of shape {ridge.shape} is not allowed: () or (L,), L >= 1")
    points, own, f = checked_pair(X, V, activation)
    n, d = points.shape
    pi = prepared(target, d, f, "target")
    if f.degree is not None and pi.base == "sphere":
        norm = np.linalg.norm(own, axis=1)
        own = own[norm > 0] / norm[norm > 0][:, None]
    if len(own) == 0:
        raise ValueError("V is not allowed: at least one neuron that does not vanish")
    M = _checks.count("neurons", neurons, 2)
    require_memory(8.0 * 3 * n * M, f"{M} neurons at {n} points", advice="take fewer of either")
    F = features(points, pi.sample(M, generator(rng)), f)
    spectrum = pool_spectrum(F, smallest=float(ridge.min()))
    if not spectrum.eigenvalues[0] > 0:
        raise ValueError("X is not allowed: no neuron of the pool is active at any point")
    found = basis(spectrum, F, float(ridge.min()))
    step = max(1, _BLOCK // n)
    outside = np.concatenate(
        [
            _each_ridge(found, features(points, own[i : i + step], f), ridge)
            for i in range(0, len(own), step)
        ],
        axis=1,
    )
    rows = []
    for value, leverage in zip(ridge, outside, strict=True):
        dof = float(spectrum.degrees_of_freedom(value))
        inside = spectrum.leverage(value)
        # the pool's own neurons as if they were outside it, so that both are measured alike
        pool_ratio = inside / np.maximum(1 - inside / M, 1 / M) / dof
        limit = _lower_limit(leverage / dof, pool_ratio)
        rows.append(NetworkLeverage(leverage / dof, pool_ratio, dof, float(value), *limit))
    return tuple(rows)


def _each_ridge(found: Basis, phi: Array, ridge: Array) -> Array:
    return np.stack([outside_leverage(found, phi, float(lam)) for lam in ridge])


def _lower_limit(ratio: Array, pool_ratio: Array) -> tuple[float, float, float, float]:
    """Return the largest P(A)/q(A), q(A) at its upper confidence limit, over level sets A."""
    order = np.sort(pool_ratio)
    mass = np.cumsum(order) / order.sum()
    best = (1.0, float("nan"), 1.0, 1.0)
    for quantile in (0.0, *_LEVELS):
        t = float(order[min(int(np.searchsorted(mass, quantile)), len(order) - 1)])
        for above in (True, False):
            wanted = float(np.sum(pool_ratio[(pool_ratio > t) == above]) / pool_ratio.sum())
            seen = int(np.sum((ratio > t) == above))
            chance = 1 - 0.05 / (2 * len(_LEVELS) + 2)
            limit = float(beta.ppf(chance, seen + 1, len(ratio) - seen)) if seen < len(ratio) else 1
            if wanted / limit > best[0]:
                best = (wanted / limit, t, wanted, seen / len(ratio))
    return best

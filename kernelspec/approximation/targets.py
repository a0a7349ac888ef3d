r"""Targets to approximate: sums of zonal functions, whose projection errors are known exactly.

Each is :math:`f(x) = \sum_i \sum_k \sqrt{N_k}\, f_{ik}\, P_k(x_i\cdot x)` with centres x_i on the
sphere; it can be called on inputs like any other target.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec.features import BiasedReLU
from kernelspec.sphere import coordinate_quadrature, gegenbauer, multiplicity, uniform_sphere

__all__ = ["Harmonic", "KernelExpansion", "RidgeFunction", "ZonalTarget", "random_kernel_expansion"]

Array = NDArray[np.float64]

_TAIL: Final = 1e-24  # share of the squared L2 norm that a kernel expansion may cut off
_MAX_DEGREE: Final = 4000


@runtime_checkable
class ZonalTarget(Protocol):
    """What `projection_error` needs to know of a target.

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> isinstance(KernelExpansion(BiasedReLU(3), [[0.0, 0.0, 1.0]], [1.0]), ZonalTarget)
    True
    >>> isinstance(lambda X: X[:, 0], ZonalTarget)
    False
    """

    @property
    def centres(self) -> Array:
        """Centres x_i, shape (q, d), unit rows."""
        ...

    def amplitudes(self) -> Array:
        """f_ik, shape (K + 1, q); degrees beyond K are absent or negligible."""
        ...

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate at inputs X, shape (n, d)."""
        ...


def _directions(name: str, value: ArrayLike, d: int) -> Array:
    """Check points and scale them to unit norm."""
    rows = _checks.matrix(name, value, d)
    norm = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    if np.any(norm == 0):
        raise ValueError(f"{name} = {value!r} is not allowed: no row may be 0")
    return np.asarray(rows / norm[:, None])


@dataclass(frozen=True)
class KernelExpansion:
    r"""A function of unit RKHS norm, f = sum_i c_i K(x_i, .), scaled.

    Parameters
    ----------
    model : BiasedReLU
        The feature family, which knows the kernel.
    points : array_like, shape (q, d)
        Centres; rows are scaled to unit norm.
    weights : array_like, shape (q,)
        c_i; they are scaled by :math:`(c^T K c)^{-1/2}`.

    Raises
    ------
    ValueError
        If shapes do not fit or the expansion is 0.

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> f = KernelExpansion(BiasedReLU(3), [[0.0, 0.0, 1.0]], [2.0])
    >>> float(f([[0.0, 0.0, 1.0]])[0]) == float(BiasedReLU(3).kernel(1.0)) ** 0.5
    True
    """

    model: BiasedReLU
    points: ArrayLike
    weights: ArrayLike
    centres: Array = field(init=False, repr=False)
    scaled: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        centres = _directions("points", self.points, self.model.d)
        weights = _checks.real_array("weights", self.weights, -math.inf, math.inf)
        if weights.shape != centres.shape[:1] or not np.all(np.isfinite(weights)):
            raise ValueError(
                f"weights of shape {weights.shape} are not allowed: finite numbers of shape "
                f"{centres.shape[:1]}, one a point"
            )
        squared = float(weights @ self.model.kernel(_cosines(centres, centres)) @ weights)
        if not squared > 0:
            raise ValueError(f"weights = {self.weights!r} are not allowed: the expansion is 0")
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "scaled", weights / math.sqrt(squared))

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate at inputs X, shape (n, d)."""
        X = _checks.matrix("X", X, self.model.d)
        return np.asarray(self.model.kernel(_cosines(X, self.centres)) @ self.scaled)

    def amplitudes(self) -> Array:
        """f_ik = c_i sqrt(N_k) mu_k, up to the degree beyond which nothing is left."""
        K = 64
        while True:
            root = np.sqrt(multiplicity(self.model.d, np.arange(K + 1)))
            amplitude = root * self.model.eigenvalues(K)
            rest = float(amplitude[-1] ** 2 * K)  # the terms fall faster than k^-6
            if rest <= _TAIL * float(amplitude @ amplitude) or K >= _MAX_DEGREE:
                return np.outer(amplitude, self.scaled)
            K *= 2


def random_kernel_expansion(
    model: BiasedReLU, size: int, rng: int | np.random.Generator
) -> KernelExpansion:
    """Draw a kernel expansion with uniform centres and standard normal weights, of unit RKHS norm.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    size : int
        Number of centres, >= 1.
    rng : int or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    KernelExpansion
        The target.

    Raises
    ------
    ValueError
        If `size` is out of range.

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> random_kernel_expansion(BiasedReLU(3), 5, rng=0).centres.shape
    (5, 3)
    """
    size = _checks.count("size", size)
    generator = np.random.default_rng(rng)
    points = uniform_sphere(model.d, size, generator)
    return KernelExpansion(model, points, generator.standard_normal(size))


@dataclass(frozen=True)
class Harmonic:
    r"""A single harmonic, zonal, of unit L2 norm: :math:`\sqrt{N_k} P_k(u\cdot x)`.

    Its RKHS norm is :math:`\mu_k^{-1/2}`.

    Parameters
    ----------
    degree : int
        k >= 0.
    direction : array_like, shape (d,)
        u, scaled to unit norm.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> float(round(Harmonic(2, [0.0, 0.0, 3.0])([[0.0, 0.0, 1.0]])[0] ** 2, 12))
    5.0
    """

    degree: int
    direction: ArrayLike
    centres: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _checks.count("degree", self.degree, 0)
        object.__setattr__(self, "centres", _one_direction(self.direction))

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate at inputs X, shape (n, d)."""
        d = self.centres.shape[1]
        t = _cosines(_checks.matrix("X", X, d), self.centres)[:, 0]
        root = math.sqrt(float(multiplicity(d, self.degree)))
        return np.asarray(root * gegenbauer(d, self.degree, t)[self.degree])

    def amplitudes(self) -> Array:
        """1 at its own degree."""
        rows = np.zeros((self.degree + 1, 1))
        rows[-1] = 1.0
        return rows


@dataclass(frozen=True)
class RidgeFunction:
    r"""A ridge function g(u.x).

    Parameters
    ----------
    direction : array_like, shape (d,)
        u, scaled to unit norm.
    profile : callable
        g, from arrays in [-1, 1] to arrays of the same shape.
    max_degree : int, default 64
        Degree up to which `projection_error` expands g; enough only if g is smooth.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> f = RidgeFunction([1.0, 0.0], np.exp)
    >>> float(f([[0.0, 1.0]])[0])
    1.0
    """

    direction: ArrayLike
    profile: Callable[[Array], Array]
    max_degree: int = 64
    centres: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _checks.count("max_degree", self.max_degree, 0)
        object.__setattr__(self, "centres", _one_direction(self.direction))

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate at inputs X, shape (n, d)."""
        X = _checks.matrix("X", X, self.centres.shape[1])
        return np.asarray(self.profile(_cosines(X, self.centres)[:, 0]), dtype=np.float64)

    def amplitudes(self) -> Array:
        """sqrt(N_k) E[g(t) P_k(t)] by a Gauss rule."""
        d = self.centres.shape[1]
        nodes, weights = coordinate_quadrature(d, 2 * self.max_degree + 32)
        means = gegenbauer(d, self.max_degree, nodes) @ (weights * self.profile(nodes))
        return np.asarray(np.sqrt(multiplicity(d, np.arange(self.max_degree + 1))) * means)[:, None]


def _one_direction(value: ArrayLike) -> Array:
    row = np.asarray(value, dtype=np.float64)
    if row.ndim != 1 or row.size < 2:
        raise ValueError(f"direction of shape {row.shape} is not allowed: shape (d,), d >= 2")
    return _directions("direction", row[None, :], row.size)


def _cosines(X: Array, centres: Array) -> Array:
    return np.clip(X @ centres.T, -1.0, 1.0)

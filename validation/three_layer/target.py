r"""Targets: sums of r ridge functions, whose harmonics are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec.sphere import coordinate_quadrature, gegenbauer, multiplicity, uniform_sphere
from validation.three_layer.block import unit_directions

__all__ = ["RidgeSum", "Wave", "wave_target"]

Array = NDArray[np.float64]

MAX_FREQUENCY = 6.0


@dataclass(frozen=True)
class Wave:
    r"""A profile :math:`G(s) = c\,(\sin(\omega s + \varphi) - \mathrm{mean})` of unit variance.

    The argument is standardised, :math:`s = \sqrt d\, u\cdot x`, with x uniform on the sphere.

    Parameters
    ----------
    d : int
        Ambient dimension.
    frequency : float
        omega, in (0, 6].
    phase : float
        phi.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> wave = Wave(d=10, frequency=2.0, phase=0.0)
    >>> round(wave.curvature, 3), round(wave.mean_square_curvature, 3)
    (5.667, 16.0)
    """

    d: int
    frequency: float
    phase: float

    def __post_init__(self) -> None:
        _checks.dimension(self.d)
        frequency_in_range(self.frequency)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """Mean and scale c."""
        wave, weights = self._sampled
        mean = float(weights @ wave)
        return mean, float(1 / np.sqrt(weights @ (wave - mean) ** 2))

    @property
    def _sampled(self) -> tuple[Array, Array]:
        nodes, weights = coordinate_quadrature(self.d, 256)
        return np.sin(self.frequency * math.sqrt(self.d) * nodes + self.phase), weights

    def __call__(self, s: ArrayLike) -> Array:
        """G(s)."""
        mean, scale = self._moments
        argument = self.frequency * np.asarray(s, dtype=np.float64) + self.phase
        return np.asarray(scale * (np.sin(argument) - mean))

    @property
    def curvature(self) -> float:
        """Largest |G''| at most: c omega^2."""
        return self._moments[1] * self.frequency**2

    @property
    def mean_square_curvature(self) -> float:
        """E G''(s)^2."""
        wave, weights = self._sampled
        return self.curvature**2 * float(weights @ wave**2)


@dataclass(frozen=True)
class RidgeSum:
    r"""f(x) = sum_i G_i(sqrt(d) u_i.x): a target whose projection errors are known exactly.

    It is a `kernelspec.approximation.ZonalTarget`.

    Parameters
    ----------
    directions : array_like, shape (r, d)
        u_i, scaled to unit norm.
    profiles : sequence of Wave
        G_i, one a direction.

    Raises
    ------
    ValueError
        If their numbers or dimensions differ, or a direction is 0.

    Examples
    --------
    >>> f = RidgeSum([[1.0, 0.0, 0.0]], [Wave(3, 1.0, 0.0)])
    >>> round(f.squared_norm, 12)
    1.0
    """

    directions: ArrayLike
    profiles: Sequence[Wave]
    centres: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.profiles:
            raise ValueError("profiles = [] is not allowed: at least one profile")
        U = unit_directions(self.directions, self.profiles[0].d)
        if len(self.profiles) != U.shape[0] or any(G.d != U.shape[1] for G in self.profiles):
            raise ValueError(
                f"{len(self.profiles)} profiles for directions of shape {U.shape} are not allowed: "
                "one profile of the same d for each direction"
            )
        object.__setattr__(self, "centres", U)

    @property
    def d(self) -> int:
        """Ambient dimension."""
        return int(self.centres.shape[1])

    @property
    def r(self) -> int:
        """Number of ridges."""
        return int(self.centres.shape[0])

    def __call__(self, X: ArrayLike) -> Array:
        """Evaluate at inputs X, shape (n, d)."""
        s = math.sqrt(self.d) * (_checks.matrix("X", X, self.d) @ self.centres.T)
        return np.asarray(sum(G(s[:, i]) for i, G in enumerate(self.profiles)))

    def amplitudes(self) -> Array:
        """sqrt(N_k) E[G_i P_k], shape (K + 1, r); what lies beyond K is below 1e-16."""
        return self._amplitudes

    @cached_property
    def _amplitudes(self) -> Array:
        top = max(G.frequency for G in self.profiles)
        K = math.ceil(top**2 + 12 * top + 24)
        nodes, weights = coordinate_quadrature(self.d, 2 * K + 32)
        values = np.array([G(math.sqrt(self.d) * nodes) for G in self.profiles])
        means = gegenbauer(self.d, K, nodes) @ (weights * values).T
        return np.asarray(np.sqrt(multiplicity(self.d, np.arange(K + 1)))[:, None] * means)

    @cached_property
    def energies(self) -> Array:
        """Squared norm of each degree's part, shape (K + 1,): g_k' P_k(U U') g_k."""
        g = self.amplitudes()
        gram = gegenbauer(self.d, len(g) - 1, np.clip(self.centres @ self.centres.T, -1, 1))
        return np.asarray(np.einsum("ki,kij,kj->k", g, gram, g))

    @property
    def squared_norm(self) -> float:
        """E f(x)^2."""
        return float(self.energies.sum())


def wave_target(
    d: int, r: int, frequency: float, rng: int | np.random.SeedSequence | np.random.Generator
) -> RidgeSum:
    r"""Draw r independent uniform directions; the phases are pi i/r, so that profiles differ.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 3.
    r : int
        Number of ridges, 1 <= r < d.
    frequency : float
        omega of every wave, in (0, 6].
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator of the directions.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> f = wave_target(10, 4, 2.0, rng=0)
    >>> f.r, f.d, f(f.centres).shape
    (4, 10, (4,))
    """
    d = _checks.integer("d", d, 3, _checks.MAX_DIMENSION)
    r = _checks.integer("r", r, 1, d - 1)
    frequency = frequency_in_range(frequency)
    directions = uniform_sphere(d, r, np.random.default_rng(rng))
    return RidgeSum(directions, [Wave(d, frequency, math.pi * i / r) for i in range(r)])


def frequency_in_range(value: float) -> float:
    """Check omega: waves up to it are resolved by the degrees that are kept."""
    number = _checks.positive("frequency", value)
    if number > MAX_FREQUENCY:
        raise ValueError(
            f"frequency = {value!r} is not allowed: a number in (0, {MAX_FREQUENCY:g}]"
        )
    return number

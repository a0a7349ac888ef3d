r"""The edge of the deterministic equivalent.

It is the largest z for which a solution delta > 0 exists of

.. math:: \delta_i = \rho_i + \sum_j \frac{g_{ij}}{D_j}, \qquad
          D_j = 1 - z\mu_j + \sum_i n_i \frac{g_{ij}}{N_j\,\delta_i} > 0.

i runs over heights of neurons (n_i of them), j over degrees or blocks of degrees (N_j harmonics of
eigenvalue mu_j); g_ij is the energy of a neuron in block j, rho_i what it has beyond the last one.

With u = 1/delta each equation asks that u_i not exceed 1/(rho_i + sum_j g_ij/D_j), a concave
function of (u, z). The edge maximises z over a convex set, so there is one, and a local maximum is
the maximum. It is found along the curve of solutions, one for each value s of the mean of delta:
with s fixed, the fixed-point iteration contracts fast, also where with z fixed it would stall.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

__all__ = ["Edge", "System", "find_edge"]

Array = NDArray[np.float64]

_SETTLED: Final = 1e-9
_MOST_STEPS: Final = 20_000
_SCALE_TOLERANCE: Final = 1e-4  # z is stationary in the scale: this leaves about 1e-8 in z


@dataclass(frozen=True)
class System:
    """Energies of the neurons in the blocks of degrees.

    Attributes
    ----------
    mu, multiplicity : ndarray
        Shape (blocks,). mu falls.
    energy : ndarray
        g, shape (blocks, heights); with `rest` each column sums to 1.
    rest : ndarray
        rho, shape (heights,).
    count : ndarray
        n, shape (heights,), > 0; need not be whole.
    seen : ndarray of bool
        Which of the neurons asked for these are: those without a norm or a number are left out.
    """

    mu: Array
    multiplicity: Array
    energy: Array
    rest: Array
    count: Array
    seen: NDArray[np.bool_]

    def loads(self, delta: Array) -> Array:
        """sum_i n_i g_ij/(N_j delta_i), shape (blocks,)."""
        return np.asarray((self.energy @ (self.count / delta)) / self.multiplicity)


@dataclass(frozen=True)
class Edge:
    """The largest z, its delta, and dz/dn_i.

    Attributes
    ----------
    z : float
        The edge.
    delta : ndarray
        Shape (heights,).
    gain : ndarray
        dz/dn_i, shape (heights,): what one more neuron of height i adds.
    """

    z: float
    delta: Array
    gain: Array


def _settle(system: System, s: float, delta: Array) -> tuple[float, Array]:
    """Solve for z and delta with mean s, mean over the neurons."""
    share = system.count / system.count.sum()
    mean_energy, mean_rest = system.energy @ share, float(system.rest @ share)
    z = -math.inf
    for _ in range(_MOST_STEPS):
        delta = delta * (s / float(share @ delta))
        base = 1 + system.loads(delta)
        z = _root(mean_energy, system.mu, base, s - mean_rest)
        new = system.rest + (1 / (base - z * system.mu)) @ system.energy
        change = float(np.max(np.abs(new / delta - 1)))
        delta = new
        if change < _SETTLED:
            return z, delta
    raise ArithmeticError(f"the fixed point at scale {s!r} did not settle: change {change!r}")


def _root(energy: Array, mu: Array, base: Array, target: float) -> float:
    """Solve sum_j energy_j/(base_j - z mu_j) = target > 0 below the first pole; it grows with z."""

    def excess(z: float) -> float:
        return float(np.sum(energy / (base - z * mu))) - target

    pole = float(np.min(base / mu))
    gap = pole
    while excess(pole - gap) > 0:
        gap *= 4.0
    high = pole * (1 - 1e-15)
    return float(brentq(excess, pole - gap, high, xtol=1e-300, rtol=1e-14))


def _peak(value: Callable[[float], float], start: float) -> float:
    """Return the place of the maximum of a unimodal function."""
    places = [start - 1.0, start, start + 1.0]
    values = [value(x) for x in places]
    while values[1] < max(values[0], values[2]):
        if values[0] > values[2]:
            places = [places[0] - 1.0, *places[:2]]
            values = [value(places[0]), *values[:2]]
        else:
            places = [*places[1:], places[2] + 1.0]
            values = [*values[1:], value(places[2])]
    found = minimize_scalar(
        lambda x: -value(x),
        bounds=(places[0], places[2]),
        method="bounded",
        options={"xatol": _SCALE_TOLERANCE},
    )
    return float(found.x)


def find_edge(system: System) -> Edge:
    """Find the edge; 1/mu_0 where there are too few neurons to move it."""
    if float(system.count.sum()) <= system.multiplicity[0]:
        heights = system.count.size
        return Edge(1 / float(system.mu[0]), np.full(heights, math.inf), np.zeros(heights))
    share = system.count / system.count.sum()
    least = float(system.rest @ share)
    delta = np.ones(system.count.size)

    def value(log_s: float) -> float:
        nonlocal delta
        s = math.exp(log_s)
        if s <= least * (1 + 1e-9):
            return -math.inf  # delta never falls below rho
        z, delta = _settle(system, s, delta)
        return z

    scale = math.exp(_peak(value, 0.0))
    z, delta = _settle(system, scale, delta)
    return Edge(z, delta, _gain(system, z, delta))


def _gain(system: System, z: float, delta: Array) -> Array:
    """Differentiate z with respect to the counts, by the null vector of the linearised equations.

    At the edge the Jacobian has a positive left null vector n_i/delta_i G_i, where
    G_i = sum_j A_j g_ij/(N_j delta_i) and A_j = sum_i (n_i/delta_i) G_i g_ij/D_j^2; then
    dz/dn_i = G_i/sum_j A_j mu_j.
    """
    D = 1 + system.loads(delta) - z * system.mu
    ratio = system.count / delta
    G = np.ones_like(delta)
    for _ in range(_MOST_STEPS):
        A = (system.energy @ (ratio * G)) / D**2
        new = (A / system.multiplicity) @ system.energy / delta
        new /= float(new.max())
        change = float(np.max(np.abs(new - G)))
        G = new
        if change < 1e-10:
            break
    A = (system.energy @ (ratio * G)) / D**2
    return np.asarray((A / system.multiplicity) @ system.energy / delta / float(A @ system.mu))

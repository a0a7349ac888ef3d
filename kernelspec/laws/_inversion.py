"""Sampling a density on an interval by inverting its distribution function.

The density is interpolated by Chebyshev pieces; each is cut into cells, short enough for a
polynomial of low degree in powers of the local coordinate to reproduce it to rounding. The
distribution function of a cell is then a polynomial too, and Newton's method solves it to rounding:
samples follow the interpolated density itself, with no second error from the inversion.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from kernelspec.laws._chebyshev import NODES, interpolate

__all__ = ["Inverse"]

_CELLS = 16  # cells a piece
_DEGREE = 7  # of the density in a cell
_CHUNK = 1 << 13  # draws solved at once: their work space stays in the processor's cache
_STEP = 1e-6  # Newton converges quadratically: after a relative step this small, only rounding
_MOST_STEPS = 100


def _cell_matrices() -> NDArray[np.float64]:
    """Map from a piece's coefficients to each cell's powers: (_CELLS, _DEGREE + 1, NODES)."""
    nodes = np.cos((np.arange(_DEGREE + 1) + 0.5) * (np.pi / (_DEGREE + 1)))
    to_powers = np.linalg.inv(np.vander(nodes, increasing=True))
    centres = (2 * np.arange(_CELLS) + 1) / _CELLS - 1
    points = centres[:, None] + nodes / _CELLS
    return np.asarray(to_powers @ chebyshev.chebvander(points, NODES - 1))


class Inverse:
    """The inverse of the distribution function of a density on [edges[0], edges[-1]].

    Parameters
    ----------
    density : callable
        Vectorised and >= 0; need not integrate to 1.
    edges : ndarray
        Increasing; the density must be smooth between neighbours.
    tolerance : float
        Error of the interpolated density relative to its maximum.

    Attributes
    ----------
    total : float
        Integral of the density, before it is scaled to 1.
    """

    def __init__(
        self,
        density: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        edges: NDArray[np.float64],
        tolerance: float,
    ) -> None:
        pieces = interpolate(density, edges, tolerance)
        powers = np.einsum("cij,jp->ipc", _cell_matrices(), pieces.coefficients)
        powers = powers.reshape(_DEGREE + 1, -1)
        self._half = np.repeat(pieces.width / (2 * _CELLS), _CELLS)
        steps = 2 * np.arange(_CELLS) + 1
        self._centre = (pieces.left[:, None] + np.outer(pieces.width, steps / (2 * _CELLS))).ravel()
        degrees = np.arange(1, _DEGREE + 2)[:, None]
        integral = powers * self._half / degrees  # in powers 1, 2, ... of the local coordinate
        # the constant that makes the distribution function vanish at the left end, x = -1
        constant = -np.sum(integral * (-1.0) ** degrees, axis=0)
        # interpolation may leave specks of negative mass where there is next to none
        mass = np.maximum(constant + np.sum(integral, axis=0), 0.0)
        self._before = np.concatenate([[0.0], np.cumsum(mass)])
        self.total = float(self._before[-1])
        self._integral = np.vstack([constant, integral])

    def __call__(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the points below which lies the share u of the mass, for u in [0, 1]."""
        result = np.empty_like(u)
        for start in range(0, u.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            result[part] = self._solve(u[part] * self.total)
        return result

    def _solve(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        cell = np.searchsorted(self._before, mass, side="right") - 1
        cell = np.clip(cell, 0, self._half.size - 1)
        wanted = mass - self._before[cell]
        # start as if the density were constant on the cell
        content = self._before[cell + 1] - self._before[cell]
        x = np.divide(2 * wanted, content, out=np.ones_like(wanted), where=content > 0) - 1
        x = self._newton(cell, wanted, x)
        return np.asarray(self._centre[cell] + self._half[cell] * x)

    def _newton(
        self, cell: NDArray[np.intp], wanted: NDArray[np.float64], x: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Solve for the local coordinate in [-1, 1], keeping a bracket of every solution."""
        low, high = np.full_like(x, -1.0), np.ones_like(x)
        active = np.arange(x.size)
        for _ in range(_MOST_STEPS):
            at, here = x[active], cell[active]
            value = self._integral[-1, here]
            slope = np.zeros_like(at)
            for row in self._integral[-2::-1]:
                slope = slope * at + value
                value = value * at + row[here]
            excess = value - wanted[active]
            low[active] = np.where(excess < 0, at, low[active])
            high[active] = np.where(excess > 0, at, high[active])
            with np.errstate(divide="ignore", invalid="ignore"):
                new = at - excess / slope
            inside = (new >= low[active]) & (new <= high[active])
            new = np.where(inside, new, (low[active] + high[active]) / 2)
            x[active] = new
            active = active[np.abs(new - at) > _STEP]
            if not active.size:
                break
        return x

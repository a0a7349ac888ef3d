"""Adaptive piecewise Chebyshev interpolation of a density on an interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NODES", "Piecewise", "interpolate"]

NODES = 16  # nodes a piece
_TAIL = 3  # the last coefficients, whose size tells whether a piece is resolved
_MOST_PIECES = 1 << 12
_NO_MASS = 1e-16  # share of the mass that no sample resolves

_ANGLES = (np.arange(NODES) + 0.5) * (np.pi / NODES)
_POINTS = np.cos(_ANGLES)
# values at the nodes -> Chebyshev coefficients (the discrete cosine transform)
_TO_COEFFICIENTS = 2 / NODES * np.cos(np.arange(NODES)[:, None] * _ANGLES)
_TO_COEFFICIENTS[0] /= 2


@dataclass(frozen=True)
class Piecewise:
    """A piecewise polynomial: column j of `coefficients` holds piece j's Chebyshev coefficients.

    Attributes
    ----------
    left, width : ndarray
        Shape (pieces,): where the pieces start, in increasing order, and how wide they are.
    coefficients : ndarray
        Shape (NODES, pieces).
    """

    left: NDArray[np.float64]
    width: NDArray[np.float64]
    coefficients: NDArray[np.float64]


def interpolate(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    edges: NDArray[np.float64],
    tolerance: float,
) -> Piecewise:
    """Interpolate, halving pieces until each agrees with the function.

    A piece is accepted when its last coefficients are below `tolerance` times the largest value
    of the function, or when it is so narrow that they stand for no mass at all. Every round of
    halvings is one vectorised call of the function. Features much narrower than the spacing of the
    nodes in a first piece go unnoticed: `edges` must be graded towards known boundary layers.

    Parameters
    ----------
    function : callable
        Vectorised, on [edges[0], edges[-1]].
    edges : ndarray
        First pieces; the function must be smooth between them.
    tolerance : float
        Error allowed, relative to the maximum of the function.

    Raises
    ------
    ArithmeticError
        If values are not finite, or too many pieces are needed.
    """
    left, width = edges[:-1], np.diff(edges)
    span = edges[-1] - edges[0]
    largest = 0.0
    accepted: list[Piecewise] = []
    while left.size:
        if left.size > _MOST_PIECES:
            raise ArithmeticError(
                f"the density to be inverted is not smooth near {float(left[0])!r}: "
                f"more than {_MOST_PIECES} pieces would be needed for {tolerance:g}"
            )
        points = left[:, None] + width[:, None] * (1 + _POINTS) / 2
        values = function(points.ravel()).reshape(points.shape)
        if not np.all(np.isfinite(values)):
            raise ArithmeticError("the density to be inverted is not finite everywhere")
        largest = max(largest, float(np.max(np.abs(values))))
        coefficients = _TO_COEFFICIENTS @ values.T
        tail = np.max(np.abs(coefficients[-_TAIL:]), axis=0)
        rough = (tail > tolerance * largest) & (tail * width > _NO_MASS * largest * span)
        accepted.append(Piecewise(left[~rough], width[~rough], coefficients[:, ~rough]))
        half = width[rough] / 2
        left, width = np.concatenate([left[rough], left[rough] + half]), np.tile(half, 2)
    order = np.argsort(np.concatenate([piece.left for piece in accepted]))
    return Piecewise(
        np.concatenate([piece.left for piece in accepted])[order],
        np.concatenate([piece.width for piece in accepted])[order],
        np.concatenate([piece.coefficients for piece in accepted], axis=1)[:, order],
    )

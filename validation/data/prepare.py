"""Bring points to one scale, or onto the sphere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["drop_constant", "on_sphere", "standardised"]

Array = NDArray[np.float64]


def drop_constant(X: Array) -> tuple[Array, int]:
    """Return X without the columns that hold one number only, and how many those were."""
    varies = ~np.all(np.diff(X, axis=0) == 0, axis=0)
    return X[:, varies], int(np.sum(~varies))


def standardised(X: Array) -> Array:
    """Centre every column and divide it by its standard deviation (divisor n)."""
    centred = X - X.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def on_sphere(X: Array, name: str) -> Array:
    """Centre the points and scale every row to norm 1.

    Raises
    ------
    ValueError
        If a point is the mean of all points, so that it has no direction.
    """
    centred = X - X.mean(axis=0)
    norms = np.linalg.norm(centred, axis=1)
    bad = np.flatnonzero(norms <= 1e-12 * max(float(norms.max()), 1e-300))
    if bad.size:
        raise ValueError(
            f"{name} cannot be put on the sphere: row {bad[0] + 1} is the mean of all rows"
        )
    return np.asarray(centred / norms[:, None])

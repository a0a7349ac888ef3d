"""Bring points to one scale, or onto the sphere."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["drop_constant", "in_range", "on_sphere", "standardised"]

Array = NDArray[np.float64]

_LARGEST: Final = 1e75  # the fourth power is still a number, and that of its inverse above zero


def in_range(X: Array, name: str) -> Array:
    """Return X unchanged, unless products of its entries may overflow or vanish.

    Raises
    ------
    ValueError
        If an entry is greater than 1e75 in absolute value, or all are less than 1e-75: standard
        errors take fourth powers.

    Examples
    --------
    >>> in_range(np.eye(2), "X").shape
    (2, 2)
    """
    largest = float(np.max(np.abs(X), initial=0.0))
    if largest > _LARGEST:
        raise ValueError(
            f"{name} holds a number of size {largest:.3g}: at most {_LARGEST:g}, rescale it"
        )
    if 0 < largest < 1 / _LARGEST:
        raise ValueError(
            f"{name} holds no number above {largest:.3g} in size: {1 / _LARGEST:g} at least, "
            "rescale it"
        )
    return X


def drop_constant(X: Array) -> tuple[Array, int]:
    """Return X without the columns that hold one number only, and how many those were.

    Examples
    --------
    >>> drop_constant(np.array([[1.0, 2.0], [1.0, 3.0]]))
    (array([[2.],
           [3.]]), 1)
    """
    varies = ~np.equal(X, X[0]).all(axis=0)
    return X[:, varies], int(np.sum(~varies))


def standardised(X: Array) -> Array:
    """Centre every column and divide it by its standard deviation (divisor n).

    Examples
    --------
    >>> standardised(np.array([[1.0], [3.0]]))
    array([[-1.],
           [ 1.]])
    """
    centred = X - X.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def on_sphere(X: Array, name: str) -> Array:
    """Centre the points and scale every row to norm 1.

    Raises
    ------
    ValueError
        If a point is the mean of all points, so that it has no direction.

    Examples
    --------
    >>> on_sphere(np.array([[3.0, 0.0], [-3.0, 0.0]]), "X")
    array([[ 1.,  0.],
           [-1.,  0.]])
    """
    centred = X - X.mean(axis=0)
    norms = np.linalg.norm(centred, axis=1)
    bad = np.flatnonzero(norms <= 1e-12 * max(float(norms.max()), 1e-300))
    if bad.size:
        raise ValueError(
            f"{name} cannot be put on the sphere: row {bad[0] + 1} is the mean of all rows"
        )
    return np.asarray(centred / norms[:, None])

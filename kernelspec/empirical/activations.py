"""Activations by name, and features of any activation, computed block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf, expit, ndtr

from kernelspec import _checks
from kernelspec._memory import require_numbers

__all__ = ["Activation", "activation", "activation_names", "features"]

Array = NDArray[np.float64]

_TILE: Final = 1 << 15  # preactivations at a time: they and the features stay in the cache


@dataclass(frozen=True)
class Activation:
    """A function of the preactivation w.x + b.

    Attributes
    ----------
    name : str
        How it is called.
    function : callable
        Maps an array elementwise to one of the same shape.
    degree : int or None
        s where f(r t) = r^s f(t) for all r > 0, so that only the direction of (w, b) matters; None
        where no such s exists.

    Examples
    --------
    >>> import numpy as np
    >>> activation("relu2").degree, activation("gelu").degree
    (2, None)
    >>> activation(np.tanh).function(np.zeros(2))
    array([0., 0.])
    """

    name: str
    function: Callable[[Array], Array]
    degree: int | None = None


def _relu(t: Array) -> Array:
    return np.maximum(t, 0.0)


def _heaviside(t: Array) -> Array:
    return (t > 0).astype(np.float64)


def _relu_squared(t: Array) -> Array:
    return np.asarray(np.maximum(t, 0.0) ** 2)


def _gelu(t: Array) -> Array:
    return np.asarray(t * ndtr(t))


def _silu(t: Array) -> Array:
    return np.asarray(t * expit(t))


def _softplus(t: Array) -> Array:
    return np.asarray(np.logaddexp(t, 0.0))


_KNOWN: Final[dict[str, tuple[Callable[[Array], Array], int | None]]] = {
    "relu": (_relu, 1),
    "heaviside": (_heaviside, 0),
    "relu2": (_relu_squared, 2),
    "gelu": (_gelu, None),
    "silu": (_silu, None),
    "softplus": (_softplus, None),
    "tanh": (np.tanh, None),
    "erf": (erf, None),
    "sigmoid": (expit, None),
    "cos": (np.cos, None),
}


def activation_names() -> tuple[str, ...]:
    """Names that `activation` knows.

    Examples
    --------
    >>> activation_names()[:4]
    ('relu', 'heaviside', 'relu2', 'gelu')
    """
    return tuple(_KNOWN)


def activation(
    which: str | Callable[[Array], Array] | Activation, degree: int | None = None
) -> Activation:
    """Return an activation by name, or one of a function of one's own.

    Parameters
    ----------
    which : str, callable or Activation
        A name of `activation_names`, or a function applied elementwise to an array.
    degree : int, optional
        Degree of homogeneity of a function of one's own, see `Activation`.

    Returns
    -------
    Activation
        A given one unchanged.

    Raises
    ------
    ValueError, TypeError
        If the name is unknown or `which` neither a name nor a function.

    Examples
    --------
    >>> activation("relu").function(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    if isinstance(which, Activation):
        return which
    allowed = f"one of {', '.join(_KNOWN)}, or a function"
    if isinstance(which, str):
        if which not in _KNOWN:
            raise ValueError(f"activation = {which!r} is not allowed: {allowed}")
        function, known = _KNOWN[which]
        return Activation(which, function, known)
    if not callable(which):
        raise TypeError(f"activation = {which!r} is not allowed: {allowed}")
    s = None if degree is None else _checks.count("degree", degree, 0)
    return Activation(getattr(which, "__name__", "function"), which, s)


def features(
    X: ArrayLike, V: ArrayLike, which: str | Callable[[Array], Array] | Activation
) -> Array:
    """Evaluate the features of M neurons at n points.

    Parameters
    ----------
    X : array_like
        Points, shape (n, d).
    V : array_like
        Neurons (w, b), shape (M, d + 1), last column b.
    which : str, callable or Activation
        See `activation`.

    Returns
    -------
    ndarray
        f(w_j.x_i + b_j), shape (n, M).

    Raises
    ------
    ValueError, TypeError
        If a shape does not fit, the activation is unknown or its values are not finite.

    Examples
    --------
    >>> features([[1.0, 0.0]], [[0.6, 0.0, 0.8], [-0.6, 0.0, 0.1]], "relu")
    array([[1.4, 0. ]])
    """
    X, V, f = checked_pair(X, V, which)
    require_numbers(2.0 * len(X) * len(V), f"{len(V)} features at {len(X)} points")
    return next(blocks(X, V, f, len(V)))[1] if len(V) else np.empty((len(X), 0))


def checked_pair(
    X: ArrayLike, V: ArrayLike, which: str | Callable[[Array], Array] | Activation
) -> tuple[Array, Array, Activation]:
    """Check points and neurons against one another."""
    f = activation(which)
    points = np.asarray(X, dtype=np.float64) if isinstance(X, (list, tuple, np.ndarray)) else X
    width = points.shape[1] if isinstance(points, np.ndarray) and points.ndim == 2 else 1
    return _checks.matrix("X", X, width), _checks.matrix("V", V, width + 1), f


def blocks(X: Array, V: Array, f: Activation, size: int) -> Iterator[tuple[slice, Array]]:
    """Yield the features of `size` neurons at a time, with their place in V.

    Each array is overwritten by the next: fresh memory costs as much as the features.
    """
    n, size = len(X), min(size, len(V))
    room = np.empty((n, size))
    for start in range(0, len(V), size):
        part = slice(start, min(start + size, len(V)))
        values = room if part.stop - start == size else np.empty((n, part.stop - start))
        _fill(values, X, V[part], f)
        yield part, values


def _fill(values: Array, X: Array, V: Array, f: Activation) -> None:
    n, m = values.shape
    W, b = np.ascontiguousarray(V[:, :-1].T), V[:, -1]
    step = max(1, _TILE // m)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        tile = X[rows] @ W
        tile += b
        shape = tile.shape
        tile = np.asarray(f.function(tile), dtype=np.float64)
        if tile.shape != shape:
            raise ValueError(
                f"activation = {f.name!r} is not allowed: a function that keeps the shape, "
                f"not one from {shape} to {tile.shape}"
            )
        if not np.isfinite(tile.sum()) and not np.all(np.isfinite(tile)):
            raise ValueError(
                f"activation = {f.name!r} is not allowed: a function with finite values at all "
                "points and neurons"
            )
        values[rows] = tile

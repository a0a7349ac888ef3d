r"""Split a network into neurons with a kink, polynomials, and neurons that add nothing.

A neuron that is zero on the sphere is dropped. One whose kink misses the sphere is a polynomial of
degree s, exactly. Rows that agree up to a positive factor count once, and of a pair v, -v the
second is the first up to sign plus a polynomial, :math:`\phi_v + (-1)^s \phi_{-v} =
(w\cdot x+b)^s`, so that polynomial replaces it: what is left is linearly independent in general.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.harmonics import one_minus_two_squares, squared_norm

__all__ = ["Neurons", "split_neurons", "unit_rows"]

Array = NDArray[np.float64]

_SAME: Final = 16 * np.finfo(np.float64).eps  # rows this close are one neuron, rounded twice
_TINY: Final = 1e-280  # squared norm below which a feature cannot be scaled to unit norm


@dataclass(frozen=True)
class Neurons:
    """What a network spans.

    Attributes
    ----------
    U : ndarray, shape (n, d)
        Directions of the neurons with a kink on the sphere, all different as neurons of a half
        space or its opposite.
    b : ndarray, shape (n,)
        Their heights, |b| < 1/sqrt(2).
    whole_directions : ndarray, shape (p, d)
        Directions of the polynomials.
    whole_heights : ndarray, shape (p,)
        Their heights.
    unresolved : int
        Neurons left out because their features underflow.
    """

    U: Array
    b: Array
    whole_directions: Array
    whole_heights: Array
    unresolved: int

    def folded(self) -> Neurons:
        """Take each neuron by its smaller cap: the same span modulo polynomials of degree s."""
        sign = np.where(self.b > 0, -1.0, 1.0)
        return replace(self, U=self.U * sign[:, None], b=self.b * sign)


def unit_rows(V: ArrayLike, d: int) -> Array:
    """Check a network V of shape (m, d+1) and scale its rows to unit norm; zero rows stay zero.

    Raises
    ------
    TypeError
        If `V` is no array of numbers.
    ValueError
        If `V` has another shape or an entry is not finite.
    """
    allowed = f"finite numbers of shape (m, {d + 1}), one neuron (w, b) a row"
    try:
        rows: NDArray[Any] = np.asarray(V, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"V = {V!r} is not allowed: {allowed}") from None
    if rows.ndim != 2 or rows.shape[1] != d + 1:
        raise ValueError(f"V of shape {rows.shape} is not allowed: {allowed}")
    if not np.all(np.isfinite(rows)):
        i, j = (int(x) for x in np.argwhere(~np.isfinite(rows))[0])
        raise ValueError(f"V[{i}, {j}] = {rows[i, j]!r} is not allowed: {allowed}")
    # scaling by the largest entry first keeps squares from overflowing or vanishing
    largest = np.max(np.abs(rows), axis=1, initial=0.0)[:, None]
    rows = rows / np.where(largest > 0, largest, 1.0)
    norm = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return np.asarray(rows / np.where(norm > 0, norm, 1.0))


def _first_of_each(rows: Array) -> NDArray[np.intp]:
    """Index of the first row equal to each row, up to rounding.

    Equal rows are neighbours once sorted by their projection on a fixed direction.
    """
    m, width = rows.shape
    direction = np.random.default_rng(0).standard_normal(width)
    order = np.argsort(rows @ direction, kind="stable")
    label = np.arange(m)
    for before, here in pairwise(order):
        if np.max(np.abs(rows[before] - rows[here])) <= _SAME:
            label[here] = label[before]
    first = np.full(m, m)
    np.minimum.at(first, label, np.arange(m))
    return first[label]


def split_neurons(V: Array, d: int, s: int) -> Neurons:
    """Split unit rows (w, b), see the module."""
    b = V[:, d]
    # |w| = |b| is a kink that touches the sphere, though scaling the row rounds it to either side
    touching = one_minus_two_squares(b) <= 4 * _SAME
    live = ((b > 0) | ~touching) & np.any(V != 0, axis=1)
    whole = live & touching
    kinked = np.flatnonzero(live & ~touching)
    resolved = squared_norm(d, s, -np.abs(b[kinked])) > _TINY
    unresolved = int(np.count_nonzero(~resolved))
    kinked = kinked[resolved]
    # a common sign for v and -v: the first entry that is clearly not 0 is positive
    rows = V[kinked]
    lead = np.argmax(np.abs(rows) > _SAME, axis=1)
    sign = np.sign(rows[np.arange(kinked.size), lead])
    first = _first_of_each(rows * sign[:, None])
    kept = first == np.arange(kinked.size)
    opposite = sign != sign[first]
    polynomial = np.concatenate([np.flatnonzero(whole), kinked[opposite]])
    polynomial = polynomial[_first_of_each(V[polynomial]) == np.arange(polynomial.size)]
    return Neurons(
        *_direction(V[kinked[kept]], d), *_direction(V[polynomial], d), unresolved=unresolved
    )


def _direction(rows: Array, d: int) -> tuple[Array, Array]:
    """Split into unit directions w/|w| and heights; a constant gets an arbitrary direction."""
    w = rows[:, :d].copy()
    norm = np.sqrt(np.einsum("ij,ij->i", w, w))
    w[norm == 0, 0] = 1.0
    return w / np.where(norm > 0, norm, 1.0)[:, None], rows[:, d].copy()

r"""The fixed downstream block: M univariate kinks behind each first-layer neuron.

On the sphere a first-layer neuron :math:`z = \max(u\cdot x + 1, 0)` with a unit vector u is exactly
:math:`u\cdot x + 1`, for :math:`|u\cdot x| \le 1`. Behind it stand M second-layer neurons whose
weights and biases are the same for every u and every target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks

__all__ = ["Block", "hidden_layers"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    r"""Second-layer neurons that read one first-layer neuron.

    In the standardised coordinate :math:`s = \sqrt{d}\, u\cdot x` (mean square 1) the block spans,
    with the constant, the continuous functions that are linear on each of M pieces: knots at
    :math:`t_j = -R + jh`, :math:`0 < j < M`, :math:`h = 2R/M`, the outer pieces running on to
    :math:`\pm\sqrt d`. The half range is

    .. math:: R = \min\{\sqrt d, \sqrt{8 \log M}\},

    all of the sphere where d <= 8 log M; beyond it, what is left outside [-R, R] has probability at
    most :math:`2 e^{-R^2/2} = 2 M^{-4}`.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    M : int
        Neurons of the block, >= 2.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> block = Block(d=4, M=8)
    >>> block.half_range, block.spacing, block.knots.tolist()
    (2.0, 0.5, [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5])
    """

    d: int
    M: int

    def __post_init__(self) -> None:
        _checks.dimension(self.d)
        _checks.count("M", self.M, 2)

    @property
    def half_range(self) -> float:
        """Half the range of the knots, R."""
        return min(math.sqrt(self.d), math.sqrt(8 * math.log(self.M)))

    @property
    def spacing(self) -> float:
        """Distance of neighbouring knots, h = 2R/M."""
        return 2 * self.half_range / self.M

    @property
    def knots(self) -> Array:
        """Kinks in the standardised coordinate, shape (M - 1,)."""
        return np.asarray(self.spacing * np.arange(1, self.M) - self.half_range)

    @property
    def biases(self) -> Array:
        r"""Second-layer biases -1 - t_j/sqrt(d), shape (M,): neuron j is max(z + bias_j, 0).

        The first is 0: as z >= 0, that neuron passes z on.
        """
        return np.concatenate([[0.0], -1.0 - self.knots / math.sqrt(self.d)])

    def neurons(self, U: ArrayLike) -> Array:
        """Return the second layer as neurons of the input, the constant last.

        What was composed is a two-layer network again, max(u.x + 1 + bias, 0), with directions that
        repeat. It is used to measure errors; that it exists is a remark of the derivation.

        Parameters
        ----------
        U : array_like, shape (r, d)
            First-layer directions, scaled to unit norm.

        Returns
        -------
        ndarray, shape (r M + 1, d + 1)
            Neurons (w, b).
        """
        U = unit_directions(U, self.d)
        heights = np.tile(1.0 + self.biases, U.shape[0])
        hidden = np.column_stack([np.repeat(U, self.biases.size, axis=0), heights])
        return np.vstack([hidden, np.eye(self.d + 1)[-1:]])


def unit_directions(U: ArrayLike, d: int) -> Array:
    """Check directions, shape (r, d), and scale them to unit norm."""
    rows = _checks.matrix("U", U, d)
    norm = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    if np.any(norm == 0):
        raise ValueError(f"U = {U!r} is not allowed: no row may be 0")
    return np.asarray(rows / norm[:, None])


def hidden_layers(block: Block, U: ArrayLike, X: ArrayLike) -> tuple[Array, Array]:
    r"""Evaluate both hidden layers of the three-layer network, as it is written.

    Parameters
    ----------
    block : Block
        The second layer, the same behind each first-layer neuron.
    U : array_like, shape (r, d)
        First-layer weights, scaled to unit norm; the first-layer biases are 1.
    X : array_like, shape (n, d)
        Inputs.

    Returns
    -------
    first : ndarray, shape (n, r)
        max(u_i.x + 1, 0).
    second : ndarray, shape (n, r M)
        max(first_i + bias_j, 0), a block after the other.

    Examples
    --------
    >>> first, second = hidden_layers(Block(d=2, M=2), [[1.0, 0.0]], [[0.6, 0.8]])
    >>> first.tolist(), second.round(12).tolist()
    ([[1.6]], [[1.6, 0.6]])
    """
    U = unit_directions(U, block.d)
    first = np.maximum(_checks.matrix("X", X, block.d) @ U.T + 1.0, 0.0)
    second = np.maximum(first[:, :, None] + block.biases, 0.0)
    return first, second.reshape(first.shape[0], -1)

r"""Gram matrix of neurons in L2 of the sphere, exact for all degrees at once.

A neuron equals a polynomial of degree s plus or minus the neuron of the opposite half space, so
beyond degree s both have the same harmonics up to sign. The part beyond degree s is therefore taken
from the smaller cap, where no digits cancel, and the degrees up to s are added from the neuron
itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.approximation._overlap import Caps, overlap
from kernelspec.harmonics import amplitudes, kink_angle, squared_norm
from kernelspec.sphere import gegenbauer

__all__ = ["unit_gram"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_EPS: Final = float(np.finfo(np.float64).eps)
_PAIRS: Final = 1 << 17  # pairs handled at a time: the temporaries stay in cache
_NEAR: Final = 0.9  # beyond this cosine the angle comes from the chord
# Rounding error of an entry in units of eps: about 5 root mean square against 40 digits. Computed
# again in rotated coordinates, the matrix changes by a half to a quarter of the allowance in the
# spectral norm (d = 2 to 50, s = 0 to 2, m = 1024).
_ENTRY_ERROR: Final = 6.0


def _angles(U: Array, cosine: Array, first: Indices, second: Indices) -> Array:
    """Angles between rows of U, accurate also where they are nearly parallel or opposite."""
    gamma = np.arccos(cosine)
    near = np.flatnonzero(np.abs(cosine) > _NEAR)
    left, right = U[first[near]], U[second[near]]
    chord = np.sqrt(np.einsum("ij,ij->i", left - right, left - right))
    complement = np.sqrt(np.einsum("ij,ij->i", left + right, left + right))
    gamma[near] = 2 * np.arctan2(chord, complement)
    return np.asarray(gamma)


def unit_gram(d: int, s: int, U: Array, b: Array) -> tuple[Array, float]:
    """Cosines between neurons in L2, and an allowance for their rounding errors.

    Parameters
    ----------
    d, s : int
        Ambient dimension and order.
    U : ndarray, shape (m, d)
        Unit directions w/|w|.
    b : ndarray, shape (m,)
        Heights, |b| < 1/sqrt(2).

    Returns
    -------
    G : ndarray, shape (m, m)
        <phi_i, phi_j> / (|phi_i| |phi_j|).
    allowance : float
        For the spectral norm of the error of G. Errors of entries are taken as independent and
        relative, those of the part from small caps larger as the angle of the cap is smaller; a
        random symmetric matrix has norm about twice the largest norm of its rows.
    """
    m = b.size
    sign = np.where(b > 0, -1.0, 1.0)
    small = sign * b
    W = U * sign[:, None]
    caps = Caps.of(d, s, small, kink_angle(small))
    norm = np.sqrt(squared_norm(d, s, b))
    low, low_small = amplitudes(d, s, b, s) / norm, amplitudes(d, s, small, s) / norm
    parity = sign if s % 2 == 0 else np.ones(m)
    sensitivity = 1 / np.sin(caps.alpha)
    G = np.empty((m, m))
    squares = np.zeros(m)  # of the allowances for entries, summed over each row
    step = max(1, _PAIRS // max(m, 1))
    for start in range(0, m, step):
        stop = min(start + step, m)
        rows, columns = np.arange(start, stop), np.arange(start, m)
        cosine = np.clip(W[rows] @ W[columns].T, -1.0, 1.0)
        first, second = np.repeat(rows, columns.size), np.tile(columns, rows.size)
        gamma = _angles(W, cosine.ravel(), first, second)
        block = overlap(d, s, caps, first, second, gamma).reshape(cosine.shape)
        block /= np.outer(norm[rows], norm[columns])
        error = np.abs(block) * np.maximum(sensitivity[rows, None], sensitivity[columns])
        P = gegenbauer(d, s, cosine)
        for k in range(s + 1):
            block -= np.outer(low_small[k, rows], low_small[k, columns]) * P[k]
        block *= np.outer(parity[rows], parity[columns])
        turned = np.outer(sign[rows], sign[columns])
        for k in range(s + 1):
            block += np.outer(low[k, rows], low[k, columns]) * (P[k] * turned**k)
        G[start:stop, start:] = block
        G[start:, start:stop] = block.T
        error = (error + np.abs(block)) ** 2
        squares[start:stop] += error.sum(axis=1)
        squares[stop:] += error[:, rows.size :].sum(axis=0)
    np.fill_diagonal(G, 1.0)
    return G, float(2 * _ENTRY_ERROR * _EPS * np.sqrt(squares.max(initial=0.0)))

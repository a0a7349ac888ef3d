r"""Spectrum of T compressed to the complement of a span, bracketed.

Let Q hold the coordinates of an orthonormal basis of the span in the harmonics of degree <= K.
With a constant mu_* in place of mu_k for all k > K, the compressed operator has the eigenvalues of
:math:`\mu_* + S(I-QQ^T)S`, :math:`S^2 = \mu - \mu_*`, and mu_*. The choice mu_* = mu_{K+1} bounds
every eigenvalue from above, mu_* = 0 from below. By the inertia of a bordered matrix the number of
eigenvalues above a level is

.. math::
    \#\{\mu > \lambda\} - n_+\bigl(Q^T W Q - I\bigr), \qquad
    W = \operatorname{diag}\frac{\mu-\mu_*}{\mu-\lambda},

which an LDL^T factorisation decides. See docs/derivations/worst-case-error.md, sections 3 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lapack
from scipy.sparse.linalg import LinearOperator, eigsh

__all__ = ["Residual"]

Array = NDArray[np.float64]

_EPS: Final = float(np.finfo(np.float64).eps)
SUM_ERROR: Final = 8.0
"""Allowance for the sums of a bound, in units of eps times the largest term."""
_TURN: Final = 3.0  # (1 + e)^2 - 1 <= 3 e for e <= 1: a form in a basis that is off by e
_DENSE: Final = 300  # dimension up to which a dense eigensolver is used
_ROWS: Final = 2048  # rows of Q handled at a time where it is scaled


@dataclass(frozen=True)
class Residual:
    """Compressed operator.

    Attributes
    ----------
    mu : ndarray, shape (D,)
        Eigenvalue of each row of `Q`.
    Q : ndarray, shape (D, rank)
        Rows of the orthonormal basis.
    beyond : float
        mu_{K+1}.

    Notes
    -----
    Where a degree has more harmonics than there are directions, only those that some direction sees
    are rows. The others keep their eigenvalue, so counts are for levels not below it; the width of
    the network, mu_(rank+1), is such a level.
    """

    mu: Array
    Q: Array
    beyond: float

    def project_out(self, z: Array) -> tuple[Array, Array]:
        """(I - QQ^T) z and Q^T z."""
        q = self.Q.T @ z
        return z - self.Q @ q, q

    def top(self, tolerance: float) -> tuple[float, Array]:
        """Largest eigenvalue of mu_* + S(I-QQ^T)S, mu_* = mu_{K+1}, from below, and its vector."""
        S = np.sqrt(self.mu - self.beyond)
        D = S.size
        if D <= _DENSE:
            scaled = S[:, None] * self.Q
            B = np.diag(S * S) - scaled @ scaled.T
            value, vectors = eigh(B, subset_by_index=[D - 1, D - 1])
            return float(value[0]) + self.beyond, np.asarray(vectors[:, 0])
        operator = LinearOperator(
            (D, D), matvec=lambda x: S * self.project_out(S * x.ravel())[0], dtype=np.float64
        )
        start = np.random.default_rng(0).standard_normal(D)
        value, vectors = eigsh(operator, k=1, which="LA", tol=tolerance, v0=start, ncv=30)
        return float(value[0]) + self.beyond, np.asarray(vectors[:, 0])

    def _inertia_matrix(self, level: float, floor: float) -> tuple[Array, float]:
        """Return Q^T W Q - I and the largest entry of W in absolute value."""
        W = (self.mu - floor) / (self.mu - level)
        N = -np.eye(self.Q.shape[1])
        for start in range(0, W.size, _ROWS):
            rows = self.Q[start : start + _ROWS]
            N += rows.T @ (W[start : start + _ROWS, None] * rows)
        return N, float(np.max(np.abs(W), initial=1.0))

    def most_above(self, level: float, excess: Array | None = None) -> int:
        """Upper bound for the number of eigenvalues of the compression of T above `level`.

        `excess` is by how much the Gram matrix, identity in the basis, is to be raised.
        """
        N, largest = self._inertia_matrix(level, self.beyond)
        if excess is not None:
            N -= excess
        N[np.diag_indices_from(N)] -= SUM_ERROR * _EPS * largest
        return int(np.count_nonzero(self.mu > level)) - _positive(N)

    def least_above(self, level: float, excess: Array, error: float = 0.0) -> int:
        """Lower bound for that number.

        `excess` is by how much the Gram matrix, identity in the basis, may be too large, `error`
        by how much an orthonormal basis may be off.
        """
        N, largest = self._inertia_matrix(level, 0.0)
        N += excess
        N[np.diag_indices_from(N)] += (SUM_ERROR * _EPS + _TURN * error) * largest
        return int(np.count_nonzero(self.mu > level)) - _positive(N)

    def clear_of_poles(self, level: float, gap: float) -> float:
        """Raise `level` until it keeps a relative distance of `gap` from every mu."""
        for value in np.unique(self.mu):
            if abs(value / level - 1) < gap:
                level = float(value) * (1 + gap)
        return level


def _positive(N: Array) -> int:
    """Count positive eigenvalues by Sylvester's law; N is overwritten."""
    if N.shape[0] == 0:
        return 0
    factor, pivots, _ = lapack.dsytrf(N, lower=1, overwrite_a=1)
    single = pivots > 0
    # a two by two pivot of Bunch and Kaufman has one eigenvalue of each sign
    pairs = int(np.count_nonzero(~single)) // 2
    return int(np.count_nonzero(single & (np.diag(factor) > 0))) + pairs

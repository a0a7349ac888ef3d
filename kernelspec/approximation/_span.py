r"""Orthonormal basis of the span of a network, from Gram matrices.

Polynomial neurons span few dimensions: their harmonics of degree <= s are decomposed by SVD. The
neurons with a kink are orthogonalised against them and then among themselves, by the Cholesky
factor of their Gram matrix shifted by the allowance for its rounding errors. Where that matrix is
too ill conditioned, directions are left out and counted (:attr:`Whitening.missing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lapack, solve_triangular

from kernelspec.approximation._basis import DegreeBasis
from kernelspec.approximation._circle import circle_factor
from kernelspec.approximation._gram import unit_gram
from kernelspec.approximation._neurons import Neurons
from kernelspec.harmonics import amplitudes, low_coefficients, squared_norm
from kernelspec.sphere import multiplicity

__all__ = ["Whitening", "polynomial_basis", "whiten"]

Array = NDArray[np.float64]

_EPS: Final = float(np.finfo(np.float64).eps)
FACTOR_ERROR: Final = 4.0
"""Allowance for a Cholesky factor in units of eps sqrt(n), for eigenvectors of eps times the norm.

Rounding errors of the sums behind a factor are taken as independent, so they grow like sqrt(n).
"""
_ANGLE_ERROR: Final = 8.0  # of the polynomial part, in units of eps times the condition number
# an eigenvalue of the Gram matrix is usable if it exceeds this many allowances
_MARGIN: Final = 8.0
_RANK: Final = 1e-7  # relative singular value of polynomials below which a direction is left out


@dataclass(frozen=True)
class Whitening:
    """A map from coefficients of neurons to an orthonormal basis of their span.

    Attributes
    ----------
    P : ndarray, shape (D_s, q)
        Orthonormal polynomial part, in the basis of the harmonics of degree <= s.
    C : ndarray, shape (q, n)
        Its inner products with the n scaled neurons.
    factor : ndarray
        Cholesky factor R, shape (n, n); or eigenvectors over square roots of eigenvalues, shape
        (n, rank).
    triangular : bool
        Which of the two.
    shift : float
        Allowance eta: the true Gram matrix lies between that of the factor and it less 2 eta.
    smallest : float
        Lower estimate of the least eigenvalue in use.
    missing : int
        Directions left out.
    spill : float
        Allowance for the angle between the true and the computed polynomial part.
    """

    P: Array
    C: Array
    factor: Array
    triangular: bool
    shift: float
    smallest: float
    missing: int
    spill: float

    @property
    def rank(self) -> int:
        """Dimension of the span."""
        return int(self.P.shape[1] + self.factor.shape[1])

    def orthonormal_rows(self, F: Array) -> Array:
        """Rows of coefficients of the neurons, (D, n), to rows of the orthonormal basis, (D, rank).

        `F` is overwritten.
        """
        low, q = self.P.shape
        F[:low] -= self.P @ self.C
        if self.triangular:
            solved = solve_triangular(self.factor, F.T, trans=1, overwrite_b=True)
            kinked: Array = np.asarray(solved, dtype=np.float64).T
        else:
            kinked = F @ self.factor
        if q == 0:
            return np.ascontiguousarray(kinked)
        Q = np.zeros((F.shape[0], q + kinked.shape[1]))
        Q[:low, :q] = self.P
        Q[:, q:] = kinked
        return Q

    def weights(self, coefficients: Array) -> Array:
        """Coefficients of the scaled neurons of a combination of the basis."""
        kinked = coefficients[self.P.shape[1] :]
        if self.triangular:
            return np.asarray(solve_triangular(self.factor, kinked))
        return np.asarray(self.factor @ kinked)

    def coordinates(self, h: Array, low: Array) -> Array:
        """Inner products of a function with the basis.

        `h` are those with the scaled neurons, `low` its coordinates of degree <= s.
        """
        whole = self.P.T @ low
        rest = h - self.C.T @ whole
        if self.triangular:
            kinked = np.asarray(solve_triangular(self.factor, rest, trans=1))
        else:
            kinked = self.factor.T @ rest
        return np.concatenate([whole, kinked])

    def inverse_gram(self) -> Array:
        """W^T W in the basis, W the map of :meth:`weights`; zero on the polynomial part."""
        q = self.P.shape[1]
        result = np.zeros((self.rank, self.rank))
        if self.triangular:
            inverse = solve_triangular(self.factor, np.eye(self.factor.shape[0]))
            result[q:, q:] = inverse.T @ inverse
        else:
            result[q:, q:] = self.factor.T @ self.factor
        return result


def polynomial_basis(
    d: int, s: int, neurons: Neurons, basis: DegreeBasis
) -> tuple[Array, int, float]:
    """Orthonormal basis of the polynomial neurons, directions left out, and the allowance."""
    n, p = neurons.b.size, neurons.whole_heights.size
    dimension = float(np.sum(multiplicity(d, np.arange(s + 1))))
    rows = basis.sizes[: s + 1].sum()
    if p == 0:
        return np.zeros((rows, 0)), 0, 0.0
    b = neurons.whole_heights
    # (w.x+b)^s = phi_v + (-1)^s phi_{-v}
    here, opposite = low_coefficients(d, s, b, s), low_coefficients(d, s, -b, s)
    parity = (-1.0) ** (s + np.arange(s + 1))
    values = here + parity[:, None] * opposite
    columns = np.concatenate([basis.values(k)[:, n : n + p] * values[k] for k in range(s + 1)])
    columns = columns / np.sqrt(np.einsum("ij,ij->j", columns, columns))
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    usable = int(np.count_nonzero(singular > _RANK * singular[0]))
    missing = int(min(p, dimension)) - usable
    spill = (
        0.0
        if usable == dimension
        else float(_ANGLE_ERROR * _EPS * singular[0] / singular[usable - 1])
    )
    return left[:, :usable], missing, spill


def whiten(
    d: int, s: int, neurons: Neurons, others: Array | None = None
) -> tuple[Neurons, Whitening]:
    """Orthonormalise the span of a network, see the module; also return the neurons it used.

    `others` are further directions that the coordinates of low degree should be able to express.
    """
    seen = neurons.whole_directions
    seen = seen if others is None else np.concatenate([seen, others])
    basis = DegreeBasis(d, neurons.U, seen, s, s)
    P, missing, spill = polynomial_basis(d, s, neurons, basis)
    missing += neurons.unresolved
    if P.shape[0] == P.shape[1]:
        # all polynomials of degree s are in the span: a neuron that is nearly one would drown
        neurons = neurons.folded()
        basis = DegreeBasis(d, neurons.U, seen, s, s)
    b = neurons.b
    n = b.size
    low = amplitudes(d, s, b, s) / np.sqrt(squared_norm(d, s, b))
    count = np.sqrt(multiplicity(d, np.arange(s + 1)))
    columns = [basis.values(k)[:, :n] * (low[k] / count[k]) for k in range(s + 1)]
    C = P.T @ np.concatenate(columns)
    factor, triangular, shift, smallest, hidden = (
        circle_factor(s, neurons.U, b, P, C)
        if d == 2
        else _factor(*unit_gram(d, s, neurons.U, b), C)
    )
    missing += hidden
    return neurons, Whitening(P, C, factor, triangular, shift, smallest, missing, spill)


def _factor(G: Array, allowance: float, C: Array) -> tuple[Array, bool, float, float, int]:
    """Factor G - C^T C plus its allowance; see `Whitening` for what is returned."""
    n = G.shape[0]
    if n == 0:
        return G, True, 0.0, 1.0, 0
    if C.shape[0]:
        G -= C.T @ C
    shift = allowance + FACTOR_ERROR * _EPS * float(np.sqrt(n))
    G[np.diag_indices(n)] += shift
    one_norm = float(np.abs(G).sum(axis=0).max())
    R, info = lapack.dpotrf(G, clean=1)
    if info == 0:
        reciprocal, _ = lapack.dpocon(R, one_norm)
        smallest = float(reciprocal) * one_norm
        if smallest > _MARGIN * shift:
            return np.triu(R), True, shift, smallest, 0
    # eigenvectors carry rounding errors relative to the norm of the whole matrix
    extra = FACTOR_ERROR * _EPS * one_norm
    G[np.diag_indices(n)] += extra
    shift += extra
    values, vectors = eigh(G, overwrite_a=True)
    keep = values > _MARGIN * shift
    smallest = float(values[keep].min(initial=np.inf))
    factor = vectors[:, keep] / np.sqrt(values[keep])
    return factor, False, shift, smallest, int(np.count_nonzero(~keep))

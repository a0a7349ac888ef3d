"""Least squares with a block behind every direction, and its derivative in the directions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from validation.three_layer.block import Block

__all__ = ["SplineFit", "fit_splines"]

Array = NDArray[np.float64]

_RIDGE = 1e-11  # relative; hats have Gram matrices far better conditioned than kinks


@dataclass(frozen=True)
class SplineFit:
    """The best readout behind given directions.

    Attributes
    ----------
    U : ndarray, shape (r, d)
        Unit directions.
    residual : ndarray, shape (n,)
        y minus the fit.
    loss : float
        Mean squared residual.
    basis : ndarray, shape (n, r M + 1)
        The constant, then the hat functions of each block but its first.
    factor : tuple
        Cholesky factor of their Gram matrix, with a ridge of 1e-11 of its mean diagonal.
    slopes : ndarray, shape (n, r)
        G_i' of the fitted splines at the inputs.

    Examples
    --------
    >>> from kernelspec import uniform_sphere
    >>> from validation.three_layer import Block, wave_target
    >>> f = wave_target(6, 2, 2.0, rng=0)
    >>> X = uniform_sphere(6, 400, rng=1)
    >>> found = fit_splines(f.centres, X, f(X), Block(6, 16))
    >>> found.residual.shape, found.U.shape
    ((400,), (2, 6))
    """

    U: Array
    residual: Array
    loss: float
    basis: Array
    factor: tuple[Array, bool]
    slopes: Array

    def remainder(self, columns: Array) -> Array:
        """Remove from columns what the basis explains."""
        return np.asarray(columns - self.basis @ cho_solve(self.factor, self.basis.T @ columns))


def fit_splines(U: Array, X: Array, y: Array, block: Block) -> SplineFit:
    """Fit sum_i G_i(sqrt(d) u_i.x) with piecewise linear G_i, the span of the block.

    Hat functions span what the kinks span and are far better conditioned.

    Parameters
    ----------
    U : ndarray, shape (r, d)
        Unit directions.
    X, y : ndarray, shape (n, d), (n,)
        Data.
    block : Block
        The second layer.

    Examples
    --------
    >>> from kernelspec import uniform_sphere
    >>> from validation.three_layer import Block, wave_target
    >>> f = wave_target(6, 2, 2.0, rng=0)
    >>> X = uniform_sphere(6, 400, rng=1)
    >>> y = f(X)
    >>> bool(fit_splines(f.centres, X, y, Block(6, 16)).loss < 0.01 * np.mean(y**2))
    True
    """
    n, r, M = X.shape[0], U.shape[0], block.M
    place = (math.sqrt(block.d) * (X @ U.T) + block.half_range) / block.spacing
    cell = np.clip(np.floor(place), 0, M - 1).astype(np.intp)
    part = place - cell  # outside [0, 1] beyond the half range: the outer pieces run on
    rows = np.arange(n)
    hats = np.zeros((n, r, M + 1))
    for i in range(r):
        hats[rows, i, cell[:, i]] = 1 - part[:, i]
        hats[rows, i, cell[:, i] + 1] = part[:, i]
    # each block's hats sum to 1: the first is left out, and the constant kept once
    basis = np.concatenate([np.ones((n, 1)), hats[:, :, 1:].reshape(n, r * M)], axis=1)
    gram = basis.T @ basis
    gram[np.diag_indices_from(gram)] += _RIDGE * np.trace(gram) / len(gram)
    factor = cho_factor(gram)
    weights = cho_solve(factor, basis.T @ y)
    residual = y - basis @ weights
    values = np.concatenate([np.zeros((r, 1)), weights[1:].reshape(r, M)], axis=1)
    rise = np.diff(values, axis=1) / block.spacing
    slopes = np.take_along_axis(rise.T, cell, axis=0)
    return SplineFit(U, residual, float(residual @ residual) / n, basis, factor, slopes)

r"""Find the directions from data: screening, then Levenberg-Marquardt.

The readout is eliminated (variable projection: Golub & Pereyra, SIAM J. Numer. Anal. 10, 1973),
with the Jacobian of Kaufman (BIT 15, 1975): what the fit's derivative leaves beside the basis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_numbers
from kernelspec.sphere import gegenbauer, multiplicity, uniform_sphere
from validation.three_layer.block import Block, unit_directions
from validation.three_layer.splines import SplineFit, fit_splines

__all__ = ["Learned", "learn_directions", "random_start"]

Array = NDArray[np.float64]

_COARSE = 8  # pieces while directions are sought: fewer valleys, and cheap
_SCREENED_DEGREES = 4
_CANDIDATES = 1000
_REFINING_STEPS = 4
_DAMPINGS = 8
_LEAST_DAMPING = 1e-8


@dataclass(frozen=True)
class Learned:
    """First-layer directions learned from data.

    Attributes
    ----------
    path : tuple of ndarray
        The directions after each neuron, shape (k, d) for k = 1, ..., r; the last are refined with
        the block itself.
    losses : tuple of float
        Mean squared training residual after each, the last with the block itself.
    steps : int
        Levenberg-Marquardt steps in all.

    Examples
    --------
    >>> from validation.three_layer import Block, wave_target
    >>> f = wave_target(6, 2, 2.0, rng=0)
    >>> X = uniform_sphere(6, 600, rng=1)
    >>> found = learn_directions(X, f(X), 2, Block(6, 16))
    >>> [directions.shape for directions in found.path], found.losses[-1] < found.losses[0]
    ([(1, 6), (2, 6)], True)
    """

    path: tuple[Array, ...]
    losses: tuple[float, ...]
    steps: int

    @property
    def directions(self) -> Array:
        """All of them, shape (r, d)."""
        return self.path[-1]


def learn_directions(
    X: ArrayLike,
    y: ArrayLike,
    r: int,
    block: Block,
    *,
    untrained: ArrayLike | None = None,
    starts: int = 2,
    steps: int = 25,
    rng: int | np.random.SeedSequence | np.random.Generator = 0,
) -> Learned:
    r"""Learn one direction after the other.

    For each new neuron, 1000 random directions u are ranked by what of the residual their
    harmonics of degree 1 to 4 explain, sum_k (mean(residual sqrt(N_k) P_k(u.x)))^2. The best are
    starts of a descent in all directions learned so far, with a block of 8 pieces; the lowest loss
    is kept. At last all are refined with the block itself.

    Parameters
    ----------
    X, y : array_like, shape (n, d), (n,)
        Inputs on the sphere and values.
    r : int
        Directions to learn.
    block : Block
        The second layer.
    untrained : array_like, shape (r, d), optional
        First-layer directions before training: while k are learned, those from the k-th on stay in
        the network.
    starts : int
        Descents for each new neuron.
    steps : int
        Levenberg-Marquardt steps of a descent, at most.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator of the candidates.

    Raises
    ------
    ValueError
        If shapes or counts are not allowed.
    MemoryError
        If the work does not fit into memory; raised with the estimate, before allocating.

    Examples
    --------
    >>> from validation.three_layer import Block, wave_target
    >>> f = wave_target(6, 2, 2.0, rng=0)
    >>> X = uniform_sphere(6, 600, rng=1)
    >>> found = learn_directions(X, f(X), 2, Block(6, 16))
    >>> overlaps = abs(found.directions @ f.centres.T).max(axis=1)
    >>> bool((overlaps > 0.999).all())
    True
    """
    X, y, r, generator = _data(X, y, r, block, rng)
    d = block.d
    starts = _checks.count("starts", starts)
    steps = _checks.count("steps", steps)
    rest = np.zeros((0, d)) if untrained is None else unit_directions(untrained, d)
    if untrained is not None and len(rest) != r:
        raise ValueError(f"untrained of shape {rest.shape} is not allowed: shape ({r}, {d})")
    coarse = Block(d, min(_COARSE, block.M))
    found = np.zeros((0, d))
    path, losses, taken = [], [], 0
    for k in range(1, r + 1):
        now = fit_splines(np.vstack([found, rest[k - 1 :]]), X, y, coarse)
        fits = []
        for start in _screened(now.residual, X, generator)[:starts]:
            U = np.vstack([found, start, rest[k:]])
            fit, count = _descend(fit_splines(U, X, y, coarse), X, y, coarse, k, steps)
            fits.append(fit)
            taken += count
        best = min(fits, key=lambda fit: fit.loss)
        found = best.U[:k]
        path.append(found)
        losses.append(best.loss)
    # a finer spline is close by: a few steps do
    last, count = _descend(fit_splines(found, X, y, block), X, y, block, r, _REFINING_STEPS)
    path[-1], losses[-1] = last.U, last.loss
    return Learned(tuple(path), tuple(losses), taken + count)


def random_start(
    X: ArrayLike,
    y: ArrayLike,
    r: int,
    block: Block,
    *,
    steps: int = 40,
    rng: int | np.random.SeedSequence | np.random.Generator = 0,
) -> Learned:
    """Descend in all directions at once from random ones, without screening.

    Takes the arguments of `learn_directions`; it often ends in a local minimum, which is why there
    is screening.

    Examples
    --------
    >>> from validation.three_layer import Block, wave_target
    >>> f = wave_target(6, 2, 2.0, rng=0)
    >>> X = uniform_sphere(6, 600, rng=1)
    >>> random_start(X, f(X), 2, Block(6, 16), steps=3).directions.shape
    (2, 6)
    """
    X, y, r, generator = _data(X, y, r, block, rng)
    steps = _checks.count("steps", steps)
    coarse = Block(block.d, min(_COARSE, block.M))
    start = fit_splines(uniform_sphere(block.d, r, generator), X, y, coarse)
    first, count = _descend(start, X, y, coarse, r, steps)
    last, more = _descend(fit_splines(first.U, X, y, block), X, y, block, r, _REFINING_STEPS)
    return Learned((last.U,), (last.loss,), count + more)


def _data(
    X: ArrayLike,
    y: ArrayLike,
    r: int,
    block: Block,
    rng: int | np.random.SeedSequence | np.random.Generator,
) -> tuple[Array, Array, int, np.random.Generator]:
    """Check what both searches are given."""
    X = _checks.matrix("X", X, block.d)
    y = np.asarray(y, dtype=np.float64)
    if y.shape != X.shape[:1] or not np.all(np.isfinite(y)):
        raise ValueError(f"y of shape {y.shape} is not allowed: finite values, {X.shape[:1]}")
    r = _checks.count("r", r)
    unknowns = r * (block.M + block.d) + 1
    if X.shape[0] < unknowns:
        raise ValueError(
            f"{X.shape[0]} inputs are not allowed: {unknowns} at least, as many as unknowns"
        )
    require_numbers(
        X.shape[0] * (3.0 * unknowns + 6.0 * _CANDIDATES), f"learning from {X.shape[0]} inputs"
    )
    return X, y, r, np.random.default_rng(rng)


def _screened(residual: Array, X: Array, rng: np.random.Generator) -> Array:
    """Return random directions, those first whose low harmonics explain most of the residual."""
    d = X.shape[1]
    U = uniform_sphere(d, _CANDIDATES, rng)
    P = gegenbauer(d, _SCREENED_DEGREES, np.clip(X @ U.T, -1.0, 1.0))[1:]
    means = np.einsum("kni,n->ki", P, residual) / residual.size
    score = multiplicity(d, np.arange(1, _SCREENED_DEGREES + 1)) @ means**2
    return np.asarray(U[np.argsort(-score)])


def _jacobian(fit: SplineFit, X: Array, k: int) -> Array:
    """Differentiate the residual in the first k directions, shape (n, k d)."""
    scale = math.sqrt(X.shape[1])
    columns = []
    for u, slope in zip(fit.U[:k], fit.slopes.T[:k], strict=True):
        tangent = X - (X @ u)[:, None] * u
        columns.append(scale * slope[:, None] * tangent)
    return -fit.remainder(np.concatenate(columns, axis=1))


def _descend(
    fit: SplineFit, X: Array, y: Array, block: Block, k: int, steps: int, tolerance: float = 1e-3
) -> tuple[SplineFit, int]:
    """Take Levenberg-Marquardt steps in the first k directions while they help."""
    damping = 1e-2
    for step in range(1, steps + 1):
        J = _jacobian(fit, X, k)
        gradient, normal = J.T @ fit.residual, J.T @ J
        diagonal = np.diag(normal) + 1e-9 * np.trace(normal)
        for _ in range(_DAMPINGS):
            change = -np.linalg.solve(normal + damping * np.diag(diagonal), gradient)
            moved = fit.U.copy()
            moved[:k] += change.reshape(k, -1)
            moved /= np.linalg.norm(moved, axis=1)[:, None]
            tried = fit_splines(moved, X, y, block)
            if tried.loss < fit.loss:
                break
            damping *= 4
        else:
            return fit, step
        gain = 1 - tried.loss / fit.loss
        fit, damping = tried, max(damping / 5, _LEAST_DAMPING)
        if gain < tolerance:
            return fit, step
    return fit, steps

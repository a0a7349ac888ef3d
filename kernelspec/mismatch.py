r"""Sampling mismatch kappa(lambda; q) = sup_v l_lambda(v) / (q(v) N(lambda)) >= 1.

The supremum is over the height b only. It is searched on a grid in the angle of the kink, dense
where the leverage has its boundary layers, and every promising grid maximum is then refined.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import elementwise

from kernelspec import _checks, leverage
from kernelspec._tails import knee
from kernelspec.features import BiasedReLU
from kernelspec.laws import Law, RidgeLeverage

__all__ = ["Mismatch", "check_pair", "mismatch", "supremum_over_heights"]

Array = NDArray[np.float64]

LOG_LARGEST: Final = 709.0
_POLE: Final = 1.25 * math.pi  # the position of b = 1
_TINY: Final = 1e-290  # of its maximum: leverage below is taken for none


@dataclass(frozen=True)
class Mismatch:
    """A sampling mismatch and where it is attained.

    Attributes
    ----------
    kappa : float or ndarray
        The mismatch, of the shape of `lam`; inf where a neuron of positive leverage is never drawn.
    b : float or ndarray
        Height of a neuron that attains it (approaches it, if `lam` is 0).
    dof : float or ndarray
        Degrees of freedom N(lambda).
    lam : float or ndarray
        Ridges; 0 for the limit lambda -> 0, inf for lambda -> inf.
    reason : str
        Why the mismatch is infinite; empty if it is not.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, UniformBias
    >>> found = mismatch(BiasedReLU(3), UniformBias(3, 0.5), 1e-3)
    >>> found.kappa, found.reason != ""
    (inf, True)
    """

    kappa: float | Array
    b: float | Array
    dof: float | Array
    lam: float | Array
    reason: str = ""


def too_large(log_kappa: float) -> str:
    """Say that a finite mismatch exceeds float64."""
    return f"it is finite, exp({log_kappa:.6g}), but exceeds the largest float64"


def check_pair(model: BiasedReLU, law: Law) -> None:
    """Say what is wrong unless `model` is a feature family and `law` a law on its neurons.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> check_pair(BiasedReLU(3), GaussianInit(3, 1.0))
    >>> try:
    ...     check_pair(BiasedReLU(3), GaussianInit(5, 1.0))
    ... except ValueError:
    ...     print("the dimensions differ")
    the dimensions differ
    """
    if not isinstance(model, BiasedReLU):
        raise TypeError(f"model = {model!r} is not allowed: a BiasedReLU")
    if not isinstance(law, Law):
        raise TypeError(f"law = {law!r} is not allowed: a sampling law such as GaussianInit")
    if law.d != model.d:
        raise ValueError(f"law = {law!r} is not allowed: a law of the model's d = {model.d}")


def _height(position: Array) -> Array:
    """Height at a position: the kink's angle on [0, pi], then pi + the angle of b from 1/sqrt 2."""
    c = np.cos(np.minimum(position, math.pi))
    return np.where(
        position <= math.pi, -c / np.sqrt(1 + c * c), np.cos(np.minimum(position, _POLE) - _POLE)
    )


def _position(b: float) -> float:
    if b <= math.sqrt(0.5):
        return math.acos(max(-1.0, min(1.0, -b / math.sqrt((1 - b) * (1 + b)))))
    return _POLE - math.acos(min(b, 1.0))


@lru_cache(maxsize=32)
def _grid(d: int, breaks: tuple[float, ...], layer: float) -> list[Array]:
    """Positions, one array for each piece on which the ratio is smooth, ends included."""
    edge = np.geomspace(min(layer, 0.02), 0.25, 14)
    mean = np.pi / 2 + np.linspace(-6, 6, 25) / math.sqrt(d)
    near_zero = np.geomspace(1e-4, 0.3, 12)
    points = np.concatenate(
        [
            np.linspace(0, math.pi, 97),
            [1e-6],
            edge,
            math.pi - edge,
            mean[(mean > 0) & (mean < math.pi)],
            math.pi / 2 + near_zero,
            math.pi / 2 - near_zero,
            math.pi + np.linspace(0, math.pi / 4, 33),
            math.pi + np.geomspace(1e-4, 0.02, 6),
            _POLE - np.geomspace(1e-3, 0.02, 6),
        ]
    )
    cuts = sorted({0.0, math.pi, _POLE, *(_position(b) for b in breaks)})
    pieces = []
    for start, stop in itertools.pairwise(cuts):
        inside = points[(points > start) & (points < stop)]
        # a density may jump at a cut: stay on this side of it by a hair
        hair = 1e-13 if {start, stop} & {_position(b) for b in breaks} else 0.0
        ends = [start + hair, (start + stop) / 2, stop - hair]
        pieces.append(np.unique(np.concatenate([ends, inside])))
    return pieces


def _brackets(x: Array, table: Array, best: Array) -> tuple[Array, NDArray[np.intp]]:
    """Triples of positions around grid maxima that might overtake the best value, and their j.

    A parabola through the three values estimates what lies between the grid points; a maximum is
    dropped if four times that would still not reach the best.
    """
    below, peak, above = table[:-2], table[1:-1], table[2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        left, right = np.diff(x)[:-1, None], np.diff(x)[1:, None]
        fall, rise = (peak - below) / left, (peak - above) / right
        gain = (fall * right - rise * left) ** 2 / (4 * (fall + rise) * (left + right))
        hopeful = (fall >= 0) & (rise >= 0) & ~(peak + 4 * gain + 1e-9 < best) & np.isfinite(peak)
    i, j = np.nonzero(hopeful & np.isfinite(best))
    return np.stack([x[i], x[i + 1], x[i + 2]]), j


def supremum_over_heights(
    law: Law,
    outer: Callable[[Array], Array],
    pairs: Callable[[Array, NDArray[np.intp]], Array],
    layer: float,
) -> tuple[Array, Array]:
    """Maximise log(f_j(b)/q(b)) over b for j = 0..m-1.

    Parameters
    ----------
    law : Law
        q.
    outer : callable
        Heights (n,) -> f, shape (n, m), nonnegative.
    pairs : callable
        Heights (n,) and indices j (n,) -> f_j(b), shape (n,).
    layer : float
        Width of the thinnest boundary layer, in the angle of the kink.

    Returns
    -------
    supremum, b : ndarray
        Of log(f/q) and a maximiser, shape (m,) each.

    Examples
    --------
    max(b, 0)^2/q(b) for d = 3 and tau = 2 is largest at b = 2/3, with the value 32/81:

    >>> from kernelspec.laws import GaussianInit
    >>> def outer(b: Array) -> Array:
    ...     return np.maximum(b, 0)[:, None] ** 2
    >>> def pairs(b: Array, j: NDArray[np.intp]) -> Array:
    ...     return np.maximum(b, 0) ** 2
    >>> log_sup, b = supremum_over_heights(GaussianInit(3, 2.0), outer, pairs, layer=0.1)
    >>> (np.exp(log_sup) * 81).round(9), (b * 3).round(6)
    (array([32.]), array([2.]))
    """
    # a power of two, so that neighbouring ridges share a grid and what was computed on it
    pieces = _grid(law.d, law.breaks, 2.0 ** math.floor(math.log2(layer)))
    values = [outer(_height(x)) for x in pieces]
    # next to underflow f and q have lost their digits, and no law known thins out faster than f
    floor = _TINY * np.max([f.max(axis=0) for f in values], axis=0)

    def log_ratio(f: Array, b: Array, least: Array) -> Array:
        q = law.log_density(b)
        with np.errstate(divide="ignore", invalid="ignore"):
            # where a neuron has no leverage it does not matter that it is never drawn
            return np.where(f > least, np.log(f) - (q if f.ndim == 1 else q[:, None]), -np.inf)

    tables = [log_ratio(f, _height(x), floor) for x, f in zip(pieces, values, strict=True)]
    everywhere = np.concatenate(tables)
    top = everywhere.argmax(axis=0)
    best = everywhere[top, np.arange(top.size)]
    best_b = _height(np.concatenate(pieces))[top]
    brackets = [_brackets(x, table, best) for x, table in zip(pieces, tables, strict=True)]
    left, middle, right = (np.concatenate([x[i] for x, _ in brackets]) for i in range(3))
    j = np.concatenate([index for _, index in brackets])
    if j.size:

        def negative(x: Array, index: Array) -> Array:
            b = _height(x.ravel())
            which = index.ravel().astype(np.intp)
            return -log_ratio(pairs(b, which), b, floor[which]).reshape(x.shape)

        found = elementwise.find_minimum(negative, (left, middle, right), args=(j.astype(float),))
        for value, position, index in zip(-found.f_x, found.x, j, strict=True):
            if value > best[index]:
                best[index], best_b[index] = value, _height(position)
    return best, best_b


def mismatch(model: BiasedReLU, law: Law, lam: ArrayLike) -> Mismatch:
    r"""Compute the sampling mismatch of a law at one or many ridges.

    .. math:: \kappa(\lambda; q) = \sup_v \frac{l_\lambda(v)}{q(v)\, N(\lambda)} \ge 1

    (Bach, JMLR 18(21), 2017). It is 1 for the leverage law itself. The supremum runs over all
    neurons, the wholly active ones (b >= 1/sqrt(2)) up to b = 1 included.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law q, of the same d.
    lam : array_like
        Ridges >= 1e-290.

    Returns
    -------
    Mismatch
        `kappa`, the maximiser `b` and `dof` = N(lambda), each of the shape of `lam`. Relative
        error of `kappa` below 1e-11.

    Raises
    ------
    ValueError, TypeError
        If a ridge is not a finite number >= 1e-290, or the dimensions of model and law differ.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> result = mismatch(BiasedReLU(5), GaussianInit(5, tau=10), [1e-1, 1e-3])
    >>> result.kappa.round(9)
    array([11.98634955, 14.19345183])
    >>> result.b.round(4)
    array([0.3155, 0.0973])
    """
    check_pair(model, law)
    ridge = _checks.ridge(lam)
    flat = np.atleast_1d(ridge).ravel()
    d, s = model.d, model.order
    dof = model.degrees_of_freedom(flat)
    if flat.size == 0:
        return Mismatch(ridge.copy(), ridge.copy(), dof.reshape(ridge.shape), ridge)
    log_sup, b = np.empty_like(flat), np.empty_like(flat)
    searched = np.ones(flat.shape, dtype=bool)
    if isinstance(law, RidgeLeverage) and law.model == model:
        # for lambda <= lambda_0 every (mu + lambda_0)/(mu + lambda) is at most lambda_0/lambda, and
        # neurons about to die, whose leverage is |phi|^2/lambda, approach it: too close to
        # b = -1/sqrt(2) for float64 to hold their heights
        searched = flat > law.lam
        log_sup[:] = np.log(law.lam / flat) + math.log(model.degrees_of_freedom(law.lam))
        b[:] = -math.sqrt(0.5)
    if np.any(searched):
        ridges = flat[searched]
        log_sup[searched], b[searched] = supremum_over_heights(
            law,
            lambda heights: leverage.leverage_outer(d, s, heights, ridges),
            lambda heights, j: leverage.leverage_pairs(d, s, heights, ridges[j]),
            0.3 / knee(d, s, float(ridges.min())),
        )
    log_kappa = log_sup - np.log(dof)
    with np.errstate(over="ignore"):
        kappa = np.exp(log_kappa)
    reason = ""
    if np.any(np.isinf(log_kappa)):
        worst = float(b[np.argmax(log_kappa)])
        reason = f"neurons of height b = {worst:.6g} have positive leverage and are never drawn"
    elif np.any(np.isinf(kappa)):
        reason = too_large(float(log_kappa.max()))
    if ridge.ndim == 0:
        return Mismatch(float(kappa[0]), float(b[0]), float(dof[0]), float(flat[0]), reason)
    shape = ridge.shape
    return Mismatch(kappa.reshape(shape), b.reshape(shape), dof.reshape(shape), ridge, reason)

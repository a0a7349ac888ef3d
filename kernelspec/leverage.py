r"""Ridge leverage l_lambda(v) = sum_k N_k a_k(v)^2/(mu_k + lambda), degrees of freedom N(lambda).

Three cases, by the angle theta of the kink:

* none (dead or wholly active neurons): the degrees k <= s are all there is;
* an angle that the window of :mod:`kernelspec._tails` resolves: exact coefficients up to 2K with
  K ~ 1/theta, and the mean beyond, for any lambda;
* a kink still closer to a pole: exact coefficients up to a fixed degree, Bessel functions between
  (:mod:`kernelspec._edges`), the mean beyond.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec import spectrum
from kernelspec._edges import edge_tail
from kernelspec._tails import MEAN_TERMS, end_correction, first_degree, mean_constant, sum_rule
from kernelspec.harmonics import amplitudes, kink_angle, low_coefficients, one_minus_two_squares
from kernelspec.sphere import multiplicity

__all__ = ["degrees_of_freedom", "leverage_outer", "leverage_pairs"]

Array = NDArray[np.float64]

_BLOCK: Final = 1 << 22  # numbers held at a time
_KEPT: Final = 1 << 19  # numbers in a table worth keeping: 4 MB, at most 32 of them
_LEVELS: Final = 4  # exact coefficients go up to 2^5 times the first degree


def _smallest(lam: Array) -> float:
    """Return a round lower bound of the ridges, so that rules are shared between calls."""
    least = float(lam.min()) if lam.size else 1.0
    return float(10.0 ** min(math.floor(math.log10(least)), 0))


def degrees_of_freedom(d: int, s: int, lam: Array) -> Array:
    """N(lambda), with the sum beyond the last exact degree taken by quadrature.

    Examples
    --------
    >>> degrees_of_freedom(3, 1, np.array([1e-2, 1e-4])).round(4)
    array([ 3.9814, 16.7553])
    """
    flat = lam.ravel()
    rule = sum_rule(d, s, first_degree(d, s), _smallest(flat))
    mu = np.concatenate([rule.mu, rule.tail_mu])
    weight = np.concatenate([rule.trace_weights, rule.tail_trace])
    result = np.empty(flat.size)
    step = max(1, _BLOCK // mu.size)
    for start in range(0, flat.size, step):
        part = slice(start, start + step)
        result[part] = (1 / (mu + flat[part, None])) @ weight
    return result.reshape(lam.shape)


def _low_part(d: int, s: int, b: Array) -> tuple[Array, Array]:
    """N_k a_k^2 for k <= s, shape (s+1, b.size), and mu_0..mu_s."""
    count = multiplicity(d, np.arange(s + 1))[:, None]
    return count * low_coefficients(d, s, b, s) ** 2, spectrum.eigenvalues(d, s, s)


def _classes(d: int, s: int, b: Array) -> list[tuple[int, bool, NDArray[np.intp]]]:
    """Group the kinked neurons by the K = first_degree 2^i their angle needs: (K, edge?, indices).

    Neurons whose coefficients of degree k > s all vanish to float64 are left out.
    """
    theta = kink_angle(b)
    sine = np.sin(theta)
    with np.errstate(divide="ignore", invalid="ignore"):  # d = 2, s = 0: 0 log 0 at the poles
        present = (sine > 0) & (theta < math.pi) & ((d + 2 * s - 2) * np.log(sine) > -690)
    safe = np.where(present, theta, math.pi / 2)
    least = first_degree(d, s)
    # K sin(theta) >= first_degree resolves the mean; being >= 128, it also leaves the window room
    level = np.ceil(np.log2(1 / np.sin(safe))).astype(int)
    groups = []
    for i in np.unique(np.minimum(level[present], _LEVELS + 1)):
        chosen = present & ((level == i) if i <= _LEVELS else (level > _LEVELS))
        groups.append((least << min(int(i), _LEVELS), bool(i > _LEVELS), np.flatnonzero(chosen)))
    return groups


def _mean_factors(d: int, s: int, b: Array) -> Array:
    """E |w|^2s sin^(2 nu - 2) sin^(-2j), shape (MEAN_TERMS, b.size)."""
    squared = (1 - b) * (1 + b)
    sine_squared = one_minus_two_squares(b) / squared
    base = mean_constant(d, s) * squared**s * sine_squared ** (d / 2 + s - 1)
    return base * sine_squared ** -np.arange(MEAN_TERMS)[:, None]


def _edge_head(d: int, s: int, b: Array, K: int) -> tuple[Array, Array]:
    """Eigenvalues and squares, shape (q, b.size), of the exact degrees s < k next to a pole.

    The last few carry the end correction of the integral that follows.
    """
    degrees, corrections = end_correction(K)
    weight = np.ones(int(degrees[-1]) + 1)
    weight[K + 1 :] = 0.0
    weight[degrees] += corrections
    squares = _squares(d, s, b, int(degrees[-1])) * weight[s + 1 :, None]
    return spectrum.eigenvalues(d, s, int(degrees[-1]))[s + 1 :], squares


@lru_cache(maxsize=32)
def _kept_squares(d: int, s: int, heights: bytes, degree: int) -> Array:
    return np.asarray(amplitudes(d, s, np.frombuffer(heights), degree)[s + 1 :] ** 2)


def _squares(d: int, s: int, b: Array, degree: int) -> Array:
    """N_k a_k^2 for s < k <= degree; kept for small tables, since searches return to their grid."""
    if b.size * degree <= _KEPT:
        return _kept_squares(d, s, b.tobytes(), degree)
    return np.asarray(amplitudes(d, s, b, degree)[s + 1 :] ** 2)


def _blocks(index: NDArray[np.intp], row: int) -> list[NDArray[np.intp]]:
    """Cut the indices so that rows of the given length stay within the memory of one block."""
    step = max(1, _BLOCK // row)
    return [index[start : start + step] for start in range(0, index.size, step)]


def leverage_outer(d: int, s: int, b: Array, lam: Array) -> Array:
    """l_lambda(b) for every pair of the vectors b and lam, shape (b.size, lam.size).

    Examples
    --------
    >>> leverage_outer(3, 1, np.array([0.0, 0.5]), np.array([1e-2, 1e-3, 1e-4])).shape
    (2, 3)
    """
    smallest = _smallest(lam)
    low, mu_low = _low_part(d, s, b)
    result = low.T @ (1 / (mu_low[:, None] + lam))
    for K, edge, index in _classes(d, s, b):
        if edge:
            for part in _blocks(index, K + 4000):
                mu, squares = _edge_head(d, s, b[part], K)
                result[part] += squares.T @ (1 / (mu[:, None] + lam))
                mu, squares = edge_tail(d, s, b[part], K, smallest)
                for i, neuron in enumerate(part):
                    used = squares[i] > 0
                    result[neuron] += squares[i, used] @ (1 / (mu[i, used, None] + lam))
            continue
        rule = sum_rule(d, s, K, smallest)
        smooth = rule.mean_rows @ (1 / (rule.mean_mu[:, None] + lam))
        damped = rule.window[s + 1 :, None] / (rule.mu[s + 1 :, None] + lam)
        for part in _blocks(index, rule.degree):
            squares = _squares(d, s, b[part], rule.degree)
            result[part] += squares.T @ damped + _mean_factors(d, s, b[part]).T @ smooth
    return result


def leverage_pairs(d: int, s: int, b: Array, lam: Array) -> Array:
    """l_lambda(b) for corresponding entries of the vectors b and lam.

    Examples
    --------
    >>> b, lam = np.array([0.0, 0.5]), np.array([1e-2, 1e-3])
    >>> outer = leverage_outer(3, 1, b, lam)
    >>> bool(np.allclose(leverage_pairs(3, 1, b, lam), np.diag(outer), rtol=1e-11))
    True
    """
    smallest = _smallest(lam)
    low, mu_low = _low_part(d, s, b)
    result: Array = (low / (mu_low[:, None] + lam)).sum(axis=0)
    for K, edge, index in _classes(d, s, b):
        if edge:
            for part in _blocks(index, K + 4000):
                mu, squares = _edge_head(d, s, b[part], K)
                result[part] += (squares / (mu[:, None] + lam[part])).sum(axis=0)
                mu, squares = edge_tail(d, s, b[part], K, smallest)
                result[part] += (squares / (mu + lam[part, None])).sum(axis=1)
            continue
        rule = sum_rule(d, s, K, smallest)
        for part in _blocks(index, 4 * rule.degree):
            squares = amplitudes(d, s, b[part], rule.degree)[s + 1 :] ** 2
            damped = rule.window[s + 1 :, None] / (rule.mu[s + 1 :, None] + lam[part])
            smooth = rule.mean_rows @ (1 / (rule.mean_mu[:, None] + lam[part]))
            result[part] += (squares * damped).sum(axis=0)
            result[part] += (smooth * _mean_factors(d, s, b[part])).sum(axis=0)
    return result

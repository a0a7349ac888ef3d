r"""Rules for sums over all degrees.

A sum over k of a smooth function of kap = k + (d-2)/2 is an integral from K + 1/2 on, up to the
terms of Gauss's summation formula in central differences; the integral is taken in y = 1/kap.

A neuron's squared coefficients oscillate about a mean that is known to all orders. Where its kink
has angle theta, u(theta) = (sin theta)^nu P_n^{(d+2s+2)}(cos theta), nu = (d+2s)/2, solves
u'' + (kap^2 - nu(nu-1)/sin^2 theta) u = 0, and the non-oscillating solution of the equation of its
square (Appell 1880) is a series in 1/sin^2 theta, whence

.. math::
    \overline{N_k a_k^2} = E\,|w|^{2s} (\sin\theta)^{2\nu-2} \prod_{i=0}^{s}
    \Bigl(\kappa^2 - \bigl(\tfrac{d-2}{2}+i\bigr)^2\Bigr)^{-1}
    \sum_j c_j(\kappa) (\sin\theta)^{-2j}, \quad
    \frac{c_{j+1}}{c_j} = \frac{(j+\frac12)(j+\nu)(\nu-1-j)}{(j+1)(\kappa^2-(j+1)^2)}.

A smooth window that closes between K and 2K removes the oscillation, so degrees beyond 2K enter
through their mean alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from kernelspec import spectrum
from kernelspec._gamma import half_step
from kernelspec.harmonics import leading_constant

__all__ = [
    "MEAN_TERMS",
    "SumRule",
    "end_correction",
    "first_degree",
    "knee",
    "mean_constant",
    "mean_series",
    "sum_rule",
    "tail_nodes",
]

Array = NDArray[np.float64]

MEAN_TERMS: Final = 12
# sum_{k>K} f(k) - int_{K+1/2} f = sum_j G_j delta^{2j-1} f(K+1/2)
_GAUSS: Final = (1 / 24, -17 / 5760, 367 / 967680, -27859 / 464486400)
_PANEL_NODES: Final = 24


def first_degree(d: int, s: int) -> int:
    """Least K from which the mean over a kink at theta = pi/2 is accurate to rounding."""
    return max(128, 6 * (d + 2 * s))


def knee(d: int, s: int, lam: float) -> float:
    """Return the kap at which mu ~ A kap^-(d+2s) falls to lambda."""
    return math.exp((spectrum.eigenvalue_constant(d, s)[1] - math.log(lam)) / (d + 2 * s))


def end_correction(K: int) -> tuple[NDArray[np.int64], Array]:
    """Degrees around K and their weights in sum_{k>K} minus the integral from K + 1/2 (Gauss)."""
    half = len(_GAUSS)
    corrections = np.zeros(2 * half)
    for j, c in enumerate(_GAUSS, start=1):
        difference = [(-1) ** (i + 1) * math.comb(2 * j - 1, i) for i in range(2 * j)]
        corrections[half - j : half + j] += c * np.array(difference, dtype=float)
    return np.arange(K - half + 1, K + half + 1), corrections


def tail_nodes(d: int, s: int, K: int, smallest: float) -> tuple[Array, Array]:
    """Nodes kap and weights for sums over k > K of functions of mu_k/(mu_k + lambda).

    Such a function has poles at angles pi/(d+2s) in y = 1/kap around mu = lambda; panels whose
    half, in log y, is shorter than that angle cover every lambda >= `smallest`.
    """
    M = d + 2 * s
    shift = (d - 2) / 2
    degrees, corrections = end_correction(K)
    y_max = 1 / (K + 0.5 + shift)
    y_min = min(y_max, 1 / (8 * knee(d, s, smallest)))
    panels = math.ceil(math.log(y_max / y_min) / min(math.log(2), 4 / M)) if y_min < y_max else 0
    edges = np.concatenate(
        [[0.0], y_min * (y_max / y_min) ** (np.arange(panels + 1) / max(panels, 1))]
    )
    x, weight = np.polynomial.legendre.leggauss(_PANEL_NODES)
    width = np.diff(edges)[:, None]
    y = (edges[:-1, None] + width * (x + 1) / 2).ravel()
    measure = (width * weight / 2).ravel() / y**2
    return np.concatenate([degrees + shift, 1 / y]), np.concatenate([corrections, measure])


def mean_constant(d: int, s: int) -> float:
    r"""E = C^2 (2/sqrt(pi)) (d-1)_{2s+1} Gamma(nu+1/2)/Gamma(nu), C the leading constant of a_k."""
    rising = math.prod(range(d - 1, d + 2 * s))
    return leading_constant(d, s) ** 2 * 2 / math.sqrt(math.pi) * rising / half_step(d / 2 + s)


def mean_series(d: int, s: int, kappa: Array) -> Array:
    """c_j(kap)/prod (kap^2 - ...), shape (MEAN_TERMS, kap.size)."""
    nu = d / 2 + s
    squared = kappa * kappa
    rows = np.empty((MEAN_TERMS, kappa.size))
    row = np.ones_like(kappa)
    for i in range(s + 1):
        row = row / (squared - ((d - 2) / 2 + i) ** 2)
    for j in range(MEAN_TERMS):
        rows[j] = row
        row = row * ((j + 0.5) * (j + nu) * (nu - 1 - j) / (j + 1)) / (squared - (j + 1) ** 2)
    return rows


@dataclass(frozen=True)
class SumRule:
    """Everything about the degrees that does not depend on the neuron.

    Attributes
    ----------
    degree : int
        2K, the largest degree whose coefficient is evaluated.
    window : ndarray
        Shape (2K + 1,), the weight of the exact coefficient, 1 up to K, falling to 0 at 2K.
    mu : ndarray
        Shape (2K + 1,), eigenvalues.
    trace_weights : ndarray
        Shape (2K + 1,), N_k mu_k.
    mean_mu, mean_rows : ndarray
        Eigenvalues at the nodes of the mean, and for each power of 1/sin^2 theta their weights.
    tail_mu, tail_trace : ndarray
        Eigenvalues and N mu (times the weight) at the nodes for k > 2K.
    """

    degree: int
    window: Array
    mu: Array
    trace_weights: Array
    mean_mu: Array
    mean_rows: Array
    tail_mu: Array
    tail_trace: Array


@lru_cache(maxsize=32)
def sum_rule(d: int, s: int, K: int, smallest: float) -> SumRule:
    """Build the rule with window [K, 2K], for ridges >= `smallest`."""
    shift = (d - 2) / 2
    degree = 2 * K
    k = np.arange(degree + 1)
    window = erfc(6 * (2 * (k - K) / K - 1)) / 2
    window[:K], window[degree] = 1.0, 0.0
    mu = spectrum.eigenvalues(d, s, degree)
    kappa, weight = tail_nodes(d, s, degree, smallest)
    tail_mu = spectrum.eigenvalue_at(d, s, kappa)
    mean_kappa = np.concatenate([k[K:] + shift, kappa])
    mean_weight = np.concatenate([1 - window[K:], weight])
    return SumRule(
        degree=degree,
        window=window,
        mu=mu,
        trace_weights=spectrum.weights(d, s, degree),
        mean_mu=np.concatenate([mu[K:], tail_mu]),
        mean_rows=mean_series(d, s, mean_kappa) * mean_weight,
        tail_mu=tail_mu,
        tail_trace=spectrum.weight_at(d, s, kappa) * weight,
    )

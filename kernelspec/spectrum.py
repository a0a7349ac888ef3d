r"""Mercer eigenvalues of the kernel on S^{d-1} in closed form, one term per degree.

With L = (d+2s)/2, kap = k + (d-2)/2 and n = k-s-1 = kap - L,

.. math::
    \mu_k = \frac{(s!)^2}{2\pi (d)_{2s+1}} \frac{2^{2L-3/2}\Gamma(L)\Gamma(L+1)}{\pi}
    \frac{\Gamma(n+\frac12)}{\Gamma(n+2L+\frac12)}
    \,{}_3F_2\!\left(\tfrac12,\tfrac12,L;\ \tfrac12-n,\ n+2L+\tfrac12;\ \tfrac12\right)

for k > s; for k <= s the harmonic coefficient of the polynomial part of the kernel is added.
The terms of the 3F2 depend on k through kap^2 only.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kernelspec._gamma import half_step, log_symmetric_ratio
from kernelspec.arccosine import angle_polynomial
from kernelspec.sphere import multiplicity

__all__ = [
    "eigenvalue_at",
    "eigenvalue_constant",
    "eigenvalues",
    "log_eigenvalues",
    "log_multiplicity_at",
    "polynomial_part",
    "weight_at",
    "weights",
]

_CHUNK = 1 << 14
_SMALL = 64  # from this n on, the 3F2 is summed to its smallest term; the rest is below e^{-n}
_LOG_TINY = -700.0  # products below e^{-700} lose digits to gradual underflow


def _leading(d: int, s: int) -> float:
    """Return the factor of the 3F2 at n = 0, where the Gamma functions collapse to half steps."""
    L = (d + 2 * s) / 2
    angle = math.factorial(s) ** 2 / (2 * math.pi * math.prod(range(d, d + 2 * s + 1)))
    return angle * 2 * L * half_step(L) * half_step(2 * L) / math.sqrt(8)


def _hypergeometric(L: float, kappa: NDArray[np.float64]) -> NDArray[np.float64]:
    """3F2(1/2, 1/2, L; 1/2 - n, n + 2L + 1/2; 1/2) by its series in kap, relative error ~ eps.

    The Pochhammer symbols of the lower parameters combine to prod ((L + 1/2 + j)^2 - kap^2).
    """
    squared = kappa * kappa
    term = np.ones_like(kappa)
    total = np.ones_like(kappa)
    # the terms bottom out near j = n and, where n is small, rise once more before they die as 2^-j
    least = int(2 * max(float(kappa.max()) - L, 0)) if kappa.min() - L < _SMALL else 0
    for j in range(10 * _SMALL):
        term = term * ((j + 0.5) ** 2 * (L + j) / (2 * (j + 1)) / ((L + 0.5 + j) ** 2 - squared))
        total += term
        if j >= least and np.all(np.abs(term) <= 1e-18 * np.abs(total)):
            break
    return total


def _gamma_products(M: int, count: int) -> NDArray[np.float64]:
    """prod_{i<M} (i+1/2)/(n+i+1/2) for n = 0..count-1; symmetric in n and M, so take the shorter.

    Every factor is below 1: nothing overflows, and what underflows is too small for float64.
    """
    head = np.arange(min(count, M + 1))
    products = np.empty(count)
    products[: head.size] = np.cumprod(np.append(1.0, (head + 0.5) / (M + head + 0.5)))[: head.size]
    for start in range(head.size, count, _CHUNK):
        n = np.arange(start, min(start + _CHUNK, count), dtype=np.float64)
        if -log_symmetric_ratio(n[:1] + M / 2, M / 2)[0] + math.lgamma(M + 0.5) < -760:
            products[start:] = 0.0
            break
        block = np.ones_like(n)
        for i in range(M):
            block *= (i + 0.5) / (n + (i + 0.5))
        products[start : start + n.size] = block
    return products


@lru_cache(maxsize=32)
def polynomial_part(d: int, s: int) -> tuple[float, ...]:
    r"""E[p(t) P_k(t)] for k = 0..s, p the polynomial half of the kernel.

    By Rodrigues' formula :math:`E_d[f P_k] = E_{d+2k}[f^{(k)}] / (2^k (d/2)_k)`, and (1+t)/2 is a
    Beta variable; all terms are positive.

    Examples
    --------
    >>> len(polynomial_part(3, 2))
    3
    """
    scale = 2 * math.prod((d + 1) / 2 + i for i in range(s))
    parts = []
    for k in range(s + 1):
        beta = (d + 2 * k - 1) / 2
        mean = sum(
            float(c)
            * math.perm(power, k)
            / 2**k
            * math.prod((beta + i) / (2 * beta + i) for i in range(power - k))
            for power, c in enumerate(angle_polynomial(s))
            if power >= k
        )
        parts.append(mean / (scale * 2**k * math.prod(d / 2 + i for i in range(k))))
    return tuple(parts)


def eigenvalues(d: int, s: int, max_degree: int) -> NDArray[np.float64]:
    """mu_0..mu_K; relative error <= 1e-12 wherever float64 holds the value.

    Examples
    --------
    >>> eigenvalues(3, 1, 2).round(6)
    array([0.15625 , 0.028101, 0.001636])
    """
    L, M = (d + 2 * s) / 2, d + 2 * s
    mu = np.empty(max_degree + 1)
    if max_degree > s:
        products = _gamma_products(M, max_degree - s)
        n = np.arange(max_degree - s, dtype=np.float64)
        factor = np.empty_like(n)
        edges = [0, *range(_SMALL, n.size, _CHUNK), n.size] if n.size > _SMALL else [0, n.size]
        for start, stop in itertools.pairwise(edges):
            if products[start] == 0.0:
                factor[start:stop] = 1.0
                continue
            factor[start:stop] = _hypergeometric(L, n[start:stop] + L)
        mu[s + 1 :] = _leading(d, s) * products * factor
    product = 1.0
    for k in range(s, -1, -1):
        n_low = k - s - 1
        product *= (n_low + M + 0.5) / (n_low + 0.5)
        if k <= max_degree:
            hyper = _hypergeometric(L, np.array([n_low + L]))[0]
            mu[k] = _leading(d, s) * product * hyper + polynomial_part(d, s)[k]
    return mu


def _log_tail(d: int, s: int, kappa: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log mu at real kap, n >= 64."""
    L = (d + 2 * s) / 2
    constant = math.log(_leading(d, s)) + math.lgamma(2 * L + 0.5) - math.lgamma(0.5)
    series = np.empty_like(kappa)
    for start in range(0, kappa.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        series[part] = np.log(_hypergeometric(L, kappa[part]))
    return np.asarray(constant - log_symmetric_ratio(kappa, L) + series)


def log_eigenvalues(d: int, s: int, max_degree: int) -> NDArray[np.float64]:
    """Natural logarithms of mu_0..mu_K, relative error <= 1e-13, also where mu_k underflows.

    Examples
    --------
    Also where float64 holds no eigenvalue:

    >>> float(eigenvalues(500, 1, 2000)[2000]), float(log_eigenvalues(500, 1, 2000)[2000].round(2))
    (0.0, -1274.61)
    """
    mu = eigenvalues(d, s, max_degree)
    with np.errstate(divide="ignore"):
        logs = np.log(mu)
    tiny = np.flatnonzero(logs < _LOG_TINY)
    if tiny.size:
        logs[tiny] = _log_tail(d, s, tiny.astype(np.float64) + (d - 2) / 2)
    return logs


def eigenvalue_at(d: int, s: int, kappa: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluate the closed form at real kap = k + (d-2)/2, for n = kap - L >= 64.

    Examples
    --------
    >>> float(round(eigenvalue_at(3, 1, np.array([100.5]))[0] / eigenvalues(3, 1, 100)[100], 12))
    1.0
    """
    return np.asarray(np.exp(_log_tail(d, s, kappa)))


def log_multiplicity_at(d: int, kappa: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log N at real kap: N = 2 kap Gamma(kap + (d-2)/2) / (Gamma(d-1) Gamma(kap - (d-2)/2 + 1)).

    Examples
    --------
    >>> np.exp(log_multiplicity_at(3, np.array([1.5, 2.5]))).round(9)
    array([3., 5.])
    """
    ratio = log_symmetric_ratio(kappa, (d - 3) / 2)
    return np.asarray(np.log(2 * kappa) - math.lgamma(d - 1) + ratio)


def weight_at(d: int, s: int, kappa: NDArray[np.float64]) -> NDArray[np.float64]:
    """N mu at real kap, which decays as kap^{-2s-2} however large d is.

    Examples
    --------
    >>> float(round(weight_at(3, 1, np.array([100.5]))[0] / weights(3, 1, 100)[100], 12))
    1.0
    """
    return np.asarray(np.exp(log_multiplicity_at(d, kappa) + _log_tail(d, s, kappa)))


def weights(d: int, s: int, max_degree: int) -> NDArray[np.float64]:
    """N_k mu_k for k = 0..K; they sum to K(1).

    Examples
    --------
    >>> round(float(weights(3, 1, 2000).sum()), 6)
    0.25
    """
    mu = eigenvalues(d, s, max_degree)
    count = multiplicity(d, np.arange(max_degree + 1))
    direct = (mu > 1e-300) & (count < 1e300)
    product = np.where(direct, mu, 0.0) * np.where(direct, count, 0.0)
    rest = np.flatnonzero(~direct)
    product[rest] = weight_at(d, s, rest.astype(np.float64) + (d - 2) / 2)
    return np.asarray(product)


def eigenvalue_constant(d: int, s: int) -> tuple[float, float]:
    r"""Return A and log A in mu_k ~ A kap^{-(d+2s)}.

    Examples
    --------
    >>> A, log_A = eigenvalue_constant(3, 1)
    >>> float(round(eigenvalues(3, 1, 1000)[1000] * 1000.5**5 / A, 4))
    1.0
    """
    L = (d + 2 * s) / 2
    log_constant = math.log(_leading(d, s)) + math.lgamma(2 * L + 0.5) - math.lgamma(0.5)
    return math.exp(log_constant) if log_constant < 709 else math.inf, log_constant

r"""Sums over k > K for kinks so near a pole that 1/theta exceeds the degrees one can afford.

There u(theta) = (sin theta)^nu P_n(cos theta) is a Bessel function: with a = nu(nu-1),
kap~^2 = kap^2 - a/3 and zeta = theta - a theta^3/(90 kap~^2),

.. math::
    u \simeq \Gamma(\nu+\tfrac12) \Bigl(\frac{2}{\tilde\kappa}\Bigr)^{\nu-1/2}
    \sqrt{\zeta/\zeta'}\; J_{\nu-1/2}(\tilde\kappa \zeta),

the Hilb approximation (Szegő, *Orthogonal Polynomials*, §8.21) with its first correction: 1/sin^2
is matched through theta^2, which leaves an error in the phase of
a theta^5/(945 kap) + a(4a-3) theta/(180 kap^3) to leading order.
As a function of kap it varies on the scale 1/theta, so the sum is an integral; it is followed
until kap theta resolves the mean, where the window of :mod:`kernelspec._tails` hands over to it.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc, gammaln, jv

from kernelspec import spectrum
from kernelspec._tails import first_degree, knee, mean_constant, mean_series
from kernelspec.harmonics import kink_angle, leading_constant, one_minus_two_squares

__all__ = ["edge_tail"]

Array = NDArray[np.float64]

_NODES: Final = 24


def _panels(start: float, theta: float, turn: float, last: float, M: int) -> Array:
    """Edges in kap: geometric, yet no longer than 8/theta while the integrand oscillates.

    The square then turns by 16 radians on a panel, which 24 nodes integrate to rounding.
    """
    ratio = math.exp(min(math.log(2), 4 / M))
    edges = [start]
    while edges[-1] < max(2 * turn / theta, last):
        kappa = edges[-1]
        step = kappa * ratio
        edges.append(min(step, kappa + 8 / theta) if kappa < 2 * turn / theta else step)
    return np.array([*edges, math.inf])


def _bessel_squares(d: int, s: int, kappa: Array, theta: Array) -> Array:
    """N u^2 for kap of shape (n, q) and theta of shape (n, 1), without its powers of sin theta."""
    nu = d / 2 + s
    a = nu * (nu - 1)
    reduced = np.sqrt(kappa * kappa - a / 3)
    bend = a * theta**2 / (90 * reduced**2)
    stretch = theta * (1 - bend) / (1 - 3 * bend)
    log_scale = (
        spectrum.log_multiplicity_at(d, kappa)
        + 2 * gammaln(nu + 0.5)
        - (2 * nu - 1) * np.log(reduced / 2)
    )
    return np.asarray(np.exp(log_scale) * stretch * jv(nu - 0.5, reduced * theta * (1 - bend)) ** 2)


def edge_tail(d: int, s: int, b: Array, K: int, smallest: float) -> tuple[Array, Array]:
    """Eigenvalues and weights, shape (b.size, q): sum_{k>K} N_k a_k^2 f(mu_k) as a weighted sum.

    The end correction of Gauss's summation formula at K + 1/2 is not included.
    """
    M = d + 2 * s
    angle = kink_angle(b)
    theta = np.minimum(angle, math.pi - angle)
    turn = 1.05 * first_degree(d, s)
    x, weight = np.polynomial.legendre.leggauss(_NODES)
    rows = []
    for t in theta:
        inverse = 1 / _panels(K + 0.5 + (d - 2) / 2, float(t), turn, 8 * knee(d, s, smallest), M)
        width = -np.diff(inverse)[:, None]
        y = (inverse[1:, None] + width * (x + 1) / 2).ravel()
        rows.append((1 / y, (width * weight / 2).ravel() / y**2))
    size = max(kappa.size for kappa, _ in rows)
    kappa = np.full((b.size, size), 1e6)
    measure = np.zeros((b.size, size))
    for i, (nodes, weights) in enumerate(rows):
        kappa[i, : nodes.size], measure[i, : nodes.size] = nodes, weights
    theta = theta[:, None]
    near = erfc(6 * (2 * (kappa * theta - turn) / turn - 1)) / 2
    sine_squared = (one_minus_two_squares(b) / ((1 - b) * (1 + b)))[:, None]
    common = (((1 - b) * (1 + b)) ** s)[:, None] * sine_squared ** (d / 2 + s - 1)
    squares = np.zeros_like(kappa)
    inside = near > 1e-18
    exact = _bessel_squares(d, s, np.where(inside, kappa, 2 * K), theta)
    squares[inside] = (leading_constant(d, s) ** 2 * near * exact)[inside]
    beyond = (near < 1) & (kappa * theta > turn)
    series = mean_series(d, s, np.where(beyond, kappa, 1e6).ravel())
    powers = sine_squared ** -np.arange(len(series))
    mean = mean_constant(d, s) * np.einsum("jnq,nj->nq", series.reshape(-1, *kappa.shape), powers)
    squares += np.where(beyond, (1 - near) * mean, 0.0)
    mu = spectrum.eigenvalue_at(d, s, kappa.ravel()).reshape(kappa.shape)
    return mu, common * squares * measure

"""Slow oracles for the numerical core: definitions evaluated by mpmath and by long sums.

Nothing here imports kernelspec. Heights and ridges given as floats are taken exactly.
"""

from __future__ import annotations

import math
from functools import lru_cache

import mpmath
import numpy as np
from mpmath import mp, mpf

DIGITS = 50


def _precise(function):
    """Run at 50 digits and leave mpmath's precision as it was."""

    def wrapped(*args):
        with mp.workdps(DIGITS):
            return function(*args)

    return lru_cache(maxsize=None)(wrapped)


# --- harmonics -----------------------------------------------------------------------------------


def multiplicity(d, k):
    """Coefficient of x^k in (1+x)/(1-x)^(d-1), an exact integer."""

    def power_series(j):
        return math.comb(d - 2 + j, j) if j >= 0 else 0

    return power_series(k) + power_series(k - 1)


@_precise
def gegenbauer(d, k, t):
    """P_k^{(d)}(t) = 2F1(-k, k+d-2; (d-1)/2; (1-t)/2); what is below 2^-200 counts as zero."""
    return mp.hyp2f1(-k, k + d - 2, mpf(d - 1) / 2, (1 - mpf(t)) / 2, zeroprec=200)


def density_constant(d):
    return mp.gamma(mpf(d) / 2) / (mp.sqrt(mp.pi) * mp.gamma(mpf(d - 1) / 2))


def gauss(function, start, stop, panels):
    """Composite Gauss-Legendre rule: 40 nodes a panel."""
    x, w = _legendre(40)
    width = (stop - start) / panels
    total = mpf(0)
    for i in range(panels):
        left = start + i * width
        total += mp.fsum(w_j * function(left + width * x_j) for x_j, w_j in zip(x, w, strict=True))
    return total * width


@_precise
def _legendre(n):
    """Nodes and weights on [0, 1] by Newton's method from the float64 rule."""
    nodes, _ = np.polynomial.legendre.leggauss(n)
    xs, ws = [], []
    for start in nodes:
        x = mpf(float(start))
        for _ in range(4):
            before, value = mpf(1), x
            for j in range(1, n):
                before, value = value, ((2 * j + 1) * x * value - j * before) / (j + 1)
            slope = n * (before - x * value) / (1 - x * x)
            x -= value / slope
        xs.append((x + 1) / 2)
        ws.append(1 / ((1 - x * x) * slope * slope))
    return xs, ws


# --- neurons -------------------------------------------------------------------------------------


def kink_angle(b):
    """Angle from w within which the neuron is active."""
    b = mpf(b)
    w = mp.sqrt(1 - b * b)
    if abs(b) >= w:
        return mp.pi if b > 0 else mpf(0)
    return mp.acos(-b / w)


@_precise
def coefficient(d, s, b, k):
    """a_k from its definition, E_t[max(|w| t + b, 0)^s P_k(t)], by quadrature in the angle."""
    b = mpf(b)
    w = mp.sqrt(1 - b * b)

    def integrand(phi):
        t = mp.cos(phi)
        return (w * t + b) ** s * _gegenbauer_at(d, k, t) * mp.sin(phi) ** (d - 2)

    return density_constant(d) * gauss(integrand, mpf(0), kink_angle(b), 2 + k // 15 + d // 30)


def _gegenbauer_at(d, k, t):
    before, value = mpf(1), t
    for j in range(1, k):
        before, value = value, ((2 * j + d - 2) * t * value - j * before) / (j + d - 2)
    return value if k else mpf(1)


@_precise
def squared_norm(d, s, b):
    """|phi_v|^2 = E_t[max(|w| t + b, 0)^(2s)] by quadrature."""
    b = mpf(b)
    w = mp.sqrt(1 - b * b)
    return density_constant(d) * gauss(
        lambda phi: (w * mp.cos(phi) + b) ** (2 * s) * mp.sin(phi) ** (d - 2),
        mpf(0),
        kink_angle(b),
        3 + d // 20,
    )


# --- the kernel and its eigenvalues --------------------------------------------------------------


@_precise
def kernel(d, s, t):
    """K(t) by Cho & Saul's integral over the angle of a Gaussian pair in polar coordinates."""
    theta = mp.acos((1 + mpf(t)) / 2)
    integral = gauss(
        lambda phi: (mp.cos(phi) * mp.cos(phi - theta)) ** s, theta - mp.pi / 2, mp.pi / 2, 2
    )
    return 2**s * mp.factorial(s) / (2 * mp.pi) * integral / mp.rf(mpf(d + 1) / 2, s)


@_precise
def kernel_at_one(d, s):
    """E_pi |phi_v(x)|^2 for one x: b is the coordinate of a uniform point along (x, 1)."""
    moment = mp.gamma(s + mpf(1) / 2) * mp.gamma(mpf(d + 1) / 2) / mp.gamma(mpf(d + 1) / 2 + s)
    return 2**s * moment / (2 * mp.sqrt(mp.pi))


@_precise
def eigenvalue(d, s, k):
    """mu_k by the closed form with mpmath's 3F2; for k <= s, s != 1, by quadrature."""
    L, n = mpf(d + 2 * s) / 2, k - s - 1
    half = mpf(1) / 2
    factor = mp.factorial(s) ** 2 / (2 * mp.pi * mp.rf(d, 2 * s + 1))
    factor *= mpf(2) ** (2 * L - 3 * half) * mp.gamma(L) * mp.gamma(L + 1) / mp.pi
    factor *= mp.gamma(n + half) / mp.gamma(n + 2 * L + half)
    value = factor * mp.hyp3f2(half, half, L, half - n, n + 2 * L + half, half)
    if k > s:
        return value
    if s != 1:
        return funk_hecke(d, s, k)
    return value + (mpf(1) / (2 * (d + 1)) if k == 0 else mpf(1) / (2 * d * (d + 1)))


@_precise
def funk_hecke(d, s, k):
    """mu_k = E_t[K(t) P_k(t)], the Funk-Hecke formula, by quadrature in the angle."""

    def integrand(phi):
        t = mp.cos(phi)
        return _kernel_recurrence(d, s, t) * _gegenbauer_at(d, k, t) * mp.sin(phi) ** (d - 2)

    return density_constant(d) * gauss(integrand, mpf(0), mp.pi, 4 + k // 15 + d // 10)


def _kernel_recurrence(d, s, t):
    """K(t) from integrals of powers of cosines, by parts: int cos^s(phi) cos^s(phi - theta)."""
    u = (1 + t) / 2
    sine, supplement = mp.sqrt(1 - u * u), mp.pi - mp.acos(u)
    # product formula: cos(phi) cos(phi - theta) = (cos theta + cos(2 phi - theta))/2, so that the
    # integral is one of (u + cos x)^s over |x| < pi - theta, expanded by the binomial theorem
    powers = [2 * supplement, 2 * sine]
    for m in range(2, s + 1):
        powers.append(2 * sine * (-u) ** (m - 1) / m + mpf(m - 1) / m * powers[m - 2])
    total = sum(math.comb(s, m) * u ** (s - m) * powers[m] for m in range(s + 1))
    return mp.factorial(s) / (4 * mp.pi) * total / mp.rf(mpf(d + 1) / 2, s)


# --- long sums with exact remainders -------------------------------------------------------------


@lru_cache(maxsize=8)
def _eigenvalues(d, s, K):
    """mu_0..mu_K, the low ones by Funk-Hecke unless s = 1."""
    closed = [s == 1 or k > s for k in range(K + 1)]
    return [(eigenvalue if closed[k] else funk_hecke)(d, s, k) for k in range(K + 1)]


def _sum_with_remainder(squares, mu, total, lam):
    """[total - sum w mu/(mu + lambda)]/lambda and a bound on what the cut sum still takes off.

    The weights w beyond the cut sum to total less those kept, and mu falls.
    """
    kept = mp.fsum(w * m / (m + lam) for w, m in zip(squares, mu, strict=True))
    rest = total - mp.fsum(squares)
    return (total - kept) / lam, abs(rest) * mu[-1] / (lam * (mu[-1] + lam))


@_precise
def degrees_of_freedom(d, s, lam, K):
    """N(lambda) by its first K degrees and the exact remainder; the error that is left."""
    mu = _eigenvalues(d, s, K)
    weights = [multiplicity(d, k) * m for k, m in enumerate(mu)]
    return _sum_with_remainder(weights, mu, kernel_at_one(d, s), mpf(lam))


@_precise
def leverage(d, s, b, lam, K):
    """l_lambda likewise."""
    return _sum_with_remainder(
        squares(d, s, b, K), _eigenvalues(d, s, K), squared_norm(d, s, b), mpf(lam)
    )


@_precise
def squares(d, s, b, K):
    """N_k a_k^2 for k = 0..K; for k > s by Rodrigues' formula and the three-term recurrence."""
    low = [coefficient(d, s, b, k) for k in range(s + 1)]
    b = mpf(b)
    w = mp.sqrt(1 - b * b)
    a = low + [mpf(0)] * (K - s)
    if abs(b) < w:
        c = -b / w
        factor = (
            w**s * mp.factorial(s) * density_constant(d) * (1 - c * c) ** (mpf(d + 2 * s - 1) / 2)
        )
        factor /= mp.fprod(d - 1 + 2 * i for i in range(s + 1))
        D = d + 2 * s + 2
        before, value = mpf(0), mpf(1)
        for n in range(K - s):
            a[n + s + 1] = factor * value
            before, value = value, ((2 * n + D - 2) * c * value - n * before) / (n + D - 2)
    return [multiplicity(d, k) * x * x for k, x in enumerate(a)]


def relative_error(value, exact):
    """|value/exact - 1|, or |value| where the exact number is 0."""
    with mp.workdps(DIGITS):
        exact = mpmath.mpmathify(exact)
        return float(abs(mpf(float(value)) / exact - 1)) if exact != 0 else abs(float(value))


@_precise
def degrees_of_freedom_integral(d, s, lam):
    """N(lambda) for any lambda: 250 exact terms, then the Euler-Maclaurin formula.

    The summand continues to real k: its 3F2 is cut at the least term, an error below 1e-60.
    """
    lam, start, half = mpf(lam), mpf(250), mpf(1) / 2
    L = mpf(d + 2 * s) / 2

    def mu(k):
        n = k - s - 1
        value = mp.factorial(s) ** 2 / (2 * mp.pi * mp.rf(d, 2 * s + 1))
        value *= mpf(2) ** (2 * L - 3 * half) * mp.gamma(L) * mp.gamma(L + 1) / mp.pi
        value *= mp.gammaprod([n + half], [n + 2 * L + half])
        term = total = mpf(1)
        for j in range(300):
            term *= (j + half) ** 2 * (L + j) / (2 * (j + 1)) / ((L + half + j) ** 2 - (n + L) ** 2)
            total += term
            if abs(term) < mpf(10) ** -30 * abs(total):
                break
        return value * total

    def summand(k):
        count = (2 * k + d - 2) * mp.gammaprod([k + d - 2], [k + 1]) / mp.gamma(d - 1)
        m = mu(k)
        return (count if d > 2 else 2) * m / (m + lam)

    low = [funk_hecke(d, s, k) if k <= s else eigenvalue(d, s, k) for k in range(int(start))]
    total = mp.fsum(multiplicity(d, k) * m / (m + lam) for k, m in enumerate(low))
    # k = 1/y: panels of y shorter than the angle pi/(d+2s) of the poles where mu = -lambda
    knee = (mu(mpf(5000)) / lam) ** (1 / (2 * L)) * (5000 + mpf(d - 2) / 2)
    y, ratio = 1 / start, mp.exp(mpf(2) / (2 * L)) if L > 2 else mpf(2)
    while y > 1 / (40 * knee):
        total += gauss(lambda u: summand(1 / u) / u**2, y / ratio, y, 1)
        y /= ratio
    total += gauss(lambda u: summand(1 / u) / u**2, mpf(0), y, 1)
    total += summand(start) / 2
    for j in range(1, 5):
        total -= mp.bernoulli(2 * j) / mp.factorial(2 * j) * mp.diff(summand, start, 2 * j - 1)
    return total

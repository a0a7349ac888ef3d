r"""The formulas a checker needs, written from the documentation page alone.

Nothing here is shared with the search: no other module of `kernelspec` is imported. s = 1 (ReLU).
Balls are at flint's current precision. Notation: nu = (d+2)/2, n = k-2, Gamma = sqrt(2)(d+1)/d,
A = c_d/(d^2-1), P_n in dimension d+4, y_n = sin^{d+1}(theta) P_n(cos theta).
"""

from __future__ import annotations

import math

from flint import arb, arb_mat, arb_poly, ctx, fmpq

__all__ = [
    "amplitude",
    "coefficients_to_polynomial",
    "density",
    "eigenvalue",
    "gegenbauer_values",
    "limit",
    "low_terms",
    "multiplicity",
    "paired_tail_holds",
    "peak",
    "termwise_tail_holds",
]

HALF = fmpq(1, 2)
GRID = 32


def between(low: arb, high: arb) -> arb:
    """Return a ball that contains both."""
    return low.union(high)


def limit(d: int) -> arb:
    """Gamma = sqrt(2)(d+1)/d.

    Examples
    --------
    >>> round(float(limit(3)), 6)
    1.885618
    """
    return arb(2).sqrt() * fmpq(d + 1, d)


def direction_constant(d: int) -> arb:
    """c_d = Gamma(d/2)/(sqrt(pi) Gamma((d-1)/2))."""
    return arb(fmpq(d, 2)).gamma() / arb(fmpq(d - 1, 2)).gamma() / arb.pi().sqrt()


def amplitude(d: int) -> arb:
    """Return A, so that a_k = |w| A y_n for k >= 2.

    Examples
    --------
    At b = 0, where w has length 1 and y_0 = 1, it is a_2 itself:

    >>> round(float(amplitude(3)), 15) == 1 / 16
    True
    """
    return direction_constant(d) / (d * d - 1)


def multiplicity(d: int, k: int) -> int:
    """N(d, k) = (2k+d-2)/k C(k+d-3, k-1) for k >= 1.

    Examples
    --------
    >>> [multiplicity(3, k) for k in (1, 2, 3)]
    [3, 5, 7]
    """
    return 1 if k == 0 else (2 * k + d - 2) * math.comb(k + d - 3, k - 1) // k


def series_ratio(d: int, n: int, j: int) -> arb:
    """T_{j+1}/T_j of the eigenvalue series, (j+1/2)^2 (nu+j)/(2 (j+1) |1/2-n+j| (n+d+5/2+j))."""
    bottom = 4 * (j + 1) * abs(2 * j + 1 - 2 * n) * (2 * (n + d + j) + 5)
    return arb((2 * j + 1) ** 2 * (d + 2 + 2 * j)) / bottom


def eigenvalue(d: int, k: int) -> arb:
    """mu_k: scale times the series; from j = 3n on each term is at most 3/4 of the one before.

    Examples
    --------
    >>> round(float(eigenvalue(3, 2)), 6)
    0.001636
    """
    n, nu = k - 2, fmpq(d + 2, 2)
    term, total, j = arb(1), arb(1), 0
    while j < 3 * n or not term < arb(2) ** -ctx.prec:
        term *= series_ratio(d, n, j)
        j += 1
        total += -term if n > 0 and min(j, n) % 2 else term
    total += arb(0, (3 * term).upper())
    scale = arb(2) ** (d - 1) * arb(2).sqrt() * arb(nu).gamma() * arb(nu + 1).gamma()
    scale *= arb(n + HALF).gamma() / arb(n + d + 2 + HALF).gamma()
    value = scale * total / (arb.pi() ** 2 * d * (d + 1) * (d + 2))
    if k == 0:
        value += fmpq(1, 2 * (d + 1))
    if k == 1:
        value += fmpq(1, 2 * d * (d + 1))
    return value


def gegenbauer_values(d: int, count: int, x: arb) -> list[arb]:
    """P_0(x), ..., P_{count-1}(x) in dimension d+4.

    Examples
    --------
    >>> [float(P) for P in gegenbauer_values(3, 3, arb(1))]
    [1.0, 1.0, 1.0]
    """
    values = [arb(1), x]
    for n in range(1, count - 1):
        values.append(((2 * n + d + 2) * x * values[n] - n * values[n - 1]) / (n + d + 2))
    return values[:count]


def peak(d: int, n: int, at_zero: list[arb]) -> arb:
    """Lambda y^2 + y'^2 at theta = pi/2, its largest value, with Lambda = (n+1)(n+d+1).

    Examples
    --------
    For d = 3, y_0 = sin^4(theta) and Lambda = 4; at pi/2 the slope is 0:

    >>> float(peak(3, 0, gegenbauer_values(3, 2, arb(0))))
    4.0
    """
    slope = (n + d + 2) * at_zero[n + 1]
    return (n + 1) * (n + d + 1) * at_zero[n] ** 2 + slope**2


def sine_integrals(theta: arb, last: int) -> list[arb]:
    """Integrals of sin^m from theta to pi, m = 0..last."""
    cosine, sine = theta.cos(), theta.sin()
    values = [arb.pi() - theta, 1 + cosine]
    for m in range(2, last + 1):
        values.append((cosine * sine ** (m - 1) + (m - 1) * values[m - 2]) / m)
    return values


def low_terms(d: int, theta: arb) -> tuple[arb, arb, arb]:
    """(a_0, a_1, ||phi||^2/|w|) over |w| at the angle theta of b/|w| = cos(theta).

    Examples
    --------
    At b = 0 they are c_d/(d-1), 1/(2d) and 1/(2d), here with c_3 = 1/2:

    >>> [round(float(term), 12) for term in low_terms(3, arb.pi() / 2)]
    [0.25, 0.166666666667, 0.166666666667]
    """
    z, c_d, integral = theta.cos(), direction_constant(d), sine_integrals(theta, d)
    first = theta.sin() ** (d - 1) / (d - 1)
    a_0 = c_d * (z * integral[d - 2] + first)
    a_1 = c_d * integral[d] / (d - 1)
    norm = c_d * ((z * z + 1) * integral[d - 2] + 2 * z * first - integral[d])
    return a_0, a_1, norm


def density(d: int, tau: fmpq, z: arb) -> arb:
    """Return tau q_tau(v)/|w|^2 where b/|w| = z.

    Examples
    --------
    For d = 3, tau = 2 and b^2 = 1/2, tau q_tau = (1/2 + 1/8)^-2 = 2.56, over 1/2:

    >>> round(float(density(3, fmpq(2), arb(1))), 12)
    5.12
    """
    full, shrunk = 1 + z**2, 1 + z**2 / tau**2
    return full.sqrt() ** (d + 3) / shrunk.sqrt() ** (d + 1)


def leave_one_out(factors: list[arb_poly]) -> tuple[list[arb_poly], arb_poly]:
    """Return the products of all factors but one, and of all."""
    if len(factors) == 1:
        return [arb_poly([1])], factors[0]
    middle = len(factors) // 2
    left, all_left = leave_one_out(factors[:middle])
    right, all_right = leave_one_out(factors[middle:])
    products = [p * all_right for p in left] + [p * all_left for p in right]
    return products, all_left * all_right


def coefficients_to_polynomial(mu: list[arb], low: fmpq, high: fmpq | None) -> arb_mat:
    """Matrix from the e_k to the coefficients of sum_k e_k/(mu_k+low) prod_{j != k} (1 + c_j t).

    Examples
    --------
    For mu = (2, 1) and all ridges the sum is e_0/2 (1 + t) + e_1 (1 + t/2):

    >>> matrix = coefficients_to_polynomial([arb(2), arb(1)], fmpq(0), None)
    >>> [[float(entry) for entry in row] for row in matrix.tolist()]
    [[0.5, 1.0], [0.5, 0.5]]
    """
    top = [mu[-1] + low] * len(mu) if high is None else [m + high for m in mu]
    factors = [arb_poly([1, t / (m + low)]) for t, m in zip(top, mu, strict=True)]
    products, _ = leave_one_out(factors)
    scaled = [p * (1 / (m + low)) for p, m in zip(products, mu, strict=True)]
    return arb_mat([[p[i] for p in scaled] for i in range(len(mu))])


def wallis(y: arb) -> arb:
    """Gamma(y+1/2)^2/(Gamma(y)^2 (y-1/4)), which falls to 1."""
    return ((y + HALF).gamma() / y.gamma()) ** 2 / (y - fmpq(1, 4))


def series_bounds(d: int, n: int) -> tuple[arb, arb]:
    """Bounds of F_m for all m >= n: T_j falls with m, the terms from n on sum up to `rest`."""
    nu = fmpq(d + 2, 2)
    start = n + d + 2 + HALF
    rest = arb(start + n - 1) / (start - nu - 1)
    low, high, term = arb(1), arb(1), arb(1)
    for j in range(n):
        rest *= arb(nu + j) / (start + j)
        if j > 0:
            term *= series_ratio(d, n, j - 1)
            low, high = (low - term, high) if j % 2 else (low, high + term)
    return low - rest, high + rest


def all_ratios_below(d: int, n: int) -> arb:
    """Bound of a_k^2/(2 Gamma mu_k) for all b and all k - 2 >= n."""
    y = arb(n + 1) / 2
    return wallis(y) * wallis(y + fmpq(d + 1, 2)) / series_bounds(d, n)[0]


def termwise_tail_holds(d: int, bound: fmpq) -> bool:
    """Say whether a_k^2 <= bound * Gamma * mu_k for every b and every k >= 2.

    Examples
    --------
    The supremum is 2 Gamma, attained at b = 0:

    >>> [termwise_tail_holds(3, fmpq(bound, 100)) for bound in (199, 201)]
    [False, True]
    """
    start = 24
    at_zero = gegenbauer_values(d, start + 2, arb(0))
    for n in range(start):
        top = amplitude(d) ** 2 * peak(d, n, at_zero) / ((n + 1) * (n + d + 1))
        if not top <= bound * limit(d) * eigenvalue(d, n + 2):
            return False
    return bool(series_bounds(d, start)[0] > 0 and 2 * all_ratios_below(d, start) <= bound)


def curvature(d: int, p: fmpq, spread: arb) -> tuple[arb, arb]:
    """Bounds of (g_{k+1} + g_{k-1})/g_k - 2 for k + (d-2)/2 >= p and all ridges."""
    h, nu = fmpq(d, 2), fmpq(d + 2, 2)
    a = nu + HALF
    noise = arb(0, spread.upper())
    low = high = arb(0)
    pieces = [between(arb(fmpq(i, GRID)), arb(fmpq(i + 1, GRID))) for i in range(GRID)]
    for piece in pieces:
        z = piece / p
        n_up = (h - 1) * z * (2 + z) / (1 - (h - 2) * z)
        n_down = (1 - h) * z * (2 - z) / (1 + (h - 2) * z)
        n_both = (d - 2) * (d - 3) * z**2 / (1 - ((h - 2) * z) ** 2)
        m_up, m_down = -2 * nu * z / (1 + a * z), 2 * nu * z / (1 - a * z)
        m_both = 2 * nu * (d + 3) * z**2 / (1 - (a * z) ** 2)
        m_both += (1 + m_up) * noise + (1 + m_down) * noise
        m_up, m_down = m_up + (1 + m_up) * noise, m_down + (1 + m_down) * noise
        for t in pieces:
            right, left = 1 / (1 + (1 - t) * m_up), 1 / (1 + (1 - t) * m_down)
            w_both = (m_both + 2 * (1 - t) * m_up * m_down) * right * left
            value = n_both + t * (w_both + n_up * m_up * right + n_down * m_down * left)
            low, high = low.min(value), high.max(value)
    return low, high


def paired_tail_holds(d: int, degree: int, gamma: arb) -> bool:
    """Say whether the degrees beyond `degree` surely add up to >= 0 at gamma * Gamma.

    Examples
    --------
    Closer to the limit Gamma more degrees have to stay in the block:

    >>> [paired_tail_holds(3, degree, arb("1.05")) for degree in (8, 16, 32)]
    [False, True, True]
    >>> [paired_tail_holds(3, degree, arb("1.01")) for degree in (8, 16, 32)]
    [False, False, True]
    """
    nu, n = fmpq(d + 2, 2), degree - 1
    q = n * n + 2 * n * nu + nu
    following = (n + 1) ** 2 + 2 * (n + 1) * nu + nu
    bend = nu * (nu - 1) / q
    if n < 4 or 4 * bend > 1:
        return False
    edge = arb.pi() ** 2 / 8 * arb(following) * arb(2 * bend) ** arb(nu)
    if not edge <= 1 - bend:
        return False
    lowest, highest = series_bounds(d, n - 1)
    if not lowest > 0:
        return False
    single = all_ratios_below(d, n - 1)
    triple = single * (highest / lowest) * (1 + nu / ((2 * n + 1) * (n + 2 * nu) ** 2))
    low, high = curvature(d, degree + 1 + fmpq(d, 2), highest / lowest - 1)
    room = 4 * (gamma - triple)
    return bool(room >= gamma * high and room >= (2 * single - gamma) * -low)

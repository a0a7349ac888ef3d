r"""Enclosures of the degrees of freedom, the ridge leverage and the mismatch ratio.

A sum over degrees is cut at K and its rest is enclosed, never dropped. mu_k falls with k (each
power u^j of K(t) = sum_j c_j u^j, c_j >= 0, u = (1+t)/2, has falling eigenvalues:
E[u^j P_{k+1}]/E[u^j P_k] = (j-k)/(j+k+d-1) < 1), so beyond K

.. math:: \frac{R_K}{\mu_{K+1}+\lambda} \le \sum_{k>K} \frac{N_k x_k}{\mu_k+\lambda}
    \le \frac{R_K}{\lambda},

with the exact remainder R_K = K(1) - sum_{k<=K} N_k mu_k for x = mu and
R_K = \|phi_v\|^2 - sum_{k<=K} N_k a_k^2 for x = a^2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import arb, ctx

from kernelspec import _checks
from kernelspec.certify.arithmetic import GUARD, as_ball, hull, monotone, precision
from kernelspec.certify.coefficient_balls import (
    as_height,
    coefficients_all,
    feature_norm_squared,
    square,
)
from kernelspec.certify.spectrum_balls import eigenvalue, kernel_at_one, multiplicity

__all__ = ["degrees_of_freedom", "gaussian_density", "leverage", "mismatch_ratio"]


def _enclosed_sum(
    d: int,
    lam: arb,
    order: int,
    values: Callable[[int], Sequence[arb]],
    total: arb,
    relative: float,
    max_degree: int,
) -> arb:
    """Enclose sum_k N_k x_k/(mu_k + lam) given x_0..x_K on demand and sum_k N_k x_k."""
    last = 16
    while True:
        last = min(last, max_degree)
        head, rest = arb(0), total
        for k, x in enumerate(values(last)):
            weighted = multiplicity(d, k) * x
            head += weighted / (eigenvalue(d, k, order) + lam)
            rest -= weighted
        rest = rest.nonnegative_part()
        tail = hull(rest / (eigenvalue(d, last + 1, order) + lam), rest / lam)
        result = head + tail
        if last == max_degree or tail.rad() <= relative * result.abs_lower():
            return result
        last *= 2


def degrees_of_freedom(
    d: int, lam: arb, order: int = 1, *, relative: float = 1e-20, max_degree: int = 4096
) -> arb:
    """Enclose N(lam) = sum_k N_k mu_k/(mu_k + lam).

    Degrees are added until the enclosed rest is a fraction `relative` of the sum, at most
    `max_degree` of them; the ball is right either way.

    Examples
    --------
    >>> from flint import arb
    >>> print(degrees_of_freedom(3, arb("1e-2")).str(12, radius=False))
    3.98141422622
    """
    d, order = _checks.dimension(d), _checks.order(order)
    lam = _ridge(lam)
    bits = ctx.prec
    with precision(bits + GUARD):
        trace = kernel_at_one(d, order)

        def spectrum(last: int) -> list[arb]:
            return [eigenvalue(d, k, order) for k in range(last + 1)]

        value = monotone(
            lambda x: _enclosed_sum(d, x, order, spectrum, trace, relative, max_degree), lam
        )
    with precision(bits):
        return +value


def leverage(
    d: int, b: arb, lam: arb, order: int = 1, *, relative: float = 1e-20, max_degree: int = 4096
) -> arb:
    """Enclose l_lam(v) = sum_k N_k a_k(v)^2/(mu_k + lam) for the neurons of heights in b.

    See `degrees_of_freedom` for `relative` and `max_degree`. On a wide ball b the result is
    right but not narrow: subdivide.

    Examples
    --------
    >>> from flint import arb
    >>> print(leverage(5, arb(0), arb("1e-2")).str(12, radius=False))
    4.09405803891
    """
    d, order = _checks.dimension(d), _checks.order(order)
    b, lam = as_height(b), _ridge(lam)
    bits = ctx.prec
    with precision(bits + GUARD):
        norm = feature_norm_squared(d, b, order)

        def squares(last: int) -> list[arb]:
            return [square(a) for a in coefficients_all(d, last, b, order)]

        value = monotone(
            lambda x: _enclosed_sum(d, x, order, squares, norm, relative, max_degree), lam
        )
    with precision(bits):
        return +value


def gaussian_density(d: int, tau: arb, b: arb) -> arb:
    """Enclose q_tau(v) = 1/(tau (1 - b^2 + b^2/tau^2)^((d+1)/2)), relative to the uniform law.

    Examples
    --------
    >>> from kernelspec import GaussianInit
    >>> ball = gaussian_density(5, arb(2), arb(0.25))
    >>> bool(abs(float(ball) / GaussianInit(5, 2.0).density(0.25) - 1) < 1e-12)
    True
    """
    d = _checks.dimension(d)
    tau, b = as_ball("tau", tau), as_height(b)
    if not tau > 0:
        raise ValueError(f"tau = {tau!r} is not allowed: a ball of numbers > 0")

    def value(height: arb) -> arb:
        base = 1 - height * height * (1 - 1 / (tau * tau))
        return 1 / (tau * base.sqrt() ** (d + 1))

    size = hull(b.abs_lower(), b.abs_upper().min(arb(1)))
    return monotone(value, size)


def mismatch_ratio(
    d: int,
    tau: arb,
    b: arb,
    lam: arb,
    order: int = 1,
    *,
    relative: float = 1e-20,
    max_degree: int = 4096,
) -> arb:
    """Enclose l_lam(v)/(q_tau(v) N(lam)); kappa(lam; q_tau) is its supremum over heights b.

    Examples
    --------
    >>> from flint import arb
    >>> print(mismatch_ratio(5, arb(1), arb(1), arb("0.1")).str(12, radius=False))
    4.53094527541
    """
    top = leverage(d, b, lam, order, relative=relative, max_degree=max_degree)
    bottom = degrees_of_freedom(d, lam, order, relative=relative, max_degree=max_degree)
    return top / (gaussian_density(d, tau, b) * bottom)


def _ridge(lam: arb) -> arb:
    lam = as_ball("lam", lam)
    if not lam > 0:
        raise ValueError(f"lam = {lam!r} is not allowed: a ball of numbers > 0")
    return lam

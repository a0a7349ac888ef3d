"""The error when every kinked neuron counts the same: one scalar equation, no neuron in it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy.optimize import brentq

from kernelspec import _checks, spectrum
from kernelspec._tails import first_degree, sum_rule
from kernelspec.features import BiasedReLU
from kernelspec.sphere import multiplicity

__all__ = ["homogeneous_constant", "homogeneous_error"]

_NEAR_POLE: Final = -30.0  # log of the least 1 + mu/lambda: one unit in 10^13 from the pole


def homogeneous_error(model: BiasedReLU, count: float) -> float:
    r"""Predict the worst-case error of `count` kinked neurons from the eigenvalues alone.

    Where the squared coefficients of all kinked neurons are multiples of one profile, their scale
    drops out of the deterministic equivalent: it is that of Gaussian features of covariance Sigma,

    .. math:: E = \frac{\lambda N_1}{n - N_1}, \qquad \frac{N_1^2}{N_2} = n, \qquad
              N_j = \sum_{k>s} N_k \Bigl(\frac{\mu_k}{\mu_k+\lambda}\Bigr)^j,

    n the count. As n grows, N_1 becomes n (1 - 1/alpha) and E becomes lambda (alpha - 1).

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    count : float
        Number n of kinked neurons, >= 0: m `active_share`, say. There must be enough wholly active
        neurons besides to span the degrees k <= s.

    Returns
    -------
    float
        The predicted squared error; the eigenvalue of degree s + 1 where n is at most its
        multiplicity.

    Raises
    ------
    ValueError
        If `count` is negative or not finite.

    See Also
    --------
    deterministic_equivalent : The same with each neuron's own coefficients.

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> print(f"{homogeneous_error(BiasedReLU(3), 1000):.3e}")
    1.428e-08
    """
    n = _checks.not_negative("count", count)
    d, s = model.d, model.order
    top = float(model.eigenvalues(s + 1)[-1])
    if n <= float(multiplicity(d, s + 1)):
        return top
    reach = min(_log_constant(model) - model.decay_exponent * math.log(n), math.log(top))
    rule = sum_rule(d, s, first_degree(d, s), 10.0 ** math.floor(reach / math.log(10) - 3))
    mu = np.concatenate([rule.mu[s + 1 :], rule.tail_mu])
    weight = np.concatenate([rule.trace_weights[s + 1 :], rule.tail_trace])

    # in y = 1/lambda > -1/top, which falls below zero where n is small
    def sums(log_t: float) -> tuple[float, float, float]:
        y = math.expm1(log_t) / top
        resolvent = 1 / (1 + mu * y)
        return y, float(weight @ resolvent), float(weight @ (mu * resolvent**2))

    def excess(log_t: float) -> float:
        _, first, second = sums(log_t)
        return 2 * math.log(first) - math.log(second) - math.log(n)

    if excess(_NEAR_POLE) >= 0:
        return top
    high = 1.0
    while excess(high) < 0:
        high += 2.0
    y, first, _ = sums(float(brentq(excess, _NEAR_POLE, high, xtol=1e-12)))
    return 1 / (n / first - y)


def homogeneous_constant(model: BiasedReLU) -> float:
    r"""Return the limit of n^alpha E as n grows, E from `homogeneous_error`.

    .. math:: C_d\,(\alpha-1) \left(\frac{\pi/\alpha}{\sin(\pi/\alpha)\,(1-1/\alpha)}\right)^\alpha

    where mu_(j) ~ C_d j^-alpha: a fixed factor above the error of the best n features, and no
    logarithm.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.

    Returns
    -------
    float
        The constant; inf where it exceeds float64.

    Examples
    --------
    >>> from kernelspec import BiasedReLU
    >>> round(homogeneous_constant(BiasedReLU(3)), 4)
    0.4556
    """
    log_constant = _log_constant(model)
    return math.exp(log_constant) if log_constant < 709 else math.inf


def _log_constant(model: BiasedReLU) -> float:
    d, alpha = model.d, model.decay_exponent
    _, log_A = spectrum.eigenvalue_constant(d, model.order)
    log_sorted = log_A + alpha * (math.log(2) - math.lgamma(d))
    ratio = (math.pi / alpha) / math.sin(math.pi / alpha) / (1 - 1 / alpha)
    return log_sorted + math.log(alpha - 1) + alpha * math.log(ratio)

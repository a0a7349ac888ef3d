r"""The mismatch as lambda falls to 0, where the leverage law becomes algebraic.

.. math:: \frac{l_\lambda(v)}{N(\lambda)} \to \ell(b) = Z^{-1}\,
          (1-2b^2)_+^{d/2+s-1} (1-b^2)^{-(d-2)/2}, \qquad
          Z = \frac{1}{\sqrt2}\, \frac{((d)/2)_s}{((d+1)/2)_s}.

It follows from the mean of N_k a_k^2 (:mod:`kernelspec._tails`), whose dependence on b is the same
for all large k.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernelspec.features import BiasedReLU
from kernelspec.harmonics import one_minus_two_squares
from kernelspec.laws import GaussianInit, Law, RidgeLeverage
from kernelspec.mismatch import (
    LOG_LARGEST,
    Mismatch,
    check_pair,
    supremum_over_heights,
    too_large,
)

__all__ = ["limiting_leverage", "limiting_mismatch"]

Array = NDArray[np.float64]


def _log_normaliser(d: int, s: int) -> float:
    """Log Z = log E_pi of the unnormalised limit."""
    return sum(math.log((d / 2 + i) / ((d + 1) / 2 + i)) for i in range(s)) - math.log(2) / 2


def _log_profile(d: int, s: int, b: Array) -> Array:
    gap = np.maximum(one_minus_two_squares(b), 0.0)
    power = d / 2 + s - 1
    with np.errstate(divide="ignore"):
        head = power * np.log(gap) if power > 0 else np.where(gap > 0, 0.0, -np.inf)
    inside = np.maximum((1 - b) * (1 + b), 0.25)  # outside the kinked region the head is -inf
    return np.asarray(head - (d - 2) / 2 * np.log(inside) - _log_normaliser(d, s))


def limiting_leverage(model: BiasedReLU, b: Array) -> Array:
    """Lim l_lambda(v)/N(lambda) as lambda -> 0, a density with respect to pi.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    b : ndarray
        Heights in [-1, 1].

    Returns
    -------
    ndarray
        Shape of `b`; zero where the kink misses the sphere.

    Examples
    --------
    >>> limiting_leverage(BiasedReLU(5), np.array([0.0, 0.5, 0.8])).round(6)
    array([1.697056, 0.46188 , 0.      ])
    """
    return np.asarray(np.exp(_log_profile(model.d, model.order, np.asarray(b, dtype=float))))


def _gaussian_limit(d: int, s: int, tau: float) -> tuple[float, float]:
    """Supremum of the log ratio to q_tau and its b: the derivative in b^2 is a quadratic."""
    power, scale = d / 2 + s - 1, min(tau, 1.0)  # neither tau^2 nor its inverse may overflow
    # power * log(1-2z) - (d-2)/2 log(1-z) + (d+1)/2 log(1-z + z/tau^2), z = b^2 in [0, 1/2]
    one = np.polynomial.Polynomial([1.0, -2.0])
    two = np.polynomial.Polynomial([1.0, -1.0])
    three = np.polynomial.Polynomial([scale**2, (scale / tau) ** 2 - scale**2])
    rise = float(three.coef[-1])
    derivative = (
        -2 * power * two * three + (d - 2) / 2 * one * three + (d + 1) / 2 * rise * one * two
    )
    roots = np.asarray(derivative.roots())
    real = roots[np.abs(roots.imag) < 1e-12].real
    ends = [0.0] if power > 0 else [0.0, 0.5]
    z = np.concatenate([ends, real[(real > 0) & (real < 0.5)]])
    value = power * np.log1p(-2 * z) if power > 0 else np.zeros_like(z)
    with np.errstate(divide="ignore"):  # scale^2 may vanish, at z = 0
        value = value - (d - 2) / 2 * np.log1p(-z) + (d + 1) / 2 * np.log(three(z))
    best = int(np.argmax(value))
    log_kappa = value[best] - (d + 1) * math.log(scale) + math.log(tau)
    return float(log_kappa) - _log_normaliser(d, s), math.sqrt(z[best])


def _unbounded(model: BiasedReLU, law: Law) -> str:
    """Why the mismatch is infinite or grows without bound as lambda -> 0, or ''."""
    if isinstance(law, RidgeLeverage) and law.model == model:
        return (
            "neurons about to die, of heights towards -1/sqrt(2), have lam l_lam = |phi|^2 at "
            "their lambda and below: kappa = lam_0 N(lam_0)/(lam N(lam)) for lam <= lam_0"
        )
    c = np.array([-1e3, -3.0, -1.5, -1.0 - 1e-9])
    inside = np.cos(np.linspace(1e-4, math.pi - 1e-4, 41))
    threshold = np.concatenate([c, inside])
    b = -threshold / np.sqrt(1 + threshold**2)
    b = np.concatenate(
        [b, [1.0], np.array(law.breaks) * (1 + 1e-9), np.array(law.breaks) * (1 - 1e-9)]
    )
    b = b[(b > -math.sqrt(0.5)) & (b <= 1)]
    absent = b[np.isneginf(law.log_density(b))]
    if absent.size:
        return (
            f"neurons of height b = {absent.max():.6g} have positive leverage at every lambda "
            "and are never drawn"
        )
    theta = np.array([1e-4, 1e-5, 1e-6])
    edge = -np.cos(theta) / np.sqrt(1 + np.cos(theta) ** 2)
    with np.errstate(invalid="ignore"):
        ratio = _log_profile(model.d, model.order, edge) - law.log_density(edge)
        growing = bool(np.all(np.diff(ratio) > 0.1))
    if growing or ratio[-1] == math.inf:  # the density underflows long before the profile does
        return (
            "towards b = -1/sqrt(2), where neurons die, the density falls faster than the "
            "leverage does as lambda -> 0"
        )
    return ""


def limiting_mismatch(model: BiasedReLU, law: Law) -> Mismatch:
    r"""Limit of kappa(lambda; q) as lambda -> 0.

    For `GaussianInit` the supremum of the limit law over q_tau is found exactly (its derivative is
    a quadratic in b^2); it is

    .. math:: \sqrt2\,\tau\, \frac{((d+1)/2)_s}{(d/2)_s}

    (:math:`\sqrt2\,\tau (d+1)/d` for s = 1) as long as
    :math:`\tau \ge (1 + (d-2+4s)/(d+1))^{-1/2}`; below, the supremum leaves b = 0.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law of the same d.

    Returns
    -------
    Mismatch
        With `lam` = 0 and `dof` = inf. Where `kappa` is inf, `reason` says why: a law that never
        draws neurons of positive leverage, or one that thins out faster than the leverage does.

    Raises
    ------
    ValueError, TypeError
        If the dimensions of model and law differ.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit, UniformBias
    >>> round(limiting_mismatch(BiasedReLU(5), GaussianInit(5, tau=10)).kappa, 10)
    16.9705627485
    >>> limiting_mismatch(BiasedReLU(5), UniformBias(5, tau=1)).kappa
    inf
    """
    check_pair(model, law)
    d, s = model.d, model.order
    if isinstance(law, GaussianInit):
        log_kappa, height = _gaussian_limit(d, s, law.tau)
        if log_kappa > LOG_LARGEST:
            return Mismatch(math.inf, height, math.inf, 0.0, too_large(log_kappa))
        return Mismatch(math.exp(log_kappa), height, math.inf, 0.0)
    reason = _unbounded(model, law)
    if reason:
        return Mismatch(math.inf, math.nan, math.inf, 0.0, reason)
    log_sup, b = supremum_over_heights(
        law,
        lambda heights: limiting_leverage(model, heights)[:, None],
        lambda heights, j: limiting_leverage(model, heights),
        0.02,
    )
    return Mismatch(float(np.exp(log_sup[0])), float(b[0]), math.inf, 0.0)

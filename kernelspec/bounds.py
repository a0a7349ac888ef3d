r"""The theorem's constants, its rate, an explicit bound, and the share of training it takes.

Everywhere kappa is a sampling mismatch, sup_v l_lambda(v)/(q(v) N(lambda)) >= 1: kappa0 that of the
initialisation, kappa1 that of the law of trained neurons, and P the proportion of the latter.
Array arguments broadcast; if all are scalars the result is a float.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import wrightomega

from kernelspec import _checks
from kernelspec.features import BiasedReLU

__all__ = [
    "captured_fraction",
    "explicit_bound",
    "mixture_mismatch",
    "rate_bound",
    "theorem_kappa0",
    "trainable_proportion",
]

Array = NDArray[np.float64]
# a mismatch is >= 1 by definition, but one computed in floating point may fall short by rounding
_LEAST_MISMATCH: Final = 1 - 1e-9
_EPS: Final = float(np.finfo(np.float64).eps)
_LEAST_RIDGE: Final = 1e-280  # below it N(lambda) leaves the range of float64
_LOG_LEAST_RIDGE: Final = math.log(_LEAST_RIDGE)
_LARGEST: Final = float(np.finfo(np.float64).max)


def _plain(value: ArrayLike) -> float | Array:
    """Return a float for a result without axes, else the array."""
    array = np.asarray(value, dtype=np.float64)
    return float(array) if array.ndim == 0 else array


def _mismatch(name: str, value: ArrayLike, high: float = math.inf) -> Array:
    return _checks.real_array(name, value, _LEAST_MISMATCH, high)


def theorem_kappa0(d: ArrayLike, tau: ArrayLike) -> float | Array:
    r"""Return the theorem's constant for the mismatch of the initialisation.

    .. math:: \kappa_0^* = 4\sqrt2\,\tau\,\frac{d+1}{d}

    (He, Lao, Lu & Zhang 2026), claimed for ReLU and tau >= 1. How it compares with the mismatch
    itself is for `mismatch`, `limiting_mismatch` and `holds_below` to say.

    Parameters
    ----------
    d : array_like of int
        Ambient dimension, 2 to 1000.
    tau : array_like
        Bias scale of the initialisation, > 0.

    Returns
    -------
    float or ndarray
        The constant.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(theorem_kappa0(5, 10), 4)
    67.8823
    """
    d = _checks.integer_array("d", d, 2, _checks.MAX_DIMENSION)
    tau = _checks.positive_array("tau", tau)
    d, tau = _checks.broadcast(d=d, tau=tau)
    return _plain(4 * math.sqrt(2) * tau * ((d + 1) / d))


def mixture_mismatch(P: ArrayLike, kappa0: ArrayLike, kappa1: ArrayLike = 1.0) -> float | Array:
    r"""Return the mismatch kappa_P of a network with a proportion P of trained neurons.

    .. math:: \kappa_P = \left(\frac{P}{\kappa_1} + \frac{1-P}{\kappa_0}\right)^{-1}

    It bounds the mismatch of the mixture density P q_1 + (1-P) q_0: with :math:`l/N \le \kappa_i
    q_i`, the mixture is at least :math:`(l/N)(P/\kappa_1 + (1-P)/\kappa_0)`.

    Parameters
    ----------
    P : array_like
        Trained proportion, 0 to 1. For a network of m neurons, round(P m)/m.
    kappa0 : array_like
        Mismatch of the initialisation, >= 1; may be inf.
    kappa1 : array_like, default 1
        Mismatch of the trained neurons, >= 1 and finite; 1 for ridge leverage sampling.

    Returns
    -------
    float or ndarray
        kappa_P, from kappa0 at P = 0 to kappa1 at P = 1, convex in P.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(mixture_mismatch(0.1, 67.88), 3)
    8.829
    >>> mixture_mismatch([0.0, 0.25, 1.0], float("inf"))
    array([inf,  4.,  1.])
    """
    P = _checks.real_array("P", P, 0.0, 1.0)
    kappa0 = _mismatch("kappa0", kappa0)
    kappa1 = _mismatch("kappa1", kappa1, _LARGEST)
    P, kappa0, kappa1 = _checks.broadcast(P=P, kappa0=kappa0, kappa1=kappa1)
    with np.errstate(divide="ignore"):
        inner = 1 / (P / kappa1 + (1 - P) / kappa0)
    # rounding must not push it off the ends, nor out of the range between them
    inner = np.clip(inner, np.minimum(kappa0, kappa1), np.maximum(kappa0, kappa1))
    return _plain(np.where(P == 0, kappa0, np.where(P == 1, kappa1, inner)))


def rate_bound(m: ArrayLike, kappa: ArrayLike, alpha: ArrayLike, delta: ArrayLike) -> float | Array:
    r"""Return the theorem's rate, without its constant.

    .. math:: \left(\frac{\kappa\,\log(m/\delta)}{m}\right)^{\alpha}

    Parameters
    ----------
    m : array_like of int
        Width, >= 1.
    kappa : array_like
        Mismatch, >= 1; may be inf. For a proportion P of trained neurons, `mixture_mismatch`.
    alpha : array_like
        Exponent > 0 of the eigenvalues' decay, (d+2)/(d-1) for ReLU.
    delta : array_like
        Probability with which the bound may fail, in (0, 1).

    Returns
    -------
    float or ndarray
        The rate. The squared error is of this order; `explicit_bound` carries the constant.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> f"{rate_bound(1000, 8.82, 7 / 4, 0.05):.4f}"
    '0.0140'
    """
    m = _checks.integer_array("m", m, 1)
    kappa = _mismatch("kappa", kappa)
    alpha = _checks.positive_array("alpha", alpha)
    delta = _checks.open_unit_array("delta", delta)
    m, kappa, alpha, delta = _checks.broadcast(m=m, kappa=kappa, alpha=alpha, delta=delta)
    with np.errstate(over="ignore"):
        return _plain((kappa * (np.log(m) - np.log(delta)) / m) ** alpha)


def explicit_bound(
    model: BiasedReLU, m: ArrayLike, kappa: ArrayLike, delta: ArrayLike
) -> float | Array:
    r"""Return an error bound for width m with every constant, 4 lambda*.

    lambda* is the smallest lambda with

    .. math:: m \ge 5\,\kappa N(\lambda)\,\log\frac{16\,\kappa N(\lambda)}{\delta}.

    Then, with probability at least 1 - delta over the m neurons, every function of the unit ball of
    the RKHS is approximated with squared L2 error at most 4 lambda* (Bach, JMLR 18(21), 2017,
    Proposition 1).

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    m : array_like of int
        Width, >= 1.
    kappa : array_like
        Mismatch of the sampling law at lambda*, or an upper bound of it, >= 1; may be inf.
    delta : array_like
        Probability with which the bound may fail, in (0, 1).

    Returns
    -------
    float or ndarray
        4 lambda*, with the relative accuracy of N(lambda), 1e-12; inf where kappa is.

    Raises
    ------
    ValueError
        If an argument is out of range, or so large a width is asked for that lambda* < 1e-280.

    Notes
    -----
    *What the m neurons must be.* Either independent draws from one law q with mismatch <= kappa at
    lambda*, or, by the same proof for independent draws that are not identical, m_1 draws from q_1
    and m - m_1 from q_0, each neuron v weighted by 1/(m p(v)) with p = P q_1 + (1-P) q_0 and P =
    m_1/m; then kappa is kappa_P of `mixture_mismatch`. kappa_1 = 1 supposes leverage sampling
    at the ridge lambda* itself. As P grows the bound falls, down to its value for kappa = 1.

    *Why lambda* is one number.* With x = 16 kappa N/delta the inequality reads x log x <= y, y =
    16 m/(5 delta). It holds for x <= 1, where the left side is not positive; from there on x log x
    grows with x, and y > 0, so it holds iff x <= y/W(y), W Lambert's function, that is iff
    N(lambda) <= m/(5 kappa W(y)). As N falls strictly from inf to 0 while lambda grows, that is all
    lambda from some lambda* on.

    *Where it is vacuous.* The zero function leaves at most the largest eigenvalue: a bound above
    it says nothing. No choice of m neurons does better than mu_(m+1).

    Examples
    --------
    >>> from kernelspec.features import BiasedReLU
    >>> for bound in explicit_bound(BiasedReLU(3), 10_000, [1.0, 10.0, 67.88], 0.05):
    ...     print(f"{bound:.3e}")
    7.762e-07
    3.153e-04
    1.108e-01
    """
    m = _checks.integer_array("m", m, 1)
    kappa = _mismatch("kappa", kappa)
    delta = _checks.open_unit_array("delta", delta)
    m, kappa, delta = _checks.broadcast(m=m, kappa=kappa, delta=delta)
    target = _largest_dof(m, kappa, delta)
    bound = np.full(target.shape, np.inf)
    possible = target > 0
    if np.any(possible):
        bound[possible] = 4 * _ridge_with_dof(model, target[possible])
    return _plain(bound)


def _largest_dof(m: Array, kappa: Array, delta: Array) -> Array:
    """Largest N with m >= 5 kappa N log(16 kappa N/delta)."""
    # y/W(y) = 16 kappa N/delta; wrightomega(log y) is W(y), with no overflow for tiny delta
    log_y = math.log(16 / 5) + np.log(m) - np.log(delta)
    return np.asarray(m / (5 * kappa * wrightomega(log_y)))


def _ridge_with_dof(model: BiasedReLU, target: Array) -> Array:
    """Smallest ridge whose degrees of freedom are at most `target`, a vector of numbers > 0."""
    from scipy.optimize.elementwise import find_root

    def dof(log_ridge: Array) -> Array:
        return np.asarray(model.degrees_of_freedom(np.exp(log_ridge)))

    # N(lambda) < K(1)/lambda bounds the root from above; from there, walk down until past it
    high = np.log(float(model.kernel(1.0)) / target)
    low = high - 1.0
    while np.any(short := dof(low) < target):
        high = np.where(short, low, high)
        low = np.where(short, low - 1.5, low)
        if np.min(low) < _LOG_LEAST_RIDGE:
            raise ValueError(f"m is not allowed: so wide that lambda* < {_LEAST_RIDGE:g}")

    def excess(log_ridge: Array, goal: Array) -> Array:
        return np.asarray(np.log(dof(log_ridge) / goal))

    tolerances: Any = {"xatol": _EPS, "xrtol": _EPS}
    result = find_root(excess, (low, high), args=(target,), tolerances=tolerances)
    return np.asarray(np.exp(result.x))


def captured_fraction(
    P: ArrayLike, alpha: ArrayLike, kappa0: ArrayLike, kappa1: ArrayLike = 1.0
) -> float | Array:
    r"""Return the share of the whole reduction of the rate that a proportion P captures.

    .. math:: \frac{\kappa_0^\alpha - \kappa_P^\alpha}{\kappa_0^\alpha - \kappa_1^\alpha}
              = \frac{1 - (1 + P(r-1))^{-\alpha}}{1 - r^{-\alpha}}, \qquad
              r = \kappa_0/\kappa_1

    with kappa_P from `mixture_mismatch`; the whole reduction is that from P = 0 to P = 1. Written
    with expm1 and log1p nothing cancels, however near kappa0 and kappa1 are; where they are equal
    the limit, P, is returned, and for kappa0 = inf any P > 0 captures everything.

    Parameters
    ----------
    P : array_like
        Trained proportion, 0 to 1.
    alpha : array_like
        Exponent > 0 of the eigenvalues' decay.
    kappa0 : array_like
        Mismatch of the initialisation, >= kappa1; may be inf.
    kappa1 : array_like, default 1
        Mismatch of the trained neurons, >= 1 and finite.

    Returns
    -------
    float or ndarray
        A share from 0 (P = 0) to 1 (P = 1).

    Raises
    ------
    ValueError
        If an argument is out of range.

    See Also
    --------
    trainable_proportion : The inverse.

    Examples
    --------
    >>> round(captured_fraction(0.0406, 7 / 4, theorem_kappa0(5, 10)), 3)
    0.9
    """
    P = _checks.real_array("P", P, 0.0, 1.0)
    P, alpha, excess = _alpha_and_excess(alpha, kappa0, kappa1, P=P)
    with np.errstate(invalid="ignore"):  # 0/0 for excess = 0 and 0 * inf for P = 0: replaced below
        share = np.expm1(-alpha * np.log1p(P * excess)) / np.expm1(-alpha * np.log1p(excess))
    return _plain(np.where((P == 0) | (excess == 0), P, np.minimum(share, 1.0)))


def trainable_proportion(
    fraction: ArrayLike, alpha: ArrayLike, kappa0: ArrayLike, kappa1: ArrayLike = 1.0
) -> float | Array:
    r"""Return the proportion P of trained neurons that captures a given share of the reduction.

    The inverse of `captured_fraction` in P. With :math:`r = \kappa_0/\kappa_1`,

    .. math:: P = \frac{(1 - f\,(1 - r^{-\alpha}))^{-1/\alpha} - 1}{r - 1}.

    Parameters
    ----------
    fraction : array_like
        Share f, 0 to 1.
    alpha : array_like
        Exponent > 0 of the eigenvalues' decay.
    kappa0 : array_like
        Mismatch of the initialisation, >= kappa1; may be inf.
    kappa1 : array_like, default 1
        Mismatch of the trained neurons, >= 1 and finite.

    Returns
    -------
    float or ndarray
        P in [0, 1]. For kappa0 = inf every P > 0 captures all: the limit, 0 for f < 1 and 1 for
        f = 1, is returned.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    The theorem's figure for d = 5, tau = 10, and what the sharp limiting mismatch makes of it:

    >>> round(100 * trainable_proportion(0.9, 7 / 4, theorem_kappa0(5, 10)), 2)
    4.06
    >>> round(100 * trainable_proportion(0.9, 7 / 4, theorem_kappa0(5, 10) / 4), 1)
    16.3
    """
    f = _checks.real_array("fraction", fraction, 0.0, 1.0)
    f, alpha, excess = _alpha_and_excess(alpha, kappa0, kappa1, fraction=f)
    log_power = -alpha * np.log1p(excess)
    # log of 1 - f (1 - r^-alpha): by log1p where that is near 1, as a sum of positive terms where
    # it is small
    with np.errstate(divide="ignore"):
        missing = f * np.expm1(log_power)
        near = np.log1p(np.maximum(missing, -0.5))
        far = np.log((1 - f) + f * np.exp(log_power))
    log_rest = np.where(missing > -0.5, near, far)
    with np.errstate(invalid="ignore", over="ignore"):  # 0/0 and inf/inf: replaced below
        P = np.minimum(np.expm1(-log_rest / alpha) / excess, 1.0)
    return _plain(np.where((f == 0) | (f == 1) | (excess == 0), f, P))


def _alpha_and_excess(
    alpha: ArrayLike, kappa0: ArrayLike, kappa1: ArrayLike, **share: Array
) -> tuple[Array, Array, Array]:
    """Check the arguments; return the share, alpha and kappa0/kappa1 - 1, of one shape."""
    alpha = _checks.positive_array("alpha", alpha)
    kappa0 = _mismatch("kappa0", kappa0)
    kappa1 = _mismatch("kappa1", kappa1, _LARGEST)
    first, alpha, kappa0, kappa1 = _checks.broadcast(
        **share, alpha=alpha, kappa0=kappa0, kappa1=kappa1
    )
    wrong = kappa0 < kappa1
    if np.any(wrong):
        where = tuple(np.argwhere(wrong)[0])
        raise ValueError(
            f"kappa1 = {float(kappa1[where])!r} is not allowed: "
            f"at most kappa0 = {float(kappa0[where])!r}"
        )
    return first, alpha, (kappa0 - kappa1) / kappa1  # the difference keeps near ratios accurate

r"""Tighter explicit bounds: the same theorem, with its free choices optimised numerically.

:func:`kernelspec.explicit_bound` fixes every choice of the proof in advance, hence its round
constants 4, 5 and 16. Here none is fixed. For all ridges lambda > 0, tilts theta > 0 and slopes
beta, with c_k = mu_k/(mu_k + lambda), R = kappa N(lambda)/m and h = (1 - exp(-theta R))/R,

.. math::
    P\Bigl(E(V) > \frac{\tau\lambda}{\beta-\tau}\Bigr) \le \delta, \qquad
    e^{\theta\tau} - \theta\tau - 1 = \frac1\delta\Bigl(\sum_k N_k
    \bigl(e^{(\theta\beta-h)c_k} - 1\bigr) + \theta(1-\beta) N(\lambda)\Bigr),
    \qquad 0 < \tau < \beta,

so the least such value over (lambda, theta, beta) is a bound as well. docs/derivations/
concentration.md proves it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import exprel

from kernelspec import _checks
from kernelspec._tails import first_degree, sum_rule
from kernelspec.bounds import explicit_bound
from kernelspec.features import BiasedReLU

__all__ = ["OptimisedBound", "optimised_bound"]

Array = NDArray[np.float64]

_LEAST_MISMATCH: Final = 1 - 1e-9  # one computed in floating point may fall short of 1 by rounding
_REACH: Final = 9.0  # how far below lambda* the ridge is sought, in nats
_STARTS: Final = ((0.05, 0.25), (1.0, 1.0))  # lambda/lambda* and beta: typical, and for few neurons
_ROUNDS: Final = 2
_LARGEST: Final = 30.0  # log of theta or beta, beyond which nothing is gained
_NONE: Final = 1e6  # log error where nothing is certified, far above any other
_TOLERANCES: Final[Any] = {"xatol": 1e-4, "fatol": 1e-7}


@dataclass(frozen=True)
class OptimisedBound:
    """A tighter bound, the choices that give it, and the one with round constants beside it.

    Attributes
    ----------
    value : float or ndarray
        Squared error that is not exceeded with probability >= 1 - delta.
    lam : float or ndarray
        The ridge of the proof: kappa must bound the mismatch there.
    tilt, slope : float or ndarray
        theta and beta of the proof.
    explicit : float or ndarray
        4 lambda* of `explicit_bound`, for comparison; never below `value`.

    Examples
    --------
    >>> from kernelspec.features import BiasedReLU
    >>> bound = optimised_bound(BiasedReLU(3), 1000, 4.0, 0.05)
    >>> bool(bound.value <= bound.explicit), bool(bound.lam > 0)
    (True, True)
    """

    value: float | Array
    lam: float | Array
    tilt: float | Array
    slope: float | Array
    explicit: float | Array


@dataclass(frozen=True)
class _Spectrum:
    """Eigenvalues and N_k mu_k, with the nodes of the sum over all further degrees."""

    mu: Array
    weight: Array

    @classmethod
    def of(cls, model: BiasedReLU, smallest: float) -> _Spectrum:
        d, s = model.d, model.order
        floor = 10.0 ** math.floor(math.log10(smallest))
        rule = sum_rule(d, s, first_degree(d, s), floor)
        return cls(
            np.concatenate([rule.mu, rule.tail_mu]),
            np.concatenate([rule.trace_weights, rule.tail_trace]),
        )


def _log_trace(spectrum: _Spectrum, lam: float, tilt: float, slope: float, R: float) -> float:
    """Log of sum_k N_k (exp(g c_k) - 1) + theta (1-beta) N, with g = theta beta - h.

    N_k (e^{g c} - 1) = N_k mu_k/(mu_k + lambda) * g exprel(g c): a sum that converges as N does.
    The factor e^{g} is taken out, so that nothing overflows.
    """
    resolvent = 1 / (spectrum.mu + lam)
    c = spectrum.mu * resolvent
    g = tilt * slope + math.expm1(-tilt * R) / R
    shift = max(g, 0.0)
    # e^{-shift} exprel(g c); for large arguments exprel overflows where the quotient does not
    x = g * c
    large = x > 500
    safe = exprel(np.where(large, 0.0, x)) * math.exp(-min(shift, 700.0))
    head = np.exp(np.where(large, x, 0.0) - shift) / np.where(large, x, 1.0)
    total = g * float(spectrum.weight @ (resolvent * np.where(large, head, safe)))
    total += tilt * (1 - slope) * float(spectrum.weight @ resolvent) * math.exp(-min(shift, 700.0))
    return shift + math.log(total) if total > 0 else math.inf


def _solve_threshold(log_q: float) -> float:
    """Solve e^y - y - 1 = q for y > 0, given log q."""
    y = max(log_q, 1.0) if log_q > 0 else min(1.0, math.sqrt(2) * math.exp(log_q / 2))
    for _ in range(60):
        # Newton for log(e^y - y - 1) - log q, concave in log y: it settles in a few steps
        value = _log_gap(y)
        slope = math.exp(_log_expm1(y) - value)
        step = (value - log_q) / slope
        y = max(y - step, y / 8)
        if abs(step) <= 1e-15 * y:
            break
    return y


def _log_expm1(y: float) -> float:
    return y + math.log1p(-math.exp(-y)) if y > 1 else math.log(math.expm1(y))


def _log_gap(y: float) -> float:
    """Log(e^y - y - 1), without cancellation for small y."""
    if y > 1:
        return y + math.log1p(-(1 + y) * math.exp(-y))
    terms, term = 0.0, 0.5
    for j in range(3, 25):
        terms += term
        term *= y / j
    return 2 * math.log(y) + math.log(terms)


def _log_error(
    spectrum: _Spectrum, choice: tuple[float, float, float], scale: float, log_delta: float
) -> float:
    """Log of the error that (lambda, theta, beta) certifies; beyond 1e3 where they certify none."""
    lam, tilt, slope = (math.exp(value) for value in choice)
    R = scale * float(spectrum.weight @ (1 / (spectrum.mu + lam)))
    log_q = _log_trace(spectrum, lam, tilt, slope, R) - log_delta
    if not math.isfinite(log_q):
        return _NONE
    threshold = _solve_threshold(log_q) / tilt
    if threshold >= slope:
        return 1e3 + min(threshold - slope, 1e5)
    return math.log(threshold) + math.log(lam) - math.log(slope - threshold)


def _optimise(
    model: BiasedReLU, m: float, kappa: float, delta: float, explicit: float
) -> tuple[float, float, float, float]:
    """Least error over the choices and the choices; the bound with round constants at worst."""
    top = explicit / 4
    floor = math.log(top) - _REACH
    spectrum = _Spectrum.of(model, top * math.exp(-_REACH))

    def objective(x: Array) -> float:
        if x[0] < floor or max(x[1], x[2]) > _LARGEST:
            return _NONE
        return _log_error(spectrum, (x[0], x[1], x[2]), kappa / m, math.log(delta))

    tilt = math.log(4 * math.log(16 * m / delta))
    best, at = math.log(explicit), (math.log(top), math.nan, 0.0)
    for ridge, slope in _STARTS:
        x = np.array([math.log(top * ridge), tilt, math.log(slope)])
        for _ in range(_ROUNDS):  # a fresh simplex frees one that has collapsed
            found = minimize(objective, x, method="Nelder-Mead", options=_TOLERANCES)
            x = np.asarray(found.x)
        if found.fun < best:
            best, at = float(found.fun), (float(x[0]), float(x[1]), float(x[2]))
    return math.exp(best), math.exp(at[0]), math.exp(at[1]), math.exp(at[2])


def optimised_bound(
    model: BiasedReLU, m: ArrayLike, kappa: ArrayLike, delta: ArrayLike
) -> OptimisedBound:
    r"""Bound the error of width m as `explicit_bound` does, with the proof's choices optimised.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    m : array_like of int
        Width, >= 1.
    kappa : array_like
        Mismatch of the sampling law at the ridge `lam` of the result, or an upper bound of it, >= 1
        and finite. For a proportion P of trained neurons, `mixture_mismatch`.
    delta : array_like
        Probability with which the bound may fail, in (0, 1).

    Returns
    -------
    OptimisedBound
        `value`, never above `explicit`, and the choices behind it; floats where all arguments are
        scalars.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    What the m neurons must be is as for `explicit_bound`: independent, from one law or from two
    with fixed counts. The ridge at which kappa counts is another, smaller one: where kappa is the
    mismatch at one ridge only, check it at `lam`. A constant that bounds the mismatch at all ridges
    needs no such care.

    Every choice (lambda, theta, beta) gives a valid bound, so the quality of the minimisation, and
    nothing else, depends on the optimiser. Sums over all degrees are accurate to about 1e-12, not
    rigorously enclosed.

    References
    ----------
    Tropp, *An Introduction to Matrix Concentration Inequalities*, 2015, chapters 5 and 7; Minsker,
    Statist. Probab. Lett. 127, 2017; Bach, JMLR 18(21), 2017, Proposition 1.

    Examples
    --------
    >>> from kernelspec.features import BiasedReLU
    >>> bound = optimised_bound(BiasedReLU(3), 10_000, 10.0, 0.05)
    >>> print(f"{bound.explicit:.2e} {bound.value:.2e}")
    3.15e-04 3.46e-06
    """
    m = _checks.integer_array("m", m, 1)
    kappa = _checks.real_array("kappa", kappa, _LEAST_MISMATCH, float(np.finfo(np.float64).max))
    delta = _checks.open_unit_array("delta", delta)
    m, kappa, delta = _checks.broadcast(m=m, kappa=kappa, delta=delta)
    explicit = np.asarray(explicit_bound(model, m, kappa, delta))
    rows = [
        _optimise(model, float(a), float(b), float(c), float(e))
        for a, b, c, e in zip(m.flat, kappa.flat, delta.flat, explicit.flat, strict=True)
    ]
    columns = np.array(rows).reshape(-1, 4).T.reshape(4, *m.shape)
    value, lam, tilt, slope = (float(x) if x.ndim == 0 else x for x in columns)
    return OptimisedBound(
        value, lam, tilt, slope, float(explicit) if explicit.ndim == 0 else explicit
    )

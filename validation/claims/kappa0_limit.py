"""The mismatch of the Gaussian initialisation as the ridge goes to 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelspec import GaussianInit, limiting_mismatch, mismatch
from validation.context import Context
from validation.records import Finding, Relation, hull
from validation.registry import claim

_TOLERANCE = 1e-2
_ERROR = 1e-10
_LEAST_LOG_RIDGE = -600.0


@claim(
    "kappa0-limit",
    title="As the ridge vanishes, the mismatch tends to a quarter of the theorem's constant",
    statement=(
        r"$\lim_{\lambda \to 0}\, \kappa(\lambda;\, q_\tau) = \sqrt{2}\;\tau\, \dfrac{d+1}{d}$"
    ),
    source="this project: limit of the leverage law",
    assumptions="ReLU features, Gaussian initialisation, tau^2 >= (d+1)/(2d+3)",
    needs=("d", "tau"),
)
def check(context: Context) -> Finding:
    """Set the limiting law's mismatch and an extrapolation over falling ridges beside it."""
    model, law = context.model(), GaussianInit(context.d, context.tau)
    limit = float(limiting_mismatch(model, law).kappa)
    predicted = context.theorem.kappa0_limit(context.d, context.tau)
    if context.tau < context.theorem.initial_threshold(context.d):
        return _below_threshold(context, predicted, limit)
    approach = _approach(context)
    low, high = hull(limit, approach.extrapolated, error=approach.error)
    return Finding(
        predicted=predicted,
        relation="==",
        low=low,
        high=high,
        tolerance=_TOLERANCE,
        method=(
            "two routes, enclosed together: mismatch of the limiting leverage law, and "
            f"kappa(lambda) extrapolated from lambda = {approach.largest:.2g} down to "
            f"{approach.smallest:.2g}; error: the whole extrapolation step"
        ),
        details={"limiting_law": limit, "smallest_ridge": approach.smallest}
        | {"kappa_there": approach.last},
    )


@dataclass(frozen=True)
class _Approach:
    extrapolated: float
    error: float
    largest: float
    smallest: float
    last: float


def _approach(context: Context) -> _Approach:
    """Extrapolate kappa over lambda = mu_{K/2} and mu_K, to a limit that it nears as K^{-p}."""
    d, model = context.d, context.model()
    K = {2: 2_000, 3: 400}.get(d, max(100, 4 * d)) * (3 if context.full else 1)
    log_lam = np.asarray(model.eigenvalues(K, log=True))[[K // 2, K]]
    if log_lam[1] < _LEAST_LOG_RIDGE:
        raise ArithmeticError(f"the approach to the limit needs ridges below float64's at d = {d}")
    lam = np.exp(log_lam)
    kappa = mismatch(model, GaussianInit(d, context.tau), lam).kappa
    power = {2: 1.0}.get(d, 2.0)
    first, last = map(float, np.asarray(kappa))
    limit = last + (last - first) / (2**power - 1)
    step = abs(limit - last) + _ERROR * last
    return _Approach(limit, step, float(lam[0]), float(lam[1]), last)


def _below_threshold(context: Context, predicted: float, limit: float) -> Finding:
    threshold = context.theorem.initial_threshold(context.d)
    relation: Relation = ">="
    return Finding(
        predicted=predicted,
        relation=relation,
        low=limit * (1 - _ERROR),
        high=limit * (1 + _ERROR),
        method="mismatch of the limiting leverage law",
        note=(
            f"Below tau = {threshold:.4g} the largest ratio moves away from b = 0 and the formula "
            f"is a lower bound only: the limit is {limit:.6g}, {limit / predicted:.4g} times it."
        ),
        details={"limiting_law": limit, "threshold": threshold},
    )

"""The mismatch of the Gaussian initialisation as the ridge goes to 0."""

from __future__ import annotations

import numpy as np

from kernelspec import GaussianInit, limiting_mismatch, mismatch
from validation.context import Context
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-8
_TOLERANCE_OF_APPROACH = 1e-2
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
def check(context: Context) -> list[Finding]:
    """Hold the limiting law's mismatch against the formula, and kappa along falling ridges."""
    model, law = context.model(), GaussianInit(context.d, context.tau)
    limit = float(limiting_mismatch(model, law).kappa)
    predicted = context.theorem.kappa0_limit(context.d, context.tau)
    if context.tau < context.theorem.initial_threshold(context.d):
        return [_below_threshold(context, predicted, limit)]
    approach = _approach(context, predicted)
    exact = Finding(
        predicted=predicted,
        relation="==",
        low=limit * (1 - _ERROR),
        high=limit * (1 + _ERROR),
        tolerance=_TOLERANCE,
        method=f"mismatch of the limiting leverage law; relative error stated as {_ERROR:g}",
        details=approach.details,
    )
    return [exact, approach]


def _approach(context: Context, predicted: float) -> Finding:
    """Extrapolate kappa over lambda = mu_{K/2} and mu_K, to a limit that it nears as K^{-p}."""
    d, model = context.d, context.model()
    K = {2: 2_000, 3: 400}.get(d, max(100, 4 * d)) * (3 if context.full else 1)
    log_lam = np.asarray(model.eigenvalues(K, log=True))[[K // 2, K]]
    if log_lam[1] < _LEAST_LOG_RIDGE:
        raise ArithmeticError(f"the approach to the limit needs ridges below float64's at d = {d}")
    lam = np.exp(log_lam)
    kappa = mismatch(model, GaussianInit(d, context.tau), lam).kappa
    power = 1.0 if d == 2 else 2.0
    first, last = map(float, np.asarray(kappa))
    step = (last - first) / (2**power - 1)
    error = abs(step) + _ERROR * last
    return Finding(
        predicted=predicted,
        relation="==",
        low=last + step - error,
        high=last + step + error,
        tolerance=_TOLERANCE_OF_APPROACH,
        method=(
            f"kappa(lambda) extrapolated from lambda = {lam[0]:.2g} and {lam[1]:.2g}; error: the "
            "whole extrapolation step. Beside it the mismatch of the limiting leverage law is "
            f"held against the formula to {_TOLERANCE:g}"
        ),
        details={"smallest_ridge": float(lam[1]), "kappa_there": last, "extrapolated": last + step},
    )


def _below_threshold(context: Context, predicted: float, limit: float) -> Finding:
    threshold = context.theorem.initial_threshold(context.d)
    return Finding(
        predicted=predicted,
        relation=">=",
        low=limit * (1 - _ERROR),
        high=limit * (1 + _ERROR),
        method="mismatch of the limiting leverage law",
        note=(
            f"Below tau = {threshold:.4g} the largest ratio moves away from b = 0 and the formula "
            f"is a lower bound only: the limit is {limit:.6g}, {limit / predicted:.4g} times it."
        ),
        details={"limiting_law": limit, "threshold": threshold},
    )

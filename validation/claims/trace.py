"""The eigenvalues add up to the kernel on the diagonal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validation.context import Context
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-10
_ROUNDING = 1e-12


@claim(
    "trace",
    title="The eigenvalues, with multiplicity, sum to K(1)",
    statement=r"$\sum_{k \geq 0} N_k\, \mu_k = K(1)$",
    source="Mercer's theorem",
    assumptions="ReLU features, inputs uniform on the sphere",
    needs=("d",),
)
def check(context: Context) -> Finding:
    """Sum N_k mu_k to a degree K; what is left lies between two multiples of a power sum."""
    d, model = context.d, context.model()
    degrees = max(2_000, 40 * d) * (10 if context.full else 1)
    log_weight = _log_weights(d, np.asarray(model.eigenvalues(degrees, log=True)))
    weight = np.exp(log_weight)
    total = float(weight.sum())
    low, high = _tail(d, degrees, float(weight[-1]))
    error = float(_ROUNDING * (weight * (1 + np.abs(log_weight))).sum())
    return Finding(
        predicted=float(model.kernel(1.0)),
        relation="==",
        low=total + low - error,
        high=total + high + error,
        tolerance=_TOLERANCE,
        method=(
            f"sum to degree {degrees}, the rest between bounds of its power law; "
            f"rounding error stated as {_ROUNDING:g} of every logarithm"
        ),
        details={"degrees": degrees, "tail_low": low, "tail_high": high},
    )


def _log_weights(d: int, log_mu: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of N_k mu_k; N_k grows by (2k+d)(k+d-2) / ((2k+d-2)(k+1)) from k to k+1."""
    if d == 2:
        return log_mu + np.log(np.where(np.arange(log_mu.size) == 0, 1.0, 2.0))
    k = np.arange(log_mu.size - 1, dtype=np.float64)
    growth = np.log((2 * k + d) / (2 * k + d - 2)) + np.log((k + d - 2) / (k + 1))
    return np.asarray(log_mu + np.concatenate([[0.0], np.cumsum(growth)]))


def _tail(d: int, last: int, weight: float) -> tuple[float, float]:
    """Bounds of sum_{k > K} N_k mu_k from its last term.

    N_k mu_k kap^4 tends to a constant from one side, so with its relative change beyond K at most
    delta = d^3/kap^2 the tail is within a factor 1 +- delta of w_K kap^4 sum_{k > K} kap^{-4}.
    """
    kap = last + (d - 2) / 2
    delta = min(1.0, d**3 / kap**2)
    power_low, power_high = kap**4 / (3 * (kap + 1) ** 3), kap / 3
    return weight * power_low * (1 - delta), weight * power_high * (1 + delta)

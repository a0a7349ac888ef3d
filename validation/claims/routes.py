"""Three routes to the eigenvalues agree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernelspec import gegenbauer
from validation.context import Context
from validation.quadrature import angles, expectation, points
from validation.records import Finding, hull
from validation.registry import claim

_TOLERANCE = 1e-9
_ROUNDING = 1e-12


@claim(
    "routes",
    title="Closed form, harmonic coefficients and kernel give the same eigenvalues",
    statement=(r"$\mu_k = \mathbb{E}_\pi\, a_k(v)^2 = \mathbb{E}_t\, K(t) P_k(t)$"),
    source="Funk-Hecke formula",
    assumptions="ReLU features, inputs uniform on the sphere",
    needs=("d",),
)
def check(context: Context) -> Finding:
    """Divide the quadratures by the closed form; every quotient should be 1."""
    d, model = context.d, context.model()
    degrees = 200 if context.full else 50
    mu = model.eigenvalues(degrees)
    mu = mu[mu > 1e-280]
    K = mu.size - 1
    squares, change = expectation(lambda b: model.coefficients(b, K) ** 2, d, points(d, K))
    by_coefficients, error = squares / mu, change / mu + _ROUNDING
    projected, projected_error = _funk_hecke(context, K)
    resolved = projected_error < _TOLERANCE / 10 * mu
    by_kernel = projected[resolved] / mu[resolved]
    kernel_error = projected_error[resolved] / mu[resolved]
    low, high = hull(
        by_coefficients - error,
        by_coefficients + error,
        by_kernel - kernel_error,
        by_kernel + kernel_error,
    )
    return Finding(
        predicted=1.0,
        relation="==",
        low=low,
        high=high,
        tolerance=_TOLERANCE,
        method=(
            f"ratios to the closed form: quadrature of a_k^2 for degrees 0 to {K}, and of K P_k "
            f"for the {int(resolved.sum())} degrees that cancellation leaves resolved; "
            "error: change under refinement plus rounding"
        ),
        details={"degrees": K, "degrees_by_kernel": float(resolved.sum())},
    )


def _funk_hecke(context: Context, K: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E_t K(t) P_k(t) over the law of a coordinate, in the angle, where the kernel is analytic."""
    d, model = context.d, context.model()
    phi, weight = angles(points(d, K), 0.0, math.pi)
    weight = weight * np.sin(phi) ** (d - 2)
    weight /= weight.sum()
    t = np.cos(phi)
    values = model.kernel(t) * weight
    P = gegenbauer(d, K, t)
    # The integral of positive and negative parts cancels; rounding is that of the parts.
    return P @ values, 1e-14 * np.abs(P) @ np.abs(values)

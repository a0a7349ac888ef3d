"""Three routes to the eigenvalues agree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernelspec import gegenbauer
from validation.context import Context
from validation.quadrature import angles, expectation, points
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-9
_ROUNDING = 1e-12
_LEAST = 1e-280


@claim(
    "routes",
    title="Closed form, harmonic coefficients and kernel give the same eigenvalues",
    statement=(r"$\mu_k = \mathbb{E}_\pi\, a_k(v)^2 = \mathbb{E}_t\, K(t) P_k(t)$"),
    source="Funk-Hecke formula",
    assumptions="ReLU features, inputs uniform on the sphere",
    needs=("d",),
)
def check(context: Context) -> list[Finding]:
    """Divide the quadratures by the closed form, degree by degree; every quotient should be 1."""
    d, model = context.d, context.model()
    mu = model.eigenvalues(200 if context.full else 50)
    mu = mu[mu > _LEAST]
    K = mu.size - 1
    squares, change = expectation(lambda b: model.coefficients(b, K) ** 2, d, points(d, K))
    projected, rounding = _funk_hecke(context, K)
    resolved = rounding < _TOLERANCE / 10 * mu
    by_coefficients = [
        _finding(k, squares[k] / mu[k], change[k] / mu[k] + _ROUNDING, f"E a_k^2, k <= {K}")
        for k in range(K + 1)
    ]
    by_kernel = [
        _finding(k, projected[k] / mu[k], rounding[k] / mu[k], "E K P_k, where it is resolved")
        for k in np.flatnonzero(resolved).tolist()
    ]
    return by_coefficients + by_kernel


def _finding(k: int, ratio: float, error: float, what: str) -> Finding:
    return Finding(
        predicted=1.0,
        relation="==",
        low=float(ratio - error),
        high=float(ratio + error),
        tolerance=_TOLERANCE,
        method=(
            f"ratio of a quadrature ({what}) to the closed form, of which the worst degree is "
            "shown; error: change under refinement, or rounding"
        ),
        details={"degree": k},
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

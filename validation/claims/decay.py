"""The exponent at which the sorted eigenvalues decay."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from validation.context import Context
from validation.proofs import settle, theorems_own
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-4


@claim(
    "decay",
    title="The sorted eigenvalues decay as a power with the theorem's exponent",
    statement=r"$\mu_{(j)} \sim C_d\, j^{-\alpha}, \quad \alpha = \dfrac{d+2}{d-1}$",
    source="abstract of He, Lao, Lu & Zhang (2026)",
    assumptions="ReLU features, inputs uniform on the sphere",
    needs=("d",),
)
def check(context: Context) -> Finding:
    """Prove two-sided constants for the exponent, and extrapolate it from eigenvalues."""
    return settle(_proved(context), _computed(context))


def _proved(context: Context) -> Finding | None:
    """Constants between which mu_(j) j^alpha stays for every j, in ball arithmetic."""
    if not theorems_own(context):
        return None
    from kernelspec.certify.decay import certify_decay

    predicted = context.theorem.alpha(context.d)
    # the exponent is a fraction of whole numbers below 1000; its float is rounded
    proof = certify_decay(context.d, exponent=Fraction(predicted).limit_denominator(10_000))
    if proof.verdict == "inconclusive":
        return None
    alpha = predicted if proof.verdict == "certified" else float(proof.alpha)
    return Finding(
        predicted=predicted,
        relation="==",
        low=alpha,
        high=alpha,
        tolerance=_TOLERANCE,
        proof=True,
        method=f"ball arithmetic: {proof.reason}",
    )


def _computed(context: Context) -> Finding:
    """Extrapolate the slope of log mu against log rank between degrees K/4, K/2 and K."""
    d, model = context.d, context.model()
    top = max(4_096, 64 * d) * (16 if context.full else 1)
    degrees = np.array([top // 4, top // 2, top])
    log_mu = np.asarray(model.eigenvalues(top, log=True))[degrees]
    log_rank = _log_middle_rank(d, degrees)
    coarse, fine = -np.diff(log_mu) / np.diff(log_rank)
    # Both expansions run in even powers of 1/kap, so the error of a slope falls by 4 a doubling.
    limit = fine + (fine - coarse) / 3
    rounding = 1e-12 * float(np.abs(log_mu).max() + np.abs(log_rank).max())
    error = abs(limit - fine) + rounding
    return Finding(
        predicted=context.theorem.alpha(d),
        relation="==",
        low=float(limit - error),
        high=float(limit + error),
        tolerance=_TOLERANCE,
        method=(
            f"slope of log eigenvalue against log rank at degrees {degrees[0]}, {degrees[1]} and "
            f"{degrees[2]}, extrapolated; error: the whole extrapolation step plus rounding"
        ),
        details={"slope": float(fine), "extrapolated": float(limit)},
    )


def _log_middle_rank(d: int, k: NDArray[np.int_]) -> NDArray[np.float64]:
    """Logarithm of the rank in the middle of degree k's block of equal eigenvalues.

    binom(k+d-2, d-1) + binom(k+d-3, d-1) eigenvalues come before degree k; the middle is the mean
    of that number at k and at k+1.
    """
    i = np.arange(d - 1)

    def before(j: NDArray[np.int_]) -> NDArray[np.float64]:
        larger = np.log((j[:, None] + i) / (i + 1)).sum(axis=1)
        return np.asarray(larger + np.log1p((j - 1) / (j + d - 2)))

    return np.asarray(np.logaddexp(before(k), before(k + 1)) - math.log(2))

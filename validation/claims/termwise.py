"""Every single degree keeps half the theorem's constant."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kernelspec import GaussianInit
from validation.context import Context
from validation.proofs import ends, same_constant, settle, theorems_own
from validation.records import Finding
from validation.registry import claim, from_tau_one
from validation.theorem import Theorem

_ERROR = 1e-9
_PAIRS = 128
_SAMPLES = 16  # heights a hump: the best of them is within 2 % of its top
_WORTH_REFINING = 0.97  # a hump sampled below this share of the best cannot hold the maximum
_ROUNDS = 8  # each narrows the bracket fourfold, down to the square root of rounding


@claim(
    "termwise",
    title="Degree by degree, half the theorem's constant is enough",
    statement=(
        r"$\sup_{v}\, \dfrac{a_k(v)^2}{q_\tau(v)\, \mu_k} \leq 2\sqrt{2}\;\tau\, \dfrac{d+1}{d}"
        r" \quad (k \geq 2)$"
    ),
    source="this project: oscillation of the harmonic coefficients",
    assumptions="ReLU features, Gaussian initialisation, tau >= 1, degrees k >= 2",
    needs=("d", "tau"),
    outside=from_tau_one,
)
def check(context: Context) -> Finding:
    """Prove the bound for every degree, and find the largest ratio of the first ones."""
    computed = _computed(context)
    return settle(_proved(context, computed), computed)


def _proved(context: Context, computed: Finding) -> Finding | None:
    """Sonin's monotone function beyond a degree, ball by ball below it."""
    if not theorems_own(context):
        return None
    from kernelspec.certify.termwise import certify_termwise
    from kernelspec.certify.termwise import degree_supremum as enclosed

    claimed, own = computed.predicted, Theorem().termwise(context.d, context.tau)
    sharp = same_constant(claimed, own)  # then the float is the rounded supremum itself
    ratio = None if sharp else Fraction(claimed) / Fraction(context.tau)
    result = certify_termwise(context.d, ratio)
    if result.verdict == "inconclusive":
        return None
    if result.verdict == "certified":
        # an even degree attains its supremum at b = 0, where q_tau = 1/tau
        low, high = context.tau * (1 - _ERROR) * ends(enclosed(context.d, 2 * _PAIRS))[0], claimed
    else:
        assert result.counterexample is not None
        if context.tau != 1:
            return None
        low, high = ends(result.counterexample[1])
    return Finding(
        predicted=claimed,
        relation="<=",
        low=low,
        high=high,
        proof=True,
        method=f"ball arithmetic: {result.reason}",
    )


def _computed(context: Context) -> Finding:
    """Find the largest ratio of each degree, and the largest of these."""
    K = 256 if context.full else 48
    suprema = [degree_supremum(context, k) for k in range(2, K + 1)]
    k = 2 + int(np.argmax(suprema))
    largest = float(np.max(suprema))
    return Finding(
        predicted=context.theorem.termwise(context.d, context.tau),
        relation="<=",
        low=largest * (1 - _ERROR),
        high=largest * (1 + _ERROR),
        method=(
            f"degrees 2 to {K}: {_SAMPLES} heights a hump, the highest refined; "
            f"relative error stated as {_ERROR:g}"
        ),
        note=f"Largest at degree {k}; degrees beyond {K} were not looked at.",
        details={"degrees": K, "largest_at_degree": k},
    )


def degree_supremum(context: Context, k: int) -> float:
    """Return sup_b a_k(b)^2/(q(b) mu_k) for a degree k >= 2.

    The ratio vanishes unless the kink meets the sphere, and is even in the height.
    """
    d, model = context.d, context.model()
    law = GaussianInit(d, context.tau)
    mu = float(model.eigenvalues(k)[k])

    def ratio(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        c = np.cos(theta)  # theta is the angle of the kink
        b = -c / np.sqrt(1 + c * c)
        return np.asarray(model.coefficients(b, k)[k] ** 2 / (law.density(b) * mu))

    grid, width = np.linspace(0.0, math.pi / 2, _SAMPLES * (k + d) + 1, retstep=True)
    sampled = ratio(grid)
    padded = np.concatenate([[0.0], sampled, [0.0]])
    top = (sampled >= padded[:-2]) & (sampled >= padded[2:])
    theta = grid[top & (sampled >= _WORTH_REFINING * sampled.max())]
    best = np.zeros_like(theta)
    for _ in range(_ROUNDS):
        trial = np.clip(theta[:, None] + width * np.linspace(-1, 1, 9), 0.0, math.pi / 2)
        value = ratio(trial)
        best = value.max(axis=1)
        theta = trial[np.arange(theta.size), value.argmax(axis=1)]
        width /= 4
    return float(best.max())

"""Training a proportion of the neurons interpolates between the two mismatches."""

from __future__ import annotations

import numpy as np

from kernelspec import GaussianInit, Mixture, RidgeLeverage, mismatch
from validation.context import Context
from validation.records import Finding, hull
from validation.registry import claim

_TOLERANCE = 1e-7
_ERROR = 1e-8


@claim(
    "mixture",
    title="A trained proportion P gives the harmonic mean of the mismatches",
    statement=(
        r"$\kappa(\lambda;\, P q_1 + (1-P) q_\tau) = \kappa_P "
        r"= \left(\dfrac{P}{\kappa_1} + \dfrac{1-P}{\kappa_0(\lambda)}\right)^{-1}$"
    ),
    source="abstract of He, Lao, Lu & Zhang (2026)",
    assumptions="kappa_0 and kappa_1 at the same ridge; leverage sampled at that ridge",
    needs=("d", "tau"),
)
def check(context: Context) -> Finding:
    """Compute the mixture's mismatch on a grid of P and random ridges, over kappa_P."""
    d, model, rng = context.d, context.model(), context.rng()
    initial = GaussianInit(d, context.tau)
    ridges = 10.0 ** rng.uniform(-5, 0, 8 if context.full else 2)
    proportions = np.append([0.0, 0.05, 0.5], rng.uniform(0, 0.99, 4 if context.full else 1))
    ratios = []
    for lam in map(float, ridges):
        leverage = RidgeLeverage(model, lam)
        kappa0 = float(mismatch(model, initial, lam).kappa)
        for P in map(float, proportions):
            law = Mixture([leverage, initial], [P, 1 - P])
            predicted = context.theorem.kappa_mixture(P, kappa0, context.theorem.kappa1)
            ratios.append(float(mismatch(model, law, lam).kappa) / predicted)
    low, high = hull(ratios, error=_ERROR)
    return Finding(
        predicted=1.0,
        relation="==",
        low=low,
        high=high,
        tolerance=_TOLERANCE,
        method=(
            f"mismatch of the mixture over kappa_P for {proportions.size} proportions at "
            f"{ridges.size} random ridges from {ridges.min():.2g} to {ridges.max():.2g}; "
            f"error stated as {_ERROR:g}"
        ),
    )

"""Training a proportion of the neurons interpolates between the two mismatches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelspec import GaussianInit, Mixture, RidgeLeverage, mismatch
from validation.context import Context
from validation.proofs import settle
from validation.records import Finding
from validation.registry import claim
from validation.theorem import Theorem

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
    """Say why it is the harmonic mean, and compute mixtures of the library's laws."""
    return settle(_proved(context), *_computed(context))


def _proved(context: Context) -> Finding | None:
    theorem = context.theorem
    if theorem.kappa_mixture is not Theorem().kappa_mixture or theorem.kappa1 != 1:
        return None
    return Finding(
        predicted=1.0,
        relation="==",
        low=1.0,
        high=1.0,
        tolerance=_TOLERANCE,
        proof=True,
        method=(
            "exact algebra: with q_1 = l/N the mixture's density over l/N is "
            "P + (1-P) q_tau N/l, whose infimum over neurons is P + (1-P)/kappa_0"
        ),
    )


def _computed(context: Context) -> list[Finding]:
    """Compute the mixture's mismatch for given and random P at random ridges, over kappa_P."""
    rng = context.rng()
    ridges = 10.0 ** rng.uniform(-5, 0, 8 if context.full else 2)
    proportions = np.append([0.0, 0.05, 0.5], rng.uniform(0, 0.99, 4 if context.full else 1))
    return [
        finding for lam in ridges.tolist() for finding in _at(context, lam, proportions.tolist())
    ]


def _at(context: Context, lam: float, proportions: list[float]) -> Iterator[Finding]:
    model, theorem = context.model(), context.theorem
    initial, leverage = GaussianInit(context.d, context.tau), RidgeLeverage(model, lam)
    kappa0 = float(mismatch(model, initial, lam).kappa)
    for P in proportions:
        law = Mixture([leverage, initial], [P, 1 - P])
        predicted = theorem.kappa_mixture(P, kappa0, theorem.kappa1)
        ratio = float(mismatch(model, law, lam).kappa) / predicted
        yield Finding(
            predicted=1.0,
            relation="==",
            low=ratio - _ERROR,
            high=ratio + _ERROR,
            tolerance=_TOLERANCE,
            method=(
                "mismatch of the mixture over kappa_P, for given and random P at random ridges, "
                f"of which the worst is shown; error stated as {_ERROR:g}"
            ),
            details={"P": P, "ridge": lam, "kappa_0": kappa0},
        )

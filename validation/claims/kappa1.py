"""Ridge leverage sampling has no mismatch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelspec import RidgeLeverage
from validation.context import Context
from validation.proofs import settle
from validation.quadrature import mean_leverage
from validation.records import Finding
from validation.registry import claim

_TOLERANCE = 1e-7
_ERROR = 1e-9
_HEIGHTS = 200
_DEGREE = 15  # beyond it the ridges leave little, and all of it smooth


@claim(
    "kappa1",
    title="Sampling by ridge leverage has mismatch 1",
    statement=r"$\kappa(\lambda;\, q_1) = \kappa_1^* = 1, \quad q_1 = \ell_\lambda / N(\lambda)$",
    source="abstract of He, Lao, Lu & Zhang (2026)",
    assumptions="leverage sampled at the ridge at which it is used",
    needs=("d",),
)
def check(context: Context) -> Finding:
    """Say why it is 1, and see that the library's law has the density it should."""
    return settle(_proved(context), *_computed(context))


def _proved(context: Context) -> Finding:
    return Finding(
        predicted=context.theorem.kappa1,
        relation="==",
        low=1.0,
        high=1.0,
        tolerance=_TOLERANCE,
        proof=True,
        method=(
            "exact algebra: E_pi l = N because E_pi a_k^2 = mu_k, so q = l/N is a density, and "
            "l/(q N) = 1 at every neuron of positive leverage, whatever the ridge"
        ),
    )


def _computed(context: Context) -> list[Finding]:
    """Divide leverage by the law's density and by the mean leverage, at random ridges and heights.

    The mean is taken by quadrature, to which the law's own normalisation is a stranger.
    """
    rng = context.rng()
    ridges = 10.0 ** rng.uniform(-4, 0, 10 if context.full else 3)
    b = np.append(np.sin(rng.uniform(-np.pi / 4, np.pi / 2, _HEIGHTS)), 1.0)
    return [_at(context, lam, b) for lam in map(float, ridges)]


def _at(context: Context, lam: float, b: NDArray[np.float64]) -> Finding:
    model = context.model()
    mean, change = mean_leverage(model, lam, _DEGREE)
    leverage = model.leverage(b, lam)
    some = leverage > 0  # in high dimension it underflows where neurons are nearly dead
    ratio = leverage[some] / (RidgeLeverage(model, lam).density(b[some]) * mean)
    kappa, error = float(np.max(ratio)), _ERROR + change / mean
    return Finding(
        predicted=context.theorem.kappa1,
        relation="==",
        low=kappa - error,
        high=kappa + error,
        tolerance=_TOLERANCE,
        method=(
            f"largest of leverage over density times mean leverage at {_HEIGHTS} random heights "
            "and at b = 1, at random ridges, of which the worst is shown; error: change of the "
            f"mean under refinement plus {_ERROR:g}"
        ),
        details={"ridge": lam},
    )

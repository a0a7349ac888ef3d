"""The example in the abstract: few trained neurons, most of the gain."""

from __future__ import annotations

from scipy.optimize import brentq

from validation.context import Context
from validation.proofs import ends, same_constant, settle
from validation.records import Finding
from validation.registry import claim
from validation.theorem import Theorem

_PROPORTION = 0.041
_SHARE = 0.90
_HALF_DIGIT = 0.005  # the abstract states the share to two digits
_ERROR = 1e-13


@claim(
    "headline",
    title="At d = 5, tau = 10, training 4.1 % of the neurons captures 90 % of the gain",
    statement=(
        r"$\dfrac{\kappa_0^\alpha - \kappa_P^\alpha}{\kappa_0^\alpha - \kappa_1^\alpha} = 0.90"
        r" \quad (P = 0.041,\; d = 5,\; \tau = 10)$"
    ),
    source="abstract of He, Lao, Lu & Zhang (2026)",
    assumptions="error proportional to kappa^alpha; kappa_0 the theorem's constant",
    fixed={"d": 5, "tau": 10.0},
)
def check(context: Context) -> Finding:
    """Enclose the share in a ball, and ask what it takes with the constant of the limit."""
    return settle(_proved(context), _computed(context))


def _proved(context: Context) -> Finding | None:
    """Evaluate the formula in ball arithmetic, for the theorem's constants."""
    d, tau, theorem = context.d, context.tau, context.theorem
    own = Theorem()
    if not (
        same_constant(theorem.alpha(d), own.alpha(d))
        and same_constant(theorem.kappa0(d, tau), own.kappa0(d, tau))
        and theorem.kappa1 == own.kappa1
        and theorem.kappa_mixture is own.kappa_mixture
    ):
        return None
    from flint import arb, fmpq

    P, alpha = fmpq(41, 1000), fmpq(d + 2, d - 1)
    start = 4 * arb(2).sqrt() * fmpq(d + 1, d) * arb(tau)
    now = 1 / (P + (1 - P) / start)
    low, high = ends((start**alpha - now**alpha) / (start**alpha - 1))
    return Finding(
        predicted=_SHARE,
        relation="==",
        low=low,
        high=high,
        tolerance=_HALF_DIGIT / _SHARE,
        proof=True,
        method="the formula in ball arithmetic; equality to the two digits the abstract gives",
    )


def _computed(context: Context) -> Finding:
    """Evaluate the formula, and ask what it takes with the constant of the limit."""
    d, tau, theorem = context.d, context.tau, context.theorem
    share = theorem.captured_share(_PROPORTION, d=d, tau=tau)
    sharp = theorem.kappa0_limit(d, tau)

    def missing(P: float) -> float:
        return theorem.captured_share(P, d=d, tau=tau, kappa0=sharp) - _SHARE

    needed = float(brentq(missing, 0.0, 1.0, xtol=1e-12))
    return Finding(
        predicted=_SHARE,
        relation="==",
        low=share - _ERROR,
        high=share + _ERROR,
        tolerance=_HALF_DIGIT / _SHARE,
        method="the formula in float64; equality to the two digits the abstract gives",
        note=(
            f"The number rests on the constant {theorem.kappa0(d, tau):.4g}. With the sharp limit "
            f"{sharp:.4g} the same share takes {100 * needed:.1f} % of the neurons."
        ),
        details={"proportion": _PROPORTION, "proportion_with_sharp_constant": needed},
    )

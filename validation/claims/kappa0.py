"""The mismatch of the Gaussian initialisation at every ridge."""

from __future__ import annotations

import math
from fractions import Fraction

from kernelspec import GaussianInit, holds_below, worst_mismatch
from validation.context import Context
from validation.proofs import ends, settle, theorems_own
from validation.records import Finding
from validation.registry import claim, from_tau_one

_ERROR = 1e-9
_SMALL_RIDGE, _LARGE_RIDGE = 1e-5, 2.0**40


@claim(
    "kappa0",
    title="The initialisation's mismatch never exceeds the theorem's constant",
    statement=(
        r"$\sup_{\lambda>0}\, \kappa(\lambda;\, q_\tau) \leq \kappa_0^* "
        r"= 4\sqrt{2}\;\tau\, \dfrac{d+1}{d}$"
    ),
    source="abstract of He, Lao, Lu & Zhang (2026)",
    assumptions="ReLU features, Gaussian initialisation, tau >= 1, every ridge",
    needs=("d", "tau"),
    outside=from_tau_one,
)
def check(context: Context) -> Finding:
    """Search the supremum over ridge and neuron, then prove a bound on it or its excess."""
    computed = _computed(context)
    return settle(_proved(context, computed), computed)


def _proved(context: Context, computed: Finding) -> Finding | None:
    """Certify a bound with room where the numbers have room, else the constant itself."""
    if not theorems_own(context):
        return None
    from kernelspec.certify.constants import limit_constant
    from kernelspec.certify.mismatch import certify_mismatch

    d, tau, claimed = context.d, context.tau, computed.predicted
    # twice the limit is where the proof is cheapest; the search shows whether it can be true
    roomy = max(2.02 * float(limit_constant(d).ball()) * tau, 1.02 * computed.high)
    for bound in sorted({min(roomy, claimed), claimed}):
        result = certify_mismatch(d, tau, Fraction(bound * (1 - 1e-15)) / Fraction(tau))
        if result.verdict == "certified":
            low, high = _attained(context, computed), bound
            how = f"for every tau from {tau:g} on, {result.reason}; from below, one neuron"
            break
        if result.counterexample is not None and bound == claimed:
            low, high = ends(result.counterexample.ratio)
            how = f"one neuron and one ridge, {result.reason}"
            break
    else:
        return None
    return Finding(
        predicted=claimed,
        relation="<=",
        low=low,
        high=high,
        proof=True,
        method=f"ball arithmetic: {how}",
    )


def _attained(context: Context, computed: Finding) -> float:
    """Return a certified lower bound: the ratio at the neuron and ridge that the search found."""
    from flint import arb

    from kernelspec.certify.leverage_balls import mismatch_ratio

    # the ends of the range stand for limits; a ridge close to them serves
    ridge = min(max(computed.details["at_ridge"], _SMALL_RIDGE), _LARGE_RIDGE)
    height = arb(computed.details["at_height"])
    return ends(mismatch_ratio(context.d, arb(context.tau), height, arb(ridge), relative=1e-5))[0]


def _computed(context: Context) -> Finding:
    """Search the supremum over the ridge and the neuron; where it is too large, say from where."""
    model, law = context.model(), GaussianInit(context.d, context.tau)
    constant = context.theorem.kappa0(context.d, context.tau)
    worst = worst_mismatch(model, law)
    kappa = float(worst.kappa)
    details = {"at_ridge": float(worst.lam), "at_height": float(worst.b)}
    note = ""
    if kappa * (1 - _ERROR) > constant:
        note, extent = _where_it_holds(context, constant)
        details |= extent
    return Finding(
        predicted=constant,
        relation="<=",
        low=kappa * (1 - _ERROR),
        high=kappa * (1 + _ERROR),
        method=(
            "largest mismatch found over all ridges and heights in float64; "
            f"relative error stated as {_ERROR:g}"
        ),
        note=note,
        details=details,
    )


def _where_it_holds(context: Context, constant: float) -> tuple[str, dict[str, float]]:
    model, law = context.model(), GaussianInit(context.d, context.tau)
    edge = float(holds_below(model, law, constant))
    if edge <= 0:
        return "It holds for no ridge, however small.", {"holds_below": 0.0}
    if math.isinf(edge):
        return "No ridge at which it fails was found when asked directly.", {"holds_below": edge}
    dof = float(model.degrees_of_freedom(edge))
    note = f"It does hold for every lambda <= {edge:.5g}, that is for N(lambda) >= {dof:.4g}."
    return note, {"holds_below": edge, "degrees_of_freedom_there": dof}

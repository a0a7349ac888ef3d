"""How often the error of a random network exceeds the explicit bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelspec import (
    BiasedReLU,
    GaussianInit,
    draw_network,
    explicit_bound,
    worst_case_error,
    worst_mismatch,
)
from kernelspec.concentration import optimised_bound
from validation.context import Context
from validation.intervals import CONFIDENCE, share_interval
from validation.records import Finding
from validation.registry import claim

_DELTA = 0.1
_DRAWS, _MORE_DRAWS = 52, 120  # with 52 and no excess the interval ends below delta
# width and trained neurons: the first has least room, the last a bound that says something
_SETTINGS = ((2, 2), (32, 0), (32, 4), (96, 96))
_MORE_SETTINGS = (*_SETTINGS, (2, 0), (128, 0), (128, 16), (128, 64), (256, 256))
_RTOL = 0.3  # the bounds leave more room than a closer enclosure would take away
_LARGEST_DIMENSION = 8

Array = NDArray[np.float64]


def _affordable(parameters: Mapping[str, float]) -> str | None:
    if parameters["d"] <= _LARGEST_DIMENSION:
        return None
    return f"checked to d = {_LARGEST_DIMENSION}: beyond it, widths that can be drawn say little"


@dataclass(frozen=True)
class _Case:
    """One bound for one kind of network, and enclosures of the errors of its draws."""

    optimised: bool
    m: int
    P: float
    bound: float
    lower: Array
    upper: Array

    @property
    def room(self) -> float:
        return self.bound / float(self.upper.max())


@claim(
    "bound",
    title="The explicit bound is exceeded in no more than a delta share of draws",
    statement=(
        r"$\mathrm{P}\left(E(V) > 4\lambda^*\right) \leq \delta, \quad m = "
        r"5\,\kappa_P N(\lambda^*)\,\log\dfrac{16\,\kappa_P N(\lambda^*)}{\delta}$"
    ),
    source=(
        "abstract of He, Lao, Lu & Zhang (2026): uniform over the unit ball with probability "
        ">= 1 - delta; constants of Bach (JMLR 18(21), 2017), Proposition 1"
    ),
    assumptions=(
        "fixed counts of trained and initial neurons, trained ones sampled by leverage at lambda*; "
        "kappa_0 the largest mismatch over all ridges, delta = 0.1, the widths named"
    ),
    needs=("d", "tau"),
    outside=_affordable,
)
def check(context: Context) -> list[Finding]:
    """Draw networks, enclose their errors and count those above either bound."""
    cases = _cases(context)
    note, details = _summary(context.model(), cases)
    return [_finding(case, note, details) for case in cases]


def _cases(context: Context) -> list[_Case]:
    """Both bounds for each setting; networks of one law are drawn once."""
    model, theorem, rng = context.model(), context.theorem, context.rng()
    initial = float(worst_mismatch(model, GaussianInit(context.d, context.tau)).kappa)
    drawn: dict[tuple[int, int, float], tuple[Array, Array]] = {}
    cases = []
    for m, trained in _MORE_SETTINGS if context.full else _SETTINGS:
        P = trained / m
        kappa = theorem.kappa_mixture(P, initial, theorem.kappa1)
        explicit = float(explicit_bound(model, m, kappa, _DELTA))
        tighter = optimised_bound(model, m, kappa, _DELTA)
        for optimised, bound, ridge in (
            (False, explicit, explicit / 4),
            (True, float(tighter.value), float(tighter.lam)),
        ):
            # without trained neurons the ridge plays no part in the draw
            key = (m, trained, ridge if trained else 1.0)
            if key not in drawn:
                drawn[key] = _errors(context, model, m, P, ridge, rng)
            cases.append(_Case(optimised, m, P, theorem.bound_scale * bound, *drawn[key]))
    return cases


def _errors(
    context: Context, model: BiasedReLU, m: int, P: float, ridge: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    found = [
        worst_case_error(model, draw_network(model, m, P, context.tau, ridge, rng), rtol=_RTOL)
        for _ in range(_MORE_DRAWS if context.full else _DRAWS)
    ]
    return np.array([E.lower for E in found]), np.array([E.upper for E in found])


def _finding(case: _Case, note: str, details: Mapping[str, float]) -> Finding:
    surely = int((case.lower > case.bound).sum())
    perhaps = int((case.upper > case.bound).sum())
    low, high = share_interval(surely, perhaps, case.lower.size)
    which = "the same bound with the proof's choices optimised" if case.optimised else "4 lambda*"
    return Finding(
        predicted=_DELTA,
        relation="<=",
        low=low,
        high=high,
        method=(
            f"share of {case.lower.size} independent networks whose enclosed error exceeds "
            f"{which}, at each width and proportion, of which the worst is shown; exact binomial "
            f"interval at {100 * CONFIDENCE:g} %"
        ),
        note=note,
        details={
            **details,
            "width": case.m,
            "proportion": case.P,
            "bound": case.bound,
            "largest_error": float(case.upper.max()),
            "exceeded_at_most": perhaps,
        },
    )


def _summary(model: BiasedReLU, cases: list[_Case]) -> tuple[str, dict[str, float]]:
    """Say how much room there is, and where a bound is so large that nothing could exceed it."""
    nothing = float(model.eigenvalues(0)[0])  # what the zero function leaves
    explicit = min((case for case in cases if not case.optimised), key=_room)
    tighter = min(
        (case for case in cases if case.optimised and case.bound < nothing),
        key=_room,
        default=None,
    )
    empty = sum(case.bound >= nothing for case in cases if not case.optimised)
    count = sum(not case.optimised for case in cases)
    note = (
        f"4 lambda* is {explicit.room:.3g} times the largest error drawn or more (least at m = "
        f"{explicit.m}, P = {explicit.P:g}); in {empty} of {count} settings it exceeds the largest "
        f"eigenvalue, {nothing:.3g}, and so says nothing."
    )
    details = {"room": explicit.room, "settings": count, "settings_where_it_says_nothing": empty}
    if tighter is not None:
        details["room_optimised"] = tighter.room
        note += (
            f" With the proof's choices optimised, and where that bound says something, it is "
            f"{tighter.room:.3g} times the largest error or more (least at m = {tighter.m}, "
            f"P = {tighter.P:g})."
        )
    return note, details


def _room(case: _Case) -> float:
    return case.room

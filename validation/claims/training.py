"""Whether errors of trained networks follow the pattern of the bound, to fifteen layers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from validation.context import Context
from validation.intervals import CONFIDENCE, jackknife_interval
from validation.records import Finding
from validation.registry import claim
from validation.training.extra import MISSING, available

if TYPE_CHECKING:
    from validation.training.experiment import Curves

Array = NDArray[Any]

_DIMENSION = 3
_SCALES, _MORE_SCALES = (1.0, 10.0), (1.0, 3.0, 10.0)
# far apart, for the step from one P to the next has to stand out from the seeds' spread
_PROPORTIONS = (0.0, 1 / 16, 1 / 4, 1.0)
_DEEP_PROPORTIONS = (0.0, 1 / 4, 1.0)
_DEEP_SCALE = 0.3
_DEPTHS, _MORE_DEPTHS = (15,), (3, 5, 10, 15)
_SEEDS, _MORE_SEEDS = 5, 8


def _installed(parameters: Mapping[str, float]) -> str | None:
    return None if available() else f"left out: {MISSING}"


@claim(
    "training",
    title="Trained networks gain from few neurons, placed ones the sooner the greater the mismatch",
    statement=(
        r"$E(P)$ falls with $P$ to $L = 15$ layers; with neurons placed anew ($L = 2$), $P_{90}$"
        r" is smaller for greater $\tau$"
    ),
    source=(
        "abstract of He, Lao, Lu & Zhang (2026): the same pattern in training errors, to 15 "
        "layers; what is measured is this project's reading"
    ),
    assumptions=(
        "d = 3; geometric mean of the error at fresh points over seeds, the readout solved again. "
        "Two layers, width 64, RKHS targets: trained neurons chosen greedily from a pool that does "
        "not depend on tau, then refined by variable projection. Deeper: width 32, He's "
        "initialisation with biases of scale 0.3, Adam; the theorem itself is about two layers"
    ),
    fixed={"d": _DIMENSION},
    outside=_installed,
)
def check(context: Context) -> list[Finding]:
    """Train both kinds of networks and judge the shape of their errors, not the numbers."""
    from validation.training.data import TARGETS
    from validation.training.experiment import run_experiment
    from validation.training.settings import TrainingSettings

    seed = int(context.seed.generate_state(1)[0])
    shared: dict[str, Any] = {
        "d": _DIMENSION,
        "seed": seed,
        "seeds": _MORE_SEEDS if context.full else _SEEDS,
        "test_samples": 4096,
    }
    flat = TrainingSettings(
        **shared,
        tau=_MORE_SCALES if context.full else _SCALES,
        P=_PROPORTIONS,
        methods=("placed", "projection") if context.full else ("placed",),
        samples=1024 if context.full else 512,
        steps=300 if context.full else 100,
    )
    deep = TrainingSettings(
        **shared,
        width=32,
        layers=_MORE_DEPTHS if context.full else _DEPTHS,
        init="he",
        tau=(_DEEP_SCALE,),
        P=_DEEP_PROPORTIONS,
        targets=TARGETS if context.full else ("oscillatory",),
        methods=("adam",),
        samples=512,
        steps=400 if context.full else 150,
    )
    placed, *others = run_experiment(flat)
    deeper = run_experiment(deep)
    parts = [_falls(context, placed, i) for i in range(len(placed.tau))]
    parts.append(_sharpens(context, placed))
    parts += [_falls(context, curves, 0) for curves in deeper]
    note, details = _words(placed, others, deeper)
    return [replace(part, note=note, details=details) for part in parts]


def _falls(context: Context, curves: Curves, i: int) -> Finding:
    """Follow the error in the order in which kappa_P falls."""
    theorem, tau = context.theorem, curves.tau[i]
    start = theorem.kappa0(_DIMENSION, tau)
    claimed = [theorem.kappa_mixture(P, start, theorem.kappa1) for P in curves.P]
    order = np.argsort(claimed)[::-1]
    low, high = jackknife_interval(
        lambda mean: float(np.diff(mean[order]).max()), _logs(curves, [i])
    )
    return Finding(
        predicted=0.0,
        relation="<=",
        low=low,
        high=high,
        method=(
            f"{curves.label}: largest change of the mean of log E from one P to the next at tau = "
            f"{tau:g}, in the order of falling kappa_P; {_interval_words(curves)}"
        ),
    )


def _sharpens(context: Context, curves: Curves) -> Finding:
    """Compare P for 90 % of the reduction at the extreme scales, in the order of kappa_0."""
    from validation.training.summary import needed

    extreme = [0, len(curves.tau) - 1]
    extreme.sort(key=lambda i: context.theorem.kappa0(_DIMENSION, curves.tau[i]))
    p = len(curves.P)

    def change(mean: Array) -> float:
        return math.log(needed(curves.P, mean[p:]) / needed(curves.P, mean[:p]))

    low, high = jackknife_interval(change, _logs(curves, extreme))
    less, more = (curves.tau[i] for i in extreme)
    return Finding(
        predicted=0.0,
        relation="<=",
        low=low,
        high=high,
        method=(
            f"{curves.label}: change of the logarithm of P for 90 % of the reduction from tau = "
            f"{less:g} to {more:g}; {_interval_words(curves)}"
        ),
    )


def _logs(curves: Curves, which: list[int]) -> Array:
    """Logarithms of the errors at some scales side by side; of a failed network NaN."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.hstack([curves.errors[i] for i in which])))


def _interval_words(curves: Curves) -> str:
    return (
        f"jackknife over {curves.errors.shape[1]} seeds at {100 * CONFIDENCE:g} %, the worst part "
        "of the claim shown"
    )


def _words(
    placed: Curves, others: list[Curves], deeper: list[Curves]
) -> tuple[str, dict[str, float]]:
    from validation.training.summary import sharpening, summarise

    details: dict[str, float] = {}
    texts = []
    for curves in [placed, *others, *deeper]:
        for found in summarise(curves):
            label = curves.label
            name = f"{label.target}_L{label.layers}_{label.method}_tau_{found.tau:g}"
            details |= {f"fall_{name}": found.fall, f"P90_{name}": found.needed}
    falls = ", ".join(f"{found.fall:.2g}" for found in summarise(placed))
    taus = ", ".join(f"{tau:g}" for tau in placed.tau)
    texts.append(
        f"Placed neurons lower E {falls} times for tau = {taus}. At P = 1 no initial neuron is "
        "left and the pool knows no tau: that E(1) is the same for every tau, and the fall grows "
        "as E(0) does, is by construction. Measured is that few placed neurons make up for a bad "
        "initialisation."
    )
    for curves in others:
        verdicts = [f"{s.tau[0]:g} to {s.tau[1]:g} {s.verdict}" for s in sharpening(curves)]
        texts.append(
            "Trained from their initialisation by variable projection, which is not judged, the "
            f"transition from one tau to another is: {', '.join(verdicts)}."
        )
    failed = sum(len(curves.failures) for curves in [placed, *others, *deeper])
    if failed:
        texts.append(f"{failed} networks diverged; none was averaged away.")
    return " ".join(texts), details

"""How the error falls as more neurons are trained."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from kernelspec import (
    BiasedReLU,
    GaussianInit,
    Mixture,
    RidgeLeverage,
    draw_network,
    explicit_bound,
    worst_case_error,
)
from kernelspec.predictors import deterministic_equivalent
from validation.context import Context
from validation.intervals import CONFIDENCE, jackknife_interval
from validation.records import Finding
from validation.registry import claim

_DELTA = 0.1
_SHARE = 0.9
_WIDTH, _LARGER_WIDTH = 256, 512
_SEEDS, _MORE_SEEDS = 10, 32
_SCALES = (3.0, 10.0)
_PROPORTIONS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
# where the shape is judged: P = 0, 0.2, 1, or 0, 0.1, 0.3, 1; closer ones drown in noise
_SHAPE, _FINER_SHAPE = (0, 3, 6), (0, 2, 4, 6)
_DIMENSIONS = (3, 6)

Array = NDArray[np.float64]


def _resolved(parameters: Mapping[str, float]) -> str | None:
    if _DIMENSIONS[0] <= parameters["d"] <= _DIMENSIONS[1]:
        return None
    if parameters["d"] < _DIMENSIONS[0]:
        return "checked from d = 3: on the circle the largest gap between kinks rules the error"
    return (
        f"checked to d = {_DIMENSIONS[1]}: beyond it, an untrained network of the width used "
        "does little better at tau = 10 than linear functions do"
    )


@dataclass(frozen=True)
class _Curve:
    """Logarithms of the errors at one scale: a row for each seed, a column for each proportion."""

    tau: float
    rows: Array
    error: float  # half the widest enclosure

    def interval(self, statistic: Callable[[Array], float]) -> tuple[float, float]:
        return jackknife_interval(statistic, self.rows, self.error)


@claim(
    "transition",
    title="Few trained neurons bring most of the gain, the more so the greater the mismatch",
    statement=(
        r"$E(P)$ falls, ever more slowly, and $P_{90}$ is smaller for greater $\tau$"
        r" as for $\kappa_P^\alpha, \quad \kappa_P = (P/\kappa_1 + (1-P)/\kappa_0)^{-1}$"
    ),
    source=(
        "abstract of He, Lao, Lu & Zhang (2026): a transition, sharper for greater mismatch; that "
        "the error itself has the shape of its bound is a reading"
    ),
    assumptions=(
        "geometric mean of E over seeds, tau = 3 and 10, the shape at a few P far apart, trained "
        "neurons sampled by leverage at the ridge of the explicit bound for P = 1"
    ),
    needs=("d",),
    outside=_resolved,
)
def check(context: Context) -> list[Finding]:
    """Measure the error against P at two scales and judge its shape, not its numbers."""
    m = _LARGER_WIDTH if context.full else _WIDTH
    ridge = float(explicit_bound(context.model(), m, 1.0, _DELTA)) / 4
    curves = _curves(context, m, ridge)
    texts, details = zip(*(_proportions(context, curve, m, ridge) for curve in curves), strict=True)
    note = (
        f"P for {100 * _SHARE:g} % of the reduction at m = {m}: {'; '.join(texts)}. "
        "The verdict is on the shape; that the numbers agree is not claimed."
    )
    shape = np.array(_FINER_SHAPE if context.full else _SHAPE)
    parts = [_falls(context, curve, shape) for curve in curves]
    parts += [_slows(curve, shape) for curve in curves]
    parts.append(_sharpens(context, curves))
    return [replace(part, note=note, details=details[0] | details[1]) for part in parts]


def _curves(context: Context, m: int, ridge: float) -> list[_Curve]:
    """Errors of networks that share their trained and their initial neurons as far as they go.

    Each network has the law it should have; sharing takes noise out of the differences.
    """
    model, rng = context.model(), context.rng()
    counts = [round(P * m) for P in _PROPORTIONS]
    errors: dict[float, list[list[tuple[float, float]]]] = {tau: [] for tau in _SCALES}
    for _ in range(_MORE_SEEDS if context.full else _SEEDS):
        trained = draw_network(model, m, 1.0, 1.0, ridge, rng)
        whole = worst_case_error(model, trained)
        for tau in _SCALES:
            initial = draw_network(model, m, 0.0, tau, ridge, rng)
            found = [
                worst_case_error(model, np.vstack([trained[:count], initial[count:]]))
                for count in counts[:-1]
            ]
            errors[tau].append([(E.lower, E.upper) for E in [*found, whole]])
    curves = []
    for tau, rows in errors.items():
        logs = np.log(rows)
        half = (logs[..., 1] - logs[..., 0]) / 2
        curves.append(_Curve(tau, logs.mean(axis=-1), float(half.max())))
    return curves


def _falls(context: Context, curve: _Curve, shape: NDArray[np.int_]) -> Finding:
    """Follow the error in the order in which the theorem says it falls."""
    theorem = context.theorem
    start = theorem.kappa0(context.d, curve.tau)
    claimed = [theorem.kappa_mixture(_PROPORTIONS[i], start, theorem.kappa1) for i in shape]
    order = shape[np.argsort(claimed)[::-1]]
    low, high = curve.interval(lambda mean: float(np.diff(mean[order]).max()))
    return Finding(
        predicted=0.0,
        relation="<=",
        low=low,
        high=high,
        method=(
            f"largest change of the mean of log E from one P to the next at tau = {curve.tau:g}, "
            f"in the order of falling kappa_P; {_interval_words(curve)}"
        ),
    )


def _slows(curve: _Curve, shape: NDArray[np.int_]) -> Finding:
    """Compare the gain for each neuron between neighbouring steps of P."""
    P = np.array(_PROPORTIONS)[shape]

    def change(mean: Array) -> float:
        gain = -np.diff(np.exp(mean[shape])) / np.diff(P)
        if gain.min() <= 0:  # it does not fall: there are no returns that could diminish
            return math.nan
        return float(np.diff(np.log(gain)).max())

    low, high = curve.interval(change)
    return Finding(
        predicted=0.0,
        relation="<=",
        low=low,
        high=high,
        method=(
            "largest change of the logarithm of the gain for each trained neuron from one step of "
            f"P to the next at tau = {curve.tau:g}; {_interval_words(curve)}"
        ),
    )


def _sharpens(context: Context, curves: list[_Curve]) -> Finding:
    """Compare the proportions for 90 % at two scales, in the order the theorem says."""
    n = len(_PROPORTIONS)
    order = np.argsort([_claimed(context, curve.tau, None) for curve in curves])
    rows = np.hstack([curve.rows for curve in curves])

    def change(mean: Array) -> float:
        found = [needed(mean[i * n : (i + 1) * n]) for i in order]
        return math.log(found[0] / found[-1])

    low, high = jackknife_interval(change, rows, max(curve.error for curve in curves))
    scales = [curves[i].tau for i in order]
    return Finding(
        predicted=0.0,
        relation="<=",
        low=low,
        high=high,
        method=(
            f"change of the logarithm of P for {100 * _SHARE:g} % of the reduction from tau = "
            f"{scales[-1]:g} to {scales[0]:g}; {_interval_words(curves[0])}"
        ),
    )


def _interval_words(curve: _Curve) -> str:
    return (
        f"jackknife over {len(curve.rows)} seeds at {100 * CONFIDENCE:g} %, enclosures of E "
        "included, the worst part of the claim shown"
    )


def needed(log_error: Array) -> float:
    """Return the P that captures 90 % of the reduction, log E interpolated in P monotonically."""
    error = np.exp(log_error)
    target = math.log(error[0] - _SHARE * (error[0] - error[-1]))
    curve = PchipInterpolator(_PROPORTIONS, log_error)
    return float(brentq(lambda P: float(curve(P)) - target, 0.0, 1.0, xtol=1e-12))


def _claimed(context: Context, tau: float, kappa0: float | None) -> float:
    """Return the P that captures 90 % of the reduction if the error goes as kappa_P^alpha."""

    def missing(P: float) -> float:
        share = context.theorem.captured_share(P, d=context.d, tau=tau, kappa0=kappa0)
        return share - _SHARE

    return float(brentq(missing, 0.0, 1.0, xtol=1e-12))


def _equivalent(model: BiasedReLU, tau: float, m: int, ridge: float) -> float:
    """Return the P that captures 90 % of the reduction by the deterministic equivalent."""
    laws = [RidgeLeverage(model, ridge), GaussianInit(model.d, tau)]

    def error(P: float) -> float:
        return deterministic_equivalent(model, Mixture(laws, [P, 1 - P]), m).error

    target = (1 - _SHARE) * error(0.0) + _SHARE * error(1.0)
    return float(brentq(lambda P: math.log(error(P) / target), 0.0, 1.0, xtol=1e-3))


def _proportions(
    context: Context, curve: _Curve, m: int, ridge: float
) -> tuple[str, dict[str, float]]:
    """Return the proportion measured, beside what the constants and the equivalent predict."""
    low, high = curve.interval(needed)
    sharp = context.theorem.kappa0_limit(context.d, curve.tau)
    numbers = {
        "measured_low": low,
        "measured_high": high,
        "theorem": _claimed(context, curve.tau, None),
        "sharp": _claimed(context, curve.tau, sharp),
        "equivalent": _equivalent(context.model(), curve.tau, m, ridge),
    }
    text = (
        f"at tau = {curve.tau:g} {low:.2g} to {high:.2g} measured, {numbers['theorem']:.2g} by the "
        f"theorem's constant, {numbers['sharp']:.2g} by the sharp one, "
        f"{numbers['equivalent']:.2g} by the deterministic equivalent"
    )
    return text, {f"P90_{name}_tau_{curve.tau:g}": value for name, value in numbers.items()}

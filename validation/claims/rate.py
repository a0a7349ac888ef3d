"""How fast the error of leverage-sampled networks falls with their width."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, draw_network, explicit_bound, multiplicity, worst_case_error
from validation.context import Context
from validation.intervals import CONFIDENCE, mean_interval
from validation.records import Finding
from validation.registry import claim

_DELTA = 0.1
_WIDTHS, _MORE_WIDTHS = (64, 128, 256, 512), (64, 128, 256, 512, 1024)
_SEEDS, _MORE_SEEDS = 8, 24
_LARGEST_DIMENSION = 8

Array = NDArray[np.float64]


def _affordable(parameters: Mapping[str, float]) -> str | None:
    if parameters["d"] <= _LARGEST_DIMENSION:
        return None
    return f"checked to d = {_LARGEST_DIMENSION}: beyond it, the widths span too few degrees"


@claim(
    "rate",
    title="The error falls with the width at least as fast as the rate",
    statement=(
        r"$E(m) = O\left(\left(\kappa_P \log(m/\delta)\,/\,m\right)^{\alpha}\right), \quad "
        r"-\dfrac{d \log E}{d \log(m/\log(m/\delta))} \geq \alpha \quad (P = 1)$"
    ),
    source="abstract of He, Lao, Lu & Zhang (2026) for the rate; the slope is a reading of it",
    assumptions=(
        "every neuron sampled by leverage at the ridge of the explicit bound, delta = 0.1; the "
        "slope of the mean of log E over the widths named stands for the limit"
    ),
    needs=("d",),
    outside=_affordable,
)
def check(context: Context) -> Finding:
    """Fit the slope for each seed, and compare with the exponent and with the n-width's slope."""
    widths = np.array(_MORE_WIDTHS if context.full else _WIDTHS)
    low, high = _log_errors(context, widths)
    log_m = np.log(widths)
    rate = log_m - np.log(np.log(widths / _DELTA))
    slope, plain = _slope(rate, low, high), _slope(log_m, low, high)
    alpha = context.theorem.alpha(context.d)
    least = _width_slope(context.model(), int(widths[0]), int(widths[-1]))
    factor = float(_weights(log_m) @ rate)  # by how much the logarithm flattens the rate here
    return Finding(
        predicted=alpha,
        relation=">=",
        low=slope[0],
        high=slope[1],
        method=(
            f"least-squares slope of log E against log(m/log(m/delta)) over m = {widths[0]} to "
            f"{widths[-1]} for each of {len(low)} seeds, enclosures of E included; Student's "
            f"interval at {100 * CONFIDENCE:g} %"
        ),
        note=(
            "The rate bounds the error from above, so a steeper slope agrees with it. Against "
            f"log m the slope is {plain[0]:.3g} to {plain[1]:.3g}, the rate's own "
            f"{alpha * factor:.3g}, and that of the n-width mu_(m+1), which no features beat, "
            f"{least:.3g}."
        ),
        details={
            "slope_against_log_m_low": plain[0],
            "slope_against_log_m_high": plain[1],
            "rate_slope_against_log_m": alpha * factor,
            "n_width_slope_against_log_m": least,
        },
    )


def _log_errors(context: Context, widths: NDArray[np.int_]) -> tuple[Array, Array]:
    """Logarithms of both ends of the errors' enclosures, a row for each seed."""
    model, rng = context.model(), context.rng()
    ridges = [float(explicit_bound(model, m, 1.0, _DELTA)) / 4 for m in widths]
    found = [
        [
            # with every neuron trained the scale of the initialisation plays no part
            worst_case_error(model, draw_network(model, int(m), 1.0, 1.0, ridge, rng))
            for m, ridge in zip(widths, ridges, strict=True)
        ]
        for _ in range(_MORE_SEEDS if context.full else _SEEDS)
    ]
    return (
        np.log([[E.lower for E in row] for row in found]),
        np.log([[E.upper for E in row] for row in found]),
    )


def _weights(x: Array) -> Array:
    """Weights w of the least-squares slope, w . y."""
    centred = x - x.mean()
    return np.asarray(centred / (centred @ centred))


def _slope(x: Array, low: Array, high: Array) -> tuple[float, float]:
    """Interval for the slope, its sign turned: each error is put to the end that moves it most."""
    w = -_weights(x)
    rising, falling = np.maximum(w, 0), np.minimum(w, 0)
    return mean_interval(low @ rising + high @ falling, high @ rising + low @ falling)


def _width_slope(model: BiasedReLU, fewest: int, most: int) -> float:
    """Slope of log mu_(m+1) against log m over every width in the range.

    mu_(m+1) is a step function; each width has the weight 1/m, so that steps count by their length
    in log m.
    """
    top = 8
    while multiplicity(model.d, np.arange(top + 1)).sum() <= most:
        top *= 2
    counts = np.asarray(multiplicity(model.d, np.arange(top + 1)), dtype=np.int_)
    values = np.sort(np.repeat(model.eigenvalues(top), counts))[::-1]
    m = np.arange(fewest, most + 1)
    slope = np.polynomial.Polynomial.fit(np.log(m), np.log(values[m]), 1, w=m**-0.5)
    return -float(slope.convert().coef[1])

"""A few trained first-layer neurons before fixed blocks, against features fixed in advance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from validation.context import Context
from validation.intervals import CONFIDENCE, mean_interval
from validation.records import Finding
from validation.registry import claim
from validation.three_layer import (
    Block,
    Cliff,
    Rate,
    ThreeLayerSettings,
    measure_cliff,
    measure_rate,
)

_D, _R = 10, 4
_OTHER_DIMENSIONS = (5, 40)
_PIECES, _MORE_PIECES = (16, 32, 64), (16, 32, 64, 128)
_TARGETS, _MORE_TARGETS = 4, 10
_RATE = 4.0  # of the squared error in the spacing; the error itself has the exponent 2
_RATE_TOLERANCE, _CONSTANT_TOLERANCE = 0.05, 0.1

Array = NDArray[np.float64]

# what a mutant of the construction replaces
_make_block = Block
_TRAINED = _R


@claim(
    "three-layer",
    title="Few trained first-layer neurons make use of fixed blocks behind them",
    statement=(
        r"$E_r \sim \frac{h^4}{720} \sum_{i=1}^{r} \mathbb{E}\, G_i''(s_i)^2, \quad h = 2R/M,"
        r" \quad E_r < \mathcal{E}_n \leq \mathbb{E}\, E_{\mathrm{fixed}}, \quad n = r(M+1)+1$"
    ),
    source=(
        "abstract of He, Lao, Lu & Zhang (2026): a few trainable first-layer neurons exploit fixed "
        "downstream blocks; construction, rate and floors are this project's "
        "(docs/derivations/three-layer.md)"
    ),
    assumptions=(
        "sums of r = 4 waves on S^9 along random directions, squared errors relative to E f^2, "
        "outer weights by L2 projection, directions learned from 2000 noise-free samples; the "
        "slope over the M named stands for the limit"
    ),
    fixed={"d": _D, "r": _R},
)
def check(context: Context) -> list[Finding]:
    """Measure the rate with known directions, and the cliff with learned ones."""
    settings = ThreeLayerSettings(
        d=_D,
        r=_R,
        pieces=_MORE_PIECES if context.full else _PIECES,
        targets=_MORE_TARGETS if context.full else _TARGETS,
        starts=3 if context.full else 2,
        random_starts=0,
        seed=int(context.seed.generate_state(1, np.uint64)[0]),
    )
    rate = measure_rate(settings, _TRAINED, make_block=_make_block)
    cliff = measure_cliff(settings, make_block=_make_block)
    # with fewer neurons trained than the claim says, the cliff ends there
    learned = cliff.learned[:, : _TRAINED + 1]
    least = settings.pieces[-1]
    others = [
        measure_rate(replace(settings, d=d, pieces=(least,)), _TRAINED, make_block=_make_block)
        for d in _OTHER_DIMENSIONS
    ]
    note = _note(cliff, learned)
    parts = [
        _slope(rate),
        _constant([rate, *others], least),
        _bounded(cliff, learned),
        _separated(cliff, learned),
        _falls_at_the_end(learned),
    ]
    details = {
        f"learned_{k}_trained": float(np.sqrt(learned[:, k].mean()))
        for k in range(learned.shape[1])
    } | {
        "random_features": float(np.sqrt(cliff.random_features.mean())),
        "fixed_features_floor": float(np.sqrt(cliff.fixed_floor.mean())),
    }
    return [replace(part, note=note, details=details) for part in parts]


def _note(cliff: Cliff, learned: Array) -> str:
    roots = ", ".join(f"{x:.2g}" for x in np.sqrt(learned.mean(axis=0)))
    size = _R * (cliff.M + 1)
    return (
        f"Relative L2 error, not squared, with 0 to {learned.shape[1] - 1} of {_R} first-layer "
        f"neurons learned before blocks of {cliff.M}: {roots}. Two-layer random features of the "
        f"same {size} neurons: {np.sqrt(cliff.random_features.mean()):.2g}; no {size} features "
        "fixed in advance, with a constant, do better than "
        f"{np.sqrt(cliff.fixed_floor.mean()):.2g} on average over rotations. Trained are "
        f"{_TRAINED} of {size} hidden neurons, {100 * _TRAINED / size:.2g} %."
    )


def _slope(rate: Rate) -> Finding:
    x = np.log(rate.spacing) - np.log(rate.spacing).mean()
    slopes = np.log(rate.error) @ x / (x @ x)
    low, high = mean_interval(slopes, slopes)
    return Finding(
        predicted=_RATE,
        relation="==",
        low=low,
        high=high,
        tolerance=_RATE_TOLERANCE,
        method=(
            f"least-squares slope of the logarithm of the squared error against log h, M = "
            f"{rate.pieces[0]} to {rate.pieces[-1]}, directions known, for each of {len(slopes)} "
            f"targets; Student's interval at {100 * CONFIDENCE:g} %"
        ),
    )


def _constant(rates: list[Rate], M: int) -> Finding:
    ratios = np.array([rate.error[:, -1] / rate.predicted[:, -1] for rate in rates])
    return Finding(
        predicted=1.0,
        relation="==",
        low=float(ratios.min()),
        high=float(ratios.max()),
        tolerance=_CONSTANT_TOLERANCE,
        method=(
            f"squared error over (h^4/720) sum_i E G_i''^2 at M = {M}, directions known, least and "
            f"largest over the targets and d = {_D}, {', '.join(map(str, _OTHER_DIMENSIONS))}"
        ),
    )


def _bounded(cliff: Cliff, learned: Array) -> Finding:
    ratio = learned[:, -1] / cliff.bound
    return Finding(
        predicted=1.0,
        relation="<=",
        low=float(ratio.max()),
        high=float(ratio.max()),
        method="squared error with learned directions over the proven bound, largest of targets",
    )


def _separated(cliff: Cliff, learned: Array) -> Finding:
    ratio = learned[:, -1] / np.minimum(cliff.fixed_floor, cliff.random_features)
    return Finding(
        predicted=1.0,
        relation="<=",
        low=float(ratio.max()),
        high=float(ratio.max()),
        method=(
            "squared error with learned directions over that of two-layer random features of the "
            "same size, or over the least mean of as many features fixed in advance where that is "
            "less, largest of the targets"
        ),
    )


def _falls_at_the_end(learned: Array) -> Finding:
    logs = np.log(learned)
    share = (logs[:, -2] - logs[:, -1]) / (logs[:, 0] - logs[:, -1])
    low, high = mean_interval(share, share)
    return Finding(
        predicted=0.5,
        relation=">=",
        low=low,
        high=high,
        method=(
            "share of the last trained neuron in the fall of the logarithm of the error; "
            f"Student's interval at {100 * CONFIDENCE:g} % over the targets"
        ),
    )

"""Worst-case errors of drawn networks against width and against the trained proportion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.plotting.style import COLOURS, INK, MARKERS, MUTED, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ErrorCurve", "draw_error_against_proportion", "draw_error_against_width"]

_ERROR: Final = "squared $L^2$ error, worst of the unit ball"
_MOST_TICKS: Final = 8
_PREDICTION_DASHES: Final[Sequence[tuple[float, Sequence[float]]]] = (
    (0, (6, 2)),
    (0, (1, 1.3)),
    (0, (6, 2, 1.5, 2)),
)


@dataclass(frozen=True)
class ErrorCurve:
    """Errors of networks along one axis of a sweep, and what was predicted for them.

    Parameters
    ----------
    label
        Entry in the legend.
    error, lower, upper
        Errors and the ends of their enclosures, shape (n, seeds).
    predictions
        Pairs (x, y) of vectors of one length by the prediction's name.

    Raises
    ------
    ValueError
        If the shapes differ or are not of two axes.

    Examples
    --------
    >>> curve = ErrorCurve("P = 1", [[0.1], [0.02]], [[0.09], [0.019]], [[0.11], [0.021]])
    >>> curve.label, len(curve.error)
    ('P = 1', 2)
    >>> ErrorCurve("P = 1", [[0.1]], [[0.09]], [[0.11], [0.021]])
    Traceback (most recent call last):
        ...
    ValueError: error, lower, upper of shapes ... are not allowed: one shape (n, seeds)
    """

    label: str
    error: ArrayLike
    lower: ArrayLike
    upper: ArrayLike
    predictions: Mapping[str, tuple[ArrayLike, ArrayLike]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shapes = [np.shape(values) for values in (self.error, self.lower, self.upper)]
        if len(shapes[0]) != 2 or len(set(shapes)) > 1:
            raise ValueError(
                f"error, lower, upper of shapes {shapes} are not allowed: one shape (n, seeds)"
            )


def draw_error_against_width(
    ax: Axes,
    m: ArrayLike,
    curves: Sequence[ErrorCurve],
    *,
    title: str,
    n_width: ArrayLike | None = None,
    alpha: float | None = None,
) -> None:
    r"""Draw errors against the width on logarithmic axes.

    Markers are medians over the seeds; bands reach from the lowest to the highest end of the seeds'
    enclosures, so that every network's error lies in the band.

    Parameters
    ----------
    ax
        Axes to draw on.
    m
        Widths, shape (n,).
    curves
        Errors, one curve a trained proportion or scale, with predictions such as the bound.
    title
        With the parameters that the curves share.
    n_width
        mu_(m+1), shape (n,): the least error of any m features.
    alpha
        Decay exponent: a triangle of slope -alpha is drawn under the curves.

    Raises
    ------
    ValueError
        If the shapes do not fit, or there are more curves than colours.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> curve = ErrorCurve("P = 1", [[0.1], [0.02]], [[0.09], [0.019]], [[0.11], [0.021]])
    >>> draw_error_against_width(ax, [64, 128], [curve], title="d = 3", alpha=2.5)
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    width = np.asarray(m, dtype=np.float64)
    _draw_curves(ax, width, curves)
    lowest = np.min([np.min(curve.lower, axis=1) for curve in curves], axis=0)
    if n_width is not None:
        best = np.asarray(n_width, dtype=np.float64)
        _check_length("n_width", best, width)
        ax.plot(width, best, color=INK, linewidth=1.3, label="best of any $m$ features")
        lowest = np.minimum(lowest, best)
    ax.set_xscale("log")
    ax.set_yscale("log")
    if alpha is not None and width.size > 1:
        _draw_slope(ax, width, lowest, alpha)
    if width.size <= _MOST_TICKS:
        ax.set_xticks(width, [f"{value:g}" for value in width])
        ax.set_xticks([], minor=True)
    dress(ax, x="width $m$ (neurons)", y=_ERROR, title=title, legend=False)
    _legend_below(ax)


def draw_error_against_proportion(
    ax: Axes, P: ArrayLike, curves: Sequence[ErrorCurve], *, title: str
) -> None:
    """Draw errors against the trained proportion, one curve for each tau.

    Markers, bands and predictions are those of `draw_error_against_width`.

    Parameters
    ----------
    ax
        Axes to draw on.
    P
        Trained proportions, shape (n,), from 0 to 1.
    curves
        Errors, one curve for each scale tau of the initial biases.
    title
        With the parameters that the curves share.

    Raises
    ------
    ValueError
        If the shapes do not fit, or there are more curves than colours.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> curve = ErrorCurve("tau = 1", [[0.1], [0.02]], [[0.09], [0.019]], [[0.11], [0.021]])
    >>> draw_error_against_proportion(ax, [0, 1], [curve], title="d = 3")
    >>> ax.get_yscale()
    'log'
    """
    _draw_curves(ax, np.asarray(P, dtype=np.float64), curves)
    ax.set_yscale("log")
    ax.set_xlim(-0.02, 1.02)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    dress(ax, x="trained proportion $P$", y=_ERROR, title=title, legend=False)
    _legend_below(ax)


def _check_length(name: str, values: NDArray[np.float64], x: NDArray[np.float64]) -> None:
    if values.shape[:1] != x.shape:
        raise ValueError(
            f"{name} of shape {values.shape} is not allowed: length {x.size}, as the axis"
        )


def _draw_curves(ax: Axes, x: NDArray[np.float64], curves: Sequence[ErrorCurve]) -> None:
    if not 1 <= len(curves) <= len(COLOURS):
        raise ValueError(
            f"{len(curves)} curves are not allowed: 1 to {len(COLOURS)}, as many as colours"
        )
    names = list(dict.fromkeys(name for curve in curves for name in curve.predictions))
    for i, curve in enumerate(curves):
        colour = COLOURS[i]
        error = np.asarray(curve.error, dtype=np.float64)
        _check_length(f"the error of {curve.label!r}", error, x)
        low, high = np.min(curve.lower, axis=1), np.max(curve.upper, axis=1)
        ax.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0)
        ax.plot(
            x,
            np.median(error, axis=1),
            color=colour,
            marker=MARKERS[i],
            markersize=5,
            linewidth=1.6,
            label=curve.label,
        )
        for name, (at, values) in curve.predictions.items():
            dash = _PREDICTION_DASHES[names.index(name) % len(_PREDICTION_DASHES)]
            ax.plot(at, values, color=colour, linewidth=1.2, linestyle=dash)
    # What the curves share has one entry in grey.
    ax.fill_between([], [], color=MUTED, alpha=0.22, linewidth=0, label="enclosures of all seeds")
    for dash, name in zip(_PREDICTION_DASHES, names, strict=False):
        ax.plot([], [], color=MUTED, linewidth=1.2, linestyle=dash, label=name)


def _draw_slope(
    ax: Axes, m: NDArray[np.float64], lowest: NDArray[np.float64], alpha: float
) -> None:
    """Draw a right triangle of slope -alpha under the lowest curve, clear of it."""
    start, stop = m[0] * (m[-1] / m[0]) ** np.array([0.08, 0.4])
    x = np.geomspace(start, stop, 50)
    floor = np.exp(np.interp(np.log(x), np.log(m), np.log(lowest)))
    line = x**-alpha
    line *= 0.5 * np.min(floor / line)
    ax.fill(
        [start, start, stop], [line[0], line[-1], line[-1]], color=MUTED, alpha=0.3, linewidth=0
    )
    ax.annotate(
        rf"slope $-\alpha=-{alpha:.4g}$",
        (np.sqrt(start * stop), line[-1]),
        xytext=(0, -4),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=8.5,
        color=INK,
    )


def _legend_below(ax: Axes) -> None:
    """Put the legend under the axes, where no curve can run through it."""
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.19),
        ncols=2,
        fontsize=8.5,
        frameon=False,
        labelcolor=INK,
        handlelength=2.4,
    )

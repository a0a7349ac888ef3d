"""Errors against an effective width, which one curve should hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, INK, MARKERS, MUTED, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_collapse", "draw_spreads"]

_TICKS: Final = [m * 10.0**e for e in range(-4, 3) for m in (1, 2, 5)]


def draw_collapse(
    ax: Axes,
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    reference: tuple[ArrayLike, ArrayLike],
    *,
    x: str,
    title: str,
) -> None:
    """Draw errors of networks over the curve of leverage-sampled networks.

    A candidate that predicts puts every marker on the curve.

    Parameters
    ----------
    ax
        Axes to draw on, both logarithmic.
    series
        By label, such as the scale of the initial biases: effective widths and errors, shape (n,).
    reference
        Widths and errors of leverage-sampled networks, shape (r,), in order of width.
    x
        Label of the effective width.
    title
        With the parameters that the networks share.

    Raises
    ------
    ValueError
        If there is no series, or the shapes of a pair differ.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_collapse(
    ...     ax, {"tau = 1": ([9, 80], [0.1, 0.01])}, ([8, 90], [0.11, 0.009]), x="$m$", title="d"
    ... )
    >>> len(ax.get_legend().get_texts())
    2
    """
    if not series:
        raise ValueError("series = {} is not allowed: at least one series")
    pairs = {label: tuple(map(np.asarray, pair)) for label, pair in series.items()}
    curve = tuple(map(np.asarray, reference))
    for label, pair in {**pairs, "reference": curve}.items():
        if pair[0].ndim != 1 or pair[0].shape != pair[1].shape:
            shapes = f"{pair[0].shape} and {pair[1].shape}"
            raise ValueError(
                f"{label!r} of shapes {shapes} is not allowed: two vectors of one length"
            )
    ax.plot(*curve, color=MUTED, linewidth=1.6, label="leverage sampled, $P=1$", zorder=1)
    for i, (label, pair) in enumerate(pairs.items()):
        ax.plot(
            *pair,
            linestyle="none",
            marker=MARKERS[i % len(MARKERS)],
            markersize=4.5,
            color=COLOURS[i % len(COLOURS)],
            markeredgecolor="white",
            markeredgewidth=0.4,
            label=label,
            zorder=2,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    dress(ax, x=x, y="squared $L^2$ error, worst case", title=title)


def draw_spreads(
    ax: Axes, spreads: Mapping[str, float], *, noise: float | None = None, title: str
) -> None:
    """Draw how far the errors stray from one curve, a row for each candidate.

    Parameters
    ----------
    ax
        Axes to draw on; the horizontal one is logarithmic.
    spreads
        Root mean square departure of ln E by candidate, drawn from the top.
    noise
        What chance alone leaves: a dashed line.
    title
        With the parameters that the networks share.

    Raises
    ------
    ValueError
        If there is no candidate, or a spread is not a number > 0.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_spreads(ax, {"supremum": 1.2, "active": 0.2}, noise=0.05, title="d = 3")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['supremum', 'active']
    """
    values = np.array(list(spreads.values()), dtype=np.float64)
    if not values.size or not np.all(values > 0):
        raise ValueError(f"spreads = {dict(spreads)!r} is not allowed: numbers > 0, at least one")
    rows = np.arange(values.size)
    least = 0.6 * min(values.min(), noise or np.inf)
    ax.hlines(rows, least, values, color=MUTED, linewidth=1.0, alpha=0.6)
    ax.plot(values, rows, linestyle="none", marker="o", markersize=6, color=COLOURS[0])
    for row, value in zip(rows, values, strict=True):
        ax.annotate(
            f"{value:.2f}",
            (value, row),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=INK,
        )
    if noise is not None:
        ax.axvline(noise, color=COLOURS[1], linewidth=1.3, linestyle=(0, (6, 2)), label="noise")
    ax.set_xscale("log")
    ax.set_xlim(least, 2.2 * values.max())
    ticks = [tick for tick in _TICKS if least <= tick <= 2.2 * values.max()]
    if len(ticks) > 1:  # the locator's own would run into one another on less than a decade
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set_xticks([], minor=True)
    ax.set_yticks(rows, list(spreads))
    ax.set_ylim(values.size - 0.5, -0.5)
    dress(
        ax,
        x=r"spread of $\ln E$ (root mean square)",
        y="candidate",
        title=title,
        legend=noise is not None,
    )

"""Plans as pictures: what a target asks of each width, and where a budget goes in a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, DASHES, INK, MARKERS, MUTED, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_frontiers", "draw_marginal_gains"]


def draw_frontiers(
    ax: Axes,
    frontiers: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    title: str,
    cheapest: Mapping[str, tuple[int, int]] | None = None,
    width: int | None = None,
) -> None:
    """Draw how many neurons must be trained at each width to reach an error.

    Parameters
    ----------
    ax
        Axes to draw on.
    frontiers
        Widths, shape (n,), and trained neurons there, shape (n,), by label.
    title
        With the parameters.
    cheapest
        Width and trained neurons of the cheapest network, by label.
    width
        A width to mark.

    Raises
    ------
    ValueError
        If widths and counts of a label differ in shape.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_frontiers(ax, {"rate": ([100, 200, 400], [100, 60, 0])}, title="d = 5")
    >>> ax.get_ylabel()
    'trained neurons'
    """
    widest, fewest = 1.0, np.inf
    if width is not None:
        ax.axvline(width, color=MUTED, linewidth=0.9, linestyle=(0, (1, 1.5)))
    for i, (label, (widths, counts)) in enumerate(frontiers.items()):
        m = np.asarray(widths, dtype=np.float64)
        trained = np.asarray(counts, dtype=np.float64)
        if m.shape != trained.shape or m.ndim != 1:
            raise ValueError(
                f"frontiers[{label!r}] of shapes {m.shape}, {trained.shape} is not allowed: "
                "one number of trained neurons for each width"
            )
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(
            m,
            trained,
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.7,
            label=label.replace("kappa_0", r"$\kappa_0$"),
        )
        if cheapest is not None and label in cheapest:
            ax.plot(
                *cheapest[label],
                marker=MARKERS[i % len(MARKERS)],
                color=colour,
                markeredgecolor=INK,
                markersize=6.5,
                zorder=5,
                clip_on=False,
            )
        widest, fewest = max(widest, float(m.max())), min(fewest, float(m.min()))
    every = np.geomspace(max(0.7 * fewest, 1.0), widest, 50)
    ax.fill_between(every, every, 300 * widest, color=MUTED, alpha=0.12, linewidth=0)
    ax.plot(every, every, color=MUTED, linewidth=0.9)
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=1.0, linscale=0.25)
    ax.set_ylim(0, 300 * widest)  # room for the legend where nothing can lie
    ax.set_xlim(every[0], 1.15 * widest)
    ax.annotate(
        "all trained",
        (every[-1], every[-1]),
        xytext=(-2, -22),
        textcoords="offset points",
        ha="right",
        color=MUTED,
        fontsize=8.5,
    )
    dress(ax, x="width $m$ (neurons)", y="trained neurons", title=title, legend=False)
    ax.legend(fontsize=8.5, frameon=False, labelcolor=INK, handlelength=2.4, loc="upper left")


def draw_marginal_gains(
    ax: Axes,
    proportions: ArrayLike,
    gains: Mapping[str, ArrayLike],
    *,
    title: str,
    price: float = 0.0,
    chosen: Sequence[float] = (),
) -> None:
    """Draw what one more unit of cost brings in each layer, and the level that spends a budget.

    Parameters
    ----------
    ax
        Axes to draw on.
    proportions
        Trained proportions, shape (n,).
    gains
        Fall of what the layer leaves by a unit of cost, shape (n,), by layer.
    title
        With the budget.
    price
        The level at which the budget is spent; 0 where it is enough for everything.
    chosen
        Trained proportion of each layer.

    Raises
    ------
    ValueError
        If a curve does not have the shape of `proportions`.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_marginal_gains(ax, [0, 0.5, 1], {"layer 1": [3, 2, 1]}, title="budget 10 %", price=2)
    >>> ax.get_yscale()
    'log'
    """
    P = np.asarray(proportions, dtype=np.float64)
    for i, (label, gain) in enumerate(gains.items()):
        curve = np.asarray(gain, dtype=np.float64)
        if curve.shape != P.shape:
            raise ValueError(
                f"gains[{label!r}] of shape {curve.shape} is not allowed: "
                f"the shape of proportions, {P.shape}"
            )
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(
            P, curve, color=colour, linestyle=DASHES[i % len(DASHES)], linewidth=1.7, label=label
        )
        if i < len(chosen):
            ax.plot(
                chosen[i],
                np.interp(chosen[i], P, curve),
                marker=MARKERS[i % len(MARKERS)],
                color=colour,
                markeredgecolor=INK,
                markersize=6.5,
                zorder=5,
                clip_on=False,
            )
    if price > 0:
        ax.axhline(price, color=MUTED, linewidth=0.9, linestyle=(0, (1, 1.5)))
    ax.set_yscale("log")
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    dress(ax, x="trained proportion of the layer", y="gain by one more unit of cost", title=title)

"""What the constants say of a network: captured share against P, bound against width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, DASHES, MUTED, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_captured_share", "draw_error_bounds"]


def draw_captured_share(
    ax: Axes,
    P: ArrayLike,
    shares: Mapping[str, ArrayLike],
    *,
    title: str,
    wanted: float | None = None,
    at: Sequence[float] = (),
) -> None:
    """Draw the captured share of the error reduction against the trainable proportion.

    Parameters
    ----------
    ax
        Axes to draw on.
    P
        Proportions, shape (n,), from 0 to 1.
    shares
        Captured shares by label, shape (n,) each.
    title
        With the parameters d and tau.
    wanted
        A share to mark with a horizontal line.
    at
        The proportion at which each curve reaches `wanted`, in the order of `shares`.

    Raises
    ------
    ValueError
        If a curve does not have the shape of `P`.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_captured_share(ax, [0, 0.5, 1], {"kappa0 = 4": [0, 0.8, 1]}, title="d = 5")
    >>> tuple(map(float, ax.get_ylim()))
    (0.0, 1.02)
    """
    proportion = np.asarray(P, dtype=np.float64)
    goal = "" if wanted is None else f"{100 * wanted:.3g} %"
    if wanted is not None:
        ax.axhline(wanted, color=MUTED, linewidth=0.9, linestyle=(0, (1, 1.5)))
    for i, (label, share) in enumerate(shares.items()):
        curve = np.asarray(share, dtype=np.float64)
        if curve.shape != proportion.shape:
            raise ValueError(
                f"shares[{label!r}] of shape {curve.shape} is not allowed: "
                f"the shape of P, {proportion.shape}"
            )
        colour = COLOURS[i % len(COLOURS)]
        reached = at[i] if wanted is not None and i < len(at) else None
        ax.plot(
            proportion,
            curve,
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.7,
            label=label if reached is None else f"{label}\n{100 * reached:.3g} % for {goal}",
        )
        if wanted is not None and reached is not None:
            ax.plot(reached, wanted, marker="o", color=colour, markersize=5)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    dress(ax, x="trainable proportion $P$", y="captured share of the reduction", title=title)


def draw_error_bounds(
    ax: Axes, m: ArrayLike, curves: Mapping[str, ArrayLike], *, title: str
) -> None:
    """Draw bounds of the squared error against the width, on logarithmic axes.

    Parameters
    ----------
    ax
        Axes to draw on.
    m
        Widths, shape (n,).
    curves
        Bounds by label, shape (n,) each.
    title
        With the parameters d, tau and delta.

    Raises
    ------
    ValueError
        If a curve does not have the shape of `m`.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_error_bounds(ax, [10, 100], {"explicit": [0.1, 0.01]}, title="d = 5")
    >>> ax.get_xscale()
    'log'
    """
    width = np.asarray(m, dtype=np.float64)
    for i, (label, bound) in enumerate(curves.items()):
        values = np.asarray(bound, dtype=np.float64)
        if values.shape != width.shape:
            raise ValueError(
                f"curves[{label!r}] of shape {values.shape} is not allowed: "
                f"the shape of m, {width.shape}"
            )
        ax.plot(
            width,
            values,
            color=COLOURS[i % len(COLOURS)],
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.7,
            label=label,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.set_ylim(low * (low / high) ** 0.4, high)  # room for the legend below the curves
    dress(ax, x="width $m$ (neurons)", y="squared $L^2$ error over the unit ball", title=title)

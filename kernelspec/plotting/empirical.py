"""Leverage on one's own data: the spectrum with its degrees of freedom, the ratios of a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, DASHES, INK, MARKERS, MUTED, dress, power_of_ten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_leverage_shares", "draw_pool_ratios", "draw_pool_spectrum"]

_SHOWN: Final = 1500  # neurons drawn for each ridge: more is a cloud of ink
_DEPTH: Final = 1e-8  # of the largest eigenvalue: below, nothing but rounding is to be seen


def draw_pool_spectrum(
    ax: Axes, eigenvalues: ArrayLike, lams: Sequence[float], dofs: Sequence[float], *, title: str
) -> None:
    r"""Draw eigenvalues by rank, and each ridge with its degrees of freedom.

    Parameters
    ----------
    ax
        Axes to draw on.
    eigenvalues
        Of the empirical kernel matrix, decreasing, shape (r,).
    lams, dofs
        Ridges and their N(lambda), as many of each.
    title
        What the data are.

    Raises
    ------
    ValueError
        If there are not as many degrees of freedom as ridges.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_pool_spectrum(ax, [1.0, 0.1, 0.01], [0.1], [1.5], title="three points")
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    mu = np.asarray(eigenvalues, dtype=np.float64)
    if len(lams) != len(dofs):
        raise ValueError(f"dofs of length {len(dofs)} is not allowed: one a ridge, {len(lams)}")
    floor = _DEPTH * mu[0]
    mu = mu[mu > min(floor, 0.1 * min(lams))]
    rank = np.arange(1, mu.size + 1)
    ax.plot(rank, mu, color=INK, linewidth=1.4, label=r"eigenvalue $\mu_{(j)}$")
    for i, (lam, dof) in enumerate(zip(lams, dofs, strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        name = rf"$N({power_of_ten(lam)})={dof:.3g}$"
        ax.axhline(lam, color=colour, linewidth=0.9, linestyle=DASHES[2])
        ax.plot(
            max(dof, 1.0),
            lam,
            linestyle="none",
            marker=MARKERS[i % len(MARKERS)],
            markersize=6,
            color=colour,
            label=name,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    dress(ax, x="rank $j$", y=r"eigenvalue, ridge $\lambda$", title=title)


def draw_pool_ratios(
    ax: Axes,
    b: ArrayLike,
    ratios: ArrayLike,
    lams: Sequence[float],
    *,
    bounds: Sequence[tuple[float, float]] = (),
    title: str,
) -> None:
    r"""Draw l_j/(q_j N) against the bias of each neuron of a pool, and the mismatch.

    The largest of each ridge, its mismatch over the pool, is a dashed line; where `bounds` are
    given, a bar at the right edge shows how far the supremum may lie above or below.

    Parameters
    ----------
    ax
        Axes to draw on.
    b
        Biases, shape (M,).
    ratios
        l_j/(q_j N), shape (len(lams), M).
    lams
        Ridges.
    bounds
        An interval of the supremum for each ridge; an infinite end becomes an arrow.
    title
        What the data are.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_pool_ratios(ax, [-0.5, 0, 0.5], [[0.1, 1.2, 0.8]], [0.1], title="three neurons")
    >>> ax.get_xlabel()
    'bias $b$ of the neuron'
    """
    height = np.asarray(b, dtype=np.float64)
    table = np.asarray(ratios, dtype=np.float64)
    if table.shape != (len(lams), height.size):
        raise ValueError(
            f"ratios of shape {table.shape} are not allowed: "
            f"(number of ridges, number of neurons) = {(len(lams), height.size)}"
        )
    step = max(1, height.size // _SHOWN)
    positive = table[np.isfinite(table) & (table > 0)]
    low = max(float(np.quantile(positive, 0.002)), 1e-4 * float(positive.max()))
    top = float(positive.max())
    spread = float(np.ptp(height)) or 1.0
    right = float(height.max()) + 0.06 * spread
    for i, (lam, row) in enumerate(zip(lams, table, strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        shown = np.arange(0, height.size, step)
        shown = shown[row[shown] >= low]
        ax.plot(
            height[shown],
            row[shown],
            linestyle="none",
            marker=MARKERS[i % len(MARKERS)],
            markersize=2.4,
            markeredgewidth=0,
            color=colour,
            alpha=0.45,
            rasterized=True,
            zorder=2,
        )
        kappa = float(row.max())
        if not np.isfinite(kappa):
            continue
        label = rf"$\lambda={power_of_ten(lam)}$: $\kappa={kappa:.3g}$"
        dash, mark = DASHES[(i + 1) % len(DASHES)], MARKERS[i % len(MARKERS)]
        ax.axhline(kappa, color=colour, linewidth=1.1, linestyle=dash, zorder=3)
        ax.plot([], [], color=colour, linestyle=dash, marker=mark, markersize=4, label=label)
        if i < len(bounds):
            _bar(ax, right + 0.035 * i * spread, bounds[i], kappa, colour)
    ax.axhline(1.0, color=MUTED, linewidth=0.8)
    ax.set_yscale("log")
    ax.set_ylim(bottom=low * (low / top) ** 0.3)  # room for the legend below the neurons
    dress(
        ax,
        x="bias $b$ of the neuron",
        y=r"$\ell_\lambda(v)\,/\,(q(v)\,N(\lambda))$",
        title=title,
        legend=False,
    )
    ax.legend(loc="lower left", fontsize=8.5, frameon=False, labelcolor=INK, handlelength=2.4)


def _bar(ax: Axes, x: float, bound: tuple[float, float], kappa: float, colour: str) -> None:
    low, high = bound
    top = high if np.isfinite(high) else 1.6 * kappa
    ax.plot([x, x], [low, top], color=colour, linewidth=2.2, solid_capstyle="butt", zorder=4)
    if not np.isfinite(high):
        ax.plot(x, top, marker="^", markersize=6, color=colour, zorder=4)


def draw_leverage_shares(ax: Axes, ratios: Mapping[str, ArrayLike], *, title: str) -> None:
    r"""Draw which share of neurons exceeds each level of relative leverage.

    Parameters
    ----------
    ax
        Axes to draw on.
    ratios
        l/N by label of the neurons, any number of each.
    title
        What the data are.

    Raises
    ------
    ValueError
        If a label has no neurons.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_leverage_shares(ax, {"target": [0.5, 1.5], "network": [0.1, 3.0]}, title="d = 3")
    >>> ax.get_xlabel()
    'relative leverage $\\ell_\\lambda/N(\\lambda)$'
    """
    full = [np.asarray(row) for row in ratios.values() if np.size(row)]
    top = max((float(row.max()) for row in full), default=1.0)
    start = min((float(np.quantile(row, 0.01)) for row in full), default=1.0)
    start = max(0.7 * start, 1e-3 * top)
    for i, (label, row) in enumerate(ratios.items()):
        values = np.sort(np.asarray(row, dtype=np.float64).ravel())
        if values.size == 0:
            raise ValueError(f"ratios[{label!r}] of size 0 is not allowed: at least one neuron")
        share = 1 - np.arange(values.size) / values.size
        ax.plot(
            np.maximum(values, start),
            share,
            color=COLOURS[i % len(COLOURS)],
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.6,
            drawstyle="steps-pre",
            label=label,
        )
    ax.axvline(1.0, color=MUTED, linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xlim(left=start)
    ax.set_ylim(0, 1.02)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    dress(
        ax,
        x=r"relative leverage $\ell_\lambda/N(\lambda)$",
        y="share of neurons above",
        title=title,
    )

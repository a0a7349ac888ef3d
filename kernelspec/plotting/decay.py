"""A spectrum on logarithmic axes with the power that was fitted to its window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.plotting.style import COLOURS, INK, MUTED, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kernelspec.decay import DecayEstimate

__all__ = ["draw_decay"]


def draw_decay(ax: Axes, estimate: DecayEstimate, *, title: str) -> None:
    r"""Draw the curve N -> lambda, the window, and the power :math:`N^{-\alpha}` with its interval.

    The power and the bounds of its interval meet at the end of the window, where the extrapolation
    starts. A refused estimate is drawn without them.

    Parameters
    ----------
    ax
        Axes to draw on; both become logarithmic.
    estimate
        What `estimate_decay` and its relatives return.
    title
        With what the spectrum is of.

    Raises
    ------
    ValueError
        If the curve has fewer than two points.

    Examples
    --------
    >>> from kernelspec.decay import estimate_decay
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_decay(ax, estimate_decay([j**-2.0 for j in range(1, 200)]), title="powers")
    >>> ax.get_xscale(), len(ax.get_legend().get_texts())
    ('log', 4)
    """
    good = np.isfinite(estimate.log_lambda)
    x, y = estimate.log_n[good], estimate.log_lambda[good]
    if x.size < 2:
        raise ValueError(f"estimate has a curve of {x.size} points: at least 2 are needed to draw")
    ranks = estimate.method == "ranks"
    ax.plot(
        np.exp(x),
        np.exp(y),
        color=INK,
        linewidth=0,
        marker="o",
        markersize=3.5,
        label="eigenvalues" if ranks else r"$\lambda$ with $N(\lambda)=N$",
        zorder=3,
    )
    if estimate.is_power_law:
        low, high = estimate.window
        ax.axvspan(low, high, color=COLOURS[4], alpha=0.16, linewidth=0, label="window")
        end = int(np.argmin(np.abs(x - np.log(high))))
        reach = np.geomspace(max(low / 2, 1.0), 8 * high, 100)
        steps = np.log(reach) - x[end]
        ax.plot(
            reach,
            np.exp(y[end] - estimate.alpha * steps),
            color=COLOURS[1],
            linewidth=1.5,
            label=rf"$N^{{-\alpha}}$, $\alpha={estimate.alpha:.3f}$",
        )
        ax.fill_between(
            reach,
            np.exp(y[end] - estimate.low * steps),
            np.exp(y[end] - estimate.high * steps),
            color=COLOURS[1],
            alpha=0.22,
            linewidth=0,
            label=f"95 %: {estimate.low:.3f} to {estimate.high:.3f}",
        )
    else:
        ax.plot([], [], linewidth=0, label="refused")
        ax.plot(np.exp(x), np.exp(y), color=MUTED, linewidth=0.8, zorder=2)
    ax.set_xscale("log")
    ax.set_yscale("log")
    _label_short_axis(ax)
    dress(
        ax,
        x="rank $j$" if ranks else "degrees of freedom $N$",
        y=r"eigenvalue $\mu_j$" if ranks else r"ridge $\lambda$",
        title=title,
    )


def _label_short_axis(ax: Axes) -> None:
    """Mark 1, 2 and 5 of each decade where the locator's own labels would run into one another."""
    low, high = ax.get_xlim()
    if high > 300 * low:
        return
    ticks = [m * 10.0**e for e in range(-1, 7) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)

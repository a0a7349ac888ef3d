"""Sampling mismatch against the ridge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, DASHES, INK, MUTED, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_mismatch"]


def draw_mismatch(
    ax: Axes,
    lam: ArrayLike,
    kappa: ArrayLike,
    taus: ArrayLike,
    *,
    d: int,
    limits: ArrayLike | None = None,
    constants: ArrayLike | None = None,
    holds_below: ArrayLike | None = None,
) -> None:
    r"""Draw kappa(lambda; q_tau) against lambda, one curve a tau.

    Parameters
    ----------
    ax
        Axes to draw on.
    lam
        Ridges, shape (n,).
    kappa
        Mismatch, shape (len(taus), n).
    taus
        Scale of the initial biases, one a curve.
    d
        Ambient dimension, for the title.
    limits
        Limits as lambda goes to 0, one a tau, drawn as short dashes at the left edge.
    constants
        The theorem's constants, one a tau, drawn as dotted lines.
    holds_below
        The largest ridge up to which the constant holds, one a tau; finite values are marked.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_mismatch(ax, [0.01, 0.1], [[2.0, 3.0]], [1.0], d=5, constants=[6.8])
    >>> ax.get_yscale()
    'log'
    """
    ridge = np.asarray(lam, dtype=np.float64)
    curves = np.asarray(kappa, dtype=np.float64)
    scales = np.atleast_1d(np.asarray(taus, dtype=np.float64))
    if curves.shape != (scales.size, ridge.size):
        raise ValueError(
            f"kappa of shape {curves.shape} is not allowed: "
            f"(number of taus, number of ridges) = {(scales.size, ridge.size)}"
        )
    low = float(ridge.min())
    for i, (tau, curve) in enumerate(zip(scales, curves, strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(
            ridge,
            curve,
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.7,
            label=rf"$\tau={tau:g}$",
        )
        if constants is not None:
            level = float(np.atleast_1d(constants)[i])
            ax.axhline(level, color=colour, linewidth=1.1, linestyle=(0, (1, 1.5)))
        if limits is not None:
            ax.plot(low, float(np.atleast_1d(limits)[i]), marker="<", color=colour, markersize=6)
        if holds_below is not None and constants is not None:
            edge = float(np.atleast_1d(holds_below)[i])
            if 0 < edge < math.inf:
                ax.plot(edge, level, marker="o", markerfacecolor="none", color=colour, markersize=7)
                ax.annotate(
                    rf"$\lambda_*={edge:.4g}$",
                    (edge, level),
                    xytext=(-6, 6),
                    textcoords="offset points",
                    ha="right",
                    fontsize=8.5,
                    color=INK,
                )
    ax.set_xscale("log")
    ax.set_yscale("log")
    _explain(ax, constants is not None, limits is not None)
    dress(
        ax,
        x=r"ridge $\lambda$",
        y=r"mismatch $\kappa(\lambda;\,q_\tau)$",
        title=f"Mismatch of the Gaussian initialisation, $d={d}$",
    )


def _explain(ax: Axes, constants: bool, limits: bool) -> None:
    """Give the lines that every curve shares one entry each in the legend."""
    if constants:
        ax.plot(
            [],
            [],
            color=MUTED,
            linewidth=1.1,
            linestyle=(0, (1, 1.5)),
            label=r"$4\sqrt{2}\,\tau(d+1)/d$",
        )
    if limits:
        ax.plot([], [], color=MUTED, marker="<", linestyle="none", label=r"limit $\lambda\to 0$")

"""Sampling mismatch against the ridge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, DASHES, INK, MUTED, dress, power_of_ten

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
    holds_below: ArrayLike | None = None,
) -> None:
    r"""Draw kappa(lambda; q_tau)/tau against lambda, one curve a tau, under 4 sqrt(2) (d+1)/d.

    Divided by tau, the theorem's constant is the same for all curves, and they fall as tau grows.

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
        Ambient dimension.
    limits
        Limits of kappa as lambda goes to 0, one a tau, marked at the left edge.
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
    >>> draw_mismatch(ax, [0.01, 0.1], [[2.0, 3.0]], [1.0], d=5)
    >>> ax.get_xscale()
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
    constant = 4 * math.sqrt(2) * (d + 1) / d
    ax.axhline(
        constant,
        color=INK,
        linewidth=1.1,
        linestyle=(0, (1, 1.5)),
        label=r"theorem: $4\sqrt{2}\,(d+1)/d$",
    )
    for i, (tau, curve) in enumerate(zip(scales, curves, strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(
            ridge,
            curve / tau,
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.7,
            label=rf"$\tau={tau:g}$",
        )
        if limits is not None:
            limit = float(np.atleast_1d(limits)[i]) / tau
            ax.plot(ridge.min(), limit, marker="<", color=colour, markersize=6)
        edge = math.inf if holds_below is None else float(np.atleast_1d(holds_below)[i])
        if 0 < edge < math.inf:
            near_left_edge = edge < ridge.min() ** 0.65 * ridge.max() ** 0.35
            ax.plot(edge, constant, marker="o", markerfacecolor="none", color=colour, markersize=7)
            ax.annotate(
                rf"$\lambda_*={power_of_ten(edge)}$",
                (edge, constant),
                xytext=(9, -14) if near_left_edge else (-7, 6),
                textcoords="offset points",
                ha="left" if near_left_edge else "right",
                fontsize=8.5,
                color=INK,
            )
    if limits is not None:
        ax.plot([], [], color=MUTED, marker="<", linestyle="none", label=r"limit $\lambda\to 0$")
    ax.set_xscale("log")
    largest = float(np.max(curves / scales[:, None]))
    if largest > 4 * constant:
        ax.set_yscale("log")
    else:
        ax.set_ylim(0, 1.12 * max(constant, largest))
    dress(
        ax,
        x=r"ridge $\lambda$",
        y=r"mismatch $\kappa(\lambda;\,q_\tau)\,/\,\tau$",
        title=f"Mismatch of the Gaussian initialisation, $d={d}$",
    )

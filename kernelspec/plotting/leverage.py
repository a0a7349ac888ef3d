"""Ridge leverage against the height of a neuron."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, DASHES, INK, MUTED, dress, power_of_ten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_leverage"]


def draw_leverage(
    ax: Axes,
    b: ArrayLike,
    ratios: ArrayLike,
    lams: ArrayLike,
    *,
    d: int,
    order: int = 1,
    limit: ArrayLike | None = None,
) -> None:
    r"""Draw l_lambda(b)/N(lambda), the density of leverage sampling with respect to pi.

    The heights at which a neuron's kink meets the sphere, |b| < 1/sqrt(2), are marked: to the left
    a neuron is dead, to the right it is a polynomial.

    Parameters
    ----------
    ax
        Axes to draw on.
    b
        Heights, shape (n,).
    ratios
        l_lambda(b)/N(lambda), shape (len(lams), n).
    lams
        Ridges, one a curve.
    d, order
        For the title.
    limit
        The curve as lambda goes to 0, shape (n,), if wanted.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_leverage(ax, [-1, 0, 1], [[0, 2, 1]], [0.1], d=3)
    >>> ax.get_xlabel()
    'height $b$ of the neuron'
    """
    height = np.asarray(b, dtype=np.float64)
    curves = np.asarray(ratios, dtype=np.float64)
    ridge = np.atleast_1d(np.asarray(lams, dtype=np.float64))
    if curves.shape != (ridge.size, height.size):
        raise ValueError(
            f"ratios of shape {curves.shape} are not allowed: "
            f"(number of ridges, number of heights) = {(ridge.size, height.size)}"
        )
    kink = 1 / math.sqrt(2)
    ax.axvspan(-kink, kink, color=MUTED, alpha=0.08, linewidth=0)
    for i, (lam, curve) in enumerate(zip(ridge, curves, strict=True)):
        ax.plot(
            height,
            curve,
            color=COLOURS[i % len(COLOURS)],
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.6,
            label=rf"$\lambda={power_of_ten(float(lam))}$",
        )
    if limit is not None:
        ax.plot(
            height,
            np.asarray(limit, dtype=np.float64),
            color=INK,
            linewidth=1.0,
            linestyle=(0, (1, 1.2)),
            label=r"limit $\lambda\to 0$",
        )
    ax.set_xlim(-1, 1)
    ax.set_ylim(bottom=0)
    for position, word in ((-0.855, "dead"), (0.0, "kink on the sphere"), (0.855, "polynomial")):
        ax.annotate(
            word,
            (position, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, -2),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=8,
            color=MUTED,
        )
    ax.margins(y=0.15)
    dress(
        ax,
        x="height $b$ of the neuron",
        y=r"relative leverage $\ell_\lambda(b)/N(\lambda)$",
        title=f"Ridge leverage, $d={d}$, $s={order}$",
    )

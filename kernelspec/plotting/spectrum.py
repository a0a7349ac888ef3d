"""The Mercer spectrum against the degree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.plotting.style import COLOURS, INK, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_spectrum"]


def draw_spectrum(
    ax: Axes,
    degrees: ArrayLike,
    eigenvalues: ArrayLike,
    *,
    d: int,
    order: int = 1,
    constant: float | None = None,
) -> None:
    r"""Draw mu_k against k on logarithmic axes, with its asymptote A_d (k + (d-2)/2)^{-(d+2s)}.

    Degree 0 has no place on a logarithmic axis and is left out.

    Parameters
    ----------
    ax
        Axes to draw on.
    degrees, eigenvalues
        Degrees k and eigenvalues mu_k, shape (n,) each.
    d, order
        Ambient dimension and order s of the activation, for labels and the asymptote.
    constant
        A_d; without it no asymptote is drawn.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> figure, ax = new_axes()
    >>> draw_spectrum(ax, [1, 2, 3], [0.1, 0.01, 0.003], d=3)
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    k = np.asarray(degrees, dtype=np.float64)
    mu = np.asarray(eigenvalues, dtype=np.float64)
    if k.shape != mu.shape or k.ndim != 1:
        raise ValueError(
            f"eigenvalues of shape {mu.shape} are not allowed: the shape of degrees, {k.shape}"
        )
    drawn = (k > 0) & (mu > 0)
    k, mu = k[drawn], mu[drawn]
    if constant is not None:
        smooth = np.geomspace(k.min(), k.max(), 200)
        power = d + 2 * order
        ax.plot(
            smooth,
            constant * (smooth + (d - 2) / 2) ** -power,
            color=INK,
            linewidth=1.0,
            linestyle=(0, (5, 2)),
            label=rf"$A_d\,(k+\frac{{d-2}}{{2}})^{{-{power}}}$, $A_d={constant:.4g}$",
        )
    ax.plot(
        k,
        mu,
        color=COLOURS[0],
        marker="o",
        markersize=4 if k.size <= 80 else 2,
        linestyle="none",
        label=r"$\mu_k$",
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    dress(
        ax, x="degree $k$", y=r"eigenvalue $\mu_k$", title=f"Mercer spectrum, $d={d}$, $s={order}$"
    )

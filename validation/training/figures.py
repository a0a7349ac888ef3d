"""Figures of trained networks: errors against P, and where the trained neurons have gone."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, GaussianInit, RidgeLeverage
from kernelspec.laws.base import height_constant
from kernelspec.plotting.style import COLOURS, DASHES, INK, MARKERS, MUTED, dress
from validation.files import write_whole
from validation.training.experiment import Curves
from validation.training.summary import summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_errors", "draw_heights", "save_figure", "training_figure"]

Array = NDArray[Any]

PANEL: Final = (4.2, 3.5)
MOST_PANELS: Final = 24
KINK: Final = math.sqrt(0.5)
BINS: Final = 28
WORDS: Final = {
    "placed": "neurons placed anew (best found)",
    "projection": "from initialisation, variable projection",
    "adam": "from initialisation, Adam",
}


def draw_errors(ax: Axes, curves: Curves, *, title: str) -> None:
    """Draw E against P, a curve for each tau: geometric means, and every seed as a thin line.

    P is drawn on the scale sqrt(P), for most happens at small P. A point that some seed lost to
    divergence is missing.

    Parameters
    ----------
    ax
        Axes to draw on.
    curves
        Errors of one method.
    title
        Title.

    Raises
    ------
    ValueError
        If there are more taus than colours.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> from validation.training.experiment import Label
    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> figure, ax = new_axes()
    >>> draw_errors(ax, curves, title="made up")
    >>> len(ax.lines), ax.get_yscale()
    (3, 'log')
    """
    if len(curves.tau) > len(COLOURS):
        raise ValueError(
            f"{len(curves.tau)} scales are not allowed: at most {len(COLOURS)}, as many as colours"
        )
    P = np.array(curves.P)
    for i, found in enumerate(summarise(curves)):
        colour = COLOURS[i]
        for row in curves.errors[i]:
            ax.plot(P, row, color=colour, linewidth=0.7, alpha=0.3)
        ax.plot(
            P,
            found.error,
            color=colour,
            marker=MARKERS[i],
            markersize=4.5,
            linestyle=DASHES[i],
            linewidth=1.8,
            label=rf"$\tau={found.tau:g}$",
        )
    ax.set_yscale("log")
    ax.set_xscale("function", functions=(_root, np.square))
    ax.set_xlim(0.0, 1.0)
    ticks = [0.0, 0.03, 0.1, 0.25, 0.5, 1.0]
    ax.set_xticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
    dress(ax, x="trained proportion $P$", y="squared error / $|f|^2$", title=title, legend=False)
    ax.legend(loc="lower left", fontsize=8.5, frameon=False, labelcolor=INK, handlelength=2.4)


def _root(x: Any) -> Any:
    return np.sqrt(np.maximum(x, 0.0))


def draw_heights(ax: Axes, curves: Curves, model: BiasedReLU, lam: float, *, title: str) -> None:
    r"""Draw densities of the heights of trained neurons against those of the leverage law.

    Parameters
    ----------
    ax
        Axes to draw on.
    curves
        A method at two layers; the neurons trained at its greatest P are drawn, all seeds together.
    model, lam
        Feature family and ridge of the leverage law.
    title
        Title.

    Examples
    --------
    Heights drawn from the leverage law itself, so that bars follow its curve:

    >>> from kernelspec.plotting import new_axes
    >>> from validation.training.experiment import Label
    >>> model = BiasedReLU(3)
    >>> b = RidgeLeverage(model, 1e-3).sample(2000, rng=0)[:, -1]
    >>> curves = Curves(
    ...     Label("rkhs", 2, "adam"), tau=(1.0,), P=(0.0, 1.0), errors=np.ones((1, 2, 2)),
    ...     standard_errors=np.zeros((1, 2, 2)), joint=np.full((1, 2, 2), np.nan),
    ...     heights=np.tile(b.reshape(1, 2, 1, 1000), (1, 1, 2, 1)), failures=(), at_floor=0,
    ... )
    >>> figure, ax = new_axes()
    >>> draw_heights(ax, curves, model, 1e-3, title="made up")
    >>> print(", ".join(ax.get_legend_handles_labels()[1]))
    trained, $\tau=1$, initial, $\tau=1$, leverage law
    """
    b = np.linspace(-1, 1, 801)[1:-1]
    base = height_constant(model.d) * (1 - b**2) ** ((model.d - 2) / 2)
    leverage = RidgeLeverage(model, lam).density(b) * base
    edges = np.linspace(-1, 1, BINS + 1)
    ax.axvspan(-KINK, KINK, color=MUTED, alpha=0.08, linewidth=0)
    highest = float(leverage.max())
    for i, tau in enumerate(curves.tau):
        heights = curves.heights[i, :, -1]
        heights = heights[np.isfinite(heights)]
        density, _ = np.histogram(heights, edges, density=True)
        ax.stairs(
            density, edges, color=COLOURS[i], linestyle=DASHES[i], linewidth=1.4,
            label=rf"trained, $\tau={tau:g}$",
        )  # fmt: skip
        highest = max(highest, float(np.sort(density)[-3]))
    last = GaussianInit(model.d, curves.tau[-1]).density(b) * base
    ax.plot(b, last, color=MUTED, linewidth=1.0, linestyle=(0, (1, 1.2)),
            label=rf"initial, $\tau={curves.tau[-1]:g}$")  # fmt: skip
    ax.plot(b, leverage, color=INK, linewidth=1.6, label="leverage law")
    ax.set_xlim(-1, 1)
    ax.set_ylim(0, 1.6 * highest)
    for position, word in ((-0.855, "dead"), (0.855, "polynomial")):
        ax.annotate(
            word, (position, 1.0), xycoords=("data", "axes fraction"), xytext=(0, -2),
            textcoords="offset points", ha="center", va="top", fontsize=8, color=MUTED,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0},
        )  # fmt: skip
    dress(ax, x="height $b$ of the neuron", y="density", title=title)


def training_figure(curves: Sequence[Curves], model: BiasedReLU, lam: float) -> Figure:
    """Return a figure: errors of each part, and beneath them the heights of two-layer networks.

    Parameters
    ----------
    curves
        Parts of one experiment.
    model, lam
        Feature family and ridge of the leverage law the heights are compared with.

    Raises
    ------
    ValueError
        If there is nothing to draw, or more than two dozen parts.

    Examples
    --------
    >>> from validation.training.experiment import Label
    >>> curves = Curves(
    ...     Label("rkhs", 3, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> figure = training_figure([curves], BiasedReLU(3), 1e-3)
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['trained proportion $P$']
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not 1 <= len(curves) <= MOST_PANELS:
        raise ValueError(f"{len(curves)} parts are not allowed in one figure: 1 to {MOST_PANELS}")
    methods = list(dict.fromkeys(part.label.method for part in curves))
    depths = list(dict.fromkeys(part.label.layers for part in curves))
    across = len(methods) if len(methods) > 1 else len(depths)
    rows = [list(curves[i : i + across]) for i in range(0, len(curves), across)]
    flat = any(part.heights.shape[-1] for part in curves)
    down = len(rows) * (2 if flat else 1)
    figure = Figure(figsize=(PANEL[0] * across, PANEL[1] * down), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(down, across, squeeze=False)
    for i, row in enumerate(rows):
        line = panels[i * (2 if flat else 1)]
        for ax, part in zip(line, row, strict=True):
            if ax is not line[0]:
                ax.sharey(line[0])  # before drawing, so that the limits hold all curves
            draw_errors(ax, part, title=_title(part))
        if flat:
            for ax, part in zip(panels[2 * i + 1], row, strict=True):
                draw_heights(ax, part, model, lam, title=f"neurons trained at $P={part.P[-1]:g}$")
    return figure


def _title(part: Curves) -> str:
    label = part.label
    if label.layers == 2:
        return f"{WORDS[label.method]}"
    return f"{label.target} target, $L={label.layers}$, {label.method.title()}"


def save_figure(curves: Sequence[Curves], model: BiasedReLU, lam: float, path: Path) -> None:
    """Draw the experiment and write the figure in the format its suffix names.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from validation.training.experiment import Label
    >>> curves = Curves(
    ...     Label("rkhs", 3, "adam"), tau=(1.0,), P=(0.0, 0.5, 1.0),
    ...     errors=np.array([[[1.0, 0.1, 0.01], [0.9, 0.12, 0.009]]]),
    ...     standard_errors=np.zeros((1, 2, 3)), joint=np.full((1, 2, 3), np.nan),
    ...     heights=np.zeros((1, 2, 3, 0)), failures=(), at_floor=0,
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     save_figure([curves], BiasedReLU(3), 1e-3, Path(folder) / "errors.pdf")
    ...     start = (Path(folder) / "errors.pdf").read_bytes()[:5]
    >>> start
    b'%PDF-'
    """
    stream = io.BytesIO()
    training_figure(curves, model, lam).savefig(stream, format=path.suffix[1:].lower(), dpi=160)
    write_whole(path, stream.getvalue())

"""The figure: the cliff, and the error against the number of pieces with its predicted slope."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from validation.files import write_whole
from validation.three_layer.measuring import Cliff, Rate
from validation.three_layer.settings import ThreeLayerSettings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_cliff", "draw_rate", "save_figure", "three_layer_figure"]

Array = NDArray[np.float64]

_ERROR = r"relative $L^2$ error (not squared)"


def draw_cliff(ax: Axes, cliff: Cliff, *, title: str) -> None:
    """Draw unsquared errors against the number of trained first-layer neurons.

    Markers are root mean squares over the targets, bands reach from the least to the largest;
    crosses are single descents from random starts.

    Parameters
    ----------
    ax
        Axes to draw on; the vertical one is logarithmic.
    cliff
        Squared errors, as measured.
    title
        With the parameters that all networks share.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> from validation.three_layer import ThreeLayerSettings, measure_cliff
    >>> settings = ThreeLayerSettings(
    ...     d=5, r=2, cliff_pieces=16, targets=1, samples=400, starts=1, random_starts=0
    ... )
    >>> figure, ax = new_axes()
    >>> draw_cliff(ax, measure_cliff(settings), title="d = 5")
    >>> ax.get_yscale()
    'log'
    """
    from kernelspec.plotting.style import COLOURS, DASHES, INK, MUTED, dress

    k = np.arange(cliff.oracle.shape[1])
    size = (k.size - 1) * (cliff.M + 1)
    _band(ax, k, cliff.learned, 0, "learned from samples")
    ax.plot(
        k,
        _root(cliff.oracle),
        linestyle="none",
        marker="s",
        markersize=9,
        markerfacecolor="none",
        color=COLOURS[1],
        label="set to the target's directions",
    )
    if cliff.random_starts.size:
        found = np.sqrt(cliff.random_starts.ravel())
        beside = k[-1] + np.linspace(0.08, 0.25, found.size)
        look = {"linestyle": "none", "marker": "x", "markersize": 3.5, "color": MUTED}
        ax.plot(beside, found, label="random starts, $k=r$", **look)  # type: ignore[arg-type]
    levels = {
        f"{size} two-layer random features": (cliff.random_features, COLOURS[2], "-"),
        "fixed features, at best": (cliff.fixed_floor, INK, DASHES[1]),
    }
    for label, (squared, colour, dash) in levels.items():
        ax.axhline(float(_root(squared)), color=colour, linewidth=1.3, linestyle=dash, label=label)
    ax.set_yscale("log")
    ax.set_xticks(k)
    dress(ax, x="trained first-layer neurons $k$", y=_ERROR, title=title, legend=False)
    _legend_below(ax)


def draw_rate(ax: Axes, full: Rate, fewer: Rate | None, *, title: str) -> None:
    """Draw unsquared errors against the neurons of a block.

    Parameters
    ----------
    ax
        Axes to draw on, both logarithmic.
    full
        With every direction right: markers, the leading term and the proven bound.
    fewer
        With one neuron less trained, which no block makes up for.
    title
        With the parameters that all networks share.

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> from validation.three_layer import ThreeLayerSettings, measure_rate
    >>> rate = measure_rate(ThreeLayerSettings(d=5, r=2, pieces=(8, 16), targets=1))
    >>> figure, ax = new_axes()
    >>> draw_rate(ax, rate, None, title="d = 5")
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    from kernelspec.plotting.style import DASHES, INK, MUTED, dress

    if fewer is not None:
        _band(ax, fewer.pieces, fewer.error, 1, f"{fewer.trained} of {full.trained} trained")
    _band(ax, full.pieces, full.error, 0, f"{full.trained} of {full.trained} trained")
    lines = {
        r"leading term $\propto h^2$, no fit": (full.predicted, INK, DASHES[1]),
        "proven bound": (full.bound, MUTED, DASHES[2]),
    }
    for label, (squared, colour, dash) in lines.items():
        root = _root(squared)
        ax.plot(full.pieces, root, color=colour, linewidth=1.3, linestyle=dash, label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(full.pieces, [f"{M}" for M in full.pieces])
    ax.set_xticks([], minor=True)
    dress(ax, x="neurons of a block $M$", y=_ERROR, title=title, legend=False)
    _legend_below(ax)


def three_layer_figure(
    settings: ThreeLayerSettings, cliff: Cliff, full: Rate, fewer: Rate | None
) -> Figure:
    """Return the figure with both panels.

    Examples
    --------
    >>> from validation.three_layer import measure_cliff, measure_rate
    >>> settings = ThreeLayerSettings(
    ...     d=5, r=2, pieces=(8, 16), cliff_pieces=16, targets=1, samples=400, starts=1,
    ...     random_starts=0,
    ... )
    >>> cliff, rate = measure_cliff(settings), measure_rate(settings)
    >>> figure = three_layer_figure(settings, cliff, rate, None)
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['trained first-layer neurons $k$', 'neurons of a block $M$']
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    shared = rf"$d={settings.d}$, $r={settings.r}$, $\omega={settings.frequency:g}$"
    draw_cliff(left, cliff, title=rf"{shared}, $M={cliff.M}$")
    draw_rate(right, full, fewer, title=f"{shared}, directions known")
    return figure


def save_figure(
    settings: ThreeLayerSettings, cliff: Cliff, full: Rate, fewer: Rate | None, path: Path
) -> None:
    """Draw and write the figure in the format its suffix names.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from validation.three_layer import measure_cliff, measure_rate
    >>> settings = ThreeLayerSettings(
    ...     d=5, r=2, pieces=(8, 16), cliff_pieces=16, targets=1, samples=400, starts=1,
    ...     random_starts=0,
    ... )
    >>> cliff, rate = measure_cliff(settings), measure_rate(settings)
    >>> with TemporaryDirectory() as folder:
    ...     save_figure(settings, cliff, rate, None, Path(folder) / "cliff.pdf")
    ...     start = (Path(folder) / "cliff.pdf").read_bytes()[:5]
    >>> start
    b'%PDF-'
    """
    stream = io.BytesIO()
    figure = three_layer_figure(settings, cliff, full, fewer)
    figure.savefig(stream, format=path.suffix[1:].lower(), dpi=200)
    write_whole(path, stream.getvalue())


def _root(squared: Array) -> Array:
    """Root mean square over the targets."""
    return np.asarray(np.sqrt(squared.mean(axis=0)))


def _band(ax: Axes, x: NDArray[np.int_], squared: Array, i: int, label: str) -> None:
    from kernelspec.plotting.style import COLOURS, MARKERS

    low, high = np.sqrt(squared.min(axis=0)), np.sqrt(squared.max(axis=0))
    ax.fill_between(x, low, high, color=COLOURS[i], alpha=0.2, linewidth=0)
    look: Mapping[str, object] = {"color": COLOURS[i], "marker": MARKERS[i]}
    ax.plot(x, _root(squared), markersize=5, linewidth=1.6, label=label, **look)  # type: ignore[arg-type]


def _legend_below(ax: Axes) -> None:
    """Put the legend under the axes, where no curve can run through it."""
    from kernelspec.plotting.style import INK

    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.17),
        ncols=2,
        fontsize=8.5,
        frameon=False,
        labelcolor=INK,
        handlelength=2.4,
    )

"""The figure: two candidates as curves, all of them as numbers, a row for each d."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from validation.collapse.comparison import Comparison, usable
from validation.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["collapse_figure", "save_figure"]

_PANEL: Final = (4.4, 3.3)
_DRAWN: Final = {
    "supremum": r"effective width $m/\kappa_P$ (supremum)",
    "deterministic equivalent": r"effective width (deterministic equivalent)",
}


def _draw_candidate(ax: Axes, comparison: Comparison, name: str, x: str, stage: str) -> None:
    from kernelspec.plotting.collapse import draw_collapse

    measured, effective = comparison.measured, comparison.counts[name]
    keep = usable(measured)
    series = {}
    for tau in np.unique(measured.tau).tolist():
        chosen = keep & (measured.tau == tau)
        if np.any(chosen):
            error = np.exp(measured.log_error[chosen])
            series[rf"$\tau={tau:g}$"] = (effective.networks[chosen], error)
    curve = (effective.reference, np.exp(measured.reference_log_error))
    title = rf"$d={measured.d}$, {stage}, $m={measured.m.min()}$ to ${measured.m.max()}$"
    draw_collapse(ax, series, curve, x=x, title=title)


def collapse_figure(comparisons: Sequence[Comparison], stage: str) -> Figure:
    """Return a figure with a row for each comparison.

    Parameters
    ----------
    comparisons
        One for each d, at least one.
    stage
        A word for the titles: which networks these are.

    Examples
    --------
    >>> from validation.collapse import Measured, compare
    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([16, 32, 64, 128]),
    ...     reference_log_error=np.array([-5.1, -9.4, -10.9, -12.7]),
    ... )
    >>> figure = collapse_figure([compare(measured, gamma=1.0)], "example")
    >>> len(figure.axes) >= 2
    True
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from kernelspec.plotting.collapse import draw_spreads

    if not comparisons:
        raise ValueError("comparisons = [] is not allowed: at least one comparison")
    size = (_PANEL[0] * (len(_DRAWN) + 1), _PANEL[1] * len(comparisons))
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(comparisons), len(_DRAWN) + 1, squeeze=False)
    for row, comparison in zip(panels, comparisons, strict=True):
        for ax, (name, label) in zip(row, _DRAWN.items(), strict=False):
            _draw_candidate(ax, comparison, name, label, stage)
        spreads = {name: spread.rms for name, spread in comparison.spreads.items()}
        title = rf"$d={comparison.measured.d}$, {stage} networks"
        draw_spreads(row[-1], spreads, noise=comparison.noise, title=title)
    return figure


def save_figure(comparisons: Sequence[Comparison], stage: str, path: Path) -> None:
    """Draw and write the figure in the format its suffix names.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from validation.collapse import Measured, compare
    >>> measured = Measured(
    ...     d=3, lam=5e-7, tau=np.array([3.0, 3.0]), P=np.array([0.0, 0.5]), m=np.array([64, 64]),
    ...     log_error=np.array([-8.5, -10.6]), noise=np.array([0.1, 0.1]),
    ...     reference_m=np.array([16, 32, 64, 128]),
    ...     reference_log_error=np.array([-5.1, -9.4, -10.9, -12.7]),
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     save_figure([compare(measured, gamma=1.0)], "example", Path(folder) / "collapse.pdf")
    ...     start = (Path(folder) / "collapse.pdf").read_bytes()[:5]
    >>> start
    b'%PDF-'
    """
    stream = io.BytesIO()
    collapse_figure(comparisons, stage).savefig(stream, format=path.suffix[1:].lower(), dpi=200)
    write_whole(path, stream.getvalue())

"""The figure of a sweep: error against width, and error against the trained proportion."""

from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import kernelspec
from validation.files import write_whole
from validation.sweeps.network import initial_mismatch
from validation.sweeps.table import SweepTable, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kernelspec.plotting.sweeps import ErrorCurve

__all__ = ["save_figure", "sweep_figure"]

PANEL: Final = (5.6, 4.2)
MOST_ROWS: Final = 6
MOST_CURVES: Final = 4


def _values(table: SweepTable, name: str) -> list[Value]:
    return [value.item() for value in np.unique(table[name])]


def _selection(table: SweepTable, name: str) -> list[Value]:
    """Return the ends and what lies evenly between: more curves could not be told apart."""
    values = _values(table, name)
    count = min(len(values), MOST_CURVES)
    places = np.linspace(0, len(values) - 1, count).round().astype(int)
    return [values[place] for place in places]


def _curve(table: SweepTable, axis: str, label: str, predictions: dict[str, Any]) -> ErrorCurve:
    """Gather the rows into arrays of shape (points of the axis, replicates)."""
    from kernelspec.plotting.sweeps import ErrorCurve

    points = [table.where(**{axis: value}) for value in _values(table, axis)]
    error, lower, upper = (
        np.array([point[name] for point in points]) for name in ("error", "lower", "upper")
    )
    return ErrorCurve(label, error, lower, upper, predictions)


def _title(given: dict[str, Value]) -> str:
    signs = {"d": "d", "order": "s", "m": "m", "P": "P", "tau": r"\tau", "delta": r"\delta"}
    return ", ".join(f"${signs[name]}={value:g}$" for name, value in given.items())


def _against_width(ax: Axes, table: SweepTable, given: dict[str, Value]) -> None:
    from kernelspec.plotting.sweeps import draw_error_against_width

    widths = _values(table, "m")
    curves = []
    for P in _selection(table, "P"):
        rows = table.where(P=P)
        bound = [rows.where(m=width)["explicit_bound"][0] for width in widths]
        predictions = {r"explicit bound $4\lambda_*$": (widths, bound)}
        curves.append(_curve(rows, "m", f"$P={P:g}$", predictions))
    model = kernelspec.BiasedReLU(int(given["d"]), int(given["order"]))
    draw_error_against_width(
        ax,
        widths,
        curves,
        title=_title(given),
        n_width=[table.where(m=width)["n_width"][0] for width in widths],
        alpha=model.decay_exponent,
    )


def _against_proportion(ax: Axes, table: SweepTable, given: dict[str, Value]) -> None:
    from kernelspec.plotting.sweeps import draw_error_against_proportion

    curves = []
    for tau in _selection(table, "tau"):
        rows = table.where(tau=tau)
        last = float(max(_values(rows, "P")))
        anchor = (last, float(np.median(rows.where(P=last)["error"])))
        predictions = _predictions(int(given["d"]), int(given["order"]), float(tau), anchor)
        curves.append(_curve(rows, "P", rf"$\tau={tau:g}$", predictions))
    draw_error_against_proportion(ax, _values(table, "P"), curves, title=_title(given))


def _predictions(d: int, order: int, tau: float, anchor: tuple[float, float]) -> dict[str, Any]:
    """Let kappa_P^alpha pass through the anchor, for each constant that speaks of this tau."""
    kinds = {"limit": r"$\propto\kappa_P^\alpha$, sharp $\kappa_0$"}
    if order == 1 and tau >= 1:
        kinds["theorem"] = r"$\propto\kappa_P^\alpha$, theorem's $\kappa_0$"
    alpha = kernelspec.BiasedReLU(d, order).decay_exponent
    P = np.linspace(0.0, anchor[0], 201)
    predictions = {}
    for kind, name in kinds.items():
        kappa = np.asarray(kernelspec.mixture_mismatch(P, initial_mismatch(d, order, tau, kind)))
        predictions[name] = (P, anchor[1] * (kappa / kappa[-1]) ** alpha)
    return predictions


def sweep_figure(table: SweepTable) -> Figure:
    """Return a figure with a row for each (d, order, delta) of the table.

    Error against width is drawn at the largest tau where there are several widths; error against
    the trained proportion at the largest width where there are several proportions. A panel has at
    most four curves: the ends of the axis and an even selection between.

    Raises
    ------
    ValueError
        If the table has one width and one proportion, or more than six rows to draw.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from validation.sweeps import SweepSettings, run_sweep
    >>> settings = SweepSettings(d=3, m=(16, 24), P=(0.0, 1.0), tau=3.0, seeds=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = run_sweep(settings, folder)
    >>> len(sweep_figure(table).axes) > 0
    True
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawings = [
        draw
        for axis, draw in (("m", _against_width), ("P", _against_proportion))
        if len(_values(table, axis)) > 1
    ]
    if not drawings:
        raise ValueError("there is nothing to draw: the sweep has one width and one proportion")
    shared = ("d", "order", "delta")
    groups = list(itertools.product(*(_values(table, name) for name in shared)))
    if len(groups) > MOST_ROWS:
        raise ValueError(
            f"{len(groups)} combinations of d, order and delta are too many for one figure: "
            f"at most {MOST_ROWS}"
        )
    size = (PANEL[0] * len(drawings), PANEL[1] * len(groups))
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(groups), len(drawings), squeeze=False)
    for row, group in zip(panels, groups, strict=True):
        given = dict(zip(shared, group, strict=True))
        for ax, draw in zip(row, drawings, strict=True):
            other = "tau" if draw is _against_width else "m"
            fixed = {other: max(_values(table, other))}
            draw(ax, table.where(**given, **fixed), {**given, **fixed})
    return figure


def save_figure(table: SweepTable, path: Path) -> None:
    """Draw the sweep and write the figure in the format its suffix names.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from validation.sweeps import SweepSettings, run_sweep
    >>> settings = SweepSettings(d=3, m=16, P=(0.0, 1.0), tau=3.0, seeds=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = run_sweep(settings, Path(folder) / "sweep")
    ...     save_figure(table, Path(folder) / "sweep.pdf")
    ...     start = (Path(folder) / "sweep.pdf").read_bytes()[:5]
    >>> start
    b'%PDF-'
    """
    stream = io.BytesIO()
    sweep_figure(table).savefig(stream, format=path.suffix[1:].lower(), dpi=200)
    write_whole(path, stream.getvalue())

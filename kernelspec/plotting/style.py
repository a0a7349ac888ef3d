"""One look for all figures: colours for colour-blind readers, text that survives half size.

The colours are those of Okabe & Ito, *Color Universal Design* (2008), without the yellow, which
is too faint for lines on white. Every series also differs in dash or marker, never in colour alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "DASHES", "INK", "MARKERS", "MUTED", "dress", "new_axes", "power_of_ten"]

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
DASHES: Final = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (1, 1)), (0, (8, 3)))
MARKERS: Final = ("o", "s", "^", "D", "v", "P")
INK: Final = "#222222"
MUTED: Final = "#767676"

_LABEL: Final = 10.0
_TICK: Final = 9.0


def new_axes(width: float = 5.2, height: float = 3.6) -> tuple[Figure, Axes]:
    """Return a figure of the given size in inches and its axes, outside pyplot.

    Examples
    --------
    >>> figure, ax = new_axes()
    >>> figure.get_size_inches().tolist()
    [5.2, 3.6]
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def dress(ax: Axes, *, x: str, y: str, title: str, legend: bool = True) -> None:
    """Label the axes and give them the common look.

    Examples
    --------
    >>> figure, ax = new_axes()
    >>> dress(ax, x="width", y="error", title="d = 3", legend=False)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('width', 'error')
    """
    ax.set_xlabel(x, fontsize=_LABEL, color=INK)
    ax.set_ylabel(y, fontsize=_LABEL, color=INK)
    ax.set_title(title, fontsize=_LABEL, color=INK, loc="left", pad=8)
    ax.tick_params(which="major", labelsize=_TICK, colors=INK, length=3.5, width=0.7)
    ax.tick_params(which="minor", colors=INK, length=2, width=0.5)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(INK)
    ax.spines[["left", "bottom"]].set_linewidth(0.7)
    ax.grid(True, which="major", color=MUTED, alpha=0.22, linewidth=0.6)
    ax.set_axisbelow(True)
    if legend:
        ax.legend(fontsize=_TICK - 0.5, frameon=False, labelcolor=INK, handlelength=2.4)


def power_of_ten(x: float, digits: int = 3) -> str:
    r"""Write a positive number in TeX, with a power of ten where it is far from 1.

    Examples
    --------
    >>> power_of_ten(0.0557628), power_of_ten(1e-6), power_of_ten(2.527e-7)
    ('0.0558', '10^{-6}', '2.53\\times 10^{-7}')
    """
    exponent = math.floor(math.log10(x))
    mantissa = x / 10.0**exponent
    if abs(mantissa - 1) < 1e-9 and exponent != 0:
        return f"10^{{{exponent}}}"
    if -3 <= exponent < 4:
        return f"{x:.{digits}g}"
    return rf"{mantissa:.{digits}g}\times 10^{{{exponent}}}"

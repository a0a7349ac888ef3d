"""The worked examples as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernelspec.plotting.style import COLOURS, INK, MARKERS, MUTED, dress
from validation.realdata.experiment import INITIALS, WITHIN, Example

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_examples"]


def draw_examples(ax: Axes, found: Sequence[Example], *, title: str) -> None:
    """Draw errors relative to full training, without training (open) and as planned (filled).

    Examples
    --------
    >>> from kernelspec.plotting import new_axes
    >>> from validation.realdata.fits import Ratio
    >>> example = Example(
    ...     data="diabetes", initial="he", target="smooth", n=442, d=10, alpha=1.2,
    ...     low=1.1, high=1.3, decay="power law", kappa0=40.0, mismatch="stable", P=0.4,
    ...     errors=(0.3, 0.12, 0.1), cost=Ratio(1.2, 1.1, 1.3),
    ...     gain=Ratio(3.0, 2.5, 3.5), verdict="held",
    ... )
    >>> figure, ax = new_axes()
    >>> draw_examples(ax, [example], title="made up")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['diabetes, smooth']
    """
    from matplotlib.ticker import FixedLocator, NullLocator

    places = list(dict.fromkeys((x.data, x.target) for x in found))
    for x in found:
        k = INITIALS.index(x.initial)
        at = places.index((x.data, x.target)) + 0.22 * (k - 1)
        look: dict[str, Any] = {
            "marker": MARKERS[k],
            "color": COLOURS[k],
            "markersize": 4.5,
            "linestyle": "none",
        }
        ax.plot([x.gain.value], [at], markerfacecolor="white", **look)
        ax.plot([x.cost.low, x.cost.high], [at, at], color=COLOURS[k], linewidth=1.4)
        ax.plot([x.cost.value], [at], **look)
    for k, initial in enumerate(INITIALS):
        ax.plot([], [], marker=MARKERS[k], color=COLOURS[k], linestyle="none", label=initial)
    ax.plot(
        [], [], marker="o", color=MUTED, markerfacecolor="white", linestyle="none", label="P = 0"
    )
    ax.axvline(1, color=INK, linewidth=0.8)
    ax.axvline(WITHIN, color=MUTED, linewidth=0.9, linestyle=(0, (1, 1.5)))
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator([0.5, 0.7, 1, 1.4, 2, 3, 5, 10]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_yticks(range(len(places)), [f"{data}, {target}" for data, target in places])
    ax.invert_yaxis()
    dress(
        ax,
        x="held-out error over that of full training",
        y="",
        title=title,
        legend=False,
    )
    ax.legend(fontsize=8.5, frameon=False, labelcolor=INK, loc="best")

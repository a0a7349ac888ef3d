"""The report's figures, as SVG that follows the page's colours."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from markupsafe import Markup

import kernelspec
from kernelspec import plotting
from kernelspec.plotting.style import COLOURS, INK, MUTED
from validation.records import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Figure", "figures", "inline_svg"]

_MOST_DIMENSIONS: Final = 3  # pictures of more say little and cost time
_LARGEST_DRAWN: Final = 50


@dataclass(frozen=True)
class Figure:
    """A picture and the sentence beneath it.

    Examples
    --------
    >>> from validation.registry import select
    >>> from validation.verify import verify
    >>> (figure,) = figures(verify(select(["headline"])).records)
    >>> figure.svg.startswith("<svg"), figure.caption
    (True, 'How much of the gain a trained proportion captures rests on the constant.')
    """

    svg: Markup
    caption: str


def figures(records: tuple[Record, ...]) -> list[Figure]:
    """Draw what the records are about: mismatch against ridge, spectra, the headline.

    Examples
    --------
    There is a picture of the headline, and none of the trace:

    >>> from validation.registry import select
    >>> from validation.verify import verify
    >>> found = figures(verify(select(["trace", "headline"]), d=[3]).records)
    >>> len(found), 'id="f1-' in found[0].svg
    (1, True)
    """
    return list(_figures(records))


def _figures(records: tuple[Record, ...]) -> Iterator[Figure]:
    grid: dict[int, list[float]] = {}
    for record in records:
        if record.id.startswith("kappa0") and record.parameters["d"] <= _LARGEST_DRAWN:
            taus = grid.setdefault(int(record.parameters["d"]), [])
            if record.parameters["tau"] not in taus:
                taus.append(record.parameters["tau"])
    number = 0
    for d, taus in list(grid.items())[:_MOST_DIMENSIONS]:
        number += 1
        yield _mismatch(number, d, taus)
    if any(record.id == "headline" for record in records):
        yield _headline(number + 1)


def _mismatch(number: int, d: int, taus: list[float]) -> Figure:
    model = kernelspec.BiasedReLU(d)
    # from a ridge that leaves degree 40 standing to one that leaves none
    smallest = model.eigenvalue_constant * (40 + (d - 2) / 2) ** -float(d + 2)
    lam = np.geomspace(smallest, 30 * float(model.kernel(1.0)), 141)
    laws = [kernelspec.GaussianInit(d, tau) for tau in taus]

    def draw(ax: Axes) -> None:
        plotting.draw_mismatch(
            ax,
            lam,
            [np.asarray(kernelspec.mismatch(model, law, lam).kappa) for law in laws],
            taus,
            d=d,
            limits=[float(kernelspec.limiting_mismatch(model, law).kappa) for law in laws],
            holds_below=[
                float(
                    kernelspec.holds_below(model, law, float(kernelspec.theorem_kappa0(d, law.tau)))
                )
                for law in laws
            ],
        )

    caption = (
        f"d = {d}. The mismatch of the initialisation at each ridge, divided by tau, under the "
        "theorem's constant; arrows mark the limit as the ridge vanishes."
    )
    return Figure(inline_svg(draw, number), caption)


def _headline(number: int) -> Figure:
    d, tau, wanted = 5, 10.0, 0.9
    alpha = (d + 2) / (d - 1)
    theorem = float(kernelspec.theorem_kappa0(d, tau))
    P = np.concatenate([np.linspace(0, 0.1, 120), np.linspace(0.1, 1, 90)[1:]])
    kappas = {
        rf"theorem's constant, $\kappa_0={theorem:.4g}$": theorem,
        rf"limit $\lambda\to 0$, $\kappa_0={theorem / 4:.4g}$": theorem / 4,
    }

    def draw(ax: Axes) -> None:
        plotting.draw_captured_share(
            ax,
            P,
            {
                label: np.asarray(kernelspec.captured_fraction(P, alpha, kappa0))
                for label, kappa0 in kappas.items()
            },
            title=rf"Gain from training a proportion $P$, $d={d}$, $\tau={tau:g}$",
            wanted=wanted,
            at=[
                float(kernelspec.trainable_proportion(wanted, alpha, kappa0))
                for kappa0 in kappas.values()
            ],
        )

    caption = "How much of the gain a trained proportion captures rests on the constant."
    return Figure(inline_svg(draw, number), caption)


def inline_svg(draw: Callable[[Axes], None], number: int) -> Markup:
    """Return a figure as SVG to stand in a page: colours from its style sheet, ids of its own.

    Examples
    --------
    The ids begin with the figure's number, so that several figures can stand in one page:

    >>> svg = inline_svg(lambda ax: ax.plot([0, 1], [0, 1]), 7)
    >>> svg.startswith("<svg"), 'id="f7-' in svg, "<metadata>" in svg
    (True, True, False)
    """
    import matplotlib

    figure, ax = plotting.new_axes()
    draw(ax)
    figure.patch.set_visible(False)
    ax.patch.set_visible(False)
    stream = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "kernelspec", "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>f{number}-", svg)
    svg = svg.replace(INK.lower(), "var(--ink)").replace(MUTED.lower(), "var(--muted)")
    for i, colour in enumerate(COLOURS):
        svg = svg.replace(colour.lower(), f"var(--series-{i})")
    return Markup(svg)

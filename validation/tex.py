"""Set a line of text with TeX formulas as an SVG picture in the colour of the text around it."""

from __future__ import annotations

from typing import Final

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

__all__ = ["formula_svg"]

_SIZE: Final = 100.0  # points at which outlines are taken; coordinates then need one decimal
_EM: Final = 1.2  # height of the letters in the picture, in em of the text around it
# matplotlib's path codes: SVG letter and number of points
_COMMANDS: Final = {1: ("M", 1), 2: ("L", 1), 3: ("Q", 2), 4: ("C", 3), 79: ("Z", 1)}


def formula_svg(text: str) -> Markup:
    """Return inline SVG of `text`, which holds TeX between dollar signs.

    Outlines are drawn by matplotlib's own typesetting, so nothing is fetched when a page is read.
    The source stays in the picture's label, for search and for screen readers.

    Examples
    --------
    >>> "currentColor" in formula_svg("$x = 7/4$")
    True
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="serif", math_fontfamily="stix")
    path = TextPath((0, 0), text, size=_SIZE, prop=font)
    vertices, codes = np.asarray(path.vertices), np.asarray(path.codes)
    (left, bottom), (right, top) = vertices.min(axis=0) - 4, vertices.max(axis=0) + 4
    width, height = right - left, top - bottom
    outline = _outline(vertices, codes)
    return Markup(
        '<svg class="formula" role="img" aria-label="{label}" viewBox="{box}" '
        'style="width:{width:.2f}em;height:{height:.2f}em">'
        '<path fill="currentColor" transform="scale(1,-1)" d="{outline}"/></svg>'
    ).format(
        label=text.replace("$", ""),
        box=f"{left:.1f} {-top:.1f} {width:.1f} {height:.1f}",
        width=width / _SIZE * _EM,
        height=height / _SIZE * _EM,
        outline=outline,
    )


def _outline(vertices: NDArray[np.float64], codes: NDArray[np.uint8]) -> str:
    """Write a path in SVG's language; a close takes no point, a curve several."""
    parts: list[str] = []
    i = 0
    while i < len(codes):
        letter, count = _COMMANDS[int(codes[i])]
        points = vertices[i : i + count] if letter != "Z" else vertices[:0]
        parts.append(letter + " ".join(f"{x:.1f} {y:.1f}" for x, y in points))
        i += count
    return "".join(parts)

r"""Let docstrings be read in a terminal and on the site alike.

In running text, |w| is an absolute value, *b.shape a shape and lambda_* a name; reStructuredText
would see the beginning of a substitution, of an emphasis and a link. They are escaped here, so that
docstrings need not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sphinx.application import Sphinx

# code and roles stay as they are, and so do *emphasis* and **strength**
_KEEP = re.compile(r"(`[^`]*`|(?<![\w*\\])(\*{1,2})(?=\w)[^*]*\w\2(?![\w*]))")
_ESCAPE = re.compile(r"(?<!\\)(\||\*(?=\S)|(?<=\w)_(?!\w))")
_COLON = "\ue000"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, before and after napoleon."""
    app.connect("autodoc-process-docstring", process, priority=400)
    app.connect("autodoc-process-docstring", restore, priority=600)
    return {"parallel_read_safe": True}


def process(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Escape the running text of one docstring in place."""
    lines[:] = escaped(lines)
    if what in ("attribute", "data", "property") and lines:
        # napoleon would take what precedes a colon for the type
        lines[0] = lines[0].replace(":", _COLON)


def restore(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Put back what was hidden from napoleon."""
    lines[:] = [line.replace(_COLON, ":") for line in lines]


def escaped(lines: list[str]) -> Iterator[str]:
    """Yield the lines; those of directives and of examples untouched."""
    block = -1  # indentation of the directive we are in
    example = False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent <= block:
            block = -1
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if line.lstrip().startswith("..") or line.rstrip().endswith("::"):
            block = indent
        elif block < 0 and not example:
            pieces = _KEEP.split(line)[::3], _KEEP.findall(line)
            line = _joined(*pieces)
        yield line


def _joined(texts: list[str], kept: list[tuple[str, str]]) -> str:
    result = ""
    for i, text in enumerate(texts):
        result += _ESCAPE.sub(r"\\\g<0>", text)
        result += kept[i][0] if i < len(kept) else ""
    return result

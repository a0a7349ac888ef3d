"""What predicts the error: candidates held against networks that they were not chosen on.

Names are loaded when first used, so that the command line can name this package at no cost.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from validation.collapse.comparison import Comparison, Spread, compare
    from validation.collapse.figure import collapse_figure
    from validation.collapse.judging import judge
    from validation.collapse.stages import CHOOSING, FRESH, Measured, Stage, measure

__all__ = [
    "CHOOSING",
    "FRESH",
    "Comparison",
    "Measured",
    "Spread",
    "Stage",
    "collapse_figure",
    "compare",
    "judge",
    "measure",
]

_NAMES: Final = {
    "comparison": ["Comparison", "Spread", "compare"],
    "figure": ["collapse_figure"],
    "judging": ["judge"],
    "stages": ["CHOOSING", "FRESH", "Measured", "Stage", "measure"],
}


def __getattr__(name: str) -> Any:
    for module, names in _NAMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

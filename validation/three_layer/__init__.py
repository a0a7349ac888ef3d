"""A structured three-layer network: a few trained neurons before fixed univariate blocks.

Names are loaded when first used, so that the command line can name this package at no cost.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from validation.three_layer.block import Block, hidden_layers
    from validation.three_layer.learning import Learned, learn_directions, random_start
    from validation.three_layer.measuring import Cliff, Rate, measure_cliff, measure_rate
    from validation.three_layer.settings import ThreeLayerSettings
    from validation.three_layer.target import RidgeSum, Wave, wave_target
    from validation.three_layer.theory import (
        additive_floor,
        error_bound,
        fixed_features_floor,
        spline_error,
    )

__all__ = [
    "Block",
    "Cliff",
    "Learned",
    "Rate",
    "RidgeSum",
    "ThreeLayerSettings",
    "Wave",
    "additive_floor",
    "error_bound",
    "fixed_features_floor",
    "hidden_layers",
    "learn_directions",
    "measure_cliff",
    "measure_rate",
    "random_start",
    "spline_error",
    "wave_target",
]

_NAMES: Final = {
    "block": ["Block", "hidden_layers"],
    "learning": ["Learned", "learn_directions", "random_start"],
    "measuring": ["Cliff", "Rate", "measure_cliff", "measure_rate"],
    "settings": ["ThreeLayerSettings"],
    "target": ["RidgeSum", "Wave", "wave_target"],
    "theory": ["additive_floor", "error_bound", "fixed_features_floor", "spline_error"],
}


def __getattr__(name: str) -> Any:
    for module, names in _NAMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

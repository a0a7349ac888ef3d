"""Partly trained networks, and whether their errors follow the pattern of the theorem's bound.

Training needs JAX and optax (`pip install "kernelspec[train]"`). Everything here can be imported
without them; what trains then says so in one line. Names are loaded when first used, so that the
command line can name this package at no cost.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from validation.training.architecture import Architecture, Weights, initial_weights
    from validation.training.checkpoint import CheckpointError
    from validation.training.experiment import Curves, Label, run_experiment
    from validation.training.extra import TrainingExtraMissingError, available
    from validation.training.heights import TrainedLaw, trained_law
    from validation.training.masks import trainable_neurons
    from validation.training.schedule import Schedule
    from validation.training.settings import PRESETS, TrainingSettings, as_toml
    from validation.training.summary import Summary, summarise
    from validation.training.trainer import Trained, TrainingState, stack, train_grid

__all__ = [
    "PRESETS",
    "Architecture",
    "CheckpointError",
    "Curves",
    "Label",
    "Schedule",
    "Summary",
    "Trained",
    "TrainedLaw",
    "TrainingExtraMissingError",
    "TrainingSettings",
    "TrainingState",
    "Weights",
    "as_toml",
    "available",
    "initial_weights",
    "run_experiment",
    "stack",
    "summarise",
    "train_grid",
    "trainable_neurons",
    "trained_law",
]

_NAMES: Final = {
    "architecture": ["Architecture", "Weights", "initial_weights"],
    "checkpoint": ["CheckpointError"],
    "experiment": ["Curves", "Label", "run_experiment"],
    "extra": ["TrainingExtraMissingError", "available"],
    "heights": ["TrainedLaw", "trained_law"],
    "masks": ["trainable_neurons"],
    "schedule": ["Schedule"],
    "settings": ["PRESETS", "TrainingSettings", "as_toml"],
    "summary": ["Summary", "summarise"],
    "trainer": ["Trained", "TrainingState", "stack", "train_grid"],
}


def __getattr__(name: str) -> Any:
    for module, names in _NAMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

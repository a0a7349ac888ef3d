"""Sweeps: the worst-case error over a grid of networks, stored cell by cell.

Names are loaded when first used, so that the command line can name this package at no cost.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from validation.sweeps.cluster import ClusterError
    from validation.sweeps.engine import SweepFailedError, VersionsDifferError, run_sweep
    from validation.sweeps.grid import Cell, cells, seed_sequence
    from validation.sweeps.journal import JournalDamagedError
    from validation.sweeps.measure import Measure
    from validation.sweeps.pace import Progress, SweepProgress
    from validation.sweeps.pool import WorkerDiedError
    from validation.sweeps.settings import SweepSettings
    from validation.sweeps.store import StoreBusyError, StoreMismatchError
    from validation.sweeps.table import SweepTable, read_table

__all__ = [
    "Cell",
    "ClusterError",
    "JournalDamagedError",
    "Measure",
    "Progress",
    "StoreBusyError",
    "StoreMismatchError",
    "SweepFailedError",
    "SweepProgress",
    "SweepSettings",
    "SweepTable",
    "VersionsDifferError",
    "WorkerDiedError",
    "cells",
    "read_table",
    "run_sweep",
    "seed_sequence",
]

_NAMES: Final = {
    "cluster": ["ClusterError"],
    "engine": ["SweepFailedError", "VersionsDifferError", "run_sweep"],
    "grid": ["Cell", "cells", "seed_sequence"],
    "journal": ["JournalDamagedError"],
    "measure": ["Measure"],
    "pace": ["Progress", "SweepProgress"],
    "pool": ["WorkerDiedError"],
    "settings": ["SweepSettings"],
    "store": ["StoreBusyError", "StoreMismatchError"],
    "table": ["SweepTable", "read_table"],
}


def __getattr__(name: str) -> Any:
    for module, names in _NAMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Sweeps: the worst-case error over a grid of networks, stored cell by cell."""

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

"""The cells of a sweep: their order, their names and their random numbers."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from validation.sweeps.settings import SweepSettings

__all__ = ["CELL_COLUMNS", "Cell", "cells", "seed_sequence"]

CELL_COLUMNS: Final = {
    "d": "ambient dimension",
    "order": "order of the activation",
    "m": "width",
    "P": "trainable proportion",
    "tau": "scale of the initial biases",
    "delta": "failure probability of the bound",
    "replicate": "number of the network drawn for this combination, from 0",
}


@dataclass(frozen=True)
class Cell:
    """One network of the sweep: a point of the grid and the number of the draw.

    Examples
    --------
    >>> Cell(d=3, order=1, m=64, P=0.5, tau=2.0, delta=0.1, replicate=0).key
    'd=3 order=1 m=64 P=0.5 tau=2.0 delta=0.1 replicate=0'
    """

    d: int
    order: int
    m: int
    P: float
    tau: float
    delta: float
    replicate: int

    @property
    def key(self) -> str:
        """The cell's name: it depends on the cell alone, not on the grid around it."""
        return " ".join(f"{name}={value!r}" for name, value in asdict(self).items())


def cells(settings: SweepSettings) -> list[Cell]:
    """Return the cells of the grid in the order of the table, the last axis running fastest.

    Examples
    --------
    >>> grid = cells(SweepSettings(d=3, m=(16, 32), P=(0.0, 1.0), tau=3.0, seeds=1))
    >>> [(cell.m, cell.P) for cell in grid]
    [(16, 0.0), (16, 1.0), (32, 0.0), (32, 1.0)]
    """
    axes = (settings.d, settings.order, settings.m, settings.P, settings.tau, settings.delta)
    return [
        Cell(*point, replicate)
        for point in itertools.product(*axes)
        for replicate in range(settings.seeds)
    ]


def seed_sequence(seed: int, cell: Cell) -> np.random.SeedSequence:
    """Return the cell's own child of the sweep's seed.

    The child is named by a digest of the cell's key, where `SeedSequence.spawn` would count. So a
    cell has the same numbers in any order of execution, and in any grid that contains it.

    Examples
    --------
    The same cell draws the same numbers, in whatever grid it is found:

    >>> small = SweepSettings(d=3, m=16, P=1.0, tau=3.0, seeds=1)
    >>> large = SweepSettings(d=3, m=(8, 16), P=(0.0, 1.0), tau=3.0, seeds=1)
    >>> first, second = (seed_sequence(0, cells(settings)[-1]) for settings in (small, large))
    >>> bool((first.generate_state(4) == second.generate_state(4)).all())
    True
    """
    digest = hashlib.sha256(cell.key.encode()).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.SeedSequence(seed, spawn_key=tuple(int(word) for word in words))

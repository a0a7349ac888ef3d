"""What is measured in a cell, and the running of one cell."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from validation.sweeps.grid import Cell, seed_sequence
from validation.sweeps.table import Value, plain_value
from validation.sweeps.threads import single_blas_thread
from validation.sweeps.versions import versions

__all__ = ["CellFunction", "CellOutcome", "Measure", "run_cell"]

CellFunction = Callable[[Cell, np.random.SeedSequence], Mapping[str, Value]]


def _no_memory(cell: Cell) -> int:
    return 0


def _equal_cost(cell: Cell) -> float:
    return 1.0


@dataclass(frozen=True)
class Measure:
    """A function of a cell and its random numbers, with what the sweep must know about it.

    Parameters
    ----------
    name : str
        Kept in the manifest: a store is never continued with another measure.
    function : callable
        ``function(cell, seed_sequence)`` returns a value for each column. It is sent to other
        processes, so it must be picklable, and it must draw from the seed sequence alone.
    columns : mapping
        Meaning of each column it returns, in the order of the table.
    memory : callable
        Bytes that a cell needs at its peak.
    cost : callable
        Work of a cell in any unit, for the time left and for running the largest cells first.
    code : tuple of str
        Modules and packages whose source determines the numbers; it is kept in the manifest.

    Examples
    --------
    >>> measure = Measure(
    ...     name="a draw",
    ...     function=lambda cell, seeds: {"x": float(np.random.default_rng(seeds).uniform())},
    ...     columns={"x": "a uniform number"},
    ...     memory=lambda cell: 0.0,
    ...     cost=lambda cell: 1.0,
    ...     code=("kernelspec",),
    ... )
    >>> cell = Cell(d=3, order=1, m=64, P=0.5, tau=2.0, delta=0.1, replicate=0)
    >>> 0 < measure.function(cell, seed_sequence(0, cell))["x"] < 1
    True
    """

    name: str
    function: CellFunction
    columns: Mapping[str, str]
    memory: Callable[[Cell], int] = _no_memory
    cost: Callable[[Cell], float] = _equal_cost
    code: tuple[str, ...] = ("kernelspec",)


@dataclass(frozen=True)
class CellOutcome:
    """What came back from a cell: its values, or the text of the error that ended it.

    Examples
    --------
    >>> cell = Cell(d=3, order=1, m=64, P=0.5, tau=2.0, delta=0.1, replicate=0)
    >>> CellOutcome(cell, {"error": 0.01}, None, {"numpy": "2.0.0"}).error is None
    True
    """

    cell: Cell
    values: dict[str, Value] | None
    error: str | None
    versions: dict[str, str]


def run_cell(
    function: CellFunction, columns: tuple[str, ...], code: tuple[str, ...], cell: Cell, seed: int
) -> CellOutcome:
    """Run one cell in this process. An error becomes part of the outcome: others go on.

    Examples
    --------
    >>> cell = Cell(d=3, order=1, m=64, P=0.5, tau=2.0, delta=0.1, replicate=0)
    >>> found = run_cell(lambda cell, seeds: {"x": cell.m / 2}, ("x",), ("kernelspec",), cell, 0)
    >>> found.values, found.error
    ({'x': 32.0}, None)
    """
    try:
        with single_blas_thread():
            values = function(cell, seed_sequence(seed, cell))
        if set(values) != set(columns):
            raise ValueError(f"columns {sorted(values)} came back, not {sorted(columns)}")
        plain = {name: plain_value(name, values[name]) for name in columns}
    except Exception:
        return CellOutcome(cell, None, traceback.format_exc(), versions(code))
    return CellOutcome(cell, plain, None, versions(code))

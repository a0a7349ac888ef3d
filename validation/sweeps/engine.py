"""Run every cell of a grid, keep each at once, and write one table."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from validation.sweeps.grid import CELL_COLUMNS, Cell, cells
from validation.sweeps.measure import CellOutcome, Measure, run_cell
from validation.sweeps.network import network_error
from validation.sweeps.pace import Pace, Progress
from validation.sweeps.pool import Pool, open_pool
from validation.sweeps.settings import SweepSettings
from validation.sweeps.store import Store, open_store
from validation.sweeps.table import SweepTable
from validation.sweeps.versions import versions

__all__ = ["SweepFailedError", "VersionsDifferError", "run_sweep"]

SCHEMA: Final = 1


class SweepFailedError(RuntimeError):
    """Some cells ended in an error; all the others are stored.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> settings = SweepSettings(d=3, m=16, P=0.0, tau=3.0, seeds=1)
    >>> def broken(cell, seeds):
    ...     raise ZeroDivisionError("nothing to divide by")
    >>> measure = Measure(
    ...     name="broken", function=broken, columns={"x": "nothing"}, memory=lambda cell: 0.0,
    ...     cost=lambda cell: 1.0, code=("kernelspec",),
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     try:
    ...         run_sweep(settings, folder, measure=measure)
    ...     except SweepFailedError as error:
    ...         print("1 of 1 cells" in str(error))
    True
    """


class VersionsDifferError(RuntimeError):
    """A worker computes with other versions than the process that keeps the store.

    Examples
    --------
    >>> cell = Cell(d=3, order=1, m=16, P=0.0, tau=3.0, delta=0.1, replicate=0)
    >>> outcome = CellOutcome(cell, {"error": 0.1}, None, {"numpy": "1.26.0"})
    >>> try:
    ...     _check_versions(outcome, {"numpy": "2.0.0"})
    ... except VersionsDifferError as error:
    ...     print("numpy" in str(error))
    True
    """


def _identity(settings: SweepSettings, measure: Measure) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "measure": measure.name,
        "settings": settings.as_dict(),
        "versions": versions(measure.code),
        "columns": {**CELL_COLUMNS, **measure.columns},
    }


def _check_versions(outcome: CellOutcome, here: dict[str, str]) -> None:
    different = [
        f"{name} {outcome.versions.get(name)} (here {here[name]})"
        for name in here
        if outcome.versions.get(name) != here[name]
    ]
    if different:
        raise VersionsDifferError(
            "a worker computes with other versions, and its numbers are not stored: "
            + ", ".join(different)
        )


def _keep(
    outcomes: Any, store: Store, measure: Measure, pace: Pace, progress: Progress | None
) -> list[CellOutcome]:
    """Store what arrives; return the cells that ended in an error."""
    failed = []
    here = versions(measure.code)
    for outcome in outcomes:
        _check_versions(outcome, here)
        if outcome.values is None:
            failed.append(outcome)
        else:
            store.add(outcome.cell.key, outcome.values)
        pace.count(measure.cost(outcome.cell), failed=outcome.values is None)
        if progress is not None:
            progress(pace.state())
    return failed


def _run(
    pool: Pool, waiting: Sequence[Cell], settings: SweepSettings, measure: Measure
) -> contextlib.closing[Any]:
    shared = (measure.function, tuple(measure.columns), measure.code)
    # The largest first: a cell that does not fit fails early, and no worker idles at the end.
    order = sorted(waiting, key=measure.cost, reverse=True)
    calls = ((*shared, cell, settings.seed) for cell in order)
    return contextlib.closing(pool.run(run_cell, calls))


def _raise_failures(failed: Sequence[CellOutcome], total: int) -> None:
    if failed:
        first = failed[0]
        raise SweepFailedError(
            f"{len(failed)} of {total} cells ended in an error and are not stored; the others "
            f"are, and the same sweep started again runs only what is missing. "
            f"First: {first.cell.key}\n{first.error}"
        )


def run_sweep(
    settings: SweepSettings,
    store: str | Path,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: Progress | None = None,
    measure: Measure | None = None,
) -> SweepTable:
    """Run the cells that the store does not hold yet, and return the whole table.

    Each finished cell is on the disk before the next is counted. A sweep that was killed goes on
    when it is started again, and ends in the same bytes of ``table.csv`` and ``manifest.json``
    as one that was not, for any number of workers.

    Parameters
    ----------
    settings : SweepSettings
        The grid.
    store : path
        A new folder, or that of the same sweep.
    jobs : int
        Processes on this machine, one BLAS thread each.
    scheduler : str, optional
        Address of a running dask.distributed scheduler: its workers run the cells instead.
    progress : callable, optional
        Called with a `SweepProgress` at the start and after each cell.
    measure : Measure, optional
        What is computed in a cell; the worst-case error of a network unless given.

    Returns
    -------
    SweepTable
        One row for each cell, in the order of the grid.

    Raises
    ------
    MemoryError
        If the cells would not fit in memory, with the estimate, before any runs.
    StoreMismatchError, StoreBusyError, JournalDamagedError
        If the store cannot be continued; it is left as it is.
    SweepFailedError
        If cells ended in an error, after all the others are stored.
    WorkerDiedError, ClusterError, VersionsDifferError
        If the workers cannot be used. What was finished is stored.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> settings = SweepSettings(d=3, m=16, P=(0.0, 1.0), tau=3.0, seeds=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = run_sweep(settings, Path(folder) / "sweep")
    ...     kept = sorted(path.name for path in (Path(folder) / "sweep").iterdir())
    >>> table["P"], bool(table["error"][1] < table["error"][0])
    (array([0., 1.]), True)
    >>> kept
    ['cells.journal', 'lock', 'manifest.json', 'table.csv']
    """
    measure = network_error(settings) if measure is None else measure
    grid = cells(settings)
    with open_store(Path(store), _identity(settings, measure)) as opened:
        waiting = [cell for cell in grid if cell.key not in opened.rows]
        pace = Pace(
            (measure.cost(cell) for cell in grid if cell.key in opened.rows),
            (measure.cost(cell) for cell in waiting),
        )
        if progress is not None:
            progress(pace.state())
        if waiting:
            with open_pool(jobs, scheduler) as pool:
                pool.require_memory([measure.memory(cell) for cell in waiting])
                with _run(pool, waiting, settings, measure) as outcomes:
                    failed = _keep(outcomes, opened, measure, pace, progress)
            _raise_failures(failed, len(grid))
        table = _table(grid, opened, measure)
        opened.finish(table)
    return table


def _table(grid: Sequence[Cell], store: Store, measure: Measure) -> SweepTable:
    rows = (
        tuple(getattr(cell, name) for name in CELL_COLUMNS)
        + tuple(store.rows[cell.key][name] for name in measure.columns)
        for cell in grid
    )
    return SweepTable((*CELL_COLUMNS, *measure.columns), tuple(rows))

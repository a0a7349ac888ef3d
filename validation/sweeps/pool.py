"""Where cells run: processes of this machine, or the workers of a dask scheduler."""

from __future__ import annotations

import contextlib
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib  # type: ignore[import-untyped]
from joblib.externals.loky.process_executor import (  # type: ignore[import-untyped]
    BrokenProcessPool,
)

from kernelspec import _checks
from kernelspec._memory import available_memory
from validation.sweeps.cluster import connect, killed_worker
from validation.sweeps.measure import CellOutcome
from validation.sweeps.memory import require_memory
from validation.sweeps.orphans import call_as_child

__all__ = ["Pool", "WorkerDiedError", "open_pool"]


class WorkerDiedError(RuntimeError):
    """A process that ran a cell ended without an answer, most often for want of memory.

    Examples
    --------
    >>> try:
    ...     raise WorkerDiedError("the process of a cell ended without an answer")
    ... except RuntimeError as error:
    ...     print(error)
    the process of a cell ended without an answer
    """


@dataclass(frozen=True)
class Room:
    """Memory shared by the cells that run in one place."""

    where: str
    slots: int
    available: float


@dataclass(frozen=True)
class Pool:
    """Runs cells through joblib, `slots` at a time.

    Parameters
    ----------
    backend : dict
        joblib's configuration: its backend and options.
    rooms : tuple of Room
        The places where cells run.
    worker_died : type
        The exception by which the backend says that a worker is gone.
    wrap : callable
        ``wrap(function, *arguments)`` runs in the worker in place of the function.

    Examples
    --------
    A pool of one thread of this process, where `open_pool` makes one of processes:

    >>> room = Room("this process", 1, 2.0**30)
    >>> pool = Pool({"backend": "threading"}, (room,), BrokenProcessPool, _call)
    >>> sorted(pool.run(pow, [(2, 3), (2, 5)]))
    [8, 32]
    >>> try:
    ...     pool.require_memory([2**31])
    ... except MemoryError as error:
    ...     print(str(error).partition(":")[0])
    1 cells at once need an estimated 2.1 GiB, and this process has 1.0 GiB available
    """

    backend: dict[str, Any]
    rooms: tuple[Room, ...]
    worker_died: type[Exception]
    wrap: Callable[..., CellOutcome]

    @property
    def slots(self) -> int:
        """Number of cells that run at once."""
        return sum(room.slots for room in self.rooms)

    def require_memory(self, needs: Sequence[int]) -> None:
        """Raise MemoryError if some place cannot hold the largest cells it may be given."""
        for room in self.rooms:
            require_memory(needs, room.slots, room.available, room.where)

    def run(
        self, function: Callable[..., CellOutcome], arguments: Iterable[tuple[Any, ...]]
    ) -> Iterator[CellOutcome]:
        """Call the function with each tuple, yielding each outcome as soon as it is there."""
        calls = (joblib.delayed(self.wrap)(function, *each) for each in arguments)
        with joblib.parallel_config(**self.backend):
            # Cells take seconds: handing them out singly keeps every finished one at hand.
            parallel = joblib.Parallel(
                n_jobs=self.slots,
                return_as="generator_unordered",
                batch_size=1,
                pre_dispatch="2 * n_jobs",
            )
        try:
            with _closing_quietly(parallel(calls)) as outcomes:
                # Not `yield from`, which would close them past the quiet way.
                for outcome in outcomes:  # noqa: UP028
                    yield outcome
        except self.worker_died as error:
            raise WorkerDiedError(
                "a worker process died, most often for want of memory. The finished cells are "
                f"stored: start the sweep again with fewer at once to go on ({error})"
            ) from error


@contextlib.contextmanager
def _closing_quietly(outcomes: Any) -> Iterator[Any]:
    try:
        yield outcomes
    finally:
        # Cells that are cut off are not lost work to warn about: the store runs them next time.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*You could benefit from adjusting")
            outcomes.close()


def _machine(jobs: int) -> Pool:
    options = {"backend": "loky", "inner_max_num_threads": 1}
    room = Room("this machine", jobs, available_memory())
    return Pool(options, (room,), BrokenProcessPool, partial(call_as_child, os.getpid()))


def _call(function: Callable[..., CellOutcome], *arguments: Any) -> CellOutcome:
    return function(*arguments)


def _cluster(client: Any) -> Pool:
    rooms = tuple(
        Room(f"the worker {address}", 1, worker["memory_limit"] or math.inf)
        for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()
    )
    return Pool({"backend": "dask", "client": client}, rooms, killed_worker(), _call)


@contextlib.contextmanager
def open_pool(jobs: int, scheduler: str | None = None) -> Iterator[Pool]:
    """Open processes of this machine, or connect to the scheduler of a cluster.

    Parameters
    ----------
    jobs : int
        Processes to run here; a cluster uses all the workers it has.
    scheduler : str, optional
        Address of a running dask.distributed scheduler, such as ``tcp://10.0.0.1:8786``.

    Examples
    --------
    >>> with open_pool(2) as pool:
    ...     rooms = [(room.where, room.slots) for room in pool.rooms]
    >>> rooms
    [('this machine', 2)]
    """
    jobs = _checks.count("jobs", jobs)
    if scheduler is None:
        yield _machine(jobs)
    else:
        with connect(scheduler) as client:
            yield _cluster(client)

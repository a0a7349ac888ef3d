"""How far a sweep is, and how long the rest will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Pace", "Progress", "SweepProgress"]


@dataclass(frozen=True)
class SweepProgress:
    """State of a running sweep, sent after each cell.

    Parameters
    ----------
    total, done, failed : int
        Cells of the grid, cells with stored values, cells that ended in an error.
    fraction : float
        Share of the grid's work that is over, from 0 to 1.
    elapsed : float
        Seconds since this run began.
    remaining : float or None
        Seconds left by the pace so far; None before the first cell of this run is over.

    Examples
    --------
    >>> state = SweepProgress(total=8, done=2, failed=0, fraction=0.25, elapsed=3.0, remaining=9.0)
    >>> f"{state.done} of {state.total} cells, about {state.remaining:.0f} s left"
    '2 of 8 cells, about 9 s left'
    """

    total: int
    done: int
    failed: int
    fraction: float
    elapsed: float
    remaining: float | None


Progress = Callable[[SweepProgress], None]


class Pace:
    """Count cells by their cost: a few wide networks take most of a sweep's time.

    Parameters
    ----------
    stored, waiting : iterable of float
        Costs of the cells found in the store, and of those to run.
    clock : callable
        Seconds from any origin.

    Examples
    --------
    >>> pace = Pace(stored=[1.0], waiting=[1.0, 2.0], clock=lambda: 0.0)
    >>> pace.count(1.0, failed=False)
    >>> pace.state().done, pace.state().fraction
    (2, 0.5)
    """

    def __init__(
        self,
        stored: Iterable[float],
        waiting: Iterable[float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        stored, waiting = list(stored), list(waiting)
        self._total = len(stored) + len(waiting)
        self._done = len(stored)
        self._failed = 0
        self._stored_cost = sum(stored)
        self._cost = sum(waiting)
        self._cost_over = 0.0
        self._clock = clock
        self._start = clock()

    def count(self, cost: float, *, failed: bool = False) -> None:
        """Note that a cell of this cost is over."""
        self._cost_over += cost
        self._failed += failed
        self._done += not failed

    def state(self) -> SweepProgress:
        """Return where the sweep stands now."""
        elapsed = self._clock() - self._start
        remaining = None
        if self._done + self._failed == self._total:
            remaining = 0.0
        elif self._cost_over > 0:
            remaining = elapsed * max(self._cost - self._cost_over, 0.0) / self._cost_over
        whole = self._stored_cost + self._cost
        over = self._stored_cost + self._cost_over
        fraction = min(over / whole, 1.0) if whole > 0 else 1.0
        return SweepProgress(self._total, self._done, self._failed, fraction, elapsed, remaining)

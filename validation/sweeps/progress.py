"""A sweep's progress on stderr: a bar with the time left on a terminal, few lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from validation.sweeps.pace import SweepProgress

__all__ = ["SweepBar", "duration"]

LINES = 20


def duration(seconds: float) -> str:
    """Return a time in its two largest units.

    Examples
    --------
    >>> duration(8.2), duration(95), duration(4000), duration(200_000)
    ('8 s', '1 min 35 s', '1 h 06 min', '2 d 7 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def _words(state: SweepProgress) -> str:
    words = f"{state.done} of {state.total} cells"
    if state.failed:
        words += f", {state.failed} failed"
    if state.done + state.failed < state.total and state.remaining is not None:
        words += f", about {duration(state.remaining)} left"
    return words


class SweepBar:
    """Shows each state it is called with; a context manager that clears the bar at the end.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to show it; stderr unless given.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = Console(stderr=True) if console is None else console
        self._shown = -1
        self._bar: Bar | None = None
        if self._console.is_terminal:
            self._bar = Bar(
                TextColumn("sweep"),
                BarColumn(),
                TextColumn("{task.description}"),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("", total=1.0)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, state: SweepProgress) -> None:
        """Show this state."""
        if self._bar is not None:
            self._bar.update(self._task, completed=state.fraction, description=_words(state))
            return
        # A log file wants to know how it goes, not to be filled.
        step = int(state.fraction * LINES)
        if step != self._shown:
            self._shown = step
            self._console.print(f"sweep: {_words(state)}", highlight=False, soft_wrap=True)

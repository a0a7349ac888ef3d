"""A sweep's progress on stderr: a bar with the time left on a terminal, few lines elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, TextColumn

from validation.progress import TerminalBar, outlook
from validation.sweeps.pace import SweepProgress

__all__ = ["SweepBar"]

LINES = 20


def _words(state: SweepProgress) -> str:
    finished = state.done + state.failed >= state.total
    words = f"{state.done} of {state.total} cells"
    return outlook(words, state.failed, None if finished else state.remaining)


class SweepBar(TerminalBar):
    """Shows each state it is called with; a context manager that clears the bar at the end.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to show it; stderr unless given.

    Examples
    --------
    >>> import io
    >>> stream = io.StringIO()
    >>> with SweepBar(Console(file=stream)) as bar:
    ...     bar(SweepProgress(8, 2, 0, fraction=0.25, elapsed=30.0, remaining=95.0))
    >>> print(stream.getvalue(), end="")
    sweep: 2 of 8 cells, about 1 min 35 s left
    """

    def __init__(self, console: Console | None = None) -> None:
        self._shown = -1
        super().__init__(
            TextColumn("sweep"), BarColumn(), TextColumn("{task.description}"), console=console
        )

    def __call__(self, state: SweepProgress) -> None:
        """Show this state."""
        if self._update(state.fraction, _words(state)):
            return
        # A log file wants to know how it goes, not to be filled.
        step = int(state.fraction * LINES)
        if step != self._shown:
            self._shown = step
            self._line(f"sweep: {_words(state)}")

"""Progress on stderr: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import Progress, ProgressColumn

__all__ = ["TerminalBar", "duration", "outlook"]


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


def outlook(words: str, failed: int, remaining: float | None) -> str:
    """Add what failed, if anything, and the seconds that remain, if known, to some words.

    Examples
    --------
    >>> outlook("3 of 8 cells", 1, 95.0), outlook("8 of 8 cells", 0, None)
    ('3 of 8 cells, 1 failed, about 1 min 35 s left', '8 of 8 cells')
    """
    if failed:
        words += f", {failed} failed"
    if remaining is not None:
        words += f", about {duration(remaining)} left"
    return words


class TerminalBar:
    """A context manager that shows a bar where there is a terminal, and clears it at the end.

    Parameters
    ----------
    *columns : rich.progress.ProgressColumn
        What the bar shows.
    console : rich.console.Console, optional
        Where to show it; stderr unless given.
    total : float, keyword-only
        What `completed` reaches at the end.
    **shown
        Fields of the columns before the first update.

    Examples
    --------
    A bar of one's own; into a file, which is no terminal, it writes lines:

    >>> import io
    >>> class Counter(TerminalBar):
    ...     def __call__(self, done):
    ...         words = f"{done} of 8 cells"
    ...         if not self._update(done / 8, words):
    ...             self._line(words)
    >>> stream = io.StringIO()
    >>> with Counter(console=Console(file=stream)) as bar:
    ...     bar(4)
    >>> print(stream.getvalue(), end="")
    4 of 8 cells
    """

    def __init__(
        self,
        *columns: ProgressColumn,
        console: Console | None = None,
        total: float = 1.0,
        **shown: Any,
    ) -> None:
        self._console = Console(stderr=True) if console is None else console
        self._bar: Progress | None = None
        if self._console.is_terminal:
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._task = self._bar.add_task("", total=total, **shown)

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

    def _update(self, completed: float, words: str, **shown: Any) -> bool:
        """Move the bar; False where there is none, and lines are to be written instead."""
        if self._bar is None:
            return False
        self._bar.update(self._task, completed=completed, description=words, **shown)
        return True

    def _line(self, words: str) -> None:
        """Write a line that is never wrapped."""
        self._console.print(words, highlight=False, soft_wrap=True)

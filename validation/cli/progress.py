"""Progress of checks on stderr: a bar on a terminal, a line a record elsewhere."""

from __future__ import annotations

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from validation.progress import TerminalBar
from validation.records import Record
from validation.wording import parameters

__all__ = ["Progress"]


class Progress(TerminalBar):
    """Shows how many of `total` records are finished and how long the rest may take."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        super().__init__(
            TextColumn("checking"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.description}", style="dim"),
            total=total,
        )

    def advance(self, record: Record) -> None:
        """Count a finished record."""
        self._done += 1
        what = f"{record.id} {parameters(record.parameters)}: {record.verdict.value}"
        if not self._update(self._done, what):
            typer.echo(f"[{self._done}/{self._total}] {what}", err=True)

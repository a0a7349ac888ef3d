"""Progress on stderr: a bar on a terminal, a line a record elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from validation.records import Record
from validation.wording import parameters

__all__ = ["Progress"]


class Progress:
    """Shows how many of `total` records are finished and how long the rest may take."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        console = Console(stderr=True)
        self._bar: Bar | None = None
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("checking"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(compact=True),
                TextColumn("{task.description}", style="dim"),
                console=console,
                transient=True,
            )

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("", total=self._total)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, record: Record) -> None:
        """Count a finished record."""
        self._done += 1
        what = f"{record.id} {parameters(record.parameters)}: {record.verdict.value}"
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=what)
        else:
            typer.echo(f"[{self._done}/{self._total}] {what}", err=True)

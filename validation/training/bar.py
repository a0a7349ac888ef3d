"""Progress of training on stderr: a bar with the loss on a terminal, a line a part elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from validation.sweeps.progress import duration
from validation.training.experiment import Label
from validation.training.trainer import TrainingState

__all__ = ["TrainingBar"]


def _words(state: TrainingState) -> str:
    words = f"step {state.done} of {state.total}, median loss {state.loss:.3g}"
    if state.failed:
        words += f", {state.failed} failed"
    if state.done < state.total and state.remaining is not None:
        words += f", about {duration(state.remaining)} left"
    return words


class TrainingBar:
    """Shows each state it is called with; a context manager that clears the bar at the end.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to show it; stderr unless given.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = Console(stderr=True) if console is None else console
        self._bar: Bar | None = None
        if self._console.is_terminal:
            self._bar = Bar(
                TextColumn("{task.fields[part]}"),
                BarColumn(),
                TextColumn("{task.description}"),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("", total=1.0, part="training")

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

    def __call__(self, label: Label, state: TrainingState) -> None:
        """Show how far a part has come."""
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=state.done / state.total,
                description=_words(state),
                part=str(label),
            )
        elif state.done == state.total:
            self._console.print(f"{label}: {_words(state)}", soft_wrap=True, highlight=False)

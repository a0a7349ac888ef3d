"""Progress of training on stderr: a bar with the loss on a terminal, a line a part elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, TextColumn

from validation.progress import TerminalBar, outlook
from validation.training.experiment import Label
from validation.training.trainer import TrainingState

__all__ = ["TrainingBar"]


def _words(state: TrainingState) -> str:
    words = f"step {state.done} of {state.total}, median loss {state.loss:.3g}"
    return outlook(words, state.failed, state.remaining if state.done < state.total else None)


class TrainingBar(TerminalBar):
    """Shows each state it is called with; a context manager that clears the bar at the end.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to show it; stderr unless given.

    Examples
    --------
    >>> import io
    >>> stream = io.StringIO()
    >>> with TrainingBar(Console(file=stream)) as bar:
    ...     bar(Label("rkhs", 2, "adam"), TrainingState(9, 9, loss=0.01, failed=0, remaining=0.0))
    >>> print(stream.getvalue(), end="")
    rkhs, L = 2, adam: step 9 of 9, median loss 0.01
    """

    def __init__(self, console: Console | None = None) -> None:
        super().__init__(
            TextColumn("{task.fields[part]}"),
            BarColumn(),
            TextColumn("{task.description}"),
            console=console,
            part="training",
        )

    def __call__(self, label: Label, state: TrainingState) -> None:
        """Show how far a part has come."""
        words = _words(state)
        shown = self._update(state.done / state.total, words, part=str(label))
        if not shown and state.done == state.total:
            self._line(f"{label}: {words}")

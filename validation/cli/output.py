"""What commands answer: a table for people, JSON for programs, a figure on request."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console

__all__ = ["Answer", "console", "give", "print_answer", "save_figure"]

_PIPE_WIDTH = 120  # columns where the output is no terminal


@dataclass(frozen=True)
class Answer:
    """A table of numbers with its parameters and what follows from it.

    Parameters
    ----------
    command
        The command that answers.
    parameters
        What it was asked.
    columns
        Heading by key of the rows.
    rows
        Numbers by key.
    summary
        Further numbers by name, for JSON.
    remarks
        The same in words, for people.
    """

    command: str
    parameters: Mapping[str, Any]
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]
    summary: Mapping[str, Any] = field(default_factory=dict)
    remarks: Sequence[str] = ()


def console(*, stderr: bool = False) -> Console:
    """Return a console that does not wrap at 80 columns where nobody set a width."""
    from rich.console import Console

    probe = Console(stderr=stderr)
    return probe if probe.is_terminal else Console(stderr=stderr, width=_PIPE_WIDTH)


def give(answer: Answer, as_json: bool, plot: Path | None, draw: Callable[[Axes], None]) -> None:
    """Print an answer and, if asked, draw its figure."""
    if plot is not None:
        save_figure(plot, draw)
    if as_json:
        print_json(answer)
    else:
        print_answer(answer)
        if plot is not None:
            typer.echo(f"figure: {plot}")


def print_json(answer: Answer) -> None:
    """Print an answer as JSON."""
    from validation.results import as_json

    data = {
        "command": answer.command,
        "parameters": dict(answer.parameters),
        "rows": [dict(row) for row in answer.rows],
        "summary": dict(answer.summary),
    }
    typer.echo(as_json(data))


def print_answer(answer: Answer) -> None:
    """Print an answer as a table with its remarks beneath."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from validation.wording import number, parameters

    given = {n: x for n, x in answer.parameters.items() if _is_number(x) and not math.isnan(x)}
    table = Table(
        title=Text(f"{answer.command}: {parameters(given)}" if given else answer.command),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for heading in answer.columns.values():
        table.add_column(Text(heading), justify="right", no_wrap=True)
    for row in answer.rows:
        cells = (row[key] for key in answer.columns)
        table.add_row(*(Text(number(x, 8) if _is_number(x) else str(x)) for x in cells))
    out = console()
    out.print(table)
    for remark in answer.remarks:
        out.print(Text(remark))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def save_figure(path: Path, draw: Callable[[Axes], None]) -> None:
    """Draw on fresh axes and write the figure in the format its suffix names."""
    import io

    from kernelspec.plotting import new_axes
    from validation.files import write_whole

    figure, ax = new_axes()
    draw(ax)
    stream = io.BytesIO()
    figure.savefig(stream, format=path.suffix[1:].lower(), dpi=200)
    write_whole(path, stream.getvalue())

"""The table at the end of a verification, worst margin first, and the list of claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from validation.cli.output import console
from validation.records import Record, Verdict, worst_first
from validation.registry import Claim
from validation.verify import Outcome
from validation.wording import claimed, interval, margin, number, parameters

__all__ = ["print_claims", "print_outcome"]

_STYLE: Final = {
    Verdict.CERTIFIED: "bold green",
    Verdict.CONSISTENT: "cyan",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.REFUTED: "bold red",
}


def print_outcome(outcome: Outcome, files: Sequence[Path]) -> None:
    """Print all records, notes of those that do not hold, the counts, and where the files are."""
    out = console()
    records = worst_first(outcome.records)
    out.print(_table(records))
    for record in records:
        if record.note and record.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE):
            where = parameters(record.parameters)
            heading = Text(f"{record.id} ({where}) is {record.verdict.value}: ", "bold")
            out.print(heading + Text(record.note, "not bold"))
    for item in outcome.not_applicable:
        out.print(Text(f"{item.id} ({parameters(item.parameters)}) not checked: {item.reason}"))
    counts = ", ".join(f"{n} {verdict}" for verdict, n in outcome.counts().items() if n)
    out.print(Text(f"{counts}; written: {', '.join(str(path) for path in files)}"))


def _table(records: Iterable[Record]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("verdict", "claim", "d", "tau", "claimed", "computed", "margin"):
        right = heading in ("d", "tau", "margin")
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    for record in records:
        d, tau = (record.parameters.get(name) for name in ("d", "tau"))
        table.add_row(
            Text(record.verdict.value, _STYLE[record.verdict]),
            Text(record.id),
            Text("" if d is None else number(d)),
            Text("" if tau is None else number(tau)),
            Text(claimed(record)),
            Text(interval(record.low, record.high)),
            Text(margin(record.margin)),
        )
    return table


def print_claims(claims: Iterable[Claim]) -> None:
    """Print what each claim states."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("claim", "depends on", "what it states", "source"):
        table.add_column(heading)
    for claim in claims:
        fixed = parameters(claim.fixed)
        table.add_row(
            Text(claim.id, "bold"), Text(", ".join(claim.needs) or fixed), claim.title, claim.source
        )
    console().print(table)

"""`kernelspec verify`: check the claims, print the table, write results and report."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options
from validation.cli.app import app

if TYPE_CHECKING:
    from validation.context import Budget
    from validation.registry import Claim

__all__ = ["verify"]


@app.command()
def verify(
    d: Annotated[
        str, typer.Option("--d", help="Ambient dimensions, comma-separated, 2 to 1000.")
    ] = "3,5",
    tau: options.Taus = "1,10",
    claims: Annotated[
        str | None, typer.Option("--claims", help="Claims, comma-separated; all by default.")
    ] = None,
    budget: Annotated[str, typer.Option("--budget", help="quick or full.")] = "quick",
    seed: Annotated[str, typer.Option("--seed", help="Seed of all random streams, >= 0.")] = "0",
    jobs: Annotated[
        str | None,
        typer.Option(
            "--jobs",
            help="Worker processes, by default as many as there are cores; results are the same.",
        ),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", help="Directory for results.json and report.html.")
    ] = "kernelspec-out",
    shown: Annotated[str, typer.Option("--format", help="table or json, on stdout.")] = "table",
    list_claims: Annotated[bool, typer.Option("--list", help="List the claims and stop.")] = False,
) -> None:
    """Check the theorem's claims and report.

    Exit status: 0 all certified or consistent, 1 some refuted, 3 some inconclusive and none
    refuted, 2 bad usage.
    """
    shown = arguments.choice("--format", shown, ("table", "json"))
    effort: Budget = "full" if arguments.choice("--budget", budget, _BUDGETS) == "full" else "quick"
    dimensions = arguments.dimensions("--d", d)
    scales = arguments.numbers("--tau", tau)
    entropy = arguments.whole_number("--seed", seed, 0)
    workers = None if jobs is None else arguments.whole_number("--jobs", jobs, 1)
    selected = _selected(claims)
    if list_claims:
        _list(selected, shown)
        return
    _refuse_empty_plan(selected, dimensions, scales)
    directory = arguments.output_directory("--out", out)

    from validation import report, results
    from validation import verify as engine
    from validation.cli.progress import Progress
    from validation.cli.table import print_outcome
    from validation.files import write_whole

    command = _command(dimensions, scales, selected if claims else None, effort, entropy)
    start = perf_counter()
    cells = len(engine.plan(selected, dimensions, scales)[0])
    with Progress(cells) as progress:
        outcome = engine.verify(
            selected,
            dimensions,
            scales,
            budget=effort,
            seed=entropy,
            jobs=_processes(cells) if workers is None else workers,
            command=command,
            progress=progress.advance,
        )
    document = results.document(
        outcome,
        command=command,
        seed=entropy,
        budget=effort,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=perf_counter() - start,
    )
    text = results.as_json(document)
    written = [directory / "results.json", directory / "report.html"]
    write_whole(written[0], text + "\n")
    write_whole(written[1], report.render(outcome, document))
    if shown == "json":
        typer.echo(text)
    else:
        print_outcome(outcome, written)
    raise typer.Exit(results.EXIT_STATUS[outcome.verdict])


_BUDGETS = ("quick", "full")
_WORTH_A_PROCESS = 8  # cells; fewer are done before another process has started


def _processes(cells: int) -> int:
    return max(1, min(os.cpu_count() or 1, cells // _WORTH_A_PROCESS))


def _selected(claims: str | None) -> list[Claim]:
    from validation.registry import registered, select

    if claims is None:
        return select()
    known = list(registered())
    return select(
        arguments.choice("--claims", name, known) for name in arguments.words("--claims", claims)
    )


def _refuse_empty_plan(selected: list[Claim], d: list[int], tau: list[float]) -> None:
    from validation.verify import plan

    cells, left_out = plan(selected, d, tau)
    if not cells:
        reasons = ", ".join(sorted({f"{item.id} is {item.reason}" for item in left_out}))
        raise typer.BadParameter(f"nothing to check: {reasons}")


def _command(
    d: list[int], tau: list[float], selected: list[Claim] | None, budget: str, seed: int
) -> str:
    """Return the command that gives the same numbers, whatever was left to defaults."""
    words = ["kernelspec verify", "--d", ",".join(map(str, d))]
    words += [
        "--tau",
        ",".join(f"{scale:g}" if scale == float(f"{scale:g}") else repr(scale) for scale in tau),
    ]
    if selected is not None:
        words += ["--claims", ",".join(claim.id for claim in selected)]
    return " ".join([*words, "--budget", budget, "--seed", str(seed)])


def _list(selected: list[Claim], shown: str) -> None:
    from validation.cli.table import print_claims
    from validation.results import as_json

    if shown == "table":
        print_claims(selected)
        return
    described = ("id", "title", "statement", "source", "assumptions", "needs", "fixed")
    typer.echo(as_json([{name: getattr(claim, name) for name in described} for claim in selected]))

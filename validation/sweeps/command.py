"""`kernelspec sweep`: run a grid of networks from flags or a TOML file, and draw it.

Heavy imports wait until the command runs, so that `--help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options

if TYPE_CHECKING:
    from validation.sweeps.settings import SweepSettings
    from validation.sweeps.table import SweepTable

__all__ = ["sweep"]

Flag = str | None

FAILED = 1
INTERRUPTED = 130


def sweep(
    settings: Annotated[
        Path | None,
        typer.Argument(
            help="A TOML file with the names of the flags below, such as m = [64, 128]. "
            "Flags that are given as well count before it.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the sweep: new, or of the same sweep.")
    ] = Path("kernelspec-out/sweep"),
    d: Annotated[Flag, typer.Option("--d", help="Ambient dimensions, comma-separated.")] = None,
    order: Annotated[Flag, typer.Option("--order", help="Activation orders, 0 to 5.")] = None,
    m: Annotated[Flag, typer.Option("--m", help="Widths, comma-separated.")] = None,
    P: Annotated[Flag, typer.Option("--P", help="Trained proportions, 0 to 1.")] = None,
    tau: Annotated[Flag, typer.Option("--tau", help="Scales of the initial biases, > 0.")] = None,
    delta: Annotated[Flag, typer.Option("--delta", help="Failure probabilities, 0 to 1.")] = None,
    seeds: Annotated[Flag, typer.Option("--seeds", help="Networks for each combination.")] = None,
    seed: Annotated[Flag, typer.Option("--seed", help="Seed of the whole sweep.")] = None,
    lam: Annotated[
        Flag,
        typer.Option("--lam", help="Ridge of leverage sampling; by default the bound's lambda*."),
    ] = None,
    kappa0: Annotated[
        Flag, typer.Option("--kappa0", help="Mismatch of the initialisation: theorem or limit.")
    ] = None,
    rtol: Annotated[Flag, typer.Option("--rtol", help="Relative width of the enclosures.")] = None,
    memory: Annotated[
        Flag, typer.Option("--memory-gib", help="GiB that one network may take, 4 by default.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Processes; the numbers do not depend on them.")
    ] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", help="Run on a dask cluster instead: tcp://HOST:PORT."),
    ] = None,
    plot: options.Plot = None,
) -> None:
    """Measure worst-case errors of drawn networks over a grid; goes on where it was stopped.

    Writes table.csv and manifest.json into the folder. Exit status: 0 done, 1 cells or workers
    failed, 2 bad usage or a folder of another sweep.

    \f

    Examples
    --------
    >>> from typer.testing import CliRunner
    >>> from validation.cli.main import app
    >>> grid = ["--d", "3", "--m", "16,64", "--tau", "3", "--P"]
    >>> answer = CliRunner().invoke(app, ["sweep", *grid, "2"])
    >>> answer.exit_code, answer.output.strip()
    (2, 'kernelspec: P = 2 is not allowed: a number from 0 to 1')
    """  # noqa: D301 (\f ends what --help shows)
    flags = {
        "d": d, "order": order, "m": m, "P": P, "tau": tau, "delta": delta, "seeds": seeds,
        "seed": seed, "lam": lam, "kappa0": kappa0, "rtol": rtol, "memory_gib": memory,
    }  # fmt: skip
    wanted = arguments.checked(lambda: _settings(settings, flags))
    figure = _check_places(out, plot)
    table = _run(wanted, out, jobs, scheduler)
    typer.echo(f"{len(table)} cells: {out / 'table.csv'}, {out / 'manifest.json'}")
    if figure is not None:
        _draw(table, figure)
        typer.echo(f"figure: {figure}")


def _draw(table: SweepTable, figure: Path) -> None:
    from validation.sweeps.figures import save_figure

    try:
        save_figure(table, figure)
    except (TypeError, ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from None


def _settings(file: Path | None, flags: dict[str, Flag]) -> SweepSettings:
    from validation.settings import given
    from validation.sweeps.settings import AXES, SweepSettings

    return SweepSettings.from_mapping(given(file, flags, AXES))


def _check_places(out: Path, plot: str | None) -> Path | None:
    """Refuse files that could not be written, before hours of work."""
    from validation.files import prepare_directory, prepare_file

    arguments.checked(lambda: prepare_directory(out))
    if plot is None:
        return None
    figure = arguments.figure_name(plot)
    arguments.checked(lambda: prepare_file(figure))
    return figure


def _run(settings: SweepSettings, out: Path, jobs: int, scheduler: str | None) -> SweepTable:
    from validation.sweeps.cluster import ClusterError
    from validation.sweeps.engine import SweepFailedError, VersionsDifferError, run_sweep
    from validation.sweeps.journal import JournalDamagedError
    from validation.sweeps.pool import WorkerDiedError
    from validation.sweeps.progress import SweepBar
    from validation.sweeps.store import StoreBusyError, StoreMismatchError

    unusable = (ClusterError, JournalDamagedError, MemoryError, StoreBusyError, StoreMismatchError)
    failures = (SweepFailedError, VersionsDifferError, WorkerDiedError, OSError)

    try:
        with SweepBar() as progress:
            return run_sweep(settings, out, jobs=jobs, scheduler=scheduler, progress=progress)
    except unusable as error:
        raise typer.BadParameter(str(error)) from None
    except failures as error:
        typer.echo(f"kernelspec: {error}", err=True)
        raise typer.Exit(FAILED) from None
    except KeyboardInterrupt:
        typer.echo("kernelspec: stopped; the same command goes on from here", err=True)
        raise typer.Exit(INTERRUPTED) from None

"""`kernelspec train`: train partly trainable networks, solve their readouts again, report.

Heavy imports wait until the command runs, so that `--help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options

if TYPE_CHECKING:
    from validation.training.experiment import Curves
    from validation.training.settings import TrainingSettings

__all__ = ["train"]

FAILED = 1
INTERRUPTED = 130
COLUMNS = {
    "part": "part", "tau": "tau", "first": "E(0)", "last": "E(1)", "fall": "fall (99 %)",
    "P90": "P90 (99 %)", "joint": "joint/E", "failed": "failed",
}  # fmt: skip


def train(
    settings: Annotated[
        Path | None,
        typer.Argument(
            help="A TOML file with some of the settings that --settings prints; the others are "
            "those of the preset.",
            show_default=False,
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option("--preset", help="Where settings start from: two-layer or deep.")
    ] = "two-layer",
    out: Annotated[
        str,
        typer.Option("--out", help="Folder for checkpoints, settings.toml and results.json."),
    ] = "kernelspec-out/train",
    show: Annotated[
        bool, typer.Option("--settings", help="Print all settings as TOML and stop.")
    ] = False,
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Train networks of which a proportion P is trainable, and measure their errors.

    E is the squared error at fresh points over that of the zero function, with the readout solved
    again. A run that was stopped goes on with the same command. Exit status: 0 done, 1 no network
    trained, 2 bad usage.

    \f

    Examples
    --------
    The settings a run starts from:

    >>> from typer.testing import CliRunner
    >>> from validation.cli.main import app
    >>> answer = CliRunner().invoke(app, ["train", "--settings"])
    >>> answer.output.splitlines()[:3]
    ['d = 3', 'width = 64', 'layers = [2]']
    """  # noqa: D301 (\f ends what --help shows)
    from validation.training.settings import PRESETS, as_toml

    figure = arguments.figure_file(plot)
    start = PRESETS[arguments.choice("--preset", preset, sorted(PRESETS))]
    wanted = arguments.checked(lambda: _settings(settings, start))
    if show:
        typer.echo(as_toml(wanted), nl=False)
        return
    from validation.training.extra import MISSING, available

    if not available():
        raise typer.BadParameter(MISSING)
    folder = arguments.output_directory("--out", out)
    curves = _run(wanted, folder)
    _report(wanted, curves, folder, as_json, figure)
    if all(bool(part.failures) and len(part.failures) == part.errors.size for part in curves):
        raise typer.Exit(FAILED)


def _settings(file: Path | None, start: TrainingSettings) -> TrainingSettings:
    from validation.settings import given
    from validation.training.settings import TrainingSettings

    return TrainingSettings.from_mapping(start.as_dict() | given(file))


def _run(settings: TrainingSettings, folder: Path) -> list[Curves]:
    from validation.training.bar import TrainingBar
    from validation.training.checkpoint import CheckpointError
    from validation.training.experiment import run_experiment

    try:
        with TrainingBar() as progress:
            return run_experiment(settings, folder=folder, progress=progress)
    except (CheckpointError, MemoryError) as error:
        raise typer.BadParameter(str(error)) from None
    except KeyboardInterrupt:
        typer.echo("kernelspec: stopped; the same command goes on from here", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _report(
    settings: TrainingSettings, curves: list[Curves], folder: Path, shown: bool, figure: Path | None
) -> None:
    from kernelspec import BiasedReLU
    from validation.cli.output import Answer, print_answer
    from validation.files import write_whole
    from validation.results import as_json
    from validation.training.figures import save_figure
    from validation.training.report import document, leverage_ridge, remarks, table_rows
    from validation.training.settings import as_toml

    model = BiasedReLU(settings.d, settings.order)
    lam = leverage_ridge(model, settings.width)
    text = as_json(document(settings, curves))
    write_whole(folder / "results.json", text + "\n")
    write_whole(folder / "settings.toml", as_toml(settings))
    if figure is not None:
        save_figure(curves, model, lam, figure)
    if shown:
        typer.echo(text)
        return
    given = {"d": settings.d, "width": settings.width, "seeds": settings.seeds}
    lines = remarks(curves, model, lam)
    print_answer(Answer("train", given, COLUMNS, table_rows(curves), remarks=lines))
    typer.echo(f"written: {folder / 'results.json'}, {folder / 'settings.toml'}")
    if figure is not None:
        typer.echo(f"figure: {figure}")

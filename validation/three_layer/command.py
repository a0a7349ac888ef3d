"""`kernelspec three-layer`: trained first-layer neurons before fixed blocks, from flags or TOML.

Heavy imports wait until the command runs, so that `--help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from validation.cli import arguments, options

if TYPE_CHECKING:
    from validation.cli.output import Answer
    from validation.three_layer.measuring import Cliff, Rate
    from validation.three_layer.settings import ThreeLayerSettings

__all__ = ["three_layer"]

Flag = str | None


def three_layer(
    settings: Annotated[
        Path | None,
        typer.Argument(
            help="A TOML file with the names of the settings, such as pieces = [8, 16]. "
            "Flags that are given as well count before it.",
            show_default=False,
        ),
    ] = None,
    d: Annotated[Flag, typer.Option("--d", help="Ambient dimension, 3 to 1000; 10.")] = None,
    r: Annotated[
        Flag, typer.Option("--r", help="Ridges of the target and first-layer neurons, below d; 4.")
    ] = None,
    pieces: Annotated[
        Flag, typer.Option("--pieces", help="Neurons M of a block, comma-separated; 4 to 64.")
    ] = None,
    cliff_pieces: Annotated[
        Flag, typer.Option("--cliff-pieces", help="M where the trained number varies; 32.")
    ] = None,
    frequency: Annotated[
        Flag, typer.Option("--frequency", help="Frequency of the target's waves, up to 6; 2.")
    ] = None,
    targets: Annotated[Flag, typer.Option("--targets", help="Targets drawn; 5.")] = None,
    samples: Annotated[
        Flag, typer.Option("--samples", help="Inputs that directions are learned from; 2000.")
    ] = None,
    starts: Annotated[
        Flag, typer.Option("--starts", help="Screened starts for each new neuron; 2.")
    ] = None,
    random_starts: Annotated[
        Flag,
        typer.Option("--random-starts", help="Descents from random directions, a target; 8."),
    ] = None,
    seed: Annotated[Flag, typer.Option("--seed", help="Seed of everything drawn; 0.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, settings included, instead of tables.")
    ] = False,
    plot: options.Plot = None,
) -> None:
    """Set a few trained first-layer neurons against random features of the same size.

    The target is a sum of r ridge functions. Behind each of r first-layer neurons stands the same
    fixed block of M second-layer neurons; k of the r are trained.

    \f

    Examples
    --------
    >>> from typer.testing import CliRunner
    >>> from validation.cli.main import app
    >>> answer = CliRunner().invoke(app, ["three-layer", "--d", "2"])
    >>> answer.exit_code, answer.output.strip()
    (2, 'kernelspec: d = 2 is not allowed: an integer from 3 to 1000')
    """  # noqa: D301 (\f ends what --help shows)
    flags = {
        "d": d, "r": r, "pieces": pieces, "cliff_pieces": cliff_pieces, "frequency": frequency,
        "targets": targets, "samples": samples, "starts": starts, "random_starts": random_starts,
        "seed": seed,
    }  # fmt: skip
    wanted = arguments.checked(lambda: _settings(settings, flags))
    figure = arguments.figure_file(plot)

    from validation.three_layer.measuring import measure_cliff, measure_rate

    try:
        cliff = measure_cliff(wanted)
        full, fewer = measure_rate(wanted), measure_rate(wanted, wanted.r - 1)
    except MemoryError as error:
        raise typer.BadParameter(str(error)) from None
    _print(_cliff_answer(wanted, cliff), _rate_answer(wanted, full, fewer), wanted, as_json)
    if figure is not None:
        from validation.three_layer.figures import save_figure

        save_figure(wanted, cliff, full, fewer, figure)
        if not as_json:
            typer.echo(f"figure: {figure}")


def _settings(file: Path | None, flags: dict[str, Flag]) -> ThreeLayerSettings:
    from validation.settings import given
    from validation.three_layer.settings import ThreeLayerSettings

    return ThreeLayerSettings.from_mapping(given(file, flags, ["pieces"]))


def _cliff_answer(settings: ThreeLayerSettings, cliff: Cliff) -> Answer:
    """Tabulate errors by the number of trained neurons, means over the targets."""
    import numpy as np

    from validation.cli.output import Answer

    learned, oracle, floor = (x.mean(axis=0) for x in (cliff.learned, cliff.oracle, cliff.floor))
    rows = [
        {
            "trained": k,
            "learned_squared": float(learned[k]),
            "learned": float(np.sqrt(learned[k])),
            "oracle_squared": float(oracle[k]),
            "oracle": float(np.sqrt(oracle[k])),
            "floor_squared": float(floor[k]) if k < settings.r else 0.0,
        }
        for k in range(settings.r + 1)
    ]
    size = settings.r * (cliff.M + 1)
    summary: dict[str, Any] = {
        "neurons": size,
        "random_features_squared": float(cliff.random_features.mean()),
        "fixed_features_floor_squared": float(cliff.fixed_floor.mean()),
        "predicted_squared": float(cliff.predicted.mean()),
        "bound_squared": float(cliff.bound.mean()),
    }
    remarks = [
        "errors relative to the norm of the target, squared errors to its square; means over "
        "targets of the squared errors, and their roots",
        f"two-layer random features, {size} neurons: squared "
        f"{summary['random_features_squared']:.4g}; no {size} features fixed in advance, with a "
        f"constant, do better than {summary['fixed_features_floor_squared']:.4g} on average",
    ]
    if settings.random_starts:
        summary["random_start_success"] = cliff.success
        remarks.append(
            f"without screening, {100 * cliff.success:.0f} % of {cliff.random_starts.size} random "
            "starts end within twice the error of the known directions, unsquared"
        )
    columns = {
        "trained": "trained",
        "learned_squared": "learned, squared",
        "learned": "learned",
        "oracle_squared": "known, squared",
        "oracle": "known",
        "floor_squared": "floor, squared",
    }
    return Answer("three-layer", settings.as_dict(), columns, rows, summary, remarks)


def _rate_answer(settings: ThreeLayerSettings, full: Rate, fewer: Rate) -> Answer:
    """Tabulate errors by the number of pieces, means over the targets."""
    from validation.cli.output import Answer

    rows = [
        {
            "M": int(M),
            "h": float(full.spacing[j]),
            "squared": float(full.error[:, j].mean()),
            "predicted_squared": float(full.predicted[:, j].mean()),
            "ratio": float((full.error[:, j] / full.predicted[:, j]).mean()),
            "bound_squared": float(full.bound[:, j].mean()),
            "fewer_squared": float(fewer.error[:, j].mean()),
        }
        for j, M in enumerate(full.pieces)
    ]
    columns = {
        "M": "M",
        "h": "h",
        "squared": f"{settings.r} trained, squared",
        "predicted_squared": "h^4 law",
        "ratio": "ratio",
        "bound_squared": "proven bound",
        "fewer_squared": f"{settings.r - 1} trained, squared",
    }
    remarks = ["directions known; ratio: squared error over (h^4/720) sum_i E G_i''^2, 1 as h -> 0"]
    return Answer("error against M", {}, columns, rows, remarks=remarks)


def _print(cliff: Answer, rate: Answer, settings: ThreeLayerSettings, as_json: bool) -> None:
    from validation.cli.output import print_answer

    if not as_json:
        print_answer(cliff)
        typer.echo()
        print_answer(rate)
        return
    from validation.results import as_json as text

    data = {
        "command": "three-layer",
        "parameters": settings.as_dict(),
        "rows": list(cliff.rows),
        "rate": list(rate.rows),
        "summary": dict(cliff.summary),
    }
    typer.echo(text(data))

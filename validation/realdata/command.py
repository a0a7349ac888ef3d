"""`kernelspec real-data`: worked examples on data sets at hand.

Heavy imports wait until the command runs, so that `--help` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from validation.cli import arguments, options

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from validation.realdata.experiment import Example

__all__ = ["real_data"]

_TABLE = {
    "data": "data",
    "alpha": "alpha",
    "initial": "initial",
    "kappa0": "kappa_0",
    "P": "P",
    "target": "fitted",
    "gain": "E(0)/E(1)",
    "cost": "E(P)/E(1)",
    "range": "95 %",
    "verdict": "plan",
}


def real_data(
    dataset: Annotated[
        str, typer.Option("--dataset", help="Some of digits, diabetes, breast-cancer.")
    ] = "digits,diabetes,breast-cancer",
    m: Annotated[str, typer.Option("--m", help="Width of the fitted networks.")] = "128",
    seeds: Annotated[str, typer.Option("--seeds", help="Seeds, >= 2.")] = "8",
    seed: Annotated[str, typer.Option("--seed", help="First seed.")] = "0",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Plan on real data, and fit what was planned.

    For each data set, raw and on the sphere: alpha, kappa_0 of three initialisations, the share P
    to train for at most twice the error of full training, and held-out errors of ridge fits
    with that share of leverage-sampled neurons.

    \f

    Examples
    --------
    >>> from typer.testing import CliRunner
    >>> from validation.cli.main import app
    >>> answer = CliRunner().invoke(app, ["real-data", "--dataset", "iris"])
    >>> answer.exit_code, answer.output.strip()
    (2, "kernelspec: --dataset = 'iris' is not allowed: one of digits, diabetes, breast-cancer")
    """  # noqa: D301 (\f ends what --help shows)
    from validation.data import bundled_names

    known = bundled_names()
    names = [arguments.choice("--dataset", x, known) for x in arguments.words("--dataset", dataset)]
    width = arguments.whole_number("--m", m, 2)
    repeats = arguments.whole_number("--seeds", seeds, 2)
    first = arguments.whole_number("--seed", seed, 0)
    figure = arguments.figure_file(plot)

    from validation.cli.output import Answer, save_figure
    from validation.cli.output import print_answer as show
    from validation.cli.output import print_json as show_json
    from validation.realdata.experiment import examples
    from validation.realdata.figure import draw_examples

    found = [x for group in examples(names, m=width, seeds=repeats, seed=first) for x in group]
    counts = {v: sum(x.verdict == v for x in found) for v in sorted({x.verdict for x in found})}
    answer = Answer(
        "real-data",
        {"m": width, "seeds": repeats, "seed": first},
        _TABLE,
        [_row(x) for x in found],
        {"verdicts": counts},
        [
            "P: share to train for at most twice the error of full training, by (kappa_P/m)^alpha",
            "E: held-out error of ridge fits, leverage-sampled neurons standing for trained ones; "
            "labels as they are, or a smooth function of the RKHS without noise",
            "idle: it held, but the initialisation alone stays within the factor 2 as well",
            ", ".join(f"{count} {verdict}" for verdict, count in counts.items()),
        ],
    )
    if figure is not None:

        def draw(ax: Axes) -> None:
            if sheet := ax.get_figure(root=True):
                sheet.set_size_inches(7.0, 1.2 + 0.15 * len(found))
            draw_examples(ax, found, title=f"Plans on real data, width {width}")

        save_figure(figure, draw)
    if as_json:
        show_json(answer)
        return
    show(answer)
    if figure is not None:
        typer.echo(f"figure: {figure}")


def _row(x: Example) -> dict[str, Any]:
    def short(value: float) -> float:
        return float(f"{value:.3g}")

    return {
        "data": x.data,
        "alpha": short(x.alpha),
        "initial": x.initial,
        "kappa0": float(f"{x.kappa0:.2g}"),
        "P": float(f"{x.P:.2g}"),
        "target": x.target,
        "gain": short(x.gain.value),
        "cost": short(x.cost.value),
        "range": f"{x.cost.low:.2g} to {x.cost.high:.2g}",
        "verdict": x.verdict,
        "n": x.n,
        "d": x.d,
        "alpha_low": x.low,
        "alpha_high": x.high,
        "decay": x.decay,
        "mismatch": x.mismatch,
        "errors": x.errors,
        "gain_low": x.gain.low,
        "gain_high": x.gain.high,
    }

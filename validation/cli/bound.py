"""`kernelspec bound`: rate and explicit bound against the width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTHS = "256,1024,4096,16384,65536"


@app.command()
def bound(
    d: options.Dimension = "5",
    tau: options.Tau = "10",
    m: Annotated[str, typer.Option("--m", help="Widths, comma-separated.")] = _WIDTHS,
    P: Annotated[
        str, typer.Option("--P", help="Trainable proportions, comma-separated, 0 to 1.")
    ] = "0,0.041,1",
    delta: Annotated[
        str, typer.Option("--delta", help="Probability of failure, between 0 and 1.")
    ] = "0.05",
    constant: options.Constant = "theorem",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Print bounds on the error of m neurons."""
    dimension = arguments.dimension(d)
    scale = arguments.positive("--tau", tau)
    widths = sorted(arguments.integers("--m", m, 1))
    proportions = arguments.reals("--P", P, 0.0, 1.0)
    failure = arguments.open_unit("--delta", delta)
    kind = arguments.choice("--constant", constant, options.CONSTANTS)
    figure = arguments.figure_file(plot)

    import numpy as np

    import kernelspec
    from validation.cli.constants import best_possible, initial_mismatch

    model = kernelspec.BiasedReLU(dimension)
    kappa0 = arguments.checked(lambda: initial_mismatch(model, scale, kind))
    alpha = model.decay_exponent
    floor = best_possible(model, widths)
    rows = []
    for proportion in proportions:
        kappa = float(kernelspec.mixture_mismatch(proportion, kappa0))
        rate = kernelspec.rate_bound(widths, kappa, alpha, failure)
        explicit = kernelspec.explicit_bound(model, widths, kappa, failure)
        rows += [
            {"P": proportion, "m": width, "kappa": kappa, "rate": r, "explicit": e, "floor": f}
            for width, r, e, f in zip(
                widths, np.ravel(rate).tolist(), np.ravel(explicit).tolist(), floor, strict=True
            )
        ]
    answer = Answer(
        "bound",
        {"d": dimension, "tau": scale, "delta": failure, "constant": kind, "kappa0": kappa0},
        {"P": "P", "m": "m", "kappa": "kappa_P", "rate": "rate", "explicit": "explicit bound"}
        | {"floor": "best of any m features"},
        rows,
        {"alpha": alpha},
        [
            f"rate: (kappa_P log(m/delta)/m)^alpha, alpha = {alpha:.6g}, without its constant",
            "explicit bound: the squared L2 error over the unit ball with probability >= 1 - delta",
            f"an explicit bound above mu_0 = {float(model.eigenvalues(0)[0]):.4g} says nothing",
        ],
    )

    def draw(ax: Axes) -> None:
        from kernelspec.plotting import draw_error_bounds

        fine = np.unique(np.geomspace(widths[0], widths[-1], 40).round().astype(int))
        curves = {
            f"explicit bound, $P={proportion:g}$": np.asarray(
                kernelspec.explicit_bound(
                    model, fine, kernelspec.mixture_mismatch(proportion, kappa0), failure
                )
            )
            for proportion in proportions
        }
        curves["best of any $m$ features"] = np.array(best_possible(model, fine.tolist()))
        title = rf"$d={dimension}$, $\tau={scale:g}$, $\kappa_0={kappa0:.4g}$, $\delta={failure:g}$"
        draw_error_bounds(ax, fine, curves, title=title)

    give(answer, as_json, figure, draw)

"""`kernelspec leverage`: ridge leverage against the height of a neuron."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHTS = "-0.75,-0.5,-0.25,0,0.25,0.5,0.75,1"


@app.command()
def leverage(
    d: options.Dimension = "5",
    lam: options.Ridges = "1e-2,1e-4,1e-6",
    b: Annotated[str, typer.Option("--b", help="Heights, comma-separated, -1 to 1.")] = _HEIGHTS,
    order: options.Order = "1",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Print ridge leverage by height."""
    dimension = arguments.dimension(d)
    s = arguments.whole_number("--order", order, 0, 5)
    ridges = arguments.numbers("--lam", lam)
    heights = arguments.reals("--b", b, -1.0, 1.0)
    figure = arguments.figure_file(plot)

    import numpy as np

    from kernelspec import BiasedReLU

    model = BiasedReLU(dimension, s)
    arguments.checked(lambda: model.degrees_of_freedom(np.array(ridges)))
    dof = [float(model.degrees_of_freedom(ridge)) for ridge in ridges]
    rows = [
        {"lam": ridge, "dof": n, "b": height, "leverage": value, "ratio": value / n}
        for ridge, n in zip(ridges, dof, strict=True)
        for height, value in zip(heights, model.leverage(heights, ridge).tolist(), strict=True)
    ]
    answer = Answer(
        "leverage",
        {"d": dimension, "order": s, "lam": ridges, "b": heights},
        {"lam": "lambda", "b": "b", "leverage": "l", "ratio": "l/N", "dof": "N(lambda)"},
        rows,
        {},
        ["l/N is the density of leverage sampling relative to the uniform law: its mean is 1"],
    )

    def draw(ax: Axes) -> None:
        from kernelspec.plotting import draw_leverage

        fine = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 801))
        curves = [model.leverage(fine, r) / n for r, n in zip(ridges, dof, strict=True)]
        draw_leverage(ax, fine, curves, ridges, d=dimension, order=s)

    give(answer, as_json, figure, draw)

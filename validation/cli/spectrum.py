"""`kernelspec spectrum`: eigenvalues, multiplicities and decay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@app.command()
def spectrum(
    d: options.Dimension = "5",
    order: options.Order = "1",
    degrees: Annotated[str, typer.Option("--degrees", help="Largest degree K, >= 0.")] = "20",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Print Mercer eigenvalues by degree."""
    dimension = arguments.dimension(d)
    s = arguments.whole_number("--order", order, 0, 5)
    K = arguments.whole_number("--degrees", degrees, 0, 10**6)
    figure = arguments.figure_file(plot)

    import numpy as np

    from kernelspec import BiasedReLU, multiplicity

    model = BiasedReLU(dimension, s)
    k = np.arange(K + 1)
    mu, count = model.eigenvalues(K), multiplicity(dimension, k)
    with np.errstate(over="ignore", invalid="ignore"):
        weight = mu * count
    trace, alpha, constant = (
        float(model.kernel(1.0)),
        model.decay_exponent,
        model.eigenvalue_constant,
    )
    held = float(np.sum(weight)) / trace
    rows = [
        {"k": int(k[i]), "N": float(count[i]), "mu": float(mu[i]), "weight": float(weight[i])}
        for i in k
    ]
    answer = Answer(
        "spectrum",
        {"d": dimension, "order": s, "degrees": K},
        {"k": "k", "N": "N_k", "mu": "mu_k", "weight": "N_k mu_k"},
        rows,
        {"trace": trace, "alpha": alpha, "eigenvalue_constant": constant},
        [
            f"K(1) = {trace:.8g}, of which degrees 0 to {K} hold {100 * held:.6g} %",
            f"sorted eigenvalues decay as j^-alpha, alpha = {alpha:.6g}",
            f"mu_k ~ A_d (k + {(dimension - 2) / 2:g})^-{dimension + 2 * s}, A_d = {constant:.8g}",
        ],
    )

    def draw(ax: Axes) -> None:
        from kernelspec.plotting import draw_spectrum

        draw_spectrum(ax, k, mu, d=dimension, order=s, constant=constant)

    give(answer, as_json, figure, draw)

"""`kernelspec proportion`: how many neurons to train for a wanted share of the gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@app.command()
def proportion(
    d: options.Dimension = "5",
    tau: options.Taus = "10",
    share: Annotated[
        str, typer.Option("--share", help="Wanted shares of the reduction, comma-separated.")
    ] = "0.5,0.9,0.99",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Print the P that gains a wanted share."""
    dimension = arguments.dimension(d)
    scales = arguments.numbers("--tau", tau)
    shares = arguments.reals("--share", share, 0.0, 1.0)
    figure = arguments.figure_file(plot)

    import numpy as np

    import kernelspec
    from validation.cli.constants import initial_mismatch

    model = kernelspec.BiasedReLU(dimension)
    alpha = model.decay_exponent
    names = {"theorem": "theorem's constant", "limit": "limit as lambda -> 0"}
    kappas = arguments.checked(
        lambda: {(t, c): initial_mismatch(model, t, c) for t in scales for c in names}
    )
    rows = [
        {
            "tau": scale,
            "constant": names[kind],
            "kappa0": kappa0,
            "share": wanted,
            "P": float(kernelspec.trainable_proportion(wanted, alpha, kappa0)),
        }
        for (scale, kind), kappa0 in kappas.items()
        for wanted in shares
    ]
    answer = Answer(
        "proportion",
        {"d": dimension, "tau": scales, "share": shares},
        {"tau": "tau", "constant": "kappa_0 from", "kappa0": "kappa_0", "share": "share", "P": "P"},
        rows,
        {"alpha": alpha},
        ["share of the reduction of kappa_P^alpha from P = 0 to P = 1, with kappa_1 = 1"],
    )

    def draw(ax: Axes) -> None:
        from kernelspec.plotting import draw_captured_share

        P = np.concatenate([np.linspace(0, 0.1, 200), np.linspace(0.1, 1, 200)[1:]])
        wanted = shares[len(shares) // 2]
        origin = {"theorem": "theorem's constant", "limit": r"limit $\lambda\to 0$"}
        curves = {
            rf"$\tau={t:g}$, {origin[c]}: $\kappa_0={kappa0:.4g}$": np.asarray(
                kernelspec.captured_fraction(P, alpha, kappa0)
            )
            for (t, c), kappa0 in kappas.items()
        }
        at = [float(kernelspec.trainable_proportion(wanted, alpha, k)) for k in kappas.values()]
        title = rf"Gain from training a proportion $P$, $d={dimension}$, $\alpha={alpha:.4g}$"
        draw_captured_share(ax, P, curves, title=title, wanted=wanted, at=at)

    give(answer, as_json, figure, draw)

"""`kernelspec mismatch`: kappa(lambda; q_tau), its limit and its supremum."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RIDGES = "1e-8,1e-7,1e-6,1e-5,1e-4,1e-3,1e-2,1e-1,1"


@app.command()
def mismatch(
    d: options.Dimension = "5",
    tau: options.Taus = "1,10",
    lam: options.Ridges = _RIDGES,
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Print the initialisation's mismatch by ridge."""
    dimension = arguments.dimension(d)
    taus = arguments.numbers("--tau", tau)
    ridges = sorted(arguments.numbers("--lam", lam))
    figure = arguments.figure_file(plot)

    import numpy as np

    import kernelspec

    model = kernelspec.BiasedReLU(dimension)
    arguments.checked(lambda: model.degrees_of_freedom(np.array(ridges)))
    rows: list[dict[str, Any]] = []
    summary: dict[str, Any] = {}
    remarks: list[str] = []
    for scale in taus:
        law = kernelspec.GaussianInit(dimension, scale)
        found = kernelspec.mismatch(model, law, np.array(ridges))
        constant = float(kernelspec.theorem_kappa0(dimension, scale))
        rows += [
            {
                "tau": scale,
                "lam": r,
                "dof": n,
                "kappa": kappa,
                "b": b,
                "holds": _yes(kappa, constant),
            }
            for r, n, kappa, b in zip(
                ridges,
                *(np.asarray(x).tolist() for x in (found.dof, found.kappa, found.b)),
                strict=True,
            )
        ]
        limit = float(kernelspec.limiting_mismatch(model, law).kappa)
        worst = float(kernelspec.worst_mismatch(model, law).kappa)
        edge = float(kernelspec.holds_below(model, law, constant))
        summary[f"tau={scale:g}"] = {
            "theorem_constant": constant,
            "limit": limit,
            "supremum": worst,
            "theorem_holds_below": edge,
        }
        remarks.append(
            f"tau = {scale:g}: limit {limit:.6g}, supremum over all ridges {worst:.6g}, "
            f"theorem's constant {constant:.6g} {_extent(edge)}"
            + ("" if scale >= 1 else " (the theorem states it for tau >= 1 only)")
        )
    answer = Answer(
        "mismatch",
        {"d": dimension, "tau": taus, "lam": ridges},
        {"tau": "tau", "lam": "lambda", "dof": "N(lambda)", "kappa": "kappa", "b": "at b"}
        | {"holds": "<= theorem's"},
        rows,
        summary,
        remarks,
    )

    def draw(ax: Axes) -> None:
        from kernelspec.plotting import draw_mismatch

        fine = np.geomspace(min(ridges), max(ridges), 161)
        stated = summary.values()
        curves = [
            np.asarray(
                kernelspec.mismatch(model, kernelspec.GaussianInit(dimension, t), fine).kappa
            )
            for t in taus
        ]
        draw_mismatch(
            ax,
            fine,
            curves,
            taus,
            d=dimension,
            limits=[s["limit"] for s in stated],
            holds_below=[s["theorem_holds_below"] for s in stated],
        )

    give(answer, as_json, figure, draw)


def _yes(kappa: float, constant: float) -> str:
    return "yes" if kappa <= constant else "no"


def _extent(edge: float) -> str:
    if math.isinf(edge):
        return "holds for all of them"
    return f"holds for lambda <= {edge:.6g}" if edge > 0 else "holds for none of them"

"""`kernelspec plan`: how many neurons to train, how wide, and in which layers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kernelspec.planning import Costs, ErrorModel, Goal, SideBySide

_POINTS = 50
_SYMBOLS = {"d": "$d$", "tau": r"$\tau$", "alpha": r"$\alpha$", "kappa0": r"$\kappa_0$"}
_RESOURCES = ("memory", "time", "trainable")
_OPTIMISERS = ("sgd", "momentum", "adam")
_NOT_WITH_WEIGHTS = ("m", "share", "factor", "within", "error", "delta", "initial")
Optional = str | None


@app.command()
def plan(
    context: typer.Context,
    file: options.Points = None,
    d: Annotated[Optional, typer.Option("--d", help="Ambient dimension, 2 to 1000 (5).")] = None,
    tau: Annotated[Optional, typer.Option("--tau", help="Scale of initial biases (10).")] = None,
    alpha: Annotated[Optional, typer.Option("--alpha", help="Exponent of the decay.")] = None,
    kappa0: Annotated[Optional, typer.Option("--kappa0", help="Mismatch, >= 1 or inf.")] = None,
    dataset: options.Dataset = None,
    sphere: options.Sphere = False,
    key: options.Key = None,
    initial: Annotated[
        str, typer.Option("--initial", help="Initialisation on data, as for `empirical`.")
    ] = "pytorch",
    weights: Annotated[
        Optional, typer.Option("--weights", help="Network and batch, NPZ: W0, b0, W1, ..., X.")
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", help="With --weights: part of the cost of training all.")
    ] = "0.1",
    m: Annotated[str, typer.Option("--m", help="Width.")] = "1024",
    share: Annotated[
        Optional, typer.Option("--share", help="Goal: share of the reduction (0.9).")
    ] = None,
    factor: Annotated[
        Optional, typer.Option("--factor", help="Goal: so many times below no training.")
    ] = None,
    within: Annotated[
        Optional, typer.Option("--within", help="Goal: at most so many times full training.")
    ] = None,
    error: Annotated[Optional, typer.Option("--error", help="Goal: squared error.")] = None,
    cost: Annotated[
        str,
        typer.Option("--cost", help="memory, time, trainable, or costs TRAINED,FIXED of a neuron."),
    ] = "memory",
    optimiser: Annotated[str, typer.Option("--optimiser", help="sgd, momentum or adam.")] = "adam",
    delta: Annotated[str, typer.Option("--delta", help="Probability of failure.")] = "0.05",
    seed: Annotated[str, typer.Option("--seed", help="Seed, for data.")] = "0",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Print how many neurons to train for a goal, and the cheapest network.

    Works from --d and --tau, from --alpha and --kappa0, on points (FILE or --dataset), or on a
    network (--weights).
    """
    sources = {
        "FILE": file,
        "--dataset": dataset,
        "--weights": weights,
        "--alpha or --kappa0": alpha or kappa0,
        "--d or --tau": d or tau,
    }
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise typer.BadParameter(f"{' and '.join(given)} are not allowed together: one source")
    if file is None and dataset is None and (sphere or key is not None):
        raise typer.BadParameter("--sphere and --key need points: a FILE or --dataset")
    if weights is not None:
        arguments.unused(context, _NOT_WITH_WEIGHTS, "with --weights")
    else:
        arguments.unused(context, ("budget",), "without --weights")
    if file is None and dataset is None:
        arguments.unused(context, ("initial",), "without points: a FILE or --dataset")
    optimiser = arguments.choice("--optimiser", optimiser, _OPTIMISERS)
    if cost != "memory":
        arguments.unused(context, ("optimiser",), f"with --cost {cost}: only memory depends on it")
    figure = arguments.figure_file(plot)
    if weights is not None:
        resource = arguments.choice("--cost", cost, _RESOURCES)
        from validation.realdata.network import plan_network

        part = arguments.real("--budget", budget, 0.0, 1.0)
        answer, draw = arguments.checked(lambda: plan_network(weights, part, resource, optimiser))
        give(answer, as_json, figure, draw)
        return
    width = arguments.whole_number("--m", m, 1)
    failure = arguments.open_unit("--delta", delta)
    start = arguments.whole_number("--seed", seed, 0)
    goal = _goal(share, factor, within, error)
    prices = _given_costs(cost)
    if alpha is not None or kappa0 is not None:
        inputs, models, facts, remarks = _given(alpha, kappa0, failure)
    elif file is not None or dataset is not None:
        from kernelspec._checks import MAX_DIMENSION
        from kernelspec.empirical import named_law
        from validation.data import load
        from validation.realdata.examples import data_models

        data = arguments.checked(lambda: load(file, dataset, sphere=sphere, key=key, min_rows=100))
        inputs = data.X.shape[1]
        if not 2 <= inputs <= MAX_DIMENSION:
            raise typer.BadParameter(
                f"{data.name!r} holds points of dimension {inputs}: 2 to {MAX_DIMENSION} are needed"
            )
        arguments.checked(lambda: named_law(initial, inputs, "--initial"))
        models, facts, remarks = arguments.checked(
            lambda: data_models(data, initial, failure, start)
        )
    else:
        inputs, models, facts, remarks = _sphere(d or "5", tau or "10", failure)
    prices = prices or _neuron_costs(cost, inputs, optimiser)

    from kernelspec.planning import side_by_side

    rows = arguments.checked(lambda: side_by_side(models, width, goal, prices))
    asked = {name: value for name, value in vars(goal).items() if value is not None}
    answer = Answer(
        "plan",
        facts | {"m": width} | asked | {"trained_cost": prices.trained, "fixed_cost": prices.fixed},
        {
            "basis": "rests on",
            "kappa0": "kappa_0",
            "trained": "train",
            "P": "P",
            "share": "share",
            "next": "+1 %",
            "m": "best m",
            "best": "train",
            "cost": "cost",
            "saved": "ratio",
        },
        [_row(row, width, prices) for row in rows],
        {"plans": {row.model.basis: _full(row) for row in rows}},
        [*_explain(rows, prices, cost), *remarks],
    )
    if not as_json:
        short = [{name: _narrow(x) for name, x in row.items()} for row in answer.rows]
        answer = replace(answer, rows=short)
    give(answer, as_json, figure, lambda ax: _draw(ax, rows, width, facts, asked))


def _goal(share: Optional, factor: Optional, within: Optional, error: Optional) -> Goal:
    from kernelspec.planning import Goal

    named = {"share": share, "factor": factor, "within": within, "error": error}
    given = {name: text for name, text in named.items() if text is not None} or {"share": "0.9"}
    if len(given) > 1:
        names = " and ".join(f"--{name}" for name in given)
        raise typer.BadParameter(f"{names} are not allowed together: one goal")
    ((name, text),) = given.items()
    if name == "share":
        return Goal(share=arguments.real("--share", text, 0.0, 1.0))
    value = arguments.positive(f"--{name}", text)
    try:
        return Goal(**{name: value})
    except ValueError as problem:
        raise typer.BadParameter(f"--{problem}") from None


def _given_costs(text: str) -> Costs | None:
    """Read TRAINED,FIXED, or None where a resource is named instead."""
    if text in _RESOURCES:
        return None

    from kernelspec.planning import Costs

    try:
        trained, fixed = (float(part) for part in text.split(","))
        return Costs(trained, fixed)
    except ValueError:
        words = ", ".join(_RESOURCES)
        raise typer.BadParameter(
            f"--cost = {text!r} is not allowed: {words}, or costs TRAINED,FIXED of a neuron, "
            "0 < FIXED <= TRAINED"
        ) from None


def _neuron_costs(resource: str, d: int, optimiser: str) -> Costs:
    from kernelspec.planning import neuron_costs

    return neuron_costs(d, resource, optimiser=optimiser)


Source = tuple[int, "tuple[ErrorModel, ...]", dict[str, Any], list[str]]


def _given(alpha: Optional, kappa0: Optional, delta: float) -> Source:
    if alpha is None or kappa0 is None:
        raise typer.BadParameter("--alpha and --kappa0 are needed together")
    exponent = arguments.positive("--alpha", alpha)
    mismatch = arguments.real("--kappa0", kappa0, 1.0, float("inf"))

    from kernelspec.planning import RateModel

    model = RateModel("rate, kappa_0 as given", mismatch, delta=delta, alpha=exponent)
    return 5, (model,), {"alpha": exponent, "kappa0": mismatch}, []


def _sphere(d: str, tau: str, delta: float) -> Source:
    dimension = arguments.dimension(d)
    scale = arguments.positive("--tau", tau)

    from kernelspec import BiasedReLU
    from kernelspec.planning import spherical_models

    models = spherical_models(BiasedReLU(dimension), scale, delta=delta)
    remarks = [
        "theorem's constant: 4 sqrt(2) tau (d+1)/d, stated for tau >= 1; sharp: its limit at "
        "ridge 0, sqrt(2) tau (d+1)/d for tau >= 1",
        "measured predictor: no constant; checked on networks of d = 3 to 5 and 60 active neurons "
        "or more",
    ]
    return dimension, models, {"d": dimension, "tau": scale}, remarks


def _row(row: SideBySide, width: int, prices: Costs) -> dict[str, Any]:
    at, best = row.width, row.cheapest
    spent = None if at is None else prices.total(width, at.trained)
    return {
        "basis": row.model.basis,
        "kappa0": "none" if row.kappa0 is None else _short(row.kappa0),
        "trained": "none" if at is None else at.trained,
        "P": "none" if at is None else _short(at.P),
        "share": "none" if at is None else _short(at.share),
        "next": "none" if at is None else _short(at.next_per_cent),
        "m": "none" if best is None else best.m,
        "best": "none" if best is None else best.trained,
        "cost": "none" if best is None else best.cost,
        "saved": "none" if best is None or not spent else _short(best.cost / spent),
    }


def _narrow(x: Any) -> Any:
    """Three digits of large numbers: with more of them the table is cut off."""
    return f"{x:.3g}" if isinstance(x, (int, float)) and 1e6 <= x < float("inf") else x


def _full(row: SideBySide) -> dict[str, Any]:
    """Both plans of a row with all digits."""
    from dataclasses import asdict

    plans = {"width": row.width, "cheapest": row.cheapest}
    return {name: None if plan is None else asdict(plan) for name, plan in plans.items()}


def _short(x: float) -> float:
    return float(f"{x:.4g}")


def _explain(rows: tuple[SideBySide, ...], prices: Costs, cost: str) -> list[str]:
    lines = [
        "train, P: least number of neurons to train at width m; share: of the reduction from P = 0 "
        "to P = 1; +1 %: what one more per cent of the neurons adds to it",
        "best m: the cheapest network of any width with the same error, and how many of it to "
        f"train; ratio: its cost over that at width m; a neuron costs {prices.trained:g} trained, "
        f"{prices.fixed:g} fixed ({cost})",
    ]
    for row in rows:
        if row.cheapest is not None and row.cheapest.gap > 0:
            percent = 100 * row.cheapest.gap / row.cheapest.cost
            lines.append(f"{row.model.basis}: the search was cut short, up to {percent:.2g} % more")
            lines[-1] += " might be saved"
        if row.note:
            lines.append(f"{row.model.basis}: {row.note}")
    return lines


def _draw(
    ax: Axes,
    rows: tuple[SideBySide, ...],
    width: int,
    facts: dict[str, Any],
    asked: dict[str, Any],
) -> None:
    import numpy as np

    from kernelspec.planning import CoverageModel
    from kernelspec.plotting.planning import draw_frontiers

    frontiers: dict[str, tuple[Any, Any]] = {}
    marks = {}
    for row in rows:
        if row.cheapest is None or row.cheapest.all_trained is None:
            continue
        first, last = row.cheapest.all_trained, row.cheapest.all_fixed or 20 * width
        many = _POINTS if isinstance(row.model, CoverageModel) else 10
        widths = np.unique(np.geomspace(first, last, many).round().astype(int))
        found = [(w, row.model.least_trained(int(w), row.cheapest.target)) for w in widths]
        kept = [(w, n) for w, n in found if n is not None]
        frontiers[row.model.basis] = ([w for w, _ in kept], [n for _, n in kept])
        marks[row.model.basis] = (row.cheapest.m, row.cheapest.trained)
    if not frontiers:
        raise typer.BadParameter("--plot: no model reaches the goal, there is nothing to draw")
    words = {"share": "share of the reduction", "factor": "factor", "within": "within a factor"}
    goal = ", ".join(f"{words.get(name, name)} {value:g}" for name, value in asked.items())
    where = ", ".join(
        f"{symbol} = {facts[name]:.3g}" for name, symbol in _SYMBOLS.items() if name in facts
    )
    draw_frontiers(
        ax, frontiers, title=f"{where}: {goal} at m = {width}", cheapest=marks, width=width
    )

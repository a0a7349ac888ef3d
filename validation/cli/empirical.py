"""`kernelspec empirical`: spectrum, leverage and mismatch on points of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kernelspec.empirical import Activation, EmpiricalMismatch, NetworkLeverage, NeuronLaw
    from validation.data import Data

_SHARES: Final = (1e-1, 1e-2, 1e-3)  # of the trace of the kernel: ridges by default
_HEAD: Final = {"lam": "lambda", "dof": "N", "dof_error": "+-"}
_POOL: Final = {"kappa": "kappa", "low": "from", "high": "to", "verdict": "verdict"}
_NETWORK: Final = {"median": "median l/N", "largest": "largest l/N", "low": "mismatch >="}


@app.command()
def empirical(
    context: typer.Context,
    file: options.Points = None,
    key: options.Key = None,
    dataset: options.Dataset = None,
    sphere: options.Sphere = False,
    activation: Annotated[
        str, typer.Option("--activation", help="relu, heaviside, relu2, gelu, tanh, erf, ...")
    ] = "relu",
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            help="Law that defines the kernel: sphere, tau=T, normal=S,T, pytorch, he-pytorch, "
            "he, lecun. By default sphere, or normal=1,1 where scale matters.",
        ),
    ] = None,
    initial: Annotated[
        str | None,
        typer.Option("--initial", help="Law whose mismatch is asked for, by the same names."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", help="Instead of a law: NPZ with a layer's weight and bias."),
    ] = None,
    lam: Annotated[
        str | None,
        typer.Option("--lam", help="Ridges, comma-separated, > 0; by default shares of K's trace."),
    ] = None,
    neurons: Annotated[str, typer.Option("--neurons", help="Size of the pool.")] = "2048",
    draw: Annotated[
        str, typer.Option("--draw", help="Draw the pool from the target or the initial law.")
    ] = "target",
    seed: Annotated[str, typer.Option("--seed", help="Seed, >= 0.")] = "0",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Measure spectrum, leverage and mismatch on data."""
    size = arguments.whole_number("--neurons", neurons, 2)
    start = arguments.whole_number("--seed", seed, 0)
    source = arguments.choice("--draw", draw, ("target", "initial"))
    ridges = None if lam is None else arguments.numbers("--lam", lam)
    if weights is not None and initial is not None:
        raise typer.BadParameter(
            f"--initial = {initial!r} is not allowed: --weights stand in its place"
        )
    if weights is not None:
        arguments.unused(context, ("draw",), "with --weights: the pool is drawn from the target")
    figure = arguments.figure_file(plot)

    from kernelspec.empirical import activation as known
    from kernelspec.empirical import activation_names
    from validation.data import load

    f = known(arguments.choice("--activation", activation, activation_names()))
    data = arguments.checked(lambda: load(file, dataset, sphere=sphere, key=key, min_rows=10))
    d = data.X.shape[1]
    wanted = target or ("sphere" if f.degree is not None else "normal=1,1")
    pi = _law("--target", wanted, d)
    if ridges is None:
        ridges = _default_ridges(data, f, pi, start)
    given = {"n": len(data.X), "d": d, "neurons": size, "seed": start, "data": data.name}
    given |= {"activation": f.name, "target": wanted, "lam": ridges}
    try:
        if weights is not None:
            layer = _layer(weights, d)
            answer, paint = _network(data, layer, pi, ridges, f, size, start, given)
        else:
            given |= {"initial": initial or "pytorch", "draw": source}
            q = _law("--initial", initial or "pytorch", d)
            answer, paint = _mismatch(data, pi, q, ridges, f, size, start, source, given)
    except MemoryError as error:
        raise typer.BadParameter(str(error)) from None
    if not as_json:  # sampling errors leave no more digits
        rows = [{name: _rounded(x) for name, x in row.items()} for row in answer.rows]
        answer = replace(answer, rows=rows)
    give(answer, as_json, figure, paint)


def _rounded(x: Any) -> Any:
    return float(f"{x:.4g}") if isinstance(x, float) else x


def _law(name: str, text: str, d: int) -> NeuronLaw:
    from kernelspec.empirical import named_law

    return arguments.checked(lambda: named_law(text, d, name))


def _meaning(which: str, name: str) -> str:
    from kernelspec.empirical import named_laws

    meanings = named_laws()
    head = name.partition("=")[0]
    pattern = next(known for known in meanings if known.partition("=")[0] == head)
    return f"{which} law {name}: {meanings[pattern]}"


def _default_ridges(data: Data, f: Activation, pi: NeuronLaw, seed: int) -> list[float]:
    """Return shares of the trace of K, as a few neurons show it, to one digit."""
    import numpy as np

    from kernelspec.empirical import features
    from kernelspec.empirical.named import prepared

    law = prepared(pi, data.X.shape[1], f, "--target")
    phi = arguments.checked(lambda: features(data.X[:2000], law.sample(256, seed), f))
    trace = float(np.mean(phi**2))
    if not trace > 0:
        raise typer.BadParameter("--lam is needed: the neurons of a small sample are all inactive")
    return [float(f"{share * trace:.0e}") for share in _SHARES]


def _layer(path: str, d: int) -> Any:
    """Read the layer that takes d inputs: its matrix by its shape, its bias by length and name."""
    from kernelspec.empirical import neurons_of
    from validation.data import read_arrays
    from validation.data.prepare import in_range

    arrays = arguments.checked(lambda: read_arrays(path))
    matrices = [name for name, a in arrays.items() if a.ndim == 2 and d in a.shape]
    if len(matrices) > 1:  # a batch of inputs, which `plan` wants beside the layers, is no layer
        matrices = [name for name in matrices if name != "X"]
    matrices = [name for name in matrices if min(arrays[name].shape) > 1] or matrices
    if len(matrices) != 1:
        held = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
        raise typer.BadParameter(
            f"--weights = {path!r} is not allowed: exactly one matrix for {d} inputs, not {held}"
        )
    W = arrays[matrices[0]]
    m = W.shape[0] if W.shape[1] == d else W.shape[1]
    biases = [name for name, a in arrays.items() if a.size == m and name != matrices[0]]
    # fc1.weight goes with fc1.bias, where another layer has as many neurons
    name = matrices[0]
    biases.sort(key=lambda other: -sum(other.startswith(name[:k]) for k in range(len(name))))
    used = {other: arrays[other] for other in [name, *biases[:1]]}
    arguments.checked(
        lambda: [in_range(array, f"--weights = {path!r}: {key}") for key, array in used.items()]
    )
    if not any(array.any() for array in used.values()):
        raise typer.BadParameter(
            f"--weights = {path!r} is not allowed: at least one neuron that does not vanish"
        )
    bias = arrays[biases[0]] if biases else None
    return arguments.checked(lambda: neurons_of(W, bias, d=d))


def _split(ax: Axes) -> tuple[Axes, Axes]:
    """Two axes side by side in place of one."""
    from matplotlib.figure import Figure

    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    ax.remove()
    figure.set_size_inches(9.6, 3.9)
    left, right = figure.subplots(1, 2)
    return left, right


def _mismatch(
    data: Data,
    pi: NeuronLaw,
    q: NeuronLaw,
    ridges: Sequence[float],
    f: Activation,
    size: int,
    seed: int,
    source: str,
    given: dict[str, Any],
) -> tuple[Answer, Any]:
    import numpy as np

    from kernelspec.empirical import empirical_mismatch

    found: EmpiricalMismatch = arguments.checked(
        lambda: empirical_mismatch(
            data.X, pi, q, ridges, activation=f, neurons=size, draw=source, rng=seed
        )
    )
    rows = [
        {name: getattr(row, name) for name in (*_HEAD, *_POOL)}
        | {"searched": row.searched, "growth": row.tail.growth, "tail_index": row.tail.tail_index}
        for row in found.ridges
    ]
    remarks = [
        "kappa: largest l/(q N) over the pool; from, to: 95 % interval of the supremum",
        _meaning("target", given["target"]),
        _meaning("initial", given["initial"]),
        *data.notes,
        *[f"warning: {row.warning}" for row in found.ridges if row.warning],
    ]
    summary = {
        "effective_neurons": found.effective_size,
        "eigenvalues": found.spectrum.eigenvalues[:64].tolist(),
        "warning": found.warning,
        "notes": list(data.notes),
    }
    answer = Answer("empirical", given, _HEAD | _POOL, rows, summary, remarks)

    def paint(ax: Axes) -> None:
        from kernelspec.plotting.empirical import draw_pool_ratios, draw_pool_spectrum

        left, right = _split(ax)
        dofs = [row.dof for row in found.ridges]
        title = f"{data.name}: $n={len(data.X)}$, $d={data.X.shape[1]}$, {f.name}"
        draw_pool_spectrum(left, found.spectrum.eigenvalues, ridges, dofs, title=title)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            table = [row.leverage / (found.density * row.dof) for row in found.ridges]
        infinite = not np.all(np.isfinite(table))
        if infinite:  # the initial law never draws some neurons: show the leverage law instead
            table = [row.leverage / row.dof for row in found.ridges]
        name = (
            "Leverage law ($q$ vanishes on some neurons)"
            if infinite
            else "The pool; bars: 95 % interval of the supremum"
        )
        bounds = [] if infinite else [(row.low, row.high) for row in found.ridges]
        draw_pool_ratios(
            right, found.neurons[:, -1], np.array(table), ridges, bounds=bounds, title=name
        )

    return answer, paint


def _network(
    data: Data,
    layer: Any,
    pi: NeuronLaw,
    ridges: Sequence[float],
    f: Activation,
    size: int,
    seed: int,
    given: dict[str, Any],
) -> tuple[Answer, Any]:
    import numpy as np

    from kernelspec.empirical import network_leverage

    found: tuple[NetworkLeverage, ...] = arguments.checked(
        lambda: network_leverage(data.X, layer, pi, ridges, activation=f, neurons=size, rng=seed)
    )
    rows = [
        {
            "lam": row.lam,
            "dof": row.dof,
            "median": float(np.median(row.ratio)),
            "largest": float(row.ratio.max()),
            "low": row.mismatch_low,
            "share_wanted": row.share_wanted,
            "share_seen": row.share_seen,
        }
        for row in found
    ]
    head = {name: text for name, text in _HEAD.items() if name != "dof_error"}
    remarks = [
        "l/N of the layer's neurons: density of leverage sampling there, of mean 1 on the target",
        "mismatch >=: 95 % lower limit for the law they come from, if they are independent draws",
        *data.notes,
    ]
    given = given | {"layer": len(layer)}
    answer = Answer("empirical", given, head | _NETWORK, rows, {"notes": list(data.notes)}, remarks)

    def paint(ax: Axes) -> None:
        from kernelspec.plotting.empirical import draw_leverage_shares

        row = found[-1]
        title = f"{data.name}: $n={len(data.X)}$, {f.name}, $\\lambda={row.lam:.3g}$"
        curves = {"target law": row.pool_ratio, f"layer, {len(layer)} neurons": row.ratio}
        draw_leverage_shares(ax, curves, title=title)

    return answer, paint

"""Plan the training of a network given as arrays: which layers first, and how much of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.planning import Allocation, LayerReport, allocate, layer_reports
from validation.cli.output import Answer
from validation.data import read_arrays
from validation.data.prepare import in_range

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plan_network", "read_network"]

_TABLE = {
    "order": "order",
    "layer": "layer",
    "m": "m",
    "alpha": "alpha",
    "dof": "N",
    "kappa0": "kappa_0",
    "gain": "first gain",
    "trained": "train",
    "P": "P",
    "share": "share",
}


def read_network(path: str) -> tuple[list[Any], list[Any], Any]:
    """Read W0, b0, W1, b1, ... and X from an NPZ file.

    Matrices have shape (outputs, inputs); if only the transposed shapes fit, they are turned. A
    missing b is a layer without a bias.

    Raises
    ------
    ValueError
        In one line: an array is missing, has a name that is not expected or numbers too large, or X
        is no matrix.

    Examples
    --------
    The layers are turned where only their transposed shapes fit:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> rng = np.random.default_rng(0)
    >>> arrays = {"X": rng.random((5, 3)), "W0": rng.random((3, 4)), "W1": rng.random((4, 1))}
    >>> with TemporaryDirectory() as folder:
    ...     path = str(Path(folder) / "network.npz")
    ...     np.savez(path, **arrays)
    ...     W, b, X = read_network(path)
    >>> [matrix.shape for matrix in W], b, X.shape
    ([(4, 3), (1, 4)], [None, None], (5, 3))
    """
    arrays = read_arrays(path)
    if "X" not in arrays:
        raise ValueError(f"{path!r} holds no array 'X', the batch of inputs")
    count = 0
    while f"W{count}" in arrays:
        count += 1
    if count < 2:
        raise ValueError(
            f"{path!r} holds no array 'W{count}': a hidden layer and a readout at least"
        )
    expected = {"X", *(f"{letter}{i}" for letter in "Wb" for i in range(count))}
    if strange := sorted(set(arrays) - expected):
        raise ValueError(f"{path!r} holds {strange[0]!r}, which is not allowed: W0, b0, W1, ..., X")
    X = arrays["X"]
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"{path!r} holds X of shape {X.shape}: a matrix of shape (n, d) is needed")
    for name, array in arrays.items():
        in_range(array, f"{path!r}: {name}")
    W = [arrays[f"W{i}"] for i in range(count)]
    biases = [arrays[f"b{i}"].ravel() if f"b{i}" in arrays else None for i in range(count)]
    if all(matrix.ndim == 2 for matrix in [X, *W]):
        inputs = [X.shape[1], *(matrix.shape[0] for matrix in W)]
        turned = [X.shape[1], *(matrix.shape[1] for matrix in W)]
        as_they_are = all(w.shape[1] == n for w, n in zip(W, inputs, strict=False))
        if not as_they_are and all(w.shape[0] == n for w, n in zip(W, turned, strict=False)):
            W = [matrix.T for matrix in W]
    return W, biases, X


def plan_network(
    path: str, part: float, resource: str, optimiser: str
) -> tuple[Answer, Callable[[Axes], None]]:
    """Judge every hidden layer and share a part of the cost of training all of them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> rng = np.random.default_rng(0)
    >>> arrays = {"X": rng.standard_normal((100, 3)), "W0": rng.standard_normal((32, 3))}
    >>> arrays |= {"W1": rng.standard_normal((16, 32)) / 4, "W2": rng.standard_normal((1, 16))}
    >>> with TemporaryDirectory() as folder:
    ...     path = str(Path(folder) / "network.npz")
    ...     np.savez(path, **arrays)
    ...     answer, draw = plan_network(path, 0.5, "memory", "adam")
    >>> [(row["order"], row["layer"], row["m"]) for row in answer.rows]
    [(1, 'layer 1', 32), (2, 'layer 2', 16)]
    >>> answer.summary["cost"] <= answer.summary["budget"]
    True
    """
    W, biases, X = read_network(path)
    reports = _reports(path, W, biases, X, resource, optimiser)
    whole = sum(report.load.m * report.load.cost for report in reports)
    shared = allocate([report.load for report in reports], part * whole)
    saved = 1 - shared.remaining / shared.untrained
    answer = Answer(
        "plan",
        {"layers": len(reports), "points": X.shape[0], "budget": part},
        _TABLE,
        [_row(reports, shared, i) for i in shared.order],
        {
            "cost": shared.cost,
            "budget": shared.budget,
            "untrained": shared.untrained,
            "remaining": shared.remaining,
            "gap": shared.gap,
            "verdicts": {report.load.name: report.verdict for report in reports},
        },
        [
            "order: by first gain, the fall of (kappa_P N/m)^alpha by one unit of cost at P = 0; "
            f"the unit is one number ({resource})",
            "kappa_0: largest leverage over the mean, on the layer's own inputs, at a ridge of "
            "1e-3 times the trace; N: degrees of freedom there",
            f"{100 * part:.3g} % of the cost of training all hidden neurons lowers the sum over "
            f"layers by {100 * saved:.3g} % (the sum is a yardstick, not an error of the network)",
            *_doubts(reports),
        ],
    )
    return answer, lambda ax: _draw(ax, shared, part)


def _reports(
    path: str, W: list[Any], biases: list[Any], X: Any, resource: str, optimiser: str
) -> tuple[LayerReport, ...]:
    try:
        with np.errstate(over="raise"):
            return layer_reports(W, biases, X, resource=resource, optimiser=optimiser)
    except FloatingPointError:
        raise ValueError(f"{path!r}: the values of a layer overflow, rescale X or W") from None
    except ValueError as error:  # the library's way out is none of the command's
        raise ValueError(f"{path!r}: {str(error).removesuffix('; give alphas')}") from None


def _row(reports: tuple[LayerReport, ...], shared: Allocation, i: int) -> dict[str, Any]:
    load, trained = reports[i].load, shared.trained[i]
    P = trained / load.m
    return {
        "order": shared.order.index(i) + 1,
        "layer": load.name,
        "m": load.m,
        "alpha": _short(load.alpha),
        "dof": _short(load.dof),
        "kappa0": _short(load.kappa0),
        "gain": _short(load.first_gain),
        "trained": trained,
        "P": _short(P),
        "share": _short(load.share(P)),
        "alpha_low": reports[i].alpha_low,
        "alpha_high": reports[i].alpha_high,
        "silent": reports[i].silent,
        "lam": reports[i].lam,
    }


def _short(x: float) -> float:
    return float(f"{x:.4g}")


def _doubts(reports: tuple[LayerReport, ...]) -> list[str]:
    lines = []
    for report in reports:
        if report.verdict not in ("power law", "given"):
            lines.append(f"{report.load.name}: {report.verdict}; its alpha is a rough number")
        if report.silent:
            lines.append(f"{report.load.name}: {report.silent} neurons are silent on this batch")
    return lines


def _draw(ax: Axes, shared: Allocation, part: float) -> None:
    from kernelspec.plotting.planning import draw_marginal_gains

    P = np.linspace(0, 1, 201)
    gains = {}
    for layer in shared.layers:
        curve = layer.first_gain * (1 + P * (layer.kappa0 - 1)) ** -(layer.alpha + 1)
        gains[rf"{layer.name}: $\kappa_0={layer.kappa0:.3g}$, $\alpha={layer.alpha:.3g}$"] = curve
    title = f"Where {100 * part:.3g} % of the cost of training all neurons goes"
    draw_marginal_gains(ax, P, gains, title=title, price=shared.price, chosen=shared.P)

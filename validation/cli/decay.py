"""`kernelspec decay`: the decay exponent of a kernel on the user's data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from validation.cli import arguments, options
from validation.cli.app import app
from validation.cli.output import Answer, give

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from kernelspec.decay import DecayEstimate

    Array = NDArray[np.float64]

KERNELS: Final = ("relu", "arccos", "gaussian", "matern12", "matern32", "matern52", "linear")
WITH_LENGTH: Final = ("gaussian", "matern12", "matern32", "matern52")
CONTENTS: Final = ("points", "gram", "features", "neurons", "eigenvalues")
MOST_POINTS: Final = 4000


@app.command()
def decay(
    context: typer.Context,
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="CSV, NPY or NPZ; or use --dataset.")
    ] = None,
    content: Annotated[
        str, typer.Option("--content", help=f"What the file holds: {', '.join(CONTENTS)}.")
    ] = "points",
    eigenvalues: Annotated[
        bool, typer.Option("--eigenvalues", help="Short for --content eigenvalues.")
    ] = False,
    dataset: options.Dataset = None,
    key: options.Key = None,
    sphere: options.Sphere = False,
    kernel: Annotated[
        str, typer.Option("--kernel", help=f"Kernel of points: {', '.join(KERNELS)}.")
    ] = "relu",
    length: Annotated[
        str | None,
        typer.Option(
            "--length", help="Length scale of gaussian and matern; default: median distance."
        ),
    ] = None,
    seed: Annotated[str, typer.Option("--seed", help="Seed of the splits in halves.")] = "0",
    as_json: options.Json = False,
    plot: options.Plot = None,
) -> None:
    """Estimate how fast the eigenvalues of a kernel decay on data."""
    content = arguments.choice("--content", content, CONTENTS)
    if eigenvalues:
        if content not in ("points", "eigenvalues"):
            raise typer.BadParameter(f"--eigenvalues contradicts --content {content}")
        content = "eigenvalues"
    kernel = arguments.choice("--kernel", kernel, KERNELS)
    scale = None if length is None else arguments.positive("--length", length)
    rng = arguments.whole_number("--seed", seed, 0)
    figure = arguments.figure_file(plot)
    if content != "points":
        options_of_points = ("dataset", "sphere", "kernel", "length")
        why = f"here: such options need points, the file holds {content}"
        arguments.unused(context, options_of_points, why)
    elif length is not None and kernel not in WITH_LENGTH:
        arguments.unused(context, ("length",), f"with --kernel {kernel}, which has no length scale")

    name, notes, found = arguments.checked(
        lambda: _estimate(file, dataset, key, content, kernel, scale, sphere, rng)
    )
    if figure is not None and _drawable(found) < 2:
        raise typer.BadParameter(f"--plot: {name} has no curve to draw, it is {found.verdict}")
    row: dict[str, Any] = {
        "alpha": found.alpha,
        "low": found.low,
        "high": found.high,
        "from": found.window[0],
        "to": found.window[1],
        "decades": found.decades,
    }
    answer = Answer(
        "decay",
        {
            "source": name,
            "content": content,
            "kernel": kernel if content == "points" else None,
            "seed": rng,
        },
        {
            "alpha": "alpha",
            "low": "95 % from" if found.is_power_law else "range from",
            "high": "to",
            "from": "window N from",
            "to": "to",
            "decades": "decades",
        },
        [row],
        {
            "verdict": found.verdict,
            "method": found.method,
            "slopes": found.slopes,
            "points": found.points,
            "notes": list(notes),
        },
        [f"{name}: {found.verdict}", *notes],
    )

    if not as_json:  # the interval leaves no more digits, except for exact eigenvalues
        answer = replace(answer, rows=[{key: float(f"{x:.5g}") for key, x in row.items()}])

    def draw(ax: Axes) -> None:
        from kernelspec.plotting.decay import draw_decay

        what = f"{kernel} kernel" if content == "points" else content
        draw_decay(ax, found, title=f"{name}, {what}")

    give(answer, as_json, figure, draw)


def _drawable(found: DecayEstimate) -> int:
    import numpy as np

    return int(np.sum(np.isfinite(found.log_lambda)))


def _estimate(
    file: str | None,
    dataset: str | None,
    key: str | None,
    content: str,
    kernel: str,
    length: float | None,
    sphere: bool,
    rng: int,
) -> tuple[str, tuple[str, ...], DecayEstimate]:
    from kernelspec import decay as library
    from validation.data import load, read_matrix, read_vector
    from validation.data.prepare import in_range

    if content != "points":
        if file is None:
            raise ValueError(f"a FILE of {content} is needed")
        name = Path(file).name
        notes: list[str] = []
        if content == "eigenvalues":
            values = read_vector(file, key, notes=notes)
            return name, tuple(notes), library.estimate_decay(values)
        matrix = read_matrix(file, key, notes=notes)
        if content == "gram":
            return name, tuple(notes), library.estimate_decay_from_gram(matrix, rng=rng)
        matrix = in_range(matrix, repr(file))
        if content == "neurons":
            return name, tuple(notes), library.estimate_decay_from_neurons(matrix, rng=rng)
        return name, tuple(notes), library.estimate_decay_from_features(matrix, rng=rng)
    data = load(file, dataset, sphere=sphere, key=key)
    X, part = _sample(data.X, rng)
    gram, note = _gram(X, kernel, length)
    found = library.estimate_decay_from_gram(gram, rng=rng)
    return data.name, (*data.notes, *part, *note), found


def _sample(X: Array, seed: int) -> tuple[Array, tuple[str, ...]]:
    """Points at random, as many as take about a minute, and a note where they are not all."""
    import numpy as np

    if len(X) <= MOST_POINTS:
        return X, ()
    # a stream of its own: the splits draw from the seed itself
    stream = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    chosen = stream.permutation(len(X))[:MOST_POINTS]
    return X[chosen], (f"{MOST_POINTS} of {len(X)} points, at random",)


def _gram(X: Array, kernel: str, length: float | None) -> tuple[Array, tuple[str, ...]]:
    """Gram matrix of points, with what there is to say about it."""
    import numpy as np

    from kernelspec._memory import require_memory

    n, d = X.shape
    try:
        require_memory(5 * 8.0 * n * n, f"the Gram matrix of {n} points", advice="take fewer")
    except MemoryError as error:
        raise ValueError(str(error)) from None
    if kernel in WITH_LENGTH:
        return _of_distances(X, kernel, length)
    inner = X @ X.T
    if kernel == "linear":
        return inner, ()
    # the biased ReLU kernel of x is the arc-cosine kernel of (x, 1)
    lifted = inner + 1 if kernel == "relu" else inner
    norm = np.sqrt(np.diag(lifted))
    if not np.all(norm > 0):
        row = int(np.argmin(norm)) + 1
        raise ValueError(f"row {row} is zero: the arccos kernel has no angle there")
    cosine = np.clip(lifted / norm / norm[:, None], -1.0, 1.0)
    # E max(a,0) max(b,0) for standard Gaussians of that correlation (Cho & Saul, NeurIPS 2009)
    angle = np.arccos(cosine)
    moment = (np.sin(angle) + (np.pi - angle) * cosine) / (2 * np.pi)
    neurons = d + 1 if kernel == "relu" else d  # uniform on the sphere of R^neurons
    return norm * norm[:, None] * moment / neurons, ()


def _of_distances(X: Array, kernel: str, length: float | None) -> tuple[Array, tuple[str, ...]]:
    """Gram matrix of a kernel of the distance."""
    import numpy as np

    X = X - X.mean(axis=0)  # else a large mean costs the digits of the distances
    inner = X @ X.T
    squares = np.diag(inner)
    distance = np.sqrt(np.maximum(squares[:, None] + squares - 2 * inner, 0.0))
    np.fill_diagonal(distance, 0.0)
    upper = np.triu_indices(len(X), 1)
    chosen = float(np.median(distance[upper])) if length is None else length
    if chosen <= 0:
        raise ValueError("the median distance of the points is 0: set --length")
    r = distance / chosen
    note = (f"length scale {chosen:.4g}" + (" (median distance)" if length is None else ""),)
    if kernel == "gaussian":
        with np.errstate(over="ignore", under="ignore"):  # far points have a kernel of zero
            return np.exp(-(r**2) / 2), note
    twice_nu = int(kernel[len("matern")])
    r *= np.sqrt(twice_nu)
    polynomial = {1: 1.0, 3: 1 + r, 5: 1 + r + r**2 / 3}[twice_nu]
    return np.asarray(polynomial * np.exp(-r)), note

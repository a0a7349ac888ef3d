"""Choose on one set of networks, judge on another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np

from validation.collapse.comparison import Comparison, compare
from validation.collapse.stages import CHOOSING, FRESH, Stage, measure
from validation.collapse.transition import Proportion, proportions
from validation.sweeps import Progress

__all__ = ["judge"]


def judge(
    dimensions: Sequence[int],
    out: Path,
    *,
    stages: tuple[Stage, Stage] = (CHOOSING, FRESH),
    jobs: int = 1,
    progress: Callable[[], AbstractContextManager[Progress | None]] = nullcontext,
) -> Iterator[tuple[str, Comparison, list[Proportion]]]:
    """Compare the candidates at each d, first where a power is chosen, then on fresh networks.

    Parameters
    ----------
    dimensions : sequence of int
        Ambient dimensions of the second stage.
    out : Path
        Folder for the networks.
    stages : pair of Stage
        To choose on and to judge on. A dimension that the first lacks is given the power
        interpolated between its neighbours there.
    jobs : int
        Processes.
    progress : callable
        Returns a context whose value is called with the progress.

    Yields
    ------
    stage, comparison, proportions
        The name of the stage, and what was found at one d.

    Raises
    ------
    ValueError
        If the second stage lacks one of the dimensions.

    Examples
    --------
    Two small stages; the first is yielded before the second is drawn:

    >>> from tempfile import TemporaryDirectory
    >>> grid = {"d": (3,), "tau": (3.0,), "P": (0.0, 0.5), "m": (32,), "reference": (16, 32, 64)}
    >>> stages = tuple(
    ...     Stage(name=name, seed=seed, seeds=2, reference_seeds=2, **grid)
    ...     for seed, name in enumerate(("choosing", "fresh"))
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     found = list(judge([3], Path(folder), stages=stages))
    >>> [(name, comparison.measured.d) for name, comparison, _ in found]
    [('choosing', 3), ('fresh', 3)]
    """
    choosing, fresh = stages
    absent = [d for d in dimensions if d not in fresh.d]
    if absent:
        allowed = ", ".join(map(str, fresh.d))
        raise ValueError(f"dimensions = {list(dimensions)!r} is not allowed: some of {allowed}")
    powers: dict[int, float] = {}
    wanted = set[int]().union(*(_neighbours(d, choosing.d) for d in dimensions))
    for d in sorted(wanted):
        with progress() as shown:
            measured = measure(choosing, d, out, jobs=jobs, progress=shown)
        comparison = compare(measured)
        powers[d] = comparison.gamma
        yield choosing.name, comparison, proportions(measured, int(measured.m.max()))
    for d in dimensions:
        with progress() as shown:
            measured = measure(fresh, d, out, jobs=jobs, progress=shown)
        gamma = float(np.interp(d, list(powers), list(powers.values())))
        comparison = compare(measured, gamma)
        yield fresh.name, comparison, proportions(measured, int(measured.m.max()))


def _neighbours(d: int, known: Sequence[int]) -> set[int]:
    """Return d itself if known, else the nearest on either side."""
    below = [x for x in known if x <= d]
    above = [x for x in known if x >= d]
    return {max(below, default=min(above, default=d)), min(above, default=max(below, default=d))}

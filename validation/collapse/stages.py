"""Two sets of networks: one that predictors may be chosen on, one that they are then judged by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import kernelspec
from validation.sweeps import Progress, SweepSettings, SweepTable, run_sweep

__all__ = ["CHOOSING", "FRESH", "Measured", "Stage", "leverage_ridge", "measure"]

Array = NDArray[np.float64]

_RIDGE_DOF: Final = 128.0
_HALF_OCTAVES: Final = tuple(sorted({round(2 ** (j / 2)) for j in range(6, 21)}))  # 8 to 1024


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Networks to be drawn: a grid of P < 1, and leverage-sampled ones (P = 1) for reference.

    Parameters
    ----------
    name : str
        Of the stage, and of its folder.
    seed : int
        Entropy of all its networks.
    d, tau, P, m : tuple
        The grid.
    reference : tuple of int
        Widths of the leverage-sampled networks.
    seeds, reference_seeds : int
        Networks for each combination.

    Examples
    --------
    >>> grid = {"d": (3,), "tau": (1.0, 3.0), "P": (0.0, 0.5), "m": (256,), "reference": (256,)}
    >>> stage = Stage(name="small", seed=1, seeds=2, reference_seeds=2, **grid)
    >>> len(stage.tau) * len(stage.P) * len(stage.m) * stage.seeds
    8
    """

    name: str
    seed: int
    d: tuple[int, ...]
    tau: tuple[float, ...]
    P: tuple[float, ...] = (0.0, 0.05, 0.1, 0.25, 0.5)
    m: tuple[int, ...] = (256, 512, 1024)
    reference: tuple[int, ...] = _HALF_OCTAVES
    seeds: int = 4
    reference_seeds: int = 8


CHOOSING: Final = Stage(name="choosing", seed=1, d=(2, 3, 5), tau=(1.0, 3.0, 10.0))
FRESH: Final = Stage(name="fresh", seed=2, d=(2, 3, 4, 5), tau=(2.0, 6.0, 20.0))


@dataclass(frozen=True)
class Measured:
    """Networks of a stage and their errors, one row a combination.

    Attributes
    ----------
    d : int
        Ambient dimension.
    lam : float
        Ridge of leverage sampling.
    tau, P, m : ndarray
        Shape (n,); P as rounded to whole neurons.
    log_error, noise : ndarray
        Mean over the seeds of ln E, and its standard error; shape (n,).
    reference_m, reference_log_error : ndarray
        The same for leverage-sampled networks.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> grid = {"d": (3,), "tau": (3.0,), "P": (0.5,), "m": (32,), "reference": (16,)}
    >>> stage = Stage(name="small", seed=0, seeds=2, reference_seeds=2, **grid)
    >>> with TemporaryDirectory() as folder:
    ...     measured = measure(stage, 3, Path(folder))
    >>> measured.P, measured.log_error.shape, measured.reference_m
    (array([0.5]), (1,), array([16]))
    """

    d: int
    lam: float
    tau: Array
    P: Array
    m: Array
    log_error: Array
    noise: Array
    reference_m: Array
    reference_log_error: Array


@lru_cache(maxsize=16)
def leverage_ridge(d: int) -> float:
    """Ridge with 128 degrees of freedom, half the least width of the grids.

    Examples
    --------
    >>> round(float(kernelspec.BiasedReLU(3).degrees_of_freedom(leverage_ridge(3))), 6)
    128.0
    """
    model = kernelspec.BiasedReLU(d)

    def excess(log_ridge: float) -> float:
        return math.log(float(model.degrees_of_freedom(math.exp(log_ridge))) / _RIDGE_DOF)

    # N(lambda) < K(1)/lambda bounds the root from above
    high = math.log(float(model.kernel(1.0)) / _RIDGE_DOF)
    low = high - 1.0
    while excess(low) < 0:
        low -= 2.0
    return math.exp(float(brentq(excess, low, high, xtol=1e-13)))


def measure(
    stage: Stage, d: int, out: Path, *, jobs: int = 1, progress: Progress | None = None
) -> Measured:
    """Draw the networks of a stage at one d and average over their seeds.

    Every network is stored as a sweep stores it: a run that was stopped goes on from there.

    Parameters
    ----------
    stage : Stage
        What to draw.
    d : int
        Ambient dimension, one of the stage's.
    out : Path
        Folder for the sweeps of all stages.
    jobs : int
        Processes; the numbers do not depend on them.
    progress : callable, optional
        Called as by `run_sweep`, first for the networks, then for the reference.

    Raises
    ------
    ValueError
        If the stage has no such d.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> grid = {"d": (3,), "tau": (3.0,), "P": (0.0, 0.5), "m": (32,), "reference": (16, 32)}
    >>> stage = Stage(name="small", seed=0, seeds=2, reference_seeds=2, **grid)
    >>> with TemporaryDirectory() as folder:
    ...     measured = measure(stage, 3, Path(folder))
    >>> bool(measured.log_error[1] < measured.log_error[0])
    True
    """
    if d not in stage.d:
        raise ValueError(f"d = {d!r} is not allowed: one of {', '.join(map(str, stage.d))}")
    folder = out / stage.name / f"d={d}"
    lam = leverage_ridge(d)
    grid = SweepSettings(
        d=(d,), m=stage.m, P=stage.P, tau=stage.tau, seeds=stage.seeds, seed=stage.seed,
        lam=lam, kappa0="limit",
    )  # fmt: skip
    reference = SweepSettings(
        d=(d,), m=stage.reference, P=(1.0,), tau=(1.0,), seeds=stage.reference_seeds,
        seed=stage.seed, lam=lam, kappa0="limit",
    )  # fmt: skip
    networks = run_sweep(grid, folder / "networks", jobs=jobs, progress=progress)
    leverage = run_sweep(reference, folder / "reference", jobs=jobs, progress=progress)
    tau, _, m, log_error, noise, trained = _averages(networks, stage.seeds)
    _, _, reference_m, reference_error, _, _ = _averages(leverage, stage.reference_seeds)
    order = np.argsort(reference_m)
    return Measured(
        d, lam, tau, trained / m, m, log_error, noise, reference_m[order], reference_error[order]
    )


def _averages(table: SweepTable, seeds: int) -> tuple[Array, ...]:
    """Average over replicates, which run fastest in the table."""
    log_error = np.log(table["error"]).reshape(-1, seeds)
    spread = log_error.std(axis=1, ddof=1) if seeds > 1 else np.full(len(log_error), np.nan)
    first = {name: table[name][::seeds] for name in ("tau", "P", "m", "trained")}
    return (
        first["tau"], first["P"], first["m"], log_error.mean(axis=1), spread / math.sqrt(seeds),
        first["trained"],
    )  # fmt: skip

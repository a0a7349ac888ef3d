"""The measure of the theorem: worst-case error of a drawn network, beside its predictions."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Final

import numpy as np

import kernelspec
from kernelspec.approximation import worst_case_error, worst_case_memory
from validation.sweeps.grid import Cell
from validation.sweeps.measure import Measure
from validation.sweeps.settings import SweepSettings
from validation.sweeps.table import Value

__all__ = ["NETWORK_COLUMNS", "initial_mismatch", "n_width", "network_cell", "network_error"]

# The enclosures seldom need eigenvalues below an eighth of those they take first.
LATER_EIGENVALUES: Final = 1 / 8

NETWORK_COLUMNS: Final = {
    "trained": "number of leverage-sampled neurons, round(P m)",
    "kappa0": "mismatch of the initialisation, by the sweep's kappa0",
    "kappa_P": "mismatch of the network, kappa1 = 1, at the proportion trained/m",
    "lam": "ridge of leverage sampling",
    "explicit_bound": "4 lambda* of this m, kappa_P and delta; holds with probability 1 - delta",
    "rate_bound": "(kappa_P log(m/delta)/m)^alpha, without its constant",
    "n_width": "mu_(m+1): no m features leave a smaller error",
    "error": "squared L2 error of the worst function of the unit ball",
    "lower": "lower end of the error's enclosure",
    "upper": "upper end of the error's enclosure",
}


@lru_cache(maxsize=64)
def initial_mismatch(d: int, order: int, tau: float, kappa0: str) -> float:
    """Return the mismatch of the initialisation: the theorem's constant or the sharp limit.

    Examples
    --------
    >>> [round(initial_mismatch(5, 1, 10.0, kind), 2) for kind in ("theorem", "limit")]
    [67.88, 16.97]
    """
    if kappa0 == "theorem":
        return float(kernelspec.theorem_kappa0(d, tau))
    model = kernelspec.BiasedReLU(d, order)
    return float(kernelspec.limiting_mismatch(model, kernelspec.GaussianInit(d, tau)).kappa)


@lru_cache(maxsize=256)
def _explicit_bound(d: int, order: int, m: int, kappa: float, delta: float) -> float:
    # The networks of a combination differ in their seed alone and share this search.
    return float(kernelspec.explicit_bound(kernelspec.BiasedReLU(d, order), m, kappa, delta))


@lru_cache(maxsize=256)
def n_width(d: int, order: int, m: int) -> float:
    """Return mu_(m+1), the (m+1)-th of the eigenvalues sorted with their multiplicities.

    Examples
    --------
    >>> n_width(3, 1, 3) == float(kernelspec.BiasedReLU(3).eigenvalues(1)[1])
    True
    """
    model = kernelspec.BiasedReLU(d, order)
    degrees = np.arange(8)
    while kernelspec.multiplicity(d, degrees).sum() <= m:
        degrees = np.arange(2 * degrees.size)
    values = model.eigenvalues(int(degrees[-1]))
    by_size = np.argsort(-values, kind="stable")
    counts = np.cumsum(kernelspec.multiplicity(d, degrees)[by_size])
    return float(values[by_size][np.searchsorted(counts, m, side="right")])


def network_cell(
    cell: Cell,
    seeds: np.random.SeedSequence,
    *,
    kappa0: str,
    lam: float | None,
    rtol: float,
    max_memory: float,
) -> dict[str, Value]:
    """Draw the cell's network and return its error and what was predicted for it.

    Examples
    --------
    The error lies in its enclosure, and here between what no features beat and the bound:

    >>> from validation.sweeps.grid import seed_sequence
    >>> cell = Cell(d=3, order=1, m=64, P=0.5, tau=3.0, delta=0.1, replicate=0)
    >>> found = network_cell(
    ...     cell, seed_sequence(0, cell), kappa0="limit", lam=None, rtol=0.1, max_memory=2.0**30
    ... )
    >>> found["trained"], found["lower"] <= found["error"] <= found["upper"]
    (32, True)
    >>> found["n_width"] < found["error"] < found["explicit_bound"]
    True
    """
    model = kernelspec.BiasedReLU(cell.d, cell.order)
    trained = round(cell.P * cell.m)
    initial = initial_mismatch(cell.d, cell.order, cell.tau, kappa0)
    kappa = float(kernelspec.mixture_mismatch(trained / cell.m, initial))
    bound = _explicit_bound(cell.d, cell.order, cell.m, kappa, cell.delta)
    ridge = bound / 4 if lam is None else lam
    V = kernelspec.draw_network(
        model, cell.m, cell.P, cell.tau, ridge, np.random.default_rng(seeds)
    )
    error = worst_case_error(model, V, rtol=rtol, max_memory=max_memory)
    rate = kernelspec.rate_bound(cell.m, kappa, model.decay_exponent, cell.delta)
    return {
        "trained": trained,
        "kappa0": initial,
        "kappa_P": kappa,
        "lam": ridge,
        "explicit_bound": bound,
        "rate_bound": float(rate),
        "n_width": n_width(cell.d, cell.order, cell.m),
        "error": error.value,
        "lower": error.lower,
        "upper": error.upper,
    }


def network_memory(cell: Cell, *, rtol: float, max_memory: float) -> int:
    """Estimate the bytes that a cell's network takes at its peak.

    No network takes more than `max_memory`, which is handed on as a limit.

    Raises
    ------
    MemoryError
        If the limit does not even hold the degree that is tried first.
    """
    model = kernelspec.BiasedReLU(cell.d, cell.order)
    first = worst_case_memory(model, cell.m, rtol=rtol)
    if first > max_memory:
        raise MemoryError(
            f"a network of d = {cell.d}, m = {cell.m} needs an estimated {first / 2**30:.2g} GiB, "
            f"and memory_gib = {max_memory / 2**30:g} allows less: raise it, or leave out the width"
        )
    # mu_(j) falls as j^-alpha, and the work's memory is linear in the number of harmonics
    most = first * LATER_EIGENVALUES ** (-1 / model.decay_exponent)
    return int(min(most, max_memory))


def network_cost(cell: Cell) -> float:
    """Work grows with the square of the width, on top of what every cell takes."""
    return float(cell.m**2 + 200**2)


def network_error(settings: SweepSettings) -> Measure:
    """Return the measure of a sweep with these settings.

    Examples
    --------
    >>> from validation.sweeps import SweepSettings
    >>> measure = network_error(SweepSettings(d=3, m=16, P=0.0, tau=3.0, seeds=1))
    >>> measure.name, "error" in measure.columns
    ('worst-case error', True)
    """
    max_memory = settings.memory_gib * 2**30
    return Measure(
        name="worst-case error",
        function=partial(
            network_cell,
            kappa0=settings.kappa0,
            lam=settings.lam,
            rtol=settings.rtol,
            max_memory=max_memory,
        ),
        columns=NETWORK_COLUMNS,
        memory=partial(network_memory, rtol=settings.rtol, max_memory=max_memory),
        cost=network_cost,
        code=("kernelspec", __name__),
    )

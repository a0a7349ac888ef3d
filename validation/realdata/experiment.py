"""The worked examples: measure, plan, fit, and say whether the plan held."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from kernelspec.planning import RateModel, plan_width
from validation.data import Data, bundled
from validation.realdata.fits import Ratio, fit_errors, ratio
from validation.realdata.measure import exponent, initial_mismatch, resolution

__all__ = ["DATASETS", "INITIALS", "Example", "examples", "judge"]

DATASETS: Final = ("digits", "diabetes", "breast-cancer")
INITIALS: Final = ("pytorch", "he", "lecun")
WITHIN: Final = 2.0  # the error wanted over that with all neurons trained


@dataclass(frozen=True)
class Example:
    """One data set, one initialisation, one target.

    Attributes
    ----------
    data, initial, target : str
        Names; the target is "labels" or "smooth", a function of the RKHS without noise.
    n, d : int
        Points and inputs.
    alpha, low, high : float
        Exponent with its interval, nan where refused.
    decay : str
        Verdict on the exponent.
    kappa0 : float
        Largest ratio of leverage and density over a pool; inf where the initialisation has no
        density.
    mismatch : str
        Verdict on the pool.
    P : float
        Share that the rate recommends for at most twice the error of full training.
    errors : tuple of float
        Mean held-out error over the target's variance for P = 0, P and 1.
    cost : Ratio
        Error at P over that at 1.
    gain : Ratio
        Error at P = 0 over that at 1: what there was to gain.
    verdict : str
        What `judge` says.

    Examples
    --------
    >>> (x, *_) = next(examples(["diabetes"], m=16, seeds=2))
    >>> x.data, x.n, x.d, x.initial, x.target
    ('diabetes', 442, 10, 'pytorch', 'labels')
    >>> x.verdict == judge(x.cost, x.gain)
    True
    """

    data: str
    initial: str
    target: str
    n: int
    d: int
    alpha: float
    low: float
    high: float
    decay: str
    kappa0: float
    mismatch: str
    P: float
    errors: tuple[float, float, float]
    cost: Ratio
    gain: Ratio
    verdict: str


def judge(cost: Ratio, gain: Ratio) -> str:
    """Say whether a plan held: "held", "idle", "failed" or "open".

    Idle: it held, but fits without leverage-sampled neurons stay within the factor as well, so that
    it was not needed.

    Examples
    --------
    >>> judge(Ratio(1.1, 1.0, 1.2), Ratio(9.0, 8.0, 10.0))
    'held'
    >>> judge(Ratio(1.0, 0.9, 1.1), Ratio(1.0, 0.9, 1.1))
    'idle'
    >>> judge(Ratio(3.0, 2.5, 4.0), Ratio(9.0, 8.0, 10.0))
    'failed'
    >>> judge(Ratio(2.0, 1.5, 3.0), Ratio(9.0, 8.0, 10.0))
    'open'
    """
    if cost.low > WITHIN:
        return "failed"
    if cost.high > WITHIN:
        return "open"
    return "idle" if gain.high <= WITHIN else "held"


def examples(
    names: Sequence[str] = DATASETS, *, m: int = 128, seeds: int = 8, seed: int = 0
) -> Iterator[list[Example]]:
    """Run the examples of each data set, raw and normalised to the sphere.

    Parameters
    ----------
    names : sequence of str
        Bundled data sets.
    m, seeds, seed : int
        Width of the fitted networks, number of seeds >= 2, and the first of them.

    Yields
    ------
    list of Example
        Those of one data set.

    Examples
    --------
    The first group is that of the raw data, with two targets for each initialisation:

    >>> found = next(examples(["diabetes"], m=16, seeds=2))
    >>> for x in found[:4]:
    ...     print(x.data, x.initial, x.target)
    diabetes pytorch labels
    diabetes pytorch smooth
    diabetes he labels
    diabetes he smooth
    """
    for name, sphere in itertools.product(names, (False, True)):
        with threadpool_limits(1):  # threads only get into each other's way on small matrices
            found = _of_data(bundled(name, sphere=sphere), sphere, m, seeds, seed)
        yield found


def _of_data(data: Data, sphere: bool, m: int, seeds: int, seed: int) -> list[Example]:
    assert data.y is not None
    rng = np.random.default_rng(seed)
    decay = exponent(data.X, rng)
    if not 0 < decay.alpha < math.inf:
        raise ValueError(f"{data.name}: no exponent can be estimated: {decay.verdict}")
    lam, _ = resolution(data.X, rng)
    mismatches = {x: initial_mismatch(data.X, x, lam, rng) for x in INITIALS}
    plans = {x: _share(max(found.kappa, 1.0), decay.alpha, m) for x, found in mismatches.items()}
    errors = fit_errors(data.X, data.y, plans, lam, m=m, seeds=seeds, seed=seed)
    results = []
    for j, initial in enumerate(INITIALS):
        for target, (none, planned, full) in zip(("labels", "smooth"), errors[:, j], strict=True):
            cost, gain = ratio(planned, full), ratio(none, full)
            results.append(
                Example(
                    data=data.name + (", sphere" if sphere else ""),
                    initial=initial,
                    target=target,
                    n=data.X.shape[0],
                    d=data.X.shape[1],
                    alpha=decay.alpha,
                    low=decay.low,
                    high=decay.high,
                    decay=decay.verdict,
                    kappa0=max(mismatches[initial].kappa, 1.0),
                    mismatch=mismatches[initial].verdict,
                    P=plans[initial],
                    errors=(float(none.mean()), float(planned.mean()), float(full.mean())),
                    cost=cost,
                    gain=gain,
                    verdict=judge(cost, gain),
                )
            )
    return results


def _share(kappa0: float, alpha: float, m: int) -> float:
    """Trained share that the rate asks for."""
    model = RateModel("rate", kappa0, alpha=alpha)
    return plan_width(model, m, target=WITHIN * model.error(m, m)).P

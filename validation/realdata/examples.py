"""What is measured of a data set, turned into error models for planning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kernelspec.planning import ErrorModel, RateModel
from validation.data import Data
from validation.realdata.measure import POINTS, TARGET, exponent, initial_mismatch, resolution

__all__ = ["data_models"]


def data_models(
    data: Data, initial: str, delta: float, seed: int
) -> tuple[tuple[ErrorModel, ...], dict[str, Any], list[str]]:
    """Measure alpha and kappa_0 on points; return the rate with them, numbers and remarks.

    Raises
    ------
    ValueError
        If no exponent can be estimated, or the initialisation is unknown.

    Examples
    --------
    >>> from validation.data import bundled
    >>> models, facts, remarks = data_models(bundled("diabetes"), "pytorch", 0.1, seed=0)
    >>> models[0].basis, models[0].kappa0 > 1
    ('rate, kappa_0 over a pool', True)
    >>> round(facts["alpha"], 1), facts["dof"]
    (2.3, 20.0)
    >>> print(remarks[0])
    not a plan to rely on: alpha belongs to no power law, kappa_0 is growing
    """
    rng = np.random.default_rng(seed)
    decay = exponent(data.X, rng)
    if not 0 < decay.alpha < math.inf:
        raise ValueError(f"{data.name}: no exponent can be estimated: {decay.verdict}")
    lam, dof = resolution(data.X, rng)
    found = initial_mismatch(data.X, initial, lam, rng)
    kappa0 = max(found.kappa, 1.0)
    models = [RateModel("rate, kappa_0 over a pool", kappa0, delta=delta, alpha=decay.alpha)]
    if kappa0 < found.high < math.inf:
        models.append(RateModel("rate, its upper end", found.high, delta=delta, alpha=decay.alpha))
    facts = {
        "data": data.name,
        "initial": initial,
        "alpha": decay.alpha,
        "low": decay.low,
        "high": decay.high,
        "lam": lam,
        "dof": dof,
    }
    known = math.isfinite(decay.low)  # a refusal may come before any interval
    interval = f"{decay.low:.3g} to {decay.high:.3g}" if known else "no interval"
    remarks = [
        f"{data.name}: {len(data.X)} points in {data.X.shape[1]} dimensions; "
        + ("; ".join(data.notes) or "taken as they are")
        + (f"; alpha, ridge and kappa_0 from {POINTS} at random" if len(data.X) > POINTS else ""),
        f"alpha = {decay.alpha:.3g} ({interval}) of the ReLU kernel on these points: "
        f"{decay.verdict}",
        f"kappa_0 of {initial} against the {TARGET} of neurons, at N(lambda) = {dof:.3g}: "
        f"{found.verdict}" + (f"; {found.warning}" if found.warning else ""),
    ]
    doubts = [] if decay.is_power_law else ["alpha belongs to no power law"]
    if found.verdict != "stable":
        doubts.append(f"kappa_0 is {found.verdict}")
    if doubts:
        remarks.insert(0, f"not a plan to rely on: {', '.join(doubts)}")
    return tuple(models), facts, remarks

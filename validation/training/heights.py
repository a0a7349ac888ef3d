"""Where trained neurons go: the law of their heights against the leverage law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from kernelspec import BiasedReLU, RidgeLeverage, _checks

__all__ = ["TrainedLaw", "trained_law"]

Array = NDArray[Any]

KINK: Final = math.sqrt(0.5)
BINS: Final = 4


@dataclass(frozen=True)
class TrainedLaw:
    """The law of the heights of trained neurons, in bins that leverage sampling fills alike.

    Attributes
    ----------
    edges : ndarray, shape (bins + 1,)
        Quantiles of the leverage law.
    shares : ndarray, shape (bins,)
        Mean share of the neurons in each bin.
    low, high : ndarray, shape (bins,)
        Student's intervals over the seeds, simultaneous over the bins.
    dead, polynomial : float
        Mean shares of neurons whose kink misses the sphere: b < -1/sqrt(2), b > 1/sqrt(2).
    kappa : float
        max over bins of (1/bins)/share: kappa_1 of the trained law at the resolution of the bins.
        The supremum over single heights is no less.
    kappa_low, kappa_high : float
        What the intervals leave for it; inf where a share may be 0.
    confidence : float
        Level of the intervals, and so of that for kappa.
    seeds, neurons : int
        Networks, and trained neurons in all of them.

    Examples
    --------
    >>> heights = RidgeLeverage(BiasedReLU(3), 1e-3).sample(4000, rng=0)[:, -1].reshape(20, 200)
    >>> law = trained_law(BiasedReLU(3), heights, 1e-3)
    >>> law.shares.round(2), law.seeds, law.neurons
    (array([0.25, 0.25, 0.24, 0.25]), 20, 4000)
    """

    edges: Array
    shares: Array
    low: Array
    high: Array
    dead: float
    polynomial: float
    kappa: float
    kappa_low: float
    kappa_high: float
    confidence: float
    seeds: int
    neurons: int


def trained_law(
    model: BiasedReLU, heights: Array, lam: float, *, bins: int = BINS, confidence: float = 0.95
) -> TrainedLaw:
    r"""Compare heights of trained neurons with the leverage law at a ridge.

    With the bins B_j between quantiles of the leverage law, each has leverage 1/J, and

    .. math:: \kappa_1 = \sup_v \frac{\ell_\lambda(v)}{N(\lambda)\, q(v)}
              \ge \max_j \frac{1/J}{q(B_j)}.

    Neurons of one network are trained together and are not independent, so the interval for
    q(B_j) is Student's, over the networks' shares, at level 1 - (1 - confidence)/J for each bin.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    heights : array_like, shape (seeds, m)
        Heights b in [-1, 1] of trained neurons; NaN entries are left out. At least two networks
        with a neuron each.
    lam : float
        Ridge > 0.
    bins : int
        J >= 1.
    confidence : float
        Level, between 0 and 1.

    Returns
    -------
    TrainedLaw
        Shares and kappa_1 with intervals.

    Raises
    ------
    ValueError
        If an argument is out of range or fewer than two networks have trained neurons.

    Examples
    --------
    >>> law = RidgeLeverage(BiasedReLU(3), 1e-3)
    >>> b = law.sample(4000, rng=0)[:, -1].reshape(20, 200)
    >>> found = trained_law(law.model, b, 1e-3)
    >>> found.kappa_low <= 1.0 <= found.kappa_high < 1.3
    True
    """
    bins = _checks.count("bins", bins)
    confidence = _checks.open_unit("confidence", confidence)
    rows = [row[np.isfinite(row)] for row in np.atleast_2d(np.asarray(heights, dtype=np.float64))]
    rows = [_checks.height(row) for row in rows if row.size]
    if len(rows) < 2:
        raise ValueError(f"heights of {len(rows)} networks are not allowed: two at least")
    law = RidgeLeverage(model, lam)
    edges = law.quantile(np.linspace(0, 1, bins + 1))
    edges[0], edges[-1] = -KINK, 1.0  # the quantiles of 0 and 1 are ends of what is ever drawn
    counts = np.array([np.histogram(row, edges)[0] / row.size for row in rows])
    shares = counts.mean(axis=0)
    level = 1 - (1 - confidence) / bins
    quantile = float(special.stdtrit(len(rows) - 1, (1 + level) / 2))
    half = quantile * counts.std(axis=0, ddof=1) / math.sqrt(len(rows))
    low, high = np.maximum(shares - half, 0.0), np.minimum(shares + half, 1.0)
    with np.errstate(divide="ignore"):
        kappa, kappa_low, kappa_high = (
            float(np.max(1 / (bins * share))) for share in (shares, high, low)
        )
    return TrainedLaw(
        edges,
        shares,
        low,
        high,
        float(np.mean([np.mean(row < -KINK) for row in rows])),
        float(np.mean([np.mean(row > KINK) for row in rows])),
        kappa,
        kappa_low,
        kappa_high,
        confidence,
        len(rows),
        sum(row.size for row in rows),
    )

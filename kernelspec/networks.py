"""Networks with a trained and an untrained part."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kernelspec import _checks
from kernelspec.features import BiasedReLU
from kernelspec.laws import GaussianInit, RidgeLeverage
from kernelspec.laws.base import Seed, generator

__all__ = ["draw_network"]


@lru_cache(maxsize=32)
def _leverage_law(model: BiasedReLU, lam: float) -> RidgeLeverage:
    """One law for all draws at a ridge, so that a sweep inverts its distribution only once."""
    return RidgeLeverage(model, lam)


def draw_network(
    model: BiasedReLU, m: int, P: float, tau: float, lam: float, rng: Seed
) -> NDArray[np.float64]:
    r"""Draw the neurons of a network of which a proportion P is trained.

    Ridge leverage sampling stands in for training: round(P m) rows are drawn from
    `RidgeLeverage(model, lam)`, the others from `GaussianInit(d, tau)`, all independent.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    m : int
        Width, >= 0.
    P : float
        Trained proportion, 0 to 1. P m is rounded to the nearest integer, a half to the even one.
    tau : float
        Bias scale of the initialisation, > 0.
    lam : float
        Ridge > 0 of the leverage law.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    ndarray
        Shape (m, d + 1): unit rows (w, b), the leverage-sampled ones first.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Notes
    -----
    The counts are exact, not random as in a `Mixture`. Weighted by 1/(m p(v)) with p = P q_1 +
    (1-P) q_0, P = round(P m)/m, the features still give an unbiased estimate of the covariance, and
    the mismatch that enters its concentration is kappa_P of `mixture_mismatch`.

    Examples
    --------
    >>> from kernelspec.features import BiasedReLU
    >>> draw_network(BiasedReLU(3), 10, 0.2, tau=1.0, lam=1e-2, rng=0).shape
    (10, 4)
    """
    m = _checks.count("m", m, 0)
    P = _checks.proportion("P", P)
    initial = GaussianInit(model.d, tau)
    lam = _checks.positive("lam", lam)
    rng = generator(rng)
    trained = round(P * m)
    V = np.empty((m, model.d + 1))
    if trained:
        V[:trained] = _leverage_law(model, lam).sample(trained, rng)
    V[trained:] = initial.sample(m - trained, rng)
    return V

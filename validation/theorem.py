"""The theorem under test: every constant it predicts, each replaceable."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Theorem"]


def _alpha(d: int) -> float:
    return (d + 2) / (d - 1)


def _kappa0(d: int, tau: float) -> float:
    return 4 * math.sqrt(2) * tau * (d + 1) / d


def _kappa0_limit(d: int, tau: float) -> float:
    return math.sqrt(2) * tau * (d + 1) / d


def _termwise(d: int, tau: float) -> float:
    return 2 * math.sqrt(2) * tau * (d + 1) / d


def _kappa_mixture(P: float, kappa0: float, kappa1: float) -> float:
    return 1 / (P / kappa1 + (1 - P) / kappa0)


@dataclass(frozen=True)
class Theorem:
    """The constants of the theorem and of the sharper statements beside it.

    Claims read every prediction from here and from nowhere else. A wrong theorem is one field away
    (`dataclasses.replace(Theorem(), alpha=...)`) and must come out refuted.

    Parameters
    ----------
    alpha : (d) -> float
        Decay exponent of the sorted eigenvalues, (d+2)/(d-1).
    kappa0 : (d, tau) -> float
        Mismatch of the initialisation at every ridge, 4 sqrt(2) tau (d+1)/d.
    kappa0_limit : (d, tau) -> float
        Its limit as the ridge goes to 0, sqrt(2) tau (d+1)/d.
    termwise : (d, tau) -> float
        Bound of every single degree k >= 2, 2 sqrt(2) tau (d+1)/d.
    kappa1 : float
        Mismatch of ridge leverage sampling, 1.
    kappa_mixture : (P, kappa0, kappa1) -> float
        Mismatch with a proportion P trained, (P/kappa1 + (1-P)/kappa0)^{-1}.
    bound_scale : float
        Factor on the explicit bound 4 lambda* and on its tighter form, 1.

    Examples
    --------
    >>> Theorem().alpha(5)
    1.75
    >>> round(Theorem().captured_share(0.041, d=5, tau=10.0), 3)
    0.901
    """

    alpha: Callable[[int], float] = _alpha
    kappa0: Callable[[int, float], float] = _kappa0
    kappa0_limit: Callable[[int, float], float] = _kappa0_limit
    termwise: Callable[[int, float], float] = _termwise
    kappa1: float = 1.0
    kappa_mixture: Callable[[float, float, float], float] = _kappa_mixture
    bound_scale: float = 1.0

    def captured_share(self, P: float, *, d: int, tau: float, kappa0: float | None = None) -> float:
        """Return the share of the reduction from P = 0 to P = 1 that a proportion P captures.

        (kappa_0^alpha - kappa_P^alpha)/(kappa_0^alpha - kappa_1^alpha), with the theorem's kappa_0
        unless another is given.
        """
        start = self.kappa0(d, tau) if kappa0 is None else kappa0
        alpha = self.alpha(d)
        now = self.kappa_mixture(P, start, self.kappa1)
        return float((start**alpha - now**alpha) / (start**alpha - self.kappa1**alpha))

    def initial_threshold(self, d: int) -> float:
        """Return the tau from which on the limiting mismatch is attained at b = 0.

        (1 + (d+2)/(d+1))^{-1/2}: below it a neuron with b != 0 has the largest ratio.
        """
        return math.sqrt((d + 1) / (2 * d + 3))

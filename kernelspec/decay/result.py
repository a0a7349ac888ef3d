"""What an estimate of the decay is: value, interval, window, verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["POWER_LAW", "DecayEstimate"]

Array = NDArray[np.float64]

POWER_LAW = "power law"


@dataclass(frozen=True)
class DecayEstimate:
    """An estimated exponent alpha of eigenvalues that decay as j^-alpha.

    An estimate that is refused carries its numbers all the same; `verdict` says why not to use
    them.

    Attributes
    ----------
    alpha : float
        The estimate: from points that of the reported fit, from features and ranks the median of
        the mixture of all fits; nan where nothing could be fitted.
    low, high : float
        95 % interval: from points that of the sampling error of a fit whose bias was found small
        against it; from features and ranks sampling error, misfit and the unknown correction
        together. Of a refused estimate the range of the plainest fits, if any.
    window : tuple of float
        Least and greatest number N of eigenvalues (degrees of freedom or ranks) that were used.
    verdict : str
        "power law", or "not a power law: REASON".
    method : str
        How the curve was obtained: "degrees of freedom" or "ranks".
    log_n, log_lambda : ndarray
        The curve: log N and log of the eigenvalue (ridge) that belongs to it, shape (g,).
    slopes : dict
        Other estimates on the same window, by name: "regression" (log-log line), "Hill".
    points : int
        Number of sample points, or of eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelspec import BiasedReLU, uniform_sphere
    >>> from kernelspec.decay import estimate_decay_from_kernel
    >>> model, X = BiasedReLU(3), uniform_sphere(3, 400, rng=0)
    >>> found = estimate_decay_from_kernel(lambda X, Y: model.kernel(np.clip(X @ Y.T, -1, 1)), X)
    >>> found.low <= found.alpha <= found.high, found.verdict
    (True, 'power law')
    """

    alpha: float
    low: float
    high: float
    window: tuple[float, float]
    verdict: str
    method: str
    log_n: Array
    log_lambda: Array
    slopes: dict[str, float]
    points: int

    @property
    def is_power_law(self) -> bool:
        """Whether the estimate is accepted."""
        return self.verdict == POWER_LAW

    @property
    def decades(self) -> float:
        """Width of the window in decades of N; nan without a window."""
        low, high = self.window
        return math.log10(high / low) if low > 0 else math.nan

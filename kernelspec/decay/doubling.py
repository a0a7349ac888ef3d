r"""From the curves of halves to bias and sampling error of the whole.

Halves see twice the ratio N/n. Bias and noise of a curve both come from pairs of points, whence the
bias of a half is 4 g times that of the whole, and the mean square of the difference of two halves
is 8 g^2 times its variance. The factor

.. math:: g = \Bigl(\frac{1-\nu_2}{1-2\nu_2}\Bigr)^{3/2}, \qquad
          \nu_2 = \frac1n\sum_j \Bigl(\frac{\mu_j}{\mu_j+\lambda}\Bigr)^2
          \approx \frac Nn\Bigl(1-\frac1\alpha\Bigr),

is what more than doubling there is: z = lambda (1 - N/n) has d log z/d log lambda =
(1 - nu_2)/(1 - N/n), so that a sample's fluctuations blow up where nu_2 nears one. Its exponent is
measured. So is the last factor, that of `overstatement`: fits that resolve the fine structure of
the curve's noise near its end see more of it in halves than 8 g^2 says.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernelspec.decay.fit import fit_line

__all__ = ["HALVED", "growth", "overstatement", "pilot_exponent"]

Array = NDArray[np.float64]

HALVED: Final = 8.0
"""Mean square of the difference of two halves over the variance of the whole, which is O(n^-2)."""

_EXPONENT: Final = 1.5
_PILOT: Final = 9  # points at the end of the curve, two octaves
_FINE: Final = 9.0
_COARSE: Final = 1 / 6  # corrections for each point of a window that resolve nothing fine


def pilot_exponent(curve: Array, log_n: Array) -> float:
    """Slope of the last two octaves of a curve, at least 1, for corrections of second order.

    Examples
    --------
    >>> log_n = np.log(np.geomspace(4, 64, 17))
    >>> round(pilot_exponent(-2.5 * log_n, log_n), 12), pilot_exponent(-0.5 * log_n, log_n)
    (2.5, 1.0)
    """
    known = np.flatnonzero(np.isfinite(curve))[-_PILOT:]
    return max(fit_line(log_n[known], curve[known]), 1.0) if known.size > 1 else 1.0


def growth(log_n: Array, points: int, alpha: float) -> Array:
    """Return g at each N, shape (g,).

    Examples
    --------
    It is 1 far below n; at N = n/4 and alpha = 2, nu_2 = 1/8:

    >>> growth(np.log([1e-9, 25.0]), 100, 2.0).round(6), round((7 / 6) ** 1.5, 6)
    (array([1.      , 1.260144]), 1.260144)
    """
    nu = np.exp(log_n) / points * (1 - 1 / alpha)
    return np.asarray(((1 - nu) / (1 - 2 * nu)) ** _EXPONENT)


def overstatement(corrections: Array, length: Array, end: Array, alpha: float) -> Array:
    """By what factor halves overstate the standard error of fits, shape (f,).

    Of fits with so many corrections on windows of so many points which end at N = `end` n.

    Examples
    --------
    Of one and three corrections on twelve points up to N = n/4, only the latter resolve fine noise:

    >>> overstatement(np.array([1, 3]), np.array([12, 12]), np.array([0.25, 0.25]), 2.0).round(3)
    array([1.   , 1.139])
    """
    fine = np.maximum(corrections / length - _COARSE, 0.0)
    return np.asarray(np.exp2(_FINE / alpha * (4 * end) ** 3 * fine / 2))

"""The rules for sums over all degrees, piece by piece."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kernelspec import BiasedReLU, Uniform, mismatch
from kernelspec._tails import end_correction


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_the_end_correction_turns_integrals_into_sums(rate):
    """Exact for exp(-rate k) up to the first central difference left out, of order rate^9."""
    K = 30
    degrees, weights = end_correction(K)
    integral = math.exp(-rate * (K + 0.5)) / rate
    total = math.exp(-rate * (K + 1)) / -math.expm1(-rate)
    corrected = integral + float(weights @ np.exp(-rate * degrees))
    assert corrected == pytest.approx(total, rel=max(1e-14, 1e-5 * rate**10))


@pytest.mark.parametrize("lam", [1e-291, [1.0, 5e-324]])
def test_ridges_that_leave_float64_are_refused(lam):
    model = BiasedReLU(4)
    for call in (lambda: model.leverage(0.0, lam), lambda: mismatch(model, Uniform(4), lam)):
        with pytest.raises(ValueError, match=r"^lam.* is not allowed: ridges >= 1e-290"):
            call()

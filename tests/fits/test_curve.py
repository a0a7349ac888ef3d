"""The fitted curve: the theorem's, its derivatives, and what reparametrisations leave of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec import mixture_mismatch
from validation.fits.curve import Curve

P = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0])
EMPTY = Curve(P, np.zeros((2, P.size)))

alphas = st.floats(0.1, 20.0)
ratios = st.floats(1.05, 500.0)


@given(alphas, ratios, ratios, st.floats(0.0, 0.9))
@example(2.5, 2.5, 20.0, 0.0)
def test_it_is_the_curve_of_the_theorem(
    alpha: float, rho: float, other: float, share: float
) -> None:
    theta = np.array([math.log(3e-5), math.log(alpha), share, math.log(rho), math.log(other)])
    kappa1 = 1.7  # only the ratio counts: any kappa_1 gives the same curve
    for i, ratio in enumerate((rho, other)):
        kappa = np.asarray(mixture_mismatch(P, kappa1 * ratio, kappa1))
        E = share * 3e-5 + (1 - share) * 3e-5 * (kappa / kappa1) ** alpha
        np.testing.assert_allclose(EMPTY.evaluate(theta)[0][i], np.log(E), rtol=1e-12)


@given(alphas, ratios, ratios, st.floats(0.0, 0.9))
def test_the_jacobian_is_that_of_the_curve(
    alpha: float, rho: float, other: float, share: float
) -> None:
    theta = np.array([-3.0, math.log(alpha), share, math.log(rho), math.log(other)])
    J = EMPTY.evaluate(theta)[1]
    h = 1e-6
    for i, step in enumerate(h * np.eye(theta.size)):
        slope = (EMPTY.evaluate(theta + step)[0] - EMPTY.evaluate(theta - step)[0]) / (2 * h)
        scale = 1 + np.abs(J[..., i]).max()
        np.testing.assert_allclose(J[..., i], slope, atol=1e-5 * scale)


@given(alphas, ratios, st.floats(1.0, 1e3))
@example(2.5, 2.5, 1e3)
@example(2.5, 20.0, 1.0)
def test_one_curve_is_nearly_that_of_another_exponent(
    alpha: float, rho: float, factor: float
) -> None:
    fall = alpha * math.log(rho)
    fine = np.linspace(0, 1, 101)

    def logs(exponent: float) -> np.ndarray:
        return -exponent * np.log(fine + (1 - fine) * math.exp(-fall / exponent))

    moved = np.abs(logs(alpha * factor) - logs(alpha))
    assert moved[[0, -1]].max() < 1e-9 * (1 + fall)
    assert moved.max() <= fall**2 / (8 * alpha) + 1e-9 * (1 + fall)


def test_the_bound_of_the_difference_is_of_the_right_size() -> None:
    # as alpha' grows, the largest difference tends to what the bound says up to its constants
    fall, alpha = 0.4, 5.0
    half = -alpha * math.log(0.5 + 0.5 * math.exp(-fall / alpha))
    assert fall / 2 - half == pytest.approx(fall**2 / (8 * alpha), rel=1e-3)


def test_exact_data_give_the_parameters_back() -> None:
    theta = np.array([-9.0, math.log(1.75), 0.3, math.log(4.0), math.log(40.0)])
    curve = Curve(P, EMPTY.evaluate(theta)[0])
    found = curve.minimise_from_all()
    np.testing.assert_allclose(found.theta, theta, atol=1e-5)
    assert found.rss < 1e-15
    held = curve.holding(1, math.log(3.0)).minimise(theta)
    assert held.theta[1] == math.log(3.0)
    assert held.rss > 1e-6

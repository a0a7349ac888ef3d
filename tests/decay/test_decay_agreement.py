"""The choice among fits, on curves whose noise is known."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.decay import agreement
from kernelspec.decay.agreement import (
    _POWERS,
    UNDERSMOOTHING,
    _chosen,
    _Family,
    _family,
    compare_fits,
    estimate_by_agreement,
)
from kernelspec.decay.curve import STEP, levels
from kernelspec.decay.doubling import growth, overstatement, pilot_exponent

POINTS = 800
LOG_N = levels(POINTS / 4)


def sample(
    curve: np.ndarray, noise: float, rng: np.random.Generator, bias: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """A sample's curve and its halves', noise and bias as the estimator assumes them."""
    g = growth(LOG_N, POINTS, pilot_exponent(curve, LOG_N))
    size = bias * (np.exp(LOG_N) / POINTS) ** 2
    whole = curve + noise * rng.standard_normal(LOG_N.size) + size
    # two halves of one sample: independent, 2 g times the standard error, 4 g times the bias
    draws = 2 * noise * g * rng.standard_normal((8, 2, LOG_N.size))
    return whole, curve + draws + 4 * g * size


def estimate(curve: np.ndarray, noise: float, seed: int, bias: float = 0.0):
    whole, halves = sample(curve, noise, np.random.default_rng([seed, 41]), bias)
    return estimate_by_agreement(whole, halves, LOG_N, POINTS, "degrees of freedom")


@pytest.mark.parametrize("rho", [2 / 3, 1.0, 2.0])
def test_known_noise_is_covered_as_often_as_promised(
    rho: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """True coverage above 0.9: fewer than 139 of 170 has a probability below 1e-6."""
    # this noise is as fine in halves as in the whole
    monkeypatch.setattr(agreement, "overstatement", lambda p, *rest: np.ones(p.size))
    curve = 0.3 - 1.7 * LOG_N + 0.8 * np.exp(-rho * LOG_N)
    found = [estimate(curve, 0.003, seed) for seed in range(200)]
    accepted = [one for one in found if one.is_power_law]
    assert len(accepted) >= 170
    covered = sum(one.low <= 1.7 <= one.high for one in accepted)
    assert covered >= 139 / 170 * len(accepted)
    # an interval that always covers is too wide for the noise
    assert covered < len(accepted)


def test_a_power_without_correction_is_read_to_its_noise() -> None:
    found = estimate(0.2 - 2.5 * LOG_N, 1e-9, 0)
    assert found.is_power_law
    assert found.alpha == pytest.approx(2.5, abs=1e-6)
    assert found.high - found.low < 1e-4


def test_the_bias_that_halves_show_is_taken_off() -> None:
    curve = -2.0 * LOG_N
    whole, halves = sample(curve, 1e-7, np.random.default_rng(1), bias=0.1)
    found = compare_fits(whole, halves, LOG_N, POINTS)
    assert np.max(whole - curve) > 0.006
    # not to the last bit: the exponent that says how the bias grows is read off the biased curve
    np.testing.assert_allclose(found.log_lambda, curve, atol=2e-5)


def test_a_correction_no_fit_resolves_is_refused_with_the_range_of_the_plainest() -> None:
    curve = -1.5 * LOG_N + 0.05 * np.cos(2.0 * LOG_N)
    found = estimate(curve, 1e-4, 2)
    assert not found.is_power_law
    assert "do not confirm" in found.verdict
    assert found.low < 1.5 < found.high
    assert np.isfinite(found.alpha)


def test_a_curve_that_ends_at_once_is_refused() -> None:
    whole, halves = sample(-2.0 * LOG_N, 1e-4, np.random.default_rng(0))
    whole[3:] = np.nan
    found = estimate_by_agreement(whole, halves, LOG_N, POINTS, "degrees of freedom")
    assert found.verdict.startswith("not a power law: the trustworthy part")


def test_weights_read_the_exponent_and_no_correction() -> None:
    family = _family(float(LOG_N[0]), LOG_N.size)
    x = LOG_N[0] + STEP * np.arange(LOG_N.size)
    np.testing.assert_allclose(x, LOG_N)
    np.testing.assert_allclose(family.weight @ (3.0 - 1.3 * x), 1.3, atol=1e-8)
    for (start, shorter, p, power), weight in zip(family.kind, family.weight, strict=True):
        used = np.flatnonzero(weight)
        assert used[0] >= start
        assert used[-1] == LOG_N.size - 1 - shorter
        for j in range(1, p + 1):
            fading = np.exp(-j * _POWERS[power] * (x - x[-1]))
            assert abs(weight @ fading) < 1e-6 * np.abs(weight) @ np.abs(fading) + 1e-9


def test_more_flexible_means_less_bias_on_every_side() -> None:
    family = _family(float(LOG_N[0]), LOG_N.size)
    assert not np.any(np.diagonal(family.flexible))
    first, second = np.nonzero(family.flexible)
    assert np.all(family.kind[second, :3] >= family.kind[first, :3])


def test_reported_is_the_first_fit_whose_error_is_enough_greater() -> None:
    kind = np.array([(0, 0, p, 0) for p in (1, 2, 3, 4)])
    flexible = np.triu(np.ones((4, 4), dtype=bool), 1)
    family = _Family(kind, np.zeros((4, 9)), flexible)
    error = 0.01 * np.array([1.0, UNDERSMOOTHING - 0.01, UNDERSMOOTHING + 0.01, 2.0])
    assert _chosen(family, np.ones(4), error, np.full((4, 4), 0.01), 2.0) == 2
    # one witness that differs is enough to confirm nothing
    alpha = np.array([1.0, 1.0, 1.0, 1.03])
    assert _chosen(family, alpha, error, np.full((4, 4), 0.01), 2.0) is None


def test_growth_is_that_of_the_squared_degrees_of_freedom() -> None:
    """nu_2 from the eigenvalues of a power law, which has N_2 = N (1 - 1/alpha)."""
    mu, lam, n = np.arange(1.0, 2e6) ** -2.5, 1e-6, 4000
    share = mu / (mu + lam)
    nu = np.sum(share**2) / n
    expected = ((1 - nu) / (1 - 2 * nu)) ** 1.5
    assert growth(np.log([share.sum()]), n, 2.5)[0] == pytest.approx(expected, rel=1e-3)
    assert growth(np.log([1e-9]), n, 2.5)[0] == pytest.approx(1.0)


def test_the_pilot_reads_the_end_of_the_curve_and_is_never_below_one() -> None:
    curve = -3.0 * LOG_N
    curve[:-10] = -9.0 * LOG_N[:-10]
    assert pilot_exponent(curve, LOG_N) == pytest.approx(3.0)
    assert pilot_exponent(np.append(curve[:-1], np.nan), LOG_N) > 1
    assert pilot_exponent(-0.4 * LOG_N, LOG_N) == 1.0
    assert pilot_exponent(np.full(LOG_N.size, np.nan), LOG_N) == 1.0


def test_only_short_windows_near_the_end_overstate() -> None:
    p, length, end = (
        np.array([1, 5, 5, 5]),
        np.array([9, 30, 9, 9]),
        np.array([0.25, 0.25, 1e-3, 0.25]),
    )
    found = overstatement(p, length, end, 1.5)
    np.testing.assert_allclose(found[:3], 1.0, atol=1e-6)
    assert found[3] > 2
    assert overstatement(p, length, end, 3.0)[3] == pytest.approx(np.sqrt(found[3]))

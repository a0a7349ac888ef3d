"""Joint fits: coverage, verdicts, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, f

from validation.fits import joint_fit

P = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0])
ALPHA = 2.5
KAPPA0 = np.array([2.5, 8.0, 20.0])


def curves(floor: float = 0.0, kappa0: np.ndarray = KAPPA0, alpha: float = ALPHA) -> np.ndarray:
    x = P + (1 - P) / kappa0[:, None]
    return np.asarray(1e-6 * (floor + (1 - floor) * x**-alpha))


def noisy(mean: np.ndarray, spread: float, seed: int, seeds: int = 6) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal((len(mean), seeds, P.size))
    return np.asarray(mean[:, None] * np.exp(spread * noise))


def test_intervals_cover_as_often_as_they_say() -> None:
    trials, hits = 40, np.zeros(5, dtype=int)
    for seed in range(trials):
        fit = joint_fit(P, noisy(curves(0.2, KAPPA0[1:]), 0.15, seed))
        hits += [
            fit.alpha_low <= ALPHA <= fit.alpha_high,
            *((fit.kappa0_low <= KAPPA0[1:]) & (KAPPA0[1:] <= fit.kappa0_high)),
            fit.floor_low <= 0.2e-6 <= fit.floor_high,
            fit.lack_of_fit > 0.05,
        ]
    # 95 % each: five counts, each below its limit with probability under 2e-7
    limit = int(binom.ppf(2e-7, trials, 0.95))
    assert hits.min() >= limit, hits
    # intervals far too wide would cover always: all four, in all trials, with p < 5e-6 if
    # they were independent; they are not, so this is only a look at the typical
    assert hits[:4].sum() < 4 * trials


def test_a_higher_level_is_wider_and_more_seeds_are_narrower() -> None:
    E = noisy(curves(), 0.2, 1)
    fits = [joint_fit(P, E, floor=False, confidence=c) for c in (0.5, 0.95, 0.999)]
    widths = [math.log(fit.alpha_high / fit.alpha_low) for fit in fits]
    assert widths[0] < widths[1] < widths[2]
    # on the scale of Student's t, up to the curvature of the profile
    assert widths[1] / widths[0] == pytest.approx(1.977 / 0.676, rel=0.1)
    more = joint_fit(P, noisy(curves(), 0.2, 1, seeds=60), floor=False)
    ratio = math.log(more.alpha_high / more.alpha_low) / widths[1]
    assert 0.2 < ratio < 0.45


def test_a_curve_alone_is_not_identifiable_and_the_joint_fit_is() -> None:
    E = noisy(curves(), 0.2, 2)
    alone, joint = joint_fit(P, E[:1]), joint_fit(P, E)
    assert alone.verdict == (
        "not identifiable: errors do not bound alpha from above, kappa0[0] from below"
    )
    assert alone.alpha_high == math.inf
    assert alone.kappa0_low[0] == 1.0
    assert joint.verdict == "identified"
    assert np.all((joint.kappa0_low < KAPPA0) & (joint.kappa0_high > KAPPA0))
    assert joint.alpha_low < ALPHA < joint.alpha_high
    # the total fall is told all the same, within the noise of the means at its two ends
    fall = math.log(alone.predict([0.0])[0, 0] / alone.predict([1.0])[0, 0])
    assert fall == pytest.approx(ALPHA * math.log(2.5), abs=0.4)


def test_a_held_exponent_identifies_a_curve_alone() -> None:
    fit = joint_fit(P, noisy(curves(), 0.2, 2)[:1], floor=False, alpha=ALPHA)
    assert fit.verdict == "identified"
    assert fit.alpha == fit.alpha_low == fit.alpha_high == pytest.approx(ALPHA)
    assert fit.kappa0_low[0] < 2.5 < fit.kappa0_high[0]


def test_an_exponential_has_no_kappa0() -> None:
    E = noisy(1e-6 * np.exp(3.0 * (1 - P))[None], 0.05, 3)
    fit = joint_fit(P, E)
    assert fit.verdict.startswith("not identifiable: errors do not bound alpha from above")
    assert fit.alpha_high == math.inf


def test_flat_errors_tell_nothing() -> None:
    fit = joint_fit(P, noisy(np.full((1, P.size), 1e-6), 0.1, 4), floor=False)
    assert fit.verdict.startswith("not identifiable")
    assert "alpha" in fit.verdict


def test_a_curve_of_another_shape_does_not_fit() -> None:
    step = 1e-6 * (1 + 30 / (1 + np.exp((P - 0.3) / 0.03)))
    fit = joint_fit(P, noisy(np.stack([step, 2 * step]), 0.1, 5))
    assert fit.verdict.startswith("does not fit: p = ")
    assert fit.lack_of_fit < 1e-6


def test_a_missing_floor_shows_in_the_lack_of_fit() -> None:
    E = noisy(curves(0.6), 0.05, 6)
    assert joint_fit(P, E, floor=False).verdict.startswith("does not fit")
    fit = joint_fit(P, E)
    assert fit.verdict == "identified"
    assert fit.floor_low < 0.6e-6 < fit.floor_high
    assert fit.floor + fit.amplitude == pytest.approx(1e-6, rel=0.1)


def test_the_bootstrap_agrees_where_errors_are_independent_and_not_where_seeds_share() -> None:
    E = noisy(curves(), 0.2, 7, seeds=24)
    profile = joint_fit(P, E, floor=False)
    bootstrap = joint_fit(P, E, floor=False, intervals="bootstrap", rng=1)
    assert bootstrap.alpha == profile.alpha
    widths = [math.log(fit.kappa0_high[2] / fit.kappa0_low[2]) for fit in (profile, bootstrap)]
    assert 0.6 < widths[1] / widths[0] < 1.5
    again = joint_fit(P, E, floor=False, intervals="bootstrap", rng=1)
    assert again.kappa0_high[2] == bootstrap.kappa0_high[2]
    # a factor that all errors of a seed share moves E(1) and neither alpha nor kappa_0
    shared = np.exp(0.5 * np.random.default_rng(8).standard_normal((1, 24, 1)))
    moved = joint_fit(P, E * shared, floor=False, intervals="bootstrap", rng=1)
    np.testing.assert_allclose(moved.kappa0_high, bootstrap.kappa0_high, rtol=1e-3)
    wide = joint_fit(P, E * shared, floor=False)
    assert math.log(wide.kappa0_high[2] / wide.kappa0_low[2]) > 1.5 * widths[0]


def test_units_and_order_do_not_matter() -> None:
    E = noisy(curves(), 0.1, 9)
    fit, other = joint_fit(P, E), joint_fit(P[::-1], 1e4 * E[::-1, :, ::-1])
    assert other.alpha == pytest.approx(fit.alpha, rel=1e-4)
    np.testing.assert_allclose(other.kappa0[::-1], fit.kappa0, rtol=1e-4)
    assert other.amplitude == pytest.approx(1e4 * fit.amplitude, rel=1e-3)
    np.testing.assert_allclose(other.predict(P)[::-1], 1e4 * fit.predict(P), rtol=1e-4)


def test_the_lack_of_fit_is_an_f_test_against_free_means() -> None:
    E = noisy(curves(0.3), 0.1, 11)
    fit = joint_fit(P, E, floor=False)
    means = np.log(E).mean(axis=1)
    between = 6 * ((means - np.log(fit.predict(P))) ** 2).sum() / (24 - 5)
    within = ((np.log(E) - means[:, None]) ** 2).sum() / (144 - 24)
    assert fit.noise == pytest.approx(math.sqrt(within))
    assert fit.lack_of_fit == pytest.approx(f.sf(between / within, 24 - 5, 144 - 24), rel=1e-6)


def test_one_seed_has_no_noise_and_no_test() -> None:
    fit = joint_fit(P, noisy(curves(), 0.1, 10, seeds=1), floor=False)
    assert math.isnan(fit.noise)
    assert math.isnan(fit.lack_of_fit)
    assert fit.verdict == "identified"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"P": [0.0, 0.0, 1.0]}, "a vector of distinct numbers"),
        ({"P": [0.0, 2.0]}, r"P\[1\] = 2.0 is not allowed: numbers from 0 to 1"),
        ({"errors": np.ones((3, 8))}, r"errors of shape \(3, 8\) is not allowed"),
        ({"errors": np.zeros((1, 2, 8))}, r"errors\[0, 0, 0\] = 0.0 is not allowed"),
        ({"errors": np.ones((1, 4, 3)), "P": [0, 0.5, 1]}, "more than 4 points"),
        ({"alpha": 0.0}, "alpha = 0.0 is not allowed"),
        ({"confidence": 1.0}, "confidence = 1.0 is not allowed"),
        ({"intervals": "jackknife"}, "intervals = 'jackknife' is not allowed"),
        ({"intervals": "bootstrap"}, "errors of 2 seeds are not allowed"),
    ],
)
def test_bad_arguments_of_a_fit_are_named(changes: dict[str, object], words: str) -> None:
    arguments = {"P": P, "errors": np.ones((1, 2, 8))} | changes
    with pytest.raises(ValueError, match=words):
        joint_fit(**arguments)  # type: ignore[arg-type]

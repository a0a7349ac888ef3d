"""The sampling laws: densities against quadrature, samples against distribution functions."""

from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from law_oracles import FALSE_ALARM, LimitModel, cdf, distance, panels, threshold
from scipy import special

from kernelspec.features import BiasedReLU
from kernelspec.laws import GaussianInit, Mixture, RidgeLeverage, Uniform, UniformBias

dimensions = st.integers(2, 40)
scales = st.floats(0.05, 20.0)
closed_laws = st.one_of(
    st.builds(Uniform, dimensions),
    st.builds(GaussianInit, dimensions, scales),
    st.builds(UniformBias, dimensions, scales),
)


# ---- densities -------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(closed_laws)
@example(GaussianInit(1000, 1.3))
@example(GaussianInit(2, 1e-3))
@example(UniformBias(1000, 0.1))
@example(UniformBias(2, 50.0))
@example(Mixture([GaussianInit(7, 0.3), UniformBias(7, 1.0)], [0.3, 0.7]))
@example(RidgeLeverage(LimitModel(6), 1.0))
def test_density_integrates_to_one(law):
    b, weight = panels(law)
    assert weight @ law.density(b) == pytest.approx(1, rel=1e-11)


@settings(deadline=None, max_examples=60)
@given(closed_laws, st.floats(-0.999, 0.999))
def test_density_is_the_derivative_of_the_distribution_function(law, b):
    low, high = b - 1e-3, min(b + 1e-3, 1.0)
    nodes, weight = panels(law, low, high)
    step = cdf(law, np.array([low, high]))
    assert weight @ law.density(nodes) == pytest.approx(step[1] - step[0], rel=1e-7, abs=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 12), scales, st.floats(-1, 1))
@example(2, 1.0, 1.0)
@example(12, 15.0, -1.0)
def test_gaussian_density_is_the_radial_integral(d, tau, b):
    """q(v) = |S^d| int_0^inf r^d phi(r w) phi(r b/tau)/tau dr."""
    with mpmath.workdps(20):
        square = 1 - mpmath.mpf(b) ** 2 + (mpmath.mpf(b) / tau) ** 2
        area = 2 * mpmath.pi ** (mpmath.mpf(d + 1) / 2) / mpmath.gamma(mpmath.mpf(d + 1) / 2)
        scale = 1 / mpmath.sqrt(square)
        radial = mpmath.quad(
            lambda r: r**d * mpmath.exp(-r * r * square / 2),
            [0, scale, 2 * scale, 4 * scale, 8 * scale, 16 * scale],
        )
        exact = area * radial / tau / (2 * mpmath.pi) ** (mpmath.mpf(d + 1) / 2)
        assert float(GaussianInit(d, tau).density(b) / exact) == pytest.approx(1, rel=2e-12)
        log_error = GaussianInit(d, tau).log_density(b) - mpmath.log(exact)
        assert abs(float(log_error)) < 1e-11


@settings(deadline=None, max_examples=40)
@given(closed_laws, st.lists(st.floats(-1, 1), min_size=1, max_size=4))
def test_log_density_is_the_logarithm(law, heights):
    density, logarithm = law.density(heights), law.log_density(heights)
    assert density.shape == logarithm.shape == (len(heights),)
    np.testing.assert_allclose(np.exp(logarithm), density, rtol=1e-11)


def test_densities_outside_float64_have_logarithms():
    wide, narrow = GaussianInit(1000, 10.0), GaussianInit(1000, 0.1)
    assert wide.density(1.0) == math.inf
    assert wide.log_density(1.0) == pytest.approx(1000 * math.log(10), rel=1e-14)
    assert narrow.density(-1.0) == 0
    assert narrow.log_density(-1.0) == pytest.approx(-1000 * math.log(10), rel=1e-14)
    mixture = Mixture([wide, narrow], [0.5, 0.5])
    assert mixture.log_density(1.0) == pytest.approx(1000 * math.log(10) - math.log(2), rel=1e-14)


@given(dimensions, st.floats(1e-3, 1e3))
@example(2, 1e300)
@example(5, 1.0)
def test_uniform_bias_is_supported_between_its_edges(d, tau):
    law = UniformBias(d, tau)
    low, high = law.breaks
    assert -1 < low < 0 < high < 1
    assert law.density(high) > 0
    assert law.density(low) > 0
    np.testing.assert_array_equal(law.density([-1.0, 1.0]), 0.0)
    assert law.density(np.nextafter(high, 2.0)) == 0
    assert law.log_density(1.0) == -math.inf


@given(dimensions, st.floats(-1, 1))
def test_uniform_is_gaussian_with_equal_scales(d, b):
    assert Uniform(d).density(b) == 1
    assert GaussianInit(d, 1.0).density(b) == pytest.approx(1, rel=1e-13)
    np.testing.assert_array_equal(Uniform(d).sample(5, 1), GaussianInit(d, 1.0).sample(5, 1))


def test_density_broadcasts_over_heights():
    b = np.linspace(-1, 1, 6).reshape(2, 3)
    model = BiasedReLU(3)
    laws = [Uniform(3), GaussianInit(3, 2), UniformBias(3, 1), RidgeLeverage(model, 0.1)]
    for law in [*laws, Mixture(laws, [0.25] * 4)]:
        assert law.density(b).shape == (2, 3)
        assert law.density(0.3).shape == ()
        assert law.density(b)[1, 2] == pytest.approx(float(law.density(1.0)), rel=1e-13)


# ---- samples ---------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(closed_laws, st.integers(0, 2**32))
@example(Mixture([GaussianInit(4, 0.2), GaussianInit(4, 5), UniformBias(4, 2)], [0.2, 0.3, 0.5]), 0)
@example(Mixture([Uniform(3), UniformBias(3, 1)], [0.0, 1.0]), 0)
@example(RidgeLeverage(LimitModel(2, 0), 1.0), 1)
@example(RidgeLeverage(LimitModel(5), 1.0), 2)
@example(RidgeLeverage(LimitModel(60, 3), 1.0), 3)
def test_samples_follow_the_law(law, seed):
    """Heights, directions and their independence: four tests, false alarm below 4e-9."""
    size = 50_000
    V = law.sample(size, seed)
    assert V.shape == (size, law.d + 1)
    np.testing.assert_allclose(np.sum(V**2, axis=1), 1, rtol=1e-13)
    b = V[:, -1]
    assert distance(b, cdf(law, b)) < threshold(size)
    # the projection of a uniform direction on any axis has a Beta distributed square
    axis = np.cos(np.arange(law.d) + 0.5)
    along = V[:, :-1] @ axis / np.linalg.norm(axis) / np.linalg.norm(V[:, :-1], axis=1)
    share = special.betainc(0.5, (law.d - 1) / 2, np.minimum(along**2, 1))
    uniform = 0.5 + np.sign(along) * share / 2
    assert distance(along, uniform) < threshold(size)
    for half in (b > np.median(b), np.abs(b) > np.median(np.abs(b))):
        assert distance(along[half], uniform[half]) < threshold(int(half.sum()))


def test_the_height_test_has_power():
    """The distance that separates laws whose tau differ by 5 % exceeds the threshold used."""
    b = GaussianInit(5, 1.05).sample(50_000, 0)[:, -1]
    assert distance(b, cdf(GaussianInit(5, 1.05), b)) < threshold(50_000)
    b = np.abs(b)
    folded = 2 * cdf(GaussianInit(5, 1.0), b) - 1
    assert distance(b, folded) > threshold(50_000)


@settings(deadline=None, max_examples=20)
@given(dimensions, scales, st.integers(0, 2**32))
def test_tau_scales_the_thresholds(d, tau, seed):
    """For one seed, b/|w| is proportional to tau."""

    def threshold_of(V):
        return V[:, -1] / np.linalg.norm(V[:, :-1], axis=1)

    scaled = threshold_of(GaussianInit(d, tau).sample(50, seed))
    plain = threshold_of(GaussianInit(d, 1.0).sample(50, seed))
    np.testing.assert_allclose(scaled, tau * plain, rtol=1e-12)


@pytest.mark.parametrize("tau", [1e-200, 1e-30, 1e30, 1e200])
def test_extreme_scales_stay_on_the_sphere(tau):
    V = GaussianInit(3, tau).sample(100, 0)
    np.testing.assert_allclose(np.sum(V**2, axis=1), 1, rtol=1e-13)
    assert np.all(np.abs(V[:, -1]) < 1e-20 if tau < 1 else np.abs(V[:, -1]) == 1)


@settings(deadline=None, max_examples=15)
@given(closed_laws, st.integers(0, 2**63))
@example(RidgeLeverage(LimitModel(4), 1.0), 5)
@example(Mixture([Uniform(3), UniformBias(3, 1)], [0.4, 0.6]), 6)
def test_same_seed_same_sample(law, seed):
    first = law.sample(7, seed)
    np.testing.assert_array_equal(first, law.sample(7, np.random.default_rng(seed)))
    np.testing.assert_array_equal(first, law.sample(7, np.random.SeedSequence(seed)))
    assert not np.array_equal(first, law.sample(7, seed + 1))
    rng = np.random.default_rng(seed)
    law.sample(7, rng)
    assert not np.array_equal(first, law.sample(7, rng))
    assert law.sample(0, seed).shape == (0, law.d + 1)


def test_mixture_rows_are_exchangeable():
    """The share of the first law among the first half of the rows; false alarm below 1e-9."""
    mixture = Mixture([GaussianInit(2, 1e-6), GaussianInit(2, 1e6)], [0.3, 0.7])
    low = np.abs(mixture.sample(40_000, 3)[:, -1]) < 0.5
    hoeffding = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * 20_000))
    assert abs(low[:20_000].mean() - 0.3) < hoeffding
    assert abs(low[20_000:].mean() - 0.3) < hoeffding


# ---- values ----------------------------------------------------------------------------


@given(closed_laws)
def test_laws_are_values(law):
    copy = pickle.loads(pickle.dumps(law))
    assert copy == law
    assert hash(copy) == hash(law)
    assert eval(repr(law)) == law
    with pytest.raises(FrozenInstanceError):
        law.d = 3
    assert law != Uniform(41)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Uniform(1), "d = 1 .* 2 to 1000"),
        (lambda: Uniform(2.5), "d = 2.5 .* 2 to 1000"),
        (lambda: GaussianInit(5, 0), "tau = 0 .* > 0"),
        (lambda: GaussianInit(5, math.nan), "tau = nan .* > 0"),
        (lambda: UniformBias(5, -1), "tau = -1 .* > 0"),
        (lambda: UniformBias(5, math.inf), "tau = inf .* > 0"),
        (lambda: RidgeLeverage(BiasedReLU(3), 0.0), "lam = 0.0 .* > 0"),
        (lambda: RidgeLeverage(BiasedReLU(3), 1.0).quantile(1.5), "u = 1.5 .* 0 to 1"),
        (lambda: Uniform(3).density([0.0, 1.5]), r"b\[1\] = 1.5 .* -1 to 1"),
        (lambda: Uniform(3).sample(-1, 0), "size = -1 .* >= 0"),
        (lambda: GaussianInit(3, 1).sample(1, -1), "rng = -1 .* seed"),
        (lambda: Mixture([], []), "weights"),
        (lambda: Mixture([Uniform(3)], [0.9]), "weights = .* sum to 1"),
        (lambda: Mixture([Uniform(3)], [0.5, 0.5]), "one weight for each of 1 laws"),
        (lambda: Mixture([Uniform(3), Uniform(4)], [0.5, 0.5]), "one dimension d"),
        (lambda: Mixture([Uniform(3), Uniform(3)], [1.5, -0.5]), r"weights\[0\] = 1.5"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Uniform("5"), "d = '5' .* 2 to 1000"),
        (lambda: GaussianInit(5, "wide"), "tau = 'wide' .* > 0"),
        (lambda: RidgeLeverage(5, 1.0), "model = 5 .* BiasedReLU"),
        (lambda: Uniform(3).sample(1, "seed"), "rng = 'seed' .* seed"),
        (lambda: Mixture([Uniform(3), 7], [0.5, 0.5]), "7 is no sampling law"),
    ],
)
def test_bad_types_are_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from kernelspec import BiasedReLU, RidgeLeverage, explicit_bound, multiplicity
from kernelspec.approximation import worst_case_error
from kernelspec.concentration import (
    OptimisedBound,
    _log_trace,
    _solve_threshold,
    _Spectrum,
    optimised_bound,
)


@given(
    d=st.sampled_from([2, 3, 5, 40]),
    order=st.integers(0, 2),
    m=st.integers(1, 10**7),
    kappa=st.floats(1, 1e3),
    log_delta=st.floats(-300, -0.1),
)
@settings(max_examples=15, deadline=None)
@example(d=3, order=1, m=1, kappa=1.0, log_delta=-0.01)
@example(d=2, order=1, m=10**7, kappa=1.0, log_delta=-1.0)
def test_is_never_looser(d: int, order: int, m: int, kappa: float, log_delta: float) -> None:
    model, delta = BiasedReLU(d, order), math.exp(log_delta)
    bound = optimised_bound(model, m, kappa, delta)
    assert bound.explicit == explicit_bound(model, m, kappa, delta)
    assert 0 < bound.value <= bound.explicit


def test_gains_what_a_lower_tail_of_positive_matrices_allows() -> None:
    # a two-sided bound needs m ~ 4.4 kappa N log; the lower tail alone about kappa N log
    for d in (2, 3, 5):
        bound = optimised_bound(BiasedReLU(d), 10**6, 1.0, 0.01)
        assert bound.value < bound.explicit / 3.0 ** BiasedReLU(d).decay_exponent


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (5, 1), (3, 0), (4, 2)])
@pytest.mark.parametrize("kappa", [1.0, 15.0])
def test_choices_certify_the_value(d: int, order: int, kappa: float) -> None:
    """The formula of the module, summed degree by degree, gives delta at the returned choices."""
    model, m, delta = BiasedReLU(d, order), 2000, 1e-3
    bound = optimised_bound(model, m, kappa, delta)
    lam, theta, beta = float(bound.lam), float(bound.tilt), float(bound.slope)
    K = 60_000
    mu, count = model.eigenvalues(K), multiplicity(d, np.arange(K + 1))
    N = float(model.degrees_of_freedom(lam))
    R = kappa * N / m
    h = (1 - math.exp(-theta * R)) / R
    c = mu / (mu + lam)
    g = theta * beta - h
    # beyond K the summand is g N_k c_k up to a relative g c_K
    rest = g * (N - float(count @ c))
    assert abs(g) * c[-1] < 1e-6
    trace = float(count @ np.expm1(g * c)) + rest + theta * (1 - beta) * N
    tau = beta * float(bound.value) / (lam + float(bound.value))
    failure = trace / (math.exp(theta * tau) - theta * tau - 1)
    assert 0 < tau < beta
    assert failure == pytest.approx(delta, rel=1e-7)


@pytest.mark.parametrize("theta", [0.5, 5.0, 40.0])
@pytest.mark.parametrize("beta", [0.2, 0.8, 1.0, 1.5])
def test_trace_bounds_the_exact_expectation_of_coupons(theta: float, beta: float) -> None:
    """Orthogonal, equally likely features: every matrix is diagonal, with binomial counts."""
    n, m, mu, lam = 30, 200, 0.3, 0.1
    spectrum = _Spectrum(np.array([mu]), np.array([n * mu]))
    c = mu / (mu + lam)
    R = n * c / m
    j = np.arange(m + 1)
    x = theta * (beta * c - R * j)
    exact = n * float(stats.binom.pmf(j, m, 1 / n) @ (np.expm1(x) - x))
    bound = math.exp(_log_trace(spectrum, lam, theta, beta, R))
    assert exact <= bound <= 1.25 * exact
    # and the probability that some direction is seen too seldom; counts are negatively
    # associated, so it is at least what independent counts would give
    for tau in (0.3 * beta * c, 0.6 * beta * c, 0.9 * beta * c):
        seldom = stats.binom.cdf(math.ceil((beta * c - tau) / R) - 1, m, 1 / n)
        y = theta * tau
        assert 1 - (1 - seldom) ** n <= bound / (math.exp(y) - y - 1)


def test_networks_keep_the_bound() -> None:
    # the bound exceeds the median error more than tenfold: no draw comes near it
    model, m = BiasedReLU(3), 128
    bound = optimised_bound(model, m, 1.0, 0.05)
    law = RidgeLeverage(model, float(bound.lam))
    rng = np.random.default_rng(5)
    errors = [worst_case_error(model, law.sample(m, rng)).upper for _ in range(20)]
    assert max(errors) < float(bound.value) < model.eigenvalues(0)[0]


@pytest.mark.parametrize("log_q", [-60.0, -3.0, -0.5, 0.0, 0.3, 5.0, 800.0])
def test_threshold_solves_its_equation(log_q: float) -> None:
    with mpmath.workdps(400):
        y = mpmath.mpf(_solve_threshold(log_q))
        assert abs(mpmath.log(mpmath.exp(y) - y - 1) - log_q) < 1e-12 * max(1, abs(log_q))


def test_falls_with_width_and_confidence_and_grows_with_mismatch() -> None:
    model = BiasedReLU(3)
    by_m = np.asarray(optimised_bound(model, [100, 200, 400, 800], 2.0, 0.1).value)
    by_kappa = np.asarray(optimised_bound(model, 5000, [1.0, 1.5, 2.0, 8.0], 0.1).value)
    by_delta = np.asarray(optimised_bound(model, 5000, 2.0, [0.5, 0.1, 1e-3, 1e-9]).value)
    assert np.all(np.diff(by_m) < 0)
    assert np.all(np.diff(by_kappa) > 0)
    assert np.all(np.diff(by_delta) > 0)


def test_shapes_follow_the_arguments() -> None:
    bound = optimised_bound(BiasedReLU(3), [[100], [200]], [1.0, 2.0, 3.0], 0.1)
    assert isinstance(bound, OptimisedBound)
    for name in ("value", "lam", "tilt", "slope", "explicit"):
        assert np.shape(getattr(bound, name)) == (2, 3)
    single = optimised_bound(BiasedReLU(3), 200, 2.0, 0.1)
    assert isinstance(single.value, float)
    assert single.value == np.asarray(bound.value)[1, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.0, 0.1), "m = 0"),
        ((10, 0.5, 0.1), "kappa = 0.5"),
        ((10, math.inf, 0.1), "kappa = inf"),
        ((10, 1.0, 1.0), "delta = 1.0"),
        (([10, 20], [1.0, 2.0, 3.0], 0.1), "broadcast"),
    ],
)
def test_bad_input_is_named(arguments: tuple[float, float, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        optimised_bound(BiasedReLU(3), *arguments)

"""Ridge leverage and degrees of freedom against long sums, identities and limits."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, limiting_leverage
from kernelspec.arccosine import kernel_at_one
from kernelspec.harmonics import squared_norm
from kernelspec.laws.base import height_constant
from kernelspec.spectrum import eigenvalue_constant
from kernelspec.testing import dimensions, heights, models, orders, ridges

KINK = math.sqrt(0.5)
ALL_HEIGHTS = np.array(
    [-1.0, -0.8, -KINK]
    + [-KINK * (1 - 10.0**-e) for e in (15, 12, 9, 7, 5, 4, 3, 2, 1)]
    + [-0.3, -1e-9, 0.0, 1e-3, 0.3, 0.5]
    + [KINK * (1 - 10.0**-e) for e in (1, 2, 3, 4, 5, 7, 9, 12, 15)]
    + [float(np.nextafter(KINK, 0)), KINK, float(np.nextafter(KINK, 1)), 0.75, 1 - 1e-12, 1.0]
)


def test_reference_values(reference):
    assert len(reference["degrees_of_freedom"]) == 4
    for row in reference["degrees_of_freedom"]:
        N = BiasedReLU(row["d"], row["s"]).degrees_of_freedom(float(row["lam"]))
        assert oracles.relative_error(N, row["value"]) < 1e-13, row
    assert len(reference["leverage"]) == 10
    for row in reference["leverage"]:
        value = BiasedReLU(row["d"], row["s"]).leverage(float(row["b"]), float(row["lam"]))
        assert oracles.relative_error(value, row["value"]) < 1e-13, row


# --- long sums -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "s", "lam", "K"),
    [
        (2, 1, 1e-2, 1500),
        (2, 0, 10.0, 2500),
        (3, 1, 1e-5, 1500),
        (3, 5, 1e-12, 1000),
        (5, 1, 1e-7, 1000),
        (5, 2, 1e-9, 800),
        (8, 1, 1e-8, 800),
        (20, 0, 1e-5, 800),
        (30, 3, 1e-10, 300),
    ],
)
def test_leverage_against_long_sums_with_exact_remainder(d, s, lam, K):
    model = BiasedReLU(d, s)
    N, error = oracles.degrees_of_freedom(d, s, lam, K)
    assert error < 1e-13 * N
    assert abs(float(model.degrees_of_freedom(lam)) - N) < 1e-13 * N + error
    b = ALL_HEIGHTS[::2]
    exact = [oracles.leverage(d, s, float(x), lam, K) for x in b]
    top = max(value for value, _ in exact)
    for computed, (value, error), x in zip(model.leverage(b, lam), exact, b, strict=True):
        # a neuron all but dead has only the digits that 1 - 2 b^2 leaves it
        relative = 1e-13 if value > 1e-3 * top else 1e-11 if value > 1e-30 * top else 1e-9
        assert abs(float(computed) - value) < relative * value + error + 1e-280, x
        if 0.01 < abs(x) < 0.7:
            assert error < 1e-13 * value


@pytest.mark.parametrize(
    ("d", "s", "lam"),
    [(2, 1, 1e-16), (2, 0, 1e-12), (3, 1, 1e-60), (5, 1, 1e-16), (10, 2, 1e-16), (30, 5, 1e-20)],
)
def test_degrees_of_freedom_at_small_ridges(d, s, lam):
    exact = oracles.degrees_of_freedom_integral(d, s, lam)
    assert oracles.relative_error(BiasedReLU(d, s).degrees_of_freedom(lam), exact) < 2e-14


def test_degrees_of_freedom_in_a_thousand_dimensions():
    N, error = oracles.degrees_of_freedom(1000, 1, 1e-16, 300)
    assert error < 1e-20 * N
    assert oracles.relative_error(BiasedReLU(1000).degrees_of_freedom(1e-16), N) < 1e-14


# --- an oracle at every angle --------------------------------------------------------------------


@pytest.mark.parametrize("s", [0, 1, 2, 5])
@pytest.mark.parametrize("d", [2, 3, 4, 7, 20, 60])
def test_at_a_huge_ridge_leverage_is_the_squared_norm(d, s):
    """lambda l = |phi_v|^2 up to 1e-14 at lambda = 1e14, also where the kink nears a pole."""
    scaled = 1e14 * BiasedReLU(d, s).leverage(ALL_HEIGHTS, 1e14)
    for value, b in zip(scaled, ALL_HEIGHTS, strict=True):
        exact = oracles.squared_norm(d, s, float(b))
        if exact < 1e-280:
            assert 0 <= value < 1e-270, b
            continue
        bound = 1e-13 if exact > 1e-10 else 1e-11 if exact > 1e-30 else 1e-9
        assert oracles.relative_error(value, exact) < bound, b


@pytest.mark.parametrize(("d", "s"), [(2, 0), (2, 1), (3, 1), (5, 1), (5, 3)])
def test_the_three_ways_of_summation_join(d, s):
    """Across the angles at which the method changes, l has no jump: a finite-difference test.

    K theta = 72 at the window levels, and at the last one, from which on Bessel functions serve.
    """
    lam, model = 1e-3, BiasedReLU(d, s)
    first = max(128, 6 * (d + 2 * s))
    for level in range(6):
        theta = 72 / (first * 2.0**level)
        angle = theta * (1 + np.array([-3e-6, -1e-6, 1e-6, 3e-6]))
        for c in (np.cos(angle), -np.cos(angle)):
            b = -c / np.sqrt(1 + c * c)
            value = np.log(model.leverage(b, lam))
            jump = value[2] - value[1] - (value[3] - value[0]) / 3  # zero for a straight line
            assert abs(jump) < 1e-11


# --- identities ----------------------------------------------------------------------------------


def neuron_rule(d, n):
    """Heights and weights of E_pi: a Gauss rule in the kink's angle, another on b > 1/sqrt(2)."""
    x, w = np.polynomial.legendre.leggauss(n)
    theta = (x + 1) * math.pi / 2
    c = np.cos(theta)
    kinked = w * math.pi / 2 * np.sin(theta) * (1 + c * c) ** (-(d + 1) / 2)
    angle = (x + 1) * math.pi / 8
    active = w * math.pi / 8 * np.sin(angle) ** (d - 1)
    b = np.concatenate([-c / np.hypot(1, c), np.cos(angle)])
    return b, height_constant(d) * np.concatenate([kinked, active])


@pytest.mark.parametrize(
    ("d", "s", "lam"),
    [
        (2, 1, 1e-4),
        (2, 0, 1e-1),
        (3, 1, 1e-6),
        (3, 4, 1e-12),
        (5, 1, 1e-7),
        (10, 2, 1e-10),
        (40, 1, 1e-6),
        (60, 0, 1e-4),
    ],
)
def test_mean_leverage_is_the_degrees_of_freedom(d, s, lam):
    model = BiasedReLU(d, s)
    b, weight = neuron_rule(d, 400)
    assert weight @ model.leverage(b, lam) == pytest.approx(
        float(model.degrees_of_freedom(lam)), rel=1e-11
    )


@given(models(), ridges(1e-16, 1e3), st.floats(1.001, 100))
def test_degrees_of_freedom_fall_with_the_ridge_and_stay_below_the_trace(model, lam, factor):
    large, small = model.degrees_of_freedom([lam, factor * lam])
    trace = kernel_at_one(model.d, model.order)
    assert small < large
    assert large < factor * small  # lambda N grows
    assert trace / (model.eigenvalues(0)[0] + lam) * (1 - 1e-13) <= large
    assert large <= trace / lam * (1 + 1e-13)


@given(models(), heights(), ridges(1e-16, 1e3), st.floats(1.001, 100))
@example(BiasedReLU(2, 0), -1.0, 1e-8, 2.0)
def test_leverage_falls_with_the_ridge_and_lies_between_its_bounds(model, b, lam, factor):
    """|phi|^2/(mu_0 + lambda) <= l <= |phi|^2/lambda."""
    d, s = model.d, model.order
    large, small = model.leverage(b, [lam, factor * lam])
    norm = float(squared_norm(d, s, np.array(b)))
    assert norm / (model.eigenvalues(0)[0] + lam) * (1 - 2e-11) <= large + 1e-280
    assert large <= norm / lam * (1 + 2e-11) + 1e-280
    assert small <= large <= factor * small * (1 + 1e-12) + 1e-280
    assert (large == 0) == (norm == 0) or norm < 1e-280


@given(models(), st.lists(heights(), min_size=1, max_size=5), st.lists(ridges(), max_size=4))
@settings(max_examples=6)
def test_leverage_broadcasts_and_agrees_with_itself_one_by_one(model, b, lam):
    b, lam = np.array(b), np.array(lam)
    grid = model.leverage(b[:, None], lam)
    assert grid.shape == (b.size, lam.size)
    alone = [[float(model.leverage(float(x), float(y))) for y in lam] for x in b]
    assert np.allclose(grid, np.reshape(alone, grid.shape), rtol=1e-12, atol=1e-280)
    assert model.degrees_of_freedom(lam.reshape(1, -1, 1)).shape == (1, lam.size, 1)
    if lam.size:
        # corresponding entries, the other way through the code
        pairs = np.arange(60) % b.size, np.arange(60) % lam.size
        scatter = np.linspace(0.9, 1.1, 60)
        found = model.leverage(b[pairs[0]] * scatter.clip(max=1), lam[pairs[1]] * scatter)
        expected = [
            float(model.leverage(float(b[i] * min(x, 1.0)), float(lam[j] * x)))
            for i, j, x in zip(*pairs, scatter, strict=True)
        ]
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-280)


@pytest.mark.parametrize(("d", "s"), [(2, 0), (3, 1), (5, 2)])
def test_corresponding_entries_agree_with_the_table(d, s):
    """Two ways through the code, for each class of angles."""
    model, lam = BiasedReLU(d, s), np.geomspace(1e-9, 10, ALL_HEIGHTS.size)
    table = model.leverage(ALL_HEIGHTS[:, None], lam)
    pairs = model.leverage(ALL_HEIGHTS, lam)
    assert np.allclose(pairs, np.diagonal(table), rtol=1e-12, atol=1e-280)


# --- small ridges --------------------------------------------------------------------------------


@given(dimensions(max_value=12), orders())
def test_slope_of_the_degrees_of_freedom_tends_to_one_over_alpha(d, s):
    """d log N / d log(1/lambda) -> 1/alpha, and N itself to its law of formula 4."""
    model, lam = BiasedReLU(d, s), np.array([1e-3, 1e-120, 1e-121])
    log_N = np.log(model.degrees_of_freedom(lam))
    alpha = model.decay_exponent
    assert (log_N[2] - log_N[1]) / math.log(10) == pytest.approx(1 / alpha, rel=1e-6)
    # C = A (2/(d-1)!)^alpha
    log_C = eigenvalue_constant(d, s)[1] + alpha * math.log(2 / math.factorial(d - 1))
    law = log_C / alpha + math.log(math.pi / alpha / math.sin(math.pi / alpha))
    assert log_N[1] == pytest.approx(law + 120 * math.log(10) / alpha, rel=1e-6)


@pytest.mark.parametrize(("d", "s"), [(2, 1), (3, 0), (4, 1), (6, 5), (10, 2)])
def test_leverage_tends_to_its_limit(d, s):
    """At lambda = 1e-280 the knee is beyond degree 1e20 for these d: l/N is its limit."""
    model = BiasedReLU(d, s)
    b = np.array([-0.65, -0.3, 0.0, 0.2, 0.6, 0.7])
    ratio = model.leverage(b, 1e-280) / model.degrees_of_freedom(1e-280)
    assert np.allclose(ratio, limiting_leverage(model, b), rtol=1e-11, atol=0)


@pytest.mark.parametrize("s", [0, 1, 5])
@pytest.mark.parametrize("d", [2, 3, 10, 100, 1000])
def test_extremes_give_numbers(d, s):
    model = BiasedReLU(d, s)
    lam = np.array([1e-280, 1e-100, 1e-16, 1.0, 1e280])
    with np.errstate(all="raise", under="ignore"):
        value, N = model.leverage(ALL_HEIGHTS[:, None], lam), model.degrees_of_freedom(lam)
    assert np.all(np.isfinite(value))
    assert np.all(value >= 0)
    assert np.all(value[ALL_HEIGHTS <= -KINK] == 0)
    assert np.all(value[ALL_HEIGHTS >= -0.3, :-1] > 0)  # the last may underflow
    assert np.all(np.isfinite(N))
    assert np.all(np.diff(N) < 0)
    assert np.all(np.diff(value, axis=1) <= 1e-12 * value[:, :-1])

"""Enclosures of kappa: reference digits, the float64 search, and every bound they rest on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flint import arb, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, GaussianInit, mismatch
from kernelspec.certify import balls
from kernelspec.certify.kappa_ball import _Jet, _Objective, enclose_mismatch

VALUES = json.loads((Path(__file__).parents[1] / "data" / "values.json").read_text())


def quick(count: int):
    return settings(deadline=None, max_examples=count, derandomize=True)


@pytest.mark.parametrize("entry", VALUES["mismatch"], ids=str)
def test_kappa_contains_reference(entry):
    found = enclose_mismatch(entry["d"], entry["tau"], entry["lam"], relative=1e-4)
    assert found.reached
    assert found.kappa.contains(arb(entry["kappa0"]) * arb(1, 1e-15))


@quick(25)
@given(st.integers(2, 15), st.floats(0.3, 12), st.floats(-4, 1))
@example(10, 0.5, -3.0)
@example(2, 1.0, -4.0)
@example(6, 1.0, 1.0)
def test_kappa_contains_float_search(d, tau, exponent):
    lam = 10.0**exponent
    value = float(mismatch(BiasedReLU(d), GaussianInit(d, tau), lam).kappa)
    found = enclose_mismatch(d, tau, lam, relative=1e-2)
    assert found.reached
    assert found.kappa.overlaps(arb(value, 1e-11 * value))
    assert float(found.kappa.rad()) <= 1e-2 * value


def objective(d: int, tau: float, lam: float, degree: int = 40) -> _Objective:
    with balls.precision(160):
        return _Objective(d, arb(tau), arb(lam), degree)


@quick(40)
@given(
    st.integers(2, 12),
    st.floats(0.4, 6),
    st.floats(-3, 0),
    st.integers(0, 99),
    st.sampled_from([1, 4, 20]),
    st.floats(0, 1),
)
@example(2, 1.0, -2.0, 0, 20, 0.5)
@example(2, 1.0, -2.0, 98, 1, 1.0)
def test_angle_bound_covers_its_points(d, tau, exponent, i, width, place):
    """l/q at a neuron of the box never exceeds the bound of the box."""
    lam = 10.0**exponent
    low, high = fmpq(i, 64), fmpq(i + width, 64)
    with balls.precision(160):
        angle = (arb(low) + (arb(high) - arb(low)) * place).min(arb.pi() / 2)
        z = angle.cos().nonnegative_part()
        b = z / (1 + z * z).sqrt()
        value = balls.leverage(d, b, arb(lam)) / balls.gaussian_density(d, arb(tau), b)
        assert not value > objective(d, tau, lam).angle(low, high).upper() * arb(1, 1e-20)


@quick(40)
@given(
    st.integers(2, 12), st.floats(0.4, 6), st.floats(-3, 0), st.integers(32, 60), st.floats(0, 1)
)
@example(5, 0.4, -1.0, 63, 1.0)
def test_linear_bound_covers_its_points(d, tau, exponent, i, place):
    lam = 10.0**exponent
    low, high = fmpq(i, 64), fmpq(min(i + 4, 64), 64)
    with balls.precision(160):
        b = (arb(low) + (arb(high) - arb(low)) * place).sqrt()
        value = balls.leverage(d, b, arb(lam)) / balls.gaussian_density(d, arb(tau), b)
        assert not value > objective(d, tau, lam).linear(low, high).upper() * arb(1, 1e-20)


@quick(30)
@given(st.integers(2, 12), st.floats(0.4, 6), st.floats(0.02, 1.5), st.floats(-1, 1))
@example(2, 1.0, 0.3, 1.0)
def test_jets_cover_their_functions(d, tau, middle, place):
    half = 0.01
    with balls.precision(160):
        target = objective(d, tau, 0.01, 12)
        m, t = arb(middle), arb(place * half)
        box = m + arb(0, half)
        for k, jet in enumerate(target._low_jets(m, box)):
            z = (m + t).cos()
            w = 1 / (1 + z * z).sqrt()
            value = (balls.coefficient(d, k, z * w) / w) ** 2
            line = jet.value + jet.slope * t
            assert abs(value - line) <= jet.bend * half * half
            assert abs(value - line) <= jet.bend * t * t + 1e-30
        jet = target.density_jet(m, box)
        z = (m + t).cos()
        value = ((1 + z * z / arb(tau) ** 2) / (1 + z * z)).sqrt() ** (d + 1) / (1 + z * z)
        assert abs(value - jet.value - jet.slope * t) <= jet.bend * t * t + 1e-30


@quick(40)
@given(
    st.integers(2, 8), st.floats(0.05, 1.5), st.sampled_from([1e-3, 0.02, 0.3]), st.floats(-1, 1)
)
@example(2, 1.5, 0.02, -1.0)
@example(3, 1.5, 0.3, 0.2)
def test_sum_jet_covers_the_high_degrees(d, middle, half, place):
    """Tiny ridges weigh all degrees by N_k/mu_k: the high ones matter; the tail is put aside."""
    half = min(half, middle / 2)
    with balls.precision(160):
        target = objective(d, 1.0, 1e-12, 24)
        target.tail = arb(0)
        m, t = arb(middle), arb(place * half)
        box = m + arb(0, half)
        jet = target.sum_jet(m, box, box.lower())
        z = (m + t).cos()
        w = 1 / (1 + z * z).sqrt()
        coefficients = balls.coefficients_all(d, 24, z * w)
        value = sum((g * (a / w) ** 2 for g, a in zip(target.weights, coefficients, strict=True)))
        bound = (jet.value + jet.slope * t + jet.bend * t * t).upper()
        assert value <= bound * (1 + arb(1e-20))


@quick(60)
@given(*[st.floats(-2, 2)] * 4, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1))
def test_product_of_jets_is_bounded(a, b, c, e, bend, other, half, place):
    left, right = _Jet(arb(a), arb(b), arb(bend)), _Jet(arb(c), arb(e), arb(other))
    t = place * half
    for sign in (-1, 1):
        for second in (-1, 1):
            value = (a + b * t + sign * bend * t * t) * (c + e * t + second * other * t * t)
            assert value <= left.times(right, arb(half)) + 1e-12


def test_budget_gives_a_wider_ball():
    sharp = enclose_mismatch(3, 10, 0.1, relative=1e-4)
    rough = enclose_mismatch(3, 10, 0.1, relative=1e-4, max_boxes=20)
    assert sharp.reached
    assert not rough.reached
    assert rough.kappa.overlaps(sharp.kappa)
    assert rough.kappa.rad() > 10 * sharp.kappa.rad()
    few = enclose_mismatch(3, 1, 1e-4, relative=1e-4, max_degree=8, max_boxes=200)
    assert not few.reached
    assert few.kappa.overlaps(enclose_mismatch(3, 1, 1e-4, relative=1e-2).kappa)


def test_lower_end_is_the_stated_neuron():
    found = enclose_mismatch(5, 3, 1e-2)
    ratio = balls.mismatch_ratio(5, arb(3), arb(found.b), arb(1e-2))
    assert found.kappa.overlaps(ratio)
    assert found.kappa.upper() >= ratio


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: enclose_mismatch(1, 1, 1), ValueError, "d = 1"),
        (lambda: enclose_mismatch(3, 0, 1), ValueError, "tau = "),
        (lambda: enclose_mismatch(3, 1, -1), ValueError, "lam = "),
        (lambda: enclose_mismatch(3, 1, 1, relative=0), ValueError, "relative = 0"),
        (lambda: enclose_mismatch(3, 1, 1, max_boxes=0), ValueError, "max_boxes = 0"),
        (lambda: enclose_mismatch(3, None, 1), TypeError, "tau = None"),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call()

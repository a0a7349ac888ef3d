"""Enclosures contain the truth: 50-digit values, identities, other routes, float64 functions."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import acb, arb, ctx, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec.certify import balls
from kernelspec.features import BiasedReLU

VALUES = json.loads((Path(__file__).parents[1] / "data" / "values.json").read_text())
DIMENSIONS = st.integers(2, 60)
ORDERS = st.integers(0, 3)
HEIGHTS = st.floats(-1, 1, allow_subnormal=False)
RIDGES = st.floats(1e-5, 10)


def quick(count: int):
    return settings(deadline=None, max_examples=count, derandomize=True)


def reference(entry: dict, key: str = "value") -> arb:
    """The true value: its decimals, off by less than one unit of the last certain digit."""
    value = arb(entry[key])
    return value * arb(1, arb(10) ** (1 - entry["digits"]))


def argument(text: object) -> arb:
    """A decimal argument as an exact fraction (a ball of it would be a little wide)."""
    fraction = Fraction(str(text))
    return arb(fmpq(fraction.numerator, fraction.denominator))


def agrees(ball: arb, entry: dict, relative: float = 1e-45, key: str = "value") -> bool:
    truth = reference(entry, key)
    if truth.is_zero():
        return ball.is_zero()
    return bool(ball.overlaps(truth) and abs(ball - truth) <= relative * abs(truth))


@pytest.mark.parametrize("entry", VALUES["eigenvalues"], ids=str)
def test_eigenvalue_contains_reference(entry):
    with balls.precision(256):
        assert agrees(balls.eigenvalue(entry["d"], entry["k"], entry["s"]), entry)


@pytest.mark.parametrize("entry", VALUES["kernel"], ids=str)
def test_kernel_contains_reference(entry):
    with balls.precision(256):
        assert agrees(balls.kernel(entry["d"], argument(entry["t"]), entry["s"]), entry)


@pytest.mark.parametrize("entry", VALUES["coefficients"], ids=str)
def test_coefficients_contain_reference(entry):
    d, k, s = entry["d"], entry["k"], entry["s"]
    with balls.precision(256):
        b = argument(entry["b"])
        assert agrees(balls.coefficient(d, k, b, s), entry)
        assert agrees(balls.coefficients_all(d, 12, b, s)[k], entry)


@pytest.mark.parametrize("entry", VALUES["degrees_of_freedom"], ids=str)
def test_degrees_of_freedom_contain_reference(entry):
    with balls.precision(192):
        ball = balls.degrees_of_freedom(entry["d"], argument(entry["lam"]), entry["s"])
        assert agrees(ball, entry, 1e-19)


@pytest.mark.parametrize("entry", VALUES["leverage"], ids=str)
def test_leverage_contains_reference(entry):
    with balls.precision(192):
        b, lam = argument(entry["b"]), argument(entry["lam"])
        assert agrees(balls.leverage(entry["d"], b, lam, entry["s"]), entry, 1e-19)


@pytest.mark.parametrize("entry", VALUES["mismatch"], ids=str)
def test_mismatch_ratio_contains_reference(entry):
    # b_max is rounded, but the ratio is flat there: the error is of second order.
    with balls.precision(192):
        tau, b, lam = (argument(entry[key]) for key in ("tau", "b_max", "lam"))
        ratio = balls.mismatch_ratio(entry["d"], tau, b, lam, entry["s"])
        assert abs(ratio - arb(entry["kappa0"])) <= 1e-18 * ratio


# --- independent routes -------------------------------------------------------------------------


def coefficient_by_integral(d: int, k: int, b: float, order: int) -> arb:
    """a_k = E[(|w| t + b)_+^s P_k(t)] by rigorous quadrature in the angle, t = cos(theta)."""
    height = arb(b)
    w = (1 - height * height).sqrt()
    low = arb(-1) if height > w else -height / w

    def integrand(z: acb, _: bool) -> acb:
        t, before, value = z.cos(), acb(1), z.cos()
        if k == 0:
            value = acb(1)
        for j in range(1, k):
            before, value = value, ((2 * j + d - 2) * t * value - j * before) / (j + d - 2)
        return (w * t + height) ** order * value * z.sin() ** (d - 2)

    mass = (arb(d) / 2).gamma() / (arb.pi().sqrt() * (arb(d - 1) / 2).gamma())
    return mass * acb.integral(integrand, 0, acb(low).acos()).real


@quick(40)
@given(st.integers(2, 12), st.integers(0, 12), st.floats(-0.69, 0.99), ORDERS)
@example(2, 0, 0.0, 0)
@example(2, 1, 0.70710678, 1)
@example(12, 12, -0.69, 3)
def test_coefficient_equals_its_integral(d, k, b, order):
    with balls.precision(128):
        ball = balls.coefficient(d, k, arb(b), order)
        slow = coefficient_by_integral(d, k, b, order)
        assert ball.overlaps(slow)
        assert slow.rad() < 1e-20
        assert ball.rad() < 1e-30


@quick(15)
@given(st.integers(2, 20), st.integers(0, 8), ORDERS)
@example(2, 0, 0)
@example(3, 2, 3)
def test_eigenvalue_equals_mean_square(d, k, order):
    """mu_k = E_pi a_k(v)^2, by a sum over boxes of heights that cover [-1, 1]."""
    boxes = 400
    with balls.precision(80):
        total = arb(0)
        weight = ((arb(d + 1)) / 2).gamma() / (arb.pi().sqrt() * (arb(d) / 2).gamma())
        for i in range(boxes):
            angle = (arb(fmpq(i, boxes)).union(arb(fmpq(i + 1, boxes)))) * arb.pi()
            height = -balls.monotone(lambda x: x.cos(), angle)
            density = weight * balls.square(angle.sin()).sqrt() ** (d - 1)
            total += balls.square(balls.coefficient(d, k, height, order)) * density
        mean = total * arb.pi() / boxes
        mu = balls.eigenvalue(d, k, order)
        assert mean.overlaps(mu)
        assert mean.rad() < 0.5 * mu + 1e-3


@quick(20)
@given(DIMENSIONS, ORDERS)
def test_traces_are_kernel_at_one(d, order):
    with balls.precision(128):
        one = balls.kernel_at_one(d, order)
        assert one.overlaps(balls.kernel(d, arb(1), order))
        partial = sum(
            (balls.multiplicity(d, k) * balls.eigenvalue(d, k, order) for k in range(60)), arb(0)
        )
        assert partial < one


@quick(20)
@given(DIMENSIONS, HEIGHTS, ORDERS)
@example(2, 1.0, 2)
@example(2, -1.0, 2)
@example(5, 0.7071067811865476, 1)
@example(5, 0.7071067811865475, 1)
def test_partial_norms_stay_below_norm(d, b, order):
    with balls.precision(128):
        norm = balls.feature_norm_squared(d, arb(b), order)
        coefficients = balls.coefficients_all(d, 80, arb(b), order)
        partial = sum(
            (balls.multiplicity(d, k) * a * a for k, a in enumerate(coefficients)), arb(0)
        )
        assert not partial > norm
        assert not partial < norm / 2


# --- wide balls ---------------------------------------------------------------------------------


@quick(60)
@given(
    st.integers(2, 40),
    st.integers(0, 30),
    st.floats(-1, 1),
    st.sampled_from([0.0, 1e-9, 1e-4, 0.02, 0.3]),
    st.floats(-1, 1),
)
@example(2, 30, 1.0, 0.3, -1.0)
def test_wide_gegenbauer_contains_points(d, n, middle, radius, place):
    wide = arb(middle, radius)
    point = arb(max(-1.0, min(1.0, middle + place * radius * (1 - 1e-12))))
    value = balls.gegenbauer(d, n, point)
    assert balls.gegenbauer(d, n, wide).overlaps(value)
    assert balls.gegenbauer_all(d, n, wide)[n].overlaps(value)
    assert value.rad() < 1e-12


@quick(60)
@given(
    st.integers(2, 20),
    st.integers(0, 12),
    HEIGHTS,
    st.sampled_from([1e-9, 1e-4, 0.02, 0.3]),
    st.floats(-1, 1),
    ORDERS,
)
@example(5, 0, 0.707, 0.02, 1.0, 1)
@example(5, 4, 0.9, 0.3, -1.0, 1)
@example(3, 1, -0.9, 0.3, 1.0, 1)
def test_wide_coefficient_contains_points(d, k, b, radius, place, order):
    point = arb(max(-1.0, min(1.0, b + place * radius * (1 - 1e-12))))
    value = balls.coefficient(d, k, point, order)
    wide = arb(b, radius)
    assert balls.coefficient(d, k, wide, order).overlaps(value)
    assert balls.coefficients_all(d, 12, wide, order)[k].overlaps(value)
    norm = balls.feature_norm_squared(d, point, order)
    assert balls.feature_norm_squared(d, wide, order).overlaps(norm)


@quick(20)
@given(st.integers(2, 12), st.floats(-0.9, 0.9), st.floats(1e-3, 1), st.floats(-1, 1))
def test_wide_leverage_contains_points(d, b, lam, place):
    wide, wide_lam = arb(b, 1e-3), arb(lam, lam / 10)
    point, point_lam = arb(b + place * 0.99e-3), arb(lam * (1 + 0.099 * place))
    options = {"relative": 1e-6, "max_degree": 64}
    assert balls.leverage(d, wide, wide_lam, **options).overlaps(
        balls.leverage(d, point, point_lam, **options)
    )
    wide_dof = balls.degrees_of_freedom(d, wide_lam, **options)
    assert wide_dof.overlaps(balls.degrees_of_freedom(d, point_lam, **options))


def test_squared_coefficient_takes_any_cut():
    for cut in (-3.0, -1.0, -0.2, 0.0, 0.7, 1.0, 5.0):
        b = -cut / np.hypot(1, cut)
        for k in range(5):
            squared = balls.coefficient_squared(4, k, arb(cut))
            direct = balls.coefficient(4, k, arb(b))
            assert abs(squared - direct * direct) < 1e-14
    assert balls.coefficient_squared(4, 3, arb(0, 10)).contains(
        balls.coefficient_squared(4, 3, arb(0.3))
    )


def test_truncation_only_widens():
    with balls.precision(128):
        exact = balls.leverage(3, arb(0.2), arb(1e-3))
        for last in (1, 3, 10, 40):
            rough = balls.leverage(3, arb(0.2), arb(1e-3), max_degree=last)
            assert rough.contains(exact)
            assert rough.rad() > exact.rad()
            rough = balls.degrees_of_freedom(3, arb(1e-3), max_degree=last)
            assert rough.overlaps(balls.degrees_of_freedom(3, arb(1e-3)))


@quick(20)
@given(st.integers(2, 30), st.floats(0.2, 20), st.floats(-1, 1))
def test_gaussian_density_is_the_formula(d, tau, b):
    ball = balls.gaussian_density(d, arb(tau), arb(b))
    direct = 1 / (tau * (1 - b * b + (b / tau) ** 2) ** ((d + 1) / 2))
    assert abs(ball - direct) <= 1e-12 * direct
    wide = balls.gaussian_density(d, arb(tau), arb(b, 0.1))
    assert wide.overlaps(ball)


# --- float64 functions of the library -----------------------------------------------------------


@quick(30)
@given(st.integers(2, 300), ORDERS)
@example(2, 0)
@example(300, 3)
def test_float_eigenvalues(d, order):
    values = BiasedReLU(d, order).eigenvalues(40)
    with balls.precision(128):
        for k, value in enumerate(values):
            ball = balls.eigenvalue(d, k, order)
            if ball > 1e-290:
                assert abs(arb(float(value)) - ball) <= 1e-12 * ball


@quick(60)
@given(DIMENSIONS, st.floats(-1, 1), ORDERS)
@example(2, -1.0, 1)
@example(2, 1.0, 1)
def test_float_kernel(d, t, order):
    value = float(BiasedReLU(d, order).kernel(t))
    with balls.precision(128):
        ball = balls.kernel(d, arb(t), order)
        assert abs(arb(value) - ball) <= 1e-12 * ball


@quick(40)
@given(DIMENSIONS, HEIGHTS, ORDERS)
@example(2, 0.0, 1)
@example(5, 0.7071067811865475, 1)
def test_float_coefficients(d, b, order):
    values = BiasedReLU(d, order).coefficients(b, 30)
    with balls.precision(160):
        exact = balls.coefficients_all(d, 31, arb(b), order)
        for k in range(31):
            # A coefficient has zeros in b: its error is measured by its neighbours, too.
            scale = sum((abs(exact[j]) for j in range(max(k - 1, 0), k + 2)), arb(0))
            assert abs(arb(float(values[k])) - exact[k]) <= 1e-12 * scale + 1e-290


@quick(15)
@given(st.integers(3, 12), HEIGHTS, RIDGES)
@example(3, 0.0, 1e-5)
@example(5, 0.707, 1e-3)
def test_float_leverage_and_dof(d, b, lam):
    model = BiasedReLU(d)
    leverage, dof = float(model.leverage(b, lam)), float(model.degrees_of_freedom(lam))
    with balls.precision(96):
        ball = balls.leverage(d, arb(b), arb(lam), relative=1e-14, max_degree=1024)
        assert ball.rad() <= 1e-13 * ball or ball < 1e-200
        assert abs(arb(leverage) - ball) <= 1e-12 * ball + 1e-290
        ball = balls.degrees_of_freedom(d, arb(lam), relative=1e-14, max_degree=1024)
        assert abs(arb(dof) - ball) <= 1e-12 * ball


# --- precision and refinement -------------------------------------------------------------------


def test_precision_is_restored_after_an_error():
    before = ctx.prec

    def fails():
        with balls.precision(999):
            assert ctx.prec == 999
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert ctx.prec == before


def test_refine_reaches_the_width():
    ball = balls.refine(lambda: balls.eigenvalue(7, 30), 1e-60)
    assert balls.relative_width(ball) <= 1e-60


@pytest.mark.parametrize(
    "stuck",
    [lambda: arb("nan"), lambda: arb(1, 0.5), lambda: arb(0, 1e-300)],
    ids=["nan", "wide", "around zero"],
)
def test_refine_gives_up(stuck):
    with pytest.raises(balls.Inconclusive, match="raise max_precision"):
        balls.refine(stuck, 1e-3, max_precision=512)


@quick(40)
@given(st.floats(-2, 2), st.sampled_from([0.0, 1e-3, 1.0]), st.integers(0, 9), st.floats(-1, 1))
def test_half_power_contains_points(x, radius, twice, place):
    point = x + place * radius * (1 - 1e-12)
    value = max(point, 0.0) ** (twice / 2)
    assert balls.half_power(arb(x, radius), twice).overlaps(arb(value, 1e-12 * (1 + value)))


def test_decimal_bounds_round_outwards():
    third = arb(fmpq(1, 3))
    low, high = balls.decimal_bounds(third, 5)
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert (low, high) == ("0.33333", "0.33334")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: balls.eigenvalue(1, 2), ValueError, "d = 1"),
        (lambda: balls.eigenvalue(3, -1), ValueError, "k = -1"),
        (lambda: balls.eigenvalue(3, 1, 6), ValueError, "order = 6"),
        (lambda: balls.kernel(3, float("nan")), ValueError, "t = nan"),
        (lambda: balls.coefficient(3, 1, True), TypeError, "b = True"),
        (lambda: balls.leverage(3, arb(0), arb(0)), ValueError, "lam = "),
        (lambda: balls.gaussian_density(3, arb(0, 1), arb(0)), ValueError, "tau = "),
        (lambda: balls.coefficient(3, 1, "high"), (TypeError, ValueError), "high"),
        (lambda: balls.coefficient(3, 1, arb(1.5)), ValueError, "b = "),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call()

"""The decay constants hold, the true exponent is certified and every other one refuted."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec.certify import balls, decay, series
from kernelspec.certify.decay import certify_decay, decay_exponent, eigenvalue_constant
from kernelspec.certify.spectrum_balls import hypergeometric_factor

DIMENSIONS = [2, 3, 4, 5, 7, 10, 30, 100]


def quick(count: int):
    return settings(deadline=None, max_examples=count, derandomize=True)


def scaled(d: int, k: int, order: int) -> arb:
    return balls.eigenvalue(d, k, order) * arb(fmpq(2 * k + d - 2, 2)) ** (d + 2 * order)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("order", [0, 1, 3])
def test_true_exponent_is_certified(d, order):
    proof = certify_decay(d, order)
    assert proof.verdict == "certified"
    assert proof.exponent == proof.alpha == Fraction(d + 2 * order, d - 1)
    assert [k for k, _ in proof.small] == list(range(proof.k0))
    assert 0 < proof.c1 <= proof.c2
    with balls.precision(192):
        for k in (proof.k0, proof.k0 + 1, 2 * proof.k0, 1000, 10**6):
            assert proof.c1 <= scaled(d, k, order) <= proof.c2


def test_leading_constant_of_the_relu():
    for d in (2, 5, 50):
        half = arb(d) / 2
        stated = arb(2) ** (d - 2) / arb(2).sqrt() * half.gamma() * (half + 1).gamma()
        stated /= arb.pi() ** 2 * (d + 1)
        assert eigenvalue_constant(d).overlaps(stated)


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (5, 0), (5, 1), (10, 2)])
def test_sorted_constants_hold(d, order):
    proof = certify_decay(d, order)
    power = arb(fmpq(proof.alpha.numerator, proof.alpha.denominator))
    last = 0
    for k in range(200):
        first, last = last + 1, last + int(balls.multiplicity(d, k))
        mu = balls.eigenvalue(d, k, order)
        for j in (first, last):
            assert not mu * arb(j) ** power < proof.sorted_lower
            assert not mu * arb(j) ** power > proof.sorted_upper


def test_sorted_constants_close_on_their_limit_blocks():
    """From a large degree on, one inequality leaves little room: each is nearly attained."""
    d, k0 = 4, 400
    upper = eigenvalue_constant(d) * (1 + arb(fmpq(1, 1000)))
    power = arb(2)  # alpha = (4+2)/(4-1)
    limit = eigenvalue_constant(d) * (arb(2) / 6) ** power
    low, high = decay._sorted_constants(d, 1, k0, upper)
    later = [balls.eigenvalue(d, k) * arb(decay._counted(d, k)) ** power for k in (k0, 4 * k0)]
    assert low <= limit <= high
    assert abs(later[0] - limit) < limit / 50
    assert abs(later[1] - limit) < abs(later[0] - limit)


def test_constants_close_on_each_other():
    widths = []
    for first in (10, 40, 160, 640):
        proof = certify_decay(5, first_degree=first)
        assert proof.verdict == "certified"
        assert proof.k0 == first
        widths.append(float(proof.c2 / proof.c1) - 1)
    assert widths[-1] < 1e-4
    assert all(late < early / 8 for early, late in pairwise(widths))


@pytest.mark.parametrize(
    ("exponent", "side"),
    [
        ("2", "no upper"),
        (2.0, "no upper"),
        ("7/5", "no lower"),
        (1, "no lower"),
        (1.75001, "no upp"),
    ],
)
def test_wrong_exponent_is_refuted(exponent, side):
    proof = certify_decay(5, exponent=exponent)
    assert proof.verdict == "refuted"
    assert proof.reason.startswith(side)


def test_exponent_of_another_kernel_is_refuted():
    assert certify_decay(5, order=0, exponent=decay_exponent(5, 1)).verdict == "refuted"
    assert certify_decay(5, order=2, exponent=decay_exponent(5, 1)).verdict == "refuted"
    assert certify_decay(6, exponent=decay_exponent(5)).verdict == "refuted"


def test_rounded_exponent_stands_for_the_exact_one():
    assert certify_decay(10, exponent=12 / 9).verdict == "certified"
    assert certify_decay(10, exponent=1.3333).verdict == "refuted"


@pytest.mark.parametrize("factor", [fmpq(1, 2), fmpq(999, 1000), fmpq(1001, 1000), 2])
def test_wrong_constant_is_not_certified(monkeypatch, factor):
    right = decay.eigenvalue_constant
    monkeypatch.setattr(decay, "eigenvalue_constant", lambda d, s: right(d, s) * factor)
    assert certify_decay(5, first_degree=800).verdict == "inconclusive"


def test_too_little_is_inconclusive(monkeypatch):
    monkeypatch.setattr(decay, "LAST_START", 0)
    proof = certify_decay(5)
    assert proof.verdict == "inconclusive"
    assert "use more bits" in proof.reason
    assert certify_decay(5, exponent=3).verdict == "inconclusive"


# --- the series ---------------------------------------------------------------------------------


@quick(60)
@given(st.integers(2, 200), st.integers(1, 60))
@example(2, 1)
@example(200, 60)
def test_two_sums_of_the_series_agree(two_l, n):
    with balls.precision(128):
        first = hypergeometric_factor(two_l, n)
        second = series.series_sum(n, arb(fmpq(2, two_l)))
        assert first.overlaps(second)
        assert abs(first - second) < 1e-30


@quick(40)
@given(st.integers(2, 200), st.integers(2, 60))
@example(2, 2)
def test_envelope_contains_the_series(two_l, n):
    with balls.precision(128):
        x = arb(fmpq(2, two_l))
        t1, late = series.first_term(n, x), series.late_terms(n, x)
        value = hypergeometric_factor(two_l, n)
        assert 1 - t1 - late <= value <= 1 - t1 + t1 * series.ratio(1, n, x) + late


def test_large_degree_is_cut_early():
    """The truncated sum at n = 5000 contains the full one."""
    with balls.precision(128):
        short = hypergeometric_factor(7, 5000)
    with balls.precision(256):
        full = arb(1)
        term = arb(1)
        x = arb(fmpq(2, 7))
        for j in range(200):
            term = term * series.ratio(j, 5000, x)
            full += term if j % 2 else -term
    assert short.overlaps(full)
    assert short.rad() < 1e-35


@quick(60)
@given(st.integers(2, 60), st.integers(-3, 40), st.sampled_from([0.5, 0.1, 1e-3, 1e-6]))
@example(2, -1, 0.5)
@example(2, 1, 0.5)
@example(60, 40, 1e-6)
def test_rest_of_a_truncated_series_is_enclosed(two_l, n, tolerance):
    n = max(n, 1 - two_l // 2)
    with balls.precision(256):
        exact = hypergeometric_factor(two_l, n)
    with balls.precision(128):
        rough = hypergeometric_factor(two_l, n, arb(tolerance))
        assert rough.contains(exact)
        assert rough.rad() <= 1.01 * tolerance
        if n >= 1:
            assert series.series_sum(n, arb(fmpq(2, two_l)), arb(tolerance)).contains(exact)


@quick(30)
@given(st.integers(2, 40), st.integers(0, 60), st.integers(0, 3))
def test_eigenvalues_fall(d, k, order):
    assert balls.eigenvalue(d, k + 1, order) < balls.eigenvalue(d, k, order)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: certify_decay(1), ValueError, "d = 1"),
        (lambda: certify_decay(5, exponent="steep"), ValueError, "exponent = 'steep'"),
        (lambda: certify_decay(5, exponent=-1), ValueError, "exponent = -1"),
        (lambda: certify_decay(5, exponent=float("nan")), ValueError, "exponent = nan"),
        (lambda: certify_decay(5, exponent=[1]), TypeError, "exponent = "),
        (lambda: certify_decay(5, first_degree=-2), ValueError, "first_degree = -2"),
        (lambda: certify_decay(5, bits=3), ValueError, "bits = 3"),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call()

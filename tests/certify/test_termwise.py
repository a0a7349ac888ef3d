"""The termwise bound: certified with the true constant, never with a smaller one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec.certify import balls, series, termwise
from kernelspec.certify.termwise import (
    certify_termwise,
    certify_termwise_in_every_dimension,
    degree_supremum,
    termwise_constant,
)

DIMENSIONS = [2, 3, 4, 5, 6, 10, 100, 1000]


def quick(count: int):
    return settings(deadline=None, max_examples=count, derandomize=True)


@pytest.mark.parametrize("d", DIMENSIONS)
def test_true_constant_is_certified(d):
    proof = certify_termwise(d)
    assert proof.verdict == "certified"
    assert proof.counterexample is None
    assert [k for k, _ in proof.margins] == list(range(2, proof.uniform_from + 1))
    assert all(margin > 0 for _, margin in proof.margins)
    assert certify_termwise(d, termwise_constant(d) * arb(fmpq(101, 100))).verdict == "certified"


def test_all_dimensions_at_once():
    proof = certify_termwise_in_every_dimension()
    assert proof.verdict == "certified"
    assert proof.d is None
    rough = certify_termwise_in_every_dimension(boxes=1)
    assert rough.verdict == "inconclusive"
    assert "use more boxes" in rough.reason


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("factor", [0.5, 0.99, 0.9999])
def test_smaller_constant_is_refuted(d, factor):
    proof = certify_termwise(d, termwise_constant(d) * factor)
    assert proof.verdict == "refuted"
    k, ratio = proof.counterexample
    assert k % 2 == 0
    assert ratio > proof.constant


@pytest.mark.parametrize("d", [2, 5, 30])
def test_counterexample_is_one(d):
    """The stated neuron b = 0 really exceeds the constant, by coefficient and eigenvalue."""
    proof = certify_termwise(d, termwise_constant(d) * 0.99)
    k, ratio = proof.counterexample
    with balls.precision(128):
        direct = balls.coefficient(d, k, arb(0)) ** 2 / balls.eigenvalue(d, k)
        assert direct > proof.constant
        assert direct.overlaps(ratio)


def test_constant_at_the_supremum_is_not_decided():
    wide = termwise_constant(5).union(termwise_constant(5) * 0.999)
    assert certify_termwise(5, wide).verdict == "inconclusive"
    close = certify_termwise(5, termwise_constant(5) - arb(2) ** -120)
    assert close.verdict == "inconclusive"
    assert "too close" in close.reason


@quick(80)
@given(
    st.integers(2, 60),
    st.integers(2, 40),
    st.floats(-0.7071, 0.7071),
    st.floats(1, 50),
)
@example(2, 3, 0.26, 1.0)
@example(2, 2, 0.0, 1.0)
@example(60, 40, 0.7, 50.0)
def test_no_neuron_exceeds_the_degree_bound(d, k, b, tau):
    with balls.precision(160):
        coefficient = balls.coefficient(d, k, arb(b))
        density = balls.gaussian_density(d, arb(tau), arb(b))
        ratio = coefficient**2 / (tau * density * balls.eigenvalue(d, k))
        assert not ratio > degree_supremum(d, k)
        assert degree_supremum(d, k) < termwise_constant(d)


@quick(30)
@given(st.integers(2, 60), st.integers(1, 20))
def test_even_degrees_attain_it_at_height_zero(d, half):
    with balls.precision(160):
        direct = balls.coefficient(d, 2 * half, arb(0)) ** 2 / balls.eigenvalue(d, 2 * half)
        supremum = degree_supremum(d, 2 * half)
        assert direct.overlaps(supremum)
        assert abs(direct - supremum) < 1e-30


@quick(30)
@given(st.integers(2, 60), st.integers(1, 20))
def test_odd_degrees_follow_the_sonin_bound(d, half):
    """B^2 P_n'(0)^2/((n+1)(n+d+1) mu_k), with P_n' = n(n+d+2)/(d+3) P_{n-1} of dimension d+6."""
    k = 2 * half + 1
    n = k - 2
    with balls.precision(160):
        slope = arb(n * (n + d + 2)) / (d + 3) * balls.gegenbauer(d + 6, n - 1, arb(0))
        # a_2(0) = c_d/(d^2-1), as P_0 = 1.
        amplitude = balls.coefficient(d, 2, arb(0))
        bound = (amplitude * slope) ** 2 / ((n + 1) * (n + d + 1) * balls.eigenvalue(d, k))
        assert bound.overlaps(degree_supremum(d, k))


@quick(10)
@given(st.integers(2, 12), st.integers(2, 8))
def test_sonin_bound_holds_on_the_whole_interval(d, k):
    """No box of heights has a_k^2/mu_k certainly above the bound, and boxes cover everything."""
    boxes = 200
    supremum = degree_supremum(d, k)
    highest = 0.0
    for i in range(boxes):
        box = (arb(fmpq(i, boxes)).union(arb(fmpq(i + 1, boxes)))) / arb(2).sqrt()
        value = balls.square(balls.coefficient(d, k, box)) / balls.eigenvalue(d, k)
        assert not value > supremum
        highest = max(highest, float(value.upper()))
    assert highest < 1.1 * float(supremum)


@quick(40)
@given(st.integers(0, 30), st.floats(2, 500))
def test_gamma_part_falls_with_nu(n, nu):
    with balls.precision(128):
        low, high = arb(nu), arb(nu) * fmpq(5, 4)
        assert termwise._gamma_part(n, high) < termwise._gamma_part(n, low)


@quick(40)
@given(st.integers(0, 30), st.integers(0, 15), st.integers(1, 8))
def test_gamma_bound_covers_its_box(n, i, wide):
    with balls.precision(128):
        low, high = fmpq(i, 32), fmpq(min(i + wide, 16), 32)
        bound = termwise._gamma_bound(n, arb(low).union(arb(high)))
        for x in (low + (high - low) / 10**6, (low + high) / 2, high):
            assert not termwise._gamma_part(n, 1 / arb(x)) > bound


@quick(40)
@given(st.integers(4, 200), st.integers(2, 200))
def test_uniform_inequality_is_inherited(n, d):
    with balls.precision(128):
        x = arb(fmpq(2, d + 2))
        if termwise._uniform_room(n, x) > 0:
            assert termwise._uniform_room(n + 1, x) > 0
            assert termwise._single_margin(n, x) > 0


@quick(30)
@given(st.integers(2, 100), st.integers(2, 60))
def test_single_margin_is_the_ratio(d, k):
    with balls.precision(128):
        margin = termwise._single_margin(k - 2, arb(fmpq(2, d + 2)))
        direct = 1 - degree_supremum(d, k) / termwise_constant(d)
        assert margin.overlaps(direct)


@pytest.mark.parametrize("factor", [fmpq(9, 10), fmpq(99, 100)])
def test_smaller_eigenvalues_are_not_certified(monkeypatch, factor):
    """A kernel with smaller eigenvalues breaks the bound: the proof must notice."""
    right = series.series_sum
    monkeypatch.setattr(termwise, "series_sum", lambda n, x: right(n, x) * factor)
    assert certify_termwise(5).verdict == "inconclusive"


def test_nan_is_inconclusive(monkeypatch):
    monkeypatch.setattr(termwise, "_single_margin", lambda n, x: arb("nan"))
    assert certify_termwise(5).verdict == "inconclusive"
    assert certify_termwise(5, 1).verdict == "inconclusive"
    assert certify_termwise_in_every_dimension(boxes=8).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: certify_termwise(1), ValueError, "d = 1"),
        (lambda: certify_termwise(5, float("inf")), ValueError, "constant = inf"),
        (lambda: certify_termwise(5, [3]), TypeError, "constant = "),
        (lambda: certify_termwise(5, bits=1), ValueError, "bits = 1"),
        (lambda: certify_termwise_in_every_dimension(boxes=0), ValueError, "boxes = 0"),
        (lambda: degree_supremum(5, 1), ValueError, "k = 1"),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_constant_may_be_exact():
    assert certify_termwise(2, Fraction(17, 4)).verdict == "certified"
    assert certify_termwise(2, "4.24").verdict == "refuted"

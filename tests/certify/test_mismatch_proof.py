"""The mismatch constant: certified where true with room, refuted where false, never mixed up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, GaussianInit, mismatch
from kernelspec.certify import balls, block
from kernelspec.certify.arithmetic import precision
from kernelspec.certify.block import Block, Box
from kernelspec.certify.constants import (
    SquareRoot,
    exact_constant,
    exact_rational,
    limit_constant,
    theorem_constant,
)
from kernelspec.certify.mismatch import certify_mismatch, prove
from kernelspec.certify.positivity import Ridges, coefficient_matrix, matrix, product
from kernelspec.certify.refute import largest_ratio
from kernelspec.certify.sharpest import sharpest_constant, smallest_tau
from kernelspec.certify.tail import Tail, choose_tail, curvature_range, paired_room, ratio_bounds

LIMITS = {"max_precision": 1024, "max_boxes": 1024, "max_degree": 128}


def quick(count: int):
    return settings(deadline=None, max_examples=count, derandomize=True)


# The theorem's constant


@pytest.mark.parametrize(
    ("d", "tau"),
    [(d, 1) for d in range(2, 6)] + [(d, Fraction(27, 25)) for d in (6, 7, 8, 10, 20, 50, 100)],
)
def test_theorem_constant_is_certified(d, tau):
    result = certify_mismatch(d, tau, theorem_constant(d))
    assert result.verdict == "certified", result.reason
    assert result.counterexample is None
    assert largest_ratio(d, Fraction(tau), refine=False)[0] <= float(theorem_constant(d))


@pytest.mark.parametrize("d", [6, 7, 10, 30, 100])
def test_theorem_constant_is_refuted_at_tau_one(d):
    result = certify_mismatch(d, 1, theorem_constant(d))
    assert result.verdict == "refuted"
    found = result.counterexample
    assert found.b.denominator.bit_count() == found.lam.denominator.bit_count() == 1  # dyadic
    with precision(128):
        assert found.ratio > theorem_constant(d).ball()
    kappa = mismatch(BiasedReLU(d), GaussianInit(d, 1.0), float(found.lam)).kappa
    assert float(found.ratio.mid()) == pytest.approx(kappa, rel=1e-6)


def test_constants_may_be_numbers():
    assert certify_mismatch(5, 1.0, float(theorem_constant(5))).verdict == "certified"
    assert certify_mismatch(5, 1, Fraction(34, 5)).verdict == "certified"
    assert certify_mismatch(5, 1, 6.78).verdict == "certified"
    assert certify_mismatch(5, 1, 5.99).verdict == "refuted"  # the supremum is d + 1


# Sharper constants


@pytest.mark.parametrize(("d", "multiple"), [(2, 1.02), (3, 1.02), (5, 1.01), (10, 1.02)])
def test_close_to_the_limit_for_wide_biases(d, multiple):
    result = certify_mismatch(d, 2, limit_constant(d) * Fraction(multiple))
    assert result.verdict == "certified", result.reason
    assert result.tail.kind == "paired"


TICK = Fraction(1, 10_000)


@pytest.mark.parametrize("d", [2, 5, 10])
def test_limit_is_never_certified_and_less_is_refuted(d):
    at_limit = certify_mismatch(d, 2, limit_constant(d), max_degree=64)
    assert at_limit.verdict == "inconclusive"
    assert "limit" in at_limit.reason
    assert certify_mismatch(d, 2, limit_constant(d) * Fraction(95, 100)).verdict == "refuted"


def test_brackets_enclose_the_supremum():
    bracket = sharpest_constant(4, Fraction(27, 25))
    truth = largest_ratio(4, Fraction(27, 25), refine=True)[0]
    low, high = float(bracket.refuted.constant), float(bracket.certified.constant)
    assert low <= truth <= high <= 1.003 * truth
    bracket = smallest_tau(6, theorem_constant(6))
    assert bracket.certified.tau - bracket.refuted.tau == Fraction(1, 10_000)
    assert 1.0083 < bracket.refuted.tau < 1.0085  # numerically 1.0084


@pytest.mark.parametrize("ticks", [0, 84, 85, 86, 500, 10_000])
def test_a_guess_changes_the_work_and_not_the_bracket(ticks):
    bracket = smallest_tau(6, theorem_constant(6), guess=1 + Fraction(ticks, 10_000))
    assert (bracket.certified.verdict, bracket.refuted.verdict) == ("certified", "refuted")
    assert (bracket.refuted.tau, bracket.certified.tau) == (TICK * 10084, TICK * 10085)


def test_a_guess_does_not_hide_that_one_is_enough():
    bracket = smallest_tau(5, theorem_constant(5), guess=Fraction(3, 2))
    assert (bracket.certified.tau, bracket.refuted) == (1, None)


@quick(8)
@given(
    d=st.integers(2, 9),
    tau=st.sampled_from([1.0, 1.05, 1.3, 2.0, 10.0]),
    factor=st.sampled_from([0.9, 0.99, 0.9999, 1.0001, 1.05, 2.0]),
)
@example(d=6, tau=1.0, factor=1.0001)
@example(d=9, tau=1.3, factor=0.9999)
def test_verdicts_agree_with_the_float_supremum(d, tau, factor):
    """The supremum over all ridges is at least the largest ratio found, and at least the limit."""
    found = largest_ratio(d, Fraction(tau), refine=True)[0]
    truth = max(found, float(limit_constant(d)))
    result = certify_mismatch(d, tau, factor * truth, **LIMITS)
    assert result.verdict != ("certified" if factor < 1 else "refuted")
    if factor >= 1.05:
        assert result.verdict == "certified", result.reason
    if factor <= 0.9:
        assert result.verdict == "refuted", result.reason


@pytest.mark.parametrize(("d", "tau"), [(2, 1), (6, 1), (20, Fraction(27, 25)), (5, 2)])
@pytest.mark.parametrize("factor", [Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)])
def test_proof_search_alone_never_proves_a_false_constant(d, tau, factor):
    """Without the search for counterexamples in front of it."""
    truth = max(largest_ratio(d, Fraction(tau), refine=True)[0], float(limit_constant(d)))
    claim = exact_constant(truth) * factor
    outcome = prove(d, Fraction(tau), claim, **LIMITS)
    assert isinstance(outcome, str)


# What stops a search


def test_inconclusive_says_why():
    claim = limit_constant(5) * Fraction(1001, 1000)
    assert certify_mismatch(5, 2, claim, max_degree=32).reason.startswith("budget")
    assert certify_mismatch(5, 2, claim, max_boxes=16).reason.startswith("budget")
    assert certify_mismatch(5, 2, claim, max_precision=128).reason.startswith("precision")
    narrow = certify_mismatch(4, 0.9, 100.0)
    assert narrow.verdict == "inconclusive"
    assert "tau >= 1" in narrow.reason


def test_wide_balls_are_inconclusive_not_proofs(monkeypatch):
    """Balls that know nothing, as from a lost precision: never certified, never refuted."""
    unknown = arb(0, 1)
    monkeypatch.setattr(block, "gegenbauer_all", lambda d, n, t: [unknown] * (n + 1))
    outcome = prove(5, Fraction(2), limit_constant(5) * Fraction(11, 10), **LIMITS)
    assert isinstance(outcome, str)
    monkeypatch.setattr(block, "gegenbauer_all", lambda d, n, t: [arb("nan")] * (n + 1))
    outcome = prove(5, Fraction(2), limit_constant(5) * Fraction(11, 10), **LIMITS)
    assert isinstance(outcome, str)


@pytest.mark.parametrize(
    ("arguments", "error", "name"),
    [
        ((1, 1, 1), ValueError, "d = 1"),
        ((2.5, 1, 1), ValueError, "d = 2.5"),
        ((5, 0, 1), ValueError, "tau = 0"),
        ((5, Fraction(1, 10**400), 1), ValueError, "tau = Fraction"),
        ((5, 1, 1e308), ValueError, "constant = 1e"),
        ((5, math.nan, 1), ValueError, "tau = nan"),
        ((5, "1", 1), TypeError, "tau = '1'"),
        ((5, 1, -2), ValueError, "constant = -2"),
        ((5, 1, math.inf), ValueError, "constant = inf"),
        ((5, 1, SquareRoot(Fraction(-1))), ValueError, "constant"),
        ((5, 1, True), TypeError, "constant = True"),
    ],
)
def test_bad_arguments(arguments, error, name):
    with pytest.raises(error, match=name):
        certify_mismatch(*arguments)


def test_extreme_numbers():
    assert certify_mismatch(5, 1e299, 100).verdict == "certified"
    assert certify_mismatch(5, 1e-299, 100).verdict == "refuted"
    assert certify_mismatch(5, 1, 1e299).verdict == "certified"
    assert certify_mismatch(5, 1, 1e-299).verdict == "refuted"


def test_exact_numbers():
    assert exact_rational("tau", np.float64(0.1)) == Fraction(0.1)
    assert exact_rational("tau", np.int64(3)) == 3
    with precision(200):
        assert theorem_constant(3).ball().overlaps(arb(32).sqrt() * fmpq(4, 3))
        assert (
            not exact_constant(float(theorem_constant(3)))
            .ball()
            .overlaps(theorem_constant(3).ball())
        )


# The parts of the proof


@quick(15)
@given(
    d=st.integers(2, 30),
    scale=st.integers(3, 9),
    place=st.floats(0.0, 0.999),
    inside=st.floats(0.0, 1.0),
    kind=st.sampled_from(["termwise", "paired"]),
    tau=st.sampled_from([Fraction(1), Fraction(27, 25), Fraction(5)]),
)
@example(d=2, scale=3, place=0.999, inside=1.0, kind="paired", tau=Fraction(1))
@example(d=30, scale=9, place=0.0, inside=0.0, kind="paired", tau=Fraction(5))
def test_angle_boxes_enclose_their_points(d, scale, place, inside, kind, tau):
    """The two columns of a box, interpolated, contain the numerators computed from a_k itself."""
    with precision(256):
        last = 9
        claim = limit_constant(d) * 3
        worked = Block(d, tau, claim, Tail(kind, last))
        index = int(place * (1 << scale) * math.pi / 2)
        left, right = worked.angle_columns(Box(index, index + 1, scale))
        theta = (index + inside) / (1 << scale)
        z = math.cos(theta)
        if z < 0:
            return
        z = arb(theta).cos()
        b = z / (1 + z * z).sqrt()
        squares = [a * a * (1 + z * z) for a in balls.coefficients_all(d, last + 1, b)]
        big = (1 + z * z) / (balls.gaussian_density(d, arb(1), b))  # (1 + z^2), q_1 = 1
        big *= arb(fmpq(tau.numerator, tau.denominator)) * balls.gaussian_density(
            d, arb(fmpq(tau.numerator, tau.denominator)), b
        )
        term = [claim.ball() * balls.eigenvalue(d, k) * big - squares[k] for k in range(last + 2)]
        share = arb(inside)
        mixed = [x + (y - x) * share for x, y in zip(left, right, strict=True)]
        for k in range(last + 1):
            assert mixed[k].overlaps(balls.multiplicity(d, k) * term[k])
        if kind == "paired":
            n, mu = balls.multiplicity(d, last + 1), balls.eigenvalue(d, last + 1)
            expected = n * (term[last + 1] / 2 - mu / balls.eigenvalue(d, last) * term[last] / 4)
            assert mixed[last + 1].overlaps(expected)


@quick(20)
@given(
    low=st.floats(0.0, 10.0),
    factor=st.floats(1.001, 1e6),
    t=st.floats(0.0, 1e3),
    infinite=st.booleans(),
)
@example(low=0.0, factor=2.0, t=0.0, infinite=True)
def test_coefficients_are_those_of_the_sum(low, factor, t, infinite):
    """At t the polynomial is the sum over k of e_k/(mu_k+lambda), up to a positive factor."""
    mu = [arb(2) ** -k for k in range(7)]
    e = [arb(k * k - 5) for k in range(7)]
    high = None if infinite else Fraction(low * factor + 1)
    with precision(192):
        rows = product(coefficient_matrix(mu, Ridges(Fraction(low), high)), matrix([e]))
        at = sum((row[0] * arb(t) ** j for j, row in enumerate(rows)), arb(0))
        shifted = [m + arb(low) for m in mu]
        if high is None:
            lam, slopes = arb(low) + shifted[3] * t, [shifted[3] / s for s in shifted]
        else:
            top = arb(fmpq(high.numerator, high.denominator))
            lam = (arb(low) + top * t) / (1 + arb(t))
            slopes = [(m + top) / s for m, s in zip(mu, shifted, strict=True)]
        scale = arb(1)
        for c in slopes:
            scale *= 1 + c * t
        if high is not None:
            scale /= 1 + arb(t)
        exact = scale * sum((x / (m + lam) for x, m in zip(e, mu, strict=True)), arb(0))
        assert abs(at - exact) <= arb(2) ** -60 * (1 + abs(exact) + scale / mu[-1])


def _float_terms(d, top):
    """f_k/Gamma on a grid of angles, by the float routines of the library."""
    model = BiasedReLU(d)
    theta = np.concatenate([np.geomspace(1e-3, 0.3, 400), np.linspace(0.3, math.pi / 2, 4001)])
    z = np.cos(theta)
    a = model.coefficients(z / np.sqrt(1 + z * z), top)
    return a**2 / model.eigenvalues(top)[:, None] / float(limit_constant(d))


@pytest.mark.parametrize("d", [2, 3, 5, 12, 40])
@pytest.mark.parametrize("degree", [8, 20, 45])
def test_paired_lemma_bounds_what_it_says(d, degree):
    """Three neighbours, single degrees and the bend of the weights, against direct evaluation."""
    f = _float_terms(d, 80)
    triples = f[degree:-2] / 2 + f[degree + 1 : -1] + f[degree + 2 :] / 2
    with precision(128):
        single, triple, spread = ratio_bounds(d, degree - 1)
        s_low, s_high = curvature_range(d, degree + 1 + fmpq(d, 2), spread)
        valid = paired_room(d, degree, arb(1.5)).is_finite()  # its side conditions hold
    assert 1.99 < f[degree:].max() <= 2 * float(single) + 1e-9
    if valid:
        assert triples.max() <= 2 * float(triple) + 1e-9
    assert valid or degree < 2 * d
    mu = BiasedReLU(d).eigenvalues(80)
    counts = np.array([float(balls.multiplicity(d, k)) for k in range(81)])
    for lam in [0.0, *(mu[::7]), 1.0]:
        g = counts * mu / (mu + lam)
        bend = (g[2:] - 2 * g[1:-1] + g[:-2]) / g[1:-1]
        assert float(s_low) - 1e-9 <= bend[degree + 1 :].min()
        assert bend[degree + 1 :].max() <= float(s_high) + 1e-9


def test_paired_lemma_needs_room():
    with precision(128):
        assert choose_tail(5, arb(1), 512) is None
        assert choose_tail(5, arb(1.0001), 64) is None
        assert choose_tail(5, arb(1.01), 512).kind == "paired"
        assert choose_tail(5, arb(4), 512) == Tail("termwise", 1)
        assert not paired_room(5, 8, arb(1.05)) >= 0
        assert not paired_room(3, 5, arb(20)).is_finite()  # next to the pole
        assert paired_room(3, 6, arb(20)) > 0


# Mutants: a broken ingredient must not turn a false statement into a proof


def test_mutant_eigenvalues_that_fall_faster(monkeypatch):
    """A kernel with smaller eigenvalues has a larger mismatch: its block must fail."""
    real = balls.eigenvalue
    monkeypatch.setattr(block, "eigenvalue", lambda d, k: real(d, k) / (k + 1))
    outcome = prove(5, Fraction(2), limit_constant(5) * Fraction(102, 100), **LIMITS)
    assert isinstance(outcome, str)


def test_mutant_exponent_of_the_density(monkeypatch):
    """With the exponent d/2 instead of (d+1)/2 in q the constant below is too small."""
    claim = limit_constant(5) * Fraction(223, 100)  # true at 1.08, by 0.1 per cent
    assert not isinstance(prove(5, Fraction(27, 25), claim, **LIMITS), str)
    real = block.half_power
    monkeypatch.setattr(block, "half_power", lambda x, twice: real(x, twice - (twice == 6)))
    assert isinstance(prove(5, Fraction(27, 25), claim, **LIMITS), str)

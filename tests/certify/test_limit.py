"""The limit of the mismatch: every inequality of its proof, the rate, and both sides."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from flint import arb, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, GaussianInit, mismatch
from kernelspec.certify import balls, limit, termwise, triples
from kernelspec.certify.decay import eigenvalue_constant
from kernelspec.certify.limit import enclose_near_limit, limit_rate
from kernelspec.certify.triples import triple_constants

BITS = 160
STARTS = {2: 10, 3: 10, 5: 10, 10: 11, 20: 11, 50: 20, 100: 37}


def quick(count: int):
    return settings(deadline=None, max_examples=count, derandomize=True)


def limit_of(d: int) -> arb:
    return arb(2).sqrt() * fmpq(d + 1, d)


def kappa_of(d: int, k: int) -> fmpq:
    return fmpq(2 * k + d - 2, 2)


def share(d: int, k: int, b: arb) -> arb:
    """f_k = a_k(v)^2/mu_k."""
    return balls.square(balls.coefficient(d, k, b)) / balls.eigenvalue(d, k)


def neighbours(d: int, k: int) -> tuple[arb, arb]:
    """alpha_k and beta_k."""
    nu, n = fmpq(d + 2, 2), k - 2
    mu = [balls.eigenvalue(d, i) for i in (k - 1, k, k + 1)]
    return (
        n / (2 * (n + nu)) * mu[0] / mu[1],
        (n + 2 * nu) / (2 * (n + nu)) * mu[2] / mu[1],
    )


def weight(d: int, k: int, lam: arb) -> arb:
    mu = balls.eigenvalue(d, k)
    return balls.multiplicity(d, k) * mu / (mu + lam)


@pytest.mark.parametrize(("d", "start"), STARTS.items())
def test_the_proof_starts_early(d, start):
    with balls.precision(BITS):
        found = triple_constants(d, start)
        assert found is not None
        later = triple_constants(d, 2 * start)
        for name in ("triple", "weights", "height_zero", "bend"):
            assert getattr(later, name) < getattr(found, name) * arb(fmpq(101, 100))


@quick(60)
@given(st.sampled_from(sorted(STARTS)), st.floats(1, 8), st.floats(-0.70710678, 0.70710678))
@example(2, 1.0, 0.1)
@example(5, 1.0, 0.05)
@example(100, 1.0, 0.7)
def test_triple_inequality(d, factor, b):
    with balls.precision(BITS):
        constants = triple_constants(d, STARTS[d])
        k = math.floor(factor * STARTS[d])
        alpha, beta = neighbours(d, k)
        height = arb(b)
        left = share(d, k, height)
        left += alpha * share(d, k - 1, height) + beta * share(d, k + 1, height)
        assert left <= 2 * limit_of(d) * (1 + constants.triple / kappa_of(d, k) ** 2)


@quick(40)
@given(st.integers(2, 30), st.integers(3, 40), st.floats(0.01, 3.13))
def test_triple_identity(d, k, angle):
    """|w|^2 (1 + c^2) = 1 turns the three squares into a quadratic form in P and P'."""
    n, nu = k - 2, fmpq(d + 2, 2)
    with balls.precision(BITS):
        theta = arb(angle)
        c, sine = theta.cos(), theta.sin()
        p = [balls.gegenbauer(d + 4, i, c) for i in (n - 1, n, n + 1)]
        slope = -sine * arb(n * (n + d + 2)) / (d + 3) * balls.gegenbauer(d + 6, n - 1, c)
        left = p[1] ** 2 + (n * p[0] ** 2 + (n + 2 * nu) * p[2] ** 2) / (2 * (n + nu))
        right = (1 + c * c) * p[1] ** 2 + sine**2 * slope**2 / (n * (n + 2 * nu))
        assert left.overlaps(right)
        assert abs(left - right) < 1e-25


@quick(80)
@given(st.sampled_from(sorted(STARTS)), st.floats(1, 8), st.floats(-6, 6))
@example(2, 1.0, 0.0)
@example(100, 1.0, -6.0)
def test_weight_inequalities(d, factor, exponent):
    with balls.precision(BITS):
        constants = triple_constants(d, STARTS[d])
        k = math.floor(factor * STARTS[d])
        lam = balls.eigenvalue(d, k) * arb(10) ** arb(exponent)
        g = [weight(d, i, lam) for i in (k - 1, k, k + 1)]
        beta, alpha = neighbours(d, k - 1)[1], neighbours(d, k + 1)[0]
        square = kappa_of(d, k) ** 2
        combined = (g[1] + beta * g[0] + alpha * g[2]) / 2
        assert combined >= g[1] * (1 - constants.weights / square)
        assert g[0] - 2 * g[1] + g[2] <= 2 * constants.bend * g[1] / square


@quick(40)
@given(st.sampled_from(sorted(STARTS)), st.integers(0, 200))
def test_height_zero_inequality(d, more):
    k = STARTS[d] + more
    with balls.precision(BITS):
        constants = triple_constants(d, STARTS[d])
        if k % 2 == 0:
            room = 1 - constants.height_zero / kappa_of(d, k) ** 2
            assert share(d, k, arb(0)) >= 2 * limit_of(d) * room


# --- the constants have little to spare ---------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 8, 40])
def test_equator_factor_is_nearly_attained(d):
    """Against the larger of the two products of step 2, maximised over a grid of angles."""
    nu, kappa, split = (d + 2) / 2, 50.0 * (d + 2), 0.8
    a, m = nu * (nu - 1), kappa**2 - nu**2
    largest = 1.0
    for i in range(1, 4000):
        c = math.sqrt(1 - split) * i / 4000
        s, z = 1 - c * c, kappa**2 * (1 - c * c) - a
        shared = s ** (nu - 1) * math.exp(nu * c / math.sqrt(z))
        quotient = (1 + nu / m) * (1 - c * c) / (1 + c * c)
        largest = max(largest, shared * (1 + a * c * c / z), shared * quotient)
    nu_exact, kappa_exact = fmpq(d + 2, 2), fmpq(50 * (d + 2))
    factor = float(triples._equator_factor(nu_exact, kappa_exact, fmpq(4, 5)))
    assert largest <= factor
    # Z at the split, 0.8 kap^2, stands for Z near the equator: a fifth of the excess is spare.
    assert factor - 1 <= 1.35 * (largest - 1)


@pytest.mark.parametrize("d", [2, 3, 5, 20])
def test_other_constants_are_nearly_attained(d):
    """Far out, the bounds are close to the quantities that they bound."""
    k = 60 * d + 1000
    with balls.precision(BITS):
        found = triple_constants(d, k)
        square, kappa = kappa_of(d, k) ** 2, kappa_of(d, k)
        mu = [balls.eigenvalue(d, i) for i in (k - 1, k, k + 1)]
        fall, rise = mu[0] / mu[1] - 1, 1 - mu[2] / mu[1]
        u = fmpq(k * (k + d - 1), k + d - 3) / kappa
        v = fmpq((k - 1) * (k + d - 2), k + 1) / kappa
        direct = (
            fmpq(max(d - 3, 0)) / ((k + 1) * (k + d - 3)) + (u * fall - v * rise) / 4
        ) * square
        # noise: F may change by 2 T_1 = nu/(4 kap^2), counted although it changes by O(kap^-3)
        spare = (fmpq(d + 2, 2) / 8 * 2) / 4 * arb(fmpq(11, 10)) + fmpq(1, 2)
        assert direct <= found.weights <= direct + spare
        counts = [balls.multiplicity(d, i) for i in (k - 1, k, k + 1)]
        up, down = arb(counts[2]) / counts[1], arb(counts[0]) / counts[1]
        flat = up + down - 2
        direct = (flat + (down * fall - up * rise).max(arb(0))) * square / 2
        assert direct <= found.bend <= direct + 2 * spare
        quotient = termwise._gamma_part(k - k % 2 - 2, arb(fmpq(d + 2, 2)))
        assert (1 - quotient) * kappa_of(d, k - k % 2) ** 2 <= found.height_zero * arb(1.001)
        assert found.height_zero <= (1 - quotient) * square * arb(1.02)


@pytest.mark.parametrize(("d", "lam"), [(5, 0.1), (10, 0.1), (10, 1e-3)])
def test_upper_side_holds_above_the_limit(d, lam):
    """At large ridges kappa exceeds its limit, and the upper side must still hold."""
    kappa = float(mismatch(BiasedReLU(d), GaussianInit(d, 1.0), lam).kappa)
    sides = enclose_near_limit(d, 1, lam)
    assert sides.limit < kappa
    assert sides.lower <= kappa <= sides.upper


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("tau", [1.0, 3.0])
@pytest.mark.parametrize("scale", [3, 12, 50])
def test_float_mismatch_lies_between(d, tau, scale):
    lam = float(eigenvalue_constant(d)) / scale ** (d + 2)
    kappa = float(mismatch(BiasedReLU(d), GaussianInit(d, tau), lam).kappa)
    sides = enclose_near_limit(d, tau, lam, relative=1e-8, max_degree=2048)
    assert sides.lower <= kappa * (1 + 1e-10)
    assert kappa * (1 - 1e-10) <= sides.upper


@pytest.mark.parametrize(("d", "power"), [(2, 1.0), (3, 1.8), (5, 2.0)])
def test_sides_close_at_the_stated_rate(d, power):
    gaps = []
    for scale in (40, 160):
        lam = eigenvalue_constant(d).mid() / arb(scale) ** (d + 2)
        sides = enclose_near_limit(d, 2, lam, relative=1e-7, max_degree=4096)
        assert sides.lower < sides.limit < sides.upper
        gaps.append(float((sides.upper - sides.lower) / sides.limit))
    # The leading term has this power; the next one still helps at these ridges.
    assert gaps[1] <= gaps[0] / 4 ** (power - 0.15)
    assert gaps[1] < 0.15


@pytest.mark.parametrize("d", [2, 3, 4, 5, 10])
def test_closed_form_covers_the_sums(d):
    rate = limit_rate(d)
    lam = rate.largest_lam.mid() / 100
    with balls.precision(BITS):
        sides = enclose_near_limit(d, 1, lam, relative=1e-7, max_degree=2048)
        deviation = rate.deviation(lam)
        assert sides.upper <= sides.limit * (1 + deviation)
        assert sides.lower >= sides.limit * (1 - deviation)


@pytest.mark.parametrize(("d", "power"), [(2, 1.0), (3, 1.7), (4, 2.0), (7, 2.0)])
def test_deviation_falls_at_its_rate(d, power):
    rate = limit_rate(d)
    lams = [rate.largest_lam.mid() / arb(10) ** (i * (d + 2)) for i in (3, 4, 5)]
    bounds = [rate.deviation(lam) for lam in lams]
    for early, late in pairwise(bounds):
        assert late <= early / arb(10) ** arb(power)
    assert bounds[-1] < 1e-3


def test_count_and_squares_bound_the_sums():
    for d in (2, 3, 4, 5, 9):
        for scale in (15.0, 31.5, 80.25):
            degrees = [k for k in range(200) if kappa_of(d, k) <= fmpq(int(4 * scale), 4)]
            count = sum(int(balls.multiplicity(d, k)) for k in degrees)
            squares = sum(
                (balls.multiplicity(d, k) / arb(kappa_of(d, k)) ** 2 for k in degrees if k >= 10),
                arb(0),
            )
            assert limit._count_below(d, arb(scale)) <= count
            assert limit._count_below(d, arb(scale)) >= count * 0.5
            assert limit._inverse_squares(d, 10, arb(scale)) >= squares


@pytest.mark.parametrize("name", ["triple", "weights", "bend"])
def test_checks_that_fail_stop_the_proof(monkeypatch, name):
    """Without its side conditions the proof does not start."""
    broken = {
        "triple": ("_edge_is_small", lambda *_: False),
        "weights": ("_middle_is_small", lambda *_: False),
        "bend": ("series_settled", lambda *_: False),
    }[name]
    monkeypatch.setattr(triples, *broken)
    monkeypatch.setattr(limit, "LAST_START", 50)
    with pytest.raises(ArithmeticError, match="use more bits"):
        limit_rate(5)


def test_side_conditions_are_needed():
    """Too early a degree is refused by the conditions on the edge and the middle."""
    nu = fmpq(12, 2)
    assert not triples._edge_is_small(nu, fmpq(7), fmpq(2))
    assert triples._edge_is_small(nu, fmpq(40), fmpq(2))
    assert not triples._middle_is_small(nu, fmpq(8), fmpq(5, 4), fmpq(19, 20))
    assert triples._middle_is_small(nu, fmpq(60), fmpq(2), fmpq(4, 5))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: limit_rate(1), ValueError, "d = 1"),
        (lambda: limit_rate(3).deviation(1.0), ValueError, "lam = "),
        (lambda: limit_rate(3).deviation(arb(0, 1e-20)), ValueError, "lam = "),
        (lambda: enclose_near_limit(3, 0.5, 1e-3), ValueError, "tau = "),
        (lambda: enclose_near_limit(3, 1, 0), ValueError, "lam = "),
        (lambda: enclose_near_limit(3, 1, "small"), TypeError, "lam = "),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call()

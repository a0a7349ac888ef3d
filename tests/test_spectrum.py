"""Eigenvalues: the closed form against three other routes, its sum and its asymptotics."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from kernelspec import BiasedReLU, coordinate_quadrature, gegenbauer, multiplicity
from kernelspec._gamma import half_step, log_symmetric_ratio
from kernelspec.arccosine import kernel_at_one
from kernelspec.laws.base import height_constant
from kernelspec.spectrum import eigenvalue_constant, weights
from kernelspec.testing import degrees, dimensions, models, orders


def log_error(value, exact):
    """Relative error of a logarithm."""
    with mp.workdps(oracles.DIGITS):
        exact = mp.log(exact)
        return float(abs((mpf(float(value)) - exact) / exact))


def test_reference_values(reference):
    assert len(reference["eigenvalues"]) == 38
    for row in reference["eigenvalues"]:
        mu = BiasedReLU(row["d"], row["s"]).eigenvalues(row["k"])
        assert mu.shape == (row["k"] + 1,)
        assert oracles.relative_error(mu[row["k"]], row["value"]) < 1e-13, row


# --- routes to mu_k ------------------------------------------------------------------------------


@given(dimensions(max_value=1000), orders(), degrees(400))
@example(2, 0, 10**4)
@example(10, 5, 70)  # the smallest n whose 3F2 stops at its least term is 64
@example(10, 5, 69)
@example(7, 1, 65)
@example(1000, 5, 6)
def test_closed_form_against_the_hypergeometric_function(d, s, k):
    if k <= s and s != 1:
        return
    exact = oracles.eigenvalue(d, s, k)
    model = BiasedReLU(d, s)
    if exact > 1e-300:
        assert oracles.relative_error(model.eigenvalues(k)[k], exact) < 1e-14
    assert log_error(model.eigenvalues(k, log=True)[k], exact) < 1e-14


@given(dimensions(max_value=12), orders(), degrees(14))
@example(2, 5, 0)
@example(2, 5, 5)
@example(12, 5, 3)
@example(60, 4, 2)
def test_closed_form_against_funk_hecke(d, s, k):
    """mu_k = E_t[K(t) P_k(t)], to 50 digits less what cancels."""
    mu = BiasedReLU(d, s).eigenvalues(k)[k]
    assert oracles.relative_error(mu, oracles.funk_hecke(d, s, k)) < 1e-14


@given(dimensions(max_value=200), orders(), degrees(20))
def test_closed_form_against_funk_hecke_for_the_kernel_of_the_model(d, s, k):
    """The same with the model's own kernel and Gauss rule; the integrand is even in the angle."""
    model = BiasedReLU(d, s)
    t, weight = angle_rule(d, 120)
    moment = float(weight @ (model.kernel(t) * gegenbauer(d, k, t)[k]))
    assert abs(moment - model.eigenvalues(k)[k]) < 2e-14 * kernel_at_one(d, s)


def angle_rule(d, n):
    """Nodes t = cos(phi) and weights of E_t, by a Gauss-Legendre rule in phi."""
    x, w = np.polynomial.legendre.leggauss(n)
    phi = (x + 1) * math.pi / 2
    weight = w * np.sin(phi) ** (d - 2)
    return np.cos(phi), weight / weight.sum()


def neuron_rule(d, n):
    """Heights and weights of E_pi on the kinked region, then on the wholly active one."""
    x, w = np.polynomial.legendre.leggauss(n)
    theta = (x + 1) * math.pi / 2
    c = np.cos(theta)
    kinked = w * math.pi / 2 * np.sin(theta) * (1 + c * c) ** (-(d + 1) / 2)
    angle = (x + 1) * math.pi / 8
    active = w * math.pi / 8 * np.sin(angle) ** (d - 1)
    b = np.concatenate([-c / np.hypot(1, c), np.cos(angle)])
    return b, height_constant(d) * np.concatenate([kinked, active])


@given(dimensions(max_value=60), orders(), st.integers(0, 80))
@example(300, 1, 20)
@example(2, 0, 300)
@example(2, 5, 5)
def test_closed_form_against_the_mean_square_of_coefficients(d, s, K):
    """mu_k = E_pi a_k^2: positive terms, hence full relative accuracy."""
    model = BiasedReLU(d, s)
    n = 2 * (d + K) + 120  # a_k^2 is a trigonometric polynomial of degree 2(d+s+K-2)
    b, weight = neuron_rule(d, n)
    assert weight[:n].sum() + 2 * weight[n:].sum() == pytest.approx(1, rel=1e-13)  # with the dead
    second = model.coefficients(b, K) ** 2 @ weight
    assert np.allclose(second, model.eigenvalues(K), rtol=1e-12, atol=0)


@given(dimensions(max_value=60), orders(), degrees(12))
def test_closed_form_against_its_integral_in_higher_dimension(d, s, n):
    """mu_k = (s!)^2/(2 pi (d)_{2s+1}) E_{d+2s+2}[((1-t)(3+t))^{-1/2} P_n(t)], n = k-s-1."""
    D = d + 2 * s + 2
    t, weight = angle_rule(D, 150)
    density = gegenbauer(D, n, t)[n] / np.sqrt((1 - t) * (3 + t))
    scale = math.factorial(s) ** 2 / (2 * math.pi * math.prod(range(d, d + 2 * s + 1)))
    third = scale * float(weight @ density)
    mean = scale * float(weight @ (1 / np.sqrt((1 - t) * (3 + t))))
    mu = BiasedReLU(d, s).eigenvalues(n + s + 1)[-1]
    assert abs(third - mu) < 1e-13 * mean
    if n == 0:
        assert third == pytest.approx(mu, rel=1e-13)


# --- size, order, sum ----------------------------------------------------------------------------


@given(models())
def test_eigenvalues_are_positive_and_fall(model):
    mu = model.eigenvalues(200)
    assert np.all(mu > 0)
    assert np.all(np.diff(mu) < 0)
    assert np.array_equal(model.eigenvalues(0), mu[:1])
    assert np.allclose(np.log(mu), model.eigenvalues(200, log=True), rtol=1e-14, atol=0)


@given(dimensions(), orders())
@example(2, 0)
@example(100, 5)
@example(1000, 1)
def test_eigenvalues_sum_to_the_trace(d, s):
    """Sum N_k mu_k = K(1): 20,000 degrees and the leading term of the rest."""
    K = 20_000
    model = BiasedReLU(d, s)
    terms = weights(d, s, K)
    if d <= 20:
        plain = multiplicity(d, np.arange(K + 1)) * model.eigenvalues(K)
        assert np.allclose(terms, plain, rtol=1e-14, atol=0)
    kap = K + 0.5 + (d - 2) / 2
    # N_k ~ 2 kap^{d-2}/(d-2)! and mu_k ~ A kap^{-(d+2s)}; the next terms are L^3/(3 kap^2) at most
    rest = terms[-1] * (kap - 0.5) ** (2 * s + 2) / ((2 * s + 1) * kap ** (2 * s + 1))
    relative = (d / 2 + s) ** 3 / kap**2
    assert abs(math.fsum(terms) + rest - kernel_at_one(d, s)) < (
        1e-13 * kernel_at_one(d, s) + relative * rest
    )


@given(dimensions(max_value=100), orders())
@example(1000, 1)
def test_decay_and_its_constant(d, s):
    """mu_k = A kap^{-(d+2s)} (1 + O(L^3/kap^2)); the second term as derived for s = 1."""
    L, K = (d + 2 * s) / 2, 50_000
    kap = K + (d - 2) / 2
    log_mu = float(BiasedReLU(d, s).eigenvalues(K, log=True)[-1])
    ratio = log_mu + 2 * L * math.log(kap) - eigenvalue_constant(d, s)[1]
    rounding = 1e-15 * 2 * L * math.log(kap)
    assert abs(ratio) < L**3 / kap**2 + rounding
    if s == 1:
        second = L * (8 * L * L - 5) / 24 / kap**2
        assert abs(ratio - second) < L**5 / kap**4 + rounding


@given(dimensions(max_value=120))
def test_constant_of_the_relu_as_published(d):
    """A_d = 2^{d-5/2} Gamma(d/2) Gamma(d/2+1) / (pi^2 (d+1))."""
    log_A = (d - 2.5) * math.log(2) + math.lgamma(d / 2) + math.lgamma(d / 2 + 1)
    log_A -= math.log(math.pi**2 * (d + 1))
    assert math.log(BiasedReLU(d).eigenvalue_constant) == pytest.approx(log_A, rel=1e-13, abs=1e-13)
    assert BiasedReLU(d).decay_exponent == (d + 2) / (d - 1)


# --- extremes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "s"), [(2, 0), (2, 5), (3, 1), (5, 1), (50, 2), (1000, 1), (1000, 5)]
)
def test_degree_one_million(d, s):
    k = 10**6
    exact = oracles.eigenvalue(d, s, k)
    model = BiasedReLU(d, s)
    mu = model.eigenvalues(k)
    assert np.all(np.isfinite(mu))
    assert np.all(mu >= 0)
    if exact > 1e-300:
        assert oracles.relative_error(mu[k], exact) < 1e-13
    else:
        assert mu[k] == 0
        assert log_error(model.eigenvalues(k, log=True)[k], exact) < 1e-14


def test_logarithm_where_the_value_underflows():
    model = BiasedReLU(1000, 5)
    mu, log_mu = model.eigenvalues(3000), model.eigenvalues(3000, log=True)
    assert mu[-1] == 0
    assert np.all(np.diff(log_mu) < 0)
    first = int(np.flatnonzero(log_mu < -700)[0])  # here the formula changes
    for k in (*range(first - 1, first + 30), 3000):  # below -708 the value loses its digits
        assert log_error(log_mu[k], oracles.eigenvalue(1000, 5, k)) < 1e-14


# --- Gamma functions -----------------------------------------------------------------------------


@given(st.one_of(st.floats(0.5, 40), st.floats(0.5, 1e8)))
@settings(max_examples=100)
def test_half_step(x):
    with mp.workdps(40):
        exact = mp.gamma(mpf(x)) / mp.gamma(mpf(x) + mpf(1) / 2)
    assert oracles.relative_error(half_step(x), exact) < 2e-15


@given(st.floats(-600, 600), st.floats(20, 1e8))
@settings(max_examples=100)
def test_log_symmetric_ratio(a, gap):
    kap = abs(a) + gap
    with mp.workdps(40):
        exact = mp.loggamma(mpf(kap) + mpf(a) + mpf(1) / 2)
        exact -= mp.loggamma(mpf(kap) - mpf(a) + mpf(1) / 2)
        error = float(abs(mpf(float(log_symmetric_ratio(np.array([kap]), a)[0])) - exact))
    assert error < 2e-15 * max(abs(a) * math.log(kap), 1)


def test_gauss_rule_of_one_coordinate_agrees_with_the_angle():
    for d in (2, 3, 9):
        (t, w), (u, v) = coordinate_quadrature(d, 40), angle_rule(d, 100)
        assert w @ np.exp(t) == pytest.approx(v @ np.exp(u), rel=1e-14)

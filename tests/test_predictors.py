from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import brentq, minimize_scalar

from kernelspec import (
    BiasedReLU,
    GaussianInit,
    Law,
    Mixture,
    RidgeLeverage,
    Uniform,
    UniformBias,
    draw_network,
    multiplicity,
)
from kernelspec.approximation import worst_case_error
from kernelspec.predictors import (
    _blocks,
    _edge,
    active_share,
    deterministic_equivalent,
    deterministic_equivalent_of,
    equivalent,
    equivalent_width,
    homogeneous_constant,
    homogeneous_error,
    kink_share,
    leverage_share,
    resolved_share,
    shares,
    supremum_share,
)
from kernelspec.predictors._heights import height_rule

Array = np.ndarray

# ---------------------------------------------------------------- shares


@given(d=st.sampled_from([2, 3, 7, 40, 300]), log_tau=st.floats(-4, 7))
@settings(max_examples=25, deadline=None)
def test_active_share_of_the_initialisation_is_that_of_student(d: int, log_tau: float) -> None:
    # sqrt(d) c/tau is Student's t with d degrees of freedom
    tau = math.exp(log_tau)
    expected = 1 - 2 * stats.t.sf(math.sqrt(d) / tau, d)
    law = GaussianInit(d, tau)
    assert active_share(law) == pytest.approx(expected, rel=1e-7)
    alive = stats.t.cdf(math.sqrt(d) / tau, d)
    assert height_rule(law).weight.sum() == pytest.approx(alive, rel=1e-6)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
def test_kink_share_of_uniform_thresholds_is_a_beta_function(d: int, gamma: float) -> None:
    for tau in (1.0, 2.5):
        expected = special.beta(0.5, gamma + 1) / 2 / tau
        assert kink_share(UniformBias(d, tau), gamma) == pytest.approx(expected, rel=1e-6)
    exact = special.beta(0.5, d / 2) / 2
    assert kink_share(UniformBias(d, 1.0)) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("d", [2, 3, 10])
def test_leverage_shares_are_one_where_they_must_be(d: int) -> None:
    model = BiasedReLU(d)
    lam = float(model.eigenvalues(6)[6])
    trained = RidgeLeverage(model, lam)
    assert leverage_share(model, Uniform(d), lam) == pytest.approx(1, rel=1e-8)
    assert supremum_share(model, trained, lam) == pytest.approx(1, rel=1e-8)
    assert leverage_share(model, trained, lam) > 1
    for law in (trained, GaussianInit(d, 5.0)):
        assert supremum_share(model, law, lam) <= leverage_share(model, law, lam)
        assert resolved_share(model, law, 500) <= active_share(law) <= 1


def test_shares_are_linear_in_mixtures_except_the_resolved_one() -> None:
    model, P = BiasedReLU(4), 0.3
    parts = [RidgeLeverage(model, 1e-4), GaussianInit(4, 8.0)]
    law = Mixture(parts, [P, 1 - P])
    for share in (active_share, kink_share, lambda q: leverage_share(model, q, 1e-4)):
        expected = P * share(parts[0]) + (1 - P) * share(parts[1])
        assert share(law) == pytest.approx(expected, rel=1e-9)
    together = resolved_share(model, law, 100)
    apart = [resolved_share(model, part, 100) for part in parts]
    assert P * apart[0] + (1 - P) * apart[1] < together


def test_resolved_share_tends_to_the_active_share() -> None:
    model, law = BiasedReLU(5), GaussianInit(5, 10.0)
    shares = [resolved_share(model, law, 4**j) for j in range(2, 12)]
    assert np.all(np.diff(shares) >= 0)
    assert shares[-1] == pytest.approx(active_share(law), rel=0.02)


# ---------------------------------------------------------------- the edge


def random_system(seed: int, heights: int = 4, blocks: int = 9) -> _edge.System:
    rng = np.random.default_rng(seed)
    mu = np.sort(rng.uniform(0.5, 2, blocks) * np.arange(1.0, blocks + 1) ** -3)[::-1]
    multiplicity = np.arange(1.0, 2 * blocks, 2)
    energy = rng.uniform(0.2, 1, (blocks, heights)) * (multiplicity * mu)[:, None]
    rest = rng.uniform(0.001, 0.01, heights) * energy.sum(axis=0)
    total = energy.sum(axis=0) + rest
    count = rng.uniform(3, 9, heights)
    return _edge.System(mu, multiplicity, energy / total, rest / total, count, count > 0)


def right_side(system: _edge.System, z: float, delta: Array) -> tuple[Array, Array]:
    D = 1 - z * system.mu + system.energy @ (system.count / delta) / system.multiplicity
    return D, system.rest + (1 / D) @ system.energy


@pytest.mark.parametrize("seed", range(5))
def test_edge_solves_the_equations_where_they_turn_singular(seed: int) -> None:
    system = random_system(seed)
    edge = _edge.find_edge(system)
    D, right = right_side(system, edge.z, edge.delta)
    assert np.all(D > 0)
    np.testing.assert_allclose(right, edge.delta, rtol=1e-8)
    # d right_i/d delta_l
    jacobian = np.einsum(
        "ji,jl,j,l->il",
        system.energy,
        system.energy,
        1 / (D**2 * system.multiplicity),
        system.count / edge.delta**2,
    )
    assert np.max(np.abs(np.linalg.eigvals(jacobian))) == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("seed", range(3))
def test_no_feasible_point_lies_beyond_the_edge(seed: int) -> None:
    """The edge maximises z subject to right side <= delta: try many other delta."""
    system = random_system(seed)
    edge = _edge.find_edge(system)
    rng = np.random.default_rng(seed)

    def reach(delta: Array) -> float:
        """Largest z with right side <= delta at this delta."""
        top = float(np.min((right_side(system, 0.0, delta)[0]) / system.mu)) * (1 - 1e-9)

        def worst(z: float) -> float:
            return float(np.max(right_side(system, z, delta)[1] / delta)) - 1

        return -math.inf if worst(-1e3) > 0 else float(brentq(worst, -1e3, top))

    others = [reach(edge.delta * np.exp(rng.normal(0, s, 4))) for s in [1e-3, 0.03, 0.3] * 30]
    assert max(others) <= edge.z * (1 + 1e-7)
    assert max(others) >= edge.z * 0.99


def test_one_profile_leaves_a_scalar_maximum() -> None:
    system = random_system(1, heights=1)
    system = _edge.System(
        system.mu,
        system.multiplicity,
        0.9 * (system.multiplicity * system.mu)[:, None] / (system.multiplicity @ system.mu),
        np.array([0.1]),
        np.array([20.0]),
        system.seen,
    )
    edge = _edge.find_edge(system)

    def z(y: float) -> float:
        # D_j = 1 + y mu_j
        trace = float(system.multiplicity @ system.mu)
        delta = 0.1 + 0.9 / trace * float(
            np.sum(system.multiplicity * system.mu / (1 + y * system.mu))
        )
        return 20 * 0.9 / trace / delta - y

    best = minimize_scalar(lambda t: -z(math.exp(t)), bounds=(-5, 12), method="bounded")
    assert edge.z == pytest.approx(-best.fun, rel=1e-6)


@pytest.mark.parametrize("place", [-23.4, -0.3, 0.0, 0.9, 17.2])
def test_peak_is_found_on_either_side(place: float) -> None:
    assert _edge._peak(lambda x: -math.cosh((x - place) / 9), 0.0) == pytest.approx(place, abs=1e-3)


def test_gain_is_the_derivative_of_the_edge() -> None:
    system = random_system(7)
    edge = _edge.find_edge(system)
    for i in range(system.count.size):
        step = np.zeros_like(system.count)
        step[i] = 1e-3
        ends = [
            _edge.find_edge(
                _edge.System(
                    system.mu,
                    system.multiplicity,
                    system.energy,
                    system.rest,
                    system.count + sign * step,
                    system.seen,
                )
            ).z
            for sign in (-1, 1)
        ]
        assert edge.gain[i] == pytest.approx((ends[1] - ends[0]) / 2e-3, rel=1e-3)


@pytest.mark.parametrize("seed", [3, 4])
def test_edge_predicts_random_projections(seed: int) -> None:
    """Features with independent Gaussian coefficients of two profiles, by linear algebra."""
    rng = np.random.default_rng(seed)
    n, counts = 1500, np.array([150.0, 250.0])
    j = np.arange(1.0, n + 1)
    mu = j**-2.0
    profile = np.stack([j**-2.0, j**-1.2 * np.exp(-j / 300)])
    rows = np.concatenate(
        [
            rng.standard_normal((int(c), n)) * np.sqrt(p)
            for c, p in zip(counts, profile, strict=True)
        ]
    )
    Q, _ = np.linalg.qr(rows.T)
    T = np.sqrt(mu)
    residual = np.diag(mu) - (T[:, None] * Q) @ (Q.T * T)
    error = np.linalg.eigvalsh(residual)[-1]
    total = profile.sum(axis=1)
    system = _edge.System(
        mu, np.ones(n), (profile / total[:, None]).T, np.zeros(2), counts, counts > 0
    )
    # the largest eigenvalue strays from the edge by about n^(-2/3), a few per cent here
    assert 1 / _edge.find_edge(system).z == pytest.approx(error, rel=0.08)


# ---------------------------------------------------------------- the equivalent


@pytest.mark.parametrize(("d", "tau", "P"), [(3, 4.0, 0.3), (4, 1.5, 0.0), (6, 4.0, 0.7)])
def test_predicts_networks(d: int, tau: float, P: float) -> None:
    # a mean over 6 networks has a standard error of about 0.05
    model, m, lam = BiasedReLU(d), 400, float(BiasedReLU(d).eigenvalues(4)[4])
    rng = np.random.default_rng(1)
    networks = [draw_network(model, m, P, tau, lam, rng) for _ in range(6)]
    measured = np.mean([math.log(worst_case_error(model, V).value) for V in networks])
    law = Mixture([RidgeLeverage(model, lam), GaussianInit(d, tau)], [P, 1 - P])
    predicted = math.log(deterministic_equivalent(model, law, m).error)
    of_heights = [math.log(deterministic_equivalent_of(model, V).error) for V in networks]
    assert abs(measured - predicted) < 0.25
    assert abs(measured - np.mean(of_heights)) < 0.25
    assert abs(predicted - np.mean(of_heights)) < 0.15


@pytest.mark.parametrize(("d", "m"), [(2, 200), (3, 700), (5, 700)])
def test_numerical_choices_do_not_matter(d: int, m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, law = BiasedReLU(d), GaussianInit(d, 10.0)
    before = deterministic_equivalent(model, law, m).error
    monkeypatch.setattr(_blocks, "_REACH", 8)
    monkeypatch.setattr(_blocks, "_SINGLE", 200)
    monkeypatch.setattr(equivalent, "_NODES", (1024, 2048))
    assert deterministic_equivalent(model, law, m).error == pytest.approx(before, rel=1e-3)


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (4, 1), (3, 0), (3, 2)])
def test_leverage_sampling_tends_to_the_homogeneous_error(d: int, order: int) -> None:
    model, m = BiasedReLU(d, order), 4000
    law = RidgeLeverage(model, float(model.eigenvalues(8)[8]))
    prediction = deterministic_equivalent(model, law, m)
    expected = homogeneous_error(model, m * active_share(law))
    assert prediction.error == pytest.approx(expected, rel=0.02)
    assert prediction.elasticity == pytest.approx(model.decay_exponent, rel=0.02)


def test_homogeneous_error_tends_to_its_power_law() -> None:
    for d, order in ((2, 1), (3, 1), (5, 1), (3, 2), (3, 0)):
        model = BiasedReLU(d, order)
        limit = homogeneous_constant(model)
        n = np.array([1e4, 1e5, 1e6])
        scaled = np.array([homogeneous_error(model, x) for x in n]) * n**model.decay_exponent
        gap = np.abs(scaled / limit - 1)
        assert gap[-1] < 0.01
        assert np.all(np.diff(gap) < 0)


def test_homogeneous_error_solves_its_equation_and_exceeds_the_n_width() -> None:
    model, n = BiasedReLU(3), 300.0
    error = homogeneous_error(model, n)
    k = np.arange(2, 200_000)
    mu, weight = model.eigenvalues(k[-1])[2:], multiplicity(3, k)

    # E = lambda N/(n - N), minimised as a function of 1/lambda in 1/E
    def inverse(log_lam: float) -> float:
        lam = math.exp(log_lam)
        N = float(weight @ (mu / (mu + lam)))
        return -(n - N) / (lam * N)

    best = minimize_scalar(inverse, bounds=(-18, -3), method="bounded", options={"xatol": 1e-8})
    assert error == pytest.approx(-1 / best.fun, rel=1e-6)
    assert error > mu[np.searchsorted(np.cumsum(weight), n)]


def test_small_caps_count_by_their_area() -> None:
    """The limit behind `resolved_share`: the gain of a cap far below the resolution."""
    for d, order in ((3, 1), (4, 1), (3, 2)):
        model, m = BiasedReLU(d, order), 4000
        law = RidgeLeverage(model, float(model.eigenvalues(8)[8]))
        prediction = deterministic_equivalent(model, law, m)
        theta = np.arccos(-prediction.b / np.sqrt(1 - prediction.b**2))
        small = int(np.argmin(np.abs(np.log(theta / 0.004))))
        equator = int(np.argmin(np.abs(theta - np.pi / 2)))
        area = 0.5 * special.betainc((d - 1) / 2, 0.5, math.sin(theta[small]) ** 2)
        n = d - 1
        mean = [
            special.beta(n / 2, p + 1) * n / 2 for p in (order, 2 * order)
        ]  # of (1-r^2)^p over the ball
        assert shares._bump_constant(d, order) == pytest.approx(mean[0] ** 2 / mean[1], rel=1e-12)
        cells = m * active_share(law) * area * mean[0] ** 2 / mean[1] / model.decay_exponent
        assert cells < 0.1
        ratio = prediction.gain[small] / prediction.gain[equator]
        assert ratio == pytest.approx(cells, rel=0.1)


def test_limits_of_few_neurons() -> None:
    model = BiasedReLU(3)
    mu = model.eigenvalues(2)
    assert deterministic_equivalent(model, Uniform(3), 0).error == mu[0]
    assert deterministic_equivalent_of(model, np.empty((0, 4))).error == mu[0]
    dead = np.array([[0.1, 0.0, 0.0, -1.0]])
    assert deterministic_equivalent_of(model, dead).error == mu[0]
    # enough polynomials and nothing else: degree 2 is untouched
    polynomials = np.concatenate([np.eye(3), np.ones((3, 1)) * 5], axis=1).repeat(3, axis=0)
    assert deterministic_equivalent_of(model, polynomials).error == pytest.approx(mu[2], rel=1e-12)
    assert homogeneous_error(model, 0.0) == mu[2]
    assert homogeneous_error(model, 5.0) == mu[2]


@given(m=st.integers(1, 3000), tau=st.floats(0.3, 30), d=st.sampled_from([3, 5, 30]))
@settings(max_examples=15, deadline=None)
def test_error_is_sane(m: int, tau: float, d: int) -> None:
    model, law = BiasedReLU(d), GaussianInit(d, tau)
    prediction = deterministic_equivalent(model, law, m)
    mu = model.eigenvalues(80)
    width = mu[np.searchsorted(np.cumsum(multiplicity(d, np.arange(81))), m, side="right")]
    assert width < prediction.error <= mu[0] * (1 + 1e-9)
    assert np.all(prediction.gain >= 0)


def test_scale_of_a_neuron_does_not_count() -> None:
    model, rng = BiasedReLU(4), np.random.default_rng(2)
    V = draw_network(model, 300, 0.5, 3.0, 1e-4, rng)
    once = deterministic_equivalent_of(model, V)
    scaled = V * 10.0 ** rng.uniform(-200, 100, (300, 1))
    assert deterministic_equivalent_of(model, scaled).error == pytest.approx(once.error, rel=1e-9)


def test_equivalent_width() -> None:
    model = BiasedReLU(4)
    trained = RidgeLeverage(model, 1e-5)
    assert equivalent_width(model, trained, 300, trained) == pytest.approx(300, rel=1e-3)
    initial = GaussianInit(4, 10.0)
    widths = [
        equivalent_width(model, Mixture([trained, initial], [P, 1 - P]), 600, trained)
        for P in (0.0, 0.1, 0.5, 1.0)
    ]
    assert np.all(np.diff(widths) > 0)
    assert widths[0] == pytest.approx(600 * resolved_share(model, initial, 600), rel=0.25)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: deterministic_equivalent(model, GaussianInit(4, 1.0), 10), "law"),
        (lambda model: deterministic_equivalent(model, Uniform(3), -1), "m = -1"),
        (lambda model: deterministic_equivalent_of(model, np.zeros((2, 4))), r"V\[0\] = 0"),
        (lambda model: deterministic_equivalent_of(model, np.zeros((2, 3))), "V of shape"),
        (lambda model: kink_share(Uniform(3), -0.5), "gamma = -0.5"),
        (lambda model: supremum_share(model, Uniform(3), 0.0), "lam = 0.0"),
        (lambda model: leverage_share(model, Uniform(4), 0.1), "law"),
        (lambda model: resolved_share(model, Uniform(3), 0), "m = 0"),
        (lambda model: homogeneous_error(model, -1.0), "count = -1.0"),
        (lambda model: equivalent_width(model, Uniform(3), 0, Uniform(3)), "m = 0"),
        (
            lambda model: deterministic_equivalent(BiasedReLU(2), Uniform(2), 10**6),
            "active neurons",
        ),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call(BiasedReLU(3))


def test_a_law_too_narrow_to_integrate_is_refused() -> None:
    law: Law = GaussianInit(3, 1e-9)
    with pytest.raises(ArithmeticError, match="too narrow"):
        active_share(law)

"""What is said of the supremum: tails, the search outside the pool, the verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kernelspec import BiasedReLU, GaussianInit, Uniform, mismatch, uniform_sphere
from kernelspec.empirical import (
    CustomLaw,
    activation,
    empirical_mismatch,
    features,
    named_law,
    pool_spectrum,
)
from kernelspec.empirical.extremes import extremes
from kernelspec.empirical.search import basis, outside_leverage, search


@pytest.mark.parametrize(
    ("draw", "index"),
    [
        (lambda u: 1 - u, -1.0),
        (lambda u: 1 - np.sqrt(u), -0.5),
        (lambda u: 2 - u**2, -2.0),
        (lambda u: u**-0.5, 0.5),
        (lambda u: -np.log(u), 0.0),
    ],
    ids=["uniform", "root", "square", "pareto", "exponential"],
)
def test_the_tail_index_of_known_laws(draw, index):
    """40,000 draws; 5 standard errors and the bias 0.15 of few upper values: below 1e-6."""
    values = draw(np.random.default_rng(0).uniform(size=40_000))
    found = extremes(values)
    assert abs(found.tail_index - index) < 5 * found.tail_error + 0.15
    if index <= -0.5:
        assert found.endpoint >= values.max()
        end = 2.0 if index == -2.0 else 1.0
        assert found.endpoint == pytest.approx(end, rel=0.02)
    if index > 0:
        assert found.endpoint == math.inf


def test_growth_is_what_a_random_half_lacks():
    rng = np.random.default_rng(1)
    x = rng.pareto(2.0, 200) + 1
    halves = [np.log(x[rng.random(200) < 0.5].max()) for _ in range(20_000)]
    expected = math.log(x.max()) - np.mean(halves)
    assert extremes(x).growth == pytest.approx(expected, abs=5 * np.std(halves) / math.sqrt(20_000))


def test_too_few_values_have_no_tail():
    found = extremes(np.arange(1.0, 30.0))
    assert math.isnan(found.tail_index)
    assert math.isnan(found.endpoint)
    assert extremes(np.ones(1000)).endpoint == 1.0


@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
def test_leverage_outside_the_pool_is_the_definition(shape):
    X, V = uniform_sphere(3, shape[0], 0), Uniform(3).sample(shape[1], 1)
    F, phi = features(X, V, "relu"), features(X, Uniform(3).sample(7, 2), "relu")
    n, lam = shape[0], 1e-2
    inverse = np.linalg.inv(F @ F.T / F.size + lam * np.eye(n))
    expected = np.einsum("ij,ik,kj->j", phi, inverse, phi) / n
    spectrum = pool_spectrum(F)
    found = outside_leverage(basis(spectrum, F, lam), phi, lam)
    np.testing.assert_allclose(found, expected, rtol=2e-3)
    again = outside_leverage(basis(spectrum, F, lam), F, lam)
    np.testing.assert_allclose(again, spectrum.leverage(lam), rtol=2e-3, atol=1e-9)


def test_the_search_finds_the_supremum_from_afar():
    d, lam, law = 3, 0.05, GaussianInit(3, 3.0)
    X, V = uniform_sphere(d, 1500, 0), Uniform(d).sample(1000, 1)
    F = features(X, V, "relu")
    spectrum = pool_spectrum(F)
    dof = float(spectrum.degrees_of_freedom(lam))
    starts = V[np.argsort(np.abs(V[:, -1] + 0.3))[:8]]
    best, v = search(
        X,
        activation("relu"),
        basis(spectrum, F, lam),
        lam,
        starts,
        lambda V: law.log_density(V[:, -1]),
        True,
        np.random.default_rng(0),
    )
    exact = mismatch(BiasedReLU(d), law, lam)
    assert 0.97 < math.exp(best) / dof / exact.kappa < 1.15  # it climbs the noise as well
    assert np.linalg.norm(v) == pytest.approx(1)
    assert v[-1] == pytest.approx(exact.b, abs=0.2)


def verdicts(*arguments, **options):
    return {row.verdict for row in empirical_mismatch(*arguments, rng=0, **options).ridges}


def test_each_verdict_comes_where_it_should():
    few = uniform_sphere(3, 400, 0)
    assert verdicts(few, "sphere", "tau=1", 0.1, neurons=400) == {"stable"}
    assert verdicts(few, "sphere", "tau=1", 1e-6, neurons=400) == {"too few"}
    assert verdicts(few, "sphere", "he", 0.1, neurons=200) == {"infinite"}
    many = uniform_sphere(40, 300, 0)
    assert verdicts(many, "sphere", "tau=10", 1e-3, neurons=300) == {"growing"}
    assert verdicts(uniform_sphere(12, 400, 0), "sphere", "pytorch", 3e-3, neurons=600) == {
        "heavy tail"
    }
    options = {"activation": "tanh", "neurons": 300}
    assert verdicts(few, "normal=1,1", "normal=0.5,0.5", 0.1, **options) == {"out of reach"}
    assert verdicts(few, "normal=1,1", "pytorch", 0.1, **options) == {"infinite"}


def test_warnings_say_what_to_do_and_open_intervals_are_open():
    found = empirical_mismatch(uniform_sphere(3, 300, 0), "sphere", "he", [0.1, 1e-6], neurons=200)
    assert all(row.kappa == row.high == math.inf for row in found.ridges)
    assert "never draws all of the target's neurons" in found.warning
    found = empirical_mismatch(uniform_sphere(3, 300, 0), "sphere", "tau=1", 1e-6, neurons=200)
    assert "take more neurons or a larger ridge" in found.warning
    quiet = empirical_mismatch(uniform_sphere(3, 300, 0), "sphere", "tau=1", 0.1, neurons=300)
    assert quiet.warning == ""


def test_few_effective_neurons_are_noticed():
    """Drawn from biases a hundred times too wide, a pool of 400 is worth a few."""
    X = uniform_sphere(3, 400, 0)
    found = empirical_mismatch(X, "sphere", "tau=100", 0.05, neurons=400, draw="initial")
    assert found.effective_size < 40
    assert found.ridges[0].verdict in ("too few", "heavy tail")
    assert "effective neurons" in found.warning or "heavy tail" in found.warning


def test_both_ways_to_draw_agree():
    X = uniform_sphere(3, 500, 0)
    rows = [
        empirical_mismatch(X, "sphere", "tau=2", 0.05, neurons=800, draw=draw, rng=5).ridges[0]
        for draw in ("target", "initial")
    ]
    error = math.hypot(rows[0].dof_error, rows[1].dof_error)
    assert abs(rows[0].dof - rows[1].dof) < 5.5 * error
    assert rows[0].kappa == pytest.approx(rows[1].kappa, rel=0.15)


def test_a_law_of_ones_own_is_the_same_law():
    d = 3
    law, X = GaussianInit(d, 2.0), uniform_sphere(3, 200, 0)
    own = CustomLaw(d, lambda n, rng: law.sample(n, rng), lambda V: law.log_density(V[:, -1]), "s")
    pi = CustomLaw(d, Uniform(d).sample, lambda V: np.zeros(len(V)), "s")
    first = empirical_mismatch(X, pi, own, 0.1, neurons=150, rng=1)
    again = empirical_mismatch(X, Uniform(d), law, 0.1, neurons=150, rng=1)
    assert first.ridges[0].kappa == again.ridges[0].kappa
    np.testing.assert_allclose(first.density, again.density)


def test_laws_without_a_bias_are_compared_among_themselves():
    """He's and LeCun's directions are one law: kappa is max l/N, and no search adds a bias."""
    X = uniform_sphere(3, 300, 0)
    found = empirical_mismatch(X, "he", "lecun", 0.05, neurons=300)
    row = found.ridges[0]
    assert np.all(found.neurons[:, -1] == 0)
    np.testing.assert_allclose(found.density, 1, rtol=1e-12)
    assert row.kappa == pytest.approx(row.leverage.max() / row.dof)
    # by rotation every such neuron has one leverage: 1, up to sampling errors
    assert row.kappa < row.searched < 1.3


def test_densities_that_leave_float64_do_no_harm():
    """Biases 1e-3 or 1e3 times as wide, in 200 dimensions."""
    X = uniform_sphere(200, 40, 0)
    for tau in (1e-3, 1e3):
        for draw in ("target", "initial"):
            found = empirical_mismatch(X, "sphere", f"tau={tau}", 1e-2, neurons=50, draw=draw)
            assert found.ridges[0].verdict != "stable"
            assert found.ridges[0].kappa > 1


def test_smooth_activations_see_the_scale_of_the_weights():
    """Equal laws: kappa = max l/N, and N falls with the scale of almost linear neurons."""
    X = uniform_sphere(4, 300, 0)
    dof = [
        empirical_mismatch(X, law, law, 1e-3, activation="erf", neurons=300).ridges[0].dof
        for law in (named_law("normal=0.1,0.1", 4), named_law("normal=3,3", 4))
    ]
    assert dof[0] < 6 < dof[1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((np.ones(3), "sphere", "tau=1", 0.1), {}, "X of shape (3,) is not allowed"),
        ((np.ones((1, 3)), "sphere", "tau=1", 0.1), {}, "X of shape (1, 3) is not allowed"),
        ((np.full((4, 3), np.nan), "sphere", "tau=1", 0.1), {}, "X[0, 0] = nan"),
        ((np.ones((4, 3)), "sphere", "tau=1", -1), {}, "lam = -1.0 is not allowed"),
        ((np.ones((4, 3)), "sphere", "tau=1", [[0.1]]), {}, "lam of shape (1, 1)"),
        ((np.ones((4, 3)), "sphere", "tau=1", 0.1), {"neurons": 1}, "neurons = 1 is not allowed"),
        ((np.ones((4, 3)), "sphere", "tau=1", 0.1), {"draw": "both"}, "draw = 'both'"),
        ((np.ones((4, 3)), "sphere", "tau=1", 0.1), {"rng": "x"}, "rng = 'x' is not allowed"),
        ((np.ones((4, 3)), "sphere", "he", 0.1), {"draw": "initial"}, "draw = 'initial'"),
        ((np.ones((4, 3)), "he", "tau=1", 0.1), {}, "a law without a bias, as the target"),
        (
            (np.ones((4, 3)), "sphere", "pytorch", 0.1),
            {"activation": "tanh"},
            "a law with a density on the sphere",
        ),
        (
            (np.ones((4, 3)), "sphere", "sphere", 0.1),
            {"activation": lambda t: t[0]},
            "a function that keeps the shape",
        ),
        (
            (np.ones((4, 3)), "sphere", "sphere", 0.1),
            {"activation": lambda t: t * np.inf},
            "a function with finite values",
        ),
        (
            (np.ones((4, 3)), "sphere", "sphere", 0.1),
            {"activation": np.zeros_like},
            "no neuron of the pool is active",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_bad_input_is_named(arguments, options, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        empirical_mismatch(*arguments, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)

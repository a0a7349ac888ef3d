"""What training starts from: settings, weights, masks, readouts, placed neurons. No JAX needed."""

from __future__ import annotations

import math
import sys
import tomllib
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec import BiasedReLU, GaussianInit, RidgeLeverage, UniformBias, least_squares_error
from validation.training import (
    PRESETS,
    Architecture,
    Schedule,
    TrainingExtraMissingError,
    TrainingSettings,
    as_toml,
    available,
    initial_weights,
    run_experiment,
    stack,
    train_grid,
    trainable_neurons,
    trained_law,
)
from validation.training.architecture import hidden_features
from validation.training.data import draw_sample, draw_target
from validation.training.greedy import greedy_choice
from validation.training.readout import solve_readout


@given(
    width=st.integers(1, 40),
    layers=st.integers(2, 5),
    P=st.lists(st.floats(0, 1), min_size=2, max_size=5),
    seed=st.integers(0, 100),
)
@example(width=1, layers=2, P=[0.5, 1.0], seed=0)
@example(width=10, layers=3, P=[0.25, 0.35], seed=0)
def test_masks_are_nested_and_of_the_stated_size(
    width: int, layers: int, P: list[float], seed: int
) -> None:
    ascending = sorted(P)
    masks = trainable_neurons(Architecture(3, width, layers), ascending, seed)
    assert masks.shape == (len(P), layers - 1, width)
    for mask, value in zip(masks, ascending, strict=True):
        assert (mask.sum(axis=1) == round(value * width)).all()
    assert (masks[:-1] <= masks[1:]).all()


def test_masks_of_layers_and_seeds_differ() -> None:
    one, other = (trainable_neurons(Architecture(3, 64, 3), [0.5], seed)[0] for seed in (0, 1))
    assert (one[0] != one[1]).any()
    assert (one != other).any()


def test_spherical_weights_follow_the_law() -> None:
    weights = initial_weights(Architecture(3, 20_000, init="spherical"), 3.0, 0)
    heights = weights.biases[0]
    np.testing.assert_allclose((weights.kernels[0] ** 2).sum(axis=0) + heights**2, 1.0)
    # Kolmogorov's distance of two samples of 20000 exceeds 0.027 with probability < 1e-6
    drawn = np.sort(GaussianInit(3, 3.0).sample(20_000, 1)[:, -1])
    at = np.concatenate([drawn, np.sort(heights)])
    distance = np.abs(
        np.searchsorted(drawn, at, "right") - np.searchsorted(np.sort(heights), at, "right")
    ).max()
    assert distance / 20_000 < 0.027


@pytest.mark.parametrize("order", [1, 2])
def test_he_weights_keep_the_variance_of_the_first_preactivations(order: int) -> None:
    architecture = Architecture(3, 4000, 3, order)
    weights = initial_weights(architecture, 1e-9, 0)
    X = np.random.default_rng(1).standard_normal((20, 3))
    X /= np.linalg.norm(X, axis=1)[:, None]
    first = X @ weights.kernels[0]
    second = np.maximum(first, 0) ** order @ weights.kernels[1]
    assert np.mean(first**2) == pytest.approx(1.0, rel=0.05)
    assert np.mean(second**2) == pytest.approx(1.0, rel=0.1)


def test_scales_share_their_gaussian_numbers() -> None:
    one, ten = (initial_weights(Architecture(3, 5, 3), tau, 0) for tau in (1.0, 10.0))
    np.testing.assert_array_equal(one.kernels[1], ten.kernels[1])
    np.testing.assert_allclose(10 * one.biases[1], ten.biases[1], rtol=1e-15)


def test_the_readout_is_that_of_least_squares_on_the_same_data() -> None:
    model = BiasedReLU(3)
    target = draw_target("rkhs", 3, 1, np.random.default_rng(0))
    V = GaussianInit(3, 10.0).sample(40, 1)  # many neurons are polynomials: rank-deficient
    fit = least_squares_error(model, V, target, 300, rng=2)
    sample = draw_sample(target, 3, 300, 10, np.random.default_rng(2))
    mine = solve_readout(model.features(sample.X, V), sample.y)
    scale = math.sqrt(float(np.mean(target(sample.X) ** 2)))
    assert mine.rank == fit.rank < 40
    assert mine.error * scale**2 == pytest.approx(fit.train_error, rel=1e-9)
    norm = np.linalg.norm(fit.coefficients)
    np.testing.assert_allclose(mine.coefficients * scale, fit.coefficients, atol=1e-9 * norm)


def test_a_neuron_that_is_active_at_one_point_gets_no_weight() -> None:
    faint = np.array([[1.0, 0.0], [1.0, 1e-6], [1.0, 0.0]])
    fit = solve_readout(faint, np.array([1.0, 2.0, 3.0]))
    assert fit.coefficients.tolist() == pytest.approx([2.0, 0.0])
    faint[0, 1] = 1e-6
    assert abs(solve_readout(faint, np.array([1.0, 2.0, 3.0])).coefficients[1]) > 1e5


def test_a_readout_of_features_that_are_not_finite_is_nan() -> None:
    fit = solve_readout(np.array([[1.0], [np.nan]]), np.ones(2))
    assert fit.rank == 0
    assert math.isnan(fit.error)


def brute_choice(fixed: Any, pool: Any, y: Any, count: int) -> list[int]:
    """Refit for every candidate."""
    chosen: list[int] = []
    for _ in range(count):
        left = [j for j in range(pool.shape[1]) if j not in chosen]
        errors = [
            solve_readout(np.hstack([fixed, pool[:, chosen], pool[:, [j]]]), y).error for j in left
        ]
        chosen.append(left[int(np.argmin(errors))])
    return chosen


@pytest.mark.parametrize("tau", [1.0, 10.0])
def test_neurons_are_placed_where_the_error_falls_most(tau: float) -> None:
    model, rng = BiasedReLU(3), np.random.default_rng(3)
    X = rng.standard_normal((120, 3))
    X /= np.linalg.norm(X, axis=1)[:, None]
    fixed = model.features(X, GaussianInit(3, tau).sample(12, rng))
    pool = model.features(X, UniformBias(3, 1.0).sample(40, rng))
    y = np.sin(5 * X[:, 0])
    assert greedy_choice(fixed, pool, y, 6).tolist() == brute_choice(fixed, pool, y, 6)


def test_placing_goes_on_when_the_span_is_complete() -> None:
    pool = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    assert greedy_choice(np.zeros((2, 1)), pool, np.ones(2), 3).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="count = 4 is not allowed: an integer from 0 to 3"):
        greedy_choice(np.zeros((2, 1)), pool, np.ones(2), 4)


def test_the_law_of_leverage_sampled_neurons_has_mismatch_one_and_another_its_own() -> None:
    model, lam = BiasedReLU(3), 1e-3
    b = RidgeLeverage(model, lam).sample(20_000, 0)[:, -1].reshape(20, 1000)
    # false alarm below 1e-6: the level is 1 - 1e-7
    found = trained_law(model, b, lam, confidence=1 - 1e-7)
    assert found.kappa_low <= 1 <= found.kappa_high
    b = GaussianInit(3, 10.0).sample(20_000, 0)[:, -1].reshape(20, 1000)
    found = trained_law(model, b, lam, confidence=1 - 1e-7)
    assert found.kappa_low > 5
    assert found.dead > 0.3
    assert found.polynomial > 0.3


def test_a_law_needs_two_networks() -> None:
    with pytest.raises(ValueError, match="heights of 1 networks are not allowed: two at least"):
        trained_law(BiasedReLU(3), [[0.1, 0.2], [np.nan, np.nan]], 1e-3)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_settings_are_written_and_read_back(name: str) -> None:
    settings = PRESETS[name]
    assert TrainingSettings.from_mapping(tomllib.loads(as_toml(settings))) == settings


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"layers": 1}, "layers = 1 is not allowed: an integer from 2 to 100"),
        ({"layers": [3], "methods": ["adam"]}, "init = 'spherical' is not allowed with layers = 3"),
        ({"layers": [3], "init": "he"}, "neurons are placed in two-layer networks only"),
        ({"order": 0}, "order = 0 is not allowed: an integer from 1 to 5"),
        ({"P": [0.5, 2]}, "P = 2 is not allowed: a number from 0 to 1"),
        ({"tau": [1, 1]}, "each once"),
        ({"targets": "rhks"}, "targets = 'rhks' is not allowed: one of rkhs, oscillatory"),
        ({"methods": []}, r"methods = \[\] is not allowed"),
        ({"steps": 70}, "steps = 70 is not allowed: a multiple of chunk = 50"),
        ({"seeds": 1}, "seeds = 1 is not allowed: an integer >= 2"),
        ({"pool": 8}, "pool = 8 is not allowed: an integer >= 64"),
        ({"precision": "float16"}, "precision = 'float16' is not allowed"),
        ({"raet": 1}, "'raet' is no setting of training: did you mean 'rate'?"),
    ],
)
def test_bad_settings_are_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        TrainingSettings.from_mapping(values)


def test_without_the_extra_what_trains_says_so_and_the_rest_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    assert not available()
    with pytest.raises(TrainingExtraMissingError, match=r'pip install "kernelspec\[train\]"'):
        run_experiment(PRESETS["two-layer"])
    architecture = Architecture(3, 4)
    weights = stack([initial_weights(architecture, 1.0, 0)])
    masks = trainable_neurons(architecture, [1.0], 0)
    X, y = np.ones((1, 5, 3)), np.ones((1, 5))
    with pytest.raises(TrainingExtraMissingError):
        train_grid(architecture, Schedule(steps=50), weights, masks, np.zeros(1, int), X, y)
    assert hidden_features(weights, X[0], 1).shape[-1] == 4

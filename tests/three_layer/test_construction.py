"""The network as written, its targets and its bounds, against slow oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec import BiasedReLU
from kernelspec.approximation import ZonalTarget, least_squares_error, projection_error
from kernelspec.sphere import coordinate_quadrature, multiplicity, uniform_sphere
from validation.three_layer import (
    Block,
    RidgeSum,
    Wave,
    additive_floor,
    error_bound,
    fixed_features_floor,
    hidden_layers,
    spline_error,
    wave_target,
)


@given(st.integers(3, 60), st.integers(2, 40), st.integers(1, 3), st.integers(0, 99))
@example(3, 2, 1, 0)
@example(60, 40, 2, 0)
def test_the_layers_are_neurons_of_the_input(d: int, M: int, r: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    block, U, X = Block(d, M), uniform_sphere(d, r, rng), uniform_sphere(d, 30, rng)
    X = np.vstack([X, U, -U])  # where the first layer is 2 and 0
    first, second = hidden_layers(block, 3 * U, X)
    np.testing.assert_allclose(first, X @ U.T + 1, atol=4e-15)
    V = block.neurons(U)
    assert V.shape == (r * M + 1, d + 1)
    features = BiasedReLU(d).features(X, V)
    np.testing.assert_allclose(np.column_stack([second, np.ones(len(X))]), features, atol=4e-15)


@given(st.integers(3, 400), st.integers(2, 64))
@example(11, 4)  # d <= 8 log M < 12
@example(12, 4)
def test_a_block_spans_piecewise_linear_functions(d: int, M: int) -> None:
    block = Block(d, M)
    assert block.half_range == min(math.sqrt(d), math.sqrt(8 * math.log(M)))
    t = np.linspace(-1, 1, 8 * M + 1)
    z = np.maximum(t[:, None] + 1 + block.biases, 0)
    span = np.column_stack([np.ones(t.size), z])
    s = math.sqrt(d) * t
    wanted = np.abs(s[:, None] - block.knots)  # kinks at the knots, slopes to both ends
    fitted = span @ np.linalg.lstsq(span, wanted, rcond=1e-13)[0]
    assert np.abs(fitted - wanted).max() < 1e-8 * math.sqrt(d)


def test_a_wave_has_the_moments_it_states() -> None:
    wave = Wave(7, 2.5, 0.6)
    t, w = coordinate_quadrature(7, 300)
    s = math.sqrt(7) * t
    assert w @ wave(s) == pytest.approx(0, abs=1e-13)
    assert w @ wave(s) ** 2 == pytest.approx(1, rel=1e-12)
    h = 1e-4
    second = (wave(s + h) - 2 * wave(s) + wave(s - h)) / h**2
    assert w @ second**2 == pytest.approx(wave.mean_square_curvature, rel=1e-5)
    assert np.abs(second).max() <= wave.curvature * (1 + 1e-5)


@pytest.mark.parametrize("d", [3, 10, 100])
def test_energies_add_up_to_the_norm(d: int) -> None:
    f = wave_target(d, 2, 3.0, rng=1)
    assert isinstance(f, ZonalTarget)
    t, w = coordinate_quadrature(d, 120)
    rho = float(f.centres[0] @ f.centres[1])
    # E G_1 G_2 on a product of two coordinate rules; phi is the coordinate beside u_1
    phi, v = (
        coordinate_quadrature(d - 1, 120)
        if d > 3
        else (np.cos(np.pi * (np.arange(120) + 0.5) / 120), np.full(120, 1 / 120))
    )
    second = rho * t[:, None] + math.sqrt(1 - rho**2) * np.sqrt(1 - t[:, None] ** 2) * phi
    one, two = f.profiles
    root = math.sqrt(d)
    product = w @ (one(root * t)[:, None] * two(root * second)) @ v
    assert f.squared_norm == pytest.approx(2 + 2 * product, rel=1e-10)


def test_exact_errors_are_the_limit_of_least_squares() -> None:
    d, block = 6, Block(6, 12)
    f = wave_target(d, 2, 2.0, rng=3)
    V = block.neurons(f.centres)
    exact = projection_error(BiasedReLU(d), V, f)
    fit = least_squares_error(BiasedReLU(d), V, f, 20_000, rng=4, test_samples=40_000)
    # the excess of the fit is about 25/20000 of the error, its interval a few percent
    assert fit.error == pytest.approx(exact, rel=0.08)


@pytest.mark.parametrize(("d", "M"), [(3, 48), (8, 48), (25, 48)])
def test_the_leading_term_and_the_bound(d: int, M: int) -> None:
    f, block = wave_target(d, 2, 2.0, rng=5), Block(d, M)
    E = projection_error(BiasedReLU(d), block.neurons(f.centres), f)
    assert 0.99 < E / spline_error(f, block) < 1.06
    assert error_bound(f, block) > E


def test_the_bound_holds_for_the_worst_profile_of_few_pieces() -> None:
    # one parabola over all of the sphere: inside, interpolation is off by h^2/8 |G''|
    d, M = 4, 2
    block, u = Block(d, M), np.eye(d)[:1]
    assert block.half_range == 2.0
    s = np.linspace(-2, 2, 401)
    interpolated = np.interp(s, [-2, 0, 2], [4.0, 0.0, 4.0])
    assert np.abs(s**2 - interpolated).max() == pytest.approx(block.spacing**2 / 8 * 2)
    E = projection_error(BiasedReLU(d), block.neurons(u), _Square(d))
    assert math.sqrt(E) < block.spacing**2 / 8 * 2


class _Square:
    """s^2 - 1 for the first coordinate: a harmonic of degree 2."""

    def __init__(self, d: int) -> None:
        self.centres = np.eye(d)[:1]
        self.d = d

    def amplitudes(self) -> np.ndarray:
        scale = (self.d - 1) / math.sqrt(float(multiplicity(self.d, 2)))
        return np.array([[0.0], [0.0], [scale]])

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self.d * X[:, 0] ** 2 - 1


def test_the_dimension_free_bound() -> None:
    for d in (5, 30, 300):
        for M in (2, 8, 64):
            f = wave_target(d, 3, 2.0, rng=0)
            free = (4 * math.log(M) + 1.6) / M**2 * sum(G.curvature for G in f.profiles)
            assert error_bound(f, Block(d, M)) <= free**2 * (1 + 1e-12)
    f, block = wave_target(10, 3, 2.0, rng=0), Block(10, 8)
    curvature = sum(G.curvature for G in f.profiles)
    assert math.sqrt(error_bound(f, block)) == pytest.approx(curvature * block.spacing**2 / 8)


def test_no_block_does_better_than_the_floor_and_large_ones_reach_it() -> None:
    d = 6
    f = wave_target(d, 2, 2.0, rng=7)
    U = np.vstack([f.centres[:1], uniform_sphere(d, 1, rng=8)])
    floor = additive_floor(f, U)
    E = [projection_error(BiasedReLU(d), Block(d, M).neurons(U), f) for M in (4, 16, 48)]
    assert E[0] > E[1] > E[2] > floor * (1 - 1e-9)
    assert E[2] / floor < 1 + 1e-5
    assert additive_floor(f, f.centres[::-1]) < 1e-12
    assert additive_floor(f, np.vstack([U, U])) == pytest.approx(floor, rel=1e-9)


def test_the_floor_of_fixed_features_is_a_mean_over_rotations() -> None:
    d, n = 5, 20
    f = wave_target(d, 2, 2.0, rng=9)
    rng = np.random.default_rng(10)
    V = np.vstack([rng.standard_normal((n - 1, d + 1)), np.eye(d + 1)[-1:]])
    errors = []
    for _ in range(60):
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        turned = RidgeSum(f.centres @ turn, f.profiles)
        errors.append(projection_error(BiasedReLU(d), V, turned))
    spread = np.std(errors, ddof=1) / math.sqrt(len(errors))
    # 6 standard errors: false alarm below 1e-6
    assert np.mean(errors) + 6 * spread > fixed_features_floor(f, n)
    # and the linear functions with the constant attain it: equality for whole degrees
    whole = np.vstack([np.column_stack([np.eye(d), np.ones(d)]), np.eye(d + 1)[-1:]])
    energies = f.energies
    counts = np.asarray(multiplicity(d, np.arange(energies.size)))
    assert projection_error(BiasedReLU(d), whole, f) == pytest.approx(energies[2:].sum(), rel=1e-9)
    sigma = np.sort(np.repeat(energies[:9] / counts[:9], counts[:9].astype(int)))[::-1]
    assert fixed_features_floor(f, n) == pytest.approx(f.squared_norm - sigma[:n].sum(), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Block(1, 4), "d = 1 is not allowed"),
        (lambda: Block(4, 1), "M = 1 is not allowed: an integer >= 2"),
        (lambda: Block(4, 4).neurons([[0.0] * 4]), "no row may be 0"),
        (lambda: wave_target(4, 4, 2.0, 0), "r = 4 is not allowed: an integer from 1 to 3"),
        (lambda: wave_target(2, 1, 2.0, 0), "d = 2 is not allowed: an integer from 3"),
        (lambda: Wave(4, 7.0, 0.0), r"frequency = 7.0 is not allowed: a number in \(0, 6\]"),
        (lambda: RidgeSum(np.eye(3), []), "at least one profile"),
        (lambda: RidgeSum(np.eye(3), [Wave(3, 1.0, 0.0)]), "one profile of the same d"),
        (lambda: fixed_features_floor(wave_target(4, 1, 1.0, 0), -1), "n = -1 is not allowed"),
    ],
)
def test_bad_input_is_named(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()

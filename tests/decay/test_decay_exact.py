from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec import BiasedReLU, multiplicity
from kernelspec.decay import (
    estimate_decay,
    estimate_decay_from_features,
    estimate_decay_from_gram,
    estimate_decay_from_kernel,
    estimate_decay_from_neurons,
    exact_decay,
)

CASES = [(d, s) for d in range(2, 7) for s in range(3)]


@pytest.mark.parametrize(("d", "order"), CASES)
def test_the_exponent_is_extrapolated_to_six_digits(d: int, order: int) -> None:
    model = BiasedReLU(d, order)
    found = exact_decay(model)
    assert found.alpha == pytest.approx(model.decay_exponent, abs=1e-9)
    assert found.error < 1e-9


@pytest.mark.parametrize(("d", "order"), [(2, 1), (5, 1), (6, 2)])
def test_the_constant_is_that_of_the_asymptote(d: int, order: int) -> None:
    model = BiasedReLU(d, order)
    alpha = model.decay_exponent
    factor = (2 / float(np.prod(np.arange(1, d)))) ** alpha
    assert exact_decay(model).constant == pytest.approx(
        model.eigenvalue_constant * factor, rel=1e-9
    )


def test_large_dimensions_are_extrapolated_or_refused() -> None:
    assert exact_decay(BiasedReLU(100)).alpha == pytest.approx(102 / 99, abs=1e-6)
    with pytest.raises(ValueError, match=r"model\.d = 101 is not allowed"):
        exact_decay(BiasedReLU(101))


@pytest.mark.parametrize(("d", "order"), CASES)
def test_exact_eigenvalues_with_multiplicity_are_covered(d: int, order: int) -> None:
    model, top = BiasedReLU(d, order), {2: 400, 3: 150, 4: 50, 5: 30, 6: 22}[d]
    counts = multiplicity(d, np.arange(top + 1)).astype(int)
    found = estimate_decay(np.repeat(model.eigenvalues(top), counts))
    assert found.is_power_law
    assert found.low <= model.decay_exponent <= found.high
    assert found.high - found.low < 0.03 * model.decay_exponent


@given(st.floats(1.05, 8), st.floats(1e-5, 1e5), st.integers(60, 2000))
@example(2.0, 1.0, 60)
def test_a_power_is_found_whatever_its_scale_and_order(alpha: float, C: float, J: int) -> None:
    values = C * np.arange(1, J + 1) ** -alpha
    found = estimate_decay(np.random.default_rng(0).permutation(values))
    assert found.is_power_law
    assert found.alpha == pytest.approx(alpha, rel=1e-6)
    assert found.slopes["regression"] == pytest.approx(alpha, rel=1e-6)


def test_the_answer_is_that_of_its_seed() -> None:
    X = np.random.default_rng(1).random((320, 1))
    gram = np.exp(-abs(X - X.T))
    first, again = (estimate_decay_from_gram(gram, rng=5) for _ in range(2))
    assert (first.alpha, first.low, first.high) == (again.alpha, again.low, again.high)
    through = estimate_decay_from_kernel(lambda A, B: np.exp(-abs(A - B.T)), X, rng=5)
    assert through.alpha == first.alpha
    assert estimate_decay_from_gram(gram, rng=6).low != first.low


def test_the_scale_of_a_kernel_does_not_matter() -> None:
    X = np.random.default_rng(2).random(320)
    gram = np.exp(-abs(X - X[:, None]))
    small, large = (estimate_decay_from_gram(c * gram, rng=0) for c in (1e-6, 1e6))
    assert small.alpha == pytest.approx(large.alpha, rel=1e-6)


def test_negative_estimates_mark_the_noise() -> None:
    values = np.arange(1, 1001) ** -2.0
    values[200:] = 1e-6 * np.random.default_rng(0).standard_normal(800)
    found = estimate_decay(values)
    assert found.window[1] < 201
    assert found.low <= 2 <= found.high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate_decay([[1.0, 2.0]]), r"eigenvalues of shape \(1, 2\) is not allowed"),
        (lambda: estimate_decay([]), r"eigenvalues of shape \(0,\) is not allowed"),
        (lambda: estimate_decay([1.0, np.nan]), r"eigenvalues\[1\] = nan is not allowed"),
        (lambda: estimate_decay([-1.0, 0.0]), "at least one must be positive"),
        (lambda: estimate_decay_from_gram(np.ones((2, 3))), r"gram of shape \(2, 3\)"),
        (lambda: estimate_decay_from_gram([[1.0, 0.5], [0.2, 1.0]]), "gram is not symmetric"),
        (lambda: estimate_decay_from_gram([[0.0, 1.0], [1.0, 0.0]]), "positive semidefinite"),
        (lambda: estimate_decay_from_gram(np.eye(3), splits=1), "splits = 1 is not allowed"),
        (lambda: estimate_decay_from_gram([[np.inf, 0], [0, 1]]), r"gram\[0, 0\] = inf"),
        (lambda: estimate_decay_from_kernel(np.dot, np.zeros(3)), r"X of shape \(3,\)"),
        (lambda: estimate_decay_from_kernel(lambda X, Y: X, np.ones((4, 2))), r"kernel\(X, X\)"),
        (lambda: estimate_decay_from_features(np.ones(3)), r"features of shape \(3,\)"),
        (lambda: estimate_decay_from_features(np.zeros((3, 2))), "features are all zero"),
        (lambda: estimate_decay_from_neurons(np.ones((3, 3))), r"features of shape \(3, 3\)"),
        (lambda: estimate_decay_from_neurons(np.zeros((2, 3))), "features are all zero"),
        (lambda: estimate_decay_from_neurons(np.ones((2, 3)), splits=1), "splits = 1 is not"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_named_in_one_line(call, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("values", [[1.0], [2.0, 1.0], [1.0] * 40, list(range(1, 12))])
def test_too_few_eigenvalues_are_refused(values: list[float]) -> None:
    assert estimate_decay(values).verdict.startswith("not a power law: too few points")


def test_memory_is_asked_for_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec._memory.available_memory", lambda: 100.0)
    with pytest.raises(MemoryError, match="the spectrum of 20 points needs about"):
        estimate_decay_from_gram(np.eye(20))

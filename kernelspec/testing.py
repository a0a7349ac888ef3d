"""Hypothesis strategies for the objects of this package, for tests of code that uses it.

Values at which formulas change or lose digits come up often: the heights -1, 0, 1 and +-1/sqrt(2)
and their neighbourhoods, the proportions 0 and 1. Sizes stay small enough for fast tests.

Needs the package hypothesis; ``import kernelspec`` does not load this module.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernelspec import _checks
from kernelspec.features import BiasedReLU
from kernelspec.laws import GaussianInit, Law, Mixture, RidgeLeverage, Uniform, UniformBias
from kernelspec.sphere import uniform_sphere

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import DrawFn, SearchStrategy
except ModuleNotFoundError as error:  # pragma: no cover
    raise ModuleNotFoundError(
        "kernelspec.testing needs the package hypothesis: pip install hypothesis, "
        "or install kernelspec with the extra [test]"
    ) from error

__all__ = [
    "degrees",
    "dimensions",
    "heights",
    "laws",
    "models",
    "neurons",
    "orders",
    "points",
    "proportions",
    "ridges",
    "scales",
]

_KINK = math.sqrt(0.5)
_SEEDS = st.integers(0, 2**32 - 1)


def dimensions(min_value: int = 2, max_value: int = 20) -> SearchStrategy[int]:
    """Ambient dimensions d; failures shrink towards the smallest.

    Parameters
    ----------
    min_value, max_value : int
        Range, within 2 to 1000.

    Returns
    -------
    SearchStrategy of int

    Raises
    ------
    ValueError, TypeError
        If an end of the range is no dimension.

    Examples
    --------
    >>> from hypothesis import given
    >>> from kernelspec import multiplicity
    >>> @given(dimensions())
    ... def test_degree_one_has_d_harmonics(d):
    ...     assert multiplicity(d, 1) == d
    >>> test_degree_one_has_d_harmonics()
    """
    return st.integers(_checks.dimension(min_value), _checks.dimension(max_value))


def orders(max_value: int = 5) -> SearchStrategy[int]:
    """Orders s of the activation, from 0.

    Parameters
    ----------
    max_value : int, default 5
        Largest order, 0 to 5.

    Returns
    -------
    SearchStrategy of int

    Raises
    ------
    ValueError, TypeError
        If `max_value` is no order.

    Examples
    --------
    >>> from hypothesis import given
    >>> from kernelspec import BiasedReLU
    >>> @given(orders())
    ... def test_smooth_activations_decay_fast(s):
    ...     assert BiasedReLU(5, s).decay_exponent == (5 + 2 * s) / 4
    >>> test_smooth_activations_decay_fast()
    """
    return st.integers(0, _checks.order(max_value))


def degrees(max_value: int = 60) -> SearchStrategy[int]:
    """Degrees k of harmonics, from 0.

    Parameters
    ----------
    max_value : int, default 60
        Largest degree, >= 0.

    Returns
    -------
    SearchStrategy of int

    Raises
    ------
    ValueError, TypeError
        If `max_value` is no degree.

    Examples
    --------
    >>> from hypothesis import given
    >>> from kernelspec import gegenbauer
    >>> @given(dimensions(), degrees())
    ... def test_normalised(d, k):
    ...     assert abs(gegenbauer(d, k, 1.0)[k] - 1) < 1e-12
    >>> test_normalised()
    """
    return st.integers(0, _checks.count("max_value", max_value, 0))


def _log_uniform(name: str, low: float, high: float) -> SearchStrategy[float]:
    low = _checks.positive(f"{name} min_value", low)
    high = _checks.positive(f"{name} max_value", high)
    logs = st.floats(math.log(low), math.log(high))
    return logs.map(lambda log: min(max(math.exp(log), low), high))


def ridges(min_value: float = 1e-12, max_value: float = 10.0) -> SearchStrategy[float]:
    """Ridges lambda, spread over the powers of ten.

    Parameters
    ----------
    min_value, max_value : float
        Range, > 0.

    Returns
    -------
    SearchStrategy of float

    Raises
    ------
    ValueError, TypeError
        If an end of the range is not a finite number > 0.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> from kernelspec import BiasedReLU
    >>> model = BiasedReLU(5)
    >>> @settings(deadline=None, max_examples=10)
    ... @given(ridges(), ridges())
    ... def test_fewer_degrees_of_freedom_at_larger_ridges(lam, other):
    ...     low, high = sorted([lam, other])
    ...     assert model.degrees_of_freedom(low) >= model.degrees_of_freedom(high)
    >>> test_fewer_degrees_of_freedom_at_larger_ridges()
    """
    return _log_uniform("ridges", min_value, max_value)


def scales(min_value: float = 0.05, max_value: float = 20.0) -> SearchStrategy[float]:
    """Scales tau of biases relative to weights, spread over the powers of ten.

    Parameters
    ----------
    min_value, max_value : float
        Range, > 0.

    Returns
    -------
    SearchStrategy of float

    Raises
    ------
    ValueError, TypeError
        If an end of the range is not a finite number > 0.

    Examples
    --------
    >>> from hypothesis import given
    >>> from kernelspec import GaussianInit
    >>> @given(scales())
    ... def test_density_on_the_equator(tau):
    ...     assert abs(GaussianInit(5, tau).density(0.0) * tau - 1) < 1e-12
    >>> test_density_on_the_equator()
    """
    return _log_uniform("scales", min_value, max_value)


def heights() -> SearchStrategy[float]:
    """Heights b of neurons, often where something changes: -1, 0, 1, +-1/sqrt(2) and close by.

    Returns
    -------
    SearchStrategy of float
        In [-1, 1].

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> from kernelspec import BiasedReLU
    >>> model = BiasedReLU(3)
    >>> @settings(deadline=None, max_examples=10)
    ... @given(heights())
    ... def test_dead_neurons_have_no_leverage(b):
    ...     assert (model.leverage(b, 1e-3) > 0) == (b > -(0.5**0.5))
    >>> test_dead_neurons_have_no_leverage()
    """
    marked = st.sampled_from([0.0, 1.0, -1.0, _KINK, -_KINK, 0.5, -0.5])
    kink, side = st.sampled_from([_KINK, -_KINK]), st.sampled_from([1, -1])
    close = st.builds(lambda b, sign, e: b * (1 + sign * 10.0**-e), kink, side, st.floats(1, 15))
    return st.one_of(st.floats(-1, 1), marked, close)


def proportions() -> SearchStrategy[float]:
    """Proportions in [0, 1], both ends often.

    Returns
    -------
    SearchStrategy of float

    Examples
    --------
    >>> from hypothesis import given
    >>> from kernelspec import mixture_mismatch
    >>> @given(proportions())
    ... def test_between_the_two_mismatches(P):
    ...     assert 1 - 1e-12 <= mixture_mismatch(P, kappa0=60.0) <= 60 * (1 + 1e-12)
    >>> test_between_the_two_mismatches()
    """
    return st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))


def models(d: int | None = None, order: int | None = None) -> SearchStrategy[BiasedReLU]:
    """Feature families.

    Parameters
    ----------
    d, order : int, optional
        Fixed where given, drawn from `dimensions` and `orders` otherwise.

    Returns
    -------
    SearchStrategy of BiasedReLU

    Raises
    ------
    ValueError, TypeError
        If `d` or `order` is out of range.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(models(order=1))
    ... def test_the_exponent_of_the_theorem(model):
    ...     assert model.decay_exponent == (model.d + 2) / (model.d - 1)
    >>> test_the_exponent_of_the_theorem()
    """
    return st.builds(
        BiasedReLU,
        dimensions() if d is None else st.just(_checks.dimension(d)),
        orders() if order is None else st.just(_checks.order(order)),
    )


def laws(d: int, *, everywhere: bool = False) -> SearchStrategy[Law]:
    """Draw sampling laws of neurons in dimension d, mixtures included.

    Parameters
    ----------
    d : int
        Ambient dimension.
    everywhere : bool, keyword-only
        Only laws that draw every neuron, by a density with a positive lower bound: those whose
        mismatch is finite at every ridge and in the limit.

    Returns
    -------
    SearchStrategy of Law

    Raises
    ------
    ValueError, TypeError
        If `d` is out of range.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> from kernelspec import BiasedReLU, mismatch
    >>> model = BiasedReLU(3)
    >>> @settings(deadline=None, max_examples=10)
    ... @given(laws(3, everywhere=True))
    ... def test_no_law_beats_leverage_sampling(law):
    ...     assert 1 - 1e-11 <= mismatch(model, law, 1e-2).kappa < float("inf")
    >>> test_no_law_beats_leverage_sampling()
    """
    d = _checks.dimension(d)
    full: SearchStrategy[Law] = st.one_of(
        st.builds(Uniform, st.just(d)), st.builds(GaussianInit, st.just(d), scales())
    )
    partial: SearchStrategy[Law] = st.one_of(
        st.builds(UniformBias, st.just(d), scales()),
        st.builds(RidgeLeverage, st.just(BiasedReLU(d)), ridges(1e-4)),
    )
    either = st.one_of(full, partial)
    mixed = st.builds(
        lambda first, second, share: Mixture([first, second], [share, 1 - share]),
        full if everywhere else either,
        either,
        st.sampled_from([0.5, 0.1, 0.9]),
    )
    return st.one_of(full, mixed) if everywhere else st.one_of(full, partial, mixed)


def points(d: int, max_size: int = 8) -> SearchStrategy[NDArray[np.float64]]:
    """Draw inputs on the sphere S^{d-1}, uniformly.

    Parameters
    ----------
    d : int
        Ambient dimension.
    max_size : int, default 8
        Largest number of points, >= 1.

    Returns
    -------
    SearchStrategy of ndarray
        Shape (n, d), 1 <= n <= max_size, rows of unit norm.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(points(3))
    ... def test_unit_norm(X):
    ...     assert np.allclose(np.sum(X**2, axis=1), 1)
    >>> test_unit_norm()
    """
    sizes = st.integers(1, _checks.count("max_size", max_size))
    return st.builds(uniform_sphere, st.just(_checks.dimension(d)), sizes, _SEEDS)


def neurons(d: int, max_size: int = 8) -> SearchStrategy[NDArray[np.float64]]:
    """Neurons (w, b) on S^d: heights from `heights`, directions drawn uniformly.

    Parameters
    ----------
    d : int
        Ambient dimension of the inputs.
    max_size : int, default 8
        Largest number of neurons, >= 1.

    Returns
    -------
    SearchStrategy of ndarray
        Shape (m, d + 1), 1 <= m <= max_size, rows of unit norm, last column b.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Examples
    --------
    >>> from hypothesis import given
    >>> from kernelspec import BiasedReLU
    >>> @given(points(3), neurons(3))
    ... def test_features_are_bounded(X, V):
    ...     assert np.all(BiasedReLU(3).features(X, V) <= 2**0.5 + 1e-12)
    >>> test_features_are_bounded()
    """
    d = _checks.dimension(d)
    max_size = _checks.count("max_size", max_size)

    @st.composite
    def rows(draw: DrawFn) -> NDArray[np.float64]:
        b = np.array(draw(st.lists(heights(), min_size=1, max_size=max_size)))
        directions = uniform_sphere(d, b.size, draw(_SEEDS))
        return np.column_stack([np.sqrt((1 - b) * (1 + b))[:, None] * directions, b])

    return rows()

"""Symmetries of the worst-case error, and networks whose neurons are nearly dependent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from approximation_oracles import active_network, dense_error, gaussian_network

from kernelspec import BiasedReLU, uniform_sphere
from kernelspec.approximation import worst_case_error
from kernelspec.approximation._residual import Residual

FINE = 1e-5


# ---- symmetries ------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 5])
def test_more_neurons_never_hurt(d):
    model = BiasedReLU(d)
    V = gaussian_network(d, 80, 1.0, d)
    before = worst_case_error(model, V[:10], rtol=FINE)
    for m in (20, 40, 80):
        after = worst_case_error(model, V[:m], rtol=FINE)
        assert after.lower <= before.upper
        assert after.value <= before.value * (1 + 2 * FINE)
        before = after


@pytest.mark.parametrize("d", [2, 3, 6])
def test_rotation_order_and_scale_do_not_matter(d):
    model = BiasedReLU(d)
    rng = np.random.default_rng(d)
    V = gaussian_network(d, 40, 1.0, 20 + d)
    E = worst_case_error(model, V, rtol=FINE)
    turn, _ = np.linalg.qr(rng.standard_normal((d, d)))
    rotated = np.column_stack([V[:, :d] @ turn, V[:, d]])
    scales = 10.0 ** rng.uniform(-150, 150, 40)[:, None]
    for other in (rotated, V[rng.permutation(40)], V * scales):
        again = worst_case_error(model, other, rtol=FINE)
        assert again.value == pytest.approx(E.value, rel=FINE)
        assert again.rank == E.rank
        assert (again.lower, again.upper) == pytest.approx((E.lower, E.upper), rel=3 * FINE)


@pytest.mark.parametrize("d", [2, 3])
def test_duplicates_and_dead_rows_change_nothing(d):
    model = BiasedReLU(d)
    V = gaussian_network(d, 30, 1.0, 1)
    dead = gaussian_network(d, 5, 1.0, 2)
    dead[:, -1] = -2 * np.linalg.norm(dead[:, :-1], axis=1)
    padded = np.concatenate([V, 3.0 * V[:7], V[20:22] / 7.0, dead, np.zeros((1, d + 1))])
    assert worst_case_error(model, padded) == worst_case_error(model, V)


@pytest.mark.parametrize(("d", "order"), [(2, 1), (3, 1), (3, 2), (3, 0), (5, 1)])
def test_opposite_neurons_add_polynomials(d, order):
    """phi_v and phi_{-v} span phi_v and a polynomial, so opposites of all add all polynomials."""
    model = BiasedReLU(d, order)
    V = active_network(d, 25, 3)
    whole = gaussian_network(d, 60, 1.0, 4)
    whole[:, -1] = 1.0 + 3 * np.linalg.norm(whole[:, :-1], axis=1)
    both = worst_case_error(model, np.concatenate([V, -2.0 * V]), rtol=FINE)
    with_polynomials = worst_case_error(model, np.concatenate([whole, V]), rtol=FINE)
    assert both.value == pytest.approx(with_polynomials.value, rel=FINE)
    assert (both.rank, both.missing) == (with_polynomials.rank, 0)


def test_one_opposite_pair_adds_its_own_polynomial():
    for d, order in [(3, 1), (4, 2), (3, 3)]:
        model = BiasedReLU(d, order)
        V = active_network(d, 10, 4)
        V = np.concatenate([V, -V[:1]])
        E = worst_case_error(model, V, rtol=FINE)
        exact = dense_error(model, V, 14 if d == 3 else 9)
        assert E.lower * (1 - 3e-5) <= exact <= E.upper * (1 + 3e-5)
        assert (E.rank, E.missing) == (11, 0)


# ---- nearly dependent neurons ----------------------------------------------------------


@pytest.mark.parametrize("gap", [1e-5, 1e-6, 1e-7, 1e-9, 1e-12])
@pytest.mark.parametrize("d", [2, 3])
def test_nearly_equal_neurons_do_not_break_the_enclosure(d, gap):
    """As neurons merge, their span tends to the neuron and its derivative: E has a limit."""
    model = BiasedReLU(d)
    V = active_network(d, 12, 8)
    move = np.random.default_rng(9).standard_normal(V.shape)
    limit = worst_case_error(model, np.concatenate([V, V + 1e-4 * move]), rtol=1e-3)
    E = worst_case_error(model, np.concatenate([V, V + gap * move]), rtol=1e-3)
    assert limit.converged
    assert E.lower <= limit.upper * 1.002
    assert E.upper >= limit.lower * 0.998
    assert E.rank + E.missing == 24
    if E.missing:
        assert not E.converged
        assert str(E.missing) in E.message


def test_dependent_polynomials_are_counted_as_hidden():
    """Three whole neurons in a plane: the third adds nothing, but rounding cannot tell."""
    model = BiasedReLU(3)
    V = gaussian_network(3, 3, 1.0, 4)
    V[:2, -1] = 1.0 + 3 * np.linalg.norm(V[:2, :-1], axis=1)
    V[2] = 0.3 * V[0] + 0.7 * V[1]
    E, two = worst_case_error(model, V), worst_case_error(model, V[:2])
    assert (E.rank, E.missing) == (2, 1)
    assert E.lower <= two.lower
    assert E.upper == pytest.approx(two.upper, rel=1e-9)


def test_neurons_too_small_to_scale_are_granted_to_the_lower_bound():
    model = BiasedReLU(100)
    V = active_network(100, 3, 0)
    tiny = active_network(100, 1, 1)
    tiny[0, :-1] /= np.linalg.norm(tiny[0, :-1])
    tiny[0, -1] = -1 + 1e-11
    E, without = worst_case_error(model, np.concatenate([V, tiny])), worst_case_error(model, V)
    assert (E.rank, E.missing) == (3, 1)
    assert E.upper == without.upper
    assert E.lower <= without.lower


def test_the_upper_bound_does_not_trust_the_eigensolver(monkeypatch):
    """An eigenpair far below the top is taken for the top: the count must find out."""
    model, V = BiasedReLU(3), active_network(3, 60, 0)
    E = worst_case_error(model, V)
    honest = Residual.top

    def misled(self, tolerance):
        value, vector = honest(self, tolerance)
        return 0.3 * value, vector

    monkeypatch.setattr(Residual, "top", misled)
    assert worst_case_error(model, V).upper >= E.lower


def test_a_neuron_that_is_nearly_a_polynomial_keeps_its_rest():
    """With all linear functions at hand only the tiny cap counts, whatever the neuron's norm."""
    model = BiasedReLU(5)
    whole = gaussian_network(5, 20, 1.0, 0)
    whole[:, -1] = 1.0 + 3 * np.linalg.norm(whole[:, :-1], axis=1)
    V = active_network(5, 30, 1)
    u = uniform_sphere(5, 1, 2)[0]
    large = np.append(u * math.cos(math.pi / 4 - 1e-4), math.sin(math.pi / 4 - 1e-4))
    nearly = worst_case_error(model, np.concatenate([whole, V, large[None]]))
    small = worst_case_error(model, np.concatenate([whole, V, -large[None]]))
    assert nearly.missing == 0
    assert nearly.value == pytest.approx(small.value, rel=1e-9)

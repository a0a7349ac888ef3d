"""Inner products of neurons: against their definition, their series, and their own allowance."""

from __future__ import annotations

import numpy as np
import pytest
from approximation_oracles import active_network, overlap_by_definition
from scipy.stats import ortho_group

from kernelspec import BiasedReLU, gegenbauer, multiplicity
from kernelspec.approximation._gram import unit_gram
from kernelspec.approximation._overlap import Caps, overlap
from kernelspec.harmonics import kink_angle, squared_norm


def _split(V):
    w = V[:, :-1]
    return w / np.linalg.norm(w, axis=1)[:, None], V[:, -1]


def _caps(d, s, angles):
    b = -np.cos(angles) / np.sqrt(1 + np.cos(angles) ** 2)
    alpha = kink_angle(b)
    return Caps.of(d, s, b, alpha), alpha, np.sqrt((1 - b) * (1 + b)), b


NEAR = [(1.3, 1.3 - 3e-4), (1.3, 1.3 - 1e-6), (1.3, 1.3 - 1e-8), (1.3, 1.3 - 1e-10), (0.9, 0.9)]


@pytest.mark.parametrize(
    ("d", "s"), [(2, 0), (2, 1), (2, 3), (3, 0), (3, 1), (3, 3), (5, 1), (9, 2)]
)
@pytest.mark.parametrize("share", [0.03, 0.45, 0.55, 0.97])
def test_overlap_agrees_with_its_definition(d, s, share):
    for large, small in [(1.2, 0.7), (1.5707, 1.5), (1.0, 0.02), (1.3, 1.29), *NEAR]:
        caps, alpha, w, _ = _caps(d, s, np.array([large, small]))
        low, high = alpha[0] - alpha[1], alpha[0] + alpha[1]
        gamma = low + share * (high - low)
        value = overlap(d, s, caps, np.array([0]), np.array([1]), np.array([gamma]))[0]
        exact = float(overlap_by_definition(d, s, alpha[0], alpha[1], gamma))
        assert value / (w[0] * w[1]) ** s == pytest.approx(exact, rel=2e-12, abs=0)


@pytest.mark.parametrize(("d", "s"), [(2, 1), (3, 1), (4, 3), (40, 1)])
def test_overlap_of_nested_equal_and_disjoint_caps(d, s):
    caps, alpha, _, b = _caps(d, s, np.array([1.3, 0.4]))
    zero, one = np.array([0]), np.array([1])
    assert overlap(d, s, caps, zero, zero, np.array([0.0]))[0] == pytest.approx(
        squared_norm(d, s, b)[0], rel=1e-13
    )
    assert overlap(d, s, caps, zero, one, np.array([alpha.sum() + 1e-9]))[0] == 0.0
    # symmetric in the pair, and continuous where the caps begin to overlap
    assert overlap(d, s, caps, zero, one, np.array([1.1])) == overlap(
        d, s, caps, one, zero, np.array([1.1])
    )
    assert overlap(d, s, caps, zero, one, np.array([alpha.sum() - 1e-9]))[0] < 1e-12


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12, 0.0])
@pytest.mark.parametrize(("d", "s"), [(2, 1), (3, 1), (5, 2)])
def test_both_ends_of_the_path_meet(d, s, gap):
    """The representations from nested and from disjoint caps agree in the middle."""
    caps, alpha, _, _ = _caps(d, s, np.array([1.2, 1.2 - gap]))
    middle = alpha[0]
    values = overlap(
        d, s, caps, np.zeros(2, int), np.ones(2, int), np.array([middle - 1e-9, middle + 1e-9])
    )
    assert values[0] == pytest.approx(values[1], rel=2e-8)
    step = 1e-4
    grid = middle + step * np.arange(-3, 4)
    bent = overlap(d, s, caps, np.zeros(7, int), np.ones(7, int), grid)
    # a jump between the two would stand out in the sixth differences
    assert abs(np.diff(bent, 6)[0]) < 1e-13


@pytest.mark.parametrize(("d", "s"), [(2, 2), (3, 2), (3, 3), (6, 3), (4, 5)])
def test_gram_is_the_sum_over_degrees(d, s):
    """Orders >= 2, whose series converges to rounding."""
    U, b = _split(active_network(d, 12, 3))
    G, _ = unit_gram(d, s, U, b)
    K = 1500
    a = BiasedReLU(d, s).coefficients(b, K) / np.sqrt(squared_norm(d, s, b))
    P = gegenbauer(d, K, np.clip(U @ U.T, -1, 1))
    series = np.einsum("k,ki,kj,kij->ij", multiplicity(d, np.arange(K + 1)), a, a, P)
    assert np.max(np.abs(G - series)) < 2e-13


@pytest.mark.parametrize(("d", "s"), [(2, 1), (3, 0), (3, 1), (5, 1), (20, 1), (3, 2)])
def test_allowance_covers_the_rounding_of_the_gram_matrix(d, s):
    """Rotated coordinates change nothing but rounding errors."""
    U, b = _split(active_network(d, 300, 5))
    G, allowance = unit_gram(d, s, U, b)
    turned = U @ ortho_group.rvs(d, random_state=1)
    turned /= np.linalg.norm(turned, axis=1)[:, None]
    again, _ = unit_gram(d, s, turned, b)
    assert np.linalg.norm(G - again, 2) <= allowance <= 1e-13
    assert np.linalg.eigvalsh(G)[0] > -allowance


def test_gram_of_small_caps_keeps_relative_accuracy():
    """Two caps of angle 1e-3 overlap as two discs do, up to curvature: scale does not matter."""
    ratio = {}
    for size in (1e-3, 1e-4):
        caps, alpha, _, b = _caps(3, 1, np.array([size, 0.8 * size]))
        value = overlap(3, 1, caps, np.array([0]), np.array([1]), alpha[:1])
        ratio[size] = value[0] / np.sqrt(np.prod(squared_norm(3, 1, b)))
    assert ratio[1e-3] == pytest.approx(ratio[1e-4], rel=1e-5)
    assert 0.1 < ratio[1e-3] < 0.9

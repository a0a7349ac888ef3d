"""The strategies of kernelspec.testing: within range, and at the marked values."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from kernelspec import BiasedReLU, Law, mismatch, testing

KINK = math.sqrt(0.5)


@given(
    testing.dimensions(),
    testing.orders(),
    testing.degrees(),
    testing.ridges(),
    testing.scales(),
    testing.heights(),
    testing.proportions(),
)
@settings(max_examples=100)
def test_numbers_stay_in_range(d, s, k, lam, tau, b, P):
    assert isinstance(d, int)
    assert 2 <= d <= 20
    assert 0 <= s <= 5
    assert 0 <= k <= 60
    assert 1e-12 <= lam <= 10
    assert 0.05 <= tau <= 20
    assert -1 <= b <= 1
    assert 0 <= P <= 1


@given(st.data(), testing.dimensions())
def test_points_and_neurons_have_unit_rows(data, d):
    X, V = data.draw(testing.points(d, 5)), data.draw(testing.neurons(d, 4))
    assert X.shape[1] == d
    assert V.shape[1] == d + 1
    assert 1 <= len(X) <= 5
    assert 1 <= len(V) <= 4
    for rows in (X, V):
        assert np.allclose(np.sum(rows**2, axis=1), 1, rtol=0, atol=1e-12)


@given(testing.models(order=2), testing.models(d=7), st.data())
def test_models_and_laws_take_what_is_fixed(quadratic, seven, data):
    assert isinstance(quadratic, BiasedReLU)
    assert quadratic.order == 2
    assert seven.d == 7
    law = data.draw(testing.laws(7))
    assert isinstance(law, Law)
    assert law.d == 7


@given(testing.laws(4, everywhere=True))
def test_laws_that_draw_everywhere_have_a_finite_mismatch(law):
    assert math.isfinite(mismatch(BiasedReLU(4), law, 1e-3).kappa)


@pytest.mark.parametrize(
    "wanted",
    [
        lambda b: b == KINK,
        lambda b: b == -KINK,
        lambda b: b == 1,
        lambda b: 0 < b - KINK < 1e-9,
        lambda b: 0 < KINK - b < 1e-9,
        lambda b: 0 < b + KINK < 1e-9,
    ],
)
def test_heights_reach_the_places_where_something_changes(wanted):
    assert wanted(find(testing.heights(), wanted, settings=settings(max_examples=2000)))


def test_without_hypothesis_the_message_says_what_to_install():
    code = "import sys; sys.modules['hypothesis'] = None; import kernelspec.testing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: kernelspec.testing needs the package hypothesis")
    assert "[test]" in last

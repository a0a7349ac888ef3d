"""Measurements: shapes, streams, the cliff, and the settings they are given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from validation.three_layer import ThreeLayerSettings, measure_cliff, measure_rate

SMALL = ThreeLayerSettings(
    d=6, r=2, pieces=(8, 16), cliff_pieces=16, targets=2, samples=600, starts=1, random_starts=2
)


def test_the_cliff_and_its_floors() -> None:
    cliff = measure_cliff(SMALL)
    assert cliff.oracle.shape == cliff.learned.shape == cliff.floor.shape == (2, 3)
    assert cliff.random_starts.shape == (2, 2)
    assert np.array_equal(cliff.oracle[:, 0], cliff.learned[:, 0])
    assert np.all(cliff.oracle[:, :2] > cliff.floor[:, :2])
    assert np.all(cliff.learned[:, 2] < 1e-2 * cliff.learned[:, 1])
    assert np.all(cliff.learned[:, 2] < cliff.fixed_floor)
    assert np.all(cliff.oracle[:, 2] < cliff.bound)
    assert 0 <= cliff.success <= 1
    assert np.isnan(measure_cliff(replace(SMALL, targets=1, random_starts=0)).success)


def test_the_rate_and_the_plateau_with_one_neuron_less() -> None:
    full, fewer = measure_rate(SMALL), measure_rate(SMALL, 1)
    assert full.error.shape == full.predicted.shape == full.bound.shape == (2, 2)
    np.testing.assert_allclose(full.error[:, 1] / full.error[:, 0], 2.0**-4, rtol=0.3)
    assert np.all(full.floor < 1e-12)
    assert np.all(fewer.error[:, 1] / fewer.floor < 1.01)
    assert fewer.trained == 1
    with pytest.raises(ValueError, match="trained = 3 is not allowed: an integer from 0 to 2"):
        measure_rate(SMALL, 3)


def test_a_target_does_not_depend_on_how_many_there_are_or_what_else_is_drawn() -> None:
    many = measure_rate(replace(SMALL, targets=3, pieces=(8,)))
    few = measure_rate(replace(SMALL, random_starts=0))
    np.testing.assert_array_equal(many.error[:2, 0], few.error[:, 0])
    other = measure_rate(replace(SMALL, seed=1, pieces=(8,)))
    assert not np.any(other.error == many.error[:2])


@pytest.mark.parametrize(
    ("name", "value", "kind", "words"),
    [
        ("d", 2, ValueError, "d = 2 is not allowed: an integer from 3 to 1000"),
        ("r", 10, ValueError, "r = 10 is not allowed: an integer from 1 to 9"),
        ("pieces", (), ValueError, r"pieces = \(\) is not allowed: at least one value"),
        ("pieces", (8, 8.0), ValueError, "each value once"),
        ("pieces", 1, ValueError, "pieces = 1 is not allowed: an integer >= 2"),
        ("cliff_pieces", "8", TypeError, "cliff_pieces = '8' is not allowed"),
        ("frequency", 0, ValueError, "frequency = 0 is not allowed"),
        ("frequency", 9, ValueError, r"frequency = 9 is not allowed: a number in \(0, 6\]"),
        ("targets", 0, ValueError, "targets = 0 is not allowed"),
        ("samples", 100, ValueError, "samples = 100 is not allowed: an integer >= 169"),
        ("starts", 0, ValueError, "starts = 0 is not allowed"),
        ("random_starts", -1, ValueError, "random_starts = -1 is not allowed"),
        ("seed", -1, ValueError, "seed = -1 is not allowed"),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        ThreeLayerSettings(**{name: value})


def test_settings_are_written_as_they_are_read() -> None:
    settings = ThreeLayerSettings.from_mapping(SMALL.as_dict())
    assert settings == SMALL

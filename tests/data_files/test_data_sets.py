from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from validation.data import bundled, bundled_names, load
from validation.data.prepare import on_sphere

SHAPES = {"digits": (1797, 61), "diabetes": (442, 10), "breast-cancer": (569, 30)}


@pytest.mark.parametrize("name", SHAPES)
def test_bundled_data_are_standardised(name: str) -> None:
    data = bundled(name)
    assert data.X.shape == SHAPES[name]
    assert data.y is not None
    assert data.y.shape == data.X.shape[:1]
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.X.std(axis=0), 1, rtol=1e-12)
    assert ("3 constant columns dropped" in data.notes) == (name == "digits")


@pytest.mark.parametrize("name", SHAPES)
def test_the_sphere_has_rows_of_norm_one(name: str) -> None:
    plain, sphere = bundled(name), bundled(name, sphere=True)
    np.testing.assert_allclose(np.linalg.norm(sphere.X, axis=1), 1, rtol=1e-14)
    # a direction is kept, up to the rounding of means that are zero already
    cosines = np.sum(plain.X * sphere.X, axis=1) / np.linalg.norm(plain.X, axis=1)
    np.testing.assert_allclose(cosines, 1, rtol=1e-12)
    assert sphere.notes[-1] == "rows centred and scaled to norm 1"


def test_names_are_those_that_load() -> None:
    assert bundled_names() == tuple(SHAPES)
    with pytest.raises(ValueError, match=r"name = 'iris' is not allowed: one of digits, diabetes"):
        bundled("iris")


def test_a_file_is_taken_as_it_is_unless_told_otherwise(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(3.0, [1.0, 5.0], (50, 2))
    np.save(path := tmp_path / "x.npy", X)
    plain = load(path, None)
    assert (plain.name, plain.y, plain.notes) == ("x.npy", None, ())
    np.testing.assert_array_equal(plain.X, X)
    scaled = load(path, None, standardise=True)
    np.testing.assert_allclose(scaled.X.std(axis=0), 1, rtol=1e-12)
    sphere = load(str(path), None, sphere=True)
    centred = X - X.mean(axis=0)
    expected = centred / np.linalg.norm(centred, axis=1)[:, None]
    np.testing.assert_allclose(sphere.X, expected, rtol=1e-12)


def test_a_point_without_a_direction_is_refused(tmp_path: Path) -> None:
    np.save(path := tmp_path / "x.npy", np.array([[-1.0, 2], [0, 0], [1, -2]]))
    with pytest.raises(ValueError, match="cannot be put on the sphere: row 2 is the mean"):
        load(path, None, sphere=True)


def test_exactly_one_source_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="none of file and data set is given"):
        load(None, None)
    with pytest.raises(ValueError, match="both of file and data set is given"):
        load(tmp_path / "x.csv", "digits")
    with pytest.raises(ValueError, match="key = 'X' is not allowed: only an NPZ file has keys"):
        load(None, "digits", key="X")
    assert load(None, "diabetes").X.shape == SHAPES["diabetes"]


def test_constant_columns_are_refused_before_they_are_divided_by_zero(tmp_path: Path) -> None:
    np.save(path := tmp_path / "x.npy", np.array([[1.0, 2], [1, 3]]))
    assert load(path, None, allow_constant=True).X.shape == (2, 2)
    for arguments in ({}, {"standardise": True, "allow_constant": True}):
        with pytest.raises(ValueError, match="holds constant columns, remove them: column 1"):
            load(path, None, **arguments)


def test_numbers_whose_fourth_power_overflows_are_refused(tmp_path: Path) -> None:
    X = np.random.default_rng(0).standard_normal((50, 2))
    X[3, 1] = -1e76
    np.save(path := tmp_path / "x.npy", X)
    with pytest.raises(ValueError, match=r"x.npy' holds a number of size 1e\+76: at most 1e\+75"):
        load(path, None)
    X[3, 1] = -1e75
    np.save(path, X)
    np.testing.assert_array_equal(load(path, None).X, X)


def test_numbers_whose_fourth_power_vanishes_are_refused(tmp_path: Path) -> None:
    X = np.random.default_rng(0).standard_normal((50, 2))
    np.save(path := tmp_path / "x.npy", 1e-200 * X)
    with pytest.raises(ValueError, match=r"x.npy' holds no number above 2\.\d+e-200 in size: 1e-7"):
        load(path, None)
    np.save(path, 1e-70 * X)
    np.testing.assert_allclose(load(path, None, sphere=True).X, on_sphere(X, "X"), rtol=1e-12)
    np.save(path, np.zeros((50, 2)))
    assert not load(path, None, allow_constant=True).X.any()

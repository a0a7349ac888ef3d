"""Data sets that come with scikit-learn, so that nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Final

import numpy as np
from numpy.typing import NDArray

from validation.data.prepare import drop_constant, on_sphere, standardised

__all__ = ["Data", "bundled", "bundled_names"]

Array = NDArray[np.float64]

_LOADERS: Final = {
    "digits": "load_digits",
    "diabetes": "load_diabetes",
    "breast-cancer": "load_breast_cancer",
}


@dataclass(frozen=True)
class Data:
    """Points, what is to be predicted at them, and what was done to them.

    Attributes
    ----------
    name : str
        Name of the data set or of the file.
    X : ndarray
        Points, shape (n, d).
    y : ndarray or None
        One number a point, shape (n,): digit, disease progression, 1 for benign; None for files.
    notes : tuple of str
        What was done to the points, in order, for people to read.

    Examples
    --------
    >>> data = bundled("diabetes")
    >>> data.name, data.X.shape, data.y.shape
    ('diabetes', (442, 10), (442,))
    >>> data.notes
    ('columns standardised',)
    """

    name: str
    X: Array
    y: Array | None
    notes: tuple[str, ...]


def bundled_names() -> tuple[str, ...]:
    """Names that `bundled` knows.

    Examples
    --------
    >>> bundled_names()
    ('digits', 'diabetes', 'breast-cancer')
    """
    return tuple(_LOADERS)


def bundled(name: str, *, sphere: bool = False) -> Data:
    """Load a data set of scikit-learn, standardised.

    Constant columns (three pixels of the digits) are dropped; every other column is centred and
    divided by its standard deviation. Nothing is downloaded.

    Parameters
    ----------
    name : str
        "digits" (1797 x 61), "diabetes" (442 x 10) or "breast-cancer" (569 x 30).
    sphere : bool, keyword-only
        Scale every row to norm 1 afterwards.

    Returns
    -------
    Data
        Points, targets and notes.

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> data = bundled("digits", sphere=True)
    >>> data.X.shape
    (1797, 61)
    >>> print("; ".join(data.notes))
    3 constant columns dropped; columns standardised; rows centred and scaled to norm 1
    """
    if name not in _LOADERS:
        raise ValueError(f"name = {name!r} is not allowed: one of {', '.join(_LOADERS)}")
    datasets = import_module("sklearn.datasets")  # slow to load, and without types
    X, y = getattr(datasets, _LOADERS[name])(return_X_y=True)
    notes = []
    X, dropped = drop_constant(np.asarray(X, dtype=np.float64))
    if dropped:
        notes.append(f"{dropped} constant columns dropped")
    X = standardised(X)
    notes.append("columns standardised")
    if sphere:
        X = on_sphere(X, name)
        notes.append("rows centred and scaled to norm 1")
    return Data(name, X, np.asarray(y, dtype=np.float64), tuple(notes))

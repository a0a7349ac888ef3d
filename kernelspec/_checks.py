"""Argument checks: one line per mistake, naming argument, value and allowed range."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "broadcast",
    "count",
    "dimension",
    "height",
    "integer",
    "integer_array",
    "matrix",
    "not_negative",
    "open_unit",
    "open_unit_array",
    "order",
    "positive",
    "positive_array",
    "proportion",
    "real_array",
    "ridge",
]

MAX_DIMENSION: Final = 1000
MAX_ORDER: Final = 5
SMALLEST_RIDGE: Final = 1e-290


def _fail(name: str, value: object, allowed: str) -> ValueError:
    return ValueError(f"{name} = {value!r} is not allowed: {allowed}")


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int in [low, high], or say why it is none."""
    allowed = f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"
    fractional = isinstance(value, (float, np.floating))
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not whole and not (fractional and float(value).is_integer()):
        kind = ValueError if fractional else TypeError
        raise kind(f"{name} = {value!r} is not allowed: {allowed}")
    number = int(value)
    if number < low or (high is not None and number > high):
        raise _fail(name, value, allowed)
    return number


def dimension(d: Any) -> int:
    """Check the ambient dimension, an integer from 2 to 1000."""
    return integer("d", d, 2, MAX_DIMENSION)


def order(s: Any) -> int:
    """Check the order of the activation, an integer from 0 to 5."""
    return integer("order", s, 0, MAX_ORDER)


def count(name: str, value: Any, low: int = 1) -> int:
    """Check a count: a width, a number of samples, a degree."""
    return integer(name, value, low)


def _real(name: str, value: Any, allowed: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r} is not allowed: {allowed}") from None
    if math.isnan(number):
        raise _fail(name, value, allowed)
    return number


def positive(name: str, value: Any) -> float:
    """Check a finite number > 0."""
    allowed = "a finite number > 0"
    number = _real(name, value, allowed)
    if not 0.0 < number < math.inf:
        raise _fail(name, value, allowed)
    return number


def not_negative(name: str, value: Any) -> float:
    """Check a finite number >= 0."""
    allowed = "a finite number >= 0"
    number = _real(name, value, allowed)
    if not 0.0 <= number < math.inf:
        raise _fail(name, value, allowed)
    return number


def proportion(name: str, value: Any) -> float:
    """Check a number in [0, 1]."""
    allowed = "a number from 0 to 1"
    number = _real(name, value, allowed)
    if not 0.0 <= number <= 1.0:
        raise _fail(name, value, allowed)
    return number


def open_unit(name: str, value: Any) -> float:
    """Check a number strictly between 0 and 1, such as a failure probability."""
    allowed = "a number strictly between 0 and 1"
    number = _real(name, value, allowed)
    if not 0.0 < number < 1.0:
        raise _fail(name, value, allowed)
    return number


def _array(name: str, value: ArrayLike, allowed: str) -> NDArray[np.float64]:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r} is not allowed: {allowed}") from None


def _first_bad(name: str, bad: NDArray[np.bool_], array: NDArray[np.float64], allowed: str) -> None:
    if np.any(bad):
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        label = name if not where else f"{name}[{', '.join(map(str, where))}]"
        raise ValueError(f"{label} = {float(array[where])!r} is not allowed: {allowed}")


def positive_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Check an array of finite numbers > 0, such as ridges."""
    allowed = "finite numbers > 0"
    array = _array(name, value, allowed)
    _first_bad(name, ~(np.isfinite(array) & (array > 0)), array, allowed)
    return array


def ridge(lam: ArrayLike) -> NDArray[np.float64]:
    """Check ridges whose leverage stays within float64: finite numbers >= 1e-290."""
    array = positive_array("lam", lam)
    allowed = f"ridges >= {SMALLEST_RIDGE:g}, below which sums over degrees leave float64"
    _first_bad("lam", array < SMALLEST_RIDGE, array, allowed)
    return array


def real_array(name: str, value: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    """Check an array of numbers in [low, high]."""
    allowed = f"numbers from {low:g} to {high:g}"
    array = _array(name, value, allowed)
    _first_bad(name, ~((array >= low) & (array <= high)), array, allowed)
    return array


def height(b: ArrayLike) -> NDArray[np.float64]:
    """Check heights of neurons on S^d: numbers in [-1, 1]."""
    return real_array("b", b, -1.0, 1.0)


def integer_array(
    name: str, value: ArrayLike, low: int, high: int | None = None
) -> NDArray[np.float64]:
    """Check an array of whole numbers in [low, high], such as widths."""
    allowed = f"integers >= {low}" if high is None else f"integers from {low} to {high}"
    array = _array(name, value, allowed)
    inside = (array >= low) & (array <= (np.finfo(np.float64).max if high is None else high))
    _first_bad(name, ~(inside & (array == np.floor(array))), array, allowed)
    return array


def open_unit_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Check an array of numbers strictly between 0 and 1."""
    allowed = "numbers strictly between 0 and 1"
    array = _array(name, value, allowed)
    _first_bad(name, ~((array > 0) & (array < 1)), array, allowed)
    return array


def matrix(name: str, value: ArrayLike, columns: int) -> NDArray[np.float64]:
    """Check a two-dimensional array of finite numbers with the given number of columns."""
    allowed = f"a finite array of shape (n, {columns})"
    array = _array(name, value, allowed)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{name} of shape {array.shape} is not allowed: {allowed}")
    _first_bad(name, ~np.isfinite(array), array, allowed)
    return array


def broadcast(**arrays: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Broadcast arrays against one another, or name the shapes that do not fit."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes {shapes} are not allowed: they must broadcast") from None

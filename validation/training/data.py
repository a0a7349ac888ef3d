"""What networks are trained on: targets on the sphere, points to fit and points to test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kernelspec import BiasedReLU, uniform_sphere
from kernelspec.approximation.targets import RidgeFunction, random_kernel_expansion

__all__ = ["TARGETS", "Sample", "draw_sample", "draw_target"]

Array = NDArray[Any]
Target = Callable[[Array], Array]

TARGETS: Final = ("rkhs", "oscillatory")
CENTRES: Final = 10
FREQUENCY: Final = 10.0


@dataclass(frozen=True)
class Sample:
    """Points and values of a target, in units of its root mean square at the points of the fit.

    Attributes
    ----------
    X, y : ndarray, shapes (n, d) and (n,)
        Points of the fit.
    X_test, y_test : ndarray, shapes (t, d) and (t,)
        Fresh points.

    Examples
    --------
    >>> target = draw_target("oscillatory", 3, 1, np.random.default_rng(0))
    >>> sample = draw_sample(target, 3, 100, 200, np.random.default_rng(1))
    >>> sample.X.shape, sample.y_test.shape, round(float(np.mean(sample.y**2)), 12)
    ((100, 3), (200,), 1.0)
    """

    X: Array
    y: Array
    X_test: Array
    y_test: Array


def draw_target(name: str, d: int, order: int, rng: np.random.Generator) -> Target:
    r"""Draw a target by name.

    rkhs
        A kernel expansion of unit RKHS norm with 10 uniform centres and Gaussian weights.
    oscillatory
        A wave :math:`\sin(10\, u\cdot x + a)`, u a uniform direction and a a uniform phase. It is
        in the RKHS too, for it is smooth, but with a large norm.

    Parameters
    ----------
    name : {"rkhs", "oscillatory"}
        Which.
    d, order : int
        Of the feature family, whose kernel is expanded.
    rng : numpy.random.Generator
        Generator.

    Returns
    -------
    callable
        From inputs (n, d) to values (n,).

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> draw_target("rkhs", 3, 1, np.random.default_rng(0))(np.eye(3)).shape
    (3,)
    """
    if name == "rkhs":
        return random_kernel_expansion(BiasedReLU(d, order), CENTRES, rng)
    if name == "oscillatory":
        direction = uniform_sphere(d, 1, rng)[0]
        phase = float(rng.uniform(0, 2 * math.pi))
        return RidgeFunction(direction, lambda t: np.sin(FREQUENCY * t + phase))
    raise ValueError(f"target = {name!r} is not allowed: one of {', '.join(TARGETS)}")


def draw_sample(target: Target, d: int, n: int, tests: int, rng: np.random.Generator) -> Sample:
    """Draw uniform points, those of the fit first, and scale the values to mean square 1 there.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sample = draw_sample(lambda X: 5 * X[:, 0], 3, 100, 10, rng)
    >>> round(float(np.mean(sample.y**2)), 12), sample.X_test.shape
    (1.0, (10, 3))
    """
    X = uniform_sphere(d, n, rng)
    X_test = uniform_sphere(d, tests, rng)
    y = np.asarray(target(X), dtype=np.float64)
    scale = math.sqrt(float(np.mean(y**2)))
    return Sample(X, y / scale, X_test, np.asarray(target(X_test)) / scale)

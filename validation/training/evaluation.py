"""Errors of trained networks at fresh points, the readout solved again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from validation.training.architecture import Weights, hidden_features
from validation.training.data import Sample
from validation.training.readout import solve_readout

__all__ = ["Evaluation", "evaluate"]

Array = NDArray[Any]

NEAR_FLOOR: Final = 10.0


@dataclass(frozen=True)
class Evaluation:
    """Squared errors relative to the mean square of the target at the same points.

    Attributes
    ----------
    error : float
        At fresh points, with the readout solved again at the points of the fit.
    standard_error : float
        Of `error`, from the spread of the squared residuals over the fresh points.
    joint : float
        At fresh points, with the readout as it was trained.
    fit : float
        At the points of the fit, readout solved again.
    rank : int
        Rank of the features.
    floor : float
        What rounding in the precision of training contributes to the fitted values: mean squared
        difference of the features' fit in that precision and in float64. 0 for float64.

    Examples
    --------
    >>> found = Evaluation(
    ...     error=0.02, standard_error=0.001, joint=0.03, fit=0.015, rank=64, floor=0.0
    ... )
    >>> found.joint / found.error
    1.5
    """

    error: float
    standard_error: float
    joint: float
    fit: float
    rank: int
    floor: float

    @property
    def at_floor(self) -> bool:
        """Whether the error of the fit is within ten times the floor of the precision."""
        return self.floor > 0 and not self.fit > NEAR_FLOOR * self.floor


def evaluate(weights: Weights, sample: Sample, order: int) -> Evaluation:
    """Solve the readout of one network again and measure its error at the fresh points.

    Parameters
    ----------
    weights : Weights
        Of one network, in the precision of its training.
    sample : Sample
        Its data.
    order : int
        Order of the activation.

    Returns
    -------
    Evaluation
        Errors, rank and floor.

    Examples
    --------
    >>> sample = Sample(np.eye(2), np.ones(2), np.eye(2), np.ones(2))
    >>> weights = Weights((np.ones((2, 1)),), (np.zeros(1),), np.zeros(1))
    >>> result = evaluate(weights, sample, order=1)
    >>> round(result.error, 12), result.joint, result.at_floor
    (0.0, 1.0, False)
    """
    exact = _as(weights, np.float64)
    H = hidden_features(exact, sample.X, order)
    fitted = solve_readout(H, sample.y)
    if fitted.rank == 0 and not np.all(np.isfinite(fitted.coefficients)):
        return Evaluation(np.nan, np.nan, np.nan, np.nan, 0, np.nan)
    H_test = hidden_features(exact, sample.X_test, order)
    power = float(np.mean(sample.y_test**2))
    squared = (sample.y_test - H_test @ fitted.coefficients) ** 2 / power
    joint = float(np.mean((sample.y_test - H_test @ exact.readout) ** 2)) / power
    floor = 0.0
    dtype = weights.readout.dtype
    if dtype != np.float64:
        rough = hidden_features(weights, sample.X.astype(dtype), order)
        floor = float(np.mean(((rough - H) @ fitted.coefficients) ** 2))
    return Evaluation(
        float(squared.mean()),
        float(squared.std() / np.sqrt(squared.size - 1)),
        joint,
        fitted.error / float(np.mean(sample.y**2)),
        fitted.rank,
        floor,
    )


def _as(weights: Weights, dtype: type) -> Weights:
    kernels, biases, readout = weights
    return Weights(
        tuple(W.astype(dtype) for W in kernels),
        tuple(b.astype(dtype) for b in biases),
        readout.astype(dtype),
    )

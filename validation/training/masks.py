"""Which neurons are trained: the first round(P m) of a random order, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec import _checks
from validation.training.architecture import Architecture

__all__ = ["trainable_neurons"]


def trainable_neurons(
    architecture: Architecture,
    P: Sequence[float],
    rng: int | np.random.SeedSequence | np.random.Generator,
) -> NDArray[Any]:
    """Mark the trained neurons for each proportion P.

    In each hidden layer the neurons are put into a random order, and the first round(P m) are
    trained (a half is rounded to the even number). So a neuron that is trained at one P is trained
    at every larger one. The readout is trained always.

    Parameters
    ----------
    architecture : Architecture
        The network.
    P : sequence of float
        Proportions, 0 to 1.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    ndarray of bool, shape (len(P), L - 1, width)
        True where a neuron is trained.

    Raises
    ------
    TypeError, ValueError
        If a proportion is out of range.

    Examples
    --------
    >>> trainable_neurons(Architecture(3, width=10, layers=3), [0.0, 0.25, 1.0], 0).sum(axis=2)
    array([[ 0,  0],
           [ 2,  2],
           [10, 10]])
    """
    generator = np.random.default_rng(rng)
    width = architecture.width
    rank = np.array([generator.permutation(width) for _ in range(architecture.hidden)])
    counts = [round(_checks.proportion("P", value) * width) for value in P]
    return np.array([rank < count for count in counts]).reshape(len(counts), -1, width)

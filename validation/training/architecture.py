"""Fully connected networks of any depth: their shape, their weights, their initialisation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec import _checks

__all__ = ["INITIALISATIONS", "Architecture", "Weights", "hidden_features", "initial_weights"]

Array = NDArray[Any]

INITIALISATIONS: Final = ("spherical", "he")
MAX_LAYERS: Final = 100


class Weights(NamedTuple):
    """The weights of one network, or of a stack of networks with a leading axis.

    Attributes
    ----------
    kernels : tuple of ndarray
        One for each hidden layer, shape (inputs of the layer, width).
    biases : tuple of ndarray
        One for each hidden layer, shape (width,).
    readout : ndarray
        Shape (width,). There is no readout bias.

    Examples
    --------
    >>> weights = initial_weights(Architecture(3, width=4), 1.0, rng=0)
    >>> [W.shape for W in weights.kernels], weights.readout.shape
    ([(3, 4)], (4,))
    """

    kernels: tuple[Array, ...]
    biases: tuple[Array, ...]
    readout: Array


@dataclass(frozen=True)
class Architecture:
    r"""A fully connected network :math:`f(x) = c\cdot h_{L-1}(x)` of L layers of weights.

    .. math:: h_0 = x, \qquad h_l = \max(h_{l-1} W_l + b_l, 0)^s \quad (l = 1, \dots, L-1).

    L counts every layer that has weights, the readout c included: the two-layer network of the
    theorem, with one hidden layer, is L = 2.

    Parameters
    ----------
    d : int
        Ambient dimension of the inputs, 2 to 1000.
    width : int
        Neurons in each hidden layer, >= 1.
    layers : int, default 2
        L, 2 to 100.
    order : int, default 1
        Order s of the activation, 1 to 5. Order 0 has gradient 0 and cannot be trained.
    init : {"spherical", "he"}
        Law of the initial weights (see `initial_weights`); "spherical" needs L = 2.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, its value and the allowed range.

    Examples
    --------
    >>> Architecture(3, width=64, layers=4).shapes
    ((3, 64), (64, 64), (64, 64))
    """

    d: int
    width: int
    layers: int = 2
    order: int = 1
    init: str = "he"

    def __post_init__(self) -> None:
        checked = {
            "d": _checks.dimension(self.d),
            "width": _checks.count("width", self.width),
            "layers": _checks.integer("layers", self.layers, 2, MAX_LAYERS),
            "order": _checks.integer("order", self.order, 1, _checks.MAX_ORDER),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.init not in INITIALISATIONS:
            raise ValueError(
                f"init = {self.init!r} is not allowed: one of {', '.join(INITIALISATIONS)}"
            )
        if self.init == "spherical" and self.layers > 2:
            raise ValueError(
                f"init = 'spherical' is not allowed with layers = {self.layers}: it is a law of "
                "two-layer networks; choose init = 'he'"
            )

    @property
    def hidden(self) -> int:
        """Number of hidden layers, L - 1."""
        return self.layers - 1

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Shapes of the kernels W_1, ..., W_{L-1}."""
        return ((self.d, self.width),) + ((self.width, self.width),) * (self.hidden - 1)


def initial_weights(
    architecture: Architecture, tau: float, rng: int | np.random.SeedSequence | np.random.Generator
) -> Weights:
    r"""Draw initial weights, the biases at scale tau; the readout starts at 0.

    spherical
        Rows (w, b) of the law q_tau: w ~ N(0, I_d), b ~ N(0, tau^2), divided by \|(w, b)\|.
    he
        W_1 ~ N(0, 1), as inputs have unit norm, the further W_l ~ N(0, 2/((2s-1)!! width)), b_l ~
        N(0, tau^2). This is the rule of He et al. (ICCV 2015), for order s: since
        E max(z, 0)^{2s} = (2s-1)!!/2 for z ~ N(0, 1), pre-activations without biases keep unit
        variance through the layers if s = 1. So tau is the scale of a bias relative to what it is
        added to, as in q_tau, and the first layer is q_tau before it is projected.

    Networks drawn from one seed at several tau share their Gaussian numbers: tau only scales the
    biases, which takes noise out of comparisons.

    Parameters
    ----------
    architecture : Architecture
        The network.
    tau : float
        Scale of the biases, > 0.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    Weights
        In float64.

    Raises
    ------
    TypeError, ValueError
        If `tau` is not a finite number > 0.

    Examples
    --------
    >>> weights = initial_weights(Architecture(3, width=4, init="spherical"), 10.0, rng=0)
    >>> (weights.kernels[0]**2).sum(axis=0) + weights.biases[0]**2
    array([1., 1., 1., 1.])
    """
    tau = _checks.positive("tau", tau)
    generator = np.random.default_rng(rng)
    moment = math.prod(range(1, 2 * architecture.order, 2)) / 2
    kernels, biases = [], []
    for i, shape in enumerate(architecture.shapes):
        scale = 1.0 if i == 0 else 1 / math.sqrt(moment * architecture.width)
        kernels.append(scale * generator.standard_normal(shape))
        biases.append(tau * generator.standard_normal(architecture.width))
    if architecture.init == "spherical":
        norm = np.sqrt((kernels[0] ** 2).sum(axis=0) + biases[0] ** 2)
        kernels[0] /= norm
        biases[0] /= norm
    return Weights(tuple(kernels), tuple(biases), np.zeros(architecture.width))


def hidden_features(weights: Weights, X: Array, order: int) -> Array:
    """Return the last hidden layer of one network at inputs X (n, d), shape (n, width), by NumPy.

    The numbers keep the precision of the weights and inputs.

    Examples
    --------
    >>> weights = Weights((np.eye(2),), (np.array([0.0, 0.5]),), np.zeros(2))
    >>> hidden_features(weights, np.array([[1.0, -1.0]]), order=1)
    array([[1., 0.]])
    """
    H = X
    for kernel, bias in zip(weights.kernels, weights.biases, strict=True):
        H = np.maximum(H @ kernel + bias, 0) ** order
    return np.asarray(H)

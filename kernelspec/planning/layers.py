r"""What the layers of a trained or untrained network look like to the theory, from a batch.

Each layer is judged on its own inputs, what the layers before it make of the batch, with its own
neurons as the pool: K = F F'/(nM), F (n, M) its features. kappa0 = max_j l_j/N then says how far
a uniform draw from these neurons is from a draw by leverage: 1 if all carry the same, M/N if one
carries as much as is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec.decay import DecayEstimate, estimate_decay_from_gram, estimate_decay_from_neurons
from kernelspec.empirical.activations import activation as known_activation
from kernelspec.empirical.pool import pool_leverage
from kernelspec.planning.allocation import LayerLoad
from kernelspec.planning.costs import neuron_costs

__all__ = ["LayerReport", "layer_reports"]

Array = NDArray[np.float64]

_RIDGE: Final = 1e-3  # relative to the trace of the kernel
_FEW_POINTS: Final = 100


@dataclass(frozen=True)
class LayerReport:
    """A layer on its own inputs.

    Attributes
    ----------
    load : LayerLoad
        Width, alpha, degrees of freedom, mismatch and cost of a neuron, for `allocate`.
    fan_in : int
        Inputs.
    lam : float
        Ridge, `ridge` times the trace of K.
    alpha_low, alpha_high : float
        95 % interval of alpha; equal to it where alpha was given.
    verdict : str
        Whether the layer's spectrum is a power law at all, or "given".
    silent : int
        Neurons that are zero on the whole batch.
    worst : int
        The neuron of largest leverage.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> W = [rng.standard_normal(shape) for shape in [(20, 3), (1, 20)]]
    >>> (report,) = layer_reports(W, [None] * 2, rng.standard_normal((100, 3)), alphas=[2.5])
    >>> report.verdict, report.fan_in, 0 <= report.worst < report.load.m
    ('given', 3, True)
    """

    load: LayerLoad
    fan_in: int
    lam: float
    alpha_low: float
    alpha_high: float
    verdict: str
    silent: int
    worst: int


def layer_reports(
    weights: Sequence[ArrayLike],
    biases: Sequence[ArrayLike | None],
    X: ArrayLike,
    *,
    activation: str | Callable[[Any], Any] = "relu",
    ridge: float = _RIDGE,
    alphas: Sequence[float] | None = None,
    resource: str = "trainable",
    optimiser: str = "adam",
) -> tuple[LayerReport, ...]:
    """Judge every hidden layer of a fully connected network on a batch of inputs.

    Parameters
    ----------
    weights : sequence of array_like
        One matrix a layer, shape (outputs, inputs), the readout last: at least two. The readout is
        always trained and not reported.
    biases : sequence of array_like or None
        One vector a layer, shape (outputs,); None for a layer without.
    X : array_like
        Batch of inputs, shape (n, d), n >= 2.
    activation : str or callable, default "relu"
        Activation of the hidden layers: a name of `kernelspec.empirical.activation` or a function
        applied entry by entry.
    ridge : float, default 1e-3
        Ridge relative to the trace of the layer's kernel, > 0.
    alphas : sequence of float, optional
        Exponent of each hidden layer; by default estimated by
        `kernelspec.decay.estimate_decay_from_neurons` from the neurons that are not silent, on a
        quarter as many points, if the batch has them.
    resource, optimiser : str
        What a trained neuron costs beyond a fixed one: see `neuron_costs`.

    Returns
    -------
    tuple of LayerReport
        One for each hidden layer.

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit, an entry is not finite, or all neurons of a layer are silent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> W = [rng.standard_normal(shape) for shape in [(40, 3), (30, 40), (1, 30)]]
    >>> reports = layer_reports(W, [None] * 3, rng.standard_normal((200, 3)), alphas=[2.5, 2.0])
    >>> [(report.load.name, report.load.m, report.fan_in) for report in reports]
    [('layer 1', 40, 3), ('layer 2', 30, 40)]
    """
    matrices, vectors, H = _checked(weights, biases, X)
    ridge = _checks.positive("ridge", ridge)
    hidden = len(matrices) - 1
    if alphas is not None and len(alphas) != hidden:
        raise ValueError(f"alphas of length {len(alphas)} is not allowed: {hidden}, one a layer")
    act = known_activation(activation).function
    reports = []
    for i in range(hidden):
        W, name = matrices[i], f"layer {i + 1}"
        H_next = np.asarray(act(H @ W.T + vectors[i]), dtype=np.float64)
        silent = int(np.sum(~H_next.any(axis=0)))
        if silent == W.shape[0]:
            raise ValueError(f"weights[{i}] is not allowed: all its neurons are silent on X")
        if not np.all(np.isfinite(H_next)):
            raise ValueError(f"weights[{i}] is not allowed: its features on X are not finite")
        lam = ridge * float(np.mean(np.sum(H_next**2, axis=0)) / H.shape[0])
        pool = pool_leverage(H_next, lam)
        price = neuron_costs(
            W.shape[1], resource, outputs=matrices[i + 1].shape[0], optimiser=optimiser
        )
        if alphas is None:
            decay = _decay(H_next[:, H_next.any(axis=0)])
            alpha, low, high, verdict = decay.alpha, decay.low, decay.high, decay.verdict
        else:
            alpha = low = high = _checks.positive(f"alphas[{i}]", alphas[i])
            verdict = "given"
        if not 0 < alpha < np.inf:
            raise ValueError(
                f"weights[{i}] is not allowed: no exponent can be estimated ({verdict}); "
                "give alphas"
            )
        load = LayerLoad(
            name=name,
            m=W.shape[0],
            alpha=float(alpha),
            dof=float(pool.dof),
            kappa0=max(float(pool.kappa), 1.0),
            cost=price.trained - price.fixed,
        )
        reports.append(
            LayerReport(
                load=load,
                fan_in=W.shape[1],
                lam=lam,
                alpha_low=float(low),
                alpha_high=float(high),
                verdict=verdict,
                silent=silent,
                worst=int(pool.index),
            )
        )
        H = H_next
    return tuple(reports)


def _decay(features: Array) -> DecayEstimate:
    """Estimate alpha of the kernel whose sample are these neurons.

    On M/4 points the estimate reaches N = M/16, where the distortion by M neurons can be undone.
    Layers so narrow that this leaves too few points are refused an exponent anyway; more points
    make the number that is carried along less arbitrary.
    """
    M = features.shape[1]
    few = features[: max(M // 4, _FEW_POINTS)]
    if len(few) < M:
        return estimate_decay_from_neurons(few)
    return estimate_decay_from_gram(few @ few.T / M)


def _checked(
    weights: Sequence[ArrayLike], biases: Sequence[ArrayLike | None], X: ArrayLike
) -> tuple[list[Array], list[Array], Array]:
    """Check the shapes of a network and its batch."""
    if len(weights) < 2:
        raise ValueError(
            f"weights of length {len(weights)} is not allowed: at least one hidden layer and a "
            "readout"
        )
    if len(biases) != len(weights):
        raise ValueError(
            f"biases of length {len(biases)} is not allowed: {len(weights)}, one a layer"
        )
    inputs = np.shape(X)[-1] if np.ndim(X) == 2 else 0
    batch = _checks.matrix("X", X, inputs)
    if batch.shape[0] < 2 or inputs == 0:
        raise ValueError(f"X of shape {batch.shape} is not allowed: at least 2 points")
    matrices, vectors = [], []
    for i, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        W = _checks.matrix(f"weights[{i}]", weight, inputs)
        if W.shape[0] == 0:
            raise ValueError(f"weights[{i}] of shape {W.shape} is not allowed: at least one neuron")
        b = np.zeros(W.shape[0]) if bias is None else np.asarray(bias, dtype=np.float64)
        if b.shape != (W.shape[0],) or not np.all(np.isfinite(b)):
            raise ValueError(
                f"biases[{i}] of shape {b.shape} is not allowed: finite, of shape ({W.shape[0]},)"
            )
        matrices.append(W)
        vectors.append(b)
        inputs = W.shape[0]
    return matrices, vectors, batch

"""Exact projection error of one target, the limit of least squares on ever more data."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.approximation._basis import DegreeBasis
from kernelspec.approximation._enclosure import whitening_bytes
from kernelspec.approximation._neurons import split_neurons, unit_rows
from kernelspec.approximation._span import whiten
from kernelspec.approximation.targets import ZonalTarget
from kernelspec.features import BiasedReLU
from kernelspec.harmonics import amplitudes, squared_norm
from kernelspec.sphere import multiplicity

__all__ = ["projection_error"]

Array = NDArray[np.float64]


def projection_error(
    model: BiasedReLU, V: ArrayLike, target: ZonalTarget, *, max_memory: float | None = None
) -> float:
    r"""Squared L2 distance of a target from the span of the features of V.

    .. math:: \min_c \Bigl\|f - \sum_j c_j \phi_{v_j}\Bigr\|^2_{L_2}
        = \|f\|^2 - h^T G^{-1} h, \quad h_j = \langle f, \phi_{v_j}\rangle

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    V : array_like, shape (m, d + 1)
        Neurons (w, b), one a row.
    target : ZonalTarget
        Kernel expansion, harmonic or ridge function.
    max_memory : float, optional
        Bytes that may be used; by default what the system has available.

    Returns
    -------
    float
        The error, up to rounding errors of about 1e-14 times the squared norm of the target, larger
        where features are nearly dependent.

    Raises
    ------
    ValueError
        If shapes do not fit.
    TypeError
        If the target is not one whose harmonics are known.
    MemoryError
        If the work does not fit into memory; raised with the estimate, before allocating.

    Examples
    --------
    A neuron is in its own span, and four neurons do not capture a harmonic of degree 9.

    >>> import numpy as np
    >>> from kernelspec import BiasedReLU
    >>> from kernelspec.approximation import Harmonic
    >>> V = np.eye(4)
    >>> round(projection_error(BiasedReLU(3), V, Harmonic(9, [1.0, 0.0, 0.0])), 4)
    1.0
    >>> abs(projection_error(BiasedReLU(3), V, Harmonic(0, [1.0, 0.0, 0.0]))) < 1e-14
    True
    """
    if not isinstance(target, ZonalTarget):
        raise TypeError(
            f"target = {target!r} is not allowed: one with known harmonics, that is a "
            "KernelExpansion, Harmonic or RidgeFunction"
        )
    limit = None if max_memory is None else _checks.positive("max_memory", max_memory)
    d, s = model.d, model.order
    centres, f = target.centres, target.amplitudes()
    if centres.shape[1] != d:
        raise ValueError(f"target in dimension {centres.shape[1]} is not allowed: d = {d}")
    neurons = split_neurons(unit_rows(V, d), d, s)
    n, p = neurons.b.size, neurons.whole_heights.size
    require_memory(whitening_bytes(d, s, n, p), f"a network of {n + p} active neurons", limit)
    neurons, whitening = whiten(d, s, neurons, centres)
    K = f.shape[0] - 1
    norm = np.sqrt(squared_norm(d, s, neurons.b))
    h = _zonal_sum(d, f, centres, amplitudes(d, s, neurons.b, K) / norm, neurons.U)
    squared = float(_zonal_sum(d, f, centres, f, centres).sum())
    seen = np.concatenate([neurons.whole_directions, centres])
    basis = DegreeBasis(d, neurons.U, seen, s, s)
    low = np.zeros(int(basis.sizes.sum()))
    ends = np.cumsum(basis.sizes)
    for k in range(min(s, K) + 1):
        part = basis.values(k)[:, n + p :] @ f[k] / np.sqrt(float(multiplicity(d, k)))
        low[ends[k] - basis.sizes[k] : ends[k]] = part
    captured = whitening.coordinates(h, low)
    return max(squared - float(captured @ captured), 0.0)


def _zonal_sum(d: int, f: Array, centres: Array, g: Array, U: Array) -> Array:
    """Inner products of sum_i sum_k sqrt(N_k) f_ik P_k(x_i.x) with those of g, one a direction."""
    t = np.clip(centres @ U.T, -1.0, 1.0)
    previous, current = np.zeros_like(t), np.ones_like(t)
    total = np.zeros(U.shape[0])
    for k in range(f.shape[0]):
        total += g[k] * (f[k] @ current)
        forward = (2 * k + d - 2) / (k + d - 2) if k + d > 2 else 1.0
        backward = k / (k + d - 2) if k else 0.0
        previous, current = current, forward * t * current - backward * previous
    return total

r"""Standard errors of degrees of freedom and mismatch, by the infinitesimal jackknife.

Neurons and points are samples: with other draws K would be another. N and l_v/N are smooth in the
weights w_j of the neurons and p_i = 1/n of the points, with derivatives (h = (K+lambda)^{-1} phi_v)

.. math::
    \frac{\partial N}{\partial w_j} = \tfrac{\lambda}{n} \|(K+\lambda)^{-1}\varphi_j\|^2, \qquad
    \frac{\partial \ell_v}{\partial w_j} = -\tfrac{1}{n^2} (\varphi_j\cdot h)^2, \qquad
    \frac{\partial \ell_v}{\partial p_i} = \lambda h_i^2, \qquad
    \frac{\partial N}{\partial p_i} = \lambda n \sum_k \frac{s_k u_{ik}^2}{(s_k + \lambda)^2},

and the variance is the sum over both of the squared, centred derivatives times squared weights.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernelspec.empirical.spectrum import PoolSpectrum

__all__ = ["standard_errors"]

Array = NDArray[np.float64]


def standard_errors(
    spectrum: PoolSpectrum, lam: float, v: int, vectors: Array, n: int
) -> tuple[float, float]:
    """Return standard errors of log N and of log(l_v/N), for the neuron v of the pool.

    `vectors` holds u_ik for the leading m eigenvectors, those that count at this ridge, at all
    points or at a random sample of them, shape (points, m); n is the number of all points. For a
    dead neuron the second is NaN.

    Examples
    --------
    Four times as many neurons and points halve both errors:

    >>> from kernelspec import Uniform, uniform_sphere
    >>> from kernelspec.empirical import features, pool_spectrum
    >>> from kernelspec.empirical.search import basis
    >>> for size in (100, 400):
    ...     F = features(uniform_sphere(3, size, 0), Uniform(3).sample(size, 1), "relu")
    ...     spectrum = pool_spectrum(F)
    ...     vectors = basis(spectrum, F, 0.01).vectors
    ...     highest = int(spectrum.leverage(0.01).argmax())
    ...     of_dof, of_ratio = standard_errors(spectrum, 0.01, highest, vectors, size)
    ...     print(f"{of_dof:.3f} {of_ratio:.3f}")
    0.023 0.177
    0.011 0.081
    """
    s, c, w = spectrum.eigenvalues, spectrum.coordinates, spectrum.weights
    inverse = 1 / (s + lam)
    dof = float(np.sum(s * inverse))
    leverage = float(inverse @ c[:, v] ** 2)
    by_neuron = lam * (inverse**2 @ c**2) / dof
    scale = leverage or math.nan
    ratio_by_neuron = -(((inverse * c[:, v]) @ c) ** 2) / scale - by_neuron
    m = vectors.shape[1]
    root = np.sqrt(n * s[:m])
    by_point = lam * ((vectors * root) ** 2 @ inverse[:m] ** 2) / dof
    h = math.sqrt(n) * vectors @ (inverse * c[:, v])[:m]
    ratio_by_point = lam * h**2 / scale - by_point
    errors = (
        math.sqrt(_variance(a, w) + float(np.var(b)) / n)
        for a, b in ((by_neuron, by_point), (ratio_by_neuron, ratio_by_point))
    )
    first, second = errors
    return first, second


def _variance(derivative: Array, w: Array) -> float:
    centred = derivative - w @ derivative
    return float(np.sum((w * centred) ** 2))

"""Standard errors against derivatives by finite differences, and against repetition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kernelspec import Uniform, uniform_sphere
from kernelspec.empirical import features, pool_spectrum
from kernelspec.empirical.influence import standard_errors
from kernelspec.empirical.search import basis


def logs(F, w, lam, v):
    """Log N and log(l_v/N) for features whose rows carry the weights of the points."""
    n = len(F)
    K = (F * (w / w.sum())) @ F.T / n
    inverse = np.linalg.inv(K + lam * np.eye(n))
    dof = np.trace(K @ inverse)
    return np.array([math.log(dof), math.log(F[:, v] @ inverse @ F[:, v] / n / dof)])


@pytest.mark.parametrize("shape", [(14, 9), (9, 14)])
@pytest.mark.parametrize("lam", [1e-2, 0.3])
def test_finite_differences(shape, lam):
    rng = np.random.default_rng(0)
    F, w, v = rng.standard_normal(shape), rng.uniform(0.5, 2, shape[1]), 3
    w /= w.sum()
    n = shape[0]
    spectrum = pool_spectrum(F, weights=w)
    found = basis(spectrum, F, 1e-9)
    step, total = 1e-5, np.zeros(2)
    for j in range(shape[1]):
        up, down = w.copy(), w.copy()
        up[j] += step
        down[j] -= step
        slope = (logs(F, up, lam, v) - logs(F, down, lam, v)) / (2 * step)
        total += (w[j] * slope) ** 2  # the weights are normalised inside, hence centred
    for i in range(n):
        rows = []
        for sign in (1, -1):
            p = np.ones(n)
            p[i] += sign * step * n
            rows.append(logs(F * np.sqrt(p / p.mean())[:, None], w, lam, v))
        total += ((rows[0] - rows[1]) / (2 * step) / n) ** 2
    np.testing.assert_allclose(
        standard_errors(spectrum, lam, v, found.vectors, n), np.sqrt(total), rtol=1e-4
    )


def test_repetition():
    """60 pools: the spread of log N is what each of them says, within a factor 1.6.

    The standard deviation of 60 normal numbers leaves that range with probability 3e-7.
    """
    logs_of, said = [], []
    for r in range(60):
        F = features(uniform_sphere(3, 150, r), Uniform(3).sample(120, 900 + r), "relu")
        spectrum = pool_spectrum(F)
        logs_of.append(math.log(float(spectrum.degrees_of_freedom(0.02))))
        vectors = basis(spectrum, F, 0.02).vectors
        said.append(standard_errors(spectrum, 0.02, 0, vectors, 150)[0])
    assert 1 / 1.6 < np.std(logs_of, ddof=1) / np.sqrt(np.mean(np.square(said))) < 1.6

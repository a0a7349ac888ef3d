"""On the sphere all of it converges to the exact values.

Errors are held against the standard errors of the infinitesimal jackknife plus the bias of order
(N/n + N/M) that they do not see. With normal errors each comparison at z = 5.5 raises a false alarm
with probability 4e-8; all in this file together stay below 1e-5, and the seeds are fixed.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from kernelspec import BiasedReLU, GaussianInit, Uniform, mismatch, multiplicity, uniform_sphere
from kernelspec.empirical import empirical_mismatch, features, pool_leverage, pool_spectrum
from kernelspec.empirical.influence import standard_errors
from kernelspec.empirical.search import basis

Z = 5.5


@pytest.fixture(scope="module")
def pools():
    return {}


def pool(pools, d, n=1200, M=1000):
    """Spectrum, features and neurons, decomposed once."""
    if d not in pools:
        X, V = uniform_sphere(d, n, d), Uniform(d).sample(M, d + 100)
        F = features(X, V, "relu")
        pools[d] = (pool_spectrum(F), F, V)
    return pools[d]


@pytest.mark.parametrize("lam", [1e-1, 1e-2, 1e-3])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_degrees_of_freedom(pools, d, lam):
    spectrum, F, _ = pool(pools, d)
    n, M = F.shape
    exact = float(BiasedReLU(d).degrees_of_freedom(lam))
    found = float(spectrum.degrees_of_freedom(lam))
    error, _ = standard_errors(spectrum, lam, 0, basis(spectrum, F, lam).vectors, n)
    assert abs(math.log(found / exact)) < Z * error + 2 * exact * (1 / n + 1 / M)
    assert error < 0.03


@pytest.mark.parametrize("lam", [1e-1, 1e-2])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_relative_leverage_of_each_neuron(pools, d, lam):
    """l_j/N of 40 neurons against the exact function of their height."""
    spectrum, F, V = pool(pools, d)
    n, M = F.shape
    model = BiasedReLU(d)
    dof = float(model.degrees_of_freedom(lam))
    exact = model.leverage(V[:, -1], lam) / dof
    leverage = spectrum.leverage(lam)
    found = leverage / float(spectrum.degrees_of_freedom(lam))
    vectors = basis(spectrum, F, lam).vectors
    for j in np.flatnonzero(exact > 0.1)[:40]:
        _, error = standard_errors(spectrum, lam, int(j), vectors, n)
        bias = 2 * max(leverage[j], dof) * (1 / n + 1 / M)
        assert abs(math.log(found[j] / exact[j])) < Z * error + bias
        assert error < 0.15


@pytest.mark.parametrize("d", [2, 3, 5])
def test_eigenvalues(d):
    """Means over each degree, 24 pools of 300 neurons at 300 points, bias of order N_k/300."""
    size, repeats, K = 300, 24, 2
    counts = multiplicity(d, np.arange(K + 1)).astype(int)
    ends = np.concatenate([[0], np.cumsum(counts)])
    means = np.empty((repeats, K + 1))
    for r in range(repeats):
        F = features(uniform_sphere(d, size, r), Uniform(d).sample(size, 1000 + r), "relu")
        values = pool_spectrum(F).eigenvalues
        means[r] = [values[a:b].mean() for a, b in pairwise(ends)]
    exact = BiasedReLU(d).eigenvalues(K)
    error = means.std(axis=0, ddof=1) / math.sqrt(repeats)
    below = np.cumsum(np.concatenate([[1], counts]))[:-1]
    # a t with 23 degrees of freedom exceeds 8 with probability 4e-8
    assert np.all(np.abs(means.mean(axis=0) - exact) < 8 * error + 3 * below / size * exact)


@pytest.mark.parametrize("draw", ["target", "initial"])
@pytest.mark.parametrize(("d", "tau"), [(3, 1.0), (3, 3.0), (5, 2.0)])
def test_the_interval_holds_the_exact_mismatch(d, tau, draw):
    X, lam = uniform_sphere(d, 900, 1), [1e-1, 2e-2]
    law = GaussianInit(d, tau)
    found = empirical_mismatch(X, Uniform(d), law, lam, neurons=900, draw=draw, rng=3)
    exact = mismatch(BiasedReLU(d), law, lam)
    for row, kappa, dof in zip(found.ridges, exact.kappa, exact.dof, strict=True):
        assert row.low <= kappa <= row.high
        assert row.kappa == pytest.approx(kappa, rel=0.15)
        bias = 2 * dof * dof * (1 / 900 + 1 / found.effective_size)
        assert abs(row.dof - dof) < Z * row.dof_error + bias
        assert row.low > 0.7 * kappa


def test_the_error_of_the_mismatch_falls_with_the_size():
    """Root mean square over 10 pools: 16 times the size, the error 2 to 10 times smaller."""
    d, lam, law = 3, 5e-2, GaussianInit(3, 2.0)
    exact = mismatch(BiasedReLU(d), law, lam).kappa

    def error(size):
        logs = []
        for r in range(10):
            V = Uniform(d).sample(size, 50 + r)
            F = features(uniform_sphere(d, size, r), V, "relu")
            found = pool_leverage(F, lam, density=law.density(V[:, -1]))
            logs.append(math.log(found.kappa / exact))
        return math.sqrt(np.mean(np.square(logs)))

    assert 2 < error(50) / error(800) < 10

"""Slow, independent routes to what kernelspec.approximation computes."""

from __future__ import annotations

from math import comb

import numpy as np
from mpmath import acos, beta, cos, gamma, mp, mpf, pi, quad, sin, sqrt
from scipy.optimize import brentq
from scipy.sparse.linalg import LinearOperator, eigsh

from kernelspec import BiasedReLU, gegenbauer, multiplicity
from kernelspec.harmonics import squared_norm


def gaussian_network(d, m, tau, seed):
    """Rows (w, b) with w ~ N(0, I), b ~ N(0, tau^2)."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.standard_normal((m, d)), tau * rng.standard_normal(m)])


def active_network(d, m, seed):
    """Unit rows whose kinks all meet the sphere."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((m, d))
    w /= np.linalg.norm(w, axis=1)[:, None]
    b = rng.uniform(-0.7, 0.7, m)
    return np.column_stack([w * np.sqrt(1 - b**2)[:, None], b])


def circle_error(V, s, points=1 << 14):
    """E at d = 2 from function values on a uniform grid: kernel by FFT, features sampled."""
    theta = 2 * np.pi * np.arange(points) / points
    X = np.column_stack([np.cos(theta), np.sin(theta)])
    model = BiasedReLU(2, s)
    mu = np.maximum(np.fft.rfft(model.kernel(np.clip(X[:, 0], -1, 1))).real / points, 0.0)
    left, singular, _ = np.linalg.svd(model.features(X, V), full_matrices=False)
    Q = left[:, singular > 1e-10 * singular[0]]

    def compressed(x):
        x = x - Q @ (Q.T @ x)
        y = np.fft.irfft(mu * np.fft.rfft(x), points)
        return y - Q @ (Q.T @ y)

    operator = LinearOperator((points, points), matvec=lambda x: compressed(x.ravel()), dtype=float)
    start = np.random.default_rng(1).standard_normal(points)
    return eigsh(operator, k=1, which="LA", tol=1e-9, v0=start)[0][0]


def dense_error(model, V, K, series=1500):
    """E by a dense eigenproblem on degrees <= K; the Gram matrix summed degree by degree."""
    from kernelspec.approximation import harmonic_basis

    d, s = model.d, model.order
    V = V / np.linalg.norm(V, axis=1)[:, None]
    V = V[squared_norm(d, s, V[:, -1]) > 0]
    U = V[:, :-1] / np.linalg.norm(V[:, :-1], axis=1)[:, None]
    a = model.coefficients(V[:, -1], series)
    count = multiplicity(d, np.arange(series + 1))
    P = gegenbauer(d, series, np.clip(U @ U.T, -1, 1))
    G = np.einsum("k,ki,kj,kij->ij", count, a, a, P)
    G[np.diag_indices(len(V))] = squared_norm(d, s, V[:, -1])
    Y = harmonic_basis(U, K)
    F = np.concatenate([Y[k] * a[k] for k in range(K + 1)])
    mu = np.repeat(model.eigenvalues(K), count[: K + 1].astype(int))
    root = np.sqrt(mu)
    B = np.diag(mu) - (root[:, None] * F) @ np.linalg.pinv(G, 1e-13) @ (F.T * root)
    return np.linalg.eigvalsh(B)[-1]


def one_neuron_error(model, b, K=400):
    """E of one neuron: the root between mu_1 and mu_0 of sum_k N_k a_k^2 / (mu_k - x)."""
    mu, a = model.eigenvalues(K), model.coefficients(b, K)
    terms = multiplicity(model.d, np.arange(K + 1)) * a**2
    rest = float(squared_norm(model.d, model.order, np.asarray(b))) - terms.sum()

    def secular(x):
        return np.sum(terms / (mu - x)) - rest / x

    gap = mu[0] - mu[1]
    low, high = mu[1] + 1e-13 * gap, mu[0] - 1e-13 * gap
    return mu[1] if secular(low) > 0 else brentq(secular, low, high, xtol=1e-16, rtol=1e-14)


def _cosine_powers(end, top):
    """int_0^end cos^j for j = 0..top, by parts."""
    powers = [end, sin(end)]
    for j in range(2, top + 1):
        powers.append((cos(end) ** (j - 1) * sin(end) + (j - 1) * powers[j - 2]) / j)
    return powers


def overlap_by_definition(d, s, alpha, alpha_, gamma_):
    """E[(u.x - cos alpha)_+^s (u'.x - cos alpha')_+^s] by iterated integrals; d = 2 or odd.

    Outer variable: the angle of x from u', within the second cap; inner: the angle psi of its
    orthogonal part from the plane of u and u', of density sin^{d-3}, a polynomial in cos psi.
    """
    with mp.workdps(25):
        alpha, alpha_, gamma_ = mpf(alpha), mpf(alpha_), mpf(gamma_)

        def inner(phi):
            shift, radius = cos(gamma_) * cos(phi) - cos(alpha), sin(gamma_) * sin(phi)
            if d == 2:
                ramps = (shift + radius, shift - radius)
                return sum(x**s for x in ramps if x > 0) / mpf(2)
            end = pi if shift >= radius else (0 if shift <= -radius else acos(-shift / radius))
            half = (d - 3) // 2
            powers = _cosine_powers(mpf(end), s + 2 * half)
            total = sum(
                comb(s, i) * shift ** (s - i) * radius**i * comb(half, j) * (-1) ** j
                * powers[i + 2 * j]
                for i in range(s + 1)
                for j in range(half + 1)
            )  # fmt: skip
            return total / beta(mpf(1) / 2, mpf(d - 2) / 2)

        breaks = sorted({abs(alpha - gamma_), abs(2 * pi - alpha - gamma_), alpha + gamma_})
        ends = [mpf(0), *[x for x in breaks if 0 < x < alpha_], alpha_]
        front = gamma(mpf(d) / 2) / (sqrt(pi) * gamma(mpf(d - 1) / 2))
        size = alpha_ ** (2 * s + d - 1)  # quad stops at an absolute error
        return (
            front
            * size
            * quad(
                lambda phi: (cos(phi) - cos(alpha_)) ** s * sin(phi) ** (d - 2) * inner(phi) / size,
                ends,
            )
        )

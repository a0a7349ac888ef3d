"""Spectrum, degrees of freedom and sampling mismatch on a data set, with what limits them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from kernelspec import _checks
from kernelspec._memory import require_memory
from kernelspec.empirical.activations import Activation, features
from kernelspec.empirical.activations import activation as known_activation
from kernelspec.empirical.extremes import Extremes, extremes
from kernelspec.empirical.influence import standard_errors
from kernelspec.empirical.named import prepared
from kernelspec.empirical.neurons import NeuronLaw
from kernelspec.empirical.results import EmpiricalMismatch, RidgeMismatch
from kernelspec.empirical.search import Basis, basis, search
from kernelspec.empirical.spectrum import PoolSpectrum, pool_spectrum
from kernelspec.empirical.verdict import Evidence, judge
from kernelspec.laws import Law
from kernelspec.laws.base import Seed, generator

__all__ = ["empirical_mismatch"]

Array = NDArray[np.float64]

_ALPHA: Final = 0.05
_Z: Final = 1.96
_UNIT: Final = 1e-9  # neurons as close to norm 1 live on the sphere
_POINTS: Final = 1024  # points from which the spread over points is read


def _pair(target: NeuronLaw, initial: NeuronLaw, draw: str) -> None:
    """Say what is wrong unless the initial law can be held against the target."""
    if draw not in ("target", "initial"):
        raise ValueError(f"draw = {draw!r} is not allowed: one of target, initial")
    without = [getattr(law, "degenerate", False) for law in (target, initial)]
    if target.base != initial.base:
        raise ValueError(
            f"initial = {initial!r} is not allowed: a law with a density on the {target.base}, "
            "as the target has"
        )
    if without == [True, False]:
        raise ValueError(
            f"initial = {initial!r} is not allowed: a law without a bias, as the target is"
        )
    if without == [False, True] and draw == "initial":
        raise ValueError(
            "draw = 'initial' is not allowed: the initial law never draws a bias, so that no "
            "weights turn it into the target"
        )


def _pool(
    target: NeuronLaw, initial: NeuronLaw, M: int, draw: str, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Neurons, densities q/pi and weights."""
    V = (target if draw == "target" else initial).sample(M, rng)
    log_ratio = initial.log_density(V) - target.log_density(V)
    if getattr(initial, "degenerate", False) and not getattr(target, "degenerate", False):
        log_ratio = np.full(M, -math.inf)
    if draw == "target":
        with np.errstate(over="ignore"):
            return V, np.exp(log_ratio), np.full(M, 1 / M)
    kept = log_ratio < math.inf  # neurons the target never has count for nothing
    if not np.any(kept):
        raise ValueError("draw = 'initial' is not allowed: it draws no neuron the target has")
    V, log_ratio = V[kept], log_ratio[kept]
    w = np.exp(log_ratio.min() - log_ratio)
    w = np.maximum(w, np.finfo(np.float64).tiny)
    mean = w.sum() / M
    return V, mean / w, w / w.sum()


def empirical_mismatch(
    X: ArrayLike,
    target: NeuronLaw | Law | str,
    initial: NeuronLaw | Law | str,
    lam: ArrayLike,
    *,
    activation: str | Callable[[Array], Array] | Activation = "relu",
    neurons: int = 4096,
    draw: str = "target",
    rng: Seed = 0,
) -> EmpiricalMismatch:
    r"""Estimate spectrum, degrees of freedom and mismatch on points of one's own.

    .. math:: K = \sum_j w_j \tfrac1n \varphi_j \varphi_j^{\mathsf T}, \qquad
              \kappa = \max_j \frac{\ell_j}{q_j N}, \qquad q_j = \frac{dq}{d\pi}(v_j),

    over a pool of neurons v_j from the target law pi (w_j = 1/M), or from the initial law q with
    self-normalised weights w_j proportional to 1/q_j.

    Parameters
    ----------
    X : array_like
        Points, shape (n, d).
    target, initial : NeuronLaw, Law or str
        pi and q. A name is one of `named_laws`. For homogeneous activations laws of layers are
        replaced by those of the direction of (w, b).
    lam : array_like
        One or several ridges > 0, shape () or (L,).
    activation : str, callable or Activation
        See `kernelspec.empirical.activation`.
    neurons : int
        Size M of the pool, >= 2.
    draw : str
        "target" or "initial": which law the pool is drawn from.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    EmpiricalMismatch
        Numbers for every ridge, each with an interval and a verdict on the pool.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or the laws have no density with respect to one another.
    MemoryError
        If the pool does not fit into memory.

    Notes
    -----
    `kappa` is a maximum over a finite pool of ratios that are estimates themselves. The first makes
    it too small, the second, which picks the largest error, too large. The lower end of its
    interval holds for all M ratios at once (infinitesimal jackknife over neurons and points, normal
    quantile of 0.025/M). The upper end takes the largest of: the maximum with each neuron judged by
    the others, the best ratio that a search outside the pool finds, and the endpoint that extreme
    value theory reads off the largest ratios; each with its sampling error. It is approximate:
    where the verdict is not "stable", the upper end says little.

    Examples
    --------
    >>> from kernelspec import GaussianInit, Uniform, uniform_sphere
    >>> X = uniform_sphere(3, 400, 0)
    >>> found = empirical_mismatch(X, Uniform(3), GaussianInit(3, 2.0), 0.05, neurons=400)
    >>> row = found.ridges[0]
    >>> print(f"{row.dof:.2f} {row.kappa:.2f} {row.verdict}")
    2.04 2.85 stable
    """
    f = known_activation(activation)
    points = _checks.matrix("X", X, np.shape(X)[1] if np.ndim(X) == 2 else 1)
    n, d = points.shape
    if n < 2:
        raise ValueError(f"X of shape {points.shape} is not allowed: at least 2 points")
    pi, q = prepared(target, d, f, "target"), prepared(initial, d, f, "initial")
    _pair(pi, q, draw)
    ridge = np.atleast_1d(_checks.positive_array("lam", lam))
    if ridge.ndim != 1 or ridge.size == 0:
        raise ValueError(f"lam of shape {ridge.shape} is not allowed: () or (L,), L >= 1")
    M = _checks.count("neurons", neurons, 2)
    require_memory(8.0 * 3 * n * M, f"{M} neurons at {n} points", advice="take fewer of either")
    rng = generator(rng)
    V, density, w = _pool(pi, q, M, draw, rng)
    F = features(points, V, f)
    spectrum = pool_spectrum(F, weights=w, smallest=float(ridge.min()))
    if not spectrum.eigenvalues[0] > 0:
        raise ValueError("X is not allowed: no neuron of the pool is active at any point")
    resolved = basis(spectrum, F, float(ridge.min()))
    chosen = rng.permutation(n)[:_POINTS]
    rows = []
    for value in ridge:
        rows.append(
            _at_ridge(
                float(value), spectrum, resolved, density, chosen, (points, V, f), (pi, q), rng
            )
        )
    return EmpiricalMismatch(V, density, float(1 / np.sum(w**2)), spectrum, tuple(rows))


def _at_ridge(
    lam: float,
    spectrum: PoolSpectrum,
    resolved: Basis,
    density: Array,
    chosen: NDArray[np.intp],
    inputs: tuple[Array, Array, Activation],
    laws: tuple[NeuronLaw, NeuronLaw],
    rng: np.random.Generator,
) -> RidgeMismatch:
    points, V, f = inputs
    pi, q = laws
    w = spectrum.weights
    leverage = spectrum.leverage(lam)
    dof = float(spectrum.degrees_of_freedom(lam))
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.divide(leverage, density * dof, out=np.zeros_like(leverage), where=leverage > 0)
    index = int(ratio.argmax())
    kappa = float(ratio[index])
    n = len(points)
    dof_error, log_error = standard_errors(spectrum, lam, index, resolved.vectors[chosen], n)
    effective = float(1 / np.sum(w**2))
    finite = ratio[np.isfinite(ratio)]
    tail = extremes(finite) if np.any(finite > 0) else Extremes(0, math.nan, math.nan, math.inf)
    searched = kappa
    # leaving a neuron out of the pool it is judged by raises its leverage to l/(1 - w l)
    alone = float(np.max(ratio / np.maximum(1 - w * leverage, 1e-12)))
    if math.isfinite(kappa):
        best, _ = search(
            points,
            f,
            resolved,
            lam,
            V[np.argsort(ratio)[::-1]],
            lambda v: q.log_density(v) - pi.log_density(v),
            bool(np.all(np.abs(np.linalg.norm(V, axis=1) - 1) < _UNIT)),
            rng,
        )
        searched = max(kappa, math.exp(min(best, 700.0)) / dof)
    evidence = Evidence(
        lam, dof, kappa, alone, searched, tail, effective, n, float(w[density == 0].sum())
    )
    verdict, warning = judge(evidence)
    high = evidence.reach * math.exp(_Z * log_error)
    return RidgeMismatch(
        lam,
        dof,
        dof * dof_error,
        leverage,
        kappa,
        kappa * math.exp(-float(ndtri(1 - _ALPHA / 2 / len(w))) * log_error),
        high if verdict not in ("heavy tail", "out of reach", "infinite") else math.inf,
        index,
        searched,
        tail,
        verdict,
        warning,
    )

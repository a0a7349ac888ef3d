r"""Simple predictors: by how many leverage-sampled neurons a network's error is that of.

Each is a share g: a network of width m counts as m E_q[g] neurons, q = P q_1 + (1-P) q_0, and its
error is predicted to be that of a leverage-sampled network of equal count. They differ in g, above
all in what a neuron of great leverage counts for. Which predict well, and why a neuron's
count saturates, is in docs/derivations/predictors.md.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from kernelspec import _checks
from kernelspec.features import BiasedReLU
from kernelspec.laws import Law
from kernelspec.mismatch import check_pair, mismatch
from kernelspec.predictors._heights import height_rule, kink_sine_squared

__all__ = [
    "active_share",
    "kink_share",
    "leverage_share",
    "resolved_share",
    "supremum_share",
]

Array = NDArray[np.float64]

_NODES: Final = 512
_STEPS: Final = 200


def supremum_share(model: BiasedReLU, law: Law, lam: float) -> float:
    r"""Return 1/kappa(lambda; q), the share of the theorem: set by the worst neuron.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law q of the same d.
    lam : float
        Ridge > 0.

    Returns
    -------
    float
        At most 1. For mixtures the theorem composes it: P/kappa_1 + (1-P)/kappa_0.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> round(supremum_share(BiasedReLU(5), GaussianInit(5, 10), 1e-5), 4)
    0.0677
    """
    return 1 / float(mismatch(model, law, _checks.positive("lam", lam)).kappa)


def leverage_share(model: BiasedReLU, law: Law, lam: float) -> float:
    r"""Return E_q[l_lambda]/N(lambda): neurons count by their leverage.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law q of the same d.
    lam : float
        Ridge > 0.

    Returns
    -------
    float
        1 for the uniform law, above it for the leverage law itself.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> round(leverage_share(BiasedReLU(5), GaussianInit(5, 10), 1e-5), 4)
    0.1871
    """
    check_pair(model, law)
    lam = _checks.positive("lam", lam)
    rule = height_rule(law, _NODES)
    leverage = model.leverage(rule.b, lam) / float(model.degrees_of_freedom(lam))
    return float(rule.weight @ leverage)


def active_share(law: Law) -> float:
    r"""Return q(\|c\| < 1): each neuron whose kink meets the sphere counts 1, the others nothing.

    Parameters
    ----------
    law : Law
        Sampling law q.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from kernelspec import GaussianInit
    >>> round(active_share(GaussianInit(5, 10)), 4)
    0.1681
    """
    return kink_share(law, 0.0)


def kink_share(law: Law, gamma: float | None = None) -> float:
    r"""Return E_q[(1-c^2)_+^gamma]: neurons count by the size of their kink.

    The kink is a sphere of dimension d - 2 and radius sqrt(1-c^2); its measure, relative to that of
    the equator, is (1-c^2)^{(d-2)/2}.

    Parameters
    ----------
    law : Law
        Sampling law q.
    gamma : float, optional
        Exponent >= 0; (d-2)/2, the measure of the kink, unless given.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from kernelspec import GaussianInit
    >>> round(kink_share(GaussianInit(5, 10)), 4)
    0.0995
    """
    gamma = (law.d - 2) / 2 if gamma is None else _checks.not_negative("gamma", gamma)
    rule = height_rule(law, _NODES)
    return float(rule.weight[rule.kinked] @ kink_sine_squared(rule.b[rule.kinked]) ** gamma)


def _cap_area(d: int, sine_squared: Array) -> Array:
    """Share of the sphere on the smaller side of the kink."""
    return np.asarray(0.5 * betainc((d - 1) / 2, 0.5, sine_squared))


def _bump_constant(d: int, s: int) -> float:
    r"""<f>^2/<f^2> of f = (1-r^2)^s on the unit ball of dimension d-1: a small cap's profile."""
    n = (d - 1) / 2
    return math.exp(
        math.lgamma(n + 1)
        + 2 * math.lgamma(s + 1)
        + math.lgamma(n + 2 * s + 1)
        - 2 * math.lgamma(n + s + 1)
        - math.lgamma(2 * s + 1)
    )


def resolved_share(model: BiasedReLU, law: Law, m: int) -> float:
    r"""Return E_q[min(1, y)], y the number of resolution cells that the neuron's cap covers.

    A kink counts 1 where the network resolves it. One so close to a pole that its cap, of area
    sigma(c), is smaller than a cell counts in proportion to its area,

    .. math:: y = M\,\sigma(c)\, \frac{\langle f\rangle^2}{\alpha \langle f^2\rangle},
              \qquad M = m\,E_q[\min(1, y)], \qquad f(r) = (1-r^2)^s,

    <.> the mean over the unit ball of dimension d - 1. Both ends are limits of the deterministic
    equivalent; the sharp corner between them is a simplification.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    law : Law
        Sampling law q of the same d.
    m : int
        Width, >= 1.

    Returns
    -------
    float
        From 0 to the active share, which it approaches as m grows.

    Examples
    --------
    >>> from kernelspec import BiasedReLU, GaussianInit
    >>> [round(resolved_share(BiasedReLU(5), GaussianInit(5, 10), m), 4) for m in (256, 8192)]
    [0.1307, 0.1624]
    """
    check_pair(model, law)
    return _resolved(model, law, float(_checks.count("m", m)))


def _resolved(model: BiasedReLU, law: Law, m: float) -> float:
    rule = height_rule(law, _NODES)
    weight = rule.weight[rule.kinked]
    cells = _cap_area(model.d, kink_sine_squared(rule.b[rule.kinked]))
    cells = m * cells * _bump_constant(model.d, model.order) / model.decay_exponent
    share = float(weight.sum())
    for _ in range(_STEPS):  # decreasing, from the largest share possible to the largest solution
        before, share = share, float(weight @ np.minimum(1.0, share * cells))
        if before - share <= 1e-12 * before:
            break
    return share

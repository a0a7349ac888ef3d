r"""Initialisers people use, as sampling laws of neurons.

Only the direction of (w, b) matters, for the activations are homogeneous. So all that an
initialiser says about the mismatch is the law of that direction, and where weights and bias are
independent normals this is `GaussianInit` with tau the ratio of their standard deviations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kernelspec import _checks
from kernelspec.bounds import theorem_kappa0
from kernelspec.features import BiasedReLU
from kernelspec.laws import GaussianInit
from kernelspec.limits import limiting_mismatch

__all__ = [
    "Initialiser",
    "cube_mismatch",
    "initialiser",
    "initialiser_names",
    "initialiser_table",
    "tau_from_std",
]


@dataclass(frozen=True)
class Initialiser:
    """An initialiser of a first layer with d inputs, seen as a law of neurons.

    Attributes
    ----------
    name : str
        Key for `initialiser`.
    weights, biases : str
        Law of each weight and of each bias.
    tau : float
        Standard deviation of the bias relative to that of each weight; 0 without a bias.
    law : GaussianInit or None
        The law `GaussianInit(d, tau)` that stands for it; None for tau = 0, where the law has no
        density.
    kappa0 : float
        Limiting mismatch of `law` as lambda -> 0; inf for tau = 0.
    kappa0_own : float or None
        Limiting mismatch of the initialiser itself; differs from `kappa0` where `law` is an
        approximation, None where it has not been derived.
    theorem_kappa0 : float or None
        The theorem's constant; None for tau < 1 and for orders other than 1, about which the
        theorem says nothing.
    reason : str
        Why this law, in what sense, and what follows.

    Examples
    --------
    >>> row = initialiser("sphere", 5)
    >>> row.tau, row.law, round(row.theorem_kappa0, 3)
    (1.0, GaussianInit(d=5, tau=1.0), 6.788)
    >>> initialiser("he-normal", 5).law is None
    True
    """

    name: str
    weights: str
    biases: str
    tau: float
    law: GaussianInit | None
    kappa0: float
    kappa0_own: float | None
    theorem_kappa0: float | None
    reason: str


@dataclass(frozen=True)
class _Recipe:
    weights: str
    biases: str
    tau: float
    reason: str
    # None: not derived; otherwise a function of d, order and kappa0
    own: Callable[[int, int, float], float] | None


def _same(d: int, order: int, kappa0: float) -> float:
    return kappa0


def _cube(d: int, order: int, kappa0: float) -> float:
    return cube_mismatch(d, order)


_ZERO_BIAS: Final = (
    "Without a bias every neuron lies on the great sphere b = 0, which has no area in the sphere "
    "of neurons: the law is singular to the uniform one, its density is 0 wherever b is not, and "
    "leverage divided by it is unbounded. Nor would more neurons help: max(w·x, 0)^s has no "
    "harmonics of degree s+2, s+4, ... (3, 5, ... for ReLU), so those parts of the unit ball stay "
    "out of reach until the biases are trained."
)

_RECIPES: Final = {
    "sphere": _Recipe(
        "N(0, 1)",
        "N(0, 1)",
        1.0,
        "Equal normals have a uniform direction: the target law itself.",
        _same,
    ),
    "pytorch-linear": _Recipe(
        "U(-1/sqrt(d), 1/sqrt(d))",
        "U(-1/sqrt(d), 1/sqrt(d))",
        1.0,
        "The default of torch.nn.Linear. tau = 1 matches second moments: weights and bias have one "
        "standard deviation, 1/sqrt(3 d). The law itself is uniform in a cube and not invariant "
        "under rotations. A typical neuron is nearly Gaussian for large d, but the mismatch takes "
        "the worst direction, and neurons along a coordinate axis are rare in a cube, the more so "
        "the larger d: kappa0_own is that of the cube.",
        _cube,
    ),
    "he-normal-pytorch-bias": _Recipe(
        "N(0, 2/d)",
        "U(-1/sqrt(d), 1/sqrt(d))",
        math.sqrt(1 / 6),
        "torch.nn.init.kaiming_normal_ applied to the weights of a torch.nn.Linear whose bias "
        "keeps its default: standard deviations sqrt(2/d) and 1/sqrt(3 d). Directions of w are "
        "exactly uniform; tau = 1/sqrt(6) matches the second moment of the bias, which is uniform.",
        None,
    ),
    "he-normal": _Recipe("N(0, 2/d)", "0", 0.0, _ZERO_BIAS, _same),
    "glorot-normal": _Recipe("N(0, 2/(d + m))", "0", 0.0, _ZERO_BIAS, _same),
    "glorot-uniform": _Recipe(
        "U(-sqrt(6/(d + m)), sqrt(6/(d + m)))",
        "0",
        0.0,
        "The default of keras.layers.Dense. " + _ZERO_BIAS,
        _same,
    ),
    "lecun-normal": _Recipe(
        "N(0, 1/d)", "0", 0.0, "The default of flax.linen.Dense. " + _ZERO_BIAS, _same
    ),
}


def tau_from_std(weight_std: float, bias_std: float) -> float:
    """Return the tau of an initialiser with these standard deviations, bias_std/weight_std.

    Exact for independent normal weights and biases; for other laws it matches second moments.

    Parameters
    ----------
    weight_std : float
        Standard deviation of each weight, > 0.
    bias_std : float
        Standard deviation of each bias, >= 0.

    Returns
    -------
    float
        tau; 0 without a bias, for which there is no `GaussianInit` (see `initialiser`).

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    He's weights for d = 50 inputs, and biases of standard deviation 1:

    >>> tau_from_std((2 / 50) ** 0.5, 1.0)
    5.0
    """
    weight_std = _checks.positive("weight_std", weight_std)
    return _checks.not_negative("bias_std", bias_std) / weight_std


def cube_mismatch(d: int, order: int = 1) -> float:
    r"""Limiting mismatch, as lambda -> 0, of weights and bias uniform in a cube.

    .. math:: \sqrt2\,\frac{((d+1)/2)_s}{(d/2)_s}\; 2^d\, (d+1)\,
              \frac{\Gamma((d+1)/2)}{\pi^{(d+1)/2}}

    A uniform point of [-1, 1]^{d+1}, projected to the sphere, has density :math:`A_d
    \|v\|_\infty^{-(d+1)}` with respect to pi, A_d being the volume 2^{d+1} of the cube
    into that of the unit ball (integrate r^d up to the wall). At height \|b\| <= 1/sqrt(2)
    it is least along an axis of w, where :math:`\|v\|_\infty^2 = 1-b^2`. There the limiting
    l/N, a multiple of :math:`(1-2b^2)^{d/2+s-1} (1-b^2)^{-(d-2)/2}`, over the density is largest at
    b = 0.

    Parameters
    ----------
    d : int
        Ambient dimension, 2 to 1000.
    order : int, default 1
        Order s of the activation, 0 to 5.

    Returns
    -------
    float
        The limit; inf where it leaves the range of float64, d in the hundreds.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(cube_mismatch(5), 2)
    21.02
    >>> round(cube_mismatch(20) / 1e8, 2)
    2.23
    """
    d = _checks.dimension(d)
    s = _checks.order(order)
    at_zero = math.sqrt(2) * math.prod((d + 1 + 2 * i) / (d + 2 * i) for i in range(s))
    half = (d + 1) / 2
    log_volumes = d * math.log(2) + math.log(d + 1) + math.lgamma(half) - half * math.log(math.pi)
    return at_zero * math.exp(log_volumes) if log_volumes < 700 else math.inf


def initialiser_names() -> tuple[str, ...]:
    """Names that `initialiser` knows.

    Examples
    --------
    >>> initialiser_names()[:3]
    ('sphere', 'pytorch-linear', 'he-normal-pytorch-bias')
    """
    return tuple(_RECIPES)


def initialiser(name: str, d: int, order: int = 1) -> Initialiser:
    """Return what an initialiser means for a layer of d inputs.

    Parameters
    ----------
    name : str
        One of `initialiser_names`.
    d : int
        Ambient dimension, 2 to 1000.
    order : int, default 1
        Order of the activation, 0 to 5.

    Returns
    -------
    Initialiser
        Its law, its limiting mismatch, the theorem's constant, and the reason.

    Raises
    ------
    TypeError, ValueError
        If the name is unknown or another argument out of range.

    Examples
    --------
    >>> row = initialiser("pytorch-linear", 5)
    >>> row.law, round(row.kappa0, 3), round(row.kappa0_own, 2)
    (GaussianInit(d=5, tau=1.0), 1.697, 21.02)
    >>> initialiser("he-normal", 5).kappa0
    inf
    """
    if name not in _RECIPES:
        raise ValueError(f"name = {name!r} is not allowed: one of {', '.join(_RECIPES)}")
    recipe = _RECIPES[name]
    model = BiasedReLU(d, order)
    law = GaussianInit(d, recipe.tau) if recipe.tau > 0 else None
    kappa0 = float(limiting_mismatch(model, law).kappa) if law else math.inf
    claimed = recipe.tau >= 1 and model.order == 1
    return Initialiser(
        name=name,
        weights=recipe.weights,
        biases=recipe.biases,
        tau=recipe.tau,
        law=law,
        kappa0=kappa0,
        kappa0_own=recipe.own(model.d, model.order, kappa0) if recipe.own else None,
        theorem_kappa0=float(theorem_kappa0(d, recipe.tau)) if claimed else None,
        reason=recipe.reason,
    )


def initialiser_table(d: int, order: int = 1) -> tuple[Initialiser, ...]:
    """Return `initialiser` for every known name.

    Parameters
    ----------
    d : int
        Ambient dimension, 2 to 1000.
    order : int, default 1
        Order of the activation, 0 to 5.

    Returns
    -------
    tuple of Initialiser
        One row a name.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    >>> for row in initialiser_table(5)[:4]:
    ...     print(f"{row.name:23} {row.tau:.3f} {row.kappa0:.3f}")
    sphere                  1.000 1.697
    pytorch-linear          1.000 1.697
    he-normal-pytorch-bias  0.408 2.186
    he-normal               0.000 inf
    """
    return tuple(initialiser(name, d, order) for name in _RECIPES)

r"""Three neighbouring degrees together: constants of order 1/kap^2 that hold from a degree on.

With f_k(v) = a_k(v)^2/mu_k, Gamma = sqrt(2)(d+1)/d, g_k = N_k mu_k/(mu_k+lambda), nu = (d+2)/2,
kap = k + (d-2)/2 = n + nu, the page "The limit of the mismatch" of the documentation proves, for
k >= K, every neuron and every lambda > 0,

.. math:: f_k + \alpha_k f_{k-1} + \beta_k f_{k+1} \le 2\Gamma(1 + e/\kappa^2),\qquad
    \tfrac12 (g_k + \beta_{k-1} g_{k-1} + \alpha_{k+1} g_{k+1}) \ge g_k (1 - c/\kappa^2),

with alpha_k, beta_k near 1/2, and at b = 0, for even k,

.. math:: f_k \ge 2\Gamma(1-\delta/\kappa^2),\qquad
    g_{k-1} - 2 g_k + g_{k+1} \le 2\gamma\, g_k/\kappa^2 .

This module finds K and the constants e, c, delta and gamma. All of them fall as K grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flint import arb, fmpq

from kernelspec.certify.arithmetic import half_power
from kernelspec.certify.decay import series_settled
from kernelspec.certify.series import first_term, late_terms

__all__ = ["Triples", "triple_constants"]

HALF: Final = fmpq(1, 2)
EDGES: Final = (fmpq(5, 4), fmpq(3, 2), fmpq(2), fmpq(3), fmpq(5), fmpq(8))
SPLITS: Final = (fmpq(19, 20), fmpq(9, 10), fmpq(4, 5), fmpq(7, 10), fmpq(3, 5), HALF)
BOXES: Final = 64


@dataclass(frozen=True)
class Triples:
    """Upper bounds of the constants of the module docstring, valid for all k >= degree.

    Examples
    --------
    >>> found = triple_constants(3, 20)
    >>> [round(float(c), 2) for c in (found.triple, found.weights, found.height_zero, found.bend)]
    [4.54, 11.67, 0.67, 10.55]
    """

    degree: int
    triple: arb
    weights: arb
    height_zero: arb
    bend: arb


def _edge_is_small(nu: fmpq, kappa: fmpq, x: fmpq) -> bool:
    """Check 2 (x nu(nu-1)/kap^2)^(2nu-1) <= the lower bound of P_n(0)^2, |P| <= 1 at the pole."""
    two_nu = int(2 * nu)
    gamma = (arb(nu) + HALF).gamma()
    left = 2 * arb.pi() * arb(x * nu * (nu - 1)) ** (two_nu - 1)
    return bool(left <= gamma * gamma * 2**two_nu * arb(kappa) ** (two_nu - 2))


def _middle_is_small(nu: fmpq, kappa: fmpq, x: fmpq, split: fmpq) -> bool:
    """Check that both factors stay below 1 between the edge and sin^2(theta) = split."""
    a = nu * (nu - 1)
    one = 1 + nu / (kappa * kappa - nu * nu)
    beta = arb(nu / ((nu - 1) * (x - 1))).sqrt()
    start = (arb((x - 1) / x) * (-beta).exp()) ** (1 / arb(nu - 1))
    if not one * start / (2 - start) <= 1:
        return False
    width = (split - start) / BOXES
    if width <= 0:
        return True
    for i in range(BOXES):
        s = (start + width * i).union(start + width * (i + 1)).min(arb(split))
        c = half_power(1 - s, 1)
        z = kappa * kappa * s - a
        if not z > 0:
            return False
        shared = (nu - 1) * s.log() + nu * c / z.sqrt()
        first = shared + (1 + a * c * c / z).log()
        second = shared + (one * s / (2 - s)).log()
        if not (first <= 0 and second <= 0):
            return False
    return True


def _equator_factor(nu: fmpq, kappa: fmpq, split: fmpq) -> arb:
    """Bound W/h where sin^2(theta) >= split."""
    square = kappa * kappa
    z = split * square - nu * (nu - 1)
    first = arb(nu * nu / (4 * (nu - 1) * (z - nu))).exp()
    second = (1 + nu / (square - nu * nu)) * arb(nu * nu / (4 * (nu + 1) * z)).exp()
    return first.max(second)


def _triple_excess(nu: fmpq, kappa: fmpq) -> arb | None:
    """Bound e for every degree from this kap on; None where a side condition fails."""
    a = nu * (nu - 1)
    square = kappa * kappa
    edges = [x for x in EDGES if _edge_is_small(nu, kappa, x)]
    for split in SPLITS:
        z = split * square - a
        if z <= nu or not any(_middle_is_small(nu, kappa, x, split) for x in edges):
            continue
        odd = 1 + (nu - 1) / (square - a)
        return square * (_equator_factor(nu, kappa, split) * odd - 1)
    return None


def _odd_part(roots: list[fmpq], z0: fmpq) -> arb:
    """Bound the odd part of prod(1 + r z), divided by z, from 0 to z0: e_1 + max(e_3, 0) z0^2."""
    e = [fmpq(1), fmpq(0), fmpq(0), fmpq(0)]
    for r in roots:
        for i in (3, 2, 1):
            e[i] += r * e[i - 1]
    return arb(e[1] + max(e[3], fmpq(0)) * z0 * z0)


def _weight_bends(nu: fmpq, kappa: fmpq, noise: arb) -> tuple[arb, arb]:
    """Bound c and gamma; `noise` bounds the relative change of F from degree to degree."""
    j, w, z0 = nu - 2, nu + HALF, 1 / kappa
    z = arb(0).union(arb(z0))
    poles = (1 - ((j - 1) * z0) ** 2) * (1 - (w * z0) ** 2)
    square = kappa * kappa
    v = nu - HALF

    shared = (1 - j * z) * (1 + (j + 1) * z) / (1 + (j - 1) * z)
    mirror = (1 + j * z) * (1 - (j + 1) * z) / (1 - (j - 1) * z)
    slack = shared * (1 + v * z) / (1 - w * z) + mirror * (1 - v * z) / (1 + w * z)
    drift = 4 * nu * _odd_part([-j, j + 1, 1 - j, w], z0) / poles
    drift += square * noise * slack
    count = max(2 * j - 1, fmpq(0)) * square / (square - (j - 1) ** 2)
    weights = count + drift.max(arb(0)) / 4

    shared = (1 - z) * (1 - j * z) / (1 + (j - 1) * z)
    mirror = (1 + z) * (1 + j * z) / (1 - (j - 1) * z)
    slack = shared * (1 + v * z) / (1 - w * z) + mirror * (1 - v * z) / (1 + w * z)
    drift = 4 * nu * _odd_part([fmpq(-1), -j, 1 - j, w], z0).max(arb(0)) / poles
    drift += square * noise * slack
    bend = 2 * j * (2 * j - 1) / (1 - ((j - 1) * z0) ** 2) + drift.max(arb(0))
    return weights, bend.max(arb(0)) / 2


def triple_constants(d: int, degree: int) -> Triples | None:
    """Return the constants from `degree` on, or None if the proof does not start there.

    Examples
    --------
    Where the proof starts for d = 5, and that a later start gives smaller constants:

    >>> next(k for k in range(2, 20) if triple_constants(5, k) is not None)
    10
    >>> bool(triple_constants(5, 40).triple < triple_constants(5, 20).triple)
    True
    """
    nu, n = fmpq(d + 2, 2), degree - 2
    if n < 5 or not series_settled(d, 1, n - 1):
        return None
    kappa = n + nu
    triple = _triple_excess(nu, kappa)
    if triple is None:
        return None
    x = 1 / arb(nu)
    loss = first_term(n, x) + late_terms(n, x)
    noise = loss / (1 - loss)
    weights, bend = _weight_bends(nu, kappa, noise)
    height_zero = nu / 4 * kappa**2 / arb((kappa - HALF) ** 2 - nu * nu)
    return Triples(degree, triple, weights, height_zero, bend)

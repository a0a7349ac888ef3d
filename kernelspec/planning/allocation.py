r"""Share a budget of training among the layers of a network: equal marginal gains.

Each layer l leaves :math:`R_l(P) = (\kappa_P N/m)^\alpha`, its own kappa_P, degrees of freedom,
width and exponent. The sum over layers is to be least while sum_l c_l m_l P_l keeps to a budget.
As R_l is convex and falls, the optimum trains every layer up to the P at which one more unit of
cost would bring the same fall in each, and none where even the first would bring less
(docs/derivations/planning.md).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.optimize import brentq

from kernelspec import _checks

__all__ = ["Allocation", "LayerLoad", "allocate"]


@dataclass(frozen=True)
class LayerLoad:
    r"""What sharing a budget asks of a layer.

    Attributes
    ----------
    name : str
        For people.
    m : int
        Neurons.
    alpha : float
        Exponent > 0 of the eigenvalues' decay of the layer's kernel.
    dof : float
        Degrees of freedom N > 0 of that kernel at the ridge of interest.
    kappa0 : float
        Mismatch of its neurons as they are, >= 1; training brings it to 1.
    cost : float
        What training a neuron costs beyond leaving it fixed, > 0.

    Raises
    ------
    TypeError, ValueError
        If an entry is out of range.

    Examples
    --------
    >>> layer = LayerLoad("first", m=64, alpha=2, dof=8, kappa0=4, cost=1)
    >>> layer.remaining(0), layer.remaining(1)  # (4 * 8/64)^2 and (8/64)^2
    (0.25, 0.015625)
    """

    name: str
    m: int
    alpha: float
    dof: float
    kappa0: float
    cost: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", _checks.count("m", self.m))
        for name in ("alpha", "dof", "kappa0", "cost"):
            object.__setattr__(self, name, _checks.positive(name, getattr(self, name)))
        if self.kappa0 < 1 - 1e-9:
            raise ValueError(f"kappa0 = {self.kappa0!r} is not allowed: a finite number >= 1")

    def remaining(self, P: float) -> float:
        r"""(kappa_P N/m)^alpha: what the layer leaves with a proportion P trained."""
        kappa = self.kappa0 / (1 + P * max(self.kappa0 - 1, 0.0))
        return float((kappa * self.dof / self.m) ** self.alpha)

    @property
    def first_gain(self) -> float:
        """Fall of what the layer leaves by a unit of cost, at P = 0: the order of training."""
        return self.alpha * max(self.kappa0 - 1, 0.0) * self.remaining(0) / (self.m * self.cost)

    def share(self, P: float) -> float:
        """Share of the fall from P = 0 to P = 1 that a proportion P brings; 1 where it is nil."""
        whole = self.remaining(0) - self.remaining(1)
        return (self.remaining(0) - self.remaining(P)) / whole if whole > 0 else 1.0

    def proportion_at(self, gain: float) -> float:
        """Largest P whose last unit of cost still brings a fall of `gain`; 0 where none does."""
        if self.first_gain <= gain:
            return 0.0
        if gain <= 0:
            return 1.0
        log_ratio = math.log(self.first_gain / gain) / (self.alpha + 1)
        return min(math.expm1(log_ratio) / (self.kappa0 - 1), 1.0)


@dataclass(frozen=True)
class Allocation:
    """A budget shared among layers.

    Attributes
    ----------
    layers : tuple of LayerLoad
        The layers.
    P : tuple of float
        Trained proportion of each: the optimum over real numbers.
    trained : tuple of int
        Whole numbers of neurons within the budget.
    price : float
        Fall of the sum by one more unit of cost, the same in all layers that are trained in part.
    budget, cost : float
        What might be spent, and what the whole numbers cost.
    untrained, remaining : float
        Sum over layers of what is left with nothing trained, and with these neurons trained.
    gap : float
        No whole numbers within the budget leave less than remaining - gap, for the optimum over
        real numbers does not.

    Examples
    --------
    >>> layer = LayerLoad("only", m=64, alpha=2, dof=8, kappa0=4, cost=1)
    >>> plan = allocate([layer], budget=32)
    >>> plan.trained, plan.cost, plan.remaining < plan.untrained
    ((32,), 32.0, True)
    """

    layers: tuple[LayerLoad, ...]
    P: tuple[float, ...]
    trained: tuple[int, ...]
    price: float
    budget: float
    cost: float
    untrained: float
    remaining: float
    gap: float

    @property
    def order(self) -> tuple[int, ...]:
        """Layers in the order in which to train them: by the gain of the first unit of cost."""
        gains = [layer.first_gain for layer in self.layers]
        return tuple(sorted(range(len(gains)), key=lambda i: -gains[i]))


def allocate(layers: Sequence[LayerLoad], budget: float) -> Allocation:
    """Share a budget of training among layers.

    Parameters
    ----------
    layers : sequence of LayerLoad
        At least one.
    budget : float
        Total cost of training, >= 0, in the unit of the layers' costs.

    Returns
    -------
    Allocation
        The real optimum and whole numbers next to it.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Notes
    -----
    The whole numbers come from spending neuron by neuron where it brings most per cost, starting
    just below the real optimum. Where all costs are equal this is the optimum over whole numbers;
    otherwise `gap` bounds what it misses.

    Examples
    --------
    >>> easy = LayerLoad("first", m=64, alpha=2, dof=8, kappa0=2, cost=1)
    >>> hard = LayerLoad("second", m=64, alpha=2, dof=8, kappa0=16, cost=1)
    >>> plan = allocate([easy, hard], budget=16)
    >>> plan.order, plan.trained
    ((1, 0), (0, 16))
    >>> allocate([easy, hard], budget=64).trained
    (16, 48)
    """
    layers = tuple(layers)
    if not layers:
        raise ValueError("layers = () is not allowed: at least one layer")
    for layer in layers:
        if not isinstance(layer, LayerLoad):
            raise TypeError(f"layers = {layers!r} is not allowed: {layer!r} is no LayerLoad")
    budget = _checks.not_negative("budget", budget)
    price = _price(layers, budget)
    P = tuple(layer.proportion_at(price) for layer in layers)
    trained = _whole(layers, P, budget)
    best = _sum(layers, P)
    remaining = _sum(layers, [n / layer.m for n, layer in zip(trained, layers, strict=True)])
    return Allocation(
        layers=layers,
        P=P,
        trained=trained,
        price=price,
        budget=budget,
        cost=math.fsum(n * layer.cost for n, layer in zip(trained, layers, strict=True)),
        untrained=_sum(layers, [0.0] * len(layers)),
        remaining=remaining,
        gap=max(remaining - best, 0.0),
    )


def _sum(layers: Sequence[LayerLoad], P: Sequence[float]) -> float:
    return math.fsum(layer.remaining(p) for layer, p in zip(layers, P, strict=True))


def _price(layers: Sequence[LayerLoad], budget: float) -> float:
    """Marginal gain at which the budget is spent; 0 where it is enough for everything."""
    useful = [layer for layer in layers if layer.first_gain > 0]
    if not useful:
        return 0.0

    def unspent(log_price: float) -> float:
        price = math.exp(log_price)
        return budget - math.fsum(x.cost * x.m * x.proportion_at(price) for x in useful)

    # all is trained at the least gain of a last neuron, none at the greatest of a first
    least = math.log(min(x.first_gain * x.kappa0 ** -(x.alpha + 1) for x in useful))
    most = math.log(max(x.first_gain for x in useful)) + 1e-9
    if unspent(least) >= 0:
        return 0.0
    if budget == 0:
        return math.exp(most)
    return math.exp(float(brentq(unspent, least, most, xtol=1e-14)))


def _whole(layers: Sequence[LayerLoad], P: Sequence[float], budget: float) -> tuple[int, ...]:
    """Spend neuron by neuron, the best gain per cost first.

    With equal costs that is optimal from nothing on, and the optimum over whole numbers is less
    than the number of layers below the real one in each (Hochbaum, Math. Oper. Res. 19, 1994).
    """
    near = len(layers)
    trained = [max(math.floor(p * x.m) - near, 0) for p, x in zip(P, layers, strict=True)]
    left = budget * (1 + 1e-12) - math.fsum(
        n * x.cost for n, x in zip(trained, layers, strict=True)
    )

    def gain(i: int) -> float:
        x, n = layers[i], trained[i]
        return (x.remaining(n / x.m) - x.remaining((n + 1) / x.m)) / x.cost

    heap = [(-gain(i), i) for i, x in enumerate(layers) if trained[i] < x.m and x.first_gain > 0]
    heapq.heapify(heap)
    while heap:
        _, i = heapq.heappop(heap)
        if layers[i].cost > left:
            continue  # no later neuron of this layer is cheaper
        trained[i] += 1
        left -= layers[i].cost
        if trained[i] < layers[i].m:
            heapq.heappush(heap, (-gain(i), i))
    return tuple(trained)

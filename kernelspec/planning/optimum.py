r"""The least cost at which an error is reached, over whole numbers of neurons.

docs/derivations/planning.md derives what the two searches use. *Concave*: in the theorem's models
the number to train falls short of a line by a concave function of the width, so the cost of a
range of widths is at least that of its cheaper end. *Monotone*: where all that is known is that
one more neuron never hurts, fixed neurons from a to b cost at least what a of them cost together
with the trained ones that b of them still need. Either way ranges whose bound is no better than
a plan in hand are dropped, and the rest halved: the plan is the optimum, or `gap` says by how much
it might miss it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from kernelspec import _checks
from kernelspec.planning._search import least_count, log_ratio, out_of_reach
from kernelspec.planning.costs import Costs
from kernelspec.planning.models import CoverageModel, ErrorModel

__all__ = ["Plan", "least_cost"]

_BLOCK: Final = 4096  # widths tried at once
_STEPS: Final = 4096
_WIDEST: Final = 10**12
_START: Final = 64  # width from which searches for models without a demand start
_SMALL: Final = 3  # m/log(m/delta) may fall up to m = e delta < 3, and grows from there on


@dataclass(frozen=True)
class Plan:
    """A network that reaches a squared error at least cost.

    Attributes
    ----------
    basis : str
        What the prediction rests on.
    m, trained : int
        Width, and how many of the neurons are trained.
    error, target : float
        Predicted squared error, and the one asked for.
    cost : float
        Cost of the plan.
    gap : float
        The least cost of all lies in [cost - gap, cost]; 0 if the plan is the optimum.
    all_trained, all_fixed : int or None
        Least width with all neurons trained, and with none; None where wider than allowed.

    Examples
    --------
    >>> from kernelspec.planning import Costs, RateModel
    >>> model = RateModel("sharp constant", kappa0=16.97, alpha=7 / 4)
    >>> plan = least_cost(model, model.error(512, 0) / 10, Costs(trained=4, fixed=1))
    >>> plan.m >= plan.trained, plan.error <= plan.target, plan.cost
    (True, True, 368.0)
    """

    basis: str
    m: int
    trained: int
    error: float
    target: float
    cost: float
    gap: float
    all_trained: int | None
    all_fixed: int | None

    @property
    def P(self) -> float:  # noqa: N802
        """Trained proportion."""
        return self.trained / self.m

    @property
    def break_even(self) -> float | None:
        """Ratio of the costs of a trained and a fixed neuron at which P = 0 costs what P = 1 does.

        kappa0/kappa1 or, for the logarithm in the bounds, more; None where P = 0 is out of reach.
        """
        if self.all_trained is None or self.all_fixed is None:
            return None
        return self.all_fixed / self.all_trained


def least_cost(
    model: ErrorModel,
    target: float,
    costs: Costs,
    *,
    widest: int = _WIDEST,
    tolerance: float = 0.0,
    steps: int = _STEPS,
) -> Plan:
    r"""Find the width and the number of trained neurons that reach an error at least cost.

    .. math:: \min_{0 \le m_1 \le m \le \text{widest}} c_0 m + (c_1 - c_0) m_1
        \quad\text{such that}\quad E(m, m_1) \le \text{target}

    over whole m and m_1.

    Parameters
    ----------
    model : ErrorModel
        Predicts E.
    target : float
        Squared error > 0. For `RateModel`, which has no constant, best that of another network
        under the same model, times a factor.
    costs : Costs
        c_1 and c_0.
    widest : int, default 10**12
        Greatest width allowed.
    tolerance : float, default 0
        Relative cost that may be left on the table; saves evaluations of costly models.
    steps : int, default 4096
        Most ranges looked at; a search cut short says so by its `gap`.

    Returns
    -------
    Plan
        The optimum. Among plans of one cost the narrowest.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or no width allowed reaches the target.

    Notes
    -----
    Without a limit on the width, the rate and the explicit bound are reached most cheaply near one
    end, P = 0 or P = 1: along the frontier the cost is concave in m, so that the one stationary
    point is where it is greatest. P strictly between them is the answer where the width is limited.

    Examples
    --------
    >>> from kernelspec.planning import Costs, RateModel
    >>> model = RateModel("theorem's constant", kappa0=67.88, alpha=7 / 4)
    >>> target = model.error(2048, 0) / 100
    >>> plan = least_cost(model, target, Costs(trained=4, fixed=1))
    >>> plan.m, plan.trained, plan.cost, plan.gap
    (350, 350, 1400.0, 0.0)
    >>> round(plan.break_even, 1)  # above kappa0, for log(m/delta) grows too
    103.3
    >>> least_cost(model, target, Costs(trained=110, fixed=1)).trained
    0
    """
    target = _checks.positive("target", target)
    widest = _checks.integer("widest", widest, 1, _WIDEST)
    tolerance = _checks.proportion("tolerance", tolerance)
    steps = _checks.count("steps", steps, 0)
    all_trained = _least_width(model, target, widest, lambda m: m)
    if all_trained is None:
        raise out_of_reach(model, widest, target)
    all_fixed = _least_width(model, target, widest, lambda m: 0)
    search = _concave if isinstance(model, CoverageModel) else _monotone
    cost, m, trained, bound = search(
        model, target, costs, (all_trained, all_fixed), widest, (tolerance, steps)
    )
    gap = max(cost - bound, 0.0)
    return Plan(
        basis=model.basis,
        m=m,
        trained=trained,
        error=model.error(m, trained),
        target=target,
        cost=cost,
        gap=gap if gap > 1e-12 * cost else 0.0,
        all_trained=all_trained,
        all_fixed=all_fixed,
    )


def _least_width(
    model: ErrorModel, target: float, widest: int, trained: Callable[[int], int]
) -> int | None:
    """Least width that reaches the target with `trained(m)` neurons trained."""

    def excess(m: int) -> float:
        """Logarithm of error over target; of the models with a demand only its sign."""
        if isinstance(model, CoverageModel):  # the same rounding as in the search
            met = model.met(np.array([1.0 * m]), np.array([1.0 * trained(m)]), target)[0]
            return -1.0 if met else 1.0
        return log_ratio(model.error(m, trained(m)), target)

    low, high = 0, min(_START, widest)
    if isinstance(model, CoverageModel):
        for m in range(1, min(_SMALL, widest) + 1):
            if excess(m) <= 0:
                return m
        low = min(_SMALL, widest)
    while (above := excess(high)) > 0:
        if high == widest:
            return None
        low, high = high, min(2 * high, widest)
    return least_count(excess, low, high, above, math.log1p)[1]


Found = tuple[float, int, int, float]  # cost, m, trained, and a bound of the least cost
Ends = tuple[int, int | None]
Effort = tuple[float, int]  # tolerance, and most steps


def _concave(
    model: ErrorModel, target: float, costs: Costs, ends: Ends, widest: int, effort: Effort
) -> Found:
    """Search the widths of a model whose need for trained neurons is concave in the width."""
    assert isinstance(model, CoverageModel)
    tolerance, steps = effort
    step = costs.trained - costs.fixed

    def bounds(widths: list[int]) -> list[float]:
        m = np.array(widths, dtype=np.float64)
        need = np.zeros_like(m) if model.gain <= 0 else model.needed(m, target)
        return [float(x) for x in costs.fixed * m + step * need]

    def block(a: int, b: int) -> tuple[float, int, int]:
        m = np.arange(a, b + 1, dtype=np.float64)
        need = model.whole_needed(m, target)
        cost = costs.fixed * m + step * np.where(np.isinf(need), 0.0, need)
        cost = np.where(np.isinf(need), np.inf, cost)
        i = int(np.argmin(cost))
        return float(cost[i]), a + i, int(need[i]) if np.isfinite(need[i]) else 0

    first, last = ends
    best = block(first, first)
    # wider than this, even fixed neurons alone cost more
    last = min(last or widest, widest, max(first, math.ceil(best[0] / costs.fixed)))
    best = min(best, block(last, last))
    heap = [(min(bounds([first, last])), first, last)]
    for _ in range(steps):
        if not heap or heap[0][0] >= best[0] * (1 - tolerance):
            break
        _, a, b = heapq.heappop(heap)
        if b - a < _BLOCK:
            best = min(best, block(a, b))
            continue
        middle = (a + b) // 2
        best = min(best, block(middle, middle))
        at = bounds([a, middle, middle + 1, b])
        heapq.heappush(heap, (min(at[:2]), a, middle))
        heapq.heappush(heap, (min(at[2:]), middle + 1, b))
    return (*best, min([best[0], *(bound for bound, _, _ in heap)]))


def _monotone(
    model: ErrorModel, target: float, costs: Costs, ends: Ends, widest: int, effort: Effort
) -> Found:
    """Search the numbers of fixed neurons of a model in which no neuron does harm."""
    (first, last), (tolerance, steps) = ends, effort
    slack = max(1, int(tolerance * first / 8))
    known: dict[int, tuple[int, int]] = {}

    def trained_beside(fixed: int) -> tuple[int, int]:
        """Numbers of trained neurons too few and enough beside this many fixed ones."""
        if fixed not in known:
            # monotone: between what more and what fewer fixed neurons are known to need
            low = max((few for more, (few, _) in known.items() if more > fixed), default=-1)
            high = min(
                (enough for less, (_, enough) in known.items() if less < fixed), default=first
            )

            def excess(trained: int) -> float:
                if trained + fixed == 0:
                    return math.inf
                return log_ratio(model.error(trained + fixed, trained), target)

            known[fixed] = least_count(excess, low, high, -math.inf, slack=slack)
        return known[fixed]

    def plan(fixed: int) -> tuple[float, int, int]:
        trained = trained_beside(fixed)[1]
        m = fixed + trained
        return (costs.total(m, trained) if m <= widest else math.inf, m, trained)

    def bound(a: int, b: int) -> float:
        """Least cost of more than a and at most b fixed neurons."""
        if b == a + 1 and slack == 1:
            return math.inf  # the end b is a plan in hand
        return costs.fixed * (a + 1) + costs.trained * (trained_beside(b)[0] + 1)

    best = (costs.total(first, first), first, first)
    most = math.ceil(best[0] / costs.fixed)
    most = min(most, widest, last if last is not None else widest)
    best = min(best, plan(most))
    heap = [(bound(0, most), 0, most)]
    for _ in range(steps):
        if not heap or heap[0][0] >= best[0] * (1 - tolerance):
            break
        _, a, b = heapq.heappop(heap)
        middle = (a + b) // 2
        best = min(best, plan(middle))
        for low, high in ((a, middle), (middle, b)):
            if low < high and (least := bound(low, high)) < math.inf:
                heapq.heappush(heap, (least, low, high))
    return (*best, min([best[0], *(least for least, _, _ in heap)]))

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec.planning import LayerLoad, allocate

layers = st.lists(
    st.builds(
        lambda m, alpha, dof, kappa0, cost: LayerLoad("x", m, alpha, min(dof, m), kappa0, cost),
        m=st.integers(1, 9),
        alpha=st.floats(0.3, 4.0),
        dof=st.floats(0.1, 9.0),
        kappa0=st.one_of(st.just(1.0), st.floats(1.0, 50.0)),
        cost=st.sampled_from([1.0, 1.7, 5.0]),
    ),
    min_size=1,
    max_size=3,
)


def brute(loads: list[LayerLoad], budget: float) -> float:
    """Least sum over all whole numbers of trained neurons within the budget."""
    return min(
        math.fsum(x.remaining(n / x.m) for x, n in zip(loads, counts, strict=True))
        for counts in itertools.product(*(range(x.m + 1) for x in loads))
        if sum(n * x.cost for n, x in zip(counts, loads, strict=True)) <= budget * (1 + 1e-12)
    )


@given(loads=layers, part=st.floats(0.0, 1.2))
@example([LayerLoad("x", 9, 2, 1, 1, 1)], 0.5)  # nothing to gain
@example([LayerLoad("x", 9, 2, 1, 4, 1), LayerLoad("y", 9, 2, 1, 4, 5)], 1.0)  # all
@example([LayerLoad("x", 9, 2, 1, 4, 1), LayerLoad("y", 9, 2, 1, 4, 1)], 0.0)  # nothing
def test_no_whole_numbers_leave_less(loads: list[LayerLoad], part: float) -> None:
    budget = part * sum(x.m * x.cost for x in loads)
    plan = allocate(loads, budget)
    least = brute(loads, budget)
    assert plan.remaining - plan.gap <= least * (1 + 1e-9)
    assert plan.remaining >= least * (1 - 1e-12)
    assert plan.cost <= budget * (1 + 1e-9)
    for x, n in zip(loads, plan.trained, strict=True):
        if x.first_gain > 0 and n < x.m:  # what is left of the budget buys nothing useful
            assert x.cost > budget - plan.cost - 1e-9
    if len({x.cost for x in loads}) == 1:
        assert plan.remaining == pytest.approx(least, rel=1e-9)


@given(loads=layers, part=st.floats(0.01, 0.99))
def test_marginal_gains_are_equal_where_training_is_partial(
    loads: list[LayerLoad], part: float
) -> None:
    budget = part * sum(x.m * x.cost for x in loads)
    plan = allocate(loads, budget)
    useful = [x.kappa0 > 1 for x in loads]
    spent = sum(p * x.m * x.cost for p, x in zip(plan.P, loads, strict=True))
    wanted = sum(x.m * x.cost for x, use in zip(loads, useful, strict=True) if use)
    assert spent == pytest.approx(min(budget, wanted), rel=1e-6)
    for p, x in zip(plan.P, loads, strict=True):
        h = 1e-6
        gain = (x.remaining(max(p - h, 0)) - x.remaining(min(p + h, 1))) / (
            (min(p + h, 1) - max(p - h, 0)) * x.m * x.cost
        )
        slack = 1e-3 * gain + 1e-9
        if p < 1 and plan.price > 0:
            assert gain <= plan.price + slack
        if p > 0:
            assert gain >= plan.price - slack


def test_the_real_optimum_beats_random_allocations() -> None:
    rng = np.random.default_rng(1)
    loads = [
        LayerLoad("a", 500, 2.5, 40, 30, 3),
        LayerLoad("b", 200, 1.2, 60, 3, 10),
        LayerLoad("c", 1000, 0.8, 90, 8, 1),
    ]
    plan = allocate(loads, 1500)
    best = sum(x.remaining(p) for x, p in zip(loads, plan.P, strict=True))
    room = np.array([x.m * x.cost for x in loads])
    P = rng.dirichlet(np.ones(3), 20_000) * 1500 / room
    P = P[np.all(P <= 1, axis=1)]
    assert len(P) > 1000
    sums = [sum(x.remaining(p) for x, p in zip(loads, row, strict=True)) for row in P]
    assert best <= min(sums) * (1 + 1e-9)
    assert min(sums) < best * 1.01  # they come close: the comparison is no formality
    assert plan.gap < 0.01 * plan.remaining


def test_layers_alike_share_alike() -> None:
    plan = allocate([LayerLoad(name, 100, 2, 10, 5, 1) for name in "ab"], 60)
    assert list(plan.P) == pytest.approx([0.3, 0.3])
    assert plan.trained == (30, 30)
    assert plan.layers[0].share(0.3) == pytest.approx(
        (1 - (1 + 0.3 * 4) ** -2) / (1 - 5**-2)
    )  # formula 11 of the design: the width and dof cancel


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: allocate([], 1), ValueError, r"layers = \(\) is not allowed"),
        (lambda: allocate([3], 1), TypeError, "3 is no LayerLoad"),  # type: ignore[list-item]
        (
            lambda: allocate([LayerLoad("a", 1, 1, 1, 1, 1)], -1),
            ValueError,
            "budget = -1 is not allowed: a finite number >= 0",
        ),
        (lambda: LayerLoad("a", 0, 1, 1, 1, 1), ValueError, "m = 0 is not allowed"),
        (lambda: LayerLoad("a", 1, 1, 1, 0.5, 1), ValueError, "kappa0 = 0.5 is not allowed"),
        (lambda: LayerLoad("a", 1, math.nan, 1, 1, 1), ValueError, "alpha = nan is not allowed"),
        (lambda: LayerLoad("a", 1, 1, 1, 1, 0), ValueError, "cost = 0 is not allowed"),
    ],
)
def test_bad_arguments_to_allocate(call: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()  # type: ignore[operator]

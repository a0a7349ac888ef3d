from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from planning_oracles import Synthetic, cheapest, reached

from kernelspec import BiasedReLU
from kernelspec.planning import BoundModel, Costs, CoverageModel, RateModel, least_cost

WIDEST = 60

costs = st.builds(
    lambda fixed, ratio: Costs(trained=fixed * ratio, fixed=fixed),
    st.sampled_from([0.5, 1.0, 3.0]),
    st.floats(1.0, 30.0),
)


def rate(kappa0: float, kappa1: float = 1.0, alpha: float = 1.75, delta: float = 0.05) -> RateModel:
    return RateModel("test", kappa0, kappa1, delta, alpha=alpha)


@given(
    excess=st.floats(1.0, 40.0),
    kappa1=st.sampled_from([1.0, 1.5]),
    alpha=st.sampled_from([0.5, 1.75, 4.0]),
    delta=st.sampled_from([1e-6, 0.05, 0.99]),
    width=st.integers(1, WIDEST),
    part=st.floats(0.0, 1.0),
    price=costs,
)
@example(1.0, 1.0, 1.75, 0.05, 40, 0.0, Costs(3.0, 1.0))  # training changes nothing
@example(1 + 1e-15, 1.5, 1.75, 0.05, 3, 1.0, Costs(1.0, 0.5))  # nothing but rounding
@example(1 + 1e-12, 1.0, 1.75, 0.05, 3, 1.0, Costs(1.0, 0.5))
@example(1 + 1e-8, 1.0, 1.75, 0.05, 40, 1.0, Costs(1.0, 0.5))
@example(20.0, 1.0, 1.75, 0.05, 60, 0.1, Costs(1.0, 1.0))  # training is free
@example(9.0, 1.0, 1.75, 0.99, 2, 1.0, Costs(4.0, 1.0))  # m/log(m/delta) falls up to m = 2
@example(5.0, 1.0, 1.75, 0.05, 50, 1.0, Costs(5.0, 1.0))  # kappa0/kappa1 = cost ratio
def test_no_network_is_cheaper(
    excess: float,
    kappa1: float,
    alpha: float,
    delta: float,
    width: int,
    part: float,
    price: Costs,
) -> None:
    model = rate(kappa1 * excess, kappa1, alpha, delta)
    target = model.error(width, round(part * width))
    plan = least_cost(model, target, price, widest=WIDEST)
    cost, _, _ = cheapest(model, target, price, WIDEST)
    assert plan.cost == pytest.approx(cost, rel=1e-12)
    assert plan.gap == 0
    assert reached(model, plan.m, plan.trained, target)
    assert plan.cost == pytest.approx(price.total(plan.m, plan.trained))
    assert plan.error <= target * (1 + 1e-9)


def test_the_search_skips_widths_only_where_they_cannot_win() -> None:
    # ranges far wider than one block, with a brute force over all widths
    m = np.arange(1.0, 200_001)
    inside = 0
    cases = itertools.product((4.0, 30.0), (0.7, 2.0, 7.0), (200_000, 150_001), (0, 40, 80))
    for kappa0, price, widest, less in cases:
        model, ratio = rate(kappa0), 1 + price * (kappa0 - 1)
        target = model.error(200_000 - less, 0)
        need = model.whole_needed(m[:widest], target)
        brute = m[:widest] + (ratio - 1) * np.where(np.isinf(need), 0, need)
        brute = np.where(np.isinf(need), np.inf, brute)
        plan = least_cost(model, target, Costs(ratio, 1.0), widest=widest)
        assert plan.cost == pytest.approx(float(brute.min()), rel=1e-12)
        assert plan.m == 1 + int(np.argmin(brute))
        assert plan.gap == 0
        inside += plan.all_trained is not None and 0 < plan.m - plan.all_trained < 100
    assert inside > 0  # next to P = 1, but not there


@pytest.mark.parametrize("make", ["rate", "bound"])
def test_the_stationary_point_along_the_frontier_is_the_dearest(make: str) -> None:
    model: CoverageModel = (
        rate(30.0) if make == "rate" else BoundModel("test", 30.0, model=BiasedReLU(3))
    )
    target = model.error(3000, 0)
    ratio = least_cost(model, target, Costs(1.0, 1.0)).break_even
    assert ratio is not None
    plan = least_cost(model, target, Costs(ratio, 1.0))
    assert plan.all_trained is not None
    assert plan.all_fixed is not None
    m = np.linspace(plan.all_trained, plan.all_fixed, 2001)
    cost = m + (ratio - 1) * model.needed(m, target)
    assert np.all(np.diff(cost, 2) < 0)
    inner = int(np.argmax(cost))
    assert 0 < inner < 2000
    # c0 - (c1 - c0)/(kappa0 gain) + (c1 - c0) D g'(m)/gain = 0 there, by differences of g
    h = 1e-3
    slope = (model.growth(m[inner] + h) - model.growth(m[inner] - h)) / (2 * h)
    first_order = 1 + (ratio - 1) / model.gain * (model.demand(target) * slope - 1 / model.kappa0)
    assert abs(first_order) < 0.02
    assert plan.cost <= cost.min() + ratio


def test_with_a_limit_on_the_width_part_is_trained() -> None:
    model = rate(30.0)
    target = model.error(3000, 0)
    free = least_cost(model, target, Costs(200.0, 1.0))
    assert (free.m, free.trained) == (3000, 0)
    capped = least_cost(model, target, Costs(200.0, 1.0), widest=1000)
    # as wide as allowed, but for neurons that spare no trained one
    assert capped.trained == model.least_trained(1000, target) == 59
    assert 900 < capped.m <= 1000
    assert model.least_trained(capped.m - 1, target) == 60
    assert capped.all_fixed is None


def test_an_infinite_mismatch_leaves_only_trained_neurons() -> None:
    plan = least_cost(rate(math.inf), 1e-3, Costs(4.0, 1.0))
    assert plan.P == 1
    assert plan.all_fixed is None
    assert plan.gap == 0


def test_a_search_cut_short_says_what_may_be_left() -> None:
    # costs as good as tied along millions of widths
    model = rate(30.0)
    target = model.error(10**9, 0)
    all_trained = least_cost(model, target, Costs(1.0, 1.0)).m
    tie = 10**9 / all_trained
    plan = least_cost(model, target, Costs(tie, 1.0))
    assert 0 <= plan.gap < 1e-6 * plan.cost
    assert plan.cost <= 10**9 * (1 + 1e-9)


@given(
    trained=st.floats(0.5, 3.0),
    fixed=st.floats(0.02, 0.5),
    together=st.sampled_from([0.0, 0.3, 1.0]),
    steps=st.booleans(),
    width=st.integers(1, 30),
    price=costs,
)
@example(1.0, 0.5, 1.0, False, 20, Costs(2.0, 1.0))  # the optimum is inside
def test_monotone_search_finds_the_least_cost(
    trained: float, fixed: float, together: float, steps: bool, width: int, price: Costs
) -> None:
    model = Synthetic(trained, fixed, together, steps)
    target = model.error(width, width)
    plan = least_cost(model, target, price, widest=WIDEST)
    assert plan.cost == pytest.approx(cheapest(model, target, price, WIDEST)[0], rel=1e-12)
    assert plan.gap == 0
    rough = least_cost(model, target, price, widest=WIDEST, tolerance=0.2)
    assert rough.cost - rough.gap <= plan.cost * (1 + 1e-12)
    assert rough.gap <= 0.2 * rough.cost * (1 + 1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 0.0}, r"target = 0.0 is not allowed: a finite number > 0"),
        ({"target": 1e-9, "widest": 100}, r"target = 1e-09 is not allowed: at least .* 100 neur"),
        ({"target": 0.1, "widest": 0}, r"widest = 0 is not allowed: an integer from 1"),
        ({"target": 0.1, "tolerance": 2}, r"tolerance = 2 is not allowed: a number from 0 to 1"),
    ],
)
def test_goals_out_of_reach_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        least_cost(rate(30.0), costs=Costs(4.0, 1.0), **arguments)  # type: ignore[arg-type]

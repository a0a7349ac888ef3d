from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelspec import (
    BiasedReLU,
    GaussianInit,
    captured_fraction,
    explicit_bound,
    mixture_mismatch,
    rate_bound,
    trainable_proportion,
)
from kernelspec.planning import (
    BoundModel,
    Costs,
    EquivalentModel,
    RateModel,
    neuron_costs,
    plan_width,
    ridge_of_freedom,
    share_of_reduction,
)


@given(
    kappa0=st.floats(1.001, 1e4),
    alpha=st.floats(0.2, 4.0),
    m=st.integers(1, 5000),
    part=st.floats(0.0, 1.0),
    share=st.floats(0.0, 1.0),
)
@example(67.88, 1.75, 1000, 0.041, 0.9)
@example(1.001, 1.75, 1000, 0.0, 1.0)
def test_the_rate_gives_the_share_of_the_theorem(
    kappa0: float, alpha: float, m: int, part: float, share: float
) -> None:
    model = RateModel("test", kappa0, alpha=alpha)
    trained = round(part * m)
    expected = captured_fraction(trained / m, alpha, kappa0)
    assert share_of_reduction(model, m, trained) == pytest.approx(expected, abs=1e-9)
    plan = plan_width(model, m, share=share)
    exact = m * float(trainable_proportion(share, alpha, kappa0))
    assert exact - 1e-6 * m <= plan.trained <= exact + 1 + 1e-6 * m
    assert plan.share >= share - 1e-9


@pytest.mark.parametrize("kappa0", [4.0, 67.88])
@pytest.mark.parametrize("m", [50, 3000])
def test_one_neuron_fewer_misses_the_target(kappa0: float, m: int) -> None:
    delta, alpha = 0.1, 1.75
    kappa = float(mixture_mismatch(0.3, kappa0))
    rate = float(rate_bound(m, kappa, alpha, delta)) * 1.0001
    bound = float(explicit_bound(BiasedReLU(5), m, kappa, delta)) * 1.0001
    models = [
        (RateModel("test", kappa0, delta=delta, alpha=alpha), rate),
        (BoundModel("test", kappa0, delta=delta, model=BiasedReLU(5)), bound),
    ]
    for model, target in models:
        plan = plan_width(model, m, target=target)
        assert plan.trained == math.ceil(0.3 * m) or plan.trained == math.ceil(0.3 * m) - 1
        assert plan.error <= target < model.error(m, plan.trained - 1)


def test_the_equivalent_plans_as_it_predicts() -> None:
    model = EquivalentModel(BiasedReLU(5), GaussianInit(5, 10))
    plan = plan_width(model, 512, share=0.9)
    goal = plan.untrained - 0.9 * (plan.untrained - plan.all_trained)
    assert plan.error <= goal < model.error(512, plan.trained - 1)
    # docs/derivations/predictors.md, section 5: 0.29 at m = 1024, where the theorem says 0.04
    assert 0.2 < plan.P < 0.45
    assert plan.untrained > plan.error > plan.all_trained


def test_the_next_per_cent_is_the_theorems() -> None:
    plan = plan_width(RateModel("test", 20.0, alpha=1.75), 10_000, share=0.5)
    share = [float(captured_fraction(P, 1.75, 20.0)) for P in (plan.P, plan.P + 0.01)]
    assert plan.next_per_cent == pytest.approx(share[1] - share[0], rel=1e-9)
    # and with fewer than a per cent left, what is left
    last = plan_width(RateModel("test", 20.0, alpha=1.75), 10_000, share=1 - 1e-5)
    assert 0 < last.m - last.trained < 100
    assert last.next_per_cent == pytest.approx(1 - last.share, rel=1e-9)


def test_nothing_to_gain_and_infinite_mismatch() -> None:
    plan = plan_width(RateModel("test", 1.0, alpha=2), 100, share=0.9)
    assert (plan.trained, plan.share, plan.next_per_cent) == (0, 1.0, 0.0)
    model = RateModel("test", math.inf, alpha=2)
    with pytest.raises(ValueError, match="kappa0 = inf is not allowed where a share is asked for"):
        plan_width(model, 100, share=0.9)
    plan = plan_width(model, 100, target=model.error(100, 40))
    assert (plan.trained, plan.share) == (40, 1.0)


def test_ridge_of_freedom_inverts_the_degrees_of_freedom() -> None:
    for d, dof in ((2, 0.1), (5, 128.0), (30, 1e4)):
        lam = ridge_of_freedom(BiasedReLU(d), dof)
        assert float(BiasedReLU(d).degrees_of_freedom(lam)) == pytest.approx(dof, rel=1e-9)


def test_costs_count_parameters_and_operations() -> None:
    # d = 3: p = 4 inner weights; 2 outputs; Adam keeps parameter, gradient and two moments
    assert neuron_costs(3, outputs=2) == Costs(trained=24.0, fixed=12.0)
    assert neuron_costs(3, outputs=2, optimiser="sgd") == Costs(trained=12.0, fixed=8.0)
    assert neuron_costs(3, "trainable", outputs=2) == Costs(trained=6.0, fixed=2.0)
    # forward 8 + 4; outer weights 4; through them 4; inner weights 8
    assert neuron_costs(3, "time", outputs=2) == Costs(trained=28.0, fixed=16.0)
    assert neuron_costs(3).total(10, 4) == 4 * 20 + 6 * 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Costs(1.0, 2.0), "fixed = 2.0 is not allowed: at most trained = 1.0"),
        (lambda: Costs(1.0, 0.0), "fixed = 0.0 is not allowed: a finite number > 0"),
        (lambda: neuron_costs(3, "money"), "resource = 'money' is not allowed: one of memory"),
        (lambda: neuron_costs(3, optimiser="x"), "optimiser = 'x' is not allowed: one of sgd"),
        (lambda: RateModel("t", 0.5, alpha=1), "kappa0 = 0.5 is not allowed: numbers from 1"),
        (lambda: RateModel("t", 2, 3, alpha=1), "kappa0 = 2.0 is not allowed: numbers from 3"),
        (lambda: RateModel("t", math.inf, math.inf, alpha=1), "kappa1 = inf is not allowed: a f"),
        (lambda: RateModel("t", 2, alpha=0), "alpha = 0 is not allowed: a finite number > 0"),
        (lambda: RateModel("t", 2, delta=1, alpha=1), "delta = 1 is not allowed"),
        (
            lambda: plan_width(RateModel("t", 2, alpha=1), 10, share=1.1),
            "share = 1.1 is not allowed: a number from 0 to 1",
        ),
        (
            lambda: plan_width(RateModel("t", 2, alpha=1), 10),
            "share = None, target = None is not allowed: exactly one of them",
        ),
        (
            lambda: plan_width(RateModel("t", 2, alpha=1), 10, target=1e-9),
            "target = 1e-09 is not allowed: at least .* 10 neurons reach when all are trained",
        ),
        (
            lambda: EquivalentModel(BiasedReLU(5), GaussianInit(4, 1)),
            "dimension|of the same d|d = ",
        ),
    ],
)
def test_bad_arguments_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]

from __future__ import annotations

import pytest

from kernelspec.features import BiasedReLU
from kernelspec.planning import (
    BoundModel,
    Costs,
    Goal,
    LayerLoad,
    RateModel,
    allocate,
    side_by_side,
    spherical_models,
)
from kernelspec.plotting import new_axes
from kernelspec.plotting.planning import draw_frontiers, draw_marginal_gains


def test_frontiers_end_where_nothing_is_trained() -> None:
    _, ax = new_axes()
    curves = {"a": ([10, 20, 40], [10, 6, 0]), "b": ([5, 80], [5, 0])}
    draw_frontiers(ax, curves, title="d = 5", cheapest={"a": (40, 0)}, width=30)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert ax.get_ylim()[0] == 0
    with pytest.raises(ValueError, match=r"frontiers\['a'\] of shapes \(2,\), \(1,\) is not all"):
        draw_frontiers(ax, {"a": ([1, 2], [1])}, title="")


def test_marginal_gains_meet_the_price() -> None:
    loads = [LayerLoad(n, 100, a, 10, 8, 1) for n, a in (("a", 1.0), ("b", 3.0))]
    plan = allocate(loads, 80)
    for layer, P in zip(loads, plan.P, strict=True):
        gain = layer.first_gain * (1 + P * (layer.kappa0 - 1)) ** -(layer.alpha + 1)
        assert gain == pytest.approx(plan.price, rel=1e-9)
    _, ax = new_axes()
    draw_marginal_gains(ax, [0, 1], {"a": [2, 1]}, title="", price=1.5, chosen=[0.5])
    with pytest.raises(ValueError, match=r"gains\['a'\] of shape \(1,\) is not allowed"):
        draw_marginal_gains(ax, [0, 1], {"a": [1]}, title="")


def test_models_of_the_sphere_name_what_they_rest_on() -> None:
    assert [type(x) for x in spherical_models(BiasedReLU(4), 2.0)][:4] == [
        RateModel,
        RateModel,
        BoundModel,
        BoundModel,
    ]
    # below tau = 1 and for other orders the theorem states no constant
    for model, tau in ((BiasedReLU(4), 0.5), (BiasedReLU(4, order=2), 2.0)):
        names = [x.basis for x in spherical_models(model, tau)]
        assert names == ["rate, sharp constant", "bound, sharp constant", "measured predictor"]


def test_goals_out_of_reach_are_noted() -> None:
    models = [RateModel("a", 4.0, alpha=2), RateModel("b", float("inf"), alpha=2)]
    rows = side_by_side(models, 100, Goal(factor=1e3), Costs(4, 1))
    assert rows[0].width is None
    assert rows[0].cheapest is not None
    assert "100 neurons reach when all are trained" in rows[0].note
    assert rows[1].cheapest is None
    assert "infinite" in rows[1].note
    with pytest.raises(ValueError, match="exactly one of share, factor, within and error"):
        Goal(share=0.5, error=1.0)
    with pytest.raises(ValueError, match=r"factor = 0\.5 is not allowed: a finite number >= 1"):
        Goal(factor=0.5)


def test_full_share_means_all_neurons() -> None:
    row = side_by_side([RateModel("a", 4.0, alpha=2)], 100, Goal(share=1.0), Costs(4, 1))[0]
    assert row.width is not None
    assert row.width.trained == 100
    assert row.cheapest is not None
    assert row.cheapest.error <= row.width.error * (1 + 1e-9)

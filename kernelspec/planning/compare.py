"""One question under several constants, side by side: what the answer rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from kernelspec import _checks
from kernelspec.bounds import theorem_kappa0
from kernelspec.features import BiasedReLU
from kernelspec.laws import GaussianInit
from kernelspec.limits import limiting_mismatch
from kernelspec.planning.costs import Costs
from kernelspec.planning.equivalent import EquivalentModel
from kernelspec.planning.models import BoundModel, CoverageModel, ErrorModel, RateModel
from kernelspec.planning.optimum import Plan, least_cost
from kernelspec.planning.width import WidthPlan, plan_width

__all__ = ["Goal", "SideBySide", "side_by_side", "spherical_models"]

# where the search under the costly predictor stops: relative cost, ranges looked at
_ROUGH: Final = 0.1
_FEW: Final = 8


@dataclass(frozen=True)
class Goal:
    """What is wanted of a network of given width; exactly one of the four.

    Attributes
    ----------
    share : float or None
        Share of the reduction from no neuron trained to all, from 0 to 1.
    factor : float or None
        The error without training over the error wanted, >= 1.
    within : float or None
        The error wanted over the error with all neurons trained, >= 1. The one goal relative to
        another network that means something for kappa0 = inf.
    error : float or None
        Squared error wanted, > 0.

    Examples
    --------
    >>> Goal(share=0.9)
    Goal(share=0.9, factor=None, within=None, error=None)
    >>> Goal(share=0.9, factor=10)
    Traceback (most recent call last):
        ...
    ValueError: Goal(...) is not allowed: exactly one of share, factor, within and error
    """

    share: float | None = None
    factor: float | None = None
    within: float | None = None
    error: float | None = None

    def __post_init__(self) -> None:
        given = [name for name in vars(self) if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"{self!r} is not allowed: exactly one of share, factor, within and error"
            )
        (name,) = given
        check = _checks.proportion if name == "share" else _checks.positive
        value = check(name, getattr(self, name))
        if name in ("factor", "within") and value < 1:
            raise ValueError(f"{name} = {value!r} is not allowed: a finite number >= 1")
        object.__setattr__(self, name, value)


@dataclass(frozen=True)
class SideBySide:
    """The answer under one error model.

    Attributes
    ----------
    model : ErrorModel
        What it rests on.
    width : WidthPlan or None
        The least number to train at the given width; None where the goal is out of reach there.
    cheapest : Plan or None
        The network of any width that reaches the same error at least cost.
    note : str
        Why a plan is missing; empty if none is.

    Examples
    --------
    >>> models = [RateModel("theorem's constant", 67.88, alpha=7 / 4)]
    >>> (row,) = side_by_side(models, 1000, Goal(share=0.9), Costs(trained=4, fixed=1))
    >>> row.kappa0, row.width.trained, row.note
    (67.88, 41, '')
    """

    model: ErrorModel
    width: WidthPlan | None
    cheapest: Plan | None
    note: str = ""

    @property
    def kappa0(self) -> float | None:
        """Mismatch of the initialisation it rests on, if any."""
        return self.model.kappa0 if isinstance(self.model, CoverageModel) else None


def spherical_models(
    model: BiasedReLU, tau: float, *, delta: float = 0.05
) -> tuple[ErrorModel, ...]:
    """List the error models for inputs uniform on the sphere, from crude to fine.

    Parameters
    ----------
    model : BiasedReLU
        The feature family.
    tau : float
        Bias scale of the initialisation, > 0.
    delta : float, default 0.05
        Probability with which rate and bound may fail.

    Returns
    -------
    tuple of ErrorModel
        Rate and explicit bound with the theorem's constant (for ReLU and tau >= 1, where it states
        one) and with the sharp limit, then the measured predictor.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    >>> for row in spherical_models(BiasedReLU(5), 10.0):
    ...     print(row.basis)
    rate, theorem's constant
    rate, sharp constant
    bound, theorem's constant
    bound, sharp constant
    measured predictor
    """
    tau = _checks.positive("tau", tau)
    law = GaussianInit(model.d, tau)
    kappas = {}
    if model.order == 1 and tau >= 1:
        kappas["theorem's constant"] = float(theorem_kappa0(model.d, tau))
    kappas["sharp constant"] = float(limiting_mismatch(model, law).kappa)
    alpha = model.decay_exponent
    rows: list[ErrorModel] = []
    for name, kappa0 in kappas.items():
        rows.append(RateModel(f"rate, {name}", kappa0, delta=delta, alpha=alpha))
    for name, kappa0 in kappas.items():
        rows.append(BoundModel(f"bound, {name}", kappa0, delta=delta, model=model))
    rows.append(EquivalentModel(model, law))
    return tuple(rows)


def side_by_side(
    models: Sequence[ErrorModel],
    m: int,
    goal: Goal,
    costs: Costs,
    *,
    widest: int | None = None,
) -> tuple[SideBySide, ...]:
    """Answer one question under several error models.

    Parameters
    ----------
    models : sequence of ErrorModel
        What the answers rest on.
    m : int
        Width, >= 1.
    goal : Goal
        What is wanted at this width.
    costs : Costs
        Cost of a trained and of a fixed neuron.
    widest : int, optional
        Greatest width considered for the cheapest network; by default 1000 m.

    Returns
    -------
    tuple of SideBySide
        One for each model. The cheapest network is asked for the error that the goal comes to at
        width m *under the same model*, so that no unknown constant enters; for the measured
        predictor the search is cut short, and `Plan.gap` says how much might be saved.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range; goals out of reach are noted instead.

    Examples
    --------
    >>> models = [RateModel(f"kappa0 = {k}", k, alpha=7 / 4) for k in (67.88, 16.97)]
    >>> for row in side_by_side(models, 1024, Goal(share=0.9), Costs(4, 1)):
    ...     assert row.width and row.cheapest
    ...     print(row.model.basis, row.width.trained, row.cheapest.m, row.cheapest.trained)
    kappa0 = 67.88 42 38 38
    kappa0 = 16.97 167 180 180
    """
    m = _checks.count("m", m)
    widest = 1000 * m if widest is None else _checks.count("widest", widest)
    return tuple(_answer(model, m, goal, costs, widest) for model in models)


def _answer(model: ErrorModel, m: int, goal: Goal, costs: Costs, widest: int) -> SideBySide:
    width = cheapest = None
    notes = []
    target = goal.error
    try:
        if goal.factor is not None:
            target = model.error(m, 0) / goal.factor
            if target == math.inf:
                raise ValueError("the error without training is infinite: ask within a factor")
        if goal.within is not None:
            target = model.error(m, m) * goal.within
        width = plan_width(model, m, share=goal.share, target=target)
        if target is None:
            target = width.untrained - (goal.share or 0.0) * (width.untrained - width.all_trained)
            # the share 1 is the error of all neurons trained, not a rounding below it
            target = max(target, width.all_trained)
    except ValueError as error:
        notes.append(str(error))
    if target is not None:
        rough: dict[str, Any] = {"tolerance": _ROUGH, "steps": _FEW}
        if isinstance(model, CoverageModel):
            rough = {}
        try:
            cheapest = least_cost(model, target, costs, widest=widest, **rough)
        except ValueError as error:
            notes.append(str(error))
    return SideBySide(model, width, cheapest, "; ".join(dict.fromkeys(notes)))
